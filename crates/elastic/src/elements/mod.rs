//! Elements: a kind is one file with one [`ElementKernel`], and one line in [`kernel`].
//!
//! What an element is made of, for element displacements u (nodes in order, components in order):
//!
//!   stiffness            ½ uᵀ K u                                                                        (1)
//!   mass points          M = Σ m_p N_pᵀ N_p,  N_p u: displacement of a point of mass m_p                  (2)
//!   prestress points     K_g = Σ_p Σ_ij s_ij(u_0) Σ_k g_ik g_jkᵀ,  g_ik u: derivative of displacement k in direction i  (3)
//!   stress points        S_p u: stress (xx, yy, zz, xy, yz, zx)
//!
//! Mass matrices, loads of gravity and spin, all inertia integrals come from (2); all geometric stiffness from (3).

mod beam;
mod bushing;
mod hexa;
#[cfg(test)]
mod patch_tests;
mod quad;
mod rod;
mod shell;
#[cfg(test)]
mod shell_patch_tests;
mod solid;
mod spring;
mod tetra;
mod triangle;
mod wedge;

use trunnion_num::Matrix;
use trunnion_num::space::{Point, RotationMatrix};

pub(crate) use beam::{BeamStation, beam_stations, held_section_forces, section_forces};

use crate::error::FeError;
use crate::model::{BeamPlacement, ElementKind, ElementProperty, FeElement, FeModel, IsotropicMaterial};

/// What a kernel sees of an element.
pub(crate) struct ElementInput<'a> {
    pub number: u32,
    pub x: Vec<Point>,
    material: Option<&'a IsotropicMaterial>,
    property: &'a ElementProperty,
    placement: Option<&'a BeamPlacement>,
}

impl<'a> ElementInput<'a> {
    pub fn material(&self) -> Result<&'a IsotropicMaterial, FeError> {
        self.material.ok_or(FeError::MissingProperty { element: self.number })
    }

    pub(crate) fn degenerate(&self) -> FeError {
        FeError::Degenerate { element: self.number }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ElementLayout {
    pub nodes: usize,
    /// Of each node, from the first: 3 or 6.
    pub components: usize,
}

impl ElementLayout {
    pub fn unknowns(self) -> usize {
        self.nodes * self.components
    }
}

pub(crate) struct MassPoint {
    pub at: Point,
    pub mass: f64,
    /// 3 rows.
    pub shape: Matrix,
}

pub(crate) struct PrestressPoint {
    /// 1 of beams, 2 of shells, 3 of solids.
    pub directions: usize,
    /// Rows in the order of [`stress_pairs`], times the length, area or volume of the point.
    pub stress: Matrix,
    /// Row 3 i + k: derivative of displacement k in direction i.
    pub gradient: Matrix,
}

/// Pairs (i, j) of directions of the components of a symmetric stress.
pub(crate) fn stress_pairs(directions: usize) -> &'static [(usize, usize)] {
    match directions {
        1 => &[(0, 0)],
        2 => &[(0, 0), (1, 1), (0, 1)],
        _ => &[(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)],
    }
}

pub(crate) struct StressPoint {
    /// Index among the nodes of the element.
    pub node: usize,
    /// Of several points at one node: of the section of a beam, or bottom 0 and top 1 of a shell.
    pub layer: usize,
    /// Rows are the axes of the stress.
    pub axes: RotationMatrix,
    /// 6 rows: xx, yy, zz, xy, yz, zx.
    pub rows: Matrix,
}

pub(crate) trait ElementKernel {
    fn layout(&self) -> ElementLayout;
    fn stiffness(&self, element: &ElementInput) -> Result<Matrix, FeError>;
    fn mass_points(&self, element: &ElementInput) -> Result<Vec<MassPoint>, FeError>;
    fn prestress_points(&self, element: &ElementInput) -> Result<Vec<PrestressPoint>, FeError>;
    fn stress_points(&self, element: &ElementInput) -> Result<Vec<StressPoint>, FeError>;
}

pub(crate) fn kernel(kind: ElementKind) -> &'static dyn ElementKernel {
    match kind {
        ElementKind::Rod2 => &rod::Rod2Kernel,
        ElementKind::Beam2 => &beam::Beam2Kernel,
        ElementKind::Triangle3 => &triangle::TRIANGLE3,
        ElementKind::Quad4 => &quad::QUAD4,
        ElementKind::Tetra4 => &tetra::TETRA4,
        ElementKind::Tetra10 => &tetra::TETRA10,
        ElementKind::Hexa8 => &hexa::HEXA8,
        ElementKind::Hexa20 => &hexa::HEXA20,
        ElementKind::Wedge6 => &wedge::WEDGE6,
        ElementKind::Wedge15 => &wedge::WEDGE15,
        ElementKind::Spring2 => &spring::Spring2Kernel,
        ElementKind::Bushing2 => &bushing::BushingKernel { grounded: false },
        ElementKind::Bushing1 => &bushing::BushingKernel { grounded: true },
    }
}

pub(crate) fn input<'a>(model: &'a FeModel, element: &'a FeElement) -> Result<ElementInput<'a>, FeError> {
    let number = element.number;
    let expected = kernel(element.kind).layout().nodes;
    if element.nodes.len() != expected {
        return Err(FeError::NodeCount { element: number, expected, found: element.nodes.len() });
    }
    let at = |&i: &usize| model.nodes.get(i).map(|n| n.at).ok_or(FeError::NoSuchNode { user: number });
    let material = match element.material {
        Some(i) => Some(model.materials.get(i).ok_or(FeError::MissingProperty { element: number })?),
        None => None,
    };
    Ok(ElementInput {
        number,
        x: element.nodes.iter().map(at).collect::<Result<_, _>>()?,
        material,
        property: model
            .properties
            .get(element.property)
            .ok_or(FeError::MissingProperty { element: number })?,
        placement: element.placement.as_ref(),
    })
}

/// (2), consistent.
pub(crate) fn mass_matrix(points: &[MassPoint], unknowns: usize) -> Matrix {
    let mut m = Matrix::zeros(unknowns, unknowns);
    let mut filled = Vec::with_capacity(unknowns);
    for point in points {
        for k in 0..3 {
            let row = point.shape.row(k);
            filled.clear();
            filled.extend(row.iter().enumerate().filter(|(_, n)| **n != 0.0).map(|(i, n)| (i, *n)));
            for &(i, a) in &filled {
                for &(j, b) in &filled {
                    m[(i, j)] += point.mass * a * b;
                }
            }
        }
    }
    m
}

/// Diagonal mass: the diagonal of the consistent one, the same in all directions of a node, scaled to the mass of the element.
/// [Hinton, Rock, Zienkiewicz 1976]
pub(crate) fn lumped(consistent: &Matrix, layout: ElementLayout, mass: f64) -> Matrix {
    let mut m = Matrix::zeros(consistent.rows(), consistent.columns());
    let c = layout.components;
    let mean = |node: usize, from: usize| {
        (from..from + 3).map(|k| consistent[(node * c + k, node * c + k)]).sum::<f64>() / 3.0
    };
    let sum: f64 = (0..layout.nodes).map(|n| mean(n, 0)).sum();
    let scale = if sum > 0.0 { mass / sum } else { 0.0 };
    for node in 0..layout.nodes {
        for k in 0..c {
            m[(node * c + k, node * c + k)] = scale * mean(node, k / 3 * 3);
        }
    }
    m
}

/// (3) for element displacements u_0.
pub(crate) fn geometric_matrix(points: &[PrestressPoint], u_0: &[f64]) -> Matrix {
    let n = u_0.len();
    let mut k_g = Matrix::zeros(n, n);
    for point in points {
        let s = product(&point.stress, u_0);
        for (&(i, j), s) in stress_pairs(point.directions).iter().zip(s) {
            for k in 0..3 {
                let (a, b) = (point.gradient.row(3 * i + k), point.gradient.row(3 * j + k));
                for p in (0..n).filter(|&p| a[p] != 0.0 || b[p] != 0.0) {
                    for q in 0..n {
                        let twice = if i == j { a[p] * b[q] } else { a[p] * b[q] + b[p] * a[q] };
                        k_g[(p, q)] += s * twice;
                    }
                }
            }
        }
    }
    k_g
}

/// A u.
pub(crate) fn product(a: &Matrix, u: &[f64]) -> Vec<f64> {
    (0..a.rows()).map(|i| a.row(i).iter().zip(u).map(|(a, u)| a * u).sum()).collect()
}

/// Gauss–Legendre points and weights on [−1, 1].
pub(crate) fn gauss(count: usize) -> &'static [(f64, f64)] {
    const A: f64 = 0.577_350_269_189_625_8;
    const B: f64 = 0.774_596_669_241_483_4;
    const C: (f64, f64) = (0.339_981_043_584_856_26, 0.861_136_311_594_052_6);
    const W: (f64, f64) = (0.652_145_154_862_546_1, 0.347_854_845_137_453_85);
    const D: (f64, f64) = (0.538_469_310_105_683_1, 0.906_179_845_938_664);
    const V: (f64, f64) = (0.478_628_670_499_366_47, 0.236_926_885_056_189_08);
    match count {
        1 => &[(0.0, 2.0)],
        2 => &[(-A, 1.0), (A, 1.0)],
        3 => &[(-B, 5.0 / 9.0), (0.0, 8.0 / 9.0), (B, 5.0 / 9.0)],
        4 => &[(-C.1, W.1), (-C.0, W.0), (C.0, W.0), (C.1, W.1)],
        _ => &[(-D.1, V.1), (-D.0, V.0), (0.0, 128.0 / 225.0), (D.0, V.0), (D.1, V.1)],
    }
}
