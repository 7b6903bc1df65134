//! From what was said to what can be solved: sorting, solving, tearing.
//!
//! Unknowns are the derivatives of the states and all other continuous quantities. Each equation is given one
//! unknown to determine; strongly connected groups become blocks; blocks are solved in symbols where possible.
//! What remains, together with the states, is the vector y of the numeric problem M y' = f.

mod error;
mod matching;
mod relations;
mod sign;
mod solve;

use std::collections::HashMap;

pub use error::{Finding, StructureError};
pub use relations::{Relation, written};

use crate::flat::{Action, Assignment, Event, Flat, Kind, Origin, Output, Quantity, Task};
use crate::graph::Graph;
use crate::node::{Expr, Node, Symbol};
use crate::start::start_values;
use crate::system::{AsWritten, Definition, Row, System};
use solve::{Equations, by_unknowns};

/// Sort and solve. All findings are reported at once.
pub fn analyse(mut flat: Flat) -> Result<System, Vec<StructureError>> {
    let relations = relations::extract(&mut flat);
    let is_state = states(&flat);
    let leaves: Vec<Node> = (0..flat.quantities.len())
        .filter(|&i| matches!(flat.quantities[i].kind, Kind::Unknown { .. }))
        .map(|i| Symbol(i as u32))
        .map(|s| if is_state[s.index()] { Node::Derivative(s) } else { Node::Symbol(s) })
        .collect();
    let graph = &flat.graph;
    let sides: Vec<(Expr, Expr)> = flat.equations.iter().map(|e| (e.lhs, e.rhs)).collect();
    let residuals: Vec<Expr> = sides.iter().map(|&(l, r)| (graph.at(l) - graph.at(r)).id).collect();
    let gradients = by_unknowns(graph, &residuals, &leaves);
    let incidence: Vec<Vec<usize>> =
        gradients.iter().map(|g| g.iter().map(|&(u, _)| u as usize).collect()).collect();
    let column: HashMap<Expr, usize> =
        leaves.iter().enumerate().map(|(i, &n)| (leaf_expr(graph, n), i)).collect();
    let preferred: Vec<Option<usize>> = sides
        .iter()
        .zip(&incidence)
        .map(|((l, r), list)| {
            [l, r].into_iter().find_map(|side| column.get(side)).copied().filter(|u| list.contains(u))
        })
        .collect();
    let matching = matching::maximum(&incidence, leaves.len(), &preferred);
    let errors = error::findings(&flat, &leaves, &incidence, &matching);
    if !errors.is_empty() {
        return Err(errors);
    }
    let start = start_values(graph, &flat.quantities, &HashMap::new());
    let is_parameter = |i: &usize| matches!(flat.quantities[*i].kind, Kind::Parameter { .. });
    let parameters: HashMap<Symbol, f64> =
        (0..start.len()).filter(is_parameter).map(|i| (Symbol(i as u32), start[i])).collect();
    let equations = Equations {
        graph,
        parameters: &parameters,
        leaves: &leaves,
        sides: &sides,
        residuals: &residuals,
        gradients: &gradients,
    };
    let (mut solutions, mut errors) = (Vec::new(), Vec::new());
    for block in matching::blocks(&incidence, &matching) {
        let unknowns: Vec<usize> = block.iter().filter_map(|&e| matching.unknown_of[e]).collect();
        let solution = equations.solve(&block, &unknowns);
        if solution.singular {
            errors.push(error::dependent(&flat, &leaves, &block, &unknowns));
        }
        solutions.push(solution);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(assemble(flat, relations, &leaves, &residuals, solutions))
}

fn leaf_expr(graph: &Graph, leaf: Node) -> Expr {
    match leaf {
        Node::Derivative(s) => graph.derivative(s).id,
        Node::Symbol(s) => graph.symbol(s).id,
        _ => graph.time().id,
    }
}

/// A quantity is a state if its derivative is mentioned anywhere.
fn states(flat: &Flat) -> Vec<bool> {
    let mut is_state = vec![false; flat.quantities.len()];
    let roots =
        flat.equations.iter().flat_map(|e| [e.lhs, e.rhs]).chain(flat.outputs.iter().map(|o| o.value));
    for e in flat.graph.reachable(roots) {
        if let Node::Derivative(s) = flat.graph.node(e) {
            is_state[s.index()] = true;
        }
    }
    is_state
}

/// Puts the solved blocks together: every definition expanded down to y, time, parameters, inputs and modes.
fn assemble(
    flat: Flat,
    relations: Vec<Relation>,
    leaves: &[Node],
    residuals: &[Expr],
    solutions: Vec<solve::Solution>,
) -> System {
    let Flat { graph, mut quantities, equations, events, tasks, outputs, .. } = flat;
    // What each solved leaf stands for, in terms of y.
    let mut value: HashMap<Expr, Expr> = HashMap::new();
    let mut definitions = Vec::new();
    let mut algebraic = Vec::new();
    let mut residual_rows = Vec::new();
    for solution in &solutions {
        for &u in &solution.torn {
            let symbol = match leaves[u] {
                // A derivative left to the solver becomes an unknown of its own.
                Node::Derivative(s) => derivative_unknown(&graph, &mut quantities, s),
                Node::Symbol(s) => s,
                _ => continue,
            };
            algebraic.push(symbol);
            value.insert(leaf_expr(&graph, leaves[u]), graph.symbol(symbol).id);
        }
        for &(u, e, equation) in &solution.definitions {
            let expanded = expand(&graph, &[e], &value)[0];
            value.insert(leaf_expr(&graph, leaves[u]), expanded);
            let origin = equations[equation].origin.clone();
            definitions.push(Definition {
                leaf: leaf_expr(&graph, leaves[u]),
                value: e,
                equation: equations[equation].name.clone(),
                origin,
            });
        }
        for &r in &solution.residuals {
            let equation = &equations[r];
            residual_rows.push(Row {
                name: equation.name.clone(),
                origin: equation.origin.clone(),
                value: expand(&graph, &[residuals[r]], &value)[0],
                written: residuals[r],
            });
        }
    }
    let mut rows = Vec::new();
    let mut unknowns = Vec::new();
    for &leaf in leaves {
        if let Node::Derivative(s) = leaf {
            let quantity = &quantities[s.index()];
            let own = leaf_expr(&graph, leaf);
            rows.push(Row {
                name: format!("der({})", quantity.name),
                origin: quantity.origin.clone(),
                value: value[&own],
                written: own,
            });
            unknowns.push(s);
        }
    }
    let n_states = unknowns.len();
    unknowns.extend(algebraic);
    rows.extend(residual_rows);

    let as_written = AsWritten { events: events.clone(), tasks: tasks.clone(), outputs: outputs.clone() };
    let all = |e: Expr| expand(&graph, &[e], &value)[0];
    let relations = relations.into_iter().map(|r| Relation { guard: all(r.guard), ..r }).collect();
    let events = events.into_iter().map(|e| expand_event(e, &all)).collect();
    let tasks = tasks.into_iter().map(|t| expand_task(t, &all)).collect();
    let mut shown: Vec<Output> = Vec::new();
    for &leaf in leaves {
        if let Node::Symbol(s) = leaf
            && !unknowns.contains(&s)
        {
            let q = &quantities[s.index()];
            shown.push(Output {
                name: q.name.clone(),
                unit: q.unit.clone(),
                doc: q.doc.clone(),
                origin: q.origin.clone(),
                value: value[&leaf_expr(&graph, leaf)],
            });
        }
    }
    shown.extend(outputs.into_iter().map(|o| Output { value: all(o.value), ..o }));
    let mut system = System::new(
        graph,
        quantities,
        unknowns,
        n_states,
        rows,
        definitions,
        relations,
        events,
        tasks,
        shown,
    );
    system.as_written = as_written;
    system
}

/// All solved leaves replaced by what they stand for.
fn expand(graph: &Graph, roots: &[Expr], value: &HashMap<Expr, Expr>) -> Vec<Expr> {
    graph.rewrite(roots, |node| match node {
        Node::Symbol(_) | Node::Derivative(_) => value.get(&leaf_expr(graph, node)).copied(),
        _ => None,
    })
}

fn expand_event(event: Event, all: &impl Fn(Expr) -> Expr) -> Event {
    Event { guard: all(event.guard), set: expand_set(event.set, all), ..event }
}

fn expand_task(task: Task, all: &impl Fn(Expr) -> Expr) -> Task {
    let action = match task.action {
        Action::Set(set) => Action::Set(expand_set(set, all)),
        Action::Script { source, inputs, outputs } => {
            Action::Script { source, inputs: inputs.into_iter().map(|(n, e)| (n, all(e))).collect(), outputs }
        }
    };
    Task { action, ..task }
}

fn expand_set(set: Vec<Assignment>, all: &impl Fn(Expr) -> Expr) -> Vec<Assignment> {
    set.into_iter().map(|a| Assignment { value: all(a.value), ..a }).collect()
}

fn derivative_unknown(graph: &Graph, quantities: &mut Vec<Quantity>, state: Symbol) -> Symbol {
    let of = &quantities[state.index()];
    let unit = match of.unit.text.as_str() {
        "" => "1/s".to_string(),
        text => format!("({text})/s"),
    };
    let quantity = Quantity {
        name: format!("der({})", of.name),
        unit: crate::flat::Unit { text: unit, factor: of.unit.factor, offset: 0.0 },
        doc: format!("Rate of {}", of.name),
        origin: Origin::clone(&of.origin),
        kind: Kind::Unknown { start: graph.constant(0.0).id },
        nominal: of.nominal,
        range: (f64::NEG_INFINITY, f64::INFINITY),
    };
    quantities.push(quantity);
    Symbol(quantities.len() as u32 - 1)
}
