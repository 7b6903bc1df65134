//! Requests for pictures that cannot be drawn.

use std::error::Error;
use std::fmt;

use trunnion_engine::{Hint, RequestError};

#[derive(Clone, Debug, PartialEq)]
pub enum DrawingError {
    /// Results without rows, or with times that do not grow.
    NoRows,
    /// A body whose pose is no number at a time.
    NoPose {
        t: f64,
    },
    /// Text that describes no line across a chart.
    Line {
        text: String,
    },
    /// A factor on deformations that is not finite.
    Exaggeration,
    /// No poses at all.
    Poses,
    /// A time that the run does not have.
    Time {
        t: f64,
        first: f64,
        last: f64,
    },
    UnknownPoint {
        name: String,
        near: Vec<String>,
        known: Vec<String>,
    },
    /// A natural motion that moves no body.
    NothingMoves,
}

impl fmt::Display for DrawingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DrawingError::NoRows => write!(f, "the results have no rows in the order of time"),
            DrawingError::NoPose { t } => write!(f, "a body is nowhere at t = {t} s"),
            DrawingError::Line { text } => write!(f, "the line `{text}` is not understood"),
            DrawingError::Exaggeration => write!(f, "deformations cannot be exaggerated without bound"),
            DrawingError::Poses => write!(f, "there has to be at least 1 pose"),
            DrawingError::Time { t, .. } => write!(f, "there is nothing at t = {t} s"),
            DrawingError::UnknownPoint { name, .. } => write!(f, "there is no point `{name}`"),
            DrawingError::NothingMoves => write!(f, "this motion moves no body"),
        }
    }
}

impl Error for DrawingError {}

impl RequestError for DrawingError {
    fn hint(&self) -> Option<Hint> {
        match self {
            DrawingError::Line { .. } => Some("write y=3, y=\"210 bar\" or x=0.5:label".into()),
            DrawingError::Time { first, last, .. } => {
                Some(format!("the run goes from {first} s to {last} s").into())
            }
            DrawingError::UnknownPoint { near, known, .. } => {
                Hint::nearest(near).or_else(|| Some(format!("there are {}", known.join(", ")).into()))
            }
            DrawingError::NothingMoves => {
                Some("choose a mode whose states are joints or elastic coordinates".into())
            }
            _ => None,
        }
    }
}
