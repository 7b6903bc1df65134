//! The edge: files, plots and the command line.

pub mod results;
