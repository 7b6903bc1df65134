//! Newton's method with damping on a square part of a problem, and consistent values of the algebraic unknowns.
//!
//!   J Δ = −f(y),   y ← y + λ Δ                                                     (1)
//!   ‖J⁻¹ f(y + λ Δ)‖ ≤ (1 − λ/4) ‖Δ‖                                               (2)  [Deuflhard2011, §3.3.1]
//!   ‖D f(y + λ Δ)‖ ≤ (1 − λ/4) ‖D f(y)‖                                            (3)  [Deuflhard2011, §3.2.1]
//!
//! λ is halved until (2) or (3) holds. (2) measures corrections, each relative to its unknown's size, so it does not
//! depend on the units of the rows; (3) takes each row relative to what its unknowns contribute (D) and lets the method
//! walk down an exponential. If (1) gets stuck, the homotopy of `homotopy.rs` is tried from the same start.
//!
//! Limits: a start so poor that neither succeeds is reported with the row that is worst off; work is bounded.

mod consistent;

pub use consistent::ConsistentValues;

use crate::problem::{Layout, Problem};
use crate::stepper::{SolverWork, StepFailure};
use trunnion_num::{Lu, Pattern, null_vector};

/// Corrections below this, relative to the size of the unknown, no longer matter.
const CONVERGED: f64 = 1e-13;
/// Below this a correction that no longer shrinks is rounding, not divergence.
const ROUNDING: f64 = 1e-8;
/// A row below this share of what its unknowns contribute is zero.
const FULFILLED: f64 = 1e-9;
/// Smallest damping factor before (1) counts as stuck. Smooth equations need no less than 1e-4 [Deuflhard2011, p. 148]; the slope of a closed valve
/// points beyond its kink by ten decades.
const SMALLEST_DAMPING: f64 = 1e-13;
/// Walking down an exponential takes about one iteration for each factor e.
const ITERATIONS: usize = 250;

/// Why Newton's method stopped short. Row and unknown are numbered in the whole problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NewtonFailure {
    NotFinite { row: usize },
    Singular,
    NoConvergence,
}

/// Rows and unknowns that are solved together while the other unknowns are held.
#[derive(Clone)]
pub struct NewtonBlock {
    /// Row and unknown of each local index.
    pub rows: Vec<usize>,
    pub columns: Vec<usize>,
    /// Typical size of each unknown of the part.
    nominal: Vec<f64>,
    /// Local (row, column) and place among the values of the whole Jacobian, in the order of the local pattern.
    entries: Vec<(usize, usize, usize)>,
    /// The whole f and the whole Jacobian; written by `evaluate` and `linearise`.
    pub f: Vec<f64>,
    pub jacobian: Vec<f64>,
    lu: Lu,
    values: Vec<f64>,
    pub work: SolverWork,
    // Of `newton`: values of the whole problem tried, corrections and sizes of the part.
    trial: Vec<f64>,
    step: Vec<f64>,
    next: Vec<f64>,
    size: Vec<f64>,
    /// Largest contribution of an unknown to each row, now and ever.
    share: Vec<f64>,
    largest_share: Vec<f64>,
    /// Largest correction in one iteration, in sizes of the unknown.
    pub reach: f64,
}

impl NewtonBlock {
    /// `rows` for `columns`; both of the same length.
    pub fn new(layout: &Layout, rows: Vec<usize>, columns: Vec<usize>) -> Self {
        let (n, m) = (layout.n(), rows.len());
        let mut local_row = vec![usize::MAX; n];
        let mut local_column = vec![usize::MAX; n];
        for k in 0..m {
            local_row[rows[k]] = k;
            local_column[columns[k]] = k;
        }
        let mut entries: Vec<(usize, usize, usize)> = (layout.pattern.entries())
            .map(|(i, j, place)| (local_row[i], local_column[j], place))
            .filter(|&(i, j, _)| i != usize::MAX && j != usize::MAX)
            .collect();
        entries.sort_unstable_by_key(|&(i, j, _)| (j, i));
        let pattern = Pattern::from_entries(m, entries.iter().map(|&(i, j, _)| (i, j)));
        NewtonBlock {
            nominal: columns.iter().map(|&j| layout.nominal[j]).collect(),
            rows,
            columns,
            values: vec![0.0; entries.len()],
            lu: Lu::new(&pattern),
            entries,
            f: vec![0.0; n],
            jacobian: vec![0.0; layout.pattern.nnz()],
            work: SolverWork::default(),
            trial: vec![0.0; n],
            step: vec![0.0; m],
            next: vec![0.0; m],
            size: vec![1.0; m],
            share: vec![1.0; m],
            largest_share: vec![0.0; m],
            reach: 10.0,
        }
    }

    /// The algebraic rows for the algebraic unknowns.
    pub fn algebraic(layout: &Layout) -> Self {
        let rows: Vec<usize> = (0..layout.n()).filter(|&i| !layout.differential[i]).collect();
        Self::new(layout, rows.clone(), rows)
    }

    /// Number of unknowns of the part.
    pub fn m(&self) -> usize {
        self.rows.len()
    }

    /// f of the whole problem; Err: the first row of the part that is not finite.
    pub fn evaluate(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), NewtonFailure> {
        problem.residual(t, y, &mut self.f);
        self.work.residuals += 1;
        match self.rows.iter().find(|&&i| !self.f[i].is_finite()) {
            Some(&row) => Err(NewtonFailure::NotFinite { row }),
            None => Ok(()),
        }
    }

    /// Jacobian at (t, y), factored.
    pub fn linearise(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), NewtonFailure> {
        problem.jacobian(t, y, &mut self.jacobian);
        self.work.jacobians += 1;
        self.measure(y);
        self.factor()
    }

    /// Factor the part of the Jacobian at hand, columns scaled by the size of their unknowns.
    fn factor(&mut self) -> Result<(), NewtonFailure> {
        self.share.fill(f64::MIN_POSITIVE);
        for (value, &(i, j, place)) in self.values.iter_mut().zip(&self.entries) {
            *value = self.jacobian[place] * self.size[j];
            self.share[i] = self.share[i].max(value.abs());
        }
        for (largest, share) in self.largest_share.iter_mut().zip(&self.share) {
            *largest = largest.max(*share);
        }
        self.work.factorisations += 1;
        self.lu.refactor(&self.values).map_err(|_| NewtonFailure::Singular)
    }

    /// Size of each unknown: its value or its nominal, whichever is larger.
    fn measure(&mut self, y: &[f64]) {
        for k in 0..self.m() {
            self.size[k] = self.nominal[k].max(y[self.columns[k]].abs());
        }
    }

    /// Δ = −J⁻¹ f for the f of `evaluate`, in units of the sizes at the last `linearise`; into `step`.
    fn correction(&mut self) {
        for k in 0..self.m() {
            self.step[k] = -self.f[self.rows[k]];
        }
        self.lu.solve(&mut self.step);
    }

    /// One correction of `y` with the factors at hand (simplified Newton) after `evaluate`. Returns the largest
    /// correction, weighed by `weight` of the whole problem, and its unknown; `y` moves only if it exceeds `tolerance`.
    pub(crate) fn correct(&mut self, y: &mut [f64], weight: &[f64], tolerance: f64) -> (f64, usize) {
        self.correction();
        let (mut norm, mut worst) = (0.0, 0);
        for k in 0..self.m() {
            let i = self.columns[k];
            let e = (self.step[k] * self.size[k]).abs() / weight[i];
            if e > norm || e.is_nan() {
                (norm, worst) = (e, i);
            }
        }
        if norm > tolerance {
            for k in 0..self.m() {
                y[self.columns[k]] += self.step[k] * self.size[k];
            }
        }
        (norm, worst)
    }

    /// Damped Newton (1), (2) from `y`, which is left at the best point reached.
    pub fn newton(&mut self, problem: &mut dyn Problem, t: f64, y: &mut [f64]) -> Result<(), NewtonFailure> {
        if self.m() == 0 {
            return Ok(());
        }
        let mut damping = 1.0;
        self.evaluate(problem, t, y)?;
        for _ in 0..ITERATIONS {
            self.linearise(problem, t, y)?;
            self.correction();
            std::mem::swap(&mut self.step, &mut self.next);
            let norm = largest(&self.next);
            if !norm.is_finite() {
                return Err(NewtonFailure::Singular);
            }
            if norm <= CONVERGED {
                self.advance(y, 1.0);
                return Ok(());
            }
            damping = f64::min(damping, self.reach / norm);
            let residual = self.residual_norm();
            let reached = loop {
                self.trial.copy_from_slice(y);
                let mut trial = std::mem::take(&mut self.trial);
                self.advance(&mut trial, damping);
                let finite = self.evaluate(problem, t, &trial).is_ok();
                self.trial = trial;
                let reached = if finite {
                    self.correction();
                    largest(&self.step)
                } else {
                    f64::INFINITY
                };
                let keep = 1.0 - damping / 4.0;
                if reached <= keep * norm || finite && self.residual_norm() <= keep * residual {
                    break reached; // (2), (3)
                }
                if norm <= ROUNDING && finite {
                    return Ok(());
                }
                damping /= 2.0;
                if damping < SMALLEST_DAMPING {
                    return Err(NewtonFailure::NoConvergence);
                }
            };
            y.copy_from_slice(&self.trial);
            if damping == 1.0 && reached <= CONVERGED {
                return Ok(());
            }
            damping = f64::min(1.0, 4.0 * damping);
        }
        Err(NewtonFailure::NoConvergence)
    }

    /// y ← y + λ Δ, Δ in `next`.
    fn advance(&self, y: &mut [f64], damping: f64) {
        for k in 0..self.m() {
            y[self.columns[k]] += damping * self.next[k] * self.size[k];
        }
    }

    /// ‖D f‖: each row relative to what its unknowns contributed at the last `linearise`.
    pub(crate) fn residual_norm(&self) -> f64 {
        (0..self.m()).fold(0.0, |m: f64, k| m.max(self.f[self.rows[k]].abs() / self.share[k]))
    }

    /// Whether all rows are zero at (t, y), to rounding of what their unknowns contribute there or contributed anywhere before.
    pub(crate) fn fulfilled(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> bool {
        if self.evaluate(problem, t, y).is_err() {
            return false;
        }
        let _ = self.linearise(problem, t, y);
        (0..self.m()).all(|k| self.f[self.rows[k]].abs() <= FULFILLED * self.largest_share[k])
    }

    /// The row that is worst off at (t, y), and its f.
    pub(crate) fn worst_row(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> (usize, f64) {
        problem.residual(t, y, &mut self.f);
        let _ = self.linearise(problem, t, y);
        let badness = |k: usize| {
            let r = self.f[self.rows[k]].abs() / self.share[k];
            if r.is_nan() { f64::INFINITY } else { r }
        };
        let worst = (0..self.m()).max_by(|&a, &b| badness(a).total_cmp(&badness(b))).unwrap_or(0);
        (self.rows[worst], self.f[self.rows[worst]])
    }

    /// The unknown that the rows leave free at (t, y): the largest of a null vector; None if the part is regular.
    pub(crate) fn undetermined(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Option<usize> {
        problem.jacobian(t, y, &mut self.jacobian);
        self.measure(y);
        let m = self.m();
        let mut a = vec![0.0; m * m];
        for &(i, j, place) in &self.entries {
            a[i * m + j] = self.jacobian[place] * self.size[j];
        }
        for row in a.chunks_exact_mut(m.max(1)) {
            let scale = largest(row);
            row.iter_mut().for_each(|x| *x /= if scale > 0.0 { scale } else { 1.0 });
        }
        // Rounding of an elimination of this size.
        let x = null_vector(a, m, 16.0 * m as f64 * f64::EPSILON)?;
        let free = (0..m).max_by(|&i, &j| x[i].abs().total_cmp(&x[j].abs()))?;
        Some(self.columns[free])
    }

    /// What to tell the user when `stuck` at (t, y).
    pub fn failure(
        &mut self,
        problem: &mut dyn Problem,
        t: f64,
        y: &[f64],
        why: NewtonFailure,
    ) -> StepFailure {
        if let NewtonFailure::NotFinite { row } = why {
            return StepFailure::NotFinite { t, row };
        }
        if why == NewtonFailure::Singular
            && let Some(unknown) = self.undetermined(problem, t, y)
        {
            return StepFailure::Singular { t, unknown };
        }
        let (row, residual) = self.worst_row(problem, t, y);
        StepFailure::Inconsistent { t, row, residual }
    }

    /// Local (row, column, value) of every entry of the Jacobian, columns scaled by the sizes of the unknowns.
    pub(crate) fn scaled_entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.entries.iter().map(|&(i, j, place)| (i, j, self.jacobian[place] * self.size[j]))
    }

    pub(crate) fn size(&self) -> &[f64] {
        &self.size
    }
}

/// ‖x‖∞, NaN if there is one.
pub(crate) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, x| if m.is_nan() || x.is_nan() { f64::NAN } else { m.max(x.abs()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::Scene;

    /// x is differential, z algebraic.
    fn check(
        residual: impl Fn(f64, &[f64]) -> f64 + 'static,
        x: f64,
        start: f64,
    ) -> Result<f64, StepFailure> {
        let mut scene = Scene::new(&["x", "z"], move |t, y, _, f| {
            f[0] = 0.0;
            f[1] = residual(t, y);
        })
        .algebraic(&[1]);
        let mut y = [x, start];
        ConsistentValues::new(scene.layout()).solve(&mut scene, 0.0, &mut y)?;
        assert_eq!(y[0], x);
        Ok(y[1])
    }

    fn assert_root(found: Result<f64, StepFailure>, expected: f64) {
        let z = found.unwrap();
        assert!((z - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{z} is not {expected}");
    }

    #[test]
    fn roots_are_found_from_poor_starts() {
        assert_root(check(|_, y| y[1] * y[1] - y[0], 2.0, 1.0), 2.0_f64.sqrt());
        // Undamped Newton diverges from here.
        assert_root(check(|_, y| (y[1] - y[0]).atan(), 3.0, 50.0), 3.0);
        // The logarithm has no value where the full step leads.
        assert_root(check(|_, y| y[1].ln() + y[0], 5.0, 10.0), (-5.0_f64).exp());
        // A flow through a sharp orifice: infinite slope at the root's neighbour.
        assert_root(check(|_, y| y[0] - 1e-6 * y[1].abs().sqrt() * y[1].signum(), 1e-3, 1.0), 1e6);
    }

    #[test]
    fn homotopy_passes_the_fold_where_newton_is_caught() {
        // z³ − 2 z + 2: from 0 Newton goes to and fro between 0 and 1, damped it ends at the minimum near 0.816.
        let root = -1.7692923542386314;
        let cubic = |_: f64, y: &[f64]| y[1].powi(3) - 2.0 * y[1] + 2.0;
        assert_root(check(cubic, 0.0, 0.0), root);
        assert_root(check(cubic, 0.0, 1.0), root);
        // A diode behind a resistor, from far off in the exponential.
        let diode = |_: f64, y: &[f64]| (y[0] - y[1]) / 1e3 - 1e-12 * ((y[1] / 0.025).exp() - 1.0);
        let u = check(diode, 10.0, 5.0).unwrap();
        assert!(((10.0 - u) / 1e3 / (1e-12 * ((u / 0.025).exp() - 1.0)) - 1.0).abs() < 1e-9, "{u}");
    }

    #[test]
    fn a_row_without_a_root_is_named() {
        let failure = check(|_, y| y[1] * y[1] + 1.0, 0.0, 3.0).unwrap_err();
        assert!(
            matches!(failure, StepFailure::Inconsistent { row: 1, residual, .. } if residual >= 1.0),
            "{failure:?}"
        );
        let failure = check(|_, y| y[0], 1.0, 0.0).unwrap_err();
        assert_eq!(failure, StepFailure::Singular { t: 0.0, unknown: 1 });
        let failure = check(|_, y| (y[1] - 2.0).sqrt(), 1.0, 0.0).unwrap_err();
        assert_eq!(failure, StepFailure::NotFinite { t: 0.0, row: 1 });
    }
}
