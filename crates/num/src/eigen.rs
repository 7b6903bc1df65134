//! Eigenvalues of a real matrix: balancing, Hessenberg form, QR iteration with double shifts.
//!
//!   A ← D⁻¹ A D,  D = diag(2^k), so that rows and columns have about the same norm     (1)  [Osborne1960; Golub2013, §7.5.7]
//!   A = Q H Qᵀ,  h_ij = 0 for i > j + 1, by Householder reflections                     (2)  [Golub2013, alg. 7.4.2]
//!   H ← Zᵀ H Z,  the first column of Z parallel to (H − σ₁)(H − σ₂) e₁                  (3)  [Golub2013, alg. 7.5.1]
//!
//! σ₁, σ₂ are the eigenvalues of the last 2 × 2 block, so (3) stays real. (1) matters for machines: pascals and metres
//! differ by ten orders of magnitude. Powers of two make it exact.
//!
//! Limits: eigenvalues come with an error of about ε ‖A‖ after (1), times their condition; those of a block that is not
//! diagonalisable, of order k, with the k-th root of it.

use crate::Matrix;

/// Iterations for one eigenvalue. Two or three are usual, every tenth uses a shift of its own to leave a cycle.
const ITERATIONS: usize = 90;

/// Why there are no eigenvalues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfound {
    /// A value is NaN or infinite.
    NotFinite,
    /// The iteration did not come to its end.
    NoConvergence,
}

/// Eigenvalues (real, imaginary) in no particular order; conjugate pairs stand together.
pub fn eigenvalues(a: &Matrix) -> Result<Vec<(f64, f64)>, Unfound> {
    if a.values().iter().any(|v| !v.is_finite()) {
        return Err(Unfound::NotFinite);
    }
    let mut h = a.clone();
    balance(&mut h);
    // Products of entries are to stay finite: the largest entry becomes about one.
    let largest = h.values().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let unit = if largest > 0.0 { largest.log2().floor().exp2() } else { 1.0 };
    h = Matrix::from_fn(h.rows(), h.columns(), |i, j| h[(i, j)] / unit);
    hessenberg(&mut h);
    let mut found = Vec::with_capacity(h.rows());
    let mut end = h.rows();
    let mut iterations = 0;
    while end > 0 {
        let begin = last_block(&mut h, end);
        if end - begin <= 2 {
            match end - begin {
                1 => found.push((h[(begin, begin)], 0.0)),
                _ => found.extend(of_pair(&h, begin)),
            }
            end = begin;
            iterations = 0;
        } else if iterations == ITERATIONS {
            return Err(Unfound::NoConvergence);
        } else {
            iterations += 1;
            double_step(&mut h, begin, end, iterations % 10 == 0);
        }
    }
    Ok(found.into_iter().map(|(re, im)| (re * unit, im * unit)).collect())
}

/// A ← D⁻¹ A D with the D that is returned (1).
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

/// A ← H = Qᵀ A Q; returns Q (2).
pub fn hessenberg(a: &mut Matrix) -> Matrix {
    let n = a.rows();
    let mut q = Matrix::identity(n);
    let mut v = vec![0.0; n];
    let mut dots = vec![0.0; n];
    for k in 0..n.saturating_sub(2) {
        let largest = (k + 2..n).fold(0.0, |m: f64, i| m.max(a[(i, k)].abs()));
        if largest == 0.0 {
            continue;
        }
        let largest = largest.max(a[(k + 1, k)].abs());
        let below = k + 1..n;
        below.clone().for_each(|i| v[i] = a[(i, k)] / largest);
        let norm = below.clone().map(|i| v[i] * v[i]).sum::<f64>().sqrt();
        v[k + 1] += norm.copysign(v[k + 1]);
        let beta = 2.0 / below.clone().map(|i| v[i] * v[i]).sum::<f64>();
        // By rows, as they lie in memory; to the left of column k there is nothing below the diagonal.
        dots[k..].fill(0.0);
        for i in below.clone() {
            (k..n).for_each(|j| dots[j] += v[i] * a[(i, j)]);
        }
        for i in below.clone() {
            (k..n).for_each(|j| a[(i, j)] -= beta * dots[j] * v[i]);
        }
        for target in [&mut *a, &mut q] {
            for i in 0..n {
                let dot: f64 = below.clone().map(|j| target[(i, j)] * v[j]).sum();
                below.clone().for_each(|j| target[(i, j)] -= beta * dot * v[j]);
            }
        }
        (k + 2..n).for_each(|i| a[(i, k)] = 0.0);
    }
    q
}

/// Where the last block that does not fall apart begins, `end` being its end; negligible entries become zero.
fn last_block(h: &mut Matrix, end: usize) -> usize {
    for i in (1..end).rev() {
        let beside = h[(i - 1, i - 1)].abs() + h[(i, i)].abs();
        let beside = if beside == 0.0 { 1.0 } else { beside };
        if h[(i, i - 1)].abs() <= f64::EPSILON * beside {
            h[(i, i - 1)] = 0.0;
            return i;
        }
    }
    0
}

/// Eigenvalues of the 2 × 2 block at i.
fn of_pair(h: &Matrix, i: usize) -> [(f64, f64); 2] {
    let (a, b, c, d) = (h[(i, i)], h[(i, i + 1)], h[(i + 1, i)], h[(i + 1, i + 1)]);
    let p = 0.5 * (a - d);
    // b c may overflow where the eigenvalues do not.
    let size = p.abs().max((b.abs() * c.abs()).sqrt());
    if size == 0.0 {
        return [(a, 0.0), (d, 0.0)];
    }
    let q = (p / size) * (p / size) + (b / size) * (c / size);
    let root = q.abs().sqrt() * size;
    if q < 0.0 {
        return [(d + p, root), (d + p, -root)];
    }
    // The larger root first, the smaller from the product: no cancellation.
    let z = p + root.copysign(p);
    [(d + z, 0.0), (if z == 0.0 { d } else { d - b / z * c }, 0.0)]
}

/// One step (3) on the block begin..end, of at least three rows.
fn double_step(h: &mut Matrix, begin: usize, end: usize, unusual: bool) {
    let l = end - 1;
    let (trace, det) = if unusual {
        // Shifts from the size of the last entries only. [Golub2013, §7.5.2; EISPACK hqr]
        let s = h[(l, l - 1)].abs() + h[(l - 1, l - 2)].abs();
        let x = h[(l, l)] + 0.75 * s;
        (2.0 * x, x * x + 0.4375 * s * s)
    } else {
        let (a, d) = (h[(l - 1, l - 1)], h[(l, l)]);
        (a + d, a * d - h[(l - 1, l)] * h[(l, l - 1)])
    };
    // Start as far down as two neighbouring subdiagonal entries are small together.
    let mut first = begin;
    let mut v = [0.0; 3];
    for m in (begin..=end - 3).rev() {
        v = first_column(h, m, trace, det);
        first = m;
        if m > begin {
            let small = h[(m, m - 1)].abs() * (v[1].abs() + v[2].abs());
            let beside = h[(m - 1, m - 1)].abs() + h[(m, m)].abs() + h[(m + 1, m + 1)].abs();
            if small <= f64::EPSILON * v[0].abs() * beside {
                break;
            }
        }
    }
    for k in first..end - 1 {
        let size = (end - k).min(3);
        if k > first {
            v = [h[(k, k - 1)], h[(k + 1, k - 1)], if size == 3 { h[(k + 2, k - 1)] } else { 0.0 }];
        }
        let largest = v.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if largest == 0.0 {
            continue;
        }
        v.iter_mut().for_each(|x| *x /= largest);
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt().copysign(v[0]);
        if k > first {
            h[(k, k - 1)] = -norm * largest;
            (k + 1..k + size).for_each(|i| h[(i, k - 1)] = 0.0);
        } else if k > begin {
            h[(k, k - 1)] = -h[(k, k - 1)];
        }
        v[0] += norm;
        let beta = 2.0 / v.iter().map(|x| x * x).sum::<f64>();
        for j in k..end {
            let dot: f64 = (0..size).map(|i| v[i] * h[(k + i, j)]).sum();
            (0..size).for_each(|i| h[(k + i, j)] -= beta * dot * v[i]);
        }
        for i in begin..end.min(k + 4) {
            let dot: f64 = (0..size).map(|j| h[(i, k + j)] * v[j]).sum();
            (0..size).for_each(|j| h[(i, k + j)] -= beta * dot * v[j]);
        }
    }
}

/// (H − σ₁)(H − σ₂) e_m within the block, divided by the entry below the diagonal, in sizes of its largest.
fn first_column(h: &Matrix, m: usize, trace: f64, det: f64) -> [f64; 3] {
    let (a, below) = (h[(m, m)], h[(m + 1, m)]);
    let v =
        [(a * (a - trace) + det) / below + h[(m, m + 1)], a + h[(m + 1, m + 1)] - trace, h[(m + 2, m + 1)]];
    let size = v.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if size == 0.0 { [1.0, 0.0, 0.0] } else { v.map(|x| x / size) }
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
    fn the_hessenberg_form_is_similar() {
        let a = Matrix::from_fn(6, 6, |i, j| ((i * i + 3 * j + i * j) % 11) as f64 - 4.0);
        let mut h = a.clone();
        let q = hessenberg(&mut h);
        let back = q.times(&h).times(&q.transposed());
        for i in 0..6 {
            for j in 0..6 {
                assert!((back[(i, j)] - a[(i, j)]).abs() < 1e-13);
                assert!(i <= j + 1 || h[(i, j)] == 0.0);
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        assert_eq!(eigenvalues(&Matrix::from_fn(2, 2, |_, _| f64::NAN)), Err(Unfound::NotFinite));
        let large = Matrix::from_fn(3, 3, |i, j| if i == j { 1e300 } else { 1e299 });
        check(&large, &[(1.2e300, 0.0), (9e299, 0.0), (9e299, 0.0)], 1e-12);
    }
}
