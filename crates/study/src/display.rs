//! Units in which results are shown. What is said for one signal comes first; then what is asked for, the file, what the user prefers.

use trunnion_model::display::Display;
use trunnion_model::units::{UnitError, parse_unit};

use crate::request_error::RunRequestError;
use trunnion_engine::Failure;
use trunnion_results::{Column, Metadata, Table};

/// Metadata key of the units in which a run's results are to be shown.
pub const SHOWN: &str = "display";

/// Units as a user writes them: "bar, l/min, boom.p=MPa". `what` names where they are written.
pub fn parse(what: &str, text: &str) -> Result<Display, Failure> {
    Display::parse(text).map_err(|e| refused(&format!("{what}{text}"), e))
}

fn refused(what: &str, error: UnitError) -> Failure {
    RunRequestError::Units { what: what.into(), message: error.message, hint: error.hint }.into()
}

/// A table of results in the units they are to be shown in: those asked for, its own, those preferred.
pub fn show(table: &mut Table, asked: Display, preferred: &Display) {
    let own = table.metadata.get(SHOWN).map(|text| Display::recall(text).unwrap_or_default());
    let display = asked.or(own.unwrap_or_default()).or(preferred.clone());
    for column in &mut table.columns[1..] {
        if let Some(unit) = display.unit(&column.name, &column.unit) {
            let text = unit.text.clone();
            convert(column, &text);
        }
    }
}

/// Changes the unit of a column; what does not fit stays as it is.
pub fn convert(column: &mut Column, unit: &str) {
    let (Ok(from), Ok(to)) = (parse_unit(&column.unit), parse_unit(unit)) else { return };
    if from.dimension != to.dimension || column.unit == unit {
        return;
    }
    // Through SI, correctly rounded on the way in: 19 mm are 0.019 m.
    let shown = |v: &mut f64| *v = to.from_si(from.to_si(*v));
    column.values.iter_mut().for_each(shown);
    if let Some(found) = &mut column.extremes {
        [&mut found.min.1, &mut found.max.1].into_iter().for_each(shown);
    }
    column.unit = unit.to_string();
}

/// Every column in the unit of the first one of its dimension: mm with m, bar with Pa.
pub fn in_first_units(columns: &mut [Column]) {
    let same_dimension = |a: &str, b: &str| matches!((parse_unit(a), parse_unit(b)), (Ok(a), Ok(b)) if a.dimension == b.dimension);
    for k in 1..columns.len() {
        let (before, rest) = columns.split_at_mut(k);
        let mut units = before.iter().map(|column| column.unit.clone());
        if let Some(unit) = units.find(|unit| same_dimension(unit, &rest[0].unit)) {
            convert(&mut rest[0], &unit);
        }
    }
}

/// Notes the units of these columns in what is known of a result.
pub fn remember(display: &Display, table: &Table, metadata: &mut Metadata) {
    let columns = table.columns.iter().skip(1).map(|c| (c.name.as_str(), c.unit.as_str()));
    let text = display.remember(columns);
    if !text.is_empty() {
        metadata.insert(SHOWN.into(), text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_dimension_has_one_unit() {
        let column =
            |name: &str, unit: &str, v: f64| Column { values: vec![v], ..Column::new(name, unit, "") };
        let mut columns = [
            column("a", "bar", 2.0),
            column("b", "m", 3.0),
            column("c", "MPa", 0.5),
            column("d", "mm", 40.0),
        ];
        in_first_units(&mut columns);
        let found: Vec<_> = columns.iter().map(|c| (c.unit.as_str(), c.values[0])).collect();
        assert_eq!(found, [("bar", 2.0), ("m", 3.0), ("bar", 5.0), ("m", 0.04)]);
    }

    #[test]
    fn tables_are_shown_in_the_units_asked_for() {
        let column =
            |name: &str, unit: &str, v: f64| Column { values: vec![v], ..Column::new(name, unit, "") };
        let mut table = Table {
            columns: vec![
                column("time", "s", 0.0),
                column("a.p", "Pa", 2e5),
                column("b.p", "Pa", 3e6),
                column("body.temp", "K", 293.15),
                column("n", "", 3.0),
            ],
            metadata: Metadata::from([(SHOWN.to_string(), "b.p=MPa".to_string())]),
        };
        show(&mut table, parse("", "bar, °C").unwrap(), &Display::default());
        let found: Vec<_> = table.columns.iter().map(|c| (c.unit.as_str(), c.values[0])).collect();
        assert_eq!(found, [("s", 0.0), ("bar", 2.0), ("MPa", 3.0), ("°C", 20.0), ("", 3.0)]);
        assert!(parse("", "bars").is_err());
    }
}
