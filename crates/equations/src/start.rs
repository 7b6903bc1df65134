//! Values at the beginning of a run: parameters and start values, each after what it is computed from.

use std::collections::HashMap;

use crate::flat::{Quantity, QuantityRole};
use crate::frozen::Expressions;
use crate::graph::evaluate_node;
use crate::hash::Map;
use crate::node::{Expr, ExprNode, Symbol};

/// The value (SI) of every quantity at the beginning. `given` overrides; what is computed from it follows. A
/// circle, which front ends refuse, ends in NaN.
pub fn start_values(
    graph: &impl Expressions,
    quantities: &[Quantity],
    given: &HashMap<Symbol, f64>,
) -> Vec<f64> {
    let mut values: Vec<Option<f64>> = vec![None; quantities.len()];
    for (&s, &v) in given {
        values[s.index()] = Some(v);
    }
    let mut open = vec![false; quantities.len()];
    let mut stack: Vec<Symbol> = Vec::new();
    for first in 0..quantities.len() {
        stack.push(Symbol(first as u32));
        while let Some(&s) = stack.last() {
            if values[s.index()].is_some() {
                stack.pop();
                continue;
            }
            let Some(own) = expression(&quantities[s.index()]) else {
                values[s.index()] = Some(0.0);
                continue;
            };
            if let ExprNode::Const(number) = graph.node(own) {
                values[s.index()] = Some(number);
                continue;
            }
            let nodes = graph.under(&[own]);
            let missing = |e: &Expr| match graph.node(*e) {
                ExprNode::Symbol(other) if values[other.index()].is_none() => Some(other),
                _ => None,
            };
            let needed: Vec<Symbol> = nodes.iter().filter_map(missing).collect();
            if needed.is_empty() || open[s.index()] {
                values[s.index()] = Some(evaluate(graph, own, |o| values[o.index()].unwrap_or(f64::NAN)));
                stack.pop();
            } else {
                open[s.index()] = true;
                stack.extend(needed);
            }
        }
    }
    values.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect()
}

fn expression(quantity: &Quantity) -> Option<Expr> {
    match quantity.kind {
        QuantityRole::Unknown { start } | QuantityRole::Input { start } | QuantityRole::Mode { start } => {
            Some(start)
        }
        QuantityRole::Parameter { value } => Some(value),
        QuantityRole::Multiplier => None,
    }
}

/// The value of an expression of symbols; time and derivatives have none (NaN).
pub fn evaluate(graph: &impl Expressions, e: Expr, symbol: impl Fn(Symbol) -> f64) -> f64 {
    let mut values: Map<Expr, f64> = Map::default();
    for x in graph.under(&[e]) {
        let v = match graph.node(x) {
            ExprNode::Symbol(s) => symbol(s),
            node => evaluate_node(node, |t| graph.table(t), |c| values[&c]),
        };
        values.insert(x, v);
    }
    values[&e]
}
