//! What can go wrong with a model, from its file to its results.

use std::fmt;

use trunnion_model::Diagnostic;
use trunnion_sim::start_error::StartError;

#[derive(Debug)]
pub enum Failure {
    /// The model has errors.
    Model(Vec<Diagnostic>),
    /// The arguments do not fit the model.
    Usage {
        message: String,
        hint: Option<String>,
    },
    /// The run failed; what was computed is kept.
    Run {
        message: String,
        hint: Option<String>,
    },
    /// A controller failed; `message` is all of it in one line.
    Script {
        message: String,
        place: Box<Diagnostic>,
    },
    /// A picture could not be drawn.
    Picture {
        message: String,
        hint: Option<String>,
    },
    Results(trunnion_results::ResultsError),
    Spectrum(trunnion_num::spectrum::SpectrumError),
    /// Another file could not be read or written.
    File(trunnion_files::FileError),
    Cancelled,
}

impl From<trunnion_results::ResultsError> for Failure {
    fn from(e: trunnion_results::ResultsError) -> Self {
        Failure::Results(e)
    }
}

impl From<trunnion_files::FileError> for Failure {
    fn from(e: trunnion_files::FileError) -> Self {
        Failure::File(e)
    }
}

impl From<trunnion_num::spectrum::SpectrumError> for Failure {
    fn from(e: trunnion_num::spectrum::SpectrumError) -> Self {
        Failure::Spectrum(e)
    }
}

impl Failure {
    pub fn usage(message: impl Into<String>) -> Self {
        Failure::Usage { message: message.into(), hint: None }
    }

    pub fn usage_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure::Usage { message: message.into(), hint: Some(hint.into()) }
    }

    /// The model cannot begin.
    pub fn start(error: &StartError) -> Self {
        Failure::Run { message: error.to_string(), hint: error.hint() }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Failure::Usage { hint, .. } | Failure::Run { hint, .. } | Failure::Picture { hint, .. } => {
                hint.clone()
            }
            Failure::Results(e) => e.hint(),
            Failure::Spectrum(e) => Some(e.hint().into()),
            // Diagnostics have hints of their own.
            Failure::Model(_) | Failure::Script { .. } | Failure::File(_) | Failure::Cancelled => None,
        }
    }

    /// The first line of the message.
    pub fn reason(&self) -> String {
        self.to_string().lines().next().unwrap_or_default().to_string()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Model(list) => list.iter().try_for_each(|d| writeln!(f, "{}", d.render(false))),
            Failure::Usage { message, .. }
            | Failure::Run { message, .. }
            | Failure::Script { message, .. }
            | Failure::Picture { message, .. } => {
                write!(f, "{message}")
            }
            Failure::Results(e) => write!(f, "{e}"),
            Failure::Spectrum(e) => write!(f, "{e}"),
            Failure::File(e) => write!(f, "{e}"),
            Failure::Cancelled => write!(f, "cancelled"),
        }
    }
}

impl std::error::Error for Failure {}
