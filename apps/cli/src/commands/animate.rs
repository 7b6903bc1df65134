//! `trunnion animate`: a mechanism and its motion as a file that any viewer of glTF plays.
//!
//! A command of its own, not a further ending of `convert`: results alone do not say what bodies look like.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::usage_hint;
use crate::moving::{self, LookArgs};
use crate::options::RunOptions;
use crate::output::say;
use crate::session::Session;
use trunnion_draw::scene::glb;
use trunnion_engine::Failure;
use trunnion_files::write_whole;
use trunnion_num::text::{count, number};

#[derive(Args, Clone, Debug)]
pub struct AnimateArgs {
    /// A model, which is run, or results (.parquet, .csv) with --model
    #[arg(value_name = "RESULTS")]
    pub file: String,
    /// The model of the results
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Poses per second
    #[arg(long, default_value_t = 30.0, value_name = "N")]
    pub rate: f64,
    #[command(flatten)]
    pub look: LookArgs,
    #[command(flatten)]
    pub options: RunOptions,
    /// The animation, as .glb; default: the first file's name with .glb, in this folder
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

pub fn execute(args: &AnimateArgs, session: &Session) -> Result<(), Failure> {
    let stem = Path::new(&args.file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let out = args.out.clone().unwrap_or_else(|| format!("{stem}.glb").into());
    if !out.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb")) {
        let message = format!("cannot tell which animation {} should be", out.display());
        return Err(usage_hint(message, "end the name with .glb"));
    }
    if !(args.rate > 0.0 && args.rate.is_finite()) {
        let message = format!("--rate has to be above 0, but it is {}", args.rate);
        return Err(usage_hint(message, "30 is usual"));
    }
    let look = args.look.view();
    let moving = moving::open(session, &args.file, args.model.as_deref(), &args.options, &[], look)?;
    write_whole(&out, &glb(&moving, args.rate))?;
    let bodies = count(moving.scene.bodies.len() - 1, "body").replace("bodys", "bodies");
    let length = number(moving.poses.last() - moving.poses.first(), 4);
    say(format_args!("{}: {bodies}, {length} s", out.display()));
    Ok(())
}
