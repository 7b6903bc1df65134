//! Results as text: metadata as comments, one header line, one line per row.
//!
//! ```text
//! # model: hydro-gas strut
//! # doc body.x: Position of the body
//! time [s],body.x [m],valve.open
//! 0,0.001,1
//! 0.001,0.0013,1
//! # ended: complete
//! ```
//!
//! Numbers have the fewest digits that read back as the same number; `NaN`, `inf` and `-inf` are written so.
//! What is known only at the end follows the rows. A file of others needs only its header line.

use std::io::Write;

use super::{Column, Fault, Metadata, Table};

const DOC: &str = "doc ";

/// Everything before the first row.
pub fn head(header: &Table) -> String {
    let mut text = comments(&header.metadata);
    for column in header.columns.iter().filter(|column| !column.doc.is_empty()) {
        text += &comment(&format!("{DOC}{}", column.name), &column.doc);
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

fn comment(key: &str, value: &str) -> String {
    format!("# {}: {}\n", escape(key).replace(": ", ":\\ "), escape(value))
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    plain
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
pub fn parse(text: &str, unfinished: bool) -> Result<Table, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let whole = if unfinished { text.rfind('\n').map_or(0, |at| at + 1) } else { text.len() };
    let mut table = Table::default();
    let mut docs = Metadata::new();
    for (idx, line) in text[..whole].lines().enumerate() {
        if let Some(comment) = line.strip_prefix('#') {
            if let Some((key, value)) = comment.trim_start().split_once(": ") {
                let (key, value) = (unescape(key), unescape(value));
                match key.strip_prefix(DOC) {
                    Some(name) => docs.insert(name.to_owned(), value),
                    None => table.metadata.insert(key, value),
                };
            }
        } else if line.trim().is_empty() {
            continue;
        } else if table.columns.is_empty() {
            table.columns = header_columns(line, idx + 1)?;
        } else {
            parse_row(line, idx + 1, &mut table.columns)?;
        }
    }
    for column in &mut table.columns {
        column.doc = docs.remove(&column.name).unwrap_or_default();
    }
    table.check()?;
    Ok(table)
}

fn header_columns(line: &str, line_no: usize) -> Result<Vec<Column>, Fault> {
    let cells = split_header(line);
    if cells.iter().all(|cell| cell.trim().parse::<f64>().is_ok()) {
        return Err(Fault::NoHeader { line: line_no });
    }
    Ok(cells
        .into_iter()
        .map(|cell| {
            let parts = cell.strip_suffix(']').and_then(|inner| inner.rsplit_once(" ["));
            let (name, unit) = parts.unwrap_or((&cell, ""));
            Column::new(name, unit, "")
        })
        .collect())
}

/// Cells between commas; a cell in double quotes may hold commas, and doubled quotes for one.
fn split_header(line: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        let trimmed = rest.trim_start();
        let cell = if let Some(quoted) = trimmed.strip_prefix('"') {
            let mut cell = String::new();
            let mut chars = quoted.char_indices().peekable();
            rest = "";
            while let Some((at, c)) = chars.next() {
                if c != '"' {
                    cell.push(c);
                } else if chars.next_if(|(_, next)| *next == '"').is_some() {
                    cell.push('"');
                } else {
                    rest = &quoted[at + 1..];
                    break;
                }
            }
            rest = rest.find(',').map_or("", |at| &rest[at..]);
            cell
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            let cell = rest[..end].trim().to_owned();
            rest = &rest[end..];
            cell
        };
        cells.push(cell);
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None => return cells,
        }
    }
}

fn parse_row(line: &str, line_no: usize, columns: &mut [Column]) -> Result<(), Fault> {
    let found = line.split(',').count();
    if found != columns.len() {
        return Err(Fault::Cells { line: line_no, found, expected: columns.len() });
    }
    for (cell, column) in line.split(',').zip(columns) {
        let cell = cell.trim().trim_matches('"');
        // Others leave a missing value empty.
        let value = if cell.is_empty() { Ok(f64::NAN) } else { cell.parse() };
        column.values.push(value.map_err(|_| Fault::NotANumber {
            line: line_no,
            column: column.name.clone(),
            text: cell.chars().take(40).collect(),
        })?);
    }
    Ok(())
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
        assert_eq!(message("t,x\n0,1\n0,1,2\n"), "line 3: 3 values for 2 columns");
        assert_eq!(message("t,x\n0,high\n"), "line 2: `high` in column `x` is not a number");
        assert_eq!(message("1,2\n3,4\n"), "line 1: numbers where the names of the columns should be");
        assert_eq!(message("t,t\n"), "two columns are named `t`");
        assert_eq!(message(""), "there are no columns");
    }
}
