//! The mass matrix by composite bodies, O(n · depth).
//!
//!   I_c = I + Σ X I_c,child Xᵀ,   M_ij = S_jᵀ Xᵀ… I_c,i S_i   for j on the way from i to the base       (1)  [Featherstone2008, eq. 6.14-6.16]
//!
//! A unit of the rate of an elastic coordinate moves its body by T (where that hangs at an interface) and what is beyond interface k by T_k:
//!
//!   w = I_c T + C + Σ X_k I_c,k T_k,   M_ab = M + T_bᵀ w + C_bᵀ T_a + Σ T_kbᵀ I_c,k (T_ka + X_kᵀ T_a)             (2)

use trunnion_equations::{Ex, Symbol};
use trunnion_model::mechanism::Mechanism;

use crate::node::TreeNodes;
use crate::primitive::PrimitiveKind;
use crate::spatial::{Inertia, Spatial};

type MassEntries<'g> = Vec<(Symbol, Symbol, Ex<'g>)>;

/// Entries (i, j, M_ij) by velocity symbol, each pair once; those that are not listed are zero.
pub fn mass_matrix<'g>(mechanism: &Mechanism, nodes: &TreeNodes<'g>) -> MassEntries<'g> {
    let mut composite: Vec<Inertia<'g>> = nodes.rigid.iter().map(|b| Inertia::rigid(b.m, b.h, b.j)).collect();
    for (i, node) in nodes.list.iter().enumerate().skip(1).rev() {
        let turned = node.turns.iter().rev().fold(composite[i].clone(), |inertia, &t| inertia.turned(t));
        composite[node.parent] = composite[node.parent].plus(&turned.shifted(node.r));
    }
    let mut entries = vec![];
    for (i, node) in nodes.list.iter().enumerate().skip(1) {
        let own = node.columns(mechanism);
        for (n, &(symbol, column)) in own.iter().enumerate() {
            let wrench = composite[i].times(column);
            entries.extend(own[..=n].iter().map(|&(other, s)| (symbol, other, s.dot(wrench))));
            climb(mechanism, nodes, &mut entries, symbol, i, wrench);
        }
        elastic(mechanism, nodes, &composite, &mut entries, i);
    }
    entries
}

/// The velocities of the elastic coordinates of node i.
fn rates<'m>(mechanism: &'m Mechanism, nodes: &TreeNodes<'_>, i: usize) -> &'m [Symbol] {
    let body = nodes.modal[i].as_ref().and_then(|m| mechanism.bodies[m.body].inertia.modal());
    body.map_or(&[], |m| &m.rates)
}

/// Entries of a coordinate whose unit takes `wrench` on node i, with all coordinates nearer to the base.
fn climb<'g>(
    mechanism: &Mechanism,
    nodes: &TreeNodes<'g>,
    entries: &mut MassEntries<'g>,
    symbol: Symbol,
    i: usize,
    mut wrench: Spatial<'g>,
) {
    let mut at = i;
    loop {
        let node = &nodes.list[at];
        if node.kind == PrimitiveKind::Interface {
            let moved = rates(mechanism, nodes, node.parent).iter().zip(&node.modes);
            entries.extend(moved.map(|(&other, &t)| (symbol, other, node.seen(t).dot(wrench))));
        }
        if node.parent == 0 {
            return;
        }
        wrench = node.pass(wrench);
        at = node.parent;
        let node = &nodes.list[at];
        entries.extend(node.columns(mechanism).into_iter().map(|(other, s)| (symbol, other, s.dot(wrench))));
        if node.kind == PrimitiveKind::Modal {
            let moved = rates(mechanism, nodes, at).iter().zip(&node.modes);
            entries.extend(moved.map(|(&other, t)| (symbol, other, t.dot(wrench))));
        }
    }
}

/// (2) for the elastic coordinates of node i.
fn elastic<'g>(
    mechanism: &Mechanism,
    nodes: &TreeNodes<'g>,
    composite: &[Inertia<'g>],
    entries: &mut MassEntries<'g>,
    i: usize,
) {
    let Some(modal) = &nodes.modal[i] else { return };
    let symbols = rates(mechanism, nodes, i);
    let zero = Spatial::zero(nodes.graph);
    let hung = |a: usize| nodes.list[i].modes.get(a).copied().unwrap_or(zero);
    let beyond: Vec<usize> = (i + 1..nodes.list.len())
        .filter(|&k| nodes.list[k].parent == i && nodes.list[k].kind == PrimitiveKind::Interface)
        .collect();
    for (a, &symbol) in symbols.iter().enumerate() {
        let mut wrench = composite[i].times(hung(a)) + modal.coupling[a];
        let mut row: Vec<Ex<'g>> =
            (0..=a).map(|b| modal.mass[a][b] + modal.coupling[b].dot(hung(a))).collect();
        for &k in &beyond {
            let node = &nodes.list[k];
            let mode = node.seen(node.modes[a]);
            wrench = wrench + node.pass(composite[k].times(mode));
            let moved = composite[k].times(mode + node.carry(hung(a)));
            row.iter_mut().zip(&node.modes).for_each(|(m, &t)| *m = *m + node.seen(t).dot(moved));
        }
        let own = row.into_iter().enumerate().map(|(b, m)| (symbol, symbols[b], m + hung(b).dot(wrench)));
        entries.extend(own);
        climb(mechanism, nodes, entries, symbol, i, wrench);
    }
}
