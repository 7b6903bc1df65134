//! Sparse LU of many matrices with one pattern: P S A Q = L U.
//!
//! Pivots are chosen once, by Markowitz' count (r_i − 1)(c_j − 1) among entries with
//! |a_ij| ≥ τ max_i |a_ij| [Duff, Erisman, Reid 1986, sec. 7.2]; S scales rows by powers of two so that
//! the threshold compares like with like whatever the units of the equations (Ruiz' equilibration).
//! From then on a factorisation is a flat list of multiply-subtracts:
//!
//!   l_ik = a_ik / u_kk,   a_ij −= l_ik u_kj,   j > k,  i > k                                      (1)
//!
//! A multiplier beyond `GROWTH` shows that scales or pivots no longer fit; then they are chosen anew.
//! Choosing pivots allocates, the first time and then; nothing else does.

use crate::{Fault, Pattern};

/// τ: an eligible pivot is at most ten times smaller than the largest entry of its column.
const THRESHOLD: f64 = 0.1;
/// Largest |l_ik| tolerated before pivots are chosen anew: costs at most four of sixteen digits.
const GROWTH: f64 = 1e4;
/// Columns of lowest count searched for a pivot. [Zlatev 1980] finds 3 or 4 enough.
const SEARCH: usize = 4;
/// A column whose largest entry fell to rounding noise of what it was holds no pivot.
const NOISE: f64 = 4.0 * f64::EPSILON;

#[derive(Clone, Debug)]
pub struct Lu {
    pattern: Pattern,
    /// Whether `choose_pivots` has filled what follows.
    ready: bool,

    // Written by `refactor` when the values outgrew it.
    scaling: Scaling,

    // Written by `choose_pivots`. Position k: the k-th pivot.
    /// Row and column of A at each position.
    row_of: Vec<u32>,
    column_of: Vec<u32>,
    /// Scale of the row at each position, and of each entry of A.
    row_scale: Vec<f64>,
    entry_scale: Vec<f64>,
    /// Where each entry of A goes in `x`.
    place: Vec<u32>,
    /// Position k owns `x[start[k]..start[k + 1]]`: the pivot, row k of U up to `split[k]`, column k of L.
    start: Vec<u32>,
    split: Vec<u32>,
    /// Position (column in U, row in L) of each place.
    position: Vec<u32>,
    /// Targets of (1), in the order they are met, counted from `start[k + 1]`.
    target: Vec<u32>,

    // Written by `eliminate`.
    x: Vec<f64>,
    inverse_pivot: Vec<f64>,

    // Scratch of `solve`.
    work: Vec<f64>,
}

impl Lu {
    pub fn new(pattern: &Pattern) -> Self {
        let n = pattern.n();
        Lu {
            pattern: pattern.clone(),
            ready: false,
            row_of: Vec::new(),
            column_of: Vec::new(),
            scaling: Scaling::new(n),
            row_scale: vec![1.0; n],
            entry_scale: vec![1.0; pattern.nnz()],
            place: Vec::new(),
            start: Vec::new(),
            split: Vec::new(),
            position: Vec::new(),
            target: Vec::new(),
            x: Vec::new(),
            inverse_pivot: vec![0.0; n],
            work: vec![0.0; n],
        }
    }

    /// Entries of L and U together.
    pub fn fill(&self) -> usize {
        self.x.len()
    }

    /// Multiply-subtracts of one factorisation.
    pub fn operations(&self) -> usize {
        self.target.len()
    }

    /// Factorise the matrix with these values, in the order of the pattern.
    pub fn refactor(&mut self, values: &[f64]) -> Result<(), Fault> {
        if self.ready && self.eliminate(values) {
            return Ok(());
        }
        if values.iter().any(|v| !v.is_finite()) {
            return Err(Fault::NotFinite);
        }
        self.scaling.equilibrate(&self.pattern, values);
        if self.ready {
            // Old pivots may still do once rows are scaled to the present values.
            self.apply_scales();
            if self.eliminate(values) {
                return Ok(());
            }
        }
        self.ready = false;
        self.choose_pivots(values)?;
        self.ready = true;
        // Fresh pivots bound every multiplier by 1/τ, so a failure now means overflow.
        if self.eliminate(values) { Ok(()) } else { Err(Fault::NotFinite) }
    }

    /// (1) for every pivot; false if one is zero or a multiplier grew too large or is NaN.
    fn eliminate(&mut self, values: &[f64]) -> bool {
        self.x.fill(0.0);
        for ((place, scale), value) in self.place.iter().zip(&self.entry_scale).zip(values) {
            self.x[*place as usize] = scale * value;
        }
        let mut target = &self.target[..];
        let mut largest = 0.0_f64;
        for k in 0..self.inverse_pivot.len() {
            let (first, split, end) =
                (self.start[k] as usize, self.split[k] as usize, self.start[k + 1] as usize);
            let (done, rest) = self.x.split_at_mut(end);
            let (own, l) = done[first..].split_at_mut(split - first);
            let (pivot, u) = (own[0], &own[1..]);
            let inverse = 1.0 / pivot;
            if !inverse.is_finite() {
                return false;
            }
            self.inverse_pivot[k] = inverse;
            for l in l {
                *l *= inverse;
                // A NaN is remembered here and found below.
                largest = if l.abs() <= largest { largest } else { l.abs() };
                let (now, later) = target.split_at(u.len());
                for (to, u) in now.iter().zip(u) {
                    rest[*to as usize] -= *l * u; // (1)
                }
                target = later;
            }
            if largest > GROWTH || largest.is_nan() {
                return false;
            }
        }
        true
    }

    /// Solve A x = b in place, with the last factorisation.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.inverse_pivot.len();
        let y = &mut self.work[..n];
        for k in 0..n {
            y[k] = b[self.row_of[k] as usize] * self.row_scale[k];
        }
        for k in 0..n {
            let l = self.split[k] as usize..self.start[k + 1] as usize;
            let y_k = y[k];
            for (i, l) in self.position[l.clone()].iter().zip(&self.x[l]) {
                y[*i as usize] -= l * y_k;
            }
        }
        for k in (0..n).rev() {
            let u = self.start[k] as usize + 1..self.split[k] as usize;
            let mut y_k = y[k];
            for (j, u) in self.position[u.clone()].iter().zip(&self.x[u]) {
                y_k -= u * y[*j as usize];
            }
            y[k] = y_k * self.inverse_pivot[k];
            b[self.column_of[k] as usize] = y[k];
        }
    }

    fn apply_scales(&mut self) {
        let rows = &self.scaling.rows;
        self.row_scale.iter_mut().zip(&self.row_of).for_each(|(s, i)| *s = rows[*i as usize]);
        self.entry_scale.iter_mut().zip(&self.pattern.row).for_each(|(s, i)| *s = rows[*i]);
    }

    fn choose_pivots(&mut self, values: &[f64]) -> Result<(), Fault> {
        let n = self.pattern.n();
        let mut active = Active::new(&self.pattern, values, &self.scaling.rows);
        let mut pivots = Vec::with_capacity(n);
        for _ in 0..n {
            let (row, column) = active.next_pivot()?;
            pivots.push((row, column, active.eliminate(row, column)));
        }
        self.lay_out(&pivots);
        self.apply_scales();
        Ok(())
    }

    /// Turn the pivots, with the U columns and L rows of each, into the flat lists.
    fn lay_out(&mut self, pivots: &[(usize, usize, Cross)]) {
        let n = pivots.len();
        let (mut row_position, mut column_position) = (vec![0; n], vec![0; n]);
        for (k, (row, column, _)) in pivots.iter().enumerate() {
            row_position[*row] = k as u32;
            column_position[*column] = k as u32;
        }
        self.row_of = pivots.iter().map(|p| p.0 as u32).collect();
        self.column_of = pivots.iter().map(|p| p.1 as u32).collect();
        self.start = vec![0];
        self.split.clear();
        self.position.clear();
        for (k, (_, _, cross)) in pivots.iter().enumerate() {
            self.position.push(k as u32);
            let mut u: Vec<u32> = cross.columns.iter().map(|j| column_position[*j]).collect();
            u.sort_unstable();
            self.position.extend(u);
            self.split.push(self.position.len() as u32);
            let mut l: Vec<u32> = cross.rows.iter().map(|i| row_position[*i]).collect();
            l.sort_unstable();
            self.position.extend(l);
            self.start.push(self.position.len() as u32);
        }
        self.x = vec![0.0; self.position.len()];

        self.target = Vec::new();
        for k in 0..n {
            let end = self.start[k + 1];
            for i in self.split[k]..end {
                for j in self.start[k] + 1..self.split[k] {
                    let to = self.find(self.position[i as usize], self.position[j as usize]);
                    self.target.push(to - end);
                }
            }
        }
        let entries = self.pattern.entries();
        self.place = entries.map(|(i, j, _)| self.find(row_position[i], column_position[j])).collect();
    }

    /// Place in `x` of the entry at positions (i, j), which exists.
    fn find(&self, i: u32, j: u32) -> u32 {
        let k = i.min(j) as usize;
        let (first, wanted) = match i.cmp(&j) {
            std::cmp::Ordering::Equal => return self.start[k],
            std::cmp::Ordering::Less => (self.start[k] + 1..self.split[k], j),
            std::cmp::Ordering::Greater => (self.split[k]..self.start[k + 1], i),
        };
        let among = &self.position[first.start as usize..first.end as usize];
        first.start + among.binary_search(&wanted).expect("elimination created this entry") as u32
    }
}

/// Powers of two r_i such that, with column factors alike, every row's and column's largest entry is near 1.
#[derive(Clone, Debug)]
struct Scaling {
    rows: Vec<f64>,
    columns: Vec<f64>,
    row_max: Vec<f64>,
    column_max: Vec<f64>,
}

impl Scaling {
    fn new(n: usize) -> Self {
        Scaling { rows: vec![1.0; n], columns: vec![1.0; n], row_max: vec![0.0; n], column_max: vec![0.0; n] }
    }

    fn equilibrate(&mut self, pattern: &Pattern, values: &[f64]) {
        self.rows.fill(1.0);
        self.columns.fill(1.0);
        let toward_one = |scales: &mut [f64], largest: &[f64]| {
            for (s, max) in scales.iter_mut().zip(largest) {
                if *max > 0.0 && max.is_finite() {
                    *s = (*s / max.sqrt()).clamp(1e-150, 1e150);
                }
            }
        };
        // Each sweep halves the distance to 1 on a logarithmic scale; powers of two need no more.
        for _ in 0..6 {
            self.row_max.fill(0.0);
            self.column_max.fill(0.0);
            for (i, j, k) in pattern.entries() {
                let size = (self.rows[i] * values[k] * self.columns[j]).abs();
                self.row_max[i] = self.row_max[i].max(size);
                self.column_max[j] = self.column_max[j].max(size);
            }
            toward_one(&mut self.rows, &self.row_max);
            toward_one(&mut self.columns, &self.column_max);
        }
        self.rows.iter_mut().for_each(|s| *s = s.log2().round().exp2());
    }
}

/// What one pivot leaves behind: the columns of its row, the rows of its column.
struct Cross {
    columns: Vec<usize>,
    rows: Vec<usize>,
}

/// The part of the matrix not yet eliminated.
struct Active {
    /// (column, value) of each row, in any order.
    rows: Vec<Vec<(usize, f64)>>,
    /// Rows of each column.
    columns: Vec<Vec<usize>>,
    /// Largest entry each column began with.
    largest: Vec<f64>,
    left: Vec<usize>,
    /// Scratch of `eliminate`: place of a column in the row at hand.
    at: Vec<usize>,
}

impl Active {
    fn new(pattern: &Pattern, values: &[f64], scale: &[f64]) -> Self {
        let n = pattern.n();
        let mut active = Active {
            rows: vec![Vec::new(); n],
            columns: vec![Vec::new(); n],
            largest: vec![0.0; n],
            left: (0..n).collect(),
            at: vec![usize::MAX; n],
        };
        for (i, j, k) in pattern.entries() {
            let value = scale[i] * values[k];
            active.rows[i].push((j, value));
            active.columns[j].push(i);
            active.largest[j] = active.largest[j].max(value.abs());
        }
        active
    }

    fn value(&self, i: usize, j: usize) -> f64 {
        self.rows[i].iter().find(|(column, _)| *column == j).map_or(0.0, |(_, value)| *value)
    }

    /// The eligible entry of lowest Markowitz count, the larger one if counts are equal.
    fn next_pivot(&mut self) -> Result<(usize, usize), Fault> {
        let few = SEARCH.min(self.left.len());
        let columns = &self.columns;
        self.left.sort_by_key(|j| columns[*j].len());
        let mut best: Option<(usize, f64, usize, usize)> = None;
        for &j in &self.left[..few] {
            let largest = self.columns[j].iter().map(|i| self.value(*i, j).abs()).fold(0.0, f64::max);
            if largest <= NOISE * self.largest[j] {
                return Err(Fault::Singular { column: j });
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
        best.map(|(_, _, i, j)| (i, j)).ok_or(Fault::NotFinite)
    }

    fn eliminate(&mut self, row: usize, column: usize) -> Cross {
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
        Cross { columns: u.iter().map(|(j, _)| *j).collect(), rows: below }
    }
}

#[cfg(test)]
mod tests;
