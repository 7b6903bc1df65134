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
//! - chattering: modes change for ever while time stands still.
//!
//! No clock, no input or output, no threads: the observer does what has to be done outside.

use crate::events::{Locator, coincides, resolution, sign};
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
use std::ops::ControlFlow;
use trunnion_num::Archive;

/// Firings make a burst if all that are remembered fall within this share of the run's length: far below what a model resolves on purpose.
const VANISHING: f64 = 1e-10;
/// The same relative to time itself, some hundred roundings.
const VANISHING_TIME: f64 = 1e-13;
/// Firings that shrink to less than this share of the run come to an end.
const ACCUMULATION_SHARE: f64 = 1e-3;
/// Kinks that come as fast as this, so many within a share of the run, or in nearly every step of a larger share, are not worth ending steps
/// for until so many times as long has passed.
const KINK_BUNCH: u64 = 64;
const KINK_RATE: f64 = 1e-7;
const KINK_STEPS: u64 = 80;
const KINK_SPAN: f64 = 1e-4;
const KINK_PAUSE: f64 = 10.0;
/// Steps of that time at least: error control alone sees a kink too late.
const PAUSE_STEPS: f64 = 32.0;
/// Rounds at one instant: a chain of events may be long, but one without end is told within a second.
const ROUNDS: usize = 10_000;
/// Roundings of time in which an unknown jumps, at first.
const MOMENT: f64 = 64.0;
/// Where most of so many steps tried are held down by stability and more than so many are left to do, the model needs another solver.
const PACE_STEPS: u64 = 100_000;
const MOST_STEPS_LEFT: f64 = 1e7;
/// A step that passes over something is made shorter this often at most.
const SHORTER: usize = 40;
/// In tolerances: how far a curve may be off between the ends of a step.
const CURVE_ERROR: f64 = 5.0;
/// Curves are looked at where steps have grown by this, and every so many steps.
const CURVE_GROWTH: f64 = 1.2;
const CURVE_STEPS: u64 = 16;
/// A step is cut this often at most where its curve is no solution: where the slope differs so much from the rates, in tolerances.
const CUTS: usize = 20;
const LARGEST_DEFECT: f64 = 1e3;
const SHORT: f64 = 1e-3;
/// From the length of a step up to a point of a table to that of the next.
const POINT_GROWTH: f64 = 5.0;
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
    /// Instants between the ends of steps at which events were handled, since whoever counts put it to 0.
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

    /// One step of the solver and the events in it, up to `t_end` at most.
    pub(crate) fn single_step(&mut self, t_end: f64) -> Result<(), LoopExit> {
        let horizon = self.horizon();
        let corner = self.problem.next_corner(self.state.t, horizon);
        if self.state.t >= self.state.kinks_again {
            (self.state.kinks_again, self.state.kinks_step) = (f64::INFINITY, f64::INFINITY);
            self.state.locator.watch_kinks(true);
            self.problem.follow_kinks(false);
            self.take_change()?;
        }
        let unwatched = self.state.kinks_again.min(self.state.t + self.state.kinks_step);
        let mut limit = self.problem.next_instant().min(t_end).min(corner.t).min(unwatched);
        if self.stepper.freezes_kinks() {
            let grown = self.stepper.input_growth() * self.state.input_pace;
            limit = limit.min(self.state.t + grown);
            let pace = self.stepper.pace().min(limit - self.state.t);
            let inputs = self.problem.time_limit(self.state.t, pace, horizon, self.stepper.input_share());
            let least = instant::INSTANT_ROUNDINGS * resolution(self.state.t);
            self.state.input_pace = if inputs < limit { (inputs - self.state.t).max(least) } else { grown };
            limit = limit.min(inputs);
            limit = limit.min(self.state.t + self.problem.longest_step().min(self.state.curves.longest));
            limit = limit.min(self.state.t + POINT_GROWTH * self.state.point_pace);
        }
        // Before a jump of the equations, lest the end of the step is beyond it.
        if corner.jumps && limit == corner.t {
            limit = limit.next_down().max(self.state.t);
        }
        if limit > self.state.t
            && let Err(failure) = self.stepper.step(self.problem, limit)
        {
            return self.jump_unresolved(failure, limit);
        }
        // A step may be left undone for now.
        if self.stepper.state().0 > self.state.t {
            self.state.steps += 1;
            self.note_pace(t_end)?;
            if self.stepper.freezes_kinks() && !(self.step_within_watches()? && self.check_curve()?) {
                return Ok(());
            }
            self.follow_step(if corner.jumps { f64::INFINITY } else { corner.t })?;
        }
        if coincides(self.state.t, corner.t) && corner.t <= t_end {
            self.pass_corner(corner)?;
        }
        match self.sample_due()? {
            Sampled::Nothing => Ok(()),
            // The pace does for the next step too: if it does not, the error estimate says so.
            Sampled::Inputs => self.take_inputs(),
            Sampled::Jump => self.restart(),
        }
    }

    /// A step was made: where an explicit solver is held down by stability, does the run come to its end at this pace?
    fn note_pace(&mut self, t_end: f64) -> Result<(), LoopExit> {
        let (t, tried_before, held_before) = self.state.pace_since;
        let (work, held_down) = (self.stepper.work(), self.stepper.stability_limited_steps());
        let tried = (work.steps + work.rejected).saturating_sub(tried_before);
        if tried < PACE_STEPS {
            return Ok(());
        }
        self.state.pace_since = (self.state.t, work.steps + work.rejected, held_down);
        let h = (self.state.t - t) / tried as f64;
        let stiff = held_down.saturating_sub(held_before) > tried / 2;
        if stiff && t_end - self.state.t > MOST_STEPS_LEFT * h {
            return Err(RunError::Stiff { t, h }.into());
        }
        Ok(())
    }

    /// An algebraic unknown that changes faster than time resolves, as the pressure between two valves that close, jumps: the run goes on
    /// behind the jump, from consistent values a moment later. Moments double as long as that does not help, up to vanishing time.
    fn jump_unresolved(&mut self, failure: StepFailure, limit: f64) -> Result<(), LoopExit> {
        let layout = self.problem.layout();
        let jumps = matches!(failure, StepFailure::StepTooSmall { unknown, .. } if layout.differential.get(unknown) == Some(&false));
        let (since, last) = self.state.jumped;
        let dt = if self.state.t == since { 2.0 * last } else { MOMENT * resolution(self.state.t) };
        if !jumps || dt > self.vanishing() {
            return Err(self.solver_error(failure).into());
        }
        let t = (self.state.t + dt).min(limit);
        self.problem.residual(self.state.t, &self.state.y, &mut self.state.y_out);
        let differential = &self.problem.layout().differential;
        for i in 0..self.state.y.len() {
            self.state.y[i] += if differential[i] { (t - self.state.t) * self.state.y_out[i] } else { 0.0 };
        }
        self.state.jumped = (t, dt);
        self.state.t = t;
        self.take_change()
    }

    /// Parameters, inputs or modes were changed from outside.
    pub(crate) fn take_change(&mut self) -> Result<(), LoopExit> {
        self.make_consistent()?;
        self.state.crossings.clear();
        self.handle_events(true)?;
        self.restart()
    }

    /// The last step, made again and shorter as long as its curve is no solution between the ends; false: left undone. Only asked where something
    /// reads the curve, and where steps have grown, or now and then.
    fn check_curve(&mut self) -> Result<bool, LoopExit> {
        for _ in 0..SHORTER {
            let end = self.stepper.state().0;
            let h = end - self.state.t;
            let is_read = !self.state.locator.is_empty() || self.state.points.next(self.plan) < end;
            let known =
                h <= CURVE_GROWTH * self.state.curves.known && self.state.steps < self.state.curves.again;
            if !is_read || known || h <= self.vanishing() {
                break;
            }
            let error = self.stepper.curve_error(self.problem);
            if error.is_nan() || error <= CURVE_ERROR {
                let grows = if error < CURVE_ERROR / 10.0 { 2.0 } else { 1.0 };
                let longest =
                    if h > 0.5 * self.state.curves.longest { grows } else { 1.0 } * self.state.curves.longest;
                self.state.curves = Curves { known: h, again: self.state.steps + CURVE_STEPS, longest };
                break;
            }
            let share = (CURVE_ERROR / error).powf(0.25).clamp(0.1, 0.8);
            self.state.curves = Curves { longest: share * h, ..Curves::default() };
            if !self.repeat_step(self.state.t + share * h)? {
                return Ok(false);
            }
        }
        Ok(self.stepper.state().0 > self.state.t)
    }

    /// The last step once more, up to `limit`; false: left undone.
    fn repeat_step(&mut self, limit: f64) -> Result<bool, LoopExit> {
        let done = self.stepper.resume(self.problem, self.state.t, &self.state.y);
        done.map_err(|failure| self.solver_error(failure))?;
        if let Err(failure) = self.stepper.step(self.problem, limit) {
            self.jump_unresolved(failure, limit)?;
            return Ok(false);
        }
        Ok(true)
    }

    /// The last step, made again and shorter as long as it passes over something; false: left undone.
    fn step_within_watches(&mut self) -> Result<bool, LoopExit> {
        for _ in 0..SHORTER {
            let end = self.stepper.state();
            let h = end.0 - self.state.t;
            let Some(share) = self.problem.passes_over((self.state.t, &self.state.y), end) else { break };
            if h <= self.vanishing() {
                break;
            }
            if !self.repeat_step(self.state.t + share * h)? {
                return Ok(false);
            }
        }
        Ok(self.stepper.state().0 > self.state.t)
    }

    /// Over the last step: grid points and events in their order, up to its end or to the first that changes something.
    fn follow_step(&mut self, corner: f64) -> Result<(), LoopExit> {
        let mut end = self.stepper.state().0;
        let (mut from, mut cuts) = (self.state.t, 0);
        self.state.locator.save_sides();
        self.state.locator.ignore_none();
        loop {
            let ends_there = self.problem.next_instant() <= end || end.next_up() >= corner;
            let (problem, curve) = (&mut *self.problem, self.stepper.segment());
            let searches = self.state.located < self.plan.max_located;
            let hidden = if searches { problem.hidden_crossing(curve, from, end) } else { None };
            let found = if let Some(part) = hidden {
                self.state.locator.search(problem, curve, from, part, false)
            } else if searches {
                self.state.locator.search(problem, curve, from, end, ends_there)
            } else {
                self.state.locator.crossings_at_end(problem, curve, from, end)
            };
            let mut found = found.map(|t| if ends_there && coincides(t, end) { end } else { t });
            if let Some(at) = found.filter(|_| searches) {
                found = self.locate_kinks(at, end);
                if found.is_none() {
                    self.state.locator.ignore_found();
                    continue;
                }
            }
            let again =
                match found.filter(|&at| from == self.state.t && cuts < CUTS && self.leaves_solution(at)) {
                    None if from == self.state.t && cuts < CUTS => self.passes_points(),
                    strays => strays,
                };
            if let Some(at) = again {
                // Once more, up to there.
                cuts += 1;
                self.state.locator.restore_sides();
                self.state.locator.ignore_none();
                if !self.repeat_step(at)? {
                    return Ok(());
                }
                end = self.stepper.state().0;
                continue;
            }
            if from == self.state.t {
                self.state.points.begin_step(from, end);
            }
            self.observe_piece(from, found.or(hidden).unwrap_or(end))?;
            if let (None, Some(part)) = (found, hidden) {
                from = part;
                continue;
            }
            let Some(at) = found else {
                self.report_until(end)?;
                self.move_to(end);
                self.state.y.copy_from_slice(self.stepper.state().1);
                if self.problem.project(end, &mut self.state.y) {
                    let done = self.stepper.adjust(self.problem, &self.state.y);
                    done.map_err(|failure| self.solver_error(failure))?;
                }
                return Ok(());
            };
            self.state.located += 1;
            if at <= self.state.t {
                self.count_zero_step()?;
            }
            self.report_until(at)?;
            self.move_to(at);
            self.stepper.segment().at(at, &mut self.state.y);
            self.problem.project(at, &mut self.state.y);
            if self.state.locator.found().iter().all(|f| f.fires && self.state.locator.is_kink(f.guard)) {
                return self.pass_kinks();
            }
            // Values on the curve are interpolated; at the instant they are to be consistent. If this fails the
            // interpolated ones serve.
            let _ = self.state.consistent.solve(self.problem, at, &mut self.state.y);
            self.state.crossings.clear();
            for k in 0..self.state.locator.found().len() {
                let found = self.state.locator.found()[k];
                let heading = if found.rising { 1 } else { -1 };
                if found.fires {
                    self.state.crossings.push(Crossing { guard: found.guard, rising: found.rising });
                } else {
                    self.check_accumulation(found.guard, heading)?;
                }
                self.state.at.heading[found.guard] = heading;
            }
            if coincides(at, corner) {
                self.move_to(corner);
                self.find_timed();
            }
            self.measure_location();
            for found in self.state.locator.found().iter().filter(|f| f.t != at) {
                // It crosses a little earlier or later, by next to nothing.
                let located = &mut self.state.at.located[found.guard];
                *located = located.max(2.0 * self.state.at.g[found.guard].abs());
            }
            if self.handle_events(false)? {
                return self.restart();
            }
            from = at;
        }
    }

    /// Where the step has to end because a table that is not frozen does something in it that the solver may not have seen.
    fn passes_points(&mut self) -> Option<f64> {
        let end = self.stepper.state().0;
        let least = self.vanishing();
        self.stepper.tolerance()?;
        let at = self.state.locator.passed_points(self.problem, self.stepper.segment(), least);
        self.state.point_pace = match at {
            Some(at) => at - self.state.t,
            None => self.state.point_pace.max(end - self.state.t),
        };
        at
    }

    /// Whether the curve over the step is no solution at `at`, as that of a stiff state may be which is right at the end of the step: what
    /// its slope differs from f is larger than the tolerance by far.
    fn leaves_solution(&mut self, at: f64) -> bool {
        let h = self.stepper.state().0 - self.state.t;
        if self.stepper.tolerance().is_none() || at - self.state.t <= SHORT * h.max(self.vanishing()) {
            return false;
        }
        let (y, f, slope) = (&mut self.state.y_out, &mut self.state.at.f, &mut self.state.at.y);
        self.stepper.segment().at(at, y);
        self.stepper.segment().slope(at, slope);
        self.problem.residual(at, y, f);
        let Some(tolerance) = self.stepper.tolerance() else { return false };
        let differential = &self.problem.layout().differential;
        (0..y.len()).any(|i| {
            let off = (at - self.state.t) * (f[i] - slope[i]).abs();
            differential[i] && off > LARGEST_DEFECT * tolerance.weight(i, y[i].abs())
        })
    }

    /// Show the curve from one instant to another to the observer.
    fn observe_piece(&mut self, from: f64, to: f64) -> Result<(), LoopExit> {
        if to > from {
            let piece = StepPiece { curve: self.stepper.segment(), from, to, joined: self.state.joined };
            self.state.joined = true;
            if self.observer.follow(self.problem, piece).is_break() {
                return Err(LoopExit::Ended(Ended::Cancelled));
            }
        }
        Ok(())
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

    /// Report grid points before t, read off the curve.
    fn report_until(&mut self, t: f64) -> Result<(), LoopExit> {
        loop {
            let point = self.state.points.next(self.plan);
            if point >= t {
                return Ok(());
            }
            self.state.points.pass(self.plan, point);
            self.stepper.segment().at(point, &mut self.state.y_out);
            self.report_grid(point)?;
        }
    }

    /// Report a grid point at the instant that is done with.
    fn report_here(&mut self) -> Result<(), LoopExit> {
        let due = self.state.points.next(self.plan) <= self.state.t;
        self.state.points.pass(self.plan, self.state.t);
        if due || matches!(self.plan.output, OutputTimes::Steps(_)) {
            self.state.y_out.copy_from_slice(&self.state.y);
            self.report_grid(self.state.t)?;
        }
        Ok(())
    }

    /// Report the values of a solver in `y_out`.
    fn report_grid(&mut self, t: f64) -> Result<(), LoopExit> {
        // Branches that follow the values may be others at every point.
        let branches = (!self.state.locator.passes_kinks()).then_some(self.state.kinks + self.state.restarts);
        self.state.consistent.refine(
            self.problem,
            (t, &mut self.state.y_out),
            self.plan.tolerance.0,
            branches,
        );
        match self.observer.observe(self.problem, t, &self.state.y_out, Moment::Grid) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(LoopExit::Ended(Ended::Cancelled)),
        }
    }

    fn report(&mut self, t: f64, moment: Moment) -> Result<(), LoopExit> {
        match self.observer.observe(self.problem, t, &self.state.y, moment) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(LoopExit::Ended(Ended::Cancelled)),
        }
    }

    pub fn summary(&self, ended: Ended) -> Summary {
        let (mut work, extra) = (self.stepper.work(), self.state.consistent.work());
        work.residuals += extra.residuals;
        work.jacobians += extra.jacobians;
        work.factorisations += extra.factorisations;
        Summary {
            ended,
            t: self.state.t,
            steps: self.state.steps,
            events: self.state.events,
            kinks: self.state.kinks,
            crossings: self.state.crossings_total,
            samples: self.state.samples,
            restarts: self.state.restarts,
            work,
        }
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
#[cfg(test)]
mod tests;
#[cfg(test)]
mod work_tests;
