//! A machine in real time: periods of one length, with bounded work in each.
//!
//! In a period the solver (`realtime`) goes on to the period's end in as many steps as its tolerance asks for. `attempts` of them
//! are tried at most, and one more; what is then left is carried on in the next period and counted as an overrun. Events are located and
//! split steps `located` times a period; what happens beyond that is seen at the ends of steps. Sampled tasks run at their exact
//! instants. Work is counted, not timed: the same inputs give the same bits on every machine, however late it is.
//!
//! A period allocates nothing, controllers in JavaScript aside. `remember` keeps all that the periods to come depend on: a
//! run taken up again goes on with the same bits.

use std::ops::ControlFlow;

use trunnion_num::Archive;

use crate::integrate::{Ended, Moment, Observer, Output, Plan, Run, RunError, Stop};
use crate::machine::Machine;
use crate::solvers::one_step::OneStep;
use crate::solvers::rosenbrock::{Rosenbrock, realtime};
use crate::stepper::Options;

/// How fast, how exact, and with how much work a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Of one period (s).
    pub period: f64,
    pub rtol: f64,
    /// Steps tried in one period.
    pub attempts: u64,
    /// Events located in one period.
    pub located: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { period: 1e-3, rtol: 1e-4, attempts: 5, located: 4 }
    }
}

/// Nobody watches the steps inside a period.
struct Nobody;

impl Observer<Machine> for Nobody {
    fn observe(&mut self, _: &mut Machine, _: f64, _: &[f64], _: Moment) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// What a live run is made of.
pub struct Parts {
    machine: Machine,
    y: Vec<f64>,
    stepper: OneStep<Rosenbrock>,
    plan: Plan,
    nobody: Nobody,
    pace: Pace,
}

impl Parts {
    /// A machine at t_0 with the values `y`. Everything is compiled and allocated here.
    pub fn new(mut machine: Machine, y: Vec<f64>, t_0: f64, pace: Pace) -> Self {
        machine.warm_up(t_0, &y);
        let options = Options { rtol: pace.rtol, h: Some(pace.period), ..Options::default() };
        let stepper = realtime(&machine.prepared().layout, &options);
        let plan = Plan {
            both_sides: false,
            tolerance: (pace.rtol, None),
            max_located: pace.located,
            ..Plan::new(t_0, f64::INFINITY, Output::Start)
        };
        Parts { machine, y, stepper, plan, nobody: Nobody, pace }
    }

    /// Consistent values, settled modes, the tasks due at the start.
    pub fn live(&mut self) -> Result<Live<'_>, RunError> {
        let Parts { machine, y, stepper, plan, nobody, pace } = self;
        let n_events = machine.prepared().system.events.len();
        let mut run = Run::new(machine, y, stepper, plan, nobody);
        run.consistent.reserve();
        let mut live = Live {
            t_0: plan.t_0,
            pace: *pace,
            periods: 0,
            overruns: 0,
            attempts: 0,
            changed: false,
            ended: None,
            first: vec![None; n_events],
            run,
        };
        let begun = live.run.begin();
        live.end_with(begun)?;
        Ok(live)
    }
}

pub struct Live<'a> {
    run: Run<'a, Machine>,
    t_0: f64,
    pace: Pace,
    /// Periods so far, those of them whose work was not finished in time, steps tried in the last one.
    periods: u64,
    pub overruns: u64,
    pub attempts: u64,
    /// An input was changed since the last period.
    changed: bool,
    ended: Option<Ended>,
    /// Of each event: when it first happened.
    first: Vec<Option<f64>>,
}

impl Live<'_> {
    /// Where the run stands; behind `due` after an overrun.
    pub fn t(&self) -> f64 {
        self.run.t
    }

    /// Where it should stand.
    pub fn due(&self) -> f64 {
        self.t_0 + self.periods as f64 * self.pace.period
    }

    pub fn periods(&self) -> u64 {
        self.periods
    }

    pub fn y(&self) -> &[f64] {
        &self.run.y
    }

    pub fn events(&self) -> u64 {
        self.run.events
    }

    pub fn machine(&mut self) -> &mut Machine {
        self.run.problem
    }

    /// Number and first time of every event that happened.
    pub fn fired(&self) -> Vec<(usize, f64)> {
        self.first.iter().enumerate().filter_map(|(event, t)| t.map(|t| (event, t))).collect()
    }

    /// All columns where the run stands. Err: one of them is no finite number.
    pub fn record(&mut self, row: &mut [f64]) -> Result<(), RunError> {
        self.run.problem.record(self.run.t, &self.run.y, row)
    }

    /// Change a parameter or input; it counts from the next period on.
    pub fn set(&mut self, place: usize, value: f64) {
        if self.run.problem.slow(place).to_bits() != value.to_bits() {
            self.run.problem.set_slow(place, value);
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
        for &(event, t) in &self.run.problem.fired {
            self.first[event].get_or_insert(t);
        }
        self.run.problem.fired.clear();
        self.end_with(done)?;
        Ok(self.ended)
    }

    fn period(&mut self) -> Result<(), Stop> {
        let due = self.due();
        let tried = |run: &Run<Machine>| {
            let work = run.stepper.work();
            work.steps + work.rejected
        };
        let before = tried(&self.run);
        if std::mem::take(&mut self.changed) {
            self.run.take_change()?;
        }
        self.attempts = 0;
        while self.run.t < due {
            if self.attempts >= self.pace.attempts {
                self.overruns += 1;
                break;
            }
            self.run.once(due)?;
            self.attempts = tried(&self.run) - before;
        }
        // Work carried on keeps its count: a period that only locates events would never end.
        if self.run.t >= due {
            self.run.located = 0;
        }
        Ok(())
    }

    fn end_with(&mut self, done: Result<(), Stop>) -> Result<(), RunError> {
        match done {
            Ok(()) => {}
            Err(Stop::Ended(ended)) => self.ended = Some(ended),
            Err(Stop::Error(error)) => return Err(error),
        }
        Ok(())
    }

    /// All that the periods to come depend on. Err: why it cannot be kept, or taken up.
    pub fn remember(&mut self, archive: &mut Archive) -> Result<(), String> {
        archive.number(&mut self.pace.period);
        archive.number(&mut self.t_0);
        archive.word(&mut self.periods);
        archive.word(&mut self.overruns);
        archive.flag(&mut self.changed);
        archive.count(&mut self.run.located);
        self.run.problem.remember(archive)?;
        let kept = self.run.remember(archive);
        debug_assert!(kept, "the solver of live runs keeps its memory");
        Ok(())
    }
}
