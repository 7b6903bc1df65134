//! What a model may read: files below its own folder, below the project it belongs to, and what the user names.
//!
//! A model from somebody else must not pick up files of the user's. A path is followed to the file it leads to, links included, and that
//! file has to lie below
//! - the folder of the model or component that the user names,
//! - the nearest folder above it with a file `.trunnion`, which the user puts into the folder of a project,
//! - or a folder that the user allows.

use std::path::{Path, PathBuf};

use trunnion_model::mechanism::FeMesh;
use trunnion_model::{Diagnostic, Files};

use super::{Disk, list, read_text};
use trunnion_exchange::fe;
use trunnion_exchange::mesh::{self, Triangle};

/// The file that marks the folder of a project.
pub const MARK: &str = ".trunnion";

/// The disk as a model sees it.
#[derive(Clone, Debug)]
pub struct Confined {
    /// Folders, as they really are.
    roots: Vec<PathBuf>,
    /// Files that the user named.
    named: Vec<PathBuf>,
    /// For messages.
    folder: String,
}

impl Confined {
    /// For models, components, or folders of them, that the user names; they may read below `allowed` folders too.
    pub fn to(paths: &[String], allowed: &[PathBuf]) -> Self {
        let mut roots = allowed.to_vec();
        let mut named = vec![];
        for path in paths.iter().map(Path::new) {
            let folder = if path.is_dir() { path } else { folder_of(path) };
            let Ok(folder) = folder.canonicalize() else { continue };
            let project = folder.ancestors().find(|above| above.join(MARK).is_file());
            roots.push(project.unwrap_or(&folder).to_owned());
            named.extend(path.canonicalize());
        }
        let first = paths.first().map_or(Path::new("."), Path::new);
        let folder = if first.is_dir() { first } else { folder_of(first) }.display().to_string();
        Confined { roots, named, folder }
    }

    /// The same with a file of defaults, if it is among the values from outside.
    pub(crate) fn with_defaults(mut self, values: &[(String, String)]) -> Self {
        for (_, file) in values.iter().filter(|(key, _)| key == "model.defaults") {
            self.named.extend(Path::new(file.trim_matches(['"', '\''])).canonicalize());
        }
        self
    }

    fn holds(&self, real: &Path) -> bool {
        self.named.iter().any(|n| n == real) || self.roots.iter().any(|root| real.starts_with(root))
    }

    fn check(&self, path: &Path) -> Result<(), String> {
        match path.canonicalize() {
            Ok(real) if !self.holds(&real) => {
                Err(format!("it lies outside of `{}`, the folder of the model", self.folder))
            }
            // What is not there, or cannot be reached, is told by whoever reads it.
            _ => Ok(()),
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Files for Confined {
    fn read(&self, path: &str) -> Result<String, String> {
        self.check(Path::new(path))?;
        read_text(path)
    }

    fn exists(&self, path: &str) -> bool {
        Path::new(path).symlink_metadata().is_ok()
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        self.check(Path::new(folder))?;
        list(folder, &|real| self.holds(real))
    }

    fn triangles(&self, path: &str) -> Result<Vec<Triangle>, String> {
        let check = |path: &Path| self.check(path);
        mesh::read_where(Path::new(path), &check).map_err(|fault| fault.to_string())
    }

    fn finite_elements(&self, path: &str) -> Result<FeMesh, Vec<Diagnostic>> {
        fe::read_where(Path::new(path), &|path| self.check(path))
    }

    fn hint(&self, path: &str) -> Option<String> {
        let outside = self.check(Path::new(path)).is_err();
        let folder = folder_of(Path::new(path)).display().to_string();
        outside.then(|| {
            format!(
                "if you trust the model, allow it to read {folder}, or put a file `{MARK}` into the folder of your project"
            )
        })
    }
}

/// Models and components of a project may be read by whoever names them.
impl Files for Disk {
    fn read(&self, path: &str) -> Result<String, String> {
        read_text(path)
    }

    fn exists(&self, path: &str) -> bool {
        Path::new(path).symlink_metadata().is_ok()
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        list(folder, &|_| true)
    }
}
