//! `trunnion plot --view`: the mechanism itself, at one instant or several.

use clap::{Args, ValueEnum};

use super::plot::PlotArgs;
use crate::failure::{usage, usage_hint};
use crate::moving;
use crate::options::time;
use crate::output::say;
use crate::session::Session;
use trunnion_draw::plot::save_svg;
use trunnion_draw::scene::{Moving, PoseSnapshot, ScenePicture, ViewDirection};
use trunnion_engine::Failure;
use trunnion_num::space::Point;
use trunnion_num::text::count;
use trunnion_results::nearest;

/// Points of a way that are drawn at most.
const MOST_POINTS: usize = 4000;

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
    let moving = moving::open(session, file, wanted.model.as_deref(), &args.options, &wanted.at)?;
    let poses = &moving.poses;
    let (first, last) = (poses.first(), poses.last());
    let from = args.from.unwrap_or(first).clamp(first, last);
    let to = args.to.unwrap_or(last).clamp(from, last);
    let mut times = match wanted.frames {
        Some(0) => return Err(usage("--frames has to be at least 1")),
        Some(n) => moving.distinct_times(from, to, n),
        None if wanted.at.is_empty() => vec![from],
        None => wanted.at.clone(),
    };
    times.sort_by(f64::total_cmp);
    if let Some(t) = times.iter().find(|t| !(first..=last).contains(*t)) {
        let message = format!("there is nothing at t = {t} s");
        return Err(usage_hint(message, format!("the run goes from {first} s to {last} s")));
    }
    let traces = wanted.trace.iter().map(|name| Ok((name.clone(), way(&moving, name, from, to)?)));
    let picture = ScenePicture {
        scene: &moving.scene,
        view: if moving.scene.planar { view.of_plane() } else { view },
        title: moving.name.clone(),
        shots: times.iter().map(|&t| PoseSnapshot { t, poses: poses.at(t) }).collect(),
        traces: traces.collect::<Result<_, Failure>>()?,
        shortest: moving.shortest(),
    };
    let out =
        args.out.clone().unwrap_or_else(|| format!("{}.svg", trunnion_study::signals::short(file)).into());
    save_svg(picture.svg(), &out)?;
    say(format_args!("{}: {}", out.display(), count(times.len(), "pose")));
    Ok(())
}

/// Where a point goes between two times.
fn way(moving: &Moving, name: &str, from: f64, to: f64) -> Result<Vec<Point>, Failure> {
    let spot = moving.scene.point(name).ok_or_else(|| {
        let names = moving.scene.point_names();
        let near = nearest(name, names.iter().copied());
        let hint = match near.first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", names.join(", ")),
        };
        usage_hint(format!("there is no point `{name}`"), hint)
    })?;
    let rows: Vec<f64> = moving.poses.times.iter().copied().filter(|t| (from..=to).contains(t)).collect();
    let times = rows.iter().step_by((rows.len() / MOST_POINTS).max(1)).chain(rows.last());
    Ok(times.map(|&t| moving.poses.at(t)[spot.body].of(spot.p)).collect())
}
