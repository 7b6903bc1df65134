//! The tree of a mechanism as numbers at a pose: every joint as primitive ones, every rigid body as a mass.
//!
//! X_BM of the frame by which a body hangs at its joint makes the link M: centre and inertia are seen from there. Joints that close loops are left
//! out, orientations of spherical and free joints stay as they are.

use trunnion_equations::start::evaluate;
use trunnion_equations::{Expr, Symbol, System};
use trunnion_model::mechanism::{Frame, Joint, Mechanism, PrimitiveJoint};
use trunnion_num::space::{Pose, UNTURNED, apply, from_quaternion, product, times, transposed};
use trunnion_robot::{Arm, ArmError, ArmJoint, AxisMotion, LinkMass};

/// The arm, and which position each of its coordinates is.
pub(super) struct MechanismArm {
    pub arm: Arm,
    pub positions: Vec<Symbol>,
}

/// Values of everything at a pose.
pub(super) struct PoseValues<'a> {
    pub system: &'a System,
    /// Of all quantities, SI.
    pub values: &'a [f64],
}

impl PoseValues<'_> {
    fn number(&self, e: Expr) -> f64 {
        evaluate(&self.system.graph, e, |s| self.values[s.index()])
    }

    fn frame(&self, frame: &Frame) -> Pose {
        Pose { p: frame.p.map(|e| self.number(e)), r: frame.r.map(|row| row.map(|e| self.number(e))) }
    }
}

/// None: a body deforms, so that it is no mass of a link.
pub(super) fn mechanism_arm(
    mechanism: &Mechanism,
    at: &PoseValues<'_>,
) -> Result<Option<MechanismArm>, ArmError> {
    if mechanism.bodies.iter().any(|b| b.inertia.modal().is_some()) {
        return Ok(None);
    }
    let mut made = TreeBuilder { at, joints: vec![], positions: vec![] };
    // Link and X_BM of every body that has been reached.
    let mut seats: Vec<Option<(Option<usize>, Pose)>> = vec![None; mechanism.bodies.len()];
    seats[Mechanism::WORLD] = Some((None, Pose::HOME));
    let mut open = true;
    while open {
        open = false;
        for joint in mechanism.joints.iter().filter(|j| !j.cut) {
            let (parent, child) = (&joint.parent, &joint.child);
            let (near, far, reversed) = match (seats[parent.body], seats[child.body]) {
                (Some(_), None) => (parent, child, false),
                (None, Some(_)) => (child, parent, true),
                _ => continue,
            };
            let Some((link, seat)) = seats[near.body] else { continue };
            let frame = inverse(seat).then(at.frame(near));
            let link = made.add(joint, reversed, link, frame);
            let place = at.frame(far);
            made.joints[link].mass = made.mass(mechanism, far.body, inverse(place));
            seats[far.body] = Some((Some(link), place));
            open = true;
        }
    }
    let tip = made.joints.len().saturating_sub(1);
    let arm = Arm::new(made.joints, tip, Pose::HOME)?;
    Ok(Some(MechanismArm { arm, positions: made.positions }))
}

fn inverse(pose: Pose) -> Pose {
    let r = transposed(pose.r);
    Pose { p: times(-1.0, apply(r, pose.p)), r }
}

struct TreeBuilder<'a> {
    at: &'a PoseValues<'a>,
    joints: Vec<ArmJoint>,
    positions: Vec<Symbol>,
}

impl TreeBuilder<'_> {
    /// The primitives of a joint; gives the last link.
    fn add(&mut self, joint: &Joint, reversed: bool, carrier: Option<usize>, frame: Pose) -> usize {
        let sign = if reversed { -1.0 } else { 1.0 };
        let lead = joint.pitch.map_or(0.0, |e| self.at.number(e));
        let mut next = 0;
        let mut parts: Vec<(AxisMotion, [f64; 3], Pose, Option<Symbol>)> = vec![];
        for primitive in joint.kind.primitives {
            let (motion, direction) = match primitive {
                PrimitiveJoint::Fixed => (AxisMotion::Fixed, None),
                PrimitiveJoint::Turn(d) => (AxisMotion::Revolute, Some(d)),
                PrimitiveJoint::Slide(d) => (AxisMotion::Prismatic, Some(d)),
                PrimitiveJoint::Screw(d) => (AxisMotion::Screw { lead }, Some(d)),
                PrimitiveJoint::Ball => (AxisMotion::Fixed, None),
            };
            let mut pose = Pose::HOME;
            if let (PrimitiveJoint::Ball, Some(ball)) = (primitive, &joint.orientation) {
                let r = from_quaternion(ball.quaternion.map(|s| self.at.values[s.index()]));
                pose.r = if reversed { transposed(r) } else { r };
            }
            let position = direction.map(|_| joint.freedoms[next].position);
            next += usize::from(direction.is_some());
            let axis = direction.map_or([0.0; 3], |d| times(sign, d.of(&joint.axes)));
            parts.push((motion, axis, pose, position));
        }
        if reversed {
            parts.reverse();
        }
        let mut link = carrier;
        for (k, (motion, axis, pose, position)) in parts.into_iter().enumerate() {
            let seat = if k == 0 { frame } else { Pose { p: [0.0; 3], r: UNTURNED } };
            let mut made = ArmJoint::new(&joint.name, link, [0.0; 3], axis, motion);
            made.frame = seat.then(pose);
            self.joints.push(made);
            self.positions.extend(position);
            link = Some(self.joints.len() - 1);
        }
        self.joints.len() - 1
    }

    /// The mass of a body seen from its link; `place` is X_MB.
    fn mass(&self, mechanism: &Mechanism, body: usize, place: Pose) -> LinkMass {
        let Some(rigid) = mechanism.bodies[body].inertia.rigid() else { return LinkMass::NONE };
        let [xx, yy, zz, xy, xz, yz] = rigid.inertia.map(|e| self.at.number(e));
        let own = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        LinkMass {
            mass: self.at.number(rigid.mass),
            centre: place.of(rigid.center.map(|e| self.at.number(e))),
            inertia: product(place.r, product(own, transposed(place.r))),
        }
    }
}
