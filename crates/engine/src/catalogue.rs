//! The built-in components by domain, and tables of them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use trunnion_model::ComponentDefinition;

use crate::files::library;

/// Components by their folder in the library.
pub type Catalogue = BTreeMap<String, Vec<Arc<ComponentDefinition>>>;

/// Components of a domain, or with a word in name, alias, title or description.
pub fn catalogue(word: &str) -> Catalogue {
    let word = word.to_lowercase();
    let mut folders = Catalogue::new();
    for definition in library().iter() {
        let d = definition;
        let all = [&d.name, &d.title, &d.doc].into_iter().chain(&d.aliases);
        let folder = d.source.name.rsplit('/').nth(1).unwrap_or_default().to_string();
        if folder == word || all.into_iter().any(|text| text.to_lowercase().contains(&word)) {
            folders.entry(folder).or_default().push(d.clone());
        }
    }
    folders
}

/// The catalogue as tables in Markdown, a heading for each domain.
pub fn catalogue_tables(folders: &Catalogue) -> String {
    let mut out = String::new();
    for (folder, list) in folders {
        let _ = writeln!(out, "\n## {folder}\n\n| Component | Alias | Is | |\n|---|---|---|---|");
        for d in list {
            let aliases: Vec<String> = d.aliases.iter().map(|a| format!("`{a}`")).collect();
            let cells =
                [format!("`{}`", d.name), aliases.join(", "), d.title.clone(), first_sentence(&d.doc)];
            let cells = cells.map(|cell| cell.replace('|', "\\|"));
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
    }
    out
}

/// The first sentence of a description, or its formula without its number.
fn first_sentence(doc: &str) -> String {
    let paragraph = doc.trim().split("\n\n").next().unwrap_or_default();
    let line = paragraph.lines().next().unwrap_or_default();
    if line.contains("  (") {
        return line.split("  (").next().unwrap_or_default().trim().trim_end_matches(',').to_string();
    }
    let text = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.find(". ") {
        Some(end) => text[..=end].to_string(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_sentences() {
        assert_eq!(first_sentence("A valve. It opens\nslowly.\n\nMore."), "A valve.");
        assert_eq!(first_sentence("One\nline"), "One line");
        assert_eq!(first_sentence("y = |S|,   S = Σ s u        (1)\n"), "y = |S|,   S = Σ s u");
    }

    /// A domain is listed whole, and a word finds components of several.
    #[test]
    fn a_domain_is_listed_whole() {
        let folder = |d: &Arc<ComponentDefinition>| d.source.name.rsplit('/').nth(1).unwrap().to_string();
        let all = library().iter().filter(|d| folder(d) == "hydraulic").count();
        assert_eq!(catalogue("hydraulic")["hydraulic"].len(), all);
        assert!(catalogue("valve").len() > 1 && catalogue("no such word").is_empty());
    }
}
