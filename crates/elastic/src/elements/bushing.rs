//! Bushing: six stiffnesses between two nodes, or a node and the ground, without mass.
//!
//!   d = (u_2 − u_1 − θ_1 × r,  θ_2 − θ_1),  r from node 1 to node 2;  K = Σ k_i a_i a_iᵀ,  a_i u: component i of d in the axes  (1)
//!
//! The stiffness sits at node 2, so that a rigid motion of both nodes strains nothing whatever their distance.

use trunnion_num::Matrix;
use trunnion_num::space;

use super::{ElementInput, ElementKernel, ElementLayout, MassPoint, PrestressPoint, StressPoint};
use crate::error::FeError;
use crate::model::ElementProperty;

pub(super) struct BushingKernel {
    pub grounded: bool,
}

impl ElementKernel for BushingKernel {
    fn layout(&self) -> ElementLayout {
        ElementLayout { nodes: if self.grounded { 1 } else { 2 }, components: 6 }
    }

    fn stiffness(&self, element: &ElementInput) -> Result<Matrix, FeError> {
        let ElementProperty::Bushing { axes, stiffness } = element.property else {
            return Err(FeError::MissingProperty { element: element.number });
        };
        let n = self.layout().unknowns();
        let r = if self.grounded { [0.0; 3] } else { space::minus(element.x[1], element.x[0]) };
        // Column j of (1): the relative motion of a unit displacement.
        let relative = Matrix::from_fn(6, n, |i, j| {
            let mut unit = [0.0; 3];
            unit[j % 3] = 1.0;
            let first = !self.grounded && j < 6;
            let sign = if first { -1.0 } else { 1.0 };
            match (i / 3, j % 6 / 3) {
                (0, 0) | (1, 1) => sign * space::dot(axes[i % 3], unit),
                (0, 1) if first => -space::dot(axes[i], space::cross(unit, r)),
                _ => 0.0,
            }
        });
        Ok(Matrix::from_fn(n, n, |p, q| {
            (0..6).map(|i| stiffness[i] * relative[(i, p)] * relative[(i, q)]).sum()
        }))
    }

    fn mass_points(&self, _: &ElementInput) -> Result<Vec<MassPoint>, FeError> {
        Ok(vec![])
    }

    fn prestress_points(&self, _: &ElementInput) -> Result<Vec<PrestressPoint>, FeError> {
        Ok(vec![])
    }

    fn stress_points(&self, _: &ElementInput) -> Result<Vec<StressPoint>, FeError> {
        Ok(vec![])
    }
}
