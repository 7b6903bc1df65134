//! Live runs at a terminal: the clock, the keyboard, and the line that shows how they fare.

pub mod keyboard;
pub mod status;
