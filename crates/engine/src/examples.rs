//! The built-in examples: what there is, what each is about, and the files it takes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use trunnion_model::{Files, load};
use trunnion_results::nearest;

use crate::files::{Embedded, FILES, MARK, library};
use crate::{Failure, OpenError};

/// Paths of all models: what has a [model] of its own.
pub fn example_models() -> Vec<&'static str> {
    let is_model = |text: &str| text.lines().any(|line| line.trim() == "[model]");
    let inside = FILES.iter().filter(|(path, _)| path.starts_with("examples/") && path.ends_with(".toml"));
    inside.filter(|(_, text)| is_model(text)).map(|(path, _)| *path).collect()
}

pub fn example_text(path: &str) -> &'static str {
    FILES.iter().find(|(name, _)| *name == path).map_or("", |(_, text)| *text)
}

/// The folder below examples/, and the name without folder and ending.
pub fn example_name(path: &str) -> (&str, &str) {
    let inner = path.strip_prefix("examples/").unwrap_or(path);
    let inner = inner.strip_suffix(".toml").unwrap_or(inner);
    inner.rsplit_once('/').unwrap_or(("", inner))
}

/// Longer first sentences are cut.
const WIDEST: usize = 100;

/// The first sentence of its doc.
pub fn example_about(path: &str) -> String {
    let doc = load(&Embedded, path, &[], library()).map(|m| m.doc).unwrap_or_default();
    let paragraph = doc.trim().split("\n\n").next().unwrap_or_default().split_whitespace();
    let mut text = String::new();
    for word in paragraph {
        if text.chars().count() + word.chars().count() >= WIDEST {
            text.push('…');
            break;
        }
        text.push_str(if text.is_empty() { "" } else { " " });
        text.push_str(word);
        if word.ends_with(['.', ':', ';']) {
            break;
        }
    }
    text.trim_end_matches([':', ';']).to_string()
}

/// The path of an example, by file name or path.
pub fn find_example(name: &str) -> Result<&'static str, Failure> {
    let all = example_models();
    let wanted = name.strip_suffix(".toml").unwrap_or(name);
    let wanted = wanted.strip_prefix("examples/").unwrap_or(wanted);
    // By name, or by as much of its folders as the user gives.
    let fits = |path: &&&str| format!("/{path}").ends_with(&format!("/{wanted}.toml"));
    let found: Vec<&&str> = all.iter().filter(fits).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let near = nearest(wanted, all.iter().map(|path| example_name(path).1));
            Err(OpenError::NoExample { name: name.into(), near: near.first().map(|n| n.to_string()) }.into())
        }
        several => {
            let full = |path: &&&str| format!("{}/{}", example_name(path).0, example_name(path).1);
            let all = several.iter().map(full).collect();
            Err(OpenError::SeveralExamples { name: name.into(), all }.into())
        }
    }
}

/// A file of an example, and where it is to be written below a folder.
pub struct ExampleFile {
    pub target: PathBuf,
    pub text: &'static str,
    /// It marks a project, and may be there already.
    pub mark: bool,
}

/// Examples with everything they are read from; folders below examples/ are kept where one refers to another, and marked as a project.
pub fn example_files(paths: &[&str]) -> Vec<ExampleFile> {
    let mut files: BTreeSet<String> = BTreeSet::new();
    for path in paths {
        files.insert(path.to_string());
        files.extend(used(path));
    }
    // The deepest folder that holds all of them becomes the target.
    let common = files.iter().map(|f| f.rsplit_once('/').map_or("", |(d, _)| d)).reduce(shared).unwrap_or("");
    let target = |file: &str| file.strip_prefix(common).unwrap_or(file).trim_start_matches('/').into();
    let mut list: Vec<ExampleFile> = files
        .iter()
        .map(|file| ExampleFile { target: target(file), text: example_text(file), mark: false })
        .collect();
    if list.iter().any(|file| file.target.components().count() > 1) {
        // One folder reads what is in another.
        list.insert(0, ExampleFile { target: MARK.into(), text: MARKED, mark: true });
    }
    list
}

/// What stands in the mark of a project.
const MARKED: &str = "# Models below this folder may read each other's files.\n";

/// Other files under examples/ that a model refers to: includes, scripts, meshes, and libraries of its own.
fn used(path: &str) -> Vec<String> {
    let Ok(model) = load(&Embedded, path, &[], library()) else { return vec![] };
    let read = model.sources.iter().map(|s| s.name.to_string());
    let mut files: Vec<String> =
        read.filter(|name| name.starts_with("examples/") && Embedded.read(name).is_ok()).collect();
    let scripts = model.flat.tasks.iter().map(|t| t.origin.file.to_string());
    let meshes = model.mechanism.described.iter().flat_map(|d| d.part.mesh.files.clone());
    files.extend(
        scripts.chain(meshes).filter(|name| name.starts_with("examples/") && Embedded.read(name).is_ok()),
    );
    files
}

/// The folders two paths have in common.
fn shared<'a>(a: &'a str, b: &'a str) -> &'a str {
    let mut end = 0;
    for (x, y) in a.split('/').zip(b.split('/')) {
        if x != y {
            break;
        }
        end += x.len() + 1;
    }
    &a[..end.saturating_sub(1).min(a.len())]
}
