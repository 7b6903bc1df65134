//! The value of an expression of parameters.

use std::collections::HashMap;

use trunnion_equations::{Expr, ExprNode, Graph, GraphTable, Symbol};

/// Values of parameters, and of every expression met so far.
#[derive(Debug, Default)]
pub struct Values {
    symbols: HashMap<Symbol, f64>,
    known: HashMap<Expr, Option<f64>>,
}

impl Values {
    /// Fixes a parameter; before any expression that uses it is evaluated.
    pub fn set(&mut self, symbol: Symbol, value: f64) {
        self.symbols.insert(symbol, value);
    }

    /// The value of a parameter.
    pub(crate) fn get(&self, symbol: Symbol) -> Option<f64> {
        self.symbols.get(&symbol).copied()
    }

    /// None if it depends on time or on anything without a value.
    pub fn of(&mut self, graph: &Graph, e: Expr) -> Option<f64> {
        // A stack of our own: a long sum is a deep tree.
        let mut stack = vec![e];
        while let Some(&top) = stack.last() {
            if self.known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let node = graph.node(top);
            let open: Vec<Expr> = node.children().filter(|c| !self.known.contains_key(c)).collect();
            if open.is_empty() {
                let value = self.node(graph, node);
                self.known.insert(top, value);
            } else {
                stack.extend(open);
            }
        }
        self.known[&e]
    }

    fn node(&self, graph: &Graph, node: ExprNode) -> Option<f64> {
        let at = |e: Expr| self.known[&e];
        match node {
            ExprNode::Const(v) => Some(v),
            ExprNode::Time | ExprNode::Derivative(_) | ExprNode::Holding(..) => None,
            ExprNode::Symbol(s) => self.symbols.get(&s).copied(),
            ExprNode::Unary(op, a) => Some(op.eval(at(a)?)),
            ExprNode::Binary(op, a, b) => Some(op.eval(at(a)?, at(b)?)),
            ExprNode::Select(c, a, b) => {
                if at(c)? != 0.0 {
                    at(a)
                } else {
                    at(b)
                }
            }
            ExprNode::Table1(t, x, d) => match graph.table(t) {
                GraphTable::One(table) => Some(table.eval(at(x)?, d)),
                GraphTable::Two(_) => None,
            },
            ExprNode::Table2(t, x, y, dx, dy) => match graph.table(t) {
                GraphTable::Two(table) => Some(table.eval(at(x)?, at(y)?, dx, dy)),
                GraphTable::One(_) => None,
            },
        }
    }
}
