//! Units: reading `"210 bar"` into SI where a number enters, and naming dimensions where one is shown.
//!
//!   si = value · factor + offset                                        (1)
//!
//! docs/reference/units.md lists what is known.

mod dimension;
mod known;
mod number;
mod quantities;
mod scan;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub(crate) use known::habit as unit_habit;
pub(crate) use number::{scan_number, shortened};
pub(crate) use scan::{name_len, starts_name};

pub use dimension::Dimension;
pub use quantities::nominal;

/// A unit as the user wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    pub dimension: Dimension,
    pub factor: f64,
    pub offset: f64,
    pub text: String,
}

/// A number with its unit, as read.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberWithUnit {
    pub si: f64,
    pub unit: Unit,
}

/// Why a text is not a unit or a value; the span counts bytes of that text.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitError {
    pub message: String,
    pub span: Range<usize>,
    pub hint: Option<String>,
}

impl Unit {
    /// The unit of plain numbers.
    pub fn one() -> Unit {
        Unit { dimension: Dimension::ONE, factor: 1.0, offset: 0.0, text: String::new() }
    }

    /// The SI unit of a dimension.
    pub fn si(dimension: Dimension) -> Unit {
        let text = if dimension == Dimension::ONE { String::new() } else { dimension.to_string() };
        Unit { dimension, text, ..Unit::one() }
    }

    pub fn to_si(&self, value: f64) -> f64 {
        // 19 mm is 19 / 1000, correctly rounded, not 19 · 0.001, which carries the rounding of 0.001.
        let inverse = (1.0 / self.factor).round();
        if self.offset == 0.0 && self.factor < 1.0 && (inverse * self.factor - 1.0).abs() < 4.0 * f64::EPSILON
        {
            return value / inverse;
        }
        value * self.factor + self.offset // (1)
    }

    pub fn from_si(&self, si: f64) -> f64 {
        (si - self.offset) / self.factor
    }
}

impl From<&Unit> for trunnion_equations::DisplayUnit {
    fn from(unit: &Unit) -> Self {
        Self { text: unit.text.clone(), factor: unit.factor, offset: unit.offset }
    }
}

/// Reads a unit: `l/min`, `N m s/rad`, `kg·m²`, `(m^7/kg)^0.5`. An empty text is the unit of plain numbers.
pub fn parse_unit(text: &str) -> Result<Unit, UnitError> {
    if text.trim().is_empty() { Ok(Unit::one()) } else { scan::whole(text) }
}

/// Reads a number with or without a unit: `3 bar`, `150bar`, `-2.5e6 Pa`, `20 %`.
pub fn parse_value(text: &str) -> Result<NumberWithUnit, UnitError> {
    let blank = text.len() - text.trim_start().len();
    let signed = text[blank..].trim_end();
    let sign_len = signed.chars().next().filter(|c| matches!(c, '+' | '-' | '−')).map_or(0, char::len_utf8);
    let sign = if sign_len > 0 && !signed.starts_with('+') { -1.0 } else { 1.0 };
    let (start, digits) = (blank + sign_len, &signed[sign_len..]);
    let Some((number, len)) = scan_number(digits) else {
        return Err(number::not_a_number(digits, start));
    };
    let number = number.map_err(|message| UnitError { message, span: start..start + len, hint: None })?;
    let unit_at = start + len;
    let unit = parse_unit(&digits[len..]).map_err(|e| UnitError {
        hint: number::comma_hint(&digits[len..]).or(e.hint),
        span: unit_at + e.span.start..unit_at + e.span.end,
        message: e.message,
    })?;
    let si = unit.to_si(sign * number);
    if !si.is_finite() {
        let message = format!("`{signed}` is too large a number");
        return Err(UnitError { message, span: blank..blank + signed.len(), hint: None });
    }
    Ok(NumberWithUnit { si, unit })
}

/// Whether a unit names an angle: `cm^3/rev`, `rpm`, `N m/rad`.
pub(crate) fn has_angle(unit: &Unit) -> bool {
    let degree = |(at, _)| !unit.text[at + '°'.len_utf8()..].starts_with(['C', 'F']);
    words(unit).any(|word| ["rev", "rad", "mrad", "deg", "rpm"].contains(&word))
        || unit.text.match_indices('°').any(degree)
}

fn words(unit: &Unit) -> impl Iterator<Item = &str> {
    unit.text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty())
}

/// How to write a number in the unit `own` for something in the unit `declared`, if they have one dimension but differ
/// by 2π: angles have no dimension, so that nothing else tells revolutions, radians and cycles apart.
pub(crate) fn turns_differ(declared: &Unit, own: &Unit) -> Option<String> {
    if declared.dimension != own.dimension {
        return None;
    }
    let cycles = |unit: &Unit| words(unit).any(|word| word.ends_with("Hz"));
    let per_turn = declared.text.contains("/rev");
    if per_turn && !has_angle(own) {
        Some(format!("for a revolution write `{}/rev`, for a radian `{}/rad`", own.text, own.text))
    } else if cycles(declared) && has_angle(own) {
        Some("it is a frequency, in cycles: 60 rpm are 1 Hz".into())
    } else if cycles(own) && has_angle(declared) {
        Some("it is an angular speed: for 50 turns a second write `50 rev/s`".into())
    } else {
        None
    }
}

/// The longest unit at the start of `text` and its length in bytes: what follows a number in an expression.
pub(crate) fn unit_prefix(text: &str) -> Result<(Unit, usize), UnitError> {
    scan::prefix(text)
}

/// Is it the name of a unit, perhaps with a prefix?
pub(crate) fn is_unit_name(name: &str) -> bool {
    known::find(name).is_some()
}
