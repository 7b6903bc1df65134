//! Forward kinematics, Jacobian and its rate, against differences; trees that are none.

use trunnion_num::noise::Noise;
use trunnion_num::space::{Pose, minus, norm, product, times, transposed};
use trunnion_robot::rotation::logarithm;
use trunnion_robot::{Arm, ArmError, ArmJoint, AxisLimits, AxisMotion, LinkMass, Twist};

use crate::arms;

fn pose(n: usize, noise: &mut Noise) -> Vec<f64> {
    (0..n).map(|_| 0.6 * noise.next()).collect()
}

fn along(q: &[f64], v: &[f64], s: f64) -> Vec<f64> {
    q.iter().zip(v).map(|(q, v)| q + s * v).collect()
}

#[test]
fn rates_are_the_differences_of_poses_and_accelerations_those_of_rates() {
    let mut noise = Noise::new(5);
    for arm in
        [arms::industrial(), arms::sideways(), arms::scara(), arms::emats_with_gantry(), arms::telescope()]
    {
        let (q, v) = (pose(arm.n(), &mut noise), pose(arm.n(), &mut noise));
        let h = 1e-5;
        let (a, b) = (arm.forward(&along(&q, &v, -h)), arm.forward(&along(&q, &v, h)));
        let twist = arm.twist(&q, &v);
        let w = times(0.5 / h, logarithm(product(b.r, transposed(a.r))));
        let linear = times(0.5 / h, minus(b.p, a.p));
        // Central differences: h² ~ 1e-10 and rounding 1e-11.
        assert!(norm(minus(w, twist.w)) < 1e-8 && norm(minus(linear, twist.v)) < 1e-8);
        let (a, b) = (arm.twist(&along(&q, &v, -h), &v).rows(), arm.twist(&along(&q, &v, h), &v).rows());
        let bias = arm.bias_acceleration(&q, &v).rows();
        for i in 0..6 {
            assert!((0.5 / h * (b[i] - a[i]) - bias[i]).abs() < 1e-8, "{i}: {bias:?}");
        }
    }
}

#[test]
fn manipulability_of_a_planar_arm_is_its_closed_form() {
    // l1 l2 |sin q2| for two parallel axes. [Yoshikawa1985]
    let joint = |name, parent, at| ArmJoint::new(name, parent, at, [0.0, 0.0, 1.0], AxisMotion::Revolute);
    let joints = vec![joint("a", None, [0.0; 3]), joint("b", Some(0), [0.7, 0.0, 0.0])];
    let arm = Arm::new(joints, 1, Pose { p: [0.4, 0.0, 0.0], ..Pose::HOME }).unwrap();
    for q2 in [-2.0_f64, 0.3, 1.5] {
        // Without length, angles do not count.
        let found = arm.manipulability(&[0.8, q2], 0.0);
        assert!((found - 0.7 * 0.4 * q2.sin().abs()).abs() < 1e-15, "{found}");
    }
    assert!(arm.manipulability(&[0.8, 0.0], 0.0) < 1e-16);
}

#[test]
fn twists_of_a_screw_are_those_of_its_lead() {
    let joint = ArmJoint::new("s", None, [0.0; 3], [0.0, 0.0, 2.0], AxisMotion::Screw { lead: 0.01 });
    let arm = Arm::new(vec![joint], 0, Pose { p: [0.5, 0.0, 0.0], ..Pose::HOME }).unwrap();
    let expected = Twist { w: [0.0, 0.0, 3.0], v: [0.0, 1.5, 0.03] };
    assert!((0..6).all(|i| (arm.twist(&[0.0], &[3.0]).rows()[i] - expected.rows()[i]).abs() < 1e-15));
}

#[test]
fn trees_that_are_none_are_refused() {
    let good = ArmJoint::new("a", None, [0.0; 3], [0.0, 0.0, 1.0], AxisMotion::Revolute);
    let check = |change: &dyn Fn(&mut ArmJoint), expected: ArmError| {
        let mut joint = good.clone();
        change(&mut joint);
        let error = Arm::new(vec![joint], 0, Pose::HOME).unwrap_err();
        assert_eq!(error, expected);
        assert!(!error.to_string().is_empty());
    };
    let joint = || "a".to_string();
    check(&|j| j.motion = AxisMotion::Fixed, ArmError::NothingMoves);
    check(&|j| j.axis = [0.0; 3], ArmError::NoAxis { joint: joint() });
    check(&|j| j.parent = Some(0), ArmError::ParentOrder { joint: joint() });
    check(&|j| j.frame.p[1] = f64::NAN, ArmError::NotAFrame { joint: joint() });
    check(&|j| j.frame.r[0][0] = -1.0, ArmError::NotAFrame { joint: joint() });
    check(&|j| j.motion = AxisMotion::Screw { lead: f64::INFINITY }, ArmError::NotAFrame { joint: joint() });
    check(&|j| j.limits = AxisLimits::range(1.0, -1.0), ArmError::Limits { joint: joint() });
    check(&|j| j.limits.jerk = 0.0, ArmError::Limits { joint: joint() });
    check(&|j| j.limits.low = f64::NAN, ArmError::Limits { joint: joint() });
    check(&|j| j.mass = LinkMass::point(-1.0, [0.0; 3]), ArmError::Mass { joint: joint() });
    check(&|j| j.mass.inertia[0][1] = 1.0, ArmError::Mass { joint: joint() });
    assert_eq!(Arm::new(vec![good.clone()], 1, Pose::HOME), Err(ArmError::NoTip { tip: 1 }));
}
