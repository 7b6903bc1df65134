//! Runs in real time: keys, inputs that are recorded and repeated, snapshots.

pub mod drive;
pub mod inputs;
pub mod pilot;
pub(crate) mod recorder;
pub mod setup;
pub mod snapshot;
pub mod times;
