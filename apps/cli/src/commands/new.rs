//! `trunnion new`: a small model to start from.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::failure::usage_hint;
use crate::output::say;
use trunnion_engine::Failure;
use trunnion_files::write_whole;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// A mass on a spring, written as equations
    #[default]
    Oscillator,
    /// A low-pass, put together from components
    Circuit,
    /// Events and modes
    BouncingBall,
    /// A position controller in JavaScript
    Controller,
    /// Pump, servo valve, cylinder and load under position control
    HydraulicAxis,
    /// A slider-crank: bodies and joints in a closed loop
    Mechanism,
}

impl Template {
    /// Ending and text of each file; `NAME` stands for the model's name.
    fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Template::Oscillator => &[("toml", include_str!("../../templates/oscillator.toml"))],
            Template::Circuit => &[("toml", include_str!("../../templates/circuit.toml"))],
            Template::BouncingBall => &[("toml", include_str!("../../templates/bouncing-ball.toml"))],
            Template::HydraulicAxis => &[("toml", include_str!("../../templates/hydraulic-axis.toml"))],
            Template::Mechanism => &[("toml", include_str!("../../templates/mechanism.toml"))],
            Template::Controller => &[
                ("toml", include_str!("../../templates/controller.toml")),
                ("js", include_str!("../../templates/controller.js")),
            ],
        }
    }
}

#[derive(Args, Debug)]
pub struct NewArgs {
    /// Name of the model, or path of its file; nothing is overwritten
    pub name: String,
    #[arg(long, short, value_enum, default_value_t)]
    pub template: Template,
}

pub fn execute(args: &NewArgs) -> Result<(), Failure> {
    let stem = args.name.strip_suffix(".toml").unwrap_or(&args.name);
    let title = Path::new(stem).file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = |c: char| c.is_alphanumeric() || "-_ .".contains(c);
    if title.is_empty() || !title.chars().all(plain) {
        return Err(usage_hint(
            format!("`{}` cannot name a model", args.name),
            "use letters, digits, - and _, as in trunnion new my-crane",
        ));
    }
    let files: Vec<(PathBuf, String)> = (args.template.files().iter())
        .map(|(ending, text)| (PathBuf::from(format!("{stem}.{ending}")), text.replace("NAME", &title)))
        .collect();
    if let Some((path, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        return Err(usage_hint(format!("`{}` is there already", path.display()), "choose another name"));
    }
    for (path, text) in &files {
        write_whole(path, text.as_bytes())?;
        say(format_args!("wrote {}", path.display()));
    }
    let model = files[0].0.display();
    say(format_args!("try: trunnion run {model}\n     trunnion equations {model}"));
    Ok(())
}
