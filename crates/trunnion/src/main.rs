//! The `trunnion` command.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use clap::Parser;
use trunnion::cli::{Cli, execute};
use trunnion::simulate::CANCEL;

fn main() -> ExitCode {
    let cli = Cli::parse();
    // The first Ctrl-C ends a run cleanly, the second one at once.
    let _ = ctrlc::set_handler(|| {
        if CANCEL.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(trunnion::failure::exit::CANCELLED));
        }
    });
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    trunnion::watchdog::start(colour);
    match execute(&cli, colour).and_then(|()| trunnion::output::arrived()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprint!("{}", failure.render(colour));
            ExitCode::from(failure.exit_code())
        }
    }
}
