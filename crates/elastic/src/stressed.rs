//! Natural modes of a structure under its static loads.
//!
//!   (K + K_g) φ = λ M φ,  K_g: geometric stiffness of the static deflection                                     (1)

use faer::Mat;

use crate::assembly::Assembled;
use crate::error::FeError;
use crate::factor::SymbolicFactor;
use crate::model::FeModel;
use crate::modes::{NaturalModes, lowest};
use crate::singular::holding_factor;
use crate::unknowns::Unknowns;

/// The lowest modes about the static deflection of a model.
pub fn stressed_modes(model: &FeModel, count: usize) -> Result<NaturalModes, FeError> {
    let assembled = Assembled::new(model, Unknowns::new(model, &[], &[])?)?;
    let symbolic = SymbolicFactor::new(&assembled.k, &assembled.unknowns.node_of())?;
    let factor = holding_factor(model, &assembled.unknowns, &assembled.k, &symbolic)?;
    let f = assembled.loads(model)?;
    let q = factor.solved(Mat::from_fn(f.len(), 1, |i, _| f[i]));
    let k_g = assembled.geometric(model, &assembled.nodal(model, |u| q[(u, 0)]))?;
    let stiffness = assembled.k.plus(1.0, &k_g);
    let pairs = lowest(&stiffness, &assembled.m, &symbolic, None, count)?;
    Ok(NaturalModes::new(model, &assembled, pairs))
}
