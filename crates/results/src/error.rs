//! What can go wrong with a results file, each with a hint.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use trunnion_files::output::OverwriteRefusal;

/// What was being done to a file when the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAction {
    Create,
    Write,
    Read,
    Rename,
}

/// What is wrong with the content of a file or table.
#[derive(Debug)]
pub enum TableFault {
    NoColumns,
    TwiceNamed {
        name: String,
    },
    Ragged {
        name: String,
        found: usize,
        expected: usize,
    },
    RowLength {
        found: usize,
        expected: usize,
    },
    NotText,
    NoHeader {
        line: usize,
    },
    NotANumber {
        line: usize,
        at: usize,
        column: String,
        text: String,
    },
    Cells {
        line: usize,
        at: usize,
        found: usize,
        expected: usize,
    },
    /// A further name of a column that is not there.
    Alias {
        name: String,
        of: String,
    },
    /// A row in which two names of one quantity have different values.
    NotTheSame {
        name: String,
        of: String,
    },
    JournalHeader,
    ColumnType {
        name: String,
        found: String,
    },
    Parquet(parquet::errors::ParquetError),
    Damaged,
}

#[derive(Debug)]
pub enum ResultsError {
    Extension { path: PathBuf },
    NotFound { path: PathBuf, partial: Option<PathBuf> },
    IsFolder { path: PathBuf },
    Protected { path: PathBuf },
    Busy { path: PathBuf },
    Kept { path: PathBuf, refusal: OverwriteRefusal },
    File { path: PathBuf, action: FileAction, cause: io::Error, kept: Option<PathBuf> },
    Content { path: PathBuf, fault: TableFault },
    NoColumn { name: String, nearest: Vec<String> },
}

impl ResultsError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Extension { .. } => Some("end the name with .parquet or .csv".into()),
            Self::NotFound { partial: Some(partial), .. } => {
                Some(format!("a run that was killed left {}, which can be read as it is", partial.display()))
            }
            Self::NotFound { partial: None, .. } => Some("check the name, or run the model first".into()),
            Self::IsFolder { path } => {
                Some(format!("name a file inside it, e.g. {}/run.parquet", path.display()))
            }
            Self::Protected { .. } => Some("allow writing to it, or choose another name".into()),
            Self::Busy { .. } => Some("wait for the other run, or choose another name".into()),
            Self::Kept { refusal, .. } => Some(refusal.hint().into()),
            Self::File { path, action, cause, kept } => file_hint(path, *action, cause, kept.as_ref()),
            Self::Content { fault, .. } => fault.hint(),
            Self::NoColumn { nearest, .. } if nearest.is_empty() => {
                Some("list the signals of the file to see how they are called".into())
            }
            Self::NoColumn { nearest, .. } => Some(format!("did you mean {}?", quoted(nearest))),
        }
    }
}

fn file_hint(path: &Path, action: FileAction, cause: &io::Error, kept: Option<&PathBuf>) -> Option<String> {
    let remedy = match cause.kind() {
        io::ErrorKind::NotFound if action == FileAction::Create => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            folder.map(|folder| match folder.exists() {
                true => "choose a folder you may write to".into(),
                false => format!("the folder {} is missing: create it first", folder.display()),
            })
        }
        io::ErrorKind::NotADirectory => {
            let file = path.ancestors().find(|above| above.is_file());
            file.map(|file| format!("{} is a file, not a folder", file.display()))
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Some("choose a folder you may write to".into())
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Some("free some space, write fewer columns, or choose another disk".into())
        }
        _ => None,
    };
    let kept = kept.map(|kept| format!("what was computed is kept in {}", kept.display()));
    match (remedy, kept) {
        (Some(remedy), Some(kept)) => Some(format!("{remedy}; {kept}")),
        (remedy, kept) => remedy.or(kept),
    }
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

impl TableFault {
    fn hint(&self) -> Option<String> {
        match self {
            Self::NoHeader { .. } | Self::NotANumber { .. } | Self::Cells { .. } => {
                Some("a results file has one line of names, then as many numbers in each line".into())
            }
            Self::Parquet(_) | Self::Damaged | Self::JournalHeader | Self::NotText | Self::Alias { .. } => {
                Some("the file is damaged or of another kind than its name says".into())
            }
            Self::ColumnType { .. } => Some("columns must be plain numbers".into()),
            _ => None,
        }
    }
}

impl fmt::Display for TableFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoColumns => write!(f, "there are no columns"),
            Self::TwiceNamed { name } => write!(f, "two columns are named `{name}`"),
            Self::Ragged { name, found, expected } => {
                write!(f, "column `{name}` has {found} values, the first column {expected}")
            }
            Self::RowLength { found, expected } => {
                write!(f, "a row of {found} values was given for {expected} columns")
            }
            Self::NotText => write!(f, "not text in UTF-8"),
            Self::NoHeader { line } => {
                write!(f, "line {line}: numbers where the names of the columns should be")
            }
            Self::NotANumber { line, at, column, text } => {
                write!(f, "line {line}, column {at}: `{text}` is not a number, but a value of `{column}`")
            }
            Self::Cells { line, at, found, expected } => {
                write!(f, "line {line}, column {at}: {found} values for {expected} columns")
            }
            Self::Alias { name, of } => write!(f, "`{name}` is another name of `{of}`, which is not there"),
            Self::NotTheSame { name, of } => {
                write!(f, "`{name}` was to be another name of `{of}`, but a row has other values")
            }
            Self::JournalHeader => write!(f, "no header of an unfinished run"),
            Self::ColumnType { name, found } => write!(f, "column `{name}` holds {found}"),
            Self::Damaged => write!(f, "its pages do not fit its index"),
            Self::Parquet(cause) => write!(f, "not a readable Parquet file ({cause})"),
        }
    }
}

impl fmt::Display for ResultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Extension { path } => write!(f, "cannot tell the format of {}", path.display()),
            Self::NotFound { path, .. } => write!(f, "there is no file {}", path.display()),
            Self::IsFolder { path } => write!(f, "{} is a folder", path.display()),
            Self::Protected { path } => write!(f, "{} exists and is read-only", path.display()),
            Self::Busy { path } => write!(f, "another run is writing {}", path.display()),
            Self::Kept { path, refusal } => {
                write!(f, "{} is not replaced: {}", path.display(), refusal.reason())
            }
            Self::File { path, action, cause, .. } => {
                let verb = match action {
                    FileAction::Create => "create",
                    FileAction::Write => "write",
                    FileAction::Read => "read",
                    FileAction::Rename => "replace",
                };
                write!(f, "cannot {verb} {}: {cause}", path.display())
            }
            Self::Content { path, fault } => write!(f, "{}: {fault}", path.display()),
            Self::NoColumn { name, .. } => write!(f, "there is no column `{name}`"),
        }
    }
}

impl std::error::Error for ResultsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { cause, .. } => Some(cause),
            Self::Content { fault: TableFault::Parquet(cause), .. } => Some(cause),
            _ => None,
        }
    }
}
