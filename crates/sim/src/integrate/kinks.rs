//! Passing kinks: equations go on by their other branches, and nothing jumps but algebraic unknowns.
//!
//! **Sharp kinks.** The pressure behind a check valve that closes jumps where its flow passes zero, though the flow does not. On the curve such an
//! unknown is interpolated between values that iterations left within their tolerance, so it passes its kink a little too early or too late. Where the
//! consistent values z(t) do,
//!   s g(t, x(t), z(t)) = 0,   0 = f_z(t, x(t), z(t))                                               (1)
//! is sought from there. By the other branch z may be hardly determined: what iterations leave in the rows, which branches share at the kink, moves it by
//!   δz = J⁻¹ ρ,   ρ_i = ε Σ_j |∂f_i/∂y_j| |y_j|,                                                   (2)
//! ρ the larger of both branches, and a guard that changes by no more than δz makes of it is not distinguished from zero.

use super::instant::INSTANT_ROUNDINGS;
use super::{Integration, LoopExit};
use crate::events::{resolution, sign};
use crate::problem::{Crossing, Hybrid};
use crate::run_error::RunError;

/// Kinks that come as fast as this, so many within a share of the run, or in nearly every step of a larger share, are not worth ending steps
/// for until so many times as long has passed.
const KINK_BUNCH: u64 = 64;
const KINK_RATE: f64 = 1e-7;
const KINK_STEPS: u64 = 80;
const KINK_SPAN: f64 = 1e-4;
const KINK_PAUSE: f64 = 10.0;
/// Steps of that time at least: error control alone sees a kink too late.
const PAUSE_STEPS: f64 = 32.0;

/// Of the uncertainty band of a kink: curves are not reliable within this share.
const UNCERTAIN_SHARE: f64 = 1e3;
/// Of a step: a kink that is passed again so soon is looked at more closely.
const RECENT: f64 = 1e-3;
/// Of signs with which rows are moved.
const PATTERNS: usize = 3;
/// Solutions of (1) at most.
const LOOKS: usize = 60;

impl<P: Hybrid> Integration<'_, P> {
    /// Where kinks of algebraic unknowns that a search found at `at`, up to `end`, are passed by consistent values (1). `at` where that cannot be
    /// said; none if they are passed by the curve alone.
    pub(super) fn locate_kinks(&mut self, at: f64, end: f64) -> Option<f64> {
        let found = self.state.locator.found();
        let sharp = found.iter().filter(|f| self.state.locator.is_sharp(f.guard)).count();
        if sharp == 0 || !found.iter().all(|f| f.fires && self.state.locator.is_kink(f.guard)) {
            return Some(at);
        }
        let only_sharp = sharp == found.len();
        let Some(here) = self.before_kinks(at) else { return Some(at) };
        self.state.at.g.copy_from_slice(&self.state.at.later);
        let bracket = if here > 0.0 {
            let mut last = (at, here);
            let mut looks = 0;
            let passed = loop {
                let Some(t) = self.state.locator.next_beyond(last.0, end) else { break None };
                let Some(left) = self.before_kinks(t) else { return Some(at) };
                if left <= 0.0 {
                    break Some((t, left));
                }
                (last, looks) = ((t, left), looks + 1);
            };
            if passed.is_none() && looks > 0 && only_sharp {
                return None;
            }
            passed.map(|b| (last, b))
        } else {
            match self.before_kinks(self.state.t) {
                Some(left) if left > 0.0 => Some(((self.state.t, left), (at, here))),
                // The step before has passed it.
                Some(_) if !self.state.locator.found().iter().any(|f| self.state.locator.rests(f.guard)) => {
                    return Some(self.state.t);
                }
                _ => None,
            }
        };
        let Some((a, b)) = bracket else { return Some(at) };
        let Some(t) = self.first_beyond(a, b) else { return Some(at) };
        // Other guards that cross in between have instants of their own.
        let passed = |i: usize| {
            !self.state.locator.is_kink(i) && sign(self.state.at.g[i]) != sign(self.state.at.later[i])
        };
        Some(if t > at && (0..self.state.locator.len()).any(passed) { at } else { t })
    }

    /// The root of (1) between times at which it was not passed yet, and was. Guards beyond it are left in `self.state.at.later`.
    fn first_beyond(&mut self, mut a: (f64, f64), mut b: (f64, f64)) -> Option<f64> {
        let mut moved = 0;
        for look in 0..LOOKS {
            let least = 2.0 * resolution(b.0);
            if b.0 - a.0 <= least {
                break;
            }
            let secant = a.0 + a.1 * (b.0 - a.0) / (a.1 - b.1);
            let x = if look % 4 == 3 { 0.5 * (a.0 + b.0) } else { secant };
            let x = x.max(a.0 + 0.5 * least).min(b.0 - 0.5 * least);
            let left = self.before_kinks(x)?;
            // Illinois: an end that stays twice counts half.
            if left > 0.0 {
                a = (x, left);
                b.1 *= if moved == -1 { 0.5 } else { 1.0 };
                moved = -1;
            } else {
                b = (x, left);
                a.1 *= if moved == 1 { 0.5 } else { 1.0 };
                moved = 1;
            }
        }
        self.before_kinks(b.0)?;
        Some(b.0)
    }

    /// By how much the first of the sharp kinks found is still on its side at t, where values on the curve are made consistent; guards there
    /// are left in `self.state.at.later`.
    fn before_kinks(&mut self, t: f64) -> Option<f64> {
        self.stepper.segment().at(t, &mut self.state.at.y);
        self.problem.project(t, &mut self.state.at.y);
        self.state.consistent.solve(self.problem, t, &mut self.state.at.y).ok()?;
        self.problem.guards(t, &self.state.at.y, &mut self.state.at.later);
        let sharp = self.state.locator.found().iter().filter(|f| self.state.locator.is_sharp(f.guard));
        let left = sharp
            .map(|f| if f.rising { -self.state.at.later[f.guard] } else { self.state.at.later[f.guard] });
        Some(left.fold(f64::INFINITY, f64::min)).filter(|s| s.is_finite())
    }

    /// At `self.state.t` only kinks were found: equations go on by their other branches. Where that puts another guard on its other
    /// side, modes depend on each other and are found together.
    pub(super) fn pass_kinks(&mut self) -> Result<(), LoopExit> {
        self.state.kinks += 1;
        if self.state.kinks.is_multiple_of(KINK_BUNCH) {
            let (t, steps) = self.state.kinks_since;
            let few = self.state.steps - steps < KINK_STEPS;
            if self.state.t - t < if few { KINK_SPAN } else { KINK_RATE } * self.plan.length() {
                // Branches follow the values for a while, as with fixed steps.
                let pause = KINK_PAUSE * (self.state.t - t).max(KINK_RATE * self.plan.length());
                (self.state.kinks_again, self.state.kinks_step) = (self.state.t + pause, pause / PAUSE_STEPS);
                self.state.kinks_since = (self.state.kinks_again, self.state.steps);
                self.state.locator.watch_kinks(false);
                self.problem.follow_kinks(true);
                return self.restart();
            }
            self.state.kinks_since = (self.state.t, self.state.steps);
        }
        self.state.crossings.clear();
        // Algebraic unknowns on the curve are interpolated: whether they pass a kink is seen where they are consistent.
        let any_sharp = self.state.locator.found().iter().any(|f| self.state.locator.is_sharp(f.guard));
        if any_sharp {
            let _ = self.state.consistent.solve(self.problem, self.state.t, &mut self.state.y);
            self.measure_sharpness(true);
        }
        let recent =
            |at: &Self, guard: usize| at.state.t - at.state.at.passed[guard] < RECENT * at.stepper.pace();
        let in_doubt = !any_sharp && self.state.locator.found().iter().any(|f| recent(self, f.guard));
        if in_doubt {
            self.look_ahead();
        }
        for k in 0..self.state.locator.found().len() {
            let found = self.state.locator.found()[k];
            let heading = if found.rising { 1 } else { -1 };
            let (g, band) = (self.state.at.g[found.guard], self.state.locator.band(found.guard));
            if self.state.locator.is_sharp(found.guard) && sign(g) == -heading && g.abs() > band {
                continue;
            }
            let ahead = self.state.at.later[found.guard] - g;
            let wavers = sign(ahead) == -heading && ahead.abs() > 10.0 * band;
            if in_doubt && recent(self, found.guard) && wavers {
                // Only the curve comes back to where it has just been: the equations do not.
                self.state.locator.set_side_within_noise(found.guard, -heading, UNCERTAIN_SHARE * band);
                continue;
            }
            self.state.crossings.push(Crossing { guard: found.guard, rising: found.rising });
            self.state.locator.set_side_within_noise(found.guard, heading, band);
            self.state.at.passed[found.guard] = self.state.t;
        }
        let effect = self.problem.fire(
            self.state.t,
            &mut self.state.y,
            &self.state.crossings,
            &mut self.state.at.touched,
        );
        effect.map_err(|message| RunError::Action { t: self.state.t, message })?;
        for Crossing { guard, .. } in &self.state.crossings {
            // What counts is between its ends again, at the end it has passed.
            if let Some(sibling) = self.problem.sibling(*guard) {
                let band = self.state.locator.band(*guard);
                self.state.locator.set_side(*guard, 1);
                self.state.locator.set_side_within_noise(sibling, 1, band);
                self.state.at.passed[sibling] = self.state.t;
            }
        }
        self.state.crossings.clear();
        self.make_consistent()?;
        if any_sharp {
            self.measure_sharpness(false);
            for k in 0..self.state.locator.found().len() {
                let guard = self.state.locator.found()[k].guard;
                if self.state.at.g[guard].abs() <= self.state.locator.band(guard) {
                    self.state.locator.set_side_within_noise(
                        guard,
                        self.state.locator.side(guard),
                        self.state.locator.band(guard),
                    );
                }
            }
        } else {
            self.problem.guards(self.state.t, &self.state.y, &mut self.state.at.g);
            self.rest_if_instant();
        }
        if (0..self.state.locator.len()).any(|i| self.has_moved(i)) {
            self.handle_events(true)?;
            if any_sharp {
                self.sharpen();
            }
            return self.restart();
        }
        self.resume()
    }

    /// A guard is clearly on its other side.
    fn has_moved(&self, guard: usize) -> bool {
        let (side, g) = (self.state.locator.side(guard), self.state.at.g[guard]);
        let small = g.abs() <= self.state.locator.rests_within(guard).max(self.state.locator.band(guard));
        sign(g) != 0 && sign(g) != side && !small && !self.state.locator.passes(guard)
    }

    /// By the branch that a kink was passed to, its guard may be far from zero for a time that is not resolved: a coil whose current a diode
    /// ends drives its voltage to where it blocks within 10⁻¹² s. Such a guard rests there.
    fn rest_if_instant(&mut self) {
        let found = |run: &Self, k: usize| run.state.locator.found()[k].guard;
        if !(0..self.state.locator.found().len()).any(|k| self.has_moved(found(self, k))) {
            return;
        }
        self.problem.residual(self.state.t, &self.state.y, &mut self.state.at.f);
        self.guards_after(INSTANT_ROUNDINGS * resolution(self.state.t));
        for k in 0..self.state.locator.found().len() {
            let guard = found(self, k);
            let side = self.state.locator.side(guard);
            if self.has_moved(guard) && sign(self.state.at.later[guard]) == side {
                self.state.locator.set_side_within_noise(guard, side, 2.0 * self.state.at.g[guard].abs());
            }
        }
    }

    /// Kinks that rest at zero are distinguished as well as the branches that were settled allow.
    fn sharpen(&mut self) {
        self.measure_sharpness(true);
        for guard in 0..self.state.locator.len() {
            let (side, band) = (self.state.locator.side(guard), self.state.locator.band(guard));
            if !self.state.locator.is_sharp(guard) || !self.state.locator.rests(guard) || side == 0 {
                continue;
            }
            if self.state.at.g[guard].abs() <= band {
                self.state.locator.set_side_within_noise(guard, side, band);
            } else {
                self.state.locator.set_side(guard, side);
            }
        }
    }

    /// How far kinks of algebraic unknowns, consistent in `self.state.y`, are distinguished by the branches at hand (2); `anew`: these are no others than those
    /// of the rows. Guards there are left in `self.state.at.g`.
    fn measure_sharpness(&mut self, anew: bool) {
        self.problem.guards(self.state.t, &self.state.y, &mut self.state.at.g);
        self.state.consistent.measure_rows(self.problem, self.state.t, &self.state.y, anew);
        self.state.locator.widen_band(self.state.t, &self.state.at.g, &self.state.at.g, true);
        for step in [-1.0, 1.0] {
            let t = self.state.t + step * INSTANT_ROUNDINGS * resolution(self.state.t);
            self.state.at.y.copy_from_slice(&self.state.y);
            if self.state.consistent.solve(self.problem, t, &mut self.state.at.y).is_ok() {
                self.problem.guards(t, &self.state.at.y, &mut self.state.at.later);
                self.state.locator.widen_band(self.state.t, &self.state.at.g, &self.state.at.later, false);
            }
        }
        for pattern in 0..PATTERNS {
            self.state.at.y.copy_from_slice(&self.state.y);
            if self.state.consistent.move_rows(self.problem, self.state.t, &mut self.state.at.y, pattern) {
                self.problem.guards(self.state.t, &self.state.at.y, &mut self.state.at.later);
                self.state.locator.widen_band(self.state.t, &self.state.at.g, &self.state.at.later, false);
            }
        }
    }
}
