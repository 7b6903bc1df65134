//! What can go wrong with a model, from its file to its results.

use std::any::Any;
use std::fmt;

use trunnion_model::Diagnostic;
use trunnion_sim::start_error::StartError;

use crate::hint::Hint;
use crate::request_error::RequestError;

#[derive(Debug)]
pub enum Failure {
    /// The model has errors.
    Model(Vec<Diagnostic>),
    /// The request does not fit the model, its results or the files at hand.
    Request(Box<dyn RequestError>),
    /// The run failed; what was computed is kept.
    Run {
        message: String,
        hint: Option<Hint>,
    },
    /// A controller failed; `message` is all of it in one line.
    Script {
        message: String,
        place: Box<Diagnostic>,
    },
    /// A picture could not be drawn.
    Picture {
        message: String,
        hint: Option<Hint>,
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

impl<R: RequestError> From<R> for Failure {
    fn from(error: R) -> Self {
        Failure::Request(Box::new(error))
    }
}

impl Failure {
    /// What is wrong with the request, if it is one of these.
    pub fn request<R: RequestError>(&self) -> Option<&R> {
        match self {
            Failure::Request(error) => (&**error as &dyn Any).downcast_ref(),
            _ => None,
        }
    }

    /// The model cannot begin.
    pub fn start(error: &StartError) -> Self {
        Failure::Run { message: error.to_string(), hint: error.hint().map(Hint::from) }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Failure::Request(error) => error.hint(),
            Failure::Run { hint, .. } | Failure::Picture { hint, .. } => hint.clone(),
            Failure::Results(e) => e.hint().map(Hint::from),
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
            Failure::Request(error) => write!(f, "{error}"),
            Failure::Run { message, .. }
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
