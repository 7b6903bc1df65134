//! Step sizes of all one-step methods: from the error of a step to the next, and onto a limit.
//!
//!   h_new = h · S · err^(−1/k)                                                 after a rejection              (1)
//!   h_new = min{ (1), h · S · (h / h_old) · (err_old / err²)^(1/k) }           after acceptance, implicit     (2)
//!   h_new = h · S · err^(−0.7/k) · err_old^(0.4/k)                             after acceptance, explicit     (3)
//!
//! (2) predicts how the error changes from step to step [Gustafsson 1994; Hairer, Wanner 1996, eq. IV.8.25]. (3) is a proportional-integral
//! controller: where stability limits an explicit method, it finds a steady step [Hairer1996, eq. IV.2.43]. k is the order of the estimate plus one, S the
//! safety factor.

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
pub(crate) const AFTER_FAILURE: f64 = 0.5;
/// A step that reaches this near the limit is stretched onto it, one that leaves less than itself is halved.
const STRETCH: f64 = 1.05;
/// Below this the error says nothing but "grow".
const LEAST_ERROR: f64 = 1e-10;

/// What differs between families of methods.
#[derive(Debug)]
pub struct ControlLaw {
    /// (3) instead of (2).
    proportional: bool,
    grow: f64,
    grow_first: f64,
    after_failure: f64,
    stretch: f64,
    /// A step shorter than this share of the proposed one was cut short by a limit.
    cut: f64,
    /// Smaller errors of the last step count as this.
    least_old: f64,
}

pub(crate) const IMPLICIT: ControlLaw = ControlLaw {
    proportional: false,
    grow: GROW,
    grow_first: GROW_FIRST,
    after_failure: AFTER_FAILURE,
    stretch: STRETCH,
    cut: 0.99,
    least_old: 1e-2,
};

/// Stages of explicit methods have one root: steps may grow by more at once. [Hairer1993, II.4]
pub(crate) const EXPLICIT: ControlLaw = ControlLaw {
    proportional: true,
    grow: 5.0,
    grow_first: 5.0,
    after_failure: 0.25,
    stretch: 1.01,
    cut: 1.0,
    least_old: 1e-4,
};
/// Smallest step, in units of the spacing of numbers near t.
const RESOLUTION: f64 = 10.0;
/// A first step is looked for over trials that become shorter by this factor, so many times.
const NEAR: f64 = 1e-2;
const TRIALS: usize = 10;

#[derive(Clone, Debug)]
pub struct StepControl {
    law: &'static ControlLaw,
    /// The proposed next step size, before limits.
    pub h: f64,
    h_max: f64,
    /// Order of the estimate plus one.
    k: f64,
    /// Error and size of the last accepted step; none after a restart.
    last: Option<(f64, f64)>,
    /// The step at hand was tried before.
    rejected: bool,
}

impl StepControl {
    pub fn new(law: &'static ControlLaw, estimate_order: usize, h_max: f64) -> Self {
        let k = (estimate_order + 1) as f64;
        StepControl { law, h: 0.0, h_max, k, last: None, rejected: false }
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
        stretched(self.h, t, limit, self.law.stretch)
    }

    /// Too small to be distinguished from no step at all.
    pub(crate) fn exhausted(&self, t: f64) -> bool {
        too_small(self.h, t)
    }

    pub(crate) fn accept(&mut self, h: f64, error: f64) {
        let (law, error) = (self.law, error.max(LEAST_ERROR));
        let factor = if law.proportional { self.proportional(error) } else { self.predictive(h, error) };
        let growth = match (self.rejected, self.last) {
            (true, _) => 1.0,
            (false, None) => law.grow_first,
            (false, Some(_)) => law.grow,
        };
        let new = h * factor.clamp(SHRINK, growth);
        // A step cut short by a limit says little about the proposed one.
        self.h = if h < law.cut * self.h { new.max(self.h) } else { new }.min(self.h_max);
        self.last = Some((h, error.max(law.least_old)));
        self.rejected = false;
    }

    fn predictive(&self, h: f64, error: f64) -> f64 {
        let exponent = 1.0 / self.k;
        let factor = SAFETY * error.powf(-exponent); // (1)
        let Some((h_old, error_old)) = self.last else { return factor };
        factor.min(SAFETY * (h / h_old) * (error_old / (error * error)).powf(exponent)) // (2)
    }

    fn proportional(&self, error: f64) -> f64 {
        let error_old = self.last.map_or(self.law.least_old, |last| last.1);
        SAFETY * error.powf(-0.7 / self.k) * error_old.powf(0.4 / self.k) // (3)
    }

    pub(crate) fn reject(&mut self, h: f64, error: f64) {
        self.h = h * (SAFETY * error.powf(-1.0 / self.k)).clamp(SHRINK, 0.9); // (1)
        self.rejected = true;
    }

    /// The step could not be computed.
    pub fn fail(&mut self, h: f64) {
        self.h = h * self.law.after_failure;
        self.rejected = true;
    }
}

/// A step that time cannot resolve near t, or that is no number at all.
pub(crate) fn too_small(h: f64, t: f64) -> bool {
    h.is_nan() || h <= RESOLUTION * f64::EPSILON * t.abs().max(f64::MIN_POSITIVE)
}

/// A step that time resolves near t, just so.
pub(crate) fn least_step(t: f64) -> f64 {
    2.0 * RESOLUTION * f64::EPSILON * t.abs()
}

/// Fit a step of size `h` before `limit` without leaving a crumb: (size, end).
pub(crate) fn to_limit(h: f64, t: f64, limit: f64) -> (f64, f64) {
    stretched(h, t, limit, STRETCH)
}

fn stretched(h: f64, t: f64, limit: f64, stretch: f64) -> (f64, f64) {
    let left = limit - t;
    if h * stretch >= left {
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
pub(crate) fn first_step(
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
        for law in [&IMPLICIT, &EXPLICIT] {
            let mut control = StepControl::new(law, 4, f64::INFINITY);
            control.restart(1.0);
            let (h, _) = control.next(0.0, 1e-6);
            control.accept(h, 1e-12);
            assert_eq!(control.h, 1.0);
        }
    }

    /// Where errors are c h^k both laws lead to the step with S^k c h^k = 1, or its like for (3), and stay there.
    #[test]
    fn steps_settle_where_the_error_is_a_power_of_them() {
        let (c, k) = (3e4, 5);
        for (law, share) in [(&IMPLICIT, 0.9), (&EXPLICIT, 0.9_f64.powf(1.0 / 0.3))] {
            let mut control = StepControl::new(law, k - 1, f64::INFINITY);
            control.restart(1e-4);
            for _ in 0..120 {
                let h = control.h;
                let error = c * h.powi(k as i32);
                if error <= 1.0 { control.accept(h, error) } else { control.reject(h, error) }
            }
            let wanted = share * c.powf(-1.0 / k as f64);
            assert!((control.h / wanted - 1.0).abs() < 1e-6, "{} is not {wanted}", control.h);
        }
    }
}
