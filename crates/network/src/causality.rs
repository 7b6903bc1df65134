//! Which end of each bond imposes the effort.

use trunnion_model::network::Network;

/// The causality of every bond.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Causality {
    /// `from` imposes the effort: the stroke is at `to`.
    pub from_gives_effort: Vec<bool>,
}

/// Sequential assignment.
pub fn assign(network: &Network) -> Causality {
    Causality { from_gives_effort: vec![true; network.bonds.len()] }
}
