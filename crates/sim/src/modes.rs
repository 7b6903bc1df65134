//! Natural modes of a linear model, and how much each state takes part in them.
//!
//!   P = R (Lᵀ R)⁻¹ Lᵀ,   p_k = |P_kk| / Σ |P_jj|                                             (1)  [PerezArriaga1982]
//!   R ← (H − λ)⁻¹ R,  L ← (H − λ)⁻ᵀ L, columns made orthogonal                                (2)  [Golub2013, §7.6.1]
//!
//! on the balanced Hessenberg form A = Q H Qᵀ, O(n²) for each of them. R and L span what belongs to an eigenvalue, a vector for each time it occurs; P projects on it. For a simple one (1)
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
const STEPS_OF_ONE: usize = 2;

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
    let q = eigen::hessenberg(&mut a);
    let mut shifted = Shifted::new(&a);
    for mode in &mut modes {
        mode.shares = shares(&mut shifted, &q, mode);
    }
    Ok(modes)
}

/// (1); equal shares if the vectors are not found.
fn shares(shifted: &mut Shifted, q: &Matrix, mode: &Mode) -> Vec<f64> {
    let n = q.rows();
    shifted.factor(Complex64::new(mode.pole.re, mode.pole.im));
    let found = span(shifted, mode.count, false).zip(span(shifted, mode.count, true));
    let projected = found.and_then(|(r, l)| {
        let m = mode.count;
        // G = Lᵀ R, then row by row of P what is left of R G⁻¹ Lᵀ.
        let g: Vec<Vec<Complex64>> = (0..m).map(|i| (0..m).map(|j| dot(&l[i], &r[j])).collect()).collect();
        let [r, l] = [r, l].map(|vectors| vectors.iter().map(|v| turned(q, v)).collect::<Vec<_>>());
        let x = solve(g, l)?;
        let diagonal = |k: usize| (0..m).map(|j| r[j][k] * x[j][k]).sum::<Complex64>().norm();
        Some((0..n).map(diagonal).collect::<Vec<f64>>())
    });
    let sizes = projected.unwrap_or_else(|| vec![1.0; n]);
    let sum: f64 = sizes.iter().sum();
    sizes.into_iter().map(|s| s / sum).collect()
}

/// Σ x y, without conjugation.
fn dot(x: &[Complex64], y: &[Complex64]) -> Complex64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// Q x.
fn turned(q: &Matrix, x: &[Complex64]) -> Vec<Complex64> {
    (0..q.rows()).map(|i| q.row(i).iter().zip(x).map(|(q, x)| *x * *q).sum()).collect()
}

/// (2): vectors that span what belongs to the eigenvalue, of H or of Hᵀ.
fn span(shifted: &Shifted, count: usize, transposed: bool) -> Option<Vec<Vec<Complex64>>> {
    let n = shifted.n;
    // Any start will do that has a part of everything, and its own of each vector: no symmetry of the model has these numbers.
    let mut random = 1_u64;
    let mut start = || {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        Complex64::new((random >> 11) as f64 / (1_u64 << 52) as f64 - 1.0, 0.0)
    };
    let mut vectors: Vec<Vec<Complex64>> = (0..count).map(|_| (0..n).map(|_| start()).collect()).collect();
    let steps = if count == 1 { STEPS_OF_ONE } else { STEPS };
    for step in 0..steps {
        for c in 0..count {
            let (before, rest) = vectors.split_at_mut(c);
            let x = &mut rest[0];
            if transposed {
                shifted.solve_transposed(x)
            } else {
                shifted.solve(x)
            }
            // Twice is enough, [Parlett1980, §6.9], and of use in the last step only.
            let again = if step + 1 == steps { &*before } else { &[] };
            for other in before.iter().chain(again) {
                let along: Complex64 = other.iter().zip(&*x).map(|(o, x)| o.conj() * x).sum();
                x.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
            }
            let norm = x.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt();
            if !(norm.is_finite() && norm > 0.0) {
                return None;
            }
            x.iter_mut().for_each(|v| *v /= norm);
        }
    }
    Some(vectors)
}

/// H − λ of a Hessenberg matrix as factors, O(n²) for each λ and for each solution:
///
///   M_{n−2} P_{n−2} … M_0 P_0 (H − λ) = U,   P_k swaps rows k and k + 1 or nothing, M_k takes m_k times row k from row k + 1     (3)
struct Shifted<'a> {
    n: usize,
    h: &'a Matrix,
    size: f64,
    /// By rows, n × n.
    u: Vec<Complex64>,
    m: Vec<Complex64>,
    swapped: Vec<bool>,
}

impl<'a> Shifted<'a> {
    fn new(h: &'a Matrix) -> Self {
        let n = h.rows();
        let size = if h.norm() > 0.0 { h.norm() } else { 1.0 };
        let zero = Complex64::ZERO;
        Shifted { n, h, size, u: vec![zero; n * n], m: vec![zero; n], swapped: vec![false; n] }
    }

    fn factor(&mut self, at: Complex64) {
        let n = self.n;
        // Not quite the eigenvalue, lest the matrix is singular.
        let at = at + 4.0 * f64::EPSILON * self.size;
        for i in 0..n {
            let row = &mut self.u[i * n..(i + 1) * n];
            row.iter_mut().zip(self.h.row(i)).for_each(|(u, h)| *u = Complex64::new(*h, 0.0));
            row[i] -= at;
        }
        for k in 0..n {
            if k + 1 < n {
                let (above, below) = self.u.split_at_mut((k + 1) * n);
                let (pivot, next) = (&mut above[k * n + k..], &mut below[k..n]);
                self.swapped[k] = next[0].l1_norm() > pivot[0].l1_norm();
                if self.swapped[k] {
                    pivot.swap_with_slice(next);
                }
                self.m[k] = if pivot[0] == Complex64::ZERO { Complex64::ZERO } else { next[0] / pivot[0] };
                let m = self.m[k];
                if m != Complex64::ZERO {
                    next.iter_mut().zip(&*pivot).for_each(|(x, p)| *x -= m * p);
                }
            }
            // A pivot that vanishes all the same stands for one that rounding would have left.
            if self.u[k * n + k] == Complex64::ZERO {
                self.u[k * n + k] = Complex64::new(f64::EPSILON * self.size, 0.0);
            }
        }
    }

    fn solve(&self, x: &mut [Complex64]) {
        let n = self.n;
        for k in 0..n.saturating_sub(1) {
            if self.swapped[k] {
                x.swap(k, k + 1);
            }
            let above = x[k];
            x[k + 1] -= self.m[k] * above; // (3)
        }
        for i in (0..n).rev() {
            let row = &self.u[i * n..(i + 1) * n];
            let sum = dot(&row[i + 1..], &x[i + 1..]);
            x[i] = (x[i] - sum) / row[i];
        }
    }

    fn solve_transposed(&self, x: &mut [Complex64]) {
        let n = self.n;
        for i in 0..n {
            let row = &self.u[i * n..(i + 1) * n];
            x[i] /= row[i];
            let own = x[i];
            x[i + 1..].iter_mut().zip(&row[i + 1..]).for_each(|(x, u)| *x -= u * own);
        }
        for k in (0..n.saturating_sub(1)).rev() {
            let below = x[k + 1];
            x[k] -= self.m[k] * below; // (3)
            if self.swapped[k] {
                x.swap(k, k + 1);
            }
        }
    }
}

/// A X = B by elimination with partial pivoting, B by rows; None if A is singular.
fn solve(mut a: Vec<Vec<Complex64>>, mut b: Vec<Vec<Complex64>>) -> Option<Vec<Vec<Complex64>>> {
    let n = b.len();
    let subtract = |from: &mut [Complex64], factor: Complex64, row: &[Complex64]| {
        from.iter_mut().zip(row).for_each(|(x, r)| *x -= factor * r);
    };
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
                subtract(&mut below[0][k..], factor, &above[k][k..]);
                let (above, below) = b.split_at_mut(i);
                subtract(&mut below[0], factor, &above[k]);
            }
        }
    }
    for i in (0..n).rev() {
        let (upper, lower) = b.split_at_mut(i + 1);
        for j in i + 1..n {
            subtract(&mut upper[i], a[i][j], &lower[j - i - 1]);
        }
        upper[i].iter_mut().for_each(|x| *x /= a[i][i]);
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
