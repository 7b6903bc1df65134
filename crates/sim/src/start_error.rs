//! Why a model cannot begin, in the user's words.

use std::fmt;

use trunnion_equations::Image;
use trunnion_equations::image::ImageConstraint;

use crate::balance::EquilibriumFailure;
use crate::constraints::{AssemblyError, OpenLoop};
use crate::equilibrium::reason;
use crate::machine::Loaded;
use crate::script_error::TaskError;

#[derive(Clone, Debug, PartialEq)]
pub enum StartError {
    /// A controller could not be set up.
    Task(TaskError),
    /// No pose near the start values closes the loops: the constraint with the widest gap.
    OpenLoop { constraint: usize, name: String, gap: f64, unit: &'static str },
    /// The pose is closed, but the speeds tear it apart, by so much per second.
    OpenRate { constraint: usize, name: String, gap: f64, unit: &'static str },
    /// The loops close only with a joint mounted the wrong way round.
    TurnedOver { constraint: usize, name: String },
    /// The model is to begin at rest, and no equilibrium was found.
    NoRest { message: String, hint: String },
}

impl StartError {
    pub fn open(image: &Image, open: OpenLoop) -> Self {
        let OpenLoop { constraint, gap, wrong } = open;
        let at = &image.constraints[constraint];
        let name = at.name.clone();
        let (gap, unit) = (gap.abs(), unit(image, at));
        match wrong {
            AssemblyError::Rate => StartError::OpenRate { constraint, name, gap, unit },
            AssemblyError::Gap => StartError::OpenLoop { constraint, name, gap, unit },
            AssemblyError::TurnedOver => StartError::TurnedOver { constraint, name },
        }
    }

    pub(crate) fn no_equilibrium(loaded: &Loaded, t: f64, failure: &EquilibriumFailure) -> Self {
        let (message, hint) = reason(loaded, t, failure, |x| format!("hold = [\"{x}\"] in [start]"));
        StartError::NoRest { message, hint }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            StartError::Task(_) => None,
            StartError::NoRest { hint, .. } => Some(hint.clone()),
            StartError::OpenLoop { .. } => Some(
                "check lengths, frames and axes around the loop, or give start values nearer to a pose that closes".into(),
            ),
            StartError::OpenRate { .. } => {
                Some("give speeds at the start, or a `motion`, for fewer joints; the others follow".into())
            }
            StartError::TurnedOver { .. } => Some(
                "turn one of its frames by 180 deg if it is mounted that way, or give start values nearer to the pose that is meant".into(),
            ),
        }
    }
}

/// Of a gap, from that of its multiplier: force or torque times gap is an energy.
fn unit(image: &Image, constraint: &ImageConstraint) -> &'static str {
    match image.quantity(constraint.multiplier).unit.text.as_str() {
        "N" => " m",
        "N m" => " rad",
        _ => "",
    }
}

/// Four digits.
fn short(x: f64) -> String {
    if (1e-3..1e4).contains(&x) {
        format!("{x:.4}").trim_end_matches('0').trim_end_matches('.').into()
    } else {
        format!("{x:.3e}")
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            StartError::Task(error) => error.fmt(out),
            StartError::NoRest { message, .. } => out.write_str(message),
            StartError::OpenLoop { name, gap, unit, .. } => {
                let gap = short(*gap);
                write!(
                    out,
                    "`{name}` cannot be closed from the values at the start: a gap of {gap}{unit} remains"
                )
            }
            StartError::OpenRate { name, gap, unit, .. } => {
                write!(
                    out,
                    "the speeds at the start tear `{name}` apart: by {}{unit} per second",
                    short(*gap)
                )
            }
            StartError::TurnedOver { name, .. } => {
                write!(
                    out,
                    "`{name}` closes from the values at the start only with its frames facing opposite ways"
                )
            }
        }
    }
}
