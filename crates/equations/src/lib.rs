//! Expressions, derivatives, sorting and code generation.

pub mod cause;
mod closure;
mod compiled;
pub mod derivative;
pub mod flat;
mod frozen;
mod graph;
mod hash;
pub mod image;
mod interval;
#[cfg(feature = "jit")]
mod jit;
pub mod nearest;
mod node;
mod of_states;
mod of_time;
pub mod print;
pub mod program;
mod rounding;
pub mod start;
pub mod structure;
mod system;

pub use closure::{Closure, Entries};
pub use compiled::{Compiled, Engine, SlowValues};
pub use flat::{Flat, Unit};
pub use frozen::{Expressions, FrozenGraph};
pub use graph::{Ex, Graph, Table};
pub use image::{Image, ImageError};
pub use interval::{Enclosed, Interval};
pub use node::{Binary, Expr, Holding, Node, Symbol, TableId, Unary};
pub use of_states::{OfStates, Shown};
pub use of_time::OfTime;
pub use structure::{Role, analyse};
pub use system::{AsWritten, Definition, Part, Row, STARTED, STILL, Start, System, TieProgram};
