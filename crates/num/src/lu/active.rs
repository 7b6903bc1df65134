//! Choosing pivots: the part of the matrix not yet eliminated, and what each pivot leaves behind.

use crate::{FactorFault, Pattern};

/// τ: an eligible pivot is at most ten times smaller than the largest entry of its column.
const THRESHOLD: f64 = 0.1;
/// Columns of lowest count searched for a pivot. [Zlatev 1980] finds 3 or 4 enough.
const SEARCH: usize = 4;
/// A column whose largest entry fell to rounding noise of what it was holds no pivot.
const NOISE: f64 = 4.0 * f64::EPSILON;
/// Up to this many columns are put in order by insertion, which allocates nothing.
const INSERTION: usize = 256;

#[derive(Clone, Debug, Default)]
pub struct Active {
    /// (column, value) of each row, in any order.
    rows: Vec<Vec<(usize, f64)>>,
    /// Rows of each column.
    columns: Vec<Vec<usize>>,
    /// Largest entry each column began with.
    largest: Vec<f64>,
    left: Vec<usize>,
    /// Scratch of `eliminate`: place of a column in the row at hand.
    at: Vec<usize>,
    /// Of each pivot the columns of its row, then the rows of its column; and where each of both ends.
    crosses: Vec<u32>,
    ends: Vec<(usize, usize)>,
}

impl Active {
    pub fn reserve(&mut self, n: usize) {
        self.rows.resize_with(n, Vec::new);
        self.columns.resize_with(n, Vec::new);
        self.rows.iter_mut().for_each(|row| row.reserve(n));
        self.columns.iter_mut().for_each(|column| column.reserve(n));
        self.largest.reserve(n);
        self.left.reserve(n);
        self.at.reserve(n);
        self.crosses.reserve(n * n);
        self.ends.reserve(n);
    }

    pub fn fill(&mut self, pattern: &Pattern, values: &[f64], scale: &[f64]) {
        let n = pattern.n();
        self.rows.resize_with(n, Vec::new);
        self.columns.resize_with(n, Vec::new);
        self.rows.iter_mut().for_each(Vec::clear);
        self.columns.iter_mut().for_each(Vec::clear);
        self.largest.clear();
        self.largest.resize(n, 0.0);
        self.left.clear();
        self.left.extend(0..n);
        self.at.clear();
        self.at.resize(n, usize::MAX);
        self.crosses.clear();
        self.ends.clear();
        for (i, j, k) in pattern.entries() {
            let value = scale[i] * values[k];
            self.rows[i].push((j, value));
            self.columns[j].push(i);
            self.largest[j] = self.largest[j].max(value.abs());
        }
    }

    /// Columns of the row and rows of the column of pivot k.
    pub fn cross(&self, k: usize) -> (&[u32], &[u32]) {
        let first = if k == 0 { 0 } else { self.ends[k - 1].1 };
        let (split, end) = self.ends[k];
        (&self.crosses[first..split], &self.crosses[split..end])
    }

    /// Whether every column has been a pivot's.
    pub fn complete(&self) -> bool {
        self.left.is_empty()
    }

    fn value(&self, i: usize, j: usize) -> f64 {
        self.rows[i].iter().find(|(column, _)| *column == j).map_or(0.0, |(_, value)| *value)
    }

    /// Columns of low count first, those of equal count as they stood.
    fn sort(&mut self) {
        let columns = &self.columns;
        if self.left.len() > INSERTION {
            return self.left.sort_by_key(|j| columns[*j].len());
        }
        for k in 1..self.left.len() {
            let mut at = k;
            while at > 0 && columns[self.left[at]].len() < columns[self.left[at - 1]].len() {
                self.left.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    /// The eligible entry of lowest Markowitz count, the larger one if counts are equal.
    pub(crate) fn next_pivot(&mut self) -> Result<(usize, usize), FactorFault> {
        let few = SEARCH.min(self.left.len());
        self.sort();
        let mut best: Option<(usize, f64, usize, usize)> = None;
        for &j in &self.left[..few] {
            let largest = self.columns[j].iter().map(|i| self.value(*i, j).abs()).fold(0.0, f64::max);
            if largest <= NOISE * self.largest[j] {
                return Err(FactorFault::Singular { column: j });
            }
            for &i in &self.columns[j] {
                let size = self.value(i, j).abs();
                let count = (self.rows[i].len() - 1) * (self.columns[j].len() - 1);
                let better = best.is_none_or(|(c, s, _, _)| count < c || (count == c && size > s));
                if size >= THRESHOLD * largest && better {
                    best = Some((count, size, i, j));
                }
            }
        }
        best.map(|(_, _, i, j)| (i, j)).ok_or(FactorFault::NotFinite)
    }

    pub fn eliminate(&mut self, row: usize, column: usize) {
        self.left.retain(|j| *j != column);
        let pivot = self.value(row, column);
        let mut u = std::mem::take(&mut self.rows[row]);
        u.retain(|(j, _)| *j != column);
        for (j, _) in &u {
            self.columns[*j].retain(|i| *i != row);
        }
        let mut below = std::mem::take(&mut self.columns[column]);
        below.retain(|i| *i != row);
        for &i in &below {
            let l = self.value(i, column) / pivot;
            self.rows[i].retain(|(j, _)| *j != column);
            for (k, (j, _)) in self.rows[i].iter().enumerate() {
                self.at[*j] = k;
            }
            for (j, value) in &u {
                if self.at[*j] == usize::MAX {
                    self.rows[i].push((*j, -l * value));
                    self.columns[*j].push(i);
                } else {
                    self.rows[i][self.at[*j]].1 -= l * value; // (1)
                }
            }
            for (j, _) in &self.rows[i] {
                self.at[*j] = usize::MAX;
            }
        }
        self.crosses.extend(u.iter().map(|(j, _)| *j as u32));
        let split = self.crosses.len();
        self.crosses.extend(below.iter().map(|i| *i as u32));
        self.ends.push((split, self.crosses.len()));
        // Back where they were, for the next time.
        u.clear();
        below.clear();
        (self.rows[row], self.columns[column]) = (u, below);
    }
}
