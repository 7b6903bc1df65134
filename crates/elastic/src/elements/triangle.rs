//! Triangular shell of three nodes, thin.
//!
//! Membrane with rotations about the normal: the optimal template, K = (1/V) L C Lᵀ + ¾ β_0 T_θᵀ K_θ T_θ.             (1)  [Felippa 2003, §5]
//! Plate: discrete Kirchhoff (DKT): β quadratic, no shear strain along the edges.                                  (2)  [Batoz, Bathe, Ho 1980]

use trunnion_num::Matrix;

use super::shell::{Plate, PlatePoint, ShellKernel, add_energy};
use super::wedge::triangle_rule;
use crate::error::FeError;

pub(super) const TRIANGLE3: ShellKernel =
    ShellKernel { nodes: 3, membrane, bending, points, point_strains, node_strains };

/// Share of the rotations in the mean strain, and the coefficients of the deviatoric strain of (1).
const ALPHA: f64 = 1.5;
const BETA: [f64; 9] = [1.0, 2.0, 1.0, 0.0, 1.0, -1.0, -1.0, -1.0, -2.0];

/// x_i − x_j and y_i − y_j, and the area.
struct Edges<'a>(&'a [[f64; 2]], f64);

impl<'a> Edges<'a> {
    fn new(plate: &'a Plate) -> Result<Self, FeError> {
        let x = &plate.xy;
        let area =
            ((x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[2][0] - x[0][0]) * (x[1][1] - x[0][1])) / 2.0;
        if area > 0.0 { Ok(Edges(x, area)) } else { Err(plate.degenerate()) }
    }

    fn x(&self, i: usize, j: usize) -> f64 {
        self.0[i][0] - self.0[j][0]
    }

    fn y(&self, i: usize, j: usize) -> f64 {
        self.0[i][1] - self.0[j][1]
    }

    fn square(&self, i: usize, j: usize) -> f64 {
        self.x(i, j).powi(2) + self.y(i, j).powi(2)
    }
}

/// L/V of (1): the mean strain is its transpose, 3 × 9.
fn mean_strain(e: &Edges) -> Matrix {
    let mut b = Matrix::zeros(3, 9);
    for i in 0..3 {
        // The edge across from node i runs from j to k.
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let (y, x) = (e.y(j, k), e.x(k, j));
        b[(0, 3 * i)] = y;
        b[(2, 3 * i)] = x;
        b[(1, 3 * i + 1)] = x;
        b[(2, 3 * i + 1)] = y;
        b[(0, 3 * i + 2)] = ALPHA / 6.0 * y * (e.y(i, k) - e.y(j, i));
        b[(1, 3 * i + 2)] = ALPHA / 6.0 * x * (e.x(k, i) - e.x(i, j));
        b[(2, 3 * i + 2)] = ALPHA / 3.0 * (e.x(k, i) * e.y(i, k) - e.x(i, j) * e.y(j, i));
    }
    Matrix::zeros(3, 9).plus(1.0 / (2.0 * e.1), &b)
}

fn membrane(plate: &Plate) -> Result<Matrix, FeError> {
    let e = Edges::new(plate)?;
    let (area, t, c) = (e.1, plate.thickness, plate.elasticity());
    let mut k = Matrix::zeros(9, 9);
    add_energy(&mut k, &mean_strain(&e), &c, area * t);
    // Strains along the edges 2-1, 3-2, 1-3 to Cartesian ones.
    let edges = [(1, 0), (2, 1), (0, 2)];
    let natural = Matrix::from_fn(3, 3, |r, m| {
        let (i, j) = edges[m];
        let k = 3 - i - j;
        // y_jk y_ik and so on, times the squared length of the edge.
        let value = match r {
            0 => e.y(i, k) * e.y(j, k),
            1 => e.x(i, k) * e.x(j, k),
            _ => e.y(i, k) * e.x(k, j) + e.x(k, i) * e.y(j, k),
        };
        value * e.square(i, j) / (4.0 * area * area)
    });
    let stiff = natural.transposed().times(&c).times(&natural);
    // Rotations less the mean rotation of the nodes' displacements.
    let theta = Matrix::from_fn(3, 9, |i, j| {
        let node = j / 3;
        let (next, last) = ((node + 1) % 3, (node + 2) % 3);
        match j % 3 {
            0 => e.x(last, next) / (4.0 * area),
            1 => e.y(last, next) / (4.0 * area),
            _ => f64::from(u8::from(i == node)),
        }
    });
    let corner = |order: [usize; 9]| {
        Matrix::from_fn(3, 3, |r, s| {
            2.0 * area / 3.0 * BETA[order[3 * r + s] - 1] / e.square(edges[r].0, edges[r].1)
        })
    };
    let q = [
        corner([1, 2, 3, 4, 5, 6, 7, 8, 9]),
        corner([9, 7, 8, 3, 1, 2, 6, 4, 5]),
        corner([5, 6, 4, 8, 9, 7, 2, 3, 1]),
    ];
    let nu = plate.material.poissons_ratio;
    let beta_0 = (0.5 * (1.0 - 4.0 * nu * nu)).max(0.01);
    for i in 0..3 {
        let middle = Matrix::zeros(3, 3).plus(0.5, &q[i]).plus(0.5, &q[(i + 1) % 3]).times(&theta);
        add_energy(&mut k, &middle, &stiff, 0.75 * beta_0 * area * t);
    }
    Ok(k)
}

/// Slopes in ξ and η of the six quadratic functions of Batoz: nodes 1–3, middles of 2-3, 3-1, 1-2.
fn quadratic_slopes(xi: f64, eta: f64) -> [[f64; 2]; 6] {
    let l = 1.0 - xi - eta;
    [
        [1.0 - 4.0 * l, 1.0 - 4.0 * l],
        [4.0 * xi - 1.0, 0.0],
        [0.0, 4.0 * eta - 1.0],
        [4.0 * eta, 4.0 * xi],
        [-4.0 * eta, 4.0 * (l - eta)],
        [4.0 * (l - xi), -4.0 * xi],
    ]
}

/// (β_x,x, β_y,y, β_x,y + β_y,x) of (w, θ_x, θ_y).
fn curvature(e: &Edges, xi: f64, eta: f64) -> Matrix {
    let slopes = quadratic_slopes(xi, eta);
    // Coefficients a to e of the edges 2-3, 3-1, 1-2.
    let edge = |m: usize| {
        let (i, j) = ((m + 1) % 3, (m + 2) % 3);
        let (x, y, l2) = (e.x(i, j), e.y(i, j), e.square(i, j));
        [
            -x / l2,
            0.75 * x * y / l2,
            (0.25 * x * x - 0.5 * y * y) / l2,
            -y / l2,
            (0.25 * y * y - 0.5 * x * x) / l2,
        ]
    };
    let edges = [edge(0), edge(1), edge(2)];
    let slope = |direction: usize, j: usize, of_y: bool| {
        let node = j / 3;
        // The edges that start and end at the node: m before, p after.
        let (p, m) = ((node + 2) % 3, (node + 1) % 3);
        let (s_p, s_m, s_n) = (slopes[3 + p][direction], slopes[3 + m][direction], slopes[node][direction]);
        let (a, b) = (edges[p], edges[m]);
        match (j % 3, of_y) {
            (0, false) => 1.5 * (a[0] * s_p - b[0] * s_m),
            (1, false) => b[1] * s_m + a[1] * s_p,
            (_, false) => s_n - b[2] * s_m - a[2] * s_p,
            (0, true) => 1.5 * (a[3] * s_p - b[3] * s_m),
            (1, true) => -s_n + b[4] * s_m + a[4] * s_p,
            (_, true) => -(b[1] * s_m + a[1] * s_p),
        }
    };
    let double = 2.0 * e.1;
    // ∂/∂x = (y_31 ∂/∂ξ + y_12 ∂/∂η)/2A, ∂/∂y = −(x_31 ∂/∂ξ + x_12 ∂/∂η)/2A
    let by_x = |j, of_y| (e.y(2, 0) * slope(0, j, of_y) + e.y(0, 1) * slope(1, j, of_y)) / double;
    let by_y = |j, of_y| -(e.x(2, 0) * slope(0, j, of_y) + e.x(0, 1) * slope(1, j, of_y)) / double;
    Matrix::from_fn(3, 9, |i, j| match i {
        0 => by_x(j, false),
        1 => by_y(j, true),
        _ => by_y(j, false) + by_x(j, true),
    })
}

fn bending(plate: &Plate) -> Result<Matrix, FeError> {
    let e = Edges::new(plate)?;
    let c = plate.elasticity();
    let mut k = Matrix::zeros(9, 9);
    for ([xi, eta], weight) in triangle_rule(3) {
        add_energy(&mut k, &curvature(&e, xi, eta), &c, 2.0 * e.1 * weight * plate.thickness.powi(3) / 12.0);
    }
    Ok(k)
}

fn points(plate: &Plate) -> Result<Vec<PlatePoint>, FeError> {
    let e = Edges::new(plate)?;
    let g: Vec<[f64; 2]> = (0..3)
        .map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            [e.y(j, k) / (2.0 * e.1), e.x(k, j) / (2.0 * e.1)]
        })
        .collect();
    let point = |([xi, eta], weight): ([f64; 2], f64)| PlatePoint {
        area: 2.0 * e.1 * weight,
        n: vec![1.0 - xi - eta, xi, eta],
        g: g.clone(),
    };
    Ok(triangle_rule(3).into_iter().map(point).collect())
}

fn point_strains(plate: &Plate) -> Result<Vec<Matrix>, FeError> {
    let e = Edges::new(plate)?;
    Ok(vec![mean_strain(&e); 3])
}

fn node_strains(plate: &Plate, node: usize) -> Result<(Matrix, Matrix), FeError> {
    let e = Edges::new(plate)?;
    let [xi, eta] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]][node];
    Ok((mean_strain(&e), curvature(&e, xi, eta)))
}
