//! A model made linear at a point: A, B, C, D with names and units, poles, frequency response.
//!
//! Matrices are in the units the quantities are shown in, as results are.

mod export;
mod frequency;

pub use export::{csv, document, json, write};
pub use frequency::{ResponseCurve, frequencies, responses};

use std::ops::Range;

use trunnion_engine::{Failure, Project};
use trunnion_equations::flat::QuantityRole;
use trunnion_equations::{DisplayUnit, Symbol};
use trunnion_model::run::matches;
use trunnion_num::Matrix;
use trunnion_num::text::{count, number};
use trunnion_sim::equilibrium::find_equilibrium;
use trunnion_sim::linear::{LinearModel, Pole, linearise};
use trunnion_sim::problem::{Hybrid, Problem};

use crate::monitor::Monitor;
use crate::request_error::{NameKind, UnknownName};
use crate::simulate::{OperatingPoint, Overrides, describe, point};

/// Where a model is made linear: at its start, where a run is at a time, or at its static equilibrium.
#[derive(Clone, Debug, Default)]
pub struct PointChoice {
    pub at: Option<f64>,
    pub balance: bool,
    /// Unknowns to keep while looking for the equilibrium.
    pub hold: Vec<String>,
    /// Of the run.
    pub overrides: Overrides,
}

impl PointChoice {
    /// The model there.
    pub fn find(&self, project: &Project, monitor: &Monitor) -> Result<LinearizationPoint, Failure> {
        let mut at = point(project, &self.overrides, self.at, monitor)?;
        let mut moving = vec![];
        if self.balance {
            let hold = crate::balance::held(&project.prepared, &self.hold)?;
            let rest = find_equilibrium(&mut at.machine, at.t, &mut at.y, &hold)
                .map_err(|no_rest| crate::balance::refusal(project, at.t, &no_rest))?;
            let name = |i: usize| project.prepared.layout.names[i].clone();
            moving = rest.moving.iter().map(|&(i, rate)| (name(i), rate)).collect();
        }
        let place = match (self.balance, self.at) {
            (true, _) if moving.is_empty() => "at rest".to_string(),
            (true, _) => format!("at rest, but for {}", count(moving.len(), "state")),
            (false, Some(t)) => format!("at t = {} s of a run", number(t, 9)),
            (false, None) => format!("at the start, t = {} s", number(at.t, 9)),
        };
        Ok(LinearizationPoint { at, place, moving })
    }
}

/// A model where it is made linear.
pub struct LinearizationPoint {
    pub at: OperatingPoint,
    /// In words: "at the start, t = 0 s".
    pub place: String,
    /// States that the equilibrium leaves moving, with their rates (SI): a supply that still fills.
    pub moving: Vec<(String, f64)>,
}

/// A quantity of the linear model.
#[derive(Clone, Debug)]
pub struct Signal {
    pub name: String,
    pub unit: DisplayUnit,
    /// Value at the point, in its unit.
    pub value: f64,
}

impl Signal {
    /// `x [mm]`.
    pub fn label(&self) -> String {
        if self.unit.text.is_empty() {
            self.name.clone()
        } else {
            format!("{} [{}]", self.name, self.unit.text)
        }
    }
}

/// The linear model with names, in the units shown.
pub struct NamedLinearModel {
    pub title: String,
    /// "at the start, t = 0 s".
    pub place: String,
    /// What it does not show of the model there.
    pub cautions: Vec<String>,
    pub t: f64,
    pub states: Vec<Signal>,
    pub inputs: Vec<Signal>,
    pub outputs: Vec<Signal>,
    pub linear: LinearModel,
    /// The same in SI.
    pub si: LinearModel,
    pub poles: Vec<Pole>,
}

/// Parameters, inputs and modes by name.
pub fn inputs(project: &Project, names: &[String]) -> Result<Vec<Symbol>, Failure> {
    let system = &project.prepared.system;
    let hidden = |s: Symbol| system.relations.iter().any(|r| r.mode == s);
    let all: Vec<Symbol> = system.slow.iter().copied().filter(|&s| !hidden(s)).collect();
    if names.is_empty() {
        let is_input = |s: &Symbol| matches!(system.quantity(*s).kind, QuantityRole::Input { .. });
        return Ok(all.into_iter().filter(is_input).collect());
    }
    let known = |s: &Symbol| system.quantity(*s).name.as_str();
    let find = |name: &String| {
        let found = all.iter().copied().find(|s| known(s) == name);
        found.ok_or_else(|| UnknownName::new(NameKind::LinearInput, name, all.iter().map(known)).into())
    };
    names.iter().map(find).collect()
}

/// Columns by name or pattern.
pub fn outputs(project: &Project, patterns: &[String]) -> Result<Vec<usize>, Failure> {
    let prepared = &project.prepared;
    if patterns.is_empty() {
        return Ok((0..prepared.system.n_states).collect());
    }
    let mut found: Vec<usize> = vec![];
    for pattern in patterns {
        let fits = |&i: &usize| matches(pattern, &prepared.columns[i].name);
        let before = found.len();
        let new: Vec<usize> =
            (0..prepared.columns.len()).filter(fits).filter(|i| !found.contains(i)).collect();
        found.extend(new);
        if found.len() == before && !(0..prepared.columns.len()).any(|i| fits(&i)) {
            return Err(UnknownName::signal(pattern, prepared).into());
        }
    }
    Ok(found)
}

impl NamedLinearModel {
    /// The model at a point, made linear.
    pub fn at(
        project: &Project,
        point: &mut LinearizationPoint,
        inputs: &[Symbol],
        outputs: &[usize],
    ) -> Result<NamedLinearModel, Failure> {
        let at = &mut point.at;
        let linear = linearise(&mut at.machine, at.t, &at.y, inputs, outputs)
            .map_err(|failure| describe(project, &failure))?;
        in_shown_units(project, point, inputs, outputs, linear)
    }
}

/// What a linear model leaves out: the motion of states that no equilibrium stops, sampled tasks, whose outputs are constants for it, and
/// the other side of a kink that the point lies on.
fn cautions(project: &Project, point: &mut LinearizationPoint) -> Vec<String> {
    let system = &project.prepared.system;
    let list = |names: Vec<&str>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let moving = point.moving.iter();
    let mut found: Vec<String> = moving
        .map(|(name, rate)| format!("`{name}` is left moving: its rate is {} (SI)", number(*rate, 4)))
        .collect();
    if !system.tasks.is_empty() {
        let names = list(system.tasks.iter().map(|task| task.name.as_str()).collect());
        found.push(format!("sampled tasks do not act in it, their outputs are held: {names}"));
    }
    let first = system.events.len();
    let kinks = kinks(&mut point.at, system.guards.len(), first..first + system.relations.len());
    let mut names: Vec<&str> = kinks.iter().map(|&k| system.guards[k].0.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    if !names.is_empty() {
        found.push(format!("the point lies on a kink, and one side of it is shown: {}", list(names)));
    }
    found
}

/// A guard is zero within rounding where unknowns that differ by this share of their size could make it so: a hundred times the
/// accuracy of an equilibrium.
const ON_KINK: f64 = 1e-9;

/// Those of `wanted` among n guards that are zero within rounding and that unknowns move:
///
///   |g(y)| ≤ Σᵢ |g(y + δᵢ eᵢ) − g(y)|,   δᵢ = ON_KINK · max(|yᵢ|, nominalᵢ)
fn kinks(at: &mut OperatingPoint, n: usize, wanted: Range<usize>) -> Vec<usize> {
    let (mut g, mut moved, mut reach) = (vec![f64::NAN; n], vec![f64::NAN; n], vec![0.0; n]);
    at.machine.guards(at.t, &at.y, &mut g);
    for i in 0..at.y.len() {
        let y = at.y[i];
        at.y[i] += ON_KINK * y.abs().max(at.machine.layout().nominal[i]);
        at.machine.guards(at.t, &at.y, &mut moved);
        at.y[i] = y;
        for k in 0..n {
            reach[k] += (moved[k] - g[k]).abs();
        }
    }
    wanted.filter(|&k| reach[k] > 0.0 && g[k].abs() <= reach[k]).collect()
}

/// An SI model in the units of its signals: deviations scale by the unit's factor.
fn in_shown_units(
    project: &Project,
    point: &mut LinearizationPoint,
    inputs: &[Symbol],
    outputs: &[usize],
    (si, states): (LinearModel, Vec<usize>),
) -> Result<NamedLinearModel, Failure> {
    let prepared = &project.prepared;
    let system = &prepared.system;
    let cautions = cautions(project, point);
    let LinearizationPoint { at, place, .. } = point;
    let mut row = vec![0.0; prepared.columns.len()];
    at.record(&mut row)?;
    let of = |column: usize| {
        let c = &prepared.columns[column];
        Signal { name: c.name.clone(), unit: c.unit.clone(), value: row[column] }
    };
    // The first columns are the unknowns.
    let states: Vec<Signal> = states.into_iter().map(of).collect();
    let outputs: Vec<Signal> = outputs.iter().map(|&column| of(column)).collect();
    let value = |s: Symbol| system.slow_place(s).map_or(f64::NAN, |place| at.machine.slow(place));
    let input = |&s: &Symbol| {
        let q = system.quantity(s);
        Signal { name: q.name.clone(), unit: q.unit.clone(), value: q.unit.shown(value(s)) }
    };
    let inputs: Vec<Signal> = inputs.iter().map(input).collect();
    let scaled = |m: &Matrix, rows: &[Signal], columns: &[Signal]| {
        Matrix::from_fn(m.rows(), m.columns(), |i, j| {
            m[(i, j)] * columns[j].unit.factor / rows[i].unit.factor
        })
    };
    let poles = si.poles().map_err(|_| Failure::Run {
        message: format!("the poles at t = {} s could not be found", at.t),
        hint: Some("the matrix A has entries that are not finite: look at it in a file".into()),
    })?;
    let linear = LinearModel {
        a: scaled(&si.a, &states, &states),
        b: scaled(&si.b, &states, &inputs),
        c: scaled(&si.c, &outputs, &states),
        d: scaled(&si.d, &outputs, &inputs),
    };
    Ok(NamedLinearModel {
        title: project.name.clone(),
        place: place.clone(),
        cautions,
        t: at.t,
        states,
        inputs,
        outputs,
        linear,
        si,
        poles,
    })
}
