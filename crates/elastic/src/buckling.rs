//! Linear buckling: the factors on the loads of a model at which it becomes unstable.
//!
//!   (K + η K_g) φ = 0,  K_g: geometric stiffness of the static deflection;  −K_g φ = (1/η) K φ                  (1)

use faer::Mat;

use crate::assembly::Assembled;
use crate::error::FeError;
use crate::factor::SymbolicFactor;
use crate::model::FeModel;
use crate::pencil::largest;
use crate::singular::holding_factor;
use crate::unknowns::Unknowns;

#[derive(Clone, Debug, PartialEq)]
pub struct BucklingModes {
    /// Positive, ascending.
    pub factors: Vec<f64>,
    /// Nodal displacements, 6 per node.
    pub shapes: Vec<Vec<f64>>,
}

/// The lowest positive factors, at most `count`.
pub fn buckling_modes(model: &FeModel, count: usize) -> Result<BucklingModes, FeError> {
    let assembled = Assembled::new(model, Unknowns::new(model, &[], &[])?)?;
    let symbolic = SymbolicFactor::new(&assembled.k, &assembled.unknowns.node_of())?;
    let factor = holding_factor(model, &assembled.unknowns, &assembled.k, &symbolic)?;
    let f = assembled.loads(model)?;
    let q = factor.solved(Mat::from_fn(f.len(), 1, |i, _| f[i]));
    let mut b = assembled.geometric(model, &assembled.nodal(model, |u| q[(u, 0)]))?;
    b.values.iter_mut().for_each(|v| *v = -*v);
    let not_found = FeError::ModesNotFound { found: 0, wanted: count };
    let found = largest(&factor, &assembled.k, &b, count, None, 1).ok_or(not_found)?;
    let ratios = b.diagonal().into_iter().zip(assembled.k.diagonal()).map(|(b, k)| (b / k).abs());
    // Tension alone leaves only rounding above zero.
    let least = 1e-10 * ratios.fold(0.0, f64::max);
    let positive = found.mu[..found.converged].iter().take_while(|mu| **mu > least).count();
    if positive == 0 {
        return Err(FeError::NoBuckling);
    }
    Ok(BucklingModes {
        factors: found.mu[..positive].iter().map(|mu| 1.0 / mu).collect(),
        shapes: (0..positive).map(|j| assembled.nodal(model, |u| found.x[(u, j)])).collect(),
    })
}
