//! Gains over a grid of poses.

use trunnion_engine::robots::ModelRobot;
use trunnion_engine::{Failure, Project};
use trunnion_robot::inertia::link_nodes;
use trunnion_robot::schedule::{GainSchedule, ScheduleAxis};
use trunnion_robot::servo::{AxisDrive, ServoGains, ServoSpec};

use super::mechanism_arm::{PoseValues, mechanism_arm};
use super::{AxisServo, axis_position, quantity_of};
use crate::request_error::ServoRequestError;

/// One pose of the grid.
#[derive(Clone, Debug)]
pub struct SchedulePoint {
    /// Of the axes of the grid, rad or m.
    pub place: Vec<f64>,
    /// Of all axes of the robot.
    pub gains: Vec<ServoGains>,
}

/// Gains of all axes over the workspace.
pub struct ServoSchedule {
    /// Axes of the grid, and whether they turn.
    pub axes: Vec<(String, bool)>,
    /// Last axis fastest.
    pub points: Vec<SchedulePoint>,
    /// Least and greatest damping of each axis between the points of the grid.
    pub damping: Vec<[f64; 2]>,
}

/// Values of one axis of a grid at most.
const LONGEST: usize = 1000;

impl ServoSchedule {
    pub(super) fn new(
        project: &Project,
        robot: &ModelRobot,
        values: &[f64],
        axes: &[AxisServo],
        spec: ServoSpec,
        grid: &[String],
    ) -> Result<ServoSchedule, Failure> {
        let system = &project.prepared.system;
        let tree = mechanism_arm(&project.mechanism, &PoseValues { system, values });
        let tree = tree.map_err(|e| ServoRequestError::Design { reason: e.to_string() })?;
        let tree = tree.ok_or(ServoRequestError::ElasticGrid)?;
        let pose: Vec<f64> = tree.positions.iter().map(|s| values[s.index()]).collect();
        // Coordinates without a servo take no part in the result.
        let mut drives = vec![AxisDrive { motor_inertia: 1.0, ratio: 1.0 }; pose.len()];
        let mut places = vec![];
        for axis in axes {
            let (position, _) = axis_position(project, robot, &axis.name)?;
            let place = tree.positions.iter().position(|s| *s == position);
            let place = place.ok_or_else(|| ServoRequestError::Design {
                reason: format!("`{}` is not in the tree", axis.name),
            })?;
            drives[place] = axis.drive;
            places.push(place);
        }
        let (mut named, mut scheduled) = (vec![], vec![]);
        for text in grid {
            let (name, turns, list) = grid_axis(project, robot, text)?;
            let place = axes.iter().position(|a| a.name == name).map_or(0, |k| places[k]);
            named.push((name, turns));
            scheduled.push(ScheduleAxis { coordinate: place, values: list });
        }
        let refused = |reason: String| ServoRequestError::Schedule { reason };
        let nodes = link_nodes(&tree.arm);
        let found = GainSchedule::new(&tree.arm, &nodes, &pose, scheduled.clone(), &drives, spec)
            .map_err(|e| refused(e.to_string()))?;
        let number: usize = scheduled.iter().map(|a| a.values.len()).product();
        let mut points = vec![];
        for index in 0..number {
            let (mut q, mut place, mut left) = (pose.clone(), vec![], index);
            for axis in scheduled.iter().rev() {
                let value = axis.values[left % axis.values.len()];
                left /= axis.values.len();
                q[axis.coordinate] = value;
                place.insert(0, value);
            }
            let all = found.gains(&q).map_err(|e| refused(e.to_string()))?;
            points.push(SchedulePoint { place, gains: places.iter().map(|&k| all[k]).collect() });
        }
        let between = found.damping_between(&tree.arm, &nodes, &pose).map_err(|e| refused(e.to_string()))?;
        // PD gains are assumed there. The integral of PID changes the quotient of the gains, not how the damping varies with the inertia.
        let ServoSpec { damping: zeta, integral: alpha, .. } = spec;
        let share = zeta / ((2.0 * zeta + alpha) / (2.0 * (1.0 + 2.0 * zeta * alpha).sqrt()));
        let damping = places.iter().map(|&k| between[k].map(|d| share * d)).collect();
        Ok(ServoSchedule { axes: named, points, damping })
    }
}

/// "j2=-60 deg:60 deg:5".
fn grid_axis(project: &Project, robot: &ModelRobot, text: &str) -> Result<(String, bool, Vec<f64>), Failure> {
    let unclear = || Failure::from(ServoRequestError::Grid { text: text.into() });
    let (name, range) = text.split_once('=').ok_or_else(unclear)?;
    let name = name.trim();
    let (_, turns) = axis_position(project, robot, name)?;
    let [from, to, count] = range.split(':').collect::<Vec<_>>()[..] else { return Err(unclear()) };
    let ends = [from, to].map(|x| quantity_of(x, turns));
    let ([Some(from), Some(to)], Ok(n)) = (ends, count.trim().parse::<usize>()) else {
        return Err(unclear());
    };
    if !(2..=LONGEST).contains(&n) || from >= to {
        return Err(unclear());
    }
    let step = (to - from) / (n - 1) as f64;
    Ok((name.to_string(), turns, (0..n).map(|k| from + step * k as f64).collect()))
}
