//! Requests that do not fit the model, its results or the files at hand.

use std::any::Any;
use std::error::Error;
use std::fmt;

use crate::hint::{Hint, ModelView};

/// Every crate has enums of its own for them. A caller that wants to know which one it is asks `Failure::request`.
pub trait RequestError: Error + Any + Send + Sync {
    /// What the user can do about it.
    fn hint(&self) -> Option<Hint>;
}

/// Wrong requests to this crate.
#[derive(Clone, Debug, PartialEq)]
pub enum OpenError {
    NoExample {
        name: String,
        near: Option<String>,
    },
    SeveralExamples {
        name: String,
        all: Vec<String>,
    },
    /// A change of the model without "=".
    NoValue {
        text: String,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::NoExample { name, .. } => write!(f, "there is no example `{name}`"),
            OpenError::SeveralExamples { name, .. } => write!(f, "several examples are called `{name}`"),
            OpenError::NoValue { text } => write!(f, "`{text}` has no value"),
        }
    }
}

impl Error for OpenError {}

impl RequestError for OpenError {
    fn hint(&self) -> Option<Hint> {
        Some(match self {
            OpenError::NoExample { near: Some(near), .. } => format!("did you mean `{near}`?").into(),
            OpenError::NoExample { near: None, .. } => ModelView::Examples.into(),
            OpenError::SeveralExamples { all, .. } => format!("choose `{}`", all.join("` or `")).into(),
            OpenError::NoValue { .. } => "write it as body.m=\"12 kg\"".into(),
        })
    }
}
