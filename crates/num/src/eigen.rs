//! Eigenvalues and eigenvectors of a real matrix. The QR iteration is that of the library faer; what makes the matrices of machines fit
//! for it stands here.
//!
//!   Pᵀ A P block triangular, its blocks irreducible: eigenvalues of A are those of the blocks          (1)  [Tarjan1972; Golub2013, §7.1.2]
//!   A ← D⁻¹ A D,  D = diag(2^k), so that rows and columns have about the same norm                     (2)  [Osborne1960; Golub2013, §7.5.7]
//!   A ← Sᵀ A S,  the states with the largest entries first                                              (3)  [Stewart1998, §2.3.4]
//!
//! (1) keeps what does not act on each other apart: a slow oscillation beside a fast current has the digits it has alone. (2) matters
//! because pascals and metres differ by ten orders of magnitude; powers of two make it exact. (3) does for weak couplings what (1) does
//! for none: the iteration deflates from the end, where small eigenvalues are found before large ones have rounded them away.
//!
//! Limits: eigenvalues come with an error of about ε times the entries that act in their motion, times their condition; those of a
//! block that is not diagonalisable, of order k, with the k-th root of it.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, evd_real, evd_scratch};
use faer::prelude::default;
use faer::{Mat, Par};
use num_complex::Complex64;

use crate::{Matrix, irreducible};

/// Why there are no eigenvalues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EigenFailure {
    /// A value is NaN or infinite.
    NotFinite,
    /// The iteration did not come to its end.
    NoConvergence,
}

/// λ with A r = λ r and lᵀ A = λ lᵀ.
#[derive(Clone, Debug)]
pub struct EigenPair {
    pub value: Complex64,
    pub right: Vec<Complex64>,
    pub left: Vec<Complex64>,
}

/// Eigenvalues (real, imaginary) in no particular order; conjugate pairs stand together.
pub fn eigenvalues(a: &Matrix) -> Result<Vec<(f64, f64)>, EigenFailure> {
    if a.values().iter().any(|v| !v.is_finite()) {
        return Err(EigenFailure::NotFinite);
    }
    let mut found = Vec::with_capacity(a.rows());
    for states in irreducible(a) {
        match states[..] {
            [i] => found.push((a[(i, i)], 0.0)),
            _ => found.extend(iterated(&Graded::new(&a.picked(&states)).a, None)?),
        }
    }
    Ok(found)
}

/// Eigenvalues with their vectors; of a conjugate pair the one with the positive imaginary part comes first. Parts that do not act on each
/// other (1) are left together.
pub fn pairs(a: &Matrix) -> Result<Vec<EigenPair>, EigenFailure> {
    if a.values().iter().any(|v| !v.is_finite()) {
        return Err(EigenFailure::NotFinite);
    }
    let n = a.rows();
    let graded = Graded::new(a);
    let mut vectors = [Mat::zeros(n, n), Mat::zeros(n, n)];
    let values = iterated(&graded.a, Some(&mut vectors))?;
    let [left, right] = &vectors;
    let mut pairs = Vec::with_capacity(n);
    while let Some(&(re, im)) = values.get(pairs.len()) {
        let k = pairs.len();
        // Real and imaginary part of a conjugate pair are neighbours.
        let entry = |of: &Mat<f64>, i: usize| match im == 0.0 {
            true => Complex64::new(of[(i, k)], 0.0),
            false => Complex64::new(of[(i, k)], of[(i, k + 1)]),
        };
        let mut one =
            EigenPair { value: Complex64::new(re, im), right: vec![default(); n], left: vec![default(); n] };
        for (i, (&state, scale)) in graded.order.iter().zip(&graded.scale).enumerate() {
            one.right[state] = entry(right, i) * scale;
            // The library has lᴴ A = λ lᴴ.
            one.left[state] = entry(left, i).conj() / scale;
        }
        let other = (im != 0.0).then(|| one.conjugate());
        pairs.push(one);
        pairs.extend(other);
    }
    Ok(pairs)
}

impl EigenPair {
    fn conjugate(&self) -> EigenPair {
        let all = |list: &[Complex64]| list.iter().map(Complex64::conj).collect();
        EigenPair { value: self.value.conj(), right: all(&self.right), left: all(&self.left) }
    }
}

/// A matrix after (2) and (3): entry (i, j) is a_kl scale_j/scale_i with k = order_i, l = order_j.
#[derive(Clone, Debug)]
pub struct Graded {
    pub a: Matrix,
    pub order: Vec<usize>,
    pub scale: Vec<f64>,
}

impl Graded {
    pub fn new(a: &Matrix) -> Self {
        let n = a.rows();
        let mut balanced = a.clone();
        let scale = balance(&mut balanced);
        let size: Vec<f64> = (0..n)
            .map(|i| (0..n).fold(0.0, |m: f64, j| m.max(balanced[(i, j)].abs()).max(balanced[(j, i)].abs())))
            .collect();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| size[j].total_cmp(&size[i]));
        let scale = order.iter().map(|&i| scale[i]).collect();
        Graded { a: balanced.picked(&order), order, scale }
    }
}

/// The eigenvalues of a matrix of finite entries, and left and right vectors as the library has them.
fn iterated(a: &Matrix, vectors: Option<&mut [Mat<f64>; 2]>) -> Result<Vec<(f64, f64)>, EigenFailure> {
    let n = a.rows();
    // Products of entries are to stay finite: the largest entry becomes about one.
    let largest = a.values().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let unit = if largest > 0.0 { largest.log2().floor().exp2() } else { 1.0 };
    let a = Mat::from_fn(n, n, |i, j| a[(i, j)] / unit);
    let wanted = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let [left, right] = match vectors {
        Some(vectors) => vectors.each_mut().map(|v| Some(v.as_mut())),
        None => [None, None],
    };
    let (mut re, mut im) = (Diag::zeros(n), Diag::zeros(n));
    let mut memory = MemBuffer::new(evd_scratch::<f64>(n, wanted, wanted, Par::Seq, default()));
    let stack = MemStack::new(&mut memory);
    evd_real(a.as_ref(), re.as_mut(), im.as_mut(), left, right, Par::Seq, stack, default())
        .map_err(|_| EigenFailure::NoConvergence)?;
    Ok((0..n).map(|k| (re[k] * unit, im[k] * unit)).collect())
}

/// A ← D⁻¹ A D with the D that is returned (2).
pub fn balance(a: &mut Matrix) -> Vec<f64> {
    let n = a.rows();
    let mut scale = vec![1.0; n];
    let mut changed = true;
    while changed {
        changed = false;
        for i in 0..n {
            let others = (0..n).filter(|&j| j != i);
            let (column, row) =
                others.fold((0.0, 0.0), |(c, r), j| (c + a[(j, i)].abs(), r + a[(i, j)].abs()));
            if column == 0.0 || row == 0.0 || !f64::is_finite(column + row) {
                continue;
            }
            // The power of two next to √(row/column); smaller gains than 5 % are not worth a change.
            let d = (0.5 * (row / column).log2()).round().clamp(-500.0, 500.0).exp2();
            if column * d + row / d < 0.95 * (column + row) {
                changed = true;
                scale[i] *= d;
                for j in 0..n {
                    a[(j, i)] *= d;
                    a[(i, j)] /= d;
                }
            }
        }
    }
    scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// Each expected value has its own found one within `tolerance` of it, relative to its size.
    fn check(a: &Matrix, expected: &[(f64, f64)], tolerance: f64) {
        let mut found = eigenvalues(a).unwrap();
        assert_eq!(found.len(), expected.len());
        for e in expected {
            let distance = |f: &(f64, f64)| (f.0 - e.0).hypot(f.1 - e.1);
            let near = (0..found.len()).min_by(|&i, &j| distance(&found[i]).total_cmp(&distance(&found[j])));
            let f = found.swap_remove(near.unwrap());
            assert!(distance(&f) <= tolerance * e.0.hypot(e.1).max(1e-300), "{f:?} for {e:?}");
        }
    }

    /// The companion matrix of the polynomial with these roots.
    fn companion(roots: &[(f64, f64)]) -> Matrix {
        let mut c = vec![(1.0, 0.0)];
        for r in roots {
            let mut next = vec![(0.0, 0.0); c.len() + 1];
            for (k, z) in c.iter().enumerate() {
                next[k + 1] = (next[k + 1].0 + z.0, next[k + 1].1 + z.1);
                next[k].0 -= r.0 * z.0 - r.1 * z.1;
                next[k].1 -= r.0 * z.1 + r.1 * z.0;
            }
            c = next;
        }
        let n = roots.len();
        Matrix::from_fn(n, n, |i, j| {
            let below = if i == j + 1 { 1.0 } else { 0.0 };
            if j == n - 1 { below - c[i].0 } else { below }
        })
    }

    #[test]
    fn roots_of_polynomials() {
        let real: Vec<(f64, f64)> = (1..=8).map(|k| (k as f64, 0.0)).collect();
        check(&companion(&real), &real, 1e-8);
        let mixed = [(-1.0, 2.0), (-1.0, -2.0), (-0.5, 30.0), (-0.5, -30.0), (-4.0, 0.0)];
        check(&companion(&mixed), &mixed, 1e-11);
        // z^n = 1: no shift from the matrix itself moves this one.
        for n in [3, 4, 5, 16, 33] {
            let unit: Vec<(f64, f64)> =
                (0..n).map(|k| 2.0 * PI * k as f64 / n as f64).map(|p| (p.cos(), p.sin())).collect();
            let shift = Matrix::from_fn(n, n, |i, j| if i == (j + 1) % n { 1.0 } else { 0.0 });
            check(&shift, &unit, 1e-13 * n as f64);
        }
    }

    #[test]
    fn rotations_lie_on_the_unit_circle() {
        for angle in [1e-8_f64, 0.1, 1.0, 3.0] {
            let (s, c) = angle.sin_cos();
            let a = Matrix::from_fn(2, 2, |i, j| [[c, -s], [s, c]][i][j]);
            check(&a, &[(c, s), (c, -s)], 1e-15);
        }
        check(&Matrix::identity(4), &[(1.0, 0.0); 4], 0.0);
        check(&Matrix::zeros(3, 3), &[(0.0, 0.0); 3], 0.0);
        assert_eq!(eigenvalues(&Matrix::zeros(0, 0)), Ok(vec![]));
    }

    #[test]
    fn defective_blocks_lose_only_the_digits_they_must() {
        // A Jordan block turned by an orthogonal matrix: ε^(1/3) is 6e-6.
        let jordan = Matrix::from_fn(3, 3, |i, j| {
            if i == j {
                2.0
            } else if j == i + 1 {
                1.0
            } else {
                0.0
            }
        });
        check(&jordan, &[(2.0, 0.0); 3], 1e-15);
        let v = [1.0, 2.0, -2.0]; // |v|² = 9
        let q = Matrix::from_fn(3, 3, |i, j| (if i == j { 1.0 } else { 0.0 }) - 2.0 / 9.0 * v[i] * v[j]);
        check(&q.times(&jordan).times(&q), &[(2.0, 0.0); 3], 2e-5);
    }

    #[test]
    fn bad_scaling_does_not_matter() {
        // A hydraulic spring: pascals beside metres, ω = √(A² β / (V m)) with a stiffness of 1e9.
        let (area, compliance, mass, damping) = (2e-3, 1e-12, 150.0, 2000.0);
        let a = Matrix::from_fn(3, 3, |i, j| {
            [[0.0, 1.0, 0.0], [0.0, -damping / mass, -area / mass], [0.0, area / compliance, 0.0]][i][j]
        });
        let (half, w2) = (0.5 * damping / mass, area * area / (compliance * mass));
        let im = (w2 - half * half).sqrt();
        check(&a, &[(0.0, 0.0), (-half, im), (-half, -im)], 1e-13);
        // D A D⁻¹ has the eigenvalues of A, however wild D is.
        let base = Matrix::from_fn(6, 6, |i, j| ((3 * i + 5 * j) % 7) as f64 - 3.0);
        let wild = Matrix::from_fn(6, 6, |i, j| base[(i, j)] * 10f64.powi(5 * (i as i32 - j as i32)));
        check(&wild, &eigenvalues(&base).unwrap(), 1e-12);
    }

    #[test]
    fn agrees_with_the_characteristic_polynomial() {
        // det(A − λ) by elimination at every eigenvalue found; real ones only need real arithmetic.
        let mut seed = 7_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for n in [1, 2, 3, 5, 10, 40] {
            let values: Vec<f64> = (0..n * n).map(|_| next()).collect();
            let a = Matrix::from_fn(n, n, |i, j| values[i * n + j]);
            let found = eigenvalues(&a).unwrap();
            let trace: f64 = (0..n).map(|i| a[(i, i)]).sum();
            let square = a.times(&a);
            let trace_2: f64 = (0..n).map(|i| square[(i, i)]).sum();
            let sum: f64 = found.iter().map(|z| z.0).sum();
            let sum_2: f64 = found.iter().map(|z| z.0 * z.0 - z.1 * z.1).sum();
            assert!((sum - trace).abs() < 1e-13 * n as f64, "trace of {n}");
            assert!((sum_2 - trace_2).abs() < 1e-12 * n as f64, "second moment of {n}");
            for &(re, im) in &found {
                assert!(smallest_pivot(&a, re, im) < 1e-10, "{re} + {im} i is no root, n = {n}");
            }
            assert_eq!(
                found.iter().filter(|z| z.1 > 0.0).count(),
                found.iter().filter(|z| z.1 < 0.0).count()
            );
        }
    }

    /// |last pivot| of A − (re + i im) with complete pivoting, as the real matrix of twice the size.
    fn smallest_pivot(a: &Matrix, re: f64, im: f64) -> f64 {
        let n = a.rows();
        let mut m = Matrix::from_fn(2 * n, 2 * n, |i, j| match (i < n, j < n) {
            _ if i % n == j % n && (i < n) != (j < n) => {
                if i < n {
                    im
                } else {
                    -im
                }
            }
            (true, true) | (false, false) => a[(i % n, j % n)] - if i == j { re } else { 0.0 },
            _ => 0.0,
        });
        let mut last = f64::INFINITY;
        for k in 0..2 * n {
            let all = (k..2 * n).flat_map(|i| (k..2 * n).map(move |j| (i, j)));
            let (p, q) = all.max_by(|&x, &y| m[x].abs().total_cmp(&m[y].abs())).unwrap();
            for j in 0..2 * n {
                let t = m[(k, j)];
                m[(k, j)] = m[(p, j)];
                m[(p, j)] = t;
            }
            for i in 0..2 * n {
                let t = m[(i, k)];
                m[(i, k)] = m[(i, q)];
                m[(i, q)] = t;
            }
            last = m[(k, k)].abs();
            if last == 0.0 {
                return 0.0;
            }
            for i in k + 1..2 * n {
                let f = m[(i, k)] / m[(k, k)];
                for j in k..2 * n {
                    m[(i, j)] -= f * m[(k, j)];
                }
            }
        }
        last
    }

    #[test]
    fn small_eigenvalues_stand_beside_large_ones() {
        // A fast current and a slow oscillation: apart, the one driving the other, and acting on each other.
        let slow = [(0.0, 1.0), (0.0, -1.0)];
        for fast in [1e6, 1e12, 1e16, 1e100] {
            for (there, back) in [(0.0, 0.0), (3.0, 0.0), (0.0, 7.0 * fast)] {
                let rows = [[-fast, there, 0.0], [0.0, 0.0, 1.0], [back, -1.0, 0.0]];
                for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2]] {
                    let a = Matrix::from_fn(3, 3, |i, j| rows[order[i]][order[j]]);
                    check(&a, &[(-fast, 0.0), slow[0], slow[1]], 1e-15);
                }
            }
        }
        // A motor of resistance 1, inductance L and constant k on a spring: (s² + 1)(L s + 1) + k² s = 0.
        for inductance in [1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1e-18] {
            let k = 0.1;
            let rows = [[0.0, 1.0, 0.0], [-1.0, 0.0, k], [0.0, -k / inductance, -1.0 / inductance]];
            let mut s = Complex64::new(0.0, 1.0);
            for _ in 0..20 {
                let p = (s * s + 1.0) * (s * inductance + 1.0) + s * k * k;
                let slope = s * 2.0 * (s * inductance + 1.0) + (s * s + 1.0) * inductance + k * k;
                s -= p / slope;
            }
            let fast = (-1.0 / inductance - 2.0 * s.re, 0.0);
            for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [2, 1, 0]] {
                let a = Matrix::from_fn(3, 3, |i, j| rows[order[i]][order[j]]);
                check(&a, &[(s.re, s.im), (s.re, -s.im), fast], 1e-14);
            }
        }
    }

    #[test]
    fn graded_chains_keep_every_eigenvalue() {
        // A ladder of coupled lags whose rates grow by 1e4 a step: L D Lᵀ-like, each eigenvalue near its rate and known to ε.
        let n = 8;
        let rate = |i: usize| 1e4_f64.powi(i as i32);
        let a = Matrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => -rate(i),
            1 => 1e-2 * rate(i.min(j)),
            _ => 0.0,
        });
        let order = [3, 0, 7, 1, 5, 2, 6, 4];
        let mut found = eigenvalues(&a.picked(&order)).unwrap();
        found.sort_by(|p, q| p.0.abs().total_cmp(&q.0.abs()));
        // To first order λ_i = −d_i + c²(…), with gaps so wide that the next order is below rounding of 1e-7.
        for (i, (re, im)) in found.iter().enumerate() {
            let from = |j: usize| (1e-2 * rate(i.min(j))).powi(2) / (rate(j) - rate(i));
            let near = (i.saturating_sub(1)..(i + 2).min(n)).filter(|&j| j != i).map(from).sum::<f64>();
            assert!((re + rate(i) - near).abs() < 1e-11 * rate(i) && *im == 0.0, "{re} of {}", -rate(i));
        }
    }

    /// Numbers between −½ and ½.
    fn noise(mut seed: u64) -> impl FnMut() -> f64 {
        move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        }
    }

    fn random(n: usize, next: &mut impl FnMut() -> f64) -> Matrix {
        let values: Vec<f64> = (0..n * n).map(|_| next()).collect();
        Matrix::from_fn(n, n, |i, j| values[i * n + j])
    }

    #[test]
    fn defective_zeros_are_found() {
        // Chains of five integrators in states of a random choice: the fifth root of ε times the condition of the choice.
        let mut next = noise(7);
        let n = 40;
        for _ in 0..100 {
            let t = random(n, &mut next);
            let chains = Matrix::from_fn(n, n, |i, j| if j == i + 1 && i % 5 != 4 { 1.0 } else { 0.0 });
            let inverse = t.solve(&Matrix::identity(n)).unwrap();
            let found = eigenvalues(&t.times(&chains).times(&inverse)).unwrap();
            assert_eq!(found.len(), n);
            let bound = (f64::EPSILON * t.norm() * inverse.norm() * n as f64).powf(0.2);
            assert!(found.iter().all(|z| z.0.hypot(z.1) < bound), "{found:?}");
        }
    }

    #[test]
    fn vectors_belong_to_their_values() {
        let mut next = noise(3);
        for (n, zeros) in [(1, 0), (2, 0), (5, 0), (12, 5), (60, 40)] {
            let mut a = random(n, &mut next);
            // Units of the states, and some entries that are not there.
            let unit: Vec<f64> = (0..n).map(|_| 10_f64.powf(12.0 * next())).collect();
            (0..n * zeros).for_each(|k| a[(k % n, (k * 7 + k / n) % n)] = 0.0);
            let a = Matrix::from_fn(n, n, |i, j| a[(i, j)] * unit[i] / unit[j]);
            let values = eigenvalues(&a).unwrap();
            let pairs = pairs(&a).unwrap();
            assert_eq!(pairs.len(), n);
            for EigenPair { value, right, left } in &pairs {
                let same = values.iter().any(|z| (Complex64::new(z.0, z.1) - value).norm() < 1e-11);
                assert!(same, "{value} of {n}");
                let length: f64 = (0..n).map(|i| (right[i] / unit[i]).norm_sqr()).sum::<f64>().sqrt();
                for i in 0..n {
                    let off = (0..n).map(|j| right[j] * a[(i, j)]).sum::<Complex64>() - value * right[i];
                    assert!(off.norm() < 1e-12 * unit[i] * length, "right of {value}, {n}: {off}");
                }
                let length: f64 = (0..n).map(|i| (left[i] * unit[i]).norm_sqr()).sum::<f64>().sqrt();
                for j in 0..n {
                    let off = (0..n).map(|i| left[i] * a[(i, j)]).sum::<Complex64>() - value * left[j];
                    assert!(off.norm() * unit[j] < 1e-12 * length, "left of {value}, {n}: {off}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        assert_eq!(eigenvalues(&Matrix::from_fn(2, 2, |_, _| f64::NAN)), Err(EigenFailure::NotFinite));
        let large = Matrix::from_fn(3, 3, |i, j| if i == j { 1e300 } else { 1e299 });
        check(&large, &[(1.2e300, 0.0), (9e299, 0.0), (9e299, 0.0)], 1e-12);
    }
}
