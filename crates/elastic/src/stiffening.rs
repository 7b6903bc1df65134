//! Geometric stiffening of a modal body: for every unit load the stress of its static deflection stiffens or softens the modes.
//!
//!   K_geo,l = Φᵀ K_g(u_l) Φ,  K u_l = f_l, the body held at its reference interface                               (1)  [Wallrapp, Schwertassek 1991]
//!
//! Loads: centrifugal forces −ω~ω~R of unit pairs of rates, forces −e_k of unit accelerations a_k, −e_k × R of unit α_k,
//! unit forces and moments at the other interfaces. The reaction at the reference interface closes the balance, so that the sum over present
//! loads is the stress of the moving body, elastic accelerations aside.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use trunnion_num::Matrix;
use trunnion_num::space::{Point, cross, minus, times};

use crate::assembly::{BodyField, components};
use crate::elements::{input, kernel, stress_pairs};
use crate::error::FeError;
use crate::model::FeModel;
use crate::reduced_body::RATE_PAIRS;

/// Matrices n × n, added to the modal stiffness after multiplication with the present load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StiffeningMatrices {
    /// For each of the pairs of rates.
    pub rates: Vec<Matrix>,
    /// For the acceleration of the origin less gravity, x, y, z.
    pub acceleration: Vec<Matrix>,
    /// For the angular acceleration, x, y, z.
    pub angular_acceleration: Vec<Matrix>,
    /// For each interface the three forces and three moments on the body, in body axes; empty for the reference.
    pub interfaces: Vec<Vec<Matrix>>,
}

/// The body forces per unit of mass about an origin: rates, accelerations, angular accelerations.
pub(crate) fn body_loads(origin: Point) -> Vec<BodyField> {
    let axis = |k: usize| {
        let mut e = [0.0; 3];
        e[k] = 1.0;
        e
    };
    let mut loads: Vec<BodyField> = vec![];
    for (a, b) in RATE_PAIRS {
        loads.push(Box::new(move |x| {
            let r = minus(x, origin);
            let product = |k: usize| {
                if k == a {
                    -r[b]
                } else if k == b {
                    -r[a]
                } else {
                    0.0
                }
            };
            [0, 1, 2].map(|k| match a == b {
                true => {
                    if k == a {
                        0.0
                    } else {
                        r[k]
                    }
                }
                false => product(k),
            })
        }));
    }
    (0..3).for_each(|k| loads.push(Box::new(move |_| times(-1.0, axis(k)))));
    (0..3).for_each(|k| loads.push(Box::new(move |x| cross(minus(x, origin), axis(k)))));
    loads
}

/// (1) for nodal deflections `loads` (6 rows a node, a column a load) and modes `shapes`.
pub(crate) fn projected(model: &FeModel, shapes: &Matrix, loads: &Matrix) -> Result<Vec<Matrix>, FeError> {
    let (n, count) = (shapes.columns(), loads.columns());
    let pairs = n * (n + 1) / 2;
    // A row a load, the upper triangle of modes by rows.
    let mut sum = Mat::<f64>::zeros(count, pairs);
    if n > 0 && count > 0 {
        for element in &model.elements {
            let points = kernel(element.kind).prestress_points(&input(model, element)?)?;
            if points.is_empty() {
                continue;
            }
            let parts = components(element);
            let stress = stacked(points.iter().map(|p| &p.stress), &parts, loads);
            let gradient = stacked(points.iter().map(|p| &p.gradient), &parts, shapes);
            let mut products = Vec::with_capacity(stress.nrows() * pairs);
            let mut row = 0;
            for point in &points {
                add_products(
                    point.directions,
                    gradient.as_ref().subrows(row, 3 * point.directions),
                    &mut products,
                );
                row += 3 * point.directions;
            }
            let products = MatRef::from_row_major_slice(&products, stress.nrows(), pairs);
            matmul(sum.as_mut(), Accum::Add, stress.transpose(), products, 1.0, Par::Seq);
        }
    }
    let place = |i: usize, j: usize| i * n - i * (i + 1) / 2 + j;
    let of = |l: usize| Matrix::from_fn(n, n, |i, j| sum[(l, place(i.min(j), i.max(j)))]);
    Ok((0..count).map(of).collect())
}

/// The rows of all points of an element, times what its unknowns do.
fn stacked<'a>(rows: impl Iterator<Item = &'a Matrix>, parts: &[usize], nodal: &Matrix) -> Mat<f64> {
    let all: Vec<f64> = rows.flat_map(|m| m.values().iter().copied()).collect();
    let of_element: Vec<f64> = parts.iter().flat_map(|&d| nodal.row(d).iter().copied()).collect();
    let count = all.len() / parts.len();
    let mut product = Mat::zeros(count, nodal.columns());
    let left = MatRef::from_row_major_slice(&all, count, parts.len());
    let right = MatRef::from_row_major_slice(&of_element, parts.len(), nodal.columns());
    matmul(product.as_mut(), Accum::Replace, left, right, 1.0, Par::Seq);
    product
}

/// For every stress component the products Σ_k of derivatives of two modes.
fn add_products(directions: usize, g: MatRef<'_, f64>, into: &mut Vec<f64>) {
    let n = g.ncols();
    let rows: Vec<Vec<f64>> = (0..g.nrows()).map(|r| (0..n).map(|j| g[(r, j)]).collect()).collect();
    for &(a, b) in stress_pairs(directions) {
        let (p, q) = (&rows[3 * a..3 * a + 3], &rows[3 * b..3 * b + 3]);
        for i in 0..n {
            let (pi, qi) = ([p[0][i], p[1][i], p[2][i]], [q[0][i], q[1][i], q[2][i]]);
            if a == b {
                into.extend((i..n).map(|j| pi[0] * p[0][j] + pi[1] * p[1][j] + pi[2] * p[2][j]));
            } else {
                let both = |k: usize, j: usize| pi[k] * q[k][j] + qi[k] * p[k][j];
                into.extend((i..n).map(|j| both(0, j) + both(1, j) + both(2, j)));
            }
        }
    }
}
