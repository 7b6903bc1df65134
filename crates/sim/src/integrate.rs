//! The run loop: steps, events, sampled instants and output, for any solver and any hybrid problem.
//!
//! Order of what happens at one instant t:
//!   1. guards that cross there are fired together, algebraic unknowns made consistent, modes settled, guards that
//!      jumped to their other side fired as well, until nothing changes;
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

use crate::events::{Locator, sign};
use crate::history::{BURST, History};
use crate::newton::Consistent;
use crate::plan::Points;
pub use crate::plan::{Ended, Moment, Observer, Output, Plan, Progress, Summary};
use crate::problem::{Crossing, Effect, Hybrid};
pub use crate::run_error::RunError;
use crate::stepper::{Failure, Stepper};
use std::ops::ControlFlow;
use trunnion_num::Archive;

/// Firings make a burst if all that are remembered fall within this share of the run's length: far below what a model resolves on purpose.
const VANISHING: f64 = 1e-10;
/// The same relative to time itself, some hundred roundings.
const VANISHING_TIME: f64 = 1e-13;
/// Firings that shrink to less than this share of the run come to an end.
const LITTLE: f64 = 1e-3;
/// Rounds of settling at one instant, and restarts within vanishing time.
const ROUNDS: usize = 100;

/// Run `problem` from the values `y`, whose differential part counts and whose algebraic part is a first guess, as
/// `plan` says. `y` ends as the last values reached, also after an error.
pub fn integrate<P: Hybrid>(
    problem: &mut P,
    y: &mut [f64],
    stepper: &mut dyn Stepper,
    plan: &Plan,
    observer: &mut dyn Observer<P>,
) -> Result<Summary, RunError> {
    plan.check()?;
    let mut run = Run::new(problem, y, stepper, plan, observer);
    let ended = run.run();
    y.copy_from_slice(&run.y);
    match ended {
        Ok(()) => Ok(run.summary(Ended::Completed)),
        Err(Stop::Ended(ended)) => Ok(run.summary(ended)),
        Err(Stop::Error(error)) => Err(error),
    }
}

/// Why the loop is left early.
pub(crate) enum Stop {
    Ended(Ended),
    Error(RunError),
}

impl From<RunError> for Stop {
    fn from(error: RunError) -> Self {
        Stop::Error(error)
    }
}

pub(crate) struct Run<'a, P: Hybrid> {
    pub problem: &'a mut P,
    pub stepper: &'a mut dyn Stepper,
    plan: &'a Plan,
    observer: &'a mut dyn Observer<P>,
    pub consistent: Consistent,
    locator: Locator,
    // Where the run stands.
    pub t: f64,
    pub y: Vec<f64>,
    points: Points,
    steps: u64,
    pub events: u64,
    /// Instants between the ends of steps at which something happened, since whoever counts put it to 0.
    pub located: usize,
    crossings_total: u64,
    samples: u64,
    restarts: u64,
    /// Restarts since this time, which moves on with the run only if it moves noticeably.
    standing: usize,
    standing_since: f64,
    history: Vec<History>,
    // Of `happen`: what crosses, guard values (as told, as they are, before firing), and for each guard whether it fired here, its sign after that, how far
    // from zero still counts as resting, and whether the event moved it.
    crossings: Vec<Crossing>,
    g: Vec<f64>,
    g_raw: Vec<f64>,
    g_before: Vec<f64>,
    fired: Vec<bool>,
    heading: Vec<i8>,
    rest: Vec<f64>,
    moved: Vec<bool>,
    /// Values of grid points and before events.
    y_out: Vec<f64>,
}

impl<'a, P: Hybrid> Run<'a, P> {
    pub fn new(
        problem: &'a mut P,
        y: &[f64],
        stepper: &'a mut dyn Stepper,
        plan: &'a Plan,
        observer: &'a mut dyn Observer<P>,
    ) -> Self {
        let layout = problem.layout();
        let (n, m) = (layout.n(), layout.guards.len());
        Run {
            consistent: Consistent::new(layout),
            locator: Locator::new(&layout.guards, n),
            problem,
            stepper,
            plan,
            observer,
            t: plan.t_0,
            y: y.to_vec(),
            points: Points::default(),
            steps: 0,
            events: 0,
            located: 0,
            crossings_total: 0,
            samples: 0,
            restarts: 0,
            standing: 0,
            standing_since: plan.t_0,
            history: vec![History::default(); m],
            crossings: Vec::with_capacity(m),
            g: vec![0.0; m],
            g_raw: vec![0.0; m],
            g_before: vec![0.0; m],
            fired: vec![false; m],
            heading: vec![0; m],
            rest: vec![0.0; m],
            moved: vec![false; m],
            y_out: vec![0.0; n],
        }
    }

    fn run(&mut self) -> Result<(), Stop> {
        let t_end = self.plan.t_end;
        self.begin()?;
        loop {
            if self.t >= t_end {
                return self.report(self.t, Moment::End);
            }
            self.report_here()?;
            self.once(t_end)?;
            let at = Progress { t: self.t, steps: self.steps, events: self.events };
            if self.observer.progress(at).is_break() {
                return Err(Stop::Ended(Ended::Cancelled));
            }
        }
    }

    /// At t₀, before the first step.
    pub fn begin(&mut self) -> Result<(), Stop> {
        self.make_consistent()?;
        self.happen(true)?;
        self.find_begun();
        if !self.crossings.is_empty() {
            self.happen(true)?;
        }
        self.sample_due()?;
        self.restart()
    }

    /// Guards that are beyond zero already and count.
    fn find_begun(&mut self) {
        self.problem.guards(self.t, &self.y, &mut self.g);
        for guard in 0..self.g.len() {
            let heading = sign(self.g[guard]);
            if heading != 0 && self.problem.at_start(guard) && self.locator.counts(guard, heading) {
                self.crossings.push(Crossing { guard, rising: heading > 0 });
            }
        }
    }

    /// One step of the solver and what happens in it, up to `t_end` at most.
    pub fn once(&mut self, t_end: f64) -> Result<(), Stop> {
        let limit = self.problem.next_instant().min(t_end);
        if let Err(failure) = self.stepper.step(self.problem, limit) {
            return Err(self.solver_error(failure).into());
        }
        // A step may be left undone for now.
        if self.stepper.state().0 > self.t {
            self.steps += 1;
            self.follow_step()?;
        }
        if self.sample_due()? {
            self.restart()?;
        }
        Ok(())
    }

    /// Parameters, inputs or modes were changed from outside.
    pub fn take_change(&mut self) -> Result<(), Stop> {
        self.make_consistent()?;
        self.crossings.clear();
        self.happen(true)?;
        self.restart()
    }

    /// Over the last step: grid points and events in their order, up to its end or to the first that changes something.
    fn follow_step(&mut self) -> Result<(), Stop> {
        let end = self.stepper.state().0;
        let mut from = self.t;
        self.points.begin_step(from, end);
        loop {
            let (problem, curve) = (&mut *self.problem, self.stepper.segment());
            let found = if self.located < self.plan.max_located {
                self.locator.search(problem, curve, from, end)
            } else {
                self.locator.look_at_end(problem, curve, from, end)
            };
            let Some(at) = found else {
                self.report_until(end)?;
                self.move_to(end);
                self.y.copy_from_slice(self.stepper.state().1);
                if self.problem.project(end, &mut self.y) {
                    let done = self.stepper.adjust(self.problem, &self.y);
                    done.map_err(|failure| self.solver_error(failure))?;
                }
                return Ok(());
            };
            self.located += 1;
            self.report_until(at)?;
            self.move_to(at);
            self.stepper.segment().at(at, &mut self.y);
            self.problem.project(at, &mut self.y);
            // Values on the curve are interpolated; at the instant they are to be consistent. If this fails the
            // interpolated ones serve.
            let _ = self.consistent.solve(self.problem, at, &mut self.y);
            self.crossings.clear();
            for k in 0..self.locator.found().len() {
                let found = self.locator.found()[k];
                let heading = if found.rising { 1 } else { -1 };
                if found.fires {
                    self.crossings.push(Crossing { guard: found.guard, rising: found.rising });
                } else {
                    self.falls_through(found.guard, heading)?;
                }
                self.heading[found.guard] = heading;
            }
            if self.happen(false)? {
                return self.restart();
            }
            from = at;
        }
    }

    /// All that the steps to come take over from those before, the problem's own memory aside.
    pub fn remember(&mut self, archive: &mut Archive) -> bool {
        archive.number(&mut self.t);
        archive.numbers(&mut self.y);
        for count in [
            &mut self.steps,
            &mut self.events,
            &mut self.crossings_total,
            &mut self.samples,
            &mut self.restarts,
        ] {
            archive.word(count);
        }
        archive.count(&mut self.standing);
        archive.number(&mut self.standing_since);
        self.history.iter_mut().for_each(|history| history.remember(archive));
        self.locator.remember(archive);
        self.consistent.remember(archive);
        self.stepper.remember(archive)
    }

    fn move_to(&mut self, t: f64) {
        if t - self.standing_since > self.vanishing() {
            (self.standing, self.standing_since) = (0, t);
        }
        self.t = t;
    }

    /// Time in which nothing can happen on purpose.
    fn vanishing(&self) -> f64 {
        (VANISHING * self.plan.length()).max(VANISHING_TIME * self.t.abs())
    }

    /// Everything that happens at `self.t` to `self.y`, beginning with `self.crossings` and the guards that only left
    /// zero (`heading`); true if the solver has to restart. `changed`: something has changed already.
    fn happen(&mut self, mut changed: bool) -> Result<bool, Stop> {
        let m = self.locator.len();
        self.fired.fill(false);
        for guard in 0..m {
            let left_zero = self.heading[guard] != 0;
            self.rest[guard] = if left_zero { self.locator.rest_on_leaving(guard) } else { 0.0 };
        }
        let mut any_fired = false;
        let mut terminate = false;
        let mut settled = false;
        for _ in 0..ROUNDS {
            if !self.crossings.is_empty() {
                if !any_fired {
                    self.events += 1;
                    if self.plan.both_sides {
                        self.report(self.t, Moment::BeforeEvent)?;
                    }
                    any_fired = true;
                }
                let effect = self.fire()?;
                terminate |= effect.terminate;
                if effect.changed {
                    changed = true;
                    self.make_consistent()?;
                }
            }
            self.problem.guards(self.t, &self.y, &mut self.g);
            self.g_raw.copy_from_slice(&self.g);
            // A guard that rests where it crossed or left zero counts as being on the side it heads for.
            for guard in 0..m {
                if self.heading[guard] != 0 && self.g[guard].abs() <= self.rest[guard] {
                    self.g[guard] = self.heading[guard] as f64 * f64::MIN_POSITIVE;
                }
            }
            if self.problem.settle(self.t, &self.y, &self.g) {
                changed = true;
                self.make_consistent()?;
                continue;
            }
            self.find_jumps();
            if self.crossings.is_empty() {
                settled = true;
                break;
            }
        }
        if !settled {
            // One round more tells who goes to and fro.
            self.g_before.copy_from_slice(&self.g);
            let _ = self.problem.settle(self.t, &self.y, &self.g);
            self.problem.guards(self.t, &self.y, &mut self.g);
            for guard in 0..m {
                self.fired[guard] = (self.g[guard] > 0.0) != (self.g_before[guard] > 0.0);
            }
            self.heading.fill(0);
            return Err(self.chattering().into());
        }
        self.take_sides(changed);
        self.heading.fill(0);
        if any_fired && self.plan.both_sides {
            self.report(self.t, Moment::AfterEvent)?;
        }
        if terminate {
            self.report(self.t, Moment::End)?;
            return Err(Stop::Ended(Ended::Terminated));
        }
        Ok(changed)
    }

    /// Fire `self.crossings` and note what that did to them.
    fn fire(&mut self) -> Result<Effect, Stop> {
        let t = self.t;
        self.problem.guards(t, &self.y, &mut self.g_before);
        let effect = self.problem.fire(t, &mut self.y, &self.crossings);
        let effect = effect.map_err(|message| RunError::Action { t, message })?;
        self.problem.guards(t, &self.y, &mut self.g);
        self.crossings_total += self.crossings.len() as u64;
        for k in 0..self.crossings.len() {
            let Crossing { guard, rising } = self.crossings[k];
            self.fired[guard] = true;
            self.heading[guard] = if rising { 1 } else { -1 };
            self.rest[guard] = self.locator.rest_after_firing(guard, self.g_before[guard]);
            self.note_firing(guard)?;
            let again = self.history[guard].time(1) == t;
            self.moved[guard] = again || self.g[guard] != self.g_before[guard];
            if self.plan.max_events.is_some_and(|most| self.events > most) {
                let guard = self.guard_name(guard);
                return Err(RunError::TooManyEvents { guard, t, count: self.events }.into());
            }
        }
        self.crossings.clear();
        Ok(effect)
    }

    /// Guards that a jump put on their other side: into `self.crossings` if that counts. A guard fires once an instant.
    fn find_jumps(&mut self) {
        for guard in 0..self.locator.len() {
            let (side, s) = (self.locator.side(guard), sign(self.g[guard]));
            let crosses = side != 0 && s == -side;
            let leaves = side == 0 && s != 0 && self.locator.counts_from_zero(guard, s);
            if (crosses || leaves) && self.heading[guard] == 0 {
                self.heading[guard] = s;
                self.rest[guard] = 0.0;
                if self.locator.counts(guard, s) {
                    self.crossings.push(Crossing { guard, rising: s > 0 });
                }
            }
        }
    }

    /// Sides of all guards after the instant, from the settled values in `self.g`.
    fn take_sides(&mut self, changed: bool) {
        for guard in 0..self.locator.len() {
            let s = sign(self.g[guard]);
            let rests = self.g[guard].abs() <= f64::MIN_POSITIVE;
            let level = self.g_raw[guard];
            if !rests {
                self.locator.put(guard, s);
            } else if self.heading[guard] != 0 && !changed {
                // On along the same curve.
                self.locator.lean(guard, self.heading[guard], level);
            } else if self.fired[guard] {
                self.locator.free(guard, self.moved[guard], level);
            } else if self.locator.side(guard) == 0 {
                self.locator.free(guard, self.locator.may_fire(guard), level);
            } else {
                // At zero, but it has not left its side yet.
                self.locator.lean(guard, self.locator.side(guard), level);
            }
        }
    }

    /// Note a firing; too many in too little time are an error.
    fn note_firing(&mut self, guard: usize) -> Result<(), Stop> {
        let t = self.t;
        let history = &mut self.history[guard];
        history.add(t, self.heading[guard]);
        let oldest = history.time(BURST - 1);
        if t - oldest <= self.vanishing() {
            return Err(RunError::Zeno {
                guard: self.guard_name(guard),
                t,
                count: BURST,
                within: t - oldest,
            }
            .into());
        }
        Ok(())
    }

    /// A guard that fired at ever shorter intervals and now goes on instead of coming back.
    fn falls_through(&self, guard: usize, heading: i8) -> Result<(), Stop> {
        let history = &self.history[guard];
        let goes_on = !self.locator.may_fire(guard) && heading == history.heading;
        if goes_on && history.time_to_come() < LITTLE * self.plan.length() {
            let (count, t) = (history.count.min(BURST), self.t);
            let within = t - history.time(count - 1);
            return Err(RunError::Zeno { guard: self.guard_name(guard), t, count, within }.into());
        }
        Ok(())
    }

    /// Run the tasks due; true if the solver has to restart.
    fn sample_due(&mut self) -> Result<bool, Stop> {
        let t = self.t;
        let mut restart = false;
        for _ in 0..ROUNDS {
            if self.problem.next_instant() > t {
                return Ok(restart);
            }
            self.samples += 1;
            let effect = self.problem.sample(t, &mut self.y);
            let effect = effect.map_err(|message| RunError::Action { t, message })?;
            if effect.changed {
                self.make_consistent()?;
                self.crossings.clear();
                self.happen(true)?;
                restart = true;
            }
            if effect.terminate {
                self.report(t, Moment::End)?;
                return Err(Stop::Ended(Ended::Terminated));
            }
        }
        Err(RunError::StuckTask { t }.into())
    }

    fn restart(&mut self) -> Result<(), Stop> {
        self.restarts += 1;
        self.standing += 1;
        if self.standing > ROUNDS {
            return Err(self.chattering().into());
        }
        let done = self.stepper.restart(self.problem, self.t, &self.y);
        done.map_err(|failure| self.solver_error(failure).into())
    }

    fn make_consistent(&mut self) -> Result<(), Stop> {
        let done = self.consistent.solve(self.problem, self.t, &mut self.y);
        done.map_err(|failure| self.solver_error(failure).into())
    }

    /// Report grid points before t, read off the curve.
    fn report_until(&mut self, t: f64) -> Result<(), Stop> {
        loop {
            let point = self.points.next(self.plan);
            if point >= t {
                return Ok(());
            }
            self.points.pass(self.plan, point);
            self.stepper.segment().at(point, &mut self.y_out);
            if self.observer.observe(self.problem, point, &self.y_out, Moment::Grid).is_break() {
                return Err(Stop::Ended(Ended::Cancelled));
            }
        }
    }

    /// Report a grid point at the instant that is done with.
    fn report_here(&mut self) -> Result<(), Stop> {
        let due = self.points.next(self.plan) <= self.t;
        self.points.pass(self.plan, self.t);
        if due || matches!(self.plan.output, Output::Steps(_)) {
            self.report(self.t, Moment::Grid)?;
        }
        Ok(())
    }

    fn report(&mut self, t: f64, moment: Moment) -> Result<(), Stop> {
        match self.observer.observe(self.problem, t, &self.y, moment) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stop::Ended(Ended::Cancelled)),
        }
    }

    fn summary(&self, ended: Ended) -> Summary {
        let (mut work, extra) = (self.stepper.work(), self.consistent.work());
        work.residuals += extra.residuals;
        work.jacobians += extra.jacobians;
        work.factorisations += extra.factorisations;
        Summary {
            ended,
            t: self.t,
            steps: self.steps,
            events: self.events,
            crossings: self.crossings_total,
            samples: self.samples,
            restarts: self.restarts,
            work,
        }
    }

    fn guard_name(&self, guard: usize) -> String {
        self.problem.layout().guards[guard].name.clone()
    }

    /// Names the guards that fired or are about zero here; if there are none, all.
    fn chattering(&self) -> RunError {
        let fired = |i: &usize| self.heading[*i] != 0 || self.fired[*i];
        let mut guards: Vec<usize> = (0..self.locator.len()).filter(fired).collect();
        if guards.is_empty() {
            guards = (0..self.locator.len()).filter(|&i| self.locator.side(i) == 0).collect();
        }
        if guards.is_empty() {
            guards = (0..self.locator.len()).collect();
        }
        RunError::Chattering { guards: guards.into_iter().map(|i| self.guard_name(i)).collect(), t: self.t }
    }

    fn solver_error(&self, failure: Failure) -> RunError {
        let (Failure::StepTooSmall { unknown: index, .. }
        | Failure::NotFinite { row: index, .. }
        | Failure::Inconsistent { row: index, .. }
        | Failure::Singular { unknown: index, .. }) = failure;
        let name = self.problem.layout().names.get(index).cloned().unwrap_or_default();
        RunError::Solver { failure, name }
    }
}

#[cfg(test)]
mod tests;
