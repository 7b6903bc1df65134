//! What single crates must not know, beside the order of all of them.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Crates of ours that a crate uses, its tests aside.
fn used(name: &str) -> Vec<String> {
    let manifest = read(&format!("crates/{name}/Cargo.toml"));
    let manifest = manifest.split("[dev-dependencies]").next().unwrap_or_default();
    let ours = manifest.lines().filter_map(|l| l.strip_prefix("trunnion-"));
    ours.filter_map(|l| l.split(['.', ' ']).next()).map(String::from).collect()
}

#[test]
fn solvers_mechanisms_and_networks_keep_to_themselves() {
    assert_eq!(used("sim"), ["equations", "num"]);
    assert_eq!(used("multibody"), ["equations", "model"]);
    assert_eq!(used("network"), ["equations", "model"]);
}

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
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../network/src");
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
