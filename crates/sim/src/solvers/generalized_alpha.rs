//! The generalized-α method with a fixed step; Newmark and HHT-α are parameter sets of it.
//!
//!   q₁ = q₀ + h v₀ + h² ((½ − β) a₀ + β a₁)                                          (1)
//!   v₁ = v₀ + h ((1 − γ) a₀ + γ a₁)                                                  (2)
//!   (1 − α_m) a₁ + α_m a₀ = (1 − α_f) f_v(t₁, y₁) + α_f f_v(t₀, y₀)                  (3)  [Chung1993, eq. 3 to 6]
//!   0 = f_a(t₁, y₁)                                                                  (4)
//!
//! Forces are weighted at the ends of the step, as HHT-α writes them [Hilber1977]. Differential unknowns outside a pair
//! (position, velocity) follow (2) and (3) with their rate in place of a [Jansen2000]. Second order if
//! γ = ½ − α_m + α_f, unconditionally stable for linear problems if α_m ≤ α_f ≤ ½ and β ≥ ¼ + ½ (α_f − α_m).
//! a is the method's own: it follows the true acceleration to first order only.
//!
//! (1) to (4) are solved for a₁ and the algebraic unknowns by Newton's method to rounding; positions are eliminated.
//! Between the steps: Hermite cubic with the true rates, algebraic unknowns linear.

use super::fixed::{DEFAULT_STEP, FixedSteps};
use crate::problem::{Layout, Problem};
use crate::stepper::{FailureCause, Segment, SolverOptions, SolverWork, StepFailure, Stepper};
use trunnion_num::{FactorFault, Lu, Pattern};

/// The numbers of (1) to (3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    pub alpha_m: f64,
    pub alpha_f: f64,
    pub beta: f64,
    pub gamma: f64,
}

impl Parameters {
    /// Second order, highest frequencies damped to `rho_inf` per step, 0 to 1. [Chung1993, eq. 25]
    pub fn generalized_alpha(rho_inf: f64) -> Self {
        let alpha_m = (2.0 * rho_inf - 1.0) / (rho_inf + 1.0);
        let alpha_f = rho_inf / (rho_inf + 1.0);
        let beta = 0.25 * (1.0 - alpha_m + alpha_f).powi(2);
        Parameters { alpha_m, alpha_f, beta, gamma: 0.5 - alpha_m + alpha_f }
    }

    /// (¼, ½): average acceleration. Second order only for γ = ½. [Newmark1959]
    pub(crate) fn newmark(beta: f64, gamma: f64) -> Self {
        Parameters { alpha_m: 0.0, alpha_f: 0.0, beta, gamma }
    }

    /// α from 0 (average acceleration) to ⅓ (most damping). [Hilber1977]
    pub(crate) fn hht(alpha: f64) -> Self {
        Parameters { alpha_m: 0.0, alpha_f: alpha, beta: 0.25 * (1.0 + alpha).powi(2), gamma: 0.5 + alpha }
    }
}

/// What a₀ of the first step is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartAcceleration {
    /// The accelerations the equations give.
    #[default]
    Consistent,
    /// Zero, as structural codes do whose loads begin with the first step.
    Zero,
}

/// Corrections below this, relative to the size of the unknown's change, are rounding.
const CONVERGED: f64 = 1e-14;
/// Below this a correction that no longer shrinks is rounding, not divergence.
const ROUNDING: f64 = 1e-9;
const ITERATIONS: usize = 25;
/// The Jacobian is taken anew when an iteration gains less than this.
const CONTRACTION: f64 = 0.1;

/// What an unknown of the Newton iteration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnknownKind {
    /// Acceleration of this velocity, which also moves this position.
    Acceleration {
        position: usize,
    },
    Rate,
    Algebraic,
}

/// The shape of the Newton system; built from the layout.
#[derive(Clone, Default)]
struct NewtonShape {
    /// Unknown of the problem and kind, for each local index.
    unknowns: Vec<(usize, UnknownKind)>,
    /// Pattern of the Newton matrix; the place of each diagonal entry in it.
    pattern: Pattern,
    diagonal: Vec<usize>,
    /// Local row, local column, places in the Jacobian and in the matrix, and whether the column stands for a position.
    entries: Vec<MatrixEntry>,
}

#[derive(Clone)]
struct MatrixEntry {
    row: usize,
    column: usize,
    from: usize,
    to: usize,
    is_position: bool,
}

impl NewtonShape {
    fn new(layout: &Layout) -> Self {
        let n = layout.n();
        let mut kind: Vec<Option<UnknownKind>> = layout
            .differential
            .iter()
            .map(|d| Some(if *d { UnknownKind::Rate } else { UnknownKind::Algebraic }))
            .collect();
        for &(position, velocity) in &layout.second_order {
            kind[position] = None;
            kind[velocity] = Some(UnknownKind::Acceleration { position });
        }
        let unknowns: Vec<(usize, UnknownKind)> =
            (0..n).filter_map(|i| kind[i].map(|kind| (i, kind))).collect();
        // Local index of the unknown that moves each y.
        let mut local = vec![usize::MAX; n];
        let mut local_row = vec![usize::MAX; n];
        for (k, &(i, kind)) in unknowns.iter().enumerate() {
            local[i] = k;
            local_row[i] = k;
            if let UnknownKind::Acceleration { position } = kind {
                local[position] = k;
            }
        }
        let m = unknowns.len();
        let inside = || layout.pattern.entries().filter(|&(i, _, _)| local_row[i] != usize::MAX);
        let places = inside().map(|(i, j, _)| (local_row[i], local[j])).chain((0..m).map(|k| (k, k)));
        let pattern = Pattern::from_entries(m, places);
        let place = |i, j| pattern.find(i, j).expect("just entered");
        let entries = inside()
            .map(|(i, j, from)| {
                let (row, column) = (local_row[i], local[j]);
                MatrixEntry { row, column, from, to: place(row, column), is_position: kind[j].is_none() }
            })
            .collect();
        let diagonal = (0..m).map(|k| place(k, k)).collect();
        NewtonShape { unknowns, pattern, diagonal, entries }
    }
}

#[derive(Clone)]
pub struct GeneralizedAlpha {
    parameters: Parameters,
    start: StartAcceleration,
    options: SolverOptions,
    work: SolverWork,
    // Set up by `restart`.
    shape: NewtonShape,
    nominal: Vec<f64>,
    lu: Lu,
    matrix: Vec<f64>,
    steps: FixedSteps,
    // The state at the end of the last step: values, auxiliary rates a, true f.
    t: f64,
    y: Vec<f64>,
    a: Vec<f64>,
    f: Vec<f64>,
    // The same at its start.
    t_start: f64,
    y_start: Vec<f64>,
    a_start: Vec<f64>,
    f_start: Vec<f64>,
    // Of the Newton iteration in `step`.
    jacobian: Vec<f64>,
    correction: Vec<f64>,
    segment: Segment,
    segment_is_current: bool,
}

impl GeneralizedAlpha {
    pub fn new(parameters: Parameters, start: StartAcceleration, options: SolverOptions) -> Self {
        GeneralizedAlpha {
            parameters,
            start,
            options,
            work: SolverWork::default(),
            shape: NewtonShape::default(),
            nominal: vec![],
            lu: Lu::new(&Pattern::default()),
            matrix: vec![],
            steps: FixedSteps::default(),
            t: 0.0,
            y: vec![],
            a: vec![],
            f: vec![],
            t_start: 0.0,
            y_start: vec![],
            a_start: vec![],
            f_start: vec![],
            jacobian: vec![],
            correction: vec![],
            segment: Segment::default(),
            segment_is_current: false,
        }
    }

    /// The method's own rates at the end of the last step: acceleration at the place of each velocity, rate at that of
    /// each other differential unknown outside a pair.
    pub fn rates(&self) -> &[f64] {
        &self.a
    }

    fn allocate(&mut self, layout: &Layout) {
        let n = layout.n();
        self.shape = NewtonShape::new(layout);
        self.nominal = layout.nominal.clone();
        self.lu = Lu::new(&self.shape.pattern);
        self.matrix = vec![0.0; self.shape.pattern.nnz()];
        self.correction = vec![0.0; self.shape.unknowns.len()];
        self.jacobian = vec![0.0; layout.pattern.nnz()];
        self.segment = Segment { t0: 0.0, t1: 0.0, degree: 3, coefficients: vec![0.0; 4 * n] };
        for v in
            [&mut self.y, &mut self.a, &mut self.f, &mut self.y_start, &mut self.a_start, &mut self.f_start]
        {
            *v = vec![0.0; n];
        }
    }

    /// y₁ from the rates at hand: (1), (2).
    fn predict(&mut self, h: f64) {
        let Parameters { beta, gamma, .. } = self.parameters;
        let (y_0, a_0) = (&self.y_start, &self.a_start);
        for &(i, kind) in &self.shape.unknowns {
            if kind == UnknownKind::Algebraic {
                continue;
            }
            self.y[i] = y_0[i] + h * ((1.0 - gamma) * a_0[i] + gamma * self.a[i]); // (2)
            if let UnknownKind::Acceleration { position } = kind {
                let curve = (0.5 - beta) * a_0[i] + beta * self.a[i];
                self.y[position] = y_0[position] + h * y_0[i] + h * h * curve; // (1)
            }
        }
    }

    /// Newton matrix of (3), (4) with respect to a₁ and the algebraic unknowns.
    fn linearise(&mut self, problem: &mut dyn Problem, h: f64) -> Result<(), (usize, FailureCause)> {
        let Parameters { alpha_m, alpha_f, beta, gamma } = self.parameters;
        problem.jacobian(self.t, &self.y, &mut self.jacobian);
        self.work.jacobians += 1;
        self.matrix.fill(0.0);
        for entry in &self.shape.entries {
            let dy = match self.shape.unknowns[entry.column].1 {
                _ if entry.is_position => beta * h * h,
                UnknownKind::Algebraic => 1.0,
                _ => gamma * h,
            };
            let is_algebraic = self.shape.unknowns[entry.row].1 == UnknownKind::Algebraic;
            let weight = if is_algebraic { -1.0 } else { 1.0 - alpha_f };
            self.matrix[entry.to] -= weight * self.jacobian[entry.from] * dy;
        }
        for (place, &(_, kind)) in self.shape.diagonal.iter().zip(&self.shape.unknowns) {
            if kind != UnknownKind::Algebraic {
                self.matrix[*place] += 1.0 - alpha_m;
            }
        }
        self.work.factorisations += 1;
        self.lu.refactor(&self.matrix).map_err(|fault| match fault {
            FactorFault::Singular { column } => (self.shape.unknowns[column].0, FailureCause::Singular),
            FactorFault::NotFinite => (self.shape.unknowns[0].0, FailureCause::NotFinite),
        })
    }

    /// −residual of (3), (4) into `correction`; Err: a row that is not finite.
    fn residual(&mut self, problem: &mut dyn Problem) -> Result<(), usize> {
        let Parameters { alpha_m, alpha_f, .. } = self.parameters;
        problem.residual(self.t, &self.y, &mut self.f);
        self.work.residuals += 1;
        for (k, &(i, kind)) in self.shape.unknowns.iter().enumerate() {
            self.correction[k] = if kind == UnknownKind::Algebraic {
                -self.f[i]
            } else {
                let force = (1.0 - alpha_f) * self.f[i] + alpha_f * self.f_start[i];
                force - (1.0 - alpha_m) * self.a[i] - alpha_m * self.a_start[i]
            };
            if !self.correction[k].is_finite() {
                return Err(i);
            }
        }
        Ok(())
    }

    /// Largest correction relative to the size of the unknown it moves.
    fn norm(&self, h: f64) -> (f64, usize) {
        let (mut norm, mut worst) = (0.0, 0);
        for (k, &(i, kind)) in self.shape.unknowns.iter().enumerate() {
            let size = self.nominal[i].max(self.y[i].abs());
            let moved = if kind == UnknownKind::Algebraic { 1.0 } else { self.parameters.gamma * h };
            let e = (self.correction[k] * moved / size).abs();
            if e > norm || e.is_nan() {
                (norm, worst) = (e, i);
            }
        }
        (norm, worst)
    }

    /// Solve (1) to (4) for the step from `t_start` to `t`.
    fn solve(&mut self, problem: &mut dyn Problem) -> Result<(), StepFailure> {
        let h = self.t - self.t_start;
        let t = self.t_start;
        let too_small = |unknown, cause| StepFailure::StepTooSmall { t, h, unknown, cause };
        let mut last = 0.0;
        let mut unknown = 0;
        self.predict(h);
        for k in 0..ITERATIONS {
            self.residual(problem).map_err(|row| StepFailure::NotFinite { t: self.t, row })?;
            if k > 0 && last <= CONVERGED {
                return Ok(());
            }
            let (mut norm, mut worst) = (f64::INFINITY, 0);
            if k > 0 {
                self.lu.solve(&mut self.correction);
                (norm, worst) = self.norm(h);
            }
            if k > 0 && last <= ROUNDING && norm >= 0.5 * last {
                return Ok(());
            }
            if k == 0 || norm.is_nan() || norm > CONTRACTION * last {
                self.linearise(problem, h).map_err(|(unknown, cause)| too_small(unknown, cause))?;
                self.residual(problem).map_err(|row| StepFailure::NotFinite { t: self.t, row })?;
                self.lu.solve(&mut self.correction);
                (norm, worst) = self.norm(h);
            }
            if !norm.is_finite() {
                return Err(too_small(worst, FailureCause::NotFinite));
            }
            for (k, &(i, kind)) in self.shape.unknowns.iter().enumerate() {
                if kind == UnknownKind::Algebraic {
                    self.y[i] += self.correction[k];
                } else {
                    self.a[i] += self.correction[k];
                }
            }
            self.predict(h);
            (last, unknown) = (norm, worst);
        }
        self.work.newton_failures += 1;
        Err(too_small(unknown, FailureCause::NoConvergence))
    }
}

impl Stepper for GeneralizedAlpha {
    fn boxed(&self) -> Box<dyn Stepper> {
        Box::new(self.clone())
    }

    fn freezes_kinks(&self) -> bool {
        false
    }

    fn restart(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), StepFailure> {
        if self.y.len() != y.len() || self.y.is_empty() {
            self.allocate(problem.layout());
        }
        self.t = t;
        self.t_start = t;
        self.y.copy_from_slice(y);
        problem.residual(t, y, &mut self.f);
        self.work.residuals += 1;
        if let Some(row) = self.f.iter().position(|f| !f.is_finite()) {
            return Err(StepFailure::NotFinite { t, row });
        }
        self.a.fill(0.0);
        if self.start == StartAcceleration::Consistent {
            for &(i, kind) in &self.shape.unknowns {
                self.a[i] = if kind == UnknownKind::Algebraic { 0.0 } else { self.f[i] };
            }
        }
        self.steps = FixedSteps::new(t, self.options.h.unwrap_or(DEFAULT_STEP).min(self.options.h_max));
        self.segment.t0 = t;
        self.segment.t1 = t;
        self.segment.coefficients.fill(0.0);
        self.segment.coefficients[..y.len()].copy_from_slice(y);
        self.segment_is_current = true;
        Ok(())
    }

    fn step(&mut self, problem: &mut dyn Problem, limit: f64) -> Result<(), StepFailure> {
        self.t_start = self.t;
        self.y_start.copy_from_slice(&self.y);
        self.a_start.copy_from_slice(&self.a);
        self.f_start.copy_from_slice(&self.f);
        self.t = self.steps.next(self.t, limit);
        self.segment_is_current = false;
        let done = self.solve(problem);
        match done {
            Ok(()) => self.work.steps += 1,
            Err(_) => {
                self.t = self.t_start;
                self.y.copy_from_slice(&self.y_start);
                self.a.copy_from_slice(&self.a_start);
                self.f.copy_from_slice(&self.f_start);
            }
        }
        done
    }

    fn adjust(&mut self, _problem: &mut dyn Problem, y: &[f64]) -> Result<(), StepFailure> {
        self.y.copy_from_slice(y);
        Ok(())
    }

    fn state(&self) -> (f64, &[f64]) {
        (self.t, &self.y)
    }

    fn segment(&mut self) -> &Segment {
        if !self.segment_is_current {
            let (n, h) = (self.y.len(), self.t - self.t_start);
            self.segment.t0 = self.t_start;
            self.segment.t1 = self.t;
            let c = &mut self.segment.coefficients;
            for i in 0..n {
                let dy = self.y[i] - self.y_start[i];
                let (f_0, f_1) = (h * self.f_start[i], h * self.f[i]);
                c[i] = self.y_start[i];
                (c[n + i], c[2 * n + i], c[3 * n + i]) =
                    (f_0, 3.0 * dy - 2.0 * f_0 - f_1, f_0 + f_1 - 2.0 * dy);
            }
            for &(i, kind) in &self.shape.unknowns {
                if kind == UnknownKind::Algebraic {
                    let dy = self.y[i] - self.y_start[i];
                    (c[n + i], c[2 * n + i], c[3 * n + i]) = (dy, 0.0, 0.0);
                }
            }
            self.segment_is_current = true;
        }
        &self.segment
    }

    fn work(&self) -> SolverWork {
        self.work
    }
}

#[cfg(test)]
mod tests;
