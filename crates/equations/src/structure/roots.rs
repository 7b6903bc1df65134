//! Signed roots whose smoothing width is a parameter that is zero.
//!
//!   x / (x² + d²)^¼   is 0/0 at x = 0, d = 0, where sgn(x) √|x| = 0 is meant                               (1)
//!
//! The parameter is read at run time, so that it may be changed later. Odd powers put together by hand are in `odd_powers.rs`.

use std::collections::HashMap;

use crate::flat::{Flat, QuantityRole};
use crate::graph::Graph;
use crate::node::{Binary, Expr, ExprNode, Unary};
use crate::start::{evaluate, start_values};

/// (1) wherever the width is zero with the parameters as they are.
pub(crate) fn guard_zero_widths(flat: &mut Flat) {
    let roots: Vec<Expr> = flat.equations.iter().flat_map(|e| [e.lhs, e.rhs]).collect();
    let any = |graph: &Graph, e: &Expr| signed_root(graph, graph.node(*e)).is_some();
    if !flat.graph.reachable(roots.iter().copied()).iter().any(|e| any(&flat.graph, e)) {
        return;
    }
    let start = start_values(&flat.graph, &flat.quantities, &HashMap::new());
    let value = |graph: &Graph, e: Expr| {
        let parameter = |i: usize| matches!(flat.quantities[i].kind, QuantityRole::Parameter { .. });
        evaluate(graph, e, |s| if parameter(s.index()) { start[s.index()] } else { f64::NAN })
    };
    let replace = |graph: &Graph, node: ExprNode| {
        let (x, d) = signed_root(graph, node).filter(|&(_, d)| value(graph, d) == 0.0)?;
        let d = graph.at(d);
        Some(graph.at(x).sharp_root(d, graph.binary(Binary::Eq, d, graph.constant(0.0))).id)
    };
    let new = flat.graph.rewrite(&roots, |node| replace(&flat.graph, node));
    let outputs: Vec<Expr> = flat.outputs.iter().map(|o| o.value).collect();
    let shown = flat.graph.rewrite(&outputs, |node| replace(&flat.graph, node));
    for (equation, side) in flat.equations.iter_mut().zip(new.chunks(2)) {
        (equation.lhs, equation.rhs) = (side[0], side[1]);
    }
    flat.outputs.iter_mut().zip(shown).for_each(|(output, e)| output.value = e);
}

/// x and d of x / (x² + d²)^¼.
fn signed_root(graph: &Graph, node: ExprNode) -> Option<(Expr, Expr)> {
    let ExprNode::Binary(Binary::Div, x, below) = node else { return None };
    let under = |e: Expr| match graph.node(e) {
        ExprNode::Unary(Unary::Sqrt, inner) => Some(inner),
        _ => None,
    };
    let ExprNode::Binary(Binary::Add, a, b) = graph.node(under(under(below)?)?) else { return None };
    let base = |e: Expr| match graph.node(e) {
        ExprNode::Binary(Binary::Mul, p, q) if p == q => Some(p),
        _ => None,
    };
    match (base(a)?, base(b)?) {
        (p, d) if p == x => Some((x, d)),
        (d, p) if p == x => Some((x, d)),
        _ => None,
    }
}
