//! Small linear algebra, tables and roots.

pub mod dense;
mod pattern;

pub use pattern::Pattern;
