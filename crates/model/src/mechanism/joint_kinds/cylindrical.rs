//! Slide, then turn about the same axis.

use super::{JointAxes, JointDirection, JointKind, JointMark, PrimitiveJoint, slide, turn};

impl JointKind {
    pub const CYLINDRICAL: &JointKind = &JointKind {
        word: "cylindrical",
        axes: JointAxes::One,
        primitives: &[
            PrimitiveJoint::Slide(JointDirection::First),
            PrimitiveJoint::Turn(JointDirection::First),
        ],
        coordinates: &[slide("x", "v", "f"), turn("phi", "w", "tau")],
        ports: &["slide", "rotation"],
        pose_ports: &[],
        is_plane: false,
        mark: JointMark::Hinge,
    };
}
