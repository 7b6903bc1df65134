//! Files on disk: reading within bounds ([`input`]), writing whole or not at all ([`output`]).

pub mod input;
pub mod output;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use output::{rewrite, write_model, write_whole};

/// A file that cannot be read or written.
#[derive(Debug)]
pub enum FileError {
    Read {
        path: PathBuf,
        reason: String,
    },
    Write {
        path: PathBuf,
        cause: io::Error,
    },
    /// A folder.
    Create {
        path: PathBuf,
        cause: io::Error,
    },
}

impl FileError {
    pub fn read(path: impl AsRef<Path>, reason: impl fmt::Display) -> Self {
        FileError::Read { path: path.as_ref().to_owned(), reason: reason.to_string() }
    }

    fn write(path: &Path, cause: io::Error) -> Self {
        FileError::Write { path: path.to_owned(), cause }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Read { path, reason } => write!(f, "cannot read `{}`: {reason}", path.display()),
            FileError::Create { path, cause } => write!(f, "cannot create `{}`: {cause}", path.display()),
            FileError::Write { path, cause } => {
                write!(f, "cannot write `{}`: ", path.display())?;
                match cause.kind() {
                    io::ErrorKind::NotFound => write!(f, "the folder is missing: create it first"),
                    io::ErrorKind::PermissionDenied => write!(f, "it may not be written"),
                    _ => write!(f, "{cause}"),
                }
            }
        }
    }
}

impl std::error::Error for FileError {}

/// Whether some line begins with one of these.
fn has_line(text: &str, beginnings: &[&str]) -> bool {
    text.lines().any(|line| beginnings.iter().any(|b| line.trim_start().starts_with(b)))
}

/// A model says how it is run; component files have none of these sections.
pub fn looks_like_a_model(text: &str) -> bool {
    has_line(text, &["[model]", "[run]", "[run.", "[live]", "[live.", "[[expect]]"])
}

/// A component has ports, or at least a title.
pub fn looks_like_a_component(text: &str) -> bool {
    !looks_like_a_model(text) && has_line(text, &["[ports]", "[ports.", "[[when]]", "title"])
}
