//! One step: how long it may be, whether its curve is a solution, and the zero crossings on it.

use super::instant::INSTANT_ROUNDINGS;
use super::{Curves, Integration, LoopExit, Sampled};
use crate::events::{coincides, resolution};
use crate::problem::{Crossing, Hybrid};
use crate::run_error::RunError;
use crate::stepper::StepFailure;

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

impl<P: Hybrid> Integration<'_, P> {
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
            let least = INSTANT_ROUNDINGS * resolution(self.state.t);
            self.state.input_pace = if inputs < limit { (inputs - self.state.t).max(least) } else { grown };
            limit = limit.min(inputs);
            limit = limit.min(self.state.t + self.problem.longest_step().min(self.state.curves.longest));
            limit = limit.min(self.state.t + POINT_GROWTH * self.state.point_pace);
        }
        // Before a jump of the equations, so that the end of the step is not beyond it.
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
    pub(super) fn note_pace(&mut self, t_end: f64) -> Result<(), LoopExit> {
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
    pub(super) fn jump_unresolved(&mut self, failure: StepFailure, limit: f64) -> Result<(), LoopExit> {
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

    /// The last step, made again and shorter as long as its curve is no solution between the ends; false: left undone. Only checked where something
    /// reads the curve, and where steps have grown, or every `CURVE_STEPS` steps.
    pub(super) fn check_curve(&mut self) -> Result<bool, LoopExit> {
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
    pub(super) fn repeat_step(&mut self, limit: f64) -> Result<bool, LoopExit> {
        let done = self.stepper.resume(self.problem, self.state.t, &self.state.y);
        done.map_err(|failure| self.solver_error(failure))?;
        if let Err(failure) = self.stepper.step(self.problem, limit) {
            self.jump_unresolved(failure, limit)?;
            return Ok(false);
        }
        Ok(true)
    }

    /// The last step, made again and shorter as long as it passes over something; false: left undone.
    pub(super) fn step_within_watches(&mut self) -> Result<bool, LoopExit> {
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
    pub(super) fn follow_step(&mut self, corner: f64) -> Result<(), LoopExit> {
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
                    None if from == self.state.t && cuts < CUTS => self.passes_points(searches),
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
    /// Without a search of this step (`searched`) there are no samples to judge by.
    pub(super) fn passes_points(&mut self, searched: bool) -> Option<f64> {
        let end = self.stepper.state().0;
        let least = self.vanishing();
        self.stepper.tolerance()?;
        let at = match searched {
            true => self.state.locator.passed_points(self.problem, self.stepper.segment(), least),
            false => None,
        };
        self.state.point_pace = match at {
            Some(at) => at - self.state.t,
            None => self.state.point_pace.max(end - self.state.t),
        };
        at
    }

    /// Whether the curve over the step is no solution at `at`, as that of a stiff state may be which is right at the end of the step: what
    /// its slope differs from f is larger than the tolerance by far.
    pub(super) fn leaves_solution(&mut self, at: f64) -> bool {
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
}
