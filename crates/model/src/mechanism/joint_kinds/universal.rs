//! Turn about the first axis, fixed to the parent, then about the second, fixed to the child.

use super::{JointAxes, JointDirection, JointKind, JointMark, PrimitiveJoint, turn};

impl JointKind {
    pub const UNIVERSAL: &JointKind = &JointKind {
        word: "universal",
        axes: JointAxes::Two,
        primitives: &[
            PrimitiveJoint::Turn(JointDirection::First),
            PrimitiveJoint::Turn(JointDirection::Second),
        ],
        coordinates: &[turn("phi1", "w1", "tau1"), turn("phi2", "w2", "tau2")],
        ports: &["flange1", "flange2"],
        pose_ports: &[],
        is_plane: false,
        mark: JointMark::Hinge,
    };
}
