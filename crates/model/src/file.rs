//! Reading files: texts with places in them, TOML with a span on every key and value, and tables taken
//! apart key by key.

mod fields;
mod offsets;
mod slips;
mod source;
mod tree;

pub(crate) use fields::wrong_type;
pub use fields::{Fields, texts};
pub use source::{ContentHash, Source, Sources, Span};
pub use tree::{Data, TomlEntry, TomlKey, TomlTable, TomlText, TomlValue, parse};

use crate::diagnostic::Diagnostic;
use crate::mechanism::FeMesh;

/// Where texts come from. Paths use `/`.
pub trait Files {
    fn read(&self, path: &str) -> Result<String, String>;
    /// Whether there is such a file, readable or not. Where files have no neighbours there is none.
    fn exists(&self, _path: &str) -> bool {
        false
    }
    /// Every file below a folder, however deep, each as a path that `read` takes.
    fn list(&self, folder: &str) -> Result<Vec<String>, String>;
    /// The triangles of a mesh, each three corners.
    fn triangles(&self, _path: &str) -> Result<Vec<[[f64; 3]; 3]>, String> {
        Err("meshes cannot be read here".into())
    }
    /// The finite elements of a mesh, or everything that is wrong with it.
    fn finite_elements(&self, _path: &str) -> Result<FeMesh, Vec<Diagnostic>> {
        Err(vec![
            Diagnostic::error("M0541", "meshes cannot be read here").hint("open the model from its file"),
        ])
    }
    /// What the user can do about a file that is there and may not be read.
    fn hint(&self, _path: &str) -> Option<String> {
        None
    }
}

/// `path` as seen from the file `from`, with `.` and `..` resolved where possible.
pub fn relative(from: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_string();
    }
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let root = if from.starts_with('/') { "/" } else { "" };
    let mut parts: Vec<&str> = vec![];
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn paths_are_relative_to_the_file_that_names_them() {
        assert_eq!(relative("a/b/m.toml", "c.toml"), "a/b/c.toml");
        assert_eq!(relative("a/b/m.toml", "../c.toml"), "a/c.toml");
        assert_eq!(relative("m.toml", "../lib/./x"), "../lib/x");
        assert_eq!(relative("m.toml", "../../x"), "../../x");
        assert_eq!(relative("/a/m.toml", "lib/"), "/a/lib");
        assert_eq!(relative("a/m.toml", "/lib"), "/lib");
    }
}
