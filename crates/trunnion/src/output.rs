//! Standard output that never panics: a reader that goes away is fine, a full disk is a failure at the end.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use crate::failure::Failure;

/// The first reason why a line was lost.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// A line on standard output.
pub fn say(line: impl Display) {
    let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
    if lost.is_none() {
        *lost = writeln!(io::stdout(), "{line}").err();
    }
}

/// Err if something that was said did not arrive.
pub fn arrived() -> Result<(), Failure> {
    let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
    let flushed = io::stdout().flush().err();
    match lost.take().or(flushed) {
        // `trunnion … | head` has seen enough.
        Some(cause) if cause.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Some(cause) => {
            Err(Failure::File { path: "standard output".into(), action: "write", reason: cause.to_string() })
        }
        None => Ok(()),
    }
}
