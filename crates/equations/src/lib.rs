//! Expressions, derivatives, sorting and code generation.

pub mod flat;
mod graph;
mod node;

pub use flat::{Flat, Unit};
pub use graph::{Ex, Graph, Table};
pub use node::{Binary, Expr, Node, Symbol, TableId, Unary};
