//! Eigenvectors to a known eigenvalue, by inverse iteration in real arithmetic.
//!
//!   (A − λ) x₊ = x,   x ← x₊/|x₊|,   λ = σ + i ω:   [A − σ, ω; −ω, A − σ] [Re x₊; Im x₊] = [Re x; Im x]        (1)
//!                                                                                               [Golub2013, §7.6.1]
//! Of a multiple eigenvalue, one of its vectors.

use crate::{DenseLu, Matrix, eigen};

/// Real and imaginary part of each entry.
pub type Vector = Vec<(f64, f64)>;

/// An eigenvector x, A x = λ x, of length one in balanced states.
pub fn eigenvector(a: &Matrix, eigenvalue: (f64, f64)) -> Option<Vector> {
    let mut balanced = a.clone();
    let scale = eigen::balance(&mut balanced);
    let x = iterated(&balanced, eigenvalue)?;
    Some(x.iter().zip(&scale).map(|(z, d)| (z.0 * d, z.1 * d)).collect())
}

/// (1), twice: one step suffices unless the start is unlucky.
fn iterated(a: &Matrix, (re, im): (f64, f64)) -> Option<Vector> {
    let n = a.rows();
    // Not quite the eigenvalue: the matrix stays regular, and the vector still grows by 1/ε.
    let size = a.norm().max(re.hypot(im));
    let re = re + 4.0 * f64::EPSILON * if size > 0.0 { size } else { 1.0 };
    let m = Matrix::from_fn(2 * n, 2 * n, |i, j| match (i / n, j / n) {
        (0, 0) | (1, 1) => a[(i % n, j % n)] - if i == j { re } else { 0.0 },
        (0, _) if i == j - n => im,
        (1, _) if i - n == j => -im,
        _ => 0.0,
    });
    let mut lu = DenseLu::new(2 * n);
    lu.factor(m.values()).ok()?;
    let mut x: Vec<f64> = (0..2 * n).map(|i| 1.0 + 0.1 * (i % 7) as f64).collect();
    for _ in 0..3 {
        lu.solve(&mut x);
        let norm = x.iter().fold(0.0, |s: f64, v| s.hypot(*v));
        if !(norm.is_finite() && norm > 0.0) {
            return None;
        }
        x.iter_mut().for_each(|v| *v /= norm);
    }
    Some((0..n).map(|i| (x[i], x[n + i])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_belong_to_their_values() {
        let a = Matrix::from_fn(5, 5, |i, j| ((7 * i + 3 * j * j + i * j) % 9) as f64 - 4.0);
        for (re, im) in eigen::eigenvalues(&a).unwrap() {
            let x = eigenvector(&a, (re, im)).unwrap();
            for i in 0..5 {
                let (p, q) =
                    (0..5).fold((0.0, 0.0), |s, j| (s.0 + a[(i, j)] * x[j].0, s.1 + a[(i, j)] * x[j].1));
                let off = (p - re * x[i].0 + im * x[i].1).hypot(q - re * x[i].1 - im * x[i].0);
                assert!(off < 1e-12, "{off} for {re} + {im} i");
            }
        }
    }
}
