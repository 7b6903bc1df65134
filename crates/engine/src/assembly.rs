//! What closing the loops at the start shows: a loop that stays open, start values that had to move, conditions said twice.

use std::collections::HashMap;
use std::sync::Arc;

use trunnion_equations::System;
use trunnion_equations::flat::Constraint;
use trunnion_model::mechanism::Mechanism;
use trunnion_model::{Diagnostic, Sources};
use trunnion_sim::equilibrium::unstable;
use trunnion_sim::machine::{Machine, Prepared};
use trunnion_sim::start_error::StartError;

use crate::Failure;
use crate::controllers::start_failure;
use trunnion_num::text::{number, with_unit};

const OPEN: &str = "B0008";
const MOVED: &str = "B0009";
const REPEATED: &str = "B0010";
const WEAK: &str = "B0011";
const AT_REST: &str = "M0317";

/// Warnings and notes about the pose at the start; nothing for a model without loops.
pub fn assemble(
    prepared: &Arc<Prepared>,
    mechanism: &Mechanism,
    sources: &Sources,
    t: f64,
) -> Result<Vec<Diagnostic>, Failure> {
    if prepared.system.constraints.is_empty() {
        return Ok(vec![]);
    }
    let (machine, y) = Machine::start(Arc::clone(prepared), &HashMap::new(), t)
        .map_err(|error| refusal(prepared, sources, &error))?;
    let constraints = &prepared.system.constraints;
    Ok([
        moved(&prepared.system, &machine, mechanism, sources, &y),
        repeated(constraints, &machine, sources),
        weak(constraints, &machine, sources),
    ]
    .concat())
}

/// What is to be said of a start at rest: warnings where it is none or does not last, notes where single states move.
pub fn at_rest(
    prepared: &Arc<Prepared>,
    sources: &Sources,
    t: f64,
) -> Result<(Vec<Diagnostic>, Vec<Diagnostic>), Failure> {
    if prepared.rest.is_none() {
        return Ok((vec![], vec![]));
    }
    let (mut machine, y) = Machine::start(Arc::clone(prepared), &HashMap::new(), t)
        .map_err(|error| refusal(prepared, sources, &error))?;
    let rest = machine.equilibrium.clone();
    let system = &prepared.system;
    let origin = |i: usize| &system.quantity(system.unknowns[i]).origin;
    let name = |i: usize| &prepared.layout.names[i];
    let carried = rest.supported.iter().map(|&(held, row, rate)| {
        let text = format!(
            "`{}` is held at the start, but nothing carries it: {} is {rate:.4} (SI)",
            name(held),
            system.rows[row].name
        );
        Diagnostic::warning(AT_REST, text)
            .at_origin(sources, origin(held), "it moves as soon as the run begins")
            .hint("let pressures or forces be found that carry it: hold fewer of them in [start]")
    });
    let mut warnings: Vec<Diagnostic> = carried.collect();
    if let Some(unstable) = unstable(&mut machine, t, &y, &rest) {
        let text = format!("the rest at the start is unstable: `{}` leaves it", name(unstable.state));
        let label = format!("by a factor e every {} s", number(1.0 / unstable.pole.re, 3));
        warnings.push(Diagnostic::warning(AT_REST, text).at_origin(sources, origin(unstable.state), label));
    }
    let moving = rest.moving.iter().map(|&(i, rate)| {
        let text = format!("`{}` moves at the start: its rate is {rate:.4} (SI)", name(i));
        Diagnostic::note(AT_REST, text).at_origin(sources, origin(i), "the rest leaves it moving")
    });
    Ok((warnings, moving.collect()))
}

fn refusal(prepared: &Prepared, sources: &Sources, error: &StartError) -> Failure {
    let (constraint, label) = match *error {
        StartError::OpenLoop { constraint, .. } => (constraint, "the ends do not meet"),
        StartError::OpenRate { constraint, .. } => (constraint, "the ends move apart"),
        StartError::TurnedOver { constraint, .. } => (constraint, "an axis of one end is reversed"),
        StartError::Task(_) => return start_failure(&prepared.system, sources, error),
        StartError::NoRest { .. } => return Failure::start(error),
    };
    let origin = &prepared.system.constraints[constraint].origin;
    let open = Diagnostic::from_origin(sources, OPEN, origin, error.to_string(), label, error.hint());
    Failure::Model(vec![open])
}

fn moved(
    system: &System,
    machine: &Machine,
    mechanism: &Mechanism,
    sources: &Sources,
    y: &[f64],
) -> Vec<Diagnostic> {
    let one = |&(symbol, given): &(_, f64)| {
        let q = system.quantity(symbol);
        let actual = system.y_place(symbol).map_or(given, |i| y[i]);
        // What is left by rounding is nothing.
        let actual = if actual.abs() > 1e-9 * given.abs() { actual } else { 0.0 };
        let [given, actual] = [given, actual].map(|v| with_unit(q.unit.shown(v), &q.unit.text, 6));
        let joint = &q.origin.component;
        let origin = mechanism.joints.iter().find(|j| j.name == *joint).map_or(&q.origin, |j| &j.origin);
        Diagnostic::warning(MOVED, format!("`{}` starts at {actual}, not at {given}", q.name))
            .at_origin(sources, origin, "its loop does not close there")
            .hint(format!(
                "give values that fit each other, or `guess = true` for `{joint}` if they are rough"
            ))
    };
    machine.moved.iter().map(one).collect()
}

/// One warning for each joint or coupling.
fn weak(constraints: &[Constraint], machine: &Machine, sources: &Sources) -> Vec<Diagnostic> {
    let mut list: Vec<_> = machine.weak.iter().map(|&k| &constraints[k]).collect();
    list.dedup_by(|a, b| a.name == b.name);
    let one = |c: &&Constraint| {
        Diagnostic::warning(WEAK, format!("`{}` hardly holds in the pose at the start", c.name))
            .at_origin(sources, &c.origin, "almost a dead point: what it demands almost follows from the others")
            .hint("forces there are uncertain and the loop may creep; move a frame or the start away from this pose, or give a joint more freedom")
    };
    list.iter().map(one).collect()
}

/// One note for each joint or coupling.
fn repeated(constraints: &[Constraint], machine: &Machine, sources: &Sources) -> Vec<Diagnostic> {
    let mut names: Vec<&str> = vec![];
    for &i in &machine.redundant {
        if !names.contains(&constraints[i].name.as_str()) {
            names.push(&constraints[i].name);
        }
    }
    let one = |name: &str| {
        let of = |i: &&usize| constraints[**i].name == name;
        let many = machine.redundant.iter().filter(of).count();
        let all: Vec<_> = constraints.iter().filter(|c| c.name == name).collect();
        let (follow, whole) = (if many == 1 { "follows" } else { "follow" }, all.len());
        let text = match whole {
            1 => format!("what `{name}` demands follows from the other joints and couplings"),
            _ => format!("{many} of {whole} conditions of `{name}` {follow} from the others"),
        };
        Diagnostic::note(REPEATED, text + " in the pose at the start")
            .at_origin(sources, &all[0].origin, "the motion is the same without")
            .hint("forces in this loop are not unique, those of least norm are shown; a joint with more freedom makes them so")
    };
    names.into_iter().map(one).collect()
}
