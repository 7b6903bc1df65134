//! `trunnion import`: a model file from a robot description.

use std::path::{Path, PathBuf};

use clap::Args;
use trunnion_model::{Files, Source};

use crate::output::say;
use crate::session::Session;
use trunnion_engine::Failure;
use trunnion_engine::files::Disk;
use trunnion_exchange::urdf::model_of;
use trunnion_files::write_model;
use trunnion_num::text::count;

#[derive(Args, Debug)]
pub struct ImportArgs {
    /// Robot description (.urdf)
    pub input: String,
    /// Model file to write; default: standard output
    #[arg(long, short, value_name = "FILE.toml")]
    pub out: Option<PathBuf>,
}

pub fn execute(args: &ImportArgs, session: &Session) -> Result<(), Failure> {
    let read = Disk.read(&args.input);
    let text = read.map_err(|reason| trunnion_files::FileError::read(&args.input, reason))?;
    let folder = args.out.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let imported = model_of(&Source::new(&args.input, text), folder).map_err(Failure::Model)?;
    for note in &imported.notes {
        eprintln!("{}", note.render(session.colour));
    }
    match &args.out {
        None => say(imported.text.trim_end()),
        Some(out) => {
            write_model(out, &imported.text)?;
            let bodies = imported.text.lines().filter(|l| l.starts_with("[bodies.")).count();
            say(format_args!("{}: {}", out.display(), count(bodies, "body").replace("bodys", "bodies")));
        }
    }
    Ok(())
}
