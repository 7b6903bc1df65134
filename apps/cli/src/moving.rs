//! A mechanism that moves: from results and the model they are of, or from a model that is run for it.

use std::path::Path;

use clap::Args;
use trunnion_draw::scene::{DeformationView, Moving};
use trunnion_engine::Failure;
use trunnion_study::signals::{is_model, run_project};

use crate::failure::usage_hint;
use crate::options::RunOptions;
use crate::output::tell;
use crate::session::{Session, tell_stopped};

/// How elastic bodies are shown.
#[derive(Args, Clone, Debug, Default)]
pub struct LookArgs {
    /// Draw deformations of elastic bodies so many times as large
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    pub exaggerate: f64,
    /// Colour elastic bodies by their von Mises stress
    #[arg(long)]
    pub stress: bool,
}

impl LookArgs {
    pub fn view(&self) -> DeformationView {
        DeformationView { exaggeration: self.exaggerate, stress: self.stress }
    }
}

/// `model` says what results are of; `at` are times a run is to stop at.
pub fn open(
    session: &Session,
    file: &str,
    model: Option<&str>,
    options: &RunOptions,
    at: &[f64],
    look: DeformationView,
) -> Result<Moving, Failure> {
    let path = match (is_model(file), model) {
        (true, _) => file,
        (false, Some(model)) => model,
        (false, None) => {
            return Err(usage_hint(
                format!("`{file}` does not say what the bodies look like"),
                "name the model it is of with --model MODEL.toml, or give the model itself",
            ));
        }
    };
    let project = session.open(path, &options.sets())?;
    if project.mechanism.is_empty() {
        return Err(usage_hint(
            format!("`{path}` has no bodies to be drawn"),
            "they stand in [bodies]; without --view, `plot` draws signals",
        ));
    }
    let table = match is_model(file) {
        true => {
            let ran = run_project(&project, &options.overrides(), at, &session.monitor)?;
            tell_stopped(path, ran.stopped.as_ref());
            ran.table
        }
        false => trunnion_results::read(Path::new(file))?,
    };
    if table.metadata.get("model_hash").is_some_and(|hash| *hash != project.hash) {
        tell(format_args!(
            "warning: `{path}` was changed since the run, or is another model than that of `{file}`"
        ));
    }
    Moving::new(&project, &table, look)
}
