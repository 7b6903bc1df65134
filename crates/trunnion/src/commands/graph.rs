//! `trunnion graph`: the bond graph of a model with its causality.

mod dot;
mod draw;
mod json;
mod text;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use trunnion_model::{Diagnostic, Model};
use trunnion_network::{BondGraph, Causality, assign};

use crate::failure::Failure;
use crate::given::{Given, answered};
use crate::output::say;
use crate::plot::png;
use crate::project::read_model;
use trunnion_files::write_whole;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
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
    pub format: Option<Format>,
    /// Every junction and source, also those that say nothing
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub given: Given,
    /// Write to a file instead
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Everything there is to show.
pub struct View<'a> {
    pub model: &'a Model,
    pub causality: &'a Causality,
    pub graph: BondGraph,
    pub findings: Vec<Diagnostic>,
}

pub fn execute(args: &GraphArgs) -> Result<(), Failure> {
    let format = format(args)?;
    let model = read_model(&args.model, &answered(&args.model, &args.given.sets())?)?;
    if model.network.nodes.is_empty() {
        return Err(Failure::usage_hint(
            format!("`{}` has no bond graph", args.model),
            "only components with power ports and a [bond_graph] make one; `trunnion equations` shows any model",
        ));
    }
    let causality = assign(&model.network);
    let found = causality.findings(&model.network, &model.flat.graph);
    let findings = found.iter().map(|f| f.diagnostic(&model.network, &model.sources)).collect();
    let graph = if args.full {
        BondGraph::full(&model.network, &causality)
    } else {
        BondGraph::simplified(&model.network, &causality, &model.flat.graph)
    };
    let view = View { model: &model, causality: &causality, graph, findings };
    let bytes = match format {
        Format::Text => text::render(&view).into_bytes(),
        Format::Svg => draw::svg(&view).into_bytes(),
        Format::Png => png::render(&draw::svg(&view), draw::PIXELS)?,
        Format::Dot => dot::render(&view).into_bytes(),
        Format::Json => json::render(&view).into_bytes(),
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

fn format(args: &GraphArgs) -> Result<Format, Failure> {
    let by_name = |path: &Path| {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "txt" => Some(Format::Text),
            "gv" => Some(Format::Dot),
            other => Format::from_str(other, true).ok(),
        }
    };
    match (args.format, &args.out) {
        (Some(Format::Png), None) => {
            Err(Failure::usage_hint("a .png cannot be shown here", "give a file: -o graph.png"))
        }
        (Some(format), _) => Ok(format),
        (None, Some(path)) => by_name(path).ok_or_else(|| {
            Failure::usage_hint(
                format!("cannot tell what {} should be", path.display()),
                "end the name with .svg, .png, .dot, .json or .txt, or give --format",
            )
        }),
        (None, None) => Ok(Format::Text),
    }
}

impl View<'_> {
    /// Name of the effort or flow of a bond, with a minus where it counts the other way.
    fn variables(&self, bond: usize) -> (String, String) {
        let named = |s: trunnion_model::network::Signed| {
            let name = &self.model.flat.quantity(s.symbol).name;
            format!("{}{name}", if s.negative { "-" } else { "" })
        };
        let pair = self.model.network.bonds[bond].pairs.first();
        pair.map(|p| (named(p.effort), named(p.flow))).unwrap_or_default()
    }
}
