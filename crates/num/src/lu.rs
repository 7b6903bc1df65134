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
//! Choosing pivots allocates the first time, and later where they fill more than before unless `reserve` made room; nothing
//! else does. Pivots depend on the matrices before: `remember` keeps them, so that a run taken up again rounds as before.

mod active;

use crate::{Archive, FactorFault, Pattern};
use active::Active;

/// Largest matrix for which `reserve` makes room: some megabytes.
const MOST_RESERVED: usize = 128;
/// Largest |l_ik| tolerated before pivots are chosen anew: costs at most four of sixteen digits.
const GROWTH: f64 = 1e4;

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

    // Scratch of `choose_pivots` and `solve`.
    active: Active,
    row_position: Vec<u32>,
    column_position: Vec<u32>,
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
            active: Active::default(),
            row_position: vec![0; n],
            column_position: vec![0; n],
            work: vec![0.0; n],
        }
    }

    /// Room for pivots that fill the whole matrix, where it is small: choosing others never allocates then.
    pub fn reserve(&mut self) {
        let n = self.pattern.n();
        if n > MOST_RESERVED {
            return;
        }
        self.active.reserve(n);
        for list in [&mut self.row_of, &mut self.column_of, &mut self.split, &mut self.start] {
            list.reserve(n + 1);
        }
        self.place.reserve(self.pattern.nnz());
        self.position.reserve(n * n);
        self.x.reserve(n * n);
        // Σ k², k < n: every pivot touches all that is left.
        self.target.reserve(n * n * n / 3);
    }

    /// What the next factorisation takes over from those before: pivots and scales.
    pub fn remember(&mut self, archive: &mut Archive) {
        let n = self.pattern.n();
        archive.flag(&mut self.ready);
        if !self.ready {
            return;
        }
        if archive.reads() {
            (self.row_of, self.column_of) = (vec![0; n], vec![0; n]);
        }
        archive.places(&mut self.row_of, n);
        archive.places(&mut self.column_of, n);
        archive.numbers(&mut self.scaling.rows);
        if archive.reads() {
            self.active.fill(&self.pattern, &vec![1.0; self.pattern.nnz()], &self.scaling.rows);
            for k in 0..n {
                self.active.eliminate(self.row_of[k] as usize, self.column_of[k] as usize);
            }
            let mut rows = self.row_of.clone();
            rows.sort_unstable();
            rows.dedup();
            if rows.len() < n || !self.active.complete() {
                self.ready = false;
                return archive.refuse();
            }
            self.lay_out();
            self.apply_scales();
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
    pub fn refactor(&mut self, values: &[f64]) -> Result<(), FactorFault> {
        if self.ready && self.eliminate(values) {
            return Ok(());
        }
        if values.iter().any(|v| !v.is_finite()) {
            return Err(FactorFault::NotFinite);
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
        if self.eliminate(values) { Ok(()) } else { Err(FactorFault::NotFinite) }
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

    fn choose_pivots(&mut self, values: &[f64]) -> Result<(), FactorFault> {
        let n = self.pattern.n();
        self.active.fill(&self.pattern, values, &self.scaling.rows);
        self.row_of.clear();
        self.column_of.clear();
        for _ in 0..n {
            let (row, column) = self.active.next_pivot()?;
            self.row_of.push(row as u32);
            self.column_of.push(column as u32);
            self.active.eliminate(row, column);
        }
        self.lay_out();
        self.apply_scales();
        Ok(())
    }

    /// Turn the pivots, with the U columns and L rows of each, into the flat lists.
    fn lay_out(&mut self) {
        let n = self.row_of.len();
        for k in 0..n {
            self.row_position[self.row_of[k] as usize] = k as u32;
            self.column_position[self.column_of[k] as usize] = k as u32;
        }
        self.start.clear();
        self.start.push(0);
        self.split.clear();
        self.position.clear();
        for k in 0..n {
            let (columns, rows) = self.active.cross(k);
            self.position.push(k as u32);
            let first = self.position.len();
            self.position.extend(columns.iter().map(|j| self.column_position[*j as usize]));
            self.position[first..].sort_unstable();
            let split = self.position.len();
            self.split.push(split as u32);
            self.position.extend(rows.iter().map(|i| self.row_position[*i as usize]));
            self.position[split..].sort_unstable();
            self.start.push(self.position.len() as u32);
        }
        self.x.clear();
        self.x.resize(self.position.len(), 0.0);

        self.target.clear();
        for k in 0..n {
            let end = self.start[k + 1];
            for i in self.split[k]..end {
                for j in self.start[k] + 1..self.split[k] {
                    let to = self.find(self.position[i as usize], self.position[j as usize]);
                    self.target.push(to - end);
                }
            }
        }
        self.place.clear();
        for (i, j, _) in self.pattern.entries() {
            let to = self.find(self.row_position[i], self.column_position[j]);
            self.place.push(to);
        }
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

#[cfg(test)]
mod tests;
