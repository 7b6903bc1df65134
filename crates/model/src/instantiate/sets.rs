//! Values that are given from outside the files of a model.

use std::cell::Cell;
use std::sync::Arc;

use super::argument_hints::other_option;
use super::tree::InstanceTree;
use crate::diagnostic::{Diagnostic, Problems, did_you_mean};
use crate::file::{Data, Source, Span, TomlEntry, TomlKey, TomlValue};

/// Values given from outside the files: `path=value`.
#[derive(Debug, Default)]
pub struct Sets {
    list: Vec<Set>,
}

#[derive(Debug)]
struct Set {
    path: TomlKey,
    value: TomlValue,
    used: Cell<bool>,
}

/// How the source of a value that was given from outside begins; its path follows.
pub(crate) const GIVEN_VALUE: &str = "value of ";

impl Sets {
    pub fn new(sets: &[(String, String)], problems: &Problems) -> Self {
        let mut list = vec![];
        for (path, text) in sets {
            let source = Source::new(&format!("{GIVEN_VALUE}{}", path.trim()), format!("{path}={text}"));
            let key = TomlKey { name: path.trim().to_string(), span: Span::new(&source, 0..path.len()) };
            let span = Span::new(&source, path.len() + 1..source.text.len());
            // What is not a number or true or false is a text, with or without quotes.
            let plain = text.trim();
            let data = match (plain.parse::<i64>(), plain.parse::<f64>(), plain.parse::<bool>()) {
                (Ok(whole), _, _) => Data::Integer(whole),
                (_, Ok(number), _) => Data::Number(number),
                (_, _, Ok(truth)) => Data::Boolean(truth),
                _ => Data::Text(plain.trim_matches('"').to_string()),
            };
            let start = span.range.start + (text.len() - text.trim_start().len());
            let span = Span::new(&source, start..start + plain.len());
            if key.name.is_empty() {
                problems
                    .add(Diagnostic::error("M0204", "a name is missing before `=`").at(&key.span, "here"));
            } else {
                list.push(Set { path: key, value: TomlValue { data, span }, used: Cell::new(false) });
            }
        }
        Sets { list }
    }

    /// Values from files: everything else given for the same path comes later and wins.
    pub(crate) fn give_first(&mut self, values: Vec<(TomlKey, TomlValue)>) {
        let new = values.into_iter().map(|(path, value)| Set { path, value, used: Cell::new(false) });
        self.list.splice(0..0, new);
    }

    /// The last value given for a path.
    pub fn take(&self, path: &str) -> Option<&TomlValue> {
        let mut found = None;
        for set in self.list.iter().filter(|s| s.path.name == path) {
            set.used.set(true);
            found = Some(&set.value);
        }
        found
    }

    /// Whether there is a value for a path, which does not count as using it.
    pub fn has(&self, path: &str) -> bool {
        self.list.iter().any(|s| s.path.name == path)
    }

    /// What is given under a prefix, as the entries of a table.
    pub fn under(&self, prefix: &str) -> Vec<TomlEntry> {
        let mut entries = vec![];
        for set in &self.list {
            let Some(rest) = set.path.name.strip_prefix(prefix) else { continue };
            set.used.set(true);
            let key = TomlKey { name: rest.to_string(), span: set.path.span.clone() };
            entries.push(TomlEntry { key, value: set.value.clone() });
        }
        entries
    }

    /// The same for single keys: others under the prefix mean something else.
    pub(crate) fn keys_under(&self, prefix: &str, keys: &[&str]) -> Vec<TomlEntry> {
        let mut entries = vec![];
        for key in keys {
            for entry in self.under(&format!("{prefix}{key}")).into_iter().filter(|e| e.key.name.is_empty()) {
                entries.push(TomlEntry { key: TomlKey { name: (*key).into(), ..entry.key }, ..entry });
            }
        }
        entries
    }

    pub fn sources(&self) -> impl Iterator<Item = &Arc<Source>> {
        self.list.iter().map(|s| &s.value.span.source)
    }

    /// Reports what was not used.
    pub fn finish(&self, known: &[String], tree: &InstanceTree<'_>, problems: &Problems) {
        for set in self.list.iter().filter(|s| !s.used.get()) {
            let known = known.iter().map(String::as_str);
            let (path, name) = set.path.name.rsplit_once('.').unwrap_or(("", &set.path.name));
            let owner = tree.instances.iter().find(|i| i.path == path);
            problems.add(
                Diagnostic::error("M0204", format!("the model has no parameter `{}`", set.path.name))
                    .at(&set.path.span, "nothing of this name can be set")
                    .hint_if(did_you_mean(&set.path.name, known))
                    .hint_if(owner.and_then(|owner| other_option(owner.definition, name))),
            );
        }
    }
}
