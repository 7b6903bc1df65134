//! A result in memory.

use std::collections::{BTreeMap, HashSet};

use super::{ResultsError, TableFault, nearest};
use crate::Extremes;

/// What is known about a result besides its numbers: model, hash, solver, tolerance, version, how it ended.
pub type Metadata = BTreeMap<String, String>;

/// One signal over all rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    pub name: String,
    /// As shown to the user ("bar", "m/s"); empty for a number without dimension.
    pub unit: String,
    pub doc: String,
    pub values: Vec<f64>,
    /// Over the whole run, between rows too, where that is known.
    pub extremes: Option<Extremes>,
    /// The column whose quantity this is under a further name: files store its values once, readers give them to both.
    pub same_as: Option<String>,
    /// Changes at instants only, and stays between rows: a sampled or switched signal.
    pub held: bool,
}

impl Column {
    /// A column of a header, still without values.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, doc: impl Into<String>) -> Self {
        Self { name: name.into(), unit: unit.into(), doc: doc.into(), ..Self::default() }
    }

    /// All that is known of it but its values.
    pub(super) fn bare(&self) -> Self {
        let (same_as, held) = (self.same_as.clone(), self.held);
        Self { same_as, held, ..Self::new(&self.name, &self.unit, &self.doc) }
    }

    /// Lowest and highest value with their times: what the run found, and the rows.
    pub fn extremes(&self, time: &Column) -> Extremes {
        let mut found = self.extremes.unwrap_or_default();
        time.values.iter().zip(&self.values).for_each(|(&t, &x)| found.push(t, x));
        found
    }

    /// `name [unit]`, or the name alone when there is no unit.
    pub fn label(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{} [{}]", self.name, self.unit) }
    }
}

/// Columns of equal length; the first is the independent one, `time` in s for a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub columns: Vec<Column>,
    pub metadata: Metadata,
}

impl Table {
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Result<&Column, ResultsError> {
        self.columns.iter().find(|column| column.name == name).ok_or_else(|| ResultsError::NoColumn {
            name: name.to_owned(),
            nearest: nearest(name, self.names()).into_iter().map(str::to_owned).collect(),
        })
    }

    /// All columns whose name fits a pattern in which `*` stands for any text, in the order of the file.
    pub fn matching(&self, pattern: &str) -> Result<Vec<&Column>, ResultsError> {
        if !pattern.contains('*') {
            return Ok(vec![self.column(pattern)?]);
        }
        let found: Vec<_> = self.columns.iter().filter(|column| fits(pattern, &column.name)).collect();
        if found.is_empty() {
            return Err(ResultsError::NoColumn { name: pattern.to_owned(), nearest: Vec::new() });
        }
        Ok(found)
    }

    /// Columns that have values of their own, as files store them.
    pub(super) fn stored(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.same_as.is_none())
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// How the run ended, where the file says so.
    pub fn ended(&self) -> Option<&str> {
        self.metadata.get(super::ENDED).map(String::as_str)
    }

    /// At least one column, names given and distinct, lengths equal; further names may still be without values, and are of stored columns.
    pub(super) fn check(&self) -> Result<(), TableFault> {
        if self.columns.is_empty() {
            return Err(TableFault::NoColumns);
        }
        let mut seen = HashSet::new();
        for column in &self.columns {
            if !seen.insert(&column.name) {
                return Err(TableFault::TwiceNamed { name: column.name.clone() });
            }
            if let Some(of) = &column.same_as
                && !self.stored().any(|other| other.name == *of)
            {
                return Err(TableFault::Alias { name: column.name.clone(), of: of.clone() });
            }
            if column.same_as.is_some() && column.values.is_empty() {
                continue;
            }
            if column.values.len() != self.rows() {
                return Err(TableFault::Ragged {
                    name: column.name.clone(),
                    found: column.values.len(),
                    expected: self.rows(),
                });
            }
        }
        Ok(())
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        // The part before took the earliest place it fits; only the last one is bound to the end.
        if let Some(middle) = last.replace(part) {
            let Some(at) = rest.find(middle) else { return false };
            rest = &rest[at + middle.len()..];
        }
    }
    last.map_or(rest.is_empty(), |part| rest.ends_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&str]) -> Table {
        Table {
            columns: names.iter().map(|name| Column::new(*name, "", "")).collect(),
            metadata: Metadata::new(),
        }
    }

    #[test]
    fn a_wrong_name_is_answered_with_near_ones() {
        let table = table(&["time", "boom.cyl.p_a", "boom.cyl.p_b", "pump.q"]);
        let Err(ResultsError::NoColumn { nearest, .. }) = table.column("boom.cyl.pa") else {
            panic!("found")
        };
        assert_eq!(nearest, ["boom.cyl.p_a", "boom.cyl.p_b"]);
    }

    #[test]
    fn a_star_stands_for_any_text() {
        let table = table(&["time", "boom.cyl.p_a", "boom.cyl.p_b", "boom.x", "pump.p_a"]);
        let names = |pattern: &str| -> Vec<String> {
            table.matching(pattern).unwrap().iter().map(|column| column.name.clone()).collect()
        };
        assert_eq!(names("boom.*"), ["boom.cyl.p_a", "boom.cyl.p_b", "boom.x"]);
        assert_eq!(names("*.p_a"), ["boom.cyl.p_a", "pump.p_a"]);
        assert_eq!(names("b*cyl*b"), ["boom.cyl.p_b"]);
        assert_eq!(names("boom.x"), ["boom.x"]);
        assert!(table.matching("boom.x*x").is_err());
        assert!(table.matching("q*").is_err());
    }
}
