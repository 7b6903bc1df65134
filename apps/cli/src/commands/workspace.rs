//! `trunnion workspace`: where a mechanism gets to, over a grid of joint values.

use std::path::PathBuf;

use clap::Args;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_engine::given::measuring;
use trunnion_num::text::{count, number};
use trunnion_results::{CANCELLED, COMPLETE, Column, Metadata, ResultsWriter};
use trunnion_study::parallel::{for_each, workers};
use trunnion_study::workspace::PoseGrid;

use crate::given::Given;
use crate::output::{Print, say};
use crate::session::Session;

#[derive(Args, Debug)]
pub struct WorkspaceArgs {
    /// The model file
    pub model: String,
    /// Coordinate and values: shoulder.phi="-90 deg:90 deg:20", slide=0,0.1,0.2; may be given several times
    #[arg(long, short, required = true, value_name = "Q=A:B:N")]
    pub joint: Vec<String>,
    /// A sensor or body, whose place is shown, or any other signals, `*` for anything
    #[arg(long, short, required = true, value_name = "POINT,…", value_delimiter = ',')]
    pub point: Vec<String>,
    #[command(flatten)]
    pub given: Given,
    /// Write the table as .csv or .parquet
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// A longer table is for files.
const MOST_LINES: usize = 50;

pub fn execute(args: &WorkspaceArgs, session: &Session) -> Result<(), Failure> {
    let project =
        session.open(&args.model, &measuring(&args.given.sets(), args.point.iter().map(String::as_str)))?;
    session.warn(project.told());
    let grid = PoseGrid::new(&project, &args.joint, &args.point)?;
    let (rows, length) = grid.shape()?;
    let mut writer = args.out.as_ref().map(|path| ResultsWriter::open(path, &grid.header())).transpose()?;
    let mut lines: Vec<Vec<Vec<f64>>> = vec![vec![]; rows];
    let cancelled =
        for_each(rows, workers(), "rows", &session.monitor, &|k| grid.row(k), |k, row| lines[k] = row);
    let all: Vec<&Vec<f64>> = lines.iter().flatten().collect();
    if let Some(mut writer) = writer.take() {
        all.iter().try_for_each(|row| writer.push_row(row))?;
        writer.finish(if cancelled { CANCELLED } else { COMPLETE }, Metadata::new())?;
    }
    if cancelled {
        return Err(Failure::Cancelled);
    }
    print(&grid, &all, args.out.is_none());
    let reached = all.iter().filter(|row| row[grid.joints.len()] == 1.0).count();
    let place = args.out.as_ref().map(|p| format!("; {}", p.display())).unwrap_or_default();
    say(format_args!("\n{reached} of {} assembled{place}", count(rows * length, "pose")));
    if reached == 0 {
        return Err(Failure::Run {
            message: "no pose of the grid can be assembled".into(),
            hint: Some(
                "a loop that has to be closed allows none of these values: try others, or fewer joints"
                    .into(),
            ),
        });
    }
    Ok(())
}

fn print(grid: &PoseGrid, rows: &[&Vec<f64>], whole: bool) {
    let header = grid.header();
    let head: Vec<String> = header.columns.iter().map(Column::label).collect();
    let first = grid.joints.len() + 1;
    if whole && rows.len() <= MOST_LINES {
        let mut listing = Listing::new(head.iter().map(|h| (h.as_str(), Align::Right)));
        rows.iter().for_each(|row| listing.push(row.iter().map(|v| number(*v, 6))));
        return listing.print();
    }
    let mut listing = Listing::new([("  signal", Align::Left), ("min", Align::Right), ("max", Align::Right)]);
    for (k, label) in head.iter().enumerate().skip(first) {
        let values = || rows.iter().map(|row| row[k]).filter(|v| v.is_finite());
        let (least, most) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        listing.push([format!("  {label}"), number(least, 6), number(most, 6)]);
    }
    listing.print();
}
