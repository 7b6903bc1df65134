//! Inverse kinematics of any tree by damped least squares, with limits, restarts and preferences of redundant axes.
//!
//!   e = (L log(R_goal Rᵀ); p_goal − p),   (JᵀJ + μ 1) Δq = Jᵀ e                       (1)  [Sugihara2011; Nocedal2006, §10.3]
//!   μ shrinks after a step that lessens |e|, and grows after one that does not.
//!   Redundant axes: Δq = (1 − J⁺ J) g (q_preferred − q), then back to e = 0 by (1)        (2)  [Siciliano2009, eq. 3.54]
//!
//! L is a length, so that all rows are in m. A coordinate at its limit that is pushed outwards is left out of a step.
//! Restarts are spread over the range of the axes by a generator with a fixed seed: the same question has the same answer.

use std::f64::consts::{PI, TAU};

use trunnion_num::noise::Noise;
use trunnion_num::space::{Point, cross, dot, minus, norm, plus, product as turned, times, transposed, unit};
use trunnion_num::{DenseLu, Matrix};

use crate::arm::{Arm, AxisMotion};
use crate::inverse::{
    InverseError, InverseRequest, InverseSolution, JointOutside, Singularity, ToolGoal, examined,
};
use crate::jacobian::{product, scaled, singular_pairs};
use crate::joint_path::outside;
use crate::rotation::logarithm;

/// Steps from one start; those that converge take about ten.
const MOST_STEPS: usize = 150;

/// σ_min/σ_max below which a pose counts as singular: the damping of joint rates becomes visible there.
pub(crate) const SINGULAR_RATIO: f64 = 1e-5;

/// The length L that makes an angle comparable with a distance: a third of the stretched arm.
pub(crate) fn angle_length(arm: &Arm) -> f64 {
    let frames: f64 = arm.joints().iter().map(|j| norm(j.frame.p)).sum();
    let slides = (0..arm.n()).map(|k| arm.axis(k)).filter(|j| j.motion == AxisMotion::Prismatic);
    let travel: f64 = slides.map(|j| j.limits.high - j.limits.low).filter(|r| r.is_finite()).sum();
    let reach = frames + norm(arm.tool.p) + travel;
    if reach > 0.0 { reach / 3.0 } else { 1.0 }
}

/// (1) and (2).
pub fn solve_by_iteration(
    arm: &Arm,
    goal: &ToolGoal,
    request: &InverseRequest,
) -> Result<InverseSolution, InverseError> {
    let numbers: Vec<f64> = match goal {
        ToolGoal::Pose(pose) => pose.p.iter().chain(pose.r.iter().flatten()).copied().collect(),
        ToolGoal::Point(p) => p.to_vec(),
        ToolGoal::Pointing { point, direction } => [*point, *direction].concat(),
    };
    examined(arm, &numbers, request)?;
    let search = DampedSearch::new(arm, goal, request, true);
    let found = search.try_many_starts(request.restarts);
    match (found, &request.preference) {
        (Ok(q), None) => Ok(search.answer(q)),
        (Ok(q), Some(preferred)) => Ok(search.answer(search.towards(q, preferred))),
        (Err(best), _) => Err(search.reason(best, request)),
    }
}

struct DampedSearch<'a> {
    arm: &'a Arm,
    goal: &'a ToolGoal,
    free: Vec<usize>,
    start: Vec<f64>,
    length: f64,
    tolerance: f64,
    bounded: bool,
}

impl<'a> DampedSearch<'a> {
    fn new(arm: &'a Arm, goal: &'a ToolGoal, request: &InverseRequest, bounded: bool) -> Self {
        let free = arm.chain().iter().copied().filter(|&k| request.given[k].is_none()).collect();
        let mut start: Vec<f64> = (0..arm.n()).map(|k| request.given[k].unwrap_or(request.near[k])).collect();
        let search_free: &Vec<usize> = &free;
        for &k in search_free {
            if bounded {
                start[k] = start[k].clamp(arm.axis(k).limits.low, arm.axis(k).limits.high);
            }
        }
        DampedSearch {
            arm,
            goal,
            free,
            start,
            length: angle_length(arm),
            tolerance: request.tolerance,
            bounded,
        }
    }

    /// A pose that fits, or the best that was found.
    fn try_many_starts(&self, restarts: usize) -> Result<Vec<f64>, Vec<f64>> {
        let mut noise = Noise::new(0x5eed);
        let mut best: Option<(f64, Vec<f64>)> = None;
        for attempt in 0..=restarts {
            let mut q = self.start.clone();
            if attempt > 0 {
                self.free.iter().for_each(|&k| q[k] = self.somewhere(k, &mut noise));
            }
            let (size, q) = match self.descend(q.clone(), self.bounded) {
                (size, q) if size <= self.tolerance || !self.bounded => (size, q),
                // A way around, through a range that is closed: full turns may bring the joints back into it.
                stopped => match self.descend(q, false) {
                    (size, q) if size <= self.tolerance && self.fits(&self.wrapped(&q)) => {
                        (size, self.wrapped(&q))
                    }
                    _ => stopped,
                },
            };
            if size <= self.tolerance {
                return Ok(q);
            }
            if best.as_ref().is_none_or(|(least, _)| size < *least) {
                best = Some((size, q));
            }
        }
        Err(best.map_or_else(|| self.start.clone(), |(_, q)| q))
    }

    fn somewhere(&self, k: usize, noise: &mut Noise) -> f64 {
        let joint = self.arm.axis(k);
        let wide = if joint.motion == AxisMotion::Prismatic { 3.0 * self.length } else { PI };
        let low = if joint.limits.low.is_finite() { joint.limits.low } else { -wide };
        let high = if joint.limits.high.is_finite() { joint.limits.high } else { wide };
        let share = 0.5 + noise.next() / 12.0_f64.sqrt();
        low + share * (high - low)
    }

    /// Rows of (1) and their derivatives by the free coordinates.
    fn residual(&self, q: &[f64]) -> (Vec<f64>, Matrix) {
        let pose = self.arm.forward(q);
        let jacobian = scaled(&self.arm.jacobian(q), self.length);
        let columns = |rows: &[usize]| {
            Matrix::from_fn(rows.len(), self.free.len(), |i, j| jacobian[(rows[i], self.free[j])])
        };
        match self.goal {
            ToolGoal::Pose(goal) => {
                let turn = times(self.length, logarithm(turned(goal.r, transposed(pose.r))));
                let e = [turn, minus(goal.p, pose.p)].concat();
                (e, columns(&[0, 1, 2, 3, 4, 5]))
            }
            ToolGoal::Point(point) => (minus(*point, pose.p).to_vec(), columns(&[3, 4, 5])),
            ToolGoal::Pointing { point, direction } => {
                let x = [pose.r[0][0], pose.r[1][0], pose.r[2][0]];
                let e = [times(self.length, swing(x, *direction)), minus(*point, pose.p)].concat();
                let all = columns(&[0, 1, 2, 3, 4, 5]);
                // Turning about x itself changes nothing.
                let across = Matrix::from_fn(6, all.columns(), |i, j| match i < 3 {
                    true => all[(i, j)] - x[i] * (0..3).map(|k| x[k] * all[(k, j)]).sum::<f64>(),
                    false => all[(i, j)],
                });
                (e, across)
            }
        }
    }

    /// (1) from one start: |e| and where.
    fn descend(&self, mut q: Vec<f64>, bounded: bool) -> (f64, Vec<f64>) {
        let (mut e, mut jacobian) = self.residual(&q);
        let mut size = length_of(&e);
        let mut mu = 1e-2 * size * size + 1e-8 * self.length * self.length;
        for _ in 0..MOST_STEPS {
            // Two digits below what was asked, as far as numbers allow: the last steps are quadratic.
            if size <= 1e-2 * self.tolerance {
                break;
            }
            let Some(step) = self.step(&q, &e, &jacobian, mu, bounded) else { break };
            let next = self.moved(&q, &step, bounded);
            let moves = next.iter().zip(&q).any(|(a, b)| (a - b).abs() > 1e-15 * (1.0 + b.abs()));
            let (e_next, jacobian_next) = self.residual(&next);
            let size_next = length_of(&e_next);
            if size_next < size {
                (q, e, jacobian, size) = (next, e_next, jacobian_next, size_next);
                mu = (0.2 * mu).min(size * size);
            } else if !moves || mu > 1e6 * self.length * self.length {
                break;
            } else {
                mu = (4.0 * mu).max(1e-12 * self.length * self.length);
            }
        }
        (size, q)
    }

    /// Δq of (1); coordinates at a limit that would be pushed further stay.
    fn step(&self, q: &[f64], e: &[f64], jacobian: &Matrix, mu: f64, bounded: bool) -> Option<Vec<f64>> {
        let n = self.free.len();
        let gradient: Vec<f64> =
            (0..n).map(|j| (0..e.len()).map(|i| jacobian[(i, j)] * e[i]).sum()).collect();
        let held: Vec<bool> = (0..n).map(|j| bounded && self.pushed(q, j, gradient[j])).collect();
        let mut normal = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                let entry: f64 = (0..e.len()).map(|k| jacobian[(k, i)] * jacobian[(k, j)]).sum();
                let kept = !held[i] && !held[j];
                normal[i * n + j] = if kept { entry } else { 0.0 } + if i == j { mu } else { 0.0 };
            }
        }
        let mut step: Vec<f64> = (0..n).map(|j| if held[j] { 0.0 } else { gradient[j] }).collect();
        let mut lu = DenseLu::new(n);
        lu.factor(&normal).ok()?;
        lu.solve(&mut step);
        step.iter().all(|s| s.is_finite()).then_some(step)
    }

    fn pushed(&self, q: &[f64], j: usize, direction: f64) -> bool {
        let (limits, value) = (&self.arm.axis(self.free[j]).limits, q[self.free[j]]);
        (value >= limits.high && direction > 0.0) || (value <= limits.low && direction < 0.0)
    }

    fn moved(&self, q: &[f64], step: &[f64], bounded: bool) -> Vec<f64> {
        let mut next = q.to_vec();
        for (&k, s) in self.free.iter().zip(step) {
            next[k] += s;
            if bounded {
                next[k] = next[k].clamp(self.arm.axis(k).limits.low, self.arm.axis(k).limits.high);
            }
        }
        next
    }

    /// Revolute joints by full turns to the middle of their range.
    fn wrapped(&self, q: &[f64]) -> Vec<f64> {
        let mut q = q.to_vec();
        for &k in &self.free {
            let joint = self.arm.axis(k);
            let middle = 0.5 * (joint.limits.low + joint.limits.high);
            if joint.motion == AxisMotion::Revolute && middle.is_finite() {
                q[k] += TAU * ((middle - q[k]) / TAU).round();
            }
        }
        q
    }

    fn fits(&self, q: &[f64]) -> bool {
        self.free.iter().all(|&k| self.arm.axis(k).limits.contains(q[k]))
    }

    /// (2): each step is taken only if it comes closer to the preferred pose and the goal is still met.
    fn towards(&self, mut q: Vec<f64>, preferred: &[f64]) -> Vec<f64> {
        let far = |q: &[f64]| self.free.iter().map(|&k| (preferred[k] - q[k]).powi(2)).sum::<f64>();
        let mut gain = 1.0;
        for _ in 0..MOST_STEPS {
            let wish: Vec<f64> = self.free.iter().map(|&k| gain * (preferred[k] - q[k])).collect();
            let jacobian = self.residual(&q).1;
            let back = product(&jacobian, &wish);
            // J⁺ J wish, damped against rounding only.
            let floor = 1e-12 * self.length * self.length;
            let Some(lost) = self.step(&q, &back, &jacobian, floor, self.bounded) else { break };
            let step: Vec<f64> = wish.iter().zip(&lost).map(|(w, l)| w - l).collect();
            let (size, next) = self.descend(self.moved(&q, &step, self.bounded), self.bounded);
            if size <= self.tolerance && far(&next) < far(&q) * (1.0 - 1e-12) {
                q = next;
                gain = (2.0 * gain).min(1.0);
            } else {
                gain *= 0.5;
                if gain < 1e-6 {
                    break;
                }
            }
        }
        q
    }

    fn answer(&self, q: Vec<f64>) -> InverseSolution {
        let singular = self.singularity(&q, SINGULAR_RATIO).into_iter().collect();
        InverseSolution { q, branch: None, singular }
    }

    /// Singular if the ratio of singular values is below `ratio`.
    fn singularity(&self, q: &[f64], ratio: f64) -> Option<Singularity> {
        let jacobian = self.residual(q).1;
        let pairs = singular_pairs(&jacobian);
        let ((largest, _), (smallest, direction)) = (pairs.first()?, pairs.last()?);
        // A point and a direction leave one row of zeros: the turn about that direction.
        let rows_lost = usize::from(matches!(self.goal, ToolGoal::Pointing { .. }) && self.free.len() >= 6);
        let smallest = if rows_lost == 1 { &pairs[pairs.len() - 2].0 } else { smallest };
        if *smallest > ratio * largest {
            return None;
        }
        let in_joints = jacobian.columns() <= jacobian.rows();
        let takes_part = |j: &usize| !in_joints || direction[*j].abs() > 0.1;
        let name = |j: usize| self.arm.axis(self.free[j]).name.clone();
        Some(Singularity::Axes { joints: (0..self.free.len()).filter(takes_part).map(name).collect() })
    }

    /// What is missing, and whether limits are to blame, or a pose from which there is no way on.
    fn reason(&self, best: Vec<f64>, request: &InverseRequest) -> InverseError {
        let e = self.residual(&best).0;
        let (angle, distance) = match e.len() {
            3 => (0.0, length_of(&e)),
            _ => (length_of(&e[..3]) / self.length, length_of(&e[3..])),
        };
        const TRIES: usize = 10;
        // Without other starts it may have stopped where Jᵀe = 0, which is a singular pose. All ratios are below 2.
        if request.restarts == 0
            && self.try_many_starts(TRIES).is_ok()
            && let Some(singularity) = self.singularity(&best, 2.0)
        {
            return InverseError::Singular { singularity, distance, angle };
        }
        let mut unbounded = DampedSearch::new(self.arm, self.goal, request, false);
        unbounded.start.clone_from(&best);
        if let Ok(q) = unbounded.try_many_starts(TRIES) {
            let joints: Vec<JointOutside> = outside(self.arm, &self.wrapped(&q));
            if !joints.is_empty() {
                return InverseError::AtLimit { joints };
            }
        }
        InverseError::Unreachable { distance, angle }
    }
}

fn length_of(e: &[f64]) -> f64 {
    e.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The rotation vector that brings direction `a` to `b` on the shortest way.
fn swing(a: Point, b: Point) -> Point {
    let Some(b) = unit(b) else { return [0.0; 3] };
    let across = cross(a, b);
    let angle = norm(across).atan2(dot(a, b));
    let any = cross(a, if a[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] });
    match unit(across).or_else(|| unit(plus(across, any))) {
        Some(axis) => times(angle, axis),
        None => [0.0; 3],
    }
}
