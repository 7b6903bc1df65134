//! The documents are true: layers, crate list, paths and links.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Lowest layer first; a crate may use only crates before it.
const LAYERS: [&str; 10] =
    ["num", "files", "equations", "model", "results", "exchange", "sim", "network", "multibody", "trunnion"];

fn crates() -> Vec<String> {
    let folders = fs::read_dir(root().join("crates")).unwrap();
    let mut names: Vec<String> =
        folders.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn every_crate_uses_only_layers_below_it() {
    let mut expected: Vec<String> = LAYERS.iter().map(|s| s.to_string()).collect();
    expected.sort();
    assert_eq!(crates(), expected, "a new crate needs its place in LAYERS and ARCHITECTURE.md");
    for (level, name) in LAYERS.iter().enumerate() {
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        // Tests may look further up.
        let manifest = manifest.split("[dev-dependencies]").next().unwrap_or_default();
        for (above, other) in LAYERS.iter().enumerate() {
            let uses = manifest.lines().any(|l| l.starts_with(&format!("trunnion-{other}")));
            assert!(!uses || above < level, "`{name}` must not use `{other}`");
        }
    }
}

#[test]
fn architecture_names_every_crate_and_only_paths_that_exist() {
    let text = read("ARCHITECTURE.md");
    for name in crates() {
        assert!(text.contains(&format!("`crates/{name}`")), "ARCHITECTURE.md does not name crates/{name}");
    }
    for path in text.split('`').skip(1).step_by(2).filter(|p| p.contains('/') && !p.contains(' ')) {
        assert!(root().join(path).exists(), "ARCHITECTURE.md names `{path}`, which does not exist");
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut pages: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .iter()
        .map(|p| root().join(p))
        .collect();
    pages.extend(fs::read_dir(root().join("docs")).unwrap().map(|e| e.unwrap().path()));
    for page in pages.iter().filter(|p| p.extension().is_some_and(|e| e == "md")) {
        let text = fs::read_to_string(page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or("");
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let path = page.parent().unwrap().join(target);
            assert!(path.exists(), "{} links to `{link}`, which does not exist", page.display());
        }
    }
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let contents = read("docs/README.md");
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(
            !name.ends_with(".md") || name == "README.md" || contents.contains(&format!("({name})")),
            "docs/README.md does not list {name}"
        );
    }
}

#[test]
fn the_readme_shows_both_commands() {
    let first: String = read("README.md").lines().take(20).collect::<Vec<_>>().join("\n");
    assert!(first.contains("make run") && first.contains("make test"));
}
