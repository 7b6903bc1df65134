//! `trunnion servo`: inertias that the axes of a robot move, and gains of their servos.

use std::path::{Path, PathBuf};

use clap::Args;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_engine::files::Disk;
use trunnion_files::{rewrite, write_whole};
use trunnion_model::Files;
use trunnion_study::servo::{ServoDesign, ServoRequest, rewritten, servo};

use crate::given::Given;
use crate::options::time;
use crate::output::{Print, say};
use crate::report::AnswerOptions;
use crate::session::Session;

#[derive(Args, Debug)]
pub struct ServoArgs {
    /// The model file
    pub model: String,
    /// Which robot, where a model has several
    #[arg(long, value_name = "NAME")]
    pub robot: Option<String>,
    /// Bandwidth of the position loop, rad/s
    #[arg(long, short, value_name = "RAD/S", default_value_t = 10.0)]
    pub bandwidth: f64,
    /// Damping ratio
    #[arg(long, short, value_name = "ZETA", default_value_t = 1.0)]
    pub damping: f64,
    /// Third pole as a share of the bandwidth, for PID; 0: PD
    #[arg(long, short, value_name = "SHARE", default_value_t = 0.0)]
    pub integral: f64,
    /// Where a run is at this time: 2, "200 ms"; default: at the start
    #[arg(long, value_name = "TIME", value_parser = time, allow_negative_numbers = true)]
    pub at: Option<f64>,
    /// An axis elsewhere: j2="30 deg"; may be given several times
    #[arg(long, value_name = "AXIS=PLACE")]
    pub pose: Vec<String>,
    /// Gains over a grid of poses: j2="-60 deg:60 deg:5"; may be given several times
    #[arg(long, value_name = "AXIS=FROM:TO:N")]
    pub grid: Vec<String>,
    /// Write the gains into the components that drive the axes, in the model file
    #[arg(long)]
    pub write: bool,
    /// Write the gains over the grid as a table
    #[arg(long, short, value_name = "FILE.csv", requires = "grid")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub given: Given,
    #[command(flatten)]
    pub answer: AnswerOptions,
}

pub fn execute(args: &ServoArgs, session: &Session) -> Result<(), Failure> {
    let ServoArgs { bandwidth, damping, integral, at, .. } = *args;
    let (model, robot) = (args.model.clone(), args.robot.clone());
    let (values, pose, grid) = (args.given.sets(), args.pose.clone(), args.grid.clone());
    let request = ServoRequest { model, values, robot, pose, at, bandwidth, damping, integral, grid };
    let design = servo(&session.workspace, &request, &session.monitor)?;
    session.warn(design.project.told());
    if session.answer(|| design.json()).is_none() {
        design.heading().iter().for_each(say);
        say("");
        let columns = ServoDesign::COLUMNS;
        let mut table =
            Listing::new(columns.map(|c| (c, if c == "axis" { Align::Left } else { Align::Right })));
        design.rows().into_iter().for_each(|row| table.push(row));
        table.print();
        design.schedule.iter().flat_map(|s| s.lines(&design.axes)).for_each(|line| say(&line));
    }
    if let (Some(path), Some(schedule)) = (&args.out, &design.schedule) {
        write_whole(path, schedule.csv(&design.axes).as_bytes())?;
        session.note(format_args!("gains over the grid in {}", path.display()));
    }
    if args.write {
        let old = Disk.read(&args.model).map_err(|e| trunnion_files::FileError::read(&args.model, e))?;
        let (new, written) = rewritten(&session.workspace, &design, &args.model, &old)?;
        rewrite(Path::new(&args.model), &new)?;
        session.note(format_args!("{written} gains written to {}", args.model));
    }
    Ok(())
}
