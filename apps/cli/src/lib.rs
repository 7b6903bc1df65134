//! The command line: arguments, printing, exit codes.

pub mod cli;
pub mod commands;
pub mod failure;
pub mod given;
mod hints;
pub mod live;
mod moving;
mod options;
pub mod output;
mod progress;
pub mod report;
pub mod session;
pub mod watchdog;
