//! Tests of the crate from outside.

mod arms;
mod forward;
mod inverse;
mod paths;
mod servo;
mod time_laws;
mod tip;
