//! Kinds of joints: each is one file here, beside its component in `library/mechanism/`, and one line in [`JointKind::ALL`].
//!
//!   cylindrical = slide · turn,  universal = turn · turn,  planar = slide · slide · turn,  free = 3 slides · ball       (1)
//!
//! A joint is a sequence of primitive joints from its parent's frame to its child's. All equations follow from that sequence: motion in the
//! tree, what the joint forbids and measures where it closes a loop, and which joints a tree prefers.

mod cylindrical;
mod free;
mod planar;
mod prismatic;
mod revolute;
mod screw;
mod spherical;
mod universal;
mod weld;

#[derive(Debug, PartialEq, Eq)]
pub struct JointKind {
    /// As `type` names it; its component has the same name.
    pub word: &'static str,
    pub axes: JointAxes,
    /// (1), from the parent to the child. Those with an axis have the coordinates in turn.
    pub primitives: &'static [PrimitiveJoint],
    /// Its coordinates but for an orientation, in order.
    pub coordinates: &'static [CoordinateNames],
    /// The ports of its coordinates, in the same order; none where the coordinates have no ports.
    pub ports: &'static [&'static str],
    /// The ports of a joint that leaves all freedoms, as components between two frames use them; coordinates first.
    pub pose_ports: &'static [&'static str],
    /// Its motion stays in a plane.
    pub is_plane: bool,
    pub mark: JointMark,
}

/// Which axes the file gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointAxes {
    None,
    One,
    /// Two that are not parallel.
    Two,
    /// Two at right angles.
    Orthogonal,
}

impl JointAxes {
    pub fn count(self) -> usize {
        match self {
            JointAxes::None => 0,
            JointAxes::One => 1,
            JointAxes::Two | JointAxes::Orthogonal => 2,
        }
    }
}

/// A direction in the axes of the joint's frames where they coincide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointDirection {
    First,
    Second,
    /// First × second.
    Normal,
    X,
    Y,
    Z,
}

impl JointDirection {
    pub fn of(self, axes: &[[f64; 3]]) -> [f64; 3] {
        match self {
            JointDirection::First => axes[0],
            JointDirection::Second => axes[1],
            JointDirection::Normal => {
                let [a, b] = [axes[0], axes[1]];
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
            }
            JointDirection::X => [1.0, 0.0, 0.0],
            JointDirection::Y => [0.0, 1.0, 0.0],
            JointDirection::Z => [0.0, 0.0, 1.0],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrimitiveJoint {
    Fixed,
    Turn(JointDirection),
    Slide(JointDirection),
    /// Turns and slides by `pitch` per radian.
    Screw(JointDirection),
    /// Any orientation: quaternion (w, x, y, z) and angular velocity in the child's axes.
    Ball,
}

/// The names of one coordinate in its component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoordinateNames {
    pub position: &'static str,
    pub velocity: &'static str,
    pub force: &'static str,
    pub turns: bool,
}

const fn turn(position: &'static str, velocity: &'static str, force: &'static str) -> CoordinateNames {
    CoordinateNames { position, velocity, force, turns: true }
}

const fn slide(position: &'static str, velocity: &'static str, force: &'static str) -> CoordinateNames {
    CoordinateNames { position, velocity, force, turns: false }
}

/// How a joint is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointMark {
    None,
    Hinge,
    Slide,
}

impl JointKind {
    /// In the order in which messages list them.
    pub const ALL: &[&JointKind] = &[
        Self::WELD,
        Self::REVOLUTE,
        Self::PRISMATIC,
        Self::SCREW,
        Self::CYLINDRICAL,
        Self::UNIVERSAL,
        Self::PLANAR,
        Self::SPHERICAL,
        Self::FREE,
    ];

    pub fn find(word: &str) -> Option<&'static JointKind> {
        Self::ALL.iter().find(|kind| kind.word == word).copied()
    }

    pub fn has_orientation(&self) -> bool {
        self.primitives.contains(&PrimitiveJoint::Ball)
    }

    pub fn is_screw(&self) -> bool {
        self.primitives.iter().any(|p| matches!(p, PrimitiveJoint::Screw(_)))
    }

    /// How many ways it can slide, and turn.
    pub fn freedoms(&self) -> (usize, usize) {
        let count = |of: fn(&PrimitiveJoint) -> usize| self.primitives.iter().map(of).sum();
        let slides = count(|p| matches!(p, PrimitiveJoint::Slide(_)) as usize);
        let turns = count(|p| match p {
            PrimitiveJoint::Fixed | PrimitiveJoint::Slide(_) => 0,
            PrimitiveJoint::Turn(_) | PrimitiveJoint::Screw(_) => 1,
            PrimitiveJoint::Ball => 3,
        });
        (slides, turns)
    }
}
