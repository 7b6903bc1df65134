//! Rod: axial force only.
//!
//!   K = EA/L · (−e, e)(−e, e)ᵀ,  K_g = N/L · (1 − e eᵀ) between both ends                                     (1)  [Przemieniecki1968, §5.2, 15.2]

use trunnion_num::Matrix;
use trunnion_num::space::{self, Point};

use super::{ElementInput, ElementKernel, ElementLayout, MassPoint, PrestressPoint, StressPoint, gauss};
use crate::error::FeError;
use crate::model::ElementProperty;

pub(super) struct Rod2Kernel;

/// Direction and length of the line between two nodes.
pub(super) fn line(element: &ElementInput) -> Result<(Point, f64), FeError> {
    let along = space::minus(element.x[1], element.x[0]);
    Ok((space::unit(along).ok_or_else(|| element.degenerate())?, space::norm(along)))
}

fn area(element: &ElementInput) -> Result<f64, FeError> {
    match element.property {
        ElementProperty::Rod { area } => Ok(*area),
        _ => Err(FeError::MissingProperty { element: element.number }),
    }
}

/// Axial strain of element displacements.
fn strain(e: Point, length: f64) -> Matrix {
    Matrix::from_fn(1, 6, |_, j| if j < 3 { -e[j] / length } else { e[j - 3] / length })
}

impl ElementKernel for Rod2Kernel {
    fn layout(&self) -> ElementLayout {
        ElementLayout { nodes: 2, components: 3 }
    }

    fn stiffness(&self, element: &ElementInput) -> Result<Matrix, FeError> {
        let (e, length) = line(element)?;
        let b = strain(e, length);
        let stiffness = element.material()?.youngs_modulus * area(element)? * length;
        Ok(Matrix::from_fn(6, 6, |i, j| stiffness * b[(0, i)] * b[(0, j)]))
    }

    fn mass_points(&self, element: &ElementInput) -> Result<Vec<MassPoint>, FeError> {
        let (e, length) = line(element)?;
        let mass = element.material()?.density * area(element)? * length;
        let point = |&(x, w): &(f64, f64)| {
            let share = (1.0 + x) / 2.0;
            let n = [1.0 - share, share];
            MassPoint {
                at: space::plus(element.x[0], space::times(share * length, e)),
                mass: mass * w / 2.0,
                shape: Matrix::from_fn(3, 6, |i, j| if j % 3 == i { n[j / 3] } else { 0.0 }),
            }
        };
        Ok(gauss(2).iter().map(point).collect())
    }

    fn prestress_points(&self, element: &ElementInput) -> Result<Vec<PrestressPoint>, FeError> {
        let (e, length) = line(element)?;
        let force = element.material()?.youngs_modulus * area(element)?;
        let b = strain(e, length);
        let across = |k: usize, j: usize| f64::from(u8::from(k == j)) - e[k] * e[j];
        let sign = |j: usize| if j < 3 { -1.0 / length } else { 1.0 / length };
        Ok(vec![PrestressPoint {
            directions: 1,
            stress: Matrix::from_fn(1, 6, |_, j| length * force * b[(0, j)]),
            gradient: Matrix::from_fn(3, 6, |k, j| sign(j) * across(k, j % 3)),
        }])
    }

    fn stress_points(&self, element: &ElementInput) -> Result<Vec<StressPoint>, FeError> {
        let (e, length) = line(element)?;
        let (b, modulus) = (strain(e, length), element.material()?.youngs_modulus);
        let axes = axes_along(e);
        let point = |node| StressPoint {
            node,
            layer: 0,
            axes,
            rows: Matrix::from_fn(6, 6, |i, j| if i == 0 { modulus * b[(0, j)] } else { 0.0 }),
        };
        Ok(vec![point(0), point(1)])
    }
}

/// Any right-handed axes whose first is `e`.
fn axes_along(e: Point) -> [Point; 3] {
    let smallest = (0..3).min_by(|&i, &j| e[i].abs().total_cmp(&e[j].abs())).unwrap_or(0);
    let mut other = [0.0; 3];
    other[smallest] = 1.0;
    let y = space::unit(space::cross(e, other)).unwrap_or([0.0, 1.0, 0.0]);
    [e, y, space::cross(e, y)]
}
