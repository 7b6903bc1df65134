//! Consistent values of the algebraic unknowns.

use super::{CONVERGED, NewtonBlock, largest};
use crate::homotopy;
use crate::problem::{Layout, Problem};
use crate::stepper::{SolverWork, StepFailure};
use trunnion_num::Archive;

/// Corrections with old factors at most.
const MOST_REFINEMENTS: usize = 3;

/// Makes the algebraic unknowns consistent with the differential ones.
#[derive(Clone)]
pub struct ConsistentValues {
    part: NewtonBlock,
    start: Vec<f64>,
    /// What may be left in each row of the part, of several branches and of one.
    left: Vec<f64>,
    sums: Vec<f64>,
    /// The branches for which factors were made, if they were made to polish.
    polished: Option<u64>,
}

impl ConsistentValues {
    pub fn new(layout: &Layout) -> Self {
        let part = NewtonBlock::algebraic(layout);
        let (left, sums) = (vec![0.0; part.m()], vec![0.0; part.m()]);
        ConsistentValues { part, start: vec![0.0; layout.n()], left, sums, polished: None }
    }

    /// Solve 0 = f_algebraic(t, y) for the algebraic unknowns in `y`; the others are kept. On failure `y` is as before.
    pub fn solve(&mut self, problem: &mut dyn Problem, t: f64, y: &mut [f64]) -> Result<(), StepFailure> {
        if self.part.m() == 0 {
            return Ok(());
        }
        self.polished = None;
        self.start.copy_from_slice(y);
        let Err(first) = self.part.newton(problem, t, y) else { return Ok(()) };
        let reached = y.to_vec();
        y.copy_from_slice(&self.start);
        if homotopy::solve(&mut self.part, problem, t, y).is_ok() {
            return Ok(());
        }
        y.copy_from_slice(&self.start);
        Err(self.part.failure(problem, t, &reached, first))
    }

    /// The same for values read off a curve, up to a correction by no more than `rtol`. On failure they stay as they are. Factors serve as
    /// long as the number of the `branches` stays the same. Reading is no work of the solver.
    pub(crate) fn refine(
        &mut self,
        problem: &mut dyn Problem,
        (t, y): (f64, &mut [f64]),
        rtol: f64,
        branches: Option<u64>,
    ) {
        if self.part.m() == 0 {
            return;
        }
        let work = self.part.work;
        self.correct(problem, (t, y), rtol, branches);
        self.part.work = work;
    }

    fn correct(
        &mut self,
        problem: &mut dyn Problem,
        (t, y): (f64, &mut [f64]),
        rtol: f64,
        branches: Option<u64>,
    ) {
        self.start.copy_from_slice(y);
        let known = branches.is_some() && self.polished == branches;
        self.polished = None;
        if !known && self.part.linearise(problem, t, y).is_err() {
            return;
        }
        for _ in 0..MOST_REFINEMENTS {
            if self.part.evaluate(problem, t, y).is_err() {
                break;
            }
            self.part.correction();
            for k in 0..self.part.m() {
                y[self.part.columns[k]] += self.part.step[k] * self.part.size[k];
            }
            if largest(&self.part.step) <= rtol {
                self.polished = branches;
                return;
            }
        }
        y.copy_from_slice(&self.start);
        if self.part.newton(problem, t, y).is_err() {
            y.copy_from_slice(&self.start);
        }
    }

    /// What may be left in the rows at (t, y), by the branches at hand, where iterations have converged; `anew`: forget other branches.
    pub(crate) fn measure_rows(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64], anew: bool) {
        self.polished = None;
        problem.jacobian(t, y, &mut self.part.jacobian);
        self.part.work.jacobians += 1;
        self.sums.fill(0.0);
        for (row, column, place) in problem.layout().pattern.entries() {
            if let Ok(k) = self.part.rows.binary_search(&row) {
                self.sums[k] += CONVERGED * (self.part.jacobian[place] * y[column]).abs();
            }
        }
        for (left, sum) in self.left.iter_mut().zip(&self.sums) {
            *left = if anew { *sum } else { left.max(*sum) };
        }
    }

    /// Move the algebraic unknowns in `y` by what `measure_rows` found, with one of several patterns of signs; false if they are not determined.
    pub(crate) fn move_rows(
        &mut self,
        problem: &mut dyn Problem,
        t: f64,
        y: &mut [f64],
        pattern: usize,
    ) -> bool {
        self.polished = None;
        if self.part.linearise(problem, t, y).is_err() {
            return false;
        }
        for k in 0..self.part.m() {
            let up = (k >> pattern) & 1 == 0;
            self.part.f[self.part.rows[k]] = if up { self.left[k] } else { -self.left[k] };
        }
        self.part.correction();
        for k in 0..self.part.m() {
            y[self.part.columns[k]] += self.part.step[k] * self.part.size[k];
        }
        true
    }

    pub fn work(&self) -> SolverWork {
        self.part.work
    }

    /// As `Lu::reserve`.
    pub fn reserve(&mut self) {
        self.part.lu.reserve();
    }

    /// What the next search takes over from those before.
    pub fn remember(&mut self, archive: &mut Archive) {
        self.polished = None;
        self.part.work.remember(archive);
        self.part.lu.remember(archive);
    }
}
