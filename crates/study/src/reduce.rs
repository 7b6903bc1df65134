//! Which stores of energy a model can do without.

mod rank;
mod search;

pub use rank::{Store, rank, shown, with_activities};
pub use search::{Search, Study, Trial, Verdict};
