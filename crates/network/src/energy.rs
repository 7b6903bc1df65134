//! Where the energy goes: an account for every element.
//!
//!   sources, losses, equations:  E' = ± e f                        a state beside the model's own       (1)
//!   stores:                      E = ∫₀^q e dq, ∫₀^p f dp          a function of the state              (2)
//!
//! (2) does not know the equations of motion, so that stored − stored at start + lost − supplied = 0 tests them. The
//! integral is exact for laws linear in the state, else Gauss–Legendre with 5 nodes in each of 16 parts, or, if the law has
//! kinks, with 2 nodes in each of 128. A store whose
//! law depends on more than its state has no energy of its own; its power is integrated as in (1).
//! Heat flow is a power itself: in thermal bonds the flow takes the place of e f, stores keep q, and losses have none.

use trunnion_equations::derivative::derivative;
use trunnion_equations::flat::{Equation, Flat, Kind as QuantityKind, Output, Quantity, Unit};
use trunnion_equations::{Binary, Expr, Node as Term, Symbol, Unary};
use trunnion_model::network::{Kind, Network};

use crate::emit::pair_of;

/// What an account counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    Supplied,
    Lost,
    Stored,
}

/// The energy of one element: a signal of the run.
#[derive(Clone, Debug)]
pub struct Account {
    /// The element: "strut.gas".
    pub name: String,
    pub kind: Kind,
    pub side: Side,
    /// The signal that holds it, in J.
    pub signal: String,
}

/// Nodes and weights on (0, 1).
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_5, 0.239_314_335_249_683_23),
    (0.5, 0.284_444_444_444_444_44),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_23),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];
const PARTS: usize = 16;
/// The same where a law has kinks: what counts is how near a part comes to them.
const GAUSS_2: [(f64, f64); 2] = [(0.211_324_865_405_187_1, 0.5), (0.788_675_134_594_812_9, 0.5)];
const PARTS_2: usize = 128;

/// Adds an account for every element that takes or gives energy; call after `emit`.
pub fn account(flat: &mut Flat, network: &Network) -> Vec<Account> {
    let mut accounts = vec![];
    let incident = network.incident();
    for (n, node) in network.nodes.iter().enumerate() {
        let side = match node.kind {
            Kind::Se | Kind::Sf => Side::Supplied,
            Kind::R | Kind::Equations => Side::Lost,
            Kind::I | Kind::C => Side::Stored,
            _ => continue,
        };
        let mine = &incident[n];
        if mine.iter().any(|&b| network.bonds[b].domain.is_some_and(|d| d.name == "pneumatic")) {
            // The energy of a gas is not pressure times mass flow.
            continue;
        }
        let power = power_into(flat, network, n, mine);
        if flat.graph.at(power).value() == Some(0.0) {
            continue;
        }
        let name = if node.name.is_empty() { "equations" } else { &node.name };
        let signal = format!("energy.{name}");
        let thermal = mine.iter().any(|&b| is_thermal(network, b));
        match (side, thermal) {
            (Side::Stored, true) => {
                let states: Vec<Expr> = node.law.states.iter().map(|&s| flat.ex(s).id).collect();
                let sum = states.iter().fold(flat.graph.constant(0.0), |sum, &q| sum + flat.graph.at(q)).id;
                add_output(flat, network, n, &signal, sum);
            }
            (Side::Lost, true) if node.kind == Kind::R => continue,
            (Side::Stored, false) if !node.law.modulated => {
                let energy = stored(flat, network, n);
                add_output(flat, network, n, &signal, energy);
            }
            (Side::Supplied, _) => {
                let given = (-flat.graph.at(power)).id;
                add_integral(flat, network, n, &signal, given);
            }
            _ => add_integral(flat, network, n, &signal, power),
        }
        accounts.push(Account { name: name.to_string(), kind: node.kind, side, signal });
    }
    accounts
}

/// What flows into the node of a joint or line of a mechanism through its ports.
pub fn motion_power(flat: &Flat, network: &Network, name: &str) -> Option<Expr> {
    let n = network.nodes.iter().position(|node| node.kind == Kind::Motion && node.name == name)?;
    Some(power_into(flat, network, n, &network.incident()[n]))
}

fn is_thermal(network: &Network, bond: usize) -> bool {
    network.bonds[bond].domain.is_some_and(|d| d.name == "thermal")
}

fn power_into(flat: &Flat, network: &Network, n: usize, mine: &[usize]) -> Expr {
    let mut power = flat.graph.constant(0.0);
    for &b in mine {
        let pair = pair_of(network, b);
        let flow = pair.flow.value(flat);
        let part = if is_thermal(network, b) { flow } else { pair.effort.value(flat) * flow };
        power = if network.bonds[b].to == n { power + part } else { power - part };
    }
    power.id
}

fn add_integral(flat: &mut Flat, network: &Network, n: usize, signal: &str, power: Expr) {
    let origin = network.nodes[n].origin.clone();
    let state = flat.add(Quantity {
        name: signal.to_string(),
        unit: Unit::si("J"),
        doc: format!("Energy through {}", network.nodes[n].name),
        origin: origin.clone(),
        kind: QuantityKind::Unknown { start: flat.graph.constant(0.0).id },
        nominal: Some(1.0),
        range: (f64::NEG_INFINITY, f64::INFINITY),
    });
    let lhs = flat.graph.derivative(state).id;
    flat.equations.push(Equation { name: format!("der({signal})"), origin, lhs, rhs: power }); // (1)
}

fn add_output(flat: &mut Flat, network: &Network, n: usize, signal: &str, value: Expr) {
    flat.outputs.push(Output {
        name: signal.to_string(),
        unit: Unit::si("J"),
        doc: format!("Energy in {}", network.nodes[n].name),
        origin: network.nodes[n].origin.clone(),
        value,
    });
}

/// The integral along the straight way from 0 to the state. (2)
fn stored(flat: &Flat, network: &Network, n: usize) -> Expr {
    let node = &network.nodes[n];
    let g = &flat.graph;
    let answers = if node.kind == Kind::C { &node.law.effort } else { &node.law.flow };
    let states = &node.law.states;
    let at = |answer: Expr, s: f64| {
        let scaled = |term: Term| match term {
            Term::Symbol(x) if states.contains(&x) => Some((g.constant(s) * g.symbol(x)).id),
            _ => None,
        };
        g.at(g.rewrite(&[answer], scaled)[0])
    };
    let mut energy = g.constant(0.0);
    for (&answer, &state) in answers.iter().zip(states) {
        let q = g.symbol(state);
        if is_linear(flat, answer, states) {
            energy = energy + 0.5 * (at(answer, 0.0) + at(answer, 1.0)) * q;
            continue;
        }
        let (parts, rule): (usize, &[(f64, f64)]) =
            if has_kinks(flat, answer) { (PARTS_2, &GAUSS_2) } else { (PARTS, &GAUSS) };
        for part in 0..parts {
            for &(node, weight) in rule {
                let s = (part as f64 + node) / parts as f64;
                energy = energy + (weight / parts as f64) * at(answer, s) * q;
            }
        }
    }
    energy.id
}

fn has_kinks(flat: &Flat, answer: Expr) -> bool {
    flat.graph.reachable([answer]).iter().any(|&e| {
        matches!(
            flat.graph.node(e),
            Term::Select(..)
                | Term::Unary(Unary::Abs | Unary::Sign, _)
                | Term::Binary(Binary::Min | Binary::Max, ..)
                | Term::Table1(..)
        )
    })
}

fn is_linear(flat: &Flat, answer: Expr, states: &[Symbol]) -> bool {
    let g = &flat.graph;
    states.iter().all(|&s| {
        let slope = derivative(g.at(answer), Term::Symbol(s)).id;
        !g.reachable([slope]).iter().any(|&e| matches!(g.node(e), Term::Symbol(x) if states.contains(&x)))
    })
}
