//! Every number that an example is compared with leads somewhere: a derivation in the model, or a section of docs/explanation/references.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of every file of this ending below a folder, with its path from the root.
fn files(folder: &Path, ending: &str, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|e| e == ending) {
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The `source` of every expectation: file, line, text.
fn sources() -> Vec<(String, usize, String)> {
    let mut models = vec![];
    files(&root().join("examples"), "toml", &mut models);
    files(&root().join("tests/models"), "toml", &mut models);
    let mut found = vec![];
    for (name, text) in models {
        let mut expects = false;
        for (k, line) in text.lines().enumerate() {
            if line.starts_with('[') {
                expects = line.starts_with("[[expect]]");
            }
            let value = line.strip_prefix("source").map(|rest| rest.trim_start_matches([' ', '=']));
            if let Some(value) = value.filter(|_| expects) {
                found.push((name.clone(), k + 1, value.trim_matches('"').to_string()));
            }
        }
    }
    found
}

#[test]
fn every_source_that_cites_a_reference_names_a_section_that_exists() {
    let mut cited = 0;
    for (file, line, source) in sources() {
        let Some((_, rest)) = source.split_once("references/") else { continue };
        let (page, section) = rest.split_once(", ").unwrap_or_else(|| panic!("{file}:{line}: no section"));
        let path = root().join("docs/explanation/references").join(page);
        let text = fs::read_to_string(&path).unwrap_or_else(|_| panic!("{file}:{line}: no page {page}"));
        let headings = text.lines().filter_map(|l| l.strip_prefix("## "));
        let found = headings.into_iter().any(|heading| {
            let key = heading.split(' ').next().unwrap_or("");
            section.starts_with(heading)
                || (key.contains(|c: char| c.is_ascii_digit()) && begins(section, key))
        });
        assert!(found, "{file}:{line}: docs/explanation/references/{page} has no section for `{section}`");
        cited += 1;
    }
    assert!(cited > 100, "{cited} sources cite a reference");
}

/// "C.10: poles" begins with "C.10", not with "C.1".
fn begins(section: &str, key: &str) -> bool {
    section.strip_prefix(key).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

#[test]
fn no_source_speaks_of_something_that_is_not_here() {
    for (file, line, source) in sources() {
        let elsewhere =
            ["reference case", "independent", "benchmark", "Test Set", "CVODES", "FEDEM", "published"];
        let word = elsewhere.iter().find(|word| source.contains(**word));
        assert!(
            word.is_none() || source.contains("references/"),
            "{file}:{line}: `{source}` speaks of a {}: cite a section of docs/explanation/references",
            word.unwrap_or(&"")
        );
    }
}

#[test]
fn pages_of_references_name_scripts_that_exist() {
    let mut pages = vec![];
    files(&root().join("docs/explanation/references"), "md", &mut pages);
    assert!(pages.len() > 4);
    for (name, text) in pages {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = root().join("docs/explanation/references").join(link);
            assert!(path.exists(), "{name} links to `{link}`, which does not exist");
        }
    }
}
