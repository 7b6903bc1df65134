//! A hinge.

use super::{JointAxes, JointDirection, JointKind, JointMark, PrimitiveJoint, turn};

impl JointKind {
    pub const REVOLUTE: &JointKind = &JointKind {
        word: "revolute",
        axes: JointAxes::One,
        primitives: &[PrimitiveJoint::Turn(JointDirection::First)],
        coordinates: &[turn("phi", "w", "tau")],
        ports: &["flange"],
        pose_ports: &[],
        is_plane: true,
        mark: JointMark::Hinge,
    };
}
