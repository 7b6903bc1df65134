//! Linear and 3-D algebra, tables, numbers as text.

mod archive;
pub mod csv;
mod dense_lu;
pub mod eigen;
mod hessenberg;
mod invariant;
mod irreducible;
mod lu;
mod matrix;
pub mod noise;
mod orthogonal;
mod pattern;
mod rank;
pub mod riccati;
mod semidefinite;
pub mod space;
pub mod spectrum;
mod symmetric;
mod table;
mod table2;
pub mod text;
pub mod welch;

pub use archive::Archive;
pub use dense_lu::DenseLu;
pub use hessenberg::hessenberg;
pub use invariant::invariant_shares;
pub use irreducible::irreducible;
pub use lu::Lu;
pub use matrix::Matrix;
pub use orthogonal::{Qr, reachable};
pub use pattern::Pattern;
pub use rank::null_vector;
pub use semidefinite::Semidefinite;
use symmetric::Symmetric;
pub use table::{Breakpoint, Outside, Table1, TableError, TableShape};
pub use table2::Table2;

/// Why a matrix could not be factorised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorFault {
    /// No acceptable pivot is left in `column`: the equations do not determine that unknown.
    Singular { column: usize },
    /// A value is NaN or infinite.
    NotFinite,
}
