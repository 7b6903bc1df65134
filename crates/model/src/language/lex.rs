//! Text to tokens. A number takes the unit that follows it; docs/reference/expressions.md has the rule.

use std::ops::Range;

use super::ast::ChainOperator;
use super::error::{self, LangError, MOST_ERRORS};
use super::is_keyword;
use crate::units::{self, Unit};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Number(f64, Option<Unit>),
    Name(&'a str),
    /// `if`, `then`, `else`, `not`; `and` and `or` are operators.
    Keyword(&'a str),
    Operator(ChainOperator),
    Caret,
    /// `=`.
    Equals,
    Open,
    Close,
    Comma,
    End,
}

pub(super) type Spanned<'a> = (Token<'a>, Range<usize>);

/// What other languages write, and what we do.
const HABITS: &[(&str, &str)] = &[
    ("**", "^"),
    (":=", "="),
    ("'", "der(…)"),
    ("’", "der(…)"),
    ("&&", "and"),
    ("||", "or"),
    ("≤", "<="),
    ("≥", ">="),
    ("≠", "!="),
    ("·", "*"),
    ("⋅", "*"),
    ("×", "*"),
    ("÷", "/"),
    ("²", "^2"),
    ("³", "^3"),
    ("√", "sqrt"),
    ("&", "and"),
    ("|", "or"),
    ("!", "not"),
    ("[", "("),
    ("]", ")"),
    ("{", "("),
    ("}", ")"),
    (";", ","),
];

/// All tokens, `End` last, or everything that is not a token.
pub(super) fn tokens(text: &str) -> Result<Vec<Spanned<'_>>, Vec<LangError>> {
    let mut lexer = Lexer { text, at: 0, errors: Vec::new() };
    let mut tokens = Vec::new();
    while lexer.errors.len() < MOST_ERRORS {
        lexer.at = text.len() - lexer.rest().trim_start().len();
        let start = lexer.at;
        let Some(c) = lexer.rest().chars().next() else { break };
        if let Some(token) = lexer.token(c) {
            tokens.push((token, start..lexer.at));
        }
    }
    if !lexer.errors.is_empty() {
        return Err(lexer.errors);
    }
    tokens.push((Token::End, text.len()..text.len()));
    Ok(tokens)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    errors: Vec<LangError>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The token at the current place, which starts with `c`; `None` after noting an error.
    fn token(&mut self, c: char) -> Option<Token<'a>> {
        if let Some((number, len)) = units::scan_number(self.rest()) {
            return self.number(number, len);
        }
        if c.is_alphabetic() || c == '_' || c == '#' {
            return Some(self.word());
        }
        // `**` would otherwise read as two tokens.
        if !self.rest().starts_with("**")
            && let Some((token, len)) = symbol(self.rest())
        {
            self.at += len;
            return Some(token);
        }
        let habit = HABITS.iter().find(|(written, _)| self.rest().starts_with(written));
        let written = habit.map_or(&self.rest()[..c.len_utf8()], |(written, _)| written);
        let span = self.at..self.at + written.len();
        let shown = if c.is_control() { c.escape_unicode().to_string() } else { written.into() };
        let error = LangError::new(error::CHARACTER, &span, format!("`{shown}` is not part of the language"));
        self.errors.push(error.maybe_hint(habit.map(|(_, ours)| format!("write `{ours}`"))));
        self.at = span.end;
        None
    }

    fn number(&mut self, number: Result<f64, String>, len: usize) -> Option<Token<'a>> {
        let start = self.at;
        self.at += len;
        let unit = self.unit(start);
        match number {
            Ok(number) => Some(Token::Number(number, unit)),
            Err(message) => {
                self.errors.push(LangError::new(error::NUMBER, &(start..start + len), message));
                None
            }
        }
    }

    /// The unit after the number that started at `start`: a word there is one, as nothing else may follow.
    fn unit(&mut self, start: usize) -> Option<Unit> {
        let number = &self.text[start..self.at];
        let after = self.rest().trim_start();
        let at = self.text.len() - after.len();
        // `4e-6 (m^7/kg)^0.5`: what is no unit in parentheses lacks an operator; the parser says so.
        if after.starts_with('(') {
            let (unit, len) =
                units::unit_prefix(after).ok().filter(|(_, len)| after[..*len].contains(['^', '/']))?;
            self.at = at + len;
            return Some(unit);
        }
        // `0.03 1/s`: two numbers side by side would be an error.
        if after.starts_with("1/") {
            let (unit, len) = units::unit_prefix(after).ok().filter(|(_, len)| *len > 1)?;
            self.at = at + len;
            return Some(unit);
        }
        if !after.starts_with(units::starts_name) {
            return None;
        }
        let name = &after[..units::name_len(after)];
        // `3 min(a, b)` and `2 s.x` lack an operator; the parser says so.
        if is_keyword(name) || after[name.len()..].starts_with(['(', '.']) {
            return None;
        }
        match units::unit_prefix(after) {
            Ok((unit, len)) => {
                self.at = at + len;
                Some(unit)
            }
            Err(e) => {
                let multiply = format!("o multiply, write `{number}*{}`", units::shortened(name));
                let hint = match &e.hint {
                    Some(meant) if meant.ends_with('?') => format!("{meant} T{multiply}"),
                    Some(meant) => format!("{meant}; t{multiply}"),
                    None => format!("t{multiply}"),
                };
                self.errors.push(LangError::in_unit(e, at).hint(hint));
                self.at = at + name.len();
                None
            }
        }
    }

    /// A keyword or a name with its dots.
    fn word(&mut self) -> Token<'a> {
        let rest = self.rest();
        let mut end = 0;
        loop {
            end += rest[end..].find(|c| !is_name_char(c)).unwrap_or(rest.len() - end);
            let mut after = rest[end..].chars();
            let goes_on = after.next() == Some('.') && after.next().is_some_and(is_name_char);
            if !goes_on {
                break;
            }
            end += 1;
        }
        self.at += end;
        match &rest[..end] {
            "and" => Token::Operator(ChainOperator::And),
            "or" => Token::Operator(ChainOperator::Or),
            word if is_keyword(word) => Token::Keyword(word),
            name => Token::Name(name),
        }
    }
}

/// `#` stands for the number of a member of a family.
fn is_name_char(c: char) -> bool {
    c.is_alphabetic() || c == '#' || c.is_ascii_digit() || c == '_' || ('₀'..='₉').contains(&c)
}

/// The operator or bracket that `text` starts with, and its length.
fn symbol(text: &str) -> Option<(Token<'static>, usize)> {
    use ChainOperator::*;
    const TWO: [(&str, ChainOperator); 4] =
        [("<=", LessEqual), (">=", GreaterEqual), ("==", Equal), ("!=", NotEqual)];
    if let Some((_, operator)) = TWO.iter().find(|(written, _)| text.starts_with(written)) {
        return Some((Token::Operator(*operator), 2));
    }
    let c = text.chars().next()?;
    let token = match c {
        '+' => Token::Operator(Add),
        '-' | '−' => Token::Operator(Subtract),
        '*' => Token::Operator(Multiply),
        '/' => Token::Operator(Divide),
        '<' => Token::Operator(Less),
        '>' => Token::Operator(Greater),
        '^' => Token::Caret,
        '=' => Token::Equals,
        '(' => Token::Open,
        ')' => Token::Close,
        ',' => Token::Comma,
        _ => return None,
    };
    Some((token, c.len_utf8()))
}
