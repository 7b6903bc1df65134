//! Displacement, section forces and stress of modal coordinates, as matrices to be multiplied by them.
//!
//!   u = U q,  σ = S q,  S = S_e T_e U                                                                          (1)
//!   von Mises: σ_v = √(½((σ_x−σ_y)² + (σ_y−σ_z)² + (σ_z−σ_x)²) + 3(τ_xy² + τ_yz² + τ_zx²))                         (2)
//!   principal stresses: eigenvalues of the stress tensor                                                       (3)
//!
//! `shapes` have six rows a node and a column a coordinate: those of a reduced body, of modes, or one column of a static deflection.

use std::f64::consts::PI;

use trunnion_num::Matrix;
use trunnion_num::space::{Point, RotationMatrix};

use crate::assembly::components;
use crate::beam_section::SectionConstants;
use crate::elements::{held_section_forces, input, kernel, section_forces};
use crate::error::FeError;
use crate::model::{ElementKind, FeElement, FeModel};
use crate::stiffening::body_loads;

/// Stress at a node of an element.
#[derive(Clone, Debug, PartialEq)]
pub struct StressRecovery {
    pub element: u32,
    pub node: u32,
    /// Stress point of a beam's section; of shells 0 below and 1 above the normal; 0 of solids.
    pub layer: usize,
    /// Rows are the axes of the stress.
    pub axes: RotationMatrix,
    /// 6 × coordinates: xx, yy, zz, xy, yz, zx.
    pub rows: Matrix,
}

/// Forces in the section at an end of a beam.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionForceRecovery {
    pub element: u32,
    /// 0 or 1.
    pub end: usize,
    pub node: u32,
    /// The section there.
    pub section: SectionConstants,
    /// 6 × coordinates: N, V_y, V_z, T, M_y, M_z in the local axes of the beam; N and moments about the centroid, T about the shear centre.
    pub rows: Matrix,
}

pub(crate) fn chosen<'a>(model: &'a FeModel, elements: &[usize]) -> Result<Vec<&'a FeElement>, FeError> {
    let find = |&index: &usize| model.elements.get(index).ok_or(FeError::NoSuchElement { index });
    elements.iter().map(find).collect()
}

/// Rows of the shapes that belong to an element.
pub(crate) fn gathered(element: &FeElement, shapes: &Matrix) -> Matrix {
    let parts = components(element);
    Matrix::from_fn(parts.len(), shapes.columns(), |i, j| shapes[(parts[i], j)])
}

/// Displacement and rotation of a node: 6 × coordinates.
pub fn displacement_recovery(shapes: &Matrix, node: usize) -> Matrix {
    shapes.block((6 * node, 0), 6, shapes.columns())
}

/// Stress at all nodes and layers of these elements, by their indices.
pub fn stress_recovery(
    model: &FeModel,
    shapes: &Matrix,
    elements: &[usize],
) -> Result<Vec<StressRecovery>, FeError> {
    let mut found = vec![];
    for element in chosen(model, elements)? {
        let u = gathered(element, shapes);
        for point in kernel(element.kind).stress_points(&input(model, element)?)? {
            found.push(StressRecovery {
                element: element.number,
                node: model.nodes[element.nodes[point.node]].number,
                layer: point.layer,
                axes: point.axes,
                rows: point.rows.times(&u),
            });
        }
    }
    Ok(found)
}

/// Section forces at both ends of those of these elements that are beams.
pub fn section_force_recovery(
    model: &FeModel,
    shapes: &Matrix,
    elements: &[usize],
) -> Result<Vec<SectionForceRecovery>, FeError> {
    let mut found = vec![];
    for element in chosen(model, elements)?.into_iter().filter(|e| e.kind == ElementKind::Beam2) {
        let u = gathered(element, shapes);
        for (end, (section, force)) in section_forces(&input(model, element)?)?.into_iter().enumerate() {
            let (number, node) = (element.number, model.nodes[element.nodes[end]].number);
            found.push(SectionForceRecovery { element: number, end, node, section, rows: force.times(&u) });
        }
    }
    Ok(found)
}

/// What unit loads add to the section forces of these elements within them, in the order of [`section_force_recovery`]: 6 × loads, as the
/// columns of [`crate::load_residuals`] about `origin`.
pub fn section_load_recovery(
    model: &FeModel,
    shapes: &Matrix,
    elements: &[usize],
    origin: Point,
) -> Result<Vec<Matrix>, FeError> {
    let fields = body_loads(origin);
    let mut found = vec![];
    for element in chosen(model, elements)?.into_iter().filter(|e| e.kind == ElementKind::Beam2) {
        let u = gathered(element, shapes);
        found.extend(held_section_forces(&input(model, element)?, &fields, &u)?);
    }
    Ok(found)
}

impl StressRecovery {
    /// The same stress in the axes of the model.
    pub fn in_model_axes(&self) -> Matrix {
        const PLACES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)];
        let turn = Matrix::from_fn(6, 6, |i, j| {
            let ((a, b), (k, l)) = (PLACES[i], PLACES[j]);
            let product = self.axes[k][a] * self.axes[l][b];
            if k == l { product } else { product + self.axes[l][a] * self.axes[k][b] }
        });
        turn.times(&self.rows)
    }

    /// Stress of these coordinates.
    pub fn at(&self, q: &[f64]) -> [f64; 6] {
        std::array::from_fn(|i| self.rows.row(i).iter().zip(q).map(|(s, q)| s * q).sum())
    }
}

/// Mean over the elements that share a node and layer, in the axes of the model, in the order of the nodes' numbers.
pub fn averaged_stress(stresses: &[StressRecovery]) -> Vec<(u32, usize, Matrix)> {
    let mut sums: std::collections::BTreeMap<(u32, usize), (Matrix, f64)> = Default::default();
    for stress in stresses {
        let rows = stress.in_model_axes();
        let none = || (Matrix::zeros(6, rows.columns()), 0.0);
        let sum = sums.entry((stress.node, stress.layer)).or_insert_with(none);
        *sum = (sum.0.plus(1.0, &rows), sum.1 + 1.0);
    }
    let mean = |((node, layer), (sum, count)): ((u32, usize), (Matrix, f64))| {
        (node, layer, Matrix::zeros(6, sum.columns()).plus(1.0 / count, &sum))
    };
    sums.into_iter().map(mean).collect()
}

/// (2)
pub fn von_mises([x, y, z, xy, yz, zx]: [f64; 6]) -> f64 {
    let normal = (x - y).powi(2) + (y - z).powi(2) + (z - x).powi(2);
    (0.5 * normal + 3.0 * (xy * xy + yz * yz + zx * zx)).sqrt()
}

/// (3), descending, by the trigonometric solution of the cubic [Smith 1961].
pub fn principal_stresses([x, y, z, xy, yz, zx]: [f64; 6]) -> [f64; 3] {
    let mean = (x + y + z) / 3.0;
    let (a, b, c) = (x - mean, y - mean, z - mean);
    let p = ((a * a + b * b + c * c) / 6.0 + (xy * xy + yz * yz + zx * zx) / 3.0).sqrt();
    if p == 0.0 {
        return [mean; 3];
    }
    let determinant = a * (b * c - yz * yz) - xy * (xy * c - yz * zx) + zx * (xy * yz - b * zx);
    let angle = (determinant / (2.0 * p.powi(3))).clamp(-1.0, 1.0).acos() / 3.0;
    let root = |k: f64| mean + 2.0 * p * (angle + k * 2.0 * PI / 3.0).cos();
    let (first, last) = (root(0.0), root(1.0));
    [first, 3.0 * mean - first - last, last]
}
