//! Opening a results file of any kind.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::journal::Journal;
use trunnion_files::input;

use super::{
    ENDED, FileAction, FileFormat, ResultsError, Table, TableFault, UNFINISHED, aliases, csv, extremes,
    parquet, partial_path,
};

/// Reads `.parquet`, `.csv`, or the `.partial` that a running or killed run has of either.
pub fn read(path: &Path) -> Result<Table, ResultsError> {
    let unfinished = path.extension().is_some_and(|extension| extension == "partial");
    let format = FileFormat::of(&if unfinished { path.with_extension("") } else { path.to_owned() })?;
    if path.is_dir() {
        return Err(ResultsError::IsFolder { path: path.to_owned() });
    }
    let table = match (format, unfinished) {
        (FileFormat::Csv, _) => read_csv(path, unfinished),
        (FileFormat::Parquet, true) => read_journal(path),
        (FileFormat::Parquet, false) => input::open(path).map(parquet::read).map_err(io::Error::from),
    };
    let mut table = table
        .map_err(|cause| refused(path, cause))?
        .map_err(|fault| ResultsError::Content { path: path.to_owned(), fault })?;
    extremes::unfold(&mut table);
    aliases::unfold(&mut table);
    if unfinished {
        table.metadata.entry(ENDED.to_owned()).or_insert_with(|| UNFINISHED.to_owned());
    }
    Ok(table)
}

fn read_csv(path: &Path, unfinished: bool) -> io::Result<Result<Table, TableFault>> {
    let mut bytes = vec![];
    input::open(path)?.read_to_end(&mut bytes)?;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        // A killed run may have cut a letter in two: that is in its last, dropped line.
        Err(cut) if unfinished && cut.error_len().is_none() => {
            std::str::from_utf8(&bytes[..cut.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return Ok(Err(TableFault::NotText)),
    };
    Ok(csv::parse(text, unfinished))
}

fn read_journal(path: &Path) -> io::Result<Result<Table, TableFault>> {
    let source = BufReader::new(input::open(path)?);
    let mut journal = match Journal::open(source)? {
        Ok(journal) => journal,
        Err(fault) => return Ok(Err(fault)),
    };
    let columns = journal.next_rows(usize::MAX / (8 * journal.header.stored().count()))?;
    Ok(Ok(Table { columns, metadata: journal.header.metadata }))
}

fn refused(path: &Path, cause: io::Error) -> ResultsError {
    let path = path.to_owned();
    if cause.kind() == io::ErrorKind::NotFound {
        let partial = Some(partial_path(&path)).filter(|partial| partial.exists());
        return ResultsError::NotFound { path, partial };
    }
    ResultsError::File { path, action: FileAction::Read, cause, kept: None }
}

/// Whether a `.partial` holds nothing that was computed: no row, or of a run over time only the one at its start.
pub(super) fn is_worthless(partial: &Path, format: FileFormat) -> bool {
    let rows = |first: &str, n: usize| n == 0 || n == 1 && first == "time";
    let look = || -> io::Result<bool> {
        let mut source = BufReader::new(input::open(partial)?);
        if format == FileFormat::Parquet {
            let Ok(mut journal) = Journal::open(source)? else { return Ok(false) };
            let n = journal.next_rows(2)?[0].values.len();
            return Ok(rows(&journal.header.columns[0].name, n));
        }
        let (mut line, mut first, mut n) = (String::new(), None, 0);
        while n < 2 && source.read_line(&mut line)? > 0 {
            match (line.starts_with('#'), &first) {
                (true, _) => {}
                (false, None) => first = line.split([',', ' ']).next().map(|name| name.trim().to_string()),
                (false, Some(_)) => n += 1,
            }
            line.clear();
        }
        Ok(rows(first.as_deref().unwrap_or_default(), n))
    };
    look().unwrap_or(false)
}
