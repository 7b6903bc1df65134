//! The edge: files, plots and the command line.

pub mod advice;
pub mod assembly;
pub mod cli;
pub mod commands;
pub mod component_checks;
pub mod display;
pub mod failure;
pub mod files;
pub mod given;
pub mod import;
pub mod listing;
pub mod live;
pub mod measure;
pub mod mesh;
pub mod noise;
pub mod output;
pub mod parallel;
pub mod plot;
mod progress;
pub mod project;
pub mod range;
pub mod results;
pub mod scene;
pub mod signals;
pub mod simulate;
pub mod space;
