//! `trunnion equations`: the sorted equations of a model, each with the component it came from.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use trunnion_equations::EvaluationEngine;

use crate::output::say;
use crate::session::{Session, tell_proposed};
use trunnion_draw::equations::{EquationSheet, SheetDetail, json, latex, text};
use trunnion_engine::Failure;
use trunnion_files::write_whole;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EquationFormat {
    /// For reading here
    #[default]
    Text,
    /// A document with one aligned list of equations
    Latex,
    /// Every equation as a tree, with names, units and origins
    Json,
}

#[derive(Args, Debug)]
pub struct EquationsArgs {
    /// The model file
    pub model: String,
    #[arg(long, value_enum, default_value_t)]
    pub format: EquationFormat,
    /// Put all definitions into the equations, down to states, unknowns and parameters
    #[arg(long)]
    pub expanded: bool,
    /// Change a parameter, an option or a start value before
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Write to a file instead
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

pub fn execute(args: &EquationsArgs, session: &Session) -> Result<(), Failure> {
    let project = session.workspace.open_with(&args.model, &args.set, EvaluationEngine::Interpreter)?;
    tell_proposed(&project.proposed);
    session.warn(project.told());
    let form = match args.format {
        _ if args.expanded => SheetDetail::Expanded,
        EquationFormat::Json => SheetDetail::Complete,
        EquationFormat::Text | EquationFormat::Latex => SheetDetail::Short,
    };
    let sheet = EquationSheet::new(&project, form);
    let text = match args.format {
        EquationFormat::Text => text::render(&sheet),
        EquationFormat::Latex => latex::render(&sheet),
        EquationFormat::Json => json::render(&sheet),
    };
    match &args.out {
        Some(path) => Ok(write_whole(path, text.as_bytes())?),
        None => {
            say(text.trim_end());
            Ok(())
        }
    }
}
