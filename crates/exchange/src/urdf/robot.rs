//! A robot as URDF has it: links and the joints between them. SI and radians.

use std::ops::Range;

use trunnion_num::space::{Point, Pose, from_rpy};

#[derive(Clone, Debug, Default)]
pub struct Robot {
    pub name: String,
    pub links: Vec<Link>,
    pub joints: Vec<UrdfJoint>,
}

#[derive(Clone, Debug, Default)]
pub struct Link {
    pub name: String,
    pub place: Range<usize>,
    pub inertial: Option<Inertial>,
    pub visuals: Vec<Visual>,
}

#[derive(Clone, Copy, Debug)]
pub struct Inertial {
    pub mass: f64,
    pub center: Point,
    /// In the axes of the link: xx, yy, zz, xy, xz, yz.
    pub inertia: [f64; 6],
}

#[derive(Clone, Debug)]
pub struct Visual {
    pub origin: UrdfOrigin,
    pub form: UrdfGeometry,
    /// "#rrggbb".
    pub colour: Option<String>,
}

#[derive(Clone, Debug)]
pub enum UrdfGeometry {
    Box(Point),
    Cylinder { radius: f64, length: f64 },
    Sphere(f64),
    Mesh { file: String, scale: f64 },
}

/// Place and turn, as they are written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UrdfOrigin {
    pub xyz: Point,
    pub rpy: Point,
}

impl UrdfOrigin {
    pub fn pose(&self) -> Pose {
        Pose { p: self.xyz, r: from_rpy(self.rpy) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrdfJointKind {
    Revolute,
    Continuous,
    Prismatic,
    Fixed,
    Floating,
    Planar,
}

impl UrdfJointKind {
    pub const NAMES: [(&'static str, UrdfJointKind); 6] = [
        ("revolute", UrdfJointKind::Revolute),
        ("continuous", UrdfJointKind::Continuous),
        ("prismatic", UrdfJointKind::Prismatic),
        ("fixed", UrdfJointKind::Fixed),
        ("floating", UrdfJointKind::Floating),
        ("planar", UrdfJointKind::Planar),
    ];

    pub fn turns(self) -> bool {
        matches!(self, UrdfJointKind::Revolute | UrdfJointKind::Continuous)
    }

    /// Has one coordinate.
    pub fn single(self) -> bool {
        self.turns() || self == UrdfJointKind::Prismatic
    }
}

#[derive(Clone, Debug)]
pub struct UrdfJoint {
    pub name: String,
    pub place: Range<usize>,
    pub kind: UrdfJointKind,
    /// Places among the links.
    pub parent: usize,
    pub child: usize,
    /// Seen from the parent.
    pub origin: UrdfOrigin,
    /// In the axes of `origin`; of length 1.
    pub axis: Point,
    pub limits: Option<(f64, f64)>,
    pub damping: f64,
    pub friction: f64,
    pub mimic: Option<Mimic>,
}

/// q = factor · q of another joint + offset.
#[derive(Clone, Copy, Debug)]
pub struct Mimic {
    pub joint: usize,
    pub factor: f64,
    pub offset: f64,
}
