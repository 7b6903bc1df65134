//! The edge: files, plots and the command line.

pub mod advice;
pub mod assembly;
pub mod cli;
pub mod commands;
pub mod component_checks;
pub mod display;
pub mod extremes;
pub mod failure;
pub mod files;
pub mod given;
mod jumps;
pub mod listing;
pub mod live;
pub mod measure;
pub mod motions;
pub mod mutants;
pub mod output;
pub mod parallel;
pub mod plot;
mod progress;
pub mod project;
pub mod range;
pub mod scene;
pub mod signals;
pub mod simulate;
mod unseen;
pub mod watchdog;
