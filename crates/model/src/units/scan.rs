//! Reads units from text.
//!
//! ```text
//! unit     = [ "/" ] power { joint power }
//! joint    = "/" | "·" | "×" | "*" | space
//! power    = ( name | "1" | "(" unit ")" ) [ exponent ]
//! exponent = superscripts | "^" [ "-" ] number | "^(" [ "-" ] number [ "/" number ] ")"
//! ```
//!
//! After a division only a further division may follow: `J/kg K` is ambiguous.

use super::number::shortened;
use super::{Dimension, Unit, UnitError, known};

/// A unit in the making: size in SI is num / den.
#[derive(Clone, Copy)]
pub(super) struct UnitScale {
    pub dimension: Dimension,
    pub num: f64,
    pub den: f64,
    pub offset: f64,
}

/// More parentheses than any unit has.
const DEEPEST: usize = 16;

/// A whole text as a unit.
pub(super) fn whole(text: &str) -> Result<Unit, UnitError> {
    let mut scanner = Scanner { text, at: 0, literal: false };
    scanner.skip_space();
    // `/s` is short for `1/s`.
    let scale = match scanner.peek() {
        Some('/') => scanner.factors(UnitScale::one(), 0)?,
        _ => scanner.product(0)?,
    };
    scanner.skip_space();
    if scanner.at < text.len() {
        return Err(scanner.unexpected());
    }
    finish(scale, text.trim(), 0..text.len())
}

/// The longest unit that `text` starts with, and its length: the rule for unit literals in expressions.
/// Inside it nothing but a name joins after a space, operators stand without spaces, and `*` never belongs to it.
pub(super) fn prefix(text: &str) -> Result<(Unit, usize), UnitError> {
    let mut scanner = Scanner { text, at: 0, literal: true };
    let scale = scanner.product(0)?;
    let end = scanner.at;
    Ok((finish(scale, &text[..end], 0..end)?, end))
}

fn finish(scale: UnitScale, text: &str, span: std::ops::Range<usize>) -> Result<Unit, UnitError> {
    let factor = scale.num / scale.den;
    if !factor.is_normal() {
        let message = format!("`{text}` is too large or too small to convert to SI");
        return Err(UnitError { message, span, hint: None });
    }
    Ok(Unit { dimension: scale.dimension, factor, offset: scale.offset, text: text.into() })
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    literal: bool,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn error(&self, len: usize, message: impl Into<String>, hint: Option<String>) -> UnitError {
        UnitError { message: message.into(), span: self.at..self.at + len, hint }
    }

    fn unexpected(&self) -> UnitError {
        match self.peek() {
            None => self.error(0, "expected a unit, found nothing", None),
            Some(c) => self.error(c.len_utf8(), format!("expected a unit, found `{c}`"), None),
        }
    }

    fn product(&mut self, depth: usize) -> Result<UnitScale, UnitError> {
        let first = self.power(depth)?;
        self.factors(first, depth)
    }

    /// What is joined to the first power.
    fn factors(&mut self, mut total: UnitScale, depth: usize) -> Result<UnitScale, UnitError> {
        let mut divided = false;
        loop {
            let before = self.at;
            let Some(divides) = self.joint() else { break };
            let next = if divided && !divides {
                Err(self.error(
                    0,
                    "a unit multiplied after a division can be read in two ways",
                    Some("put what is divided by in parentheses, as in `J/(kg·K)`".into()),
                ))
            } else {
                self.power(depth)
            };
            match next {
                Ok(next) => total = total.times(next, if divides { -1.0 } else { 1.0 }),
                Err(_) if self.literal => {
                    self.at = before;
                    break;
                }
                Err(error) => return Err(error),
            }
            divided |= divides;
        }
        Ok(total)
    }

    /// What joins to the next power: `Some(true)` divides, `Some(false)` multiplies.
    fn joint(&mut self) -> Option<bool> {
        let start = self.at;
        self.skip_space();
        let space = self.at > start;
        match self.peek() {
            Some(c @ ('/' | '·' | '⋅' | '×' | '*')) if !(self.literal && (space || c == '*')) => {
                self.at += c.len_utf8();
                if !self.literal {
                    self.skip_space();
                }
                Some(c == '/')
            }
            Some(c) if space && (starts_name(c) || (c == '(' && !self.literal)) => Some(false),
            _ => {
                self.at = start;
                None
            }
        }
    }

    fn power(&mut self, depth: usize) -> Result<UnitScale, UnitError> {
        let start = self.at;
        let base = if self.take('(') {
            if depth >= DEEPEST {
                return Err(self.error(0, "too many parentheses in a unit", None));
            }
            self.skip_space();
            let inner = self.product(depth + 1)?;
            self.skip_space();
            if !self.take(')') {
                return Err(self.error(self.peek().map_or(0, char::len_utf8), "expected `)`", None));
            }
            inner
        } else {
            self.name()?
        };
        let before = self.at;
        let exponent = match self.exponent() {
            Ok(exponent) => exponent,
            Err(_) if self.literal => {
                self.at = before;
                None
            }
            Err(error) => return Err(error),
        };
        let Some(exponent) = exponent else { return Ok(base) };
        base.to_power(exponent).ok_or_else(|| {
            let message = format!("the exponent {exponent} is too large or too fine for a unit");
            UnitError { message, span: start..self.at, hint: None }
        })
    }

    fn name(&mut self) -> Result<UnitScale, UnitError> {
        let rest = self.rest();
        let len = name_len(rest);
        let name = &rest[..len];
        // In an expression only `1/` can begin a unit: elsewhere the 1 is a number.
        let one = !self.literal || self.at == 0 && rest.starts_with("1/");
        if len == 0 && one && self.take('1') {
            // `1` stands for no unit, as in `1/s`; `10` is not it.
            if self.peek().is_some_and(|c| c.is_ascii_digit()) {
                return Err(self.error(1, "a unit cannot contain a number", None));
            }
            return Ok(UnitScale::one());
        }
        if len == 0 {
            return Err(self.unexpected());
        }
        // In an expression, `3 min(a, b)` and `2 s.x` go on as a call and as a longer name.
        let after = rest[len..].chars().next();
        let Some(scale) = known::find(name).filter(|_| !(self.literal && matches!(after, Some('(' | '.'))))
        else {
            // Where a literal may end before it, the name is no mistake, and searching for a better one is slow.
            let hint = if self.literal && self.at > 0 { None } else { known::suggestion(name) };
            return Err(self.error(len, format!("unknown unit `{}`", shortened(name)), hint));
        };
        self.at += len;
        Ok(scale)
    }

    fn exponent(&mut self) -> Result<Option<f64>, UnitError> {
        let start = self.at;
        if let Some(exponent) = self.superscripts() {
            return Ok(Some(exponent));
        }
        if !self.literal {
            self.skip_space();
        }
        if !self.take('^') {
            self.at = start;
            return Ok(None);
        }
        if !self.literal {
            self.skip_space();
        }
        let in_parentheses = self.take('(');
        let mut exponent = self.signed_decimal()?;
        if in_parentheses {
            if self.take('/') {
                exponent /= self.signed_decimal()?;
            }
            if !self.take(')') {
                return Err(self.error(0, "expected `)`", None));
            }
        }
        Ok(Some(exponent))
    }

    fn superscripts(&mut self) -> Option<f64> {
        const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
        let start = self.at;
        let sign = if self.take('⁻') { -1.0 } else { 1.0 };
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|c| DIGITS.iter().position(|&d| d == c)) {
            self.at += DIGITS[digit].len_utf8();
            value = Some(value.unwrap_or(0.0) * 10.0 + digit as f64);
        }
        if value.is_none() {
            self.at = start;
        }
        value.map(|v| sign * v)
    }

    fn signed_decimal(&mut self) -> Result<f64, UnitError> {
        let sign = if self.take('-') || self.take('−') { -1.0 } else { 1.0 };
        let rest = self.rest();
        let digits = |from: usize| rest[from..].bytes().take_while(u8::is_ascii_digit).count();
        let mut len = digits(0);
        if rest[len..].starts_with('.') && digits(len + 1) > 0 {
            len += 1 + digits(len + 1);
        }
        let Ok(value) = rest[..len].parse::<f64>() else {
            return Err(self.error(0, "expected a number as exponent", None));
        };
        self.at += len;
        Ok(sign * value)
    }
}

impl UnitScale {
    fn one() -> UnitScale {
        UnitScale { dimension: Dimension::ONE, num: 1.0, den: 1.0, offset: 0.0 }
    }

    /// The product with `other` to the power `sign` = ±1. An offset says where zero lies, which a product forgets:
    /// in `W/°C` the degree is a difference.
    fn times(self, other: UnitScale, sign: f64) -> UnitScale {
        let (dimension, num, den) = if sign > 0.0 {
            (self.dimension * other.dimension, other.num, other.den)
        } else {
            (self.dimension / other.dimension, other.den, other.num)
        };
        UnitScale { dimension, num: self.num * num, den: self.den * den, offset: 0.0 }
    }

    fn to_power(self, exponent: f64) -> Option<UnitScale> {
        let dimension = self.dimension.powf(exponent)?;
        let size = exponent.abs();
        // powi is exact for exact powers, which powf does not promise.
        let power = |x: f64| if size == size.floor() { x.powi(size.min(1e6) as i32) } else { x.powf(size) };
        let (num, den) = (power(self.num), power(self.den));
        let (num, den) = if exponent < 0.0 { (den, num) } else { (num, den) };
        Some(UnitScale { dimension, num, den, offset: 0.0 })
    }
}

/// Can a unit name start with it?
pub(crate) fn starts_name(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '°' | '%' | '‰')
}

/// Bytes of the name that `text` starts with, 0 if none.
pub(crate) fn name_len(text: &str) -> usize {
    let mut chars = text.char_indices();
    match chars.next() {
        Some((_, c @ ('%' | '‰'))) => c.len_utf8(),
        Some((_, c)) if starts_name(c) => {
            let inside = |c: char| c.is_alphabetic() || c.is_ascii_digit() || c == '_';
            chars.find(|&(_, c)| !inside(c)).map_or(text.len(), |(at, _)| at)
        }
        _ => 0,
    }
}
