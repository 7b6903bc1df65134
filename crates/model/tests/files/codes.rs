//! Every code that can be shown has an entry in the documents, and every entry a code.

use std::collections::BTreeSet;
use std::path::Path;

use crate::root;

/// Codes of one letter and some digits, in quotes, in every source file below a folder.
fn emitted(folder: &Path, letter: char, digits: usize, codes: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            emitted(&path, letter, digits, codes);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for piece in text.split('"') {
            let rest = piece.strip_prefix(letter).filter(|r| r.len() == digits);
            if rest.is_some_and(|r| r.chars().all(|c| c.is_ascii_digit())) {
                codes.insert(piece.to_string());
            }
        }
    }
}

#[test]
fn every_code_has_an_entry() {
    let page = std::fs::read_to_string(root().join("docs/reference/errors.md")).unwrap();
    let entries: BTreeSet<String> =
        page.lines().filter_map(|l| l.strip_prefix("### ")).map(String::from).collect();
    let mut codes = BTreeSet::new();
    for member in ["crates", "apps"].map(|f| root().join(f)).iter().flat_map(std::fs::read_dir) {
        for folder in member.flatten().map(|m| m.path().join("src")) {
            ['M', 'S', 'N', 'C', 'B', 'I'].iter().for_each(|&letter| emitted(&folder, letter, 4, &mut codes));
        }
    }
    assert!(codes.len() > 30);
    assert_eq!(codes, entries);
}

#[test]
fn every_code_of_the_language_has_a_line() {
    let page = std::fs::read_to_string(root().join("docs/reference/expressions.md")).unwrap();
    let mut codes = BTreeSet::new();
    emitted(&root().join("crates/model/src/language"), 'L', 2, &mut codes);
    assert!(!codes.is_empty());
    for code in codes {
        assert!(page.contains(&format!("| {code} |")), "{code}");
    }
}
