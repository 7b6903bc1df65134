//! Which stores of energy a model can do without.

mod rank;
mod search;

pub use rank::{RankedStore, rank, shown, with_activities};
pub use search::{ReductionSearch, ReductionTrial, ReductionVerdict, Study};
