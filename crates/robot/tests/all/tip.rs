//! Levers move the tip of a crane in a plane.

use trunnion_num::space::Pose;
use trunnion_robot::tip::TipControl;
use trunnion_robot::{Arm, ArmJoint, AxisLimits, AxisMotion};

/// Boom 3.0 m, jib 2.5 m, telescope 1.5 m, in the plane x, z; the first two turn about −y, so that up is positive.
fn crane() -> Arm {
    let limits =
        |low, high, speed, acceleration| AxisLimits { low, high, speed, acceleration, jerk: f64::INFINITY };
    let turn = |name: &str, parent, x: f64, limits| ArmJoint {
        limits,
        ..ArmJoint::new(name, parent, [x, 0.0, 0.0], [0.0, -1.0, 0.0], AxisMotion::Revolute)
    };
    let telescope = ArmJoint {
        limits: limits(0.0, 1.5, 0.6, 1.0),
        ..ArmJoint::new("telescope", Some(1), [2.5, 0.0, 0.0], [1.0, 0.0, 0.0], AxisMotion::Prismatic)
    };
    let boom = turn("boom", None, 0.0, limits(-0.3, 1.3, 0.5, 1.0));
    let jib = turn("jib", Some(0), 3.0, limits(-2.6, -0.2, 0.7, 1.0));
    Arm::new(vec![boom, jib, telescope], 2, Pose::HOME).unwrap()
}

fn control(arm: &Arm) -> TipControl {
    TipControl::new(arm, [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], 0.4)
}

#[test]
fn the_tip_moves_as_the_levers_say() {
    let (arm, q) = (crane(), [0.8, -1.3, 0.6]);
    for levers in [[1.0, 0.0], [0.0, 1.0], [-0.3, 0.4]] {
        let found = control(&arm).rates(&arm, &q, levers);
        assert!(found.share == 1.0 && found.stopped.is_empty() && !found.singular);
        // Two ways: the sums of the control, and differences of the forward kinematics.
        let h = 1e-6;
        let moved: Vec<f64> = q.iter().zip(&found.rates).map(|(q, r)| q + h * r).collect();
        let (a, b) = (arm.forward(&q).p, arm.forward(&moved).p);
        for (i, axis) in [0, 2].into_iter().enumerate() {
            assert!((found.tip[i] - 0.4 * levers[i]).abs() < 1e-12);
            assert!(((b[axis] - a[axis]) / h - 0.4 * levers[i]).abs() < 1e-6);
        }
    }
}

#[test]
fn straight_lines_by_small_steps_stay_straight() {
    let arm = crane();
    let control = control(&arm);
    let mut q = [0.8, -1.6, 0.3];
    let start = arm.forward(&q).p;
    let h = 1e-3;
    for _ in 0..2000 {
        // Midpoint rule, second order.
        let first = control.rates(&arm, &q, [1.0, 0.0]).rates;
        let middle: Vec<f64> = q.iter().zip(&first).map(|(q, r)| q + 0.5 * h * r).collect();
        let rates = control.rates(&arm, &middle, [1.0, 0.0]).rates;
        (0..3).for_each(|k| q[k] += h * rates[k]);
    }
    let end = arm.forward(&q).p;
    assert!((end[0] - start[0] - 0.8).abs() < 1e-6 && (end[2] - start[2]).abs() < 1e-6, "{end:?}");
}

#[test]
fn limits_slow_all_joints_together_or_hand_over() {
    let arm = crane();
    let mut fast = control(&arm);
    fast.speed = 50.0;
    let q = [0.8, -1.3, 0.6];
    let found = fast.rates(&arm, &q, [0.6, -0.8]);
    assert!(found.share < 0.2);
    assert!(arm.limits().zip(&found.rates).all(|(l, r)| r.abs() <= l.speed * (1.0 + 1e-12)));
    // The direction is kept.
    assert!((found.tip[0] * -0.8 - found.tip[1] * 0.6).abs() < 1e-12);
    // A telescope at its end: the other two do it alone.
    let found = control(&arm).rates(&arm, &[0.8, -1.3, 1.5], [1.0, 0.0]);
    assert_eq!(found.stopped, [2]);
    assert!(found.rates[2] == 0.0 && (found.tip[0] - 0.4).abs() < 1e-12 && found.tip[1].abs() < 1e-12);
    // Close to the end: slow enough to brake.
    let found = control(&arm).rates(&arm, &[0.8, -1.3, 1.5 - 1e-4], [1.0, 0.0]);
    assert!(found.rates[2] <= (2.0_f64 * 1.0 * 1e-4).sqrt() + 1e-12 && found.share < 1.0);
}

#[test]
fn a_stretched_arm_is_damped_and_told() {
    let joints: Vec<ArmJoint> = crane().joints()[..2].to_vec();
    let mut joints = joints;
    joints[1].limits = AxisLimits::range(-3.0, 3.0);
    let arm = Arm::new(joints, 1, Pose { p: [2.5, 0.0, 0.0], ..Pose::HOME }).unwrap();
    let control = control(&arm);
    let found = control.rates(&arm, &[0.0, 0.0], [1.0, 0.0]);
    assert!(found.singular && found.rates.iter().all(|r| r.abs() < 1e-9) && found.tip[0].abs() < 1e-9);
    // Across it can still move.
    let found = control.rates(&arm, &[0.0, 0.0], [0.0, 1.0]);
    assert!(found.singular && found.tip[1] > 0.35, "{found:?}");
    assert!(control.rates(&arm, &[0.3, -1.0], [f64::NAN, 0.0]).rates.iter().all(|r| *r == 0.0));
}
