//! The measure of an error against the tolerances:
//!
//!   ‖e‖ = max_i |e_i| / w_i,   w_i = atol_i + rtol · max(|y0_i|, |y1_i|)                            (1)
//!   atol_i = rtol · s_i,   s_i = 100 · largest |y_i| so far, within 1e-5 u_i … u_i                   (2)
//!
//! u_i is the size given, and then s_i = u_i, or the one its unit suggests. Sizes only grow, so tolerances do not
//! chatter, and never beyond u_i, so that learning makes no error larger. As atol times the length of the course may not
//! hide the signal, small ones are held to 100 rtol of their own size; to hold all to 1 rtol costs a quarter of the steps of a crane.
//!
//! The maximum, not the root mean square: each unknown keeps its own tolerance, however many quiet ones
//! stand beside it, and the one that dominates is known.

use crate::problem::Layout;
use crate::stepper::Options;
use trunnion_num::Archive;

/// What may be off, in parts of rtol · largest value: errors of single steps add up to as much in any case.
const SHARE: f64 = 100.0;
/// Part of the size a unit suggests below which a learnt size does not fall, so that a rest at zero is no riddle.
const LEAST: f64 = 1e-5;
/// Part of that size below which everything is rounding.
const ROUNDING: f64 = 1e-12;

#[derive(Clone, Debug, Default)]
pub struct Tolerance {
    rtol: f64,
    atol: Vec<f64>,
    /// Bounds of atol; equal where it is given.
    bounds: Vec<(f64, f64)>,
    /// Largest |y_i| so far.
    largest: Vec<f64>,
}

impl Tolerance {
    pub fn new(layout: &Layout, options: &Options) -> Self {
        let rtol = options.rtol;
        let bounds = |i: usize| {
            let most = layout.atol_of(i).or(options.atol);
            let learns = most.is_none() && layout.learns.get(i).is_some_and(|learns| *learns);
            // A zero tolerance of an unknown that is zero would ask for 0/0.
            let most = most.unwrap_or(rtol * layout.nominal[i]).max(f64::MIN_POSITIVE);
            let least = (LEAST * most).max(ROUNDING * layout.nominal[i]).min(most);
            (if learns { least } else { most }, most)
        };
        let bounds: Vec<(f64, f64)> = (0..layout.n()).map(bounds).collect();
        Tolerance {
            rtol,
            atol: bounds.iter().map(|b| b.0).collect(),
            largest: vec![0.0; bounds.len()],
            bounds,
        }
    }

    /// Values that were reached: sizes that are not given grow with them (2).
    pub fn learn(&mut self, y: &[f64]) {
        for (i, y) in y.iter().enumerate() {
            if y.abs() > self.largest[i] {
                self.reach(i, y.abs());
            }
        }
    }

    fn reach(&mut self, i: usize, largest: f64) {
        let (least, most) = self.bounds[i];
        self.largest[i] = largest;
        self.atol[i] = (SHARE * self.rtol * largest).clamp(least, most);
    }

    /// What the next step takes over from those before.
    pub fn remember(&mut self, archive: &mut Archive) {
        archive.numbers(&mut self.largest);
        (0..self.largest.len()).for_each(|i| self.reach(i, self.largest[i]));
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

    /// Whether the tolerance of unknown i was chosen by the user, and does not follow its course.
    pub fn is_given(&self, i: usize) -> bool {
        self.bounds[i].0 == self.bounds[i].1
    }

    /// Largest |y_i| so far.
    pub fn largest(&self) -> &[f64] {
        &self.largest
    }

    /// 1/w_i at `y`, for many norms with the same weights.
    pub fn inverse_weights(&self, y: &[f64], inverse: &mut [f64]) {
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
        self.atol[i].max(self.bounds[i].1.min(SHARE * relative)) + relative
    }

    /// ‖y‖ of an unknown of nominal size: a value near zero is no small unknown.
    pub fn nominal_norm(&self) -> f64 {
        0.5 / self.rtol
    }

    /// ‖e‖ at `y` with sizes as they are before anything is learnt, for a first step: one that sees less than that of an unknown at
    /// zero would see its rounding.
    pub fn first_norm(&self, e: &[f64], y: &[f64]) -> f64 {
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
    pub fn dominant(&self, e: &[f64], y0: &[f64], y1: &[f64]) -> usize {
        let size = |i: usize| {
            let share = self.share(e, y0, y1, i);
            if share.is_nan() { f64::INFINITY } else { share }
        };
        (0..e.len()).fold(0, |best, i| if size(i) > size(best) { i } else { best })
    }
}

/// ‖e‖ with weights kept; NaN if any part is.
pub fn weighted_norm(e: &[f64], inverse_weights: &[f64]) -> f64 {
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
        let tolerance = Tolerance::new(&layout, &Options { rtol: 1e-3, ..Options::default() });
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
        let options = Options { rtol: 1e-3, ..Options::default() };
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
        for (y, atol) in [(1e-9, 1e-8), (0.0025, 2.5e-4), (1e-7, 2.5e-4), (70.0, 1e-3), (0.0, 1e-3)] {
            tolerance.learn(&[y; 3]);
            check(&tolerance, atol);
        }
        assert_eq!(tolerance.largest(), [70.0; 3]);
    }
}
