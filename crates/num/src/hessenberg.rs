//! The Hessenberg form of a real matrix, for frequency responses.
//!
//!   A = Q H Qᵀ,  h_ij = 0 for i > j + 1, by Householder reflections                     (1)  [Golub2013, alg. 7.4.2]

use crate::Matrix;

/// A ← H = Qᵀ A Q; returns Q (1).
pub fn hessenberg(a: &mut Matrix) -> Matrix {
    let n = a.rows();
    let mut q = Matrix::identity(n);
    let mut v = vec![0.0; n];
    let mut dots = vec![0.0; n];
    for k in 0..n.saturating_sub(1) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
