//! Results of a run: columns with name, unit and description, in Parquet or CSV.
//!
//! - [`Table`] is a result in memory; a table without rows is the header of one to be written.
//! - [`ResultsWriter`] streams rows while the run goes on. They go to `<destination>.partial`, which stays readable
//!   when the run is killed, and become the destination in one rename when the run is finished.
//! - A quantity that has several names ([`Column::same_as`]) is stored once; [`read`] gives every name its values.
//! - [`read`] opens `.parquet`, `.csv` and the `.partial` of either; [`write`] saves a table.

mod aliases;
mod csv;
mod error;
mod extremes;
mod journal;
mod nearest;
mod parquet;
mod read;
mod table;
mod writer;

pub use error::{FileAction, ResultsError, TableFault};
pub use extremes::{Extremes, entry as extremes_entry};
pub use nearest::nearest;
pub use read::read;
pub use table::{Column, Metadata, Table};
pub use writer::{MOST_BYTES, ResultsWriter, rescue, write};

use std::path::Path;

pub use trunnion_files::output::partial_path;

/// The first column of a run.
pub const TIME: &str = "time";
/// Metadata key that says how a run ended.
pub const ENDED: &str = "ended";
/// `ended` of a run that reached its end time.
pub const COMPLETE: &str = "complete";
/// `ended` of a run that the user stopped.
pub const CANCELLED: &str = "cancelled";
/// `ended` that [`read`] gives to a file whose run was killed before it could say how it ended.
pub const UNFINISHED: &str = "unfinished";

/// The file kinds of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    Parquet,
    Csv,
}

impl FileFormat {
    /// The format a destination asks for by its extension.
    pub fn of(path: &Path) -> Result<Self, ResultsError> {
        match path.extension().map(|extension| extension.to_ascii_lowercase()) {
            Some(extension) if extension == "parquet" => Ok(Self::Parquet),
            Some(extension) if extension == "csv" => Ok(Self::Csv),
            _ => Err(ResultsError::Extension { path: path.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests;
