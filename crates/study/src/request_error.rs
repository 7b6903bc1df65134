//! Requests that do not fit: one enum for each subject, with what was asked for as fields. The text is `Display`, what to change `hint`.

mod files;
mod linear;
mod live;
mod measure;
mod range;
mod run;
mod servo;
mod stress;

pub use files::{FilesRequestError, ReasonsFault};
pub use linear::{FeedbackError, LinearRequestError, NoiseError, WeightFault};
pub use live::{InputLineFault, LiveRequestError, SnapshotFault};
pub use measure::{MeasureFault, MeasureRequestError};
pub use range::{GridError, RangeError, RangeFault, UnknownCoordinate};
pub use run::RunRequestError;
pub use servo::ServoRequestError;
pub use stress::NoElasticBodies;

use std::error::Error;
use std::fmt;

use trunnion_engine::{Hint, ModelView, RequestError};
use trunnion_results::nearest;
use trunnion_sim::machine::Prepared;

/// What a name was to stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    Signal,
    Event,
    ParameterOrInput,
    /// What a linear model may have as its input.
    LinearInput,
    StateOrUnknown,
}

impl fmt::Display for NameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NameKind::Signal => "signal",
            NameKind::Event => "event",
            NameKind::ParameterOrInput => "parameter or input",
            NameKind::LinearInput => "input, parameter or mode",
            NameKind::StateOrUnknown => "state or unknown",
        })
    }
}

/// A name that the model does not have.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownName {
    pub kind: NameKind,
    pub name: String,
    /// Names like it, the nearest first.
    pub near: Vec<String>,
}

impl UnknownName {
    pub(crate) fn new<'a>(kind: NameKind, name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let near = nearest(name, known).iter().map(|n| n.to_string()).collect();
        UnknownName { kind, name: name.into(), near }
    }

    pub(crate) fn signal(name: &str, prepared: &Prepared) -> Self {
        Self::new(NameKind::Signal, name, prepared.columns.iter().map(|c| c.name.as_str()))
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no {} `{}`", self.kind, self.name)
    }
}

impl Error for UnknownName {}

impl RequestError for UnknownName {
    fn hint(&self) -> Option<Hint> {
        let listed = self.kind != NameKind::Event;
        Hint::nearest(&self.near).or(listed.then(|| ModelView::Names.into()))
    }
}
