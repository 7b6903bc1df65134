//! docs/reference/symbols.md says what every parameter of the library means: one symbol, one unit in each domain.

use std::collections::{BTreeMap, BTreeSet};

use trunnion_model::Library;
use trunnion_model::units::parse_unit;

use crate::built_in;

/// Units and former names of the symbols in each table.
type Tables = BTreeMap<String, BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)>>;

fn written(page: &str) -> Tables {
    let mut tables = Tables::new();
    let mut domain = String::new();
    for line in page.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            domain = name.to_string();
        }
        // A bar inside a cell is written `\|`.
        let plain = line.replace("\\|", "/");
        let cells: Vec<&str> = plain.split('|').map(str::trim).collect();
        let Some(symbol) = cells.get(1).and_then(|c| c.strip_prefix('`')?.strip_suffix('`')) else {
            continue;
        };
        assert!(cells.len() == 6 && !cells[3].is_empty(), "{line}");
        let list = |text: &str| -> BTreeSet<String> {
            let parts = text.split(", ").map(|t| t.trim_matches('`').to_string());
            parts.filter(|t| !t.is_empty()).collect()
        };
        let row = (list(cells[2]), list(cells[4]));
        let twice = tables.entry(domain.clone()).or_default().insert(symbol.to_string(), row);
        assert!(twice.is_none(), "{domain}: `{symbol}` is listed twice");
    }
    tables
}

fn used(library: &Library) -> Tables {
    let mut tables = Tables::new();
    for component in library.iter() {
        let domain = component.source.name.split('/').rev().nth(1).unwrap_or_default();
        for p in component.bodies().flat_map(|b| &b.parameters) {
            let table = tables.entry(domain.to_string()).or_default();
            let (units, former) = table.entry(p.key.name.clone()).or_default();
            units.insert(p.unit.as_ref().map_or("any".into(), |u| u.text.clone()));
            former.extend(p.aliases.iter().map(|a| a.name.clone()));
        }
    }
    tables
}

#[test]
fn the_page_lists_every_symbol_once_with_its_units() {
    assert_eq!(written(include_str!("../../../../docs/reference/symbols.md")), used(&built_in()));
}

/// Several units of one symbol differ by what turns and what moves straight: N s/m and N m s/rad. Numbers, parts of one
/// unit and revolutions are no reason.
#[test]
fn a_symbol_has_one_dimension_or_those_of_ways_and_turns() {
    for (domain, table) in used(&built_in()) {
        for (symbol, (units, _)) in table {
            let kinds: Vec<_> =
                units.iter().filter_map(|u| parse_unit(u).ok()).map(|u| u.dimension.exponents()).collect();
            // Forces become moments and ways become angles: only the power of the length changes.
            let mut others = kinds.iter().map(|e| (e[1], e[2], e[3], e[4]));
            let first = others.next();
            assert!(others.all(|e| Some(e) == first), "{domain}: `{symbol}` is in {units:?}");
        }
    }
}
