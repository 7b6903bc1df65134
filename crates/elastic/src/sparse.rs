//! Symmetric sparse matrices: the lower triangle by columns, rows ascending, diagonal first.

use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Mat, MatRef};

#[derive(Clone, Debug)]
pub(crate) struct SymSparse {
    pub n: usize,
    pub starts: Vec<u32>,
    pub rows: Vec<u32>,
    pub values: Vec<f64>,
}

/// Columns of a block that are multiplied together: one pass over the matrix serves four vectors.
const LANES: usize = 4;

impl SymSparse {
    /// The pattern of all pairs of unknowns that share a group; each group ascending and without repetition.
    pub(crate) fn from_groups(n: usize, groups: &[Vec<u32>]) -> SymSparse {
        let mut touching = vec![0_u32; n + 1];
        for &i in groups.iter().flatten() {
            touching[i as usize + 1] += 1;
        }
        for i in 0..n {
            touching[i + 1] += touching[i];
        }
        let mut fill = touching.clone();
        let mut group_of = vec![0_u32; touching[n] as usize];
        for (g, group) in groups.iter().enumerate() {
            for &i in group {
                group_of[fill[i as usize] as usize] = g as u32;
                fill[i as usize] += 1;
            }
        }
        let (mut starts, mut rows) = (vec![0_u32], vec![]);
        let mut mark = vec![u32::MAX; n];
        for j in 0..n {
            let start = rows.len();
            mark[j] = j as u32;
            rows.push(j as u32);
            for &g in &group_of[touching[j] as usize..touching[j + 1] as usize] {
                for &i in &groups[g as usize] {
                    if i as usize > j && mark[i as usize] != j as u32 {
                        mark[i as usize] = j as u32;
                        rows.push(i);
                    }
                }
            }
            rows[start..].sort_unstable();
            starts.push(rows.len() as u32);
        }
        let values = vec![0.0; rows.len()];
        SymSparse { n, starts, rows, values }
    }

    pub fn column(&self, j: usize) -> std::ops::Range<usize> {
        self.starts[j] as usize..self.starts[j + 1] as usize
    }

    /// Adds the dense symmetric `block` at these unknowns (ascending); `block` by rows.
    pub fn add(&mut self, at: &[u32], block: &[f64]) {
        let m = at.len();
        for (c, &j) in at.iter().enumerate() {
            let range = self.column(j as usize);
            let rows = &self.rows[range.clone()];
            let mut place = 0;
            for r in c..m {
                // Both lists ascend: the search goes on from the last place.
                place += rows[place..].partition_point(|&i| i < at[r]);
                self.values[range.start + place] += block[r * m + c];
            }
        }
    }

    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.n).map(|j| self.values[self.starts[j] as usize]).collect()
    }

    /// self + factor · other, on the same pattern.
    pub fn plus(&self, factor: f64, other: &SymSparse) -> SymSparse {
        let values = self.values.iter().zip(&other.values).map(|(a, b)| a + factor * b).collect();
        SymSparse { n: self.n, starts: self.starts.clone(), rows: self.rows.clone(), values }
    }

    /// A X.
    pub fn times(&self, x: MatRef<'_, f64>) -> Mat<f64> {
        let mut product = Mat::zeros(self.n, x.ncols());
        let mut first = 0;
        while first < x.ncols() {
            let lanes = LANES.min(x.ncols() - first);
            let lane = |i: usize| std::array::from_fn(|k| if k < lanes { x[(i, first + k)] } else { 0.0 });
            let from: Vec<[f64; LANES]> = (0..self.n).map(lane).collect();
            let mut to = vec![[0.0; LANES]; self.n];
            for j in 0..self.n {
                let range = self.column(j);
                let mut sum = from[j].map(|v| v * self.values[range.start]);
                for (&i, &a) in self.rows[range.clone()].iter().zip(&self.values[range]).skip(1) {
                    for k in 0..LANES {
                        to[i as usize][k] += a * from[j][k];
                        sum[k] += a * from[i as usize][k];
                    }
                }
                for k in 0..LANES {
                    to[j][k] += sum[k];
                }
            }
            for k in 0..lanes {
                for i in 0..self.n {
                    product[(i, first + k)] = to[i][k];
                }
            }
            first += lanes;
        }
        product
    }

    /// The leading block of `n` unknowns.
    pub(crate) fn leading(&self, n: usize) -> SymSparse {
        let mut part = SymSparse { n, starts: vec![0], rows: vec![], values: vec![] };
        for j in 0..n {
            for p in self.column(j).take_while(|&p| (self.rows[p] as usize) < n) {
                part.rows.push(self.rows[p]);
                part.values.push(self.values[p]);
            }
            part.starts.push(part.rows.len() as u32);
        }
        part
    }

    pub fn view(&self) -> SparseColMatRef<'_, u32, f64> {
        SparseColMatRef::new(self.pattern(), &self.values)
    }

    pub fn pattern(&self) -> SymbolicSparseColMatRef<'_, u32> {
        SymbolicSparseColMatRef::new_checked(self.n, self.n, &self.starts, None, &self.rows)
    }
}
