//! Small linear algebra, tables and roots.

mod pattern;
mod table;

pub use pattern::Pattern;
pub use table::{Outside, Shape, Table1, Table2, TableError};
