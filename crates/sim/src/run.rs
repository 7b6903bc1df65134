//! One run of a prepared model with the settings a user gives.

use std::collections::HashMap;
use std::sync::Arc;

use trunnion_equations::Symbol;

use trunnion_num::Archive;

use crate::integrate::{
    self, Ended, LoopExit, Observer, OutputTimes, RunError, RunPlan, RunState, Summary, integrate,
};
use crate::machine::{Loaded, Machine, Prepared};
use crate::problem::{Hybrid, Problem};
use crate::solvers::choose::{MethodNumbers, SolverEntry};
use crate::start_error::StartError;
use crate::stepper::{SolverOptions, Stepper};

/// How to run.
#[derive(Clone, Debug)]
pub struct Settings {
    pub t_0: f64,
    pub t_end: f64,
    pub output: OutputTimes,
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
    fn plan(&self, both_sides: bool) -> RunPlan {
        let mut at = self.at.clone();
        at.sort_by(f64::total_cmp);
        let tolerance = (self.rtol, self.atol);
        RunPlan { at, both_sides, tolerance, ..RunPlan::new(self.t_0, self.t_end, self.output) }
    }

    fn options(&self, n: usize, solver: &SolverEntry) -> SolverOptions {
        SolverOptions {
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
    solver: &SolverEntry,
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
    solver: &SolverEntry,
    settings: &Settings,
    both_sides: bool,
    observer: &mut dyn Observer<P>,
) -> Result<Summary, RunError> {
    let options = settings.options(y.len(), solver);
    let mut stepper = solver.stepper(problem.layout(), &options, &settings.numbers);
    integrate(problem, y, stepper.as_mut(), &settings.plan(both_sides), observer)
}

/// A run that can be laid aside between two steps: it owns all it works on, and goes on where it stands, in any thread. What it computes does
/// not depend on where it was paused.
pub struct MachineRun {
    machine: Machine,
    stepper: Box<dyn Stepper>,
    plan: RunPlan,
    state: RunState,
    begun: bool,
    /// A parameter or input was changed since the last step.
    changed: bool,
    ended: Option<Ended>,
}

/// A run at an instant, to go back to.
pub struct MachineSnapshot {
    /// Of the machine, and what was given to it.
    words: Vec<u64>,
    given: HashMap<Symbol, f64>,
    stepper: Box<dyn Stepper>,
    state: RunState,
    begun: bool,
    changed: bool,
    ended: Option<Ended>,
}

impl MachineRun {
    /// At the start values. `given` overrides parameters, inputs and start values (SI).
    pub fn new(
        prepared: &Arc<Prepared>,
        given: &HashMap<Symbol, f64>,
        solver: &SolverEntry,
        settings: &Settings,
    ) -> Result<Self, StartError> {
        let started = Machine::start(Arc::clone(prepared), given, settings.t_0)?;
        Ok(Self::of_machine(started, solver, settings))
    }

    /// The same of an image.
    pub fn of_image(
        loaded: &Arc<Loaded>,
        given: &HashMap<Symbol, f64>,
        solver: &SolverEntry,
        settings: &Settings,
    ) -> Result<Self, StartError> {
        let started = Machine::start_image(Arc::clone(loaded), given, settings.t_0)?;
        Ok(Self::of_machine(started, solver, settings))
    }

    fn of_machine((machine, y): (Machine, Vec<f64>), solver: &SolverEntry, settings: &Settings) -> Self {
        let options = settings.options(y.len(), solver);
        let stepper = solver.stepper(machine.layout(), &options, &settings.numbers);
        let plan = settings.plan(true);
        let state = RunState::new(&machine, &y, &plan);
        MachineRun { machine, stepper, plan, state, begun: false, changed: false, ended: None }
    }

    /// Where the run stands.
    pub fn t(&self) -> f64 {
        self.state.t
    }

    pub fn y(&self) -> &[f64] {
        &self.state.y
    }

    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    pub fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// All columns where the run stands. Err: one of them is no finite number.
    pub fn record(&mut self, row: &mut [f64]) -> Result<(), RunError> {
        self.machine.record(self.state.t, &self.state.y, row)
    }

    /// Goes on until a time, or a little beyond it: pausing ends no step. Some: the run is over. An observer that breaks off in `progress`
    /// pauses it too, and it can go on; one that breaks off within a step leaves it there.
    pub fn advance(
        &mut self,
        until: f64,
        observer: &mut dyn Observer<Machine>,
    ) -> Result<Option<Ended>, RunError> {
        if matches!(self.ended, Some(Ended::Completed | Ended::Terminated)) {
            return Ok(self.ended);
        }
        self.ended = None;
        self.plan.check()?;
        let (begun, changed) = (std::mem::replace(&mut self.begun, true), std::mem::take(&mut self.changed));
        let MachineRun { machine: problem, stepper, plan, state, .. } = self;
        let mut run = integrate::Integration { problem, stepper: stepper.as_mut(), plan, observer, state };
        let begin = |run: &mut integrate::Integration<'_, Machine>| match begun {
            false => run.begin(),
            true if changed => run.take_change(),
            true => Ok(()),
        };
        match begin(&mut run).and_then(|()| run.go_on(until)) {
            Ok(true) => self.ended = Some(Ended::Completed),
            Ok(false) => {}
            Err(LoopExit::Ended(ended)) => self.ended = Some(ended),
            Err(LoopExit::Error(error)) => return Err(error),
        }
        Ok(self.ended)
    }

    /// Changes a parameter or input (SI), and the parameters that follow from it; it counts from the next step on.
    pub fn set(&mut self, symbol: Symbol, value: f64) {
        self.changed |= self.machine.set_parameter(symbol, value);
    }

    /// Err: the memory of a controller cannot be kept.
    pub fn snapshot(&mut self) -> Result<MachineSnapshot, String> {
        let mut archive = Archive::to_write();
        self.machine.remember(&mut archive)?;
        Ok(MachineSnapshot {
            words: archive.finish().unwrap_or_default(),
            given: self.machine.given().clone(),
            stepper: self.stepper.clone(),
            state: self.state.clone(),
            begun: self.begun,
            changed: self.changed,
            ended: self.ended,
        })
    }

    /// Back, or forth, to a snapshot of a run of the same model: what follows has the same bits.
    pub fn restore(&mut self, at: &MachineSnapshot) -> Result<(), String> {
        let mut archive = Archive::to_read(at.words.clone());
        self.machine.remember(&mut archive)?;
        archive.finish().ok_or("the snapshot is of another model")?;
        self.machine.take_given(at.given.clone());
        (self.stepper, self.state) = (at.stepper.clone(), at.state.clone());
        (self.begun, self.changed, self.ended) = (at.begun, at.changed, at.ended);
        Ok(())
    }
}
