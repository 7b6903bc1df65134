//! Maps keyed by small numbers (expressions, symbols): quick, and in the same order on every run.

pub use rustc_hash::{FxHashMap as Map, FxHashSet as Set};
