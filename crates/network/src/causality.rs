//! Which end of each bond imposes the effort: sequential assignment, O(bonds). [Karnopp2012, ch. 5]
//!
//!   SE gives effort, SF gives flow                              forced                                    (1)
//!   0: exactly one bond brings the effort                       forced                                    (2)
//!   1: exactly one bond brings the flow                         forced                                    (3)
//!   TF: effort in on one side, out on the other                 forced                                    (4)
//!   GY: effort in on both sides, or out on both                 forced                                    (5)
//!   C gives effort, I gives flow: q and p are then states       preferred                                 (6)
//!   R as its law is solved, if it has one form only             preferred, after the stores               (7)
//!
//! Sources come first, then stores, then losses, then what is left; each choice is followed through (2) to (5).
//! Stores go before (7): a loss can be solved numerically against its form, a store against (6) loses its state.
//! In a circle of junctions a choice may end in a contradiction; it is then undone and the other choice is made.

mod explain;
mod loops;
mod propagate;
#[cfg(test)]
mod tests;

use trunnion_model::network::{BondNodeKind, Law, Network};

pub use explain::CausalityFinding;
use propagate::{CausalityAssignment, Reason};

/// A store that cannot have a state of its own, and its bond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derivative {
    pub node: usize,
    pub bond: usize,
}

/// Elements whose efforts and flows determine each other at every instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// All nodes on it, ascending.
    pub nodes: Vec<usize>,
    /// Those whose causality could have been chosen otherwise.
    pub chosen: Vec<usize>,
}

/// More imposed on a node than it has freedom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub node: usize,
    /// The bonds that contradict each other there.
    pub bonds: Vec<usize>,
}

/// The causality of every bond, and what was found during its assignment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Causality {
    /// `from` imposes the effort: the stroke is at `to`.
    pub from_gives_effort: Vec<bool>,
    pub derivative: Vec<Derivative>,
    pub loops: Vec<Loop>,
    /// Losses with one form of their law that are used in the other.
    pub reversed: Vec<usize>,
    /// Sources, and nothing else, impose more than can be.
    pub conflicts: Vec<Conflict>,
    /// Junctions, transformers and gyrators whose rule no choice met; their equations are solved as they stand.
    pub unmet: Vec<usize>,
    reasons: Vec<Reason>,
}

/// Sequential assignment.
pub fn assign(network: &Network) -> Causality {
    let mut work = CausalityAssignment::new(network);
    let conflicts = work.sources();
    // An inertia on a joint gives way to the mechanism, whose states stay the same whatever is connected.
    for node in (0..network.nodes.len()).filter(|&n| network.nodes[n].kind == BondNodeKind::Motion) {
        work.prefer(node, false);
    }
    for (node, kind) in network.nodes.iter().map(|n| n.kind).enumerate() {
        match kind {
            BondNodeKind::C => work.prefer(node, true),  // (6)
            BondNodeKind::I => work.prefer(node, false), // (6)
            _ => {}
        }
    }
    for (node, n) in network.nodes.iter().enumerate().filter(|(_, n)| n.kind == BondNodeKind::R) {
        if let Some(effort) = only_form(&n.law) {
            work.prefer(node, effort); // (7)
        }
    }
    (0..network.nodes.len())
        .filter(|&n| network.nodes[n].kind == BondNodeKind::R)
        .for_each(|n| work.decide(n));
    (0..network.nodes.len()).for_each(|n| work.decide(n));
    let mut found = Causality { conflicts, ..work.finish() };
    against_preference(network, &mut found);
    found.loops = loops::find(network, &found);
    found
}

/// Whether the law gives the effort, where it has one form only.
fn only_form(law: &Law) -> Option<bool> {
    match (law.effort.is_empty(), law.flow.is_empty()) {
        (false, true) => Some(true),
        (true, false) => Some(false),
        _ => None,
    }
}

fn against_preference(network: &Network, found: &mut Causality) {
    for (bond, b) in network.bonds.iter().enumerate() {
        for node in [b.from, b.to] {
            let effort = found.gives_effort(network, bond, node);
            let n = &network.nodes[node];
            match n.kind {
                BondNodeKind::C if !effort => found.derivative.push(Derivative { node, bond }),
                BondNodeKind::I if effort => found.derivative.push(Derivative { node, bond }),
                BondNodeKind::R if only_form(&n.law).is_some_and(|form| form != effort) => {
                    found.reversed.push(node)
                }
                _ => {}
            }
        }
    }
    found.derivative.sort_by_key(|d| (d.node, d.bond));
    found.reversed.sort_unstable();
    found.reversed.dedup();
}

impl Causality {
    /// Whether this end of the bond imposes the effort.
    pub fn gives_effort(&self, network: &Network, bond: usize, node: usize) -> bool {
        self.from_gives_effort[bond] == (network.bonds[bond].from == node)
    }

    /// How this bond came to its causality: for each element that decided, the nodes from it to the end of the bond.
    pub fn chains(&self, network: &Network, bond: usize) -> Vec<Vec<usize>> {
        let incident = network.incident();
        let far = |bond: usize| {
            let b = &network.bonds[bond];
            if b.from == self.reasons[bond].by { b.to } else { b.from }
        };
        // Bonds reached, each with its place in this list of the one it explains.
        let mut seen = vec![false; network.bonds.len()];
        let mut list: Vec<(usize, usize)> = vec![(bond, 0)];
        let mut chains = vec![];
        seen[bond] = true;
        let mut at = 0;
        while let Some(&(now, _)) = list.get(at) {
            let reason = &self.reasons[now];
            let before = reason.bonds(now, &incident);
            if before.is_empty() {
                let mut chain = vec![reason.by, far(now)];
                let mut place = at;
                while place != 0 {
                    place = list[place].1;
                    chain.push(far(list[place].0));
                }
                chain.dedup();
                chains.push(chain);
            }
            for b in before {
                if !std::mem::replace(&mut seen[b], true) {
                    list.push((b, at));
                }
            }
            at += 1;
        }
        chains
    }
}
