//! Arms that several tests use.

use std::f64::consts::PI;

use trunnion_num::space::{Point, Pose, UNTURNED, from_rpy};
use trunnion_robot::{Arm, ArmJoint, AxisLimits, AxisMotion};

const X: Point = [1.0, 0.0, 0.0];
const Y: Point = [0.0, 1.0, 0.0];
const Z: Point = [0.0, 0.0, 1.0];

fn chain(rows: &[(Point, Point, f64)], tool: Pose) -> Arm {
    let joints = rows.iter().enumerate().map(|(i, &(at, axis, range))| {
        let name = format!("j{}", i + 1);
        let parent = i.checked_sub(1);
        let limits =
            AxisLimits { speed: 2.0, acceleration: 8.0, jerk: 80.0, ..AxisLimits::range(-range, range) };
        ArmJoint { limits, ..ArmJoint::new(&name, parent, at, axis, AxisMotion::Revolute) }
    });
    Arm::new(joints.collect(), rows.len() - 1, tool).unwrap()
}

/// The manipulator of case D.1, on its shoulder point: no limits but full turns.
pub fn emats() -> Arm {
    let rows = [
        ([3.30, 0.0, 0.45], Z, PI),
        ([0.0; 3], Y, PI),
        ([0.60, 0.0, 0.0], Y, PI),
        ([0.50, 0.0, 0.0], X, PI),
        ([0.0; 3], Y, PI),
        ([0.0; 3], X, PI),
    ];
    chain(&rows, Pose { p: [0.25, 0.0, 0.0], r: UNTURNED })
}

/// The same with its gantry: x along the rails, z of the carriage.
pub fn emats_with_gantry() -> Arm {
    let own = emats();
    let slide = |name: &str, parent, axis| ArmJoint {
        limits: AxisLimits::range(-2.0, 2.0),
        ..ArmJoint::new(name, parent, [0.0; 3], axis, AxisMotion::Prismatic)
    };
    let mut joints = vec![slide("theta_x", None, X), slide("theta_z", Some(0), Z)];
    for joint in own.joints() {
        let parent = Some(joint.parent.map_or(1, |p| p + 2));
        joints.push(ArmJoint { parent, ..joint.clone() });
    }
    Arm::new(joints, 7, own.tool).unwrap()
}

/// An industrial arm: shoulder 0.15 m before the first axis, forearm 0.12 m above the elbow, flange turned.
pub fn industrial() -> Arm {
    let rows = [
        ([0.0, 0.0, 0.45], Z, 2.9),
        ([0.15, 0.0, 0.0], Y, 2.2),
        ([0.0, 0.0, 0.60], Y, 2.4),
        ([0.10, 0.0, 0.12], X, 3.1),
        ([0.54, 0.0, 0.0], Y, 2.1),
        ([0.0; 3], X, 6.0),
    ];
    chain(&rows, Pose { p: [0.10, 0.02, 0.0], r: from_rpy([0.3, PI / 2.0, 0.1]) })
}

/// An arm of the PUMA kind: shoulder and elbow to the side of the first axis; fixed frames turned on the way.
pub fn sideways() -> Arm {
    let mut rows = vec![];
    let turn = from_rpy([0.4, -0.3, 0.2]);
    for (i, (at, axis)) in [
        ([0.0, 0.0, 0.67], Z),
        ([0.0, 0.24, 0.0], Y),
        ([0.43, -0.09, 0.0], [0.0, -1.0, 0.0]),
        ([0.02, 0.0, 0.20], Z),
        ([0.0, 0.0, 0.23], Y),
        ([0.0; 3], Z),
    ]
    .into_iter()
    .enumerate()
    {
        let limits = AxisLimits::range(-2.8, 2.8);
        rows.push(ArmJoint {
            limits,
            ..ArmJoint::new(&format!("j{}", i + 1), i.checked_sub(1), at, axis, AxisMotion::Revolute)
        });
    }
    rows[0].frame.r = turn;
    Arm::new(rows, 5, Pose { p: [0.0, 0.0, 0.15], r: UNTURNED }).unwrap()
}

/// Six axes without a spherical wrist.
pub fn offset_wrist() -> Arm {
    let rows = [
        ([0.0, 0.0, 0.09], Z, PI),
        ([0.0, 0.13, 0.0], Y, PI),
        ([0.42, -0.12, 0.0], Y, PI),
        ([0.39, 0.0, 0.0], Y, PI),
        ([0.0, 0.11, 0.0], Z, PI),
        ([0.0, 0.0, -0.095], Y, PI),
    ];
    chain(&rows, Pose { p: [0.0, 0.08, 0.0], r: UNTURNED })
}

/// Seven axes, one to spare.
pub fn redundant() -> Arm {
    let rows = [
        ([0.0, 0.0, 0.34], Z, 2.9),
        ([0.0; 3], Y, 2.0),
        ([0.0, 0.0, 0.40], Z, 2.9),
        ([0.0; 3], [0.0, -1.0, 0.0], 2.0),
        ([0.0, 0.0, 0.40], Z, 2.9),
        ([0.0; 3], Y, 2.0),
        ([0.0, 0.0, 0.126], Z, 3.0),
    ];
    chain(&rows, Pose::HOME)
}

/// Two parallel axes, a screw and a slide: SCARA with a ball screw spline.
pub fn scara() -> Arm {
    let limits = AxisLimits::range(-2.5, 2.5);
    let turn = |i: usize, at: Point| ArmJoint {
        limits,
        ..ArmJoint::new(&format!("j{}", i + 1), i.checked_sub(1), at, Z, AxisMotion::Revolute)
    };
    let slide = ArmJoint {
        limits: AxisLimits::range(-0.3, 0.1),
        ..ArmJoint::new("j3", Some(1), [0.30, 0.0, 0.0], Z, AxisMotion::Prismatic)
    };
    let screw = ArmJoint {
        limits: AxisLimits::range(-6.0, 6.0),
        ..ArmJoint::new("j4", Some(2), [0.0; 3], Z, AxisMotion::Screw { lead: 0.004 })
    };
    let joints = vec![turn(0, [0.0, 0.0, 0.4]), turn(1, [0.35, 0.0, 0.0]), slide, screw];
    Arm::new(joints, 3, Pose { p: [0.05, 0.0, -0.1], r: UNTURNED }).unwrap()
}

/// Axes 1 and 2 meet, 2 and 3 are across each other; then the same turned round: 2 and 3 meet.
pub fn crossed(first_meet: bool) -> Arm {
    let rows = match first_meet {
        true => [([0.0, 0.0, 0.3], Z, PI), ([0.0; 3], Y, PI), ([0.1, 0.2, 0.4], X, PI)],
        false => [([0.0, 0.0, 0.3], Z, PI), ([0.2, 0.0, 0.1], Y, PI), ([0.0; 3], X, PI)],
    };
    let wrist = [([0.1, 0.3, 0.3], X, PI), ([0.0; 3], Y, PI), ([0.0; 3], X, PI)];
    chain(&[rows, wrist].concat(), Pose { p: [0.1, 0.0, 0.0], r: UNTURNED })
}

/// Axes 1 and 2 are parallel, 3 lies across: a SCARA with a wrist.
pub fn parallel_first() -> Arm {
    let rows = [
        ([0.0, 0.0, 0.3], Z, PI),
        ([0.4, 0.0, 0.0], Z, PI),
        ([0.3, 0.0, 0.0], Y, PI),
        ([0.2, 0.05, 0.0], X, PI),
        ([0.0; 3], Y, PI),
        ([0.0; 3], X, PI),
    ];
    chain(&rows, Pose { p: [0.1, 0.0, 0.0], r: UNTURNED })
}

/// A slide and a screw that are turned by other joints, across their axes.
pub fn telescope() -> Arm {
    let joints = vec![
        ArmJoint::new("slew", None, [0.0; 3], Z, AxisMotion::Revolute),
        ArmJoint::new("lift", Some(0), [0.1, 0.0, 0.5], Y, AxisMotion::Revolute),
        ArmJoint::new("slide", Some(1), [0.8, 0.0, 0.1], X, AxisMotion::Prismatic),
        ArmJoint::new("screw", Some(2), [0.2, 0.1, 0.0], [1.0, 0.0, 0.5], AxisMotion::Screw { lead: 0.05 }),
    ];
    Arm::new(joints, 3, Pose { p: [0.1, 0.2, 0.0], r: UNTURNED }).unwrap()
}
