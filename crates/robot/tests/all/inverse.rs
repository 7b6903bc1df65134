//! Inverse kinematics: the table of case D.1, forward ∘ inverse, branches, and every kind of refusal.

use trunnion_num::noise::Noise;
use trunnion_num::space::{Pose, UNTURNED, minus, norm, product, transposed};
use trunnion_robot::rotation::logarithm;
use trunnion_robot::{
    Arm, AxisLimits, ElbowSide, InverseError, InverseRequest, ShoulderSide, Singularity, ToolGoal, WristSide,
    branches, solve,
};

use crate::arms;

/// Tool point with the axes of the base, and the joints. [docs/explanation/references/elastic-manipulator.md, D.1]
const TABLE: [([f64; 3], [f64; 6]); 3] = [
    ([4.3295, -0.161, 0.175], [-0.20368, -0.29293, 1.40476, -0.22643, -1.12202, 0.09963]),
    ([4.4295, -0.161, 0.175], [-0.18105, -0.20172, 1.11322, -0.22758, -0.92411, 0.13865]),
    ([4.5295, -0.161, 0.175], [-0.16291, -0.05567, 0.72030, -0.26045, -0.68135, 0.20412]),
];

fn apart(a: &Pose, b: &Pose) -> f64 {
    norm(minus(a.p, b.p)).max(norm(logarithm(product(a.r, transposed(b.r)))))
}

fn random_pose(arm: &Arm, noise: &mut Noise) -> Vec<f64> {
    let mut within = |l: &AxisLimits| l.low + (0.5 + noise.next() / 12.0_f64.sqrt()) * (l.high - l.low);
    arm.limits().map(&mut within).collect()
}

#[test]
fn the_joints_of_the_elastic_manipulator_are_those_of_its_table() {
    let arm = arms::emats();
    for (p, expected) in TABLE {
        let goal = Pose { p, r: UNTURNED };
        let all = branches(&arm, &goal, &InverseRequest::near(&[0.0; 6])).unwrap().unwrap();
        assert_eq!(all.len(), 8);
        let found = all.iter().find(|s| {
            let branch = s.branch.unwrap();
            branch.shoulder == ShoulderSide::Front && branch.elbow == ElbowSide::Up && s.q[3].abs() <= 1.6
        });
        for (q, e) in found.unwrap().q.iter().zip(expected) {
            assert!((q - e).abs() < 1e-5, "{:?} {expected:?}", found.unwrap().q);
        }
    }
}

#[test]
fn gantry_axes_are_given_and_the_other_six_found() {
    let arm = arms::emats_with_gantry();
    let (x, z) = (0.4, -0.1);
    for (p, expected) in TABLE {
        let mut request = InverseRequest::near(&[x, z, -0.2, -0.2, 1.0, -0.2, -1.0, 0.1]);
        (request.given[0], request.given[1]) = (Some(x), Some(z));
        let goal = Pose { p: [p[0] + x, p[1], p[2] + z], r: UNTURNED };
        let found = solve(&arm, &ToolGoal::Pose(goal), &request).unwrap();
        assert!(found.branch.is_some());
        for (q, e) in found.q.iter().zip([x, z].iter().chain(&expected)) {
            assert!((q - e).abs() < 1e-5, "{:?}", found.q);
        }
    }
}

/// Random joints within limits: one of the branches is where they came from, and all lead to the same pose.
#[test]
fn closed_forms_return_the_joints_of_1000_poses() {
    let usual = [(1, arms::emats()), (2, arms::industrial()), (3, arms::sideways())];
    let others = [(4, arms::crossed(true)), (5, arms::crossed(false)), (6, arms::parallel_first())];
    for (seed, arm) in usual.into_iter().chain(others) {
        let mut noise = Noise::new(seed);
        let mut branches_seen = 0;
        for _ in 0..1000 {
            let q = random_pose(&arm, &mut noise);
            let goal = arm.forward(&q);
            let all = branches(&arm, &goal, &InverseRequest::near(&q)).unwrap().unwrap();
            assert!(all.iter().all(|s| apart(&arm.forward(&s.q), &goal) < 1e-8));
            let own = all.iter().any(|s| s.q.iter().zip(&q).all(|(a, b)| (a - b).abs() < 1e-6));
            let singular = all.iter().any(|s| !s.singular.is_empty());
            assert!(own || singular, "{q:?} is not among {all:?}");
            for (i, a) in all.iter().enumerate() {
                assert!(arm.limits().zip(&a.q).all(|(l, q)| l.contains(*q)));
                assert!(all[..i].iter().all(|b| b.branch != a.branch), "{all:?}");
            }
            branches_seen = branches_seen.max(all.len());
        }
        assert_eq!(branches_seen, 8);
    }
}

#[test]
fn iteration_reaches_1000_poses_of_arms_of_any_kind() {
    let kinds = [arms::emats(), arms::industrial(), arms::offset_wrist(), arms::redundant(), arms::scara()];
    for (seed, arm) in kinds.into_iter().enumerate() {
        let mut noise = Noise::new(100 + seed as u64);
        for _ in 0..1000 {
            let goal = arm.forward(&random_pose(&arm, &mut noise));
            // A preference, even of zero pose, has no closed form.
            let mut request = InverseRequest::near(&vec![0.1; arm.n()]);
            request.preference = None;
            request.tolerance = 1e-9;
            let found = trunnion_robot::damped::solve_by_iteration(&arm, &ToolGoal::Pose(goal), &request);
            let found = found.unwrap_or_else(|e| panic!("{e}"));
            assert!(apart(&arm.forward(&found.q), &goal) < 1e-7);
            assert!(arm.limits().zip(&found.q).all(|(l, q)| l.contains(*q)));
        }
    }
}

#[test]
fn what_is_out_of_reach_says_how_far() {
    let arm = arms::emats();
    // Straight ahead of the shoulder: 0.60 + 0.50 + 0.25 m are reached.
    let goal = Pose { p: [3.30 + 1.35 + 0.2, 0.0, 0.45], r: UNTURNED };
    let closed = solve(&arm, &ToolGoal::Pose(goal), &InverseRequest::near(&[0.1; 6])).unwrap_err();
    let InverseError::Unreachable { distance, angle } = closed else { panic!("{closed}") };
    assert!((distance - 0.2).abs() < 1e-9 && angle < 1e-9, "{distance} {angle}");
    let point = ToolGoal::Point(goal.p);
    let iterated = solve(&arm, &point, &InverseRequest::near(&[0.1; 6])).unwrap_err();
    let InverseError::Unreachable { distance, .. } = iterated else { panic!("{iterated}") };
    // The minimum of a distance is known to the root of its digits.
    assert!((distance - 0.2).abs() < 1e-6, "{distance}");
    assert_eq!(iterated.to_string(), "out of reach: 200 mm are missing");
}

#[test]
fn a_joint_out_of_range_is_named() {
    let mut joints = arms::emats().joints().to_vec();
    joints[2].limits = AxisLimits::range(-0.5, 0.5);
    let arm = Arm::new(joints, 5, arms::emats().tool).unwrap();
    let goal = ToolGoal::Pose(Pose { p: TABLE[0].0, r: UNTURNED });
    for request in
        [InverseRequest::near(&[0.0; 6]), InverseRequest { restarts: 3, ..InverseRequest::near(&[0.1; 6]) }]
    {
        let error = solve(&arm, &goal, &request).unwrap_err();
        let InverseError::AtLimit { joints } = &error else { panic!("{error}") };
        assert_eq!(joints.len(), 1);
        assert_eq!(joints[0].joint, "j3");
        assert!((joints[0].value.abs() - 1.40476).abs() < 1e-5);
        let iterated = trunnion_robot::damped::solve_by_iteration(&arm, &goal, &request).unwrap_err();
        let InverseError::AtLimit { joints } = &iterated else { panic!("{iterated}") };
        assert!(joints.iter().any(|j| j.joint == "j3"), "{iterated}");
    }
}

#[test]
fn singular_poses_are_solved_and_told() {
    let arm = arms::emats();
    let check = |q: [f64; 6], expected: Singularity| {
        let all = branches(&arm, &arm.forward(&q), &InverseRequest::near(&q)).unwrap().unwrap();
        let own = all.iter().find(|s| s.q.iter().zip(&q).all(|(a, b)| (a - b).abs() < 1e-5));
        assert_eq!(own.unwrap_or_else(|| panic!("{all:?}")).singular, [expected]);
    };
    check([0.3, 0.2, 0.9, 0.4, 0.0, -0.2], Singularity::Wrist);
    check([0.3, 0.2, 0.0, 0.4, 0.7, -0.2], Singularity::Elbow);
    // 0.6 cos q2 + 0.5 cos(q2 + q3) = 0: the wrist on the first axis.
    let q2: f64 = 1.0;
    let q3 = (-0.6 * q2.cos() / 0.5).acos() - q2;
    check([0.3, q2, q3, 0.4, 0.7, -0.2], Singularity::Shoulder);
    let q = [0.3, 0.2, 0.9, 0.4, 0.0, -0.2];
    let request = InverseRequest::near(&q);
    let found =
        trunnion_robot::damped::solve_by_iteration(&arm, &ToolGoal::Pose(arm.forward(&q)), &request).unwrap();
    let Some(Singularity::Axes { joints }) = found.singular.first() else { panic!("{found:?}") };
    assert_eq!(joints, &["j4", "j6"]);
}

/// Seven axes: with a preference they come closer to it than without, and the tool stays.
#[test]
fn an_axis_to_spare_follows_a_preference() {
    let arm = arms::redundant();
    let mut noise = Noise::new(77);
    for _ in 0..20 {
        let preferred: Vec<f64> = random_pose(&arm, &mut noise).iter().map(|q| 0.5 * q).collect();
        let own: Vec<f64> = preferred.iter().map(|q| q + 0.3 * noise.next()).collect();
        let goal = ToolGoal::Pose(arm.forward(&own));
        let mut request = InverseRequest::near(&own);
        let far = |q: &[f64]| q.iter().zip(&preferred).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let plain = far(&solve(&arm, &goal, &request).unwrap().q);
        request.preference = Some(preferred.clone());
        let found = solve(&arm, &goal, &request).unwrap();
        let ToolGoal::Pose(pose) = goal else { unreachable!() };
        assert!(apart(&arm.forward(&found.q), &pose) < 1e-8);
        assert!(far(&found.q) <= plain, "{} {plain}", far(&found.q));
        // At the minimum the remaining wish is across the null space: moving along it changes nothing to first order.
        let null = null_direction(&arm, &found.q);
        let slope: f64 = null.iter().zip(&found.q).zip(&preferred).map(|((n, q), p)| n * (q - p)).sum();
        let at_limit = arm.limits().zip(&found.q).any(|(l, q)| *q <= l.low || *q >= l.high);
        assert!(slope.abs() < 1e-4 || at_limit, "{slope}");
    }
}

/// What the seven joints can do without moving the tool: cofactors of the Jacobian.
fn null_direction(arm: &Arm, q: &[f64]) -> Vec<f64> {
    let jacobian = arm.jacobian(q);
    let minor = |skip: usize| {
        let columns: Vec<usize> = (0..7).filter(|j| *j != skip).collect();
        let mut m: Vec<Vec<f64>> =
            (0..6).map(|i| columns.iter().map(|&j| jacobian[(i, j)]).collect()).collect();
        let mut det = 1.0;
        for k in 0..6 {
            let p = (k..6).max_by(|&a, &b| m[a][k].abs().total_cmp(&m[b][k].abs())).unwrap();
            if p != k {
                m.swap(p, k);
                det = -det;
            }
            det *= m[k][k];
            for i in k + 1..6 {
                let f = m[i][k] / m[k][k];
                (k..6).for_each(|j| m[i][j] -= f * m[k][j]);
            }
        }
        det
    };
    let null: Vec<f64> = (0..7).map(|j| if j % 2 == 0 { minor(j) } else { -minor(j) }).collect();
    let length = null.iter().map(|x| x * x).sum::<f64>().sqrt();
    null.iter().map(|x| x / length).collect()
}

#[test]
fn a_tool_can_be_pointed() {
    let arm = arms::industrial();
    let (point, direction) = ([0.7, 0.2, 0.5], [0.0, 0.6, -0.8]);
    let found =
        solve(&arm, &ToolGoal::Pointing { point, direction }, &InverseRequest::near(&[0.1; 6])).unwrap();
    let pose = arm.forward(&found.q);
    assert!(norm(minus(pose.p, point)) < 1e-9);
    assert!((0..3).all(|i| (pose.r[i][0] - direction[i]).abs() < 1e-8));
    assert!(found.singular.is_empty());
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let arm = arms::emats();
    let goal = ToolGoal::Pose(Pose { p: [f64::NAN, 0.0, 0.0], r: UNTURNED });
    assert_eq!(solve(&arm, &goal, &InverseRequest::near(&[0.0; 6])), Err(InverseError::NotFinite));
    let goal = ToolGoal::Point([4.0, 0.0, 0.4]);
    let wrong = solve(&arm, &goal, &InverseRequest::near(&[0.0; 5]));
    assert_eq!(wrong, Err(InverseError::WrongSize { expected: 6, found: 5 }));
}

#[test]
fn branches_have_names() {
    let arm = arms::emats();
    let q = [0.3, -0.4, 1.2, 0.5, 0.8, -0.2];
    let all = branches(&arm, &arm.forward(&q), &InverseRequest::near(&q)).unwrap().unwrap();
    let own = all.iter().find(|s| s.q.iter().zip(&q).all(|(a, b)| (a - b).abs() < 1e-9)).unwrap();
    let branch = own.branch.unwrap();
    assert_eq!(
        (branch.shoulder, branch.elbow, branch.wrist),
        (ShoulderSide::Front, ElbowSide::Up, WristSide::NoFlip)
    );
    assert_eq!(branch.to_string(), "front, elbow up, wrist not flipped");
}

/// From a stretched arm, straight outwards or inwards, no direction helps: with no other start that is what is said.
#[test]
fn an_iteration_that_is_caught_in_a_singular_pose_says_so() {
    let arm = arms::emats();
    let goal = ToolGoal::Point([3.30 + 1.0, 0.0, 0.45]);
    let request = InverseRequest { restarts: 0, ..InverseRequest::near(&[0.0; 6]) };
    let error = solve(&arm, &goal, &request).unwrap_err();
    let InverseError::Singular { distance, .. } = error else { panic!("{error}") };
    assert!((distance - 0.35).abs() < 1e-9);
    assert!(solve(&arm, &goal, &InverseRequest::near(&[0.0; 6])).is_ok());
}

/// The names are what one sees: the elbow above the line from shoulder to wrist, the wrist before or behind the first axis.
#[test]
fn branches_are_what_their_names_say() {
    for (arm, seed) in [(arms::emats(), 21), (arms::industrial(), 22)] {
        let mut noise = Noise::new(seed);
        for _ in 0..50 {
            let q = random_pose(&arm, &mut noise);
            let all = branches(&arm, &arm.forward(&q), &InverseRequest::near(&q)).unwrap().unwrap();
            for solution in all.iter().filter(|s| s.singular.is_empty()) {
                let links = arm.links(&solution.q);
                let (shoulder, elbow, wrist) = (links[1].p, links[2].p, links[4].p);
                let branch = solution.branch.unwrap();
                // Seen from the side, in the plane of the arm that q1 has turned: x' forwards, z up.
                let (s, c) = solution.q[0].sin_cos();
                let forwards = |a: [f64; 3], b: [f64; 3]| c * (b[0] - a[0]) + s * (b[1] - a[1]);
                let before_axis = forwards(links[0].p, wrist);
                assert_eq!(before_axis > 0.0, branch.shoulder == ShoulderSide::Front, "{solution:?}");
                // A line has two sides; upwards is the one to the left of the direction in which the arm reaches.
                let to_wrist = [forwards(shoulder, wrist), wrist[2] - shoulder[2]];
                let to_elbow = [forwards(shoulder, elbow), elbow[2] - shoulder[2]];
                let left = to_wrist[0] * to_elbow[1] - to_wrist[1] * to_elbow[0];
                assert_eq!(left * before_axis > 0.0, branch.elbow == ElbowSide::Up, "{solution:?}");
            }
        }
    }
}
