//! One file a command.

pub mod balance;
pub mod check;
pub mod completions;
pub mod equations;
pub mod examples;
pub mod linearize;
pub mod new;
pub mod run;
pub mod solvers;
