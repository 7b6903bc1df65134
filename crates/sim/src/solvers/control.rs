//! Step sizes: from the error of a step to the next, and onto a limit.
//!
//!   h_new = h · S · err^(−1/k)                                                 after a rejection    (1)
//!   h_new = min{ (1), h · S · (h / h_old) · (err_old / err²)^(1/k) }           after acceptance     (2)
//!
//! (2) predicts how the error changes from step to step [Gustafsson 1994; Hairer, Wanner 1996, eq. IV.8.25];
//! k is the order of the estimate plus one, S the safety factor.

use crate::stepper::Options;
use trunnion_num::Archive;

/// S: aims at an error somewhat below 1, so that few steps are rejected.
const SAFETY: f64 = 0.9;
/// Bounds of h_new / h. Where the error stays far below the tolerance steps grow geometrically; growth by more
/// than 2 lets one step span several times the life of the solution so far, which on decays like 1/t (Robertson's
/// reactions) leads implicit stages to the wrong root.
const SHRINK: f64 = 0.2;
const GROW: f64 = 2.0;
/// The first step is a guess on the safe side.
const GROW_FIRST: f64 = 8.0;
/// After failed iterations, where no error is known.
pub const AFTER_FAILURE: f64 = 0.5;
/// A step that reaches this near the limit is stretched onto it, one that leaves less than itself is halved.
const STRETCH: f64 = 1.05;
/// Smallest step, in units of the spacing of numbers near t.
const RESOLUTION: f64 = 10.0;
/// A first step is looked for over trials that become shorter by this factor, so many times.
const NEAR: f64 = 1e-2;
const TRIALS: usize = 10;

#[derive(Clone, Debug)]
pub struct StepControl {
    /// The step asked for next, before limits.
    pub h: f64,
    h_max: f64,
    /// 1 / (order of the estimate + 1).
    exponent: f64,
    /// Error and size of the last accepted step; none after a restart.
    last: Option<(f64, f64)>,
    /// The step at hand was tried before.
    rejected: bool,
}

impl StepControl {
    pub fn new(estimate_order: usize, options: &Options) -> Self {
        let exponent = 1.0 / (estimate_order + 1) as f64;
        StepControl { h: 0.0, h_max: options.h_max, exponent, last: None, rejected: false }
    }

    pub fn h_max(&self) -> f64 {
        self.h_max
    }

    pub fn restart(&mut self, h: f64) {
        self.h = h.min(self.h_max);
        self.last = None;
        self.rejected = false;
    }

    /// What the next step takes over from those before.
    pub fn remember(&mut self, archive: &mut Archive) {
        archive.number(&mut self.h);
        let mut known = self.last.is_some();
        archive.flag(&mut known);
        let (mut h, mut error) = self.last.unwrap_or_default();
        archive.number(&mut h);
        archive.number(&mut error);
        self.last = known.then_some((h, error));
        archive.flag(&mut self.rejected);
    }

    /// Size and end of the step to try from `t`. The end is `limit` itself where the step reaches it.
    pub fn next(&self, t: f64, limit: f64) -> (f64, f64) {
        to_limit(self.h, t, limit)
    }

    /// Too small to be told from no step at all.
    pub fn exhausted(&self, t: f64) -> bool {
        too_small(self.h, t)
    }

    pub fn accept(&mut self, h: f64, error: f64) {
        // Below this the error says nothing but "grow".
        let error = error.max(1e-10);
        let mut factor = SAFETY * error.powf(-self.exponent); // (1)
        if let Some((h_old, error_old)) = self.last {
            factor = factor.min(SAFETY * (h / h_old) * (error_old / (error * error)).powf(self.exponent)); // (2)
        }
        let growth = match (self.rejected, self.last) {
            (true, _) => 1.0,
            (false, None) => GROW_FIRST,
            (false, Some(_)) => GROW,
        };
        let new = h * factor.clamp(SHRINK, growth);
        // A step cut short by a limit says little about the one that was asked for.
        self.h = if h < 0.99 * self.h { new.max(self.h) } else { new }.min(self.h_max);
        self.last = Some((h, error.max(1e-2)));
        self.rejected = false;
    }

    pub fn reject(&mut self, h: f64, error: f64) {
        self.h = h * (SAFETY * error.powf(-self.exponent)).clamp(SHRINK, 0.9);
        self.rejected = true;
    }

    /// The step could not be computed.
    pub fn fail(&mut self, h: f64) {
        self.h = h * AFTER_FAILURE;
        self.rejected = true;
    }
}

/// A step that time cannot resolve near t, or that is no number at all.
pub fn too_small(h: f64, t: f64) -> bool {
    h.is_nan() || h <= RESOLUTION * f64::EPSILON * t.abs().max(f64::MIN_POSITIVE)
}

/// A step that time resolves near t, just so.
pub fn least_step(t: f64) -> f64 {
    2.0 * RESOLUTION * f64::EPSILON * t.abs()
}

/// Fit a step of size `h` before `limit` without leaving a crumb: (size, end).
pub fn to_limit(h: f64, t: f64, limit: f64) -> (f64, f64) {
    let left = limit - t;
    if h * STRETCH >= left {
        (left, limit)
    } else if 2.0 * h > left {
        (0.5 * left, t + 0.5 * left)
    } else {
        (h, t + h)
    }
}

/// A first step from how fast and how bent the solution starts. [Hairer, Norsett, Wanner 1993, sec. II.4]
///
/// `y_dot` is y'(t); `second` gives ‖y'(t + h) − y'(t)‖ for a trial h. Norms are against the tolerances, so
/// the step aims at an error of 1 % of them. Where that is far shorter than the trial, the trial is made shorter: equations are those of
/// the present branches, and far from here their values may be anything.
pub fn first_step(
    order: usize,
    h_max: f64,
    y_norm: f64,
    y_dot_norm: f64,
    mut second: impl FnMut(f64) -> f64,
) -> f64 {
    let exponent = 1.0 / (order as f64 + 1.0);
    let trial = if y_norm < 1e-5 || y_dot_norm < 1e-5 { 1e-6 } else { 0.01 * y_norm / y_dot_norm };
    let mut trial = trial.min(h_max);
    for _ in 0..TRIALS {
        let bend = second(trial) / trial;
        if bend.is_finite() {
            let largest = y_dot_norm.max(bend);
            let calm = largest <= 1e-15;
            let h = if calm { (1e-3 * trial).max(1e-6) } else { (0.01 / largest).powf(exponent) };
            if calm || h >= NEAR * trial {
                return (100.0 * trial).min(h).min(h_max);
            }
        }
        trial *= NEAR;
    }
    trial
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_met_exactly_and_without_a_crumb() {
        assert_eq!(to_limit(1.0, 0.0, 0.97), (0.97, 0.97));
        assert_eq!(to_limit(1.0, 0.0, 1.04).1, 1.04);
        assert_eq!(to_limit(1.0, 0.0, 1.5).0, 0.75);
        assert_eq!(to_limit(1.0, 0.0, 3.0).0, 1.0);
    }

    #[test]
    fn a_first_step_does_not_depend_on_what_is_far_away() {
        // A quintic that goes on beyond its end: 10 s³ as long as the trial is short, 1e37 over a week.
        let bend = |h: f64| 1e6 * 10.0 * h.powi(3) * (1.0 + 0.6 * h * h);
        let h = first_step(1, f64::INFINITY, 1e6, 1e-3, bend);
        assert!((1e-4..1e-1).contains(&h), "{h}");
        // Not finite far away.
        let h = first_step(1, f64::INFINITY, 1e6, 1e-3, |h| if h > 1.0 { f64::NAN } else { bend(h) });
        assert!((1e-4..1e-1).contains(&h), "{h}");
    }

    #[test]
    fn a_limit_does_not_spoil_the_next_step() {
        let mut control = StepControl::new(4, &Options::default());
        control.restart(1.0);
        let (h, _) = control.next(0.0, 1e-6);
        control.accept(h, 1e-12);
        assert_eq!(control.h, 1.0);
    }
}
