//! One file a command.

pub mod balance;
pub mod check;
pub mod compare;
pub mod completions;
pub mod convert;
pub mod equations;
pub mod examples;
pub mod graph;
pub mod linearize;
pub mod new;
pub mod plot;
pub mod run;
pub mod solvers;
pub mod sweep;
pub mod verify;
