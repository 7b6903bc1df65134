//! Writing results while the run goes on.
//!
//! Rows go to `<destination>.partial`. Parquet is made from it by [`Writer::finish`] in a temporary file; a
//! CSV is already what it will be. Either appears under its own name in one rename, whole or not at all. A run that got nowhere does
//! not take the place of a result that is there.

use std::fs::File;
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use parquet::errors::ParquetError;

use super::journal::{self, Journal};
use super::parquet::ParquetSink;
use super::read::is_worthless;
use super::{
    COMPLETE, Column, ENDED, FileAction, FileFormat, Metadata, ResultsError, Table, TableFault, aliases, csv,
    extremes, parquet as columns,
};
use trunnion_files::output::{self, GrowingFile, OverwriteRefusal};

/// A killed run loses at most what came in this time, or this many bytes.
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);
const FLUSH_BYTES: usize = 1 << 18;

/// No result is larger: events may make rows without end, and a full disk stops others too.
pub const MOST_BYTES: u64 = if cfg!(test) { 8 << 20 } else { 32 << 30 };

/// How `ended` of a failed run begins.
const FAILED: &str = "failed:";

/// A results file being written. Another thread may have to end it ([`rescue`]): the file itself is shared.
pub struct ResultsWriter(Arc<Mutex<Option<OpenResults>>>);

/// All files being written.
static ALL: Mutex<Vec<Weak<Mutex<Option<OpenResults>>>>> = Mutex::new(vec![]);

/// Ends all files being written, from outside of the runs that write them: these will not go on. Gives the places where results are.
pub fn rescue(ended: &str) -> Vec<PathBuf> {
    let all = std::mem::take(&mut *ALL.lock().unwrap_or_else(PoisonError::into_inner));
    let mut written = vec![];
    for file in all.iter().filter_map(Weak::upgrade) {
        // A file whose thread is just writing keeps what is in it.
        let Some(open) = file.try_lock().ok().and_then(|mut open| open.take()) else { continue };
        let (destination, partial) = (open.destination.clone(), open.partial().to_owned());
        match open.finish(ended, Metadata::new()) {
            Ok(true) => written.push(destination),
            Ok(false) => {}
            Err(_) => written.push(partial),
        }
    }
    written
}

impl ResultsWriter {
    /// Starts a file with the columns and metadata of `header`, whose rows are ignored.
    ///
    /// A destination that cannot be written is refused here, before anything was computed.
    pub fn open(destination: &Path, header: &Table) -> Result<Self, ResultsError> {
        let shared = Arc::new(Mutex::new(Some(OpenResults::new(destination, header)?)));
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|file| file.strong_count() > 0);
        all.push(Arc::downgrade(&shared));
        Ok(ResultsWriter(shared))
    }

    fn with<R>(&self, body: impl FnOnce(&mut OpenResults) -> R) -> Option<R> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(body)
    }

    /// Adds a row, one value per column.
    pub fn push_row(&mut self, row: &[f64]) -> Result<(), ResultsError> {
        self.with(|open| open.push_row(row)).unwrap_or(Ok(()))
    }

    /// Hands all rows so far to the system, where they survive the end of this process.
    pub fn flush(&mut self) -> Result<(), ResultsError> {
        self.with(OpenResults::flush).unwrap_or(Ok(()))
    }

    /// Rows pushed so far.
    pub fn rows(&self) -> u64 {
        self.with(|open| open.rows).unwrap_or(0)
    }

    /// Where the rows are until [`Writer::finish`].
    pub fn partial(&self) -> PathBuf {
        self.with(|open| open.partial().to_owned()).unwrap_or_default()
    }

    /// Ends the file: how the run ended ([`super::COMPLETE`], [`super::CANCELLED`] or `failed: …`) and what
    /// else is known only now. After an error the rows are still in the partial file; where rows were lost
    /// before, the result says that it failed, whatever `ended` is. False: the run got nowhere, and an older result stays.
    pub fn finish(self, ended: &str, more: Metadata) -> Result<bool, ResultsError> {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        open.map_or(Ok(false), |open| open.finish(ended, more))
    }
}

struct OpenResults {
    destination: PathBuf,
    growing: GrowingFile,
    format: FileFormat,
    header: Table,
    /// By column: the one whose values it has.
    same: Vec<Option<usize>>,
    /// Bytes of whole rows in the file.
    written: u64,
    waiting: Vec<u8>,
    flushed_at: Instant,
    rows: u64,
    /// What the first row begins with, and whether another one begins otherwise: time has passed.
    first: f64,
    moved: bool,
    finished: bool,
    /// Why rows were lost, once they were: from then on the file takes no more, and is no complete result.
    lost: Option<io::ErrorKind>,
}

impl OpenResults {
    fn new(destination: &Path, header: &Table) -> Result<Self, ResultsError> {
        let format = FileFormat::of(destination)?;
        check_destination(destination)?;
        let header = without_rows(header);
        header.check().map_err(|fault| ResultsError::Content { path: destination.to_owned(), fault })?;
        let growing = GrowingFile::open(destination, |partial| is_worthless(partial, format));
        let growing = growing.map_err(|cause| match output::refusal(&cause) {
            Some(OverwriteRefusal::Busy) => ResultsError::Busy { path: destination.to_owned() },
            _ => refused(&output::partial_path(destination), FileAction::Create, cause),
        })?;
        let waiting = match format {
            FileFormat::Parquet => journal::head(&header),
            FileFormat::Csv => csv::head(&header).into_bytes(),
        };
        let place = |of: &String| header.columns.iter().position(|column| column.name == *of);
        let same = header.columns.iter().map(|column| column.same_as.as_ref().and_then(place)).collect();
        let mut writer = Self {
            destination: destination.to_owned(),
            growing,
            format,
            header,
            same,
            written: 0,
            waiting,
            flushed_at: Instant::now(),
            rows: 0,
            first: f64::NAN,
            moved: false,
            finished: false,
            lost: None,
        };
        writer.flush()?;
        Ok(writer)
    }

    fn push_row(&mut self, row: &[f64]) -> Result<(), ResultsError> {
        let expected = self.header.columns.len();
        if row.len() != expected {
            let fault = TableFault::RowLength { found: row.len(), expected };
            return Err(ResultsError::Content { path: self.destination.clone(), fault });
        }
        if let Some(kind) = self.lost {
            return Err(self.refused(self.partial(), FileAction::Write, kind.into()));
        }
        if self.written > MOST_BYTES {
            return Err(self.refused(self.partial(), FileAction::Write, io::ErrorKind::FileTooLarge.into()));
        }
        for (k, of) in self.same.iter().enumerate().filter_map(|(k, of)| Some((k, (*of)?))) {
            if !aliases::is_same(row[k], row[of]) {
                let [name, of] = [k, of].map(|k| self.header.columns[k].name.clone());
                return Err(ResultsError::Content {
                    path: self.destination.clone(),
                    fault: TableFault::NotTheSame { name, of },
                });
            }
        }
        let stored = row.iter().zip(&self.same).filter(|(_, of)| of.is_none()).map(|(value, _)| *value);
        match self.format {
            FileFormat::Parquet => journal::push_row(&mut self.waiting, stored),
            FileFormat::Csv => csv::push_row(&mut self.waiting, row.iter().copied()),
        }
        if self.rows == 0 {
            self.first = row[0];
        }
        self.moved |= row[0] != self.first;
        self.rows += 1;
        if self.waiting.len() >= FLUSH_BYTES || self.flushed_at.elapsed() >= FLUSH_INTERVAL {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), ResultsError> {
        self.flushed_at = Instant::now();
        let result = self.growing.file.write_all(&self.waiting);
        match &result {
            Ok(()) => self.written += self.waiting.len() as u64,
            Err(cause) => {
                self.lost = Some(cause.kind());
                // Part of a row may have been written: go back to the last whole one. Should that fail too,
                // the reader drops the incomplete row.
                let _ = self.growing.file.set_len(self.written);
                let _ = self.growing.file.seek(SeekFrom::Start(self.written));
            }
        }
        self.waiting.clear();
        result.map_err(|cause| self.refused(self.partial(), FileAction::Write, cause))
    }

    fn partial(&self) -> &Path {
        self.growing.partial()
    }

    /// Whether anything was computed beyond the start of a run.
    fn is_worth_keeping(&self) -> bool {
        self.rows > 0 && (self.moved || self.header.columns[0].name != "time")
    }

    fn finish(mut self, ended: &str, more: Metadata) -> Result<bool, ResultsError> {
        let mut last = more;
        if ended != COMPLETE && !self.is_worth_keeping() && self.destination.symlink_metadata().is_ok() {
            return Ok(false);
        }
        let ended = match self.lost {
            Some(kind) if !ended.starts_with(FAILED) => {
                format!("{FAILED} rows could not be written ({kind})")
            }
            _ => ended.to_owned(),
        };
        last.insert(ENDED.to_owned(), ended);
        match self.format {
            FileFormat::Csv => {
                self.waiting.extend(csv::comments(&last).bytes());
                self.flush()?;
                let published = self.growing.publish();
                published.map_err(|cause| self.refused(&self.destination, FileAction::Rename, cause))?;
                self.finished = true;
            }
            FileFormat::Parquet => {
                self.flush()?;
                self.header.metadata.extend(last);
                self.convert().map_err(|error| self.keeping(error))?;
                // The result is whole; a journal that cannot be removed does no harm.
                self.growing.discard();
                self.finished = true;
            }
        }
        Ok(true)
    }

    /// The journal as Parquet, row group by row group.
    fn convert(&self) -> Result<(), ResultsError> {
        let partial = self.partial();
        let unreadable = |cause| refused(partial, FileAction::Read, cause);
        let source = BufReader::new(File::open(partial).map_err(unreadable)?);
        let mut journal = Journal::open(source)
            .map_err(unreadable)?
            .map_err(|fault| ResultsError::Content { path: partial.to_owned(), fault })?;
        let limit = columns::rows_per_group(self.header.stored().count());
        write_parquet(&self.destination, &self.header, || {
            let rows = journal.next_rows(limit).map_err(unreadable)?;
            Ok(Some(rows).filter(|rows| !rows[0].values.is_empty()))
        })
    }

    fn refused(&self, path: &Path, action: FileAction, cause: io::Error) -> ResultsError {
        self.keeping(refused(path, action, cause))
    }

    /// Says in an error that the rows so far are not lost.
    fn keeping(&self, error: ResultsError) -> ResultsError {
        match error {
            ResultsError::File { path, action, cause, .. } if self.rows > 0 => {
                ResultsError::File { path, action, cause, kept: Some(self.partial().to_owned()) }
            }
            other => other,
        }
    }
}

impl Drop for OpenResults {
    /// A run that ends without `finish` leaves all its rows in the partial file, if it has any.
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        if !self.waiting.is_empty() {
            // No caller is left to tell; the rows flushed before are safe.
            let _ = self.flush();
        }
        if !self.is_worth_keeping() {
            self.growing.discard();
        }
    }
}

/// Saves a table in the format its name asks for, whole or not at all.
pub fn write(table: &Table, destination: &Path) -> Result<(), ResultsError> {
    let format = FileFormat::of(destination)?;
    check_destination(destination)?;
    table.check().map_err(|fault| ResultsError::Content { path: destination.to_owned(), fault })?;
    let mut header = without_rows(table);
    for (column, same_as) in header.columns.iter_mut().zip(aliases::checked(table)) {
        column.same_as = same_as;
    }
    let stored: Vec<&Column> = table
        .columns
        .iter()
        .zip(&header.columns)
        .filter(|(_, c)| c.same_as.is_none())
        .map(|(c, _)| c)
        .collect();
    header.metadata = extremes::folded(&table.metadata, &stored);
    match format {
        FileFormat::Parquet => {
            let limit = columns::rows_per_group(stored.len());
            let mut from = 0;
            write_parquet(destination, &header, || {
                let to = (from + limit).min(table.rows());
                let slice = |column: &&Column| Column {
                    values: column.values[from..to].to_vec(),
                    ..Column::new(&column.name, "", "")
                };
                let rows: Vec<Column> = stored.iter().map(slice).collect();
                from = to;
                Ok(Some(rows).filter(|rows| !rows[0].values.is_empty()))
            })
        }
        FileFormat::Csv => publish(destination, |mut file, temporary| {
            let failed = |cause| refused(temporary, FileAction::Write, cause);
            let mut text = csv::head(&header).into_bytes();
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
    mut next_rows: impl FnMut() -> Result<Option<Vec<Column>>, ResultsError>,
) -> Result<(), ResultsError> {
    publish(destination, |file, temporary| {
        let failed = |error: ParquetError| match columns::system_error(error) {
            Ok(cause) => refused(temporary, FileAction::Write, cause),
            Err(error) => {
                ResultsError::Content { path: destination.to_owned(), fault: TableFault::Parquet(error) }
            }
        };
        let mut sink = ParquetSink::create(file, header).map_err(failed)?;
        while let Some(rows) = next_rows()? {
            sink.row_group(&rows).map_err(failed)?;
        }
        sink.close().map_err(failed)
    })
}

/// Fills a temporary file and lets it take the destination's name; on an error nothing of it stays.
fn publish(
    destination: &Path,
    fill: impl FnOnce(File, &Path) -> Result<File, ResultsError>,
) -> Result<(), ResultsError> {
    let system = |cause| refused(destination, FileAction::Write, cause);
    output::publish(destination, |file| fill(file, destination), system)
}

fn check_destination(destination: &Path) -> Result<(), ResultsError> {
    output::check(destination).map_err(|cause| match output::refusal(&cause) {
        Some(OverwriteRefusal::Folder) => ResultsError::IsFolder { path: destination.to_owned() },
        Some(OverwriteRefusal::Protected) => ResultsError::Protected { path: destination.to_owned() },
        _ => refused(destination, FileAction::Create, cause),
    })
}

fn without_rows(table: &Table) -> Table {
    Table { columns: table.columns.iter().map(Column::bare).collect(), metadata: table.metadata.clone() }
}

fn refused(path: &Path, action: FileAction, cause: io::Error) -> ResultsError {
    let path = path.to_owned();
    match output::refusal(&cause) {
        Some(refusal) => ResultsError::Kept { path, refusal },
        None => ResultsError::File { path, action, cause, kept: None },
    }
}

#[cfg(test)]
impl ResultsWriter {
    /// From now on writes go to another file; gives the one before back, unless the result is written already.
    pub(super) fn redirect(&mut self, file: File) -> Option<File> {
        self.with(|open| std::mem::replace(&mut open.growing.file, file))
    }
}
