//! Requests for pictures that cannot be drawn.

use std::error::Error;
use std::fmt;

use trunnion_engine::{Hint, RequestError};

#[derive(Clone, Debug, PartialEq)]
pub enum DrawingError {
    /// Results without rows, or with times that do not grow.
    NoRows,
    /// A body whose pose is no number at a time.
    NoPose { t: f64 },
    /// Text that describes no line across a chart.
    Line { text: String },
}

impl fmt::Display for DrawingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DrawingError::NoRows => write!(f, "the results have no rows in the order of time"),
            DrawingError::NoPose { t } => write!(f, "a body is nowhere at t = {t} s"),
            DrawingError::Line { text } => write!(f, "the line `{text}` is not understood"),
        }
    }
}

impl Error for DrawingError {}

impl RequestError for DrawingError {
    fn hint(&self) -> Option<Hint> {
        let is_line = matches!(self, DrawingError::Line { .. });
        is_line.then(|| "write y=3, y=\"210 bar\" or x=0.5:label".into())
    }
}
