//! `trunnion completions`: the script that completes commands in a shell.

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::{Shell as Script, generate};

use crate::cli::Cli;
use crate::output::say;
use trunnion_engine::Failure;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Args, Debug)]
pub struct CompletionsArgs {
    pub shell: Shell,
}

pub fn execute(args: &CompletionsArgs) -> Result<(), Failure> {
    let shell = match args.shell {
        Shell::Bash => Script::Bash,
        Shell::Zsh => Script::Zsh,
        Shell::Fish => Script::Fish,
    };
    let mut script = vec![];
    generate(shell, &mut Cli::command(), "trunnion", &mut script);
    say(String::from_utf8_lossy(&script).trim_end());
    Ok(())
}
