//! A model from its file to compiled equations: what every program opens.

pub mod assembly;
pub mod catalogue;
pub mod controllers;
mod elastic_bodies;
mod elastic_gauges;
pub mod examples;
mod failure;
mod fe_model;
pub mod files;
pub mod given;
mod hint;
mod motions;
pub mod part_shapes;
pub mod project;
mod reduced_part;
mod request_error;
pub mod robots;
mod unused_starts;
pub mod workspace;

pub use elastic_bodies::{PartWatch, ReductionSettings};
pub use failure::Failure;
pub use hint::{Hint, ModelView};
pub use project::Project;
pub use request_error::{OpenError, RequestError};
pub use workspace::Workspace;
