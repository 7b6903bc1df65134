//! How much each state takes part in what belongs to an eigenvalue that occurs several times.
//!
//!   P = R (Lᵀ R)⁻¹ Lᵀ                                                             (1)  [PerezArriaga1982; Golub2013, §7.1.2]
//!   R ← (A − λ)⁻¹ R,  L ← (A − λ)⁻ᵀ L, columns made orthogonal                     (2)  [Golub2013, §7.6.1]
//!
//! R and L span what belongs to the eigenvalue, a vector for each time it occurs, also where there are too few eigenvectors.

use faer::Mat;
use faer::linalg::solvers::Solve;
use num_complex::Complex64;

use crate::Matrix;
use crate::eigen::Graded;

/// Steps of (2).
const STEPS: usize = 5;

/// How far λ is put from the eigenvalue, of the way to the next one. (2) gains four digits a step; nearer by, a Jordan block grows so
/// much more than the other vectors that rounding drowns them.
const ASIDE: f64 = 1e-4;

/// |P_kk| of (1) for every state, `gap` being the distance to the next other eigenvalue; None if the vectors are not found.
pub fn invariant_shares(a: &Matrix, value: Complex64, count: usize, gap: f64) -> Option<Vec<f64>> {
    let n = a.rows();
    let Graded { a, order, .. } = Graded::new(a);
    let size = if a.norm() > 0.0 { a.norm() } else { 1.0 };
    let at = value + ASIDE * gap.min(size);
    let shifted = Mat::from_fn(n, n, |i, j| a[(i, j)] - if i == j { at } else { Complex64::ZERO });
    let factors = shifted.partial_piv_lu();
    // Any start will do that has a part of everything, and its own of each vector: no symmetry of the model has these numbers.
    let mut random = 1_u64;
    let start = Mat::from_fn(n, count, |_, _| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        Complex64::new((random >> 11) as f64 / (1_u64 << 52) as f64 - 1.0, 0.0)
    });
    let (mut r, mut l) = (start.clone(), start);
    for _ in 0..STEPS {
        (r, l) = (factors.solve(&r), factors.solve_transpose(&l));
        for vectors in [&mut r, &mut l] {
            if vectors.col_iter().any(|c| c.iter().any(|z| !z.is_finite())) {
                return None;
            }
            *vectors = vectors.qr().compute_thin_Q();
        }
    }
    let x = (l.transpose() * &r).partial_piv_lu().solve(l.transpose()); // (1)
    let mut shares = vec![0.0; n];
    for (k, &state) in order.iter().enumerate() {
        shares[state] = (0..count).map(|j| r[(k, j)] * x[(j, k)]).sum::<Complex64>().norm();
    }
    shares.iter().all(|s| s.is_finite()).then_some(shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jordan_block_takes_all_its_states() {
        // T J T⁻¹ with J of two blocks for −1, of order 2 and 1, and −5: P = T diag(1, 1, 1, 0) T⁻¹.
        let j = Matrix::from_fn(4, 4, |i, j| {
            [[-1.0, 1.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 0.0, 0.0, -5.0]][i][j]
        });
        let t = Matrix::from_fn(4, 4, |i, j| {
            ((3 * i + 5 * j + i * j) % 7) as f64 + if i == j { 5.0 } else { -2.5 }
        });
        let inverse = t.solve(&Matrix::identity(4)).unwrap();
        let found =
            invariant_shares(&t.times(&j).times(&inverse), Complex64::new(-1.0, 0.0), 3, 4.0).unwrap();
        for k in 0..4 {
            let expected: f64 = (0..3).map(|m| t[(k, m)] * inverse[(m, k)]).sum();
            assert!((found[k] - expected.abs()).abs() < 1e-10, "{found:?}, {k}: {expected}");
        }
    }
}
