//! Joints as sequences of primitives with one axis, or with a quaternion.
//!
//!   cylindrical = slide · turn,  universal = turn · turn,  planar = slide · slide · turn,  free = 3 slides · spherical
//!
//! A joint followed from its child to its parent is the reversed sequence with negated axes: (A B)⁻¹ = B⁻¹ A⁻¹.

use trunnion_model::mechanism::{Joint, JointKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Fixed,
    Revolute,
    Prismatic,
    Screw,
    Spherical,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Primitive {
    pub kind: Kind,
    /// In the axes of the joint's frames where they coincide.
    pub axis: [f64; 3],
    /// Which of the joint's coordinates it is.
    pub freedom: usize,
}

/// From the nearer to the further body.
pub fn primitives(joint: &Joint, reversed: bool) -> Vec<Primitive> {
    let one = |kind: Kind, axis: [f64; 3], freedom: usize| Primitive { kind, axis, freedom };
    let axis = |i: usize| joint.axes[i];
    let spherical = one(Kind::Spherical, [0.0; 3], 0);
    let mut list = match joint.kind {
        JointKind::Weld => vec![one(Kind::Fixed, [0.0; 3], 0)],
        JointKind::Revolute => vec![one(Kind::Revolute, axis(0), 0)],
        JointKind::Prismatic => vec![one(Kind::Prismatic, axis(0), 0)],
        JointKind::Screw => vec![one(Kind::Screw, axis(0), 0)],
        JointKind::Cylindrical => vec![one(Kind::Prismatic, axis(0), 0), one(Kind::Revolute, axis(0), 1)],
        JointKind::Universal => vec![one(Kind::Revolute, axis(0), 0), one(Kind::Revolute, axis(1), 1)],
        JointKind::Planar => vec![
            one(Kind::Prismatic, axis(0), 0),
            one(Kind::Prismatic, axis(1), 1),
            one(Kind::Revolute, normal(axis(0), axis(1)), 2),
        ],
        JointKind::Spherical => vec![spherical],
        JointKind::Free => {
            let slides = [0, 1, 2].map(|i| one(Kind::Prismatic, unit(i), i));
            slides.into_iter().chain([spherical]).collect()
        }
    };
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
