//! One card: its name and its fields, eight a line, counted from 0 behind the name.

use std::ops::Range;
use std::sync::Arc;

use trunnion_model::{Diagnostic, Source};

use super::super::{MALFORMED, MeshResult, UNSUPPORTED, fault};
use super::number;

pub(super) struct BulkCard {
    pub source: Arc<Source>,
    /// Index among the files, and line from 1.
    pub file: usize,
    pub line: usize,
    pub name: String,
    /// Where the name and the fields stand, without blanks.
    pub name_range: Range<usize>,
    pub fields: Vec<Range<usize>>,
}

impl BulkCard {
    pub fn head(&self) -> Range<usize> {
        self.name_range.clone()
    }

    /// The text of a field; nothing beyond the end.
    pub fn text(&self, field: usize) -> &str {
        self.fields.get(field).and_then(|r| self.source.text.get(r.clone())).unwrap_or("")
    }

    pub fn word(&self, field: usize) -> String {
        self.text(field).to_ascii_uppercase()
    }

    pub(crate) fn is_blank(&self, field: usize) -> bool {
        self.text(field).is_empty()
    }

    /// How many fields there are, blank ones at the end left out.
    pub fn len(&self) -> usize {
        (0..self.fields.len()).rev().find(|&k| !self.is_blank(k)).map_or(0, |k| k + 1)
    }

    /// "CQUAD4 17".
    pub fn title(&self) -> String {
        format!("{} {}", self.name, self.text(0))
    }

    pub fn wrong(
        &self,
        field: usize,
        code: &'static str,
        message: impl Into<String>,
        label: impl Into<String>,
        hint: &str,
    ) -> Box<Diagnostic> {
        let range = self.fields.get(field).filter(|r| !r.is_empty()).cloned().unwrap_or_else(|| self.head());
        fault(&self.source, range, code, message, label, hint)
    }

    pub(crate) fn unsupported(
        &self,
        field: usize,
        message: impl Into<String>,
        hint: &str,
    ) -> Box<Diagnostic> {
        self.wrong(field, UNSUPPORTED, format!("{}: {}", self.title(), message.into()), "here", hint)
    }

    fn malformed(&self, field: usize, expected: &str) -> Box<Diagnostic> {
        let found = if self.is_blank(field) { "blank" } else { "malformed" };
        let message = format!("field {} of {} is {found}", field + 2, self.title());
        let hint = "fields are 8 columns wide, 16 with *, or separated by commas";
        self.wrong(field, MALFORMED, message, format!("expected {expected}"), hint)
    }

    /// A field that has to be blank, or zero.
    pub fn refuse(&self, field: usize, what: &str, hint: &str) -> MeshResult<()> {
        let text = self.text(field);
        let nothing = text.is_empty() || number::real(text) == Some(0.0);
        if nothing { Ok(()) } else { Err(self.unsupported(field, what, hint)) }
    }

    pub fn real(&self, field: usize) -> MeshResult<Option<f64>> {
        match self.text(field) {
            "" => Ok(None),
            text => number::real(text).map(Some).ok_or_else(|| self.malformed(field, "a number")),
        }
    }

    pub fn need(&self, field: usize, what: &str) -> MeshResult<f64> {
        self.real(field)?.ok_or_else(|| self.malformed(field, what))
    }

    pub(crate) fn integer(&self, field: usize) -> MeshResult<Option<i64>> {
        match self.text(field) {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| self.malformed(field, "a whole number")),
        }
    }

    /// A number that names something: above 0.
    pub fn id(&self, field: usize, what: &str) -> MeshResult<u32> {
        let found = self.integer(field)?.and_then(|i| u32::try_from(i).ok()).filter(|i| *i > 0);
        found.ok_or_else(|| self.malformed(field, what))
    }

    /// Three numbers, 0 where blank.
    pub fn vector(&self, field: usize) -> MeshResult<[f64; 3]> {
        Ok([
            self.real(field)?.unwrap_or(0.0),
            self.real(field + 1)?.unwrap_or(0.0),
            self.real(field + 2)?.unwrap_or(0.0),
        ])
    }

    /// Digits 1 to 6 as components.
    pub fn components(&self, field: usize) -> MeshResult<[bool; 6]> {
        let mut found = [false; 6];
        for c in self.text(field).chars() {
            match c.to_digit(10) {
                Some(k @ 1..=6) => found[k as usize - 1] = true,
                _ => return Err(self.malformed(field, "components, digits from 1 to 6")),
            }
        }
        Ok(found)
    }

    /// Numbers of a list from a field on, with THRU between the ends of a range; each with its field.
    pub fn ids(&self, from: usize) -> MeshResult<Vec<(usize, u32)>> {
        /// More than any mesh has nodes.
        const MOST: usize = 50_000_000;
        let mut all: Vec<(usize, u32)> = vec![];
        let mut field = from;
        while field < self.len() {
            if self.is_blank(field) {
                field += 1;
                continue;
            }
            if self.word(field) != "THRU" {
                all.push((field, self.id(field, "the number of a grid")?));
                field += 1;
                continue;
            }
            let last = self.id(field + 1, "the last grid of a range")?;
            let Some(&(_, first)) = all.last() else {
                return Err(self.malformed(field, "a grid before THRU"));
            };
            if last < first || (last - first) as usize > MOST {
                return Err(self.malformed(field + 1, "a grid not before the first of the range"));
            }
            all.extend((first + 1..=last).map(|n| (field + 1, n)));
            field += 2;
        }
        Ok(all)
    }
}
