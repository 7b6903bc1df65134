//! Results as Parquet: one required `DOUBLE` column per signal.
//!
//! Names, units and descriptions are in the file's metadata under `trunnion.columns` (JSON), the metadata of
//! the run under `trunnion.<key>`; units, descriptions and further names once more where pandas finds them. Values that repeat are stored once (dictionary); the others byte by byte
//! (BYTE_STREAM_SPLIT), which lets the compressor see the slowly changing exponents.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::panic;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{DataType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use serde_json::{Map, Value, json};

use super::{Column, Table, TableFault, journal};

const COLUMNS: &str = "trunnion.columns";
const PREFIX: &str = "trunnion.";
/// Where pandas keeps the attributes of a table, a JSON object that it gives back as `DataFrame.attrs`.
const PANDAS_ATTRS: &str = "PANDAS_ATTRS";
/// Values in memory per row group: 32 MiB.
const GROUP_VALUES: usize = 4 << 20;
/// A column with more distinct values than fit here (8 KiB: 1024) is not worth a dictionary.
const DICTIONARY_BYTES: usize = 8 << 10;

/// Rows to give to [`Sink::row_group`] at a time.
pub(crate) fn rows_per_group(n_columns: usize) -> usize {
    (GROUP_VALUES / n_columns.max(1)).max(1)
}

/// Units and descriptions by column, and which column has the values of a further name.
fn attributes(header: &Table) -> Value {
    let of = |text: fn(&Column) -> &str| -> Map<String, Value> {
        let known = header.stored().filter(|column| !text(column).is_empty());
        known.map(|column| (column.name.clone(), text(column).into())).collect()
    };
    let aliases: Map<String, Value> = (header.columns.iter())
        .filter_map(|column| Some((column.name.clone(), column.same_as.as_deref()?.into())))
        .collect();
    json!({ "units": of(|column| &column.unit), "descriptions": of(|column| &column.doc), "aliases": aliases })
}

/// A Parquet file being written, one row group at a time.
pub struct ParquetSink {
    writer: SerializedFileWriter<File>,
}

impl ParquetSink {
    pub fn create(file: File, header: &Table) -> Result<Self, ParquetError> {
        let fields = header
            .stored()
            .map(|column| {
                Type::primitive_type_builder(&column.name, Physical::DOUBLE)
                    .with_repetition(Repetition::REQUIRED)
                    .build()
                    .map(Arc::new)
            })
            .collect::<Result<_, _>>()?;
        let schema = Type::group_type_builder("trunnion").with_fields(fields).build()?;
        let metadata = header.metadata.iter().map(|(key, value)| (format!("{PREFIX}{key}"), value.clone()));
        let metadata = metadata
            .chain([
                (COLUMNS.to_owned(), journal::columns_to_json(header).to_string()),
                (PANDAS_ATTRS.to_owned(), attributes(header).to_string()),
            ])
            .map(|(key, value)| KeyValue::new(key, value))
            .collect();
        let properties = WriterProperties::builder()
            .set_created_by(concat!("trunnion ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(metadata))
            .set_compression(Compression::SNAPPY)
            .set_dictionary_page_size_limit(DICTIONARY_BYTES)
            .set_encoding(Encoding::BYTE_STREAM_SPLIT)
            .build();
        Ok(Self { writer: SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))? })
    }

    pub(crate) fn row_group(&mut self, columns: &[Column]) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for column in columns.iter().filter(|column| column.same_as.is_none()) {
            if let Some(mut writer) = group.next_column()? {
                writer.typed::<DoubleType>().write_batch(&column.values, None, None)?;
                writer.close()?;
            }
        }
        group.close()?;
        Ok(())
    }

    /// Writes the index and gives the file back.
    pub fn close(self) -> Result<File, ParquetError> {
        self.writer.into_inner()
    }
}

/// The system's refusal inside a Parquet error, where that is what it is.
pub(crate) fn system_error(error: ParquetError) -> Result<io::Error, ParquetError> {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => Ok(*cause),
            Err(cause) => Err(ParquetError::External(cause)),
        },
        other => Err(other),
    }
}

/// Reads a whole file: ours, or another's of plain numeric columns.
pub fn read(file: File) -> Result<Table, TableFault> {
    // The decoder panics on some damaged pages (a dictionary that is announced and missing, for one).
    panic::catch_unwind(|| read_sound(file)).unwrap_or(Err(TableFault::Damaged))
}

fn read_sound(file: File) -> Result<Table, TableFault> {
    let reader = SerializedFileReader::new(file).map_err(TableFault::Parquet)?;
    let about = reader.metadata().file_metadata();
    let mut table = Table::default();
    let mut known = Vec::new();
    for KeyValue { key, value } in about.key_value_metadata().into_iter().flatten() {
        let value = value.as_deref().unwrap_or_default();
        if key == COLUMNS {
            let json = serde_json::from_str(value).unwrap_or_default();
            known = journal::columns_from_json(&json).unwrap_or_default();
        } else if let Some(key) = key.strip_prefix(PREFIX) {
            table.metadata.insert(key.to_owned(), value.to_owned());
        }
    }
    for described in about.schema_descr().columns() {
        let name = described.path().string();
        if described.max_rep_level() > 0 {
            return Err(TableFault::ColumnType { name, found: "lists".into() });
        }
        let known = known.iter().find(|column| column.name == name);
        let unknown = || Column::new(&name, "", "");
        table.columns.push(known.map_or_else(unknown, |known| Column { same_as: None, ..known.clone() }));
    }
    for group_idx in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group_idx).map_err(TableFault::Parquet)?;
        let n_rows = usize::try_from(group.metadata().num_rows()).map_err(|_| TableFault::Damaged)?;
        check_places(group.metadata())?;
        for (column_idx, column) in table.columns.iter_mut().enumerate() {
            let source = group.get_column_reader(column_idx).map_err(TableFault::Parquet)?;
            read_column(source, n_rows, column)?;
        }
    }
    with_aliases(&mut table, known);
    table.check()?;
    Ok(table)
}

/// Further names in their places: the metadata list all names in their order.
fn with_aliases(table: &mut Table, known: Vec<Column>) {
    let mut stored: HashMap<String, Column> = HashMap::new();
    let in_file: Vec<String> = table.names().map(str::to_owned).collect();
    let stored_once = in_file.iter().collect::<HashSet<_>>().len() == in_file.len();
    if !stored_once || !known.iter().any(|column| column.same_as.is_some()) {
        return;
    }
    stored.extend(table.columns.drain(..).map(|column| (column.name.clone(), column)));
    for column in known {
        match stored.remove(&column.name) {
            Some(column) => table.columns.push(column),
            None if column.same_as.is_some() => table.columns.push(column),
            None => {}
        }
    }
    table.columns.extend(in_file.iter().filter_map(|name| stored.remove(name)));
}

/// Places in the file cannot be negative; the library takes that for granted.
fn check_places(group: &RowGroupMetaData) -> Result<(), TableFault> {
    let sound = |chunk: &ColumnChunkMetaData| {
        chunk.data_page_offset() >= 0
            && chunk.compressed_size() >= 0
            && chunk.dictionary_page_offset().is_none_or(|offset| offset >= 0)
    };
    if group.columns().iter().all(sound) { Ok(()) } else { Err(TableFault::Damaged) }
}

fn read_column(source: ColumnReader, n_rows: usize, column: &mut Column) -> Result<(), TableFault> {
    let found = match source {
        ColumnReader::DoubleColumnReader(reader) => return append(reader, n_rows, column, |value| value),
        ColumnReader::FloatColumnReader(reader) => return append(reader, n_rows, column, f64::from),
        ColumnReader::Int32ColumnReader(reader) => return append(reader, n_rows, column, f64::from),
        ColumnReader::Int64ColumnReader(reader) => {
            return append(reader, n_rows, column, |value| value as f64);
        }
        ColumnReader::BoolColumnReader(reader) => return append(reader, n_rows, column, f64::from),
        ColumnReader::Int96ColumnReader(_) => "times",
        ColumnReader::ByteArrayColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => "text",
    };
    Err(TableFault::ColumnType { name: column.name.clone(), found: found.into() })
}

fn append<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    n_rows: usize,
    column: &mut Column,
    number: impl Fn(T::T) -> f64,
) -> Result<(), TableFault> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut n_read = 0;
    while n_read < n_rows {
        let (records, ..) = reader
            .read_records(n_rows - n_read, Some(&mut levels), None, &mut values)
            .map_err(TableFault::Parquet)?;
        if records == 0 {
            return Err(TableFault::Damaged);
        }
        n_read += records;
    }
    if levels.is_empty() {
        column.values.extend(values.into_iter().map(number));
        return Ok(());
    }
    // A column that may be empty somewhere says by its level where a value is.
    let there = levels.iter().copied().max().unwrap_or(0).max(1);
    let mut values = values.into_iter().map(number);
    column.values.extend(
        levels.iter().map(|level| if *level == there { values.next() } else { None }.unwrap_or(f64::NAN)),
    );
    Ok(())
}
