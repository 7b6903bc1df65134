//! `trunnion components`: the built-in components, by folder.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use clap::Args;
use trunnion_model::Definition;

use crate::output::say;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_engine::files::library;

#[derive(Args, Debug)]
pub struct ComponentsArgs {
    /// Only those of this domain, or with this word in name, alias, title or description
    pub word: Option<String>,
    /// As the page docs/reference/library.md
    #[arg(long)]
    pub markdown: bool,
}

pub fn execute(args: &ComponentsArgs) -> Result<(), Failure> {
    let folders = folders(args.word.as_deref().unwrap_or_default());
    if folders.is_empty() {
        return Err(Failure::usage_hint(
            format!("no component has `{}` in it", args.word.as_deref().unwrap_or_default()),
            "`trunnion components` lists all",
        ));
    }
    if args.markdown {
        say(page(&folders).trim_end());
        return Ok(());
    }
    for (k, (folder, list)) in folders.iter().enumerate() {
        if k > 0 {
            say("");
        }
        say(folder);
        let mut table = Listing::new([("", Align::Left), ("", Align::Left), ("", Align::Left)]);
        for d in list {
            table.push([format!("  {}", d.name), d.aliases.join(", "), d.title.clone()]);
        }
        table.lines().iter().skip(1).for_each(say);
    }
    say("\ntrunnion page NAME shows one");
    Ok(())
}

type Folders = BTreeMap<String, Vec<Arc<Definition>>>;

/// Components with a word in them, by their folder in the library.
fn folders(word: &str) -> Folders {
    let word = word.to_lowercase();
    let mut folders = Folders::new();
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

/// The index of the library as a page of the manual.
pub fn index() -> String {
    page(&folders(""))
}

fn page(folders: &Folders) -> String {
    let mut out = String::from(
        "# The component library\n\nMade from the files under `library/` by `trunnion components --markdown`. \
         `trunnion page NAME` shows all of a component: ports,\nparameters, options, bond graph and laws.\n",
    );
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
pub fn first_sentence(doc: &str) -> String {
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
}
