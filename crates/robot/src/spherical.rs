//! Six revolute axes, the last three of which meet in the wrist point: closed form, all branches.
//!
//! With axes a_i through c_i and the tool pose X_0, all taken at q = 0 [Murray1994, eq. 3.3]:
//!
//!   X = R_1 R_2 R_3 R_4 R_5 R_6 X_0,   R_i: rotation by q_i about (a_i, c_i)                              (1)
//!   wrist:        R_1 R_2 R_3 w_0 = X X_0⁻¹ w_0                     → q_1, q_2, q_3 (`shoulder`)          (2)
//!   orientation:  R_4 R_5 R_6 = (R_1 R_2 R_3)ᵀ R R_0ᵀ                                                     (3)
//!     R_4 R_5 a_6 = (…) a_6 → q_4, q_5 (two);   then q_6 from a vector across a_6.
//!
//! Every answer is put back into (1): where the residual says no, it is not an answer.

use std::f64::consts::TAU;

use trunnion_num::space::{
    Point, Pose, RotationMatrix, apply, cross, dot, minus, norm, plus, product, times, transposed, unit,
};

use crate::arm::{Arm, AxisMotion};
use crate::inverse::{
    ArmBranch, ElbowSide, InverseError, InverseRequest, InverseSolution, JointOutside, ShoulderSide,
    Singularity, WristSide, examined,
};
use crate::rotation::{about, angle_about, inverse, logarithm};
use crate::shoulder::{Placement, ShoulderKind};
use crate::subproblem::two_axes;

/// Lines closer than this, in units of the reach, meet; directions this close are parallel.
const GEOMETRIC: f64 = 1e-9;

/// Residual of an answer in units of the reach, and in rad.
const VERIFIED: f64 = 1e-9;

/// A line: a point on it and its direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AxisLine {
    pub c: Point,
    pub a: Point,
}

impl AxisLine {
    pub fn turned(&self, q: f64, p: Point) -> Point {
        plus(self.c, apply(about(self.a, q), minus(p, self.c)))
    }

    pub(crate) fn is_parallel(&self, other: &AxisLine) -> bool {
        norm(cross(self.a, other.a)) < GEOMETRIC
    }

    /// Where two lines meet, if they do.
    pub fn meets(&self, other: &AxisLine, scale: f64) -> Option<Point> {
        let n = cross(self.a, other.a);
        let square = dot(n, n);
        if square.sqrt() < GEOMETRIC {
            return None;
        }
        let between = minus(other.c, self.c);
        let gap = dot(between, n).abs() / square.sqrt();
        let along = dot(cross(between, other.a), n) / square;
        (gap < GEOMETRIC * scale).then(|| plus(self.c, times(along, self.a)))
    }

    fn distance(&self, p: Point) -> f64 {
        norm(cross(self.a, minus(p, self.c)))
    }
}

/// An arm seen as six axes at zero.
#[derive(Clone, Debug)]
pub(crate) struct SphericalArm {
    lines: [AxisLine; 6],
    /// Coordinate of each.
    axes: [usize; 6],
    given: Vec<Option<f64>>,
    wrist: Point,
    tool: Pose,
    kind: ShoulderKind,
    /// The size of the arm.
    scale: f64,
}

impl SphericalArm {
    /// None: not six revolute axes, no wrist, or a shoulder without a closed form.
    pub(crate) fn recognise(arm: &Arm, given: &[Option<f64>]) -> Option<SphericalArm> {
        let value = |k: usize| given.get(k).copied().flatten();
        let free: Vec<usize> = arm.chain().iter().copied().filter(|&k| value(k).is_none()).collect();
        let axes: [usize; 6] = free.try_into().ok()?;
        if axes.iter().any(|&k| arm.axis(k).motion != AxisMotion::Revolute) {
            return None;
        }
        let zero: Vec<f64> = (0..arm.n()).map(|k| value(k).unwrap_or(0.0)).collect();
        let links = arm.links(&zero);
        let lines = axes.map(|k| {
            let link = links[arm.joint_of(k)];
            AxisLine { c: link.p, a: apply(link.r, arm.axis(k).axis) }
        });
        let tool = arm.tool_of(&links);
        let scale = lines
            .iter()
            .map(|l| norm(minus(l.c, lines[0].c)))
            .fold(norm(minus(tool.p, lines[5].c)), f64::max);
        let wrist = lines[3].meets(&lines[4], scale)?;
        if lines[5].distance(wrist) > GEOMETRIC * scale || lines[4].is_parallel(&lines[5]) {
            return None;
        }
        let kind = ShoulderKind::of(&lines, scale)?;
        Some(SphericalArm { lines, axes, given: given.to_vec(), wrist, tool, kind, scale })
    }

    /// All branches within limits; the reason where there is none.
    pub fn solve(
        &self,
        arm: &Arm,
        goal: &Pose,
        request: &InverseRequest,
    ) -> Result<Vec<InverseSolution>, InverseError> {
        let numbers: Vec<f64> = goal.p.iter().chain(goal.r.iter().flatten()).copied().collect();
        examined(arm, &numbers, request)?;
        let near = self.axes.map(|k| request.near[k]);
        let motion = goal.then(inverse(self.tool));
        let target = motion.of(self.wrist);
        let mut solutions: Vec<InverseSolution> = vec![];
        let mut missing = (f64::INFINITY, f64::INFINITY);
        let mut outside: Option<Vec<JointOutside>> = None;
        for placement in self.kind.place(&self.lines, self.wrist, target, [near[0], near[1], near[2]]) {
            for (q, side, singular_wrist) in self.orient(&placement, motion.r, near) {
                let reached = self.reached(q);
                let distance = norm(minus(reached.p, goal.p));
                let angle = norm(logarithm(product(transposed(reached.r), goal.r)));
                if distance > VERIFIED * self.scale || angle > VERIFIED {
                    missing = if (distance, angle) < missing { (distance, angle) } else { missing };
                    continue;
                }
                let mut singular = placement.singular.clone();
                singular.extend(singular_wrist.then_some(Singularity::Wrist));
                match self.within(arm, q, request) {
                    Ok(q) => {
                        let branch = ArmBranch { wrist: side, ..placement.branch };
                        // Branches that meet in a singular pose are told once.
                        let known =
                            solutions.iter().any(|s| s.q.iter().zip(&q).all(|(a, b)| (a - b).abs() < 1e-9));
                        if !known {
                            solutions.push(InverseSolution { q, branch: Some(branch), singular });
                        }
                    }
                    Err(joints) => {
                        let excess = |j: &[JointOutside]| j.iter().map(beyond).sum::<f64>();
                        if outside.as_ref().is_none_or(|o| excess(&joints) < excess(o)) {
                            outside = Some(joints);
                        }
                    }
                }
            }
        }
        match (solutions.is_empty(), outside) {
            (false, _) => Ok(solutions),
            (true, Some(joints)) => Err(InverseError::AtLimit { joints }),
            (true, None) => Err(InverseError::Unreachable { distance: missing.0, angle: missing.1 }),
        }
    }

    /// (3): both wrists for one placement.
    fn orient(
        &self,
        placement: &Placement,
        motion: RotationMatrix,
        near: [f64; 6],
    ) -> [([f64; 6], WristSide, bool); 2] {
        let [l1, l2, l3, l4, l5, l6] = &self.lines;
        let [q1, q2, q3] = placement.q;
        let before = product(about(l1.a, q1), product(about(l2.a, q2), about(l3.a, q3)));
        let rest = product(transposed(before), motion);
        let pair = two_axes(l4.a, l5.a, l6.a, apply(rest, l6.a), [near[3], near[4]]);
        let across = some_across(l6.a);
        [0, 1].map(|k| {
            let [q4, q5] = pair.both[k];
            let turned = product(about(l4.a, q4), about(l5.a, q5));
            let q6 = angle_about(l6.a, across, apply(transposed(turned), apply(rest, across)));
            let side = if k == 0 { WristSide::NoFlip } else { WristSide::Flip };
            ([q1, q2, q3, q4, q5, q6], side, pair.singular)
        })
    }

    /// (1)
    fn reached(&self, q: [f64; 6]) -> Pose {
        let mut pose = self.tool;
        for (line, q) in self.lines.iter().zip(q).rev() {
            pose = Pose { p: line.turned(q, pose.p), r: product(about(line.a, q), pose.r) };
        }
        pose
    }

    /// Full turns are added so that angles are within limits and as near as can be.
    fn within(
        &self,
        arm: &Arm,
        found: [f64; 6],
        request: &InverseRequest,
    ) -> Result<Vec<f64>, Vec<JointOutside>> {
        let mut q: Vec<f64> = (0..arm.n()).map(|k| self.given[k].unwrap_or(request.near[k])).collect();
        let mut outside = vec![];
        for (&k, angle) in self.axes.iter().zip(found) {
            let limits = &arm.axis(k).limits;
            let start = angle + TAU * ((request.near[k] - angle) / TAU).round();
            // From the nearest turn away from it; ranges of more than 64 turns are none.
            let turn = |i: i32| start + TAU * f64::from(if i % 2 == 0 { i / 2 } else { -(i + 1) / 2 });
            match (0..129).map(turn).find(|q| limits.contains(*q)) {
                Some(value) => q[k] = value,
                None => {
                    let (low, high) = (limits.low, limits.high);
                    let excess = |v: f64| (low - v).max(v - high);
                    let nearest = (0..9).map(turn).min_by(|a, b| excess(*a).total_cmp(&excess(*b)));
                    let value = nearest.unwrap_or(start);
                    outside.push(JointOutside { joint: arm.axis(k).name.clone(), value, low, high });
                }
            }
        }
        if outside.is_empty() { Ok(q) } else { Err(outside) }
    }
}

fn beyond(j: &JointOutside) -> f64 {
    (j.low - j.value).max(j.value - j.high)
}

fn some_across(a: Point) -> Point {
    let smallest = (1..3).fold(0, |best, i| if a[i].abs() < a[best].abs() { i } else { best });
    let mut e = [0.0; 3];
    e[smallest] = 1.0;
    unit(cross(a, e)).unwrap_or([1.0, 0.0, 0.0])
}

/// A placement's branch before the wrist is known.
pub(crate) fn before_wrist(front: bool, up: bool) -> ArmBranch {
    ArmBranch {
        shoulder: if front { ShoulderSide::Front } else { ShoulderSide::Back },
        elbow: if up { ElbowSide::Up } else { ElbowSide::Down },
        wrist: WristSide::NoFlip,
    }
}
