//! What has to act along the coordinates for given accelerations, base to tips and back, O(n).
//!
//!   V = X V_P + S q̇,   A = X A_P + S q̈ + V × S q̇,   F = I A + V ×* I V,   τ = Sᵀ (F + Σ F_children)   (1)  [Featherstone2008, eq. 5.7-5.16]
//!
//! The base has the acceleration −g. Velocities of all nodes are found here, for energies too.

use trunnion_equations::{Ex, Symbol};
use trunnion_model::mechanism::Mechanism;

use crate::node::Nodes;
use crate::spatial::{Inertia, Spatial, Vec3};

/// V of every node: angular, and of its origin, in its axes.
pub fn velocities<'g>(nodes: &Nodes<'g>) -> Vec<Spatial<'g>> {
    let mut all = vec![Spatial::zero(nodes.graph)];
    for node in nodes.list.iter().skip(1) {
        all.push(node.carry(all[node.parent]) + node.rate);
    }
    all
}

/// τ by velocity symbol; `q_dot_dot` gives the derivative of each.
pub fn inverse_dynamics<'g>(
    mechanism: &Mechanism,
    nodes: &Nodes<'g>,
    gravity: Vec3<'g>,
    q_dot_dot: impl Fn(Symbol) -> Ex<'g>,
) -> Vec<(Symbol, Ex<'g>)> {
    let v = velocities(nodes);
    let mut a = vec![Spatial { angular: Vec3::zero(nodes.graph), linear: -gravity }];
    let mut f = vec![Spatial::zero(nodes.graph); nodes.list.len()];
    for (i, node) in nodes.list.iter().enumerate().skip(1) {
        let (w, s) = (node.rate.angular, node.rate.linear);
        let mut own = node.carry(a[node.parent]);
        own.angular = own.angular + v[i].angular.cross(w);
        own.linear = own.linear + v[i].angular.cross(s) + v[i].linear.cross(w);
        for (symbol, column) in node.columns(&mechanism.joints[node.joint]) {
            own = own + column * q_dot_dot(symbol);
        }
        a.push(own);
        let inertia = Inertia::rigid(nodes.rigid[i].m, nodes.rigid[i].h, nodes.rigid[i].j);
        let momentum = inertia.times(v[i]);
        f[i] = inertia.times(own);
        f[i].angular =
            f[i].angular + v[i].angular.cross(momentum.angular) + v[i].linear.cross(momentum.linear);
        f[i].linear = f[i].linear + v[i].angular.cross(momentum.linear);
    }
    let mut forces = vec![];
    for (i, node) in nodes.list.iter().enumerate().skip(1).rev() {
        let columns = node.columns(&mechanism.joints[node.joint]);
        forces.extend(columns.into_iter().map(|(symbol, column)| (symbol, column.dot(f[i]))));
        f[node.parent] = f[node.parent] + node.pass(f[i]);
    }
    forces
}
