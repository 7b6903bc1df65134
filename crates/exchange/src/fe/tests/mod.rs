//! Meshes written here, as every format has them, and read back; right and wrong ones.

mod bad;
mod bulk;
mod formats;
mod random;
mod writers;

use std::path::Path;
use std::sync::Arc;

use trunnion_model::mechanism::{FeMesh, MeshPlace};
use trunnion_model::{Diagnostic, Source};

use super::{gmsh, nastran};

/// Mesh of a text of Gmsh.
fn gmsh_of(text: &str) -> Result<FeMesh, Vec<Diagnostic>> {
    gmsh::parse(&Source::new("part.msh", text.into())).map_err(|error| vec![*error])
}

/// Mesh of bulk data without other files.
fn bulk_of(text: &str) -> Result<FeMesh, Vec<Diagnostic>> {
    bulk_with(text, &[])
}

/// The same with files to be included.
fn bulk_with(text: &str, files: &[(&str, &str)]) -> Result<FeMesh, Vec<Diagnostic>> {
    let load = |path: &Path| -> Result<Arc<Source>, Box<Diagnostic>> {
        let found = files.iter().find(|(name, _)| Path::new(name) == path);
        let missing = || Box::new(Diagnostic::error("M0541", "there is no such file").hint("none"));
        found.map(|(name, text)| Source::new(name, (*text).into())).ok_or_else(missing)
    };
    let text = nastran::without_tabs(text);
    nastran::parse(&Source::new("part.bdf", text), &load)
}

fn good(mesh: Result<FeMesh, Vec<Diagnostic>>) -> FeMesh {
    mesh.unwrap_or_else(|errors| panic!("{}", errors.iter().map(|e| e.to_string()).collect::<String>()))
}

/// Without the names of files and lines, in which formats differ.
fn placeless(mut mesh: FeMesh) -> FeMesh {
    mesh.files.clear();
    mesh.elements.iter_mut().for_each(|e| e.place = MeshPlace::default());
    mesh
}
