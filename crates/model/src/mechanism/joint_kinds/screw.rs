//! Turns and slides by `pitch` per turn.

use super::{JointAxes, JointDirection, JointKind, JointMark, PrimitiveJoint, turn};

impl JointKind {
    pub const SCREW: &JointKind = &JointKind {
        word: "screw",
        axes: JointAxes::One,
        primitives: &[PrimitiveJoint::Screw(JointDirection::First)],
        coordinates: &[turn("phi", "w", "tau")],
        ports: &["flange"],
        pose_ports: &[],
        is_plane: false,
        mark: JointMark::Hinge,
    };
}
