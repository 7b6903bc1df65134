//! Where the energy of a mechanism goes.
//!
//!   T + U changes by what ports, drives and loads give, less what springs, dampers and stops of joints and lines take     (1)
//!
//! An elastic body stores ½ qᵀ K q and loses q̇ᵀ D q̇.
//!
//! What a joint or line takes is ∫ (p_port − f v): the spring in it gives some of it back. Loops and couplings do no work.

use trunnion_equations::flat::{Flat, Origin};
use trunnion_equations::{Ex, Expr, ExprNode, Symbol};
use trunnion_model::energy::{Account, AccountKind, integrate};
use trunnion_model::mechanism::Mechanism;
use trunnion_model::network::BondNodeKind;

use crate::inverse_dynamics::velocities;
use crate::lines::wrench;
use crate::modal::Modal;
use crate::node::TreeNodes;
use crate::tree::Tree;

/// Adds the accounts of a mechanism whose equations are written. `port_power` gives what flows into a joint or line of this name
/// through its ports.
pub fn account(
    flat: &mut Flat,
    mechanism: &Mechanism,
    port_power: impl Fn(&Flat, &str) -> Option<Expr>,
) -> Vec<Account> {
    let Some([kinetic, potential]) = mechanism.energy else { return vec![] };
    let mut accounts: Vec<Account> = [kinetic, potential]
        .map(|s| flat.quantity(s).name.clone())
        .map(|signal| Account {
            name: signal.clone(),
            kind: BondNodeKind::Motion,
            side: AccountKind::Stored,
            signal,
        })
        .into();
    for body in &mechanism.bodies {
        let Some(modal) = body.inertia.modal() else { continue };
        let signal = flat.quantity(modal.strain).name.clone();
        accounts.push(Account {
            name: signal.clone(),
            kind: BondNodeKind::Motion,
            side: AccountKind::Stored,
            signal,
        });
    }
    for (name, side, power) in powers(flat, mechanism, port_power) {
        let signal = format!("energy.{name}");
        integrate(flat, &signal, Origin::default(), power);
        accounts.push(Account { name, kind: BondNodeKind::Motion, side, signal });
    }
    accounts
}

fn powers(
    flat: &Flat,
    mechanism: &Mechanism,
    port_power: impl Fn(&Flat, &str) -> Option<Expr>,
) -> Vec<(String, AccountKind, Expr)> {
    let graph = &flat.graph;
    let product = |f: Symbol, v: Symbol| flat.ex(f) * flat.ex(v);
    // A force that is no more than that of the port has no elements of its own.
    let is_bare = |f: Symbol| {
        let own = graph.symbol(f).id;
        let law = flat.equations.iter().find(|e| e.lhs == own).map(|e| graph.node(e.rhs));
        matches!(law, None | Some(ExprNode::Symbol(_) | ExprNode::Const(_)))
    };
    let mut all = vec![];
    let mut taken = |name: &str, forces: Vec<(Symbol, Symbol)>| {
        if forces.iter().all(|&(f, _)| is_bare(f)) {
            return;
        }
        let given = port_power(flat, name).map_or(graph.constant(0.0), |e| graph.at(e));
        let power = forces.iter().fold(given, |sum: Ex<'_>, &(f, v)| sum - product(f, v));
        all.push((name.to_string(), AccountKind::Lost, power.id));
    };
    for joint in &mechanism.joints {
        let turns = joint.orientation.iter().flat_map(|o| o.torque.into_iter().zip(o.velocity));
        taken(&joint.name, joint.freedoms.iter().map(|f| (f.force, f.velocity)).chain(turns).collect());
    }
    for line in &mechanism.lines {
        taken(&line.name, vec![(line.force, line.rate)]);
    }
    for joint in &mechanism.joints {
        let driven = joint.freedoms.iter().filter_map(|f| Some((f.motion.as_ref()?.effort, f.velocity)));
        let driven: Vec<Expr> = driven.map(|(effort, v)| product(effort, v).id).collect();
        if !driven.is_empty() {
            let power = driven.iter().fold(graph.constant(0.0), |sum, &e| sum + graph.at(e));
            all.push((format!("{}.drive", joint.name), AccountKind::Supplied, power.id));
        }
    }
    for (i, body) in mechanism.bodies.iter().enumerate() {
        let Some(modal) = body.inertia.modal() else { continue };
        let loss = Modal::new(graph, i, modal).loss;
        if loss.value() != Some(0.0) {
            all.push((format!("{}.damping", body.name), AccountKind::Lost, loss.id));
        }
    }
    // The equations are written, so the tree is sound.
    if let Ok(tree) = Tree::new(mechanism)
        && !mechanism.loads.is_empty()
    {
        let nodes = TreeNodes::new(graph, mechanism, &tree);
        let v = velocities(&nodes);
        for load in &mechanism.loads {
            let (node, w) = wrench(load, &nodes);
            all.push((load.name.clone(), AccountKind::Supplied, w.dot(v[node]).id));
        }
    }
    all
}
