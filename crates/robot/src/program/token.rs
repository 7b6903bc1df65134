//! From characters to words, numbers with units, and signs.
//!
//! A number takes the unit that follows it, `200 mm`, and what is divided by without a space, `250 mm/s`, `2 m/s^2`. With spaces, `/` divides.

use super::message::{RobotMessage, TextSpan, nearest};
use super::unit::{MotionDimension, NAMES, PLAIN, known};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RobotToken {
    Word(String),
    Number { value: f64, dimension: MotionDimension, bare: bool },
    Sign(&'static str),
    NewLine,
    End,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlacedToken {
    pub token: RobotToken,
    pub span: TextSpan,
}

/// Longer ones first.
const SIGNS: [&str; 17] =
    ["<=", ">=", "==", "!=", "<>", "+", "-", "*", "/", "<", ">", "=", "(", ")", ",", ";", ":"];

/// Words that may follow a number without being a unit.
const AFTER_NUMBERS: [&str; 11] =
    ["times", "timeout", "blend", "speed", "time", "to", "and", "or", "shifted", "via", "mod"];

pub(crate) fn tokens(source: &str) -> (Vec<PlacedToken>, Vec<RobotMessage>) {
    let mut reader = TokenReader { source, at: 0, tokens: vec![], errors: vec![] };
    while reader.at < source.len() {
        reader.next();
    }
    let end = TextSpan { start: source.len(), end: source.len() };
    reader.tokens.push(PlacedToken { token: RobotToken::NewLine, span: end });
    reader.tokens.push(PlacedToken { token: RobotToken::End, span: end });
    (reader.tokens, reader.errors)
}

struct TokenReader<'a> {
    source: &'a str,
    at: usize,
    tokens: Vec<PlacedToken>,
    errors: Vec<RobotMessage>,
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

impl<'a> TokenReader<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn push(&mut self, token: RobotToken, start: usize) {
        self.tokens.push(PlacedToken { token, span: TextSpan { start, end: self.at } });
    }

    fn next(&mut self) {
        let (start, rest) = (self.at, self.rest());
        let Some(first) = rest.chars().next() else { return };
        if first == '\n' {
            self.at += 1;
            self.push(RobotToken::NewLine, start);
        } else if first.is_whitespace() {
            self.at += first.len_utf8();
        } else if first == '#' {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if first.is_ascii_digit()
            || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()))
        {
            self.number();
        } else if is_letter(first) {
            let word = self.word();
            self.push(RobotToken::Word(word.to_string()), start);
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            self.at += sign.len();
            self.push(RobotToken::Sign(sign), start);
        } else {
            self.at += first.len_utf8();
            let span = TextSpan { start, end: self.at };
            let hint = match first {
                '"' | '\'' => "names and numbers stand without quotes",
                '{' | '}' | '[' | ']' => "blocks are closed by `end`, lists stand in ( )",
                '&' | '|' | '!' => "conditions are joined by `and`, `or`, `not`",
                _ => "comments begin with #",
            };
            let error =
                RobotMessage::new("R01", span, format!("`{first}` has no meaning here"), "this character");
            self.errors.push(error.hint(hint));
        }
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c: char| !(is_letter(c) || c.is_ascii_digit())).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Digits with a fraction and an exponent.
    fn digits(&mut self) -> &'a str {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let run = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut length = run(0);
        if bytes.get(length) == Some(&b'.') {
            length += 1 + run(length + 1);
        }
        if matches!(bytes.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
            let exponent = bytes.get(length + 1 + sign..).map_or(0, |_| run(length + 1 + sign));
            length += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
        self.at += length;
        &rest[..length]
    }

    fn number(&mut self) {
        let start = self.at;
        let text = self.digits();
        let value: f64 = text.parse().unwrap_or(f64::NAN);
        if !value.is_finite() {
            let span = TextSpan { start, end: self.at };
            self.errors.push(RobotMessage::new(
                "R01",
                span,
                format!("`{text}` is not a number"),
                "too large",
            ));
        }
        let before_unit = self.at;
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
        let Some((factor, dimension)) = self.unit_name() else {
            self.at = before_unit;
            self.push(RobotToken::Number { value, dimension: PLAIN, bare: true }, start);
            return;
        };
        let (factor, dimension) = self.divided(factor, dimension);
        self.push(RobotToken::Number { value: value * factor, dimension, bare: false }, start);
    }

    /// A unit at this place; words that are none are told, unless they may follow a number.
    fn unit_name(&mut self) -> Option<(f64, MotionDimension)> {
        let start = self.at;
        let first = self.rest().chars().next()?;
        if first == '%' || first == '°' {
            self.at += first.len_utf8();
            return known(if first == '%' { "%" } else { "°" });
        }
        if !is_letter(first) {
            return None;
        }
        let word = self.word();
        let unit = known(word);
        if unit.is_none() {
            self.at = start;
            if !AFTER_NUMBERS.contains(&word) {
                self.at = start + word.len();
                let span = TextSpan { start, end: self.at };
                let error =
                    RobotMessage::new("R07", span, format!("`{word}` is not a unit"), "after a number")
                        .hint("known are m, cm, mm, um, rad, mrad, deg, rev, s, ms, min, rpm and %")
                        .hint_if(nearest(word, NAMES));
                self.errors.push(error);
                return Some((1.0, PLAIN));
            }
        }
        unit
    }

    /// `/s`, `/s^2`, directly behind a unit.
    fn divided(&mut self, mut factor: f64, mut dimension: MotionDimension) -> (f64, MotionDimension) {
        while self.rest().starts_with('/') {
            let start = self.at;
            self.at += 1;
            let unit = if self.rest().starts_with(is_letter) { known(self.word()) } else { None };
            let Some((by, of)) = unit else {
                self.at = start;
                break;
            };
            let mut power = 1_i8;
            if let Some(digit) = self.rest().strip_prefix('^').and_then(|r| r.chars().next()?.to_digit(10)) {
                self.at += 2;
                power = digit as i8;
            }
            factor /= by.powi(i32::from(power));
            dimension = dimension.times(of, -power).unwrap_or(dimension);
        }
        (factor, dimension)
    }
}
