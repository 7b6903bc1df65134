//! `trunnion live`: a model in real time, driven by keys, recorded, taken up again.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use trunnion_equations::Unit;
use trunnion_model::run::matches;
use trunnion_model::units::{Dimension, parse_value};
use trunnion_sim::integrate::{Ended, RunError};
use trunnion_sim::live::{LiveRun, Pace};
use trunnion_sim::machine::Machine;

use crate::commands::run::seconds;
use crate::given::Given;
use crate::live::keyboard::Keyboard;
use crate::live::pilot::{Pilot, State};
use crate::live::status::Screen;
use crate::output::{say, tell};
use crate::session::Session;
use trunnion_engine::Failure;
use trunnion_engine::controllers::{run_failure, start_failure};
use trunnion_engine::project::Project;
use trunnion_files::output;
use trunnion_num::text::{count, number};
use trunnion_results::{CANCELLED, COMPLETE};
use trunnion_study::advice::warnings;
use trunnion_study::display::remember;
use trunnion_study::live::drive::Drive;
use trunnion_study::live::inputs::{self, Clock, Recording};
use trunnion_study::live::recorder::Recorder;
use trunnion_study::live::snapshot;
use trunnion_study::simulate::{Overrides, header, hint, metadata, recorded, settings};

/// Longest and shortest period (s).
const PERIODS: (f64, f64) = (1e-6, 10.0);

#[derive(Args, Clone, Debug)]
pub struct LiveArgs {
    /// The model file
    pub model: String,
    /// Periods in a second, with unit or in Hz; default: `rate` of [live], else 1 kHz
    #[arg(long, value_name = "RATE")]
    pub rate: Option<String>,
    /// How long to run, in simulated seconds; default: until Ctrl-C at a terminal, elsewhere the length of [run]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub duration: Option<f64>,
    /// Run as fast as possible instead of waiting for the clock
    #[arg(long)]
    pub no_pace: bool,
    /// Write results of every period, as .parquet or .csv
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Write every change of an input, for --replay
    #[arg(long, value_name = "FILE.csv")]
    pub inputs: Option<PathBuf>,
    /// Repeat the inputs of a recording instead of reading keys
    #[arg(long, value_name = "FILE.csv")]
    pub replay: Option<PathBuf>,
    /// Write the whole state at the end, and when `s` is pressed
    #[arg(long, value_name = "FILE")]
    pub snapshot: Option<PathBuf>,
    /// Go on from a snapshot of the same model
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub given: Given,
    /// No line while it runs and no summary
    #[arg(long, short)]
    pub quiet: bool,
}

pub fn execute(args: &LiveArgs, session: &Session) -> Result<(), Failure> {
    let project = session.open_stored(&args.model, &args.given.sets())?;
    let pace = pace(args, &project)?;
    let t_0 = project.run.t_start;
    let start = Machine::start(Arc::clone(&project.prepared), &HashMap::new(), t_0);
    let (machine, y) = start.map_err(|e| start_failure(&project.prepared.system, &project.sources, &e))?;
    let mut live = LiveRun::new(machine, &y, t_0, pace).map_err(|e| failed(&project, &e))?;
    if let Some(path) = &args.resume {
        snapshot::resume(path, &mut live, &project, pace.period)?;
    }
    if args.snapshot.is_some() {
        // A controller whose memory cannot be kept is told now, not at the end.
        snapshot::take(&mut live, &project, pace.period)?;
    }
    let clock = Clock { t_0, period: pace.period };
    let mut pilot = pilot(args, session, &project, live, clock)?;
    let result = pilot.run();
    finish(args, session, pilot, clock, result)
}

fn pace(args: &LiveArgs, project: &Project) -> Result<Pace, Failure> {
    let wanted = &project.live;
    let rate = match &args.rate {
        Some(text) => Some(rate(text)?),
        None => wanted.rate,
    };
    let default = Pace::default();
    let period = rate.map_or(default.period, |rate| 1.0 / rate);
    if !(PERIODS.0..=PERIODS.1).contains(&period) {
        return Err(Failure::usage_hint(
            format!("a rate of {} Hz is out of reach", number(1.0 / period, 6)),
            "1 kHz is usual; it may lie between 0.1 Hz and 1 MHz",
        ));
    }
    let attempts = wanted.steps.map_or(default.attempts, |steps| steps as u64);
    Ok(Pace { period, rtol: wanted.rtol.unwrap_or(default.rtol), attempts, ..default })
}

fn rate(text: &str) -> Result<f64, Failure> {
    let hint = "write it as --rate \"1 kHz\"";
    let value =
        parse_value(text).map_err(|e| Failure::usage_hint(format!("--rate {text}: {}", e.message), hint))?;
    let frequency = Dimension::ONE / Dimension::TIME;
    if !value.unit.text.is_empty() && value.unit.dimension != frequency {
        let found = value.unit.dimension.quantity();
        return Err(Failure::usage_hint(format!("--rate {text} is {found}, no frequency"), hint));
    }
    match value.si > 0.0 {
        true => Ok(value.si),
        false => Err(Failure::usage_hint(format!("the rate has to be above 0, but it is {text}"), hint)),
    }
}

fn pilot<'a>(
    args: &LiveArgs,
    session: &Session,
    project: &'a Project,
    mut live: LiveRun,
    clock: Clock,
) -> Result<Pilot<'a>, Failure> {
    let (prepared, system) = (&project.prepared, &project.prepared.system);
    let replay = match &args.replay {
        Some(path) => Some((inputs::read(path, system, clock)?, 0)),
        None => None,
    };
    let end = end(args, project, &live, clock, replay.as_ref().and_then(|(changes, _)| changes.end))?;
    output::check_all(args.record.iter().chain(&args.inputs).chain(&args.snapshot))?;
    let recording = |path: &PathBuf| Recording::open(path, system, &project.hash, clock);
    let inputs = args.inputs.as_ref().map(recording).transpose()?;
    let columns = recorded(prepared, &project.run.record);
    let recorder = match &args.record {
        Some(path) => {
            let mut table = header(prepared, &columns);
            let rtol = Some(project.live.rtol.unwrap_or(Pace::default().rtol));
            let overrides = Overrides { solver: Some("realtime".into()), rtol, t_end: None };
            let (solver, settings) = settings(&project.run, &overrides)?;
            table.metadata = metadata(project, solver.name, &settings);
            remember(&project.display, &table.clone(), &mut table.metadata);
            Some(Recorder::open(path, &table)?)
        }
        None => None,
    };
    let wanted = |name: &str| project.live.show.iter().any(|pattern| matches(pattern, name));
    let columns_shown = prepared.columns.iter().enumerate().filter(|(_, c)| wanted(&c.name));
    let shown: Vec<(usize, Unit, Unit)> = columns_shown
        .map(|(k, c)| {
            let unit = project.display.unit(&c.name, &c.unit.text).map_or(c.unit.clone(), Unit::from);
            (k, c.unit.clone(), unit)
        })
        .collect();
    let labels = shown.iter().map(|(k, _, unit)| (prepared.columns[*k].name.clone(), unit.text.clone()));
    let drive = Drive::new(system, &project.live.keys, |place| live.machine().slow(place));
    let keyboard = Keyboard::open();
    if keyboard.is_some() && !args.quiet {
        tell_keys(project, replay.is_some());
    }
    Ok(Pilot {
        cancel: session.monitor.cancel.clone(),
        project,
        period: clock.period,
        paced: !args.no_pace,
        end,
        keyboard,
        drive,
        replay,
        recorder,
        inputs,
        recorded: columns,
        screen: Screen::open(labels.collect(), args.quiet),
        shown,
        snapshot_to: args.snapshot.clone().unwrap_or_else(|| snapshot_path(&args.model)),
        state: State::default(),
        live,
    })
}

/// The period after which the run ends; None: when it is told to.
fn end(
    args: &LiveArgs,
    project: &Project,
    live: &LiveRun,
    clock: Clock,
    replayed: Option<u64>,
) -> Result<Option<u64>, Failure> {
    let begun = live.periods();
    let periods = |duration: f64| begun + (duration / clock.period).round() as u64;
    match args.duration {
        Some(duration) if duration > 0.0 && duration.is_finite() => Ok(Some(periods(duration))),
        Some(duration) => {
            Err(Failure::usage(format!("the duration has to be above 0, but it is {duration} s")))
        }
        None if replayed.is_some() => Ok(replayed),
        None if std::io::stdin().is_terminal() && !args.no_pace => Ok(None),
        None => Ok(Some(periods(project.run.t_end - project.run.t_start))),
    }
}

fn snapshot_path(model: &str) -> PathBuf {
    let stem = Path::new(model).file_stem().map_or("live".into(), |s| s.to_string_lossy().into_owned());
    PathBuf::from(format!("{stem}.snapshot"))
}

/// What the keys do, before the line takes the screen.
fn tell_keys(project: &Project, replay: bool) {
    let bound: Vec<String> = match replay {
        true => vec![],
        false => project.live.keys.iter().map(|b| format!("{} {}", b.key, b.input)).collect(),
    };
    let own = "space zero, p pause, s snapshot, Ctrl-C end";
    tell(format_args!(
        "keys: {}",
        bound.iter().map(String::as_str).chain([own]).collect::<Vec<_>>().join(", ")
    ));
}

fn failed(project: &Project, error: &RunError) -> Failure {
    run_failure(&project.prepared.system, &project.sources, error, hint(error))
}

/// Writes what is to be kept and says how it went.
fn finish(
    args: &LiveArgs,
    session: &Session,
    mut pilot: Pilot<'_>,
    clock: Clock,
    result: Result<Ended, RunError>,
) -> Result<(), Failure> {
    pilot.keyboard = None;
    pilot.screen = Screen::open(vec![], true);
    pilot.saved()?;
    let project = pilot.project;
    let ended = match &result {
        Ok(Ended::Cancelled) if pilot.end.is_some() => CANCELLED.to_string(),
        Ok(_) => COMPLETE.to_string(),
        Err(error) => format!("failed: {error}"),
    };
    let rows = pilot.recorder.take().map(|recorder| recorder.finish(&ended)).transpose()?;
    let end = pilot.live.periods();
    pilot.inputs.take().map(|inputs| inputs.finish(end)).transpose()?;
    if let (Some(path), true) = (&args.snapshot, result.is_ok()) {
        snapshot::write(path, &snapshot::take(&mut pilot.live, project, clock.period)?)?;
    }
    pilot.live.machine().take_log().iter().for_each(tell);
    let held = pilot.live.machine().holds().to_vec();
    for warning in warnings(project, &pilot.live.fired(), &held) {
        eprintln!("{}", warning.render(session.colour));
    }
    if !args.quiet {
        summary(args, &mut pilot, rows);
    }
    match result {
        Err(error) => Err(failed(project, &error)),
        // A run without end is ended by Ctrl-C on purpose.
        Ok(Ended::Cancelled) if pilot.end.is_some() => Err(Failure::Cancelled),
        Ok(_) => Ok(()),
    }
}

fn summary(args: &LiveArgs, pilot: &mut Pilot<'_>, rows: Option<u64>) {
    let Pilot { live, state, period, .. } = pilot;
    let times = &state.times;
    let simulated = times.count() as f64 * *period;
    let [median, most] = [0.5, 0.999].map(|share| seconds(times.share(share)));
    say(&pilot.project.name);
    say(format_args!(
        "  {} s in {}, {} × real time, {} of {}",
        number(simulated, 7),
        seconds(state.wall),
        number(simulated / state.wall, 4),
        count(times.count() as usize, "period"),
        seconds(*period),
    ));
    say(format_args!("  a period took: median {median}, 99.9 % {most}, worst {}", seconds(times.worst)));
    let missed = match args.no_pace {
        true => String::new(),
        false => format!("{}, ", count(state.missed as usize, "missed deadline")),
    };
    say(format_args!(
        "  {missed}{} of work, {}",
        count(live.overruns as usize, "overrun"),
        count(live.events() as usize, "event")
    ));
    if let Some(message) = live.machine().ended_by.clone() {
        say(format_args!("  ended by the model at t = {} s: {message}", live.t()));
    }
    if let (Some(rows), Some(path)) = (rows, &args.record) {
        say(format_args!("  {} in {}", count(rows as usize, "row"), path.display()));
    }
}
