//! Writing results while the run goes on.
//!
//! Rows go to `<destination>.partial`. Parquet is made from it by [`Writer::finish`] in a temporary file; a
//! CSV is already what it will be. Either appears under its own name in one rename, whole or not at all.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use parquet::errors::ParquetError;

use super::journal::{self, Journal};
use super::parquet::Sink;
use super::{
    Action, Column, ENDED, Error, Fault, Format, Metadata, Table, csv, parquet as columns, with_suffix,
};

/// A killed run loses at most what came in this time, or this many bytes.
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);
const FLUSH_BYTES: usize = 1 << 18;

/// How `ended` of a failed run begins.
const FAILED: &str = "failed:";

/// A results file being written.
pub struct Writer {
    destination: PathBuf,
    partial: PathBuf,
    format: Format,
    header: Table,
    file: File,
    /// Bytes of whole rows in the file.
    written: u64,
    waiting: Vec<u8>,
    flushed_at: Instant,
    rows: u64,
    /// Why rows were lost, once they were: from then on the file takes no more, and is no complete result.
    lost: Option<io::ErrorKind>,
}

impl Writer {
    /// Starts a file with the columns and metadata of `header`, whose rows are ignored.
    ///
    /// A destination that cannot be written is refused here, before anything was computed.
    pub fn open(destination: &Path, header: &Table) -> Result<Self, Error> {
        let format = Format::of(destination)?;
        check_destination(destination)?;
        let header = without_rows(header);
        header.check().map_err(|fault| Error::Content { path: destination.to_owned(), fault })?;
        let partial = super::partial_path(destination);
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&partial)
            .map_err(|cause| refused(&partial, Action::Create, cause))?;
        // Where the file system knows no locks, go on without.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Error::Busy { path: destination.to_owned() });
        }
        file.set_len(0).map_err(|cause| refused(&partial, Action::Create, cause))?;
        let writer = Self::start(file, destination, format, header);
        // Nobody wants an empty rest of a run that never began.
        writer.inspect_err(|_| drop(fs::remove_file(&partial)))
    }

    fn start(file: File, destination: &Path, format: Format, header: Table) -> Result<Self, Error> {
        let waiting = match format {
            Format::Parquet => journal::head(&header),
            Format::Csv => csv::head(&header).into_bytes(),
        };
        let mut writer = Self {
            destination: destination.to_owned(),
            partial: super::partial_path(destination),
            format,
            header,
            file,
            written: 0,
            waiting,
            flushed_at: Instant::now(),
            rows: 0,
            lost: None,
        };
        writer.flush()?;
        Ok(writer)
    }

    /// Adds a row, one value per column.
    pub fn push_row(&mut self, row: &[f64]) -> Result<(), Error> {
        let expected = self.header.columns.len();
        if row.len() != expected {
            let fault = Fault::RowLength { found: row.len(), expected };
            return Err(Error::Content { path: self.destination.clone(), fault });
        }
        if let Some(kind) = self.lost {
            return Err(self.refused(&self.partial, Action::Write, kind.into()));
        }
        match self.format {
            Format::Parquet => journal::push_row(&mut self.waiting, row),
            Format::Csv => csv::push_row(&mut self.waiting, row.iter().copied()),
        }
        self.rows += 1;
        if self.waiting.len() >= FLUSH_BYTES || self.flushed_at.elapsed() >= FLUSH_INTERVAL {
            self.flush()?;
        }
        Ok(())
    }

    /// Hands all rows so far to the system, where they survive the end of this process.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.flushed_at = Instant::now();
        let result = self.file.write_all(&self.waiting);
        match &result {
            Ok(()) => self.written += self.waiting.len() as u64,
            Err(cause) => {
                self.lost = Some(cause.kind());
                // Part of a row may have been written: go back to the last whole one. Should that fail too,
                // the reader drops the incomplete row.
                let _ = self.file.set_len(self.written);
                let _ = self.file.seek(SeekFrom::Start(self.written));
            }
        }
        self.waiting.clear();
        result.map_err(|cause| self.refused(&self.partial, Action::Write, cause))
    }

    /// Rows pushed so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Where the rows are until [`Writer::finish`].
    pub fn partial(&self) -> &Path {
        &self.partial
    }

    /// Ends the file: how the run ended ([`super::COMPLETE`], [`super::CANCELLED`] or `failed: …`) and what
    /// else is known only now. After an error the rows are still in the partial file; where rows were lost
    /// before, the result says that it failed, whatever `ended` is.
    pub fn finish(mut self, ended: &str, more: Metadata) -> Result<(), Error> {
        let mut last = more;
        let ended = match self.lost {
            Some(kind) if !ended.starts_with(FAILED) => {
                format!("{FAILED} rows could not be written ({kind})")
            }
            _ => ended.to_owned(),
        };
        last.insert(ENDED.to_owned(), ended);
        match self.format {
            Format::Csv => {
                self.waiting.extend(csv::comments(&last).bytes());
                self.flush()?;
                self.file.sync_all().map_err(|cause| self.refused(&self.partial, Action::Write, cause))?;
                rename(&self.partial, &self.destination).map_err(|error| self.keeping(error))
            }
            Format::Parquet => {
                self.flush()?;
                self.header.metadata.extend(last);
                self.convert().map_err(|error| self.keeping(error))?;
                // The result is whole; a journal that cannot be removed does no harm.
                let _ = fs::remove_file(&self.partial);
                Ok(())
            }
        }
    }

    /// The journal as Parquet, row group by row group.
    fn convert(&self) -> Result<(), Error> {
        let unreadable = |cause| refused(&self.partial, Action::Read, cause);
        let source = BufReader::new(File::open(&self.partial).map_err(unreadable)?);
        let mut journal = Journal::open(source)
            .map_err(unreadable)?
            .map_err(|fault| Error::Content { path: self.partial.clone(), fault })?;
        let limit = columns::rows_per_group(self.header.columns.len());
        write_parquet(&self.destination, &self.header, || {
            let rows = journal.next_rows(limit).map_err(unreadable)?;
            Ok(Some(rows).filter(|rows| !rows[0].values.is_empty()))
        })
    }

    fn refused(&self, path: &Path, action: Action, cause: io::Error) -> Error {
        self.keeping(refused(path, action, cause))
    }

    /// Says in an error that the rows so far are not lost.
    fn keeping(&self, error: Error) -> Error {
        match error {
            Error::File { path, action, cause, .. } if self.rows > 0 => {
                Error::File { path, action, cause, kept: Some(self.partial.clone()) }
            }
            other => other,
        }
    }
}

impl Drop for Writer {
    /// A run that ends without `finish` leaves all its rows in the partial file.
    fn drop(&mut self) {
        if !self.waiting.is_empty() {
            // There is nobody left to tell; the rows flushed before are safe.
            let _ = self.flush();
        }
    }
}

/// Saves a table in the format its name asks for, whole or not at all.
pub fn write(table: &Table, destination: &Path) -> Result<(), Error> {
    let format = Format::of(destination)?;
    check_destination(destination)?;
    table.check().map_err(|fault| Error::Content { path: destination.to_owned(), fault })?;
    match format {
        Format::Parquet => {
            let limit = columns::rows_per_group(table.columns.len());
            let mut from = 0;
            write_parquet(destination, &without_rows(table), || {
                let to = (from + limit).min(table.rows());
                let slice = |column: &Column| Column {
                    values: column.values[from..to].to_vec(),
                    ..Column::new(&column.name, "", "")
                };
                let rows: Vec<Column> = table.columns.iter().map(slice).collect();
                from = to;
                Ok(Some(rows).filter(|rows| !rows[0].values.is_empty()))
            })
        }
        Format::Csv => publish(destination, |mut file, temporary| {
            let failed = |cause| refused(temporary, Action::Write, cause);
            let mut text = csv::head(table).into_bytes();
            for row in 0..table.rows() {
                csv::push_row(&mut text, table.columns.iter().map(|column| column.values[row]));
                if text.len() >= FLUSH_BYTES {
                    file.write_all(&text).map_err(failed)?;
                    text.clear();
                }
            }
            file.write_all(&text).map_err(failed)?;
            Ok(file)
        }),
    }
}

/// Writes row groups until `next_rows` has none left.
fn write_parquet(
    destination: &Path,
    header: &Table,
    mut next_rows: impl FnMut() -> Result<Option<Vec<Column>>, Error>,
) -> Result<(), Error> {
    publish(destination, |file, temporary| {
        let failed = |error: ParquetError| match columns::system_error(error) {
            Ok(cause) => refused(temporary, Action::Write, cause),
            Err(error) => Error::Content { path: destination.to_owned(), fault: Fault::Parquet(error) },
        };
        let mut sink = Sink::create(file, header).map_err(failed)?;
        while let Some(rows) = next_rows()? {
            sink.row_group(&rows).map_err(failed)?;
        }
        sink.close().map_err(failed)
    })
}

/// Fills a temporary file and lets it take the destination's name; on an error nothing of it stays.
fn publish(destination: &Path, fill: impl FnOnce(File, &Path) -> Result<File, Error>) -> Result<(), Error> {
    let temporary = with_suffix(destination, ".tmp");
    let file = File::create(&temporary).map_err(|cause| refused(&temporary, Action::Create, cause))?;
    let filled = fill(file, &temporary)
        .and_then(|file| file.sync_all().map_err(|cause| refused(&temporary, Action::Write, cause)))
        .and_then(|()| rename(&temporary, destination));
    filled.inspect_err(|_| drop(fs::remove_file(&temporary)))
}

fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    fs::rename(from, to).map_err(|cause| refused(to, Action::Rename, cause))
}

fn check_destination(destination: &Path) -> Result<(), Error> {
    let path = destination.to_owned();
    match fs::metadata(destination) {
        Ok(about) if about.is_dir() => Err(Error::IsFolder { path }),
        Ok(about) if about.permissions().readonly() => Err(Error::Protected { path }),
        _ => Ok(()),
    }
}

fn without_rows(table: &Table) -> Table {
    let bare = |column: &Column| Column::new(&column.name, &column.unit, &column.doc);
    Table { columns: table.columns.iter().map(bare).collect(), metadata: table.metadata.clone() }
}

fn refused(path: &Path, action: Action, cause: io::Error) -> Error {
    Error::File { path: path.to_owned(), action, cause, kept: None }
}

#[cfg(test)]
impl Writer {
    /// From now on writes go to another file; gives the one before back.
    pub(super) fn redirect(&mut self, file: File) -> File {
        std::mem::replace(&mut self.file, file)
    }
}
