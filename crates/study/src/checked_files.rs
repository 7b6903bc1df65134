//! Which of the files that a user names are models, and which are components.

use std::path::Path;

use trunnion_engine::Failure;
use trunnion_engine::files::Disk;
use trunnion_files::{looks_like_a_component, looks_like_a_model};
use trunnion_model::Files;
use trunnion_model::component::is_shared;

use crate::component_checks::siblings;
use crate::request_error::FilesRequestError;

/// The files to check.
#[derive(Clone, Debug, Default)]
pub struct CheckedFiles {
    pub models: Vec<String>,
    pub components: Vec<String>,
    /// Other files that components may use.
    pub beside: Vec<String>,
}

/// Files as they are named, and what is in folders.
pub fn find_checked(paths: &[String]) -> Result<CheckedFiles, Failure> {
    let mut found = CheckedFiles::default();
    let reads_so = |path: &str| Disk.read(path).is_ok_and(|text| looks_like_a_component(&text));
    let is_component = |path: &str| !is_shared(path) && reads_so(path);
    for path in paths {
        if !Path::new(path).is_dir() {
            if is_shared(path) {
                return Err(FilesRequestError::Shared { path: path.clone() }.into());
            }
            if is_component(path) {
                found.components.push(path.clone());
                found.beside.extend(siblings(path));
            } else {
                found.models.push(path.clone());
            }
            continue;
        }
        let refused = |reason: String| Failure::File(trunnion_files::FileError::read(path, reason));
        let mut inside = Disk.list(path).map_err(refused)?;
        inside.retain(|file| file.ends_with(".toml"));
        inside.sort();
        let (components, others): (Vec<_>, Vec<_>) = inside.into_iter().partition(|p| is_component(p));
        let is_model = |path: &String| Disk.read(path).is_ok_and(|text| looks_like_a_model(&text));
        let models: Vec<String> = others.into_iter().filter(is_model).collect();
        if components.is_empty() && models.is_empty() {
            return Err(FilesRequestError::NothingToCheck { folder: path.clone() }.into());
        }
        found.components.extend(components);
        found.models.extend(models);
    }
    Ok(found)
}
