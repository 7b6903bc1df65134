//! An explicit method as a solver: steps, curve over the step, work.

use super::{Explicit, interpolate};
use crate::problem::Problem;
use crate::solvers::fixed::{DEFAULT_STEP, FixedSteps};
use crate::stepper::{Segment, SolverWork, StepFailure, Stepper, Tolerance};

impl Stepper for Explicit {
    fn boxed(&self) -> Box<dyn Stepper> {
        Box::new(self.clone())
    }

    fn restart(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), StepFailure> {
        if self.n != y.len() || self.y.is_empty() {
            self.allocate(problem);
        }
        self.stiff_hits = 0;
        self.move_to(problem, t, y)?;
        if self.is_adaptive() {
            let h = match self.options.h {
                Some(h) => h,
                None => self.first_step(problem),
            };
            self.control.restart(h);
        } else {
            self.steps = FixedSteps::new(t, self.options.h.unwrap_or(DEFAULT_STEP).min(self.options.h_max));
        }
        Ok(())
    }

    fn take_inputs(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), StepFailure> {
        let begun = self.y.len() == y.len();
        if begun && self.is_adaptive() { self.move_to(problem, t, y) } else { self.restart(problem, t, y) }
    }

    fn step(&mut self, problem: &mut dyn Problem, limit: f64) -> Result<(), StepFailure> {
        let (n, s) = (self.n, self.stages());
        self.t_start = self.t;
        self.y_start.copy_from_slice(&self.y);
        self.weigh();
        if self.moved {
            self.begin_at(problem)?;
        } else {
            self.k.copy_within(s * n.., 0);
        }
        if self.is_adaptive() { self.adaptive_step(problem, limit) } else { self.fixed_step(problem, limit) }
    }

    fn stability_limited_steps(&self) -> u64 {
        self.held_down
    }

    /// Few stages lie in the middle of a step: an estimate may vanish by chance under a sine, and then in every period.
    fn input_share(&self) -> f64 {
        0.15
    }

    /// The estimate hardly knows the first stage: a long step out of the tail of a pulse would count that for all of it.
    fn input_growth(&self) -> f64 {
        3.0
    }

    fn pace(&self) -> f64 {
        self.control.h
    }

    fn adjust(&mut self, _: &mut dyn Problem, y: &[f64]) -> Result<(), StepFailure> {
        self.y.copy_from_slice(y);
        self.moved = true;
        Ok(())
    }

    fn state(&self) -> (f64, &[f64]) {
        (self.t, &self.y)
    }

    fn segment(&mut self) -> &Segment {
        if !self.segment_is_current {
            let (n, p, h) = (self.n, self.segment.degree, self.t - self.t_start);
            self.segment.t0 = self.t_start;
            self.segment.t1 = self.t;
            let c = &mut self.segment.coefficients;
            c[..n].copy_from_slice(&self.y_start);
            for q in 0..p {
                for &u in &self.differential {
                    let sum: f64 =
                        self.tableau.dense.iter().enumerate().map(|(i, w)| w[q] * self.k[i * n + u]).sum();
                    c[(q + 1) * n + u] = h * sum; // (3)
                }
            }
            if let Some(part) = &self.algebraic {
                for &u in &part.columns {
                    let node = |j: usize| match j {
                        0 => self.y_start[u],
                        j if j == p => self.y[u],
                        j => self.inside[(j - 1) * n + u],
                    };
                    interpolate(p, node, |q, value| c[q * n + u] = value);
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
        self.is_adaptive().then_some(&self.tolerance)
    }
}
