//! Robots as numbers: kinematics of trees, paths and their time laws, programs, servo design.
//!
//! docs/guides/robots.md shows how.
//!
//! No files, no model language, no solvers: an [`Arm`] comes in, references and gains go out.

mod arm;
mod blend;
pub mod damped;
mod follow;
pub mod inertia;
mod inverse;
mod jacobian;
mod joint_path;
mod path_check;
pub mod program;
pub mod rotation;
pub mod schedule;
pub mod servo;
mod shoulder;
mod spherical;
mod subproblem;
mod time_law;
pub mod tip;
mod tool_curve;
mod tool_path;

pub use arm::{Arm, ArmError, ArmJoint, AxisLimits, AxisMotion, LinkMass};
pub use follow::ToolFollower;
pub use inverse::{
    ArmBranch, ElbowSide, InverseError, InverseRequest, InverseSolution, JointOutside, ShoulderSide,
    Singularity, ToolGoal, WristSide, branches, solve,
};
pub use jacobian::Twist;
pub use joint_path::{JointMove, JointPath, JointPathError, JointPoint};
pub use path_check::{PathCause, PathCheck, PathFault};
pub use time_law::{LawError, LawKind, LawPoint, MotionLimits, TimeLaw};
pub use tool_path::{ToolLimits, ToolMove, ToolPath, ToolPathError, ToolPoint};

/// The examples of the manual are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/robots.md")]
struct Manual;
