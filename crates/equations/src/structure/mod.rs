//! From what was said to what can be solved: aliases, constraints, sorting, solving, tearing.
//!
//! Unknowns are the derivatives of the states and all other continuous quantities. Names for the same thing are
//! joined first. Each equation is given one unknown to determine; equations that tie states to each other are
//! differentiated; strongly connected groups become blocks; blocks are solved in symbols where possible. What
//! remains, together with the states, is the vector y of the numeric problem M y' = f.
//!
//! A linear block whose unknowns cancel, such as the currents around two wires side by side, hides a constraint on what
//! it is computed from. The constraint takes the place of one of its equations, and all is sorted again.

mod alias;
mod assemble;
mod branches;
mod cells;
mod error;
mod holding;
mod identity;
mod index;
mod integer_parts;
mod linear;
mod matching;
mod occurrences;
mod odd_powers;
mod pieces;
mod relations;
mod roots;
mod sign;
mod solve;
mod sorted;
mod steps;

use std::collections::HashMap;

use crate::hash::Map;
pub use alias::Alias;
pub use error::{StructureError, StructureFinding};
pub use index::{Reduction, UNFIT_START};
pub use relations::{GuardRole, Relation, written};
pub(crate) use sign::{Sign, sign};

use crate::flat::{Action, Constraint, Event, Flat, Output, QuantityRole, Task};
use crate::graph::Graph;
use crate::node::{Expr, ExprNode, Symbol};
use crate::start::start_values;
use crate::system::System;
use assemble::{Solved, assemble};

/// Sort and solve. All findings are reported at once.
pub fn analyse(mut flat: Flat) -> Result<System, Vec<StructureError>> {
    holding::extract(&mut flat);
    roots::guard_zero_widths(&mut flat);
    odd_powers::join(&mut flat);
    let n_quantities = flat.quantities.len();
    let eliminated = alias::eliminate(&mut flat);
    match solve(&mut flat, &eliminated.aliases) {
        Ok(solved) => assemble(flat, eliminated.aliases, solved),
        Err(errors) if eliminated.aliases.is_empty() => Err(errors),
        // Once more as it was written, so that messages count the equations and unknowns the user knows.
        Err(_) => {
            flat.quantities.truncate(n_quantities);
            eliminated.restore(&mut flat);
            let solved = solve(&mut flat, &[])?;
            assemble(flat, vec![], solved)
        }
    }
}

/// Rounds of sorting end here at the latest: a constraint may hide behind another.
const MOST_ROUNDS: usize = 16;

fn solve(flat: &mut Flat, aliases: &[Alias]) -> Result<Solved, Vec<StructureError>> {
    let mut relations = Vec::new();
    let start = start_values(&flat.graph, &flat.quantities, &HashMap::new());
    let is_parameter = |i: &usize| matches!(flat.quantities[*i].kind, QuantityRole::Parameter { .. });
    let parameters: Map<Symbol, f64> =
        (0..start.len()).filter(is_parameter).map(|i| (Symbol(i as u32), start[i])).collect();
    relations::extract(flat, 0, &mut relations, &parameters);
    let written = (flat.equations.len(), flat.quantities.len(), relations.len());
    let mut errors = vec![];
    for _ in 0..MOST_ROUNDS {
        let (found, hidden) = match sort(flat, aliases, &mut relations, &parameters) {
            Ok(solved) => return Ok(Solved { relations, ..solved }),
            Err(wrong) => wrong,
        };
        // Errors are reported for the equations as they were written, not as they were transformed.
        if errors.is_empty() {
            errors = found;
        }
        flat.equations.truncate(written.0);
        flat.quantities.truncate(written.1);
        relations.truncate(written.2);
        if hidden.is_empty() || !hidden.iter().all(|&(equation, value)| ties(flat, equation, value)) {
            break;
        }
        let zero = flat.graph.constant(0.0).id;
        for (equation, value) in hidden {
            (flat.equations[equation].lhs, flat.equations[equation].rhs) = (zero, value);
        }
    }
    Err(errors)
}

/// Whether 0 = value, found in the place of a written equation, still says something about unknowns.
fn ties(flat: &Flat, equation: usize, value: Expr) -> bool {
    let is_written = |s: Symbol| s.index() < flat.quantities.len();
    let mut unknowns = false;
    for e in flat.graph.reachable([value]) {
        match flat.graph.node(e) {
            ExprNode::Symbol(s) if !is_written(s) => return false,
            ExprNode::Symbol(s) => unknowns |= matches!(flat.quantity(s).kind, QuantityRole::Unknown { .. }),
            ExprNode::Derivative(_) => unknowns = true,
            _ => {}
        }
    }
    unknowns && equation < flat.equations.len()
}

/// What is wrong, and the equations that hide constraints with what they say.
type StructureFaults = (Vec<StructureError>, Vec<(usize, Expr)>);

fn sort(
    flat: &mut Flat,
    aliases: &[Alias],
    relations: &mut Vec<Relation>,
    parameters: &Map<Symbol, f64>,
) -> Result<Solved, StructureFaults> {
    let reduced = index::reduce(flat, aliases, relations, parameters);
    let sorted = reduced.sorted;
    let mut errors = error::findings(flat, &sorted, &reduced.failure);
    if !errors.is_empty() {
        return Err((errors, vec![]));
    }
    let equations = sorted.equations(&flat.graph, parameters);
    let (mut solutions, mut hidden) = (vec![], vec![]);
    for block in sorted.blocks(0..sorted.incidence.len()) {
        let unknowns: Vec<usize> = block.iter().filter_map(|&e| sorted.matching.unknown_of[e]).collect();
        let solution = equations.solve(&block, &unknowns);
        if let Some(constraint) = solution.hidden {
            errors.push(error::dependent(flat, &sorted.leaves, &block, &unknowns));
            hidden.push(constraint);
        }
        if let Some((equation, unknown)) = solution.vanishing {
            errors.push(error::vanishing(flat, &sorted, equation, unknown, block.len() == 1));
        }
        solutions.push(solution);
    }
    if !errors.is_empty() {
        return Err((errors, hidden));
    }
    let (leaves, residuals) = (sorted.leaves, sorted.residuals);
    Ok(Solved {
        relations: vec![],
        leaves,
        residuals,
        is_state: reduced.is_state,
        reductions: reduced.reductions,
        solutions,
    })
}

fn leaf_expr(graph: &Graph, leaf: ExprNode) -> Expr {
    match leaf {
        ExprNode::Derivative(s) => graph.derivative(s).id,
        ExprNode::Symbol(s) => graph.symbol(s).id,
        _ => graph.time().id,
    }
}

/// Everything that is computed beside the equations, to read or to rewrite.
fn actions(flat: &mut Flat) -> (&Graph, Vec<&mut Expr>) {
    let Flat { graph, events, tasks, outputs, constraints, holds, frictions, .. } = flat;
    let mut places = values_of(events, tasks, outputs, constraints);
    places.extend(holds.iter_mut().flat_map(|h| [&mut h.locked, &mut h.speed, &mut h.rate]));
    places.extend(frictions.iter_mut().flat_map(|f| [&mut f.speed, &mut f.limit]));
    (graph, places)
}

/// Everything that events, tasks, outputs and constraints compute.
fn values_of<'a>(
    events: &'a mut [Event],
    tasks: &'a mut [Task],
    outputs: &'a mut [Output],
    constraints: &'a mut [Constraint],
) -> Vec<&'a mut Expr> {
    let mut places: Vec<&mut Expr> = Vec::new();
    for event in events {
        places.push(&mut event.guard);
        places.extend(event.compared.iter_mut().map(|c| &mut c.difference));
        places.extend(event.set.iter_mut().map(|a| &mut a.value));
    }
    for task in tasks {
        match &mut task.action {
            Action::Set(set) => places.extend(set.iter_mut().map(|a| &mut a.value)),
            Action::Script { inputs, .. } => places.extend(inputs.iter_mut().map(|(_, e)| e)),
        }
    }
    places.extend(outputs.iter_mut().map(|o| &mut o.value));
    for c in constraints {
        places.extend(c.position.iter_mut().chain([&mut c.velocity, &mut c.acceleration]));
        places.extend(&mut c.facing);
    }
    places
}

/// A quantity is a state if its derivative is mentioned anywhere.
fn states(flat: &mut Flat) -> Vec<bool> {
    let mut is_state = vec![false; flat.quantities.len()];
    let mut roots: Vec<Expr> = flat.equations.iter().flat_map(|e| [e.lhs, e.rhs]).collect();
    let (graph, places) = actions(flat);
    roots.extend(places.into_iter().map(|e| *e));
    for e in graph.reachable(roots) {
        if let ExprNode::Derivative(s) = graph.node(e) {
            is_state[s.index()] = true;
        }
    }
    is_state
}
