//! A machine in real time: periods of one length, with bounded work in each.
//!
//! In a period the solver (`realtime`) goes on to the period's end in as many steps as its tolerance asks for. `attempts` of them
//! are tried at most, and one more; what is then left is carried on in the next period and counted as an overrun. Events are located and
//! split steps `located` times a period; events beyond that are handled at the ends of steps. Sampled tasks run at their exact
//! instants. Work is counted, not timed: the same inputs give the same bits on every machine, however late it is.
//!
//! A period allocates nothing, controllers in JavaScript aside. `remember` keeps all that the periods to come depend on: a
//! run taken up again goes on with the same bits.

use std::ops::ControlFlow;

use trunnion_num::Archive;

use crate::integrate::{
    Ended, Integration, LoopExit, Moment, Observer, OutputTimes, RunError, RunPlan, RunState,
};
use crate::machine::Machine;
use crate::solvers::one_step::OneStep;
use crate::solvers::rosenbrock::{Rosenbrock, realtime};
use crate::stepper::{SolverOptions, Stepper};

/// How fast, how exact, and with how much work a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RealTimeSettings {
    /// Of one period (s).
    pub period: f64,
    pub rtol: f64,
    /// Steps tried in one period.
    pub attempts: u64,
    /// Events located in one period.
    pub located: usize,
}

impl Default for RealTimeSettings {
    fn default() -> Self {
        RealTimeSettings { period: 1e-3, rtol: 1e-4, attempts: 5, located: 4 }
    }
}

/// The steps inside a period are not watched.
struct Unwatched;

impl Observer<Machine> for Unwatched {
    fn observe(&mut self, _: &mut Machine, _: f64, _: &[f64], _: Moment) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A run in real time. It owns all it works on: its holder may pause it and continue in another thread.
pub struct LiveRun {
    machine: Machine,
    stepper: OneStep<Rosenbrock>,
    plan: RunPlan,
    state: RunState,
    pace: RealTimeSettings,
    /// Periods so far, those of them whose work was not finished in time, steps tried in the last one.
    periods: u64,
    pub overruns: u64,
    pub attempts: u64,
    /// An input was changed since the last period.
    changed: bool,
    ended: Option<Ended>,
    /// Of each event: when it first fired.
    first: Vec<Option<f64>>,
}

impl LiveRun {
    /// A machine at t_0 with the values `y`. Everything is compiled and allocated here; values are made consistent, modes settled, and
    /// the tasks due at the start are done.
    pub fn new(mut machine: Machine, y: &[f64], t_0: f64, pace: RealTimeSettings) -> Result<Self, RunError> {
        machine.warm_up(t_0, y);
        let options = SolverOptions { rtol: pace.rtol, h: Some(pace.period), ..SolverOptions::default() };
        let stepper = realtime(&machine.loaded().layout, &options);
        let plan = RunPlan {
            both_sides: false,
            tolerance: (pace.rtol, None),
            max_located: pace.located,
            ..RunPlan::new(t_0, f64::INFINITY, OutputTimes::Start)
        };
        let first = vec![None; machine.loaded().image.events.len()];
        let mut state = RunState::new(&machine, y, &plan);
        state.consistent.reserve();
        let mut live = LiveRun {
            machine,
            stepper,
            plan,
            state,
            pace,
            periods: 0,
            overruns: 0,
            attempts: 0,
            changed: false,
            ended: None,
            first,
        };
        let begun = live.with(|run| run.begin());
        live.end_with(begun)?;
        Ok(live)
    }

    /// The loop of steps over what this one owns.
    fn with<T>(&mut self, work: impl FnOnce(&mut Integration<'_, Machine>) -> T) -> T {
        let LiveRun { machine: problem, stepper, plan, state, .. } = self;
        work(&mut Integration { problem, stepper, plan, observer: &mut Unwatched, state })
    }

    /// Where the run stands; behind `due` after an overrun.
    pub fn t(&self) -> f64 {
        self.state.t
    }

    /// Where it should stand.
    pub fn due(&self) -> f64 {
        self.plan.t_0 + self.periods as f64 * self.pace.period
    }

    pub fn periods(&self) -> u64 {
        self.periods
    }

    pub fn y(&self) -> &[f64] {
        &self.state.y
    }

    pub fn events(&self) -> u64 {
        self.state.events
    }

    pub fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Number and first time of every event that fired.
    pub fn fired(&self) -> Vec<(usize, f64)> {
        self.first.iter().enumerate().filter_map(|(event, t)| t.map(|t| (event, t))).collect()
    }

    /// All columns where the run stands. Err: one of them is no finite number.
    pub fn record(&mut self, row: &mut [f64]) -> Result<(), RunError> {
        self.machine.record(self.state.t, &self.state.y, row)
    }

    /// Change a parameter or input; it counts from the next period on.
    pub fn set(&mut self, place: usize, value: f64) {
        if self.machine.slow(place).to_bits() != value.to_bits() {
            self.machine.set_slow(place, value);
            self.changed = true;
        }
    }

    /// One period. Some: the model has ended the run.
    pub fn advance(&mut self) -> Result<Option<Ended>, RunError> {
        if self.ended.is_some() {
            return Ok(self.ended);
        }
        self.periods += 1;
        let done = self.period();
        for &(event, t) in &self.machine.fired {
            self.first[event].get_or_insert(t);
        }
        self.machine.fired.clear();
        self.end_with(done)?;
        Ok(self.ended)
    }

    fn period(&mut self) -> Result<(), LoopExit> {
        let due = self.due();
        let tried = |live: &Self| {
            let work = live.stepper.work();
            work.steps + work.rejected
        };
        let before = tried(self);
        if std::mem::take(&mut self.changed) {
            self.with(|run| run.take_change())?;
        }
        self.attempts = 0;
        while self.state.t < due {
            if self.attempts >= self.pace.attempts {
                self.overruns += 1;
                break;
            }
            self.with(|run| run.single_step(due))?;
            self.attempts = tried(self) - before;
        }
        // Work carried on keeps its count: a period that only locates events would never end.
        if self.state.t >= due {
            self.state.located = 0;
        }
        Ok(())
    }

    fn end_with(&mut self, done: Result<(), LoopExit>) -> Result<(), RunError> {
        match done {
            Ok(()) => {}
            Err(LoopExit::Ended(ended)) => self.ended = Some(ended),
            Err(LoopExit::Error(error)) => return Err(error),
        }
        Ok(())
    }

    /// All that the periods to come depend on. Err: why it cannot be kept, or taken up.
    pub fn remember(&mut self, archive: &mut Archive) -> Result<(), String> {
        archive.number(&mut self.pace.period);
        archive.number(&mut self.plan.t_0);
        archive.word(&mut self.periods);
        archive.word(&mut self.overruns);
        archive.flag(&mut self.changed);
        archive.count(&mut self.state.located);
        self.machine.remember(archive)?;
        let kept = self.with(|run| run.remember(archive));
        debug_assert!(kept, "the solver of live runs keeps its memory");
        Ok(())
    }
}
