//! The spanning tree of a mechanism: which joints carry bodies, which close loops.
//!
//! Grown from the world. Of the joints that lead to new bodies the one with the lowest rank is taken, then the one whose body was
//! reached first, then the first in the file: within a rank the tree is breadth first and loops are cut far from the world.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use trunnion_model::mechanism::{CouplingForm, Frame, Joint, Mechanism};

use crate::error::MechanismError;

/// A joint in the tree, from the body nearer to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub joint: usize,
    /// It leads from the joint's child to its parent.
    pub reversed: bool,
}

impl Edge {
    /// The frames on the nearer and on the further body.
    pub fn ends(self, mechanism: &Mechanism) -> (&Frame, &Frame) {
        let joint = &mechanism.joints[self.joint];
        if self.reversed { (&joint.child, &joint.parent) } else { (&joint.parent, &joint.child) }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Bodies nearer to the world first.
    pub edges: Vec<Edge>,
    /// Joints that close loops.
    pub closing: Vec<usize>,
}

/// Whether a joint makes one rigid body of two. Welds that show their reaction stay joints, and those of elastic bodies.
pub(crate) fn merges(mechanism: &Mechanism, joint: &Joint) -> bool {
    let rigid = |frame: &Frame| mechanism.bodies[frame.body].inertia.rigid().is_some();
    let stiff = rigid(&joint.parent) && rigid(&joint.child);
    joint.kind.freedoms() == (0, 0) && joint.reactions.is_none() && stiff
}

/// Lower: rather in the tree. Driven and coupled coordinates are best as coordinates of the tree, a screw cannot be cut; a cut spherical joint
/// costs three constraints and saves a quaternion, a cut free one costs nothing.
fn rank(mechanism: &Mechanism, coupled: &[bool], j: usize) -> u8 {
    let joint = &mechanism.joints[j];
    match joint.kind.freedoms() {
        (0, 0) => 0,
        _ if joint.kind.is_screw() => 0,
        _ if coupled[j] || joint.freedoms.iter().any(|f| f.motion.is_some()) => 0,
        (3, 3) => 3,
        (_, 3) => 2,
        _ => 1,
    }
}

impl Tree {
    pub fn new(mechanism: &Mechanism) -> Result<Self, Vec<MechanismError>> {
        let Mechanism { bodies, joints, couplings, .. } = mechanism;
        let mut errors: Vec<MechanismError> = vec![];
        let mut coupled = vec![false; joints.len()];
        for coupling in couplings {
            if let CouplingForm::Linear(terms) = &coupling.form {
                terms.iter().for_each(|t| coupled[t.0] = true);
            }
        }
        let mut at: Vec<Vec<usize>> = vec![vec![]; bodies.len()];
        for (j, joint) in joints.iter().enumerate() {
            if joint.parent.body == joint.child.body {
                errors.push(MechanismError::JoinsItself { joint: j });
            } else if !joint.cut {
                at[joint.parent.body].push(j);
                at[joint.child.body].push(j);
            }
        }
        let mut reached = vec![false; bodies.len()];
        let mut in_tree = vec![false; joints.len()];
        let mut tree = Tree::default();
        let mut open = BinaryHeap::new();
        let mut next = Some(Mechanism::WORLD);
        let mut n_reached = 0;
        while let Some(body) = next.take() {
            reached[body] = true;
            open.extend(at[body].iter().map(|&j| Reverse((rank(mechanism, &coupled, j), n_reached, j))));
            n_reached += 1;
            while let Some(Reverse((_, _, j))) = open.pop() {
                let (p, c) = (joints[j].parent.body, joints[j].child.body);
                if reached[p] != reached[c] {
                    tree.edges.push(Edge { joint: j, reversed: reached[c] });
                    in_tree[j] = true;
                    next = Some(if reached[c] { p } else { c });
                    break;
                }
            }
        }
        errors.extend(unconnected(mechanism, &reached));
        for j in (0..joints.len()).filter(|&j| !in_tree[j]) {
            match joints[j].kind.is_screw() {
                true => errors.push(MechanismError::CutScrew { joint: j, asked: joints[j].cut }),
                false => tree.closing.push(j),
            }
        }
        if errors.is_empty() { Ok(tree) } else { Err(errors) }
    }
}

/// One error for each group of bodies without a way to the world.
fn unconnected(mechanism: &Mechanism, reached: &[bool]) -> Vec<MechanismError> {
    let mut errors = vec![];
    let mut seen = reached.to_vec();
    for first in 0..seen.len() {
        if seen[first] {
            continue;
        }
        let mut group = vec![];
        let mut stack = vec![first];
        while let Some(b) = stack.pop() {
            if std::mem::replace(&mut seen[b], true) {
                continue;
            }
            group.push(b);
            for joint in mechanism.joints.iter().filter(|j| !j.cut) {
                let (p, c) = (joint.parent.body, joint.child.body);
                stack.extend([(p, c), (c, p)].iter().filter(|e| e.0 == b).map(|e| e.1));
            }
        }
        errors.push(MechanismError::Unconnected { body: first, with: group.len() - 1 });
    }
    errors
}
