//! A x = b for a symmetric A ≥ 0 that may be singular, many times on one pattern.
//!
//!   (A + ε D) d = b − A x,   x ← x + d,   D = diag(A) and a little of its mean                       (1)
//!
//! The first pass of (1), from x = 0, is Tikhonov's solution; each further one divides its error by σ/ε in directions where A is worth
//! σ. Where b has no part in the null space of A the limit is the solution of least norm (weighed by D); what rounding puts there grows
//! by 1/ε at most, and A x does not feel it.
//!
//! A small matrix with few zeros is factored by rows (`Symmetric`), unless its values are not symmetric, as where friction follows
//! the multipliers; others by the sparse `Lu`.

use crate::{Archive, FactorFault, Lu, Pattern, Symmetric};

/// A compromise. Directions in which A is worth less than about ε/12 count as none: where constraints of a mechanism lose rank in a pose, what they
/// say near it is mostly the error of the steps before, divided by little. Measured on parallelograms that fall flat: below 1e-6 runs
/// of tight tolerance are thrown off there. Directions worth 1e-4 and more are solved to rounding.
const EPSILON: f64 = 1e-5;
/// Passes of (1) at most.
const PASSES: usize = 12;
/// Share of the mean in D, for a row that is zero for a moment.
const FLOOR: f64 = 1e-6;
/// Largest matrix that is factored by rows, whatever its zeros; and a larger one of which at most so many are zeros.
const SMALL: usize = 12;
const LARGE: usize = 64;
const FULL: f64 = 0.4;
/// Values of one place and its mirror may differ by so much, relative to the diagonal: rounding of terms that cancel.
const MIRRORED: f64 = 1e-9;

#[derive(Clone, Debug)]
pub struct Semidefinite {
    pattern: Pattern,
    /// Where each given entry goes, and the diagonal.
    place: Vec<usize>,
    diagonal: Vec<usize>,
    lu: Lu,
    dense: Option<Dense>,
    /// Where the last factors are.
    factors: Factors,
    // Written by `factor`.
    a: Vec<f64>,
    shifted: Vec<f64>,
    // Scratch of `solve`.
    x: Vec<f64>,
    rest: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Factors {
    /// Of A + ε D, in `dense`.
    Dense,
    /// The same in `lu`.
    Sparse,
}

/// An entry of the pattern on or above the diagonal, its mirror, and their row and column.
#[derive(Clone, Debug)]
struct Mirror {
    above: usize,
    below: usize,
    i: usize,
    j: usize,
}

/// The matrix by columns, zeros included.
#[derive(Clone, Debug)]
struct Dense {
    mirrors: Vec<Mirror>,
    a: Vec<f64>,
    factors: Symmetric,
}

impl Dense {
    /// None if the pattern is large and sparse, or not symmetric.
    fn new(pattern: &Pattern) -> Option<Self> {
        let (n, nnz) = (pattern.n(), pattern.nnz());
        if n > SMALL && (n > LARGE || (nnz as f64) < FULL * (n * n) as f64) {
            return None;
        }
        let above = pattern.entries().filter(|(i, j, _)| i <= j);
        let mirrors: Option<Vec<Mirror>> =
            above.map(|(i, j, above)| Some(Mirror { above, below: pattern.find(j, i)?, i, j })).collect();
        let mirrors = mirrors.filter(|list| 2 * list.len() == nnz + n)?;
        Some(Dense { mirrors, a: vec![0.0; n * n], factors: Symmetric::new(n) })
    }

    /// Factor the matrix of these values; false if that is not possible.
    fn factor(&mut self, values: &[f64], diagonal: &[usize]) -> bool {
        let n = diagonal.len();
        if self.mirrors.len() < n * (n + 1) / 2 {
            self.factors.a.fill(0.0);
        }
        for &Mirror { above, below, i, j } in &self.mirrors {
            let (x, y) = (values[above], values[below]);
            if x != y && (x - y).abs() > MIRRORED * (values[diagonal[i]] + values[diagonal[j]]) {
                return false;
            }
            self.factors.a[j * n + i] = y;
        }
        self.factors.factor()
    }

    /// The matrix of `subtract`.
    fn keep(&mut self, values: &[f64], n: usize) {
        for &Mirror { above, below, i, j } in &self.mirrors {
            self.a[j * n + i] = values[above];
            self.a[i * n + j] = values[below];
        }
    }

    /// rest ← rest − A x
    fn subtract(&self, x: &[f64], rest: &mut [f64]) {
        for (x, column) in x.iter().zip(self.a.chunks_exact(x.len())) {
            rest.iter_mut().zip(column).for_each(|(r, a)| *r -= a * x);
        }
    }
}

impl Semidefinite {
    /// `entries` (row, column) in the order in which values will come; several for one place add up.
    pub fn new(n: usize, entries: &[(usize, usize)]) -> Self {
        let pattern = Pattern::from_entries(n, entries.iter().copied().chain((0..n).map(|i| (i, i))));
        let find = |i, j| pattern.find(i, j).expect("the pattern has every entry");
        Semidefinite {
            place: entries.iter().map(|&(i, j)| find(i, j)).collect(),
            diagonal: (0..n).map(|i| find(i, i)).collect(),
            lu: Lu::new(&pattern),
            dense: Dense::new(&pattern),
            factors: Factors::Sparse,
            a: vec![0.0; pattern.nnz()],
            shifted: vec![0.0; pattern.nnz()],
            x: vec![0.0; n],
            rest: vec![0.0; n],
            pattern,
        }
    }

    pub fn n(&self) -> usize {
        self.diagonal.len()
    }

    pub fn factor(&mut self, values: impl IntoIterator<Item = f64>) -> Result<(), FactorFault> {
        self.factor_shifted(values, EPSILON)
    }

    /// With another ε: the larger, the more cautious the solution in directions where A is weak.
    pub fn factor_shifted(
        &mut self,
        values: impl IntoIterator<Item = f64>,
        epsilon: f64,
    ) -> Result<(), FactorFault> {
        self.a.fill(0.0);
        for (place, value) in self.place.iter().zip(values) {
            self.a[*place] += value;
        }
        let Semidefinite { dense, a, shifted, diagonal, .. } = self;
        let n = diagonal.len();
        let mean = diagonal.iter().map(|&k| a[k].abs()).sum::<f64>() / n as f64;
        let floor = if mean > 0.0 { FLOOR * mean } else { 1.0 };
        shifted.copy_from_slice(a);
        for &k in diagonal.iter() {
            shifted[k] += epsilon * (a[k].abs() + floor);
        }
        if let Some(dense) = dense
            && dense.factor(shifted, diagonal)
        {
            dense.keep(a, n);
            self.factors = Factors::Dense;
            return Ok(());
        }
        self.factors = Factors::Sparse;
        self.lu.refactor(shifted)
    }

    /// rest ← rest − A x
    fn subtract_product(&mut self) {
        if let Some(dense) = self.dense.as_ref().filter(|_| self.factors == Factors::Dense) {
            return dense.subtract(&self.x, &mut self.rest);
        }
        let Pattern { start, row } = &self.pattern;
        for (x, column) in self.x.iter().zip(start.windows(2)) {
            let column = column[0]..column[1];
            for (&i, a) in row[column.clone()].iter().zip(&self.a[column]) {
                self.rest[i] -= a * x;
            }
        }
    }

    fn solve_shifted(&mut self) {
        match &self.dense {
            Some(dense) if self.factors != Factors::Sparse => dense.factors.solve(&mut self.rest),
            _ => self.lu.solve(&mut self.rest),
        }
    }

    /// Solve in place, with the last factors.
    pub fn solve(&mut self, b: &mut [f64]) {
        self.x.fill(0.0);
        self.rest.copy_from_slice(b);
        let mut before = 0.0;
        for pass in 0..PASSES {
            if pass > 0 {
                self.rest.copy_from_slice(b);
                self.subtract_product();
            }
            self.solve_shifted();
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for (x, d) in self.x.iter_mut().zip(&self.rest) {
                *x += d;
                change = change.max(d.abs());
                size = size.max(x.abs());
            }
            // What further passes would add, if they go on to shrink as the last one did.
            let left = if pass == 0 { change } else { 2.0 * change * (change / before).min(0.5) };
            if left <= f64::EPSILON * size {
                break;
            }
            before = change;
        }
        b.copy_from_slice(&self.x);
    }

    /// As `Lu::reserve`.
    pub fn reserve(&mut self) {
        self.lu.reserve();
    }

    /// As `Lu::remember`.
    pub fn remember(&mut self, archive: &mut Archive) {
        self.lu.remember(archive);
    }

    /// One pass of (1) alone.
    pub fn solve_once(&mut self, b: &mut [f64]) {
        self.rest.copy_from_slice(b);
        self.solve_shifted();
        b.copy_from_slice(&self.rest);
    }

    /// Rows that follow from others, to `tolerance` of the diagonal: what is left over when pivots are taken in order of size.
    pub fn dependent_rows(&self, tolerance: f64) -> Vec<usize> {
        let n = self.n();
        let scale: Vec<f64> =
            self.diagonal.iter().map(|&k| self.a[k].max(f64::MIN_POSITIVE).sqrt()).collect();
        let mut a = vec![0.0; n * n];
        for (i, j, k) in self.pattern.entries() {
            a[i * n + j] = self.a[k] / (scale[i] * scale[j]);
        }
        let mut left: Vec<usize> = (0..n).collect();
        while !left.is_empty() {
            // Rows near the front are kept, so that those named last are called dependent.
            let largest = left.iter().map(|&i| a[i * n + i]).fold(0.0, f64::max);
            if largest <= tolerance {
                break;
            }
            let at = left.iter().position(|&i| a[i * n + i] >= 0.5 * largest).unwrap_or(0);
            let p = left.remove(at);
            let pivot = a[p * n + p];
            for &i in &left {
                let l = a[i * n + p] / pivot;
                for &j in &left {
                    a[i * n + j] -= l * a[p * n + j];
                }
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(n: usize) -> Vec<(usize, usize)> {
        (0..n * n).map(|k| (k / n, k % n)).collect()
    }

    #[test]
    fn a_regular_matrix_is_solved_to_rounding() {
        let mut a = Semidefinite::new(2, &dense(2));
        a.factor([4.0, 1.0, 1.0, 3.0]).unwrap();
        let mut b = [1.0, 2.0];
        a.solve(&mut b);
        assert!((b[0] - 1.0 / 11.0).abs() < 1e-15 && (b[1] - 7.0 / 11.0).abs() < 1e-15, "{b:?}");
        assert!(a.dependent_rows(1e-10).is_empty());
    }

    #[test]
    fn of_a_singular_matrix_the_solution_of_least_norm_is_found() {
        // Two equal rows: x1 + x2 = 2 has least norm at (1, 1).
        let mut a = Semidefinite::new(3, &dense(3));
        a.factor([1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 5.0]).unwrap();
        let mut b = [2.0, 2.0, 10.0];
        a.solve(&mut b);
        // In the null space rounding counts 1/ε times.
        for (x, expected) in b.iter().zip([1.0, 1.0, 2.0]) {
            assert!((x - expected).abs() < 1e-7, "{b:?}");
        }
        assert!((b[0] + b[1] - 2.0).abs() < 1e-14, "{b:?}");
        assert_eq!(a.dependent_rows(1e-10), [1]);
    }

    #[test]
    fn a_matrix_without_symmetry_is_solved_too() {
        let mut a = Semidefinite::new(2, &dense(2));
        a.factor([4.0, 1.0, 2.0, 3.0]).unwrap();
        let mut b = [6.0, 8.0];
        a.solve(&mut b);
        assert!((b[0] - 1.0).abs() < 1e-14 && (b[1] - 2.0).abs() < 1e-14, "{b:?}");
    }

    #[test]
    fn rows_and_the_sparse_way_agree() {
        let n = 9;
        let value = |k: usize| {
            let (i, j) = (k / n, k % n);
            ((i.min(j) * 7 + i.max(j)) as f64).cos() + if i == j { 9.0 } else { 0.0 }
        };
        let mut by_rows = Semidefinite::new(n, &dense(n));
        let mut sparse = Semidefinite { dense: None, ..by_rows.clone() };
        by_rows.factor((0..n * n).map(value)).unwrap();
        sparse.factor((0..n * n).map(value)).unwrap();
        assert_eq!((by_rows.factors, sparse.factors), (Factors::Dense, Factors::Sparse));
        let mut x: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let mut y = x.clone();
        by_rows.solve(&mut x);
        sparse.solve(&mut y);
        x.iter().zip(&y).for_each(|(x, y)| assert!((x - y).abs() < 1e-14, "{x} {y}"));
        for matrix in [&mut by_rows, &mut sparse] {
            matrix.factor_shifted((0..n * n).map(value), 1e-3).unwrap();
        }
        assert_eq!(by_rows.factors, Factors::Dense);
        by_rows.solve_once(&mut x);
        sparse.solve_once(&mut y);
        x.iter().zip(&y).for_each(|(x, y)| assert!((x - y).abs() < 1e-14, "{x} {y}"));
    }

    #[test]
    fn a_row_of_zeros_is_no_obstacle() {
        let mut a = Semidefinite::new(2, &[(0, 0)]);
        a.factor([2.0]).unwrap();
        let mut b = [4.0, 0.0];
        a.solve(&mut b);
        assert_eq!(b, [2.0, 0.0]);
    }
}
