//! A = L D Lᵀ of a small dense symmetric A > 0, without choosing pivots: none can vanish, nor entries grow. [Golub2013, §4.2]
//!
//!   w_j = a_ij − Σ_k w_k l_jk,   l_ij = w_j/d_j,   d_i = a_ii − Σ_k w_k l_ik,   k < j < i            (1)
//!   x_i ← b_i − Σ_k l_ik x_k (i up),   x ← D⁻¹ x,   x_k ← x_k − l_ik x_i (i down),   k < i           (2)
//!
//! Every inner loop runs along a row.

#[derive(Clone, Debug)]
pub struct Symmetric {
    n: usize,
    /// By rows, of which the part up to the diagonal counts; `factor` puts L there.
    pub a: Vec<f64>,
    inverse: Vec<f64>,
    row: Vec<f64>,
}

impl Symmetric {
    pub fn new(n: usize) -> Self {
        Symmetric { n, a: vec![0.0; n * n], inverse: vec![0.0; n], row: vec![0.0; n] }
    }

    /// (1). False if A is not finite or not positive.
    pub fn factor(&mut self) -> bool {
        let n = self.n;
        for i in 0..n {
            let (above, from) = self.a.split_at_mut(i * n);
            let own = &mut from[..i + 1];
            let w = &mut self.row[..i];
            for (j, l) in above.chunks_exact(n).enumerate() {
                let sum = w.iter().zip(&l[..j]).fold(own[j], |sum, (w, l)| sum - w * l);
                w[j] = sum;
            }
            let diagonal = own[i];
            let mut pivot = diagonal;
            for (j, w) in w.iter().enumerate() {
                let l = w * self.inverse[j];
                own[j] = l;
                pivot -= w * l;
            }
            if !(pivot > 0.0 && diagonal > 0.0 && pivot.is_finite()) {
                return false;
            }
            self.inverse[i] = 1.0 / pivot;
        }
        true
    }

    /// (2) in place, with the last factors.
    pub fn solve(&self, x: &mut [f64]) {
        let rows = || self.a.chunks_exact(self.n).enumerate();
        for (i, l) in rows() {
            x[i] = x[..i].iter().zip(l).fold(x[i], |sum, (x, l)| sum - x * l);
        }
        x.iter_mut().zip(&self.inverse).for_each(|(x, d)| *x *= d);
        for (i, l) in rows().rev() {
            let (rest, known) = x.split_at_mut(i);
            let x_i = known[0];
            rest.iter_mut().zip(l).for_each(|(x, l)| *x -= l * x_i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_of_known_solution_is_solved_to_rounding() {
        // A = Bᵀ B + 1 with some B, x = (1, 2, …).
        let n = 7;
        let b = |i: usize, j: usize| ((i * 5 + j * 3) as f64).sin();
        let a = |i: usize, j: usize| {
            (0..n).map(|k| b(k, i) * b(k, j)).sum::<f64>() + if i == j { 1.0 } else { 0.0 }
        };
        let mut matrix = Symmetric::new(n);
        (0..n * n).for_each(|k| matrix.a[k] = a(k / n, k % n));
        let mut x: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a(i, j) * (j + 1) as f64).sum()).collect();
        assert!(matrix.factor());
        matrix.solve(&mut x);
        for (i, x) in x.iter().enumerate() {
            assert!((x - (i + 1) as f64).abs() < 1e-13, "{x}");
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_is_refused() {
        for a in [[1.0, 2.0, 2.0, 1.0], [f64::NAN, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]] {
            let mut matrix = Symmetric::new(2);
            matrix.a.copy_from_slice(&a);
            assert!(!matrix.factor());
        }
    }
}
