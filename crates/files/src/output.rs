//! The one place where files are written.
//!
//! - A file appears under its name in one rename, whole or not at all ([`write_or_keep`]), or grows as `<name>.partial` until it is whole
//!   ([`GrowingFile`]): a full disk or a killed process leaves what was there before.
//! - What the command has read, models, components, and the rows of a killed run are not replaced.
//! - Links are not followed. Devices and the streams of the process are written to as they are.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::{FileError, input, looks_like_a_component, looks_like_a_model};

/// Why something that is there is not replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverwriteRefusal {
    Input,
    Link,
    Model,
    Folder,
    Protected,
    /// Another output of the command is going there.
    Twice,
    /// Of a `.partial`: another process writes it.
    Busy,
    /// Of a `.partial`: a killed run left it.
    Leftover,
}

impl OverwriteRefusal {
    pub fn reason(self) -> &'static str {
        match self {
            OverwriteRefusal::Input => "this command reads it",
            OverwriteRefusal::Link => "it is a link or no regular file, and links are not followed",
            OverwriteRefusal::Model => "it is a model or component",
            OverwriteRefusal::Folder => "it is a folder",
            OverwriteRefusal::Protected => "it is read-only",
            OverwriteRefusal::Twice => "another output of this command goes there",
            OverwriteRefusal::Busy => "another run is writing it",
            OverwriteRefusal::Leftover => "it has what a killed run computed",
        }
    }

    pub fn hint(self) -> &'static str {
        match self {
            OverwriteRefusal::Link => "give the file itself, or another name",
            OverwriteRefusal::Folder => "name a file in it",
            OverwriteRefusal::Busy => "wait for it, or give another name",
            OverwriteRefusal::Leftover => "rename or remove it",
            OverwriteRefusal::Input
            | OverwriteRefusal::Model
            | OverwriteRefusal::Protected
            | OverwriteRefusal::Twice => "give another name",
        }
    }
}

impl fmt::Display for OverwriteRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, so that it is not replaced; {}", self.reason(), self.hint())
    }
}

impl std::error::Error for OverwriteRefusal {}

impl From<OverwriteRefusal> for io::Error {
    fn from(refusal: OverwriteRefusal) -> Self {
        io::Error::other(refusal)
    }
}

/// The refusal behind an error of this module, if it is one.
pub fn refusal(error: &io::Error) -> Option<OverwriteRefusal> {
    error.get_ref()?.downcast_ref::<OverwriteRefusal>().copied()
}

/// What stands at the place of an output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OutputPlace {
    /// Nothing, or a file that may be replaced.
    File,
    /// A device or a stream, which is written to and stays.
    Stream,
}

/// Whether an output may be written there. `makes_models`: the output is a model itself.
fn place(path: &Path, makes_models: bool) -> io::Result<OutputPlace> {
    let Ok(about) = fs::symlink_metadata(path) else { return Ok(OutputPlace::File) };
    if about.is_symlink() {
        let leads_to_device = fs::metadata(path).is_ok_and(|real| !real.is_file() && !real.is_dir());
        return if leads_to_device || is_own_stream(path) {
            Ok(OutputPlace::Stream)
        } else {
            Err(OverwriteRefusal::Link.into())
        };
    }
    match () {
        () if about.is_dir() => Err(OverwriteRefusal::Folder.into()),
        () if !about.is_file() => Ok(OutputPlace::Stream),
        () if input::was_read(path) => Err(OverwriteRefusal::Input.into()),
        () if about.permissions().readonly() => Err(OverwriteRefusal::Protected.into()),
        () if !makes_models && is_model(path) => Err(OverwriteRefusal::Model.into()),
        () => Ok(OutputPlace::File),
    }
}

/// Links that the system keeps to what this process was given to write to.
fn is_own_stream(path: &Path) -> bool {
    path == Path::new("/dev/stdout") || path == Path::new("/dev/stderr") || path.starts_with("/dev/fd")
}

/// No model is larger; the sections that show what it is stand somewhere in it.
const LARGEST_MODEL: u64 = 16 << 20;

fn is_model(path: &Path) -> bool {
    let mut text = String::new();
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"))
        && File::open(path).and_then(|file| file.take(LARGEST_MODEL).read_to_string(&mut text)).is_ok()
        && (looks_like_a_model(&text) || looks_like_a_component(&text))
}

/// Err if [`write_or_keep`] and [`GrowingFile`] would refuse what is there now.
pub fn check(path: &Path) -> io::Result<()> {
    place(path, false).map(|_| ())
}

/// The same for all outputs of a command, before it begins; no two of them may go to one place.
pub fn check_all<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), FileError> {
    let mut seen: Vec<PathBuf> = vec![];
    for path in paths {
        check(path).map_err(|cause| FileError::write(path, cause))?;
        let real = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let real = match (real.parent().map(Path::canonicalize), real.file_name()) {
            (Some(Ok(folder)), Some(name)) => folder.join(name),
            _ => real,
        };
        if seen.contains(&real) {
            return Err(FileError::write(path, OverwriteRefusal::Twice.into()));
        }
        seen.push(real);
    }
    Ok(())
}

/// Writes a file whole or not at all. A device is written to as it is.
pub fn write_or_keep(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, false)
}

/// The same, with an error that names the file.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write(path, bytes, false).map_err(|cause| FileError::write(path, cause))
}

/// The same for a file that is a model, and may take the place of another.
pub fn write_model(path: &Path, text: &str) -> Result<(), FileError> {
    write(path, text.as_bytes(), true).map_err(|cause| FileError::write(path, cause))
}

fn write(path: &Path, bytes: &[u8], makes_models: bool) -> io::Result<()> {
    match place(path, makes_models)? {
        OutputPlace::Stream => fs::write(path, bytes),
        OutputPlace::File => {
            fill_and_rename(path, |mut file| file.write_all(bytes).map(|()| file), |cause| cause)
        }
    }
}

/// A new text in place of one that was read and is to be changed, at the user's demand. A link is not followed.
pub fn rewrite(path: &Path, text: &str) -> Result<(), FileError> {
    let done = match fs::symlink_metadata(path) {
        Ok(about) if about.is_symlink() => Err(OverwriteRefusal::Link.into()),
        _ => fill_and_rename(path, |mut file| file.write_all(text.as_bytes()).map(|()| file), |cause| cause),
    };
    done.map_err(|cause| FileError::write(path, cause))
}

/// Fills a temporary file and lets it take the name of `path`; on an error nothing of it stays.
pub fn publish<E>(
    path: &Path,
    fill: impl FnOnce(File) -> Result<File, E>,
    system: impl Fn(io::Error) -> E,
) -> Result<(), E> {
    place(path, false).map_err(&system)?;
    fill_and_rename(path, fill, system)
}

fn fill_and_rename<E>(
    path: &Path,
    fill: impl FnOnce(File) -> Result<File, E>,
    system: impl Fn(io::Error) -> E,
) -> Result<(), E> {
    let (temporary, file) = temporary(path).map_err(&system)?;
    let filled = fill(file).and_then(|file| {
        file.sync_all().map_err(&system)?;
        fs::rename(&temporary, path).map_err(&system)
    });
    filled.inspect_err(|_| drop(fs::remove_file(&temporary)))
}

/// A new file beside `path`; one that is there, or a link, is never taken.
fn temporary(path: &Path) -> io::Result<(PathBuf, File)> {
    for attempt in 0..100 {
        let name = with_suffix(path, &format!(".{}-{attempt}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&name) {
            Ok(file) => return Ok((name, file)),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {}
            Err(cause) => return Err(cause),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// `<path>.partial`.
pub fn partial_path(path: &Path) -> PathBuf {
    with_suffix(path, ".partial")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// A file that grows as `<destination>.partial` and takes its name when it is whole.
#[derive(Debug)]
pub struct GrowingFile {
    pub file: File,
    destination: PathBuf,
    partial: PathBuf,
}

impl GrowingFile {
    /// `worthless`: whether what a killed process left there may go.
    pub fn open(destination: &Path, worthless: impl FnOnce(&Path) -> bool) -> io::Result<GrowingFile> {
        if place(destination, false)? == OutputPlace::Stream {
            // What cannot be read back and renamed cannot grow.
            return Err(OverwriteRefusal::Link.into());
        }
        let partial = partial_path(destination);
        let create = || OpenOptions::new().write(true).create_new(true).open(&partial);
        let file = match create() {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                remove_leftover(&partial, worthless)?;
                create()?
            }
            other => other?,
        };
        // Where the file system knows no locks, go on without.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(OverwriteRefusal::Busy.into());
        }
        Ok(GrowingFile { file, destination: destination.to_owned(), partial })
    }

    pub fn partial(&self) -> &Path {
        &self.partial
    }

    /// What was written is the whole file.
    pub fn publish(&self) -> io::Result<()> {
        self.file.sync_all()?;
        place(&self.destination, false)?;
        fs::rename(&self.partial, &self.destination)
    }

    /// Nothing in it is worth keeping.
    pub fn discard(&self) {
        let _ = fs::remove_file(&self.partial);
    }
}

/// Removes a `.partial` that is neither in use nor worth anything.
fn remove_leftover(partial: &Path, worthless: impl FnOnce(&Path) -> bool) -> io::Result<()> {
    let about = fs::symlink_metadata(partial)?;
    if !about.is_file() {
        return Err(OverwriteRefusal::Link.into());
    }
    let file = File::open(partial)?;
    if let Err(TryLockError::WouldBlock) = file.try_lock_shared() {
        return Err(OverwriteRefusal::Busy.into());
    }
    match about.len() == 0 || worthless(partial) {
        true => fs::remove_file(partial),
        false => Err(OverwriteRefusal::Leftover.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("trunnion-output-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    fn refused(result: io::Result<()>) -> Option<OverwriteRefusal> {
        refusal(&result.unwrap_err())
    }

    #[test]
    fn what_was_read_and_models_stay() {
        input::protect_inputs();
        let folder = folder("kept");
        let file = |name: &str| folder.join(name);
        fs::write(file("a.txt"), "a").unwrap();
        write_or_keep(&file("a.txt"), b"b").unwrap();
        assert_eq!(input::bytes(&file("a.txt"), 9).unwrap(), b"b");
        // By any way that leads there.
        for name in ["a.txt", "./a.txt", "../x/../a.txt"] {
            let name = if name.contains('x') {
                folder.join("..").join(folder.file_name().unwrap()).join("a.txt")
            } else {
                file(name)
            };
            assert_eq!(refused(write_or_keep(&name, b"c")), Some(OverwriteRefusal::Input));
        }
        fs::write(file("m.toml"), "[model]\n").unwrap();
        assert_eq!(refused(write_or_keep(&file("m.toml"), b"c")), Some(OverwriteRefusal::Model));
        write(&file("m.toml"), b"[model]\nname = 'new'\n", true).unwrap();
        assert_eq!(refused(check(&folder)), Some(OverwriteRefusal::Folder));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        use std::os::unix::fs::symlink;
        let folder = folder("links");
        let file = |name: &str| folder.join(name);
        fs::write(file("precious"), "a").unwrap();
        for name in ["out", "out.partial", "dangling"] {
            symlink(if name == "dangling" { "nothing" } else { "precious" }, file(name)).unwrap();
        }
        for name in ["out", "dangling"] {
            assert_eq!(refused(write_or_keep(&file(name), b"b")), Some(OverwriteRefusal::Link));
            assert_eq!(
                refused(GrowingFile::open(&file(name), |_| true).map(|_| ())),
                Some(OverwriteRefusal::Link)
            );
        }
        fs::remove_file(file("out")).unwrap();
        assert_eq!(
            refused(GrowingFile::open(&file("out"), |_| true).map(|_| ())),
            Some(OverwriteRefusal::Link)
        );
        assert_eq!(fs::read(file("precious")).unwrap(), b"a");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_a_killed_process_left_stays_unless_it_is_worthless() {
        let folder = folder("leftover");
        let path = folder.join("out");
        let growing = GrowingFile::open(&path, |_| true).unwrap();
        assert_eq!(refused(GrowingFile::open(&path, |_| true).map(|_| ())), Some(OverwriteRefusal::Busy));
        fs::write(growing.partial(), "rows").unwrap();
        drop(growing);
        assert_eq!(
            refused(GrowingFile::open(&path, |_| false).map(|_| ())),
            Some(OverwriteRefusal::Leftover)
        );
        assert_eq!(fs::read(folder.join("out.partial")).unwrap(), b"rows");
        let growing = GrowingFile::open(&path, |_| true).unwrap();
        fs::write(growing.partial(), "all").unwrap();
        growing.publish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"all");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
