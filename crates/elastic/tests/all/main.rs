//! Finite elements against closed forms, patch tests, convergence and published numbers.

mod beams;
mod reduction;
mod solids;
mod support;
