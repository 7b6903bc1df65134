//! Measures that cannot be read, or have no value in a run.

use std::error::Error;
use std::fmt;

use trunnion_engine::{Hint, RequestError};
use trunnion_num::text::number;

use crate::measure::MeasureKind;

const FORMS: &str = "write max(body.x), min, mean, rms, final, at(body.x, 2 s), overshoot(x), settling(x, 2 %), peak_frequency(x), count(event) or time(event, 2)";

#[derive(Clone, Debug, PartialEq)]
pub enum MeasureRequestError {
    /// Text that is no measure.
    Text {
        text: String,
        fault: MeasureFault,
    },
    OutsideRun {
        wanted: MeasureKind,
        t_start: f64,
        t_end: f64,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum MeasureFault {
    NotAMeasure,
    Nothing,
    NoTime,
    NoShare,
    /// No number of an event.
    WhichTime {
        event: String,
    },
    UnknownFunction {
        function: String,
    },
}

impl fmt::Display for MeasureRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, fault) = match self {
            Self::Text { text, fault } => (text, fault),
            Self::OutsideRun { wanted, t_start, t_end } => {
                let [from, to] = [*t_start, *t_end].map(|t| number(t, 6));
                return write!(f, "`{wanted}` lies outside the run, which goes from {from} s to {to} s");
            }
        };
        match fault {
            MeasureFault::NotAMeasure => write!(f, "`{text}` is not a measure"),
            MeasureFault::Nothing => write!(f, "`{text}` measures nothing"),
            MeasureFault::NoTime => write!(f, "`{text}` needs a time"),
            MeasureFault::NoShare => write!(f, "`{text}` needs a share below 1, as 2 %"),
            MeasureFault::WhichTime { event } => write!(f, "`{text}`: which time of `{event}`?"),
            MeasureFault::UnknownFunction { function } => write!(f, "there is no measure `{function}`"),
        }
    }
}

impl Error for MeasureRequestError {}

impl RequestError for MeasureRequestError {
    fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::Text { .. } => FORMS.into(),
            Self::OutsideRun { .. } => "choose a time within, or a later t_end".into(),
        })
    }
}
