//! Natural modes of a linear model, and how much each state takes part in them.
//!
//!   P = R (Lᵀ R)⁻¹ Lᵀ,   p_k = |P_kk| / Σ |P_jj|                                             (1)  [PerezArriaga1982]
//!   R ← (A − λ)⁻¹ R,  L ← (A − λ)⁻ᵀ L, columns made orthogonal                                (2)  [Golub2013, §7.6.1]
//!
//! R and L span what belongs to an eigenvalue, a vector for each time it occurs; P projects on it. For a simple one (1)
//! is |l_k r_k|. Shares do not depend on units, and stay what they are where there are too few eigenvectors (a mass without a
//! spring) or too many (four equal wheels).

use num_complex::Complex64;
use trunnion_num::{Matrix, eigen};

use crate::linear::{LinearModel, Pole};

/// Eigenvalues nearer to each other than this share of their size, or of the fastest one at zero, are one: a double one is found to
/// √ε, far above zero only with luck.
const SAME: f64 = 1e-6;
const ZERO: f64 = 1e-10;
/// Steps of (2). One gains as many digits as the eigenvalue has; a Jordan block needs one for each of its vectors.
const STEPS: usize = 4;

#[derive(Clone, Debug)]
pub struct Mode {
    /// Of a conjugate pair the one with the positive imaginary part.
    pub pole: Pole,
    /// How often it occurs.
    pub count: usize,
    /// Of the states, with a sum of one.
    pub shares: Vec<f64>,
}

/// Slowest first.
pub fn modes(linear: &LinearModel) -> Result<Vec<Mode>, eigen::Unfound> {
    let poles = linear.poles()?;
    let mut a = linear.a.clone();
    eigen::balance(&mut a);
    let size = |p: &Pole| p.re.hypot(p.im);
    let zero = ZERO * a.norm();
    let same = |p: &Pole, q: &Pole| {
        let apart = (p.re - q.re).hypot(p.im - q.im);
        apart <= SAME * size(p).max(size(q)) || size(p).max(size(q)) <= zero
    };
    let mut modes: Vec<Mode> = vec![];
    for pole in poles.into_iter().filter(|p| p.im >= 0.0 || size(p) <= zero) {
        match modes.iter_mut().find(|m| same(&m.pole, &pole)) {
            Some(mode) => mode.count += 1,
            None => modes.push(Mode { pole, count: 1, shares: vec![] }),
        }
    }
    for mode in &mut modes {
        mode.shares = shares(&a, mode);
    }
    Ok(modes)
}

/// (1); equal shares if the vectors are not found.
fn shares(a: &Matrix, mode: &Mode) -> Vec<f64> {
    let n = a.rows();
    let at = Complex64::new(mode.pole.re, mode.pole.im);
    let found = span(a, at, mode.count).zip(span(&a.transposed(), at, mode.count));
    let projected = found.and_then(|(r, l)| {
        let m = mode.count;
        // G = Lᵀ R, then R G⁻¹, row by row of P.
        let g: Vec<Vec<Complex64>> = (0..m).map(|i| (0..m).map(|j| dot(&l[i], &r[j])).collect()).collect();
        let diagonal = |k: usize| {
            let x = solve(g.clone(), (0..m).map(|i| l[i][k]).collect())?;
            Some((0..m).map(|j| r[j][k] * x[j]).sum::<Complex64>().norm())
        };
        (0..n).map(diagonal).collect::<Option<Vec<f64>>>()
    });
    let sizes = projected.unwrap_or_else(|| vec![1.0; n]);
    let sum: f64 = sizes.iter().sum();
    sizes.into_iter().map(|s| s / sum).collect()
}

/// Σ x y, without conjugation.
fn dot(x: &[Complex64], y: &[Complex64]) -> Complex64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// (2): vectors that span what belongs to the eigenvalue.
fn span(a: &Matrix, at: Complex64, count: usize) -> Option<Vec<Vec<Complex64>>> {
    let n = a.rows();
    // Not quite the eigenvalue, lest the matrix is singular.
    let size = if a.norm() > 0.0 { a.norm() } else { 1.0 };
    let at = at + 4.0 * f64::EPSILON * size;
    let shifted = |i: usize, j: usize| a[(i, j)] - if i == j { at } else { Complex64::ZERO };
    let matrix: Vec<Vec<Complex64>> = (0..n).map(|i| (0..n).map(|j| shifted(i, j)).collect()).collect();
    // Any start will do that has a part of everything: no symmetry of the model has these numbers.
    let start =
        |c: usize, k: usize| Complex64::new(1.0 + ((7 * k + 3 * c * c + c * k) % 11) as f64 / 11.0, 0.0);
    let mut vectors: Vec<Vec<Complex64>> =
        (0..count).map(|c| (0..n).map(|k| start(c, k)).collect()).collect();
    for _ in 0..STEPS {
        for c in 0..count {
            let mut x = solve(matrix.clone(), vectors[c].clone())?;
            for other in vectors[..c].iter().chain(&vectors[..c]) {
                let along: Complex64 = other.iter().zip(&x).map(|(o, x)| o.conj() * x).sum();
                x.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
            }
            let norm = x.iter().fold(0.0, |s: f64, v| s.hypot(v.norm()));
            if !(norm.is_finite() && norm > 0.0) {
                return None;
            }
            vectors[c] = x.iter().map(|v| v / norm).collect();
        }
    }
    Some(vectors)
}

/// A x = b by elimination with partial pivoting; None if A is singular.
fn solve(mut a: Vec<Vec<Complex64>>, mut b: Vec<Complex64>) -> Option<Vec<Complex64>> {
    let n = b.len();
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| a[i][k].l1_norm().total_cmp(&a[j][k].l1_norm()))?;
        a.swap(k, p);
        b.swap(k, p);
        if a[k][k] == Complex64::ZERO {
            return None;
        }
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            if factor != Complex64::ZERO {
                let (above, below) = a.split_at_mut(i);
                below[0][k..].iter_mut().zip(&above[k][k..]).for_each(|(x, pivot)| *x -= factor * pivot);
                let upper = b[k];
                b[i] -= factor * upper;
            }
        }
    }
    for i in (0..n).rev() {
        let sum: Complex64 = (i + 1..n).map(|j| a[i][j] * b[j]).sum();
        b[i] = (b[i] - sum) / a[i][i];
    }
    Some(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn found<const N: usize>(rows: [[f64; N]; N]) -> Vec<Mode> {
        let none = Matrix::zeros(0, 0);
        let a = Matrix::from_fn(N, N, |i, j| rows[i][j]);
        modes(&LinearModel { a, b: none.clone(), c: none.clone(), d: none }).unwrap()
    }

    fn check(mode: &Mode, frequency: f64, count: usize, shares: &[f64]) {
        assert!((mode.pole.natural_frequency() - frequency).abs() < 1e-6 * frequency.max(1.0), "{mode:?}");
        assert_eq!(mode.count, count, "{mode:?}");
        assert!(mode.shares.iter().zip(shares).all(|(s, e)| (s - e).abs() < 1e-6), "{mode:?} for {shares:?}");
    }

    #[test]
    fn oscillators_side_by_side_keep_to_themselves() {
        // Each mode is half position, half velocity, in units of their own.
        let modes = found([
            [0.0, 1e6, 0.0, 0.0],
            [-100e-6, -0.1, 0.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
            [0.0, 0.0, -9.0, 0.0],
        ]);
        check(&modes[0], 3.0 / TAU, 1, &[0.0, 0.0, 0.5, 0.5]);
        check(&modes[1], 10.0 / TAU, 1, &[0.5, 0.5, 0.0, 0.0]);
    }

    #[test]
    fn equal_ones_are_counted() {
        let modes =
            found([[0.0, 1.0, 0.0, 0.0], [-4.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, -4.0, 0.0]]);
        assert_eq!(modes.len(), 1);
        check(&modes[0], 2.0 / TAU, 2, &[0.25; 4]);
    }

    #[test]
    fn a_free_mass_has_one_mode_of_two_states() {
        check(&found([[0.0, 1.0], [0.0, 0.0]])[0], 0.0, 2, &[0.5, 0.5]);
        // Tyre and wheel (states 1, 2) beside a free body (0, 3) and a redundant position (4).
        let k = 1.0 / 6.414e-6 / 28.58;
        let modes = found([
            [0.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, k, 0.0, 0.0],
            [0.0, -1.0, 0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0, 0.0],
        ]);
        check(&modes[0], 0.0, 3, &[1.0 / 3.0, 0.0, 0.0, 1.0 / 3.0, 1.0 / 3.0]);
        check(&modes[1], k.sqrt() / TAU, 1, &[0.0, 0.5, 0.5, 0.0, 0.0]);
    }
}
