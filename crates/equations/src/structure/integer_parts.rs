//! Integer parts of continuous quantities are modes, so that their jumps are located.
//!
//!   floor(a) = n,   ceil(a) = −floor(−a),   mod(a, b) = a − b floor(a/b)                             (1)
//!
//! n is a mode with two guards: a − n ≥ 0 and n + 1 − a > 0. Where one of them ceases to hold n moves on, by as many as the values require. Between
//! events n does not change, so a solver sees smooth equations.
//!
//! mod(a, b) goes on a little beyond its range in a step that passes the jump; where something may have no value there, as under a
//! root or in a divisor, it stays at the end of its range instead.
//!
//! The integer part of an algebraic unknown that decides about this same unknown stays as it is: with n frozen there may be no solution
//! where there is one. So does a table that jumps.

use crate::graph::Graph;
use crate::node::{Binary, Expr, ExprNode, Symbol, Unary};
use crate::structure::cells::jumps;

pub(crate) fn is_whole(graph: &Graph, e: Expr) -> bool {
    matches!(
        graph.node(e),
        ExprNode::Unary(Unary::Floor | Unary::Ceil, _) | ExprNode::Binary(Binary::Mod, ..)
    )
}

/// What the integer part is taken of. (1)
pub fn meaning(graph: &Graph, e: Expr) -> Option<Expr> {
    match graph.node(e) {
        ExprNode::Unary(Unary::Floor, a) => Some(a),
        ExprNode::Unary(Unary::Ceil, a) => Some((-graph.at(a)).id),
        // Divided by zero it has no value, and that is reported.
        ExprNode::Binary(Binary::Mod, _, b) if graph.at(b).value() == Some(0.0) => None,
        ExprNode::Binary(Binary::Mod, a, b) => Some((graph.at(a) / graph.at(b)).id),
        _ => None,
    }
}

/// Whole numbers and jumps of algebraic unknowns in an equation that determines such.
pub fn in_loop(graph: &Graph, row: Expr, algebraic: &[Symbol]) -> Vec<Expr> {
    let order = graph.reachable([row]);
    let leaps = |e: Expr| match graph.node(e) {
        ExprNode::Table1(table, _, 0) => jumps(graph, table),
        _ => is_whole(graph, e),
    };
    if !order.iter().any(|&e| leaps(e)) {
        return vec![];
    }
    let open = graph.dependence(&[row], |leaf| matches!(leaf, ExprNode::Symbol(s) if algebraic.contains(&s)));
    let depends = |e: &Expr| leaps(*e) && graph.node(*e).children().any(|c| open[&c]);
    order.into_iter().filter(depends).collect()
}
