//! A dense matrix by rows. Products and solutions are those of the library faer.

use std::ops::{Index, IndexMut};

use faer::linalg::matmul::matmul;
use faer::linalg::solvers::Solve;
use faer::{Accum, MatMut, MatRef, Par};

use crate::FactorFault;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Matrix { rows, columns, values: vec![0.0; rows * columns] }
    }

    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 })
    }

    pub fn from_fn(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let values = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).map(|(i, j)| entry(i, j));
        Matrix { rows, columns, values: values.collect() }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }

    pub fn column(&self, j: usize) -> Matrix {
        Matrix::from_fn(self.rows, 1, |i, _| self[(i, j)])
    }

    /// The first columns.
    pub fn left(&self, columns: usize) -> Matrix {
        Matrix::from_fn(self.rows, columns, |i, j| self[(i, j)])
    }

    /// A part: so many rows and columns from (i, j) on.
    pub fn block(&self, (i, j): (usize, usize), rows: usize, columns: usize) -> Matrix {
        Matrix::from_fn(rows, columns, |k, l| self[(i + k, j + l)])
    }

    /// These rows and columns, in this order.
    pub fn picked(&self, states: &[usize]) -> Matrix {
        Matrix::from_fn(states.len(), states.len(), |i, j| self[(states[i], states[j])])
    }

    /// [A B].
    pub fn beside(&self, other: &Matrix) -> Matrix {
        Matrix::from_fn(self.rows, self.columns + other.columns, |i, j| match j.checked_sub(self.columns) {
            None => self[(i, j)],
            Some(k) => other[(i, k)],
        })
    }

    /// [A; B].
    pub fn above(&self, other: &Matrix) -> Matrix {
        Matrix {
            rows: self.rows + other.rows,
            columns: self.columns,
            values: [&self.values[..], &other.values[..]].concat(),
        }
    }

    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub fn transposed(&self) -> Matrix {
        Matrix::from_fn(self.columns, self.rows, |i, j| self[(j, i)])
    }

    /// A B; the columns of A are as many as the rows of B.
    pub fn times(&self, other: &Matrix) -> Matrix {
        let mut product = Matrix::zeros(self.rows, other.columns);
        let into = MatMut::from_row_major_slice_mut(&mut product.values, self.rows, other.columns);
        matmul(into, Accum::Replace, self.view(), other.view(), 1.0, Par::Seq);
        product
    }

    fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice(&self.values, self.rows, self.columns)
    }

    /// A + factor · B.
    pub fn plus(&self, factor: f64, other: &Matrix) -> Matrix {
        Matrix::from_fn(self.rows, self.columns, |i, j| self[(i, j)] + factor * other[(i, j)])
    }

    /// √Σ a²_ij.
    pub fn norm(&self) -> f64 {
        self.values.iter().fold(0.0, |sum: f64, v| sum.hypot(*v))
    }

    /// A⁻¹ B.
    pub fn solve(&self, b: &Matrix) -> Result<Matrix, FactorFault> {
        if self.values.iter().any(|v| !v.is_finite()) {
            return Err(FactorFault::NotFinite);
        }
        let lu = self.view().partial_piv_lu();
        if let Some(column) = (0..self.rows).find(|&k| lu.U()[(k, k)] == 0.0) {
            return Err(FactorFault::Singular { column });
        }
        let x = lu.solve(b.view());
        Ok(Matrix::from_fn(b.rows, b.columns, |i, j| x[(i, j)]))
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.values[i * self.columns + j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.values[i * self.columns + j]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_solutions_undo_each_other() {
        for (n, m) in [(0, 0), (0, 3), (1, 1), (3, 2), (17, 40), (60, 1)] {
            let a = Matrix::from_fn(n, n, |i, j| {
                ((5 * i + 3 * j * j) % 13) as f64 + if i == j { 90.0 } else { -6.0 }
            });
            let x = Matrix::from_fn(n, m, |i, j| (i as f64 - 2.0 * j as f64).sin());
            let b = a.times(&x);
            for (i, j) in (0..n * m).map(|k| (k / m, k % m)) {
                let sum: f64 = (0..n).map(|k| a[(i, k)] * x[(k, j)]).sum();
                assert!((b[(i, j)] - sum).abs() < 1e-12 * (1.0 + sum.abs()));
            }
            assert!(a.solve(&b).unwrap().plus(-1.0, &x).norm() < 1e-12);
        }
        let nothing_between = Matrix::zeros(2, 0).times(&Matrix::zeros(0, 3));
        assert_eq!(nothing_between, Matrix::zeros(2, 3));
        let singular = Matrix::from_fn(2, 2, |i, _| i as f64);
        assert!(matches!(singular.solve(&Matrix::identity(2)), Err(FactorFault::Singular { .. })));
        assert_eq!(
            Matrix::from_fn(1, 1, |_, _| f64::NAN).solve(&Matrix::identity(1)),
            Err(FactorFault::NotFinite)
        );
    }
}
