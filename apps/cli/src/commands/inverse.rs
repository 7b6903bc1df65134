//! `trunnion inverse`: forces and torques that a prescribed motion takes.

use std::path::PathBuf;

use clap::Args;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::{Failure, Project};
use trunnion_num::text::number;
use trunnion_results::{Table, write};
use trunnion_study::inverse::{InverseDynamicsRequest, InverseMotion, drive_loads, inverse};

use crate::options::RunOptions;
use crate::output::{Print, say, tell};
use crate::session::{Session, tell_proposed};

#[derive(Args, Debug)]
pub struct InverseArgs {
    /// The model file
    pub model: String,
    /// Motion of a joint: shoulder="0.5 rad*sin(2 rad/s*time)", with several coordinates hand.x="…"; may be given several times
    #[arg(long, short, value_name = "JOINT=MOTION")]
    pub motion: Vec<String>,
    #[command(flatten)]
    pub options: RunOptions,
    /// Write all signals over time, as .parquet or .csv
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

const DIGITS: usize = 5;

pub fn execute(args: &InverseArgs, session: &Session) -> Result<(), Failure> {
    let request = InverseDynamicsRequest {
        model: args.model.clone(),
        motions: args.motion.clone(),
        values: args.options.sets(),
        overrides: args.options.overrides(),
    };
    let InverseMotion { project, table, still } =
        inverse(&session.workspace, &request, &session.quietly(args.out.is_none()))?;
    tell_proposed(&project.proposed);
    session.warn(project.told());
    show(&project, &table, &still)?;
    if let Some(path) = &args.out {
        write(&table, path)?;
        say(format_args!("\nall signals in {}", path.display()));
    }
    Ok(())
}

fn show(project: &Project, table: &Table, still: &[String]) -> Result<(), Failure> {
    say(format_args!("{}, what its motion takes", project.name));
    say("");
    let mut listing = Listing::new([
        ("  drive", Align::Left),
        ("start", Align::Right),
        ("min", Align::Right),
        ("max", Align::Right),
        ("unit", Align::Left),
        ("peak power [W]", Align::Right),
    ]);
    for load in drive_loads(project, table)? {
        let [first, least, most, power] =
            [load.first, load.least, load.most, load.peak_power].map(|v| number(v, DIGITS));
        listing.push([format!("  {}", load.name), first, least, most, load.unit, power]);
    }
    listing.print();
    if !still.is_empty() {
        say(format_args!("\nkept where they start: {}", still.join(", ")));
    }
    let balls = project.mechanism.joints.iter().filter_map(|j| j.orientation.as_ref().map(|_| &j.name));
    let balls: Vec<&str> = balls.map(String::as_str).collect();
    if !balls.is_empty() {
        tell(format_args!(
            "warning: orientations cannot be prescribed and move by themselves: {}",
            balls.join(", ")
        ));
        eprintln!("  = hint: use a universal and a revolute joint instead of a spherical one that is driven");
    }
    Ok(())
}
