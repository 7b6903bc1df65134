//! Small linear algebra, tables and roots.

mod pattern;

pub use pattern::Pattern;
