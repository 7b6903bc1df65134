//! Ranges of values, and grids of them: sweeps of parameters, poses of a mechanism.

use std::error::Error;
use std::fmt;

use trunnion_engine::{Hint, ModelView, RequestError};

/// What is wrong with "k=100:200:11".
#[derive(Clone, Debug, PartialEq)]
pub struct RangeError {
    /// As it was written.
    pub text: String,
    pub fault: RangeFault,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RangeFault {
    NoValues,
    NotUnderstood,
    /// Logarithmic steps over zero.
    Sign,
    /// `text` is the number of values alone.
    Count,
    /// `text` is the value alone.
    Value {
        name: String,
        message: String,
        hint: Option<String>,
    },
    /// A value of another dimension: that of the quantity, and that of the value.
    Dimension {
        name: String,
        wanted: String,
        found: String,
    },
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        match &self.fault {
            RangeFault::NoValues => write!(f, "`{text}` has no values"),
            RangeFault::NotUnderstood => write!(f, "`{text}` is not understood"),
            RangeFault::Sign => write!(f, "`{text}`: logarithmic steps need ends of one sign, not zero"),
            RangeFault::Count => write!(f, "`{text}` is no number of values"),
            RangeFault::Value { name, message, .. } => write!(f, "`{text}` for `{name}`: {message}"),
            RangeFault::Dimension { name, wanted, found } => {
                write!(f, "`{name}` is {wanted}, but `{text}` is {found}")
            }
        }
    }
}

impl Error for RangeError {}

impl RequestError for RangeError {
    fn hint(&self) -> Option<Hint> {
        match &self.fault {
            RangeFault::Value { hint, .. } => hint.clone().map(Hint::from),
            RangeFault::Dimension { .. } => None,
            _ => Some("write k=100:200:11 (from, to, how many), k=1:1000:4:log or k=1,2,5".into()),
        }
    }
}

/// Grids that cannot be: over parameters, or over coordinates of joints.
#[derive(Clone, Debug, PartialEq)]
pub enum GridError {
    SweptTwice {
        name: String,
    },
    CannotBeSwept {
        name: String,
    },
    TooManyRuns {
        most: usize,
    },
    CoordinateTwice {
        name: String,
    },
    TooManyPoses {
        most: usize,
    },
    /// Its joint has a motion of its own.
    Prescribed {
        coordinate: String,
        joint: String,
    },
    /// It follows from other joints.
    Dependent {
        coordinate: String,
        joint: String,
    },
}

impl fmt::Display for GridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SweptTwice { name } => write!(f, "`{name}` is swept twice"),
            Self::CannotBeSwept { name } => write!(f, "`{name}` cannot be swept"),
            Self::TooManyRuns { most } => {
                write!(f, "more than {most} runs: sweep fewer values, or fewer parameters")
            }
            Self::CoordinateTwice { name } => write!(f, "`{name}` is given twice"),
            Self::TooManyPoses { most } => write!(f, "more than {most} poses: take fewer values"),
            Self::Prescribed { coordinate, .. } | Self::Dependent { coordinate, .. } => {
                write!(f, "`{coordinate}` cannot be chosen: it is not among the states of the model")
            }
        }
    }
}

impl Error for GridError {}

impl RequestError for GridError {
    fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::CannotBeSwept { .. } => {
                "parameters, inputs and start values (body.start.x) can; the rest can be changed for one run"
                    .into()
            }
            Self::Prescribed { joint, .. } => {
                format!("its motion is prescribed: leave `motion` of `{joint}` out").into()
            }
            Self::Dependent { joint, .. } => format!(
                "`{joint}` closes a loop or follows from another joint: choose that one, or `cut` another"
            )
            .into(),
            _ => return None,
        })
    }
}

/// No joint has a coordinate of this name.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownCoordinate {
    pub name: String,
    pub near: Vec<String>,
}

impl fmt::Display for UnknownCoordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no coordinate `{}`", self.name)
    }
}

impl Error for UnknownCoordinate {}

impl RequestError for UnknownCoordinate {
    fn hint(&self) -> Option<Hint> {
        let form =
            || Hint::from("name a joint and its coordinate, as shoulder.phi").and_see(ModelView::Names);
        Some(Hint::nearest(&self.near).unwrap_or_else(form))
    }
}
