//! The expression language of model files: text → tree → dimension check → expression graph.
//!
//! The grammar and the functions are in docs/reference/expressions.md.

mod absolute;
mod ast;
mod error;
mod family;
mod functions;
mod guard;
mod lex;
mod lower;
mod parse;
#[cfg(test)]
mod tests;

use trunnion_equations::{Expr, Symbol, TableId};

use crate::units::{Dimension, Unit, parse_unit};

pub(crate) use absolute::as_difference;
pub use absolute::count;
pub use ast::{Ast, AstKind, ChainOperator, references};
pub(crate) use error::DIMENSION;
pub use error::LangError;
pub use family::{Allowance, FamilyNumber, LAST, repeats};
pub use guard::{EventGuard, condition};
pub use lower::lower;
pub(crate) use lower::lower_equation;
pub use parse::{parse_equation, parse_expression};
pub use trunnion_equations::flat::Direction;

/// What a name stands for.
#[derive(Clone, Debug)]
pub struct Binding {
    pub expr: Expr,
    /// `None` fits every dimension.
    pub dimension: Option<Dimension>,
    /// The symbol whose derivative `der` gives; only unknowns have one.
    pub derivative: Option<Symbol>,
}

/// A table called like a function.
#[derive(Clone, Debug)]
pub struct TableFn {
    pub id: TableId,
    /// One entry per argument, one or two of them; `None` fits every dimension.
    pub arguments: Vec<Option<Dimension>>,
    pub result: Option<Dimension>,
}

/// The names an expression may use.
pub trait Scope {
    /// What `x`, `pump.q` or `a.p` stands for.
    fn resolve(&self, path: &str) -> Option<Binding>;
    /// What a name measures that is an absolute value, because its unit has a shifted zero (°C, barg).
    fn absolute(&self, path: &str) -> Option<Dimension>;
    /// Every name, for hints.
    fn names(&self) -> Vec<String>;
    /// The table called `name`. A function of the language with the same name comes first.
    fn table(&self, name: &str) -> Option<TableFn>;
}

/// An expression with its dimension; `None` (a literal 0, an unknown dimension) fits every dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Typed {
    pub expr: Expr,
    pub dimension: Option<Dimension>,
}

/// A value such as `0.03/s` where nothing is called `s`: a number and its unit.
pub(crate) fn per_unit(ast: &Ast, scope: &dyn Scope) -> Option<(f64, Unit)> {
    let AstKind::Chain(first, rest) = &ast.kind else { return None };
    let number = match &first.kind {
        AstKind::Number(number, None) => *number,
        AstKind::Negate(a) => match a.kind {
            AstKind::Number(number, None) => -number,
            _ => return None,
        },
        _ => return None,
    };
    let mut text = "1".to_string();
    for (operator, a) in rest {
        let name = match &a.kind {
            AstKind::Name(name) => name,
            AstKind::Power(base, _) => match &base.kind {
                AstKind::Name(name) => name,
                _ => return None,
            },
            _ => return None,
        };
        if *operator != ChainOperator::Divide || is_reserved(name) || scope.resolve(name).is_some() {
            return None;
        }
        text += &format!("/{a}");
    }
    Some((number, parse_unit(&text).ok()?))
}

/// Words that cannot name anything of the user's.
pub fn is_reserved(name: &str) -> bool {
    is_keyword(name) || is_constant(name)
}

/// Is it a function of the language? A table of that name could not be called.
pub fn is_function(name: &str) -> bool {
    matches!(name, "der" | "crosses") || functions::find(name).is_some()
}

fn is_keyword(name: &str) -> bool {
    matches!(name, "if" | "then" | "else" | "and" | "or" | "not")
}

fn is_constant(name: &str) -> bool {
    matches!(name, "time" | "pi" | "true" | "false")
}
