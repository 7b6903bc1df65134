//! Which functions of a program see nothing but its global variables, so that all they remember can be found: those written at its top
//! level, where no block, function or initialiser of a field around them could hide a variable.
//!
//! The program is read as tokens. What cannot be followed is refused: fewer functions than there are do no harm.

/// Why memory may be out of sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// `#name` of a class.
    Private,
    /// `eval` and `Function` make functions that are not in the text.
    Dynamic,
    /// `super` outside of a class.
    Super,
    /// Brackets or quotes that do not match, as this reader sees it.
    Unread,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ScriptToken<'a> {
    Word(&'a str),
    /// A bracket, an operator of one sign, or the first sign of a longer one.
    Mark(char),
    Arrow,
    /// `${` of a template.
    Inside,
    /// A text, a piece of a template, or a regular expression.
    Quoted,
}

struct LocatedToken<'a> {
    token: ScriptToken<'a>,
    start: usize,
    /// A new line comes before it.
    fresh: bool,
}

/// The program with the places where functions see only what is global.
pub struct Scopes {
    source: String,
    /// Where each token begins, and whether something around it may hide variables.
    places: Vec<(usize, bool)>,
}

impl Scopes {
    pub fn read(source: &str) -> Result<Scopes, Hidden> {
        let tokens = tokens(source)?;
        let hidden = hidden(&tokens)?;
        let places = tokens.iter().map(|t| t.start).zip(hidden).collect();
        Ok(Scopes { source: source.into(), places })
    }

    /// Whether a function of this text sees only global variables, wherever in the program it stands.
    pub(crate) fn is_stateless(&self, text: &str) -> bool {
        let mut found = self.source.match_indices(text).peekable();
        let open = |at: usize| {
            let place = self.places.binary_search_by_key(&at, |(start, _)| *start);
            place.is_ok_and(|k| !self.places[k].1)
        };
        !text.is_empty() && found.peek().is_some() && found.all(|(at, _)| open(at))
    }
}

/// All words of a text, names of variables among them; escapes in names are resolved.
pub fn words(source: &str) -> Vec<String> {
    let mut list: Vec<String> = vec![];
    for text in [source, &unescaped(source)] {
        list.extend(
            text.split(|c| !is_letter(c)).filter(|w| !w.starts_with(char::is_numeric)).map(String::from),
        );
    }
    list.sort();
    list.dedup();
    list.retain(|w| !w.is_empty());
    list
}

/// `\u0061` and `\u{61}` as letters.
fn unescaped(source: &str) -> String {
    let mut text = String::new();
    let mut rest = source;
    while let Some(at) = rest.find("\\u") {
        text.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let (digits, length) = match after.strip_prefix('{').and_then(|t| t.split_once('}')) {
            Some((digits, _)) => (digits, digits.len() + 2),
            None => (after.get(..4).unwrap_or(""), 4.min(after.len())),
        };
        match u32::from_str_radix(digits, 16).ok().and_then(char::from_u32) {
            Some(c) => {
                text.push(c);
                rest = &after[length..];
            }
            None => {
                text.push('\\');
                rest = after;
            }
        }
    }
    text + rest
}

/// What an open bracket holds.
#[derive(Clone, Copy, PartialEq)]
enum Holds {
    /// The whole program.
    Program,
    /// Values: of a call, an array, an object, a template.
    Values,
    Object,
    Class,
    /// Statements, parameters, conditions.
    Code,
}

struct BracketLevel {
    holds: Holds,
    /// Something around this level hides variables.
    hidden: bool,
    /// Inside the expression after `=>`, the value of a field, or a loop without braces.
    arrow: bool,
    field: bool,
    repeated: bool,
    /// The next brace is the body of a class.
    class: bool,
}

impl BracketLevel {
    fn new(holds: Holds, hidden: bool) -> BracketLevel {
        BracketLevel { holds, hidden, arrow: false, field: false, repeated: false, class: false }
    }

    fn hides(&self) -> bool {
        self.hidden || self.holds == Holds::Code || self.arrow || self.field || self.repeated
    }
}

/// For each token, whether a function that begins there may see variables that are not global.
fn hidden(tokens: &[LocatedToken]) -> Result<Vec<bool>, Hidden> {
    let closing = matches(tokens)?;
    let mut levels = vec![BracketLevel::new(Holds::Program, false)];
    let mut list = vec![];
    for (k, placed) in tokens.iter().enumerate() {
        let before = k.checked_sub(1).map(|k| tokens[k].token);
        let next = tokens.get(k + 1).map(|t| t.token);
        let in_class = levels.iter().any(|l| l.holds == Holds::Class);
        let level = levels.last_mut().ok_or(Hidden::Unread)?;
        if placed.fresh && before.is_some_and(ends_operand) && begins_statement(placed.token, level) {
            (level.arrow, level.field) = (false, false);
        }
        list.push(level.hides());
        let hides = level.hides();
        match placed.token {
            ScriptToken::Mark('(') => {
                let after = closing[k].and_then(|j| tokens.get(j + 1)).map(|t| t.token);
                let code = matches!(after, Some(ScriptToken::Mark('{') | ScriptToken::Arrow));
                levels.push(BracketLevel::new(if code { Holds::Code } else { Holds::Values }, hides));
            }
            ScriptToken::Mark('[') | ScriptToken::Inside => {
                levels.push(BracketLevel::new(Holds::Values, hides))
            }
            ScriptToken::Mark('{') => {
                let holds = match std::mem::take(&mut level.class) {
                    true => Holds::Class,
                    false if is_object(before, level.holds) => Holds::Object,
                    false => Holds::Code,
                };
                levels.push(BracketLevel::new(holds, hides));
            }
            ScriptToken::Mark(')' | ']' | '}') => drop(levels.pop()),
            ScriptToken::Mark(';' | ',') => (level.arrow, level.field) = (false, false),
            ScriptToken::Mark('=') if level.holds == Holds::Class => level.field = true,
            ScriptToken::Arrow if next != Some(ScriptToken::Mark('{')) => level.arrow = true,
            ScriptToken::Word(_) if before == Some(ScriptToken::Mark('.')) => {}
            ScriptToken::Word("class") if next != Some(ScriptToken::Mark(':')) => level.class = true,
            ScriptToken::Word("for" | "while" | "do") => {
                let head =
                    closing.get(k + 1).copied().flatten().filter(|_| next == Some(ScriptToken::Mark('(')));
                let body = head.and_then(|j| tokens.get(j + 1)).map(|t| t.token).or(next);
                level.repeated |= body != Some(ScriptToken::Mark('{'));
            }
            ScriptToken::Word("super") if !in_class => return Err(Hidden::Super),
            ScriptToken::Word("eval" | "Function") => return Err(Hidden::Dynamic),
            _ => {}
        }
    }
    if levels.len() == 1 { Ok(list) } else { Err(Hidden::Unread) }
}

/// For each opening bracket, its closing one.
fn matches(tokens: &[LocatedToken]) -> Result<Vec<Option<usize>>, Hidden> {
    let mut closing = vec![None; tokens.len()];
    let mut open: Vec<(usize, char)> = vec![];
    for (k, placed) in tokens.iter().enumerate() {
        match placed.token {
            ScriptToken::Mark('(') => open.push((k, ')')),
            ScriptToken::Mark('[') => open.push((k, ']')),
            ScriptToken::Mark('{') | ScriptToken::Inside => open.push((k, '}')),
            ScriptToken::Mark(mark @ (')' | ']' | '}')) => match open.pop() {
                Some((from, wanted)) if wanted == mark => closing[from] = Some(k),
                _ => return Err(Hidden::Unread),
            },
            _ => {}
        }
    }
    if open.is_empty() { Ok(closing) } else { Err(Hidden::Unread) }
}

/// Whether a brace after this begins an object, and no statements.
fn is_object(before: Option<ScriptToken>, level: Holds) -> bool {
    match before {
        Some(ScriptToken::Mark(':')) => level == Holds::Object || level == Holds::Values,
        Some(ScriptToken::Mark(mark)) => "=([,?&|+-*%<>!~^".contains(mark),
        Some(ScriptToken::Inside) => true,
        Some(ScriptToken::Word(word)) => {
            let leads = ["return", "typeof", "in", "of", "instanceof", "new", "delete", "void", "throw"];
            leads.contains(&word) || ["let", "const", "var", "await", "yield"].contains(&word)
        }
        _ => false,
    }
}

/// Whether an expression may end with it.
fn ends_operand(token: ScriptToken) -> bool {
    match token {
        ScriptToken::Word(word) => {
            !["return", "typeof", "in", "of", "instanceof", "new", "delete", "void"].contains(&word)
        }
        ScriptToken::Mark(mark) => matches!(mark, ')' | ']' | '}'),
        ScriptToken::Quoted => true,
        ScriptToken::Arrow | ScriptToken::Inside => false,
    }
}

/// Whether what begins a line after an expression begins something new, and does not go on with it.
fn begins_statement(token: ScriptToken, level: &BracketLevel) -> bool {
    const STATEMENTS: [&str; 14] = [
        "let", "const", "var", "function", "class", "if", "for", "while", "do", "switch", "try", "throw",
        "return", "async",
    ];
    match token {
        ScriptToken::Word(word) if level.holds == Holds::Class => !["in", "of", "instanceof"].contains(&word),
        ScriptToken::Word(word) => STATEMENTS.contains(&word),
        _ => false,
    }
}

fn tokens(source: &str) -> Result<Vec<LocatedToken<'_>>, Hidden> {
    let mut list: Vec<LocatedToken> = vec![];
    // For every open brace, whether it belongs to a template.
    let mut braces: Vec<bool> = vec![];
    let (mut at, mut fresh) = (0, false);
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        let mut token = None;
        let length = match c {
            '\n' => {
                fresh = true;
                1
            }
            c if c.is_whitespace() => c.len_utf8(),
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => {
                let length = rest.find("*/").ok_or(Hidden::Unread)? + 2;
                fresh |= rest[..length].contains('\n');
                length
            }
            '#' => return Err(Hidden::Private),
            '\\' => return Err(Hidden::Unread),
            _ => {
                let (found, length) = token_at(rest, list.last().map(|p| p.token), &mut braces)?;
                token = Some(found);
                length
            }
        };
        if let Some(token) = token {
            list.push(LocatedToken { token, start: at, fresh });
            fresh = false;
        }
        at += length;
    }
    Ok(list)
}

/// The token at the beginning of a text, and its length.
fn token_at<'a>(
    rest: &'a str,
    before: Option<ScriptToken>,
    braces: &mut Vec<bool>,
) -> Result<(ScriptToken<'a>, usize), Hidden> {
    let c = rest.chars().next().ok_or(Hidden::Unread)?;
    Ok(match c {
        '"' | '\'' => (ScriptToken::Quoted, quoted(rest, c)?),
        '`' => template(rest, braces)?,
        '}' if braces.pop() == Some(true) => template_rest(rest, braces)?,
        '{' => {
            braces.push(false);
            (ScriptToken::Mark('{'), 1)
        }
        '/' if begins_expression(before) => (ScriptToken::Quoted, quoted(rest, '/')?),
        '/' if before == Some(ScriptToken::Mark(')')) || before == Some(ScriptToken::Mark('}')) => {
            check_division(&rest[1..])?;
            (ScriptToken::Mark('/'), 1)
        }
        '=' if rest.starts_with("=>") => (ScriptToken::Arrow, 2),
        '=' | '!' | '<' | '>' if rest[1..].starts_with('=') => {
            (ScriptToken::Mark('<'), 2 + usize::from(rest[2..].starts_with('=')))
        }
        c if is_letter(c) => {
            let length = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
            (ScriptToken::Word(&rest[..length]), length)
        }
        c => (ScriptToken::Mark(c), c.len_utf8()),
    })
}

/// A slash after a bracket divides; it could be a regular expression only after `if (…)`. Where that would make a difference, only a full
/// parser could decide.
fn check_division(rest: &str) -> Result<(), Hidden> {
    let line = rest.split('\n').next().unwrap_or("");
    let Some((between, _)) = line.split_once('/') else { return Ok(()) };
    let count = |marks: &str| between.chars().filter(|c| marks.contains(*c)).count();
    let same = count("([{") == count(")]}") && count("\"'`\\") == 0;
    if same || between.is_empty() { Ok(()) } else { Err(Hidden::Unread) }
}

/// A template from its first mark: as a whole, or up to `${`, which is a token of its own.
fn template<'a>(text: &'a str, braces: &mut Vec<bool>) -> Result<(ScriptToken<'a>, usize), Hidden> {
    let mut escaped = false;
    for (k, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '`' => return Ok((ScriptToken::Quoted, k + 1)),
            '$' if text[k + 1..].starts_with('{') => {
                braces.push(true);
                return Ok((ScriptToken::Inside, k + 2));
            }
            _ => {}
        }
    }
    Err(Hidden::Unread)
}

/// After `}` inside a template: the brace closes, and what follows up to the next `${` or the end is text. The text is left to the
/// next token, which begins with a mark of its own.
fn template_rest<'a>(text: &'a str, braces: &mut Vec<bool>) -> Result<(ScriptToken<'a>, usize), Hidden> {
    let mut escaped = false;
    for (k, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '`' => return Ok((ScriptToken::Mark('}'), k + 1)),
            // `}…${` closes one and opens the next: for brackets that is nothing.
            '$' if text[k + 1..].starts_with('{') => {
                braces.push(true);
                return Ok((ScriptToken::Mark(','), k + 2));
            }
            _ => {}
        }
    }
    Err(Hidden::Unread)
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || c == '\u{200c}' || c == '\u{200d}'
}

/// Length of a text up to its closing mark; `/` inside brackets closes no regular expression.
fn quoted(text: &str, mark: char) -> Result<usize, Hidden> {
    let (mut escaped, mut class) = (false, false);
    for (k, c) in text.char_indices().skip(1) {
        match c {
            '\n' if !escaped => return Err(Hidden::Unread),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' if mark == '/' => class = true,
            ']' if mark == '/' => class = false,
            c if c == mark && !class => return Ok(k + c.len_utf8()),
            _ => {}
        }
    }
    Err(Hidden::Unread)
}

/// A slash there begins a regular expression; elsewhere it divides.
fn begins_expression(before: Option<ScriptToken>) -> bool {
    match before {
        None | Some(ScriptToken::Arrow | ScriptToken::Inside) => true,
        Some(ScriptToken::Word(word)) => {
            ["return", "typeof", "case", "in", "of", "instanceof", "void", "delete", "throw"].contains(&word)
        }
        Some(ScriptToken::Mark(mark)) => !matches!(mark, ')' | ']' | '}'),
        Some(ScriptToken::Quoted) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, function: &str, expected: bool) {
        let scopes = Scopes::read(source).unwrap_or_else(|hidden| panic!("{source}: {hidden:?}"));
        assert_eq!(scopes.is_stateless(function), expected, "{source}");
    }

    #[test]
    fn functions_of_the_top_level_are_stateless() {
        for source in [
            "let n = 0; F",
            "const f = F;",
            "const f = F, g = 2, h = F",
            "const o = { a: 1, f: F, g: { h: F } };",
            "const all = [F, [F]];",
            "const o = Object.freeze({ f: F });",
            "const a = x => x * 2\nconst b = F\nlet c = F",
            "const t = `${a} {`; const f = F; const r = /[/{\"]/g; let q = F",
            "const t = `a ${ `b ${c}` } d ${ e } }`; const f = F",
            "if (a) f = F;",
            "let { f = F } = o;",
            "const x = (a + b) / 2 / c, f = F;",
            "const f = a ? b : F;",
            "for (const x of all) { sum += x; }\nconst f = F;",
        ] {
            for function in ["x => x + 1", "function (x) { return x; }"] {
                check(&source.replace('F', function), function, true);
            }
        }
        let class =
            "class A {\n n = 0\n m = [1];\n static k = 2\n next(x) { return x; }\n get y() { return 1; }\n}";
        for method in ["next(x) { return x; }", "get y() { return 1; }", class] {
            check(class, method, true);
        }
        check("const o = { f(x) { return x; } };", "f(x) { return x; }", true);
    }

    #[test]
    fn functions_that_may_remember_are_told() {
        for source in [
            "function make() { let s = 0; return F; }",
            "const make = s => F;",
            "const make = (s = 0) => (F);",
            "const make = s => [1, F];",
            "const make = s => ({ f: F });",
            "const make = (s) =>\n  F",
            "{ let s = 0; f = F; }",
            "if (a) { let s = 0; f = F; }",
            "for (let i = 0; i < 3; i++) all.push(F);",
            "while (a--) all.push(F)",
            "for (const i of [1, 2]) { all.push(F); }",
            "try { a(); } catch (s) { f = F; }",
            "class A { f = F; }",
            "class A { n = 0\n f = F\n}",
            "class A { static { let s = 0; A.f = F; } }",
            "function g(s, f = F) { return f; }",
            "const o = { g(s, f = F) { return f; } };",
            "switch (a) { case 1: let s = 0; f = F; }",
            "label: { let s = 0; f = F; }",
            "const f = (() => { let s = 0; return F; })();",
            "const a = x => x * 2, b = y => F",
            "'F'",
            "// F",
            "const f = F; function make() { return F; }",
        ] {
            for function in ["x => x + 1", "function (x) { return x; }"] {
                check(&source.replace('F', function), function, false);
            }
        }
        check("let a = 1;", "x => x", false);
    }

    #[test]
    fn what_cannot_be_followed_is_refused() {
        for (source, expected) in [
            ("class A { #i = 0; }", Hidden::Private),
            ("let a = {", Hidden::Unread),
            ("let a = 'x", Hidden::Unread),
            ("let a = (1];", Hidden::Unread),
            ("if (a) /'/.test(b); let c = '/';", Hidden::Unread),
            ("let f = eval('1');", Hidden::Dynamic),
            ("let f = new Function('1');", Hidden::Dynamic),
            ("let o = { f() { return super.f(); } };", Hidden::Super),
        ] {
            assert_eq!(Scopes::read(source).err(), Some(expected), "{source}");
        }
    }

    #[test]
    fn words_hold_all_variables() {
        let found = words("let { a, b: [c, ...d] } = o, e = 1; let \\u0066\\u{67} = 'größe'; // h");
        for name in ["a", "b", "c", "d", "o", "e", "fg", "größe", "h"] {
            assert!(found.iter().any(|w| w == name), "{name}: {found:?}");
        }
    }
}
