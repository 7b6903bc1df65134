//! Solvers, events, sampled tasks and the run loop.

pub mod problem;
pub mod stepper;
