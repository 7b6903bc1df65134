//! Tests of the crate from outside.

mod arms;
mod bad_programs;
mod forward;
mod inverse;
mod language;
mod memory;
mod paths;
mod servo;
mod time_laws;
mod tip;
