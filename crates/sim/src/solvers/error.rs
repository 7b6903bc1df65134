//! The measure of an error against the tolerances:
//!
//!   ‖e‖ = max_i |e_i| / w_i,   w_i = atol_i + rtol · max(|y0_i|, |y1_i|)                            (1)
//!   atol_i = σ · largest |y_i| so far, within ε u_i … rtol · u_i,   σ = 100 rtol, but 1 % at most        (2)
//!   ε = 1e-12 · max_j largest |y_j| / u_j, within 1e-15 … 1e-12; 1e-5 rtol or 1e-12 from a start at zero    (3)
//!
//! u_i is the size given, and then atol_i = rtol · u_i, or the one its unit suggests. Tolerances only grow, so they do not
//! chatter, and never beyond rtol · u_i, so that learning makes no error larger. As atol times the length of the trajectory may not
//! hide the signal, small ones are held to 100 rtol of their own size; to hold all to 1 rtol costs a quarter of the steps of a crane.
//! What is left of large terms that cancel, as at an equilibrium, is no signal (3). Nor is what begins a motion after a rest at zero, where time
//! itself has roundings.
//!
//! The maximum, not the root mean square: each unknown keeps its own tolerance, however many quiet ones
//! stand beside it, and the one that dominates is known.

use crate::problem::Layout;
use crate::stepper::SolverOptions;
use trunnion_num::Archive;

/// What may be off of a small signal, in parts of rtol · largest value: errors of single steps add up to as much in any case.
const SHARE: f64 = 100.0;
/// The same in parts of the largest value, whatever rtol is: two digits.
const COARSEST: f64 = 1e-2;
/// ε of (3) where all is small, and where something is of the size its unit suggests.
const ROUNDING: (f64, f64) = (1e-15, 1e-12);
/// ε in parts of rtol where all starts at zero, unless it is less than rounding.
const AT_REST: f64 = 1e-5;

#[derive(Clone, Debug, Default)]
pub struct Tolerance {
    rtol: f64,
    atol: Vec<f64>,
    /// Bounds of atol; equal where it is given. The lower ones grow.
    bounds: Vec<(f64, f64)>,
    /// Whether it is given.
    given: Vec<bool>,
    /// u_i.
    nominal: Vec<f64>,
    /// ε.
    rounding: f64,
    /// Start values were seen.
    started: bool,
    /// Largest |y_i| so far.
    largest: Vec<f64>,
}

impl Tolerance {
    pub fn new(layout: &Layout, options: &SolverOptions) -> Self {
        let rtol = options.rtol;
        let at_rest = (AT_REST * rtol).max(ROUNDING.1);
        let bounds = |i: usize| {
            let most = layout.atol_of(i).or(options.atol);
            let learns = most.is_none() && layout.learns.get(i).is_some_and(|learns| *learns);
            // A zero tolerance of an unknown that is zero would give 0/0.
            let most = most.unwrap_or(rtol * layout.nominal[i]).max(f64::MIN_POSITIVE);
            let least = (at_rest * layout.nominal[i]).min(most);
            (if learns { least } else { most }, most)
        };
        let bounds: Vec<(f64, f64)> = (0..layout.n()).map(bounds).collect();
        Tolerance {
            rtol,
            atol: bounds.iter().map(|b| b.0).collect(),
            largest: vec![0.0; bounds.len()],
            given: bounds.iter().map(|b| b.0 == b.1).collect(),
            bounds,
            nominal: layout.nominal.clone(),
            rounding: at_rest,
            started: false,
        }
    }

    /// Values that were reached: tolerances that are not given grow with them (2).
    pub(crate) fn learn(&mut self, y: &[f64]) {
        if !self.started {
            self.started = true;
            if y.iter().any(|y| *y != 0.0) {
                self.put_rounding(ROUNDING.0);
            }
        }
        let mut rounding = self.rounding;
        for (i, y) in y.iter().enumerate() {
            if y.abs() > self.largest[i] {
                self.reach(i, y.abs());
                rounding = rounding.max(ROUNDING.1 * (y.abs() / self.nominal[i]).min(1.0)); // (3)
            }
        }
        if rounding > self.rounding {
            self.put_rounding(rounding);
        }
    }

    fn put_rounding(&mut self, rounding: f64) {
        self.rounding = rounding;
        for i in 0..self.given.len() {
            if !self.given[i] {
                self.bounds[i].0 = (rounding * self.nominal[i]).min(self.bounds[i].1);
                self.reach(i, self.largest[i]);
            }
        }
    }

    fn reach(&mut self, i: usize, largest: f64) {
        let (least, most) = self.bounds[i];
        self.largest[i] = largest;
        self.atol[i] = (self.share_of_small() * largest).clamp(least, most);
    }

    /// σ of (2).
    fn share_of_small(&self) -> f64 {
        (SHARE * self.rtol).min(COARSEST).max(self.rtol)
    }

    /// What the next step takes over from those before.
    pub fn remember(&mut self, archive: &mut Archive) {
        archive.numbers(&mut self.largest);
        archive.flag(&mut self.started);
        let mut rounding = self.rounding;
        archive.number(&mut rounding);
        self.put_rounding(rounding);
    }

    /// What another one of the same unknowns has learnt.
    pub fn take(&mut self, other: &Tolerance) {
        self.started = other.started;
        self.largest.copy_from_slice(&other.largest);
        self.put_rounding(other.rounding);
    }

    pub fn rtol(&self) -> f64 {
        self.rtol
    }

    pub fn atol(&self) -> &[f64] {
        &self.atol
    }

    /// Relative and absolute tolerance as they were before anything was learnt.
    pub fn given(&self) -> (f64, Vec<f64>) {
        (self.rtol, self.bounds.iter().map(|b| b.1).collect())
    }

    /// Whether the tolerance of unknown i was chosen by the user, and does not follow its history.
    pub fn is_given(&self, i: usize) -> bool {
        self.given[i]
    }

    /// Whether the tolerance of unknown i is the least it can be.
    pub fn is_least(&self, i: usize) -> bool {
        self.atol[i] == self.bounds[i].0
    }

    /// Largest |y_i| so far.
    pub fn largest(&self) -> &[f64] {
        &self.largest
    }

    /// 1/w_i at `y`, for many norms with the same weights.
    pub(crate) fn inverse_weights(&self, y: &[f64], inverse: &mut [f64]) {
        for i in 0..inverse.len() {
            inverse[i] = 1.0 / (self.atol[i] + self.rtol * y[i].abs());
        }
    }

    fn share(&self, e: &[f64], y0: &[f64], y1: &[f64], i: usize) -> f64 {
        e[i].abs() / self.weight(i, y0[i].abs().max(y1[i].abs())) // (1)
    }

    /// w_i of a step in which |y_i| reaches `size`.
    pub fn weight(&self, i: usize, size: f64) -> f64 {
        let relative = self.rtol * size;
        self.atol[i].max(self.bounds[i].1.min(self.share_of_small() * size)) + relative
    }

    /// ‖y‖ of an unknown of nominal size: a value near zero is no small unknown.
    pub(crate) fn nominal_norm(&self) -> f64 {
        0.5 / self.rtol
    }

    /// ‖e‖ at `y` with sizes as they are before anything is learnt, for a first step: one that sees less than that of an unknown at
    /// zero would see its rounding.
    pub(crate) fn first_norm(&self, e: &[f64], y: &[f64]) -> f64 {
        let share = |i: usize| e[i].abs() / (self.bounds[i].1 + self.rtol * y[i].abs());
        (0..e.len()).map(share).fold(0.0, |max, s| if s > max || s.is_nan() { s } else { max })
    }

    /// ‖e‖; NaN if any part is.
    pub fn norm(&self, e: &[f64], y0: &[f64], y1: &[f64]) -> f64 {
        let (mut max, mut sum) = (0.0_f64, 0.0);
        for i in 0..e.len() {
            let share = self.share(e, y0, y1, i);
            max = max.max(share);
            sum += share; // carries a NaN that `max` drops
        }
        if sum.is_nan() { f64::NAN } else { max }
    }

    /// The unknown that dominates ‖e‖.
    pub(crate) fn dominant(&self, e: &[f64], y0: &[f64], y1: &[f64]) -> usize {
        let size = |i: usize| {
            let share = self.share(e, y0, y1, i);
            if share.is_nan() { f64::INFINITY } else { share }
        };
        (0..e.len()).fold(0, |best, i| if size(i) > size(best) { i } else { best })
    }
}

/// ‖e‖ with weights kept; NaN if any part is.
pub(crate) fn weighted_norm(e: &[f64], inverse_weights: &[f64]) -> f64 {
    let (mut max, mut sum) = (0.0_f64, 0.0);
    for (e, inverse) in e.iter().zip(inverse_weights) {
        let share = e.abs() * inverse;
        max = max.max(share);
        sum += share;
    }
    if sum.is_nan() { f64::NAN } else { max }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unknown_has_its_own_scale() {
        let layout = Layout { nominal: vec![1.0, 1e6], differential: vec![true; 2], ..Layout::default() };
        let tolerance = Tolerance::new(&layout, &SolverOptions { rtol: 1e-3, ..SolverOptions::default() });
        let (y0, y1) = ([0.0, 0.0], [1.0, 1e6]);
        assert_eq!(tolerance.norm(&[2e-3, 1e3], &y0, &y1), 1.0);
        assert_eq!(tolerance.dominant(&[1e-3, 2e3], &y0, &y1), 1);
        assert!(tolerance.norm(&[f64::NAN, 0.0], &y0, &y1).is_nan());
    }

    #[test]
    fn a_size_that_is_a_guess_is_learnt_up_to_it() {
        let layout = Layout {
            nominal: vec![1.0; 3],
            differential: vec![true; 3],
            learns: vec![true, false, true],
            atol: vec![None, None, Some(1e-9)],
            ..Layout::default()
        };
        let options = SolverOptions { rtol: 1e-3, ..SolverOptions::default() };
        let mut tolerance = Tolerance::new(&layout, &options);
        let check = |tolerance: &Tolerance, atol: f64| {
            assert!(
                (tolerance.atol()[0] / atol - 1.0).abs() < 1e-12,
                "{} is not {atol}",
                tolerance.atol()[0]
            );
            assert_eq!(tolerance.atol()[1..], [1e-3, 1e-9]);
        };
        check(&tolerance, 1e-8);
        for (y, atol) in
            [(1e-14, 1e-15), (1e-9, 1e-11), (0.025, 2.5e-4), (1e-7, 2.5e-4), (70.0, 1e-3), (0.0, 1e-3)]
        {
            tolerance.learn(&[y; 3]);
            check(&tolerance, atol);
        }
        assert_eq!(tolerance.largest(), [70.0; 3]);
    }
}
