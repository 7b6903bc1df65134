//! Live runs: rate and end, recorded inputs, snapshots.

use std::error::Error;
use std::fmt;

use trunnion_engine::{Hint, RequestError};
use trunnion_num::text::number;

#[derive(Clone, Debug, PartialEq)]
pub enum LiveRequestError {
    /// In Hz.
    Rate {
        rate: f64,
    },
    Duration {
        duration: f64,
    },
    EndBeforeStart {
        t: f64,
        t_end: f64,
    },
    /// A line of recorded inputs; `place` is file and line.
    Inputs {
        place: String,
        fault: InputLineFault,
    },
    Snapshot {
        file: String,
        fault: SnapshotFault,
    },
    /// What a thread was to write did not come to its end.
    RecordingLost,
    SnapshotLost,
}

#[derive(Clone, Debug, PartialEq)]
pub enum InputLineFault {
    NotAChange {
        line: String,
    },
    NotANumber {
        input: String,
    },
    UnknownInput {
        name: String,
        near: Option<String>,
    },
    /// No period begins at this time; the first two begin at these.
    BetweenPeriods {
        time: String,
        first: f64,
        second: f64,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum SnapshotFault {
    NotASnapshot,
    Version {
        theirs: String,
        ours: String,
    },
    /// The same model with other text or values.
    ModelChanged {
        model: String,
    },
    OtherModel {
        theirs: String,
        ours: String,
    },
    /// In Hz.
    Rate {
        rate: f64,
    },
    DoesNotFit,
}

impl fmt::Display for InputLineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAChange { line } => write!(f, "`{line}` is no change of an input"),
            Self::NotANumber { input } => write!(f, "the value of `{input}` has to be a number"),
            Self::UnknownInput { name, .. } => write!(f, "the model has no input `{name}`"),
            Self::BetweenPeriods { time, .. } => write!(f, "`{time}` is no time at which a period begins"),
        }
    }
}

impl fmt::Display for SnapshotFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASnapshot => write!(f, "is no snapshot, or not a whole one"),
            Self::Version { theirs, ours } => write!(f, "was written by version {theirs}, this is {ours}"),
            Self::ModelChanged { model } => {
                write!(f, "was taken of `{model}` before it was changed, or with other values")
            }
            Self::OtherModel { theirs, ours } => {
                write!(f, "was taken of another model, `{theirs}`, and not of `{ours}`")
            }
            Self::Rate { rate } => write!(f, "was taken at another rate, {rate} Hz"),
            Self::DoesNotFit => write!(f, "does not fit the model"),
        }
    }
}

impl fmt::Display for LiveRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate { rate } => write!(f, "a rate of {} Hz is out of reach", number(*rate, 6)),
            Self::Duration { duration } => {
                write!(f, "the duration has to be above 0, but it is {duration} s")
            }
            Self::EndBeforeStart { t, t_end } => {
                let [from, to] = [*t, *t_end].map(|t| number(t, 6));
                write!(f, "the end has to come after {from} s, but it is {to} s")
            }
            Self::Inputs { place, fault } => write!(f, "{place}: {fault}"),
            Self::Snapshot { file, fault } => write!(f, "`{file}` {fault}"),
            Self::RecordingLost => write!(f, "the recording was lost"),
            Self::SnapshotLost => write!(f, "a snapshot was lost"),
        }
    }
}

impl Error for LiveRequestError {}

impl RequestError for LiveRequestError {
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::Rate { .. } => Some("1 kHz is usual; it may lie between 0.1 Hz and 1 MHz".into()),
            Self::Duration { .. } | Self::RecordingLost | Self::SnapshotLost => None,
            Self::EndBeforeStart { .. } => Some("give a later end".into()),
            Self::Inputs { fault, .. } => match fault {
                InputLineFault::NotAChange { .. } => {
                    Some("a line is `time,input,value`, in SI: 1.25,boom.u,0.5".into())
                }
                InputLineFault::NotANumber { .. } => None,
                InputLineFault::UnknownInput { near, .. } => Hint::nearest(near.as_slice()),
                InputLineFault::BetweenPeriods { first, second, .. } => {
                    let begin = format!("periods begin at {first} s, {second} s and so on");
                    Some(format!("{begin}; replay with the rate of the recording").into())
                }
            },
            Self::Snapshot { fault, .. } => match fault {
                SnapshotFault::NotASnapshot => {
                    Some("a live run writes one at its end, or when it is told to".into())
                }
                SnapshotFault::ModelChanged { .. } | SnapshotFault::OtherModel { .. } => {
                    Some("a snapshot goes on with the very model it was taken of".into())
                }
                SnapshotFault::Rate { rate } => Some(format!("run at {rate} Hz").into()),
                SnapshotFault::Version { .. } | SnapshotFault::DoesNotFit => None,
            },
        }
    }
}
