//! How long a step may be without an input of time that changes unseen in it.

use super::{HIDDEN, MOST_LOOKS, RATES, TimeProgram, TimeWatch, is_constant};
use crate::events::resolution;
use trunnion_equations::Interval;

/// Steps ahead for which bounds are tried.
const AHEAD: f64 = 32.0;
/// Bounds evaluated to find turns.
const TURN_LOOKS: usize = 32;
/// How exactly the end of a step is found, as part of its length.
const FINE: f64 = 0.02;
/// Where bounds alone speak against it, and no value, a step is shortened to this share at most.
const SHORTEST: f64 = 1e-3;
/// No step is limited to less than this, in roundings of time.
const SMALLEST: f64 = 64.0;
/// Bounds evaluated to find a reason for a short step.
const FEW_LOOKS: usize = 500;

impl TimeWatch {
    /// Where a step of about h from t is to end at the latest.
    pub fn limit(&mut self, mut at: TimeProgram<'_>, t: f64, h: f64, horizon: f64, share: f64) -> f64 {
        self.share = share;
        self.refresh(&mut at, t, horizon);
        if self.ranges.is_empty() || (self.calm.0 <= t && t + h <= self.calm.1) {
            return f64::INFINITY;
        }
        let until = (t + h).min(horizon);
        let mut end = self.constant_until(&mut at, t, h, until);
        if end < until {
            let end = self.until_turn(&mut at, t, end);
            self.calm = (t, end);
            return end;
        }
        // For steps to come, as far as is seen at once.
        let (mut span, mut grows) = (h, true);
        while end < (t + AHEAD * h).min(horizon) && span >= h {
            if self.changes_between(&mut at, (end, end + span)) {
                (span, grows) = (0.5 * span, false);
            } else {
                (end, span) = (end + span, if grows { 2.0 } else { 0.5 } * span);
            }
        }
        let end = self.until_turn(&mut at, t, end);
        self.calm = (t, end);
        if end < until { end } else { f64::INFINITY }
    }

    /// The end of the time from t on in which no input leaves its value by more than its share, for certain. Intervals are halved, the
    /// earlier half first.
    pub(super) fn constant_until(&mut self, at: &mut TimeProgram<'_>, t: f64, h: f64, until: f64) -> f64 {
        self.see(at, t);
        self.start.copy_from_slice(&self.point[self.pieces.len()..]);
        let values = &self.start[self.first_wave()..];
        for (wave, (window, &value)) in self.windows.iter_mut().zip(values).enumerate() {
            *window = self.waves.window(at, (wave, value), self.share);
        }
        self.stack.clear();
        self.stack.push((t, until));
        let (mut end, mut looks) = (t, 0);
        while let Some((a, b)) = self.stack.pop() {
            if !self.changes_between(at, (a, b)) {
                end = b;
                continue;
            }
            looks += 1;
            let middle = 0.5 * (a + b);
            let divisible = b - a > 4.0 * resolution(b) && middle > a && middle < b;
            if divisible && b - a > FINE * (a - t) && looks <= MOST_LOOKS {
                self.stack.extend([(middle, b), (a, middle)]);
                continue;
            }
            if a - t >= SHORTEST * h {
                return end;
            }
            // So short a step needs a reason: a value, not only bounds that may be too wide.
            self.see(at, b);
            self.bounds.iter_mut().zip(&self.point).for_each(|(bound, &value)| *bound = (value, value));
            if self.changes(0.5 * self.share) {
                return end.max(t + SMALLEST * resolution(b));
            }
            if !divisible || looks > FEW_LOOKS {
                return end.max(t + SHORTEST * h);
            }
            self.stack.extend([(middle, b), (a, middle)]);
        }
        until
    }

    /// The end of the time from t up to `end` in which no input turns and comes back by `HIDDEN` of its range: a small pulse among large ones shows at the end of
    /// a step as well.
    pub(super) fn until_turn(&mut self, at: &mut TimeProgram<'_>, t: f64, end: f64) -> f64 {
        let (first, n) = (self.pieces.len(), self.first_wave());
        if n == 0 {
            return end;
        }
        for k in 0..n {
            let start = self.start[k];
            (self.passed[k], self.left[k]) = ((start, start), start);
        }
        self.stack.clear();
        self.stack.push((t, end));
        let mut looks = 0;
        while let Some((a, b)) = self.stack.pop() {
            self.enclose(at, (a, b));
            self.evaluate(at, b);
            self.right.copy_from_slice(&self.point[first..first + n]);
            if (0..n).any(|k| self.hides(k)) {
                self.enclose_by_rates(at, (a, b));
                let middle = 0.5 * (a + b);
                let divisible = looks < TURN_LOOKS && middle > a && middle < b;
                if divisible && (0..n).any(|k| self.hides(k)) {
                    looks += 1;
                    self.stack.extend([(middle, b), (a, middle)]);
                    continue;
                }
            }
            for k in 0..n {
                let (value, start, most) = (self.right[k], self.start[k], self.hidden(k));
                let (low, high) = (self.passed[k].0.min(value), self.passed[k].1.max(value));
                let came_down = high - value.max(start) > most;
                if a > t && (came_down || value.min(start) - low > most) {
                    return a;
                }
                self.passed[k] = (low, high);
            }
            self.left.copy_from_slice(&self.right);
        }
        end
    }

    /// By which an input may go to and fro unseen.
    pub(super) fn hidden(&self, input: usize) -> f64 {
        let range = self.ranges[input];
        if is_constant(range) { f64::INFINITY } else { HIDDEN * (range.1 - range.0) }
    }

    /// By the bounds at hand an input may go beyond its values at both ends.
    pub(super) fn hides(&self, input: usize) -> bool {
        let (bound, most) = (self.bounds[self.pieces.len() + input], self.hidden(input));
        let (a, b) = (self.left[input], self.right[input]);
        a.min(b) - bound.0 > most || bound.1 - a.max(b) > most
    }

    /// Some input may leave its value at the start by more than its share between two times.
    pub(super) fn changes_between(&mut self, at: &mut TimeProgram<'_>, (a, b): Interval) -> bool {
        self.enclose(at, (a, b));
        if !self.changes(self.share) {
            return false;
        }
        self.enclose_by_rates(at, (a, b));
        self.changes(self.share)
    }

    /// Bounds of inputs that are closer, where their rates are known.
    pub(super) fn enclose_by_rates(&mut self, at: &mut TimeProgram<'_>, (a, b): Interval) {
        at.compiled.enclose(RATES, ((a, b), &[]), at.k, &mut self.rate_values, &mut self.rates);
        self.evaluate(at, 0.5 * (a + b));
        let first = self.pieces.len();
        let inputs = self.bounds[first..].iter_mut().zip(&self.point[first..]);
        for ((bound, &value), rate) in inputs.zip(&self.rates) {
            let most = 0.5 * (b - a) * rate.0.abs().max(rate.1.abs());
            if most.is_finite() {
                *bound = (bound.0.max(value - most), bound.1.min(value + most)); // (1)
            }
        }
    }

    /// By the bounds at hand some input leaves its value at the start by more than a share of its range, or a wave its window.
    pub(super) fn changes(&self, share: f64) -> bool {
        let (bounds, waves) = self.bounds[self.pieces.len()..].split_at(self.first_wave());
        let leaves = |(window, bound): (&Interval, &Interval)| !(window.0 <= bound.0 && bound.1 <= window.1);
        if self.windows.iter().zip(waves).any(leaves) {
            return true;
        }
        (0..bounds.len()).any(|k| {
            let ((low, high), range) = (bounds[k], self.ranges[k]);
            let most = share * (range.1 - range.0);
            let stays = self.start[k] - low <= most && high - self.start[k] <= most;
            most.is_finite() && self.start[k].is_finite() && !is_constant(range) && !stays
        })
    }
}
