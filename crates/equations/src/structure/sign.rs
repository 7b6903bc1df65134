//! What is known of the sign of an expression without knowing its value: may it be divided by?
//!
//! Parameters are taken to keep the sign of their default; a parameter set to zero later shows up as a
//! division by zero, with its name.

use crate::graph::Graph;
use crate::hash::Map;
use crate::node::{Binary, Expr, ExprNode, Symbol, Unary};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Positive,
    Negative,
    NonNegative,
    NonZero,
    Unknown,
}

impl Sign {
    pub(crate) fn excludes_zero(self) -> bool {
        matches!(self, Sign::Positive | Sign::Negative | Sign::NonZero)
    }
}

/// Terms nested deeper than this are not judged.
const DEEPEST: u32 = 24;

pub fn sign(graph: &Graph, parameters: &Map<Symbol, f64>, e: Expr) -> Sign {
    of(graph, parameters, e, 0, &mut Map::default())
}

/// `known`: signs found so far; shared terms are examined once.
fn of(
    graph: &Graph,
    parameters: &Map<Symbol, f64>,
    e: Expr,
    depth: u32,
    known: &mut Map<Expr, Sign>,
) -> Sign {
    if depth > DEEPEST {
        return Sign::Unknown;
    }
    if let Some(&found) = known.get(&e) {
        return found;
    }
    let found = judge(graph, parameters, e, |c| of(graph, parameters, c, depth + 1, known));
    known.insert(e, found);
    found
}

/// The sign of a node from those of its children.
fn judge(graph: &Graph, parameters: &Map<Symbol, f64>, e: Expr, mut inner: impl FnMut(Expr) -> Sign) -> Sign {
    use Sign::*;
    match graph.node(e) {
        ExprNode::Const(v) if v > 0.0 => Positive,
        ExprNode::Const(v) if v < 0.0 => Negative,
        ExprNode::Const(0.0) => NonNegative,
        ExprNode::Symbol(s) => match parameters.get(&s) {
            Some(&v) if v > 0.0 => Positive,
            Some(&v) if v < 0.0 => Negative,
            _ => Unknown,
        },
        ExprNode::Unary(Unary::Neg, a) => match inner(a) {
            Positive => Negative,
            Negative => Positive,
            NonZero => NonZero,
            _ => Unknown,
        },
        ExprNode::Unary(Unary::Exp | Unary::Cosh, _) => Positive,
        ExprNode::Unary(Unary::Abs, a) => {
            if inner(a).excludes_zero() {
                Positive
            } else {
                NonNegative
            }
        }
        ExprNode::Unary(Unary::Sqrt, a) => {
            if inner(a) == Positive {
                Positive
            } else {
                NonNegative
            }
        }
        ExprNode::Binary(Binary::Mul, a, b) if a == b => {
            if inner(a).excludes_zero() {
                Positive
            } else {
                NonNegative
            }
        }
        ExprNode::Binary(Binary::Mul | Binary::Div, a, b) => match (inner(a), inner(b)) {
            (Positive, Positive) | (Negative, Negative) => Positive,
            (Positive, Negative) | (Negative, Positive) => Negative,
            (NonNegative, Positive | NonNegative) | (Positive, NonNegative) => NonNegative,
            (a, b) if a.excludes_zero() && b.excludes_zero() => NonZero,
            _ => Unknown,
        },
        ExprNode::Binary(Binary::Add, a, b) => match (inner(a), inner(b)) {
            (Positive, Positive | NonNegative) | (NonNegative, Positive) => Positive,
            (NonNegative, NonNegative) => NonNegative,
            (Negative, Negative) => Negative,
            _ => Unknown,
        },
        ExprNode::Binary(Binary::Sub, a, b) => match (inner(a), inner(b)) {
            (Positive | NonNegative, Negative) => Positive,
            (Negative, Positive | NonNegative) => Negative,
            _ => Unknown,
        },
        ExprNode::Binary(Binary::Pow, a, _) if inner(a) == Positive => Positive,
        ExprNode::Binary(Binary::Max, a, b) => match (inner(a), inner(b)) {
            (Positive, _) | (_, Positive) => Positive,
            (NonNegative, _) | (_, NonNegative) => NonNegative,
            (Negative, Negative) => Negative,
            _ => Unknown,
        },
        ExprNode::Binary(Binary::Min, a, b) => match (inner(a), inner(b)) {
            (Positive, Positive) => Positive,
            (Positive | NonNegative, Positive | NonNegative) => NonNegative,
            (Negative, _) | (_, Negative) => Negative,
            _ => Unknown,
        },
        ExprNode::Select(_, a, b) => match (inner(a), inner(b)) {
            (a, b) if a == b => a,
            (Positive | NonNegative, Positive | NonNegative) => NonNegative,
            (a, b) if a.excludes_zero() && b.excludes_zero() => NonZero,
            _ => Unknown,
        },
        _ => Unknown,
    }
}
