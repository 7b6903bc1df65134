//! The run loop: steps, events, sampled instants and output, for any solver and any hybrid problem.
//!
//! Order of event handling at one instant t:
//!   1. guards that cross there are fired, algebraic unknowns made consistent, modes settled, guards that jumped to their other side
//!      fired as well, until nothing changes (`instant.rs`);
//!   2. tasks due at t are sampled together, then those that wait for them; if they changed something, as in 1;
//!   3. the solver restarts if anything changed; then a grid point at t is reported.
//!
//! At t₀ the same, with consistent values and settled modes first. Sampled instants and the end are met exactly, tasks
//! due at the end are run. A grid point in between is read off the curve over the step: t₀ + k dt, and t_end; so are further times
//! that were asked for.
//!
//! Endless behaviour ends the run with an error, results so far kept:
//! - Zeno: a guard fires `BURST` times within `VANISHING` of the run's length, or within the resolution of time; or after
//!   ever shorter intervals that add up to next to nothing it no longer comes back to its side (it would fall through);
//! - chattering: modes change without end while time stands still.
//!
//! No clock, no input or output, no threads: the observer does what has to be done outside.

use crate::events::{Locator, sign};
use crate::history::{BURST, History};
use crate::newton::ConsistentValues;
use crate::plan::Points;
pub use crate::plan::{
    Ended, IntegrationProgress, Moment, Observer, OutputTimes, RunPlan, StepPiece, Summary,
};
use crate::problem::{Corner, Crossing, Hybrid};
pub use crate::run_error::RunError;
use crate::stepper::{SolverOptions, StepFailure, Stepper, Tolerance};
use instant::GuardsAtInstant;
use trunnion_num::Archive;

/// Firings make a burst if all that are remembered fall within this share of the run's length: far below what a model resolves on purpose.
const VANISHING: f64 = 1e-10;
/// The same relative to time itself, some hundred roundings.
const VANISHING_TIME: f64 = 1e-13;
/// Firings that shrink to less than this share of the run come to an end.
const ACCUMULATION_SHARE: f64 = 1e-3;
/// Rounds at one instant: a chain of events may be long, but an endless one is reported within a second.
const ROUNDS: usize = 10_000;
/// Restarts and events that leave zero at once, within vanishing time.
const MOST_ZERO_STEPS: usize = 200;

/// Run `problem` from the values `y`, whose differential part counts and whose algebraic part is a first guess, as
/// `plan` says. `y` ends as the last values reached, also after an error.
pub fn integrate<P: Hybrid>(
    problem: &mut P,
    y: &mut [f64],
    stepper: &mut dyn Stepper,
    plan: &RunPlan,
    observer: &mut dyn Observer<P>,
) -> Result<Summary, RunError> {
    plan.check()?;
    let state = &mut RunState::new(problem, y, plan);
    let mut run = Integration { problem, stepper, plan, observer, state };
    let ended = run.run();
    y.copy_from_slice(&run.state.y);
    if let Some(tolerance) = run.stepper.tolerance() {
        run.observer.tolerance(tolerance);
    }
    match ended {
        Ok(()) => Ok(run.summary(Ended::Completed)),
        Err(LoopExit::Ended(ended)) => Ok(run.summary(ended)),
        Err(LoopExit::Error(error)) => Err(error),
    }
}

/// Why the loop is left early.
pub(crate) enum LoopExit {
    Ended(Ended),
    Error(RunError),
}

/// What sampled tasks have changed.
#[derive(Clone, Copy, PartialEq)]
enum Sampled {
    Nothing,
    /// Inputs and modes, but no state.
    Inputs,
    /// States, or what events have changed.
    Jump,
}

impl From<RunError> for LoopExit {
    fn from(error: RunError) -> Self {
        LoopExit::Error(error)
    }
}

/// What is known of curves between the ends of steps since the last restart.
#[derive(Clone)]
struct Curves {
    /// A step whose curve was true, and the number of steps from which on one is looked at again.
    known: f64,
    again: u64,
    /// The longest step to be tried.
    longest: f64,
}

impl Default for Curves {
    fn default() -> Self {
        Curves { known: 0.0, again: 0, longest: f64::INFINITY }
    }
}

/// A run as it goes on: what it works on, and what it remembers.
pub(crate) struct Integration<'a, P: Hybrid> {
    pub problem: &'a mut P,
    pub stepper: &'a mut dyn Stepper,
    pub plan: &'a RunPlan,
    pub observer: &'a mut dyn Observer<P>,
    pub state: &'a mut RunState,
}

/// All that a run remembers, beside its problem and its solver: it can be laid aside between two steps.
#[derive(Clone)]
pub(crate) struct RunState {
    pub consistent: ConsistentValues,
    locator: Locator,
    pub t: f64,
    pub y: Vec<f64>,
    points: Points,
    steps: u64,
    pub events: u64,
    kinks: u64,
    /// Time and steps when the last bunch of them began.
    kinks_since: (f64, u64),
    /// They are passed without a look up to this time.
    kinks_again: f64,
    /// In steps of this length.
    kinks_step: f64,
    curves: Curves,
    /// Instants between the ends of steps at which events were handled, since the caller reset the count to 0.
    pub located: usize,
    /// The last step up to a point of a table took so long: those that follow become longer by and by.
    point_pace: f64,
    /// The last step that inputs of time limited took so long; more with every step since.
    input_pace: f64,
    /// Time, steps tried, and those held down by stability, when the pace was looked at last.
    pace_since: (f64, u64, u64),
    crossings_total: u64,
    samples: u64,
    restarts: u64,
    /// Restarts since this time, which moves on with the run only if it moves noticeably.
    standing: usize,
    standing_since: f64,
    history: Vec<History>,
    /// No event since the last piece of the solution.
    joined: bool,
    /// Time after the last jump of an algebraic unknown, and the moment it took.
    jumped: (f64, f64),
    /// What crosses at the instant at hand, and all guards there.
    crossings: Vec<Crossing>,
    at: GuardsAtInstant,
    /// Values of grid points and before events.
    y_out: Vec<f64>,
}

impl RunState {
    /// At the beginning of a plan, with the values `y`.
    pub fn new<P: Hybrid>(problem: &P, y: &[f64], plan: &RunPlan) -> Self {
        let layout = problem.layout();
        let (n, m) = (layout.n(), layout.guards.len());
        let (rtol, atol) = plan.tolerance;
        let tolerance =
            Tolerance::new(layout, &SolverOptions { rtol, atol, ..SolverOptions::default() }).given();
        RunState {
            consistent: ConsistentValues::new(layout),
            locator: Locator::new(layout, tolerance),
            t: plan.t_0,
            y: y.to_vec(),
            points: Points::default(),
            steps: 0,
            events: 0,
            kinks: 0,
            kinks_since: (plan.t_0, 0),
            kinks_again: f64::INFINITY,
            kinks_step: f64::INFINITY,
            curves: Curves::default(),
            located: 0,
            point_pace: f64::INFINITY,
            input_pace: f64::INFINITY,
            pace_since: (plan.t_0, 0, 0),
            crossings_total: 0,
            samples: 0,
            restarts: 0,
            standing: 0,
            standing_since: plan.t_0,
            history: vec![History::default(); m],
            joined: false,
            jumped: (f64::NAN, 0.0),
            crossings: Vec::with_capacity(m),
            at: GuardsAtInstant::new(n, m),
            y_out: vec![0.0; n],
        }
    }
}

impl<P: Hybrid> Integration<'_, P> {
    fn run(&mut self) -> Result<(), LoopExit> {
        self.begin()?;
        self.go_on(f64::INFINITY).map(|_| ())
    }

    /// Steps up to `until` or a little beyond, or to the end of the plan; true: that was the end.
    pub fn go_on(&mut self, until: f64) -> Result<bool, LoopExit> {
        let t_end = self.plan.t_end;
        loop {
            if self.state.t >= t_end {
                self.report(self.state.t, Moment::End)?;
                return Ok(true);
            }
            if self.state.t >= until {
                return Ok(false);
            }
            self.report_here()?;
            self.single_step(t_end)?;
            let at =
                IntegrationProgress { t: self.state.t, steps: self.state.steps, events: self.state.events };
            if self.observer.progress(at).is_break() {
                return Err(LoopExit::Ended(Ended::Cancelled));
            }
        }
    }

    /// At t₀, before the first step.
    pub fn begin(&mut self) -> Result<(), LoopExit> {
        self.state.locator.watch_kinks(self.stepper.freezes_kinks());
        self.problem.follow_kinks(!self.stepper.freezes_kinks());
        self.problem.next_corner(self.state.t, self.horizon());
        let timed: Vec<usize> = (0..self.state.locator.len()).filter(|&g| self.problem.is_timed(g)).collect();
        self.state.locator.leave_out(&timed);
        self.make_consistent()?;
        self.handle_events(true)?;
        self.find_begun();
        if !self.state.crossings.is_empty() {
            self.handle_events(true)?;
        }
        // Guards of time that leave zero here.
        self.pass_corner(Corner { t: self.state.t, jumps: false })?;
        self.sample_due()?;
        self.restart()
    }

    /// Up to where inputs of time are looked at: a run without end sees a second or two.
    fn horizon(&self) -> f64 {
        if self.plan.t_end.is_finite() { self.plan.t_end } else { self.state.t.floor() + 2.0 }
    }

    /// Guards that are beyond zero already and count.
    fn find_begun(&mut self) {
        let mut g = vec![0.0; self.state.locator.len()];
        self.problem.guards(self.state.t, &self.state.y, &mut g);
        for (guard, &value) in g.iter().enumerate() {
            let heading = sign(value);
            if heading != 0 && self.problem.at_start(guard) && self.state.locator.counts(guard, heading) {
                self.state.crossings.push(Crossing { guard, rising: heading > 0 });
            }
        }
    }

    /// Parameters, inputs or modes were changed from outside.
    pub(crate) fn take_change(&mut self) -> Result<(), LoopExit> {
        self.make_consistent()?;
        self.state.crossings.clear();
        self.handle_events(true)?;
        self.restart()
    }

    /// All that the steps to come take over from those before, the problem's own memory aside.
    pub fn remember(&mut self, archive: &mut Archive) -> bool {
        archive.number(&mut self.state.t);
        archive.numbers(&mut self.state.y);
        for count in [
            &mut self.state.steps,
            &mut self.state.events,
            &mut self.state.kinks,
            &mut self.state.crossings_total,
            &mut self.state.samples,
            &mut self.state.restarts,
            &mut self.state.kinks_since.1,
            &mut self.state.pace_since.1,
            &mut self.state.pace_since.2,
        ] {
            archive.word(count);
        }
        archive.number(&mut self.state.kinks_since.0);
        archive.number(&mut self.state.kinks_again);
        archive.number(&mut self.state.pace_since.0);
        archive.number(&mut self.state.point_pace);
        archive.number(&mut self.state.input_pace);
        archive.count(&mut self.state.standing);
        archive.number(&mut self.state.standing_since);
        archive.number(&mut self.state.jumped.0);
        archive.number(&mut self.state.jumped.1);
        archive.flag(&mut self.state.joined);
        self.state.at.remember(archive);
        self.state.history.iter_mut().for_each(|history| history.remember(archive));
        self.state.locator.remember(archive);
        self.state.consistent.remember(archive);
        self.stepper.remember(archive)
    }

    fn move_to(&mut self, t: f64) {
        if t - self.state.standing_since > self.vanishing() {
            (self.state.standing, self.state.standing_since) = (0, t);
        }
        self.state.t = t;
    }

    /// Time too short for two events that are meant.
    fn vanishing(&self) -> f64 {
        (VANISHING * self.plan.length()).max(VANISHING_TIME * self.state.t.abs())
    }

    /// A guard that fired at ever shorter intervals and now goes on instead of coming back.
    fn check_accumulation(&self, guard: usize, heading: i8) -> Result<(), LoopExit> {
        let history = &self.state.history[guard];
        let goes_on = !self.state.locator.may_fire(guard) && heading == history.heading;
        if goes_on && history.remaining_time() < ACCUMULATION_SHARE * self.plan.length() {
            let (count, t) = (history.count.min(BURST), self.state.t);
            let within = t - history.time(count - 1);
            return Err(RunError::Zeno { guard: self.guard_name(guard), t, count, within }.into());
        }
        Ok(())
    }

    /// Run the tasks due.
    fn sample_due(&mut self) -> Result<Sampled, LoopExit> {
        let (t, events) = (self.state.t, self.state.events);
        let mut sampled = Sampled::Nothing;
        for _ in 0..ROUNDS {
            if self.problem.next_instant() > t {
                return Ok(sampled);
            }
            self.state.samples += 1;
            self.state.y_out.copy_from_slice(&self.state.y);
            let effect = self.problem.sample(t, &mut self.state.y, &mut self.state.at.touched);
            let effect = effect.map_err(|error| RunError::Task { t, error })?;
            if effect.changed {
                let differential = &self.problem.layout().differential;
                let moved = |i: usize| differential[i] && self.state.y[i] != self.state.y_out[i];
                let jumps = (0..self.state.y.len()).any(moved);
                self.make_consistent()?;
                self.state.crossings.clear();
                self.handle_events(true)?;
                let jumps = jumps || self.state.events > events || sampled == Sampled::Jump;
                sampled = if jumps { Sampled::Jump } else { Sampled::Inputs };
            }
            if effect.terminate {
                self.report(t, Moment::End)?;
                return Err(LoopExit::Ended(Ended::Terminated));
            }
        }
        Err(RunError::TaskWithoutProgress { t }.into())
    }

    fn take_inputs(&mut self) -> Result<(), LoopExit> {
        self.state.joined = false;
        let done = self.stepper.take_inputs(self.problem, self.state.t, &self.state.y);
        done.map_err(|failure| self.solver_error(failure).into())
    }

    fn restart(&mut self) -> Result<(), LoopExit> {
        (self.state.restarts, self.state.joined) = (self.state.restarts + 1, false);
        self.state.curves = Curves::default();
        self.count_zero_step()?;
        let done = self.stepper.restart(self.problem, self.state.t, &self.state.y);
        done.map_err(|failure| self.solver_error(failure).into())
    }

    /// A step or an event that does not advance time.
    fn count_zero_step(&mut self) -> Result<(), LoopExit> {
        self.state.standing += 1;
        if self.state.standing > MOST_ZERO_STEPS { Err(self.chattering().into()) } else { Ok(()) }
    }

    fn make_consistent(&mut self) -> Result<(), LoopExit> {
        let done = self.state.consistent.solve(self.problem, self.state.t, &mut self.state.y);
        let Err(failure) = done else { return Ok(()) };
        // By the branches at hand there may be no such values.
        if self.make_consistent_with_kinks() { Ok(()) } else { Err(self.solver_error(failure).into()) }
    }

    /// Algebraic unknowns and branches of kinks, found together.
    fn make_consistent_with_kinks(&mut self) -> bool {
        self.problem.follow_kinks(true);
        let done = self.state.consistent.solve(self.problem, self.state.t, &mut self.state.y);
        self.problem.follow_kinks(self.state.locator.passes_kinks());
        done.is_ok()
    }

    fn guard_name(&self, guard: usize) -> String {
        self.problem.layout().guards[guard].name.clone()
    }

    fn solver_error(&self, failure: StepFailure) -> RunError {
        let name = failure.place().and_then(|i| self.problem.layout().names.get(i).cloned());
        let name = name.unwrap_or_default();
        RunError::Solver { failure, name }
    }
}

mod instant;
mod kinks;
mod reports;
mod steps;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod work_tests;
