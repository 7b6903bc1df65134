//! Explicit first, implicit once the model proves stiff: Tsitouras' method, then Rodas5P for the rest of the run.
//!
//! For models whose Jacobian is dense, as that of a mechanism, where a step of an implicit method costs much, and for closed loops, whose
//! Jacobian grows without limit near poses where they lose rank. Stiffness shows after some steps at the limit of stability, or
//! by a step that fails.

use super::explicit::Explicit;
use super::rosenbrock::rodas5p;
use crate::problem::{Layout, Problem};
use crate::stepper::{Segment, SolverOptions, SolverWork, StepFailure, Stepper, Tolerance};

/// Entries in a row of the Jacobian, in the mean, from which an explicit method is tried first: an LU of rows with fewer costs
/// about as much as the evaluations it saves.
const DENSE: usize = 8;

#[derive(Clone)]
pub struct Auto {
    layout: Layout,
    options: SolverOptions,
    explicit: Explicit,
    implicit: Option<Box<dyn Stepper>>,
}

impl Auto {
    /// Whether a model with this layout is to be tried with an explicit method.
    pub(crate) fn suits(layout: &Layout) -> bool {
        let n = layout.n();
        layout.differential.iter().all(|d| *d) && (layout.constrained || layout.pattern.nnz() > DENSE * n)
    }

    pub fn new(layout: &Layout, options: &SolverOptions) -> Self {
        Auto {
            layout: layout.clone(),
            options: options.clone(),
            explicit: Explicit::tsit45(options.clone()),
            implicit: None,
        }
    }

    fn active(&self) -> &dyn Stepper {
        self.implicit.as_deref().unwrap_or(&self.explicit)
    }

    fn active_mut(&mut self) -> &mut dyn Stepper {
        match &mut self.implicit {
            Some(implicit) => implicit.as_mut(),
            None => &mut self.explicit,
        }
    }

    /// Go on with the implicit method from where the explicit one stands.
    fn switch(&mut self, problem: &mut dyn Problem) -> Result<(), StepFailure> {
        let (t, y) = self.explicit.state();
        let (y, mut implicit) = (y.to_vec(), Box::new(rodas5p(&self.layout, &self.options)));
        implicit.take_sizes(self.explicit.tolerance());
        implicit.restart(problem, t, &y)?;
        self.implicit = Some(implicit);
        Ok(())
    }
}

impl Stepper for Auto {
    fn boxed(&self) -> Box<dyn Stepper> {
        Box::new(self.clone())
    }

    fn restart(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), StepFailure> {
        self.active_mut().restart(problem, t, y)
    }

    fn resume(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), StepFailure> {
        self.active_mut().resume(problem, t, y)
    }

    fn take_inputs(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), StepFailure> {
        self.active_mut().take_inputs(problem, t, y)
    }

    fn step(&mut self, problem: &mut dyn Problem, limit: f64) -> Result<(), StepFailure> {
        if self.implicit.is_none() {
            if !self.explicit.looks_stiff() && self.explicit.step(problem, limit).is_ok() {
                return Ok(());
            }
            self.switch(problem)?;
        }
        self.active_mut().step(problem, limit)
    }

    fn pace(&self) -> f64 {
        self.active().pace()
    }

    fn adjust(&mut self, problem: &mut dyn Problem, y: &[f64]) -> Result<(), StepFailure> {
        self.active_mut().adjust(problem, y)
    }

    fn state(&self) -> (f64, &[f64]) {
        self.active().state()
    }

    fn segment(&mut self) -> &Segment {
        self.active_mut().segment()
    }

    fn input_share(&self) -> f64 {
        self.active().input_share()
    }

    fn input_growth(&self) -> f64 {
        self.active().input_growth()
    }

    fn curve_error(&mut self, problem: &mut dyn Problem) -> f64 {
        self.active_mut().curve_error(problem)
    }

    fn tolerance(&self) -> Option<&Tolerance> {
        self.active().tolerance()
    }

    fn work(&self) -> SolverWork {
        let (mut sum, more) = (self.explicit.work(), self.implicit.as_ref().map(|i| i.work()));
        if let Some(more) = more {
            sum.steps += more.steps;
            sum.rejected += more.rejected;
            sum.residuals += more.residuals;
            sum.jacobians += more.jacobians;
            sum.factorisations += more.factorisations;
            sum.newton_failures += more.newton_failures;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solvers::problems;

    fn run(problem: &mut problems::TestProblem, t_end: f64) -> (Vec<f64>, Auto) {
        let options = SolverOptions { rtol: 1e-8, ..SolverOptions::default() };
        let mut stepper = Auto::new(problem.layout(), &options);
        let start = problem.start.clone();
        stepper.restart(problem, 0.0, &start).unwrap();
        while stepper.state().0 < t_end {
            stepper.step(problem, t_end).unwrap();
        }
        (stepper.state().1.to_vec(), stepper)
    }

    #[test]
    fn a_stiff_problem_is_handed_on_and_a_mild_one_is_not() {
        let mut stiff = problems::hires();
        let t_end = stiff.t_end;
        let (y, stepper) = run(&mut stiff, t_end);
        assert!(stepper.implicit.is_some());
        for (y, end) in y.iter().zip(&stiff.end) {
            assert!((y - end).abs() < 1e-6, "{y} is not {end}");
        }
        let (_, stepper) = run(&mut problems::oscillator(), 10.0);
        assert!(stepper.implicit.is_none());
    }
}
