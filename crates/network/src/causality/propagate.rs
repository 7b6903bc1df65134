//! Efforts and flows that follow from those already known; rules (1) to (5) of [`super`].

use std::collections::{HashSet, VecDeque};

use trunnion_model::network::{BondNodeKind, Network};

use super::{Causality, Conflict};

/// Why a bond has its causality.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Reason {
    /// The node that decided.
    pub by: usize,
    because: CausalityReason,
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
enum CausalityReason {
    /// The node needs it or chose it.
    #[default]
    Itself,
    /// Another bond of the node has its causality.
    Bond(usize),
    /// None of the node's other bonds brings what it needs.
    AllOthers,
    /// The other choice contradicted these.
    Contradiction(Vec<usize>),
}

impl Reason {
    fn own(by: usize) -> Self {
        Reason { by, because: CausalityReason::Itself }
    }

    /// The bonds that led to this one; none where the node decided by itself.
    pub fn bonds(&self, bond: usize, incident: &[Vec<usize>]) -> Vec<usize> {
        match &self.because {
            CausalityReason::Itself => vec![],
            CausalityReason::Bond(b) => vec![*b],
            CausalityReason::AllOthers => incident[self.by].iter().copied().filter(|&b| b != bond).collect(),
            CausalityReason::Contradiction(list) => list.clone(),
        }
    }
}

pub struct CausalityAssignment<'a> {
    network: &'a Network,
    incident: Vec<Vec<usize>>,
    /// Whether `from` gives the effort; None: not decided.
    given: Vec<Option<bool>>,
    reasons: Vec<Reason>,
    /// Of each node: bonds not decided, and bonds that bring what a junction shares.
    open: Vec<usize>,
    givers: Vec<usize>,
    /// Rules given up.
    unmet: Vec<bool>,
    /// Bonds in the order in which they were decided.
    trail: Vec<usize>,
    queue: VecDeque<usize>,
}

impl<'a> CausalityAssignment<'a> {
    pub fn new(network: &'a Network) -> Self {
        let incident = network.incident();
        CausalityAssignment {
            network,
            given: vec![None; network.bonds.len()],
            reasons: vec![Reason::default(); network.bonds.len()],
            open: incident.iter().map(Vec::len).collect(),
            givers: vec![0; network.nodes.len()],
            unmet: vec![false; network.nodes.len()],
            trail: Vec::with_capacity(network.bonds.len()),
            queue: VecDeque::new(),
            incident,
        }
    }

    pub fn finish(self) -> Causality {
        let unmet = (0..self.unmet.len()).filter(|&n| self.unmet[n]).collect();
        let from_gives_effort = self.given.iter().map(|g| g.unwrap_or(true)).collect();
        Causality { from_gives_effort, unmet, reasons: self.reasons, ..Causality::default() }
    }

    /// (1), and junctions with one bond, which are sources of nothing. All before anything is followed, so that a
    /// contradiction is found where they meet.
    pub fn sources(&mut self) -> Vec<Conflict> {
        let network = self.network;
        let mut conflicts = vec![];
        for (node, n) in network.nodes.iter().enumerate() {
            let effort = match n.kind {
                BondNodeKind::Se => true,
                BondNodeKind::Sf => false,
                BondNodeKind::Zero | BondNodeKind::One => {
                    self.queue.push_back(node);
                    continue;
                }
                _ => continue,
            };
            for bond in self.incident[node].clone() {
                match self.given[bond] {
                    None => self.set(bond, self.toward(bond, node, effort), Reason::own(node)),
                    Some(given) if given == self.toward(bond, node, effort) => {}
                    Some(_) => conflicts.push(Conflict { node, bonds: vec![bond] }),
                }
            }
        }
        self.follow_and_keep(&mut conflicts);
        conflicts
    }

    /// Assigns the open bonds of a node, if that leads to no contradiction.
    pub(crate) fn prefer(&mut self, node: usize, effort: bool) {
        for bond in self.incident[node].clone() {
            if self.given[bond].is_none() {
                self.choose(node, bond, self.toward(bond, node, effort));
            }
        }
    }

    /// Decides the open bonds of a node so that most follows from it: it brings what the junction at the other end
    /// shares.
    pub fn decide(&mut self, node: usize) {
        for bond in self.incident[node].clone() {
            if self.given[bond].is_none() {
                let b = &self.network.bonds[bond];
                let other = if b.from == node { b.to } else { b.from };
                let effort = self.network.nodes[other].kind != BondNodeKind::One;
                self.choose(node, bond, self.toward(bond, node, effort));
            }
        }
    }

    fn toward(&self, bond: usize, node: usize, effort: bool) -> bool {
        effort == (self.network.bonds[bond].from == node)
    }

    fn choose(&mut self, node: usize, bond: usize, given: bool) {
        let Err(because) = self.attempt(bond, given, Reason::own(node)) else { return };
        let forced = Reason { by: node, because: CausalityReason::Contradiction(because) };
        if self.attempt(bond, !given, forced).is_err() {
            self.set(bond, given, Reason::own(node));
            self.follow_and_keep(&mut vec![]);
        }
    }

    /// All or nothing; if it contradicts what was decided before, the bonds it contradicts.
    fn attempt(&mut self, bond: usize, given: bool, reason: Reason) -> Result<(), Vec<usize>> {
        let start = self.trail.len();
        self.set(bond, given, reason);
        while let Some(node) = self.queue.pop_front() {
            if let Err(bonds) = self.visit(node) {
                let earlier = self.decided_before(start, bonds);
                self.take_back(start);
                return Err(earlier);
            }
        }
        Ok(())
    }

    /// Follows everything in the queue; where a rule is broken it is given up.
    fn follow_and_keep(&mut self, conflicts: &mut Vec<Conflict>) {
        while let Some(node) = self.queue.pop_front() {
            if let Err(bonds) = self.visit(node) {
                self.unmet[node] = true;
                conflicts.push(Conflict { node, bonds });
            }
        }
    }

    /// What led to these bonds, back to decisions older than `start` of the trail.
    fn decided_before(&self, start: usize, bonds: Vec<usize>) -> Vec<usize> {
        let fresh: HashSet<usize> = self.trail[start..].iter().copied().collect();
        let (mut earlier, mut list, mut at) = (vec![], bonds, 0);
        let mut seen: HashSet<usize> = list.iter().copied().collect();
        while let Some(&bond) = list.get(at) {
            at += 1;
            if !fresh.contains(&bond) {
                earlier.push(bond);
                continue;
            }
            list.extend(
                self.reasons[bond].bonds(bond, &self.incident).into_iter().filter(|&b| seen.insert(b)),
            );
        }
        earlier
    }

    fn set(&mut self, bond: usize, given: bool, reason: Reason) {
        self.given[bond] = Some(given);
        self.reasons[bond] = reason;
        self.trail.push(bond);
        for end in self.ends(bond) {
            self.open[end] -= 1;
            if self.brings(end, bond) {
                self.givers[end] += 1;
            }
            self.queue.push_back(end);
        }
    }

    fn take_back(&mut self, start: usize) {
        self.queue.clear();
        for bond in self.trail.split_off(start) {
            for end in self.ends(bond) {
                self.open[end] += 1;
                if self.brings(end, bond) {
                    self.givers[end] -= 1;
                }
            }
            self.given[bond] = None;
        }
    }

    fn ends(&self, bond: usize) -> impl Iterator<Item = usize> + use<> {
        let b = &self.network.bonds[bond];
        [b.from, b.to].into_iter().take(if b.from == b.to { 1 } else { 2 })
    }

    /// Whether a node imposes the effort on a bond that is decided.
    fn gives_effort(&self, node: usize, bond: usize) -> bool {
        self.given[bond] == Some(self.network.bonds[bond].from == node)
    }

    /// Whether a bond brings a junction what it shares.
    fn brings(&self, node: usize, bond: usize) -> bool {
        match self.network.nodes[node].kind {
            BondNodeKind::Zero => self.given[bond].is_some() && !self.gives_effort(node, bond),
            BondNodeKind::One => self.gives_effort(node, bond),
            _ => false,
        }
    }

    /// Decides what follows at a node; Err: bonds that contradict each other there.
    fn visit(&mut self, node: usize) -> Result<(), Vec<usize>> {
        if self.unmet[node] {
            return Ok(());
        }
        match self.network.nodes[node].kind {
            BondNodeKind::Zero | BondNodeKind::One => self.junction(node), // (2), (3)
            BondNodeKind::Tf => self.two_port(node, true),                 // (4)
            BondNodeKind::Gy => self.two_port(node, false),                // (5)
            _ => Ok(()),
        }
    }

    fn junction(&mut self, node: usize) -> Result<(), Vec<usize>> {
        let bonds = |work: &Self, keep: &dyn Fn(usize) -> bool| -> Vec<usize> {
            work.incident[node].iter().copied().filter(|&b| keep(b)).collect()
        };
        // At a 0 the node receives what it shares, at a 1 it gives effort for it.
        let effort = self.network.nodes[node].kind == BondNodeKind::One;
        match (self.givers[node], self.open[node]) {
            (0, 0) if !self.incident[node].is_empty() => return Err(self.incident[node].clone()),
            (0, 1) => {
                for bond in bonds(self, &|b| self.given[b].is_none()) {
                    let reason = Reason { by: node, because: CausalityReason::AllOthers };
                    self.set(bond, self.toward(bond, node, effort), reason);
                }
            }
            (1, 1..) => {
                let giver = bonds(self, &|b| self.brings(node, b))[0];
                for bond in bonds(self, &|b| self.given[b].is_none()) {
                    let reason = Reason { by: node, because: CausalityReason::Bond(giver) };
                    self.set(bond, self.toward(bond, node, !effort), reason);
                }
            }
            (2.., _) => return Err(bonds(self, &|b| self.brings(node, b))),
            _ => {}
        }
        Ok(())
    }

    /// `through`: effort in on one side goes out on the other; else both sides alike.
    fn two_port(&mut self, node: usize, through: bool) -> Result<(), Vec<usize>> {
        let &[one, two] = self.incident[node].as_slice() else { return Ok(()) };
        let (known, other) = if self.given[one].is_some() { (one, two) } else { (two, one) };
        if self.given[known].is_none() {
            return Ok(());
        }
        let effort = self.gives_effort(node, known) != through;
        match self.given[other] {
            None => {
                let reason = Reason { by: node, because: CausalityReason::Bond(known) };
                self.set(other, self.toward(other, node, effort), reason);
                Ok(())
            }
            Some(_) if self.gives_effort(node, other) == effort => Ok(()),
            Some(_) => Err(vec![known, other]),
        }
    }
}
