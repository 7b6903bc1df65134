//! Which stores can go: tried together, in halves where that changes too much, in the end one by one.

use std::collections::HashMap;
use std::fmt;
use std::time::Instant;

use trunnion_equations::EvaluationEngine;
use trunnion_model::Model;
use trunnion_sim::run::Settings;
use trunnion_sim::stepper::SolverWork;

use crate::compare::{ComparisonTimes, Difference, difference, single_times};
use crate::monitor::Monitor;
use crate::request_error::RunRequestError;
use crate::simulate::{Overrides, header, recorded, settings, simulate};
use trunnion_engine::Failure;
use trunnion_engine::project::Project;
use trunnion_model::display::Display;
use trunnion_num::text::percent;
use trunnion_results::Table;

/// A trial that takes so many times as long as the full model, and so many seconds more, is given up.
const TRIAL_TIME: (f64, f64) = (20.0, 5.0);
/// What is always 0 in the full model may be as much in the reduced one, by rounding.
const NOTHING: f64 = 1e-12;

#[derive(Clone, Debug)]
pub enum ReductionVerdict {
    Removed,
    /// The signal that changes most, and by how much of its range.
    Changes(String, f64),
    /// Without it the model cannot be solved.
    Fails(String),
}

impl fmt::Display for ReductionVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReductionVerdict::Removed => write!(f, "removed"),
            ReductionVerdict::Changes(name, share) => {
                write!(f, "kept: {name} changes by {}", percent(*share))
            }
            ReductionVerdict::Fails(reason) => write!(f, "kept: {reason}"),
        }
    }
}

/// A run without some stores.
pub struct ReductionTrial {
    /// Of the kept signals against the full model.
    pub differences: Vec<Difference>,
    pub states: usize,
    pub work: SolverWork,
    pub wall_s: f64,
}

/// What came of a search.
pub struct ReductionSearch {
    pub removed: Vec<usize>,
    /// Of every store.
    pub verdicts: Vec<(usize, ReductionVerdict)>,
}

pub struct Study {
    pub model: Model,
    overrides: Overrides,
    /// Signals of the full model.
    full: Table,
    keep: Vec<String>,
    tol: f64,
    /// What the full model takes.
    wall_s: f64,
    monitor: Monitor,
}

/// What a run gave, and took.
struct TrialRun {
    table: Table,
    states: usize,
    work: SolverWork,
    wall_s: f64,
}

impl Study {
    pub fn new(
        model: Model,
        overrides: Overrides,
        keep: &[String],
        tol: f64,
        monitor: &Monitor,
    ) -> Result<Self, Failure> {
        let monitor = monitor.clone();
        let patterns = if keep.is_empty() { model.run.plot.clone() } else { keep.to_vec() };
        if patterns.is_empty() {
            return Err(RunRequestError::NothingToKeep.into());
        }
        let mut study = Study {
            model,
            overrides,
            full: Table::default(),
            keep: vec![],
            tol,
            wall_s: f64::INFINITY,
            monitor,
        };
        let full = study.run(&[], &[])?;
        for pattern in &patterns {
            for column in full.table.matching(pattern)? {
                if column.name != "time" && !study.keep.contains(&column.name) {
                    study.keep.push(column.name.clone());
                }
            }
        }
        (study.full, study.wall_s) = (full.table, full.wall_s);
        Ok(study)
    }

    /// Runs the model without these stores, with values at further times.
    fn run(&self, removed: &[usize], at: &[f64]) -> Result<TrialRun, Failure> {
        let mut model = self.model.clone();
        model.network.removed.extend(removed);
        let project = Project::of_model(model, EvaluationEngine::Native, &Display::default(), |_, _, _| ())?;
        let (solver, settings) = settings(&project.run, &self.overrides)?;
        let settings = Settings { at: at.to_vec(), ..settings };
        let columns = recorded(&project.prepared, &self.keep);
        let mut table = header(&project.prepared, &columns);
        let (start, limit) = (Instant::now(), TRIAL_TIME.0 * self.wall_s + TRIAL_TIME.1);
        let mut sink = |row: &[f64]| {
            table.columns.iter_mut().zip(row).for_each(|(column, &value)| column.values.push(value));
            if start.elapsed().as_secs_f64() > limit {
                return Err(Failure::Run { message: "it takes much longer than with it".into(), hint: None });
            }
            Ok(())
        };
        let outcome =
            simulate(&project, &HashMap::new(), (solver, &settings), &columns, &self.monitor, &mut sink)?;
        outcome.check()?;
        let (states, wall_s) = (project.prepared.system.n_states, outcome.wall.as_secs_f64());
        Ok(TrialRun { table, states, work: outcome.summary.map(|s| s.work).unwrap_or_default(), wall_s })
    }

    /// The model without these stores against the full one.
    pub fn trial(&self, removed: &[usize]) -> Result<ReductionTrial, Failure> {
        let full_times = &self.full.columns[0].values;
        let TrialRun { table, states, work, wall_s } = self.run(removed, &single_times(full_times))?;
        let times = ComparisonTimes::new(full_times, &table.columns[0].values);
        let mut differences = vec![];
        for name in &self.keep {
            let mut d = difference(&times, self.full.column(name)?, table.column(name)?);
            if d.max < NOTHING && d.relative.is_infinite() {
                d.relative = 0.0;
            }
            differences.push(d);
        }
        Ok(ReductionTrial { differences, states, work, wall_s })
    }

    /// What speaks against doing without these stores; Err: the user has had enough.
    fn judge(&self, removed: &[usize]) -> Result<ReductionVerdict, Failure> {
        match self.trial(removed) {
            Err(Failure::Cancelled) => Err(Failure::Cancelled),
            Err(Failure::Run { message, .. } | Failure::Script { message, .. }) => {
                Ok(ReductionVerdict::Fails(message))
            }
            Err(_) => Ok(ReductionVerdict::Fails("the equations have no solution without it".into())),
            Ok(trial) => {
                let most = trial.differences.iter().max_by(|a, b| a.relative.total_cmp(&b.relative));
                Ok(match most {
                    Some(d) if d.relative > self.tol || d.relative.is_nan() => {
                        ReductionVerdict::Changes(d.name.clone(), d.relative)
                    }
                    _ => ReductionVerdict::Removed,
                })
            }
        }
    }

    /// Stores that can go, from the first of `order` on.
    pub fn search(&self, order: &[usize]) -> Result<ReductionSearch, Failure> {
        let (mut removed, mut verdicts) = (vec![], vec![]);
        let mut open: Vec<&[usize]> = vec![order];
        while let Some(some) = open.pop() {
            let together: Vec<usize> = removed.iter().chain(some).copied().collect();
            match (self.judge(&together)?, some) {
                (ReductionVerdict::Removed, _) => {
                    removed = together;
                    verdicts.extend(some.iter().map(|&n| (n, ReductionVerdict::Removed)));
                }
                (against, [one]) => verdicts.push((*one, against)),
                (_, many) => {
                    let (less, more) = many.split_at(many.len() / 2);
                    open.extend([more, less]);
                }
            }
        }
        Ok(ReductionSearch { removed, verdicts })
    }
}
