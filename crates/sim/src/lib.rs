//! Solvers, events, sampled tasks and the run loop.

pub mod balance;
pub mod constraints;
mod cuts;
pub mod dependent_states;
pub mod equilibrium;
mod equilibrium_filling;
mod equilibrium_problem;
mod equilibrium_rows;
pub mod events;
mod friction;
mod history;
pub(crate) mod homotopy;
pub mod integrate;
mod levers;
pub mod linear;
pub mod live;
pub mod lqr;
pub mod machine;
pub mod modes;
pub mod newton;
#[cfg(feature = "script")]
mod offer;
pub mod output_watch;
pub mod plan;
pub mod problem;
pub mod robot;
pub mod run;
pub(crate) mod run_error;
pub mod sampled_input;
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
mod time_watch;
