//! The variables of a program: what it declares at its top level, found by reading it as tokens.
//!
//! The engine lets a later text read and write them by name, but does not list them. More names than there are do no harm:
//! the engine is asked which exist. Fewer would lose memory, so that a text that cannot be followed is refused.

/// A variable, and whether it is given a value written out in place: a function, class, object or array. Functions in such
/// a value see nothing but other variables of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    pub literal: bool,
}

/// Why memory may be out of sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// `#name` of a class.
    Private,
    /// Brackets or quotes that do not match, as this reader sees it.
    Unread,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    Word(&'a str),
    Mark(char),
    /// A text, template or regular expression.
    Quoted,
}

/// Variables declared at the top level.
pub fn variables(source: &str) -> Result<Vec<Variable>, Hidden> {
    let tokens = tokens(source)?;
    let mut list: Vec<Variable> = vec![];
    let mut depth = 0_i32;
    // Inside `let`, `const` or `var`, the next word at its depth is a name.
    let (mut declares, mut next_is_name) = (false, false);
    for (k, token) in tokens.iter().enumerate() {
        match *token {
            Token::Mark('{' | '(' | '[') => depth += 1,
            Token::Mark('}' | ')' | ']') => depth -= 1,
            Token::Mark(';') if depth == 0 => declares = false,
            Token::Mark(',') if depth == 0 => next_is_name = declares,
            Token::Word("let" | "const" | "var") if depth == 0 => (declares, next_is_name) = (true, true),
            Token::Word("function" | "class") if depth == 0 => {
                let name = tokens[k + 1..].iter().find_map(word);
                list.extend(name.map(|name| Variable { name: name.into(), literal: true }));
                declares = declares && next_is_name;
            }
            Token::Word(name) if depth == 0 && next_is_name => {
                next_is_name = false;
                list.push(Variable { name: name.into(), literal: is_literal(&tokens[k + 1..]) });
            }
            // Names taken apart: `let { a, b } = …`.
            Token::Word(name) if declares && next_is_name && depth > 0 => {
                list.push(Variable { name: name.into(), literal: false });
            }
            _ => {}
        }
        if matches!(token, Token::Mark('=')) {
            next_is_name = false;
        }
    }
    if depth != 0 {
        return Err(Hidden::Unread);
    }
    list.retain(|v| !v.name.starts_with(char::is_numeric));
    list.sort_by(|a, b| a.name.cmp(&b.name));
    list.dedup_by(|a, b| a.name == b.name);
    Ok(list)
}

fn word<'a>(token: &Token<'a>) -> Option<&'a str> {
    match token {
        Token::Word(word) => Some(word),
        _ => None,
    }
}

/// Whether what follows a name gives it a value written out in place.
fn is_literal(rest: &[Token]) -> bool {
    match rest {
        [Token::Mark('='), Token::Word("function" | "class"), ..] => true,
        [Token::Mark('='), Token::Mark('{' | '['), ..] => true,
        // x => …
        [Token::Mark('='), Token::Word(_), Token::Mark('='), Token::Mark('>'), ..] => true,
        // (x, y) => …
        [Token::Mark('='), rest @ ..] if rest.first() == Some(&Token::Mark('(')) => {
            let mut depth = 0;
            let closing = rest.iter().position(|token| {
                depth += matches!(token, Token::Mark('(')) as i32 - matches!(token, Token::Mark(')')) as i32;
                depth == 0
            });
            let after = closing.map_or(&[][..], |k| &rest[k + 1..]);
            matches!(after, [Token::Mark('='), Token::Mark('>'), ..])
        }
        _ => false,
    }
}

fn tokens(source: &str) -> Result<Vec<Token<'_>>, Hidden> {
    let mut list: Vec<Token> = vec![];
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").ok_or(Hidden::Unread)? + 2,
            '"' | '\'' | '`' => quoted(rest, c)?,
            '/' if begins_expression(list.last()) => quoted(rest, '/')?,
            '#' => return Err(Hidden::Private),
            c if is_letter(c) => rest.find(|c| !is_letter(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (text, after) = rest.split_at(length);
        match c {
            _ if text.starts_with("//") || text.starts_with("/*") => {}
            '"' | '\'' | '`' => list.push(Token::Quoted),
            '/' if length > 1 => list.push(Token::Quoted),
            c if is_letter(c) => list.push(Token::Word(text)),
            c if c.is_whitespace() => {}
            c => list.push(Token::Mark(c)),
        }
        rest = after;
    }
    Ok(list)
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Length of a text up to its closing mark; `/` inside brackets closes no regular expression.
fn quoted(text: &str, mark: char) -> Result<usize, Hidden> {
    let mut escaped = false;
    let mut class = false;
    for (k, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' if mark == '/' => class = true,
            ']' if mark == '/' => class = false,
            '\n' if mark != '`' => return Err(Hidden::Unread),
            c if c == mark && !class => return Ok(k + c.len_utf8()),
            _ => {}
        }
    }
    Err(Hidden::Unread)
}

/// A slash there begins a regular expression; elsewhere it divides.
fn begins_expression(before: Option<&Token>) -> bool {
    match before {
        None | Some(Token::Word("return" | "typeof" | "case")) => true,
        Some(Token::Mark(mark)) => !matches!(mark, ')' | ']' | '}'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let found = variables(source).unwrap_or_else(|hidden| panic!("{source}: {hidden:?}"));
        let shown: Vec<String> =
            found.iter().map(|v| format!("{}{}", v.name, if v.literal { "!" } else { "" })).collect();
        assert_eq!(shown.join(" "), expected, "{source}");
    }

    #[test]
    fn variables_of_the_top_level_are_found() {
        check(
            "let gains;\nlet integral = 0, last = 1;\nfunction step(t) { let inner = 2; return inner; }",
            "gains integral last step!",
        );
        check("const f = x => x * 2, g = (a, b) => a / b / 2;\nvar o = { let: 1, x: [1, 2] }", "f! g! o!");
        check("const pid = makePid(1, 2); class Pid { constructor() { this.i = 0; } }", "Pid! pid");
        check("let { a, b } = parts, c = a;", "a b c");
        check("// let no = 1;\n/* let nor = 2; */ let text = \"let x = {\", re = /[/\"]{/g;", "re text");
    }

    #[test]
    fn what_is_out_of_sight_is_told() {
        assert_eq!(variables("class A { #i = 0; }"), Err(Hidden::Private));
        assert_eq!(variables("let a = {"), Err(Hidden::Unread));
        assert_eq!(variables("let a = 'x"), Err(Hidden::Unread));
    }
}
