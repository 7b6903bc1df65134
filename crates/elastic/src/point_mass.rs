//! A point mass with inertia, as six points of mass that have the same mass, centre and inertia.
//!
//!   Σ m r rᵀ = E = ½ tr(J) 1 − J;  points at ±√3 times the semi-axes √(e_k/m), each of mass m/6               (1)
//!
//! E has no negative eigenvalue for any distribution of mass.

use faer::{Mat, Side};
use trunnion_num::Matrix;
use trunnion_num::space;

use crate::elements::MassPoint;
use crate::error::FeError;
use crate::model::{FeNode, PointMass};

pub(crate) fn components(mass: &PointMass) -> Vec<usize> {
    (6 * mass.node..6 * mass.node + 6).collect()
}

pub(crate) fn mass_points(mass: &PointMass, node: &FeNode) -> Result<Vec<MassPoint>, FeError> {
    let impossible = FeError::ImpossibleInertia { node: node.number };
    let m = mass.mass;
    let j = mass.inertia;
    let trace = j[0][0] + j[1][1] + j[2][2];
    if !(m >= 0.0 && m.is_finite() && trace.is_finite()) || (m == 0.0 && trace != 0.0) {
        return Err(impossible);
    }
    if m == 0.0 {
        return Ok(vec![]);
    }
    let second =
        Mat::from_fn(3, 3, |i, k| if i == k { trace / 2.0 } else { 0.0 } - (j[i][k] + j[k][i]) / 2.0);
    let spectrum = second.self_adjoint_eigen(Side::Lower).map_err(|_| impossible.clone())?;
    let mut points = vec![];
    for k in 0..3 {
        let e = spectrum.S()[k];
        // Rounding of the given numbers may make a flat body's smallest moment negative.
        if e < -1e-6 * trace {
            return Err(impossible);
        }
        let reach = (3.0 * e.max(0.0) / m).sqrt();
        for sign in [-1.0, 1.0] {
            let r = [0, 1, 2].map(|i| mass.offset[i] + sign * reach * spectrum.U()[(i, k)]);
            points.push(MassPoint { at: space::plus(node.at, r), mass: m / 6.0, shape: carried(r) });
        }
    }
    Ok(points)
}

/// u + θ × r.
fn carried(r: space::Point) -> Matrix {
    Matrix::from_fn(3, 6, |i, j| {
        let mut unit = [0.0; 3];
        unit[j % 3] = 1.0;
        if j < 3 { unit[i] } else { space::cross(unit, r)[i] }
    })
}
