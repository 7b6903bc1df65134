//! `trunnion balance`: the static equilibrium, and the start values that begin there.

use std::collections::HashMap;
use std::path::Path;

use clap::Args;
use trunnion_model::edit::{Edit, EditError};
use trunnion_model::{Files, load};
use trunnion_sim::balance::NoRest;
use trunnion_sim::equilibrium::{Hold, Rest, balance_machine, reason, unstable};
use trunnion_sim::machine::{Machine, Prepared};
use trunnion_sim::problem::Problem;

use super::linearize::no_such;
use crate::controllers::start_failure;
use crate::failure::Failure;
use crate::files::{Confined, Disk, library};
use crate::listing::{Align, Listing};
use crate::output::{say, tell};
use crate::project::Project;
use crate::simulate::{Overrides, Point, point};
use trunnion_exchange::mesh::Triangle;
use trunnion_files::{Error, rewrite};
use trunnion_num::space::{from_quaternion, to_rpy};
use trunnion_num::text::{count, number, with_unit};

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
/// Digits of values written to a file: rounding errors of the search are left out.
const WRITTEN: usize = 12;
/// The same, relative to the size of the unknown: a smaller change is none.
const ROUNDING: f64 = 1e-12;

pub fn execute(args: &BalanceArgs, colour: bool) -> Result<(), Failure> {
    let project = Project::open(&args.model, &args.set)?;
    project.show_warnings(colour);
    let hold = match (&args.hold[..], &project.prepared.rest) {
        ([], Some(hold)) => hold.clone(),
        (names, _) => held(&project.prepared, names)?,
    };
    if project.prepared.system.n() == 0 {
        say(format_args!("{} has no unknowns, so there is nothing to balance", project.name));
        return Ok(());
    }
    // Start values that do not fit together may still lead to rest.
    let mut at = match point(&project, &Overrides::default(), None) {
        Ok(at) if project.prepared.rest.is_none() => at,
        Ok(_) | Err(Failure::Run { .. }) => as_written(&project)?,
        Err(other) => return Err(other),
    };
    let before = row(&project, &mut at)?;
    let rest = balance_machine(&mut at.machine, at.t, &mut at.y, &hold)
        .map_err(|no_rest| refusal(&project, at.t, &no_rest))?;
    let after = row(&project, &mut at)?;
    show(&project, &mut at, args.all, &rest, &before, &after);
    if args.write {
        write(&project, args, &hold.unknowns, &before, &after)?;
    }
    Ok(())
}

/// What `names` hold: unknowns, or other recorded signals.
pub fn held(prepared: &Prepared, names: &[String]) -> Result<Hold, Failure> {
    let mut hold = Hold::default();
    for name in names {
        let unknown = prepared.layout.names.iter().position(|k| k == name);
        match (unknown, prepared.column(name)) {
            (Some(i), _) => hold.unknowns.push(i),
            (None, Some(column)) => hold.outputs.push(column),
            (None, None) => {
                let known = prepared.columns.iter().map(|c| c.name.as_str());
                return Err(no_such(name, "state or unknown", known));
            }
        }
    }
    Ok(hold)
}

/// Start values as they stand in the file.
fn as_written(project: &Project) -> Result<Point, Failure> {
    let (t, prepared) = (project.run.t_start, project.prepared.clone());
    let held = prepared.system.held.clone();
    let (machine, y) = Machine::start_holding(prepared, &HashMap::new(), t, &held)
        .map_err(|e| start_failure(&project.prepared.system, &project.sources, &e))?;
    Ok(Point { machine, t, y })
}

fn row(project: &Project, at: &mut Point) -> Result<Vec<f64>, Failure> {
    let mut row = vec![0.0; project.prepared.columns.len()];
    at.record(&mut row)?;
    Ok(row)
}

/// Why there is no equilibrium, and what to do.
pub fn refusal(project: &Project, t: f64, no_rest: &NoRest) -> Failure {
    let (message, hint) = reason(&project.prepared, t, no_rest, |x| format!("--hold {x}"));
    Failure::Run { message, hint: Some(hint) }
}

fn show(project: &Project, at: &mut Point, all: bool, rest: &Rest, before: &[f64], after: &[f64]) {
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

/// Start values of the states that moved, put into the file.
fn write(
    project: &Project,
    args: &BalanceArgs,
    hold: &[usize],
    before: &[f64],
    after: &[f64],
) -> Result<(), Failure> {
    let prepared = &project.prepared;
    let text = Disk.read(&args.model).map_err(|reason| Error::read(&args.model, reason))?;
    let mut edit = Edit::new(&text).map_err(|e| Error::read(&args.model, e))?;
    let (mut written, mut left_out) = (0, vec![]);
    let rounding = |i: usize| ROUNDING * (prepared.layout.nominal[i] / prepared.columns[i].unit.factor).abs();
    let moved = |i: usize| (after[i] - before[i]).abs() > rounding(i).max(ROUNDING * before[i].abs());
    let mut turns = vec![];
    for joint in &project.mechanism.joints {
        let Some(ball) = &joint.orientation else { continue };
        let places: Vec<usize> = ball.quaternion.iter().filter_map(|&s| prepared.system.y_place(s)).collect();
        if let [w, x, y, z] = places[..]
            && places.iter().any(|&i| moved(i))
        {
            let angles = to_rpy(from_quaternion([w, x, y, z].map(|i| after[i])));
            let angles = angles.map(|a| with_unit(a.to_degrees(), "deg", WRITTEN));
            match edit.set_joint_rotation(&joint.name, &angles) {
                Ok(()) => written += 1,
                Err(_) => left_out.push(joint.name.as_str()),
            }
        }
        turns.extend(places);
    }
    for i in (0..prepared.system.n()).filter(|i| !hold.contains(i) && !turns.contains(i) && moved(*i)) {
        let (column, rounding) = (&prepared.columns[i], rounding(i));
        let rest = if after[i].abs() <= rounding { 0.0 } else { after[i] };
        let value = with_unit(rest, &column.unit.text, WRITTEN);
        match put(&mut edit, &column.name, &value) {
            Ok(()) => written += 1,
            // Guesses of what is solved for numerically need no place in the file.
            Err(_) if i >= prepared.system.n_states => {}
            Err(_) => left_out.push(column.name.as_str()),
        }
    }
    let new = edit.text();
    check(&args.model, &new)?;
    if new != text {
        rewrite(Path::new(&args.model), &new)?;
    }
    say(format_args!("{} written to {}", count(written, "start value"), args.model));
    if !left_out.is_empty() {
        tell(format_args!("warning: not in this file, so not written: {}", left_out.join(", ")));
        eprintln!(
            "  = hint: components inside components start as their own file says, families (`#`) as one line"
        );
    }
    Ok(())
}

/// The edited text has to be a model still.
fn check(path: &str, text: &str) -> Result<(), Failure> {
    let files = Confined::to(&[path.to_string()]);
    load(&Edited { files, path, text }, path, &[], library()).map(|_| ()).map_err(Failure::Model)
}

/// The disk, with one file as it is going to be.
struct Edited<'a> {
    files: Confined,
    path: &'a str,
    text: &'a str,
}

impl Files for Edited<'_> {
    fn read(&self, path: &str) -> Result<String, String> {
        if path == self.path { Ok(self.text.into()) } else { self.files.read(path) }
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        self.files.list(folder)
    }

    fn triangles(&self, path: &str) -> Result<Vec<Triangle>, String> {
        self.files.triangles(path)
    }
}

/// `x` is a variable of the model, `body.x` one of a component or joint.
fn put(edit: &mut Edit, name: &str, value: &str) -> Result<(), EditError> {
    match name.split_once('.') {
        None => edit.set_start(name, value),
        Some((part, variable)) if !variable.contains('.') => {
            let joint = edit.set_joint_start(part, variable, value);
            joint.or_else(|_| edit.set_component_start(part, variable, value))
        }
        Some(_) => Err(EditError::Missing { name: name.into() }),
    }
}
