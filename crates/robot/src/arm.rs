//! A kinematic tree: joints, each with the link that it moves, and the tip whose pose is of interest.
//!
//!   X_link(i) = X_link(parent) · frame(i) · motion(i, q)                                            (1)
//!   motion: revolute (a, q) → R(a, q);  prismatic → a q;  screw → R(a, q) with a·lead·q;  fixed → 1
//!
//! Parents stand before their children; the base is the parent of joints without one. Only joints that move have a
//! coordinate, numbered in their order. SI: m, rad, kg.

use std::fmt;

use trunnion_num::space::{Point, Pose, RotationMatrix, UNTURNED, product, times, transposed, unit};

use crate::rotation::about;

/// How a joint moves its link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AxisMotion {
    Fixed,
    /// q in rad.
    Revolute,
    /// q in m.
    Prismatic,
    /// q in rad; `lead` in m/rad along the axis.
    Screw {
        lead: f64,
    },
}

/// What a coordinate may do; infinite where nothing limits it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisLimits {
    pub low: f64,
    pub high: f64,
    pub speed: f64,
    pub acceleration: f64,
    pub jerk: f64,
}

impl AxisLimits {
    pub const NONE: AxisLimits = AxisLimits {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        speed: f64::INFINITY,
        acceleration: f64::INFINITY,
        jerk: f64::INFINITY,
    };

    pub fn range(low: f64, high: f64) -> Self {
        AxisLimits { low, high, ..Self::NONE }
    }

    pub fn contains(&self, q: f64) -> bool {
        // Rounding of angles that were wrapped by 2π.
        let slack = 1e-12 * (1.0 + q.abs());
        (self.low - slack..=self.high + slack).contains(&q)
    }
}

/// Mass of a link: centre and inertia about the centre, in the axes of the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkMass {
    pub mass: f64,
    pub centre: Point,
    pub inertia: RotationMatrix,
}

impl LinkMass {
    pub const NONE: LinkMass = LinkMass { mass: 0.0, centre: [0.0; 3], inertia: [[0.0; 3]; 3] };

    pub fn point(mass: f64, centre: Point) -> Self {
        LinkMass { mass, centre, ..Self::NONE }
    }
}

/// A joint and the link that it moves.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmJoint {
    pub name: String,
    /// The joint that carries it; None: the base.
    pub parent: Option<usize>,
    /// Seen from the link of the parent.
    pub frame: Pose,
    /// In the joint's frame.
    pub axis: Point,
    pub motion: AxisMotion,
    pub limits: AxisLimits,
    pub mass: LinkMass,
}

impl ArmJoint {
    pub fn new(name: &str, parent: Option<usize>, at: Point, axis: Point, motion: AxisMotion) -> Self {
        ArmJoint {
            name: name.to_string(),
            parent,
            frame: Pose { p: at, r: UNTURNED },
            axis,
            motion,
            limits: AxisLimits::NONE,
            mass: LinkMass::NONE,
        }
    }
}

/// Why a tree is none.
#[derive(Clone, Debug, PartialEq)]
pub enum ArmError {
    /// Nothing moves between base and tip.
    NothingMoves,
    /// The parent does not stand before the joint.
    ParentOrder { joint: String },
    /// The axis has no direction.
    NoAxis { joint: String },
    /// A frame is no rotation, or a number is not finite.
    NotAFrame { joint: String },
    /// low > high, or a speed, acceleration or jerk that is not above 0.
    Limits { joint: String },
    /// A mass below 0, or an inertia that is not symmetric and positive.
    Mass { joint: String },
    /// The tip is no joint of the tree.
    NoTip { tip: usize },
}

impl fmt::Display for ArmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArmError::NothingMoves => write!(f, "no joint between base and tip can move"),
            ArmError::ParentOrder { joint } => write!(f, "the parent of `{joint}` must stand before it"),
            ArmError::NoAxis { joint } => write!(f, "the axis of `{joint}` has no direction"),
            ArmError::NotAFrame { joint } => {
                write!(f, "the frame of `{joint}` is not a rotation with a finite place")
            }
            ArmError::Limits { joint } => write!(
                f,
                "the limits of `{joint}` exclude each other, or one of speed, acceleration and jerk is not above 0"
            ),
            ArmError::Mass { joint } => write!(
                f,
                "the mass of `{joint}` is below 0, or its inertia is not symmetric with a diagonal of at least 0"
            ),
            ArmError::NoTip { tip } => write!(f, "joint {tip}, named as tip, is not in the tree"),
        }
    }
}

impl std::error::Error for ArmError {}

/// A tree that has been checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    joints: Vec<ArmJoint>,
    /// Coordinate of every joint that moves.
    coordinate: Vec<Option<usize>>,
    /// Joint of every coordinate.
    axes: Vec<usize>,
    /// Coordinates between base and tip.
    chain: Vec<usize>,
    tip: usize,
    /// Tool point seen from the link of the tip.
    pub tool: Pose,
}

impl Arm {
    /// `tip`: the joint whose link carries the tool.
    pub fn new(mut joints: Vec<ArmJoint>, tip: usize, tool: Pose) -> Result<Arm, ArmError> {
        if tip >= joints.len() {
            return Err(ArmError::NoTip { tip });
        }
        for (i, joint) in joints.iter_mut().enumerate() {
            checked(i, joint)?;
        }
        if !is_frame(&tool) {
            return Err(ArmError::NotAFrame { joint: "tool".into() });
        }
        let moving = |j: &ArmJoint| j.motion != AxisMotion::Fixed;
        let axes: Vec<usize> = (0..joints.len()).filter(|&i| moving(&joints[i])).collect();
        let coordinate: Vec<_> = (0..joints.len()).map(|i| axes.iter().position(|&a| a == i)).collect();
        let mut chain = vec![];
        let mut next = Some(tip);
        while let Some(i) = next {
            chain.extend(coordinate[i]);
            next = joints[i].parent;
        }
        chain.reverse();
        if chain.is_empty() {
            return Err(ArmError::NothingMoves);
        }
        Ok(Arm { joints, coordinate, axes, chain, tip, tool })
    }

    pub fn joints(&self) -> &[ArmJoint] {
        &self.joints
    }

    /// How many coordinates.
    pub fn n(&self) -> usize {
        self.axes.len()
    }

    /// The joint of coordinate k.
    pub fn axis(&self, k: usize) -> &ArmJoint {
        &self.joints[self.axes[k]]
    }

    pub(crate) fn joint_of(&self, k: usize) -> usize {
        self.axes[k]
    }

    pub fn limits(&self) -> impl Iterator<Item = &AxisLimits> {
        self.axes.iter().map(|&i| &self.joints[i].limits)
    }

    /// Coordinates between base and tip, from the base on.
    pub fn chain(&self) -> &[usize] {
        &self.chain
    }

    pub fn tip(&self) -> usize {
        self.tip
    }

    /// The pose of every link. (1)
    pub fn links(&self, q: &[f64]) -> Vec<Pose> {
        let mut links: Vec<Pose> = Vec::with_capacity(self.joints.len());
        for (i, joint) in self.joints.iter().enumerate() {
            let carrier = joint.parent.map_or(Pose::HOME, |p| links[p]);
            let value = self.coordinate[i].map_or(0.0, |k| q[k]);
            links.push(carrier.then(joint.frame).then(moved(joint, value)));
        }
        links
    }

    /// The pose of the tool point.
    pub fn forward(&self, q: &[f64]) -> Pose {
        self.tool_of(&self.links(q))
    }

    pub(crate) fn tool_of(&self, links: &[Pose]) -> Pose {
        links[self.tip].then(self.tool)
    }

    /// Whether the joint that carries coordinate k also carries `link`.
    pub(crate) fn carries(&self, k: usize, link: usize) -> bool {
        let mut next = Some(link);
        while let Some(i) = next {
            if i == self.axes[k] {
                return true;
            }
            next = self.joints[i].parent;
        }
        false
    }
}

/// The pose of a link in the frame of its joint. (1)
fn moved(joint: &ArmJoint, q: f64) -> Pose {
    match joint.motion {
        AxisMotion::Fixed => Pose::HOME,
        AxisMotion::Revolute => Pose { p: [0.0; 3], r: about(joint.axis, q) },
        AxisMotion::Prismatic => Pose { p: times(q, joint.axis), r: UNTURNED },
        AxisMotion::Screw { lead } => Pose { p: times(lead * q, joint.axis), r: about(joint.axis, q) },
    }
}

fn is_frame(pose: &Pose) -> bool {
    let unit = product(pose.r, transposed(pose.r));
    let off = |i: usize, j: usize| (unit[i][j] - UNTURNED[i][j]).abs();
    let [a, b, c] = pose.r;
    // Numbers written with nine digits are rotations.
    pose.p.iter().all(|x| x.is_finite())
        && (0..9).all(|k| off(k / 3, k % 3) < 1e-8)
        && trunnion_num::space::dot(trunnion_num::space::cross(a, b), c) > 0.0
}

fn checked(i: usize, joint: &mut ArmJoint) -> Result<(), ArmError> {
    let name = || joint.name.clone();
    if joint.parent.is_some_and(|p| p >= i) {
        return Err(ArmError::ParentOrder { joint: name() });
    }
    if joint.motion != AxisMotion::Fixed {
        let Some(axis) = unit(joint.axis) else { return Err(ArmError::NoAxis { joint: name() }) };
        joint.axis = axis;
    }
    let lead_is_finite = !matches!(joint.motion, AxisMotion::Screw { lead } if !lead.is_finite());
    if !is_frame(&joint.frame) || !lead_is_finite {
        return Err(ArmError::NotAFrame { joint: joint.name.clone() });
    }
    let AxisLimits { low, high, speed, acceleration, jerk } = joint.limits;
    if !(low <= high && [speed, acceleration, jerk].iter().all(|x| *x > 0.0)) {
        return Err(ArmError::Limits { joint: joint.name.clone() });
    }
    let LinkMass { mass, centre, inertia } = joint.mass;
    let finite = inertia.iter().flatten().chain(&centre).all(|x| x.is_finite());
    let size = (0..3).map(|k| inertia[k][k].abs()).fold(0.0, f64::max);
    let symmetric = (0..9).all(|k| (inertia[k / 3][k % 3] - inertia[k % 3][k / 3]).abs() <= 1e-9 * size);
    if !(mass >= 0.0 && mass.is_finite() && finite && symmetric && (0..3).all(|k| inertia[k][k] >= 0.0)) {
        return Err(ArmError::Mass { joint: joint.name.clone() });
    }
    Ok(())
}
