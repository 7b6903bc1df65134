//! Joints as sequences of primitives with one axis, or with a quaternion; each kind names its own.
//!
//! A joint followed from its child to its parent is the reversed sequence with negated axes: (A B)⁻¹ = B⁻¹ A⁻¹.

use trunnion_model::mechanism::{Joint, JointDirection, PrimitiveJoint};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrimitiveKind {
    Fixed,
    Revolute,
    Prismatic,
    Screw,
    Spherical,
    /// The frame B of an elastic body; moves by its modes where the body hangs at an interface.
    Modal,
    /// An interface of the elastic body that is its parent; moves by the body's modes.
    Interface,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Primitive {
    pub kind: PrimitiveKind,
    /// In the axes of the joint's frames where they coincide.
    pub axis: [f64; 3],
    /// Which of the joint's coordinates it is.
    pub freedom: usize,
}

/// From the nearer to the further body.
pub fn primitives(joint: &Joint, reversed: bool) -> Vec<Primitive> {
    let mut freedom = 0;
    let mut one = |kind: PrimitiveKind, along: JointDirection| {
        freedom += 1;
        Primitive { kind, axis: along.of(&joint.axes), freedom: freedom - 1 }
    };
    let primitive = |p: &PrimitiveJoint| match *p {
        PrimitiveJoint::Fixed => Primitive { kind: PrimitiveKind::Fixed, axis: [0.0; 3], freedom: 0 },
        PrimitiveJoint::Turn(a) => one(PrimitiveKind::Revolute, a),
        PrimitiveJoint::Slide(a) => one(PrimitiveKind::Prismatic, a),
        PrimitiveJoint::Screw(a) => one(PrimitiveKind::Screw, a),
        PrimitiveJoint::Ball => Primitive { kind: PrimitiveKind::Spherical, axis: [0.0; 3], freedom: 0 },
    };
    let mut list: Vec<Primitive> = joint.kind.primitives.iter().map(primitive).collect();
    if reversed {
        list.reverse();
        list.iter_mut().for_each(|p| p.axis = p.axis.map(|x| -x));
    }
    list
}

pub fn unit(i: usize) -> [f64; 3] {
    [0, 1, 2].map(|j| if i == j { 1.0 } else { 0.0 })
}

/// a × b.
pub fn normal(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
