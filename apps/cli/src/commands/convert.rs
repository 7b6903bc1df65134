//! `trunnion convert`: results from one file format to another.

use std::path::PathBuf;

use clap::Args;

use crate::output::say;
use trunnion_engine::Failure;
use trunnion_num::text::count;
use trunnion_results::{self, COMPLETE};

#[derive(Args, Debug)]
pub struct ConvertArgs {
    /// Results as .parquet or .csv, or the .partial of a run that was killed
    pub input: PathBuf,
    /// Where to write them, as .parquet or .csv
    pub output: PathBuf,
}

pub fn execute(args: &ConvertArgs) -> Result<(), Failure> {
    let table = trunnion_results::read(&args.input)?;
    trunnion_results::write(&table, &args.output)?;
    let ended = table.ended().filter(|e| *e != COMPLETE).map(|e| format!(", {e}")).unwrap_or_default();
    let (rows, columns) = (count(table.rows(), "row"), count(table.columns.len(), "column"));
    say(format_args!("{}: {rows} of {columns}{ended}", args.output.display()));
    Ok(())
}
