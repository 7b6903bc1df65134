//! The equations of a bond graph, each solved for what it gives under the causality assigned.
//!
//!   0:  e_k = e_g,  f_g = −Σ ± f_k        g: the one bond that brings the effort                      (1)
//!   1:  f_k = f_g,  e_g = −Σ ± e_k        g: the one bond that brings the flow                        (2)
//!   C:  q' = f, e = e(q)  or  q = q(e)                                                                (3)
//!   I:  p' = e, f = f(p)  or  p = p(f)                                                                (4)
//!   R:  e = e(f)  or  f = f(e)                                                                        (5)
//!   TF: e₁ = A e₂, f₂ = A f₁;   GY: e₂ = A f₁, e₁ = A f₂                                              (6)
//!   removed C: f = 0, q = q(e);   removed I: e = 0, p = p(f)                                          (7)
//!
//! Stores in derivative causality keep q' = f and are named to the analysis as the states to give up.
//!
//! In a loop all is solved together, whichever form (5) has. A law of straight lines is written as f(e) there: what blocks has
//! a flow that is known well from its effort, while its effort, a small flow over a smaller conductance, is not.

use std::collections::HashSet;

use trunnion_equations::flat::{Equation, Flat};
use trunnion_equations::{Binary, Expr, ExprNode, Graph, Symbol, Unary};
use trunnion_model::network::{BondNode, BondNodeKind, Law, Network, PowerPair, Signed};

use crate::causality::Causality;

/// Effort and flow of one bond, and whether it points into the node looked at.
#[derive(Clone, Copy)]
struct BondView {
    pair: PowerPair,
    inward: bool,
    /// The node looked at imposes the effort.
    gives_effort: bool,
}

/// Writes the equations of all nodes and bonds.
pub fn emit(flat: &mut Flat, network: &Network, causality: &Causality) {
    let pairs: Vec<PowerPair> = (0..network.bonds.len()).map(|b| pair_of(network, b)).collect();
    let in_loop = causality.loops.iter().flat_map(|l| l.nodes.iter().copied()).collect();
    let mut writer = LawWriter { flat, node: None, network, in_loop };
    for (bond, first) in network.bonds.iter().zip(&pairs) {
        writer.node = Some(if network.nodes[bond.from].connection { bond.to } else { bond.from });
        for other in bond.pairs.iter().skip(1) {
            writer.same(other.effort, first.effort);
            writer.same(other.flow, first.flow);
        }
    }
    let mut views: Vec<Vec<BondView>> = vec![vec![]; network.nodes.len()];
    for (b, bond) in network.bonds.iter().enumerate() {
        let from_gives = causality.from_gives_effort[b];
        views[bond.from].push(BondView { pair: pairs[b], inward: false, gives_effort: from_gives });
        views[bond.to].push(BondView { pair: pairs[b], inward: true, gives_effort: !from_gives });
    }
    for (index, node) in network.nodes.iter().enumerate() {
        writer.node = Some(index);
        writer.element(node, &views[index]);
    }
}

/// The quantities that stand for a bond; between unlike junctions those the junctions share.
pub(crate) fn pair_of(network: &Network, b: usize) -> PowerPair {
    let bond = &network.bonds[b];
    if let Some(&pair) = bond.pairs.first() {
        return pair;
    }
    let (mut effort, mut flow) = (None, None);
    for end in [bond.from, bond.to] {
        let common = common_of(network, end);
        match network.nodes[end].kind {
            BondNodeKind::Zero => effort = common,
            _ => flow = common,
        }
    }
    let (Some(effort), Some(flow)) = (effort, flow) else {
        unreachable!("a bond without names joins a 0- and a 1-junction that have names")
    };
    PowerPair { effort, flow }
}

/// Straight lines that meet in corners.
fn has_straight_lines(graph: &Graph, law: Expr) -> bool {
    use Binary::*;
    let nodes = graph.reachable([law]);
    let is_straight = |node| match node {
        ExprNode::Unary(op, _) => matches!(op, Unary::Neg | Unary::Abs),
        ExprNode::Binary(op, ..) => !matches!(op, Pow | Atan2 | Mod),
        ExprNode::Table1(..) | ExprNode::Table2(..) => false,
        _ => true,
    };
    let is_corner = |node| match node {
        ExprNode::Unary(op, _) => op == Unary::Abs,
        ExprNode::Binary(op, ..) => matches!(op, Min | Max),
        node => matches!(node, ExprNode::Select(..)),
    };
    nodes.iter().all(|&e| is_straight(graph.node(e))) && nodes.iter().any(|&e| is_corner(graph.node(e)))
}

/// The shared variable of a junction, by its own name or that of one of its bonds.
fn common_of(network: &Network, node: usize) -> Option<Signed> {
    if let Some(symbol) = network.nodes[node].law.common {
        return Some(Signed { symbol, negative: false });
    }
    let mine = network.bonds.iter().filter(|b| b.from == node || b.to == node);
    let pair = mine.filter_map(|b| b.pairs.first()).next()?;
    Some(if network.nodes[node].kind == BondNodeKind::Zero { pair.effort } else { pair.flow })
}

struct LawWriter<'a> {
    flat: &'a mut Flat,
    network: &'a Network,
    node: Option<usize>,
    in_loop: HashSet<usize>,
}

impl LawWriter<'_> {
    fn value(&self, s: Signed) -> Expr {
        s.value(self.flat).id
    }

    /// ± symbol = value.
    fn set(&mut self, target: Signed, value: Expr) {
        let value = if target.negative { (-self.flat.graph.at(value)).id } else { value };
        self.set_symbol(target.symbol, value);
    }

    fn set_symbol(&mut self, target: Symbol, value: Expr) {
        let lhs = self.flat.ex(target).id;
        if lhs == value {
            return;
        }
        self.push(self.flat.quantity(target).name.clone(), lhs, value);
    }

    fn push(&mut self, name: String, lhs: Expr, rhs: Expr) {
        let node = self.node.map(|n| &self.network.nodes[n]);
        let origin = node.map(|n| n.origin.clone()).unwrap_or_default();
        let named = node.map_or("", |n| n.name.as_str());
        let name = if named.is_empty() { name } else { format!("{named}: {name}") };
        self.flat.equations.push(Equation { name, origin, lhs, rhs });
    }

    fn same(&mut self, a: Signed, b: Signed) {
        let value = self.value(b);
        self.set(a, value);
    }

    fn element(&mut self, node: &BondNode, views: &[BondView]) {
        let law = &node.law;
        match node.kind {
            BondNodeKind::Se => self.each(views, &law.effort, |v| v.pair.effort),
            BondNodeKind::Sf => self.each(views, &law.flow, |v| v.pair.flow),
            BondNodeKind::C if self.is_removed() => {
                self.remove(law, views, &law.effort, |p| (p.flow, p.effort))
            }
            BondNodeKind::I if self.is_removed() => {
                self.remove(law, views, &law.flow, |p| (p.effort, p.flow))
            }
            BondNodeKind::C => {
                self.store(law, views, &law.effort, |p| (p.flow, p.effort), |v| v.gives_effort)
            } // (3)
            BondNodeKind::I => self.store(law, views, &law.flow, |p| (p.effort, p.flow), |v| !v.gives_effort), // (4)
            BondNodeKind::R => self.loss(law, views),
            BondNodeKind::Tf | BondNodeKind::Gy => self.two_port(node, views),
            BondNodeKind::Zero => self.junction(node, views, |p| (p.effort, p.flow), |v| !v.gives_effort), // (1)
            BondNodeKind::One => self.junction(node, views, |p| (p.flow, p.effort), |v| v.gives_effort), // (2)
            BondNodeKind::Equations | BondNodeKind::Motion => {}
        }
    }

    fn each(&mut self, views: &[BondView], values: &[Expr], part: fn(&BondView) -> Signed) {
        for (view, &value) in views.iter().zip(values) {
            self.set(part(view), value);
        }
    }

    /// A C as it stands, an I with effort and flow exchanged: `pick` gives (rate of the state, answer).
    fn store(
        &mut self,
        law: &Law,
        views: &[BondView],
        answers: &[Expr],
        pick: fn(PowerPair) -> (Signed, Signed),
        integral: fn(&BondView) -> bool,
    ) {
        for (k, view) in views.iter().enumerate() {
            let (Some(&state), Some(&answer)) = (law.states.get(k), answers.get(k)) else { continue };
            let (rate, response) = pick(view.pair);
            let name = format!("der({})", self.flat.quantity(state).name);
            let (derivative, rate) = (self.flat.graph.derivative(state).id, self.value(rate));
            self.push(name, derivative, rate);
            if integral(view) {
                self.set(response, answer);
                continue;
            }
            self.flat.dependent.push(state);
            match law.stored.get(k) {
                Some(&inverse) => self.set_symbol(state, inverse),
                None => self.set(response, answer),
            }
        }
    }

    fn is_removed(&self) -> bool {
        self.node.is_some_and(|n| self.network.removed.contains(&n))
    }

    /// A store that keeps nothing: (7). Its q or p still tells what its effort or flow would have put into it.
    fn remove(
        &mut self,
        law: &Law,
        views: &[BondView],
        answers: &[Expr],
        pick: fn(PowerPair) -> (Signed, Signed),
    ) {
        for (k, view) in views.iter().enumerate() {
            let (Some(&state), Some(&answer)) = (law.states.get(k), answers.get(k)) else { continue };
            let (rate, response) = pick(view.pair);
            let (rate, zero) = (self.value(rate), self.flat.graph.constant(0.0).id);
            self.push("removed".into(), rate, zero);
            match law.stored.get(k) {
                Some(&inverse) => self.set_symbol(state, inverse),
                None => self.set(response, answer),
            }
        }
    }

    fn loss(&mut self, law: &Law, views: &[BondView]) {
        let in_loop = self.node.is_some_and(|n| self.in_loop.contains(&n));
        for (k, view) in views.iter().enumerate() {
            let (effort, flow) = (law.effort.get(k).copied(), law.flow.get(k).copied());
            let by_flow = in_loop && flow.is_some_and(|f| has_straight_lines(&self.flat.graph, f));
            match (effort, flow, view.gives_effort && !by_flow) {
                (Some(effort), _, true) | (Some(effort), None, false) => self.set(view.pair.effort, effort),
                (_, Some(flow), false) | (None, Some(flow), true) => self.set(view.pair.flow, flow),
                (None, None, _) => {}
            } // (5)
        }
    }

    fn two_port(&mut self, node: &BondNode, views: &[BondView]) {
        let (Some(ratio), [one, two]) = (node.law.ratio, views) else { return };
        let times = |w: &Self, s: Signed| {
            let g = &w.flat.graph;
            (g.at(ratio) * g.at(w.value(s))).id
        };
        let (a, b) = (one.pair, two.pair);
        let pairs = match node.kind {
            BondNodeKind::Tf => [(a.effort, b.effort), (b.flow, a.flow)],
            _ => [(b.effort, a.flow), (a.effort, b.flow)],
        }; // (6)
        for (target, source) in pairs {
            let value = times(self, source);
            self.set(target, value);
        }
    }

    /// `pick` gives (shared, summed); `brings` tells the one bond that brings the shared variable.
    fn junction(
        &mut self,
        node: &BondNode,
        views: &[BondView],
        pick: fn(PowerPair) -> (Signed, Signed),
        brings: fn(&BondView) -> bool,
    ) {
        let giver = views.iter().position(brings).unwrap_or(0);
        let Some(g) = views.get(giver) else { return };
        let (shared, total) = pick(g.pair);
        if let Some(common) = node.law.common {
            let value = self.value(shared);
            self.set_symbol(common, value);
        }
        let mut sum = self.flat.graph.constant(0.0).id;
        for (k, view) in views.iter().enumerate().filter(|(k, _)| *k != giver) {
            let (other, part) = pick(views[k].pair);
            if other != shared && Some(other.symbol) != node.law.common {
                self.same(other, shared);
            }
            let (s, part) = (self.flat.graph.at(sum), self.flat.graph.at(self.value(part)));
            // The giver's own sign: parts that point the other way as it does add to it.
            sum = if view.inward == g.inward { s - part } else { s + part }.id;
        }
        self.set(total, sum);
    }
}
