//! Files that a study cannot use as it is asked to.

use std::error::Error;
use std::fmt;

use trunnion_engine::{Hint, RequestError};

#[derive(Clone, Debug, PartialEq)]
pub enum FilesRequestError {
    NoModels {
        paths: Vec<String>,
    },
    NothingToCheck {
        folder: String,
    },
    /// A section that components include, given as a component.
    Shared {
        path: String,
    },
    NoCommonSignal {
        one: String,
        other: String,
    },
    NoComponent {
        library: String,
    },
    /// Models that fail before any fault is planted.
    FailingModels {
        models: Vec<String>,
    },
    /// A file of reasons that cannot be read.
    Reasons {
        file: String,
        fault: ReasonsFault,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum ReasonsFault {
    NotToml,
    NotAList { key: String },
    Missing { line: usize, key: &'static str },
    UnknownSection { line: usize, section: String },
}

impl fmt::Display for FilesRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoModels { paths } => write!(f, "there are no models in {}", paths.join(", ")),
            Self::NothingToCheck { folder } => {
                write!(f, "there are no models and no components in `{folder}`")
            }
            Self::Shared { path } => {
                write!(f, "`{path}` is no component: it is there to be included by others")
            }
            Self::NoCommonSignal { one, other } => {
                write!(f, "{one} and {other} have no signal in common")
            }
            Self::Reasons { file, fault } => match fault {
                ReasonsFault::NotToml => write!(f, "`{file}` is not valid TOML"),
                ReasonsFault::NotAList { key } => write!(f, "`{file}`: `{key}` has to be a list of tables"),
                ReasonsFault::Missing { line, key } => write!(f, "{file}:{line}: `{key}` is missing"),
                ReasonsFault::UnknownSection { line, section } => {
                    write!(f, "{file}:{line}: there is no section `{section}`")
                }
            },
            Self::NoComponent { library } => write!(f, "no component of `{library}` is called so"),
            Self::FailingModels { models } => {
                write!(f, "without any fault, these miss their expectations: {}", models.join(", "))
            }
        }
    }
}

impl Error for FilesRequestError {}

impl RequestError for FilesRequestError {
    fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::NoModels { .. } => "a model is a .toml file with [model] or [run]".into(),
            Self::NothingToCheck { .. } => {
                "a model is a .toml file with [model] or [run], a component one with [ports]".into()
            }
            Self::Shared { .. } => "check the components that include it".into(),
            _ => return None,
        })
    }
}
