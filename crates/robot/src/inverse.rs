//! Inverse kinematics: what is asked, what is answered, and which method answers it.
//!
//! Six revolute axes of which the last three meet in a point are solved in closed form with all their branches
//! (`spherical`), everything else by damped least squares (`damped`). Axes with a given value, such as those of a gantry,
//! count as fixed.

use std::fmt;

use trunnion_num::space::{Point, Pose};
use trunnion_num::text::number;

use crate::arm::Arm;
use crate::damped;
use crate::spherical::SphericalArm;

/// What the tool is to reach, in the axes of the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ToolGoal {
    Pose(Pose),
    /// A place, in any orientation.
    Point(Point),
    /// A place, with the x axis of the tool in this direction.
    Pointing {
        point: Point,
        direction: Point,
    },
}

/// How a goal is to be reached.
#[derive(Clone, Debug, PartialEq)]
pub struct InverseRequest {
    /// Where to begin, and what to stay close to: one value per coordinate.
    pub near: Vec<f64>,
    /// Coordinates that are not to be found: the value they have.
    pub given: Vec<Option<f64>>,
    /// Redundant axes come as close to this pose as the goal allows.
    pub preference: Option<Vec<f64>>,
    /// Residual in m, and in rad times `damped::angle_length`.
    pub tolerance: f64,
    /// Starts from other poses before giving up.
    pub restarts: usize,
}

impl InverseRequest {
    pub fn near(q: &[f64]) -> Self {
        InverseRequest {
            near: q.to_vec(),
            given: vec![None; q.len()],
            preference: None,
            tolerance: 1e-10,
            restarts: 60,
        }
    }
}

/// On which side of the first axis the wrist is; `Front` is the side of the zero pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShoulderSide {
    Front,
    Back,
}

/// On which side of the line from shoulder to wrist the elbow is; up points along the first axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElbowSide {
    Up,
    Down,
}

/// Sign of the angle of the fifth axis, counted from where the fourth and the sixth are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WristSide {
    NoFlip,
    Flip,
}

/// One of up to eight ways to the same pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArmBranch {
    pub shoulder: ShoulderSide,
    pub elbow: ElbowSide,
    pub wrist: WristSide,
}

impl fmt::Display for ArmBranch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shoulder = if self.shoulder == ShoulderSide::Front { "front" } else { "back" };
        let elbow = if self.elbow == ElbowSide::Up { "elbow up" } else { "elbow down" };
        let wrist = if self.wrist == WristSide::NoFlip { "wrist not flipped" } else { "wrist flipped" };
        write!(f, "{shoulder}, {elbow}, {wrist}")
    }
}

/// Where an arm loses a direction of motion.
#[derive(Clone, Debug, PartialEq)]
pub enum Singularity {
    /// The wrist is on the first axis, or as far to its side as it can be.
    Shoulder,
    /// The arm is stretched or folded.
    Elbow,
    /// The fourth and the sixth axis are aligned.
    Wrist,
    /// Of an arm without these names: joints that move without moving the tool, or cannot move it in some direction.
    Axes { joints: Vec<String> },
}

impl fmt::Display for Singularity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Singularity::Shoulder => write!(f, "shoulder singularity: the wrist is on the first axis"),
            Singularity::Elbow => write!(f, "elbow singularity: the arm is stretched or folded"),
            Singularity::Wrist => write!(f, "wrist singularity: fourth and sixth axis are aligned"),
            Singularity::Axes { joints } => {
                write!(f, "singular pose: {} work against each other", joints.join(", "))
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct InverseSolution {
    pub q: Vec<f64>,
    /// None: found by iteration.
    pub branch: Option<ArmBranch>,
    pub singular: Vec<Singularity>,
}

/// A joint that would have to leave its range.
#[derive(Clone, Debug, PartialEq)]
pub struct JointOutside {
    pub joint: String,
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum InverseError {
    /// Too far, too near, or turned too far: what is missing at the nearest pose found.
    Unreachable { distance: f64, angle: f64 },
    /// Reachable but for the range of these joints, in the branch where they are least outside.
    AtLimit { joints: Vec<JointOutside> },
    /// The iteration stopped at a singular pose away from the goal.
    Singular { singularity: Singularity, distance: f64, angle: f64 },
    /// A number of the goal or of the request is not finite.
    NotFinite,
    /// The request has another number of axes than the arm.
    WrongSize { expected: usize, found: usize },
}

impl fmt::Display for InverseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InverseError::Unreachable { distance, angle } => {
                write!(f, "out of reach: {} mm", number(1e3 * distance, 4))?;
                // Below a microradian the orientation is not what is missing.
                if *angle > 1e-6 {
                    write!(f, " and {} deg", number(angle.to_degrees(), 4))?;
                }
                write!(f, " are missing")
            }
            InverseError::AtLimit { joints } => {
                write!(f, "out of range:")?;
                for (k, j) in joints.iter().enumerate() {
                    let [value, low, high] = [j.value, j.low, j.high].map(|x| number(x, 5));
                    write!(
                        f,
                        "{} `{}` would be {value}, range {low} to {high}",
                        if k > 0 { ";" } else { "" },
                        j.joint
                    )?;
                }
                Ok(())
            }
            InverseError::Singular { singularity, distance, angle } => {
                let (mm, deg) = (number(1e3 * distance, 4), number(angle.to_degrees(), 4));
                write!(f, "{singularity}; {mm} mm and {deg} deg from the goal")
            }
            InverseError::NotFinite => write!(f, "a number is not finite"),
            InverseError::WrongSize { expected, found } => {
                write!(f, "the arm has {expected} axes, the request {found}")
            }
        }
    }
}

impl std::error::Error for InverseError {}

/// The solution nearest to where the arm is: closed form where there is one, else iteration.
pub fn solve(arm: &Arm, goal: &ToolGoal, request: &InverseRequest) -> Result<InverseSolution, InverseError> {
    if let (ToolGoal::Pose(pose), None) = (goal, &request.preference)
        && let Some(spherical) = SphericalArm::recognise(arm, &request.given)
    {
        let all = spherical.solve(arm, pose, request)?;
        return nearest(all, &request.near).ok_or(InverseError::NotFinite);
    }
    damped::solve_by_iteration(arm, goal, request)
}

/// Every branch of an arm with a spherical wrist that is within its limits; None for other arms.
pub fn branches(
    arm: &Arm,
    goal: &Pose,
    request: &InverseRequest,
) -> Option<Result<Vec<InverseSolution>, InverseError>> {
    let spherical = SphericalArm::recognise(arm, &request.given)?;
    Some(spherical.solve(arm, goal, request))
}

fn nearest(all: Vec<InverseSolution>, near: &[f64]) -> Option<InverseSolution> {
    let far = |s: &InverseSolution| s.q.iter().zip(near).map(|(q, n)| (q - n).powi(2)).sum::<f64>();
    all.into_iter().min_by(|a, b| far(a).total_cmp(&far(b)))
}

/// What every method asks of a request first.
pub(crate) fn examined(arm: &Arm, numbers: &[f64], request: &InverseRequest) -> Result<(), InverseError> {
    let lists =
        [request.near.len(), request.given.len(), request.preference.as_ref().map_or(arm.n(), Vec::len)];
    if let Some(&found) = lists.iter().find(|&&n| n != arm.n()) {
        return Err(InverseError::WrongSize { expected: arm.n(), found });
    }
    let given = request.given.iter().flatten();
    let wanted = request.preference.iter().flatten();
    match numbers.iter().chain(&request.near).chain(given).chain(wanted).all(|x| x.is_finite()) {
        true => Ok(()),
        false => Err(InverseError::NotFinite),
    }
}
