//! `trunnion sweep`: one model for many values of its parameters, on all cores.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};
use trunnion_draw::listing::{Align, Listing};
use trunnion_draw::plot::{Chart, save, views};
use trunnion_engine::Failure;
use trunnion_num::text::{count, number};
use trunnion_results::{CANCELLED, COMPLETE, Column, Metadata, ResultsWriter};
use trunnion_study::sweep::{Sweep, SweepOutcome, SweepRequest, Swept};

use crate::commands::run::seconds;
use crate::failure::usage;
use crate::options::RunOptions;
use crate::output::{Print, tell};
use crate::report::{AnswerOptions, errors};
use crate::session::{Session, tell_proposed};

/// A longer table is printed only in part where it is in a file too.
const MOST_LINES: usize = 50;
/// Failed runs that are reported one by one.
const MOST_WARNINGS: usize = 5;

#[derive(Args, Clone, Debug, Default)]
pub struct SweepArgs {
    /// The model file
    pub model: String,
    /// Parameter and values: k=100:200:11, k="1 N/m:1000 N/m:4:log" or k=1,2,5; may be given several times
    #[arg(long, short, required = true, value_name = "P=A:B:N")]
    pub param: Vec<String>,
    /// What to measure: 'max(body.x)', min, mean, rms, final, 'at(body.x, 2 s)', 'count(event)', 'time(event, 2)'
    #[arg(long, short, required = true, value_name = "MEASURE")]
    pub measure: Vec<String>,
    #[command(flatten)]
    pub options: RunOptions,
    /// Write the table as .csv or .parquet
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw the measures over one parameter, or as maps over two, as .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub answer: AnswerOptions,
}

pub fn execute(args: &SweepArgs, session: &Session) -> Result<(), Failure> {
    let start = Instant::now();
    let request = SweepRequest {
        model: args.model.clone(),
        parameters: args.param.clone(),
        measures: args.measure.clone(),
        values: args.options.sets(),
        overrides: args.options.overrides(),
    };
    let sweep = Sweep::open(&session.workspace, &request)?;
    tell_proposed(&sweep.project.proposed);
    session.warn(sweep.project.told());
    let n = sweep.runs()?;
    if args.plot.is_some() && sweep.swept.len() > 2 {
        return Err(usage("a plot takes one or two parameters"));
    }
    let mut writer = args.out.as_ref().map(|path| ResultsWriter::open(path, &sweep.header())).transpose()?;
    session.warn(&sweep.swept.iter().filter_map(Swept::assumed_unit).collect::<Vec<_>>());
    let mut push = |row: &[f64]| writer.as_mut().map_or(Ok(()), |writer| writer.push_row(row));
    let mut outcome = sweep.run_all(n, &session.monitor, &mut push);
    if let Some(writer) = writer {
        writer.finish(if outcome.cancelled { CANCELLED } else { COMPLETE }, Metadata::new())?;
    }
    if session.answer(|| document(&sweep, &outcome)).is_none() {
        print(&sweep, &outcome.rows, args.out.is_some());
        note(&sweep, &outcome);
        warn(&sweep, &outcome);
    }
    if let Some(path) = &args.plot {
        save(&chart(&sweep, &outcome.rows), path)?;
    }
    let done = outcome.rows.iter().flatten().count();
    let files: Vec<String> = args.out.iter().chain(&args.plot).map(|p| p.display().to_string()).collect();
    let files = if files.is_empty() { String::new() } else { format!("; {}", files.join(", ")) };
    let failures = &mut outcome.failures;
    let failed = if failures.is_empty() { String::new() } else { format!(", {} failed", failures.len()) };
    let time = seconds(start.elapsed().as_secs_f64());
    session.note(format_args!("\n{}{failed} in {time}{files}", count(done, "run")));
    match (outcome.lost, outcome.cancelled) {
        (Some(error), _) => Err(error.into()),
        (None, true) => Err(Failure::Cancelled),
        (None, false) if failures.is_empty() => Ok(()),
        (None, false) if failures.len() == n => Err(failures.swap_remove(0).1),
        // The others are in the table, and told.
        (None, false) => Err(Failure::Run {
            message: format!("{} of {} failed", failures.len(), count(n, "run")),
            hint: None,
        }),
    }
}

/// A row for every run: values of the parameters, then measures, null where one has no value.
fn document(sweep: &Sweep, outcome: &SweepOutcome) -> Value {
    let column = |c: &Column| json!({ "name": c.name, "unit": c.unit });
    let rows: Vec<Option<Vec<f64>>> = outcome
        .rows
        .iter()
        .enumerate()
        .map(|(k, row)| row.as_ref().map(|values| sweep.row(k, values).to_vec()))
        .collect();
    let failed = |(k, failure): &(usize, Failure)| json!({ "run": k, "values": sweep.values(*k), "errors": errors(failure) });
    let absent = |(k, m, why): &(usize, usize, String)| json!({ "run": k, "measure": sweep.probe.wanted()[*m].to_string(), "reason": why });
    json!({
        "model": sweep.project.name,
        "columns": sweep.header().columns.iter().map(column).collect::<Vec<_>>(),
        "rows": rows,
        "failures": outcome.failures.iter().map(failed).collect::<Vec<_>>(),
        "without_value": outcome.absent.iter().map(absent).collect::<Vec<_>>(),
    })
}

fn print(sweep: &Sweep, rows: &[Option<Vec<f64>>], in_file: bool) {
    let head: Vec<String> = sweep.header().columns.iter().map(Column::label).collect();
    let mut listing = Listing::new(head.iter().map(|h| (h.as_str(), Align::Right)));
    let done: Vec<usize> = (0..rows.len()).filter(|&k| rows[k].is_some()).collect();
    let skipped = if in_file { done.len().saturating_sub(MOST_LINES) } else { 0 };
    let shown = (done.len() - skipped).div_ceil(2);
    for (place, &k) in done.iter().enumerate() {
        if skipped > 0 && place == shown {
            listing.push([format!("… {skipped} more")]);
        }
        if skipped > 0 && (shown..shown + skipped).contains(&place) {
            continue;
        }
        let values = rows[k].as_deref().unwrap_or_default();
        let cell = |v: &f64| if v.is_nan() { "–".to_string() } else { number(*v, 6) };
        listing.push(sweep.row(k, values).iter().map(cell));
    }
    listing.print();
}

/// Says why measures have no value.
fn note(sweep: &Sweep, outcome: &SweepOutcome) {
    let absent = &outcome.absent;
    for (k, m, why) in absent.iter().take(MOST_WARNINGS) {
        tell(format_args!("note: {}: `{}` has no value: {why}", sweep.named(*k), sweep.probe.wanted()[*m]));
    }
    if absent.len() > MOST_WARNINGS {
        eprintln!("note: {} more without a value", count(absent.len() - MOST_WARNINGS, "measure"));
    }
}

/// Says why runs failed.
fn warn(sweep: &Sweep, outcome: &SweepOutcome) {
    let failures = &outcome.failures;
    for (k, failure) in failures.iter().take(MOST_WARNINGS) {
        tell(format_args!("warning: {}: {}", sweep.named(*k), failure.reason()));
    }
    if failures.len() > MOST_WARNINGS {
        eprintln!("warning: {} more failed", count(failures.len() - MOST_WARNINGS, "run"));
    }
}

fn chart(sweep: &Sweep, rows: &[Option<Vec<f64>>]) -> Chart {
    let header = sweep.header();
    let (parameters, measures) = header.columns.split_at(sweep.swept.len());
    let with = |column: &Column, values: Vec<f64>| Column { values, ..column.clone() };
    let measured = |k: usize, m: usize| rows[k].as_ref().map_or(f64::NAN, |row| row[m]);
    let axes: Vec<Column> =
        parameters.iter().zip(&sweep.swept).map(|(c, s)| with(c, s.values.clone())).collect();
    let mut chart = match axes.as_slice() {
        [x, y] => {
            // Rows of a map belong to one y; here the last parameter, y, changes fastest.
            let (nx, ny) = (x.values.len(), y.values.len());
            let z = |m: usize| (0..nx * ny).map(|at| measured(at % nx * ny + at / nx, m)).collect();
            let maps = measures.iter().enumerate().map(|(m, c)| views::sweep_map(x, y, &with(c, z(m))));
            let mut charts = maps.collect::<Vec<_>>().into_iter();
            let mut first = charts.next().unwrap_or_default();
            first.panels.extend(charts.flat_map(|c| c.panels));
            first.panels.iter_mut().for_each(|p| p.y.log = sweep.swept[1].log);
            first
        }
        _ => {
            let y = |m: usize| (0..rows.len()).map(|k| measured(k, m)).collect();
            let columns: Vec<Column> = measures.iter().enumerate().map(|(m, c)| with(c, y(m))).collect();
            views::sweep(&axes[0], &columns.iter().collect::<Vec<_>>())
        }
    };
    chart.x.log = sweep.swept[0].log;
    chart.title = sweep.project.name.clone();
    chart
}
