//! Tables: columns of numbers with units.

use trunnion_num::{Outside, TableShape};

use super::csv::with_file;
use super::read::{number, unit};
use super::sections::{fields_of, plain, table_of};
use super::{Reading, TableColumn, TableData, wrong_dimension};
use crate::diagnostic::{Diagnostic, Problems};
use crate::file::{Data, Fields, TomlEntry, TomlKey, TomlValue, wrong_type};
use crate::language::is_function;
use crate::units::{Dimension, parse_value};

fn read_column(f: &Fields<'_>, key: &'static str) -> Option<TableColumn> {
    let problems = f.problems;
    let value = f.value(key)?;
    let (list, own_unit) = match &value.data {
        Data::List(list) => (list.as_slice(), None),
        Data::Table(table) => {
            let inner = Fields::new(table, format!("`{key}`"), &value.span, problems);
            let own = inner.text("unit").and_then(|t| unit(&t, problems));
            let list = inner.list("values");
            if inner.value("values").is_none() {
                inner.missing("values", "as in { unit = \"mm\", values = [0, 1, 2] }");
            }
            inner.finish();
            (list?, own)
        }
        _ => {
            problems.add(wrong_type(value, key, "a list, or a table with `unit` and `values`"));
            return None;
        }
    };
    let mut column = TableColumn { values: vec![], unit: own_unit };
    let mut good = true;
    for item in list {
        // Rows of a table of two variables follow each other.
        let row = match &item.data {
            Data::List(row) => row.as_slice(),
            _ => std::slice::from_ref(item),
        };
        for cell in row {
            good &= read_cell(cell, key, &mut column, problems);
        }
    }
    column.unit = column.unit.or_else(plain);
    good.then_some(column)
}

/// One value of a table: a number in the unit of the column, or a number with its own unit.
fn read_cell(cell: &TomlValue, key: &str, column: &mut TableColumn, problems: &Problems) -> bool {
    let Some(text) = cell.as_text() else {
        let Some(v) = number(cell, key, "a list of numbers", problems) else { return false };
        let si = column.unit.as_ref().map_or(v, |u| v * u.factor + u.offset);
        column.values.push(si);
        return true;
    };
    match parse_value(&text.text) {
        Ok(value) => {
            let dimension = column.unit.as_ref().map(|u| u.dimension);
            if let Some(wanted) = dimension.filter(|d| *d != value.unit.dimension) {
                problems.add(wrong_dimension(
                    &text.span,
                    wanted,
                    value.unit.dimension,
                    "the values before are",
                ));
                return false;
            }
            column.values.push(value.si);
            column.unit.get_or_insert(value.unit);
            true
        }
        Err(error) => {
            problems.add(
                Diagnostic::error("M0110", error.message).at(&text.at(&error.span), "").hint_if(error.hint),
            );
            false
        }
    }
}

/// A table given where a component is used: written there, or the name of one `around` it. Where the component's own
/// table has units, those of the given one have to agree.
pub(crate) fn given_table<'t>(
    key: &TomlKey,
    value: &TomlValue,
    own: &TableData,
    around: impl Fn(&str) -> Option<&'t TableData>,
    problems: &Problems,
) -> Option<TableData> {
    let given = match value.as_text() {
        Some(text) => match around(&text.text) {
            Some(table) => table.clone(),
            None => {
                let error = Diagnostic::error("M0303", format!("there is no table `{}`", text.text));
                problems.add(error.at(&text.span, "not among [tables] here"));
                return None;
            }
        },
        None => table_data(&TomlEntry { key: key.clone(), value: value.clone() }, problems)?,
    };
    if given.z.is_some() != own.z.is_some() {
        let columns = if own.z.is_some() { "x, y and z" } else { "x and y" };
        let error = Diagnostic::error("M0115", format!("table `{}` has the columns {columns}", key.name));
        problems.add(error.at(&value.span, "this one does not"));
        return None;
    }
    let dimension = |column: &TableColumn| column.unit.as_ref().map(|u| u.dimension);
    let columns = |t: &TableData| [Some(&t.x), Some(&t.y), t.z.as_ref()].map(|c| c.and_then(dimension));
    for (wanted, found) in columns(own).into_iter().zip(columns(&given)) {
        if let (Some(wanted), Some(found)) = (wanted, found)
            && wanted != Dimension::ONE
            && wanted != found
        {
            problems.add(wrong_dimension(&value.span, wanted, found, &format!("table `{}` is", key.name)));
            return None;
        }
    }
    Some(given)
}

/// An entry of [tables].
pub(crate) fn read_table(entry: &TomlEntry, reading: &Reading<'_>) -> Option<TableData> {
    match with_file(entry, reading) {
        Some(value) => table_data(&TomlEntry { key: entry.key.clone(), value }, reading.problems),
        None => Some(unread(entry.key.clone(), false)),
    }
}

/// A table that could not be read still is a function, of any dimension.
fn unread(key: TomlKey, of_two: bool) -> TableData {
    let any = || TableColumn { values: vec![0.0, 1.0], unit: None };
    let z = of_two.then(|| TableColumn { values: vec![0.0; 4], unit: None });
    TableData { key, x: any(), y: any(), z, shape: TableShape::Linear, outside: Outside::Hold }
}

fn table_data(entry: &TomlEntry, problems: &Problems) -> Option<TableData> {
    let key = entry.key.clone();
    if is_function(&key.name) {
        let error = Diagnostic::error("M0113", format!("`{}` cannot name a table", key.name));
        problems
            .add(error.at(&key.span, "is a function of the language").hint("give the table another name"));
    }
    let table = table_of(entry, "a table with `x` and `y`", problems)?;
    let f = fields_of(table, "table", &key, problems);
    let x = read_column(&f, "x");
    let y = read_column(&f, "y");
    let z = read_column(&f, "z");
    let shape = f.choice("shape", &[("linear", TableShape::Linear), ("monotone", TableShape::Monotone)]);
    let outside = f.choice("outside", &[("hold", Outside::Hold), ("extend", Outside::Extend)]);
    f.text("doc");
    for name in ["x", "y"] {
        if table.get(name).is_none() {
            f.missing(name, "as in { x = [\"0 mm\", \"5 mm\"], y = [\"0 N\", \"20 N\"] }");
        }
    }
    f.finish();
    let of_two = table.get("z").is_some();
    let (shape, outside) = (shape.unwrap_or(TableShape::Linear), outside.unwrap_or(Outside::Hold));
    match (x, y) {
        (Some(x), Some(y)) if z.is_some() == of_two => Some(TableData { key, x, y, z, shape, outside }),
        _ => Some(unread(key, of_two)),
    }
}
