//! Bond graphs: causality, simplification, equations.

#[cfg(test)]
mod build;
mod causality;
mod emit;
mod layout;
mod simplify;

pub use causality::{Causality, Conflict, Derivative, Finding, Loop, assign};
pub use emit::emit;
pub use layout::{Area, Line, NAME, Picture, Placed, SYMBOL, Side, Size, layout};
pub use simplify::{BondGraph, DrawnBond, DrawnNode};
