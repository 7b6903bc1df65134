//! Isoparametric solids: what tetrahedra, wedges and hexahedra share.
//!
//!   K_ab = ∫ λ g_a g_bᵀ + μ g_b g_aᵀ + μ (g_a·g_b) 1 dV,  g_a = J⁻ᵀ ∂N_a/∂ξ                                      (1)  [Zienkiewicz2000, ch. 8]
//!   incompatible modes: u += Σ P_k(ξ) α_k,  P_k = 1 − ξ_k²,  g_k = (det J_0/det J) J_0⁻ᵀ ∂P_k/∂ξ                   (2)  [Taylor, Beresford, Wilson 1976]
//!
//! (2) makes bending of 8-node bricks exact in parallelepipeds and passes the patch test in any shape: J_0 at the centre makes ∫ g_k = 0.
//! α is eliminated in the element: α = −K_αα⁻¹ K_αu u.

use trunnion_num::Matrix;
use trunnion_num::space::{self, Point};

use super::{ElementInput, ElementKernel, ElementLayout, MassPoint, PrestressPoint, StressPoint};
use crate::error::FeError;
use crate::model::ElementProperty;

/// Shape functions at a point and their derivatives in ξ, η, ζ.
pub(super) type ShapeFunctions = fn(Point) -> Vec<(f64, Point)>;
/// Points and weights.
pub(super) type Quadrature = fn() -> Vec<(Point, f64)>;

pub(super) struct SolidKernel {
    /// Coordinates of the nodes in ξ, η, ζ.
    pub nodes: &'static [Point],
    pub functions: ShapeFunctions,
    pub stiffness_rule: Quadrature,
    pub mass_rule: Quadrature,
    /// With incompatible modes (2), for 8-node bricks.
    pub incompatible: bool,
    /// Stress at nodes is extrapolated from 2 × 2 × 2 points, where that of 20-node bricks is best [Barlow 1976].
    pub extrapolated: bool,
}

/// Functions at a point of an element.
struct SolidPoint {
    n: Vec<f64>,
    /// Derivatives in x, y, z.
    g: Vec<Point>,
    det: f64,
}

/// J_ik = ∂x_k/∂ξ_i.
fn jacobian(x: &[Point], functions: &[(f64, Point)]) -> [Point; 3] {
    let mut j = [[0.0; 3]; 3];
    for (x, (_, d)) in x.iter().zip(functions) {
        for i in 0..3 {
            for k in 0..3 {
                j[i][k] += d[i] * x[k];
            }
        }
    }
    j
}

fn determinant(j: &[Point; 3]) -> f64 {
    space::dot(j[0], space::cross(j[1], j[2]))
}

/// Rows of J⁻¹ transposed: ∂ξ_i/∂x.
fn inverse(j: &[Point; 3], det: f64) -> [Point; 3] {
    [0, 1, 2].map(|i| space::times(1.0 / det, space::cross(j[(i + 1) % 3], j[(i + 2) % 3])))
}

fn carried(d: Point, inverse: &[Point; 3]) -> Point {
    [0, 1, 2].map(|k| (0..3).map(|i| d[i] * inverse[i][k]).sum())
}

impl SolidKernel {
    fn at(&self, element: &ElementInput, xi: Point) -> Result<SolidPoint, FeError> {
        let functions = (self.functions)(xi);
        let j = jacobian(&element.x, &functions);
        let det = determinant(&j);
        let size = (0..3).map(|i| space::norm(j[i])).product::<f64>();
        if !det.is_finite() || det.abs() <= 1e-9 * size {
            return Err(element.degenerate());
        }
        if det < 0.0 {
            return Err(FeError::Inverted { element: element.number });
        }
        let inverse = inverse(&j, det);
        Ok(SolidPoint {
            g: functions.iter().map(|f| carried(f.1, &inverse)).collect(),
            n: functions.iter().map(|f| f.0).collect(),
            det,
        })
    }

    /// An element that is turned over near a node may look right at all integration points, and has another volume.
    fn check_nodes(&self, element: &ElementInput) -> Result<(), FeError> {
        let turned = |xi: &Point| {
            let j = jacobian(&element.x, &(self.functions)(*xi));
            determinant(&j) < -1e-9 * (0..3).map(|i| space::norm(j[i])).product::<f64>()
        };
        match self.nodes.iter().any(turned) {
            true => Err(FeError::Inverted { element: element.number }),
            false => Ok(()),
        }
    }

    /// Derivatives of all functions at a point, those of (2) after those of the nodes.
    fn gradients(&self, element: &ElementInput, xi: Point) -> Result<(Vec<Point>, f64), FeError> {
        let mut at = self.at(element, xi)?;
        if self.incompatible {
            let j_0 = jacobian(&element.x, &(self.functions)([0.0; 3]));
            let det_0 = determinant(&j_0);
            if det_0 <= 0.0 {
                return Err(FeError::Inverted { element: element.number });
            }
            let inverse = inverse(&j_0, det_0);
            for k in 0..3 {
                let mut d = [0.0; 3];
                d[k] = -2.0 * xi[k] * det_0 / at.det;
                at.g.push(carried(d, &inverse));
            }
        }
        Ok((at.g, at.det))
    }

    fn unknowns(&self) -> usize {
        3 * self.nodes.len()
    }

    /// (1) with (2) as unknowns.
    fn full_stiffness(&self, element: &ElementInput) -> Result<Matrix, FeError> {
        if *element.property != ElementProperty::Solid {
            return Err(FeError::MissingProperty { element: element.number });
        }
        let (lambda, mu) = lame(element)?;
        let count = self.nodes.len() + if self.incompatible { 3 } else { 0 };
        let mut k = Matrix::zeros(3 * count, 3 * count);
        for (xi, weight) in (self.stiffness_rule)() {
            let (g, det) = self.gradients(element, xi)?;
            let (l, m) = (weight * det * lambda, weight * det * mu);
            for a in 0..count {
                for b in 0..=a {
                    let both = m * space::dot(g[a], g[b]);
                    for i in 0..3 {
                        for j in 0..3 {
                            k[(3 * a + i, 3 * b + j)] += l * g[a][i] * g[b][j] + m * g[a][j] * g[b][i];
                        }
                        k[(3 * a + i, 3 * b + i)] += both; // (1)
                    }
                }
            }
        }
        for i in 0..3 * count {
            for j in 0..i {
                k[(j, i)] = k[(i, j)];
            }
        }
        Ok(k)
    }

    /// α of u: rows of incompatible modes.
    fn inner(&self, element: &ElementInput) -> Result<(Matrix, Matrix), FeError> {
        let k = self.full_stiffness(element)?;
        let n = self.unknowns();
        let extra = k.rows() - n;
        let k_au = k.block((n, 0), extra, n);
        if extra == 0 {
            return Ok((k, k_au));
        }
        let alpha = k.block((n, n), extra, extra).solve(&k_au).map_err(|_| element.degenerate())?;
        let condensed = k.block((0, 0), n, n).plus(-1.0, &k_au.transposed().times(&alpha));
        Ok((condensed, Matrix::zeros(extra, n).plus(-1.0, &alpha)))
    }

    /// Stress of element displacements, times a weight, for the gradients at a point: 6 rows.
    fn stress(
        &self,
        element: &ElementInput,
        g: &[Point],
        weight: f64,
        alpha: &Matrix,
    ) -> Result<Matrix, FeError> {
        let (lambda, mu) = lame(element)?;
        let (lambda, mu) = (weight * lambda, weight * mu);
        let n = self.unknowns();
        let nodes = self.nodes.len();
        let mut all = Matrix::zeros(6, 3 * g.len());
        for (a, g) in g.iter().enumerate() {
            for i in 0..3 {
                for r in 0..3 {
                    all[(r, 3 * a + i)] = lambda * g[i] + if r == i { 2.0 * mu * g[i] } else { 0.0 };
                }
            }
            for (r, (i, j)) in [(0, 1), (1, 2), (2, 0)].into_iter().enumerate() {
                all[(3 + r, 3 * a + i)] = mu * g[j];
                all[(3 + r, 3 * a + j)] = mu * g[i];
            }
        }
        if g.len() == nodes {
            return Ok(all);
        }
        Ok(all.left(n).plus(1.0, &all.block((0, n), 6, 3 * g.len() - n).times(alpha)))
    }
}

fn lame(element: &ElementInput) -> Result<(f64, f64), FeError> {
    let material = element.material()?;
    let (e, nu) = (material.youngs_modulus, material.poissons_ratio);
    Ok((e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), material.shear_modulus()))
}

const UNTURNED: [Point; 3] = space::UNTURNED;

impl ElementKernel for SolidKernel {
    fn layout(&self) -> ElementLayout {
        ElementLayout { nodes: self.nodes.len(), components: 3 }
    }

    fn stiffness(&self, element: &ElementInput) -> Result<Matrix, FeError> {
        let stiffness = self.inner(element)?.0;
        self.check_nodes(element)?;
        Ok(stiffness)
    }

    fn mass_points(&self, element: &ElementInput) -> Result<Vec<MassPoint>, FeError> {
        let density = element.material()?.density;
        let point = |(xi, weight): (Point, f64)| {
            let at = self.at(element, xi)?;
            let mut shape = Matrix::zeros(3, self.unknowns());
            let mut place = [0.0; 3];
            for (a, n) in at.n.iter().enumerate() {
                place = space::plus(place, space::times(*n, element.x[a]));
                (0..3).for_each(|k| shape[(k, 3 * a + k)] = *n);
            }
            Ok(MassPoint { at: place, mass: density * weight * at.det, shape })
        };
        (self.mass_rule)().into_iter().map(point).collect()
    }

    fn prestress_points(&self, element: &ElementInput) -> Result<Vec<PrestressPoint>, FeError> {
        let alpha = if self.incompatible { self.inner(element)?.1 } else { Matrix::default() };
        let point = |(xi, weight): (Point, f64)| {
            let gradients = self.gradients(element, xi)?;
            let mut gradient = Matrix::zeros(9, self.unknowns());
            for (a, g) in gradients.0[..self.nodes.len()].iter().enumerate() {
                (0..9).for_each(|r| gradient[(r, 3 * a + r % 3)] = g[r / 3]);
            }
            let stress = self.stress(element, &gradients.0, weight * gradients.1, &alpha)?;
            Ok(PrestressPoint { directions: 3, stress, gradient })
        };
        (self.stiffness_rule)().into_iter().map(point).collect()
    }

    fn stress_points(&self, element: &ElementInput) -> Result<Vec<StressPoint>, FeError> {
        let alpha = if self.incompatible { self.inner(element)?.1 } else { Matrix::default() };
        let stress = |xi: Point| self.stress(element, &self.gradients(element, xi)?.0, 1.0, &alpha);
        let reach = 1.0 / 3_f64.sqrt();
        let corners: Vec<Point> =
            (0..8).map(|c| [0, 1, 2].map(|k| if c >> k & 1 == 1 { 1.0 } else { -1.0 })).collect();
        let inner: Vec<Matrix> = match self.extrapolated {
            true => corners.iter().map(|c| stress(space::times(reach, *c))).collect::<Result<_, _>>()?,
            false => vec![],
        };
        let point = |(node, xi): (usize, &Point)| {
            let rows = match self.extrapolated {
                false => stress(*xi)?,
                true => corners.iter().zip(&inner).fold(Matrix::zeros(6, self.unknowns()), |sum, (c, s)| {
                    let weight: f64 = (0..3).map(|k| (1.0 + xi[k] / reach * c[k]) / 2.0).product();
                    sum.plus(weight, s)
                }),
            };
            Ok(StressPoint { node, layer: 0, axes: UNTURNED, rows })
        };
        self.nodes.iter().enumerate().map(point).collect()
    }
}
