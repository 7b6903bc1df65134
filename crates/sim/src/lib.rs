//! Solvers, events, sampled tasks and the run loop.

pub mod problem;
#[cfg(feature = "script")]
pub mod script;
pub mod solvers;
pub mod stepper;
