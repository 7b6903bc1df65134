//! Model files as users write them: what they become, what is said when they are wrong, what garbage does.

mod broken;
mod codes;
mod common;
mod csv;
mod expectations;
mod families;
mod garbage;
mod included;
mod library;
mod linear_graphs;
mod mechanisms;
mod models;
mod poses;
mod symbols;
mod values;

use std::collections::BTreeMap;

use trunnion_model::{Diagnostic, Files, Library, Model, load};
use trunnion_network::{assign, emit};

/// Files in memory.
#[derive(Clone, Default)]
pub struct Memory(pub BTreeMap<String, String>);

impl Memory {
    pub fn new(files: &[(&str, &str)]) -> Self {
        Memory(files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect())
    }
}

impl Files for Memory {
    fn read(&self, path: &str) -> Result<String, String> {
        self.0.get(path).cloned().ok_or_else(|| "no such file".to_string())
    }

    fn exists(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        let found: Vec<String> = self.0.keys().filter(|p| p.starts_with(folder)).cloned().collect();
        if found.is_empty() { Err("no such folder".into()) } else { Ok(found) }
    }
}

/// Files below the root of the repository.
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(root().join(path)).map_err(|e| e.to_string())
    }

    fn exists(&self, path: &str) -> bool {
        root().join(path).exists()
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        let (mut open, mut found) = (vec![folder.trim_end_matches('/').to_string()], vec![]);
        while let Some(folder) = open.pop() {
            let entries = std::fs::read_dir(root().join(&folder)).map_err(|e| e.to_string())?;
            for entry in entries.flatten() {
                let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
                if entry.path().is_dir() { open.push(path) } else { found.push(path) }
            }
        }
        Ok(found)
    }
}

pub fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn built_in() -> Library {
    Library::load(&Disk, "library").unwrap_or_else(|errors| panic!("{}", shown(&errors)))
}

pub fn shown(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| d.to_string()).collect::<Vec<_>>().join("\n")
}

/// A model of one file with the built-in library.
pub fn read(text: &str) -> Result<Model, Vec<Diagnostic>> {
    load(&Memory::new(&[("model.toml", text)]), "model.toml", &[], &built_in()).map(whole)
}

/// With the equations of its bond graph.
pub fn whole(mut model: Model) -> Model {
    emit(&mut model.flat, &model.network, &assign(&model.network));
    model
}

pub fn good(text: &str) -> Model {
    read(text).unwrap_or_else(|errors| panic!("{}", shown(&errors)))
}
