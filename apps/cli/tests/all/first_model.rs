//! The page about the first model is true: its model is what it says, and every command on it works.

use crate::program::Folder;
use std::path::Path;

/// Texts between lines that open and close a block of one language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let open = format!("```{language}\n");
    page.split(&open).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn every_command_of_the_page_works() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/tutorial/first-model.md")).unwrap();
    let folder = Folder::new();
    let toml = blocks(&page, "toml");
    folder.write("strut.toml", toml[0]);
    let mut made = 0;
    for line in blocks(&page, "sh").into_iter().flat_map(str::lines) {
        let words = split(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(words[0], "trunnion", "{line}");
        folder.good(&words[1..]);
        if let Some(at) = words.iter().position(|w| ["-o", "--plot"].contains(w)) {
            assert!(folder.path(words[at + 1]).exists(), "{line}");
            made += 1;
        }
    }
    assert!(made >= 4);
    // With what the page adds at the end it verifies itself.
    folder.write("strut.toml", format!("{}\n{}", toml[0], toml[toml.len() - 1]));
    folder.good(&["verify", "strut.toml"]);
}

/// The model on the front page raises no doubts.
#[test]
fn the_model_of_the_readme_runs_without_a_word() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("README.md")).unwrap();
    let folder = Folder::new();
    folder.write("strut.toml", blocks(&page, "toml")[0]);
    for command in [&["check", "strut.toml"][..], &["run", "strut.toml", "-q"]] {
        let said = folder.run(command);
        assert!(said.code == 0 && said.err.is_empty(), "{said:?}");
    }
}

/// Words of a command line; quotes hold one together.
fn split(line: &str) -> Vec<String> {
    let mut words = vec![];
    for (k, part) in line.split('"').enumerate() {
        match k % 2 {
            0 => words.extend(part.split_whitespace().map(String::from)),
            _ => words.push(part.to_string()),
        }
    }
    words
}
