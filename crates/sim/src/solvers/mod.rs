//! The solvers: each file one family, all behind `Stepper`.

pub(crate) mod auto;
pub mod bdf;
pub mod choose;
pub mod control;
pub mod error;
pub mod esdirk;
pub mod explicit;
mod fixed;
pub mod generalized_alpha;
pub mod implicit;
pub mod newton;
pub(crate) mod one_step;
pub mod problems;
pub mod rosenbrock;
mod vibration;

#[cfg(test)]
mod beam;
#[cfg(test)]
mod oscillations;
#[cfg(test)]
mod tests;
