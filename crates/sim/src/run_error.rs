//! Why a run ended early, in the user's words.

use crate::script_error::TaskError;
use crate::stepper::{self, StepFailure};
use std::fmt;
use trunnion_equations::cause::NonFiniteCause;

#[derive(Clone, Debug, PartialEq)]
pub enum RunError {
    /// The plan itself makes no sense.
    Plan {
        t_0: f64,
        t_end: f64,
    },
    /// The solver or the search for consistent values gave up; `name` is the row or unknown it names.
    Solver {
        failure: StepFailure,
        name: String,
    },
    /// Events accumulate: `count` firings of `guard` within the last `within` seconds.
    Zeno {
        guard: String,
        t: f64,
        count: usize,
        within: f64,
    },
    /// Modes change without end at one instant.
    Chattering {
        guards: Vec<String>,
        t: f64,
    },
    TooManyEvents {
        guard: String,
        t: f64,
        count: u64,
    },
    /// An event failed.
    Action {
        t: f64,
        message: String,
    },
    /// A sampled task failed.
    Task {
        t: f64,
        error: TaskError,
    },
    /// A value that is recorded, shown or measured is no finite number.
    NotFinite {
        name: String,
        t: f64,
        cause: Option<Box<NonFiniteCause>>,
    },
    /// An explicit solver is held down by stability.
    Stiff {
        t: f64,
        h: f64,
    },
    /// A task stays due however often it is run.
    TaskWithoutProgress {
        t: f64,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            RunError::Plan { t_0, t_end } => {
                write!(out, "cannot run from t = {t_0} s to {t_end} s with this output grid")
            }
            RunError::Solver { failure, name } => describe(failure, name, out),
            RunError::Zeno { guard, t, count, within } => write!(
                out,
                "`{guard}` fires ever faster: {count} times within {within:.1e} s up to t = {t} s; \
                 the model needs a state for what it comes to (at rest, closed, stuck)"
            ),
            RunError::Chattering { guards, t } => {
                write!(out, "modes change for ever at t = {t} s; ")?;
                for (k, guard) in guards.iter().enumerate() {
                    write!(out, "{}`{guard}`", if k > 0 { ", " } else { "" })?;
                }
                write!(out, " {} to and fro", if guards.len() == 1 { "goes" } else { "go" })
            }
            RunError::TooManyEvents { guard, t, count } => {
                write!(out, "{count} events by t = {t} s, more than allowed; `{guard}` fired last")
            }
            RunError::Action { t, message } => write!(out, "{message} (at t = {t} s)"),
            RunError::Task { t, error } => write!(out, "{error} (at t = {t} s)"),
            RunError::NotFinite { name, t, cause } => {
                write!(out, "`{name}` has no finite value at t = {t} s")?;
                let Some(cause) = cause else { return Ok(()) };
                write!(out, ": {cause}")?;
                match &cause.quantity {
                    Some(origin) if origin != name => write!(out, ", which gives `{origin}`"),
                    _ => Ok(()),
                }
            }
            RunError::Stiff { t, h } => write!(
                out,
                "the model is stiff at t = {t} s: stability holds the steps of this explicit solver down to {h:.0e} s, too short to reach the \
                 end; take an implicit solver (auto, rodas5p, bdf)"
            ),
            RunError::TaskWithoutProgress { t } => write!(out, "a sampled task stays due at t = {t} s"),
        }
    }
}

impl std::error::Error for RunError {}

fn describe(failure: &StepFailure, name: &str, out: &mut fmt::Formatter) -> fmt::Result {
    match failure {
        StepFailure::StepTooSmall { t, h, cause, .. } => {
            write!(out, "step fell to {h:.0e} s at t = {t} s; ")?;
            match cause {
                stepper::FailureCause::Error => write!(out, "`{name}` dominates the error"),
                stepper::FailureCause::NoConvergence => {
                    write!(out, "the iteration does not converge for `{name}`")
                }
                stepper::FailureCause::NotFinite => write!(out, "`{name}` has no finite value beyond"),
                stepper::FailureCause::Singular => write!(out, "the equations do not determine `{name}`"),
            }
        }
        StepFailure::NotFinite { t, .. } => {
            write!(out, "the equation of `{name}` has no finite value at t = {t} s")
        }
        StepFailure::Inconsistent { t, residual, .. } => write!(
            out,
            "no consistent values at t = {t} s: the equation of `{name}` is off by {residual:.3e}"
        ),
        StepFailure::Singular { t, .. } => {
            write!(out, "the equations do not determine `{name}` at t = {t} s")
        }
        StepFailure::NoSymbols => {
            write!(out, "an image of a model has no equations to make a linear model of")
        }
    }
}
