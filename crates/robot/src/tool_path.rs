//! Motions of the tool along lines and arcs, with limits, via points and orientation.
//!
//!   p(t) = p_0 + Σ_k (p_k(s_k) − p_k(0)),   R(t) = R_0 Π_k exp(s_k φ_k)                               (1)
//!   ṡ ≤ min(v/L, ω/φ), and so on for acceleration and jerk                                          (2)
//!   arc of radius r, so that the whole vectors keep their limits:                                    (3)
//!     v ≤ √(a r/√2),  a_t ≤ a/√2           ⇒  √(a_t² + (v²/r)²) ≤ a
//!     v³/r² ≤ j/3,  j_t ≤ j/3,  3 v a_t/r ≤ j √5/3  ⇒  √((j_t + v³/r²)² + (3 v a_t/r)²) ≤ j
//!   beside a via point between lines of directions d, d': acceleration by 1/max(1, |d' − d|), jerk by
//!     1/max(|d' + d|, |d' − d|); else both by ½                                                         (4)
//!
//! Orientations turn about an axis that is fixed within one motion. In a blend of two that both turn, angular speed and
//! acceleration are sums, halved by (4), plus the gyroscopic term w × w', for which the overlap is shortened where it matters.

use std::fmt;

use trunnion_num::space::{Point, Pose, apply, cross, dot, minus, norm, plus, product, times, unit};

use crate::blend::{LawChain, longest_overlap, margin, peak_speed, shortened};
use crate::jacobian::Twist;
use crate::rotation::exponential;
use crate::time_law::{LawError, LawKind, MotionLimits, TimeLaw};
use crate::tool_curve::ToolCurve;

/// Of the tool point (m) and of its orientation (rad).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolLimits {
    pub linear: MotionLimits,
    pub angular: MotionLimits,
}

/// One motion of the tool to a pose in the axes of the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolMove {
    pub end: Pose,
    /// On an arc through this point; None: on a line.
    pub via: Option<Point>,
    pub limits: ToolLimits,
    pub law: LawKind,
    /// Zone around the end, in m, where the next motion may begin; 0: stop.
    pub blend: f64,
    /// Instead of the shortest time that limits allow, this one, if it is longer.
    pub duration: Option<f64>,
}

/// Pose with its rates in the axes of the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolPoint {
    pub pose: Pose,
    pub rate: Twist,
    pub acceleration: Twist,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolPath {
    start: Pose,
    curves: Vec<ToolCurve>,
    chain: LawChain,
}

/// Why a motion of the tool cannot be planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ToolPathError {
    /// Start, via point and end of motion `index` are on a line.
    NoArc {
        index: usize,
    },
    Law {
        index: usize,
        error: LawError,
    },
    /// A number of motion `index` is not finite.
    NotFinite {
        index: usize,
    },
}

impl fmt::Display for ToolPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolPathError::NoArc { .. } => {
                write!(f, "start, via point and end are on a line: there is no circle through them")
            }
            ToolPathError::Law { error, .. } => write!(f, "{error}"),
            ToolPathError::NotFinite { .. } => write!(f, "a number of the motion is not finite"),
        }
    }
}

impl std::error::Error for ToolPathError {}

impl ToolPath {
    pub fn plan(start: Pose, moves: &[ToolMove]) -> Result<ToolPath, ToolPathError> {
        let mut curves = vec![];
        let mut from = start;
        for (index, m) in moves.iter().enumerate() {
            let numbers = m.end.p.iter().chain(m.end.r.iter().flatten()).chain(m.via.iter().flatten());
            if !numbers.chain(&from.p).all(|x| x.is_finite()) {
                return Err(ToolPathError::NotFinite { index });
            }
            let curve = match m.via {
                None => Some(ToolCurve::line(from, m.end)),
                Some(via) => ToolCurve::arc(from, via, m.end),
            };
            curves.push(curve.ok_or(ToolPathError::NoArc { index })?);
            from = m.end;
        }
        let shares = shares(&curves, moves);
        let mut laws = vec![];
        for (index, m) in moves.iter().enumerate() {
            let law = law(&curves[index], m, shares[index]);
            laws.push(law.map_err(|error| ToolPathError::Law { index, error })?);
        }
        let overlaps: Vec<f64> = (1..laws.len())
            .map(|k| overlap(&laws[k - 1..=k], &curves[k - 1..=k], &moves[k - 1..=k]))
            .collect();
        Ok(ToolPath { start, curves, chain: LawChain::new(laws, |k| overlaps[k]) })
    }

    pub fn duration(&self) -> f64 {
        self.chain.duration
    }

    /// Which motion is under way at t, and how much of it is done.
    pub fn place(&self, t: f64) -> (usize, f64) {
        self.chain.place(t)
    }

    /// Way of motion `index`, in m.
    pub fn length(&self, index: usize) -> f64 {
        self.curves[index].length()
    }

    /// (1) with its derivatives; at rest before 0 and after the end.
    pub fn at(&self, t: f64) -> ToolPoint {
        let mut point =
            ToolPoint { pose: self.start, rate: Twist::default(), acceleration: Twist::default() };
        if self.curves.is_empty() {
            return point;
        }
        let active = self.chain.active(t);
        point.pose = self.curves[active.start].start;
        for k in active {
            let s = self.chain.laws[k].at(t - self.chain.starts[k]);
            let (c, curve) = (self.curves[k].at(unit_share(&self.chain.laws[k], s.x)), &self.curves[k]);
            point.pose.p = plus(point.pose.p, c.p);
            point.rate.v = plus(point.rate.v, times(s.v, c.dp));
            point.acceleration.v =
                plus(point.acceleration.v, plus(times(s.a, c.dp), times(s.v * s.v, c.ddp)));
            // φ is in the axes of the tool as far as the motion before has brought it.
            let axis = apply(point.pose.r, curve.turn);
            let w = times(s.v, axis);
            point.acceleration.w = plus(point.acceleration.w, plus(times(s.a, axis), cross(point.rate.w, w)));
            point.rate.w = plus(point.rate.w, w);
            point.pose.r = product(point.pose.r, exponential(times(s.x, curve.turn)));
        }
        point
    }
}

/// A motion of no length and no turn has a law of length 0: it is done.
fn unit_share(law: &TimeLaw, x: f64) -> f64 {
    if law.length == 0.0 { 1.0 } else { x }
}

/// (2) and (3).
fn law(curve: &ToolCurve, m: &ToolMove, share: [f64; 2]) -> Result<TimeLaw, LawError> {
    let (length, angle) = (curve.length(), norm(curve.turn));
    let lower = |l: MotionLimits| MotionLimits {
        acceleration: share[0] * l.acceleration,
        jerk: share[1] * l.jerk,
        ..l
    };
    let linear = (length > 0.0).then(|| on_arc(lower(m.limits.linear), curve.radius(), m.law).per(length));
    // Rounding of rotations is not a turn.
    let angular = (angle > 1e-12).then(|| lower(m.limits.angular).per(angle));
    let limits = linear.into_iter().chain(angular).reduce(MotionLimits::and);
    let law = match limits {
        Some(limits) => TimeLaw::new(m.law, 1.0, limits)?,
        None => TimeLaw::new(LawKind::Trapezoid, 0.0, RESTING)?,
    };
    Ok(law.at_least(m.duration.unwrap_or(0.0)))
}

/// For a motion of no length.
const RESTING: MotionLimits = MotionLimits { speed: 1.0, acceleration: 1.0, jerk: 1.0 };

/// (3)
fn on_arc(l: MotionLimits, r: f64, kind: LawKind) -> MotionLimits {
    if r.is_infinite() {
        return l;
    }
    let mut speed = l.speed.min((l.acceleration * r / 2.0_f64.sqrt()).sqrt());
    let mut acceleration = l.acceleration / 2.0_f64.sqrt();
    if kind != LawKind::Trapezoid {
        speed = speed.min((l.jerk * r * r / 3.0).cbrt());
        acceleration = acceleration.min(5.0_f64.sqrt() / 3.0 * l.jerk * r / (3.0 * speed));
    }
    MotionLimits { speed, acceleration, jerk: l.jerk / 3.0 }
}

/// (4)
fn shares(curves: &[ToolCurve], moves: &[ToolMove]) -> Vec<[f64; 2]> {
    let mut shares = vec![[1.0_f64; 2]; moves.len()];
    for k in 1..moves.len() {
        if moves[k - 1].blend <= 0.0 {
            continue;
        }
        let lines =
            [k - 1, k].map(|i| if moves[i].via.is_none() { unit(curves[i].at(0.0).dp) } else { None });
        let turning = [k - 1, k].iter().all(|&i| norm(curves[i].turn) > 1e-12);
        let part = match lines {
            [Some(d), Some(e)] if !turning => {
                let (apart, together) = (norm(minus(e, d)), norm(plus(e, d)));
                [1.0 / apart.max(1.0), 1.0 / apart.max(together)]
            }
            _ => [0.5; 2],
        };
        for s in [k - 1, k] {
            (0..2).for_each(|c| shares[s][c] = shares[s][c].min(part[c]));
        }
    }
    shares
}

fn overlap(laws: &[TimeLaw], curves: &[ToolCurve], moves: &[ToolMove]) -> f64 {
    let zone = moves[0].blend;
    let lengths = [curves[0].length(), curves[1].length()];
    if zone <= 0.0 || lengths.contains(&0.0) {
        return 0.0;
    }
    let most = longest_overlap(&laws[0], &laws[1], [zone / lengths[0], zone / lengths[1]]);
    let factor = margin(moves.iter().any(|m| m.law == LawKind::Quintic));
    let turns = [norm(curves[0].turn), norm(curves[1].turn)];
    let (one, other) = (moves[0].limits, moves[1].limits);
    let gyroscopic = 0.25 * one.angular.speed.max(other.angular.speed).powi(2);
    shortened(most, |overlap| {
        let linear = peak_speed(&laws[0], &laws[1], overlap, lengths);
        let angular = peak_speed(&laws[0], &laws[1], overlap, turns);
        let fits = linear <= one.linear.speed.max(other.linear.speed) * factor
            && angular <= one.angular.speed.max(other.angular.speed) * factor;
        fits && (gyroscopic <= 1e-3 * one.angular.acceleration
            || gyroscope_fits(laws, curves, moves, overlap))
    })
}

/// |s̈ φ| + |s̈' φ'| + |ṡ φ||ṡ' φ'| within the limit, sampled through the overlap.
fn gyroscope_fits(laws: &[TimeLaw], curves: &[ToolCurve], moves: &[ToolMove], overlap: f64) -> bool {
    let (a, b) = (curves[0].turn, curves[1].turn);
    let sizes = [dot(a, a).sqrt(), dot(b, b).sqrt()];
    let limit = moves[0].limits.angular.acceleration.max(moves[1].limits.angular.acceleration);
    let from = laws[0].duration - overlap;
    (0..=64).all(|i| {
        let t = from + overlap * f64::from(i) / 64.0;
        let (s, z) = (laws[0].at(t), laws[1].at(t - from));
        let sum = s.a.abs() * sizes[0] + z.a.abs() * sizes[1] + s.v * sizes[0] * z.v * sizes[1];
        sum <= limit * (1.0 + 1e-9)
    })
}
