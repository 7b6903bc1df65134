//! Solvers, events, sampled tasks and the run loop.

pub mod balance;
pub mod closure;
mod cuts;
pub mod driven;
pub mod equilibrium;
pub mod events;
mod friction;
mod history;
pub mod homotopy;
pub mod integrate;
pub mod linear;
pub mod live;
pub mod lqr;
pub mod machine;
pub mod modes;
pub mod newton;
mod offer;
pub mod output_watch;
pub mod plan;
pub mod problem;
mod rest;
mod rest_problem;
pub mod run;
pub mod run_error;
#[cfg(test)]
mod scenes;
#[cfg(feature = "script")]
pub mod script;
pub mod script_error;
pub mod solvers;
pub mod start_error;
mod state_watch;
pub mod stepper;
pub mod task;
pub mod ties;
mod time_watch;
