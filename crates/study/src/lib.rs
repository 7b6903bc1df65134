//! What is done with a model: runs, measures, comparisons, checks.

pub mod advice;
mod aliases;
pub mod balance;
pub mod checked_files;
pub mod compare;
pub mod component_checks;
mod component_page;
pub mod display;
pub mod energy;
pub mod extremes;
pub mod inverse;
pub mod jumps;
pub mod linear;
pub mod live;
pub mod lqr;
pub mod measure;
pub mod mode_motion;
pub mod modes;
pub mod monitor;
pub mod mutants;
pub mod parallel;
pub mod range;
pub mod reduce;
pub mod response;
mod run;
pub mod signals;
pub mod simulate;
pub mod stress;
mod stress_neglected;
mod structure_advice;
pub mod sweep;
pub mod unresolved_states;
pub mod verify;
pub mod workspace;

pub use monitor::{Cancel, Monitor};
pub use run::{Run, Snapshot};
