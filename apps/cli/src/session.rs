//! What all commands share: where models are opened, whether the terminal shows colours, Ctrl-C and the progress line.

use std::path::PathBuf;

use trunnion_engine::{Failure, Project, Workspace};
use trunnion_model::Diagnostic;
use trunnion_study::display;
use trunnion_study::{Cancel, Monitor};

use crate::given::answers;
use crate::output::tell;
use crate::progress::ProgressLine;

/// The variable with the units a user prefers.
const PREFERRED: &str = "TRUNNION_UNITS";

pub struct Session {
    pub colour: bool,
    pub workspace: Workspace,
    pub monitor: Monitor,
}

impl Session {
    /// `allowed` are folders that models may read too.
    pub fn new(colour: bool, cancel: Cancel, allowed: &[PathBuf]) -> Result<Self, Failure> {
        let mut workspace = Workspace::default();
        workspace.answers = answers();
        for folder in allowed {
            workspace.allow(folder).map_err(|_| {
                Failure::usage_hint(
                    format!("--allow {}: there is no such folder", folder.display()),
                    "name the folder whose files models may read",
                )
            })?;
        }
        let units = std::env::var(PREFERRED).unwrap_or_default();
        workspace.units = display::parse(&format!("{PREFERRED}="), &units)?;
        let monitor = Monitor { cancel, progress: ProgressLine::shared() };
        Ok(Session { colour, workspace, monitor })
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
        list.into_iter().for_each(|told| eprintln!("{}", told.render(self.colour)));
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
