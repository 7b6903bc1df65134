//! `trunnion graph`: the bond graph of a model with its causality.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use trunnion_draw::bond_graph::{BondGraphView, dot, json, picture, text};

use crate::failure::usage_hint;
use crate::given::Given;
use crate::output::say;
use crate::session::{Session, tell_proposed};
use trunnion_draw::plot::png;
use trunnion_engine::Failure;
use trunnion_files::write_whole;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// A table of bonds and what was found
    Text,
    /// A picture
    Svg,
    /// A picture
    Png,
    /// For Graphviz
    Dot,
    /// For other programs
    Json,
}

#[derive(Args, Debug)]
pub struct GraphArgs {
    /// The model file
    pub model: String,
    /// Default: by the ending of the file, else text
    #[arg(long, value_enum)]
    pub format: Option<GraphFormat>,
    /// Every junction and source, also those that say nothing
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub given: Given,
    /// Write to a file instead
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

pub fn execute(args: &GraphArgs, session: &Session) -> Result<(), Failure> {
    let format = format(args)?;
    let answered = session.workspace.answered(&args.model, &args.given.sets())?;
    tell_proposed(&answered.proposed);
    let model = session.workspace.read(&args.model, &answered.values)?;
    let Some(view) = BondGraphView::new(&model, args.full) else {
        return Err(usage_hint(
            format!("`{}` has no bond graph", args.model),
            "only components with power ports and a [bond_graph] make one; `trunnion equations` shows any model",
        ));
    };
    let bytes = match format {
        GraphFormat::Text => text::render(&view).into_bytes(),
        GraphFormat::Svg => picture::svg(&view).into_bytes(),
        GraphFormat::Png => png::render(&picture::svg(&view), picture::PIXELS)?,
        GraphFormat::Dot => dot::render(&view).into_bytes(),
        GraphFormat::Json => json::render(&view).into_bytes(),
    };
    match &args.out {
        Some(path) => {
            write_whole(path, &bytes)?;
            say(format_args!("{}: {}", path.display(), text::summary(&view)));
        }
        None => say(String::from_utf8_lossy(&bytes).trim_end()),
    }
    Ok(())
}

fn format(args: &GraphArgs) -> Result<GraphFormat, Failure> {
    let by_name = |path: &Path| {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "txt" => Some(GraphFormat::Text),
            "gv" => Some(GraphFormat::Dot),
            other => GraphFormat::from_str(other, true).ok(),
        }
    };
    match (args.format, &args.out) {
        (Some(GraphFormat::Png), None) => {
            Err(usage_hint("a .png cannot be shown here", "give a file: -o graph.png"))
        }
        (Some(format), _) => Ok(format),
        (None, Some(path)) => by_name(path).ok_or_else(|| {
            usage_hint(
                format!("cannot tell what {} should be", path.display()),
                "end the name with .svg, .png, .dot, .json or .txt, or give --format",
            )
        }),
        (None, None) => Ok(GraphFormat::Text),
    }
}
