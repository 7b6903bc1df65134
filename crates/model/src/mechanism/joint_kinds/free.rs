//! Slides along x, y, z of the parent's frame, then any orientation.

use super::{JointAxes, JointDirection, JointKind, JointMark, PrimitiveJoint, slide};

impl JointKind {
    pub const FREE: &JointKind = &JointKind {
        word: "free",
        axes: JointAxes::None,
        primitives: &[
            PrimitiveJoint::Slide(JointDirection::X),
            PrimitiveJoint::Slide(JointDirection::Y),
            PrimitiveJoint::Slide(JointDirection::Z),
            PrimitiveJoint::Ball,
        ],
        coordinates: &[slide("x", "vx", "f_x"), slide("y", "vy", "f_y"), slide("z", "vz", "f_z")],
        ports: &[],
        pose_ports: &["slide_x", "slide_y", "slide_z", "turn_x", "turn_y", "turn_z"],
        is_plane: false,
        mark: JointMark::None,
    };
}
