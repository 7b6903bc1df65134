//! Algebraic loops: strongly connected parts of the graph in which the effort and the flow of every bond point at
//! what they are computed from. Integral stores, sources and components written as equations end a path; a store in
//! derivative causality does too, as it is a finding of its own.

use trunnion_model::network::{BondNodeKind, Network};

use super::{Causality, Loop};

/// Variable 2b is the effort of bond b, 2b + 1 its flow.
pub fn find(network: &Network, causality: &Causality) -> Vec<Loop> {
    let incident = network.incident();
    let mut uses: Vec<Vec<usize>> = vec![vec![]; 2 * network.bonds.len()];
    for (node, bonds) in incident.iter().enumerate() {
        let side = LoopNode { network, causality, node, bonds };
        side.dependences(&mut |of, on| uses[of].push(on));
    }
    let mut loops = vec![];
    for part in strong_parts(&uses) {
        let mut nodes: Vec<usize> = vec![];
        for &v in &part {
            // The node that computes the variable.
            let bond = &network.bonds[v / 2];
            nodes.push(if causality.from_gives_effort[v / 2] == (v % 2 == 0) { bond.from } else { bond.to });
        }
        nodes.sort_unstable();
        nodes.dedup();
        let by_choice = |&v: &usize| {
            let reason = &causality.reasons[v / 2];
            reason.bonds(v / 2, &incident).is_empty().then_some(reason.by)
        };
        let mut chosen: Vec<usize> =
            part.iter().filter_map(by_choice).filter(|n| nodes.contains(n)).collect();
        chosen.sort_unstable();
        chosen.dedup();
        loops.push(Loop { nodes, chosen });
    }
    loops.sort_by(|a, b| a.nodes.cmp(&b.nodes));
    loops
}

struct LoopNode<'a> {
    network: &'a Network,
    causality: &'a Causality,
    node: usize,
    bonds: &'a [usize],
}

impl LoopNode<'_> {
    fn gives_effort(&self, bond: usize) -> bool {
        self.causality.gives_effort(self.network, bond, self.node)
    }

    /// What the node computes for a bond, and what it receives from it.
    fn output(&self, bond: usize) -> usize {
        2 * bond + usize::from(!self.gives_effort(bond))
    }

    fn input(&self, bond: usize) -> usize {
        2 * bond + usize::from(self.gives_effort(bond))
    }

    fn dependences(&self, add: &mut dyn FnMut(usize, usize)) {
        if self.causality.unmet.binary_search(&self.node).is_ok() {
            return;
        }
        match self.network.nodes[self.node].kind {
            // A two-port computes each side from the other, a loss every bond from all.
            kind @ (BondNodeKind::R | BondNodeKind::Tf | BondNodeKind::Gy) => {
                for &of in self.bonds {
                    for &on in self.bonds.iter().filter(|&&on| on != of || kind == BondNodeKind::R) {
                        add(self.output(of), self.input(on));
                    }
                }
            }
            BondNodeKind::Zero => self.junction(add, |side, b| !side.gives_effort(b)),
            BondNodeKind::One => self.junction(add, |side, b| side.gives_effort(b)),
            BondNodeKind::Se
            | BondNodeKind::Sf
            | BondNodeKind::C
            | BondNodeKind::I
            | BondNodeKind::Equations
            | BondNodeKind::Motion => {}
        }
    }

    /// What is shared goes from the giver to all others, the sum from all others to the giver.
    fn junction(&self, add: &mut dyn FnMut(usize, usize), brings: impl Fn(&Self, usize) -> bool) {
        let Some(&giver) = self.bonds.iter().find(|&&b| brings(self, b)) else { return };
        for &bond in self.bonds.iter().filter(|&&b| b != giver) {
            add(self.output(bond), self.input(giver));
            add(self.output(giver), self.input(bond));
        }
    }
}

/// Strongly connected parts of two and more, by Tarjan's method without recursion. [Tarjan1972]
fn strong_parts(uses: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NONE: usize = usize::MAX;
    let n = uses.len();
    let (mut index, mut low) = (vec![NONE; n], vec![NONE; n]);
    let mut on_stack = vec![false; n];
    let (mut stack, mut parts, mut count) = (vec![], vec![], 0);
    for root in 0..n {
        if index[root] != NONE {
            continue;
        }
        // Each vertex with how many of its edges were followed.
        let mut path: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some(&mut (v, ref mut edge)) = path.last_mut() {
            if *edge == 0 {
                (index[v], low[v]) = (count, count);
                count += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(&w) = uses[v].get(*edge) {
                *edge += 1;
                if index[w] == NONE {
                    path.push((w, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[v]);
            }
            if low[v] == index[v] {
                let from = stack.iter().rposition(|&w| w == v).unwrap_or(0);
                let part = stack.split_off(from);
                part.iter().for_each(|&w| on_stack[w] = false);
                if part.len() > 1 {
                    parts.push(part);
                }
            }
        }
    }
    parts
}
