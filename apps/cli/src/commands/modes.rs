//! `trunnion modes`: natural motions of a model, each with the states that take part; one of them drawn or animated.

use std::path::PathBuf;

use clap::Args;

use super::linearize::{PointArgs, say_cautions};
use super::picture::ViewName;
use crate::given::Given;
use crate::output::{Print, say};
use crate::report::AnswerOptions;
use crate::session::Session;
use trunnion_draw::listing::{Align, Listing};
use trunnion_draw::plot::save_svg;
use trunnion_draw::scene::{Moving, glb};
use trunnion_engine::{Failure, Project};
use trunnion_files::write_whole;
use trunnion_study::linear::NamedLinearModel;
use trunnion_study::mode_motion::{ModeMotion, PERIOD};
use trunnion_study::modes::{NaturalMode, caution_in_motion, document, listed, natural_modes};

#[derive(Args, Debug)]
pub struct ModesArgs {
    /// The model file
    pub model: String,
    #[command(flatten)]
    pub point: PointArgs,
    /// States that are named for each mode
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub states: usize,
    /// Draw the shape of a mode, as .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Write the motion of a mode as .glb
    #[arg(long, value_name = "FILE")]
    pub animate: Option<PathBuf>,
    /// The mode that is drawn, by its number in the list
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub mode: usize,
    /// From where it is looked at
    #[arg(long, default_value = "iso")]
    pub view: ViewName,
    /// Draw it so many times as large as it would be
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    pub exaggerate: f64,
    #[command(flatten)]
    pub given: Given,
    #[command(flatten)]
    pub answer: AnswerOptions,
}

/// The largest displacement of a mode that is drawn, as a share of the extent.
const DRAWN: f64 = 0.12;

pub fn execute(args: &ModesArgs, session: &Session) -> Result<(), Failure> {
    let project = session.open_and_warn(&args.model, &args.given.sets())?;
    let mut point = args.point.choice().find(&project, &session.monitor)?;
    let mut shown = NamedLinearModel::at(&project, &mut point, &[], &[])?;
    shown.cautions.extend(args.point.at.and_then(|_| caution_in_motion(&mut point.at, &shown)));
    let modes = natural_modes(&shown)?;
    if session.answer(|| document(&shown, &modes)).is_none() {
        show(&shown, &modes, args.states);
    }
    if args.plot.is_some() || args.animate.is_some() {
        draw(args, &project, &ModeMotion::new(&project, &mut point, args.mode)?, session)?;
    }
    Ok(())
}

fn draw(args: &ModesArgs, project: &Project, motion: &ModeMotion, session: &Session) -> Result<(), Failure> {
    let times = [0.0, 0.25 * PERIOD];
    let mut moving = Moving::of_size(project, |a| motion.table(a), DRAWN * args.exaggerate, times)?;
    moving.name = format!("{}, {}", moving.name, motion.title);
    if let Some(path) = &args.plot {
        save_svg(moving.picture(args.view.into(), &times, vec![]).caption("").svg(), path)?;
    }
    if let Some(path) = &args.animate {
        write_whole(path, &glb(&moving, 24.0))?;
    }
    session.note(format_args!("\n{} is drawn", motion.title));
    Ok(())
}

fn show(shown: &NamedLinearModel, modes: &[NaturalMode], most: usize) {
    say(format_args!("{}, natural modes {}", shown.title, shown.place));
    say_cautions(shown);
    if modes.is_empty() {
        say("no states, so no modes");
        return;
    }
    say("");
    let right = |text| (text, Align::Right);
    let mut table = Listing::new([
        right("mode"),
        right("frequency [Hz]"),
        right("damping ratio"),
        right("time constant [s]"),
        ("", Align::Left),
        ("states", Align::Left),
    ]);
    listed(modes, most).into_iter().for_each(|row| table.push(row));
    table.print();
}
