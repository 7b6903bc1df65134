//! Motions of joints and of the tool: limits, continuity, blends, checks; and the move of case D.3
//! (docs/explanation/references/elastic-manipulator.md).

use proptest::prelude::*;
use trunnion_num::noise::Noise;
use trunnion_num::space::{Point, Pose, UNTURNED, from_rpy, minus, norm, plus, product, times, transposed};
use trunnion_robot::rotation::logarithm;
use trunnion_robot::{
    InverseError, InverseRequest, JointMove, JointPath, JointPathError, LawKind, MotionLimits, PathCause,
    PathCheck, Singularity, ToolFollower, ToolGoal, ToolLimits, ToolMove, ToolPath, ToolPathError, solve,
};

use crate::arms;

const KINDS: [LawKind; 3] = [LawKind::Trapezoid, LawKind::SCurve, LawKind::Quintic];
const LIMITS: ToolLimits = ToolLimits {
    linear: MotionLimits { speed: 0.3, acceleration: 1.5, jerk: 12.0 },
    angular: MotionLimits { speed: 1.0, acceleration: 5.0, jerk: 40.0 },
};

fn to(end: Pose) -> ToolMove {
    ToolMove { end, via: None, limits: LIMITS, law: LawKind::SCurve, blend: 0.0, duration: None }
}

fn joint_limits(n: usize) -> Vec<MotionLimits> {
    let scale = |i: usize| 1.0 + 0.3 * i as f64;
    (0..n)
        .map(|i| MotionLimits { speed: scale(i), acceleration: 4.0 * scale(i), jerk: 30.0 * scale(i) })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        rng_seed: prop::test_runner::RngSeed::Fixed(11),
        failure_persistence: None,
        ..Default::default()
    })]

    /// Any via points, any blends: no axis exceeds speed, acceleration or jerk, nothing jumps, the end is reached.
    #[test]
    fn joints_keep_their_limits(seed in 0..10_000_u64, blend in 0.0..2.0_f64, kind in 0..3_usize) {
        let arm = arms::emats();
        let mut noise = Noise::new(seed);
        let limits = joint_limits(6);
        let mut pose = || (0..6).map(|_| noise.next()).collect::<Vec<f64>>();
        let start = pose();
        let moves: Vec<JointMove> = (0..4)
            .map(|_| JointMove { q: pose(), limits: limits.clone(), law: KINDS[kind], blend, duration: None })
            .collect();
        let path = JointPath::plan(&arm, &start, &moves).unwrap();
        let n = 2000;
        let dt = path.duration() / f64::from(n);
        let mut last = path.at(0.0);
        prop_assert_eq!(&last.q, &start);
        for i in 1..=n {
            let now = path.at(dt * f64::from(i));
            for k in 0..6 {
                let l = &limits[k];
                prop_assert!(now.v[k].abs() <= l.speed * (1.0 + 1e-8), "speed {} of {}", now.v[k], k);
                prop_assert!(now.a[k].abs() <= l.acceleration * (1.0 + 1e-8), "acceleration {} of {}", now.a[k], k);
                prop_assert!((now.q[k] - last.q[k]).abs() <= l.speed * dt * (1.0 + 1e-6));
                prop_assert!((now.v[k] - last.v[k]).abs() <= l.acceleration * dt * (1.0 + 1e-6));
                if kind > 0 {
                    prop_assert!((now.a[k] - last.a[k]).abs() <= l.jerk * dt * (1.0 + 1e-6), "jerk of {}", k);
                }
            }
            last = now;
        }
        for k in 0..6 {
            prop_assert!((last.q[k] - moves[3].q[k]).abs() < 1e-12);
        }
    }

    /// The same of the tool, on lines and arcs with turning orientation.
    #[test]
    fn the_tool_keeps_its_limits(seed in 0..10_000_u64, blend in 0.0..0.3_f64, kind in 0..3_usize, arcs in 0..2_usize) {
        let mut noise = Noise::new(seed);
        let mut pose = || Pose {
            p: [0.3 * noise.next(), 0.3 * noise.next(), 0.3 * noise.next()],
            r: from_rpy([noise.next(), 0.5 * noise.next(), noise.next()]),
        };
        let start = pose();
        let moves: Vec<ToolMove> = (0..4)
            .map(|i| {
                let via = (arcs == 1 && i % 2 == 1).then(|| pose().p);
                ToolMove { via, law: KINDS[kind], blend, ..to(pose()) }
            })
            .collect();
        let path = ToolPath::plan(start, &moves).unwrap();
        let n = 2000;
        let dt = path.duration() / f64::from(n);
        let mut last = path.at(0.0);
        for i in 1..=n {
            let now = path.at(dt * f64::from(i));
            let checks = [(now.rate.v, last.rate.v, now.acceleration.v, last.acceleration.v, LIMITS.linear),
                (now.rate.w, last.rate.w, now.acceleration.w, last.acceleration.w, LIMITS.angular)];
            for (c, (v, v_last, a, a_last, l)) in checks.into_iter().enumerate() {
                prop_assert!(norm(v) <= l.speed * (1.0 + 1e-8), "speed {} {}", norm(v), c);
                prop_assert!(norm(a) <= l.acceleration * (1.0 + 1e-8), "acceleration {} {}", norm(a), c);
                prop_assert!(norm(minus(v, v_last)) <= l.acceleration * dt * (1.0 + 1e-6));
                // The angular jerk of a blend has gyroscopic terms that are not planned for.
                if kind > 0 && c == 0 {
                    prop_assert!(norm(minus(a, a_last)) <= l.jerk * dt * (1.0 + 1e-6), "jerk {}", c);
                }
            }
            prop_assert!(norm(minus(now.pose.p, last.pose.p)) <= LIMITS.linear.speed * dt * (1.0 + 1e-6));
            let turned = norm(logarithm(product(now.pose.r, transposed(last.pose.r))));
            prop_assert!(turned <= LIMITS.angular.speed * dt * (1.0 + 1e-6));
            last = now;
        }
        prop_assert!(norm(minus(last.pose.p, moves[3].end.p)) < 1e-12);
    }
}

/// Rates and accelerations are the derivatives of the pose, through a blend of a line and an arc.
#[test]
fn rates_of_a_path_are_its_derivatives() {
    let pose = |p: Point, rpy: Point| Pose { p, r: from_rpy(rpy) };
    let moves = [
        ToolMove { blend: 0.1, law: LawKind::Quintic, ..to(pose([0.5, 0.0, 0.0], [0.3, 0.1, 0.0])) },
        ToolMove {
            via: Some([0.6, 0.3, 0.0]),
            law: LawKind::Quintic,
            ..to(pose([0.3, 0.5, 0.2], [0.3, -0.4, 1.0]))
        },
    ];
    let path = ToolPath::plan(pose([0.0; 3], [0.0; 3]), &moves).unwrap();
    let stop = [ToolMove { blend: 0.0, ..moves[0] }, moves[1]];
    assert!(path.duration() < ToolPath::plan(pose([0.0; 3], [0.0; 3]), &stop).unwrap().duration() + 2.0);
    let h = 1e-5;
    for i in 1..200 {
        let t = path.duration() * f64::from(i) / 200.0;
        let (a, now, b) = (path.at(t - h), path.at(t), path.at(t + h));
        let v = times(0.5 / h, minus(b.pose.p, a.pose.p));
        let w = times(0.5 / h, logarithm(product(b.pose.r, transposed(a.pose.r))));
        assert!(norm(minus(v, now.rate.v)) < 1e-7 && norm(minus(w, now.rate.w)) < 1e-7, "{t}");
        let v = times(0.5 / h, minus(b.rate.v, a.rate.v));
        let w = times(0.5 / h, minus(b.rate.w, a.rate.w));
        // Where a piece begins, the jerk jumps: 40 rad/s³ within h.
        assert!(
            norm(minus(v, now.acceleration.v)) < 1e-3 && norm(minus(w, now.acceleration.w)) < 1e-3,
            "{t}"
        );
    }
}

/// The path stays on its straight pieces outside of the zone, and cuts the corner inside.
#[test]
fn blends_stay_within_their_zone() {
    let pose = |p: Point| Pose { p, r: UNTURNED };
    let corner = [0.4, 0.0, 0.0];
    for law in KINDS {
        let moves = [
            ToolMove { blend: 0.08, law, ..to(pose(corner)) },
            ToolMove { law, ..to(pose([0.4, 0.4, 0.0])) },
        ];
        let path = ToolPath::plan(pose([0.0; 3]), &moves).unwrap();
        let mut nearest = f64::INFINITY;
        for i in 0..=2000 {
            let p = path.at(path.duration() * f64::from(i) / 2000.0).pose.p;
            let off_lines = p[1].abs().min((p[0] - 0.4).abs());
            let from_corner = norm(minus(p, corner));
            assert!(off_lines < 1e-12 || from_corner <= 0.08 + 1e-9, "{p:?}");
            nearest = nearest.min(from_corner);
        }
        assert!(nearest > 0.005 && nearest < 0.08, "{law:?}: {nearest}");
        // It does not stop there.
        let slowest = (100..1900)
            .map(|i| norm(path.at(path.duration() * f64::from(i) / 2000.0).rate.v))
            .fold(1.0, f64::min);
        assert!(slowest > 0.02, "{slowest}");
    }
}

#[test]
fn every_axis_starts_and_stops_together() {
    let arm = arms::emats();
    let q = vec![0.5, -0.3, 1.0, 0.0, 0.2, -1.5];
    let moves = [JointMove {
        q: q.clone(),
        limits: joint_limits(6),
        law: LawKind::SCurve,
        blend: 0.0,
        duration: None,
    }];
    let path = JointPath::plan(&arm, &[0.0; 6], &moves).unwrap();
    for i in 1..100 {
        let now = path.at(path.duration() * f64::from(i) / 100.0);
        let share = now.q[0] / q[0];
        assert!(q.iter().zip(&now.q).all(|(end, now)| (now - share * end).abs() < 1e-14));
    }
    // The slowest axis decides: S-curve of the third, whose limits are the lowest for its way.
    let slowest = (0..6)
        .filter(|&i| q[i] != 0.0)
        .map(|i| {
            trunnion_robot::TimeLaw::new(LawKind::SCurve, q[i].abs(), joint_limits(6)[i]).unwrap().duration
        })
        .fold(0.0, f64::max);
    assert!(path.duration() >= slowest - 1e-12);
}

#[test]
fn motions_out_of_range_or_without_a_circle_are_refused() {
    let arm = arms::industrial();
    let mut q = vec![0.0; 6];
    q[4] = 2.5;
    let moves = [JointMove { q, limits: joint_limits(6), law: LawKind::SCurve, blend: 0.0, duration: None }];
    let error = JointPath::plan(&arm, &[0.0; 6], &moves).unwrap_err();
    assert!(matches!(&error, JointPathError::AtLimit { index: 0, joints } if joints[0].joint == "j5"));
    assert_eq!(error.to_string(), "out of range: `j5` would be 2.5, range -2.1 to 2.1");
    let pose = |x: f64| Pose { p: [x, 0.0, 0.0], r: UNTURNED };
    let straight = ToolMove { via: Some([0.5, 0.0, 0.0]), ..to(pose(1.0)) };
    assert_eq!(ToolPath::plan(pose(0.0), &[straight]), Err(ToolPathError::NoArc { index: 0 }));
    assert_eq!(ToolPath::plan(pose(0.0), &[to(pose(f64::NAN))]), Err(ToolPathError::NotFinite { index: 0 }));
}

fn line(arm: &trunnion_robot::Arm, q: &[f64], by: Point) -> ToolPath {
    let start = arm.forward(q);
    ToolPath::plan(start, &[to(Pose { p: plus(start.p, by), r: start.r })]).unwrap()
}

/// A line through the singular pose, one that ends out of reach, one that is too fast: each with its place.
#[test]
fn faults_of_a_path_are_found_before_it_runs() {
    let arm = arms::industrial();
    let follower = ToolFollower::new(&arm);
    let q = [0.2, 0.3, 0.4, 0.5, 0.8, -0.2];
    let good = line(&arm, &q, [0.05, 0.1, -0.1]);
    PathCheck::walk(&arm, &follower, &good, &q, 200).unwrap();

    let far = line(&arm, &q, [0.0, 0.0, 2.0]);
    let fault = PathCheck::walk(&arm, &follower, &far, &q, 200).unwrap_err();
    assert!(
        fault.share > 0.05 && fault.share < 0.9 && (fault.distance - 2.0 * fault.share).abs() < 1e-9,
        "{fault}"
    );
    assert!(!matches!(fault.cause, PathCause::Pose(InverseError::NotFinite)));

    // From one wrist to the other in a plane: on the way the fifth axis passes 0.
    let emats = arms::emats();
    let (start, end) = ([0.0, -0.6, 1.6, 0.0, -1.0, 0.0], [0.0, -0.6, 1.6, 0.0, 1.0, 0.0]);
    let path = ToolPath::plan(emats.forward(&start), &[to(emats.forward(&end))]).unwrap();
    let fault = PathCheck::walk(&emats, &ToolFollower::new(&emats), &path, &start, 200).unwrap_err();
    assert_eq!(fault.cause, PathCause::Singular(Singularity::Wrist), "{fault}");
    assert!(fault.share > 0.3 && fault.share < 0.7, "{}", fault.share);

    let limits =
        ToolLimits { linear: MotionLimits { speed: 30.0, acceleration: 300.0, jerk: 1e5 }, ..LIMITS };
    let end = Pose { p: plus(arm.forward(&q).p, [0.05, 0.1, -0.1]), r: arm.forward(&q).r };
    let fast = ToolPath::plan(arm.forward(&q), &[ToolMove { limits, ..to(end) }]).unwrap();
    let fault = PathCheck::walk(&arm, &follower, &fast, &q, 200).unwrap_err();
    assert!(
        matches!(fault.cause, PathCause::TooFast { .. } | PathCause::TooMuchAcceleration { .. }),
        "{fault}"
    );
}

/// Joints that follow the tool: positions, and rates that are their differences.
#[test]
fn joints_follow_the_tool_with_their_rates() {
    let arm = arms::industrial();
    let follower = ToolFollower::new(&arm);
    let q = vec![0.2, 0.3, 0.4, 0.5, 0.8, -0.2];
    let path = line(&arm, &q, [0.1, 0.2, -0.15]);
    let h = 1e-4;
    let joints = |t: f64, near: &[f64]| follower.joints(&arm, &path.at(t), near).unwrap().0;
    let mut near = q;
    for i in 1..100 {
        let t = path.duration() * (f64::from(i) + 0.3) / 101.0;
        let now = joints(t, &near);
        let (a, b) = (joints(t - h, &now.q), joints(t + h, &now.q));
        for k in 0..6 {
            assert!(((b.q[k] - a.q[k]) / (2.0 * h) - now.v[k]).abs() < 1e-5);
            // The jerk may jump within h: 12 m/s³ of the tool.
            assert!(((b.v[k] - a.v[k]) / (2.0 * h) - now.a[k]).abs() < 2e-2, "{k} {t}");
        }
        near = now.q;
    }
}

/// The move of case D.3 with ideal servos, q̈ = ω² (q_ref − q) − 2 ζ ω q̇, ω = 6 rad/s, ζ = 1: RK4 with 1 ms.
#[test]
fn the_elastic_manipulator_follows_its_line_as_published() {
    let arm = arms::emats();
    let follower = ToolFollower::new(&arm);
    let pose = |x: f64| Pose { p: [x, -0.161, 0.175], r: UNTURNED };
    let limits = MotionLimits { speed: 10.0, acceleration: 10.0, jerk: 100.0 };
    let m = ToolMove {
        law: LawKind::Quintic,
        duration: Some(5.0),
        limits: ToolLimits { linear: limits, angular: limits },
        ..to(pose(4.5295))
    };
    let path = ToolPath::plan(pose(4.3295), &[m]).unwrap();
    assert_eq!(path.duration(), 5.0);
    let start = [-0.20368, -0.29293, 1.40476, -0.22643, -1.12202, 0.09963];
    let q0 = solve(&arm, &ToolGoal::Pose(pose(4.3295)), &InverseRequest::near(&start)).unwrap().q;
    let (w, h) = (6.0, 1e-3);
    let mut reference = q0.clone();
    let mut at = |t: f64| {
        reference = follower.joints(&arm, &path.at(t), &reference).unwrap().0.q;
        reference.clone()
    };
    let rate = |r: &[f64], x: &[f64]| -> Vec<f64> {
        (0..6).map(|i| x[6 + i]).chain((0..6).map(|i| w * w * (r[i] - x[i]) - 2.0 * w * x[6 + i])).collect()
    };
    let mut x: Vec<f64> = q0.iter().copied().chain([0.0; 6]).collect();
    let add =
        |x: &[f64], s: f64, k: &[f64]| -> Vec<f64> { x.iter().zip(k).map(|(x, k)| x + s * k).collect() };
    let (mut seen, mut off, mut lag, mut highest) = (vec![], [0.0_f64; 2], 0.0_f64, 0.0_f64);
    for i in 0..9000 {
        let t = h * f64::from(i);
        let (r0, r1, r2) = (at(t), at(t + 0.5 * h), at(t + h));
        let k1 = rate(&r0, &x);
        let k2 = rate(&r1, &add(&x, 0.5 * h, &k1));
        let k3 = rate(&r1, &add(&x, 0.5 * h, &k2));
        let k4 = rate(&r2, &add(&x, h, &k3));
        for j in 0..12 {
            x[j] += h / 6.0 * (k1[j] + 2.0 * (k2[j] + k3[j]) + k4[j]);
        }
        let p = arm.forward(&x[..6]).p;
        off = [off[0].max((p[1] + 0.161).abs()), off[1].max((p[2] - 0.175).abs())];
        lag = (0..6).fold(lag, |m, j| m.max((r2[j] - x[j]).abs()));
        highest = highest.max(p[0]);
        if [2499, 2500, 4999].contains(&i) {
            seen.push(p[0]);
        }
    }
    // Numbers of docs/explanation/references/elastic-manipulator.md, D.3, by another integration.
    for (found, expected) in seen.iter().zip([4.405566, 4.405637, 4.528156]) {
        assert!((found - expected).abs() < 1e-6, "{seen:?}");
    }
    assert!((off[0] - 7.51e-5).abs() < 1e-7 && (off[1] - 2.587e-4).abs() < 1e-7, "{off:?}");
    assert!((lag - 0.0837).abs() < 1e-4, "{lag}");
    assert!(highest <= 4.5295 + 1e-9 && (arm.forward(&x[..6]).p[0] - 4.5295).abs() < 1e-6, "{highest}");
}

/// An arm without names for its singularities: the sign of det J tells that one was passed.
#[test]
fn iteration_finds_singular_poses_on_a_path_too() {
    let arm = arms::offset_wrist();
    let follower = ToolFollower::new(&arm);
    let q = [0.2, 0.4, 0.9, 0.3, 0.6, -0.2];
    PathCheck::walk(&arm, &follower, &line(&arm, &q, [-0.03, 0.02, 0.05]), &q, 100).unwrap();
    // The fifth axis through 0, where the fourth and the sixth are parallel: slowly, so that rates are within limits.
    let (from, to_q) = ([0.2, 0.4, 0.9, 0.3, 0.05, -0.2], [0.2, 0.4, 0.9, 0.3, -0.05, -0.2]);
    let limits = ToolLimits {
        linear: MotionLimits { speed: 1e-3, acceleration: 1e-2, jerk: 1.0 },
        angular: MotionLimits { speed: 1e-3, acceleration: 1e-2, jerk: 1.0 },
    };
    let path = ToolPath::plan(arm.forward(&from), &[ToolMove { limits, ..to(arm.forward(&to_q)) }]).unwrap();
    let fault = PathCheck::walk(&arm, &follower, &path, &from, 100).unwrap_err();
    assert!(matches!(fault.cause, PathCause::Singular(Singularity::Axes { .. })), "{fault}");
    assert!((fault.share - 0.5).abs() < 0.05, "{}", fault.share);
}

/// Small circles: whatever limit binds, speed, the whole acceleration or the whole jerk, none is exceeded, and one of them
/// is used to a third at least, as the plan divides the jerk.
#[test]
fn vectors_of_acceleration_and_jerk_keep_their_limits_on_arcs() {
    let pose = |p: Point| Pose { p, r: UNTURNED };
    for law in KINDS {
        for (radius, speed, acceleration, jerk) in
            [(0.05, 5.0, 2.0, 1e4), (0.05, 5.0, 50.0, 10.0), (0.5, 0.2, 5.0, 100.0), (0.02, 1.0, 3.0, 30.0)]
        {
            let linear = MotionLimits { speed, acceleration, jerk };
            let m = ToolMove {
                via: Some([radius, radius, 0.0]),
                limits: ToolLimits { linear, ..LIMITS },
                law,
                ..to(pose([2.0 * radius, 0.0, 0.0]))
            };
            let path = ToolPath::plan(pose([0.0; 3]), &[m]).unwrap();
            let n = 4000;
            let dt = path.duration() / f64::from(n);
            let mut largest = [0.0_f64; 3];
            let mut last = path.at(0.0).acceleration.v;
            for i in 1..n {
                let now = path.at(dt * f64::from(i));
                let jolt = norm(minus(now.acceleration.v, last)) / dt;
                let jolt = if law == LawKind::Trapezoid { 0.0 } else { jolt };
                let shares = [norm(now.rate.v) / speed, norm(now.acceleration.v) / acceleration, jolt / jerk];
                (0..3).for_each(|k| largest[k] = largest[k].max(shares[k]));
                last = now.acceleration.v;
            }
            assert!(largest.iter().all(|share| *share <= 1.0 + 1e-6), "{law:?} {radius}: {largest:?}");
            assert!(largest.iter().any(|share| *share > 0.33), "{law:?} {radius}: {largest:?}");
        }
    }
}

/// A short motion between two long ones, with zones larger than it is: never more than two motions at a time.
#[test]
fn short_motions_between_long_ones_blend_without_a_jump() {
    let pose = |p: Point| Pose { p, r: UNTURNED };
    let corners = [[0.5, 0.0, 0.0], [0.5, 0.004, 0.0], [0.0, 0.3, 0.0]];
    for law in KINDS {
        let moves = corners.map(|p| ToolMove { law, blend: 0.2, ..to(pose(p)) });
        let path = ToolPath::plan(pose([0.0; 3]), &moves).unwrap();
        let n = 4000;
        let dt = path.duration() / f64::from(n);
        for i in 1..=n {
            let (a, b) = (path.at(dt * f64::from(i - 1)), path.at(dt * f64::from(i)));
            assert!(
                norm(minus(b.pose.p, a.pose.p)) <= LIMITS.linear.speed * dt * (1.0 + 1e-6),
                "{law:?} {i}"
            );
            assert!(
                norm(minus(b.rate.v, a.rate.v)) <= LIMITS.linear.acceleration * dt * (1.0 + 1e-6),
                "{law:?} {i}"
            );
        }
    }
}
