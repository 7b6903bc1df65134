//! Linear statics, K q = f.

use faer::Mat;

use crate::assembly::Assembled;
use crate::error::FeError;
use crate::factor::SymbolicFactor;
use crate::model::FeModel;
use crate::singular::holding_factor;
use crate::unknowns::Unknowns;

#[derive(Clone, Debug, PartialEq)]
pub struct StaticResult {
    /// Nodal displacements, 6 per node.
    pub displacements: Vec<f64>,
    /// ½ uᵀ f.
    pub strain_energy: f64,
}

impl StaticResult {
    pub fn at(&self, node: usize) -> [f64; 6] {
        std::array::from_fn(|c| self.displacements[6 * node + c])
    }
}

/// Displacements under all loads of a model.
pub fn static_deflection(model: &FeModel) -> Result<StaticResult, FeError> {
    let assembled = Assembled::new(model, Unknowns::new(model, &[], &[])?)?;
    let symbolic = SymbolicFactor::new(&assembled.k, &assembled.unknowns.node_of())?;
    let factor = holding_factor(model, &assembled.unknowns, &assembled.k, &symbolic)?;
    let f = assembled.loads(model)?;
    let q = factor.solved(Mat::from_fn(f.len(), 1, |i, _| f[i]));
    let strain_energy = (0..f.len()).map(|i| 0.5 * q[(i, 0)] * f[i]).sum();
    Ok(StaticResult { displacements: assembled.nodal(model, |u| q[(u, 0)]), strain_energy })
}
