//! Reading files: only regular ones, counted while they are read, and remembered, so that no output takes their place.

use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files that this process has read; None: nobody keeps count of them.
static READ: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// From now on no output takes the place of a file that was read. For a program whose process is one command: what others read in the
/// same process counts too, for as long as it lives.
pub fn protect_inputs() {
    READ.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default();
}

/// Why a file is not read.
#[derive(Debug)]
pub enum ReadFailure {
    System(io::Error),
    Folder,
    /// A device, pipe or socket: it may have no end.
    Special,
    TooLarge {
        largest: u64,
    },
}

impl From<io::Error> for ReadFailure {
    fn from(cause: io::Error) -> Self {
        ReadFailure::System(cause)
    }
}

impl From<ReadFailure> for io::Error {
    fn from(unread: ReadFailure) -> Self {
        match unread {
            ReadFailure::System(cause) => cause,
            other => io::Error::other(other.to_string()),
        }
    }
}

impl fmt::Display for ReadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadFailure::System(cause) => match cause.kind() {
                io::ErrorKind::NotFound => write!(f, "there is no such file"),
                io::ErrorKind::PermissionDenied => write!(f, "it may not be read"),
                _ => write!(f, "{cause}"),
            },
            ReadFailure::Folder => write!(f, "it is a folder"),
            ReadFailure::Special => write!(f, "it is no regular file, but a device, pipe or socket"),
            ReadFailure::TooLarge { largest } => write!(f, "it has more than {} MB", largest >> 20),
        }
    }
}

/// The file, opened and remembered. Asked before opening, because opening a pipe waits for its writer.
pub fn open(path: &Path) -> Result<File, ReadFailure> {
    let regular = |about: fs::Metadata| match () {
        () if about.is_dir() => Err(ReadFailure::Folder),
        () if !about.is_file() => Err(ReadFailure::Special),
        () => Ok(()),
    };
    regular(fs::metadata(path)?)?;
    let file = File::open(path)?;
    regular(file.metadata()?)?;
    remember(path);
    Ok(file)
}

/// All bytes of a file, of which there are at most so many, whatever size the system gives it.
pub fn bytes(path: &Path, largest: u64) -> Result<Vec<u8>, ReadFailure> {
    let mut bytes = vec![];
    open(path)?.take(largest.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest { Err(ReadFailure::TooLarge { largest }) } else { Ok(bytes) }
}

/// Keeps outputs away from a file that the command reads, or that belongs to what it reads, where inputs are protected.
pub fn remember(path: &Path) {
    if let Ok(real) = path.canonicalize() {
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        read.as_mut().map(|all| all.insert(real));
    }
}

/// Whether the command has read the file at this path.
pub(crate) fn was_read(path: &Path) -> bool {
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    read.as_ref().is_some_and(|all| path.canonicalize().is_ok_and(|real| all.contains(&real)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let path = std::env::temp_dir().join(format!("trunnion-input-{}", std::process::id()));
        fs::write(&path, "12345678").unwrap();
        protect_inputs();
        assert!(!was_read(&path));
        assert_eq!(bytes(&path, 8).unwrap(), b"12345678");
        assert!(was_read(&path));
        assert!(matches!(bytes(&path, 7), Err(ReadFailure::TooLarge { largest: 7 })));
        fs::remove_file(&path).unwrap();
        assert!(matches!(bytes(&path, 8), Err(ReadFailure::System(_))));
        assert!(matches!(bytes(&std::env::temp_dir(), 8), Err(ReadFailure::Folder)));
        #[cfg(unix)]
        assert!(matches!(bytes(Path::new("/dev/zero"), 8), Err(ReadFailure::Special)));
    }
}
