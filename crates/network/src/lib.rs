//! Bond graphs: causality, simplification, equations.

#[cfg(test)]
mod build;
mod causality;
pub mod check;
mod emit;
mod energy;
mod floating;
pub mod layout;
mod simplify;

pub use causality::{Causality, CausalityFinding, Conflict, Derivative, Loop, assign};
pub use emit::emit;
pub use energy::{account, activities, motion_power};
pub use floating::floating;
pub use simplify::{BondGraph, DrawnBond, DrawnNode};
