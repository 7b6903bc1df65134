//! Simplified Newton iterations for y in
//!
//!   y = base + hγ f(t, y)  (differential rows),   0 = f(t, y)  (algebraic rows)                      (1)
//!
//!   W Δy = base + hγ f − y,   W Δy = f,   W = M − hγ J                                               (2)
//!
//! with J kept as long as the iterations contract fast. [Hairer, Wanner 1996, sec. IV.8]

use super::error::{Tolerance, weighted_norm};
use super::implicit::IterationMatrix;
use super::one_step::StepRefusal;
use crate::problem::{Layout, Problem};
use crate::stepper::SolverWork;

/// Iterations stop when the remaining error is this part of the tolerance.
const TOLERANCE: f64 = 0.1;
/// More iterations cost more than a smaller step.
const MAX_ITERATIONS: usize = 8;
/// J serves the next step too while iterations contract this fast; an exact J costs about three residuals.
const REUSE_RATE: f64 = 0.02;
/// New factors have to show how fast they contract: one iteration suffices them only if it hardly moves y.
const UNKNOWN_RATE: f64 = 100.0;
/// Steps after which J is taken anew even so: solves of a single iteration measure no contraction.
const MAX_AGE: usize = 3;

#[derive(Clone, Debug)]
pub struct Newton {
    pub matrix: IterationMatrix,
    /// The factors belong to this hγ and the present J.
    factored: Option<f64>,
    jacobian_is_fresh: bool,
    /// Steps since J was taken.
    age: usize,
    /// Slowest contraction since `begin_step`.
    slowest: f64,
    /// Remaining error over last correction, as the last solve found it.
    rate: f64,
    inverse_weights: Vec<f64>,
    delta: Vec<f64>,
    tolerance: f64,
}

impl Newton {
    /// `share` is the part of the tolerance a step may use.
    pub fn new(layout: &Layout, share: f64) -> Self {
        let n = layout.n();
        Newton {
            matrix: IterationMatrix::new(layout),
            factored: None,
            jacobian_is_fresh: false,
            age: 0,
            slowest: 0.0,
            rate: UNKNOWN_RATE,
            inverse_weights: vec![0.0; n],
            delta: vec![0.0; n],
            tolerance: TOLERANCE * share,
        }
    }

    pub fn restart(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64], work: &mut SolverWork) {
        self.renew(problem, t, y, work);
        self.slowest = 0.0;
        self.rate = UNKNOWN_RATE;
    }

    /// Choose pivots for steps like this one, where allocation is allowed. A fault is met again by `prepare`.
    pub fn choose_pivots(&mut self, h_gamma: f64) {
        let _ = self.matrix.factor(h_gamma);
        self.factored = None;
    }

    fn renew(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64], work: &mut SolverWork) {
        self.matrix.evaluate(problem, t, y);
        work.jacobians += 1;
        self.jacobian_is_fresh = true;
        self.age = 0;
        self.factored = None;
    }

    /// A step from (t, y) follows an accepted one: J may have aged.
    pub(crate) fn next_step(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64], work: &mut SolverWork) {
        self.jacobian_is_fresh = false;
        self.age += 1;
        if self.slowest > REUSE_RATE || self.age >= MAX_AGE {
            self.renew(problem, t, y, work);
        }
    }

    /// Factors and weights for a step from `y`.
    pub fn prepare(
        &mut self,
        h_gamma: f64,
        tolerance: &Tolerance,
        y: &[f64],
        work: &mut SolverWork,
    ) -> Result<(), StepRefusal> {
        tolerance.inverse_weights(y, &mut self.inverse_weights);
        self.slowest = 0.0;
        if self.factored != Some(h_gamma) {
            work.factorisations += 1;
            self.factored = None;
            self.matrix.factor(h_gamma)?;
            self.factored = Some(h_gamma);
            self.rate = UNKNOWN_RATE;
        }
        Ok(())
    }

    /// Solve W x = h γ δ, in algebraic rows W x = δ, in place with the factors at hand.
    pub(crate) fn correct_defect(&mut self, h_gamma: f64, off: &mut [f64]) {
        let mass = self.matrix.mass.iter();
        off.iter_mut().zip(mass).for_each(|(x, m)| *x *= if *m == 0.0 { 1.0 } else { h_gamma });
        self.matrix.solve(off);
    }

    /// After a failed solve: take J at (t, y) if it is older than that; false if there is nothing to renew.
    pub(crate) fn recover(
        &mut self,
        problem: &mut dyn Problem,
        t: f64,
        y: &[f64],
        work: &mut SolverWork,
    ) -> bool {
        work.newton_failures += 1;
        self.rate = UNKNOWN_RATE;
        if self.jacobian_is_fresh {
            return false;
        }
        self.renew(problem, t, y, work);
        true
    }

    /// Solve (1) from the guess in `y`.
    pub fn solve(
        &mut self,
        problem: &mut dyn Problem,
        t: f64,
        h_gamma: f64,
        base: &[f64],
        y: &mut [f64],
        work: &mut SolverWork,
    ) -> Result<(), StepRefusal> {
        let n = y.len();
        let delta = &mut self.delta[..];
        // What the last solve found, trusted a little less.
        let trusted = self.rate.max(f64::EPSILON).powf(0.8);
        // Algebraic rows may bend so much that it says nothing of this one.
        let measured = self.rate != UNKNOWN_RATE && !self.matrix.mass.contains(&0.0);
        let mut rate = if measured { trusted } else { UNKNOWN_RATE };
        let mut last = 0.0;
        for iteration in 0..MAX_ITERATIONS {
            problem.residual(t, y, delta);
            work.residuals += 1;
            let mut sum = 0.0;
            for j in 0..n {
                let differential = h_gamma * delta[j] + base[j] - y[j]; // (2)
                delta[j] = if self.matrix.mass[j] == 0.0 { delta[j] } else { differential };
                sum += 0.0 * delta[j];
            }
            if sum != 0.0 {
                let row = delta.iter().position(|v| !v.is_finite()).unwrap_or(0);
                return Err(StepRefusal::NotFinite { row });
            }
            self.matrix.solve(delta);
            y.iter_mut().zip(&*delta).for_each(|(y, d)| *y += d);
            let size = weighted_norm(delta, &self.inverse_weights);
            if iteration > 0 {
                let theta = size / last;
                self.slowest = self.slowest.max(theta);
                rate = theta / (1.0 - theta);
                let left = (MAX_ITERATIONS - 1 - iteration) as i32;
                if theta >= 1.0 || theta.powi(left) * rate * size > self.tolerance {
                    break;
                }
            }
            if rate * size <= self.tolerance {
                self.rate = rate;
                return Ok(());
            }
            if !size.is_finite() {
                break;
            }
            last = size;
        }
        let share = |j: usize| delta[j].abs() * self.inverse_weights[j];
        Err(StepRefusal::NoConvergence {
            unknown: (0..n).fold(0, |a, b| if share(b) > share(a) { b } else { a }),
        })
    }
}
