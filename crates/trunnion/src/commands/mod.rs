//! One file a command.

pub mod check;
pub mod compare;
pub mod convert;
pub mod plot;
pub mod run;
pub mod solvers;
pub mod sweep;
pub mod verify;
