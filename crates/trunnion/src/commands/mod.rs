//! One file a command.

pub mod check;
pub mod run;
pub mod solvers;
