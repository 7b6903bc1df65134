//! What the modes of a reduced body leave out of static deflections by the inertia of its motion: the mode acceleration method.
//!
//!   u = Φ q + Σ_l r_l p_l,   r_l = u_l − Φ (Φᵀ K Φ)⁻¹ Φᵀ f_l,   K u_l = f_l with the reference held                  (1)  [Craig, Kurdila 2006]
//!
//! Loads f_l: of unit pairs of rates of rotation, of unit accelerations of the origin less gravity, of unit angular accelerations, and −M φ_a of
//! unit accelerations of the modes; p are their present values. (1) is the deflection by all of them and by the forces at interfaces, whose static
//! deflections the modes hold exactly. Kept modes that are exact leave nothing of −M φ_a.

use faer::Mat;
use trunnion_num::Matrix;

use crate::assembly::{Assembled, body_forces};
use crate::error::FeError;
use crate::factor::SymbolicFactor;
use crate::model::FeModel;
use crate::singular::holding_factor;
use crate::stiffening::body_loads;
use crate::unknowns::Unknowns;

/// r of (1): six rows a node; columns are the six pairs of rates ([`crate::RATE_PAIRS`]), x, y, z of the acceleration, x, y, z of the angular acceleration,
/// then the modes. `shapes`: Φ with six rows a node, at rest at the node of index `reference`, which is the origin.
pub fn load_residuals(model: &FeModel, shapes: &Matrix, reference: usize) -> Result<Matrix, FeError> {
    let assembled = Assembled::consistent(model, Unknowns::new(model, &[], &[reference])?)?;
    let unknowns = &assembled.unknowns;
    let symbolic = SymbolicFactor::new(&assembled.k, &unknowns.node_of())?;
    let factor = holding_factor(model, unknowns, &assembled.k, &symbolic)?;
    let (count, modes) = (unknowns.count(), shapes.columns());
    let nodes = unknowns.node_of();
    let place = |u: usize| 6 * nodes[u] as usize + unknowns.name(model, u).1;
    let phi = Mat::from_fn(count, modes, |u, a| shapes[(place(u), a)]);
    let loads = body_forces(model, unknowns, &body_loads(model.nodes[reference].at))?;
    let inertia = assembled.m.times(phi.as_ref());
    let f = Mat::from_fn(count, loads.len() + modes, |u, l| match l.checked_sub(loads.len()) {
        None => loads[l][u],
        Some(a) => -inertia[(u, a)],
    });
    let stiff = assembled.k.times(phi.as_ref());
    let product = |a: &Mat<f64>, i: usize, b: &Mat<f64>, j: usize| {
        (0..count).map(|u| a[(u, i)] * b[(u, j)]).sum::<f64>()
    };
    let size: Vec<f64> = (0..modes).map(|a| product(&phi, a, &stiff, a).sqrt()).collect();
    let gram = Matrix::from_fn(modes, modes, |a, b| product(&phi, a, &stiff, b) / (size[a] * size[b]));
    let right = Matrix::from_fn(modes, f.ncols(), |a, l| product(&phi, a, &f, l) / size[a]);
    let held = gram.solve(&right).map_err(|_| FeError::NoMass)?;
    let u = factor.solved(f);
    let mut found = Matrix::zeros(6 * model.nodes.len(), u.ncols());
    for l in 0..u.ncols() {
        let left =
            |i: usize| u[(i, l)] - (0..modes).map(|a| phi[(i, a)] * held[(a, l)] / size[a]).sum::<f64>();
        let nodal = assembled.nodal(model, left);
        nodal.into_iter().enumerate().for_each(|(i, x)| found[(i, l)] = x);
    }
    Ok(found)
}
