//! `trunnion balance`: the static equilibrium, and the start values that begin there.

use std::path::Path;

use clap::Args;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::files::Disk;
use trunnion_engine::{Failure, Project};
use trunnion_files::rewrite;
use trunnion_model::Files;
use trunnion_num::text::{count, number};
use trunnion_sim::equilibrium::{Rest, unstable};
use trunnion_sim::problem::Problem;
use trunnion_study::balance::{Balanced, balance, rewritten};
use trunnion_study::simulate::Point;

use crate::output::{Print, say, tell};
use crate::session::Session;

#[derive(Args, Debug)]
pub struct BalanceArgs {
    /// The model file
    pub model: String,
    /// What keeps its value: positions to find the pressures that carry them, pressures to find the pose; default: as [start] says
    #[arg(long, value_name = "X,…", value_delimiter = ',')]
    pub hold: Vec<String>,
    /// Write the values at rest into the model file as start values; comments and order stay
    #[arg(long)]
    pub write: bool,
    /// Show everything that is recorded, not only what is solved for
    #[arg(long)]
    pub all: bool,
    /// Change a parameter, an option or a start value before
    #[arg(long, value_name = "PATH=VALUE", conflicts_with = "write")]
    pub set: Vec<String>,
}

const DIGITS: usize = 7;
const PRESSURES: [&str; 4] = ["Pa", "kPa", "bar", "MPa"];
pub fn execute(args: &BalanceArgs, session: &Session) -> Result<(), Failure> {
    let project = session.open_and_warn(&args.model, &args.set)?;
    if project.prepared.system.n() == 0 {
        say(format_args!("{} has no unknowns, so there is nothing to balance", project.name));
        return Ok(());
    }
    let mut found = balance(&project, &args.hold, &session.monitor)?;
    show(&project, &mut found, args.all);
    if args.write {
        write(&project, args, session, &found)?;
    }
    Ok(())
}

fn write(project: &Project, args: &BalanceArgs, session: &Session, found: &Balanced) -> Result<(), Failure> {
    let text = Disk.read(&args.model).map_err(|reason| trunnion_files::Error::read(&args.model, reason))?;
    let new = rewritten(&session.workspace, project, (&args.model, &text), found)?;
    if new.text != text {
        rewrite(Path::new(&args.model), &new.text)?;
    }
    say(format_args!("{} written to {}", count(new.written, "start value"), args.model));
    if !new.left_out.is_empty() {
        tell(format_args!("warning: not in this file, so not written: {}", new.left_out.join(", ")));
        eprintln!(
            "  = hint: components inside components start as their own file says, families (`#`) as one line"
        );
    }
    Ok(())
}

fn show(project: &Project, found: &mut Balanced, all: bool) {
    let Balanced { at, rest, before, after, .. } = found;
    let prepared = &project.prepared;
    let shown = if all { prepared.columns.len() } else { prepared.system.n() };
    say(format_args!("{}, at rest at t = {} s", project.name, number(at.t, 9)));
    say("");
    let mut table = Listing::new([
        ("  name", Align::Left),
        ("start", Align::Right),
        ("at rest", Align::Right),
        ("unit", Align::Left),
        ("", Align::Left),
    ]);
    // Pressures of components are what most look for; they are seldom states.
    let pressure = |i: usize| {
        let column = &prepared.columns[i];
        let own = column.name.matches('.').count() == 1 && !column.name.contains(' ');
        own && PRESSURES.contains(&column.unit.text.as_str()) && !same(before[i], after[i])
    };
    for (i, column) in prepared.columns.iter().enumerate().filter(|&(i, _)| i < shown || pressure(i)) {
        let values = [before[i], after[i]].map(|v| number(v, DIGITS));
        let [start, rest] = values;
        table.push([format!("  {}", column.name), start, rest, column.unit.text.clone(), column.doc.clone()]);
    }
    table.print();
    say("");
    describe_rest(project, at, rest, before, after);
}

/// But for rounding; 1e-15 of anything in SI is nothing.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()) + 1e-15
}

/// How the machine rests: what carries it, what moves, what was chosen, and whether it stays.
fn describe_rest(project: &Project, at: &mut Point, rest: &Rest, before: &[f64], after: &[f64]) {
    let prepared = &project.prepared;
    let name = |i: usize| prepared.layout.names[i].as_str();
    let row = |i: usize| prepared.system.rows[i].name.as_str();
    for &(held, i, rate) in &rest.supported {
        let rate = number(rate, DIGITS);
        say(format_args!("`{}` is held: let go, {} would be {rate} (SI)", name(held), row(i)));
    }
    for &(i, rate) in &rest.moving {
        say(format_args!("`{}` is left moving: {} is {} (SI)", name(i), row(i), number(rate, DIGITS)));
    }
    let names =
        |list: &[usize]| list.iter().map(|&i| format!("`{}`", name(i))).collect::<Vec<_>>().join(", ");
    let found: Vec<usize> = rest.released.iter().copied().filter(|&i| !same(before[i], after[i])).collect();
    if !found.is_empty() {
        say(format_args!("found so that it rests: {}", names(&found)));
    }
    if !rest.kept.is_empty() {
        say(format_args!("as at the start, for nothing at rest changes it: {}", names(&rest.kept)));
    }
    if let Some(unstable) = unstable(&mut at.machine, at.t, &at.y, rest) {
        let time = number(1.0 / unstable.pole.re, 3);
        say(format_args!(
            "unstable: `{}` leaves this rest, by a factor e every {time} s",
            name(unstable.state)
        ));
    }
    let mut f = vec![0.0; prepared.system.n()];
    at.machine.residual(at.t, &at.y, &mut f);
    let left = |i: &usize| rest.supported.iter().any(|s| s.1 == *i) || rest.moving.iter().any(|m| m.0 == *i);
    let solved = (0..f.len()).filter(|i| !left(i));
    let worst = solved.max_by(|&i, &j| f[i].abs().total_cmp(&f[j].abs()));
    if let Some(worst) = worst {
        say(format_args!("largest residual {} (SI), in {}", number(f[worst].abs(), 2), row(worst)));
    }
}
