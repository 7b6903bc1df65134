//! Friction that sticks and locks that hold: forces that a run finds by numbers while they hold.
//!
//!   dry(v, F, S)   = −λ while it sticks, ±S while it slides to either side                            (1)
//!   hold(l, v, r)  = −λ while l, else 0                                                               (2)
//!   g̈ = v' − r while it holds,   λ = 0 otherwise                                                     (3)
//!
//! λ is a multiplier like that of a closed loop and is found together with those: (3) keeps the matrix of all of them symmetric, whatever
//! holds at the moment. When friction sticks and when it breaks away is decided where it runs.

use crate::derivative::gradients;
use crate::flat::{Constraint, DisplayUnit, Flat, Friction, Hold, Origin, Quantity, QuantityRole};
use crate::graph::Graph;
use crate::hash::Map;
use crate::node::{Binary, Expr, ExprNode, Holding, Symbol};
use crate::structure::actions;
use crate::structure::error::{StructureError, StructureFinding};
use crate::system::ResidualRow;

/// `dry` and `hold` become modes and multipliers, wherever they stand.
pub(crate) fn extract(flat: &mut Flat) {
    let graph = std::mem::take(&mut flat.graph);
    let mut made: Map<Expr, Expr> = Map::default();
    let holds = |graph: &Graph, e: Expr| matches!(graph.node(e), ExprNode::Holding(..));
    let all = flat.equations.iter().flat_map(|e| [e.lhs, e.rhs]);
    let holding = graph.containing(all, |e| holds(&graph, e));
    for k in 0..flat.equations.len() {
        let sides = [flat.equations[k].lhs, flat.equations[k].rhs];
        if !sides.iter().any(|e| holding.contains(e)) {
            continue;
        }
        let origin = flat.equations[k].origin.clone();
        let new = replaced(&graph, &sides, &mut made, |node| make(&graph, flat, node, &origin));
        (flat.equations[k].lhs, flat.equations[k].rhs) = (new[0], new[1]);
    }
    flat.graph = graph;
    // Elsewhere only what equations know: a friction that acts on nothing has no force.
    let (graph, places) = actions(flat);
    let holding = graph.containing(places.iter().map(|e| **e), |e| holds(graph, e));
    for place in places.into_iter().filter(|e| holding.contains(e)) {
        *place = replaced(graph, &[*place], &mut made, |_| graph.constant(f64::NAN).id)[0];
    }
}

fn replaced(
    graph: &Graph,
    roots: &[Expr],
    made: &mut Map<Expr, Expr>,
    mut make: impl FnMut(ExprNode) -> Expr,
) -> Vec<Expr> {
    graph.rewrite(roots, |node| match node {
        ExprNode::Holding(kind, a, b, c) => {
            let own = graph.holding(kind, [a, b, c].map(|e| graph.at(e))).id;
            Some(*made.entry(own).or_insert_with(|| make(node)))
        }
        _ => None,
    })
}

/// (1), (2)
fn make(graph: &Graph, flat: &mut Flat, node: ExprNode, origin: &Origin) -> Expr {
    let zero = graph.constant(0.0);
    let ExprNode::Holding(kind, a, b, c) = node else { return zero.id };
    let multiplier = add(flat, "holding", "Force that holds", QuantityRole::Multiplier, origin);
    let against = -graph.symbol(multiplier);
    let hold = |locked: Expr, speed: Expr, rate: Expr| Hold {
        origin: origin.clone(),
        locked,
        speed,
        rate,
        multiplier,
    };
    match kind {
        Holding::Dry => {
            let (speed, limit, sliding) = (a, b, graph.at(c));
            let doc = "Direction of sliding: 1, -1, twice that while it starts, or 0 while it sticks";
            // Which it is, is found before anything is computed from it.
            let mode =
                add(flat, "sliding", doc, QuantityRole::Mode { start: graph.constant(1.0).id }, origin);
            let sticks = graph.binary(Binary::Eq, graph.symbol(mode), zero);
            flat.holds.push(hold(sticks.id, speed, zero.id));
            flat.frictions.push(Friction { mode, speed, limit, sliding: c, multiplier });
            let one = graph.constant(1.0);
            let direction = graph.symbol(mode).min(one).max(-one);
            graph.select(sticks, against, direction * sliding).id
        }
        Holding::Hold => {
            flat.holds.push(hold(a, b, c));
            graph.select(graph.at(a), against, zero).id
        }
    }
}

/// A quantity of the component that has the equation.
fn add(flat: &mut Flat, name: &str, doc: &str, kind: QuantityRole, origin: &Origin) -> Symbol {
    let own =
        if origin.component.is_empty() { name.to_string() } else { format!("{}.{name}", origin.component) };
    let mut name = own.clone();
    let mut number = 1;
    while flat.find(&name).is_some() {
        number += 1;
        name = format!("{own}{number}");
    }
    flat.add(Quantity {
        name,
        unit: DisplayUnit::default(),
        doc: doc.into(),
        origin: origin.clone(),
        kind,
        nominal: None,
        range: (f64::NEG_INFINITY, f64::INFINITY),
    })
}

/// (3), of a hold whose expressions are expanded down to y. `rows` are the derivatives of the states.
pub fn constraint(
    graph: &Graph,
    hold: Hold,
    (states, rows): (&[Symbol], &[ResidualRow]),
    quantities: &[Quantity],
) -> Result<Constraint, StructureError> {
    let Hold { origin, locked, speed, rate, multiplier } = hold;
    let fails = |finding: StructureFinding| Err(StructureError { finding, origins: vec![origin.clone()] });
    let name = |s: Symbol| quantities[s.index()].name.clone();
    let varies = |s: Symbol| {
        matches!(quantities[s.index()].kind, QuantityRole::Unknown { .. } | QuantityRole::Multiplier)
    };
    for e in graph.reachable([locked]) {
        match graph.node(e) {
            ExprNode::Symbol(s) if varies(s) => {
                return fails(StructureFinding::LockVaries { quantity: name(s) });
            }
            _ => {}
        }
    }
    for e in graph.reachable([speed]) {
        match graph.node(e) {
            ExprNode::Symbol(s) if varies(s) && !states.contains(&s) => {
                return fails(StructureFinding::NoInertia { quantity: name(s) });
            }
            _ => {}
        }
    }
    let time = states.len() as u32;
    let columns: Map<Symbol, u32> = states.iter().enumerate().map(|(i, &s)| (s, i as u32)).collect();
    let slopes = gradients(graph, &[speed], |node| match node {
        ExprNode::Symbol(s) => columns.get(&s).copied(),
        ExprNode::Time => Some(time),
        _ => None,
    });
    let mut change = -graph.at(rate);
    for &(i, slope) in &slopes[0] {
        let slope = graph.at(slope);
        change = change + if i == time { slope } else { slope * graph.at(rows[i as usize].value) };
    }
    let (zero, locked) = (graph.constant(0.0), graph.at(locked));
    // A speed with a rate of its own is not to be put to zero.
    let stays = rate == zero.id;
    Ok(Constraint {
        name: origin.component.clone(),
        origin,
        position: None,
        velocity: if stays { graph.select(locked, graph.at(speed), zero).id } else { zero.id },
        acceleration: graph.select(locked, change, graph.symbol(multiplier)).id,
        facing: None,
        multiplier,
        switched: true,
    })
}
