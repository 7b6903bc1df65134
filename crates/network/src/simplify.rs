//! The bond graph as it is drawn: what says nothing is left out, the equations stay the same.
//!
//!   … → 0 → …          a junction of two bonds that power passes through        becomes one bond          (1)
//!   0 — 0,  1 — 1      neighbours of one kind                                   become one junction       (2)
//!   SE: 0 — 1          an effort of zero in a sum, SF: 0 — 0 alike              goes                      (3)
//!   SE: 0 — 0 — 1, …   a common effort of zero goes with its bonds if they only lead to sums; dually SF    (4)
//!   SE — 0 — …         a potential shared by several is drawn at each of them, as a tank is                (5)

use std::collections::BTreeMap;

use trunnion_equations::{ExprNode as Term, Graph};
use trunnion_model::domain::{Connector, Domain};
use trunnion_model::network::{Bond, BondNode, BondNodeKind, Network, incident};

use crate::causality::Causality;

#[derive(Clone, Debug, PartialEq)]
pub struct DrawnNode {
    pub kind: BondNodeKind,
    pub name: String,
    /// Type of the component it belongs to, or empty.
    pub component: String,
    /// Drawn with an M and a signal.
    pub modulated: bool,
    /// Made by a connection: its name is that of a port.
    pub connection: bool,
    /// A store without a state of its own, a member of an algebraic loop, a place where sources contradict.
    pub derivative: bool,
    pub looped: bool,
    pub conflict: bool,
    /// The node of the network, or the first of those that it stands for.
    pub of: usize,
}

impl DrawnNode {
    /// "I", "MTF", "0".
    pub fn symbol(&self) -> String {
        format!("{}{}", if self.modulated { "M" } else { "" }, self.kind.word())
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct DrawnBond {
    pub from: usize,
    pub to: usize,
    pub from_gives_effort: bool,
    pub domain: Option<&'static Domain>,
    /// The bond of the network, or the first of those that it stands for.
    pub of: usize,
}

/// A bond graph with causality.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BondGraph {
    pub nodes: Vec<DrawnNode>,
    pub bonds: Vec<DrawnBond>,
    /// Names of the sources of nothing that were left out: grounds, open ports.
    pub dropped: Vec<String>,
}

impl BondGraph {
    /// Everything as it is in the network.
    pub fn full(network: &Network, causality: &Causality) -> Self {
        Simplification::new(network, causality).finish()
    }

    pub fn simplified(network: &Network, causality: &Causality, graph: &Graph) -> Self {
        let mut work = Simplification::new(network, causality);
        work.drop_nothings(graph);
        while work.merge_alike() | work.pass_through() {}
        work.share_out();
        work.finish()
    }

    /// The bonds of every node.
    pub fn incident(&self) -> Vec<Vec<usize>> {
        incident(self.nodes.len(), self.bonds.iter().map(|b| (b.from, b.to)))
    }
}

/// A source that gives zero: ground, a wall, a port that is not connected.
pub fn is_nothing(node: &BondNode, graph: &Graph) -> bool {
    let zero = |list: &[trunnion_equations::Expr]| {
        !list.is_empty() && list.iter().all(|&e| graph.node(e) == Term::Const(0.0))
    };
    match node.kind {
        BondNodeKind::Se => zero(&node.law.effort),
        BondNodeKind::Sf => zero(&node.law.flow),
        _ => false,
    }
}

struct Simplification<'a> {
    network: &'a Network,
    causality: &'a Causality,
    bonds: Vec<Option<DrawnBond>>,
    incident: Vec<Vec<usize>>,
    alive: Vec<bool>,
    /// The node of the network that each one stands for: of merged junctions the one whose name they take.
    named: Vec<usize>,
    dropped: Vec<String>,
}

impl<'a> Simplification<'a> {
    fn new(network: &'a Network, causality: &'a Causality) -> Self {
        let n = network.nodes.len();
        let drawn = |(of, b): (usize, &Bond)| {
            let from_gives_effort = causality.from_gives_effort[of];
            Some(DrawnBond { from: b.from, to: b.to, from_gives_effort, domain: b.domain, of })
        };
        Simplification {
            network,
            causality,
            bonds: network.bonds.iter().enumerate().map(drawn).collect(),
            incident: network.incident(),
            alive: vec![true; n],
            named: (0..n).collect(),
            dropped: vec![],
        }
    }

    fn kind(&self, node: usize) -> BondNodeKind {
        self.network.nodes[self.named[node]].kind
    }

    fn is_junction(&self, node: usize) -> bool {
        matches!(self.kind(node), BondNodeKind::Zero | BondNodeKind::One)
    }

    /// A place to be shown as it is.
    fn is_contested(&self, node: usize) -> bool {
        let (found, node) = (self.causality, self.named[node]);
        found.conflicts.iter().any(|c| c.node == node) || found.unmet.binary_search(&node).is_ok()
    }

    fn far(&self, bond: usize, node: usize) -> usize {
        self.bonds[bond].as_ref().map_or(node, |b| if b.from == node { b.to } else { b.from })
    }

    fn remove_bond(&mut self, bond: usize) {
        if let Some(b) = self.bonds[bond].take() {
            self.incident[b.from].retain(|&x| x != bond);
            self.incident[b.to].retain(|&x| x != bond);
        }
    }

    /// Rules (3) and (4).
    fn drop_nothings(&mut self, graph: &Graph) {
        let candidates: Vec<usize> = (0..self.network.nodes.len())
            .filter(|&n| is_nothing(&self.network.nodes[n], graph) && !self.is_contested(n))
            .collect();
        for source in candidates {
            let &[bond] = self.incident[source].as_slice() else { continue };
            let junction = self.far(bond, source);
            let (sums, shares) = match self.kind(source) {
                BondNodeKind::Se => (BondNodeKind::One, BondNodeKind::Zero),
                _ => (BondNodeKind::Zero, BondNodeKind::One),
            };
            if self.is_contested(junction) {
                continue;
            }
            if self.kind(junction) == sums && self.incident[junction].len() > 1 {
                self.remove_bond(bond); // (3)
            } else if self.kind(junction) == shares {
                let others: Vec<usize> =
                    self.incident[junction].iter().copied().filter(|&b| b != bond).collect();
                let leads_to_sum = |&b: &usize| {
                    let far = self.far(b, junction);
                    self.kind(far) == sums && self.incident[far].len() > 1
                };
                if others.is_empty() || !others.iter().all(leads_to_sum) {
                    continue;
                }
                others.into_iter().chain([bond]).for_each(|b| self.remove_bond(b)); // (4)
                self.alive[junction] = false;
            } else {
                continue;
            }
            self.alive[source] = false;
            self.dropped.push(self.network.nodes[source].name.clone());
        }
    }

    /// Rule (2); true if anything changed. Two junctions with more than one bond between them stay.
    fn merge_alike(&mut self) -> bool {
        let mut changed = false;
        for bond in 0..self.bonds.len() {
            let Some(b) = &self.bonds[bond] else { continue };
            let (kept, gone) = (b.from, b.to);
            let alike = kept != gone && self.is_junction(kept) && self.kind(kept) == self.kind(gone);
            let shorter = |a: &Vec<usize>, b: &Vec<usize>| a.len() < b.len();
            let (kept, gone) =
                if shorter(&self.incident[kept], &self.incident[gone]) { (gone, kept) } else { (kept, gone) };
            let between = self.incident[gone].iter().filter(|&&x| self.far(x, gone) == kept).count();
            if !alike || between != 1 || self.is_contested(kept) || self.is_contested(gone) {
                continue;
            }
            self.remove_bond(bond);
            for moved in std::mem::take(&mut self.incident[gone]) {
                if let Some(b) = &mut self.bonds[moved] {
                    b.from = if b.from == gone { kept } else { b.from };
                    b.to = if b.to == gone { kept } else { b.to };
                }
                self.incident[kept].push(moved);
            }
            self.alive[gone] = false;
            // A name that somebody wrote says more than that of a port.
            let written = |n: usize| !self.network.nodes[n].connection;
            let (a, b) = (self.named[kept], self.named[gone]);
            self.named[kept] = if written(a) == written(b) {
                a.min(b)
            } else if written(a) {
                a
            } else {
                b
            };
            changed = true;
        }
        changed
    }

    /// Rule (1); true if anything changed.
    fn pass_through(&mut self) -> bool {
        let mut changed = false;
        for node in 0..self.network.nodes.len() {
            let &[one, two] = self.incident[node].as_slice() else { continue };
            if !self.is_junction(node) || self.is_contested(node) {
                continue;
            }
            let (Some(a), Some(b)) = (&self.bonds[one], &self.bonds[two]) else { continue };
            let (first, last) = if a.to == node { (one, two) } else { (two, one) };
            let (a, b) = if a.to == node { (a, b) } else { (b, a) };
            let through = a.to == node && b.from == node && a.from != node && b.to != node;
            if !through || a.from == b.to || a.from_gives_effort != b.from_gives_effort {
                continue;
            }
            let end = b.to;
            let domain = a.domain.or(b.domain);
            if let Some(a) = &mut self.bonds[first] {
                (a.to, a.domain) = (end, domain);
            }
            // In the place of the one it replaces: the order tells the sides of a transformer.
            self.incident[end].iter_mut().filter(|x| **x == last).for_each(|x| *x = first);
            self.bonds[last] = None;
            self.incident[node].clear();
            self.alive[node] = false;
            changed = true;
        }
        changed
    }

    /// Rule (5): tanks, voltages, walls that move. Pumps and actuators act between two things and stay one.
    fn share_out(&mut self) {
        for source in 0..self.network.nodes.len() {
            let &[own] = self.incident[source].as_slice() else { continue };
            let junction = self.far(own, source);
            let domain = self.bonds[own].as_ref().and_then(|b| b.domain).filter(|d| !d.is_raw());
            let shares = match (self.kind(source), domain.map(|d| d.connector)) {
                (BondNodeKind::Se, Some(Connector::Power { across_is_effort: true, .. })) => {
                    BondNodeKind::Zero
                }
                (BondNodeKind::Sf, Some(Connector::Power { across_is_effort: false, .. })) => {
                    BondNodeKind::One
                }
                _ => continue,
            };
            let several = self.incident[junction].len() > 2;
            if self.kind(junction) != shares
                || !several
                || self.is_contested(source)
                || self.is_contested(junction)
            {
                continue;
            }
            self.remove_bond(own);
            for (k, bond) in std::mem::take(&mut self.incident[junction]).into_iter().enumerate() {
                let copy = if k == 0 { source } else { self.copy(source) };
                if let Some(b) = &mut self.bonds[bond] {
                    let end = if b.from == junction { &mut b.from } else { &mut b.to };
                    *end = copy;
                }
                self.incident[copy].push(bond);
            }
            self.alive[junction] = false;
        }
    }

    fn copy(&mut self, node: usize) -> usize {
        self.named.push(self.named[node]);
        self.alive.push(true);
        self.incident.push(vec![]);
        self.named.len() - 1
    }

    fn finish(self) -> BondGraph {
        let junction_left = |n: usize| self.is_junction(n) && self.incident[n].is_empty();
        let kept: Vec<usize> =
            (0..self.alive.len()).filter(|&n| self.alive[n] && !junction_left(n)).collect();
        let place: BTreeMap<usize, usize> = kept.iter().enumerate().map(|(k, &n)| (n, k)).collect();
        let found = self.causality;
        let nodes = kept.iter().map(|&n| {
            let node = &self.network.nodes[self.named[n]];
            DrawnNode {
                kind: node.kind,
                name: node.name.clone(),
                component: node.component.clone(),
                modulated: node.law.modulated && !self.is_junction(n),
                connection: node.connection,
                derivative: found.derivative.binary_search_by_key(&n, |d| d.node).is_ok(),
                looped: !self.is_junction(n) && found.loops.iter().any(|l| l.nodes.binary_search(&n).is_ok()),
                conflict: found.conflicts.iter().any(|c| c.node == n),
                of: self.named[n],
            }
        });
        let bonds = self.bonds.iter().flatten();
        let bonds = bonds.map(|b| DrawnBond { from: place[&b.from], to: place[&b.to], ..b.clone() });
        BondGraph { nodes: nodes.collect(), bonds: bonds.collect(), dropped: self.dropped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assign;
    use crate::build::{RandomGraphNoise, laws, network_of, random_tree, rules_hold};

    fn simplified(domain: &str, chains: &[&str]) -> BondGraph {
        let network = network_of(domain, chains);
        let found = assign(&network);
        let drawn = BondGraph::simplified(&network, &found, &laws().0);
        keeps_rules_and_stores(&network, &drawn);
        drawn
    }

    fn keeps_rules_and_stores(network: &Network, drawn: &BondGraph) {
        let nodes = drawn.nodes.iter().map(|n| network.nodes[n.of].clone()).collect();
        let bond = |b: &DrawnBond| Bond { from: b.from, to: b.to, pairs: vec![], domain: b.domain };
        let small = Network { nodes, bonds: drawn.bonds.iter().map(bond).collect(), ..Network::default() };
        let from_gives_effort: Vec<bool> = drawn.bonds.iter().map(|b| b.from_gives_effort).collect();
        assert_eq!(rules_hold(&small, &from_gives_effort), Ok(()));
        let stores = |n: &Network| {
            n.nodes.iter().filter(|n| matches!(n.kind, BondNodeKind::C | BondNodeKind::I)).count()
        };
        assert_eq!(stores(&small), stores(network));
    }

    fn texts(drawn: &BondGraph) -> Vec<String> {
        let name = |n: usize| format!("{}.{}", drawn.nodes[n].symbol(), drawn.nodes[n].name);
        drawn.bonds.iter().map(|b| format!("{} -> {}", name(b.from), name(b.to))).collect()
    }

    #[test]
    fn a_circuit_loses_its_wires_and_its_ground() {
        let drawn = simplified(
            "electric",
            &[
                "SE.u -> 1.u -> 0.out",
                "0.gnd -> 1.u",
                "0.out -> 1.r -> 0.top",
                "1.r -> R.r",
                "0.top -> 1.c -> 0.gnd",
                "1.c -> C.c",
                "SE.ground -> 0.gnd",
            ],
        );
        assert_eq!(drawn.dropped, ["ground"]);
        assert_eq!(texts(&drawn), ["SE.u -> 1.r", "1.r -> C.c", "1.r -> R.r"]);
    }

    #[test]
    fn a_wall_goes_and_a_store_at_it_stays() {
        let spring = [
            "0.force -> 1.wall",
            "SF.ground -> 1.wall",
            "1.body -> 0.force",
            "0.force -> C.k",
            "1.body -> I.m",
        ];
        let drawn = simplified("translational", &spring);
        assert_eq!(texts(&drawn), ["1.body -> C.k", "1.body -> I.m"]);
        // A mass at the wall: its momentum is zero, but it is there.
        let drawn = simplified("translational", &["SF.ground -> 1.wall", "1.wall -> I.m"]);
        assert_eq!(drawn.dropped.len(), 0);
        assert_eq!(texts(&drawn), ["SF.ground -> I.m"]);
    }

    #[test]
    fn a_tank_is_drawn_where_it_is_used() {
        let drawn = simplified(
            "hydraulic",
            &[
                "SE.tank -> 0.t",
                "SF.pump -> 0.p",
                "0.p -> C.oil",
                "0.p -> 1.a -> 0.t",
                "0.p -> 1.b -> 0.t",
                "1.a -> R.a",
                "1.b -> R.b",
            ],
        );
        let tanks = drawn.nodes.iter().filter(|n| n.name == "tank").count();
        assert_eq!(tanks, 2);
        assert!(texts(&drawn).contains(&"1.a -> SE.tank".to_string()));
        // A source with one user stays as it is.
        assert_eq!(simplified("", &["SE.u -> 0.j", "0.j -> R.r"]).nodes.len(), 2);
    }

    #[test]
    fn bonds_that_meet_head_on_keep_their_junction() {
        let drawn = simplified("", &["SE.u -> 0.j", "R.r -> 0.j"]);
        assert_eq!(drawn.nodes.len(), 3);
    }

    #[test]
    fn every_tree_keeps_rules_and_stores() {
        let mut noise = RandomGraphNoise(3);
        for round in 0..300 {
            let network = random_tree(&mut noise, 2 + round / 6);
            let found = assign(&network);
            let drawn = BondGraph::simplified(&network, &found, &laws().0);
            keeps_rules_and_stores(&network, &drawn);
            keeps_rules_and_stores(&network, &BondGraph::full(&network, &found));
            assert!(
                drawn.nodes.iter().all(|n| !matches!(n.kind, BondNodeKind::Zero | BondNodeKind::One)
                    || n.of < network.nodes.len())
            );
        }
    }
}
