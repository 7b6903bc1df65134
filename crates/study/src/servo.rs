//! Servo design of a robot: the inertia that each axis has to move, gains from bandwidth and damping, and how they change over the workspace.
//!
//!   J_low,j = M_jj(q)                       from the mass matrix of the tree, all other axes at rest                   (1)
//!   J_low,j = Σ_i Jᵢⱼᵀ diag(I_i, m_i) Jᵢⱼ    the same by virtual work over all bodies i                                 (2)
//!   J_eff   = J_rotor + J_low/n²            on the side of the motor                                                   (3)
//!
//! [docs/explanation/references/elastic-manipulator.md, D.2]. Bandwidth stays below half of the lowest mode that the structure has while its axes are locked.

mod mechanism_arm;
mod report;
mod schedule;

use std::collections::HashMap;

use trunnion_engine::robots::{ModelRobot, robots};
use trunnion_engine::{Failure, Project, Workspace};
use trunnion_equations::flat::{QuantityRole, RobotJointMotion};
use trunnion_equations::start::{evaluate, start_values};
use trunnion_equations::{Symbol, System};
use trunnion_model::mechanism::Mechanism;
use trunnion_model::units::parse_unit;
use trunnion_num::text::number;
use trunnion_robot::inertia::{axis_inertias, link_nodes};
use trunnion_robot::servo::{AxisDrive, ServoGains, ServoSpec};

use crate::linear::{LinearizationPoint, NamedLinearModel};
use crate::modes::natural_modes;
use crate::monitor::Monitor;
use crate::request_error::ServoRequestError;
use crate::simulate::{Overrides, point};
use mechanism_arm::{PoseValues, mechanism_arm};
pub use report::rewritten;
pub use schedule::ServoSchedule;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct ServoRequest {
    pub model: String,
    /// Changes of the model, each as "path=value".
    pub values: Vec<String>,
    /// Needed where a model has several.
    pub robot: Option<String>,
    /// Axes elsewhere than at the start, each as "j2=30 deg".
    pub pose: Vec<String>,
    /// Where a run has brought the axes at this time.
    pub at: Option<f64>,
    /// rad/s.
    pub bandwidth: f64,
    pub damping: f64,
    /// The third pole as a share of the bandwidth; 0: PD.
    pub integral: f64,
    /// Axes over which gains change, each as "j2=-60 deg:60 deg:5".
    pub grid: Vec<String>,
}

/// One axis.
#[derive(Clone, Debug)]
pub struct AxisServo {
    pub name: String,
    pub turns: bool,
    /// rad or m.
    pub position: f64,
    /// (1), kg m² or kg.
    pub inertia: f64,
    /// (2); None where bodies deform.
    pub by_virtual_work: Option<f64>,
    /// The component that drives it; empty: not named.
    pub drive_name: String,
    /// The drive says its ratio; otherwise the axis is moved without one, by a drive without rotor.
    pub geared: bool,
    pub drive: AxisDrive,
    /// (3)
    pub effective: f64,
    pub gains: ServoGains,
}

/// What was found.
pub struct ServoDesign {
    pub project: Project,
    pub robot: String,
    /// "at the start".
    pub place: String,
    /// With the bandwidth that the lowest mode allows.
    pub spec: ServoSpec,
    pub asked: f64,
    /// Where it is limited: the state that takes part most in that mode.
    pub lowest_state: Option<String>,
    pub axes: Vec<AxisServo>,
    pub schedule: Option<ServoSchedule>,
}

/// Modes with more damping than this are none of the structure.
const STRUCTURAL: f64 = 0.5;
/// Share of the lowest mode that a bandwidth may have.
const SHARE: f64 = 0.5;

pub fn servo(
    workspace: &Workspace,
    request: &ServoRequest,
    monitor: &Monitor,
) -> Result<ServoDesign, Failure> {
    let project = workspace.open(&request.model, &request.values)?;
    let robot = chosen(&project, request.robot.as_deref())?;
    refuse_loops(&project.mechanism)?;
    let (mut given, place) = positions(&project, request, monitor)?;
    posed(&project, &robot, &request.pose, &mut given)?;
    let system = &project.prepared.system;
    let values = start_values(&system.graph, &system.quantities, &given);
    let lowest = lowest_mode(workspace, request, &project, &robot, &values)?;
    let limit = lowest.as_ref().map_or(f64::INFINITY, |(w, _)| SHARE * w);
    let spec = ServoSpec {
        bandwidth: request.bandwidth.min(limit),
        damping: request.damping,
        integral: request.integral,
        lowest_mode: lowest.as_ref().map(|(w, _)| *w),
    };
    spec.check().map_err(|e| ServoRequestError::Design { reason: e.to_string() })?;
    let axes = axes(&project, &robot, &values, spec)?;
    let schedule = match request.grid.is_empty() {
        true => None,
        false => Some(ServoSchedule::new(&project, &robot, &values, &axes, spec, &request.grid)?),
    };
    let place =
        if request.pose.is_empty() { place } else { format!("{place}, with {}", request.pose.join(", ")) };
    Ok(ServoDesign {
        robot: robot.name,
        place,
        spec,
        asked: request.bandwidth,
        lowest_state: lowest.filter(|_| request.bandwidth > limit).map(|(_, state)| state),
        axes,
        schedule,
        project,
    })
}

fn chosen(project: &Project, name: Option<&str>) -> Result<ModelRobot, Failure> {
    let mut all = robots(&project.prepared.system);
    let names: Vec<String> = all.iter().map(|r| r.name.clone()).collect();
    let place = match (name, names.len()) {
        (None, 1) => Some(0),
        (None, 0) => {
            return Err(ServoRequestError::NoRobot { model: project.name.clone() }.into());
        }
        (None, _) => None,
        (Some(name), _) => names.iter().position(|n| n == name),
    };
    place
        .map(|k| all.swap_remove(k))
        .ok_or_else(|| ServoRequestError::WhichRobot { model: project.name.clone(), known: names }.into())
}

/// Where joints close loops, what an axis moves depends on them.
fn refuse_loops(mechanism: &Mechanism) -> Result<(), Failure> {
    let ties = mechanism.joints.iter().filter(|j| j.kind.freedoms() != (3, 3) || !j.cut).count();
    match ties + 1 > mechanism.bodies.len() {
        true => Err(ServoRequestError::Loops.into()),
        false => Ok(()),
    }
}

/// Values of all coordinates at the start or where a run is at a time, and the place in words.
fn positions(
    project: &Project,
    request: &ServoRequest,
    monitor: &Monitor,
) -> Result<(HashMap<Symbol, f64>, String), Failure> {
    let mut at = point(project, &Overrides::default(), request.at, monitor)?;
    let prepared = &project.prepared;
    let mut row = vec![0.0; prepared.columns.len()];
    at.record(&mut row)?;
    let system = &prepared.system;
    let mut given = HashMap::new();
    for symbol in project.mechanism.states() {
        if let Some(column) = prepared.column(&system.quantity(symbol).name) {
            let unit = &prepared.columns[column].unit;
            given.insert(symbol, row[column] * unit.factor + unit.offset);
        }
    }
    let place = match request.at {
        Some(t) => format!("at t = {} s of a run", number(t, 9)),
        None => "at the start".to_string(),
    };
    Ok((given, place))
}

/// Axes that are given another place.
fn posed(
    project: &Project,
    robot: &ModelRobot,
    pose: &[String],
    given: &mut HashMap<Symbol, f64>,
) -> Result<(), Failure> {
    for text in pose {
        let (name, value) = text.split_once('=').ok_or_else(|| unclear(text))?;
        let (symbol, turns) = axis_position(project, robot, name.trim())?;
        given.insert(symbol, quantity_of(value, turns).ok_or_else(|| unclear(text))?);
    }
    Ok(())
}

fn unclear(text: &str) -> Failure {
    ServoRequestError::Place { text: text.into() }.into()
}

/// An angle or a length in SI; a bare number is SI already.
fn quantity_of(text: &str, turns: bool) -> Option<f64> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_alphabetic() && c != 'e' && c != 'E').unwrap_or(text.len());
    let value: f64 = text[..split].trim().parse().ok().filter(|v: &f64| v.is_finite())?;
    let wanted = parse_unit(if turns { "rad" } else { "m" }).ok()?;
    let unit = match text[split..].trim() {
        "" => return Some(value),
        unit => parse_unit(unit).ok()?,
    };
    (unit.dimension == wanted.dimension).then_some(value * unit.factor)
}

/// The position of an axis, and whether it is an angle.
fn axis_position(project: &Project, robot: &ModelRobot, name: &str) -> Result<(Symbol, bool), Failure> {
    let moving = robot.outline.joints.iter().filter(|j| j.motion != RobotJointMotion::Fixed);
    let names: Vec<&str> = moving.map(|j| j.name.as_str()).collect();
    let joint = project.mechanism.joints.iter().find(|j| j.name == name && names.contains(&name));
    let freedom = joint.and_then(|j| j.freedoms.first()).ok_or_else(|| ServoRequestError::UnknownAxis {
        robot: robot.name.clone(),
        axis: name.into(),
        known: names.iter().map(|n| n.to_string()).collect(),
    })?;
    Ok((freedom.position, freedom.turns))
}

/// Parameters of a drive by their names in its component: rotor `J_m`, ratio `n`; in gears and linear axes of the library the rotor is `J`, and `r` or `lead` make a travel of
/// a turn. None without a ratio.
fn drive_of(system: &System, values: &[f64], name: &str) -> Option<AxisDrive> {
    let of = |key: &str| parameter(system, name, key).map(|s| values[s.index()]);
    let n = of("n")?;
    let travel = of("r").or(of("lead").map(|lead| lead / std::f64::consts::TAU)).unwrap_or(1.0);
    let rotor = of("J_m").or(of("J")).unwrap_or(0.0);
    Some(AxisDrive { motor_inertia: rotor, ratio: travel / n })
}

fn parameter(system: &System, component: &str, key: &str) -> Option<Symbol> {
    let symbol = system.find(&format!("{component}.{key}"))?;
    matches!(system.quantity(symbol).kind, QuantityRole::Parameter { .. }).then_some(symbol)
}

fn axes(
    project: &Project,
    robot: &ModelRobot,
    values: &[f64],
    spec: ServoSpec,
) -> Result<Vec<AxisServo>, Failure> {
    let system = &project.prepared.system;
    let graph = system.graph.thaw();
    let entries = trunnion_multibody::mass_matrix(&graph, &project.mechanism, &project.sources);
    let entries = entries.map_err(Failure::Model)?;
    let tree = mechanism_arm(&project.mechanism, &PoseValues { system, values });
    let tree = tree.map_err(|e| ServoRequestError::Design { reason: e.to_string() })?;
    let sums = tree.as_ref().map(|tree| {
        let q: Vec<f64> = tree.positions.iter().map(|s| values[s.index()]).collect();
        (axis_inertias(&tree.arm, &q, &link_nodes(&tree.arm)), &tree.positions)
    });
    let mut list = vec![];
    for joint in robot.outline.joints.iter().filter(|j| j.motion != RobotJointMotion::Fixed) {
        let (position, turns) = axis_position(project, robot, &joint.name)?;
        let own = project.mechanism.joints.iter().flat_map(|j| &j.freedoms).find(|f| f.position == position);
        let velocity = own.map(|f| f.velocity);
        let entry = entries.iter().find(|(i, j, _)| i == j && Some(*i) == velocity);
        let inertia = entry.map_or(0.0, |(_, _, e)| evaluate(&graph, *e, |s| values[s.index()])); // (1)
        let by_virtual_work = sums.as_ref().and_then(|(sums, positions)| {
            positions.iter().position(|s| *s == position).map(|k| sums[k]) // (2)
        });
        let found = drive_of(system, values, &joint.drive);
        let drive = found.unwrap_or(AxisDrive { motor_inertia: 0.0, ratio: 1.0 });
        let effective = drive.effective_inertia(inertia); // (3)
        let refused = |e| ServoRequestError::NoInertia { axis: joint.name.clone(), reason: format!("{e}") };
        let gains = spec.gains(effective, drive.ratio).map_err(refused)?;
        list.push(AxisServo {
            name: joint.name.clone(),
            turns,
            position: values[position.index()],
            inertia,
            by_virtual_work,
            drive_name: joint.drive.clone(),
            geared: found.is_some(),
            drive,
            effective,
            gains,
        });
    }
    Ok(list)
}

/// The lowest mode of the structure with all axes locked, rad/s, and the state that takes part most.
fn lowest_mode(
    workspace: &Workspace,
    request: &ServoRequest,
    project: &Project,
    robot: &ModelRobot,
    values: &[f64],
) -> Result<Option<(f64, String)>, Failure> {
    let mut locked = request.values.clone();
    for joint in robot.outline.joints.iter().filter(|j| j.motion != RobotJointMotion::Fixed) {
        let (position, turns) = axis_position(project, robot, &joint.name)?;
        let unit = if turns { "rad" } else { "m" };
        locked.push(format!("{}.motion={:?} {unit}", joint.name, values[position.index()]));
    }
    let locked = workspace.open(&request.model, &locked)?;
    if locked.prepared.system.n_states == 0 {
        return Ok(None);
    }
    let at = point(&locked, &Overrides::default(), None, &Monitor::default())?;
    let mut here = LinearizationPoint { at, place: String::new(), moving: vec![] };
    let shown = NamedLinearModel::at(&locked, &mut here, &[], &[])?;
    let modes = natural_modes(&shown)?;
    let structural = modes.iter().filter(|m| m.damping_ratio.is_some_and(|d| d.abs() < STRUCTURAL));
    let lowest = structural
        .filter_map(|m| Some((std::f64::consts::TAU * m.frequency?, m)))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    Ok(lowest.map(|(w, m)| (w, m.shares.first().map(|s| s.0.clone()).unwrap_or_default())))
}
