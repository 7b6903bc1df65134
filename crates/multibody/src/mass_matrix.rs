//! The mass matrix by composite bodies, O(n · depth).
//!
//!   I_c = I + Σ X I_c,child Xᵀ,   M_ij = S_jᵀ Xᵀ… I_c,i S_i   for j on the way from i to the base       (1)  [Featherstone2008, eq. 6.14-6.16]

use trunnion_equations::{Ex, Symbol};
use trunnion_model::mechanism::Mechanism;

use crate::node::Nodes;
use crate::spatial::Inertia;

/// Entries (i, j, M_ij) by velocity symbol, each pair once; those that are not listed are zero.
pub fn mass_matrix<'g>(mechanism: &Mechanism, nodes: &Nodes<'g>) -> Vec<(Symbol, Symbol, Ex<'g>)> {
    let mut composite: Vec<Inertia<'g>> = nodes.rigid.iter().map(|b| Inertia::rigid(b.m, b.h, b.j)).collect();
    for (i, node) in nodes.list.iter().enumerate().skip(1).rev() {
        let turned = node.turns.iter().rev().fold(composite[i].clone(), |inertia, &t| inertia.turned(t));
        composite[node.parent] = composite[node.parent].plus(&turned.shifted(node.r));
    }
    let mut entries = vec![];
    for (i, node) in nodes.list.iter().enumerate().skip(1) {
        let own = node.columns(&mechanism.joints[node.joint]);
        for (n, &(symbol, column)) in own.iter().enumerate() {
            let mut wrench = composite[i].times(column);
            entries.extend(own[..=n].iter().map(|&(other, s)| (symbol, other, s.dot(wrench))));
            let mut at = i;
            while nodes.list[at].parent != 0 {
                wrench = nodes.list[at].pass(wrench);
                at = nodes.list[at].parent;
                let columns = nodes.list[at].columns(&mechanism.joints[nodes.list[at].joint]);
                entries.extend(columns.into_iter().map(|(other, s)| (symbol, other, s.dot(wrench))));
            }
        }
    }
    entries
}
