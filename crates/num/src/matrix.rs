//! A dense matrix by rows.

use std::ops::{Index, IndexMut};

use crate::{DenseLu, Fault};

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
        Matrix::from_fn(self.rows, other.columns, |i, j| {
            (0..self.columns).map(|k| self[(i, k)] * other[(k, j)]).sum()
        })
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
    pub fn solve(&self, b: &Matrix) -> Result<Matrix, Fault> {
        let mut lu = DenseLu::new(self.rows);
        lu.factor(&self.values)?;
        let mut x = b.clone();
        let mut work = vec![0.0; self.rows];
        for j in 0..b.columns {
            (0..self.rows).for_each(|i| work[i] = b[(i, j)]);
            lu.solve(&mut work);
            (0..self.rows).for_each(|i| x[(i, j)] = work[i]);
        }
        Ok(x)
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
