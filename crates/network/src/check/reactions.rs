//! Whether what a component of equations does at its ports has a reaction.
//!
//! A component that only sees differences of its ports stands between them and on nothing else:
//!
//!   F(v_1 + V, v_2 + V, …) = F(v_1, v_2, …)  for all V                                                (1)
//!
//! Then what it takes in at one port leaves at the others; a force has its reaction, a current and a flow go on:
//!
//!   f_1 + f_2 + … = 0                                                                                 (2)
//!
//! All power into equations counts as lost, so that no account of energy would show it. A lever, a gear or a mass does not fulfil (1).

use std::collections::HashSet;

use trunnion_equations::start::evaluate;
use trunnion_equations::{Expr, ExprNode, Flat, Symbol};
use trunnion_model::domain::{Connector, Domain};
use trunnion_model::network::{BondNodeKind, Network};
use trunnion_model::{ComponentDefinition, Model};

use super::IT;

/// (1) holds to this share of the values.
const SAME: f64 = 1e-9;
/// Points at which (1) is tried.
const TRIALS: usize = 3;

/// The sum (2) of the ports of one domain, which should be zero.
#[derive(Clone, Debug)]
pub struct PortSum {
    /// "force".
    pub through: String,
    pub ports: Vec<String>,
    pub sum: Expr,
    /// The sum of the absolute values.
    pub size: Expr,
}

/// Whether a component says all it does by equations alone, without elements and accounts of energy.
pub fn is_equations_only(network: &Network) -> bool {
    let inside = |path: &str| path == IT || path.starts_with(&format!("{IT}."));
    let mut own = network.nodes.iter().filter(|n| inside(&n.origin.component) && !n.connection).peekable();
    own.peek().is_some()
        && own.all(|n| n.kind == BondNodeKind::Equations)
        && !network.accounts.iter().any(|a| inside(&a.component))
}

/// The sums of a component on its bench to which (2) applies.
pub fn port_sums(definition: &ComponentDefinition, model: &Model) -> Vec<PortSum> {
    // Ports along the axes of a pose are directions, not ends.
    if !is_equations_only(&model.network) || definition.pose.is_some() {
        return vec![];
    }
    let flat = &model.flat;
    let mut domains: Vec<&'static Domain> = vec![];
    let ports = || definition.bodies().flat_map(|b| &b.ports);
    for domain in ports().filter_map(|p| p.domain) {
        if !domains.contains(&domain) {
            domains.push(domain);
        }
    }
    let sum = |domain: &'static Domain| {
        let Connector::Power { across, through, .. } = domain.connector else { return None };
        let of = |port: &str, variable: &str| flat.find(&format!("{IT}.{port}.{variable}"));
        let mine = ports().filter(|p| p.domain == Some(domain)).map(|p| p.key.name.as_str());
        let mine: Vec<&str> = mine.filter(|p| of(p, across.name).is_some()).collect();
        let acrosses: Vec<Symbol> = mine.iter().filter_map(|p| of(p, across.name)).collect();
        if mine.len() < 2 || !sees_differences_only(flat, &acrosses) {
            return None;
        }
        let throughs: Vec<Symbol> = mine.iter().filter_map(|p| of(p, through.name)).collect();
        let zero = || flat.graph.constant(0.0);
        Some(PortSum {
            through: through.doc.to_lowercase(),
            ports: mine.iter().map(|p| p.to_string()).collect(),
            sum: throughs.iter().fold(zero(), |sum, &s| sum + flat.ex(s)).id,
            size: throughs.iter().fold(zero(), |sum, &s| sum + flat.ex(s).abs()).id,
        })
    };
    domains.into_iter().filter_map(sum).collect()
}

/// (1), of every equation of the component by itself.
fn sees_differences_only(flat: &Flat, acrosses: &[Symbol]) -> bool {
    let graph = &flat.graph;
    let own = || flat.equations.iter().filter(|e| e.origin.component == IT);
    let sides: Vec<Expr> = own().flat_map(|e| [e.lhs, e.rhs]).collect();
    let at_ports = |e: Expr| match graph.node(e) {
        ExprNode::Symbol(s) if acrosses.contains(&s) => Some(s),
        _ => None,
    };
    // Every port is in an equation together with another one.
    let sees = |s: &Symbol| {
        own().any(|e| {
            let met: HashSet<Symbol> =
                graph.reachable([e.lhs, e.rhs]).into_iter().filter_map(at_ports).collect();
            met.contains(s) && met.len() > 1
        })
    };
    if !acrosses.iter().all(sees) {
        return false;
    }
    for e in graph.reachable(sides.clone()) {
        // What accelerates its ports has inertia.
        if matches!(graph.node(e), ExprNode::Derivative(s) if acrosses.contains(&s)) {
            return false;
        }
    }
    let unmoved = |&side: &Expr, trial: usize| {
        // Any values will do that are not special: multiples of the golden ratio, without their whole part.
        let any = |s: Symbol| 0.5 + ((s.index() + 7 * trial + 1) as f64 * 0.618_033_988_749_894_9).fract();
        let shifted = |s: Symbol| any(s) + if acrosses.contains(&s) { 0.37 } else { 0.0 };
        let (before, after) = (evaluate(graph, side, any), evaluate(graph, side, shifted));
        // Rates have no value; they do not depend on the shift.
        before.is_nan() && after.is_nan() || (before - after).abs() <= SAME * before.abs().max(after.abs())
    };
    (0..TRIALS).all(|trial| sides.iter().all(|side| unmoved(side, trial)))
}
