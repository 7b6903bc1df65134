//! Why a controller in JavaScript could not be read or run on: what the engine says, and where.

use std::fmt;

/// `pid.js:12:5: message; hint`.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptError {
    /// The file or the controller.
    pub name: String,
    /// Counted from 1. None where the engine knows no place, as for `throw 3`.
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub message: String,
    pub hint: Option<String>,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        write!(f, ": {}", self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "; {hint}"))
    }
}

impl std::error::Error for ScriptError {}

/// Why a sampled task failed.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskError {
    /// It breaks a rule of tasks.
    Rule(String),
    /// Its program failed.
    Script(Box<ScriptError>),
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskError::Rule(message) => f.write_str(message),
            TaskError::Script(error) => error.fmt(f),
        }
    }
}

impl From<String> for TaskError {
    fn from(message: String) -> TaskError {
        TaskError::Rule(message)
    }
}

impl From<ScriptError> for TaskError {
    fn from(error: ScriptError) -> TaskError {
        TaskError::Script(Box::new(error))
    }
}
