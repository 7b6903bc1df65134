//! Tables that are not frozen: no peak, dent or corner of theirs may lie in a step without a trace.
//!
//! What a table gives at both ends of a step and in its middle makes a parabola T(θ) with the bend B = ½ (T_0 + T_1) − T_½. At every point p
//! of the table that the step passes the condition is
//!
//!   |table(p) − T(θ_p)| ≤ max(0.05 |B|, ½ rtol^⅓ (max T − min T), rtol max |T|)                          (1)
//!
//! What is smooth keeps within that: a third of a period of a sine is off by 0.02 B, and the steps of a solver become shorter with rtol as the right
//! side does. If a point does not, the step is made again up to the point before it, or up to this one if there is none. A seam, where a jump was taken out of
//! a table, ends a step in any case: the table bends there.

use super::Locator;
use crate::events::resolution;
use crate::problem::{GraphTable, Hybrid};
use crate::stepper::Segment;

/// Of the bend,
const BEND_SHARE: f64 = 0.05;
/// and of the range of a table in a step, by the cube root of the tolerance.
const RANGE_SHARE: f64 = 0.5;

/// Of a table with more points a step may pass one: what lies behind it is seen at the end of the step.
const SHORT: usize = 32;

/// Of a step: what is passed behind this ends it.
const AT_END: f64 = 1.0 - 1e-9;

/// A point of a table between the samples k − 1 and k, at this share of the way.
#[derive(Clone, Copy)]
pub(super) struct PassedBreakpoint {
    k: usize,
    share: f64,
    argument: usize,
    point: f64,
}

/// Values of the arguments at every sample.
struct SampledArguments<'a> {
    values: &'a [f64],
    guards: usize,
    first: usize,
    last: usize,
}

impl SampledArguments<'_> {
    fn at(&self, k: usize) -> [f64; 2] {
        [self.first, self.last].map(|guard| self.values[k * self.guards + guard])
    }
}

impl Locator {
    /// If (1) does not hold on the curve of the last search: where a step has to end instead, later than its start by more than `least`.
    pub(crate) fn passed_points<P: Hybrid>(
        &mut self,
        problem: &mut P,
        curve: &Segment,
        least: f64,
    ) -> Option<f64> {
        let mut earliest: Option<f64> = None;
        for number in 0..self.tables.len() {
            self.find_passed(number);
            let Some([before, off]) = self.first_off(number) else { continue };
            let guard = self.tables[number].0;
            for passed in [before, off].into_iter().flatten() {
                let at = self.instant(problem, curve, guard + passed.argument, passed);
                if at - self.times[0] > least {
                    earliest = Some(earliest.map_or(at, |t| t.min(at)));
                    break;
                }
            }
        }
        earliest
    }

    fn samples(&self) -> usize {
        self.times.len() - self.looks_beyond as usize
    }

    fn path(&self, number: usize) -> SampledArguments<'_> {
        let (first, table) = &self.tables[number];
        let last = first + usize::from(matches!(table, GraphTable::Two(_)));
        SampledArguments { values: &self.values, guards: self.len(), first: *first, last }
    }

    /// All points that the samples pass, in order.
    fn find_passed(&mut self, number: usize) {
        let mut passed = std::mem::take(&mut self.passed);
        passed.clear();
        let path = self.path(number);
        for (argument, points) in self.tables[number].1.points().into_iter().enumerate() {
            let cell = |k: usize| points.partition_point(|&p| p <= path.at(k)[argument]);
            let mut from = cell(0);
            for k in 1..self.samples() {
                let to = cell(k);
                let (a, b) = (path.at(k - 1)[argument], path.at(k)[argument]);
                let share = |point: f64| ((point - a) / (b - a)).clamp(0.0, 1.0);
                let between = &points[from.min(to)..from.max(to)];
                passed.extend(between.iter().map(|&point| PassedBreakpoint {
                    k,
                    share: share(point),
                    argument,
                    point,
                }));
                from = to;
            }
        }
        passed.sort_by(|a, b| a.k.cmp(&b.k).then(a.share.total_cmp(&b.share)));
        self.passed = passed;
    }

    /// The first of them that is off by more than (1) allows, and the one before it.
    fn first_off(&self, number: usize) -> Option<[Option<PassedBreakpoint>; 2]> {
        let (samples, path, table) = (self.samples(), self.path(number), &self.tables[number].1);
        let is_short = table.points().iter().all(|points| points.len() <= SHORT);
        let (from, to) = (self.times[0], self.times[samples - 1]);
        let theta = |t: f64| (t - from) / (to - from);
        let time =
            |p: &PassedBreakpoint| self.times[p.k - 1] + p.share * (self.times[p.k] - self.times[p.k - 1]);
        let is_seam = |p: &PassedBreakpoint| table.has_seam(p.point) && theta(time(p)) < AT_END;
        if let Some(seam) = self.passed.iter().find(|p| is_seam(p)) {
            return Some([None, Some(*seam)]);
        }
        if self.passed.is_empty() || self.passed.len() == 1 && !is_short || samples < 3 {
            return None;
        }
        let middle = (0..samples).find(|&k| theta(self.times[k]) >= 0.5 - 1e-9)?;
        let value = |k: usize| table.eval(path.at(k));
        let [t_0, t_half, t_1] = [value(0), value(middle), value(samples - 1)];
        let bend = 0.5 * (t_0 + t_1) - t_half;
        // Zero at both ends, −bend in the middle beside the straight line.
        let parabola = |x: f64| t_0 + x * (t_1 - t_0) - 4.0 * x * (1.0 - x) * bend;
        let (low, high) = (t_0.min(t_half).min(t_1), t_0.max(t_half).max(t_1));
        let rtol = self.tolerance.0;
        let of_range = RANGE_SHARE * rtol.cbrt() * (high - low);
        let most = (BEND_SHARE * bend.abs()).max(of_range).max(rtol * low.abs().max(high.abs()));
        let off = |p: &PassedBreakpoint| {
            let (a, b) = (path.at(p.k - 1), path.at(p.k));
            let mut at = [0, 1].map(|i| a[i] + p.share * (b[i] - a[i]));
            at[p.argument] = p.point;
            (table.eval(at) - parabola(theta(time(p)))).abs() > most
        };
        let first = self.passed.iter().position(off)?;
        Some([first.checked_sub(1).map(|k| self.passed[k]), Some(self.passed[first])])
    }

    /// When a point is passed.
    fn instant<P: Hybrid>(
        &mut self,
        problem: &mut P,
        curve: &Segment,
        guard: usize,
        passed: PassedBreakpoint,
    ) -> f64 {
        let PassedBreakpoint { k, point, .. } = passed;
        let (mut a, mut b) = (self.times[k - 1], self.times[k]);
        let above = self.values[(k - 1) * self.len() + guard] >= point;
        while b - a > 2.0 * resolution(b) {
            let t = 0.5 * (a + b);
            if t <= a || t >= b {
                break;
            }
            if (self.value(problem, curve, t, guard) >= point) == above { a = t } else { b = t }
        }
        b
    }
}
