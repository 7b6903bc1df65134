//! The edge: files, plots and the command line.

pub mod plot;
pub mod results;
