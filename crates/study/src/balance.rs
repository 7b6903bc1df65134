//! The static equilibrium of a model, and the start values that begin there.

mod report;

pub use report::{RestRate, RestReport, RestValue};

use std::collections::HashMap;

use trunnion_engine::files::{Confined, library};
use trunnion_engine::{Failure, Project, Workspace};
use trunnion_exchange::mesh::Triangle;
use trunnion_model::edit::{Edit, EditError};
use trunnion_model::mechanism::FeMesh;
use trunnion_model::{Diagnostic, Files, load};
use trunnion_num::space::{from_quaternion, to_rpy};
use trunnion_num::text::with_unit;
use trunnion_sim::balance::EquilibriumFailure;
use trunnion_sim::equilibrium::{Equilibrium, HeldValues, find_equilibrium, reason};
use trunnion_sim::machine::{Machine, Prepared};

use crate::monitor::Monitor;
use crate::request_error::{NameKind, UnknownName};
use crate::simulate::{OperatingPoint, Overrides, point};
use trunnion_engine::controllers::start_failure;

/// Digits of values written to a file: rounding errors of the search are left out.
const WRITTEN: usize = 12;
/// The same, relative to the size of the unknown: a smaller change is none.
const ROUNDING: f64 = 1e-12;

/// A model at its static equilibrium.
pub struct Balanced {
    pub at: OperatingPoint,
    pub rest: Equilibrium,
    /// Unknowns that kept their values.
    held: Vec<usize>,
    /// All columns at the start and at rest.
    pub before: Vec<f64>,
    pub after: Vec<f64>,
}

/// Finds the equilibrium; `hold` names what keeps its value, nothing: what [start] says.
pub fn balance(project: &Project, hold: &[String], monitor: &Monitor) -> Result<Balanced, Failure> {
    let hold = match (hold, &project.prepared.rest) {
        ([], Some(hold)) => hold.clone(),
        (names, _) => held(&project.prepared, names)?,
    };
    // Start values that do not fit together may still lead to rest.
    let mut at = match point(project, &Overrides::default(), None, monitor) {
        Ok(at) if project.prepared.rest.is_none() => at,
        Ok(_) | Err(Failure::Run { .. }) => as_written(project)?,
        Err(other) => return Err(other),
    };
    let before = row(project, &mut at)?;
    let rest = find_equilibrium(&mut at.machine, at.t, &mut at.y, &hold)
        .map_err(|no_rest| refusal(project, at.t, &no_rest))?;
    let after = row(project, &mut at)?;
    Ok(Balanced { at, rest, held: hold.unknowns, before, after })
}

/// What `names` hold: unknowns, or other recorded signals.
pub fn held(prepared: &Prepared, names: &[String]) -> Result<HeldValues, Failure> {
    let mut hold = HeldValues::default();
    for name in names {
        let unknown = prepared.layout.names.iter().position(|k| k == name);
        match (unknown, prepared.column(name)) {
            (Some(i), _) => hold.unknowns.push(i),
            (None, Some(column)) => hold.outputs.push(column),
            (None, None) => {
                let known = prepared.columns.iter().map(|c| c.name.as_str());
                return Err(UnknownName::new(NameKind::StateOrUnknown, name, known).into());
            }
        }
    }
    Ok(hold)
}

/// Start values as they stand in the file.
fn as_written(project: &Project) -> Result<OperatingPoint, Failure> {
    let (t, prepared) = (project.run.t_start, project.prepared.clone());
    let held = prepared.system.held.clone();
    let (machine, y) = Machine::start_holding(prepared, &HashMap::new(), t, &held)
        .map_err(|e| start_failure(&project.prepared.system, &project.sources, &e))?;
    Ok(OperatingPoint { machine, t, y })
}

fn row(project: &Project, at: &mut OperatingPoint) -> Result<Vec<f64>, Failure> {
    let mut row = vec![0.0; project.prepared.columns.len()];
    at.record(&mut row)?;
    Ok(row)
}

/// Why there is no equilibrium, and what to do.
pub fn refusal(project: &Project, t: f64, no_rest: &EquilibriumFailure) -> Failure {
    let (message, hint) = reason(&project.prepared, t, no_rest, |x| format!("hold = {x}"));
    Failure::Run { message, hint: Some(hint.into()) }
}

/// A model file with other start values.
pub struct Rewritten {
    pub text: String,
    /// Start values that were changed, and those that the file has no place for.
    pub written: usize,
    pub left_out: Vec<String>,
}

/// Start values of the states that moved, put into the file.
pub fn rewritten(
    workspace: &Workspace,
    project: &Project,
    (path, text): (&str, &str),
    found: &Balanced,
) -> Result<Rewritten, Failure> {
    let Balanced { before, after, held: hold, .. } = found;
    let prepared = &project.prepared;
    let mut edit = Edit::new(text).map_err(|e| Failure::File(trunnion_files::FileError::read(path, e)))?;
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
    check_edited(workspace, path, &new)?;
    Ok(Rewritten { text: new, written, left_out: left_out.into_iter().map(String::from).collect() })
}

/// The edited text has to be a model still.
pub(crate) fn check_edited(workspace: &Workspace, path: &str, text: &str) -> Result<(), Failure> {
    let files = workspace.confined(&[path.to_string()]);
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

    fn exists(&self, path: &str) -> bool {
        self.files.exists(path)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        self.files.list(folder)
    }

    fn triangles(&self, path: &str) -> Result<Vec<Triangle>, String> {
        self.files.triangles(path)
    }

    fn finite_elements(&self, path: &str) -> Result<FeMesh, Vec<Diagnostic>> {
        self.files.finite_elements(path)
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
