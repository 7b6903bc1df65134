//! A model from its file to compiled equations: what every program opens.

pub mod assembly;
pub mod catalogue;
pub mod controllers;
mod elastic_bodies;
pub mod examples;
mod failure;
pub mod files;
pub mod given;
mod motions;
pub mod project;
pub mod robots;
pub mod workspace;

pub use failure::Failure;
pub use project::Project;
pub use workspace::Workspace;
