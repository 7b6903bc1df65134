//! What a run tells its observer: grid points, pieces of the solution, the summary.

use super::{Integration, LoopExit};
use crate::plan::{Ended, Moment, OutputTimes, StepPiece, Summary};
use crate::problem::Hybrid;
use std::ops::ControlFlow;

impl<P: Hybrid> Integration<'_, P> {
    /// Show the curve from one instant to another to the observer.
    pub(super) fn observe_piece(&mut self, from: f64, to: f64) -> Result<(), LoopExit> {
        if to > from {
            let piece = StepPiece { curve: self.stepper.segment(), from, to, joined: self.state.joined };
            self.state.joined = true;
            if self.observer.follow(self.problem, piece).is_break() {
                return Err(LoopExit::Ended(Ended::Cancelled));
            }
        }
        Ok(())
    }

    /// Report grid points before t, read off the curve.
    pub(super) fn report_until(&mut self, t: f64) -> Result<(), LoopExit> {
        loop {
            let point = self.state.points.next(self.plan);
            if point >= t {
                return Ok(());
            }
            self.state.points.pass(self.plan, point);
            self.stepper.segment().at(point, &mut self.state.y_out);
            self.report_grid(point)?;
        }
    }

    /// Report a grid point at the instant that is done with.
    pub(super) fn report_here(&mut self) -> Result<(), LoopExit> {
        let due = self.state.points.next(self.plan) <= self.state.t;
        self.state.points.pass(self.plan, self.state.t);
        if due || matches!(self.plan.output, OutputTimes::Steps(_)) {
            self.state.y_out.copy_from_slice(&self.state.y);
            self.report_grid(self.state.t)?;
        }
        Ok(())
    }

    /// Report the values of a solver in `y_out`.
    pub(super) fn report_grid(&mut self, t: f64) -> Result<(), LoopExit> {
        // Branches that follow the values may be others at every point.
        let branches = (!self.state.locator.passes_kinks()).then_some(self.state.kinks + self.state.restarts);
        self.state.consistent.refine(
            self.problem,
            (t, &mut self.state.y_out),
            self.plan.tolerance.0,
            branches,
        );
        match self.observer.observe(self.problem, t, &self.state.y_out, Moment::Grid) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(LoopExit::Ended(Ended::Cancelled)),
        }
    }

    pub(super) fn report(&mut self, t: f64, moment: Moment) -> Result<(), LoopExit> {
        match self.observer.observe(self.problem, t, &self.state.y, moment) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(LoopExit::Ended(Ended::Cancelled)),
        }
    }

    pub fn summary(&self, ended: Ended) -> Summary {
        let (mut work, extra) = (self.stepper.work(), self.state.consistent.work());
        work.residuals += extra.residuals;
        work.jacobians += extra.jacobians;
        work.factorisations += extra.factorisations;
        Summary {
            ended,
            t: self.state.t,
            steps: self.state.steps,
            events: self.state.events,
            kinks: self.state.kinks,
            crossings: self.state.crossings_total,
            samples: self.state.samples,
            restarts: self.state.restarts,
            work,
        }
    }
}
