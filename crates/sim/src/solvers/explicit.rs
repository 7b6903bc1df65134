//! Explicit Runge–Kutta methods: Tsitouras 5(4) with step control, classical RK4 and Euler with a fixed step.
//!
//!   y_d,i = y₀ + h Σ_{j<i} a_ij k_j,   0 = f_a(t₀ + c_i h, y_d,i, y_a,i),   k_i = f_d(t₀ + c_i h, y_d,i, y_a,i)   (1)
//!   y₁ = y₀ + h Σ b_i k_i,   e = h Σ ẽ_i k_i                                                        (2)
//!   y(θ) = y₀ + h Σ_i k_i Σ_p w_ip θ^p                                                              (3)
//!
//! (1), (2) [Hairer1993, II.1]; algebraic unknowns are solved at every stage, which keeps the order for index 1
//! [Hairer1996, VI.1]. Steps are chosen by (3) of `control.rs`. The derivative at the end of a step is always
//! evaluated: it is the first stage of the next one. Algebraic unknowns are interpolated through values solved at equal
//! distances inside the step.
//!
//! Stability: explicit, |h λ| below about 3.3 (Tsit45), 2.8 (RK4), 2 (Euler) on the negative real axis. Stiff problems
//! work with tiny steps only; `looks_stiff` says so.

mod stepper;
mod tableau;

pub use tableau::ExplicitTableau;
pub(crate) use tableau::{EULER, RK4, TSIT45};

use super::control::{EXPLICIT, StepControl, first_step};
use super::error::Tolerance;
use super::fixed::FixedSteps;
use crate::newton::{NewtonBlock, NewtonFailure};
use crate::problem::Problem;
use crate::stepper::{FailureCause, Segment, SolverOptions, SolverWork, StepFailure};

/// Of the error tolerance, what the algebraic unknowns of a stage may be off; a thousandth leaves the estimate clean.
const STAGE_TOLERANCE: f64 = 1e-3;
/// The same for fixed steps, which know no tolerance: relative to the size of the unknown.
const FIXED_STAGE_TOLERANCE: f64 = 1e-12;
/// Simplified Newton with an old Jacobian has to gain at least this per iteration.
const CONTRACTION: f64 = 0.3;
const STAGE_ITERATIONS: usize = 12;
/// Order of the method whose difference to the solution is the error estimate.
const ESTIMATE_ORDER: usize = 4;

/// An explicit Runge–Kutta solver.
#[derive(Clone)]
pub struct Explicit {
    tableau: &'static ExplicitTableau,
    options: SolverOptions,
    work: SolverWork,
    // Set up by `restart`.
    n: usize,
    differential: Vec<usize>,
    algebraic: Option<NewtonBlock>,
    nominal: Vec<f64>,
    tolerance: Tolerance,
    // The state: values at the end of the last step, and what the next one needs.
    t: f64,
    y: Vec<f64>,
    control: StepControl,
    steps: FixedSteps,
    stiff_hits: u32,
    held_down: u64,
    // Written by `attempt`.
    t_start: f64,
    y_start: Vec<f64>,
    /// Stage derivatives, s + 1 rows of n; the last is f at the end of the step.
    k: Vec<f64>,
    stage: Vec<f64>,
    y_end: Vec<f64>,
    weight: Vec<f64>,
    f: Vec<f64>,
    /// Algebraic values inside the step, degree − 1 rows of n.
    inside: Vec<f64>,
    segment: Segment,
    segment_is_current: bool,
    /// Values were moved: the derivative at the end of the last step is not that of the next one's start.
    moved: bool,
}

/// Why an attempt failed: unknown or row, and the cause.
struct Rejected(usize, FailureCause);

impl Explicit {
    pub fn new(tableau: &'static ExplicitTableau, options: SolverOptions) -> Self {
        Explicit {
            tableau,
            options,
            work: SolverWork::default(),
            n: 0,
            differential: vec![],
            algebraic: None,
            nominal: vec![],
            tolerance: Tolerance::default(),
            t: 0.0,
            y: vec![],
            // The longest step counts when a step begins: the pace may be more.
            control: StepControl::new(&EXPLICIT, ESTIMATE_ORDER, f64::INFINITY),
            steps: FixedSteps::default(),
            stiff_hits: 0,
            held_down: 0,
            t_start: 0.0,
            y_start: vec![],
            k: vec![],
            stage: vec![],
            y_end: vec![],
            weight: vec![],
            f: vec![],
            inside: vec![],
            segment: Segment::default(),
            segment_is_current: false,
            moved: false,
        }
    }

    pub fn tsit45(options: SolverOptions) -> Self {
        Self::new(&TSIT45, options)
    }

    pub fn rk4(options: SolverOptions) -> Self {
        Self::new(&RK4, options)
    }

    pub fn euler(options: SolverOptions) -> Self {
        Self::new(&EULER, options)
    }

    /// The step has been at the limit of stability many times in a row: an implicit solver would be faster.
    pub(crate) fn looks_stiff(&self) -> bool {
        self.stiff_hits >= 15
    }

    fn is_adaptive(&self) -> bool {
        !self.tableau.error.is_empty()
    }

    fn stages(&self) -> usize {
        self.tableau.b.len()
    }

    fn allocate(&mut self, problem: &dyn Problem) {
        let layout = problem.layout();
        let n = layout.n();
        let rows = self.stages() + 1;
        self.n = n;
        self.differential = (0..n).filter(|&i| layout.differential[i]).collect();
        let part = NewtonBlock::algebraic(layout);
        self.algebraic = (part.m() > 0).then_some(part);
        self.nominal = layout.nominal.clone();
        self.tolerance = Tolerance::new(layout, &self.options);
        self.k = vec![0.0; rows * n];
        let degree = self.tableau.dense[0].len();
        self.inside = vec![0.0; (degree - 1) * n];
        self.segment = Segment { t0: 0.0, t1: 0.0, degree, coefficients: vec![0.0; (degree + 1) * n] };
        for v in
            [&mut self.y, &mut self.y_start, &mut self.stage, &mut self.y_end, &mut self.weight, &mut self.f]
        {
            *v = vec![0.0; n];
        }
    }

    /// Tolerance of each unknown around `y_start`, for the error norm.
    fn weigh(&mut self) {
        for i in 0..self.n {
            self.weight[i] = if self.is_adaptive() {
                self.tolerance.atol()[i] + self.options.rtol * self.y_start[i].abs()
            } else {
                self.nominal[i].max(self.y_start[i].abs())
            };
        }
    }

    /// f at (t, y) into `self.f`, after the algebraic unknowns of `y` have been solved there.
    fn evaluate(&mut self, problem: &mut dyn Problem, t: f64, y: &mut [f64]) -> Result<(), Rejected> {
        let Some(part) = &mut self.algebraic else {
            problem.residual(t, y, &mut self.f);
            self.work.residuals += 1;
            return finite(&self.f, &self.differential);
        };
        let tolerance = if self.tableau.error.is_empty() { FIXED_STAGE_TOLERANCE } else { STAGE_TOLERANCE };
        let before = part.work;
        let mut solved = solve_stage(part, problem, t, y, &self.weight, tolerance);
        if solved.is_err() {
            // Once more with damping, from the start of the step.
            part.columns.iter().for_each(|&u| y[u] = self.y_start[u]);
            if part.newton(problem, t, y).is_ok() && part.evaluate(problem, t, y).is_ok() {
                solved = Ok(());
            }
        }
        self.work.residuals += part.work.residuals - before.residuals;
        self.work.jacobians += part.work.jacobians - before.jacobians;
        self.work.factorisations += part.work.factorisations - before.factorisations;
        if let Err(Rejected(_, FailureCause::NoConvergence)) = solved {
            self.work.newton_failures += 1;
        }
        solved?;
        self.f.copy_from_slice(&part.f);
        finite(&self.f, &self.differential)
    }

    /// One step (1), (2) from `y_start` to `t_end` into `y_end` and `k`; the error norm and the unknown that dominates it.
    fn attempt(&mut self, problem: &mut dyn Problem, t_end: f64) -> Result<(f64, usize), Rejected> {
        let (n, s, tableau) = (self.n, self.stages(), self.tableau);
        let h = t_end - self.t_start;
        // Algebraic unknowns start from where the stage before left them.
        self.stage.copy_from_slice(&self.y_start);
        for i in 1..=s {
            let (a, c) = if i < s { (tableau.a[i], tableau.c[i]) } else { (tableau.b, 1.0) };
            let mut stage = std::mem::take(&mut self.stage);
            for &u in &self.differential {
                let sum: f64 = a.iter().enumerate().map(|(j, a)| a * self.k[j * n + u]).sum();
                stage[u] = self.y_start[u] + h * sum; // (1)
            }
            if i == s - 1 && self.is_adaptive() {
                self.y_end.copy_from_slice(&stage);
            }
            let t = if c == 1.0 { t_end } else { self.t_start + c * h };
            let done = self.evaluate(problem, t, &mut stage);
            self.stage = stage;
            done?;
            self.k[i * n..(i + 1) * n].copy_from_slice(&self.f);
        }
        if self.is_adaptive() {
            self.watch_stiffness(h);
        }
        std::mem::swap(&mut self.y_end, &mut self.stage);
        let (mut norm, mut worst) = (0.0, 0);
        for &u in &self.differential {
            let sum: f64 = tableau.error.iter().enumerate().map(|(j, e)| e * self.k[j * n + u]).sum();
            let size = self.y_start[u].abs().max(self.y_end[u].abs());
            let e = (h * sum).abs() / self.tolerance.weight(u, size); // (2)
            if e > norm || e.is_nan() {
                (norm, worst) = (e, u);
            }
        }
        if !norm.is_finite() {
            return Err(Rejected(worst, FailureCause::NotFinite));
        }
        if norm <= 1.0 || !self.is_adaptive() {
            self.solve_inside(problem, h)?;
        }
        Ok((norm, worst))
    }

    /// h |λ| from the last two stages, both at the end of the step; y of the one is in `y_end`, of the other in `stage`.
    /// Beyond 3.25 the step is held down by stability, not by accuracy. [Hairer1996, IV.2, eq. 2.18]
    fn watch_stiffness(&mut self, h: f64) {
        let (n, s) = (self.n, self.stages());
        let (mut dk, mut dy) = (0.0, 0.0);
        for &u in &self.differential {
            dk += ((self.k[s * n + u] - self.k[(s - 1) * n + u]) / self.weight[u]).powi(2);
            dy += ((self.stage[u] - self.y_end[u]) / self.weight[u]).powi(2);
        }
        let at_limit = dy > 0.0 && h * (dk / dy).sqrt() > 3.25;
        self.held_down += at_limit as u64;
        self.stiff_hits = if at_limit { self.stiff_hits + 1 } else { self.stiff_hits.saturating_sub(1) };
    }

    /// Algebraic unknowns at θ = 1/p … (p − 1)/p for the interpolation of degree p.
    fn solve_inside(&mut self, problem: &mut dyn Problem, h: f64) -> Result<(), Rejected> {
        if self.algebraic.is_none() {
            return Ok(());
        }
        let (n, p) = (self.n, self.segment.degree);
        self.stage.copy_from_slice(&self.y_start);
        for j in 1..p {
            let theta = j as f64 / p as f64;
            let mut stage = std::mem::take(&mut self.stage);
            for &u in &self.differential {
                let mut sum = 0.0;
                for (i, w) in self.tableau.dense.iter().enumerate() {
                    sum += self.k[i * n + u] * w.iter().rev().fold(0.0, |q, w| (q + w) * theta);
                }
                stage[u] = self.y_start[u] + h * sum; // (3)
            }
            let done = self.evaluate(problem, self.t_start + theta * h, &mut stage);
            self.stage = stage;
            done?;
            self.inside[(j - 1) * n..j * n].copy_from_slice(&self.stage);
        }
        Ok(())
    }

    /// Largest x_u of the differential unknowns relative to its tolerance, before anything is learnt of sizes.
    fn norm(&self, x: impl Fn(usize) -> f64) -> f64 {
        let weight = |u: usize| self.options.rtol * (self.nominal[u] + self.y_start[u].abs());
        self.differential.iter().fold(0.0, |m: f64, &u| m.max((x(u) / weight(u)).abs()))
    }

    /// First step of an adaptive run.
    fn first_step(&mut self, problem: &mut dyn Problem) -> f64 {
        // A value near zero is no small unknown: its nominal size counts.
        let y_norm = self.norm(|u| self.y_start[u].abs().max(self.nominal[u]));
        let y_dot_norm = self.norm(|u| self.k[u]);
        let mut stage = std::mem::take(&mut self.stage);
        let h = first_step(4, self.options.h_max, y_norm, y_dot_norm, |h| {
            stage.copy_from_slice(&self.y_start);
            for &u in &self.differential {
                stage[u] += h * self.k[u];
            }
            match self.evaluate(problem, self.t + h, &mut stage) {
                Ok(_) => self.norm(|u| self.f[u] - self.k[u]),
                Err(_) => f64::NAN,
            }
        });
        self.stage = stage;
        h
    }

    /// One accepted step under control of the error (2).
    fn adaptive_step(&mut self, problem: &mut dyn Problem, limit: f64) -> Result<(), StepFailure> {
        let scale = if limit.is_finite() { limit.abs() } else { 0.0 };
        let h_min = 16.0 * f64::EPSILON * self.t.abs().max(scale).max(f64::MIN_POSITIVE);
        // Never below what time resolves, or steps of zero length would repeat without end.
        self.control.h = self.control.h.min(self.options.h_max).max(2.0 * h_min);
        loop {
            let (_, t_end) = self.control.next(self.t, limit);
            let taken = t_end - self.t;
            let (unknown, cause) = match self.attempt(problem, t_end) {
                Ok((error, _)) if error <= 1.0 => {
                    self.control.accept(taken, error);
                    self.accept(t_end);
                    return Ok(());
                }
                Ok((error, worst)) => {
                    self.control.reject(taken, error);
                    (worst, FailureCause::Error)
                }
                Err(Rejected(unknown, cause)) => {
                    self.control.fail(taken);
                    (unknown, cause)
                }
            };
            self.work.rejected += 1;
            if self.control.h < h_min {
                return Err(StepFailure::StepTooSmall { t: self.t, h: self.control.h, unknown, cause });
            }
        }
    }

    fn fixed_step(&mut self, problem: &mut dyn Problem, limit: f64) -> Result<(), StepFailure> {
        let t_end = self.steps.next(self.t, limit);
        let (t, h) = (self.t, t_end - self.t);
        self.attempt(problem, t_end).map_err(|Rejected(unknown, cause)| match cause {
            FailureCause::NotFinite => StepFailure::NotFinite { t, row: unknown },
            _ => StepFailure::StepTooSmall { t, h, unknown, cause },
        })?;
        self.accept(t_end);
        Ok(())
    }

    /// The next step starts at (t, y).
    fn move_to(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), StepFailure> {
        (self.t, self.t_start) = (t, t);
        self.y.copy_from_slice(y);
        self.y_start.copy_from_slice(y);
        self.tolerance.learn(y);
        self.weigh();
        // Modes may have changed: the old Jacobian of the algebraic rows is no guide.
        if let Some(part) = &mut self.algebraic
            && part.linearise(problem, t, y) == Err(NewtonFailure::Singular)
        {
            return Err(part.failure(problem, t, y, NewtonFailure::Singular));
        }
        self.begin_at(problem)?;
        let (n, s) = (self.n, self.stages());
        self.k.copy_within(..n, s * n);
        (self.segment.t0, self.segment.t1) = (t, t);
        self.segment.coefficients.fill(0.0);
        self.segment.coefficients[..n].copy_from_slice(y);
        self.segment_is_current = true;
        Ok(())
    }

    /// The derivative at `y_start`, into the first stage.
    fn begin_at(&mut self, problem: &mut dyn Problem) -> Result<(), StepFailure> {
        let t = self.t_start;
        let mut y_here = std::mem::take(&mut self.stage);
        y_here.copy_from_slice(&self.y_start);
        let done = self.evaluate(problem, t, &mut y_here);
        self.stage = y_here;
        if let Err(Rejected(row, cause)) = done {
            return Err(match cause {
                FailureCause::NotFinite => StepFailure::NotFinite { t, row },
                _ => StepFailure::Inconsistent {
                    t,
                    row,
                    residual: self.algebraic.as_ref().map_or(0.0, |p| p.f[row]),
                },
            });
        }
        self.k[..self.n].copy_from_slice(&self.f);
        self.moved = false;
        Ok(())
    }

    fn accept(&mut self, t_end: f64) {
        self.t = t_end;
        self.y.copy_from_slice(&self.y_end);
        self.tolerance.learn(&self.y);
        self.work.steps += 1;
        self.segment_is_current = false;
    }
}

/// First of `rows` whose f is not finite.
fn finite(f: &[f64], rows: &[usize]) -> Result<(), Rejected> {
    match rows.iter().find(|&&i| !f[i].is_finite()) {
        Some(&i) => Err(Rejected(i, FailureCause::NotFinite)),
        None => Ok(()),
    }
}

/// Algebraic unknowns of a stage by Newton's method from `y`, with the last factors as long as they serve.
fn solve_stage(
    part: &mut NewtonBlock,
    problem: &mut dyn Problem,
    t: f64,
    y: &mut [f64],
    weight: &[f64],
    tolerance: f64,
) -> Result<(), Rejected> {
    let mut last = f64::INFINITY;
    let mut unknown = part.columns[0];
    for _ in 0..STAGE_ITERATIONS {
        if let Err(NewtonFailure::NotFinite { row }) = part.evaluate(problem, t, y) {
            return Err(Rejected(row, FailureCause::NotFinite));
        }
        let (norm, worst) = part.correct(y, weight, tolerance);
        unknown = worst;
        // Rounding: nothing to be gained, and far below what a step can see.
        if norm <= tolerance || norm <= 1e3 * tolerance && norm >= last && tolerance == FIXED_STAGE_TOLERANCE
        {
            return Ok(());
        }
        if !norm.is_finite() {
            return Err(Rejected(unknown, FailureCause::Singular));
        }
        if norm > CONTRACTION * last && part.linearise(problem, t, y).is_err() {
            return Err(Rejected(unknown, FailureCause::Singular));
        }
        last = norm;
    }
    Err(Rejected(unknown, FailureCause::NoConvergence))
}

/// Coefficients of the polynomial of degree p through values at 0, 1/p … 1: divided differences, then powers of θ.
fn interpolate(p: usize, node: impl Fn(usize) -> f64, mut put: impl FnMut(usize, f64)) {
    let mut d = [0.0; 5];
    for j in 0..=p {
        d[j] = node(j);
    }
    for order in 1..=p {
        for j in (order..=p).rev() {
            d[j] = (d[j] - d[j - 1]) / (order as f64 / p as f64);
        }
    }
    // Horner: c(θ) ← d_j + (θ − θ_j) c(θ).
    let mut c = [0.0; 5];
    c[0] = d[p];
    for j in (0..p).rev() {
        let theta = j as f64 / p as f64;
        for q in (1..=p - j).rev() {
            c[q] = c[q - 1] - theta * c[q];
        }
        c[0] = d[j] - theta * c[0];
    }
    for q in 0..=p {
        put(q, c[q]);
    }
}

#[cfg(test)]
mod tests;
