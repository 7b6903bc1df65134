//! The one face of all solvers: restart from values, take one accepted step, give the curve over it.

use crate::problem::Problem;
pub use crate::solvers::error::Tolerance;
use trunnion_num::Archive;

/// How a solver is to work. Fixed-step solvers use `h` alone.
#[derive(Clone, Debug)]
pub struct SolverOptions {
    /// Relative tolerance of every unknown.
    pub rtol: f64,
    /// Absolute tolerance of unknowns that have none of their own in the layout; None: rtol times their size.
    pub atol: Option<f64>,
    /// Largest step (s).
    pub h_max: f64,
    /// First step of an adaptive solver, or the step of a fixed-step one (s); None: chosen by the solver.
    pub h: Option<f64>,
}

impl Default for SolverOptions {
    fn default() -> Self {
        SolverOptions { rtol: 1e-6, atol: None, h_max: f64::INFINITY, h: None }
    }
}

/// Work done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolverWork {
    pub steps: u64,
    pub rejected: u64,
    pub residuals: u64,
    pub jacobians: u64,
    pub factorisations: u64,
    pub newton_failures: u64,
}

impl SolverWork {
    pub fn remember(&mut self, archive: &mut Archive) {
        let SolverWork { steps, rejected, residuals, jacobians, factorisations, newton_failures } = self;
        for count in [steps, rejected, residuals, jacobians, factorisations, newton_failures] {
            archive.word(count);
        }
    }
}

/// The polynomial a solver gives over its last step: y(t₀ + θ h) = Σ_k c_k θ^k, θ ∈ [0, 1].
#[derive(Clone, Debug, Default)]
pub struct Segment {
    pub t0: f64,
    pub t1: f64,
    pub degree: usize,
    /// Coefficient k of unknown i at `[k · n + i]`; degree + 1 rows.
    pub coefficients: Vec<f64>,
}

impl Segment {
    /// Values at `t`, by Horner's rule.
    pub fn at(&self, t: f64, y: &mut [f64]) {
        let n = y.len();
        let theta = if self.t1 > self.t0 { (t - self.t0) / (self.t1 - self.t0) } else { 0.0 };
        y.copy_from_slice(&self.coefficients[self.degree * n..(self.degree + 1) * n]);
        for k in (0..self.degree).rev() {
            let c = &self.coefficients[k * n..(k + 1) * n];
            for i in 0..n {
                y[i] = y[i] * theta + c[i];
            }
        }
    }

    /// What rounding may have done to each of them beside their values at the start.
    pub fn rounding(&self, out: &mut [f64]) {
        let n = out.len();
        out.fill(0.0);
        for c in self.coefficients[n..(self.degree + 1) * n].chunks_exact(n.max(1)) {
            (0..n).for_each(|i| out[i] += 4.0 * f64::EPSILON * c[i].abs());
        }
    }

    /// Their rates of change at `t`.
    pub fn slope(&self, t: f64, rate: &mut [f64]) {
        let (n, h) = (rate.len(), self.t1 - self.t0);
        let theta = if h > 0.0 { (t - self.t0) / h } else { 0.0 };
        rate.fill(0.0);
        for k in (1..=self.degree).rev() {
            let c = &self.coefficients[k * n..(k + 1) * n];
            for i in 0..n {
                rate[i] = rate[i] * theta + k as f64 * c[i] / h;
            }
        }
    }
}

/// Why a solver had to give up. Indices are into the layout.
#[derive(Clone, Debug, PartialEq)]
pub enum StepFailure {
    /// The step fell below what time can resolve; `unknown` dominated the error or did not converge.
    StepTooSmall { t: f64, h: f64, unknown: usize, cause: FailureCause },
    /// The equations have no finite value at the start of a step or after a jump.
    NotFinite { t: f64, row: usize },
    /// No consistent values were found.
    Inconsistent { t: f64, row: usize, residual: f64 },
    /// The matrix is singular: the equations do not determine `unknown`.
    Singular { t: f64, unknown: usize },
    /// A linear model was asked of a machine that runs an image: it has no equations in symbols.
    NoSymbols,
}

impl StepFailure {
    /// The unknown or row at fault.
    pub fn place(&self) -> Option<usize> {
        match *self {
            StepFailure::StepTooSmall { unknown: index, .. }
            | StepFailure::NotFinite { row: index, .. }
            | StepFailure::Inconsistent { row: index, .. }
            | StepFailure::Singular { unknown: index, .. } => Some(index),
            StepFailure::NoSymbols => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCause {
    Error,
    NoConvergence,
    NotFinite,
    Singular,
}

/// A solver. Allocates in `restart` at most; `step` allocates nothing.
pub trait Stepper: Send {
    /// Forget all history and begin at (t, y); `y` is consistent.
    fn restart(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), StepFailure>;
    /// One accepted step that ends at or before `limit`. Solvers in real time may leave it undone after a few attempts; the
    /// next call goes on.
    fn step(&mut self, problem: &mut dyn Problem, limit: f64) -> Result<(), StepFailure>;
    /// Begin at (t, y) on the curve over the last step, where equations go on without a jump: a restart that may keep the pace.
    fn resume(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), StepFailure> {
        self.restart(problem, t, y)
    }
    /// The same at the end of the last step, where inputs have changed and states have not.
    fn take_inputs(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), StepFailure> {
        self.resume(problem, t, y)
    }
    /// Whether kinks are frozen within steps, which end there; else each evaluation takes the branch of its values, and steps pass kinks.
    fn freezes_kinks(&self) -> bool {
        true
    }
    /// The values at the end of the last step are moved a little, to `y`; history is kept.
    fn adjust(&mut self, problem: &mut dyn Problem, y: &[f64]) -> Result<(), StepFailure>;
    /// About how long the next step will be; ∞: not known.
    fn pace(&self) -> f64 {
        f64::INFINITY
    }
    /// How many steps tried so far were at the limit of stability.
    fn stability_limited_steps(&self) -> u64 {
        0
    }
    /// Time and values at the end of the last step.
    fn state(&self) -> (f64, &[f64]);
    /// The curve over the last step.
    fn segment(&mut self) -> &Segment;
    fn work(&self) -> SolverWork;
    /// Share of its range by which an input of time may leave its value in a step. Below a half: no value is nearer than that to all others.
    fn input_share(&self) -> f64 {
        0.3
    }
    /// How much longer a step may be than one that inputs of time have limited.
    fn input_growth(&self) -> f64 {
        f64::INFINITY
    }
    /// How far the curve is from a solution in the middle of the last step, in tolerances; 0 where it is as good as its ends.
    fn curve_error(&mut self, problem: &mut dyn Problem) -> f64 {
        let _ = problem;
        0.0
    }
    /// What errors are held against; none without error control.
    fn tolerance(&self) -> Option<&Tolerance> {
        None
    }
    /// The same, as it stands.
    fn boxed(&self) -> Box<dyn Stepper>;
    /// What the next step takes over from those before; false if this solver cannot keep it.
    fn remember(&mut self, archive: &mut Archive) -> bool {
        let _ = archive;
        false
    }
}

impl Clone for Box<dyn Stepper> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}
