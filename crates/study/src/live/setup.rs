//! A live run of a model, ready to begin: its period, its end, what it repeats, records and shows.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use trunnion_engine::controllers::{run_failure, start_failure};
use trunnion_engine::{Failure, Project};
use trunnion_equations::DisplayUnit;
use trunnion_files::output;
use trunnion_model::RunSection;
use trunnion_model::run::matches;
use trunnion_results::{CANCELLED, COMPLETE};
use trunnion_sim::integrate::{Ended, RunError};
use trunnion_sim::live::{LiveRun, RealTimeSettings};
use trunnion_sim::machine::Machine;

use super::drive::KeyDrive;
use super::inputs::{self, PeriodClock, Recording};
use super::pilot::{Pilot, State};
use super::recorder::Recorder;
use super::snapshot;
use crate::Cancel;
use crate::display::remember;
use crate::request_error::LiveRequestError;
use crate::simulate::{Overrides, header, hint, metadata, recorded, settings};

/// Longest and shortest period (s).
const PERIODS: (f64, f64) = (1e-6, 10.0);
/// The one solver whose work in a period is bounded.
const SOLVER: &str = "realtime";

/// When a live run ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LiveEnd {
    /// After so many simulated seconds.
    After(f64),
    /// At this time of the model.
    At(f64),
    /// After the length of [run], or of the recording that is repeated.
    #[default]
    OfModel,
    /// When it is cancelled; a recording that is repeated still ends it.
    Open,
}

#[derive(Clone, Debug, Default)]
pub struct LiveRequest {
    /// Periods in a second (Hz) and relative tolerance; None: those of [live].
    pub rate: Option<f64>,
    pub rtol: Option<f64>,
    pub end: LiveEnd,
    /// Wait for the clock.
    pub paced: bool,
    /// Results of every period.
    pub record: Option<PathBuf>,
    /// Every change of an input: to be written, and to be repeated.
    pub inputs: Option<PathBuf>,
    pub replay: Option<PathBuf>,
    /// The state: to be written at the end, and to begin with.
    pub snapshot: Option<PathBuf>,
    pub resume: Option<PathBuf>,
    /// Where the state goes when a key asks for it.
    pub snapshot_to: PathBuf,
}

fn pace(project: &Project, request: &LiveRequest) -> Result<RealTimeSettings, Failure> {
    let (wanted, default) = (&project.live, RealTimeSettings::default());
    let period = request.rate.or(wanted.rate).map_or(default.period, |rate| 1.0 / rate);
    if !(PERIODS.0..=PERIODS.1).contains(&period) {
        return Err(LiveRequestError::Rate { rate: 1.0 / period }.into());
    }
    let attempts = wanted.steps.map_or(default.attempts, |steps| steps as u64);
    let rtol = request.rtol.or(wanted.rtol).unwrap_or(default.rtol);
    Ok(RealTimeSettings { period, rtol, attempts, ..default })
}

/// The run at its start, or at the snapshot it goes on from. Whoever drives it is still missing.
pub fn open<'a>(project: &'a Project, request: &LiveRequest, cancel: Cancel) -> Result<Pilot<'a>, Failure> {
    let (prepared, system) = (&project.prepared, &project.prepared.system);
    let pace = pace(project, request)?;
    if request.rtol.is_some() {
        settings(&RunSection::default(), &Overrides { rtol: request.rtol, ..Overrides::default() })?;
    }
    let t_0 = project.run.t_start;
    let start = Machine::start(Arc::clone(prepared), &HashMap::new(), t_0);
    let (machine, y) = start.map_err(|e| start_failure(system, &project.sources, &e))?;
    let mut live = LiveRun::new(machine, &y, t_0, pace).map_err(|e| failed(project, &e))?;
    if let Some(path) = &request.resume {
        snapshot::resume(path, &mut live, project, pace.period)?;
    }
    if request.snapshot.is_some() {
        // A controller whose memory cannot be kept is told now, not at the end.
        snapshot::take(&mut live, project, pace.period)?;
    }
    let clock = PeriodClock { t_0, period: pace.period };
    let replay = match &request.replay {
        Some(path) => Some((inputs::read(path, system, clock)?, 0)),
        None => None,
    };
    let end = end(request.end, project, &live, clock, replay.as_ref().and_then(|(changes, _)| changes.end))?;
    output::check_all(request.record.iter().chain(&request.inputs).chain(&request.snapshot))?;
    let recording = |path: &PathBuf| Recording::open(path, system, &project.hash, clock);
    let columns = recorded(prepared, &project.run.record);
    let recorder = |path: &PathBuf| {
        let overrides = Overrides { solver: Some(SOLVER.into()), rtol: Some(pace.rtol), t_end: None };
        let (solver, settings) = settings(&project.run, &overrides)?;
        let mut table = header(prepared, &columns);
        table.metadata = metadata(project, solver.name, &settings);
        remember(&project.display, &table.clone(), &mut table.metadata);
        Recorder::open(path, &table)
    };
    let drive = KeyDrive::new(system, &project.live.keys, |place| live.machine().slow(place));
    Ok(Pilot {
        cancel,
        project,
        period: clock.period,
        paced: request.paced,
        end,
        drive,
        replay,
        inputs: request.inputs.as_ref().map(recording).transpose()?,
        recorder: request.record.as_ref().map(recorder).transpose()?,
        recorded: columns,
        operator: None,
        shown: shown(project),
        snapshot_to: request.snapshot.clone().unwrap_or_else(|| request.snapshot_to.clone()),
        state: State::default(),
        live,
    })
}

/// What [live] shows: its place, the unit it is recorded and the one it is shown in.
fn shown(project: &Project) -> Vec<(usize, DisplayUnit, DisplayUnit)> {
    let wanted = |name: &str| project.live.show.iter().any(|pattern| matches(pattern, name));
    let columns = project.prepared.columns.iter().enumerate().filter(|(_, c)| wanted(&c.name));
    let units = columns.map(|(k, c)| {
        let unit = project.display.unit(&c.name, &c.unit.text).map_or(c.unit.clone(), DisplayUnit::from);
        (k, c.unit.clone(), unit)
    });
    units.collect()
}

/// The period after which the run ends; None: when it is told to.
fn end(
    end: LiveEnd,
    project: &Project,
    live: &LiveRun,
    clock: PeriodClock,
    replayed: Option<u64>,
) -> Result<Option<u64>, Failure> {
    let periods = |duration: f64| live.periods() + (duration / clock.period).round() as u64;
    match end {
        LiveEnd::After(duration) if duration > 0.0 && duration.is_finite() => Ok(Some(periods(duration))),
        LiveEnd::After(duration) => Err(LiveRequestError::Duration { duration }.into()),
        LiveEnd::At(t) if t > live.t() && t.is_finite() => Ok(Some(periods(t - live.t()))),
        LiveEnd::At(t) => Err(LiveRequestError::EndBeforeStart { t: live.t(), t_end: t }.into()),
        LiveEnd::OfModel | LiveEnd::Open if replayed.is_some() => Ok(replayed),
        LiveEnd::Open => Ok(None),
        LiveEnd::OfModel => Ok(Some(periods(project.run.t_end - project.run.t_start))),
    }
}

fn failed(project: &Project, error: &RunError) -> Failure {
    run_failure(&project.prepared.system, &project.sources, error, hint(error))
}

impl Pilot<'_> {
    /// Name and unit of each value that is shown.
    pub fn labels(&self) -> Vec<(String, String)> {
        let columns = &self.project.prepared.columns;
        self.shown.iter().map(|(k, _, unit)| (columns[*k].name.clone(), unit.text.clone())).collect()
    }

    /// Ends all files, and writes the state at the end where asked. Gives the number of rows that were recorded.
    pub fn close(
        &mut self,
        result: &Result<Ended, RunError>,
        request: &LiveRequest,
    ) -> Result<Option<u64>, Failure> {
        self.operator = None;
        self.saved()?;
        let ended = match result {
            Ok(Ended::Cancelled) if self.end.is_some() => CANCELLED.to_string(),
            Ok(_) => COMPLETE.to_string(),
            Err(error) => format!("failed: {error}"),
        };
        let rows = self.recorder.take().map(|recorder| recorder.finish(&ended)).transpose()?;
        let end = self.live.periods();
        self.inputs.take().map(|inputs| inputs.finish(end)).transpose()?;
        if let (Some(path), true) = (&request.snapshot, result.is_ok()) {
            snapshot::write(path, &snapshot::take(&mut self.live, self.project, self.period)?)?;
        }
        Ok(rows)
    }

    /// How a run that is over is answered.
    pub fn verdict(&self, result: Result<Ended, RunError>) -> Result<(), Failure> {
        match result {
            Err(error) => Err(failed(self.project, &error)),
            // A run without end is cancelled on purpose.
            Ok(Ended::Cancelled) if self.end.is_some() => Err(Failure::Cancelled),
            Ok(_) => Ok(()),
        }
    }
}
