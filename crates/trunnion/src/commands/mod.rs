//! One file a command.

pub mod animate;
pub mod balance;
pub mod check;
pub mod compare;
pub mod completions;
pub mod components;
pub mod convert;
pub mod energy;
pub mod equations;
pub mod examples;
pub mod graph;
pub mod import;
pub mod inverse;
pub mod linearize;
pub mod lqr;
pub mod modes;
pub mod new;
pub mod page;
pub mod picture;
pub mod plot;
pub mod response;
pub mod run;
pub mod solvers;
pub mod sweep;
pub mod verify;
pub mod workspace;
