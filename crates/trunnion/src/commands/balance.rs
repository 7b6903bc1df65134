//! `trunnion balance`: the static equilibrium, and the start values that begin there.

use std::collections::HashMap;
use std::path::Path;

use clap::Args;
use trunnion_model::edit::{Edit, EditError};
use trunnion_model::{Files, load};
use trunnion_sim::balance::{balance_machine, given_up};
use trunnion_sim::machine::Machine;
use trunnion_sim::problem::Problem;
use trunnion_sim::stepper::Failure as Solver;

use super::linearize::unknowns;
use crate::failure::Failure;
use crate::files::{Confined, Disk, library, rewrite};
use crate::listing::{Align, Listing, count, number, with_unit};
use crate::mesh::Triangle;
use crate::output::{say, tell};
use crate::project::Project;
use crate::simulate::{Overrides, Point, describe, point};
use crate::space::{from_quaternion, to_rpy};

#[derive(Args, Debug)]
pub struct BalanceArgs {
    /// The model file
    pub model: String,
    /// Unknowns that keep their value; something holds them
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
/// Digits of values written to a file: rounding errors of the search are left out.
const WRITTEN: usize = 12;
/// The same, relative to the size of the unknown: a smaller change is none.
const ROUNDING: f64 = 1e-12;

pub fn execute(args: &BalanceArgs, colour: bool) -> Result<(), Failure> {
    let project = Project::open(&args.model, &args.set)?;
    project.show_warnings(colour);
    let hold = unknowns(&project, &args.hold)?;
    if project.prepared.system.n() == 0 {
        say(format_args!("{} has no unknowns, so there is nothing to balance", project.name));
        return Ok(());
    }
    // Start values that do not fit together may still lead to rest.
    let mut at = match point(&project, &Overrides::default(), None) {
        Ok(at) => at,
        Err(Failure::Run { .. }) => as_written(&project)?,
        Err(other) => return Err(other),
    };
    let before = row(&project, &mut at)?;
    balance_machine(&mut at.machine, at.t, &mut at.y, &hold)
        .map_err(|failure| refusal(&project, &failure))?;
    let after = row(&project, &mut at)?;
    show(&project, &mut at, args.all, &hold, &before, &after);
    if args.write {
        write(&project, args, &hold, &before, &after)?;
    }
    Ok(())
}

/// Start values as they stand in the file.
fn as_written(project: &Project) -> Result<Point, Failure> {
    let t = project.run.t_start;
    let (machine, y) =
        Machine::start(project.prepared.clone(), &HashMap::new(), t).map_err(|e| Failure::start(&e))?;
    Ok(Point { machine, t, y })
}

fn row(project: &Project, at: &mut Point) -> Result<Vec<f64>, Failure> {
    let mut row = vec![0.0; project.prepared.columns.len()];
    at.record(&mut row)?;
    Ok(row)
}

/// Why there is no equilibrium, and what to do.
pub fn refusal(project: &Project, failure: &Solver) -> Failure {
    let name = |i: usize| project.prepared.layout.names.get(i).cloned().unwrap_or_default();
    match *failure {
        Solver::Singular { unknown, .. } => Failure::Run {
            message: format!(
                "at rest nothing determines `{0}`: every value of `{0}` would do, or none",
                name(unknown)
            ),
            hint: Some(format!("hold it where it starts with --hold {}", name(unknown))),
        },
        Solver::Inconsistent { t, row, residual } => Failure::Run {
            message: format!(
                "no equilibrium was found at t = {t} s: `{}` is off by {residual:.3e} at best",
                project.prepared.system.rows.get(row).map_or("", |r| r.name.as_str()),
            ),
            hint: Some(
                "start nearer to rest, hold an unknown with --hold, or check that the model can rest at all"
                    .into(),
            ),
        },
        _ => describe(project, failure),
    }
}

fn show(project: &Project, at: &mut Point, all: bool, hold: &[usize], before: &[f64], after: &[f64]) {
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
    for (i, column) in prepared.columns.iter().enumerate().take(shown) {
        let values = [before[i], after[i]].map(|v| number(v, DIGITS));
        let [start, rest] = values;
        table.push([format!("  {}", column.name), start, rest, column.unit.text.clone(), column.doc.clone()]);
    }
    table.print();
    let mut f = vec![0.0; prepared.system.n()];
    at.machine.residual(at.t, &at.y, &mut f);
    let given_up = given_up(&mut at.machine, at.t, &at.y, hold);
    let row = |i: usize| prepared.system.rows[i].name.as_str();
    say("");
    for (&held, &i) in hold.iter().zip(&given_up) {
        let name = &prepared.layout.names[held];
        say(format_args!("`{name}` is held: let go, {} would be {} (SI)", row(i), number(f[i], DIGITS)));
    }
    let solved = (0..f.len()).filter(|i| !given_up.contains(i));
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
    let text = Disk.read(&args.model).map_err(|reason| cannot("read", &args.model, reason))?;
    let mut edit = Edit::new(&text).map_err(|e| cannot("edit", &args.model, e.to_string()))?;
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

fn cannot(action: &'static str, path: &str, reason: String) -> Failure {
    Failure::File { path: path.into(), action, reason }
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
