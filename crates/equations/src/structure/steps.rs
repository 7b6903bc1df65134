//! Conditions of events on what changes in steps only: modes, inputs and integer parts.
//!
//! Such a difference may stay at zero for a while, where `a >= b` holds and `a > b` does not. So it counts as 1 or −1.

use crate::flat::{Quantity, QuantityRole};
use crate::graph::Graph;
use crate::hash::{Map, Set};
use crate::node::{Binary, Expr, ExprNode, Unary};
use crate::system::SystemParts;

pub fn decide(parts: &mut SystemParts<Graph>) {
    let SystemParts { graph, quantities, events, .. } = parts;
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
            ExprNode::Symbol(s) => {
                matches!(quantities[s.index()].kind, QuantityRole::Unknown { .. } | QuantityRole::Multiplier)
            }
            ExprNode::Time | ExprNode::Derivative(_) => true,
            ExprNode::Unary(Unary::Floor | Unary::Ceil | Unary::Sign | Unary::Not, _) => false,
            ExprNode::Binary(op, ..) if is_relation(op) => false,
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
