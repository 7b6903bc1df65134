//! One run of a prepared model with the settings a user gives.

use std::collections::HashMap;
use std::sync::Arc;

use trunnion_equations::Symbol;

use crate::integrate::{Observer, Output, Plan, RunError, Summary, integrate};
use crate::machine::{Machine, Prepared};
use crate::problem::Hybrid;
use crate::solvers::choose::{Entry, MethodNumbers};
use crate::start_error::StartError;
use crate::stepper::Options;

/// How to run.
#[derive(Clone, Debug)]
pub struct Settings {
    pub t_0: f64,
    pub t_end: f64,
    pub output: Output,
    /// Further times at which values are wanted, in any order.
    pub at: Vec<f64>,
    pub rtol: f64,
    /// For unknowns that have none of their own (SI); None: rtol times their size.
    pub atol: Option<f64>,
    pub h_max: Option<f64>,
    /// Step of a fixed-step solver; None: a thousandth of the run.
    pub step: Option<f64>,
    pub numbers: MethodNumbers,
}

impl Settings {
    fn options(&self, n: usize, solver: &Entry) -> Options {
        Options {
            rtol: self.rtol,
            atol: self.atol,
            // Without unknowns no error limits the step; functions of time are still to be looked at for events.
            h_max: self.h_max.unwrap_or(if n > 0 { f64::INFINITY } else { (self.t_end - self.t_0) / 1000.0 }),
            h: if solver.fixed_step {
                Some(self.step.unwrap_or((self.t_end - self.t_0) / 1000.0))
            } else {
                self.step
            },
        }
    }
}

/// What a run leaves behind, also a failed one.
pub struct Finished {
    pub result: Result<Summary, RunError>,
    pub machine: Machine,
    /// Values at the end.
    pub y: Vec<f64>,
}

/// Run from the start values. `given` overrides parameters, inputs and start values (SI).
pub fn run(
    prepared: &Arc<Prepared>,
    given: &HashMap<Symbol, f64>,
    solver: &Entry,
    settings: &Settings,
    observer: &mut dyn Observer<Machine>,
) -> Result<Finished, StartError> {
    let (mut machine, mut y) = Machine::start(Arc::clone(prepared), given, settings.t_0)?;
    let result = run_on(&mut machine, &mut y, solver, settings, true, observer);
    Ok(Finished { result, machine, y })
}

/// Run from where a problem stands; `both_sides`: report the values before and after every event.
pub fn run_on<P: Hybrid>(
    problem: &mut P,
    y: &mut [f64],
    solver: &Entry,
    settings: &Settings,
    both_sides: bool,
    observer: &mut dyn Observer<P>,
) -> Result<Summary, RunError> {
    let options = settings.options(y.len(), solver);
    let mut stepper = solver.stepper(problem.layout(), &options, &settings.numbers);
    let mut at = settings.at.clone();
    at.sort_by(f64::total_cmp);
    let tolerance = (settings.rtol, settings.atol);
    let plan = Plan { at, both_sides, tolerance, ..Plan::new(settings.t_0, settings.t_end, settings.output) };
    integrate(problem, y, stepper.as_mut(), &plan, observer)
}
