//! What to run, who watches, and what came of it.

use crate::events::resolution;
use crate::run_error::RunError;
use crate::stepper::{Segment, SolverOptions, SolverWork, Tolerance};
use std::ops::ControlFlow;

/// When values are reported beside events and the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutputTimes {
    /// Only the start.
    Start,
    /// Every so many seconds.
    Interval(f64),
    /// So many points at equal distances, both ends included.
    Count(usize),
    /// So many points in every step at equal distances, its end included.
    Steps(usize),
}

/// What to run.
#[derive(Clone, Debug)]
pub struct RunPlan {
    pub t_0: f64,
    pub t_end: f64,
    pub output: OutputTimes,
    /// Further times at which values are reported, ascending.
    pub at: Vec<f64>,
    /// Report the values before and after every event.
    pub both_sides: bool,
    /// Instants with events before the run is given up; None: as many as come.
    pub max_events: Option<u64>,
    /// Relative tolerance, and absolute one of unknowns that have none of their own: kinks within a small share are not distinguished.
    pub tolerance: (f64, Option<f64>),
    /// Instants within steps that are located, counted by `Run::located`; events beyond are handled at the ends of steps.
    pub max_located: usize,
}

impl RunPlan {
    pub fn new(t_0: f64, t_end: f64, output: OutputTimes) -> Self {
        RunPlan {
            t_0,
            t_end,
            output,
            at: vec![],
            both_sides: true,
            max_events: None,
            tolerance: (SolverOptions::default().rtol, None),
            max_located: usize::MAX,
        }
    }

    /// How long the run is; one without end, in real time, is looked at a second at a time.
    pub(crate) fn length(&self) -> f64 {
        if self.t_end.is_finite() { self.t_end - self.t_0 } else { 1.0 }
    }

    /// Grid point k.
    fn point(&self, k: u64) -> f64 {
        let t = match self.output {
            OutputTimes::Start | OutputTimes::Steps(_) if k == 0 => return self.t_0,
            OutputTimes::Start | OutputTimes::Steps(_) => return f64::INFINITY,
            OutputTimes::Interval(dt) => {
                let t = self.t_0 + k as f64 * dt;
                // A last interval that is only rounding is none.
                if self.t_end - t < 1e-9 * dt { self.t_end } else { t }
            }
            OutputTimes::Count(n) => {
                let last = n.max(2) as u64 - 1;
                if k >= last {
                    self.t_end
                } else {
                    self.t_0 + k as f64 / last as f64 * (self.t_end - self.t_0)
                }
            }
        };
        t.min(self.t_end)
    }

    pub(crate) fn check(&self) -> Result<(), RunError> {
        let fits = self.t_0.is_finite() && self.t_end.is_finite() && self.t_end >= self.t_0;
        let step_fits = match self.output {
            // A grid below the resolution of time would never end.
            OutputTimes::Interval(dt) => dt > 4.0 * resolution(self.t_end.abs().max(self.t_0.abs())),
            _ => true,
        };
        if fits && step_fits { Ok(()) } else { Err(RunError::Plan { t_0: self.t_0, t_end: self.t_end }) }
    }
}

/// Points of a plan that are still to come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    next_on_grid: u64,
    next_at: usize,
    /// The present step, and which of its points is next.
    step: (f64, f64),
    next_in_step: usize,
}

impl Points {
    pub(crate) fn begin_step(&mut self, from: f64, to: f64) {
        self.step = (from, to);
        self.next_in_step = 1;
    }

    /// The next one; the end of a step is not among them.
    pub fn next(&self, plan: &RunPlan) -> f64 {
        let at = plan.at.get(self.next_at).copied().unwrap_or(f64::INFINITY);
        plan.point(self.next_on_grid).min(at).min(self.in_step(plan))
    }

    fn in_step(&self, plan: &RunPlan) -> f64 {
        match plan.output {
            OutputTimes::Steps(n) if (1..n).contains(&self.next_in_step) => {
                self.step.0 + self.next_in_step as f64 / n as f64 * (self.step.1 - self.step.0)
            }
            _ => f64::INFINITY,
        }
    }

    /// Those up to t are done with.
    pub fn pass(&mut self, plan: &RunPlan, t: f64) {
        if plan.point(self.next_on_grid) <= t {
            self.next_on_grid += 1;
        }
        while plan.at.get(self.next_at).is_some_and(|&at| at <= t) {
            self.next_at += 1;
        }
        while self.in_step(plan) <= t {
            self.next_in_step += 1;
        }
    }
}

/// Why values are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Grid,
    BeforeEvent,
    AfterEvent,
    /// The last one, in place of a grid point: the end, or where the model stopped the run.
    End,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IntegrationProgress {
    pub t: f64,
    pub steps: u64,
    pub events: u64,
}

/// A step, or what of it lies between events.
#[derive(Clone, Copy, Debug)]
pub struct StepPiece<'a> {
    pub curve: &'a Segment,
    pub from: f64,
    pub to: f64,
    /// It goes on from the piece before without a jump or a bend.
    pub joined: bool,
}

/// Who watches a run. Break ends it as cancelled.
pub trait Observer<P> {
    fn observe(&mut self, problem: &mut P, t: f64, y: &[f64], moment: Moment) -> ControlFlow<()>;
    /// Called at the end, with what errors were held against.
    fn tolerance(&mut self, _tolerance: &Tolerance) {}
    /// Called for every piece of the solution without events, before the grid points in it are reported.
    fn follow(&mut self, _problem: &mut P, _piece: StepPiece<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// Called after every step.
    fn progress(&mut self, _at: IntegrationProgress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<P, F: FnMut(&mut P, f64, &[f64], Moment) -> ControlFlow<()>> Observer<P> for F {
    fn observe(&mut self, problem: &mut P, t: f64, y: &[f64], moment: Moment) -> ControlFlow<()> {
        self(problem, t, y, moment)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// At t_end.
    Completed,
    /// By the model.
    Terminated,
    /// By the observer.
    Cancelled,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    pub ended: Ended,
    pub t: f64,
    pub steps: u64,
    /// Instants at which guards fired, and how many did.
    pub events: u64,
    /// Instants at which a kink was passed.
    pub kinks: u64,
    pub crossings: u64,
    pub samples: u64,
    pub restarts: u64,
    pub work: SolverWork,
}
