//! A ball in its socket: any orientation.

use super::{JointAxes, JointKind, JointMark, PrimitiveJoint};

impl JointKind {
    pub const SPHERICAL: &JointKind = &JointKind {
        word: "spherical",
        axes: JointAxes::None,
        primitives: &[PrimitiveJoint::Ball],
        coordinates: &[],
        ports: &[],
        pose_ports: &[],
        is_plane: false,
        mark: JointMark::Hinge,
    };
}
