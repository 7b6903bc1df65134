//! What is said of a failure, and the exit code for each.

use std::fmt;

use trunnion_engine::{Failure, Hint, RequestError};
use trunnion_model::Severity;
use trunnion_model::diagnostic::visible;
use trunnion_num::text::count;

use crate::hints::{hint, with_command};

/// Exit codes, as documented in docs/reference/command-line.md.
pub mod exit {
    pub const GOOD: u8 = 0;
    pub const MODEL: u8 = 1;
    pub const USAGE: u8 = 2;
    pub const RUN: u8 = 3;
    pub const FILES: u8 = 4;
    pub const CANCELLED: u8 = 130;
}

/// The message of a file that cannot be read.
const UNREADABLE: &str = "M0002";

/// The message of a parameter without a value.
const MISSING: &str = "M0302";

pub fn exit_code(failure: &Failure) -> u8 {
    match failure {
        // Nothing is wrong with a model that cannot be read.
        Failure::Model(list) if list.iter().all(|d| d.code == UNREADABLE) => exit::FILES,
        Failure::Model(_) => exit::MODEL,
        Failure::Request(_) | Failure::Results(trunnion_results::ResultsError::NoColumn { .. }) => {
            exit::USAGE
        }
        Failure::Run { .. } | Failure::Script { .. } => exit::RUN,
        Failure::Results(_) | Failure::Picture { .. } | Failure::Spectrum(_) | Failure::File(_) => {
            exit::FILES
        }
        Failure::Cancelled => exit::CANCELLED,
    }
}

/// Arguments that do not fit: each is refused where it is read, so the text is made there.
#[derive(Debug)]
struct ArgumentError {
    message: String,
    hint: Option<String>,
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ArgumentError {}

impl RequestError for ArgumentError {
    fn hint(&self) -> Option<Hint> {
        self.hint.clone().map(Hint::from)
    }
}

pub fn usage(message: impl Into<String>) -> Failure {
    ArgumentError { message: message.into(), hint: None }.into()
}

pub fn usage_hint(message: impl Into<String>, hint: impl Into<String>) -> Failure {
    ArgumentError { message: message.into(), hint: Some(hint.into()) }.into()
}

/// The whole message, with hint.
pub fn render(failure: &Failure, colour: bool) -> String {
    match failure {
        Failure::Model(list) => {
            let mut text: String = list.iter().map(|d| with_command(d).render(colour) + "\n").collect();
            let n = list.iter().filter(|d| d.severity == Severity::Error).count();
            text.push_str(&format!("{}\n", count(n, "error")));
            if list.iter().any(|d| d.code == MISSING) {
                text.push_str("values are given with --set PATH=VALUE, or in a file with --defaults FILE\n");
            }
            text
        }
        Failure::Script { place, .. } => place.render(colour),
        Failure::Cancelled => "cancelled\n".into(),
        other => {
            let head = if colour { "\x1b[1;31merror\x1b[0m" } else { "error" };
            let hint = hint(other).map(|h| format!("\n  = hint: {}", visible(&h))).unwrap_or_default();
            format!("{head}: {}{hint}\n", visible(&other.to_string()))
        }
    }
}
