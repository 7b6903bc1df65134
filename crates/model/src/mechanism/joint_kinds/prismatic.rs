//! A slide.

use super::{JointAxes, JointDirection, JointKind, JointMark, PrimitiveJoint, slide};

impl JointKind {
    pub const PRISMATIC: &JointKind = &JointKind {
        word: "prismatic",
        axes: JointAxes::One,
        primitives: &[PrimitiveJoint::Slide(JointDirection::First)],
        coordinates: &[slide("x", "v", "f")],
        ports: &["flange"],
        pose_ports: &[],
        is_plane: true,
        mark: JointMark::Slide,
    };
}
