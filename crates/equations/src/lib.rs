//! Expressions, derivatives, sorting and code generation.

pub mod cause;
mod compiled;
mod constraints;
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

pub use compiled::{Compiled, EvaluationEngine, SlowValues};
pub use constraints::{ConstraintPrograms, Entries};
pub use flat::{DisplayUnit, Flat};
pub use frozen::{Expressions, FrozenGraph};
pub use graph::{Ex, Graph, GraphTable};
pub use image::{Image, ImageError};
pub use interval::{Enclosed, Interval};
pub use node::{Binary, Expr, ExprNode, Holding, Symbol, TableId, Unary};
pub use of_states::{OfStates, OutputFunctions};
pub use of_time::OfTime;
pub use structure::{GuardRole, analyse};
pub use system::{
    AsWritten, ProgramKind, ResidualRow, STARTED, STICTION_SPEED, SolvedDefinition, StartValues, System,
    TieProgram,
};
