//! Model files: units, the expression language, components, ports and diagnostics.

pub mod language;
pub mod nearest;
pub mod units;
