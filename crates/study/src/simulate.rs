//! Running a project: settings from the file and from outside, rows out, progress and cancelling in between.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::time::Duration;

use trunnion_equations::Symbol;
use trunnion_model::run::{InitialAcceleration, MOST_STEPS, OutputGrid, SHORTEST};
use trunnion_model::{Diagnostic, RunSection, run::matches};
use trunnion_sim::integrate::{Ended, Moment, OutputTimes, RunError, Summary};
use trunnion_sim::machine::{Machine, Prepared};
use trunnion_sim::output_watch::OutputWatch;
use trunnion_sim::problem::Problem;
use trunnion_sim::run::{Finished, Settings, run};
use trunnion_sim::solvers::choose::{MethodNumbers, SOLVERS, SolverEntry, find};

use crate::aliases;
use crate::extremes::ExtremeTracker;
use crate::jumps::{Jump, Jumps};
use crate::monitor::{Monitor, ProgressPace};
use crate::request_error::RunRequestError;
use crate::signals::PLOT;
use crate::unresolved_states::{SmallStates, UnresolvedState};
use trunnion_engine::controllers::{run_failure, start_failure};
use trunnion_engine::project::Project;
use trunnion_engine::{Failure, Hint, ModelView};
use trunnion_num::text::number;
use trunnion_results::{Column, Extremes, MOST_BYTES, Metadata, Table, extremes_entry, nearest};
use watcher::{ColumnReader, Watcher};

mod watcher;

/// Relative tolerance where the user gives none.
pub const RTOL: f64 = 1e-6;

/// More rows than time can tell apart, and than are practical: a slip of the keyboard.
const MOST_ROWS: f64 = 1e15;

/// Settings that override the file's.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    pub t_end: Option<f64>,
    pub solver: Option<String>,
    pub rtol: Option<f64>,
}

/// Solver and settings of a run.
pub fn settings(
    model: &RunSection,
    overrides: &Overrides,
) -> Result<(&'static SolverEntry, Settings), Failure> {
    let name = overrides.solver.as_deref().unwrap_or(&model.solver);
    let solver = find(name).ok_or_else(|| unknown_solver(name))?;
    let rtol = overrides.rtol.or(model.rtol).unwrap_or(RTOL);
    if !(1e-14..=0.1).contains(&rtol) {
        return Err(RunRequestError::Tolerance { rtol }.into());
    }
    let t_end = overrides.t_end.unwrap_or(model.t_end);
    if !(t_end.is_finite() && t_end > model.t_start) {
        return Err(RunRequestError::EndBeforeStart { t_start: model.t_start, t_end }.into());
    }
    let shortest = SHORTEST.max(1e3 * f64::EPSILON * model.t_start.abs());
    if t_end - model.t_start < shortest {
        return Err(RunRequestError::TooShort { shortest }.into());
    }
    for (key, step) in [("step", model.step), ("h_max", model.h_max)] {
        let steps = step.map_or(0.0, |step| (t_end - model.t_start) / step);
        if steps > MOST_STEPS {
            return Err(RunRequestError::TooManySteps { key, most: MOST_STEPS }.into());
        }
    }
    let method = &model.method;
    let numbers = MethodNumbers {
        alpha: method.alpha,
        rho_inf: method.rho_inf,
        beta: method.beta,
        gamma: method.gamma,
        zero_start: method.initial_acceleration == Some(InitialAcceleration::Zero),
    };
    let output = match model.grid {
        OutputGrid::Points(n) => OutputTimes::Count(n),
        OutputGrid::Step(dt) => OutputTimes::Interval(dt),
    };
    let rows = match model.grid {
        OutputGrid::Points(n) => n as f64,
        OutputGrid::Step(dt) => (t_end - model.t_start) / dt,
    };
    if rows > MOST_ROWS {
        return Err(RunRequestError::TooManyRows { rows, most: MOST_ROWS }.into());
    }
    let settings = Settings {
        t_0: model.t_start,
        t_end,
        output,
        at: vec![],
        rtol,
        atol: model.atol,
        h_max: model.h_max,
        step: model.step,
        numbers,
    };
    Ok((solver, settings))
}

/// What is to be said beforehand of a result that will grow beyond what is written, if all its rows come.
pub fn too_large(settings: &Settings, columns: usize) -> Option<String> {
    let rows = match settings.output {
        OutputTimes::Count(n) => n as f64,
        OutputTimes::Interval(dt) => (settings.t_end - settings.t_0) / dt,
        _ => 0.0,
    };
    let bytes = 8.0 * rows * (columns + 1) as f64;
    (bytes > MOST_BYTES as f64).then(|| {
        let [rows, size, most] = [rows, 1e-9 * bytes, 1e-9 * MOST_BYTES as f64].map(|x| number(x, 3));
        let columns = columns + 1;
        format!("{rows} rows of {columns} columns are {size} GB; the run ends when {most} GB are written")
    })
}

fn unknown_solver(name: &str) -> RunRequestError {
    let all: Vec<&str> = SOLVERS.iter().map(|s| s.name).collect();
    let near = nearest(name, all.iter().copied()).first().map(|near| near.to_string());
    RunRequestError::UnknownSolver { name: name.into(), near, all }
}

/// Columns to record, by their place among all: quantities of the model.
pub fn recorded(prepared: &Prepared, patterns: &[String]) -> Vec<usize> {
    let wanted = |name: &str| patterns.is_empty() || patterns.iter().any(|p| matches(p, name));
    let of_model = |i: &usize| !prepared.columns[*i].measured && wanted(&prepared.columns[*i].name);
    (0..prepared.columns.len()).filter(of_model).collect()
}

/// Table without rows: time, then the recorded columns, further names of one quantity marked.
pub fn header(prepared: &Prepared, columns: &[usize]) -> Table {
    let mut list = vec![Column::new("time", "s", "Simulated time")];
    for &i in columns {
        let c = &prepared.columns[i];
        list.push(Column::new(&c.name, &c.unit.text, &c.doc));
    }
    aliases::mark(prepared, columns, &mut list[1..]);
    Table { columns: list, ..Table::default() }
}

/// What is known of the results of a run beforehand.
pub fn metadata(project: &Project, solver: &str, settings: &Settings) -> Metadata {
    let mut data = Metadata::new();
    let known = [("model", project.name.as_str()), ("model_hash", &project.hash), ("solver", solver)];
    data.extend(known.map(|(key, value)| (key.to_string(), value.to_string())));
    data.insert("rtol".into(), settings.rtol.to_string());
    data.insert("version".into(), env!("CARGO_PKG_VERSION").to_string());
    if !project.run.plot.is_empty() {
        data.insert(PLOT.into(), project.run.plot.join(","));
    }
    data
}

/// Takes rows as they come. An error ends the run.
pub type RowSink<'a> = dyn FnMut(&[f64]) -> Result<(), Failure> + 'a;

/// What came of a run.
pub struct RunOutcome {
    pub summary: Option<Summary>,
    pub error: Option<RunError>,
    pub wall: Duration,
    /// Number and time of every event.
    pub fired: Vec<(usize, f64)>,
    /// The same of those that came to hold what they set.
    pub held: Vec<(usize, f64)>,
    /// Name and time of every event.
    pub events: Vec<(String, f64)>,
    pub log: Vec<String>,
    /// Why the model ended the run early.
    pub ended_by: Option<String>,
    pub y: Vec<f64>,
    /// States that moved, but never by more than errors may be.
    pub unresolved: Vec<UnresolvedState>,
    /// Columns that change faster than they were read for means.
    pub unread: Vec<usize>,
    /// Stores without a state of their own that a source took elsewhere at an instant.
    pub jumps: Vec<Jump>,
    /// Of the recorded columns, between rows too.
    pub extremes: Vec<Extremes>,
    /// By column: why a measured expression was not finite, where that happened first.
    pub not_finite: HashMap<usize, RunError>,
    /// What can be done about an error.
    hint: Option<Hint>,
    /// Where a controller failed.
    place: Option<Box<Diagnostic>>,
}

impl RunOutcome {
    /// As written into results: "complete", "cancelled", "failed: …".
    pub fn ended(&self) -> String {
        match (&self.error, self.summary.map(|s| s.ended)) {
            (Some(error), _) => format!("failed: {error}"),
            (None, Some(Ended::Cancelled)) => trunnion_results::CANCELLED.into(),
            (None, _) => trunnion_results::COMPLETE.into(),
        }
    }

    /// The metadata of results with these columns, as far as they are known only now.
    pub fn metadata(&self, header: &Table) -> Metadata {
        let all = header.columns.iter().skip(1).zip(self.extremes.iter().copied());
        let stored = all.filter(|(c, _)| c.same_as.is_none()).map(|(c, e)| (c.name.as_str(), e));
        extremes_entry(stored).into_iter().collect()
    }

    fn failure(&self, error: &RunError) -> Failure {
        let (message, hint) = (error.to_string(), self.hint.clone());
        match &self.place {
            Some(place) => Failure::Script { message, place: place.clone() },
            None => Failure::Run { message, hint },
        }
    }

    /// Err if the run failed or was cancelled.
    pub fn check(&self) -> Result<(), Failure> {
        match (&self.error, self.summary.map(|s| s.ended)) {
            (Some(error), _) => Err(self.failure(error)),
            (None, Some(Ended::Cancelled)) => Err(Failure::Cancelled),
            (None, _) => Ok(()),
        }
    }
}

/// An unknown that has grown by so much when the steps vanish grows without bound.
const GROWN: f64 = 1e3;

/// Said where the unknown a solver failed on is huge.
fn growth(prepared: &Prepared, error: &RunError, y: &[f64]) -> Option<Hint> {
    use trunnion_sim::stepper::StepFailure as Solver;
    let RunError::Solver { failure: Solver::StepTooSmall { unknown, .. }, name } = error else { return None };
    let start = prepared.system.start(&HashMap::new()).y();
    let size = prepared.layout.nominal.get(*unknown)?.max(start.get(*unknown)?.abs());
    let now = *y.get(*unknown)?;
    (now.abs() > GROWN * size).then(|| {
        let shown = prepared.columns.get(*unknown).map_or(now, |c| c.unit.shown(now));
        let unit = prepared.columns.get(*unknown).map_or("", |c| c.unit.text.as_str());
        let now = trunnion_num::text::with_unit(shown, unit, 3);
        Hint::from(format!("`{name}` grows without bound, {now} by then")).and_see(ModelView::Equation)
    })
}

/// The operation that keeps the equation of a state from having a value, there or just beyond.
fn operation(machine: &mut Machine, error: &RunError, y: &[f64]) -> Option<Hint> {
    use trunnion_sim::stepper::{FailureCause, StepFailure as Solver};
    let (t, row, h) = match error {
        RunError::Solver { failure: Solver::NotFinite { t, row }, .. } => (*t, *row, None),
        RunError::Solver {
            failure: Solver::StepTooSmall { t, unknown, h, cause: FailureCause::NotFinite },
            ..
        } => (*t, *unknown, Some(*h)),
        _ => return None,
    };
    let of = machine.prepared()?.system.rows.get(row)?;
    let (written, value) = (of.written, of.value);
    let at = |machine: &Machine, t: f64, y: &[f64]| {
        machine.cause(t, y, written).or_else(|| machine.cause(t, y, value))
    };
    let cause = at(machine, t, y).or_else(|| {
        let mut rates = vec![0.0; y.len()];
        machine.residual(t, y, &mut rates);
        let n_states = machine.loaded().image.n_states;
        let moved = |dt: f64| -> Vec<f64> {
            (0..y.len()).map(|i| y[i] + if i < n_states { dt * rates[i] } else { 0.0 }).collect()
        };
        let mut beyond = (0..BEYOND).map(|k| h.unwrap_or(0.0) * f64::powi(2.0, k));
        beyond.find_map(|dt| at(machine, t + dt, &moved(dt)))
    })?;
    let place = if h.is_some() { "just beyond, " } else { "" };
    let remedy = cause.remedy.as_ref().map(|r| format!("; write {r} if it is to rest there"));
    Some(format!("{place}{cause}{}", remedy.unwrap_or_default()).into())
}

/// Doublings of the last step that was tried: some milliseconds beyond the end of a run.
const BEYOND: i32 = 40;

/// What a user can do about a failed run.
pub fn hint(error: &RunError) -> Option<Hint> {
    use trunnion_sim::stepper::{FailureCause, StepFailure as Solver};
    let text = match error {
        RunError::Solver { failure: Solver::NotFinite { .. }, .. } => {
            "look for a division by zero, a root or logarithm of a negative number, or a start value out of range"
        }
        RunError::Solver { failure: Solver::StepTooSmall { cause: FailureCause::NotFinite, .. }, .. } => {
            let text = "the value grows without bound or leaves the range of a function there";
            return Some(Hint::from(text).and_see(ModelView::Equation));
        }
        RunError::Solver { failure: Solver::Inconsistent { .. }, .. } => {
            "give start values nearer to a solution for the variables in this equation"
        }
        RunError::Solver { failure: Solver::StepTooSmall { .. }, .. } => {
            "a discontinuity that is no event, or a tolerance below rounding? Try the solver trbdf2, or a larger rtol"
        }
        RunError::Solver { failure: Solver::Singular { .. }, .. } => {
            let text = "two equations say the same there, or one lost its unknown";
            return Some(Hint::from(text).and_see(ModelView::Equations));
        }
        RunError::NotFinite { .. } => {
            "keep the operation from being asked for, as with max(x, 0) under a root; rows up to here are kept"
        }
        RunError::Chattering { .. } => "give the switch a hysteresis",
        _ => return None,
    };
    Some(text.into())
}

/// Run, sending rows of time and the given columns to `sink`.
pub fn simulate<'a>(
    project: &Project,
    given: &HashMap<Symbol, f64>,
    (solver, settings): (&SolverEntry, &Settings),
    columns: &'a [usize],
    monitor: &'a Monitor,
    sink: &'a mut RowSink<'a>,
) -> Result<RunOutcome, Failure> {
    let prepared = &project.prepared;
    let for_means = matches!(settings.output, OutputTimes::Steps(_));
    let mut watcher = Watcher {
        reader: ColumnReader {
            columns,
            all: vec![0.0; prepared.columns.len()],
            y: vec![0.0; prepared.system.n()],
            rtol: settings.rtol,
            not_finite: None,
            measured: HashMap::new(),
        },
        row: vec![0.0; columns.len() + 1],
        follower: ExtremeTracker::new(columns.len()),
        sink,
        failed: None,
        late: None,
        signals: SmallStates::new(prepared, settings.rtol, settings.atol),
        jumps: Jumps::new(prepared, settings.rtol),
        outputs: OutputWatch::new(prepared, columns, for_means),
        between: for_means.then(VecDeque::new),
        pace: ProgressPace::new(monitor, (settings.t_0, settings.t_end)),
    };
    let finished = run(prepared, given, solver, settings, &mut watcher);
    monitor.progress.end();
    let wall = watcher.pace.elapsed();
    if let Some(failure) = watcher.failed {
        return Err(failure);
    }
    let cannot_start = |e| start_failure(&prepared.system, &project.sources, &e);
    let Finished { result, mut machine, y } = finished.map_err(cannot_start)?;
    let names = &prepared.system.events;
    let events = machine.fired.iter().map(|&(e, t)| (names[e].name.clone(), t)).collect();
    let fired = std::mem::take(&mut machine.fired);
    let (log, held) = (machine.take_log(), machine.holds().to_vec());
    let not_finite = watcher.reader.not_finite.or(watcher.late.map(|late| late.1));
    let result = not_finite.map_or(result, Err);
    let (summary, error) = match result {
        Ok(summary) => (Some(summary), None),
        Err(error) => (None, Some(error)),
    };
    let failure = error.as_ref().map(|e| run_failure(&prepared.system, &project.sources, e, None));
    let place = match failure {
        Some(Failure::Script { place, .. }) => Some(place),
        _ => None,
    };
    let hint = error
        .as_ref()
        .and_then(|e| operation(&mut machine, e, &y).or_else(|| growth(prepared, e, &y)).or_else(|| hint(e)));
    let (ended_by, not_finite, unseen) =
        (machine.ended_by, watcher.reader.measured, watcher.signals.unresolved());
    let unread = watcher.outputs.map_or(vec![], |watch| watch.unread(prepared, columns));
    let extremes = watcher.follower.found();
    Ok(RunOutcome {
        summary,
        error,
        wall,
        fired,
        held,
        events,
        log,
        ended_by,
        y,
        unresolved: unseen,
        unread,
        jumps: watcher.jumps.found(),
        extremes,
        not_finite,
        hint,
        place,
    })
}

/// What a solver's failure outside a run means in the user's names.
pub fn describe(project: &Project, failure: &trunnion_sim::stepper::StepFailure) -> Failure {
    use trunnion_sim::stepper::StepFailure as Solver;
    let system = &project.prepared.system;
    let unknown = |i: usize| project.prepared.layout.names.get(i).cloned();
    let name = match *failure {
        Solver::StepTooSmall { unknown: i, .. } | Solver::Singular { unknown: i, .. } => unknown(i),
        // Algebraic rows belong to no unknown in particular.
        Solver::NotFinite { row, .. } | Solver::Inconsistent { row, .. } if row >= system.n_states => {
            system.rows.get(row).map(|r| r.name.clone())
        }
        Solver::NotFinite { row, .. } | Solver::Inconsistent { row, .. } => unknown(row),
        Solver::NoSymbols => None,
    };
    let error = RunError::Solver { failure: failure.clone(), name: name.unwrap_or_default() };
    Failure::Run { message: error.to_string(), hint: hint(&error) }
}

/// A model at one instant.
pub struct OperatingPoint {
    pub machine: Machine,
    pub t: f64,
    pub y: Vec<f64>,
}

impl OperatingPoint {
    /// All columns, in the units they are shown in.
    pub fn record(&mut self, row: &mut [f64]) -> Result<(), Failure> {
        let done = self.machine.record(self.t, &self.y, row);
        done.map_err(|error| Failure::Run { message: error.to_string(), hint: hint(&error) })
    }
}

/// The model at its start, or where a run has brought it at `at`.
pub fn point(
    project: &Project,
    overrides: &Overrides,
    at: Option<f64>,
    monitor: &Monitor,
) -> Result<OperatingPoint, Failure> {
    let model = &project.run;
    let (mut solver, mut settings) = settings(model, &Overrides { t_end: None, ..overrides.clone() })?;
    let t = at.unwrap_or(model.t_start);
    if !(t.is_finite() && t >= model.t_start) {
        return Err(RunRequestError::BeforeStart { t_start: model.t_start, t }.into());
    }
    (settings.t_end, settings.output) = (t, OutputTimes::Start);
    if t == model.t_start {
        // Nothing is stepped; a fixed step would be none.
        solver = &SOLVERS[0];
    }
    let mut watch = |_: &mut Machine, _: f64, _: &[f64], _: Moment| match monitor.is_cancelled() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let finished = run(&project.prepared, &HashMap::new(), solver, &settings, &mut watch);
    let (system, sources) = (&project.prepared.system, &project.sources);
    let Finished { result, machine, y } = finished.map_err(|e| start_failure(system, sources, &e))?;
    match result {
        Err(error) => Err(run_failure(system, sources, &error, hint(&error))),
        Ok(Summary { ended: Ended::Cancelled, .. }) => Err(Failure::Cancelled),
        Ok(Summary { ended: Ended::Terminated, t: end, .. }) if end < t => {
            let reason = machine.ended_by.as_deref().unwrap_or_default();
            let message = format!("the model ends the run at t = {end} s, before t = {t} s: {reason}");
            Err(Failure::Run { message, hint: None })
        }
        Ok(_) => Ok(OperatingPoint { machine, t, y }),
    }
}

/// Run and keep all rows in memory. `Err` in the second place: the run stopped early, rows so far are kept.
pub fn simulate_to_table(
    project: &Project,
    given: &HashMap<Symbol, f64>,
    (solver, settings): (&SolverEntry, &Settings),
    monitor: &Monitor,
) -> Result<(Table, RunOutcome), Failure> {
    let columns = recorded(&project.prepared, &[]);
    let mut table = header(&project.prepared, &columns);
    let mut sink = |row: &[f64]| {
        for (column, &value) in table.columns.iter_mut().zip(row) {
            column.values.push(value);
        }
        Ok(())
    };
    let outcome = simulate(project, given, (solver, settings), &columns, monitor, &mut sink)?;
    for (column, &extremes) in table.columns[1..].iter_mut().zip(&outcome.extremes) {
        column.extremes = Some(extremes);
    }
    Ok((table, outcome))
}
