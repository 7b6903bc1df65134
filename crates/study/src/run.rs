//! A run that somebody holds: it goes on when told to, in any thread; parameters change in between; it goes back to a snapshot.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use trunnion_engine::controllers::{run_failure, start_failure};
use trunnion_engine::{Failure, Project};
use trunnion_equations::flat::QuantityRole;
use trunnion_sim::integrate::{Ended, IntegrationProgress, Moment, Observer, RunError};
use trunnion_sim::machine::Machine;
use trunnion_sim::run;

use crate::monitor::Monitor;
use crate::range::{read_value, unit};
use crate::request_error::{NameKind, RunRequestError, UnknownName};
use crate::simulate::{Overrides, hint, settings};

/// A run at an instant, to go back to.
pub struct Snapshot(run::MachineSnapshot);

pub struct Run {
    project: Arc<Project>,
    run: run::MachineRun,
    row: Vec<f64>,
}

/// Pauses the run when its monitor is cancelled.
struct Watched<'a>(&'a Monitor);

impl Observer<Machine> for Watched<'_> {
    fn observe(&mut self, _: &mut Machine, _: f64, _: &[f64], _: Moment) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _: IntegrationProgress) -> ControlFlow<()> {
        if self.0.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn failed(project: &Project, error: &RunError) -> Failure {
    run_failure(&project.prepared.system, &project.sources, error, hint(error))
}

impl Run {
    /// At the start of a model; nothing is stepped yet.
    pub fn new(project: &Arc<Project>, overrides: &Overrides) -> Result<Self, Failure> {
        let (solver, settings) = settings(&project.run, overrides)?;
        let run = run::MachineRun::new(&project.prepared, &HashMap::new(), solver, &settings);
        let run = run.map_err(|e| start_failure(&project.prepared.system, &project.sources, &e))?;
        Ok(Run { project: project.clone(), run, row: vec![0.0; project.prepared.columns.len()] })
    }

    pub fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Where the run stands, in s.
    pub fn t(&self) -> f64 {
        self.run.t()
    }

    /// States and unknowns where the run stands (SI).
    pub fn y(&self) -> &[f64] {
        self.run.y()
    }

    /// Goes on until a time, or a little beyond it: pausing ends no step, and changes nothing. Some: the run is over.
    pub fn advance(&mut self, until: f64, monitor: &Monitor) -> Result<Option<Ended>, Failure> {
        self.run.advance(until, &mut Watched(monitor)).map_err(|e| failed(&self.project, &e))
    }

    /// A signal where the run stands, in the unit it is shown in.
    pub fn value(&mut self, signal: &str) -> Result<f64, Failure> {
        let prepared = &self.project.prepared;
        let column = prepared.column(signal).ok_or_else(|| UnknownName::signal(signal, prepared))?;
        self.run.record(&mut self.row).map_err(|e| failed(&self.project, &e))?;
        Ok(self.row[column])
    }

    /// Changes a parameter or an input, as "12 kg", within its range; it counts from the next step on.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        let system = &self.project.prepared.system;
        let can_change =
            |k: &QuantityRole| matches!(k, QuantityRole::Parameter { .. } | QuantityRole::Input { .. });
        let all = || system.slow.iter().copied().filter(|&s| can_change(&system.quantity(s).kind));
        let found = all().find(|&s| system.quantity(s).name == name);
        let symbol = found.ok_or_else(|| {
            UnknownName::new(
                NameKind::ParameterOrInput,
                name,
                all().map(|s| system.quantity(s).name.as_str()),
            )
        })?;
        let unit = unit(&system.quantity(symbol).unit);
        let difference = self.project.differences.iter().any(|d| d == name);
        let number = read_value(value, name, &unit, difference)?.number;
        let (si, (low, high)) = (unit.to_si(number), system.quantity(symbol).range);
        if !(low..=high).contains(&si) {
            let shown = |si: f64| system.quantity(symbol).unit.shown(si);
            let (name, value, unit) = (name.into(), value.into(), unit.text);
            let (low, high) = (shown(low), shown(high));
            return Err(RunRequestError::OutOfRange { name, value, low, high, unit }.into());
        }
        self.run.set(symbol, si);
        Ok(())
    }

    pub fn snapshot(&mut self) -> Result<Snapshot, Failure> {
        self.run.snapshot().map(Snapshot).map_err(|message| Failure::Run { message, hint: None })
    }

    /// Goes back, or forth, to a snapshot of this run or of another one of the same project: what follows has the same bits.
    pub fn restore(&mut self, at: &Snapshot) -> Result<(), Failure> {
        self.run.restore(&at.0).map_err(|message| Failure::Run { message, hint: None })
    }
}
