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
use crate::elements::{PrestressPoint, input, kernel, stress_pairs};
use crate::error::FeError;
use crate::model::FeModel;
use crate::reduced_body::RATE_PAIRS;

/// Matrices n × n, added to the modal stiffness after multiplication with the present load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stiffening {
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

/// (1) for nodal deflections `loads` (6 rows a node, a column a load) and modes `shapes`: a row a load, the upper triangle by rows.
pub(crate) fn projected(model: &FeModel, shapes: &Matrix, loads: &Matrix) -> Result<Vec<Matrix>, FeError> {
    let (n, count) = (shapes.columns(), loads.columns());
    let pairs = n * (n + 1) / 2;
    let mut sum = Mat::<f64>::zeros(count, pairs);
    let (mut stresses, mut products) = (vec![], vec![]);
    let mut flush = |stresses: &mut Vec<f64>, products: &mut Vec<f64>| {
        let rows = stresses.len() / count.max(1);
        let s = MatRef::from_row_major_slice(stresses, rows, count);
        let p = MatRef::from_row_major_slice(products, rows, pairs);
        matmul(sum.as_mut(), Accum::Add, s.transpose(), p, 1.0, Par::Seq);
        stresses.clear();
        products.clear();
    };
    if n > 0 && count > 0 {
        for element in &model.elements {
            let parts = components(element);
            for point in kernel(element.kind).prestress_points(&input(model, element)?)? {
                stresses.extend_from_slice(gathered(&point.stress, &parts, loads).values());
                add_products(&point, &gathered(&point.gradient, &parts, shapes), &mut products);
            }
            if products.len() >= 256 * pairs {
                flush(&mut stresses, &mut products);
            }
        }
        flush(&mut stresses, &mut products);
    }
    let place = |i: usize, j: usize| i * n - i * (i + 1) / 2 + j;
    let of = |l: usize| Matrix::from_fn(n, n, |i, j| sum[(l, place(i.min(j), i.max(j)))]);
    Ok((0..count).map(of).collect())
}

/// A U_e for the rows of U that belong to the element.
fn gathered(a: &Matrix, parts: &[usize], nodal: &Matrix) -> Matrix {
    let mut product = vec![0.0; a.rows() * nodal.columns()];
    for (i, into) in product.chunks_mut(nodal.columns().max(1)).enumerate() {
        for (factor, &dof) in a.row(i).iter().zip(parts).filter(|(f, _)| **f != 0.0) {
            into.iter_mut().zip(nodal.row(dof)).for_each(|(p, u)| *p += factor * u);
        }
    }
    Matrix::from_fn(a.rows(), nodal.columns(), |i, j| product[i * nodal.columns() + j])
}

/// For every stress component the products Σ_k of derivatives of two modes.
fn add_products(point: &PrestressPoint, g: &Matrix, into: &mut Vec<f64>) {
    let n = g.columns();
    for &(a, b) in stress_pairs(point.directions) {
        for i in 0..n {
            for j in i..n {
                let sum: f64 = (0..3)
                    .map(|k| {
                        let (p, q) = (g.row(3 * a + k), g.row(3 * b + k));
                        if a == b { p[i] * p[j] } else { p[i] * q[j] + q[i] * p[j] }
                    })
                    .sum();
                into.push(sum);
            }
        }
    }
}
