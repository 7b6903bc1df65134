//! The edge: files, plots and the command line.
