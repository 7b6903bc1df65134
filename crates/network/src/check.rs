//! What needs no simulation among the common checks of components: what the laws say, and the bench on which a component is run. Every
//! finding points into the component's file.

mod bench;
mod laws;
mod reactions;

pub use bench::{Bench, BenchDrive, IT, bench, choices};
pub use laws::{Laws, laws};
pub use reactions::{PortSum, is_equations_only, port_sums};
