//! Quadrilateral shell of four nodes.
//!
//! Membrane: bilinear with the incompatible modes 1 − ξ², 1 − η², as [`super::solid`] has them.                       [Taylor, Beresford, Wilson 1976]
//! Drilling: γ G t ∫ (θ_z − ½ (v,x − u,y))² dA holds the rotation about the normal; γ = 1/100 leaves membranes as they are. (1)  [Kanok-Nukulchai 1979]
//! Plate: Reissner–Mindlin, MITC4: covariant shear strains are taken at the middles of the edges and are linear between them,
//! so that thin plates do not lock; shear factor 5/6.                                                               (2)  [Dvorkin, Bathe 1984]

use trunnion_num::Matrix;

use super::gauss;
use super::shell::{Plate, PlatePoint, ShellKernel, add_energy};
use crate::error::FeError;

const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
const DRILLING: f64 = 0.01;
const SHEAR_FACTOR: f64 = 5.0 / 6.0;

pub(super) const QUAD4: ShellKernel =
    ShellKernel { nodes: 4, membrane, bending, points, point_strains, node_strains };

/// Functions at a point of the element.
struct QuadPoint {
    n: [f64; 4],
    /// In ξ and η.
    d: [[f64; 2]; 4],
    /// J_ik = ∂x_k/∂ξ_i.
    j: [[f64; 2]; 2],
    det: f64,
    /// In x and y.
    g: [[f64; 2]; 4],
}

fn carried(d: [f64; 2], j: &[[f64; 2]; 2], det: f64) -> [f64; 2] {
    [(j[1][1] * d[0] - j[0][1] * d[1]) / det, (j[0][0] * d[1] - j[1][0] * d[0]) / det]
}

fn at(plate: &Plate, [xi, eta]: [f64; 2]) -> Result<QuadPoint, FeError> {
    let n = CORNERS.map(|c| (1.0 + c[0] * xi) * (1.0 + c[1] * eta) / 4.0);
    let d = CORNERS.map(|c| [c[0] * (1.0 + c[1] * eta) / 4.0, c[1] * (1.0 + c[0] * xi) / 4.0]);
    let entry = |i: usize, k: usize| (0..4).map(|a| d[a][i] * plate.xy[a][k]).sum::<f64>();
    let j = [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]];
    let det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
    let size = j[0][0].hypot(j[0][1]) * j[1][0].hypot(j[1][1]);
    if !det.is_finite() || det.abs() <= 1e-9 * size {
        return Err(plate.degenerate());
    }
    if det < 0.0 {
        return Err(FeError::Inverted { element: plate.number });
    }
    Ok(QuadPoint { n, d, j, det, g: d.map(|d| carried(d, &j, det)) })
}

fn rule() -> Vec<([f64; 2], f64)> {
    gauss(2).iter().flat_map(|x| gauss(2).iter().map(move |y| ([x.0, y.0], x.1 * y.1))).collect()
}

/// Membrane strain of the nodes (u, v, θ_z) and of four incompatible unknowns.
fn membrane_strain(plate: &Plate, xi: [f64; 2]) -> Result<(Matrix, f64), FeError> {
    let (here, centre) = (at(plate, xi)?, at(plate, [0.0; 2])?);
    let mut b = Matrix::zeros(3, 16);
    let mut put = |column: usize, g: [f64; 2]| {
        b[(0, column)] = g[0];
        b[(2, column)] = g[1];
        b[(1, column + 1)] = g[1];
        b[(2, column + 1)] = g[0];
    };
    (0..4).for_each(|a| put(3 * a, here.g[a]));
    for k in 0..2 {
        let mut d = [0.0; 2];
        d[k] = -2.0 * xi[k] * centre.det / here.det;
        put(12 + 2 * k, carried(d, &centre.j, centre.det));
    }
    Ok((b, here.det))
}

/// Stiffness without drilling, and incompatible unknowns of the nodes.
fn condensed(plate: &Plate) -> Result<(Matrix, Matrix), FeError> {
    let c = plate.elasticity();
    let mut k = Matrix::zeros(16, 16);
    for (xi, weight) in rule() {
        let (b, det) = membrane_strain(plate, xi)?;
        add_energy(&mut k, &b, &c, weight * det * plate.thickness);
    }
    let k_au = k.block((12, 0), 4, 12);
    let alpha = k.block((12, 12), 4, 4).solve(&k_au).map_err(|_| plate.degenerate())?;
    let stiffness = k.block((0, 0), 12, 12).plus(-1.0, &k_au.transposed().times(&alpha));
    Ok((stiffness, Matrix::zeros(4, 12).plus(-1.0, &alpha)))
}

fn membrane(plate: &Plate) -> Result<Matrix, FeError> {
    let (mut k, _) = condensed(plate)?;
    let one = Matrix::identity(1);
    for (xi, weight) in rule() {
        let here = at(plate, xi)?;
        let b = Matrix::from_fn(1, 12, |_, j| match j % 3 {
            0 => here.g[j / 3][1] / 2.0,
            1 => -here.g[j / 3][0] / 2.0,
            _ => here.n[j / 3],
        });
        let stiffness = DRILLING * plate.material.shear_modulus() * plate.thickness;
        add_energy(&mut k, &b, &one, stiffness * weight * here.det); // (1)
    }
    Ok(k)
}

fn full_membrane_strain(plate: &Plate, xi: [f64; 2], alpha: &Matrix) -> Result<Matrix, FeError> {
    let (b, _) = membrane_strain(plate, xi)?;
    Ok(b.left(12).plus(1.0, &b.block((0, 12), 3, 4).times(alpha)))
}

/// Curvature (β_x,x, β_y,y, β_x,y + β_y,x), β_x = θ_y, β_y = −θ_x.
fn curvature(here: &QuadPoint) -> Matrix {
    Matrix::from_fn(3, 12, |i, j| {
        let g = here.g[j / 3];
        match (i, j % 3) {
            (0, 2) => g[0],
            (1, 1) => -g[1],
            (2, 1) => -g[0],
            (2, 2) => g[1],
            _ => 0.0,
        }
    })
}

/// γ_i = w,i + x,i β_x + y,i β_y along the coordinate i of the element.
fn covariant_shear(plate: &Plate, xi: [f64; 2], i: usize) -> Result<Vec<f64>, FeError> {
    let here = at(plate, xi)?;
    let entry = |j: usize| match j % 3 {
        0 => here.d[j / 3][i],
        1 => -here.j[i][1] * here.n[j / 3],
        _ => here.j[i][0] * here.n[j / 3],
    };
    Ok((0..12).map(entry).collect())
}

fn bending(plate: &Plate) -> Result<Matrix, FeError> {
    let (c, t) = (plate.elasticity(), plate.thickness);
    let shear =
        Matrix::from_fn(
            2,
            2,
            |i, j| if i == j { SHEAR_FACTOR * plate.material.shear_modulus() * t } else { 0.0 },
        );
    let tied = [
        [covariant_shear(plate, [0.0, -1.0], 0)?, covariant_shear(plate, [0.0, 1.0], 0)?],
        [covariant_shear(plate, [-1.0, 0.0], 1)?, covariant_shear(plate, [1.0, 0.0], 1)?],
    ];
    let mut k = Matrix::zeros(12, 12);
    for (xi, weight) in rule() {
        let here = at(plate, xi)?;
        add_energy(&mut k, &curvature(&here), &c, weight * here.det * t.powi(3) / 12.0);
        let b = Matrix::from_fn(2, 12, |i, j| {
            let along = |k: usize| {
                let other = xi[1 - k];
                ((1.0 - other) * tied[k][0][j] + (1.0 + other) * tied[k][1][j]) / 2.0
            };
            carried([along(0), along(1)], &here.j, here.det)[i]
        });
        add_energy(&mut k, &b, &shear, weight * here.det); // (2)
    }
    Ok(k)
}

fn points(plate: &Plate) -> Result<Vec<PlatePoint>, FeError> {
    let point = |(xi, weight): ([f64; 2], f64)| {
        let here = at(plate, xi)?;
        Ok(PlatePoint { area: weight * here.det, n: here.n.to_vec(), g: here.g.to_vec() })
    };
    rule().into_iter().map(point).collect()
}

fn point_strains(plate: &Plate) -> Result<Vec<Matrix>, FeError> {
    let (_, alpha) = condensed(plate)?;
    rule().into_iter().map(|(xi, _)| full_membrane_strain(plate, xi, &alpha)).collect()
}

fn node_strains(plate: &Plate, node: usize) -> Result<(Matrix, Matrix), FeError> {
    let (_, alpha) = condensed(plate)?;
    let xi = CORNERS[node];
    Ok((full_membrane_strain(plate, xi, &alpha)?, curvature(&at(plate, xi)?)))
}
