//! Where model files come from: the disk, and what is built in.

mod trust;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use trunnion_exchange::fe;
use trunnion_model::mechanism::FeMesh;
use trunnion_model::{Diagnostic, Files, Library};

use trunnion_files::input::{self, ReadFailure};
pub use trust::{Confined, MARK};

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Files on disk that the user names, by path from the working folder. What a model names goes through [`Confined`].
pub struct Disk;

/// A model is a text; larger ones are none.
const LARGEST: u64 = 64 << 20;

fn read_text(path: &str) -> Result<String, String> {
    let bytes = input::bytes(Path::new(path), LARGEST).map_err(|unread| match unread {
        ReadFailure::TooLarge { largest } => {
            format!("it has more than {} MB, and a model is a text of less", largest >> 20)
        }
        other => other.to_string(),
    })?;
    String::from_utf8(bytes).map_err(|e| format!("byte {} is not UTF-8 text", e.utf8_error().valid_up_to()))
}

/// Deeper and larger than any library.
const DEEPEST: usize = 16;
const MOST_FILES: usize = 100_000;

/// Every file below a folder, each once, however links lead there; `inside` says which folders may be entered.
fn list(folder: &str, inside: &dyn Fn(&Path) -> bool) -> Result<Vec<String>, String> {
    let start = PathBuf::from(if folder.is_empty() { "." } else { folder });
    let (mut all, mut seen, mut open) = (vec![], HashSet::new(), vec![(start, 0)]);
    while let Some((folder, depth)) = open.pop() {
        let real = folder.canonicalize().map_err(|e| ReadFailure::from(e).to_string())?;
        if depth > DEEPEST || !inside(&real) || !seen.insert(real) {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(|e| ReadFailure::from(e).to_string())? {
            let path = entry.map_err(|e| e.to_string())?.path();
            match path.is_dir() {
                true => open.push((path, depth + 1)),
                false => all.push(path.to_string_lossy().replace('\\', "/")),
            }
            if all.len() + open.len() > MOST_FILES {
                return Err(format!("there are more than {MOST_FILES} files below it"));
            }
        }
    }
    Ok(all)
}

/// What is built into the program, under `library/` and `examples/`.
pub struct Embedded;

impl Files for Embedded {
    fn read(&self, path: &str) -> Result<String, String> {
        let found = FILES.iter().find(|(name, _)| *name == path);
        found.map(|(_, text)| text.to_string()).ok_or_else(|| "it is not built in".into())
    }

    fn exists(&self, path: &str) -> bool {
        FILES.iter().any(|(name, _)| *name == path)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        let folder = format!("{}/", folder.trim_end_matches('/'));
        Ok(FILES.iter().map(|(name, _)| *name).filter(|n| n.starts_with(&folder)).map(String::from).collect())
    }

    fn finite_elements(&self, path: &str) -> Result<FeMesh, Vec<Diagnostic>> {
        fe::read_texts(Path::new(path), &|path| self.read(&path.to_string_lossy()))
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
