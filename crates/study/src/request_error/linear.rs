//! Requests to linear models: frequency responses by noise, state feedback.

use std::error::Error;
use std::fmt;

use trunnion_engine::{Hint, RequestError};
use trunnion_num::text::number;

/// Noise that cannot be applied.
#[derive(Clone, Debug, PartialEq)]
pub enum NoiseError {
    Amplitude,
    Segments,
    TooManySamples { samples: usize },
    CannotBeDriven { input: String },
    TooShort,
}

impl fmt::Display for NoiseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Amplitude => write!(f, "the noise needs an amplitude above 0"),
            Self::Segments => write!(f, "average from 1 to 100000 segments"),
            Self::TooManySamples { samples } => {
                write!(f, "the noise run would take {} samples", number(*samples as f64, 3))
            }
            Self::CannotBeDriven { input } => write!(f, "`{input}` cannot be driven"),
            Self::TooShort => write!(f, "the noise run is too short for one segment"),
        }
    }
}

impl Error for NoiseError {}

impl RequestError for NoiseError {
    fn hint(&self) -> Option<Hint> {
        let too_long = matches!(self, Self::TooManySamples { .. });
        too_long.then(|| "narrow the range of frequencies, or average fewer segments".into())
    }
}

/// A state feedback that cannot be designed as it is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum FeedbackError {
    /// "expression=number" that is none.
    Weight {
        text: String,
        fault: WeightFault,
    },
    /// An effort that costs nothing or less.
    FreeEffort {
        weight: f64,
    },
    Efforts {
        inputs: usize,
        weights: usize,
    },
    Names {
        gains: usize,
        names: usize,
    },
    /// The input acts on the signal without delay.
    Feedthrough {
        signal: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightFault {
    Missing,
    NotANumber,
    NotPositive,
}

impl fmt::Display for FeedbackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Weight { text, fault } => {
                let fault = match fault {
                    WeightFault::Missing => "has no weight",
                    WeightFault::NotANumber => "has no number as its weight",
                    WeightFault::NotPositive => "is negative or not finite",
                };
                write!(f, "the weight `{text}` {fault}")
            }
            Self::FreeEffort { weight } => write!(f, "an effort of weight {weight} would be without limit"),
            Self::Efforts { inputs, weights } => {
                write!(f, "there are {inputs} inputs, but {weights} weights of effort")
            }
            Self::Names { gains, names } => write!(f, "there are {gains} gains, but {names} names"),
            Self::Feedthrough { signal } => {
                write!(f, "`{signal}` cannot be fed back: the input moves it at once")
            }
        }
    }
}

impl Error for FeedbackError {}

impl RequestError for FeedbackError {
    fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::Weight { .. } => "write a signal or expression and a number: 'body.x - wheel.x'=10".into(),
            Self::FreeEffort { .. } => "give a number above 0: the smaller, the stronger the feedback".into(),
            Self::Feedthrough { .. } => "feed back positions, velocities, pressures, or all states".into(),
            Self::Efforts { .. } | Self::Names { .. } => return None,
        })
    }
}

/// A request about modes, frequencies or matrices that does not fit.
#[derive(Clone, Debug, PartialEq)]
pub enum LinearRequestError {
    /// "from:to" that is no range.
    Frequencies {
        text: String,
    },
    /// Matrices for a file of an unknown kind.
    FileKind {
        path: String,
    },
    /// The model has no bodies that could be drawn.
    NoBodies {
        model: String,
    },
    UnknownMode {
        number: usize,
        modes: usize,
    },
}

impl fmt::Display for LinearRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frequencies { text } => write!(f, "`{text}` is no range of frequencies"),
            Self::FileKind { path } => write!(f, "cannot tell what {path} should be"),
            Self::NoBodies { model } => write!(f, "`{model}` has no bodies to be drawn"),
            Self::UnknownMode { number, .. } => write!(f, "there is no mode {number}"),
        }
    }
}

impl Error for LinearRequestError {}

impl RequestError for LinearRequestError {
    fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::Frequencies { .. } => "write it as 0.1:100, in Hz, the lower one above 0".into(),
            Self::FileKind { .. } => "end the name with .json or .csv".into(),
            Self::NoBodies { .. } => "they stand in [bodies]".into(),
            Self::UnknownMode { modes, .. } => {
                format!("there are {modes}, counted from 1, as the list has them").into()
            }
        })
    }
}
