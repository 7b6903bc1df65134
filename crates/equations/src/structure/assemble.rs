//! Puts the solved blocks together: every definition expanded down to y, time, parameters, inputs and modes.

use crate::flat::{
    Action, Assignment, Comparison, Constraint, Event, Flat, Friction, Hold, Origin, Output, Quantity,
    QuantityRole, Task,
};
use crate::graph::Graph;
use crate::hash::Map;
use crate::node::{Expr, ExprNode, Symbol};
use crate::structure::alias::Alias;
use crate::structure::error::StructureError;
use crate::structure::holding;
use crate::structure::index::Reduction;
use crate::structure::leaf_expr;
use crate::structure::relations::Relation;
use crate::structure::solve::BlockSolution;
use crate::structure::{pieces, steps};
use crate::system::{AsWritten, ResidualRow, SolvedDefinition, System, SystemParts};

/// All blocks of a model, solved as far as symbols go.
pub struct Solved {
    pub relations: Vec<Relation>,
    pub leaves: Vec<ExprNode>,
    pub residuals: Vec<Expr>,
    /// By quantity: integrated.
    pub is_state: Vec<bool>,
    pub reductions: Vec<Reduction>,
    /// In the order they can be solved.
    pub solutions: Vec<BlockSolution>,
}

pub fn assemble(flat: Flat, aliases: Vec<Alias>, solved: Solved) -> Result<System, Vec<StructureError>> {
    let Flat {
        graph,
        mut quantities,
        equations,
        events,
        tasks,
        outputs,
        constraints,
        holds,
        frictions,
        held,
        quaternions,
        ..
    } = flat;
    let Solved { relations, leaves, residuals, is_state, reductions, solutions } = solved;
    // What each solved leaf stands for, in terms of y, and what was made of expressions so far.
    let mut value: Map<Expr, Expr> = Map::default();
    let mut definitions = Vec::new();
    let mut algebraic = Vec::new();
    let mut residual_rows = Vec::new();
    for solution in &solutions {
        for &u in &solution.torn {
            let symbol = match leaves[u] {
                // A derivative left to the solver becomes an unknown of its own.
                ExprNode::Derivative(s) => derivative_unknown(&graph, &mut quantities, s),
                ExprNode::Symbol(s) => s,
                _ => continue,
            };
            algebraic.push(symbol);
            value.insert(leaf_expr(&graph, leaves[u]), graph.symbol(symbol).id);
        }
        for &(u, e, equation) in &solution.definitions {
            let expanded = graph.replace(&[e], &mut value)[0];
            let leaf = leaf_expr(&graph, leaves[u]);
            value.insert(leaf, expanded);
            let (equation, origin) = (equations[equation].name.clone(), equations[equation].origin.clone());
            definitions.push(SolvedDefinition { leaf, value: e, equation, origin });
        }
        for &r in &solution.residuals {
            let equation = &equations[r];
            residual_rows.push(ResidualRow {
                name: equation.name.clone(),
                origin: equation.origin.clone(),
                value: graph.replace(&[residuals[r]], &mut value)[0],
                written: residuals[r],
            });
        }
    }
    let meant: Vec<Expr> = aliases.iter().map(|a| a.value).collect();
    let meant = graph.replace(&meant, &mut value);
    value.extend(aliases.iter().zip(meant).map(|(alias, e)| (graph.symbol(alias.symbol).id, e)));
    let mut rows = Vec::new();
    let mut unknowns = Vec::new();
    for (i, quantity) in quantities.iter().enumerate().take(is_state.len()).filter(|(i, _)| is_state[*i]) {
        let symbol = Symbol(i as u32);
        let own = graph.derivative(symbol).id;
        rows.push(ResidualRow {
            name: format!("der({})", quantity.name),
            origin: quantity.origin.clone(),
            value: value[&own],
            written: own,
        });
        unknowns.push(symbol);
    }
    let n_states = unknowns.len();
    unknowns.extend(algebraic);
    rows.extend(residual_rows);

    let as_written = AsWritten { events: events.clone(), tasks: tasks.clone(), outputs: outputs.clone() };
    let mut shown = followers(&graph, &quantities, &unknowns, &value);
    let mut all = |e: Expr| graph.replace(&[e], &mut value)[0];
    let relations = relations.into_iter().map(|r| Relation { guard: all(r.guard), ..r }).collect();
    let events = events.into_iter().map(|e| expand_event(e, &mut all)).collect();
    let tasks = tasks.into_iter().map(|t| expand_task(t, &mut all)).collect();
    shown.extend(outputs.into_iter().map(|o| Output { value: all(o.value), ..o }));
    let constraints = constraints.into_iter().map(|c| Constraint {
        position: c.position.map(&mut all),
        velocity: all(c.velocity),
        acceleration: all(c.acceleration),
        facing: c.facing.map(&mut all),
        ..c
    });
    let mut constraints: Vec<Constraint> = constraints.collect();
    let frictions = frictions.into_iter().map(|f| Friction {
        speed: all(f.speed),
        limit: all(f.limit),
        sliding: all(f.sliding),
        ..f
    });
    let frictions = frictions.collect();
    let states = (&unknowns[..n_states], &rows[..n_states]);
    let mut errors = vec![];
    for hold in holds {
        let (locked, speed, rate) = (all(hold.locked), all(hold.speed), all(hold.rate));
        match holding::constraint(&graph, Hold { locked, speed, rate, ..hold }, states, &quantities) {
            Ok(constraint) => constraints.push(constraint),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut parts = SystemParts {
        graph,
        quantities,
        unknowns,
        n_states,
        rows,
        definitions,
        relations,
        events,
        tasks,
        outputs: shown,
        aliases,
        reduced: reductions,
        as_written,
        constraints,
        frictions,
        held,
        quaternions,
        unlocated: vec![],
    };
    pieces::extract(&mut parts, &value);
    steps::decide(&mut parts);
    Ok(System::build(parts))
}

/// Every unknown that follows from y, to be recorded under its name.
fn followers(
    graph: &Graph,
    quantities: &[Quantity],
    unknowns: &[Symbol],
    value: &Map<Expr, Expr>,
) -> Vec<Output> {
    let mut in_y = vec![false; quantities.len()];
    unknowns.iter().for_each(|s| in_y[s.index()] = true);
    let follows = |(i, q): &(usize, &Quantity)| matches!(q.kind, QuantityRole::Unknown { .. }) && !in_y[*i];
    let shown = quantities.iter().enumerate().filter(follows).map(|(i, q)| Output {
        name: q.name.clone(),
        unit: q.unit.clone(),
        doc: q.doc.clone(),
        origin: q.origin.clone(),
        value: value[&graph.symbol(Symbol(i as u32)).id],
    });
    shown.collect()
}

fn expand_event(event: Event, all: &mut impl FnMut(Expr) -> Expr) -> Event {
    let compared = event.compared.into_iter();
    let compared = compared.map(|c| Comparison { difference: all(c.difference), ..c }).collect();
    Event { guard: all(event.guard), compared, set: expand_set(event.set, all), ..event }
}

fn expand_task(task: Task, all: &mut impl FnMut(Expr) -> Expr) -> Task {
    let action = match task.action {
        Action::Set(set) => Action::Set(expand_set(set, all)),
        Action::Script { language, source, setup, inputs, outputs } => {
            let inputs = inputs.into_iter().map(|(n, e)| (n, all(e))).collect();
            Action::Script { language, source, setup, inputs, outputs }
        }
    };
    Task { action, ..task }
}

fn expand_set(set: Vec<Assignment>, all: &mut impl FnMut(Expr) -> Expr) -> Vec<Assignment> {
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
        unit: crate::flat::DisplayUnit { text: unit, factor: of.unit.factor, offset: 0.0 },
        doc: format!("Rate of {}", of.name),
        origin: Origin::clone(&of.origin),
        kind: QuantityRole::Unknown { start: graph.constant(0.0).id },
        nominal: of.nominal,
        range: (f64::NEG_INFINITY, f64::INFINITY),
    };
    quantities.push(quantity);
    Symbol(quantities.len() as u32 - 1)
}
