//! What has to act along the coordinates for given accelerations, base to tips and back, O(n).
//!
//!   V = X V_P + S q̇,   A = X A_P + S q̈ + V × S q̇,   F = I A + V ×* I V,   τ = Sᵀ (F + Σ F_children)   (1)  [Featherstone2008, eq. 5.7-5.16]
//!
//! The base has the acceleration −g. Velocities of all nodes are found here, for energies too.

use trunnion_equations::{Ex, Symbol};
use trunnion_model::mechanism::Mechanism;

use crate::articulated::RotationProducts;
use crate::node::TreeNodes;
use crate::primitive::PrimitiveKind;
use crate::spatial::{Inertia, Spatial, Vec3};

/// V of every node: angular, and of its origin, in its axes.
pub fn velocities<'g>(nodes: &TreeNodes<'g>) -> Vec<Spatial<'g>> {
    let mut all = vec![Spatial::zero(nodes.graph)];
    for node in nodes.list.iter().skip(1) {
        all.push(node.carry(all[node.parent]) + node.rate);
    }
    all
}

/// q̈ of the elastic coordinates of each node that has some.
fn modal_accelerations<'g>(
    mechanism: &Mechanism,
    nodes: &TreeNodes<'g>,
    q_dot_dot: &dyn Fn(Symbol) -> Ex<'g>,
) -> Vec<Vec<Ex<'g>>> {
    let of = |body: usize| mechanism.bodies[body].inertia.modal().map(|m| m.rates.as_slice());
    let rates = nodes.modal.iter().map(|m| m.as_ref().and_then(|m| of(m.body)).unwrap_or_default());
    rates.map(|list| list.iter().map(|&s| q_dot_dot(s)).collect()).collect()
}

/// τ by velocity symbol; `q_dot_dot` gives the derivative of each.
pub fn inverse_dynamics<'g>(
    mechanism: &Mechanism,
    nodes: &TreeNodes<'g>,
    gravity: Vec3<'g>,
    q_dot_dot: &dyn Fn(Symbol) -> Ex<'g>,
) -> Vec<(Symbol, Ex<'g>)> {
    let v = velocities(nodes);
    let mut a = vec![Spatial { angular: Vec3::zero(nodes.graph), linear: -gravity }];
    let mut f = vec![Spatial::zero(nodes.graph); nodes.list.len()];
    let mut modes: Vec<Vec<Ex<'g>>> = vec![vec![]; nodes.list.len()];
    let modal = modal_accelerations(mechanism, nodes, q_dot_dot);
    for (i, node) in nodes.list.iter().enumerate().skip(1) {
        let (w, s) = (node.rate.angular, node.rate.linear);
        let mut own = node.carry(a[node.parent]);
        own.angular = own.angular + v[i].angular.cross(w);
        own.linear = own.linear + v[i].angular.cross(s) + v[i].linear.cross(w);
        if matches!(node.kind, PrimitiveKind::Modal | PrimitiveKind::Interface) {
            // The derivative of s in N's axes is without w × s.
            own = own + node.bias_dot;
            own.linear = own.linear - w.cross(s);
            let of = if node.kind == PrimitiveKind::Modal { i } else { node.parent };
            own = own + node.moved(&modal[of]);
        }
        for (symbol, column) in node.columns(mechanism) {
            own = own + column * q_dot_dot(symbol);
        }
        a.push(own);
        let inertia = Inertia::rigid(nodes.rigid[i].m, nodes.rigid[i].h, nodes.rigid[i].j);
        let momentum = inertia.times(v[i]);
        f[i] = inertia.times(own);
        f[i].angular =
            f[i].angular + v[i].angular.cross(momentum.angular) + v[i].linear.cross(momentum.linear);
        f[i].linear = f[i].linear + v[i].angular.cross(momentum.linear);
        if let Some(elastic) = &nodes.modal[i] {
            let omega = v[i].angular;
            f[i] = f[i] + elastic.wrench(omega) + elastic.coupled(&modal[i]);
            let classic = Spatial { linear: own.linear + omega.cross(v[i].linear), ..own };
            let k = RotationProducts::new(omega, own.angular).matrix;
            let inertia = |a: usize| {
                elastic.mass[a].iter().zip(&modal[i]).fold(nodes.graph.constant(0.0), |s, (&m, &x)| s + m * x)
            };
            let forces = elastic.forces(omega, classic, k).into_iter().enumerate();
            modes[i] = forces.map(|(a, f)| f + inertia(a)).collect();
        }
    }
    let mut forces = vec![];
    for (i, node) in nodes.list.iter().enumerate().skip(1).rev() {
        let of = if node.kind == PrimitiveKind::Interface { node.parent } else { i };
        for (a, &t) in node.modes.iter().enumerate() {
            modes[of][a] = modes[of][a] + node.seen(t).dot(f[i]);
        }
        if let Some(given) = nodes.modal[i].as_ref().and_then(|m| mechanism.bodies[m.body].inertia.modal()) {
            forces.extend(given.rates.iter().copied().zip(modes[i].iter().copied()));
        }
        let columns = node.columns(mechanism);
        forces.extend(columns.into_iter().map(|(symbol, column)| (symbol, column.dot(f[i]))));
        f[node.parent] = f[node.parent] + node.pass(f[i]);
    }
    forces
}
