//! What single crates must not know of the library.

use std::fs;
use std::path::Path;

/// A network knows elements and domains, not the components of a library nor their pages.
#[test]
fn networks_know_no_components() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../library");
    let mut names = vec![];
    let is_raw = |folder: &str| ["bond_graph", "signal"].contains(&folder);
    for folder in fs::read_dir(library).unwrap().map(|e| e.unwrap()).filter(|e| e.path().is_dir()) {
        if is_raw(&folder.file_name().to_string_lossy()) {
            continue;
        }
        let files = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path());
        names.extend(files.filter_map(|p| Some(p.file_stem()?.to_str()?.to_string())));
    }
    assert!(names.iter().any(|n| n == "pump"));
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/network/src");
    let mut open = vec![sources];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|e| e.unwrap().path()));
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        // Networks for tests.
        if path.ends_with("tests.rs") || path.ends_with("build.rs") {
            continue;
        }
        for name in &names {
            assert!(!text.contains(&format!("\"{name}\"")), "{} knows `{name}`", path.display());
        }
    }
}
