//! `trunnion run`: simulate, write results, say how it went.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;
use trunnion_sim::integrate::Ended;
use trunnion_sim::run::Settings;

use crate::options::RunOptions;
use crate::output::{say, tell};
use crate::session::Session;
use trunnion_engine::Failure;
use trunnion_engine::project::{NO_END, Project};
use trunnion_files::{output, write_whole};
use trunnion_num::text::number;
use trunnion_results::ResultsWriter;
use trunnion_study::advice::warnings;
use trunnion_study::display::remember;
use trunnion_study::jumps;
use trunnion_study::run_stats::stats;
use trunnion_study::simulate::{RunOutcome, header, metadata, recorded, settings, simulate, too_large};
use trunnion_study::unresolved_states;

#[derive(Args, Clone, Debug, Default)]
pub struct RunArgs {
    /// The model file
    pub model: String,
    #[command(flatten)]
    pub options: RunOptions,
    /// Where to write results, as .parquet or .csv; default: the model's name with .parquet, in this folder
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write columns in the units they are shown in, not in those of the model's quantities
    #[arg(long)]
    pub shown_units: bool,
    /// Write wall time, steps, evaluations, events and real-time factor as JSON
    #[arg(long, value_name = "FILE.json")]
    pub stats: Option<PathBuf>,
    /// No progress and no summary
    #[arg(long, short)]
    pub quiet: bool,
}

/// Default results file: the model's file name with another ending, in the working folder.
pub fn results_path(model: &str) -> PathBuf {
    let stem = Path::new(model).file_stem().map_or("results".into(), |s| s.to_string_lossy().into_owned());
    PathBuf::from(format!("{stem}.parquet"))
}

pub fn execute(args: &RunArgs, session: &Session) -> Result<(), Failure> {
    let project = session.open_stored(&args.model, &args.options.sets())?;
    let project = if args.shown_units { project.shown() } else { project };
    let (solver, settings) = settings(&project.run, &args.options.overrides())?;
    if args.options.t_end.is_none() && !args.quiet {
        session.warn(project.notes.iter().filter(|n| n.code == NO_END));
    }
    let out = args.out.clone().unwrap_or_else(|| results_path(&args.model));
    let columns = recorded(&project.prepared, &project.run.record);
    if let Some(size) = too_large(&settings, columns.len()) {
        tell(format_args!("warning: {size}"));
        tell("  = hint: ask for fewer points, a larger dt, or fewer columns with `record`, in [run]");
    }
    let mut table = header(&project.prepared, &columns);
    table.metadata = metadata(&project, solver.name, &settings);
    remember(&project.display, &table.clone(), &mut table.metadata);
    output::check_all(args.stats.iter().chain([&out]))?;
    let mut writer = ResultsWriter::open(&out, &table)?;
    let mut sink = |row: &[f64]| writer.push_row(row).map_err(Failure::from);
    let outcome = simulate(
        &project,
        &HashMap::new(),
        (solver, &settings),
        &columns,
        &session.quietly(args.quiet),
        &mut sink,
    )?;
    let rows = writer.rows();
    let written = writer.finish(&outcome.ended(), outcome.metadata(&table))?;
    outcome.log.iter().for_each(tell);
    if !written {
        tell(format_args!("the run got nowhere, and the result before stays in {}", out.display()));
    }
    let unresolved =
        unresolved_states::warnings(&project.prepared.system, &project.sources, &outcome.unresolved);
    let lost = jumps::warnings(&project.prepared, &project.sources, &outcome.jumps);
    for warning in warnings(&project, &outcome.fired, &outcome.held).iter().chain(&unresolved).chain(&lost) {
        eprintln!("{}", warning.render(session.colour));
    }
    if let Some(path) = &args.stats {
        write_whole(path, stats(&project, solver.name, &settings, &outcome).as_bytes())?;
    }
    if !args.quiet {
        summary(&project, solver.name, &settings, &outcome, written.then_some((rows, out.as_path())));
    }
    outcome.check()
}

fn summary(
    project: &Project,
    solver: &str,
    settings: &Settings,
    outcome: &RunOutcome,
    written: Option<(u64, &Path)>,
) {
    let count = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    say(&project.name);
    if let Some(s) = outcome.summary {
        let wall = outcome.wall.as_secs_f64();
        let speed = (s.t - settings.t_0) / wall;
        let simulated = number(s.t - settings.t_0, 7);
        say(format_args!("  {simulated} s simulated in {}, {speed:.3e} × real time", seconds(wall)));
        say(format_args!(
            "  {solver}: {}, {} rejected, {}, {}, {}",
            count(s.work.steps, "step"),
            s.work.rejected,
            count(s.work.residuals, "evaluation"),
            count(s.work.jacobians, "Jacobian"),
            count(s.events, "event"),
        ));
        if s.ended == Ended::Terminated {
            say(format_args!(
                "  ended by the model at t = {} s: {}",
                s.t,
                outcome.ended_by.as_deref().unwrap_or("")
            ));
        }
    }
    if let Some((rows, out)) = written {
        say(format_args!("  {} in {}", count(rows, "row"), out.display()));
    }
}

/// 12.3 ms, 1.23 s.
pub fn seconds(s: f64) -> String {
    match s {
        s if s < 1e-3 => format!("{:.1} µs", 1e6 * s),
        s if s < 1.0 => format!("{:.2} ms", 1e3 * s),
        s => format!("{s:.2} s"),
    }
}
