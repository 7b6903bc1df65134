//! Solvers, events, sampled tasks and the run loop.

pub mod balance;
pub mod events;
pub mod homotopy;
pub mod integrate;
pub mod machine;
pub mod newton;
pub mod problem;
pub mod run;
#[cfg(test)]
mod scenes;
pub mod solvers;
pub mod stepper;
pub mod task;
