//! Standard output that never panics: a reader that goes away is fine, a full disk is a failure at the end.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use trunnion_draw::listing::Listing;
use trunnion_model::diagnostic::visible;

use trunnion_engine::Failure;

/// The first reason why a line was lost.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// A line on standard output. Control characters, which may come from files of others, are written out.
pub fn say(line: impl Display) {
    say_raw(&visible(&line.to_string()));
}

/// The same with a last word in red.
pub fn say_red(line: &str, word: &str) {
    say_raw(&format!("{}\x1b[1;31m{word}\x1b[0m", visible(line)));
}

fn say_raw(line: &str) {
    let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
    if lost.is_none() {
        *lost = writeln!(io::stdout(), "{line}").err();
    }
}

/// A document on standard output. What would steer a terminal stands in its strings only, and is written out there.
pub fn say_json(document: &serde_json::Value) {
    let text = format!("{document:#}");
    let turns = |c: char| matches!(visible(c.encode_utf8(&mut [0; 4])), Cow::Owned(_));
    let shown = |c: char| if turns(c) { format!("\\u{:04x}", c as u32) } else { c.to_string() };
    say_raw(&text.chars().map(shown).collect::<String>());
}

/// Tables on standard output.
pub trait Print {
    fn print(&self);
}

impl Print for Listing {
    fn print(&self) {
        self.lines().iter().for_each(say);
    }
}

/// A line on standard error, likewise.
pub fn tell(line: impl Display) {
    eprintln!("{}", visible(&line.to_string()));
}

/// Err if something that was said did not arrive.
pub fn arrived() -> Result<(), Failure> {
    let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
    let flushed = io::stdout().flush().err();
    match lost.take().or(flushed) {
        // `trunnion … | head` has seen enough.
        Some(cause) if cause.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Some(cause) => Err(trunnion_files::FileError::Write { path: "standard output".into(), cause }.into()),
        None => Ok(()),
    }
}
