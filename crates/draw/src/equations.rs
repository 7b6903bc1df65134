//! The sorted equations of a model, each with the component it came from, as text, LaTeX and JSON.

pub mod json;
pub mod latex;
mod names;
mod shared;
mod sheet;
pub mod text;

pub use sheet::{EquationSheet, SheetDetail};
