//! Two bodies move as one.

use super::{JointAxes, JointKind, JointMark, PrimitiveJoint};

impl JointKind {
    pub const WELD: &JointKind = &JointKind {
        word: "weld",
        axes: JointAxes::None,
        primitives: &[PrimitiveJoint::Fixed],
        coordinates: &[],
        ports: &[],
        pose_ports: &[],
        is_plane: true,
        mark: JointMark::None,
    };
}
