//! Tables from files of results or measurements: `{ file = "path.csv", x = "time", y = "stroke" }`.
//!
//! The first line that is no comment (`#`) has the names of the columns, each with its unit in brackets if it has one:
//! `time [s],stroke [mm]`; `trunnion_num::csv` has the rules. What is read takes the place of `x` and `y` in the table, as if it had been
//! written there.

use std::borrow::Cow;
use std::sync::Arc;

use trunnion_num::csv::{CsvFault, CsvText};

use super::Reading;
use crate::diagnostic::{Diagnostic, Problems, did_you_mean, one_of};
use crate::file::{Data, Fields, Source, Span, TomlEntry, TomlKey, TomlTable, TomlText, TomlValue};

/// A value whose table is read from a file, if it names one; None: it could not be read, which has been reported.
pub(crate) fn with_file(entry: &TomlEntry, reading: &Reading<'_>) -> Option<TomlValue> {
    let Data::Table(table) = &entry.value.data else { return Some(entry.value.clone()) };
    if table.get("file").is_none_or(|e| e.value.as_text().is_none()) {
        return Some(entry.value.clone());
    }
    let problems = reading.problems;
    let f = Fields::new(table, format!("table `{}`", entry.key.name), &entry.key.span, problems);
    let file = f.text("file")?;
    let source = reading.source_beside(&file)?;
    if let Some(z) = table.get("z") {
        problems.add(
            Diagnostic::error("M0118", "a file has tables of one variable only")
                .at(&z.key.span, "cannot be read from a file")
                .hint("write x, y and z in the model, or take one table for each y"),
        );
        return None;
    }
    let sheet = CsvSheet::read(&source, &file, problems)?;
    let mut entries: Vec<TomlEntry> = table
        .entries
        .iter()
        .filter(|e| !["file", "x", "y"].contains(&e.key.name.as_str()))
        .cloned()
        .collect();
    for (k, key) in ["x", "y"].into_iter().enumerate() {
        let wanted = table.get(key).map(|e| &e.value);
        let data = sheet.column(wanted, k, &file, problems)?;
        let span = wanted.map_or(&file.span, |v| &v.span).clone();
        entries.push(TomlEntry {
            key: TomlKey { name: key.into(), span: span.clone() },
            value: TomlValue { data, span },
        });
    }
    Some(TomlValue {
        data: Data::Table(TomlTable { entries, span: table.span.clone() }),
        span: entry.value.span.clone(),
    })
}

struct CsvSheet<'s> {
    source: &'s Arc<Source>,
    /// Name and unit of each column.
    head: Vec<(String, Option<String>)>,
    text: CsvText<'s>,
}

impl<'s> CsvSheet<'s> {
    fn read(source: &'s Arc<Source>, file: &TomlText, problems: &Problems) -> Option<Self> {
        let text = match CsvText::read(&source.text) {
            Ok(text) => text,
            Err(fault) => {
                problems.add(refused(&fault, source, &file.span));
                return None;
            }
        };
        let own = |text: &Cow<'_, str>| text.clone().into_owned();
        let head: Vec<(String, Option<String>)> =
            text.head.iter().map(|h| (own(&h.name), h.unit.as_ref().map(own))).collect();
        Some(CsvSheet { source, head, text })
    }

    /// Number k of the columns, or the one that is named: `"stroke"` or `{ column = "stroke", unit = "mm" }`.
    fn column(
        &self,
        wanted: Option<&TomlValue>,
        k: usize,
        file: &TomlText,
        problems: &Problems,
    ) -> Option<Data> {
        let (name, own) = match wanted.map(|v| (&v.data, v)) {
            Some((Data::Table(table), value)) => {
                let f = Fields::new(table, "a column of the file", &value.span, problems);
                let (name, unit) = (f.text("column"), f.entry("unit").cloned());
                if f.value("column").is_none() {
                    f.missing("column", "its name in the first line of the file");
                }
                f.finish();
                (Some(name?), unit)
            }
            Some((_, value)) => match value.as_text() {
                Some(text) => (Some(text), None),
                None => {
                    problems.add(crate::file::wrong_type(
                        value,
                        ["x", "y"][k],
                        "the name of a column in the file",
                    ));
                    return None;
                }
            },
            None => (None, None),
        };
        let index = match &name {
            Some(name) => self.head.iter().position(|(n, _)| *n == name.text),
            None => (k < self.text.head.len()).then_some(k),
        };
        let names = || self.head.iter().map(|(n, _)| n.as_str());
        let alike = |i: usize| (i + 1..self.head.len()).find(|&j| self.head[j].0 == self.head[i].0);
        if let (Some(name), Some((i, j))) = (&name, index.and_then(|i| Some((i, alike(i)?)))) {
            let message = format!("columns {} and {} of `{}` have one name", i + 1, j + 1, self.source.name);
            let hint = "give them different names in the first line of the file";
            problems.add(
                Diagnostic::error("M0118", message).at(&name.span, "which of them is meant?").hint(hint),
            );
            return None;
        }
        let Some(index) = index else {
            let (message, place) = match &name {
                Some(name) => (format!("`{}` has no column `{}`", self.source.name, name.text), &name.span),
                None => (format!("`{}` has only one column", self.source.name), &file.span),
            };
            let shown = self.source.quotable;
            let columns = format!("it has {}", one_of(names().take(12)).replace(" or ", " and "));
            let columns = shown.then_some(columns);
            let near = name.as_ref().filter(|_| shown).and_then(|n| did_you_mean(&n.text, names()));
            problems.add(
                Diagnostic::error("M0118", message)
                    .at(place, "unknown column")
                    .hint_if(columns)
                    .hint_if(near),
            );
            return None;
        };
        let place = name.as_ref().map_or(&file.span, |n| &n.span).clone();
        let values = self.numbers(index, &place, problems)?;
        let unit = own.or_else(|| {
            let text = self.head[index].1.clone()?;
            let key = TomlKey { name: "unit".into(), span: place.clone() };
            Some(TomlEntry { key, value: TomlValue { data: Data::Text(text), span: place.clone() } })
        });
        let values = TomlValue { data: Data::List(values), span: place.clone() };
        let mut entries =
            vec![TomlEntry { key: TomlKey { name: "values".into(), span: place.clone() }, value: values }];
        entries.extend(unit);
        Some(Data::Table(TomlTable { entries, span: place }))
    }

    fn numbers(&self, index: usize, place: &Span, problems: &Problems) -> Option<Vec<TomlValue>> {
        let mut values = vec![];
        for row in self.text.rows() {
            let row = match row {
                Ok(row) => row,
                Err(fault) => {
                    problems.add(refused(&fault, self.source, place));
                    return None;
                }
            };
            let cell = &row.cells[index];
            let Some(number) = cell.number().filter(|v| v.is_finite()) else {
                let name = if self.source.quotable { self.head[index].0.as_str() } else { "…" };
                let message = format!("column `{name}` has something that is no number");
                problems.add(
                    Diagnostic::error("M0118", message)
                        .at(&Span::new(self.source, cell.place.clone()), "not a number")
                        .at(place, "read here"),
                );
                return None;
            };
            values.push(TomlValue { data: Data::Number(number), span: place.clone() });
        }
        Some(values)
    }
}

fn refused(fault: &CsvFault, source: &Arc<Source>, read: &Span) -> Diagnostic {
    let name = &source.name;
    match fault {
        CsvFault::Empty => Diagnostic::error("M0118", format!("`{name}` is empty"))
            .at(read, "no columns")
            .hint("its first line has the names of the columns"),
        CsvFault::NoHeader { place, .. } => {
            Diagnostic::error("M0118", format!("`{name}` has no names of columns"))
                .at(&Span::new(source, place.clone()), "only numbers")
                .at(read, "read here")
                .hint("put a line with their names before the numbers, as time [s],stroke [mm]")
        }
        CsvFault::Cells { line, found, expected, place } => {
            let message = format!("line {line} of `{name}` has {found} values for {expected} columns");
            let what = if found > expected { "one too many" } else { "the last one" };
            Diagnostic::error("M0118", message)
                .at(&Span::new(source, place.clone()), what)
                .at(read, "read here")
                .hint("each line has as many values as the first has names; a missing one is left empty")
        }
    }
}
