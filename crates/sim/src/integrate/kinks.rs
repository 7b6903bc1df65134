//! Passing kinks: equations go on by their other branches, and nothing jumps but algebraic unknowns.
//!
//! **Sharp kinks.** The pressure behind a check valve that closes jumps where its flow passes zero, though the flow does not. On the curve such an
//! unknown is interpolated between values that iterations left within their tolerance, so it passes its kink a little too early or too late. Where the
//! consistent values z(t) do,
//!   s g(t, x(t), z(t)) = 0,   0 = f_z(t, x(t), z(t))                                               (1)
//! is sought from there. By the other branch z may be hardly determined: what iterations leave in the rows, which branches share at the kink, moves it by
//!   δz = J⁻¹ ρ,   ρ_i = ε Σ_j |∂f_i/∂y_j| |y_j|,                                                   (2)
//! ρ the larger of both branches, and a guard that changes by no more than δz makes of it is not told apart from zero.

use super::instant::INSTANT_ROUNDINGS;
use super::{KINK_BUNCH, KINK_PAUSE, KINK_RATE, KINK_SPAN, KINK_STEPS, PAUSE_STEPS, Run, Stop};
use crate::events::{resolution, sign};
use crate::problem::{Crossing, Hybrid};
use crate::run_error::RunError;

/// Of the blur of a kink: within this curves waver.
const WAVERING: f64 = 1e3;
/// Of a step: a kink that is passed again so soon is looked at more closely.
const RECENT: f64 = 1e-3;
/// Of signs with which rows are moved.
const PATTERNS: usize = 3;
/// Solutions of (1) at most.
const LOOKS: usize = 60;

impl<P: Hybrid> Run<'_, P> {
    /// Where kinks of algebraic unknowns that a search found at `at`, up to `end`, are passed by consistent values (1). `at` where that cannot be
    /// said; none if they are passed by the curve alone.
    pub(super) fn meet_kinks(&mut self, at: f64, end: f64) -> Option<f64> {
        let found = self.locator.found();
        let sharp = found.iter().filter(|f| self.locator.is_sharp(f.guard)).count();
        if sharp == 0 || !found.iter().all(|f| f.fires && self.locator.is_kink(f.guard)) {
            return Some(at);
        }
        let only_sharp = sharp == found.len();
        let Some(here) = self.before_kinks(at) else { return Some(at) };
        self.at.g.copy_from_slice(&self.at.later);
        let bracket = if here > 0.0 {
            let mut last = (at, here);
            let mut looks = 0;
            let passed = loop {
                let Some(t) = self.locator.next_beyond(last.0, end) else { break None };
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
            match self.before_kinks(self.t) {
                Some(left) if left > 0.0 => Some(((self.t, left), (at, here))),
                // The step before has passed it.
                Some(_) if !self.locator.found().iter().any(|f| self.locator.rests(f.guard)) => {
                    return Some(self.t);
                }
                _ => None,
            }
        };
        let Some((a, b)) = bracket else { return Some(at) };
        let Some(t) = self.first_beyond(a, b) else { return Some(at) };
        // What else is passed on the way has its own instant.
        let passed = |i: usize| !self.locator.is_kink(i) && sign(self.at.g[i]) != sign(self.at.later[i]);
        Some(if t > at && (0..self.locator.len()).any(passed) { at } else { t })
    }

    /// The root of (1) between times at which it was not passed yet, and was. Guards beyond it are left in `self.at.later`.
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
    /// are left in `self.at.later`.
    fn before_kinks(&mut self, t: f64) -> Option<f64> {
        self.stepper.segment().at(t, &mut self.at.y);
        self.problem.project(t, &mut self.at.y);
        self.consistent.solve(self.problem, t, &mut self.at.y).ok()?;
        self.problem.guards(t, &self.at.y, &mut self.at.later);
        let sharp = self.locator.found().iter().filter(|f| self.locator.is_sharp(f.guard));
        let left = sharp.map(|f| if f.rising { -self.at.later[f.guard] } else { self.at.later[f.guard] });
        Some(left.fold(f64::INFINITY, f64::min)).filter(|s| s.is_finite())
    }

    /// At `self.t` only kinks were found: equations go on by their other branches. Where that puts another guard on its other
    /// side, modes depend on each other and are found together.
    pub(super) fn pass_kinks(&mut self) -> Result<(), Stop> {
        self.kinks += 1;
        if self.kinks.is_multiple_of(KINK_BUNCH) {
            let (t, steps) = self.kinks_since;
            let few = self.steps - steps < KINK_STEPS;
            if self.t - t < if few { KINK_SPAN } else { KINK_RATE } * self.plan.length() {
                // Branches follow the values for a while, as with fixed steps.
                let pause = KINK_PAUSE * (self.t - t).max(KINK_RATE * self.plan.length());
                (self.kinks_again, self.kinks_step) = (self.t + pause, pause / PAUSE_STEPS);
                self.kinks_since = (self.kinks_again, self.steps);
                self.locator.watch_kinks(false);
                self.problem.follow_kinks(true);
                return self.restart();
            }
            self.kinks_since = (self.t, self.steps);
        }
        self.crossings.clear();
        // Algebraic unknowns on the curve are interpolated: whether they pass a kink is seen where they are consistent.
        let any_sharp = self.locator.found().iter().any(|f| self.locator.is_sharp(f.guard));
        if any_sharp {
            let _ = self.consistent.solve(self.problem, self.t, &mut self.y);
            self.measure_sharpness(true);
        }
        let recent = |at: &Self, guard: usize| at.t - at.at.passed[guard] < RECENT * at.stepper.pace();
        let in_doubt = !any_sharp && self.locator.found().iter().any(|f| recent(self, f.guard));
        if in_doubt {
            self.look_ahead();
        }
        for k in 0..self.locator.found().len() {
            let found = self.locator.found()[k];
            let heading = if found.rising { 1 } else { -1 };
            let (g, blur) = (self.at.g[found.guard], self.locator.blur(found.guard));
            if self.locator.is_sharp(found.guard) && sign(g) == -heading && g.abs() > blur {
                continue;
            }
            let ahead = self.at.later[found.guard] - g;
            let wavers = sign(ahead) == -heading && ahead.abs() > 10.0 * blur;
            if in_doubt && recent(self, found.guard) && wavers {
                // Only the curve comes back to where it has just been: the equations do not.
                self.locator.lean(found.guard, -heading, WAVERING * blur);
                continue;
            }
            self.crossings.push(Crossing { guard: found.guard, rising: found.rising });
            self.locator.lean(found.guard, heading, blur);
            self.at.passed[found.guard] = self.t;
        }
        let effect = self.problem.fire(self.t, &mut self.y, &self.crossings, &mut self.at.touched);
        effect.map_err(|message| RunError::Action { t: self.t, message })?;
        for Crossing { guard, .. } in &self.crossings {
            // What counts is between its ends again, at the end it has passed.
            if let Some(sibling) = self.problem.sibling(*guard) {
                let blur = self.locator.blur(*guard);
                self.locator.put(*guard, 1);
                self.locator.lean(sibling, 1, blur);
                self.at.passed[sibling] = self.t;
            }
        }
        self.crossings.clear();
        self.make_consistent()?;
        if any_sharp {
            self.measure_sharpness(false);
            for k in 0..self.locator.found().len() {
                let guard = self.locator.found()[k].guard;
                if self.at.g[guard].abs() <= self.locator.blur(guard) {
                    self.locator.lean(guard, self.locator.side(guard), self.locator.blur(guard));
                }
            }
        } else {
            self.problem.guards(self.t, &self.y, &mut self.at.g);
            self.rest_if_instant();
        }
        if (0..self.locator.len()).any(|i| self.has_moved(i)) {
            self.happen(true)?;
            if any_sharp {
                self.sharpen();
            }
            return self.restart();
        }
        self.resume()
    }

    /// A guard is clearly on its other side.
    fn has_moved(&self, guard: usize) -> bool {
        let (side, g) = (self.locator.side(guard), self.at.g[guard]);
        let small = g.abs() <= self.locator.rests_within(guard).max(self.locator.blur(guard));
        sign(g) != 0 && sign(g) != side && !small && !self.locator.passes(guard)
    }

    /// By the branch that a kink was passed to, its guard may be far from zero for a time that is not resolved: a coil whose current a diode
    /// ends drives its voltage to where it blocks within 10⁻¹² s. Such a guard rests there.
    fn rest_if_instant(&mut self) {
        let found = |run: &Self, k: usize| run.locator.found()[k].guard;
        if !(0..self.locator.found().len()).any(|k| self.has_moved(found(self, k))) {
            return;
        }
        self.problem.residual(self.t, &self.y, &mut self.at.f);
        self.guards_after(INSTANT_ROUNDINGS * resolution(self.t));
        for k in 0..self.locator.found().len() {
            let guard = found(self, k);
            let side = self.locator.side(guard);
            if self.has_moved(guard) && sign(self.at.later[guard]) == side {
                self.locator.lean(guard, side, 2.0 * self.at.g[guard].abs());
            }
        }
    }

    /// Kinks that rest at zero are told apart as well as the branches that were settled allow.
    fn sharpen(&mut self) {
        self.measure_sharpness(true);
        for guard in 0..self.locator.len() {
            let (side, blur) = (self.locator.side(guard), self.locator.blur(guard));
            if !self.locator.is_sharp(guard) || !self.locator.rests(guard) || side == 0 {
                continue;
            }
            if self.at.g[guard].abs() <= blur {
                self.locator.lean(guard, side, blur);
            } else {
                self.locator.put(guard, side);
            }
        }
    }

    /// How far kinks of algebraic unknowns, consistent in `self.y`, are told apart by the branches at hand (2); `anew`: these are no others than those
    /// of the rows. Guards there are left in `self.at.g`.
    fn measure_sharpness(&mut self, anew: bool) {
        self.problem.guards(self.t, &self.y, &mut self.at.g);
        self.consistent.measure_rows(self.problem, self.t, &self.y, anew);
        self.locator.blunt(self.t, &self.at.g, &self.at.g, true);
        for step in [-1.0, 1.0] {
            let t = self.t + step * INSTANT_ROUNDINGS * resolution(self.t);
            self.at.y.copy_from_slice(&self.y);
            if self.consistent.solve(self.problem, t, &mut self.at.y).is_ok() {
                self.problem.guards(t, &self.at.y, &mut self.at.later);
                self.locator.blunt(self.t, &self.at.g, &self.at.later, false);
            }
        }
        for pattern in 0..PATTERNS {
            self.at.y.copy_from_slice(&self.y);
            if self.consistent.move_rows(self.problem, self.t, &mut self.at.y, pattern) {
                self.problem.guards(self.t, &self.at.y, &mut self.at.later);
                self.locator.blunt(self.t, &self.at.g, &self.at.later, false);
            }
        }
    }
}
