//! The common checks: what every component of every library has to meet, users' ones too.
//!
//! What needs no simulation is here: how complete the page is, what the laws say, and the bench on which a component is
//! run. Every finding points into the component's file.

mod bench;
mod laws;
mod page;

pub use bench::{Bench, Drive, IT, bench, choices};
pub use laws::{Laws, laws};
pub use page::page;

/// One of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The file reads, and all formulas fit by dimension.
    Units,
    /// As many equations as unknowns, with every choice of the options.
    Equations,
    /// Where a law has both forms, each is the inverse of the other.
    Causality,
    /// A loss never gives energy.
    Losses,
    /// What goes in at the ports is stored or lost.
    Power,
    /// It runs with its default values.
    Runs,
    /// Title, formula, sign and limits, and a description of everything.
    Page,
}

impl Check {
    pub const ALL: [Check; 7] = [
        Check::Units,
        Check::Equations,
        Check::Causality,
        Check::Losses,
        Check::Power,
        Check::Runs,
        Check::Page,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Check::Units => "units",
            Check::Equations => "equations",
            Check::Causality => "causality",
            Check::Losses => "losses",
            Check::Power => "power",
            Check::Runs => "runs",
            Check::Page => "page",
        }
    }
}
