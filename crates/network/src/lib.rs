//! Bond graphs: causality, simplification, equations.

#[cfg(test)]
mod build;
mod causality;
mod emit;

pub use causality::{Causality, Conflict, Derivative, Finding, Loop, assign};
pub use emit::emit;
