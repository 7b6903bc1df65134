//! Requests for stress that does not exist.

use std::error::Error;
use std::fmt;

use trunnion_engine::{Hint, RequestError};

/// A model of rigid bodies only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoElasticBodies {
    pub model: String,
}

impl fmt::Display for NoElasticBodies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` has no elastic bodies", self.model)
    }
}

impl Error for NoElasticBodies {}

impl RequestError for NoElasticBodies {
    fn hint(&self) -> Option<Hint> {
        Some("a body is elastic by its `beams`, `plates` or `mesh` and model = \"elastic\"".into())
    }
}
