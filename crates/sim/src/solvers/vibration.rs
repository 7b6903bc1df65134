//! Oscillations of the linearised equations y' = J y that hardly anything damps, from the factors of W = I − c J that a step leaves:
//!
//!   x = W⁻¹ v,   z = W⁻¹ x,   J z = (z − x)/c,   J² z = (z − 2x + v)/c²                              (1)
//!   v ← J W⁻² v,   ω² ≈ −z · J² z / z · z                                                           (2)
//!
//! J W⁻² lets pass what moves at about 1/c, oscillations twice as well as decays: power iteration (2) finds those that matter to a step of this length
//! and leaves out stiff ones. On the plane of a pair ±iω J² is −ω², so that (2) does not turn. Algebraic unknowns follow from W. Lengths are in
//! nominal sizes.

use super::implicit::IterationMatrix;
use crate::problem::Layout;

/// Cosine between −z and J² z above which z oscillates: damping below half of the critical one.
const ALIGNED: f64 = 0.5;

#[derive(Clone, Debug)]
pub struct Vibration {
    inverse_size: Vec<f64>,
    v: Vec<f64>,
    // Scratch: x and z of (1).
    x: Vec<f64>,
    z: Vec<f64>,
    /// ω of an oscillation that is fast for the step at hand; 0: none known.
    pub fastest: f64,
}

impl Vibration {
    pub fn new(layout: &Layout) -> Self {
        let n = layout.n();
        let differential = |i: usize| if layout.differential[i] { 1.0 } else { 0.0 };
        // Any vector that no symmetry of a model is orthogonal to.
        let v = (0..n).map(|i| layout.nominal[i] * (1.0 + 0.618 * i as f64).sin());
        Vibration {
            inverse_size: (0..n).map(|i| differential(i) / layout.nominal[i]).collect(),
            v: v.collect(),
            x: vec![0.0; n],
            z: vec![0.0; n],
            fastest: 0.0,
        }
    }

    /// ω² if what W⁻² makes of `v` oscillates, else 0.
    fn square(&mut self, matrix: &mut IterationMatrix, c: f64, v: &[f64]) -> f64 {
        let n = v.len();
        (0..n).for_each(|i| self.x[i] = matrix.mass[i] * v[i]);
        matrix.solve(&mut self.x);
        (0..n).for_each(|i| self.z[i] = matrix.mass[i] * self.x[i]);
        matrix.solve(&mut self.z);
        let (mut along, mut z2, mut jjz2) = (0.0, 0.0, 0.0);
        for i in 0..n {
            let z = self.z[i] * self.inverse_size[i];
            let jjz = (self.z[i] - 2.0 * self.x[i] + v[i]) * self.inverse_size[i] / (c * c); // (1)
            along += z * jjz;
            z2 += z * z;
            jjz2 += jjz * jjz;
        }
        if -along > ALIGNED * (z2 * jjz2).sqrt() { -along / z2 } else { 0.0 }
    }

    /// (2), once, with the factors for c: J changes little from step to step.
    pub(crate) fn iterate(&mut self, matrix: &mut IterationMatrix, c: f64) {
        let mut v = std::mem::take(&mut self.v);
        let square = self.square(matrix, c, &v);
        let part = |i: usize| (self.z[i] - self.x[i]) * self.inverse_size[i];
        let length = (0..v.len()).map(|i| part(i) * part(i)).sum::<f64>().sqrt();
        let known = length > 0.0 && length.is_finite();
        if known {
            (0..v.len()).for_each(|i| v[i] = (self.z[i] - self.x[i]) / length);
        }
        self.fastest = if known { square.sqrt() } else { 0.0 };
        self.v = v;
    }

    /// Whether `e` is an oscillation that nothing damps.
    pub(crate) fn oscillates(&mut self, matrix: &mut IterationMatrix, c: f64, e: &[f64]) -> bool {
        self.square(matrix, c, e) > 0.0
    }
}
