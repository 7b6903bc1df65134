//! Extremes of signals, and how the metadata keep them: `{"body.x": [time of the lowest, lowest, time of the highest, highest], …}`.

use serde_json::{Map, Value, json};

use super::{Column, Metadata, Table};

/// Lowest and highest value of one signal, each with its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    pub min: (f64, f64),
    pub max: (f64, f64),
}

impl Default for Extremes {
    fn default() -> Self {
        Extremes { min: (f64::NAN, f64::INFINITY), max: (f64::NAN, f64::NEG_INFINITY) }
    }
}

impl Extremes {
    /// Of several equal ones the first counts. A NaN stays.
    pub fn push(&mut self, t: f64, x: f64) {
        if x < self.min.1 || x.is_nan() {
            self.min = (t, x);
        }
        if x > self.max.1 || x.is_nan() {
            self.max = (t, x);
        }
    }

    /// As far as they lie between two times; None if neither is known there.
    pub fn within(self, from: f64, to: f64) -> Option<Self> {
        let inside = |point: (f64, f64)| (from..=to).contains(&point.0);
        let none = Extremes::default();
        let min = if inside(self.min) { self.min } else { none.min };
        let max = if inside(self.max) { self.max } else { none.max };
        (inside(self.min) || inside(self.max)).then_some(Extremes { min, max })
    }
}

/// Metadata key of the lowest and highest value of every column over the whole run, in the units of the columns.
const EXTREMES: &str = "extremes";

/// Entry of the metadata for columns that have them; a number that is not finite has no place in it.
pub fn entry<'a>(columns: impl IntoIterator<Item = (&'a str, Extremes)>) -> Option<(String, String)> {
    let values = |e: Extremes| [e.min.0, e.min.1, e.max.0, e.max.1];
    let all: Map<String, Value> = columns
        .into_iter()
        .filter(|(_, e)| values(*e).iter().all(|v| v.is_finite()))
        .map(|(name, e)| (name.to_owned(), json!(values(e))))
        .collect();
    (!all.is_empty()).then(|| (EXTREMES.to_owned(), Value::Object(all).to_string()))
}

/// From the metadata to the columns.
pub(crate) fn unfold(table: &mut Table) {
    let Some(text) = table.metadata.remove(EXTREMES) else { return };
    let all: Map<String, Value> = serde_json::from_str(&text).unwrap_or_default();
    for column in &mut table.columns {
        let numbers = all.get(&column.name).and_then(Value::as_array);
        let numbers: Option<Vec<f64>> = numbers.and_then(|list| list.iter().map(Value::as_f64).collect());
        if let Some([t_low, low, t_high, high]) = numbers.as_deref() {
            column.extremes = Some(Extremes { min: (*t_low, *low), max: (*t_high, *high) });
        }
    }
}

/// From the columns to the metadata.
pub fn folded(metadata: &Metadata, stored: &[&Column]) -> Metadata {
    let columns = stored.iter().filter_map(|c| Some((c.name.as_str(), c.extremes?)));
    metadata.clone().into_iter().chain(entry(columns)).collect()
}
