//! A table taken apart key by key: what is asked for is known, what is left over is reported.

use std::cell::RefCell;

use super::source::Span;
use super::tree::{Data, TomlEntry, TomlKey, TomlTable, TomlText, TomlValue};
use crate::diagnostic::{Diagnostic, Problems, did_you_mean, one_of};

/// The keys of one table.
pub struct Fields<'a> {
    table: &'a TomlTable,
    /// What the table describes, for messages: "parameter `k`".
    what: String,
    /// Where to point when a key is missing.
    place: Span,
    asked: RefCell<Vec<&'static str>>,
    pub problems: &'a Problems,
}

/// What is wrong when `expected` was asked for and `value` found.
pub(crate) fn wrong_type(value: &TomlValue, key: &str, expected: &str) -> Diagnostic {
    Diagnostic::error("M0103", format!("`{key}` has to be {expected}, found {}", value.kind()))
        .at(&value.span, format!("this is {}", value.kind()))
}

impl<'a> Fields<'a> {
    pub fn new(table: &'a TomlTable, what: impl Into<String>, place: &Span, problems: &'a Problems) -> Self {
        let asked = RefCell::default();
        Fields { table, what: what.into(), place: place.clone(), asked, problems }
    }

    pub fn what(&self) -> &str {
        &self.what
    }

    pub fn place(&self) -> &Span {
        &self.place
    }

    pub fn entry(&self, key: &'static str) -> Option<&'a TomlEntry> {
        self.asked.borrow_mut().push(key);
        self.table.get(key)
    }

    /// Keys that are read elsewhere.
    pub fn ask(&self, keys: &[&'static str]) {
        self.asked.borrow_mut().extend(keys);
    }

    pub fn value(&self, key: &'static str) -> Option<&'a TomlValue> {
        self.entry(key).map(|e| &e.value)
    }

    fn typed<T>(
        &self,
        key: &'static str,
        expected: &str,
        read: impl Fn(&'a TomlValue) -> Option<T>,
    ) -> Option<T> {
        let value = self.value(key)?;
        let found = read(value);
        if found.is_none() {
            self.problems.add(wrong_type(value, key, expected));
        }
        found
    }

    pub fn text(&self, key: &'static str) -> Option<TomlText> {
        self.typed(key, "a string", TomlValue::as_text)
    }

    /// A description; nothing if there is none.
    pub fn doc(&self) -> String {
        self.text("doc").map(|t| t.text.trim().to_string()).unwrap_or_default()
    }

    pub(crate) fn boolean(&self, key: &'static str) -> Option<bool> {
        self.typed(key, "true or false", |v| match v.data {
            Data::Boolean(b) => Some(b),
            _ => None,
        })
    }

    /// A whole number that is not negative.
    pub fn count(&self, key: &'static str) -> Option<usize> {
        self.typed(key, "a whole number, 0 or more", |v| match v.data {
            Data::Integer(i) => usize::try_from(i).ok(),
            _ => None,
        })
    }

    pub fn table(&self, key: &'static str) -> Option<&'a TomlTable> {
        self.typed(key, "a table", |v| match &v.data {
            Data::Table(table) => Some(table),
            _ => None,
        })
    }

    /// The entries of a table; none if there is no such table.
    pub fn entries(&self, key: &'static str) -> &'a [TomlEntry] {
        self.table(key).map_or(&[], |t| &t.entries)
    }

    pub fn list(&self, key: &'static str) -> Option<&'a [TomlValue]> {
        self.typed(key, "a list", |v| match &v.data {
            Data::List(list) => Some(list.as_slice()),
            _ => None,
        })
    }

    /// One string or a list of them.
    pub fn texts(&self, key: &'static str) -> Vec<TomlText> {
        let Some(value) = self.value(key) else { return vec![] };
        texts(value, key, self.problems)
    }

    /// One of a few words.
    pub fn choice<T: Copy>(&self, key: &'static str, choices: &[(&str, T)]) -> Option<T> {
        let text = self.text(key)?;
        let found = choices.iter().find(|(word, _)| *word == text.text).map(|(_, value)| *value);
        if found.is_none() {
            let words = || choices.iter().map(|(word, _)| *word);
            self.problems.add(
                Diagnostic::error("M0112", format!("`{key}` cannot be `{}`", text.text))
                    .at(&text.span, format!("has to be {}", one_of(words())))
                    .hint_if(did_you_mean(&text.text, words())),
            );
        }
        found
    }

    /// Reports a key that has to be there and is not.
    pub fn missing(&self, key: &str, hint: &str) {
        self.problems.add(
            Diagnostic::error("M0106", format!("{} needs `{key}`", self.what))
                .at(&self.place, format!("`{key}` is missing"))
                .hint(hint),
        );
    }

    /// Two keys that exclude each other; true if both are there.
    pub(crate) fn exclude(&self, a: &'static str, b: &'static str, hint: &str) -> bool {
        let (Some(first), Some(second)) = (self.entry(a), self.entry(b)) else { return false };
        self.problems.add(
            Diagnostic::error("M0111", format!("{} has both `{a}` and `{b}`", self.what))
                .at(&second.key.span, format!("beside `{}`", first.key.name))
                .hint(hint),
        );
        true
    }

    /// The keys asked for so far.
    pub fn asked(&self) -> Vec<&'static str> {
        let mut asked = self.asked.borrow().clone();
        asked.sort_unstable();
        asked.dedup();
        asked
    }

    /// The entries that were not read.
    pub fn rest(&self) -> impl Iterator<Item = &'a TomlEntry> {
        let asked = self.asked.borrow().clone();
        self.table.entries.iter().filter(move |e| !asked.contains(&e.key.name.as_str()))
    }

    /// Reports the keys that were not read.
    pub fn finish(self) {
        self.finish_beside(&[]);
    }

    /// The same; what is known as a section of the whole file is written in the wrong place.
    pub(crate) fn finish_beside(self, sections: &[&str]) {
        for entry in self.rest() {
            let name = &entry.key.name;
            let misplaced = sections.contains(&name.as_str()) && matches!(entry.value.data, Data::Table(_));
            let hint = misplaced.then(|| format!("a section of its own: write [{name}]"));
            self.problems.add(unknown_key(&entry.key, &self.what, &self.asked()).hint_if(hint));
        }
    }
}

fn unknown_key(key: &TomlKey, what: &str, known: &[&'static str]) -> Diagnostic {
    let listed = (!known.is_empty()).then(|| format!("it takes {}", one_of(known.iter().copied())));
    Diagnostic::error("M0101", format!("{what} has no key `{}`", key.name))
        .at(&key.span, "unknown key")
        .hint_if(listed)
        .hint_if(did_you_mean(&key.name, known.iter().copied()))
}

/// One string or a list of them.
pub fn texts(value: &TomlValue, key: &str, problems: &Problems) -> Vec<TomlText> {
    let one = |v: &TomlValue| {
        let text = v.as_text();
        if text.is_none() {
            problems.add(wrong_type(v, key, "a string or a list of strings"));
        }
        text
    };
    match &value.data {
        Data::List(list) => list.iter().filter_map(one).collect(),
        _ => one(value).into_iter().collect(),
    }
}
