//! Backward differentiation, order 1 to 5, steps of quasi-constant size, in backward differences ∇^j.
//!
//!   Σ_{j=1}^{k} ∇^j y / j − κ γ_k (y − y_pred) = h f(t, y),   γ_k = Σ_{j=1}^{k} 1/j                   (1)
//!   y_pred = Σ_{j=0}^{k} ∇^j y_n,   error = (κ γ_k + 1/(k + 1)) (y − y_pred)                         (2)
//!
//! the numerical differentiation formulas of [Shampine, Reichelt 1997, eqs. 2, 3 and sec. 2.3]; κ = 0 at order 5 is
//! plain BDF. With d = y − y_pred, α = (1 − κ) γ_k and c = h/α, (1) reads y = y_pred − ψ + c f, the form Newton
//! solves; rows without y' read 0 = f. A change of step interpolates the differences.
//!
//! Order 1 and 2 are L-stable. Higher ones are unstable for oscillations that hardly anything damps, once ω h is no longer small: such an
//! oscillation grows until the error limits the step. So they are chosen only with ω h ≤ 0.3, ω that of the fastest oscillation. Where the
//! error itself oscillates without damping, errors of single steps add up, and higher orders use a smaller part of the tolerance.

use super::control::{AFTER_FAILURE, first_step, least_step, to_limit, too_small};
use super::error::Tolerance;
use super::implicit::mass;
use super::newton::Newton;
use super::one_step::StepRefusal;
use super::vibration::Vibration;
use crate::problem::{Layout, Problem};
use crate::stepper::{FailureCause, Segment, SolverOptions, SolverWork, StepFailure, Stepper};

const MAX_ORDER: usize = 5;
/// Differences kept: orders 0 to k + 2.
const ROWS: usize = MAX_ORDER + 3;
/// Highest order that is stable for every oscillation.
const STABLE_ORDER: usize = 2;
/// κ of order 1 to 5. [Shampine, Reichelt 1997, table 1]
const KAPPA: [f64; MAX_ORDER + 1] = [0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0];
const SAFETY: f64 = 0.9;
/// Part of the tolerance one step may use: errors of many steps add up.
const SHARE: f64 = 0.1;
/// The same for an oscillation that nothing damps, where they add up without bound. Below order 3 it would cost too much.
const SHARE_OSCILLATING: f64 = 0.006;
/// Oscillations are looked at in every so many steps, and remembered over so many looks.
const EVERY: u64 = 4;
const MEMORY: f64 = 3.0;
/// Orders from 3 on are unstable near the imaginary axis: they take ω h up to this.
const STABLE: f64 = 0.3;
/// Bounds of a change of step; below `WORTH_IT` a larger step does not pay for interpolating the differences.
const SHRINK: f64 = 0.2;
const GROW: f64 = 2.0;
const WORTH_IT: f64 = 1.2;

/// γ_k.
fn gamma(k: usize) -> f64 {
    (1..=k).map(|j| 1.0 / j as f64).sum()
}

/// Factor of d in the error (2) at order k; of the plain formula at order 6, which is only estimated.
fn error_constant(k: usize) -> f64 {
    KAPPA.get(k).unwrap_or(&0.0) * gamma(k) + 1.0 / (k + 1) as f64
}

/// Adaptive BDF of order 1 to 5.
pub fn bdf(layout: &Layout, options: &SolverOptions) -> Bdf {
    Bdf::new(layout, options)
}

#[derive(Clone)]
pub struct Bdf {
    tolerance: Tolerance,
    h_max: f64,
    h_first: Option<f64>,
    mass: Vec<f64>,
    newton: Newton,
    vibration: Vibration,
    work: SolverWork,
    /// Order and step are kept as they are, without error control.
    constant: bool,

    // State between steps.
    t: f64,
    /// The proposed next step size, and the one the differences belong to.
    h: f64,
    h_table: f64,
    order: usize,
    /// Steps taken with this order and size.
    equal_steps: usize,
    /// Share of the last steps whose error was that of an oscillation.
    oscillating: f64,
    /// ∇^j y_n, row j.
    differences: Vec<f64>,

    // The last accepted step, for `segment`.
    t_before: f64,
    y_before: Vec<f64>,
    order_done: usize,
    segment: Segment,
    segment_is_current: bool,

    // Written by `attempt`.
    y: Vec<f64>,
    y_predicted: Vec<f64>,
    base: Vec<f64>,
    error: Vec<f64>,
}

impl Bdf {
    pub fn new(layout: &Layout, options: &SolverOptions) -> Self {
        let n = layout.n();
        Bdf {
            tolerance: Tolerance::new(layout, options),
            h_max: options.h_max,
            h_first: options.h,
            mass: mass(layout),
            newton: Newton::new(layout, SHARE),
            vibration: Vibration::new(layout),
            work: SolverWork::default(),
            constant: false,
            t: 0.0,
            h: 0.0,
            h_table: 0.0,
            order: 1,
            equal_steps: 0,
            oscillating: 0.0,
            differences: vec![0.0; ROWS * n],
            t_before: 0.0,
            y_before: vec![0.0; n],
            order_done: 1,
            segment: Segment::default(),
            segment_is_current: false,
            y: vec![0.0; n],
            y_predicted: vec![0.0; n],
            base: vec![0.0; n],
            error: vec![0.0; n],
        }
    }

    fn row(&self, j: usize) -> &[f64] {
        let n = self.mass.len();
        &self.differences[j * n..(j + 1) * n]
    }

    /// Keep order k and step h for good, from exact values at t, t − h, …, t − k h.
    #[cfg(test)]
    pub(super) fn hold(&mut self, h: f64, history: &[Vec<f64>]) {
        let n = self.mass.len();
        let mut rows = history.to_vec();
        self.differences.fill(0.0);
        for j in 0..history.len() {
            self.differences[j * n..(j + 1) * n].copy_from_slice(&rows[0]);
            rows = rows.windows(2).map(|w| (0..n).map(|i| w[0][i] - w[1][i]).collect()).collect();
        }
        (self.order, self.h, self.h_table, self.constant) = (history.len() - 1, h, h, true);
    }

    /// ∇^j for steps `factor` times as long: (R U)ᵀ ∇. [Shampine, Reichelt 1997, sec. 2.3]
    fn rescale(&mut self, factor: f64) {
        let (n, k) = (self.mass.len(), self.order);
        let table = |factor: f64| {
            let mut r = [[0.0; MAX_ORDER + 1]; MAX_ORDER + 1];
            r[0] = [1.0; MAX_ORDER + 1];
            for i in 1..=k {
                for j in 1..=k {
                    r[i][j] = r[i - 1][j] * (i as f64 - 1.0 - factor * j as f64) / i as f64;
                }
            }
            r
        };
        let (r, u) = (table(factor), table(1.0));
        let mut ru = [[0.0; MAX_ORDER + 1]; MAX_ORDER + 1];
        for i in 1..=k {
            for j in 1..=k {
                ru[i][j] = (1..=k).map(|m| r[i][m] * u[m][j]).sum();
            }
        }
        for x in 0..n {
            let mut new = [0.0; MAX_ORDER + 1];
            for j in 1..=k {
                new[j] = (1..=k).map(|i| ru[i][j] * self.differences[i * n + x]).sum();
            }
            (1..=k).for_each(|j| self.differences[j * n + x] = new[j]);
        }
        self.h_table *= factor;
        self.equal_steps = 0;
    }

    /// One step of size h_table to t1: writes `y`, and d into `error`.
    fn attempt(&mut self, problem: &mut dyn Problem, t1: f64) -> Result<(), StepRefusal> {
        let (n, k) = (self.mass.len(), self.order);
        let alpha = (1.0 - KAPPA[k]) * gamma(k);
        let c = self.h_table / alpha;
        self.y_predicted.fill(0.0);
        self.base.fill(0.0);
        for j in 0..=k {
            let weight = gamma(j) / alpha;
            let row = &self.differences[j * n..(j + 1) * n];
            for i in 0..n {
                self.y_predicted[i] += row[i];
                self.base[i] += (1.0 - weight) * row[i];
            }
        }
        loop {
            let start = &self.differences[..n];
            self.newton.prepare(c, &self.tolerance, start, &mut self.work)?;
            self.y.copy_from_slice(&self.y_predicted);
            match self.newton.solve(problem, t1, c, &self.base, &mut self.y, &mut self.work) {
                Ok(()) => break,
                Err(refusal) if !self.newton.recover(problem, self.t, start, &mut self.work) => {
                    return Err(refusal);
                }
                Err(_) => {}
            }
        }
        (0..n).for_each(|i| self.error[i] = self.y[i] - self.y_predicted[i]);
        Ok(())
    }

    /// Take d = y − y_pred, which is ∇^{k+1} y at the new point, into the differences.
    fn keep(&mut self, t1: f64) {
        let (n, k) = (self.mass.len(), self.order);
        self.y_before.copy_from_slice(&self.differences[..n]);
        for i in 0..n {
            let d = self.error[i];
            self.differences[(k + 2) * n + i] = d - self.differences[(k + 1) * n + i];
            self.differences[(k + 1) * n + i] = d;
            for j in (0..=k).rev() {
                self.differences[j * n + i] += self.differences[(j + 1) * n + i];
            }
        }
        self.tolerance.learn(&self.differences[..n]);
        self.t_before = self.t;
        self.t = t1;
        self.order_done = k;
        self.work.steps += 1;
        self.segment_is_current = false;
    }

    /// ‖error of order k‖ from row `row` of the differences, as part of its share.
    fn error_norm(&self, k: usize, row: &[f64], y0: &[f64], y1: &[f64]) -> f64 {
        let tighter = if k > STABLE_ORDER { (SHARE_OSCILLATING / SHARE).powf(self.oscillating) } else { 1.0 };
        error_constant(k) / (SHARE * tighter) * self.tolerance.norm(row, y0, y1)
    }

    /// What oscillates, by the factors of the step just taken.
    fn watch_oscillations(&mut self) {
        if self.work.steps.is_multiple_of(EVERY) {
            let c = self.h_table / ((1.0 - KAPPA[self.order]) * gamma(self.order));
            let matrix = &mut self.newton.matrix;
            self.vibration.iterate(matrix, c);
            let oscillates = self.vibration.oscillates(matrix, c, &self.error);
            self.oscillating += (f64::from(oscillates) - self.oscillating) / MEMORY;
        }
    }

    /// Order and step for what follows, from what the orders k − 1, k, k + 1 would have made of this step.
    fn choose(&mut self, error: f64) {
        let k = self.order;
        let y = self.row(0);
        // A change of order has to promise more than keeping it. [Shampine, Reichelt 1997, sec. 2.3]
        let bias = |order: usize| {
            if order == k {
                1.2
            } else if order < k {
                1.3
            } else {
                1.4
            }
        };
        let longest = STABLE / (self.vibration.fastest * self.h_table);
        let factor = |k: usize, error: f64| {
            let factor = error.max(1e-12).powf(-1.0 / (k + 1) as f64) / bias(k);
            if k > STABLE_ORDER { factor.min(longest) } else { factor }
        };
        let mut best = (factor(k, error), k);
        let mut consider = |order: usize, row: usize| {
            let promised = factor(order, self.error_norm(order, self.row(row), y, y));
            best = if promised > best.0 { (promised, order) } else { best };
        };
        if k > 1 {
            consider(k - 1, k);
        }
        if k > STABLE_ORDER + 1 {
            consider(STABLE_ORDER, STABLE_ORDER + 1);
        }
        if k < MAX_ORDER {
            consider(k + 1, k + 2);
        }
        let factor = best.0;
        if best.1 != k || !(1.0..WORTH_IT).contains(&factor) {
            self.order = best.1;
            self.h = (self.h_table * factor.clamp(SHRINK, GROW)).min(self.h_max);
            self.equal_steps = 0;
        }
    }

    /// A smaller step after an error too large, and the order below if that allows a larger one.
    fn reduce_step(&mut self, h: f64, error: f64) {
        let (n, k) = (self.mass.len(), self.order);
        let mut factor = SAFETY * error.powf(-1.0 / (k + 1) as f64);
        if k > 1 {
            // ∇^k at the point just tried.
            (0..n).for_each(|i| self.error[i] += self.differences[k * n + i]);
            let lower = self.error_norm(k - 1, &self.error, self.row(0), &self.y);
            let lower_factor = lower.powf(-1.0 / k as f64) / 1.3;
            if lower_factor > factor {
                (factor, self.order) = (lower_factor, k - 1);
            }
        }
        self.h = h * factor.clamp(SHRINK, 0.9);
    }

    fn failure(&self, refusal: StepRefusal) -> StepFailure {
        let (t, h) = (self.t, self.h_table);
        match refusal {
            StepRefusal::NoConvergence { unknown } => {
                StepFailure::StepTooSmall { t, h, unknown, cause: FailureCause::NoConvergence }
            }
            StepRefusal::NotFinite { row } => {
                StepFailure::StepTooSmall { t, h, unknown: row, cause: FailureCause::NotFinite }
            }
            StepRefusal::Singular { unknown } => StepFailure::Singular { t, unknown },
            StepRefusal::NotFiniteAtStart { row } => StepFailure::NotFinite { t, row },
        }
    }
}

impl Stepper for Bdf {
    fn boxed(&self) -> Box<dyn Stepper> {
        Box::new(self.clone())
    }

    fn restart(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), StepFailure> {
        let n = y.len();
        self.tolerance.learn(y);
        let mut f = vec![0.0; n];
        problem.residual(t, y, &mut f);
        self.work.residuals += 1;
        if let Some(row) = f.iter().position(|v| !v.is_finite()) {
            return Err(StepFailure::NotFinite { t, row });
        }
        self.newton.restart(problem, t, y, &mut self.work);
        self.oscillating = 0.0;
        // y' of all unknowns; where it cannot be had, `attempt` will say why.
        let mut y_dot = vec![0.0; n];
        problem.time_gradient(t, y, &mut y_dot);
        (0..n).for_each(|i| y_dot[i] = if self.mass[i] == 0.0 { y_dot[i] } else { f[i] });
        if self.newton.matrix.derivative(&mut y_dot).is_err() || y_dot.iter().any(|v| !v.is_finite()) {
            (0..n).for_each(|i| y_dot[i] = self.mass[i] * f[i]);
        }
        let norm = |e: &[f64]| self.tolerance.first_norm(e, y);
        let mut bent = vec![0.0; n];
        self.h = self.h_first.take().unwrap_or_else(|| {
            first_step(1, self.h_max, norm(y).max(self.tolerance.nominal_norm()), norm(&y_dot), |h| {
                let trial: Vec<f64> = (0..n).map(|i| y[i] + h * y_dot[i]).collect();
                problem.residual(t + h, &trial, &mut bent);
                (0..n).for_each(|i| bent[i] = (bent[i] - f[i]) * self.mass[i]);
                norm(&bent)
            })
        });
        self.newton.choose_pivots(self.h);
        self.differences.fill(0.0);
        self.differences[..n].copy_from_slice(y);
        (0..n).for_each(|i| self.differences[n + i] = self.h * y_dot[i]);
        (self.t, self.t_before, self.h_table) = (t, t, self.h);
        (self.order, self.order_done, self.equal_steps) = (1, 0, 0);
        self.segment.coefficients.clear();
        self.segment.coefficients.reserve((MAX_ORDER + 1) * n);
        self.segment_is_current = false;
        Ok(())
    }

    fn step(&mut self, problem: &mut dyn Problem, limit: f64) -> Result<(), StepFailure> {
        let n = self.mass.len();
        let t = self.t;
        if limit <= t {
            return Ok(());
        }
        if self.order_done > 0 {
            let start = &self.differences[..n];
            self.newton.next_step(problem, t, start, &mut self.work);
        }
        let mut last = StepFailure::StepTooSmall { t, h: self.h, unknown: 0, cause: FailureCause::Error };
        while self.constant || !too_small(self.h, t) {
            let (h, t1) = if self.constant { (self.h, t + self.h) } else { to_limit(self.h, t, limit) };
            // A step cut short by a limit does not change the proposed one.
            let wanted = if h < 0.99 * self.h { self.h } else { h };
            if h != self.h_table {
                self.rescale(h / self.h_table);
                self.h_table = h;
            }
            match self.attempt(problem, t1) {
                Ok(()) => {
                    let error = self.error_norm(self.order, &self.error, self.row(0), &self.y);
                    if error <= 1.0 || self.constant {
                        self.watch_oscillations();
                        self.keep(t1);
                        self.h = wanted;
                        self.equal_steps += 1;
                        if self.equal_steps > self.order && !self.constant {
                            self.choose(error);
                        }
                        // Nor does one that was cut to next to nothing.
                        self.h = self.h.max(least_step(t1).min(wanted));
                        return Ok(());
                    }
                    let unknown = self.tolerance.dominant(&self.error, self.row(0), &self.y);
                    if error.is_finite() {
                        self.reduce_step(h, error);
                        last = StepFailure::StepTooSmall { t, h, unknown, cause: FailureCause::Error };
                    } else {
                        self.h = h * AFTER_FAILURE;
                        last = self.failure(StepRefusal::NotFinite { row: unknown });
                    }
                }
                Err(refusal) => {
                    last = self.failure(refusal);
                    if matches!(refusal, StepRefusal::NotFiniteAtStart { .. }) || self.constant {
                        return Err(last);
                    }
                    self.h = h * AFTER_FAILURE;
                }
            }
            self.work.rejected += 1;
        }
        Err(last)
    }

    fn pace(&self) -> f64 {
        self.h
    }

    fn adjust(&mut self, _problem: &mut dyn Problem, y: &[f64]) -> Result<(), StepFailure> {
        self.differences[..y.len()].copy_from_slice(y);
        Ok(())
    }

    fn state(&self) -> (f64, &[f64]) {
        (self.t, self.row(0))
    }

    /// Σ_j ∇^j Π_{m<j} (s + m)/(m + 1), s = θ − 1, multiplied out.
    fn segment(&mut self) -> &Segment {
        if !self.segment_is_current {
            let (n, k) = (self.mass.len(), self.order_done);
            let segment = &mut self.segment;
            (segment.t0, segment.t1, segment.degree) = (self.t_before, self.t, k);
            segment.coefficients.clear();
            segment.coefficients.resize((k + 1) * n, 0.0);
            let mut basis = [0.0; MAX_ORDER + 2];
            basis[0] = 1.0;
            for j in 0..=k {
                for (power, weight) in basis[..=j].iter().enumerate() {
                    let row = &self.differences[j * n..(j + 1) * n];
                    let to = &mut segment.coefficients[power * n..(power + 1) * n];
                    to.iter_mut().zip(row).for_each(|(c, d)| *c += weight * d);
                }
                // basis *= (θ − 1 + j) / (j + 1)
                let (m, over) = (j as f64, (j + 1) as f64);
                for power in (0..=j + 1).rev() {
                    let below = if power > 0 { basis[power - 1] } else { 0.0 };
                    basis[power] = (below + (m - 1.0) * basis[power]) / over;
                }
            }
            if k > 0 {
                // It begins where the step did, to the bit: a guard that rests there is not to cross again by rounding.
                let (first, rest) = segment.coefficients.split_at_mut(n);
                for ((c, slope), y) in first.iter_mut().zip(rest).zip(&self.y_before) {
                    *slope += *c - y;
                    *c = *y;
                }
            }
            self.segment_is_current = true;
        }
        &self.segment
    }

    fn work(&self) -> SolverWork {
        self.work
    }

    fn tolerance(&self) -> Option<&Tolerance> {
        Some(&self.tolerance)
    }
}
