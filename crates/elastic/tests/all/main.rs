//! Finite elements against closed forms, patch tests, convergence and published numbers.

mod beams;
mod recovery;
mod reduction;
mod shells;
mod skin;
mod solids;
mod spin_up;
mod support;
