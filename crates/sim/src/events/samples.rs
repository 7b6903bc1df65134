//! Values of all guards over the curve of a step, and the rounding in them.

use super::{Locator, SAMPLES, resolution, widen};
use crate::problem::Hybrid;
use crate::stepper::Segment;

/// Where costly guards are looked at first, and how many times what they change there they have to stay clear of zero.
const COARSE: [f64; 4] = [0.0, SAMPLES[4], SAMPLES[6], 1.0];
const COARSE_CLEARANCE: f64 = 4.0;
/// Where a guard leaves zero is looked for from the first sample down, each time at an eighth.
const CLOSER: f64 = 0.125;

impl Locator {
    pub(super) fn evaluate<P: Hybrid>(&mut self, problem: &mut P, curve: &Segment, t: f64) {
        curve.at(t, &mut self.y);
        if self.skips_costly {
            problem.cheap_guards(t, &self.y, &mut self.g);
        } else {
            problem.guards(t, &self.y, &mut self.g);
        }
    }

    /// Whether costly guards cannot come near zero on the curve; `g` then has values of theirs.
    pub(super) fn costly_guards_stay_clear<P: Hybrid>(
        &mut self,
        problem: &mut P,
        curve: &Segment,
        from: f64,
        to: f64,
    ) -> bool {
        let mut any = false;
        for guard in (0..self.len()).filter(|&g| problem.is_costly(g)) {
            any = true;
            if self.side[guard] == 0 || self.resting[guard] {
                return false;
            }
        }
        if !any {
            return false;
        }
        self.low.fill(f64::INFINITY);
        self.high.fill(f64::NEG_INFINITY);
        for theta in COARSE {
            self.evaluate(problem, curve, from + theta * (to - from));
            widen(&mut self.low, &mut self.high, &self.g);
        }
        let clear = |i: usize| self.clearance(i) > COARSE_CLEARANCE * (self.high[i] - self.low[i]);
        (0..self.len()).filter(|&g| problem.is_costly(g)).all(clear)
    }

    /// How far on its side a guard was where it was nearest to zero.
    pub(super) fn clearance(&self, guard: usize) -> f64 {
        if self.side[guard] > 0 { self.low[guard] } else { -self.high[guard] }
    }

    /// One guard's value on the curve.
    pub(super) fn value<P: Hybrid>(&mut self, problem: &mut P, curve: &Segment, t: f64, guard: usize) -> f64 {
        self.evaluate(problem, curve, t);
        self.g[guard]
    }

    /// Values of all guards over the curve, finely at its start if one rests there.
    pub(super) fn sample<P: Hybrid>(&mut self, problem: &mut P, curve: &Segment, from: f64, to: f64) {
        self.times.clear();
        self.values.clear();
        self.skips_costly = false;
        self.skips_costly = self.costly_guards_stay_clear(problem, curve, from, to);
        let finest = 8.0 * resolution(from.abs().max(to.abs()));
        let any_resting = (0..self.len()).any(|i| self.resting[i] && !self.timed[i] && !self.arguments[i]);
        self.times.push(from);
        if any_resting {
            let first = self.times.len();
            let mut d = (to - from) * SAMPLES[1] * CLOSER;
            while d > finest && self.times.len() < first + 18 {
                self.times.push(from + d);
                d *= CLOSER;
            }
            self.times[first..].reverse();
        }
        for theta in &SAMPLES[1..SAMPLES.len() - 1] {
            self.times.push(from + theta * (to - from));
        }
        self.times.push(to);
        for k in 0..self.times.len() {
            self.evaluate(problem, curve, self.times[k]);
            self.values.extend_from_slice(&self.g);
        }
    }

    /// What rounding does to guards that rest at the start of the curve, where one of them is beyond what is known of it: if none is, more
    /// changes nothing.
    pub(super) fn measure_noise<P: Hybrid>(&mut self, problem: &mut P, curve: &Segment, from: f64) {
        self.noise.copy_from_slice(&self.level);
        if !self.any_leaves() {
            return;
        }
        let m = self.len();
        if (0..m).any(|i| self.resting[i] && self.side[i] == 0 && !self.timed[i] && !self.arguments[i]) {
            // A state at rest is moved by rounding of the curve before it moves by itself.
            curve.at(from, &mut self.y);
            curve.rounding(&mut self.uncertain);
            let Locator { y, uncertain, rounding, moved, .. } = self;
            problem.uncertainty(from, y, uncertain, rounding, moved);
            (0..m).for_each(|i| self.noise[i] = self.noise[i].max(self.moved[i]));
        }
        // Three neighbouring times tell how much of a value is rounding.
        for k in 1..=3 {
            self.evaluate(problem, curve, from + k as f64 * resolution(from));
            for guard in 0..m {
                let d = (self.g[guard] - self.values[guard]).abs();
                self.noise[guard] = self.noise[guard].max(if d.is_finite() { 4.0 * d } else { 0.0 });
            }
        }
    }

    /// Whether a guard that rests at the start is anywhere beyond its noise.
    pub(super) fn any_leaves(&self) -> bool {
        let m = self.len();
        (0..m).filter(|&i| self.resting[i] && !self.timed[i] && !self.arguments[i]).any(|i| {
            let rests = |g: &f64| g.abs() <= 2.0 * self.level[i];
            let asked = self.kinks[i] && self.side[i] == 0;
            asked || !self.values[i..].iter().step_by(m).all(rests)
        })
    }
}
