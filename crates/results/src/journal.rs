//! The rows of a run on its way to Parquet: a header line in JSON, then the rows as little-endian `f64`.
//!
//! Appending a row touches nothing before it, so a run killed at any moment leaves a file that reads up to the
//! last whole row. (Parquet keeps its index at the end: killed, it would leave nothing.)

use std::io::{self, BufRead, Read};

use serde_json::{Map, Value, json};

use super::{Column, Metadata, Table, TableFault};

const FORMAT: &str = "trunnion journal 1";
/// No header is longer; what is longer is not a journal.
const LONGEST_HEADER: u64 = 64 << 20;

pub fn head(header: &Table) -> Vec<u8> {
    let metadata: Map<String, Value> =
        header.metadata.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect();
    let line = json!({ "format": FORMAT, "columns": columns_to_json(header), "metadata": metadata });
    format!("{line}\n").into_bytes()
}

pub fn push_row(bytes: &mut Vec<u8>, row: impl IntoIterator<Item = f64>) {
    bytes.extend(row.into_iter().flat_map(f64::to_le_bytes));
}

/// Reads a journal piece by piece.
pub struct Journal<R> {
    source: R,
    /// The header, without rows.
    pub header: Table,
}

impl<R: BufRead> Journal<R> {
    /// The inner error is what is wrong with the header.
    pub fn open(mut source: R) -> io::Result<Result<Self, TableFault>> {
        let mut line = Vec::new();
        source.by_ref().take(LONGEST_HEADER).read_until(b'\n', &mut line)?;
        let header = parse_head(&line);
        Ok(header.and_then(|header| header.check().map(|()| Self { source, header })))
    }

    /// Up to `limit` further rows as columns; none at the end. An incomplete last row is dropped. Further names stay without values.
    pub(crate) fn next_rows(&mut self, limit: usize) -> io::Result<Vec<Column>> {
        let mut columns = self.header.columns.clone();
        let row_len = 8 * self.header.stored().count();
        let mut bytes = Vec::new();
        self.source.by_ref().take((limit * row_len) as u64).read_to_end(&mut bytes)?;
        for row in bytes.chunks_exact(row_len) {
            let stored = columns.iter_mut().filter(|column| column.same_as.is_none());
            for (value, column) in row.as_chunks::<8>().0.iter().zip(stored) {
                column.values.push(f64::from_le_bytes(*value));
            }
        }
        Ok(columns)
    }
}

fn parse_head(line: &[u8]) -> Result<Table, TableFault> {
    let head: Value = line
        .strip_suffix(b"\n")
        .and_then(|line| serde_json::from_slice(line).ok())
        .ok_or(TableFault::JournalHeader)?;
    if head["format"] != FORMAT {
        return Err(TableFault::JournalHeader);
    }
    let columns = columns_from_json(&head["columns"]).ok_or(TableFault::JournalHeader)?;
    let metadata = head["metadata"].as_object().ok_or(TableFault::JournalHeader)?;
    let metadata: Metadata = metadata
        .iter()
        .map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_owned()))
        .collect();
    Ok(Table { columns, metadata })
}

/// Name, unit and description of every column, as this journal and the Parquet metadata hold them; `same_as` names the column whose values it
/// has, `held` marks what changes at instants only.
pub(crate) fn columns_to_json(header: &Table) -> Value {
    header
        .columns
        .iter()
        .map(|column| {
            let mut about = json!({ "name": column.name, "unit": column.unit, "doc": column.doc });
            if let Some(of) = &column.same_as {
                about["same_as"] = of.as_str().into();
            }
            if column.held {
                about["held"] = true.into();
            }
            about
        })
        .collect()
}

pub(crate) fn columns_from_json(value: &Value) -> Option<Vec<Column>> {
    value
        .as_array()?
        .iter()
        .map(|column| {
            let text = |key: &str| column[key].as_str();
            let same_as = text("same_as").map(str::to_owned);
            let held = column["held"].as_bool().unwrap_or(false);
            Some(Column { same_as, held, ..Column::new(text("name")?, text("unit")?, text("doc")?) })
        })
        .collect()
}
