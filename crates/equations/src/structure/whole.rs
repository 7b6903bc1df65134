//! Whole numbers of continuous quantities count as modes, so that their jumps are located.
//!
//!   floor(a) = n,   ceil(a) = −floor(−a),   mod(a, b) = a − b floor(a/b)                             (1)
//!
//! n is a mode with two guards: a − n ≥ 0 and n + 1 − a > 0. Where one of them ceases to hold n moves on, by as many as the values ask for. Between
//! events n does not change, so a solver sees smooth equations.
//!
//! This happens once all is sorted and solved, on expressions of states and unknowns: whole numbers of time alone are known in
//! advance, those of parameters, inputs and modes change with them. mod(a, b) goes on a little beyond its range in a step that passes the jump; where
//! something may have no value there, as under a root or in a divisor, it stays at the end of its range instead. A whole number of an algebraic unknown that decides about this same
//! unknown stays as it is: with n frozen there may be no solution where there is one.

use crate::flat::{Action, Kind, Origin, Quantity, Unit};
use crate::graph::Graph;
use crate::hash::{Map, Set};
use crate::node::{Binary, Expr, Node, Symbol, Unary};
use crate::print::{Style, print};
use crate::structure::relations::{Relation, Role};
use crate::system::{Parts, Unlocated};

/// Puts modes in the place of whole numbers in what is solved and watched, and in all that is computed beside it. `expanded` leads from
/// what was written to what it became.
pub fn extract(parts: &mut Parts, expanded: &Map<Expr, Expr>) {
    let Parts { graph, quantities, unknowns, n_states, rows, relations, events, constraints, .. } = parts;
    let graph: &Graph = graph;
    let watched = relations.iter().map(|r| r.guard).chain(events.iter().map(|e| e.guard));
    let accelerations = constraints.iter().map(|c| c.acceleration);
    let frictions = parts.frictions.iter().flat_map(|f| [f.speed, f.limit, f.sliding]);
    let roots: Vec<Expr> =
        rows.iter().map(|r| r.value).chain(watched).chain(accelerations).chain(frictions).collect();
    let order = graph.reachable(roots.iter().copied());
    if !order.iter().any(|&e| is_whole(graph, e)) {
        return;
    }
    let written = written_forms(graph, expanded);
    let mut left: Set<Expr> = Set::default();
    for row in &rows[*n_states..] {
        for e in in_loop(graph, row.value, &unknowns[*n_states..]) {
            if left.insert(e) {
                let origin = row.origin.clone();
                parts.unlocated.push(Unlocated { value: *written.get(&e).unwrap_or(&e), origin });
            }
        }
    }
    let moves = graph.dependence(&roots, |leaf| match leaf {
        Node::Symbol(s) => matches!(quantities[s.index()].kind, Kind::Unknown { .. } | Kind::Multiplier),
        leaf => leaf != Node::Time,
    });
    let fragile = fragile(graph, &order);
    let mut modes = Modes { graph, quantities, relations, known: Map::default() };
    let mut new: Map<Expr, Expr> = Map::default();
    for &e in &order {
        let mut made = graph.rebuild(e, |c| new[&c]);
        let jumps = is_whole(graph, e) && !left.contains(&e) && graph.node(e).children().any(|c| moves[&c]);
        if jumps {
            made = modes.frozen(made, *written.get(&e).unwrap_or(&e), fragile.contains(&e));
        }
        new.insert(e, made);
    }
    if !modes.known.is_empty() {
        replace(parts, &mut new);
    }
}

fn is_whole(graph: &Graph, e: Expr) -> bool {
    matches!(graph.node(e), Node::Unary(Unary::Floor | Unary::Ceil, _) | Node::Binary(Binary::Mod, ..))
}

/// Whole numbers as they were written, by what they became.
fn written_forms(graph: &Graph, expanded: &Map<Expr, Expr>) -> Map<Expr, Expr> {
    let mut forms: Map<Expr, Expr> = Map::default();
    for (&e, &became) in expanded.iter().filter(|(e, _)| is_whole(graph, **e)) {
        let form = forms.entry(became).or_insert(e);
        *form = e.min(*form);
    }
    forms
}

/// Whole numbers of algebraic unknowns in an equation that determines such.
fn in_loop(graph: &Graph, row: Expr, algebraic: &[Symbol]) -> Vec<Expr> {
    let order = graph.reachable([row]);
    if !order.iter().any(|&e| is_whole(graph, e)) {
        return vec![];
    }
    let open = graph.dependence(&[row], |leaf| matches!(leaf, Node::Symbol(s) if algebraic.contains(&s)));
    let depends = |e: &Expr| is_whole(graph, *e) && graph.node(*e).children().any(|c| open[&c]);
    order.into_iter().filter(depends).collect()
}

/// Nodes that something is computed from which has no value everywhere.
fn fragile(graph: &Graph, order: &[Expr]) -> Set<Expr> {
    let mut found: Set<Expr> = Set::default();
    let whole = |b: Expr| graph.at(b).value().is_some_and(|b| b >= 0.0 && b.fract() == 0.0);
    // Parents before children.
    for &e in order.iter().rev() {
        let node = graph.node(e);
        match node {
            _ if found.contains(&e) => found.extend(node.children()),
            Node::Unary(Unary::Sqrt | Unary::Ln | Unary::Log10 | Unary::Asin | Unary::Acos, a) => {
                found.insert(a);
            }
            Node::Binary(Binary::Pow, a, b) if !whole(b) => found.extend([a, b]),
            Node::Binary(Binary::Div, _, b) => {
                found.insert(b);
            }
            _ => {}
        }
    }
    found
}

/// The modes made so far, by the expression whose whole number each is.
struct Modes<'a> {
    graph: &'a Graph,
    quantities: &'a mut Vec<Quantity>,
    relations: &'a mut Vec<Relation>,
    known: Map<Expr, Expr>,
}

impl Modes<'_> {
    /// (1) of a node; `written`: as the user has it.
    fn frozen(&mut self, e: Expr, written: Expr, keeps_range: bool) -> Expr {
        let graph = self.graph;
        let of = |e: Expr| match graph.node(e) {
            Node::Unary(Unary::Floor, a) => Some(a),
            Node::Unary(Unary::Ceil, a) => Some((-graph.at(a)).id),
            Node::Binary(Binary::Mod, a, b) => Some((graph.at(a) / graph.at(b)).id),
            _ => None,
        };
        let (Some(argument), Some(meant)) = (of(e), of(written)) else { return e };
        if matches!(graph.node(e), Node::Binary(Binary::Mod, _, b) if graph.at(b).value() == Some(0.0)) {
            return e;
        }
        let n = graph.at(self.mode(argument, meant, written));
        match graph.node(e) {
            Node::Unary(Unary::Ceil, _) => (-n).id,
            Node::Binary(Binary::Mod, a, b) => {
                let (value, b, zero) = (graph.at(a) - graph.at(b) * n, graph.at(b), graph.constant(0.0));
                if keeps_range { value.min(b.max(zero)).max(b.min(zero)).id } else { value.id }
            }
            _ => n.id,
        }
    }

    /// The mode of floor(argument).
    fn mode(&mut self, argument: Expr, meant: Expr, named: Expr) -> Expr {
        if let Some(&known) = self.known.get(&argument) {
            return known;
        }
        let Modes { graph, quantities, relations, known } = self;
        let mode = Symbol(quantities.len() as u32);
        let name = |s: Symbol| quantities[s.index()].name.clone();
        let (text, start) = (print(graph, named, Style::Text, &name), at_start(graph, argument));
        quantities.push(hidden_mode(text, start));
        let (a, n) = (graph.at(argument), graph.symbol(mode));
        let written = graph.unary(Unary::Floor, graph.at(meant)).id;
        for (guard, step) in [((a - n).id, -1.0), ((n + 1.0 - a).id, 1.0)] {
            relations.push(Relation { role: Role::Switch, mode, guard, closed: step < 0.0, step, written });
        }
        known.insert(argument, n.id);
        n.id
    }
}

/// floor(a) of start values, at t = 0.
fn at_start(graph: &Graph, a: Expr) -> Expr {
    let zero = graph.constant(0.0).id;
    let a = graph.rewrite(&[a], |node| (node == Node::Time).then_some(zero))[0];
    graph.unary(Unary::Floor, graph.at(a)).id
}

fn hidden_mode(name: String, start: Expr) -> Quantity {
    Quantity {
        name,
        unit: Unit::default(),
        doc: "Counts whole numbers that are passed".into(),
        origin: Origin::default(),
        kind: Kind::Mode { start },
        nominal: None,
        range: (f64::NEG_INFINITY, f64::INFINITY),
    }
}

/// Everything of `parts` that has a value, with the nodes of `new` replaced.
fn replace(parts: &mut Parts, new: &mut Map<Expr, Expr>) {
    let Parts { graph, rows, relations, events, tasks, outputs, constraints, frictions, .. } = parts;
    let mut places: Vec<&mut Expr> = rows.iter_mut().map(|r| &mut r.value).collect();
    places.extend(relations.iter_mut().map(|r| &mut r.guard));
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
    places.extend(frictions.iter_mut().flat_map(|f| [&mut f.speed, &mut f.limit, &mut f.sliding]));
    for place in places {
        *place = graph.replace(&[*place], new)[0];
    }
}
