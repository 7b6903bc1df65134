//! Conditions of events on what changes in steps only: modes, inputs and whole numbers.
//!
//! Such a difference may stay at zero for a while, where `a >= b` holds and `a > b` does not. So it counts as 1 or −1.

use crate::flat::{Kind, Quantity};
use crate::graph::Graph;
use crate::hash::{Map, Set};
use crate::node::{Binary, Expr, Node, Unary};
use crate::system::Parts;

pub fn decide(parts: &mut Parts<Graph>) {
    let Parts { graph, quantities, events, .. } = parts;
    for event in events {
        let mut new: Map<Expr, Expr> = Map::default();
        for c in event.compared.iter().filter(|c| changes_in_steps(graph, quantities, c.difference)) {
            let (e, zero, one) = (graph.at(c.difference), graph.constant(0.0), graph.constant(1.0));
            let below = if c.zero_is_above { e.lt(zero) } else { e.le(zero) };
            new.insert(c.difference, graph.select(below, -one, one).id);
            new.entry((-e).id).or_insert(graph.select(below, one, -one).id);
        }
        if !new.is_empty() {
            event.guard = graph.replace(&[event.guard], &mut new)[0];
        }
    }
}

fn changes_in_steps(graph: &Graph, quantities: &[Quantity], e: Expr) -> bool {
    let mut flows: Set<Expr> = Set::default();
    for x in graph.reachable([e]) {
        let moves = match graph.node(x) {
            Node::Symbol(s) => {
                matches!(quantities[s.index()].kind, Kind::Unknown { .. } | Kind::Multiplier)
            }
            Node::Time | Node::Derivative(_) => true,
            Node::Unary(Unary::Floor | Unary::Ceil | Unary::Sign | Unary::Not, _) => false,
            Node::Binary(op, ..) if is_relation(op) => false,
            node => node.children().any(|c| flows.contains(&c)),
        };
        if moves {
            flows.insert(x);
        }
    }
    !flows.contains(&e)
}

fn is_relation(op: Binary) -> bool {
    matches!(op, Binary::Lt | Binary::Le | Binary::Eq | Binary::Ne | Binary::And | Binary::Or)
}
