//! The measure of an error against the tolerances:
//!
//!   ‖e‖ = max_i |e_i| / w_i,   w_i = atol_i + rtol · max(|y0_i|, |y1_i|)                            (1)
//!
//! The maximum, not the root mean square: each unknown keeps its own tolerance, however many quiet ones
//! stand beside it, and the one that dominates is known.

use crate::problem::Layout;
use crate::stepper::Options;

#[derive(Clone, Debug)]
pub struct Tolerance {
    rtol: f64,
    atol: Vec<f64>,
}

impl Tolerance {
    pub fn new(layout: &Layout, options: &Options) -> Self {
        let from_nominal = || layout.nominal.iter().map(|size| options.rtol * size).collect();
        let atol: Vec<f64> = options.atol.clone().unwrap_or_else(from_nominal);
        // A zero tolerance of an unknown that is zero would ask for 0/0.
        Tolerance { rtol: options.rtol, atol: atol.iter().map(|a| a.max(f64::MIN_POSITIVE)).collect() }
    }

    /// 1/w_i at `y`, for many norms with the same weights.
    pub fn inverse_weights(&self, y: &[f64], inverse: &mut [f64]) {
        for i in 0..inverse.len() {
            inverse[i] = 1.0 / (self.atol[i] + self.rtol * y[i].abs());
        }
    }

    fn share(&self, e: &[f64], y0: &[f64], y1: &[f64], i: usize) -> f64 {
        e[i].abs() / (self.atol[i] + self.rtol * y0[i].abs().max(y1[i].abs())) // (1)
    }

    /// ‖y‖ of an unknown of nominal size: a value near zero is no small unknown.
    pub fn nominal_norm(&self) -> f64 {
        0.5 / self.rtol
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
}
