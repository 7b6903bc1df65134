//! The first zero crossing of one guard among its samples: brackets, roots, and dips between samples.

use super::{AT_ONCE, LocatedCrossing, Locator, coincides, resolution, sign};
use crate::problem::{Direction, Hybrid};
use crate::stepper::Segment;

/// Evaluations of a guard for one root, and for one dip.
const ROOT_ITERATIONS: usize = 120;
const DIP_ITERATIONS: usize = 40;

impl Locator {
    /// The first zero crossing of one guard, unless it is clearly later than `earliest`.
    pub(super) fn first<P: Hybrid>(
        &mut self,
        problem: &mut P,
        curve: &Segment,
        guard: usize,
        earliest: f64,
    ) -> Option<LocatedCrossing> {
        // A kink that is met a little later has time until then.
        let (m, beyond) = (self.len(), self.kinks[guard] && self.looks_beyond);
        let points = self.times.len() - beyond as usize;
        let g = |at: &Self, k: usize| at.values[k * m + guard];
        let mut k = 0;
        if self.resting[guard] {
            // The first sample that is no rounding. Whether a kink has left its side is judged at the end, by what that changes.
            let clear = (1..points).find(|&k| g(self, k).abs() > 2.0 * self.noise[guard]);
            k = clear.or((self.kinks[guard] && points > 1).then_some(points - 1))?;
            if self.side[guard] == 0 {
                return Some(self.leave(problem, curve, guard, k));
            }
            // From the last on its side.
            while k > 0 && sign(g(self, k)) != self.side[guard] && (clear.is_none() || Some(k) == clear) {
                k -= 1;
            }
        }
        let mut side = self.side[guard];
        let mut last = k;
        // A stretch beyond zero is judged once.
        let mut blurred = false;
        for k in k + 1..points {
            if !coincides(earliest, self.times[last]) {
                return None;
            }
            let s = sign(g(self, k));
            if s == side {
                if k >= 2
                    && last == k - 1
                    && sign(g(self, k - 2)) == side
                    && let Some(dip) = self.dip(problem, curve, guard, side, k - 1)
                    && !self.is_dip_within_band(problem, curve, guard, dip)
                {
                    // Out through the dip's left flank, back through its right one.
                    let (a, b) = (self.times[k - 2], self.times[k]);
                    let (fires, t) = if self.counts(guard, -side) {
                        (-side, self.root(problem, curve, guard, side, a, dip))
                    } else {
                        (side, self.root(problem, curve, guard, -side, dip, b))
                    };
                    return Some(LocatedCrossing { t, guard, rising: fires > 0, fires: true });
                }
                (last, blurred) = (k, false);
            } else if s == -side {
                blurred = blurred || self.kinks[guard] && self.stays_within_band(problem, curve, guard, k);
                if blurred {
                    continue;
                }
                if self.counts(guard, s) {
                    let t = self.root(problem, curve, guard, side, self.times[last], self.times[k]);
                    return Some(LocatedCrossing { t, guard, rising: s > 0, fires: true });
                }
                side = s;
                last = k;
            } else {
                blurred = false;
            }
        }
        // Exactly zero at the end: where would it go?
        if last + 1 < points && sign(g(self, points - 1)) == 0 && self.counts(guard, -side) {
            let (from, to) = (self.times[0], self.times[points - 1]);
            let beyond = to + f64::max(AT_ONCE * (to - from), 4.0 * resolution(to));
            if sign(self.value(problem, curve, beyond, guard)) == -side {
                let t = self.root(problem, curve, guard, side, self.times[last], to);
                return Some(LocatedCrossing { t, guard, rising: side < 0, fires: true });
            }
        }
        None
    }

    /// A guard without side that has clearly left zero at sample k.
    pub(super) fn leave<P: Hybrid>(
        &mut self,
        problem: &mut P,
        curve: &Segment,
        guard: usize,
        k: usize,
    ) -> LocatedCrossing {
        let s = sign(self.values[k * self.len() + guard]);
        let fires = self.resting[guard]
            && self.may_fire[guard]
            && self.directions[guard] != Direction::Both
            && self.counts(guard, s);
        let (from, to) = (self.times[0], *self.times.last().unwrap());
        let (mut a, mut b) = (self.times[k - 1], self.times[k]);
        if b - from <= AT_ONCE * (to - from) || k == 1 {
            return LocatedCrossing { t: from, guard, rising: s > 0, fires };
        }
        // It stayed at zero for a while: where did it stop to?
        while b - a > 2.0 * resolution(b) {
            let x = 0.5 * (a + b);
            if x <= a || x >= b {
                break;
            }
            if self.value(problem, curve, x, guard).abs() > 2.0 * self.noise[guard] { b = x } else { a = x }
        }
        LocatedCrossing { t: b, guard, rising: s > 0, fires }
    }

    /// The smallest time in [a, b] at which the guard is no longer on `side`; at b it is not.
    pub(super) fn root<P: Hybrid>(
        &mut self,
        problem: &mut P,
        curve: &Segment,
        guard: usize,
        side: i8,
        mut a: f64,
        mut b: f64,
    ) -> f64 {
        let mut g_a = self.value(problem, curve, a, guard);
        let mut g_b = self.value(problem, curve, b, guard);
        if sign(g_a) != side {
            return a;
        }
        let mut width = b - a;
        let mut moved = 0;
        for k in 0..ROOT_ITERATIONS {
            let tolerance = 2.0 * resolution(b);
            if b - a <= tolerance {
                break;
            }
            // Bisect whenever three iterations have not halved the bracket.
            let bisect = k % 3 == 2 && b - a > 0.5 * width;
            if k % 3 == 2 {
                width = b - a;
            }
            let mut x = if bisect { 0.5 * (a + b) } else { a - g_a * (b - a) / (g_b - g_a) };
            x = x.max(a + 0.5 * tolerance).min(b - 0.5 * tolerance);
            if !(x > a && x < b) {
                x = 0.5 * (a + b);
                if x <= a || x >= b {
                    break;
                }
            }
            let g_x = self.value(problem, curve, x, guard);
            // Illinois: an end that stays twice counts half.
            if sign(g_x) == side {
                (a, g_a) = (x, g_x);
                g_b *= if moved == -1 { 0.5 } else { 1.0 };
                moved = -1;
            } else {
                (b, g_b) = (x, g_x);
                g_a *= if moved == 1 { 0.5 } else { 1.0 };
                moved = 1;
            }
        }
        b
    }

    /// A time around sample k where the guard is beyond zero although the samples k − 1, k, k + 1 are on `side`.
    /// Parabolas through the three lowest points, golden section where they do not move. [Brent1973, ch. 5]
    pub(super) fn dip<P: Hybrid>(
        &mut self,
        problem: &mut P,
        curve: &Segment,
        guard: usize,
        side: i8,
        k: usize,
    ) -> Option<f64> {
        let m = self.len();
        let s = side as f64;
        let mut p = [k - 1, k, k + 1].map(|k| (self.times[k], s * self.values[k * m + guard]));
        for round in 0..DIP_ITERATIONS {
            let [(a, g_a), (b, g_b), (c, g_c)] = p;
            let lowest = g_a.min(g_b).min(g_c);
            let (d_1, d_2) = ((g_b - g_a) / (b - a), (g_c - g_b) / (c - b));
            let bend = (d_2 - d_1) / (c - a);
            if bend.is_nan() || bend <= 0.0 {
                return None;
            }
            let vertex = 0.5 * (a + b) - 0.5 * d_1 / bend;
            if !(vertex > a && vertex < c) {
                return None;
            }
            let expected = g_a + (vertex - a) * (d_1 + bend * (vertex - b));
            // A parabola that stays well clear of zero.
            if round == 0 && expected > 0.8 * lowest {
                return None;
            }
            let mut x = vertex;
            if (x - b).abs() < 1e-3 * (c - a) {
                x = if c - b > b - a { b + 0.382 * (c - b) } else { b - 0.382 * (b - a) };
            }
            if (c - a) < 64.0 * resolution(c) {
                return None;
            }
            let g_x = s * self.value(problem, curve, x, guard);
            if g_x < 0.0 {
                return Some(x);
            }
            if x == vertex && (g_x - expected).abs() <= 0.1 * g_x {
                return None;
            }
            // Keep the lowest point and its neighbours.
            let q = if x < b { [p[0], (x, g_x), p[1], p[2]] } else { [p[0], p[1], (x, g_x), p[2]] };
            p = if q[1].1 <= q[2].1 { [q[0], q[1], q[2]] } else { [q[1], q[2], q[3]] };
        }
        None
    }
}
