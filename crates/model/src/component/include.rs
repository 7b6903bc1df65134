//! Sections that component files share: `include = ["_turning.toml"]`.
//!
//! What an included file says is read as if it stood behind what the file itself says: entries of a section come behind the
//! file's own, `[[when]]` behind its own ones. Where both say the same name, the file's own counts. Every place stays in the file it is
//! written in. A file whose name begins with `_` is no component, but only there to be included.

use std::sync::Arc;

use super::Reading;
use crate::diagnostic::Diagnostic;
use crate::file::{Data, Source, TomlEntry, TomlTable, relative, texts};

/// Deeper than any file in use.
const DEEPEST: usize = 16;

/// Whether a file holds sections for others and is no component.
pub fn is_shared(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with('_'))
}

/// The table of a component file with what it includes, and the files that it came from.
pub(crate) fn with_included(
    path: &str,
    own: TomlTable,
    reading: &Reading<'_>,
) -> (TomlTable, Vec<Arc<Source>>) {
    let mut open = vec![path.to_string()];
    let mut sources = vec![];
    let table = completed(&mut open, own, reading, &mut sources);
    (table, sources)
}

fn completed(
    open: &mut Vec<String>,
    mut own: TomlTable,
    reading: &Reading<'_>,
    sources: &mut Vec<Arc<Source>>,
) -> TomlTable {
    let Some(place) = own.entries.iter().position(|e| e.key.name == "include") else { return own };
    let include = own.entries.remove(place);
    let from = open.last().cloned().unwrap_or_default();
    for name in texts(&include.value, "include", reading.problems) {
        let path = relative(&from, &name.text);
        let error = |text: String, label: &str| Diagnostic::error("M0003", text).at(&name.span, label);
        if open.contains(&path) {
            reading.problems.add(error(format!("`{path}` includes itself"), "in a circle"));
        } else if open.len() > DEEPEST {
            let found = error(format!("files include each other more than {DEEPEST} deep"), "one too many");
            reading.problems.add(found.hint("include them side by side in one file"));
        } else if let Some(source) = reading.source_beside(&name)
            && let Some(table) = reading.parse(&source)
        {
            open.push(path);
            let table = completed(open, table, reading, sources);
            open.pop();
            join(&mut own, table);
            sources.push(source);
        }
    }
    own
}

/// Puts the entries of `other` behind those of `own` that they do not repeat.
fn join(own: &mut TomlTable, other: TomlTable) {
    for TomlEntry { key, value } in other.entries {
        let Some(first) = own.entries.iter_mut().find(|e| e.key.name == key.name) else {
            own.entries.push(TomlEntry { key, value });
            continue;
        };
        match (&mut first.value.data, value.data) {
            (Data::Table(mine), Data::Table(theirs)) => join(mine, theirs),
            (Data::List(mine), Data::List(theirs)) if key.name == "when" => mine.extend(theirs),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_shared;

    #[test]
    fn shared_files_are_known_by_their_name() {
        assert!(is_shared("library/mechanism/_turning.toml") && is_shared("_a.toml"));
        assert!(!is_shared("library/_mine/spring.toml") && !is_shared("a_b.toml"));
    }
}
