//! Why a value is no finite number: the operation that made it so, and what it was made from.
//!
//! The expression is evaluated again, node by node, through the definitions of the unknowns solved in symbols. From the value in
//! question the search goes down to an operation that is not finite although all its operands are.

use std::fmt;

use crate::graph::Graph;
use crate::hash::{Map, Set};
use crate::node::{Binary, Expr, ExprNode, Symbol, Unary};
use crate::print::{PrintStyle, number, print, terms};
use crate::structure::written;
use crate::system::System;

/// An operation without a finite value.
#[derive(Clone, Debug, PartialEq)]
pub struct NonFiniteCause {
    /// What is wrong with it: "division by zero".
    pub fault: &'static str,
    /// The operation in the user's names; None: a quantity that has no finite value by itself.
    pub operation: Option<String>,
    /// Its operands, other than numbers, and their values (SI).
    pub operands: Vec<(String, f64)>,
    /// The quantity that is computed there, if it has a name.
    pub quantity: Option<String>,
    /// Name of the equation, and the component it belongs to.
    pub equation: Option<(String, String)>,
    /// The operation, kept where it has a value.
    pub remedy: Option<String>,
}

impl fmt::Display for NonFiniteCause {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{}", self.fault)?;
        if let Some(operation) = &self.operation {
            write!(out, " in {operation}")?;
        }
        for (k, (operand, value)) in self.operands.iter().enumerate() {
            write!(out, "{} {operand} = {}", if k == 0 { " with" } else { "," }, short(*value))?;
        }
        if let Some((name, component)) = &self.equation {
            write!(out, ", equation ({name})")?;
            // Equations of components are often named after them.
            if !component.is_empty() && !name.starts_with(component.as_str()) {
                write!(out, " of `{component}`")?;
            }
        }
        Ok(())
    }
}

/// Seven digits.
fn short(value: f64) -> String {
    number(format!("{value:.6e}").parse().unwrap_or(value))
}

const FRACTIONAL: &str = "a fractional power of a negative number";

/// Longer operands are no help to a reader.
const LONGEST: u64 = 40;

/// The cause of `root` not being finite; `leaf` gives time, states, numeric unknowns, parameters, inputs and modes. None: evaluated like
/// this it is finite.
pub fn find(system: &System, root: Expr, leaf: impl Fn(ExprNode) -> Option<f64>) -> Option<NonFiniteCause> {
    let mut search = CauseSearch::new(system, leaf);
    search.evaluate(root);
    search.trace(root)
}

struct CauseSearch<'a, L> {
    system: &'a System,
    /// A copy: hidden modes are shown as their relations.
    graph: Graph,
    leaf: L,
    /// What a name stands for, and which definition says so.
    meaning: Map<Expr, (Expr, Option<usize>)>,
    values: Map<Expr, f64>,
}

impl<'a, L: Fn(ExprNode) -> Option<f64>> CauseSearch<'a, L> {
    fn new(system: &'a System, leaf: L) -> Self {
        let graph = system.graph.thaw();
        let aliases = system.aliases.iter().map(|a| (graph.symbol(a.symbol).id, (a.value, None)));
        let definitions = system.definitions.iter().enumerate().map(|(k, d)| (d.leaf, (d.value, Some(k))));
        let meaning = aliases.chain(definitions).collect();
        CauseSearch { system, leaf, meaning, graph, values: Map::default() }
    }

    /// Values of everything under `root`.
    fn evaluate(&mut self, root: Expr) {
        let graph = &self.graph;
        let mut open: Set<Expr> = Set::default();
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            if self.values.contains_key(&e) {
                stack.pop();
                continue;
            }
            let node = graph.node(e);
            let missing: Vec<Expr> =
                self.operands(e, node).into_iter().filter(|c| !self.values.contains_key(c)).collect();
            // A circle, which sorting does not make, ends in NaN.
            if missing.is_empty() || !open.insert(e) {
                let value = self.value(e, node);
                self.values.insert(e, value);
                stack.pop();
            } else {
                stack.extend(missing);
            }
        }
    }

    /// What a node is computed from: its children, or what its name stands for.
    fn operands(&self, e: Expr, node: ExprNode) -> Vec<Expr> {
        match node {
            ExprNode::Symbol(_) | ExprNode::Derivative(_) if (self.leaf)(node).is_none() => {
                self.meaning.get(&e).map(|m| m.0).into_iter().collect()
            }
            _ => node.children().collect(),
        }
    }

    fn value(&self, e: Expr, node: ExprNode) -> f64 {
        let of = |c: Expr| self.values.get(&c).copied().unwrap_or(f64::NAN);
        match node {
            ExprNode::Time | ExprNode::Symbol(_) | ExprNode::Derivative(_) => {
                (self.leaf)(node).unwrap_or_else(|| self.meaning.get(&e).map_or(f64::NAN, |m| of(m.0)))
            }
            _ => self.graph.evaluate_node(node, of),
        }
    }

    /// Down to the operation at fault.
    fn trace(&self, root: Expr) -> Option<NonFiniteCause> {
        let system = self.system;
        let bad = |c: &Expr| !self.values.get(c).is_some_and(|v| v.is_finite());
        if !bad(&root) {
            return None;
        }
        let (mut at, mut quantity, mut definition) = (root, None, None);
        loop {
            let node = self.graph.node(at);
            if let ExprNode::Symbol(s) | ExprNode::Derivative(s) = node {
                let name = system.quantity(s).name.clone();
                quantity =
                    Some(if matches!(node, ExprNode::Derivative(_)) { format!("der({name})") } else { name });
                definition = self.meaning.get(&at).and_then(|m| m.1);
            }
            let taken: Vec<Expr> = match node {
                // The side that is not taken does not matter.
                ExprNode::Select(c, a, b) if !bad(&c) => vec![if self.values[&c] != 0.0 { a } else { b }],
                _ => self.operands(at, node),
            };
            match taken.into_iter().find(bad) {
                Some(next) => at = next,
                None => break,
            }
        }
        let equation = definition.map(|k| {
            let d = &system.definitions[k];
            (d.equation.clone(), d.origin.component.clone())
        });
        let node = self.graph.node(at);
        let operation = node.children().next().map(|_| self.text(at));
        let operands = node.children().filter(|&c| self.graph.at(c).value().is_none());
        let operands = operands.map(|c| (self.text(c), self.values[&c])).collect();
        Some(NonFiniteCause {
            fault: self.fault(node),
            operation,
            operands,
            quantity,
            equation,
            remedy: self.remedy(node),
        })
    }

    fn remedy(&self, node: ExprNode) -> Option<String> {
        match node {
            ExprNode::Unary(Unary::Sqrt, a) => Some(format!("sqrt(max({}, 0))", self.text(a))),
            ExprNode::Unary(op @ (Unary::Asin | Unary::Acos), a) => {
                Some(format!("{}(clip({}, -1, 1))", op.name()?, self.text(a)))
            }
            ExprNode::Binary(Binary::Pow, a, b) if self.fault(node) == FRACTIONAL => {
                let power = self.text(b);
                let plain = power.chars().all(|c| c.is_alphanumeric() || c == '.');
                let power = if plain { power } else { format!("({power})") };
                Some(format!("max({}, 0)^{power}", self.text(a)))
            }
            _ => None,
        }
    }

    fn text(&self, e: Expr) -> String {
        let graph = &self.graph;
        let e = written(graph, &self.system.relations, &[e])[0];
        if terms(graph, e) <= LONGEST {
            return print(graph, e, PrintStyle::Text, &|s: Symbol| self.system.quantity(s).name.clone());
        }
        match graph.node(e) {
            ExprNode::Unary(op, _) if let Some(name) = op.name() => format!("{name}(…)"),
            ExprNode::Binary(Binary::Div, _, b) if terms(graph, b) <= LONGEST => {
                format!("…/({})", self.text(b))
            }
            ExprNode::Binary(Binary::Div, ..) => "…/(…)".into(),
            _ => "…".into(),
        }
    }

    fn fault(&self, node: ExprNode) -> &'static str {
        let of = |c: Expr| self.values.get(&c).copied().unwrap_or(f64::NAN);
        match node {
            ExprNode::Binary(Binary::Div, a, b) if of(b) == 0.0 && of(a) == 0.0 => "0/0",
            ExprNode::Binary(Binary::Div | Binary::Mod, _, b) if of(b) == 0.0 => "division by zero",
            ExprNode::Unary(Unary::Ln | Unary::Log10, a) if of(a) == 0.0 => "logarithm of zero",
            ExprNode::Unary(Unary::Ln | Unary::Log10, _) => "logarithm of a negative number",
            ExprNode::Unary(Unary::Sqrt, _) => "root of a negative number",
            ExprNode::Unary(Unary::Asin | Unary::Acos, _) => "an argument outside -1 … 1",
            ExprNode::Binary(Binary::Pow, a, b) if of(a) == 0.0 && of(b) < 0.0 => "division by zero",
            ExprNode::Binary(Binary::Pow, a, b) if of(a) < 0.0 && of(b).fract() != 0.0 => FRACTIONAL,
            ExprNode::Const(_) | ExprNode::Symbol(_) | ExprNode::Derivative(_) | ExprNode::Time => {
                "no finite value"
            }
            _ => "a number too large to be represented",
        }
    }
}
