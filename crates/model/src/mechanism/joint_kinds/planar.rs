//! Slides along the first and second axis, then turn about their normal.

use super::{JointAxes, JointDirection, JointKind, JointMark, PrimitiveJoint, slide, turn};

impl JointKind {
    pub const PLANAR: &JointKind = &JointKind {
        word: "planar",
        axes: JointAxes::Orthogonal,
        primitives: &[
            PrimitiveJoint::Slide(JointDirection::First),
            PrimitiveJoint::Slide(JointDirection::Second),
            PrimitiveJoint::Turn(JointDirection::Normal),
        ],
        coordinates: &[slide("x", "vx", "f_x"), slide("y", "vy", "f_y"), turn("phi", "w", "tau")],
        ports: &["slide_x", "slide_y", "rotation"],
        pose_ports: &["slide_x", "slide_y", "rotation"],
        is_plane: true,
        mark: JointMark::Slide,
    };
}
