//! Constraints of closed loops: multipliers at every evaluation, states projected after every step, a pose to begin with.
//!
//!   0 = g̈(t, y, 0) + S λ,   f = f(t, y, 0) + B λ                                                    (1)
//!   ∂f/∂y with λ eliminated = f_y − B S⁻¹ g̈_y                                                      (2)
//!   Δy = −W Gᵀ (G W Gᵀ)⁻¹ g,   G = ∂g/∂y,   W = diag(size²);   for ġ alike                          (3)
//!
//! S and G W Gᵀ may be singular: constraints may repeat each other, or lose rank in a pose. `Semidefinite` then gives the multipliers of least
//! norm, and the smallest correction.
//!
//! A quaternion in a loop is one only with unit length: ½ (|q|² − 1) = 0 is a row of (3) beside the gaps, so that corrections keep to
//! the turns that there are, and what their curvature leaves is scaled away before gaps are looked at again. (4)
//!
//! (1), (2) [Featherstone2008, ch. 8]; (3) after each accepted step is the projection of [Eich1993]: drift does not add up.

mod assembly;
mod projection;

use trunnion_equations::image::ConstraintLayout;
use trunnion_equations::{Entries, Image};
use trunnion_num::{Archive, Matrix, Pattern, Semidefinite};

pub use assembly::{Assembly, AssemblyError, OpenLoop};
use projection::Projection;
pub use projection::QuaternionPlaces;
pub(crate) use projection::normalise;

/// Newton's iterations of nonlinear multipliers.
const ITERATIONS: usize = 20;
/// A correction below this, relative to the size of its state, is the last: the next would be a thousandth of it (`HELD_BACK`).
const LAST: f64 = 1e-7;
/// Passes of (3) after a step; more are needed only where a step left the constraints far behind.
const PASSES: usize = 4;
/// Directions of S worth less than this, relative to its diagonal, are not solved for to rounding: `Semidefinite`.
const WEAK: f64 = 1e-4;

/// Evaluations whose multipliers are remembered: those of a step, its search and its reading.
const RECENT: usize = 12;

/// The closed loops of one run. Buffers are named after the program that fills them.
pub struct ClosedLoops {
    n: usize,
    m: usize,
    linear: bool,
    s: Semidefinite,
    b: Entries,
    /// y, then λ.
    pub extended: Vec<f64>,
    /// The same as it was found lately with the values of today, and the time; the next one goes to this place.
    recent: Vec<(f64, Vec<f64>)>,
    next: usize,
    /// Of `ProgramKind::Closure`.
    pub forces: Vec<f64>,
    /// Derivatives of f and g̈ by y and λ, and (row, column) of each.
    pub jacobian: Vec<f64>,
    entries: Entries,
    /// Place of each entry of ∂f/∂y in the pattern of (2).
    direct: Vec<Option<usize>>,
    pattern: Pattern,
    /// Columns of y that g̈ depends on, and S⁻¹ g̈_y by them.
    columns: Vec<usize>,
    eliminated: Vec<f64>,
    /// Of `ProgramKind::TimeGradient`.
    pub f_t: Vec<f64>,
    /// Of `ProgramKind::Gaps`.
    gaps: Vec<f64>,
    /// Rows: gaps, then (4) of `quaternions`.
    position: Projection,
    velocity: Projection,
    /// Those that gaps depend on.
    quaternions: Vec<QuaternionPlaces>,
    right: Vec<f64>,
}

impl ClosedLoops {
    pub fn new(image: &Image) -> Option<Self> {
        let (n, layout) = (image.n(), &image.constraint_layout);
        let ConstraintLayout { m, linear, s, b, .. } = layout;
        if *m == 0 {
            return None;
        }
        let size: Vec<f64> =
            image.unknowns.iter().map(|&s| image.quantity(s).nominal.map_or(1.0, |n| n.size)).collect();
        let entries: Entries = image.joined.entries().map(|(i, j, _)| (i, j)).collect();
        let mut columns: Vec<usize> = entries.iter().filter(|e| e.0 >= n && e.1 < n).map(|e| e.1).collect();
        columns.sort_unstable();
        columns.dedup();
        let direct =
            entries.iter().map(|&(i, j)| (i < n && j < n).then(|| image.pattern.find(i, j)).flatten());
        let mut quaternions = image.quaternions.clone();
        quaternions.retain(|q| layout.by_position.iter().any(|e| q.contains(&e.1)));
        let mut by_position = layout.by_position.clone();
        by_position.extend(lengths(&quaternions, *m));
        Some(ClosedLoops {
            n,
            m: *m,
            linear: *linear,
            s: Semidefinite::new(*m, s),
            b: b.clone(),
            extended: vec![0.0; n + m],
            recent: vec![(f64::NAN, vec![0.0; n + m]); RECENT],
            next: 0,
            forces: vec![0.0; n + m + s.len() + b.len()],
            jacobian: vec![0.0; entries.len()],
            direct: direct.collect(),
            pattern: image.pattern.clone(),
            eliminated: vec![0.0; m * columns.len()],
            columns,
            entries,
            f_t: vec![0.0; n + m],
            gaps: vec![0.0; 2 * m + layout.by_position.len() + layout.by_velocity.len()],
            position: Projection::new(m + quaternions.len(), &by_position, &size),
            velocity: Projection::new(*m, &layout.by_velocity, &size),
            quaternions,
            right: vec![0.0; *m],
        })
    }

    /// Multipliers at `y`, and f there into `forces[..n]`. `run` fills `forces` from `extended`.
    pub(crate) fn solve_multipliers(&mut self, y: &[f64], mut run: impl FnMut(&[f64], &mut [f64])) {
        let (n, m) = (self.n, self.m);
        self.extended[..n].copy_from_slice(y);
        self.extended[n..].fill(0.0);
        for _ in 0..if self.linear { 1 } else { ITERATIONS } {
            run(&self.extended, &mut self.forces);
            let (values, slopes) = self.forces.split_at_mut(n + m);
            let (s, b) = slopes.split_at(slopes.len() - self.b.len());
            if self.s.factor(s.iter().copied()).is_err() {
                values[..n].fill(f64::NAN);
                return;
            }
            let (f, g) = values.split_at_mut(n);
            self.right.iter_mut().zip(g).for_each(|(r, g)| *r = -*g);
            self.s.solve(&mut self.right); // (1)
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for (lambda, d) in self.extended[n..].iter_mut().zip(&self.right) {
                *lambda += d;
                change = change.max(d.abs());
                size = size.max(lambda.abs());
            }
            for (&(i, k), b) in self.b.iter().zip(b) {
                f[i] += b * self.right[k]; // (1)
            }
            if change <= 1e-13 * size {
                break;
            }
        }
    }

    /// Remember the multipliers of the last `solve_multipliers`, made at t.
    pub(crate) fn store_multipliers(&mut self, t: f64) {
        let (time, extended) = &mut self.recent[self.next];
        *time = t;
        extended.copy_from_slice(&self.extended);
        self.next = (self.next + 1) % RECENT;
    }

    /// Parameters, inputs or modes are others.
    pub(crate) fn discard_multipliers(&mut self) {
        self.recent.iter_mut().for_each(|(time, _)| *time = f64::NAN);
    }

    /// Puts multipliers that are remembered into `extended`; false: there are none. `forces` are others then.
    pub(crate) fn recall_multipliers(&mut self, t: f64, y: &[f64]) -> bool {
        let known = self.recent.iter().find(|(time, extended)| *time == t && extended[..y.len()] == *y);
        known.map(|(_, extended)| self.extended.copy_from_slice(extended)).is_some()
    }

    /// (2) into `values`, from `jacobian`, with S of the last `solve_multipliers`.
    pub fn eliminate(&mut self, values: &mut [f64]) {
        let (n, m) = (self.n, self.m);
        values.fill(0.0);
        self.eliminated.fill(0.0);
        for ((&(i, j), value), place) in self.entries.iter().zip(&self.jacobian).zip(&self.direct) {
            if let Some(place) = place {
                values[*place] = *value;
            } else if i >= n && j < n {
                let column = self.columns.binary_search(&j).expect("listed when the loops were made");
                self.eliminated[column * m + (i - n)] = *value;
            }
        }
        let b = &self.forces[self.forces.len() - self.b.len()..];
        for (column, x) in self.columns.iter().zip(self.eliminated.chunks_exact_mut(m)) {
            self.s.solve(x);
            for (&(i, k), b) in self.b.iter().zip(b) {
                if let Some(place) = self.pattern.find(i, *column) {
                    values[place] -= b * x[k];
                }
            }
        }
    }

    /// ∂λ/∂y after `eliminate`, m × n.
    pub(crate) fn multipliers_by_y(&self) -> Matrix {
        let mut all = Matrix::zeros(self.m, self.n);
        for (&j, x) in self.columns.iter().zip(self.eliminated.chunks_exact(self.m)) {
            x.iter().enumerate().for_each(|(k, x)| all[(k, j)] = -x);
        }
        all
    }

    /// Of ∂(f, g̈)/∂u, which loses its last rows, ∂f/∂u with λ eliminated; and ∂λ/∂u. As `eliminate`.
    pub(crate) fn eliminate_inputs(&mut self, by_input: &Matrix) -> (Matrix, Matrix) {
        let (n, n_u) = (self.n, by_input.columns());
        let mut f = by_input.block((0, 0), n, n_u);
        let mut multipliers = Matrix::zeros(self.m, n_u);
        let b = &self.forces[self.forces.len() - self.b.len()..];
        for j in 0..n_u {
            let mut x: Vec<f64> = (0..self.m).map(|k| -by_input[(n + k, j)]).collect();
            self.s.solve(&mut x);
            x.iter().enumerate().for_each(|(k, x)| multipliers[(k, j)] = *x);
            self.b.iter().zip(b).for_each(|(&(i, k), b)| f[(i, j)] += b * x[k]);
        }
        (f, multipliers)
    }

    /// ∂f/∂t with λ eliminated, in place of `f_t[..n]`; as `eliminate`.
    pub(crate) fn eliminate_time(&mut self) {
        let (f, g) = self.f_t.split_at_mut(self.n);
        self.s.solve(g);
        let b = &self.forces[self.forces.len() - self.b.len()..];
        for (&(i, k), b) in self.b.iter().zip(b) {
            f[i] -= b * g[k];
        }
    }

    /// Bring `y` back to g = 0 and ġ = 0. `run` fills `gaps` from y. True if anything moved.
    pub fn project(&mut self, y: &mut [f64], run: impl FnMut(&[f64], &mut [f64])) -> bool {
        self.correct_states(y, run, false)
    }

    /// The same to rounding, also where constraints say little: for a pose that no step has led to.
    pub fn restore(&mut self, y: &mut [f64], run: impl FnMut(&[f64], &mut [f64])) -> bool {
        self.correct_states(y, run, true)
    }

    fn correct_states(
        &mut self,
        y: &mut [f64],
        mut run: impl FnMut(&[f64], &mut [f64]),
        exact: bool,
    ) -> bool {
        let mut moved = false;
        for _ in 0..PASSES {
            self.read(y, &mut run);
            let a = self.position.correct(y, exact);
            let b = self.velocity.correct(y, exact);
            moved |= a > 0.0 || b > 0.0;
            if a > 0.0 {
                self.quaternions.iter().for_each(|q| moved |= normalise(q, y));
            }
            let again = a > LAST || b > LAST;
            if !again {
                break;
            }
        }
        moved
    }

    /// Gaps, their rates and their slopes at `y`, into the rows of both projections.
    fn read(&mut self, y: &[f64], run: &mut impl FnMut(&[f64], &mut [f64])) {
        run(y, &mut self.gaps);
        let m = self.m;
        let (values, slopes) = self.gaps.split_at(2 * m);
        let (by_position, by_velocity) = slopes.split_at(slopes.len() - self.velocity.slopes.len());
        self.velocity.gap.copy_from_slice(&values[m..]);
        self.velocity.slopes.copy_from_slice(by_velocity);
        self.position.gap[..m].copy_from_slice(&values[..m]);
        self.position.slopes[..by_position.len()].copy_from_slice(by_position);
        let rows = self.position.gap[m..].iter_mut();
        let (slopes, _) = self.position.slopes[by_position.len()..].as_chunks_mut::<4>();
        for ((row, slopes), q) in rows.zip(slopes).zip(&self.quaternions) {
            let values = q.map(|i| y[i]);
            *row = 0.5 * (values.iter().map(|x| x * x).sum::<f64>() - 1.0); // (4)
            slopes.copy_from_slice(&values);
        }
    }

    /// As `Lu::reserve`.
    pub fn reserve(&mut self) {
        [&mut self.s, &mut self.position.gram, &mut self.velocity.gram]
            .into_iter()
            .for_each(Semidefinite::reserve);
    }

    /// What the next evaluation takes over from those before.
    pub fn remember(&mut self, archive: &mut Archive) {
        for matrix in [&mut self.s, &mut self.position.gram, &mut self.velocity.gram] {
            matrix.remember(archive);
        }
    }

    /// Constraints that follow from others in the pose of the last `solve_multipliers`; then those that almost do: what they say is worth so little that
    /// multipliers are not found to rounding.
    pub fn dependent(&self) -> (Vec<usize>, Vec<usize>) {
        // Rounding of S, which has squares of J.
        let dependent = self.s.dependent_rows(1e-10);
        let mut weak = self.s.dependent_rows(WEAK);
        weak.retain(|k| !dependent.contains(k));
        (dependent, weak)
    }
}

/// Entries of (4), rows from `first` on.
fn lengths(quaternions: &[QuaternionPlaces], first: usize) -> impl Iterator<Item = (usize, usize)> {
    quaternions.iter().enumerate().flat_map(move |(k, q)| q.map(|j| (first + k, j)))
}

#[cfg(test)]
mod tests;
