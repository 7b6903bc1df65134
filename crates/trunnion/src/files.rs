//! Where model files come from: the disk, and what is built in.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use trunnion_model::{Files, Library};

use crate::failure::Failure;
use crate::mesh::{self, Triangle};

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Files on disk, by path from the working folder. A model is a text; larger ones are refused before reading.
pub struct Disk;

const LARGEST: u64 = 64 << 20;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<String, String> {
        let about = fs::metadata(path).map_err(|e| reason(&e))?;
        if about.is_dir() {
            return Err("it is a folder".into());
        }
        if about.len() > LARGEST {
            return Err(format!(
                "it has {} MB; a model is a text of at most {} MB",
                about.len() >> 20,
                LARGEST >> 20
            ));
        }
        let bytes = fs::read(path).map_err(|e| reason(&e))?;
        String::from_utf8(bytes)
            .map_err(|e| format!("byte {} is not UTF-8 text", e.utf8_error().valid_up_to()))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        let mut all = Vec::new();
        let folder = if folder.is_empty() { "." } else { folder };
        walk(Path::new(folder), &mut all, 0).map_err(|e| reason(&e))?;
        Ok(all)
    }

    fn triangles(&self, path: &str) -> Result<Vec<Triangle>, String> {
        mesh::read(Path::new(path)).map_err(|fault| fault.to_string())
    }
}

pub fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "it may not be read".into(),
        _ => error.to_string(),
    }
}

fn walk(folder: &Path, all: &mut Vec<String>, depth: usize) -> std::io::Result<()> {
    // Deeper than any library; a loop of links ends here.
    if depth > 16 {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, all, depth + 1)?;
        } else {
            all.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(())
}

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

/// Writes a file whole or not at all: a full disk leaves the one before in place.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_or_keep(path, bytes).map_err(|cause| Failure::File {
        path: path.display().to_string(),
        action: "write",
        reason: match cause.kind() {
            std::io::ErrorKind::NotFound => "the folder is missing: create it first".into(),
            std::io::ErrorKind::PermissionDenied => "it may not be written".into(),
            _ => cause.to_string(),
        },
    })
}

/// The same with the system's own error. A device, or a link, is written to as it is.
pub fn write_or_keep(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|about| !about.is_file()) {
        return fs::write(path, bytes);
    }
    let mut temporary = OsString::from(path);
    temporary.push(".tmp");
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    written.inspect_err(|_| drop(fs::remove_file(&temporary)))
}

/// What is built into the program, under `library/` and `examples/`.
pub struct Embedded;

impl Files for Embedded {
    fn read(&self, path: &str) -> Result<String, String> {
        let found = FILES.iter().find(|(name, _)| *name == path);
        found.map(|(_, text)| text.to_string()).ok_or_else(|| "it is not built in".into())
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        let folder = format!("{}/", folder.trim_end_matches('/'));
        Ok(FILES.iter().map(|(name, _)| *name).filter(|n| n.starts_with(&folder)).map(String::from).collect())
    }
}

/// The built-in component library, read once.
pub fn library() -> &'static Library {
    static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
        Library::load(&Embedded, "library").unwrap_or_else(|errors| {
            unreachable!("the built-in library is tested with the program: {}", errors[0])
        })
    });
    &LIBRARY
}
