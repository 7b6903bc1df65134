//! Bond graphs: causality, simplification, equations.

mod causality;
mod emit;

pub use causality::{Causality, assign};
pub use emit::emit;
