//! What all commands share: where models are opened, whether the terminal shows colours, Ctrl-C and the progress line.

use std::fmt::Display;
use std::path::PathBuf;

use serde_json::Value;
use trunnion_engine::{Failure, Project, ReductionSettings, Workspace};
use trunnion_model::Diagnostic;
use trunnion_study::display;
use trunnion_study::{Cancel, Monitor};

use crate::failure::{exit, render, usage_hint};
use crate::given::answers;
use crate::hints::with_command;
use crate::output::{say, tell};
use crate::progress::ProgressLine;
use crate::report::JsonAnswer;

/// The variable with the units a user prefers.
const PREFERRED: &str = "TRUNNION_UNITS";
/// The first Ctrl-C ends a run cleanly, the second one at once.
pub fn interrupt(cancel: &Cancel) {
    if cancel.cancel() {
        leave(exit::CANCELLED);
    }
}

/// Ends the program at once, with the terminal as it was.
pub fn leave(code: u8) -> ! {
    let _ = crossterm::terminal::disable_raw_mode();
    std::process::exit(i32::from(code))
}

pub struct Session {
    pub colour: bool,
    /// Where the answer is one JSON document.
    pub json: Option<JsonAnswer>,
    pub workspace: Workspace,
    pub monitor: Monitor,
}

impl Session {
    pub fn new(colour: bool, json: bool, cancel: Cancel) -> Self {
        let monitor = Monitor { cancel, progress: ProgressLine::shared() };
        let json = json.then(JsonAnswer::default);
        Session { colour, json, workspace: Workspace::default(), monitor }
    }

    /// `allowed` are folders that models may read too.
    pub fn begin(&mut self, allowed: &[PathBuf]) -> Result<(), Failure> {
        let workspace = &mut self.workspace;
        workspace.answers = answers();
        let cache = ReductionSettings::user_cache(|name| std::env::var_os(name));
        workspace.reduction = ReductionSettings { cache, watch: Some(self.monitor.reduction()) };
        for folder in allowed {
            workspace.allow(folder).map_err(|_| {
                usage_hint(
                    format!("--allow {}: there is no such folder", folder.display()),
                    "name the folder whose files models may read",
                )
            })?;
        }
        let units = std::env::var(PREFERRED).unwrap_or_default();
        workspace.units = display::parse(&format!("{PREFERRED}="), &units)?;
        Ok(())
    }

    /// A compiled model with results in the units they are to be shown in.
    pub fn open(&self, path: &str, sets: &[String]) -> Result<Project, Failure> {
        self.workspace.open(path, sets).inspect(|project| tell_proposed(&project.proposed))
    }

    /// The same, and its warnings on standard error.
    pub fn open_and_warn(&self, path: &str, sets: &[String]) -> Result<Project, Failure> {
        self.open(path, sets).inspect(|project| self.warn(project.told()))
    }

    /// With results in the units of the model's quantities, as files keep them.
    pub fn open_stored(&self, path: &str, sets: &[String]) -> Result<Project, Failure> {
        let project = self.workspace.open_stored(path, sets)?;
        tell_proposed(&project.proposed);
        self.warn(project.told());
        Ok(project)
    }

    pub fn warn<'a>(&self, list: impl IntoIterator<Item = &'a Diagnostic>) {
        for told in list {
            match &self.json {
                Some(answer) => answer.found(told),
                None => eprintln!("{}", with_command(told).render(self.colour)),
            }
        }
    }

    /// Tells of something that failed where the command goes on.
    pub fn fail(&self, failure: &Failure) {
        match &self.json {
            Some(answer) => answer.failed(failure),
            None => eprint!("{}", render(failure, self.colour)),
        }
    }

    /// A line beside the result; where that is JSON there is none.
    pub fn note(&self, line: impl Display) {
        if self.json.is_none() {
            say(line);
        }
    }

    /// The result of the command, where it is to be JSON; else None, and it is to be printed.
    pub fn answer(&self, result: impl FnOnce() -> Value) -> Option<()> {
        self.json.as_ref().map(|answer| answer.result(result()))
    }

    /// For work that shows no progress.
    pub fn quietly(&self, quiet: bool) -> Monitor {
        if quiet { self.monitor.quiet() } else { self.monitor.clone() }
    }
}

/// Why a run did not reach its end, where that is no reason to end.
pub fn tell_stopped(path: &str, stopped: Option<&String>) {
    if let Some(message) = stopped {
        tell(format_args!("warning: {path}: {message}"));
    }
}

/// What a model that leaves something open has proposed itself.
pub fn tell_proposed(proposed: &[String]) {
    if !proposed.is_empty() {
        tell(format_args!("as the model proposes: {}", proposed.join(", ")));
    }
}
