//! What can go wrong on the command line, and the exit code for each.

use trunnion_model::Diagnostic;
use trunnion_model::diagnostic::visible;
use trunnion_sim::start_error::StartError;

use crate::plot;

/// Exit codes, as documented in docs/command-line.md.
pub mod exit {
    pub const MODEL: u8 = 1;
    pub const USAGE: u8 = 2;
    pub const RUN: u8 = 3;
    pub const FILES: u8 = 4;
    pub const CANCELLED: u8 = 130;
}

/// The message of a file that cannot be read.
const UNREADABLE: &str = "M0002";

#[derive(Debug)]
pub enum Failure {
    /// The model has errors.
    Model(Vec<Diagnostic>),
    /// An expectation was missed, or a comparison found a difference: already printed.
    Missed,
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
    Results(trunnion_results::Error),
    Plot(plot::Error),
    /// Another file could not be read or written.
    File(trunnion_files::Error),
    Cancelled,
}

impl From<trunnion_results::Error> for Failure {
    fn from(e: trunnion_results::Error) -> Self {
        Failure::Results(e)
    }
}

impl From<trunnion_files::Error> for Failure {
    fn from(e: trunnion_files::Error) -> Self {
        Failure::File(e)
    }
}

impl From<plot::Error> for Failure {
    fn from(e: plot::Error) -> Self {
        Failure::Plot(e)
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

    pub fn exit_code(&self) -> u8 {
        match self {
            // Nothing is wrong with a model that cannot be read.
            Failure::Model(list) if list.iter().all(|d| d.code == UNREADABLE) => exit::FILES,
            Failure::Model(_) | Failure::Missed => exit::MODEL,
            Failure::Usage { .. } | Failure::Results(trunnion_results::Error::NoColumn { .. }) => exit::USAGE,
            Failure::Run { .. } | Failure::Script { .. } => exit::RUN,
            Failure::Results(_) | Failure::Plot(_) | Failure::File(_) => exit::FILES,
            Failure::Cancelled => exit::CANCELLED,
        }
    }

    /// The message alone, in one line.
    pub fn reason(&self) -> String {
        let text = self.render(false);
        let line = text.lines().next().unwrap_or_default();
        line.strip_prefix("error: ").unwrap_or(line).to_string()
    }

    /// The whole message, with hint.
    pub fn render(&self, colour: bool) -> String {
        let plain = |message: String, hint: Option<String>| {
            let head = if colour { "\x1b[1;31merror\x1b[0m" } else { "error" };
            let hint = hint.map(|h| format!("\n  = hint: {}", visible(&h))).unwrap_or_default();
            format!("{head}: {}{hint}\n", visible(&message))
        };
        match self {
            Failure::Model(list) => {
                let mut text: String = list.iter().map(|d| d.render(colour) + "\n").collect();
                let n = list.iter().filter(|d| d.severity == trunnion_model::Severity::Error).count();
                text.push_str(&format!("{n} error{}\n", if n == 1 { "" } else { "s" }));
                text
            }
            Failure::Script { place, .. } => place.render(colour),
            Failure::Missed => String::new(),
            Failure::Usage { message, hint } | Failure::Run { message, hint } => {
                plain(message.clone(), hint.clone())
            }
            Failure::Results(e) => plain(e.to_string(), e.hint()),
            Failure::Plot(e) => plain(e.to_string(), e.hint().map(String::from)),
            Failure::File(e) => plain(e.to_string(), None),
            Failure::Cancelled => "cancelled\n".into(),
        }
    }
}
