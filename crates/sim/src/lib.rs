//! Solvers, events, sampled tasks and the run loop.

pub mod problem;
pub mod solvers;
pub mod stepper;
