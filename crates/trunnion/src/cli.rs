//! The commands and their arguments.

use clap::{Parser, Subcommand};

use crate::commands::{check, run, solvers};
use crate::failure::Failure;

/// Simulates machines whose mechanism, hydraulics, pneumatics and controller are designed together.
#[derive(Parser, Debug)]
#[command(version, name = "trunnion", max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Report everything that is wrong with a model
    Check(check::CheckArgs),
    /// Simulate a model and write its results
    Run(run::RunArgs),
    /// List the solvers
    Solvers,
}

pub fn execute(cli: &Cli, colour: bool) -> Result<(), Failure> {
    match &cli.command {
        Command::Check(args) => check::execute(args, colour),
        Command::Run(args) => run::execute(args, colour),
        Command::Solvers => {
            solvers::execute();
            Ok(())
        }
    }
}
