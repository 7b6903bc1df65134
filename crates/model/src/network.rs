//! The bond graph of a model as its files say it, before causality.
//!
//! Nodes are elements, junctions, transformers, gyrators, and components that are written as plain equations.
//! Every connection of power ports is a junction: common effort (0) where the across variable is the effort,
//! common flow (1) in mechanics, where it is the velocity. A bond counts power positive from `from` to `to`.

use trunnion_equations::flat::{Action, Origin};
use trunnion_equations::{Ex, Expr, Flat, Symbol};

use crate::domain::Domain;
use crate::energy::OwnAccount;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BondNodeKind {
    /// Source of effort.
    Se,
    /// Source of flow.
    Sf,
    /// Inertia: keeps a momentum p = ∫e.
    I,
    /// Compliance: keeps a displacement q = ∫f.
    C,
    R,
    /// e₁ = A e₂, f₂ = A f₁; side 1 is the bond that arrives first.
    Tf,
    /// e₂ = A f₁, e₁ = A f₂.
    Gy,
    /// Common effort.
    Zero,
    /// Common flow.
    One,
    /// Ports of a component that is written as equations: any causality.
    Equations,
    /// Ports of a mechanism: answer effort with flow, as an inertia does.
    Motion,
}

impl BondNodeKind {
    /// As it is written in a structure.
    pub fn word(self) -> &'static str {
        match self {
            BondNodeKind::Se => "SE",
            BondNodeKind::Sf => "SF",
            BondNodeKind::I => "I",
            BondNodeKind::C => "C",
            BondNodeKind::R => "R",
            BondNodeKind::Tf => "TF",
            BondNodeKind::Gy => "GY",
            BondNodeKind::Zero => "0",
            BondNodeKind::One => "1",
            BondNodeKind::Equations => "EQ",
            BondNodeKind::Motion => "MB",
        }
    }
}

/// What an element says. One entry per bond of the element, in the order of its bonds; a one-port has one.
#[derive(Clone, Debug, Default)]
pub struct Law {
    /// e of SE; e(q) of C; e(f) of R.
    pub effort: Vec<Expr>,
    /// f of SF; f(p) of I; f(e) of R.
    pub flow: Vec<Expr>,
    /// The inverse of a store: q(e) of C, p(f) of I. Empty where the law has none.
    pub stored: Vec<Expr>,
    /// q of C, p of I.
    pub states: Vec<Symbol>,
    /// A of TF and GY.
    pub ratio: Option<Expr>,
    /// The effort of a 0-junction, the flow of a 1-junction, where it has a name.
    pub common: Option<Symbol>,
    /// Depends on more than parameters and its own variables: drawn with an M.
    pub modulated: bool,
}

#[derive(Clone, Debug)]
pub struct BondNode {
    pub kind: BondNodeKind,
    /// "strut.gas" for element `gas` of component `strut`; a connection is called after its first port.
    pub name: String,
    /// Type of the component it belongs to: "accumulator"; empty for connections and the model itself.
    pub component: String,
    pub origin: Origin,
    pub law: Law,
    /// Made by a connection in [connect] or a port, not written in a file.
    pub connection: bool,
}

/// A quantity, or its negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signed {
    pub symbol: Symbol,
    pub negative: bool,
}

impl Signed {
    pub fn value(self, flat: &Flat) -> Ex<'_> {
        let x = flat.ex(self.symbol);
        if self.negative { -x } else { x }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerPair {
    pub effort: Signed,
    pub flow: Signed,
}

#[derive(Clone, Debug)]
pub struct Bond {
    pub from: usize,
    pub to: usize,
    /// All quantities that are the effort and flow of this bond: of the element, of ports on the way. Empty between
    /// junctions of different kind: then e is the common effort of the one, f the common flow of the other.
    pub pairs: Vec<PowerPair>,
    /// None: not known.
    pub domain: Option<&'static Domain>,
}

#[derive(Clone, Debug, Default)]
pub struct Network {
    pub nodes: Vec<BondNode>,
    pub bonds: Vec<Bond>,
    /// Accounts that components keep themselves.
    pub accounts: Vec<OwnAccount>,
    /// Stores that keep nothing: no flow into a C, no effort on an I.
    pub removed: Vec<usize>,
}

impl Network {
    /// Numbers of the elements that store energy.
    pub fn stores(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.nodes.len()).filter(|&n| matches!(self.nodes[n].kind, BondNodeKind::C | BondNodeKind::I))
    }

    /// Whether a store can go without: nothing sets its state, which would not be one any more.
    pub fn is_removable(&self, flat: &Flat, store: usize) -> bool {
        let tasks = flat.tasks.iter().filter_map(|t| match &t.action {
            Action::Set(list) => Some(list),
            Action::Script { .. } => None,
        });
        let mut set = flat.events.iter().map(|e| &e.set).chain(tasks).flatten();
        !set.any(|a| self.nodes[store].law.states.contains(&a.target))
    }

    /// The bonds of every node, in the order in which they were written.
    pub fn incident(&self) -> Vec<Vec<usize>> {
        incident(self.nodes.len(), self.bonds.iter().map(|b| (b.from, b.to)))
    }
}

/// For every node the numbers of the bonds that end at it.
pub fn incident(nodes: usize, ends: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut incident = vec![vec![]; nodes];
    for (b, (from, to)) in ends.enumerate() {
        incident[from].push(b);
        if to != from {
            incident[to].push(b);
        }
    }
    incident
}
