//! Live runs at the edge: the clock, the keyboard, and what is kept of a run.

pub mod drive;
pub mod inputs;
pub mod keyboard;
pub mod recorder;
pub mod session;
pub mod snapshot;
pub mod status;
pub mod times;
