//! The first three axes of an arm with a spherical wrist: R_1 R_2 R_3 w_0 = w.
//!
//! Four geometries reduce to the subproblems of `subproblem` (two answers twice):
//!
//!   a_2 ∥ a_3:  a_2 · R_1ᵀ w = a_2 · w_0 → q_1,   |R_3 w_0 − c_2| = |R_1ᵀ w − c_2| → q_3,   then q_2              (1)
//!   a_1 ∥ a_2:  a_1 · R_3 w_0 = a_1 · w → q_3,    |R_2 R_3 w_0 − c_1| = |w − c_1| → q_2,    then q_1              (2)
//!   a_1 ∩ a_2 = s:  |R_3 w_0 − s| = |w − s| → q_3,   then q_1 and q_2 by two meeting axes                       (3)
//!   a_2 ∩ a_3 = s:  |R_1ᵀ w − s| = |w_0 − s| → q_1,  then q_2 and q_3 by two meeting axes                       (4)
//!
//! (1) is the anthropomorphic arm with any offsets, as industrial arms have them. [Pieper1968; Siciliano2009, §2.12]
//! Other geometries need the roots of a quartic and are left to iteration.

use trunnion_num::space::{Point, cross, dot, minus, norm};

use crate::inverse::{ArmBranch, Singularity};
use crate::rotation::angle_about;
use crate::spherical::{AxisLine, before_wrist};
use crate::subproblem::{to_distance, to_plane, two_axes};

/// Three angles that bring the wrist to its place, or as near as they can.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placement {
    pub q: [f64; 3],
    pub branch: ArmBranch,
    pub singular: Vec<Singularity>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ShoulderKind {
    /// (1)
    Parallel23,
    /// (2)
    Parallel12,
    /// (3)
    Meeting12(Point),
    /// (4)
    Meeting23(Point),
}

impl ShoulderKind {
    pub fn of(lines: &[AxisLine; 6], scale: f64) -> Option<ShoulderKind> {
        let [l1, l2, l3, ..] = lines;
        match (l1.is_parallel(l2), l2.is_parallel(l3)) {
            (true, true) => None,
            (false, true) => Some(ShoulderKind::Parallel23),
            (true, false) => Some(ShoulderKind::Parallel12),
            (false, false) => {
                let first = l1.meets(l2, scale).map(ShoulderKind::Meeting12);
                first.or_else(|| l2.meets(l3, scale).map(ShoulderKind::Meeting23))
            }
        }
    }

    /// Up to four placements of the wrist from `start` at zero to `target`.
    pub fn place(self, lines: &[AxisLine; 6], start: Point, target: Point, near: [f64; 3]) -> Vec<Placement> {
        match self {
            ShoulderKind::Parallel23 => parallel_23(lines, start, target, near),
            ShoulderKind::Parallel12 => parallel_12(lines, start, target, near),
            ShoulderKind::Meeting12(s) => meeting_12(lines, s, start, target, near),
            ShoulderKind::Meeting23(s) => meeting_23(lines, s, start, target, near),
        }
    }
}

fn found(shoulder: bool, elbow: bool) -> Vec<Singularity> {
    let mut found = vec![];
    found.extend(shoulder.then_some(Singularity::Shoulder));
    found.extend(elbow.then_some(Singularity::Elbow));
    found
}

/// By the numbers of the solutions for shoulder and elbow: the first ones are front and up.
fn placement(q: [f64; 3], [shoulder, elbow]: [usize; 2], singular: [bool; 2]) -> Placement {
    let branch = before_wrist(shoulder == 0, elbow == 0);
    Placement { q, branch, singular: found(singular[0], singular[1]) }
}

/// (1)
fn parallel_23(
    [l1, l2, l3, ..]: &[AxisLine; 6],
    start: Point,
    target: Point,
    near: [f64; 3],
) -> Vec<Placement> {
    let from_first = minus(target, l1.c);
    let height = dot(l2.a, minus(start, l1.c));
    let first = to_plane(l1.a, from_first, l2.a, height, norm(from_first), -near[0]);
    let forwards = cross(l2.a, l1.a);
    // Which side the zero pose is on; one straight above the axis counts as its positive side.
    let zero_side = if dot(forwards, minus(start, l1.c)) < 0.0 { -1.0 } else { 1.0 };
    let mut all = vec![];
    for back in first.both {
        let q1 = -back;
        let turned = l1.turned(back, target);
        let side = dot(forwards, minus(turned, l1.c));
        let distance = norm(minus(turned, l2.c));
        let third = to_distance(l3.a, minus(start, l3.c), minus(l2.c, l3.c), distance, near[2]);
        for q3 in third.both {
            let bent = l3.turned(q3, start);
            let q2 = angle_about(l2.a, minus(bent, l2.c), minus(turned, l2.c));
            let bend = dot(l2.a, cross(minus(l3.c, l2.c), minus(bent, l3.c)));
            let branch = before_wrist(side * zero_side >= 0.0, bend * side >= 0.0);
            all.push(Placement { q: [q1, q2, q3], branch, singular: found(first.singular, third.singular) });
        }
    }
    all
}

/// (2)
fn parallel_12(
    [l1, l2, l3, ..]: &[AxisLine; 6],
    start: Point,
    target: Point,
    near: [f64; 3],
) -> Vec<Placement> {
    let arm = minus(start, l3.c);
    let third = to_plane(l3.a, arm, l1.a, dot(l1.a, minus(target, l3.c)), norm(arm), near[2]);
    let mut all = vec![];
    for (i, q3) in third.both.into_iter().enumerate() {
        let bent = l3.turned(q3, start);
        // Along the axes both agree by q3: the distance across is what is left.
        let distance = norm(minus(target, l1.c));
        let second = to_distance(l2.a, minus(bent, l2.c), minus(l1.c, l2.c), distance, near[1]);
        for (j, q2) in second.both.into_iter().enumerate() {
            let turned = l2.turned(q2, bent);
            let q1 = angle_about(l1.a, minus(turned, l1.c), minus(target, l1.c));
            all.push(placement([q1, q2, q3], [j, i], [second.singular, third.singular]));
        }
    }
    all
}

/// (3)
fn meeting_12(
    [l1, l2, l3, ..]: &[AxisLine; 6],
    s: Point,
    start: Point,
    target: Point,
    near: [f64; 3],
) -> Vec<Placement> {
    let distance = norm(minus(target, s));
    let third = to_distance(l3.a, minus(start, l3.c), minus(s, l3.c), distance, near[2]);
    let mut all = vec![];
    for (i, q3) in third.both.into_iter().enumerate() {
        let bent = minus(l3.turned(q3, start), s);
        let second = two_axes(l1.a, l2.a, bent, minus(target, s), [near[0], near[1]]);
        for (j, [q1, q2]) in second.both.into_iter().enumerate() {
            all.push(placement([q1, q2, q3], [j, i], [second.singular, third.singular]));
        }
    }
    all
}

/// (4)
fn meeting_23(
    [l1, l2, l3, ..]: &[AxisLine; 6],
    s: Point,
    start: Point,
    target: Point,
    near: [f64; 3],
) -> Vec<Placement> {
    let distance = norm(minus(start, s));
    let first = to_distance(l1.a, minus(target, l1.c), minus(s, l1.c), distance, -near[0]);
    let mut all = vec![];
    for (i, back) in first.both.into_iter().enumerate() {
        let turned = minus(l1.turned(back, target), s);
        let third = two_axes(l2.a, l3.a, minus(start, s), turned, [near[1], near[2]]);
        for (j, [q2, q3]) in third.both.into_iter().enumerate() {
            all.push(placement([-back, q2, q3], [i, j], [first.singular, third.singular]));
        }
    }
    all
}
