//! The solvers: one file each.

pub mod explicit;
mod fixed;
pub mod generalized_alpha;
