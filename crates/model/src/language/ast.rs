//! The tree of an expression.

use std::fmt;
use std::ops::Range;

use super::is_constant;
use crate::units::Unit;

/// A node with the bytes of the source text it was read from. Printed, it reads back as the same tree.
#[derive(Clone, Debug)]
pub struct Ast {
    pub kind: AstKind,
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
pub enum AstKind {
    /// A number as written and its unit: `3 bar`.
    Number(f64, Option<Unit>),
    /// `x`, `pump.q`, `time`.
    Name(String),
    Negate(Box<Ast>),
    Not(Box<Ast>),
    /// Operators of one rank, left to right: `a - b + c`. A list, so that a long sum is not a deep tree.
    Chain(Box<Ast>, Vec<(ChainOperator, Ast)>),
    /// `base ^ exponent`.
    Power(Box<Ast>, Box<Ast>),
    /// `function(arguments)`, with the span of the function's name.
    Call(String, Range<usize>, Vec<Ast>),
    /// `if(condition, a, b)`.
    If(Box<Ast>, Box<Ast>, Box<Ast>),
}

/// What joins the members of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainOperator {
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

/// Ranks from loose to tight; `Operator::rank` gives those of chains.
pub(super) const OR: u8 = 1;
pub(super) const AND: u8 = 2;
pub(super) const NOT: u8 = 3;
pub(super) const COMPARISON: u8 = 4;
pub(super) const SUM: u8 = 5;
pub(super) const PRODUCT: u8 = 6;
pub(super) const NEGATE: u8 = 7;
const POWER: u8 = 8;
const PRIMARY: u8 = 9;

impl ChainOperator {
    pub(super) fn rank(self) -> u8 {
        use ChainOperator::*;
        match self {
            Or => OR,
            And => AND,
            Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual => COMPARISON,
            Add | Subtract => SUM,
            Multiply | Divide => PRODUCT,
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            ChainOperator::Or => "or",
            ChainOperator::And => "and",
            ChainOperator::Less => "<",
            ChainOperator::LessEqual => "<=",
            ChainOperator::Greater => ">",
            ChainOperator::GreaterEqual => ">=",
            ChainOperator::Equal => "==",
            ChainOperator::NotEqual => "!=",
            ChainOperator::Add => "+",
            ChainOperator::Subtract => "-",
            ChainOperator::Multiply => "*",
            ChainOperator::Divide => "/",
        }
    }
}

impl Ast {
    /// The rank of the chain it is, if it is one.
    pub(super) fn chain_rank(&self) -> Option<u8> {
        match &self.kind {
            AstKind::Chain(_, rest) => rest.first().map(|(operator, _)| operator.rank()),
            _ => None,
        }
    }

    fn rank(&self) -> u8 {
        match &self.kind {
            AstKind::Chain(..) => self.chain_rank().unwrap_or(PRIMARY),
            AstKind::Not(_) => NOT,
            AstKind::Negate(_) => NEGATE,
            AstKind::Power(..) => POWER,
            AstKind::Number(..) | AstKind::Name(_) | AstKind::Call(..) | AstKind::If(..) => PRIMARY,
        }
    }

    /// Prints with parentheses if looser than `least`.
    fn print(&self, f: &mut fmt::Formatter<'_>, least: u8) -> fmt::Result {
        if self.rank() < least { write!(f, "({self})") } else { write!(f, "{self}") }
    }
}

impl fmt::Display for Ast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            AstKind::Number(number, None) => write!(f, "{}", number_text(*number)),
            AstKind::Number(number, Some(unit)) => write!(f, "{} {}", number_text(*number), unit.text),
            AstKind::Name(name) => write!(f, "{name}"),
            AstKind::Negate(a) => {
                write!(f, "-")?;
                // The sign of `-5 °C` belongs to the number.
                let shifted = matches!(&a.kind, AstKind::Number(_, Some(unit)) if unit.offset != 0.0);
                a.print(f, if shifted { PRIMARY + 1 } else { NEGATE })
            }
            AstKind::Not(a) => {
                write!(f, "not ")?;
                a.print(f, NOT)
            }
            AstKind::Chain(first, rest) => {
                let above = self.rank() + 1;
                first.print(f, above)?;
                rest.iter().try_for_each(|(operator, a)| {
                    write!(f, " {} ", operator.text())?;
                    a.print(f, above)
                })
            }
            AstKind::Power(base, exponent) => {
                // The exponent of `2 m^3` would belong to the unit.
                let literal = matches!(base.kind, AstKind::Number(_, Some(_)));
                base.print(f, if literal { PRIMARY + 1 } else { PRIMARY })?;
                write!(f, "^")?;
                exponent.print(f, NEGATE)
            }
            AstKind::Call(function, _, arguments) => {
                write!(f, "{function}(")?;
                for (i, a) in arguments.iter().enumerate() {
                    write!(f, "{}{a}", if i > 0 { ", " } else { "" })?;
                }
                write!(f, ")")
            }
            AstKind::If(condition, a, b) => write!(f, "if({condition}, {a}, {b})"),
        }
    }
}

/// The shortest text that reads back as `number`: `3`, `0.1`, `1e300`.
pub(super) fn number_text(number: f64) -> String {
    let text = format!("{number:?}");
    text.strip_suffix(".0").map(String::from).unwrap_or(text)
}

/// The names used, in order of appearance, each time they appear. `time`, `pi` and functions are not among them.
pub fn references(ast: &Ast) -> Vec<(String, Range<usize>)> {
    fn collect(ast: &Ast, found: &mut Vec<(String, Range<usize>)>) {
        match &ast.kind {
            AstKind::Number(..) => {}
            AstKind::Name(name) if is_constant(name) => {}
            AstKind::Name(name) => found.push((name.clone(), ast.span.clone())),
            AstKind::Negate(a) | AstKind::Not(a) => collect(a, found),
            AstKind::Power(a, b) => [a, b].into_iter().for_each(|a| collect(a, found)),
            AstKind::If(a, b, c) => [a, b, c].into_iter().for_each(|a| collect(a, found)),
            AstKind::Call(_, _, arguments) => arguments.iter().for_each(|a| collect(a, found)),
            AstKind::Chain(first, rest) => {
                collect(first, found);
                rest.iter().for_each(|(_, a)| collect(a, found));
            }
        }
    }
    let mut found = Vec::new();
    collect(ast, &mut found);
    found
}
