//! Flat shells: what triangle and quadrilateral share. Membrane and plate in a plane through the element, six components a node.
//!
//!   u(z) = u + z θ_y,  v(z) = v − z θ_x,  w;   σ = C (ε + z κ),  plane stress                                     (1)
//!   C = E/(1−ν²) · (1, ν, 0; ν, 1, 0; 0, 0, (1−ν)/2),  D = t³/12 C                                               (2)
//!
//! A node beside the plane (of a warped quadrilateral) carries its projection by a rigid arm, so that rigid motions strain nothing.
//! Normal: right-handed about the order of the nodes. Layers of stress: 0 at z = −t/2, 1 at +t/2. Transverse shear stress is not recovered.

use trunnion_num::Matrix;
use trunnion_num::space::{self, Point, RotationMatrix};

use super::{ElementInput, ElementKernel, ElementLayout, MassPoint, PrestressPoint, StressPoint};
use crate::error::FeError;
use crate::model::{ElementProperty, IsotropicMaterial};

/// An element in its plane.
pub(super) struct Plate<'a> {
    pub number: u32,
    pub xy: Vec<[f64; 2]>,
    pub thickness: f64,
    pub material: &'a IsotropicMaterial,
}

impl Plate<'_> {
    /// (2), plane stress.
    pub(crate) fn elasticity(&self) -> Matrix {
        let (e, nu) = (self.material.youngs_modulus, self.material.poissons_ratio);
        let c = e / (1.0 - nu * nu);
        Matrix::from_fn(3, 3, |i, j| match (i, j) {
            (0, 0) | (1, 1) => c,
            (0, 1) | (1, 0) => c * nu,
            (2, 2) => c * (1.0 - nu) / 2.0,
            _ => 0.0,
        })
    }

    pub(crate) fn degenerate(&self) -> FeError {
        FeError::Degenerate { element: self.number }
    }
}

/// A point of the plane: weight × area, shape functions, their derivatives in x and y.
pub(super) struct PlatePoint {
    pub area: f64,
    pub n: Vec<f64>,
    pub g: Vec<[f64; 2]>,
}

type NodeStrains = fn(&Plate, usize) -> Result<(Matrix, Matrix), FeError>;

/// What differs between shells. Components of membrane matrices: (u, v, θ_z) a node; of plate matrices: (w, θ_x, θ_y) a node.
pub(super) struct ShellKernel {
    pub nodes: usize,
    pub membrane: fn(&Plate) -> Result<Matrix, FeError>,
    pub bending: fn(&Plate) -> Result<Matrix, FeError>,
    /// Integration points of mass and membrane force.
    pub points: fn(&Plate) -> Result<Vec<PlatePoint>, FeError>,
    /// Membrane strain (xx, yy, xy) at the integration points.
    pub point_strains: fn(&Plate) -> Result<Vec<Matrix>, FeError>,
    /// Membrane strain and curvature (xx, yy, xy) at a node.
    pub node_strains: NodeStrains,
}

const MEMBRANE: [usize; 3] = [0, 1, 5];
const BENDING: [usize; 3] = [2, 3, 4];

struct Placed<'a> {
    plate: Plate<'a>,
    centre: Point,
    axes: RotationMatrix,
    /// Local components at the projections of the nodes of element displacements.
    to_local: Matrix,
}

impl<'a> Placed<'a> {
    fn new(element: &ElementInput<'a>) -> Result<Self, FeError> {
        let ElementProperty::Shell { thickness } = element.property else {
            return Err(FeError::MissingProperty { element: element.number });
        };
        let (material, x) = (element.material()?, &element.x);
        let count = x.len();
        let centre = space::times(1.0 / count as f64, x.iter().fold([0.0; 3], |s, x| space::plus(s, *x)));
        let (along, normal) = match count {
            3 => (space::minus(x[1], x[0]), space::cross(space::minus(x[1], x[0]), space::minus(x[2], x[0]))),
            _ => {
                let (d, e) = (space::minus(x[2], x[0]), space::minus(x[3], x[1]));
                (space::minus(d, e), space::cross(d, e))
            }
        };
        let size = (1..count).map(|i| space::norm(space::minus(x[i], x[0]))).fold(0.0, f64::max);
        if space::norm(normal) < 1e-9 * size * size {
            return Err(element.degenerate());
        }
        let e_z = space::unit(normal).ok_or_else(|| element.degenerate())?;
        let in_plane = space::minus(along, space::times(space::dot(along, e_z), e_z));
        let e_x = space::unit(in_plane).ok_or_else(|| element.degenerate())?;
        let axes = [e_x, space::cross(e_z, e_x), e_z];
        let local: Vec<Point> = x.iter().map(|x| space::apply(axes, space::minus(*x, centre))).collect();
        let to_local = Matrix::from_fn(6 * count, 6 * count, |i, j| {
            if i / 6 != j / 6 {
                return 0.0;
            }
            let mut unit = [0.0; 3];
            unit[j % 3] = 1.0;
            match (i % 6 / 3, j % 6 / 3) {
                (0, 0) | (1, 1) => axes[i % 3][j % 3],
                (0, 1) => space::dot(axes[i % 3], space::cross(unit, space::times(-local[i / 6][2], e_z))),
                _ => 0.0,
            }
        });
        let xy = local.iter().map(|p| [p[0], p[1]]).collect();
        let plate = Plate { number: element.number, xy, thickness: *thickness, material };
        Ok(Placed { plate, centre, axes, to_local })
    }

    /// Columns of the three components of every node spread over all six.
    fn spread(&self, a: &Matrix, components: [usize; 3]) -> Matrix {
        let mut all = Matrix::zeros(a.rows(), self.to_local.rows());
        for i in 0..a.rows() {
            for j in 0..a.columns() {
                all[(i, 6 * (j / 3) + components[j % 3])] = a[(i, j)];
            }
        }
        all
    }
}

impl ElementKernel for ShellKernel {
    fn layout(&self) -> ElementLayout {
        ElementLayout { nodes: self.nodes, components: 6 }
    }

    fn stiffness(&self, element: &ElementInput) -> Result<Matrix, FeError> {
        let placed = Placed::new(element)?;
        let n = 6 * self.nodes;
        let mut k = Matrix::zeros(n, n);
        let parts = [((self.membrane)(&placed.plate)?, MEMBRANE), ((self.bending)(&placed.plate)?, BENDING)];
        for (part, components) in parts {
            let place = |i: usize| 6 * (i / 3) + components[i % 3];
            for i in 0..part.rows() {
                for j in 0..part.columns() {
                    k[(place(i), place(j))] += part[(i, j)];
                }
            }
        }
        Ok(placed.to_local.transposed().times(&k).times(&placed.to_local))
    }

    fn mass_points(&self, element: &ElementInput) -> Result<Vec<MassPoint>, FeError> {
        let placed = Placed::new(element)?;
        let (t, density) = (placed.plate.thickness, placed.plate.material.density);
        let mut points = vec![];
        for point in (self.points)(&placed.plate)? {
            let xy = (0..2).map(|k| point.n.iter().zip(&placed.plate.xy).map(|(n, x)| n * x[k]).sum::<f64>());
            let xy: Vec<f64> = xy.collect();
            // Two layers have the second moment t³/12 of the thickness.
            for z in [-t / 12_f64.sqrt(), t / 12_f64.sqrt()] {
                let mut local = Matrix::zeros(3, 6 * self.nodes);
                for (a, n) in point.n.iter().enumerate() {
                    (0..3).for_each(|k| local[(k, 6 * a + k)] = *n);
                    local[(0, 6 * a + 4)] = z * n;
                    local[(1, 6 * a + 3)] = -z * n; // (1)
                }
                let back = Matrix::from_fn(3, 3, |i, k| placed.axes[k][i]);
                let at = space::apply(space::transposed(placed.axes), [xy[0], xy[1], z]);
                points.push(MassPoint {
                    at: space::plus(placed.centre, at),
                    mass: density * t * point.area / 2.0,
                    shape: back.times(&local).times(&placed.to_local),
                });
            }
        }
        Ok(points)
    }

    fn prestress_points(&self, element: &ElementInput) -> Result<Vec<PrestressPoint>, FeError> {
        let placed = Placed::new(element)?;
        let c = placed.plate.elasticity();
        let points = (self.points)(&placed.plate)?.into_iter().zip((self.point_strains)(&placed.plate)?);
        let of_point = |(point, strain): (PlatePoint, Matrix)| {
            let force = placed.spread(&c.times(&strain), MEMBRANE).times(&placed.to_local);
            let weight = placed.plate.thickness * point.area;
            let mut gradient = Matrix::zeros(6, 6 * self.nodes);
            for (a, g) in point.g.iter().enumerate() {
                (0..6).for_each(|r| gradient[(r, 6 * a + r % 3)] = g[r / 3]);
            }
            PrestressPoint {
                directions: 2,
                stress: Matrix::zeros(3, force.columns()).plus(weight, &force),
                gradient: gradient.times(&placed.to_local),
            }
        };
        Ok(points.map(of_point).collect())
    }

    fn stress_points(&self, element: &ElementInput) -> Result<Vec<StressPoint>, FeError> {
        let placed = Placed::new(element)?;
        let c = placed.plate.elasticity();
        let mut points = vec![];
        for node in 0..self.nodes {
            let (membrane, curvature) = (self.node_strains)(&placed.plate, node)?;
            let membrane = placed.spread(&membrane, MEMBRANE);
            let curvature = placed.spread(&curvature, BENDING);
            for (layer, z) in [-0.5, 0.5].into_iter().enumerate() {
                let strain = membrane.plus(z * placed.plate.thickness, &curvature);
                let stress = c.times(&strain).times(&placed.to_local);
                let rows = Matrix::from_fn(6, stress.columns(), |i, j| match i {
                    0 | 1 => stress[(i, j)],
                    3 => stress[(2, j)],
                    _ => 0.0,
                });
                points.push(StressPoint { node, layer, axes: placed.axes, rows });
            }
        }
        Ok(points)
    }
}

/// ∫ Bᵀ C B over points of a weight.
pub(super) fn add_energy(k: &mut Matrix, b: &Matrix, c: &Matrix, weight: f64) {
    let cb = c.times(b);
    for i in 0..b.columns() {
        for j in 0..b.columns() {
            k[(i, j)] += weight * (0..b.rows()).map(|r| b[(r, i)] * cb[(r, j)]).sum::<f64>();
        }
    }
}
