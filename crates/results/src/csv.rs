//! Results as text: metadata as comments, one header line, one line per row.
//!
//! ```text
//! # model: hydro-gas strut
//! # doc body.x: Position of the body
//! # held: ["valve.open"]
//! # alias strut.rod.x: body.x
//! time [s],body.x [m],strut.rod.x [m],valve.open
//! 0,0.001,0.001,1
//! 0.001,0.0013,0.0013,1
//! # ended: complete
//! ```
//!
//! Numbers have the fewest digits that read back as the same number; `NaN`, `inf` and `-inf` are written so.
//! What is known only at the end follows the rows. Every name has a column, so that any tool finds it; `alias NAME: COLUMN` marks the further
//! names of a quantity. A file of others needs only its line of names; `trunnion_num::csv` has the rules.

use std::io::Write;

use trunnion_num::csv::{CsvFault, CsvHeading, CsvText, comment, entry};

use super::{Column, Metadata, Table, TableFault};

const DOC: &str = "doc ";
/// Marks a column that shows the same quantity as another: `alias NAME: COLUMN`.
const ALIAS: &str = "alias ";
/// Names of columns that change at instants only, as a list in JSON.
const HELD: &str = "held";

/// Everything before the first row.
pub fn head(header: &Table) -> String {
    let mut text = comments(&header.metadata);
    for column in header.columns.iter().filter(|column| !column.doc.is_empty()) {
        text += &comment(&format!("{DOC}{}", column.name), &column.doc);
    }
    let held: Vec<&str> = header.stored().filter(|column| column.held).map(|c| c.name.as_str()).collect();
    if !held.is_empty() {
        text += &comment(HELD, &serde_json::json!(held).to_string());
    }
    for column in &header.columns {
        if let Some(of) = &column.same_as {
            text += &comment(&format!("{ALIAS}{}", column.name), of);
        }
    }
    let cells: Vec<String> = header.columns.iter().map(header_cell).collect();
    text += &cells.join(",");
    text.push('\n');
    text
}

/// Metadata as comment lines.
pub fn comments(metadata: &Metadata) -> String {
    metadata.iter().map(|(key, value)| comment(key, value)).collect()
}

pub fn push_row(text: &mut Vec<u8>, row: impl IntoIterator<Item = f64>) {
    let start = text.len();
    for value in row {
        if text.len() > start {
            text.push(b',');
        }
        // Debug is the shortest form that reads back equal, and turns to exponents where plain digits get long.
        // Writing to memory cannot fail.
        let _ = write!(text, "{value:?}");
        if text.ends_with(b".0") {
            text.truncate(text.len() - 2);
        }
    }
    text.push(b'\n');
}

fn header_cell(column: &Column) -> String {
    // A bare name that ends like a unit gets an empty one, so that it reads back as a name.
    let cell = if column.unit.is_empty() && column.name.ends_with(']') {
        format!("{} []", column.name)
    } else {
        column.label()
    };
    let cell = cell.replace(['\n', '\r'], " ");
    if cell.contains([',', '"']) || cell.starts_with('#') || cell.trim() != cell {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

/// Reads a whole file. Of an unfinished one, a last line without its line break is dropped.
pub fn parse(text: &str, unfinished: bool) -> Result<Table, TableFault> {
    let whole = if unfinished { text.rfind('\n').map_or(0, |at| at + 1) } else { text.len() };
    let text = &text[..whole];
    let fault = |fault: CsvFault| match fault {
        CsvFault::Empty => TableFault::NoColumns,
        CsvFault::NoHeader { line, .. } => TableFault::NoHeader { line },
        CsvFault::Cells { line, found, expected, place } => {
            TableFault::Cells { line, at: CsvText::character(text, place.start), found, expected }
        }
    };
    let csv = CsvText::read(text).map_err(fault)?;
    let column = |h: &CsvHeading<'_>| Column::new(h.name.as_ref(), h.unit.as_deref().unwrap_or_default(), "");
    let mut table = Table { columns: csv.head.iter().map(column).collect(), ..Table::default() };
    for row in csv.rows() {
        let row = row.map_err(fault)?;
        for (cell, column) in row.cells.iter().zip(&mut table.columns) {
            let value = cell.number().ok_or_else(|| TableFault::NotANumber {
                line: row.line,
                at: CsvText::character(text, cell.place.start),
                column: column.name.clone(),
                text: cell.text.chars().take(40).collect(),
            })?;
            column.values.push(value);
        }
    }
    comments_of(&csv, &mut table);
    table.check()?;
    Ok(table)
}

/// Metadata, descriptions and further names from the comments.
fn comments_of(csv: &CsvText<'_>, table: &mut Table) {
    let (mut docs, mut held) = (Metadata::new(), vec![]);
    for (key, value) in csv.comments.iter().filter_map(|comment| entry(comment)) {
        if let Some(name) = key.strip_prefix(DOC) {
            docs.insert(name.to_owned(), value);
        } else if let Some(name) = key.strip_prefix(ALIAS) {
            if let Some(column) = table.columns.iter_mut().find(|column| column.name == name) {
                column.same_as = Some(value);
            }
        } else if key == HELD {
            held = serde_json::from_str::<Vec<String>>(&value).unwrap_or_default();
        } else {
            table.metadata.insert(key, value);
        }
    }
    for column in &mut table.columns {
        column.doc = docs.remove(&column.name).unwrap_or_default();
        column.held = held.contains(column.same_as.as_ref().unwrap_or(&column.name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_read_back_equal() {
        let values = [0.0, -0.0, 1.0, 0.1, 1e300, -2.5e-310, f64::MAX, 1.0 / 3.0, f64::INFINITY];
        let mut text = Vec::new();
        push_row(&mut text, values);
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text, "0,-0,1,0.1,1e300,-2.5e-310,1.7976931348623157e308,0.3333333333333333,inf\n");
        for (cell, value) in text.trim().split(',').zip(values) {
            assert_eq!(cell.parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
    }

    #[test]
    fn awkward_names_and_metadata_survive() {
        let mut header = Table::default();
        for (name, unit, doc) in
            [("time", "s", ""), ("a,b \"c\"", "m/s", "two\nlines: x"), ("x [0]", "", "\\n"), ("#n", "", "")]
        {
            header.columns.push(Column::new(name, unit, doc));
        }
        header.metadata.insert("odd: key".into(), " # 1: 2\r\n".into());
        assert_eq!(parse(&head(&header), true).unwrap(), header);
    }

    #[test]
    fn files_of_others_are_read() {
        let table = parse("\u{feff}t [s], \"x\" \r\n0, 1\r\n1,\r\n\r\n2,nan", false).unwrap();
        assert_eq!(table.columns[0].values, [0.0, 1.0, 2.0]);
        assert_eq!((table.columns[0].unit.as_str(), table.columns[1].name.as_str()), ("s", "x"));
        assert!(table.columns[1].values[1].is_nan() && table.columns[1].values[2].is_nan());
    }

    #[test]
    fn wrong_lines_are_named() {
        let message = |text: &str| parse(text, false).unwrap_err().to_string();
        assert_eq!(message("t,x\n0,1\n0,1,2\n"), "line 3, column 5: 3 values for 2 columns");
        assert_eq!(message("t,x\n0,high\n"), "line 2, column 3: `high` is not a number, but a value of `x`");
        assert_eq!(message("1,2\n3,4\n"), "line 1: numbers where the names of the columns should be");
        assert_eq!(message("t,t\n"), "two columns are named `t`");
        assert_eq!(message(""), "there are no columns");
    }
}
