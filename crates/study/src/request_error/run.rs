//! Settings of a run that cannot be, and values that a run cannot take.

use std::error::Error;
use std::fmt;

use trunnion_engine::{Hint, RequestError};
use trunnion_num::text::number;

#[derive(Clone, Debug, PartialEq)]
pub enum RunRequestError {
    UnknownSolver {
        name: String,
        near: Option<String>,
        all: Vec<&'static str>,
    },
    Tolerance {
        rtol: f64,
    },
    EndBeforeStart {
        t_start: f64,
        t_end: f64,
    },
    TooShort {
        shortest: f64,
    },
    TooManySteps {
        key: &'static str,
        most: f64,
    },
    TooManyRows {
        rows: f64,
        most: f64,
    },
    BeforeStart {
        t_start: f64,
        t: f64,
    },
    /// A value outside the range of its quantity; the bounds are in `unit`.
    OutOfRange {
        name: String,
        value: String,
        low: f64,
        high: f64,
        unit: String,
    },
    /// Units in which results are to be shown.
    Units {
        what: String,
        message: String,
        hint: Option<String>,
    },
    NoJoints {
        model: String,
    },
    /// Text that gives no motion of a joint.
    NoMotion {
        text: String,
    },
    NothingToKeep,
}

impl fmt::Display for RunRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownSolver { name, .. } => write!(f, "there is no solver `{name}`"),
            Self::Tolerance { rtol } => {
                write!(f, "rtol has to lie between 1e-14 and 0.1, but it is {}", number(*rtol, 6))
            }
            Self::EndBeforeStart { t_start, t_end } => {
                let [from, to] = [*t_start, *t_end].map(|t| number(t, 6));
                write!(f, "the end has to come after {from} s, but it is {to} s")
            }
            Self::TooShort { shortest } => write!(f, "the run is shorter than {} s", number(*shortest, 3)),
            Self::TooManySteps { key, most } => {
                write!(f, "`{key}` would take more than {} steps", number(*most, 3))
            }
            Self::TooManyRows { rows, most } => {
                write!(f, "results would have {} rows, more than {}", number(*rows, 3), number(*most, 3))
            }
            Self::BeforeStart { t_start, t } => {
                write!(f, "the run begins at t = {t_start} s, so there is no t = {t} s")
            }
            Self::OutOfRange { name, value, .. } => write!(f, "`{name}` = {value} is out of range"),
            Self::Units { what, message, .. } => write!(f, "{what}: {message}"),
            Self::NoJoints { model } => write!(f, "{model} has no joints, so there is nothing to move"),
            Self::NoMotion { text } => write!(f, "`{text}` says no motion"),
            Self::NothingToKeep => write!(f, "what has to stay as it is?"),
        }
    }
}

impl Error for RunRequestError {}

impl RequestError for RunRequestError {
    fn hint(&self) -> Option<Hint> {
        let text = match self {
            Self::UnknownSolver { near: Some(near), all, .. } => {
                return Some(format!("did you mean `{near}`? There are {}", all.join(", ")).into());
            }
            Self::UnknownSolver { near: None, all, .. } => {
                return Some(format!("there are {}", all.join(", ")).into());
            }
            Self::OutOfRange { low, high, unit, .. } => {
                return Some(format!("it lies between {low} and {high} {unit}").into());
            }
            Self::Units { hint: Some(hint), .. } => hint,
            Self::Units { hint: None, .. } => "write units and names: bar, l/min, deg, boom.p=MPa",
            Self::Tolerance { .. } => "1e-6 is usual; 1e-3 is coarse, 1e-9 is fine",
            Self::EndBeforeStart { .. } => "give a later end, as t_end in [run] says",
            Self::TooShort { .. } => "give a later end",
            Self::TooManySteps { .. } => "give a longer step, or an earlier end",
            Self::TooManyRows { .. } => "ask for fewer points, or a larger dt, in [run]",
            Self::NoJoints { .. } => "docs/guides/mechanisms.md shows how joints are written",
            Self::NoMotion { .. } => {
                "write a joint and where it is over time: shoulder=\"0.5 rad*sin(2 rad/s*time)\""
            }
            Self::NothingToKeep => "name signals to keep, as body.x,cylinder.f, or in `plot` of [run]",
            Self::BeforeStart { .. } => return None,
        };
        Some(text.into())
    }
}
