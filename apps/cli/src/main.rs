//! The `trunnion` command.

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches};
use trunnion::cli::{Cli, execute};
use trunnion::failure::{exit, exit_code, usage};
use trunnion::report::JsonAnswer;
use trunnion::session::{Session, interrupt};
use trunnion::{output, watchdog};
use trunnion_files::input::protect_inputs;
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

/// A mistake in the arguments, as JSON where that is asked for.
fn refuse(error: clap::Error) -> ! {
    let asked = std::env::args().any(|a| a == "json" || a == "--format=json");
    if asked && error.use_stderr() {
        let answer = JsonAnswer::default();
        let text = error.render().to_string();
        let message = text.split("\n\nUsage:").next().unwrap_or_default().trim();
        answer.failed(&usage(message.trim_start_matches("error: ")));
        let command = std::env::args().nth(1).unwrap_or_default();
        answer.print(&command, exit::USAGE);
        std::process::exit(i32::from(exit::USAGE));
    }
    error.exit()
}

fn main() -> ExitCode {
    let matches = Cli::command().try_get_matches();
    let parsed =
        matches.and_then(|m| Ok((Cli::from_arg_matches(&m)?, m.subcommand_name().map(str::to_owned))));
    let (cli, name) = parsed.unwrap_or_else(|error| refuse(suggested(error)));
    protect_inputs();
    let cancel = Cancel::default();
    let interrupted = cancel.clone();
    let _ = ctrlc::set_handler(move || interrupt(&interrupted));
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    watchdog::start(cancel.clone(), colour);
    let mut session = Session::new(colour, cli.command.answers_json(), cancel);
    let done = session.begin(&cli.allow).and_then(|()| execute(&cli, &session));
    let done = done.and_then(|good| output::arrived().map(|()| good));
    let code = match &done {
        Ok(true) => exit::GOOD,
        Ok(false) => exit::MODEL,
        Err(failure) => {
            session.fail(failure);
            exit_code(failure)
        }
    };
    match &session.json {
        // A document of its own is the whole answer of a command that succeeds.
        Some(_) if code == exit::GOOD && cli.command.writes_documents() => {}
        Some(answer) => answer.print(&name.unwrap_or_default(), code),
        None => {}
    }
    ExitCode::from(match (code, output::arrived()) {
        (exit::GOOD, Err(failure)) => exit_code(&failure),
        (code, _) => code,
    })
}
