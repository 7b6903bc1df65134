//! Requests for the design of servos that do not fit.

use std::error::Error;
use std::fmt;

use trunnion_engine::{Hint, RequestError};

#[derive(Clone, Debug, PartialEq)]
pub enum ServoRequestError {
    /// The model has no robot.
    NoRobot {
        model: String,
    },
    /// Several robots, or none of the name.
    WhichRobot {
        model: String,
        known: Vec<String>,
    },
    /// Joints that close loops.
    Loops,
    /// Text that gives no place of an axis.
    Place {
        text: String,
    },
    UnknownAxis {
        robot: String,
        axis: String,
        known: Vec<String>,
    },
    /// Bandwidth, damping or inertia that no gains follow from.
    Design {
        reason: String,
    },
    /// An axis without mass behind it.
    NoInertia {
        axis: String,
        reason: String,
    },
    /// A grid of poses of elastic bodies.
    ElasticGrid,
    /// Text that is no grid of poses.
    Grid {
        text: String,
    },
    /// Points of a grid that gains cannot be made for.
    Schedule {
        reason: String,
    },
    /// The model does not say what drives an axis.
    NoDrive {
        robot: String,
        axis: String,
    },
    /// Gains that cannot be written into the file.
    Write {
        reason: String,
    },
}

impl fmt::Display for ServoRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRobot { model } => write!(f, "{model} has no robot"),
            Self::WhichRobot { model, .. } => write!(f, "which robot of {model}?"),
            Self::Loops => {
                write!(
                    f,
                    "joints of this mechanism close loops, and inertias of axes in loops are not computed"
                )
            }
            Self::Place { text } => write!(f, "`{text}` gives no place of an axis"),
            Self::UnknownAxis { robot, axis, .. } => write!(f, "`{robot}` has no axis `{axis}`"),
            Self::Design { reason } | Self::Schedule { reason } | Self::Write { reason } => {
                f.write_str(reason)
            }
            Self::NoInertia { axis, reason } => {
                write!(f, "`{axis}` moves nothing that has mass, or its drive has no ratio: {reason}")
            }
            Self::ElasticGrid => write!(f, "a grid of poses needs rigid bodies"),
            Self::Grid { text } => write!(f, "`{text}` is no grid"),
            Self::NoDrive { axis, .. } => write!(f, "the model does not say what drives `{axis}`"),
        }
    }
}

impl Error for ServoRequestError {}

impl RequestError for ServoRequestError {
    fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::NoRobot { .. } => {
                "a section [robots] names the axes; docs/guides/robots.md shows how".into()
            }
            Self::WhichRobot { known, .. } => format!("name one: {}", known.join(", ")).into(),
            Self::Loops => {
                "couple the motions by a line or a gear instead of a joint that closes a loop".into()
            }
            Self::Place { .. } => "write an axis and an angle or a length: j2=\"30 deg\"".into(),
            Self::UnknownAxis { known, .. } => format!("it has {}", known.join(", ")).into(),
            Self::ElasticGrid => {
                "give elastic bodies model = \"rigid\" for it; a single pose may have them".into()
            }
            Self::Grid { .. } | Self::Schedule { .. } => {
                "write an axis, its first and last place and how many: j2=\"-60 deg:60 deg:5\"".into()
            }
            Self::NoDrive { robot, .. } => {
                format!("add drives = [\"…\", …] to [robots.{robot}]: components with Kp, Ki and Kv").into()
            }
            Self::Write { .. } => {
                "gains are written into the components that `drives` names, in this file".into()
            }
            Self::Design { .. } | Self::NoInertia { .. } => return None,
        })
    }
}
