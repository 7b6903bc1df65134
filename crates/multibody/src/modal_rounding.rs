//! Integrals of shapes without what rounding left in them.
//!
//!   |∫ Φ_ia Φ_jb dm| ≤ √(M_aa M_bb),   |∫ Φ_ia dm| ≤ √(m M_aa),   |∫ x_i Φ_ja dm| ≤ √(S_ii M_aa)               (1)
//!
//! Shapes that are orthogonal by theory leave 1e-16 of these bounds where zero is meant. Each such entry would be a term of the equations.

use trunnion_model::mechanism::{ModalData, ModalMatrix};

/// Of the bounds (1): what sums of some thousand roundings leave, and far below what any shape is known to.
const ROUNDING: f64 = 1e-13;

/// The data with zeros for entries below [`ROUNDING`] of their bounds.
pub(crate) fn cleaned(data: &ModalData) -> ModalData {
    let mut data = data.clone();
    let size: Vec<f64> = (0..data.size()).map(|a| data.mass_matrix[a][a].abs().sqrt()).collect();
    let stiffness: Vec<f64> = (0..data.size()).map(|a| data.stiffness[a][a].abs().sqrt()).collect();
    let damping: Vec<f64> = (0..data.size()).map(|a| data.damping[a][a].abs().sqrt()).collect();
    let mass = data.mass.abs().sqrt();
    let arm = [0, 1, 2].map(|i| data.second[i][i].abs().sqrt());
    clean(&mut data.mass_matrix, &size);
    clean(&mut data.stiffness, &stiffness);
    clean(&mut data.damping, &damping);
    for matrix in data.product.iter_mut().flatten().flatten() {
        clean(matrix, &size);
    }
    for (a, &size) in size.iter().enumerate() {
        data.shift[a].iter_mut().for_each(|x| snap(x, mass * size));
        for (row, arm) in data.moment[a].iter_mut().zip(arm) {
            row.iter_mut().for_each(|x| snap(x, arm * size));
        }
    }
    data
}

fn clean(matrix: &mut ModalMatrix, size: &[f64]) {
    for (row, a) in matrix.iter_mut().zip(size) {
        row.iter_mut().zip(size).for_each(|(x, b)| snap(x, a * b));
    }
}

fn snap(x: &mut f64, bound: f64) {
    if x.abs() <= ROUNDING * bound {
        *x = 0.0;
    }
}
