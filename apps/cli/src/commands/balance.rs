//! `trunnion balance`: the static equilibrium, and the start values that begin there.

use std::path::Path;

use clap::Args;
use serde_json::json;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::files::Disk;
use trunnion_engine::{Failure, Project};
use trunnion_files::rewrite;
use trunnion_model::Files;
use trunnion_num::text::{count, number};
use trunnion_study::balance::{Balanced, RestRate, RestReport, balance, rewritten};

use crate::given::Given;
use crate::output::{Print, say, tell};
use crate::report::AnswerOptions;
use crate::session::Session;

#[derive(Args, Debug)]
pub struct BalanceArgs {
    /// The model file
    pub model: String,
    /// What keeps its value: positions to find the pressures that carry them, pressures to find the pose; default: as [start] says
    #[arg(long, value_name = "X,…", value_delimiter = ',')]
    pub hold: Vec<String>,
    /// Write the values at rest into the model file as start values; comments and order stay
    #[arg(long, conflicts_with_all = ["set", "defaults"])]
    pub write: bool,
    /// Show everything that is recorded, not only what is solved for
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub given: Given,
    #[command(flatten)]
    pub answer: AnswerOptions,
}

const DIGITS: usize = 7;

pub fn execute(args: &BalanceArgs, session: &Session) -> Result<(), Failure> {
    let project = session.open_and_warn(&args.model, &args.given.sets())?;
    if project.prepared.system.n() == 0 {
        if session.answer(|| json!({ "model": project.name, "values": [] })).is_none() {
            say(format_args!("{} has no unknowns, so there is nothing to balance", project.name));
        }
        return Ok(());
    }
    let mut found = balance(&project, &args.hold, &session.monitor)?;
    let report = found.report(&project, args.all);
    if session.answer(|| report.json(&project)).is_none() {
        show(&project, &report);
    }
    if args.write {
        write(&project, args, session, &found)?;
    }
    Ok(())
}

fn write(project: &Project, args: &BalanceArgs, session: &Session, found: &Balanced) -> Result<(), Failure> {
    let text =
        Disk.read(&args.model).map_err(|reason| trunnion_files::FileError::read(&args.model, reason))?;
    let new = rewritten(&session.workspace, project, (&args.model, &text), found)?;
    if new.text != text {
        rewrite(Path::new(&args.model), &new.text)?;
    }
    session.note(format_args!("{} written to {}", count(new.written, "start value"), args.model));
    if !new.left_out.is_empty() {
        tell(format_args!("warning: not in this file, so not written: {}", new.left_out.join(", ")));
        eprintln!(
            "  = hint: components inside components start as their own file says, families (`#`) as one line"
        );
    }
    Ok(())
}

fn show(project: &Project, report: &RestReport) {
    say(format_args!("{}, at rest at t = {} s", project.name, number(report.t, 9)));
    say("");
    let mut table = Listing::new([
        ("  name", Align::Left),
        ("start", Align::Right),
        ("at rest", Align::Right),
        ("unit", Align::Left),
        ("", Align::Left),
    ]);
    for v in &report.values {
        let [start, rest] = [v.start, v.at_rest].map(|v| number(v, DIGITS));
        table.push([format!("  {}", v.name), start, rest, v.unit.clone(), v.doc.clone()]);
    }
    table.print();
    say("");
    for RestRate { name, equation, rate } in &report.held {
        let rate = number(*rate, DIGITS);
        say(format_args!("`{name}` is held: let go, {equation} would be {rate} (SI)"));
    }
    for RestRate { name, equation, rate } in &report.moving {
        say(format_args!("`{name}` is left moving: {equation} is {} (SI)", number(*rate, DIGITS)));
    }
    let names = |list: &[String]| list.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    if !report.found.is_empty() {
        say(format_args!("found so that it rests: {}", names(&report.found)));
    }
    if !report.kept.is_empty() {
        say(format_args!("as at the start, for nothing at rest changes it: {}", names(&report.kept)));
    }
    if let Some((state, time)) = &report.unstable {
        let time = number(*time, 3);
        say(format_args!("unstable: `{state}` leaves this rest, by a factor e every {time} s"));
    }
    if let Some((equation, size)) = &report.residual {
        say(format_args!("largest residual {} (SI), in {equation}", number(*size, 2)));
    }
}
