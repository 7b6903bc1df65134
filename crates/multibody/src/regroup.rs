//! The same dynamics with fewer numbers: what the articulated recursion works on.
//!
//! A mass on the axis of a hinge may belong to either side of it. So may the inertia of a body that slides, for it turns with what it slides on:
//!
//!   hinge, ball   m → 0;  parent: m + m, h + m r, J + m r rᵀ                                           (1)  [Khalil2002, ch. 9]
//!   slide         J → 0;  parent: J + R J Rᵀ                                                            (2)
//!
//! Bodies beyond hinges end up without mass, and m a and M + m 1 cost nothing. Reactions do change, so joints that show them stay.
//! Further, a length ℓ that many joints are apart becomes the unit of length, and ℓ⁻² that of mass: torques stay what they are,
//!
//!   r/ℓ, a/ℓ, m ℓ², h ℓ, J, n, f ℓ                                                                      (3)

use std::collections::HashMap;

use trunnion_equations::{Ex, Expr, ExprNode as Leaf, Unary};
use trunnion_model::mechanism::Mechanism;

use crate::node::{Rigid, TreeNode, TreeNodes};
use crate::primitive::PrimitiveKind;
use crate::spatial::{Mat3, Spatial, Vec3};

/// Nodes in the unit of length, with the inertias of (1) and (2).
pub(crate) fn regrouped<'g>(
    mechanism: &Mechanism,
    nodes: &TreeNodes<'g>,
    unit: LengthUnit<'g>,
) -> TreeNodes<'g> {
    let list = nodes.list.iter().map(|n| unit.node(n)).collect();
    let rigid = inertias(mechanism, nodes).iter().map(|b| unit.body(b)).collect();
    TreeNodes { list, rigid, ..nodes.clone() }
}

/// (1) and (2).
fn inertias<'g>(mechanism: &Mechanism, nodes: &TreeNodes<'g>) -> Vec<Rigid<'g>> {
    let mut rigid = nodes.rigid.clone();
    let zero = nodes.graph.constant(0.0);
    for (i, node) in nodes.list.iter().enumerate().skip(1).rev() {
        if mechanism.joints.get(node.joint).is_some_and(|j| j.reactions.is_some()) {
            continue;
        }
        let Rigid { m, j, .. } = rigid[i];
        let parent = &mut rigid[node.parent];
        match node.kind {
            PrimitiveKind::Revolute | PrimitiveKind::Spherical => {
                let r = node.r;
                parent.m = parent.m + m;
                parent.h = parent.h + r * m;
                parent.j = plus(parent.j, |a, b| m * r[a] * r[b]);
                rigid[i].m = zero;
            }
            PrimitiveKind::Prismatic => {
                let r_PN = node.turns.iter().fold(Mat3::identity(nodes.graph), |r, t| r * t.matrix());
                let seen = r_PN * j * r_PN.transpose();
                parent.j = plus(parent.j, |a, b| seen.0[a][b]);
                rigid[i].j = Mat3([[zero; 3]; 3]);
            }
            PrimitiveKind::Fixed | PrimitiveKind::Screw | PrimitiveKind::Modal | PrimitiveKind::Interface => {
            }
        }
    }
    rigid
}

fn plus<'g>(j: Mat3<'g>, more: impl Fn(usize, usize) -> Ex<'g>) -> Mat3<'g> {
    Mat3::build(|a, b| j.0[a][b] + more(a.min(b), a.max(b)))
}

/// The unit of length, ℓ of (3).
#[derive(Clone, Copy)]
pub struct LengthUnit<'g> {
    length: Ex<'g>,
    inverse: Ex<'g>,
}

impl<'g> LengthUnit<'g> {
    /// The distance that occurs most often between joints, if that saves more than changing units costs.
    pub fn new(nodes: &TreeNodes<'g>, applied: &[Spatial<'g>]) -> Self {
        let one = nodes.graph.constant(1.0);
        // Integrals of elastic bodies are in SI.
        if nodes.modal.iter().any(Option::is_some) {
            return LengthUnit { length: one, inverse: one };
        }
        let mut count: HashMap<Expr, (usize, Ex<'g>)> = HashMap::new();
        // Joints on the world cost nothing as it is.
        for node in nodes.list.iter().filter(|n| n.parent != 0) {
            for &x in node.r.0.iter().filter(|x| x.value() != Some(0.0)) {
                let size = size(x);
                count.entry(size.id).or_insert((0, size)).0 += 1;
            }
        }
        let best = count.into_values().max_by_key(|&(n, size)| (n, size.id));
        let slides = nodes.list.iter().filter(|n| n.kind == PrimitiveKind::Prismatic).count();
        let pushed = applied.iter().filter(|w| !w.linear.is_zero()).count();
        match best {
            // A shift by ±1 instead of ℓ saves some twelve products.
            Some((n, length)) if n > 1 && 12 * n > 5 * slides + 3 * pushed => {
                LengthUnit { length, inverse: one / length }
            }
            _ => LengthUnit { length: one, inverse: one },
        }
    }

    /// A length, velocity or acceleration in the new unit.
    pub fn scaled(self, x: Ex<'g>) -> Ex<'g> {
        let one = || x.graph().constant(1.0);
        if x == self.length {
            one()
        } else if -x == self.length {
            -one()
        } else {
            x * self.inverse
        }
    }

    pub fn vector(self, v: Vec3<'g>) -> Vec3<'g> {
        Vec3(v.0.map(|x| self.scaled(x)))
    }

    fn body(self, b: &Rigid<'g>) -> Rigid<'g> {
        Rigid { m: b.m * self.length * self.length, h: b.h * self.length, j: b.j }
    }

    fn node(self, n: &TreeNode<'g>) -> TreeNode<'g> {
        let motion = |v: Spatial<'g>| Spatial { angular: v.angular, linear: self.vector(v.linear) };
        let slides = n.kind == PrimitiveKind::Prismatic;
        TreeNode {
            r: self.vector(n.r),
            rate: motion(n.rate),
            rate_dot: motion(n.rate_dot),
            pitch: self.scaled(n.pitch),
            force: if slides { n.force * self.length } else { n.force },
            ..n.clone()
        }
    }

    pub fn wrench(self, w: Spatial<'g>) -> Spatial<'g> {
        Spatial { angular: w.angular, linear: w.linear * self.length }
    }

    pub(crate) fn acceleration_in_si(self, a: Spatial<'g>) -> Spatial<'g> {
        Spatial { angular: a.angular, linear: a.linear * self.length }
    }

    pub(crate) fn wrench_in_si(self, w: Spatial<'g>) -> Spatial<'g> {
        Spatial { angular: w.angular, linear: w.linear * self.inverse }
    }
}

/// Without its sign.
fn size(x: Ex<'_>) -> Ex<'_> {
    match (x.value(), x.graph().node(x.id)) {
        (Some(_), _) => x.abs(),
        (None, Leaf::Unary(Unary::Neg, inner)) => x.graph().at(inner),
        _ => x,
    }
}
