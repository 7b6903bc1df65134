//! Which kinks are worth the end of a step.
//!
//! Nothing jumps at a kink, so it does not matter by which branch equations are evaluated close to it. A kink that is passed and has the value g
//! beyond zero is left alone if
//!   |g| is no more than its rounding, or
//!   |g| ≤ |∂g/∂y| ε w and |f_other − f| h ≤ δ w,                                              (1)
//! with the tolerance w of the unknowns and small shares ε, δ. The first part of (1) tells a guard that hovers at zero within the tolerance; it
//! says little about a stiff state, whose own tolerance is coarse, so the effect of the other branch on the rates is evaluated as well. That alone
//! would not do either: branches decide about outputs and other guards too.

use super::{LocatedCrossing, Locator};
use crate::events::sign;
use crate::problem::Hybrid;
use crate::stepper::Segment;

/// Of the tolerance of the unknowns: where branches differ by less, which of them is taken does not matter.
const KINK_SHARE: f64 = 1e-3;
/// The same where branches are not frozen.
const WATCHED_SHARE: f64 = 10.0;
/// Of the tolerance: what taking the one branch of a kink for the other may change in a step.
const BRANCH_SHARE: f64 = 0.1;
/// Of signs with which unknowns are moved to see how a guard changes.
const PATTERNS: usize = 3;

impl Locator {
    /// Kinks of algebraic unknowns are not distinguished within the difference of two values; `anew`: forget what was known of that.
    pub(crate) fn widen_band(&mut self, t: f64, g: &[f64], near: &[f64], anew: bool) {
        self.blunt_at = t;
        for guard in 0..self.len() {
            let d = (g[guard] - near[guard]).abs();
            let known = if anew { 0.0 } else { self.bluntness[guard] };
            self.bluntness[guard] = if d.is_finite() { known.max(d) } else { known };
            if self.sharp[guard] {
                let known = if anew { self.rounding[guard] } else { self.band[guard] };
                self.band[guard] = known.max(self.bluntness[guard]);
            }
        }
    }

    /// The first sample after t, up to `end`, where a sharp kink that was found is beyond zero on the curve.
    pub(crate) fn next_beyond(&self, t: f64, end: f64) -> Option<f64> {
        let m = self.len();
        let beyond = |k: usize| {
            let g = |f: &LocatedCrossing| self.values[k * m + f.guard] * if f.rising { 1.0 } else { -1.0 };
            self.found.iter().any(|f| self.sharp[f.guard] && g(f) > 0.0)
        };
        let later = |&k: &usize| self.times[k] > t && self.times[k] <= end && beyond(k);
        (0..self.times.len()).find(later).map(|k| self.times[k])
    }

    /// What was found is passed by the curve at hand alone, not by the equations.
    pub(crate) fn ignore_found(&mut self) {
        self.found.iter().for_each(|f| self.overlooked[f.guard] = true);
    }

    pub(crate) fn ignore_none(&mut self) {
        self.overlooked.fill(false);
    }

    /// How far from zero a kink is not distinguished, at the place of the last search.
    pub fn band(&self, guard: usize) -> f64 {
        self.band[guard]
    }

    /// How far from zero a kink is not distinguished: what a thousandth of the tolerance of the unknowns makes of it.
    pub(super) fn find_band<P: Hybrid>(&mut self, problem: &mut P, curve: &Segment, t: f64) {
        if self.band_is_known {
            return;
        }
        let mut y = std::mem::take(&mut self.y);
        curve.at(t, &mut y);
        self.read_noise(problem, t, &y);
        self.y = y;
    }

    /// What rounding does to a guard, where noise was last read.
    pub fn rounding(&self, guard: usize) -> f64 {
        self.rounding[guard]
    }

    /// The same at given values, and what rounding does to each guard there; guards are left in `self.g` if there are kinks.
    pub(crate) fn read_noise<P: Hybrid>(&mut self, problem: &mut P, t: f64, y: &[f64]) {
        if !self.kinks.iter().any(|&k| k) {
            return problem.rounding(t, y, &mut self.rounding);
        }
        self.band_is_known = true;
        let (rtol, atol) = (self.tolerance.0, &self.tolerance.1);
        for (i, u) in self.uncertain.iter_mut().enumerate() {
            *u = KINK_SHARE * (atol[i] + rtol * y[i].abs());
        }
        problem.uncertainty(t, y, &self.uncertain, &mut self.rounding, &mut self.soft);
        self.band.copy_from_slice(&self.rounding);
        problem.guards(t, y, &mut self.g);
        if (0..self.len()).any(|i| self.kinks[i] && self.g[i].abs() <= self.share(i) * self.soft[i]) {
            self.limit_band(problem, t, y);
        }
        for guard in 0..self.len() {
            self.soft[guard] *= self.share(guard);
            if self.sharp[guard] {
                self.band[guard] = self.band[guard].max(self.bluntness[guard]);
                self.soft[guard] = 0.0;
            }
            if self.watched[guard] {
                self.band[guard] = self.band[guard].max(self.soft[guard]);
            }
        }
    }

    /// Of the uncertainty band: where either side is computed as it is, only what is larger than the tolerance is worth ending a step for.
    fn share(&self, guard: usize) -> f64 {
        if self.watched[guard] { WATCHED_SHARE / KINK_SHARE } else { 1.0 }
    }

    /// What is uncertain in a guard was added up term by term. Terms that cancel, as two currents of which one follows from the other, are
    /// no less certain than the unknowns themselves: what guards change where these change tells.
    fn limit_band<P: Hybrid>(&mut self, problem: &mut P, t: f64, y: &[f64]) {
        let Locator { near, moved, most, .. } = self;
        most.fill(0.0);
        for pattern in 0..PATTERNS {
            for (i, y_near) in near.iter_mut().enumerate() {
                let up = (i >> pattern) & 1 == 0;
                *y_near = y[i] + if up { self.uncertain[i] } else { -self.uncertain[i] };
            }
            problem.cheap_guards(t, near, moved);
            for guard in 0..most.len() {
                most[guard] = most[guard].max((moved[guard] - self.g[guard]).abs());
            }
        }
        for guard in 0..most.len() {
            let measured = 2.0 * most[guard] + self.band[guard];
            self.soft[guard] = self.soft[guard].min(measured);
        }
    }

    /// A kink that is beyond zero at t, with the value g, but not far enough to matter.
    pub(super) fn is_within_band<P: Hybrid>(
        &mut self,
        problem: &mut P,
        curve: &Segment,
        guard: usize,
        g: f64,
        t: f64,
    ) -> bool {
        self.find_band(problem, curve, t);
        g.abs() <= self.band[guard] || g.abs() <= self.soft[guard] && !self.matters(problem, curve, guard, t)
    }

    /// The same at a dip.
    pub(super) fn is_dip_within_band<P: Hybrid>(
        &mut self,
        problem: &mut P,
        curve: &Segment,
        guard: usize,
        dip: f64,
    ) -> bool {
        let g = self.value(problem, curve, dip, guard);
        self.kinks[guard] && self.is_within_band(problem, curve, guard, g, dip)
    }

    /// The same for all samples from k on that are beyond zero.
    pub(super) fn stays_within_band<P: Hybrid>(
        &mut self,
        problem: &mut P,
        curve: &Segment,
        guard: usize,
        k: usize,
    ) -> bool {
        let m = self.len();
        let s = sign(self.values[k * m + guard]);
        let (mut farthest, mut most) = (k, 0.0);
        for at in k..self.times.len() {
            let g = self.values[at * m + guard];
            if sign(g) != s {
                break;
            }
            if g.abs() > most {
                (farthest, most) = (at, g.abs());
            }
        }
        self.is_within_band(problem, curve, guard, most, self.times[farthest])
    }

    /// Whether the branches of a kink differ at t by more than a part of the tolerance, over the curve. A state that is hardly uncertain may
    /// still be stiff.
    fn matters<P: Hybrid>(&mut self, problem: &mut P, curve: &Segment, guard: usize, t: f64) -> bool {
        let Locator { y, near, other, tolerance: (rtol, atol), times, .. } = self;
        curve.at(t, y);
        if !problem.other_branch(t, y, guard, other) {
            return false;
        }
        problem.residual(t, y, near);
        let span = times.last().unwrap_or(&t) - times.first().unwrap_or(&t);
        let differential = &problem.layout().differential;
        (0..y.len()).any(|i| {
            let tolerance = atol[i] + *rtol * y[i].abs();
            differential[i] && span * (other[i] - near[i]).abs() > BRANCH_SHARE * tolerance
        })
    }
}
