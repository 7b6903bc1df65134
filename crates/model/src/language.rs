//! The expression language of model files: text → tree → dimension check → expression graph.
//!
//! The grammar and the functions are in docs/expressions.md.

mod ast;

use std::ops::Range;

use trunnion_equations::{Expr, Graph, Symbol, TableId};

use crate::units::Dimension;

pub use ast::{Ast, Kind, Operator};

/// What is wrong with an expression; the span counts bytes of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct LangError {
    /// `L01` and on; docs/expressions.md lists them.
    pub code: &'static str,
    pub message: String,
    pub span: Range<usize>,
    /// Stands beside the caret; may be empty.
    pub label: String,
    pub hint: Option<String>,
}

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
    /// Every name, for hints.
    fn names(&self) -> Vec<String>;
    fn table(&self, name: &str) -> Option<TableFn>;
}

/// An expression with its dimension; `None` (a literal 0, an unknown dimension) fits every dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Typed {
    pub expr: Expr,
    pub dimension: Option<Dimension>,
}

/// How a guard crosses zero when its event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Rising,
    Falling,
    Both,
}

/// An event's condition: it happens when `expr` crosses zero in `direction`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guard {
    pub expr: Expr,
    pub direction: Direction,
}

pub fn parse_expression(text: &str) -> Result<Ast, Vec<LangError>> {
    let _ = text;
    todo!()
}

/// Reads `left = right`.
pub fn parse_equation(text: &str) -> Result<(Ast, Ast), Vec<LangError>> {
    let _ = text;
    todo!()
}

/// The names used, in order of appearance, each time they appear. `time`, `pi` and functions are not among them.
pub fn references(ast: &Ast) -> Vec<(String, Range<usize>)> {
    let _ = ast;
    todo!()
}

/// Words that cannot name anything of the user's.
pub fn is_reserved(name: &str) -> bool {
    matches!(name, "if" | "then" | "else" | "and" | "or" | "not" | "time" | "pi" | "true" | "false")
}

pub fn lower(graph: &Graph, ast: &Ast, scope: &dyn Scope) -> Result<Typed, Vec<LangError>> {
    let _ = (graph, ast, scope);
    todo!()
}

/// Both sides, checked to have the same dimension.
pub fn lower_equation(
    graph: &Graph,
    sides: &(Ast, Ast),
    scope: &dyn Scope,
) -> Result<(Expr, Expr), Vec<LangError>> {
    let _ = (graph, sides, scope);
    todo!()
}

/// The guard of an event's `when`: `h < 0` falls, `x > x_max` rises, `crosses(a, b)` goes either way.
pub fn condition(graph: &Graph, ast: &Ast, scope: &dyn Scope) -> Result<Guard, Vec<LangError>> {
    let _ = (graph, ast, scope);
    todo!()
}
