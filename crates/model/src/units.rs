//! Units: reading `"210 bar"` into SI where a number enters, and naming dimensions where one is shown.
//!
//!   si = value · factor + offset                                        (1)

mod dimension;

use std::ops::Range;

pub use dimension::Dimension;

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
pub struct Value {
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

/// Reads a unit: `l/min`, `N m s/rad`, `kg·m²`, `(m^7/kg)^0.5`.
pub fn parse_unit(text: &str) -> Result<Unit, UnitError> {
    let _ = text;
    todo!()
}

/// Reads a number with or without a unit: `3 bar`, `150bar`, `-2.5e6 Pa`, `20 %`.
pub fn parse_value(text: &str) -> Result<Value, UnitError> {
    let _ = text;
    todo!()
}

/// The typical size of a quantity, for error control where the user gives none.
pub fn nominal(dimension: Dimension) -> f64 {
    let _ = dimension;
    1.0
}
