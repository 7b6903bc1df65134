//! `trunnion plot --view`: the mechanism itself, at one instant or several.

use clap::{Args, ValueEnum};

use super::plot::PlotArgs;
use crate::failure::usage_hint;
use crate::moving::{self, LookArgs};
use crate::options::time;
use crate::output::say;
use crate::session::Session;
use trunnion_draw::plot::save_svg;
use trunnion_draw::scene::ViewDirection;
use trunnion_engine::Failure;
use trunnion_num::text::count;

#[derive(Args, Clone, Debug, Default)]
pub struct PictureArgs {
    /// Draw the mechanism, seen from here, instead of signals
    #[arg(long, conflicts_with_all = ["y", "x", "fft", "psd", "stats", "list"])]
    pub view: Option<ViewName>,
    /// The model of the results; not needed where a model is given
    #[arg(long, requires = "view", value_name = "MODEL")]
    pub model: Option<String>,
    /// Instants to draw, separated by commas: 0,"200 ms"; default: the first
    #[arg(long, requires = "view", value_delimiter = ',', value_name = "TIME,…", value_parser = time)]
    pub at: Vec<f64>,
    /// Draw so many poses, at times at which they differ most
    #[arg(long, requires = "view", conflicts_with = "at", value_name = "N")]
    pub frames: Option<usize>,
    /// Draw the way of a body, frame or sensor; may be given several times
    #[arg(long, requires = "view", value_name = "POINT")]
    pub trace: Vec<String>,
    #[command(flatten)]
    pub look: LookArgs,
}

/// From where a mechanism is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewName {
    /// x to the right, z up; y up where all moves in the xy plane, as in all views
    #[value(alias = "xz")]
    Side,
    /// y to the right, z up
    #[value(alias = "yz")]
    Front,
    /// x to the right, y up
    #[value(alias = "xy")]
    Top,
    /// From above, x and y to the right
    Iso,
}

impl From<ViewName> for ViewDirection {
    fn from(name: ViewName) -> Self {
        match name {
            ViewName::Side => ViewDirection::Side,
            ViewName::Front => ViewDirection::Front,
            ViewName::Top => ViewDirection::Top,
            ViewName::Iso => ViewDirection::Iso,
        }
    }
}

pub fn execute(args: &PlotArgs, view: ViewDirection, session: &Session) -> Result<(), Failure> {
    let [file] = &args.files[..] else {
        return Err(usage_hint("--view draws one mechanism", "give one file"));
    };
    let wanted = &args.picture;
    let look = wanted.look.view();
    let moving = moving::open(session, file, wanted.model.as_deref(), &args.options, &wanted.at, look)?;
    let (from, to) = moving.stretch(args.from, args.to);
    let times = moving.chosen_times(&wanted.at, wanted.frames, from, to)?;
    let traces = wanted.trace.iter().map(|name| Ok((name.clone(), moving.path(name, from, to)?)));
    let picture = moving.picture(view, &times, traces.collect::<Result<_, Failure>>()?);
    let out =
        args.out.clone().unwrap_or_else(|| format!("{}.svg", trunnion_study::signals::short(file)).into());
    save_svg(picture.svg(), &out)?;
    say(format_args!("{}: {}", out.display(), count(times.len(), "pose")));
    Ok(())
}
