//! The `trunnion` command.

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser};
use trunnion::cli::{Cli, execute};
use trunnion::failure::{exit, exit_code, render};
use trunnion::session::Session;
use trunnion::{output, watchdog};
use trunnion_results::nearest;
use trunnion_study::Cancel;

/// A mistyped command is answered with the nearest one, `rnu` with `run`.
fn suggested(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) {
        let known = Cli::command();
        let near =
            nearest(typed, known.get_subcommands().map(|c| c.get_name())).first().map(|n| n.to_string());
        if let Some(near) = near.filter(|_| error.get(ContextKind::SuggestedSubcommand).is_none()) {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![near]));
        }
    }
    error
}

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| suggested(error).exit());
    let cancel = Cancel::default();
    // The first Ctrl-C ends a run cleanly, the second one at once.
    let interrupted = cancel.clone();
    let _ = ctrlc::set_handler(move || {
        if interrupted.cancel() {
            std::process::exit(i32::from(exit::CANCELLED));
        }
    });
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    watchdog::start(cancel.clone(), colour);
    let session = Session::new(colour, cancel, &cli.allow);
    let done = session.and_then(|session| execute(&cli, &session));
    match done.and_then(|good| output::arrived().map(|()| good)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(exit::MODEL),
        Err(failure) => {
            eprint!("{}", render(&failure, colour));
            ExitCode::from(exit_code(&failure))
        }
    }
}
