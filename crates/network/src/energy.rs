//! Where the energy goes: an account for every element.
//!
//!   sources, losses, equations:  E' = ± e f                        a state beside the model's own       (1)
//!   stores:                      E = ∫₀^q e dq, ∫₀^p f dp          a function of the state              (2)
//!
//! (2) does not know the equations of motion, so that stored − stored at start + lost − supplied = 0 tests them. The
//! integral is exact for laws linear in the state, else Gauss–Legendre with 5 nodes in each of 16 parts, or, if the law has
//! kinks, with 2 nodes in each of 128. A store whose
//! law depends on more than its state has no energy of its own; its power is integrated as in (1).
//! Heat flow is a power itself: in thermal bonds the flow takes the place of e f, stores keep q, and losses have none. Gas is
//! treated alike: it carries p/ρ = R T₀ per mass through every port, the work of pushing it in; its lines are at T₀.
//! Components that keep accounts of their own (`energy = …` of an output) are taken at their word.

use trunnion_equations::derivative::derivative;
use trunnion_equations::flat::{DisplayUnit, Flat, Origin, Output};
use trunnion_equations::{Binary, Expr, ExprNode as Term, Symbol, Unary};
use trunnion_model::domain::FLOW_WORK;
use trunnion_model::energy::{Account, AccountKind, OwnAccount, integrate};
use trunnion_model::network::{BondNode, BondNodeKind, Network};

use crate::emit::pair_of;

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
        if network.removed.contains(&n) {
            continue;
        }
        let side = match node.kind {
            BondNodeKind::Se | BondNodeKind::Sf => AccountKind::Supplied,
            BondNodeKind::R | BondNodeKind::Equations => AccountKind::Lost,
            BondNodeKind::I | BondNodeKind::C => AccountKind::Stored,
            _ => continue,
        };
        let mine = &incident[n];
        if node.kind == BondNodeKind::Equations
            && network.accounts.iter().any(|own| own.component == node.name)
        {
            continue;
        }
        let power = power_into(flat, network, n, mine);
        if flat.graph.at(power).value() == Some(0.0) {
            continue;
        }
        let name = if node.name.is_empty() { "equations" } else { &node.name };
        let signal = format!("energy.{name}");
        let carried = mine.iter().find_map(|&b| carried(network, b));
        match (side, carried.is_some()) {
            (AccountKind::Stored, true) => {
                let zero = flat.graph.constant(0.0);
                let sum = node.law.states.iter().fold(zero, |sum, &s| sum + flat.ex(s));
                let energy = (carried.unwrap_or(1.0) * sum).id;
                add_output(flat, node, &signal, energy);
            }
            (AccountKind::Lost, true) if node.kind == BondNodeKind::R => continue,
            (AccountKind::Stored, false) if !node.law.modulated => {
                let energy = stored(flat, network, n);
                add_output(flat, node, &signal, energy);
            }
            (AccountKind::Supplied, _) => {
                let given = (-flat.graph.at(power)).id;
                integrate(flat, &signal, node.origin.clone(), given); // (1)
            }
            _ => integrate(flat, &signal, node.origin.clone(), power),
        }
        accounts.push(Account { name: name.to_string(), kind: node.kind, side, signal });
    }
    accounts.extend(network.accounts.iter().map(|own| keep(flat, own)));
    accounts
}

/// Adds a signal for every store: A = ∫|e f| dt, the energy that went in and out. [Louca1997]
pub fn activities(flat: &mut Flat, network: &Network) -> Vec<(usize, String)> {
    let incident = network.incident();
    let mut signals = vec![];
    for n in network.stores().filter(|n| !network.removed.contains(n)) {
        let signal = format!("activity.{}", network.nodes[n].name);
        let power = flat.graph.at(power_into(flat, network, n, &incident[n])).abs().id;
        integrate(flat, &signal, network.nodes[n].origin.clone(), power);
        signals.push((n, signal));
    }
    signals
}

/// An account of a component's own.
fn keep(flat: &mut Flat, own: &OwnAccount) -> Account {
    let signal = format!("energy.{}", own.name);
    if own.is_power {
        integrate(flat, &signal, own.origin.clone(), own.value);
    } else {
        push_output(flat, &signal, &own.name, &own.origin, own.value);
    }
    Account { name: own.name.clone(), kind: BondNodeKind::Equations, side: own.side, signal }
}

/// What flows into the node of a joint or line of a mechanism through its ports.
pub fn motion_power(flat: &Flat, network: &Network, name: &str) -> Option<Expr> {
    let n = network.nodes.iter().position(|node| node.kind == BondNodeKind::Motion && node.name == name)?;
    Some(power_into(flat, network, n, &network.incident()[n]))
}

/// Power per flow where the flow itself carries the energy.
fn carried(network: &Network, bond: usize) -> Option<f64> {
    match network.bonds[bond].domain?.name {
        "thermal" => Some(1.0),
        "pneumatic" => Some(FLOW_WORK),
        _ => None,
    }
}

fn is_gas(network: &Network, bond: usize) -> bool {
    network.bonds[bond].domain.is_some_and(|d| d.name == "pneumatic")
}

fn power_into(flat: &Flat, network: &Network, n: usize, mine: &[usize]) -> Expr {
    let mut power = flat.graph.constant(0.0);
    for &b in mine {
        let pair = pair_of(network, b);
        let flow = pair.flow.value(flat);
        let part = match carried(network, b) {
            // What equations do with gas only they know.
            Some(_) if is_gas(network, b) && network.nodes[n].kind == BondNodeKind::Equations => continue,
            Some(carried) => carried * flow,
            None => pair.effort.value(flat) * flow,
        };
        power = if network.bonds[b].to == n { power + part } else { power - part };
    }
    power.id
}

fn add_output(flat: &mut Flat, node: &BondNode, signal: &str, value: Expr) {
    push_output(flat, signal, &node.name, &node.origin, value);
}

fn push_output(flat: &mut Flat, signal: &str, whose: &str, origin: &Origin, value: Expr) {
    flat.outputs.push(Output {
        name: signal.to_string(),
        unit: DisplayUnit::si("J"),
        doc: format!("Energy in {whose}"),
        origin: origin.clone(),
        value,
    });
}

/// The integral along the straight line from 0 to the state. (2)
fn stored(flat: &Flat, network: &Network, n: usize) -> Expr {
    let node = &network.nodes[n];
    let g = &flat.graph;
    let answers = if node.kind == BondNodeKind::C { &node.law.effort } else { &node.law.flow };
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
