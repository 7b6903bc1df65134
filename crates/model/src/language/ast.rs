//! The tree of an expression.

use std::ops::Range;

use crate::units::Unit;

/// A node with the bytes of the source text it was read from.
#[derive(Clone, Debug)]
pub struct Ast {
    pub kind: Kind,
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
pub enum Kind {
    /// A number as written and its unit: `3 bar`.
    Number(f64, Option<Unit>),
    /// `x`, `pump.q`, `time`.
    Name(String),
    Negate(Box<Ast>),
    Not(Box<Ast>),
    /// Operators of one rank, left to right: `a − b + c`. A list, so that a long sum is not a deep tree.
    Chain(Box<Ast>, Vec<(Operator, Ast)>),
    /// `base ^ exponent`.
    Power(Box<Ast>, Box<Ast>),
    /// `function(arguments)`, with the span of the function's name.
    Call(String, Range<usize>, Vec<Ast>),
    /// `if condition then a else b`.
    If(Box<Ast>, Box<Ast>, Box<Ast>),
}

/// What joins the members of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Or,
    And,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
}
