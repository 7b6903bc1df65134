//! What is said of a failure, and the exit code for each.

use trunnion_engine::Failure;
use trunnion_model::Severity;
use trunnion_model::diagnostic::visible;
use trunnion_num::text::count;

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
        Failure::Usage { .. } | Failure::Results(trunnion_results::ResultsError::NoColumn { .. }) => {
            exit::USAGE
        }
        Failure::Run { .. } | Failure::Script { .. } => exit::RUN,
        Failure::Results(_) | Failure::Picture { .. } | Failure::Spectrum(_) | Failure::File(_) => {
            exit::FILES
        }
        Failure::Cancelled => exit::CANCELLED,
    }
}

/// What the user can do about it here.
pub fn hint(failure: &Failure) -> Option<String> {
    match failure {
        // A study says what to hold; here that is an option. In a file it is a list.
        Failure::Run { hint: Some(hint), .. } => {
            Some(hint.replace("hold = [", "\0").replace("hold = ", "--hold ").replace('\0', "hold = ["))
        }
        Failure::Results(trunnion_results::ResultsError::NoColumn { nearest, .. }) if nearest.is_empty() => {
            Some("`trunnion plot FILE --list` lists the signals".into())
        }
        other => other.hint(),
    }
}

/// The whole message, with hint.
pub fn render(failure: &Failure, colour: bool) -> String {
    match failure {
        Failure::Model(list) => {
            let mut text: String = list.iter().map(|d| d.render(colour) + "\n").collect();
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
