//! Small linear algebra, tables and roots.

mod dense_lu;
mod lu;
mod pattern;
mod rank;
mod table;

pub use dense_lu::DenseLu;
pub use lu::Lu;
pub use pattern::Pattern;
pub use rank::null_vector;
pub use table::{Outside, Shape, Table1, Table2, TableError};

/// Why a matrix could not be factorised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No acceptable pivot is left in `column`: the equations do not determine that unknown.
    Singular { column: usize },
    /// A value is NaN or infinite.
    NotFinite,
}
