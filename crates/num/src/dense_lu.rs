//! Dense LU with partial pivoting, P A = L U, row by row. [GolubVanLoan2013, alg. 3.4.1]
//!
//! The plain version: small systems, and the test of the sparse one.

use crate::FactorFault;

#[derive(Clone, Debug)]
pub struct DenseLu {
    n: usize,
    /// L below the diagonal, U on and above it; row i at `[i · n ..]`.
    lu: Vec<f64>,
    /// Row of A at each row of the factors.
    row_of: Vec<usize>,
    work: Vec<f64>,
}

impl DenseLu {
    pub fn new(n: usize) -> Self {
        DenseLu { n, lu: vec![0.0; n * n], row_of: (0..n).collect(), work: vec![0.0; n] }
    }

    /// Factorise A, stored by rows.
    pub fn factor(&mut self, a: &[f64]) -> Result<(), FactorFault> {
        let n = self.n;
        if a.iter().any(|v| !v.is_finite()) {
            return Err(FactorFault::NotFinite);
        }
        self.lu.copy_from_slice(a);
        self.row_of.iter_mut().enumerate().for_each(|(i, r)| *r = i);
        for k in 0..n {
            let size = |i: usize| self.lu[i * n + k].abs();
            let p = (k..n).fold(k, |best, i| if size(i) > size(best) { i } else { best });
            if size(p) == 0.0 {
                return Err(FactorFault::Singular { column: k });
            }
            if p != k {
                self.row_of.swap(k, p);
                for j in 0..n {
                    self.lu.swap(k * n + j, p * n + j);
                }
            }
            let (above, below) = self.lu.split_at_mut((k + 1) * n);
            let pivot_row = &above[k * n..];
            let inverse = 1.0 / pivot_row[k];
            for row in below.chunks_exact_mut(n) {
                let l = row[k] * inverse;
                row[k] = l;
                for j in k + 1..n {
                    row[j] -= l * pivot_row[j];
                }
            }
        }
        Ok(())
    }

    /// Solve A x = b in place.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let row = &self.lu[i * n..i * n + i];
            let sum: f64 = row.iter().zip(&self.work).map(|(l, y)| l * y).sum();
            self.work[i] = b[self.row_of[i]] - sum;
        }
        for i in (0..n).rev() {
            let row = &self.lu[i * n..(i + 1) * n];
            let sum: f64 = (i + 1..n).map(|j| row[j] * b[j]).sum();
            b[i] = (self.work[i] - sum) / row[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_system_that_needs_pivoting() {
        let mut lu = DenseLu::new(3);
        lu.factor(&[0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 4.0, 0.0, 2.0]).unwrap();
        let mut b = [7.0, 3.0, 10.0]; // x = (1, 2, 3)
        lu.solve(&mut b);
        assert_eq!(b, [1.0, 2.0, 3.0]);
        assert_eq!(DenseLu::new(2).factor(&[1.0, 2.0, 2.0, 4.0]), Err(FactorFault::Singular { column: 1 }));
    }
}
