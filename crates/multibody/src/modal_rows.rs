//! Elastic coordinates in the articulated-body recursion: a body has 6 + n rows, and n of them are eliminated before its joint.
//!
//!   w = I δ + C q̈ + p,    0 = Cᵀ δ + M q̈ + f                                                          (1)
//!
//! Beyond an interface that moves by T q̇ against the body (T: its n columns), with inertia I_k and bias p_k there:
//!
//!   M + Tᵀ I_k T,   C + X I_k T,   f + Tᵀ p_k                                                          (2)
//!
//! A body that hangs at an interface moves by T q̇ against what carries it: δ_B = δ + T q̈ in (1).
//!
//!   M + Tᵀ I T + Tᵀ C + Cᵀ T,   C + I T,   f + Tᵀ p                                                    (3)
//!
//! Elimination is (4) of [`articulated`](crate::articulated) with the rows of the modes; constant rows come first and stay numbers.

use trunnion_equations::Ex;

use crate::modal::Modal;
use crate::node::TreeNode;
use crate::spatial::{Inertia, Spatial};

pub struct ModalRows<'g> {
    coupling: Vec<Spatial<'g>>,
    mass: Vec<Vec<Ex<'g>>>,
    force: Vec<Ex<'g>>,
}

/// One eliminated row, divided by its diagonal.
pub struct ModalPivot<'g> {
    mode: usize,
    pub diagonal: Ex<'g>,
    /// The diagonal before anything was eliminated.
    pub scale: Ex<'g>,
    rigid: Spatial<'g>,
    others: Vec<(usize, Ex<'g>)>,
    u: Ex<'g>,
}

impl<'g> ModalRows<'g> {
    pub fn new(modal: &Modal<'g>, force: Vec<Ex<'g>>) -> Self {
        ModalRows { coupling: modal.coupling.clone(), mass: modal.mass.clone(), force }
    }

    fn add(&mut self, a: usize, b: usize, x: Ex<'g>) {
        self.mass[a][b] = self.mass[a][b] + x;
        self.mass[b][a] = self.mass[a][b];
    }

    /// (2): inertia and bias of an interface node about its origin, in the body's axes.
    pub fn carry(&mut self, node: &TreeNode<'g>, inertia: &Inertia<'g>, wrench: Spatial<'g>) {
        for (a, &t) in node.modes.iter().enumerate().filter(|(_, t)| !t.is_zero()) {
            let moved = inertia.times(t);
            let angular = moved.angular + node.r.cross(moved.linear);
            self.coupling[a] = self.coupling[a] + Spatial { angular, ..moved };
            self.force[a] = self.force[a] + t.dot(wrench);
            for (b, s) in node.modes.iter().enumerate().take(a + 1) {
                self.add(a, b, s.dot(moved));
            }
        }
    }

    /// (3): the body itself moves by `modes`.
    pub fn hang(&mut self, modes: &[Spatial<'g>], inertia: &Inertia<'g>, wrench: Spatial<'g>) {
        let before = self.coupling.clone();
        for (a, &t) in modes.iter().enumerate() {
            let moved = inertia.times(t);
            self.coupling[a] = self.coupling[a] + moved;
            self.force[a] = self.force[a] + t.dot(wrench);
            for (b, &s) in modes.iter().enumerate().take(a + 1) {
                self.add(a, b, s.dot(moved) + s.dot(before[a]) + t.dot(before[b]));
            }
        }
    }

    /// Inertia and bias become those of a body without elastic coordinates.
    pub fn eliminate(mut self, inertia: &mut Inertia<'g>, wrench: &mut Spatial<'g>) -> Vec<ModalPivot<'g>> {
        let scale: Vec<Ex<'g>> = (0..self.mass.len()).map(|a| self.mass[a][a]).collect();
        let mut left: Vec<usize> = (0..self.mass.len()).collect();
        left.sort_by_key(|&a| self.mass[a].iter().filter(|x| x.value().is_none()).count());
        let mut pivots = vec![];
        for _ in 0..left.len() {
            let a = left.remove(0);
            let (row, column) = (self.mass[a].clone(), self.coupling[a]);
            let inverse = 1.0 / row[a];
            let rigid = column * inverse;
            let open = -self.force[a];
            for i in 0..6 {
                for j in i..6 {
                    inertia.0[i][j] = inertia.0[i][j] - rigid.get(i) * column.get(j);
                    inertia.0[j][i] = inertia.0[i][j];
                }
            }
            *wrench = *wrench + rigid * open;
            let others: Vec<(usize, Ex<'g>)> =
                left.iter().map(|&b| (b, row[b] * inverse)).filter(|o| o.1.value() != Some(0.0)).collect();
            for (n, &(b, factor)) in others.iter().enumerate() {
                self.coupling[b] = self.coupling[b] - column * factor;
                self.force[b] = self.force[b] + factor * open;
                for &(c, _) in &others[..=n] {
                    self.add(b, c, -(factor * row[c]));
                }
            }
            pivots.push(ModalPivot {
                mode: a,
                diagonal: row[a],
                scale: scale[a],
                rigid,
                others,
                u: open * inverse,
            });
        }
        pivots
    }
}

/// q̈ of (1) by back substitution.
pub fn accelerations<'g>(pivots: &[ModalPivot<'g>], d: Spatial<'g>, zero: Ex<'g>) -> Vec<Ex<'g>> {
    let mut found = vec![zero; pivots.len()];
    for pivot in pivots.iter().rev() {
        let sum = pivot.others.iter().fold(pivot.rigid.dot(d), |sum, &(b, factor)| sum + factor * found[b]);
        found[pivot.mode] = pivot.u - sum;
    }
    found
}
