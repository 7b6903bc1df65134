//! Nodal forces of a pressure on a shell element.
//!
//!   f_a = −p ∫ N_a n dA,  n dA = ∂x/∂ξ × ∂x/∂η dξ dη                                                      (1)

use trunnion_num::space;

use crate::elements::{ElementInput, gauss};
use crate::error::FeError;

/// Six components per node.
pub(crate) fn pressure_force(element: &ElementInput, pressure: f64) -> Result<Vec<f64>, FeError> {
    let mut force = vec![0.0; 6 * element.x.len()];
    let mut add = |node: usize, area: space::Point, weight: f64| {
        for k in 0..3 {
            force[6 * node + k] -= pressure * weight * area[k];
        }
    };
    let x = &element.x;
    match x.len() {
        3 => {
            let area = space::cross(space::minus(x[1], x[0]), space::minus(x[2], x[0]));
            (0..3).for_each(|a| add(a, area, 1.0 / 6.0));
        }
        4 => {
            const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
            for &(xi, _) in gauss(2) {
                for &(eta, _) in gauss(2) {
                    let sum = |f: &dyn Fn([f64; 2]) -> f64| {
                        CORNERS
                            .iter()
                            .zip(x)
                            .fold([0.0; 3], |s, (c, x)| space::plus(s, space::times(f(*c), *x)))
                    };
                    let along = sum(&|c| c[0] * (1.0 + c[1] * eta) / 4.0);
                    let across = sum(&|c| c[1] * (1.0 + c[0] * xi) / 4.0);
                    let area = space::cross(along, across);
                    for (a, c) in CORNERS.iter().enumerate() {
                        add(a, area, (1.0 + c[0] * xi) * (1.0 + c[1] * eta) / 4.0);
                    }
                }
            }
        }
        _ => return Err(FeError::MissingProperty { element: element.number }),
    }
    Ok(force)
}
