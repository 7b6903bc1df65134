//! Integrals over the mass of positions R and mode shapes φ, from which all inertia data of a modal body follow.
//!
//!   m,  ∫ R,  ∫ R Rᵀ,  s_b,i = ∫ φ_b,i,  v_ab,i = ∫ R_a φ_b,i,  w_ab,ij = ∫ φ_a,i φ_b,j                          (1)
//!
//! Mass points of the elements make them exact for the consistent mass matrix: Σ_a w_aa = Φᵀ M Φ.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use trunnion_num::Matrix;
use trunnion_num::space::{Point, RotationMatrix, minus};

use crate::assembly::for_mass_points;
use crate::error::FeError;
use crate::model::FeModel;

pub(crate) struct ShapeIntegrals {
    pub mass: f64,
    pub first: Point,
    /// ∫ R Rᵀ.
    pub second: RotationMatrix,
    pub s: [Vec<f64>; 3],
    pub v: [[Vec<f64>; 3]; 3],
    pub w: [[Mat<f64>; 3]; 3],
}

/// Mass points that are multiplied together.
const CHUNK: usize = 512;

impl ShapeIntegrals {
    /// `shapes`: nodal displacements of the modes, 6 rows a node.
    pub fn new(model: &FeModel, shapes: &Matrix, origin: Point) -> Result<Self, FeError> {
        let n = shapes.columns();
        let mut sums = ShapeIntegrals {
            mass: 0.0,
            first: [0.0; 3],
            second: [[0.0; 3]; 3],
            s: std::array::from_fn(|_| vec![0.0; n]),
            v: std::array::from_fn(|_| std::array::from_fn(|_| vec![0.0; n])),
            w: std::array::from_fn(|_| std::array::from_fn(|_| Mat::zeros(n, n))),
        };
        // Rows are √m φ of the points.
        let mut rows: [Vec<f64>; 3] = Default::default();
        for_mass_points(model, |parts, points| {
            for point in points {
                let r = minus(point.at, origin);
                sums.add_rigid(point.mass, r);
                let root = point.mass.sqrt();
                for b in 0..3 {
                    let from = rows[b].len();
                    rows[b].resize(from + n, 0.0);
                    let phi = &mut rows[b][from..];
                    for (weight, &dof) in point.shape.row(b).iter().zip(parts).filter(|(w, _)| **w != 0.0) {
                        phi.iter_mut().zip(shapes.row(dof)).for_each(|(p, s)| *p += weight * s);
                    }
                    for i in 0..n {
                        sums.s[b][i] += point.mass * phi[i];
                        for a in 0..3 {
                            sums.v[a][b][i] += point.mass * r[a] * phi[i];
                        }
                        phi[i] *= root;
                    }
                }
            }
            if rows[0].len() >= CHUNK * n {
                sums.add_products(&mut rows, n);
            }
        })?;
        sums.add_products(&mut rows, n);
        for a in 0..3 {
            for b in 0..a {
                sums.w[a][b] = sums.w[b][a].transpose().to_owned();
            }
        }
        Ok(sums)
    }

    fn add_rigid(&mut self, mass: f64, r: Point) {
        self.mass += mass;
        for a in 0..3 {
            self.first[a] += mass * r[a];
            for b in 0..3 {
                self.second[a][b] += mass * r[a] * r[b];
            }
        }
    }

    fn add_products(&mut self, rows: &mut [Vec<f64>; 3], n: usize) {
        if let Some(count) = rows[0].len().checked_div(n) {
            let part = |b: usize| MatRef::from_row_major_slice(&rows[b], count, n);
            for a in 0..3 {
                for b in a..3 {
                    matmul(self.w[a][b].as_mut(), Accum::Add, part(a).transpose(), part(b), 1.0, Par::Seq);
                }
            }
        }
        rows.iter_mut().for_each(Vec::clear);
    }

    pub fn modes(&self) -> usize {
        self.s[0].len()
    }

    /// J0 = ∫ R² 1 − R Rᵀ.
    pub fn inertia(&self) -> RotationMatrix {
        let trace = self.second[0][0] + self.second[1][1] + self.second[2][2];
        [0, 1, 2].map(|a| [0, 1, 2].map(|b| if a == b { trace } else { 0.0 } - self.second[a][b]))
    }
}
