//! Solvers, events, sampled tasks and the run loop.

pub mod balance;
pub mod events;
pub mod homotopy;
pub mod integrate;
pub mod newton;
pub mod problem;
#[cfg(test)]
mod scenes;
pub mod solvers;
pub mod stepper;
