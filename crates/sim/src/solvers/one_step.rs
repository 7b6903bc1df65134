//! The loop of all one-step methods: try a step, measure its error, accept it or try a smaller one.

use super::control::{IMPLICIT, StepControl, first_step};
use super::error::Tolerance;
use super::fixed::FixedSteps;
use super::implicit::mass;
use crate::problem::{Layout, Problem};
use crate::stepper::{FailureCause, Segment, SolverOptions, SolverWork, StepFailure, Stepper};
use trunnion_num::Archive;

/// Attempts at one step before a solver that works in periods returns: the budget of attempts is checked at least that often.
const TRIES: u64 = 2;

/// From t to t1 = t + h; t1 is exact, h is rounded.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepSpan {
    pub t: f64,
    pub t1: f64,
    pub h: f64,
}

/// Why a method could not compute a step of this size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepRefusal {
    NoConvergence {
        unknown: usize,
    },
    NotFinite {
        row: usize,
    },
    Singular {
        unknown: usize,
    },
    /// Not finite already where the step starts: a smaller step does not help.
    NotFiniteAtStart {
        row: usize,
    },
}

/// A method that goes from y0 to y1 by itself.
pub trait OneStepMethod: Clone + Send + 'static {
    /// Order of the solution, and of the error estimate: ‖e‖ ~ h^(estimate + 1).
    fn orders(&self) -> (usize, usize);
    /// Begin anew at (t, y), where f = f(t, y) is finite, with steps of about h. May allocate.
    fn restart(
        &mut self,
        problem: &mut dyn Problem,
        t: f64,
        h: f64,
        y: &[f64],
        f: &[f64],
        work: &mut SolverWork,
    );
    /// Begin anew at (t, y) in the pace of before.
    fn resume(
        &mut self,
        problem: &mut dyn Problem,
        t: f64,
        h: f64,
        y: &[f64],
        f: &mut [f64],
        work: &mut SolverWork,
    ) {
        problem.residual(t, y, f);
        work.residuals += 1;
        self.restart(problem, t, h, y, f, work);
    }
    /// Compute y1 and the estimated error of it, both of the size of y.
    fn attempt(
        &mut self,
        problem: &mut dyn Problem,
        span: StepSpan,
        y0: &[f64],
        y1: &mut [f64],
        error: &mut [f64],
        work: &mut SolverWork,
    ) -> Result<(), StepRefusal>;
    /// The step just attempted stands.
    fn accept(&mut self);
    /// The curve over the step accepted last.
    fn segment(&self, span: StepSpan, y0: &[f64], y1: &[f64], segment: &mut Segment);
    /// The change of y that makes up for what y' is off by, and for residuals in algebraic rows, with the factors of the last step of h: W⁻¹ h γ δ.
    fn correct_defect(&mut self, h: f64, off: &mut [f64]);
    /// What the next step takes over from those before; false if this method cannot keep it.
    fn remember(&mut self, archive: &mut Archive) -> bool {
        let _ = archive;
        false
    }
}

/// A stepper made of a one-step method.
#[derive(Clone)]
pub struct OneStep<M> {
    method: M,
    tolerance: Tolerance,
    control: StepControl,
    /// The constant step of a solver without error control.
    fixed: Option<f64>,
    /// Origin of the grid of constant steps, and steps since.
    grid: (f64, u64),
    /// Length and grid of periods whose ends are met, for a solver in real time.
    period: Option<f64>,
    periods: FixedSteps,
    started: bool,
    /// The last accepted step.
    span: StepSpan,
    y0: Vec<f64>,
    y1: Vec<f64>,
    /// Written by `attempt`.
    y_new: Vec<f64>,
    error: Vec<f64>,
    // Written by `restart`: f and y' there; M.
    f: Vec<f64>,
    y_dot: Vec<f64>,
    mass: Vec<f64>,
    work: SolverWork,
    segment: Segment,
    segment_is_current: bool,
}

impl<M: OneStepMethod> OneStep<M> {
    /// A solver that chooses its steps.
    pub fn adaptive(method: M, layout: &Layout, options: &SolverOptions) -> Self {
        let n = layout.n();
        OneStep {
            tolerance: Tolerance::new(layout, options),
            control: StepControl::new(&IMPLICIT, method.orders().1, options.h_max),
            method,
            fixed: None,
            grid: (0.0, 0),
            period: None,
            periods: FixedSteps::default(),
            started: false,
            span: StepSpan::default(),
            y0: vec![0.0; n],
            y1: vec![0.0; n],
            y_new: vec![0.0; n],
            error: vec![0.0; n],
            f: vec![0.0; n],
            y_dot: vec![0.0; n],
            mass: mass(layout),
            work: SolverWork::default(),
            segment: Segment::default(),
            segment_is_current: false,
        }
        .first_step_from(options)
    }

    /// A solver of constant steps `h`; the last one before a limit may be shorter.
    pub fn fixed(method: M, layout: &Layout, h: f64) -> Self {
        let options = SolverOptions { h_max: h, ..SolverOptions::default() };
        OneStep { fixed: Some(h), ..Self::adaptive(method, layout, &options) }
    }

    /// A solver that chooses its steps within periods and meets their ends. They are counted from the first restart.
    pub(crate) fn in_periods(method: M, layout: &Layout, options: &SolverOptions, period: f64) -> Self {
        let options = SolverOptions { h: Some(period), h_max: period.min(options.h_max), ..options.clone() };
        OneStep { period: Some(period), ..Self::adaptive(method, layout, &options) }
    }

    /// Go on with what another solver learnt of sizes.
    pub(crate) fn take_sizes(&mut self, tolerance: Option<&Tolerance>) {
        if let Some(tolerance) = tolerance {
            self.tolerance.take(tolerance);
        }
    }

    fn first_step_from(mut self, options: &SolverOptions) -> Self {
        if let Some(h) = options.h {
            self.control.h = h;
            self.started = true;
        }
        self
    }

    /// The step to begin with, from the behaviour at the start, and from the step before a jump.
    fn begin_with(&mut self, problem: &mut dyn Problem) -> f64 {
        let (t, y, f, mass, y_dot) = (self.span.t1, &self.y1, &self.f, &self.mass, &mut self.y_dot);
        let norm = |e: &[f64], tolerance: &Tolerance| tolerance.first_norm(e, y);
        (0..y.len()).for_each(|i| y_dot[i] = f[i] * mass[i]);
        let y_norm = norm(y, &self.tolerance).max(self.tolerance.nominal_norm());
        let y_dot_norm = norm(y_dot, &self.tolerance);
        let (trial, bent) = (&mut self.y_new, &mut self.error);
        let mut residuals = 0;
        let estimate = first_step(self.method.orders().0, self.control.h_max(), y_norm, y_dot_norm, |h| {
            (0..y.len()).for_each(|i| trial[i] = y[i] + h * y_dot[i]);
            problem.residual(t + h, trial, bent);
            residuals += 1;
            (0..y.len()).for_each(|i| bent[i] = (bent[i] - f[i]) * mass[i]);
            norm(bent, &self.tolerance)
        });
        self.work.residuals += residuals;
        if self.started && !self.control.exhausted(t) {
            // A jump seldom changes the pace of everything; if it does, the error estimate says so.
            return self.control.h.min(1e3 * estimate);
        }
        estimate
    }

    fn failure(&self, refusal: StepRefusal, h: f64) -> StepFailure {
        let t = self.span.t1;
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

    fn keep(&mut self, span: StepSpan) {
        self.method.accept();
        self.tolerance.learn(&self.y_new);
        std::mem::swap(&mut self.y0, &mut self.y1);
        std::mem::swap(&mut self.y1, &mut self.y_new);
        self.span = span;
        self.work.steps += 1;
        self.segment_is_current = false;
    }

    fn fixed_step(&mut self, problem: &mut dyn Problem, h: f64, limit: f64) -> Result<(), StepFailure> {
        let t = self.span.t1;
        // Counted from the origin of the grid, so that rounding does not add up to a crumb before a limit.
        let (origin, count) = self.grid;
        let next = origin + (count + 1) as f64 * h;
        let span = if next >= limit - 1e-6 * h {
            StepSpan { t, t1: limit, h: limit - t }
        } else {
            StepSpan { t, t1: next, h }
        };
        self.method
            .attempt(problem, span, &self.y1, &mut self.y_new, &mut self.error, &mut self.work)
            .map_err(|refusal| self.failure(refusal, h))?;
        if let Some(row) = self.y_new.iter().position(|v| !v.is_finite()) {
            return Err(StepFailure::NotFinite { t: span.t1, row });
        }
        self.grid = if span.t1 == limit { (limit, 0) } else { (origin, count + 1) };
        self.keep(span);
        Ok(())
    }
}

impl<M: OneStepMethod> Stepper for OneStep<M> {
    fn boxed(&self) -> Box<dyn Stepper> {
        Box::new(self.clone())
    }

    fn restart(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), StepFailure> {
        self.span = StepSpan { t, t1: t, h: 0.0 };
        self.grid = (t, 0);
        if let (Some(period), true) = (self.period, self.work.residuals == 0) {
            self.periods = FixedSteps::new(t, period);
        }
        self.y1.copy_from_slice(y);
        self.y0.copy_from_slice(y);
        self.tolerance.learn(y);
        problem.residual(t, y, &mut self.f);
        self.work.residuals += 1;
        if let Some(row) = self.f.iter().position(|v| !v.is_finite()) {
            return Err(StepFailure::NotFinite { t, row });
        }
        let h = match self.fixed {
            Some(h) => h,
            None => self.begin_with(problem),
        };
        self.control.restart(h);
        self.started = true;
        self.method.restart(problem, t, h, y, &self.f, &mut self.work);
        self.segment.coefficients.clear();
        self.segment.coefficients.reserve(6 * y.len());
        self.segment_is_current = false;
        Ok(())
    }

    fn step(&mut self, problem: &mut dyn Problem, limit: f64) -> Result<(), StepFailure> {
        let t = self.span.t1;
        if limit <= t {
            return Ok(());
        }
        if let Some(h) = self.fixed {
            return self.fixed_step(problem, h, limit);
        }
        let limit = if self.period.is_some() { self.periods.next(t, limit) } else { limit };
        let mut last =
            StepFailure::StepTooSmall { t, h: self.control.h, unknown: 0, cause: FailureCause::Error };
        let most = if self.period.is_some() { self.work.rejected + TRIES } else { u64::MAX };
        while !self.control.exhausted(t) {
            if self.work.rejected == most {
                return Ok(());
            }
            let (h, t1) = self.control.next(t, limit);
            let span = StepSpan { t, t1, h };
            match self.method.attempt(
                problem,
                span,
                &self.y1,
                &mut self.y_new,
                &mut self.error,
                &mut self.work,
            ) {
                Ok(()) => {
                    let error = self.tolerance.norm(&self.error, &self.y1, &self.y_new);
                    if error <= 1.0 {
                        self.control.accept(h, error);
                        self.keep(span);
                        return Ok(());
                    }
                    let unknown = self.tolerance.dominant(&self.error, &self.y1, &self.y_new);
                    if error.is_finite() {
                        self.control.reject(h, error);
                        last = StepFailure::StepTooSmall { t, h, unknown, cause: FailureCause::Error };
                    } else {
                        self.control.fail(h);
                        last = self.failure(StepRefusal::NotFinite { row: unknown }, h);
                    }
                }
                Err(refusal @ StepRefusal::NotFiniteAtStart { .. }) => return Err(self.failure(refusal, h)),
                Err(refusal) => {
                    self.control.fail(h);
                    last = self.failure(refusal, h);
                }
            }
            self.work.rejected += 1;
        }
        Err(last)
    }

    fn resume(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) -> Result<(), StepFailure> {
        if self.fixed.is_some() {
            return self.restart(problem, t, y);
        }
        self.span = StepSpan { t, t1: t, h: 0.0 };
        self.y1.copy_from_slice(y);
        self.y0.copy_from_slice(y);
        self.tolerance.learn(y);
        self.method.resume(problem, t, self.control.h, y, &mut self.f, &mut self.work);
        self.segment_is_current = false;
        Ok(())
    }

    fn freezes_kinks(&self) -> bool {
        self.fixed.is_none()
    }

    fn pace(&self) -> f64 {
        self.control.h
    }

    fn adjust(&mut self, _problem: &mut dyn Problem, y: &[f64]) -> Result<(), StepFailure> {
        self.y1.copy_from_slice(y);
        Ok(())
    }

    fn state(&self) -> (f64, &[f64]) {
        (self.span.t1, &self.y1)
    }

    fn segment(&mut self) -> &Segment {
        if !self.segment_is_current {
            self.segment.t0 = self.span.t;
            self.segment.t1 = self.span.t1;
            self.method.segment(self.span, &self.y0, &self.y1, &mut self.segment);
            self.segment_is_current = true;
        }
        &self.segment
    }

    fn work(&self) -> SolverWork {
        self.work
    }

    /// Stages see a stiff state at a few places; between them its curve may be far off though the ends are right.
    fn curve_error(&mut self, problem: &mut dyn Problem) -> f64 {
        if self.fixed.is_some() || self.period.is_some() {
            return 0.0;
        }
        self.segment();
        let (y, f, slope) = (&mut self.y_new, &mut self.error, &mut self.y_dot);
        let middle = 0.5 * (self.span.t + self.span.t1);
        self.segment.at(middle, y);
        self.segment.slope(middle, slope);
        problem.residual(middle, y, f);
        self.work.residuals += 1;
        for ((f, slope), mass) in f.iter_mut().zip(slope).zip(&self.mass) {
            *f -= *slope * mass;
        }
        self.method.correct_defect(self.span.h, f);
        self.tolerance.norm(f, &self.y0, &self.y1)
    }

    fn tolerance(&self) -> Option<&Tolerance> {
        self.fixed.is_none().then_some(&self.tolerance)
    }

    fn remember(&mut self, archive: &mut Archive) -> bool {
        self.tolerance.remember(archive);
        self.control.remember(archive);
        self.periods.remember(archive);
        archive.flag(&mut self.started);
        for x in [&mut self.span.t, &mut self.span.t1, &mut self.span.h, &mut self.grid.0] {
            archive.number(x);
        }
        archive.word(&mut self.grid.1);
        archive.numbers(&mut self.y0);
        archive.numbers(&mut self.y1);
        self.work.remember(archive);
        self.segment_is_current &= !archive.reads();
        self.method.remember(archive)
    }
}
