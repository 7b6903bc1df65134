//! `trunnion inverse`: forces and torques that a prescribed motion takes.
//!
//!   τ = M(q) q̈ + h(q, q̇),   q(t) given                                                              (1)
//!
//! Every coordinate is driven: by a motion given here or in the file, or to stay where it starts. Of a closed loop as many as are independent;
//! the others follow. τ is the `effort` of each drive, with everything else that acts in the model.

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;
use trunnion_equations::Symbol;
use trunnion_sim::ties::{Ties, choose};

use crate::given::Given;
use crate::output::{Print, say, tell};
use crate::session::Session;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_engine::project::Project;
use trunnion_num::text::number;
use trunnion_results::{Table, write};
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, metadata, point, settings, simulate_to_table};

#[derive(Args, Debug)]
pub struct InverseArgs {
    /// The model file
    pub model: String,
    /// Motion of a joint: shoulder="0.5 rad*sin(2 rad/s*time)", with several coordinates hand.x="…"; may be given several times
    #[arg(long, short, value_name = "JOINT=MOTION")]
    pub motion: Vec<String>,
    /// End of the motion in seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub t_end: Option<f64>,
    /// Relative tolerance, for what still moves by itself
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub rtol: Option<f64>,
    #[command(flatten)]
    pub given: Given,
    /// Write all signals over time, as .parquet or .csv
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

const DIGITS: usize = 5;
/// Finer than that of a run: what follows in a closed loop is interpolated between steps.
const RTOL: f64 = 1e-9;

pub fn execute(args: &InverseArgs, session: &Session) -> Result<(), Failure> {
    let mut sets = args.given.sets();
    for motion in &args.motion {
        sets.push(as_set(motion)?);
    }
    let mut project = session.open(&args.model, &sets)?;
    if project.mechanism.joints.is_empty() {
        return Err(Failure::usage_hint(
            format!("{} has no joints, so there is nothing to move", project.name),
            "docs/mechanisms.md shows how joints are written",
        ));
    }
    let still = at_rest(&project, &session.monitor)?;
    if !still.is_empty() {
        sets.extend(still.iter().map(|(_, set)| set.clone()));
        project = session.open(&args.model, &sets)?;
    }
    session.warn(project.told());
    let rtol = args.rtol.or(project.run.rtol).unwrap_or(RTOL);
    let overrides = Overrides { t_end: args.t_end, solver: None, rtol: Some(rtol) };
    let (solver, settings) = settings(&project.run, &overrides)?;
    let (mut table, outcome) = simulate_to_table(
        &project,
        &HashMap::new(),
        (solver, &settings),
        &session.quietly(args.out.is_none()),
    )?;
    outcome.check()?;
    show(&project, &table, &still)?;
    if let Some(path) = &args.out {
        table.metadata = metadata(&project, solver.name, &settings);
        write(&table, path)?;
        say(format_args!("\nall signals in {}", path.display()));
    }
    Ok(())
}

/// `--motion` as `--set` takes it.
fn as_set(motion: &str) -> Result<String, Failure> {
    match motion.split_once('=').map(|(joint, value)| (joint.trim(), value.trim())) {
        Some((joint, value)) if !joint.is_empty() && !value.is_empty() => Ok(match joint.split_once('.') {
            Some((joint, coordinate)) => format!("{joint}.motion.{coordinate}={value}"),
            None => format!("{joint}.motion={value}"),
        }),
        _ => Err(Failure::usage_hint(
            format!("`--motion {motion}` says no motion"),
            "write a joint and where it is over time: --motion shoulder=\"0.5 rad*sin(2 rad/s*time)\"",
        )),
    }
}

/// Coordinates that nothing drives and that are independent, each with a motion that keeps it where it starts.
fn at_rest(project: &Project, monitor: &Monitor) -> Result<Vec<(String, String)>, Failure> {
    let system = &project.prepared.system;
    let at = point(project, &Overrides::default(), None, monitor)?;
    let free = match Ties::new(&at.machine) {
        Some(mut ties) => choose(&at.machine, &mut ties, at.t, &at.y, &[]).free,
        None => (0..system.n_states).collect(),
    };
    let positions = project.mechanism.joints.iter().flat_map(|j| j.freedoms.iter().map(|f| f.position));
    let open = positions.filter_map(|s| Some((s, system.y_place(s).filter(|i| free.contains(i))?)));
    let keep = |(s, place): (Symbol, usize)| {
        let q = system.quantity(s);
        let (joint, coordinate) = q.name.rsplit_once('.')?;
        let value = at.y[place];
        Some((q.name.clone(), format!("{joint}.motion.{coordinate}={value:?}")))
    };
    Ok(open.filter_map(keep).collect())
}

fn show(project: &Project, table: &Table, still: &[(String, String)]) -> Result<(), Failure> {
    let system = &project.prepared.system;
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
    for freedom in project.mechanism.joints.iter().flat_map(|j| &j.freedoms) {
        let Some(motion) = &freedom.motion else { continue };
        let [effort, speed] = [motion.effort, freedom.velocity].map(|s| &system.quantity(s).name);
        let effort = table.column(effort)?;
        let values = &effort.values;
        // Both are shown in SI, so that their product is in W.
        let power = match table.column(speed) {
            Ok(speed) => values.iter().zip(&speed.values).fold(0.0, |m: f64, (f, v)| m.max((f * v).abs())),
            Err(_) => f64::NAN,
        };
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let first = values.first().copied().unwrap_or(f64::NAN);
        let [first, least, most, power] = [first, least, most, power].map(|v| number(v, DIGITS));
        listing.push([format!("  {}", effort.name), first, least, most, effort.unit.clone(), power]);
    }
    listing.print();
    if !still.is_empty() {
        let names: Vec<&str> = still.iter().map(|s| s.0.as_str()).collect();
        say(format_args!("\nkept where they start: {}", names.join(", ")));
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
