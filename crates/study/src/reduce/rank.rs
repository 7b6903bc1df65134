//! The stores of a model by their activity, with the mode in which each takes part most.

use std::collections::HashMap;

use trunnion_equations::EvaluationEngine;
use trunnion_model::Model;
use trunnion_model::display::Display;
use trunnion_network::activities;
use trunnion_sim::linear::{Pole, linearise};
use trunnion_sim::machine::Machine;
use trunnion_sim::modes::modes;

use crate::monitor::Monitor;
use crate::simulate::{Overrides, point, settings, simulate_to_table};
use trunnion_engine::Failure;
use trunnion_engine::project::Project;
use trunnion_num::text::number;

/// A pole so much smaller than the fastest one is zero but for rounding.
const ZERO: f64 = 1e-9;

#[derive(Debug)]
pub struct RankedStore {
    /// Its number in the network.
    pub node: usize,
    pub name: String,
    /// "C" or "I".
    pub kind: &'static str,
    /// Its part of the activity of all stores.
    pub share: f64,
    /// The mode at the end of the run in which it takes part most.
    pub mode: Option<Pole>,
}

/// The model with the activity of every store beside its own signals, and their names.
pub fn with_activities(model: &Model, units: &Display) -> Result<(Project, Vec<(usize, String)>), Failure> {
    let mut signals = vec![];
    let project = Project::of_model(model.clone(), EvaluationEngine::Native, units, |flat, network, _| {
        signals = activities(flat, network);
    })?;
    Ok((project, signals))
}

/// Stores that could be removed, the least active first; `project` and `signals` are those of [`with_activities`].
pub fn rank(
    project: &Project,
    model: &Model,
    signals: &[(usize, String)],
    overrides: &Overrides,
    monitor: &Monitor,
) -> Result<Vec<RankedStore>, Failure> {
    let (solver, settings) = settings(&project.run, overrides)?;
    let (table, outcome) = simulate_to_table(project, &HashMap::new(), (solver, &settings), monitor)?;
    outcome.check()?;
    let last = |signal: &str| table.column(signal).ok().and_then(|c| c.values.last().copied()).unwrap_or(0.0);
    let total: f64 = signals.iter().map(|(_, signal)| last(signal)).sum();
    let found = modes_at_end(model, overrides, monitor);
    let system = &project.prepared.system;
    let mut stores = vec![];
    for (node, signal) in signals {
        let n = &model.network.nodes[*node];
        let is_state = |&s| system.y_place(s).is_some_and(|place| place < system.n_states);
        if n.law.states.is_empty()
            || !n.law.states.iter().all(is_state)
            || !model.network.is_removable(&model.flat, *node)
        {
            continue;
        }
        let state = model.flat.quantity(n.law.states[0]).name.as_str();
        let mode = found.iter().filter_map(|(pole, shares)| Some((shares.get(state)?, *pole)));
        let mode = mode.max_by(|a, b| a.0.total_cmp(b.0)).map(|(_, pole)| pole);
        let share = if total > 0.0 { last(signal) / total } else { 0.0 };
        stores.push(RankedStore { node: *node, name: n.name.clone(), kind: n.kind.word(), share, mode });
    }
    stores.sort_by(|a, b| a.share.total_cmp(&b.share));
    Ok(stores)
}

/// The poles where the run ends, each with the shares of the states; none where there is no linear model.
fn modes_at_end(
    model: &Model,
    overrides: &Overrides,
    monitor: &Monitor,
) -> Vec<(Pole, HashMap<String, f64>)> {
    let found = || {
        let project =
            Project::of_model(model.clone(), EvaluationEngine::Native, &Display::default(), |_, _, _| ())
                .ok()?;
        let end = overrides.t_end.unwrap_or(project.run.t_end);
        let mut at = point(&project, overrides, Some(end), monitor).ok()?;
        let machine: &mut Machine = &mut at.machine;
        let (linear, states) = linearise(machine, at.t, &at.y, &[], &[]).ok()?;
        let names: Vec<&str> = states.iter().map(|&k| project.prepared.columns[k].name.as_str()).collect();
        let shares =
            |shares: &[f64]| names.iter().map(|n| n.to_string()).zip(shares.iter().copied()).collect();
        let found = modes(&linear).ok()?;
        let size = |p: Pole| p.re.hypot(p.im);
        let fastest = found.iter().fold(0.0, |most: f64, m| most.max(size(m.pole)));
        let rounded = |p: Pole| if size(p) < ZERO * fastest { Pole { re: 0.0, im: 0.0 } } else { p };
        Some(found.iter().map(|m| (rounded(m.pole), shares(&m.shares))).collect())
    };
    found().unwrap_or_default()
}

/// "32 Hz" or "0.2 s".
pub fn shown(pole: Pole) -> String {
    match pole {
        p if p.im != 0.0 => format!("{} Hz", number(p.natural_frequency(), 3)),
        p if p.re != 0.0 => format!("{} s", number(-1.0 / p.re, 3)),
        _ => "free".into(),
    }
}
