//! Forces and torques that a prescribed motion takes.
//!
//!   τ = M(q) q̈ + h(q, q̇),   q(t) given                                                              (1)
//!
//! Every coordinate is driven: by a motion given here or in the file, or to stay where it starts. Of a closed loop as many as are independent;
//! the others follow. τ is the `effort` of each drive, with everything else that acts in the model.

use std::collections::HashMap;

use trunnion_engine::{Failure, Project, Workspace};
use trunnion_equations::Symbol;
use trunnion_model::units::parse_unit;
use trunnion_results::Table;
use trunnion_sim::dependent_states::{DependentStateRows, choose};

use crate::monitor::Monitor;
use crate::request_error::RunRequestError;
use crate::simulate::{Overrides, metadata, point, settings, simulate_to_table};

/// Finer than that of a run: what follows in a closed loop is interpolated between steps.
const RTOL: f64 = 1e-9;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct InverseDynamicsRequest {
    pub model: String,
    /// Each as "shoulder=0.5 rad*sin(2 rad/s*time)", with several coordinates "hand.x=…".
    pub motions: Vec<String>,
    /// Changes of the model, each as "path=value".
    pub values: Vec<String>,
    pub overrides: Overrides,
}

/// The motion and what it takes.
pub struct InverseMotion {
    pub project: Project,
    pub table: Table,
    /// Coordinates that are kept where they start.
    pub still: Vec<String>,
}

pub fn inverse(
    workspace: &Workspace,
    request: &InverseDynamicsRequest,
    monitor: &Monitor,
) -> Result<InverseMotion, Failure> {
    let mut values = request.values.clone();
    for motion in &request.motions {
        values.push(as_value(motion)?);
    }
    let mut project = workspace.open(&request.model, &values)?;
    if project.mechanism.joints.is_empty() {
        return Err(RunRequestError::NoJoints { model: project.name }.into());
    }
    let still = at_equilibrium(&project, monitor)?;
    if !still.is_empty() {
        values.extend(still.iter().map(|(_, value)| value.clone()));
        let proposed = std::mem::take(&mut project.proposed);
        project = Project { proposed, ..workspace.open(&request.model, &values)? };
    }
    let rtol = request.overrides.rtol.or(project.run.rtol).unwrap_or(RTOL);
    let overrides = Overrides { rtol: Some(rtol), ..request.overrides.clone() };
    let (solver, settings) = settings(&project.run, &overrides)?;
    let (mut table, outcome) = simulate_to_table(&project, &HashMap::new(), (solver, &settings), monitor)?;
    outcome.check()?;
    table.metadata = metadata(&project, solver.name, &settings);
    Ok(InverseMotion { project, table, still: still.into_iter().map(|(name, _)| name).collect() })
}

/// "shoulder=0.5 rad*sin(2 rad/s*time)" as a change of the model.
fn as_value(motion: &str) -> Result<String, Failure> {
    match motion.split_once('=').map(|(joint, value)| (joint.trim(), value.trim())) {
        Some((joint, value)) if !joint.is_empty() && !value.is_empty() => Ok(match joint.split_once('.') {
            Some((joint, coordinate)) => format!("{joint}.motion.{coordinate}={value}"),
            None => format!("{joint}.motion={value}"),
        }),
        _ => Err(RunRequestError::NoMotion { text: motion.into() }.into()),
    }
}

/// Coordinates that nothing drives and that are independent, each with a motion that keeps it where it starts.
fn at_equilibrium(project: &Project, monitor: &Monitor) -> Result<Vec<(String, String)>, Failure> {
    let system = &project.prepared.system;
    let at = point(project, &Overrides::default(), None, monitor)?;
    let free = match DependentStateRows::new(&at.machine) {
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

/// What a drive has to give, in the unit of its effort.
#[derive(Clone, Debug)]
pub struct DriveLoad {
    pub name: String,
    pub unit: String,
    pub first: f64,
    pub least: f64,
    pub most: f64,
    /// W; NaN where its speed is not recorded.
    pub peak_power: f64,
}

/// Of all coordinates whose motion is prescribed.
pub fn drive_loads(project: &Project, table: &Table) -> Result<Vec<DriveLoad>, Failure> {
    let system = &project.prepared.system;
    let mut loads = vec![];
    for freedom in project.mechanism.joints.iter().flat_map(|j| &j.freedoms) {
        let Some(motion) = &freedom.motion else { continue };
        let [effort, speed] = [motion.effort, freedom.velocity].map(|s| &system.quantity(s).name);
        let effort = table.column(effort)?;
        let values = &effort.values;
        // In W, whatever units they are shown in.
        let si = |unit: &str| parse_unit(unit).map_or(f64::NAN, |unit| unit.factor);
        let peak_power = match table.column(speed) {
            Ok(speed) => {
                let products = values.iter().zip(&speed.values).map(|(f, v)| (f * v).abs());
                si(&effort.unit) * si(&speed.unit) * products.fold(0.0, f64::max)
            }
            Err(_) => f64::NAN,
        };
        loads.push(DriveLoad {
            name: effort.name.clone(),
            unit: effort.unit.clone(),
            first: values.first().copied().unwrap_or(f64::NAN),
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            most: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            peak_power,
        });
    }
    Ok(loads)
}
