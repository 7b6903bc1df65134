//! Whether a stiffness matrix lets a motion go without energy: two steps of inverse iteration.
//!
//!   ρ = xᵀK x / xᵀD x,  D = diag K,  x the vector after K⁻¹                                                    (1)

use faer::Mat;

use crate::error::FeError;
use crate::factor::SparseFactor;
use crate::model::FeModel;
use crate::sparse::SymSparse;
use crate::unknowns::Unknowns;

/// ρ of a structure that holds: for a line of n beams it is about n⁻⁴, of which 1e-14 are more than 3000; rounding leaves 1e-16.
const LEAST: f64 = 1e-14;

/// The unknown that moves most in a motion without energy.
pub(crate) fn is_singular(k: &SymSparse, factor: &SparseFactor) -> Option<usize> {
    if k.n == 0 {
        return None;
    }
    let d = k.diagonal();
    let size: Vec<f64> = d.iter().map(|d| d.abs().sqrt()).collect();
    if let Some(loose) = d.iter().position(|d| *d <= 0.0) {
        return Some(loose);
    }
    let mut x = Mat::from_fn(k.n, 1, |i, _| size[i] * (1.0 + 0.37 * (i as f64).sin()));
    for _ in 0..2 {
        factor.solve(x.as_mut());
        let norm = (0..k.n).map(|i| (x[(i, 0)] * size[i]).powi(2)).sum::<f64>().sqrt();
        if !norm.is_finite() || norm == 0.0 {
            return Some(0);
        }
        for i in 0..k.n {
            x[(i, 0)] *= 1.0 / norm;
        }
        let quotient: f64 = {
            let kx = k.times(x.as_ref());
            (0..k.n).map(|i| x[(i, 0)] * kx[(i, 0)]).sum()
        };
        if quotient.abs() < LEAST {
            let moves = |i: &usize| x[(*i, 0)].abs();
            return (0..k.n).max_by(|i, j| moves(i).total_cmp(&moves(j)));
        }
        for i in 0..k.n {
            x[(i, 0)] *= d[i];
        }
    }
    None
}

/// Factors of a stiffness that has to hold, or the place of the motion that it lets go.
pub(crate) fn holding_factor(
    model: &FeModel,
    unknowns: &Unknowns,
    k: &SymSparse,
    symbolic: &crate::factor::SymbolicFactor,
) -> Result<SparseFactor, FeError> {
    let loose = |unknown| {
        let (node, component) = unknowns.name(model, unknown);
        FeError::ZeroEnergyMode { node, component }
    };
    let factor = SparseFactor::new(symbolic, k)?.map_err(loose)?;
    match is_singular(k, &factor) {
        Some(unknown) => Err(loose(unknown)),
        None => Ok(factor),
    }
}
