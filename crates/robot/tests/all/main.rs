//! Tests of the crate from outside.

mod arms;
mod forward;
mod inverse;
mod paths;
mod time_laws;
