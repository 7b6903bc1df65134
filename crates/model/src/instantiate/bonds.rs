//! Bond graphs of components: their elements become nodes of the network, with quantities and laws.
//!
//! Bonds that end at a port are kept open until all connections are known; `close_ports` then joins what is inside a
//! port to what is outside. A port that no bond and no inner connection uses belongs to the component's equations.

mod domains;
mod laws;
mod ports;

use std::collections::HashMap;
use std::ops::Range;

use trunnion_equations::{Expr, Symbol};

use super::quantities::New;
use super::{ModelBuilder, NameRole};
use crate::component::{Chain, ChainMember, ElementLaw, Port};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::domain::{Connector, Domain, unit_of};
use crate::file::Span;
use crate::network::{Bond, BondNode, BondNodeKind, Law, PowerPair, Signed};

pub use ports::Meeting;

/// An end of a bond that waits for its port to be joined.
pub const OPEN: usize = usize::MAX;

/// What is known of the bond graphs while the model is built.
#[derive(Debug, Default)]
pub(crate) struct Bonds {
    /// Nodes by full name, "strut.gas".
    pub node_of: HashMap<String, usize>,
    /// Where ports are met, by full name.
    pub ports: HashMap<String, Meeting>,
    /// The quantities of an element, one pair per bond.
    pairs: HashMap<usize, Vec<PowerPair>>,
    /// The bonds of an element, in the same order.
    bonds: HashMap<usize, Vec<usize>>,
    /// The nodes in the bond graph of each component.
    written: Vec<Range<usize>>,
    /// Where each node stands.
    spans: Vec<Span>,
}

impl<'a> ModelBuilder<'a> {
    /// Nodes, bonds and quantities of all components.
    pub(crate) fn add_bond_graphs(&mut self) {
        for index in 0..self.tree.instances.len() {
            let instance = &self.tree.instances[index];
            let chains: Vec<&'a Chain> = instance.bodies.iter().flat_map(|b| &b.bond_graph.chains).collect();
            let first = self.flat_bonds();
            for chain in chains {
                for link in chain.stops.windows(2) {
                    self.add_link(index, &link[0], &link[1]);
                }
            }
            self.bonds.written.push(first.0..self.network.nodes.len());
            self.check_shapes(first);
            self.find_domains(index, first);
            self.add_element_quantities(index, first);
        }
    }

    fn flat_bonds(&self) -> (usize, usize) {
        (self.network.nodes.len(), self.network.bonds.len())
    }

    /// One bond of a chain.
    fn add_link(&mut self, index: usize, from: &ChainMember, to: &ChainMember) {
        let (Some(a), Some(b)) = (self.stop(index, from), self.stop(index, to)) else { return };
        match (a, b) {
            (ChainPlace::Node(a), ChainPlace::Node(b)) => {
                self.add_bond(a, b, None);
            }
            (ChainPlace::Port(port), ChainPlace::Node(b)) => self.port_bond(index, port, b, true),
            (ChainPlace::Node(a), ChainPlace::Port(port)) => self.port_bond(index, port, a, false),
            (ChainPlace::Port(a), ChainPlace::Port(b)) => {
                let kind = junction_kind(a.domain.or(b.domain));
                let name = self.tree.instances[index].full(&format!("{}_{}", a.key.name, b.key.name));
                let node = self.add_node(index, kind, name, &from.span, true);
                self.port_bond(index, a, node, true);
                self.port_bond(index, b, node, false);
            }
        }
    }

    fn port_bond(&mut self, index: usize, port: &'a Port, node: usize, inward: bool) {
        let name = self.tree.instances[index].full(&port.key.name);
        let (from, to) = if inward { (OPEN, node) } else { (node, OPEN) };
        let bond = self.add_bond(from, to, port.domain);
        self.bonds.ports.entry(name).or_default().inside.push(bond);
    }

    pub(crate) fn add_bond(&mut self, from: usize, to: usize, domain: Option<&'static Domain>) -> usize {
        self.network.bonds.push(Bond { from, to, pairs: vec![], domain });
        self.network.bonds.len() - 1
    }

    pub(crate) fn add_node(
        &mut self,
        index: usize,
        kind: BondNodeKind,
        name: String,
        span: &Span,
        connection: bool,
    ) -> usize {
        let origin = self.origin(index, span);
        let component = match index {
            0 => String::new(),
            _ => self.tree.instances[index].definition.name.clone(),
        };
        self.network.nodes.push(BondNode { kind, name, component, origin, law: Law::default(), connection });
        self.bonds.spans.push(span.clone());
        self.network.nodes.len() - 1
    }

    /// The node or port that a stop names; makes the node when it is met first.
    fn stop(&mut self, index: usize, stop: &ChainMember) -> Option<ChainPlace<'a>> {
        let instance = &self.tree.instances[index];
        let full = instance.full(&stop.name);
        let Some(kind) = stop.kind else {
            let ports: Vec<&'a Port> = instance.each(|b| &b.ports).collect();
            let power = |p: &&&'a Port| p.domain.is_none_or(|d| d.connector != Connector::Signal);
            let found = ports.iter().filter(power).find(|p| p.key.name == stop.name);
            if found.is_none() {
                self.problems.add(
                    Diagnostic::error("M0116", format!("there is no port `{}`", stop.name))
                        .at(&stop.span, "neither a port that carries power nor an element")
                        .hint("an element is written with its kind: C.spring, 1.flow")
                        .hint_if(did_you_mean(&stop.name, ports.iter().map(|p| p.key.name.as_str()))),
                );
            }
            return found.filter(|p| p.domain.is_some()).map(|p| ChainPlace::Port(p));
        };
        if let Some(&node) = self.bonds.node_of.get(&full) {
            let known = self.network.nodes[node].kind;
            if known != kind {
                self.problems.add(
                    Diagnostic::error("M0116", format!("`{}` is of two kinds", stop.name))
                        .at(&stop.span, format!("{} here, {} before", kind.word(), known.word())),
                );
                return None;
            }
            return Some(ChainPlace::Node(node));
        }
        let node = self.add_node(index, kind, full.clone(), &stop.span, false);
        self.bonds.node_of.insert(full, node);
        Some(ChainPlace::Node(node))
    }

    /// How many bonds a node may have, and where they point.
    fn check_shapes(&mut self, first: (usize, usize)) {
        let mut of: HashMap<usize, Vec<usize>> = HashMap::new();
        for b in first.1..self.network.bonds.len() {
            let bond = &self.network.bonds[b];
            for end in [bond.from, bond.to].into_iter().filter(|&n| n != OPEN) {
                of.entry(end).or_default().push(b);
            }
        }
        for n in first.0..self.network.nodes.len() {
            let node = &self.network.nodes[n];
            let mut mine = of.remove(&n).unwrap_or_default();
            let inward = mine.iter().filter(|&&b| self.network.bonds[b].to == n).count();
            let wrong = match node.kind {
                BondNodeKind::Se | BondNodeKind::Sf if mine.len() != 1 => Some("a source has one bond"),
                BondNodeKind::I | BondNodeKind::C | BondNodeKind::R if inward != mine.len() => {
                    Some("bonds of I, C and R point to them")
                }
                BondNodeKind::Tf | BondNodeKind::Gy if mine.len() != 2 || inward != 1 => {
                    Some("one bond points to it, one away from it")
                }
                _ => None,
            };
            if let Some(reason) = wrong {
                let error = Diagnostic::error("M0116", format!("`{}` cannot be bonded so", node.name));
                self.problems.add(error.at(&self.bonds.spans[n], reason));
            }
            // Side 1 of a two-port is the bond that points to it.
            if matches!(node.kind, BondNodeKind::Tf | BondNodeKind::Gy) {
                mine.sort_by_key(|&b| self.network.bonds[b].to != n);
            }
            self.bonds.bonds.insert(n, mine);
        }
    }

    fn add_element_quantities(&mut self, index: usize, first: (usize, usize)) {
        for n in first.0..self.network.nodes.len() {
            let kind = self.network.nodes[n].kind;
            match kind {
                BondNodeKind::Zero | BondNodeKind::One => {
                    let bond = self.bonds.bonds[&n].first().copied();
                    let domain = bond.and_then(|b| self.network.bonds[b].domain);
                    let common = self.add_part(index, n, "", kind == BondNodeKind::Zero, domain);
                    self.network.nodes[n].law.common = common;
                }
                _ => self.add_element(index, n),
            }
        }
        for b in first.1..self.network.bonds.len() {
            let Bond { from, to, .. } = self.network.bonds[b];
            let mut pairs = vec![];
            for end in [from, to].into_iter().filter(|&n| n != OPEN) {
                let place = self.bonds.bonds.get(&end).and_then(|list| list.iter().position(|&x| x == b));
                let known = self.bonds.pairs.get(&end).zip(place).and_then(|(list, k)| list.get(k).copied());
                pairs.extend(known);
            }
            self.network.bonds[b].pairs = pairs;
        }
    }

    /// Effort, flow and state for every bond of an element.
    fn add_element(&mut self, index: usize, n: usize) {
        let mine = self.bonds.bonds[&n].clone();
        let kind = self.network.nodes[n].kind;
        let law = self.law_of(index, n);
        let (mut pairs, mut states) = (vec![], vec![]);
        for (k, &b) in mine.iter().enumerate() {
            let number = if mine.len() > 1 { (k + 1).to_string() } else { String::new() };
            let domain = self.network.bonds[b].domain;
            let (effort, flow) = (
                self.add_part(index, n, &number, true, domain),
                self.add_part(index, n, &number, false, domain),
            );
            if let (Some(effort), Some(flow)) = (effort, flow) {
                let plain = |symbol| Signed { symbol, negative: false };
                pairs.push(PowerPair { effort: plain(effort), flow: plain(flow) });
            }
            if matches!(kind, BondNodeKind::I | BondNodeKind::C) {
                states.extend(self.add_state(index, n, &number, k, domain, law));
            }
        }
        self.bonds.pairs.insert(n, pairs);
        self.network.nodes[n].law.states = states;
    }

    /// The law written for a node.
    fn law_of(&self, index: usize, n: usize) -> Option<&'a ElementLaw> {
        let instance = &self.tree.instances[index];
        let laws = instance.bodies.iter().flat_map(|b| &b.bond_graph.laws);
        let name = &self.network.nodes[n].name;
        laws.into_iter().find(|l| instance.full(&l.key.name) == *name)
    }

    /// "loss.e" or "loss.f".
    fn add_part(
        &mut self,
        index: usize,
        n: usize,
        number: &str,
        effort: bool,
        domain: Option<&'static Domain>,
    ) -> Option<Symbol> {
        let node = &self.network.nodes[n];
        let letter = if effort { "e" } else { "f" };
        let name = format!("{}.{letter}{number}", node.name);
        let variable = domain.and_then(|d| d.effort_and_flow()).map(|(e, f)| if effort { e } else { f });
        let word = variable.map_or(if effort { "Effort" } else { "Flow" }, |v| v.doc);
        let doc = format!("{word} of {}", node.name.rsplit('.').next().unwrap_or_default());
        let unit = variable.and_then(|v| unit_of(v.unit));
        let span = self.bonds.spans[n].clone();
        let start = self.graph().constant(0.0).id;
        self.enter(index, New { name, unit, doc: &doc, nominal: None, span: &span }, start)
    }

    fn add_state(
        &mut self,
        index: usize,
        n: usize,
        number: &str,
        k: usize,
        domain: Option<&'static Domain>,
        law: Option<&'a ElementLaw>,
    ) -> Option<Symbol> {
        let node = &self.network.nodes[n];
        let displacement = node.kind == BondNodeKind::C;
        let stored = domain.and_then(|d| match d.connector {
            Connector::Power { stored, .. } => Some(stored),
            Connector::Signal => None,
        });
        let unit = stored.and_then(|s| unit_of(if displacement { s.displacement } else { s.momentum }));
        let letter = if displacement { "q" } else { "p" };
        let own = law.and_then(|l| l.states.get(k)).map(|t| t.text.clone());
        let instance = &self.tree.instances[index];
        let name =
            own.as_ref().map_or_else(|| format!("{}.{letter}{number}", node.name), |own| instance.full(own));
        let whose = format!("the start of `{name}`");
        let given = own.as_ref().and_then(|own| instance.starts.get(own).cloned());
        let span = match law.and_then(|l| l.states.get(k)) {
            Some(text) => text.span.clone(),
            None => self.bonds.spans[n].clone(),
        };
        let word = if displacement { "Displacement" } else { "Momentum" };
        let short = node.name.rsplit('.').next().unwrap_or_default().to_string();
        let start = match (given, law.and_then(|l| l.start.get(k))) {
            (Some(a), _) => self.constant(&a.scalar, a.scope, unit.as_ref(), &whose),
            (None, Some(start)) => self.constant(start, index, unit.as_ref(), &whose),
            (None, None) => None,
        };
        let start = start.map_or_else(|| self.graph().constant(0.0).id, |(typed, _)| typed.expr);
        let doc = match law.map(|l| l.doc.as_str()) {
            Some(doc) if !doc.is_empty() => doc.to_string(),
            _ => format!("{word} of {short}"),
        };
        self.enter(index, New { name, unit, doc: &doc, nominal: None, span: &span }, start)
    }

    /// Enters a quantity whose name must be new.
    fn enter(&mut self, index: usize, new: New<'_>, start: Expr) -> Option<Symbol> {
        if let Some(first) = self.names.map.get(&new.name) {
            self.problems.add(
                Diagnostic::error("M0105", format!("`{}` is defined twice", new.name))
                    .at(new.span, "by the bond graph here")
                    .at(&first.span, "and here")
                    .hint("give the element another name, or its state another one with `state`"),
            );
            return None;
        }
        let name = new.name.clone();
        self.add_quantity(index, new, NameRole::Unknown, start);
        self.names.map.get(&name).and_then(|n| n.symbol)
    }
}

/// What a word in a chain stands for.
enum ChainPlace<'a> {
    Node(usize),
    Port(&'a Port),
}

/// Where ports meet: efforts are common, in mechanics flows.
pub(crate) fn junction_kind(domain: Option<&Domain>) -> BondNodeKind {
    match domain.map(|d| d.connector) {
        Some(Connector::Power { across_is_effort: false, .. }) => BondNodeKind::One,
        _ => BondNodeKind::Zero,
    }
}
