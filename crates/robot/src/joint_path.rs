//! Motions of all axes together, straight in joint space: every axis starts and stops at the same time.
//!
//!   q(t) = q_0 + Δ s(t),   ṡ ≤ min_i v_i/|Δ_i|,   s̈ ≤ min_i a_i/|Δ_i|,   s⃛ ≤ min_i j_i/|Δ_i|                 (1)
//!
//! [Biagiotti2008, §3.6]. Via points are blended as in `blend`. Beside one, with Δ and Δ' before and after it, acceleration is lowered so
//! that |Δ_i| a + |Δ'_i| a' ≤ a_i where the axis turns back, and jerk so that |Δ_i| j + |Δ'_i| j' ≤ j_i.       (2)

use std::fmt;

use crate::arm::{Arm, AxisLimits};
use crate::blend::{LawChain, longest_overlap, margin, peak_speed, shortened};
use crate::inverse::JointOutside;
use crate::time_law::{LawError, LawKind, MotionLimits, TimeLaw};

/// One motion to a pose.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMove {
    pub q: Vec<f64>,
    /// Of every axis.
    pub limits: Vec<MotionLimits>,
    pub law: LawKind,
    /// Zone around the pose, in rad or m of the axis that moves most, where the next motion may begin; 0: stop.
    pub blend: f64,
    /// Instead of the shortest time that limits allow, this one, if it is longer.
    pub duration: Option<f64>,
}

/// References of the axes.
#[derive(Clone, Debug, PartialEq)]
pub struct JointPoint {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct JointPath {
    start: Vec<f64>,
    deltas: Vec<Vec<f64>>,
    chain: LawChain,
}

/// Why a motion of the joints cannot be planned.
#[derive(Clone, Debug, PartialEq)]
pub enum JointPathError {
    /// Motion `index` leads out of the range of these joints.
    AtLimit {
        index: usize,
        joints: Vec<JointOutside>,
    },
    Law {
        index: usize,
        error: LawError,
    },
    /// A pose or its limits have another number of axes than the arm.
    WrongSize {
        index: usize,
    },
}

impl fmt::Display for JointPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JointPathError::AtLimit { joints, .. } => {
                write!(f, "{}", crate::inverse::InverseError::AtLimit { joints: joints.clone() })
            }
            JointPathError::Law { error, .. } => write!(f, "{error}"),
            JointPathError::WrongSize { .. } => write!(f, "the pose has another number of axes than the arm"),
        }
    }
}

impl std::error::Error for JointPathError {}

impl JointPath {
    pub fn plan(arm: &Arm, start: &[f64], moves: &[JointMove]) -> Result<JointPath, JointPathError> {
        let mut deltas: Vec<Vec<f64>> = vec![];
        let mut from = start;
        for (index, m) in moves.iter().enumerate() {
            if m.q.len() != arm.n() || m.limits.len() != arm.n() || start.len() != arm.n() {
                return Err(JointPathError::WrongSize { index });
            }
            let joints = outside(arm, &m.q);
            if !joints.is_empty() {
                return Err(JointPathError::AtLimit { index, joints });
            }
            deltas.push(m.q.iter().zip(from).map(|(q, f)| q - f).collect());
            from = &m.q;
        }
        let shares = shares(&deltas, moves);
        let mut laws = vec![];
        for (index, m) in moves.iter().enumerate() {
            let own = along(&deltas[index], &m.limits, shares[index]);
            let law = match own {
                Some(limits) => TimeLaw::new(m.law, 1.0, limits),
                None => TimeLaw::new(LawKind::Trapezoid, 0.0, RESTING),
            };
            laws.push(law.map(|law| law.at_least(m.duration.unwrap_or(0.0))));
        }
        let laws: Result<Vec<TimeLaw>, JointPathError> = laws
            .into_iter()
            .enumerate()
            .map(|(index, law)| law.map_err(|error| JointPathError::Law { index, error }))
            .collect();
        let laws = laws?;
        let overlaps: Vec<f64> = (1..laws.len())
            .map(|k| overlap(&laws[k - 1..=k], &deltas[k - 1..=k], &moves[k - 1..=k]))
            .collect();
        Ok(JointPath { start: start.to_vec(), deltas, chain: LawChain::new(laws, |k| overlaps[k]) })
    }

    pub fn duration(&self) -> f64 {
        self.chain.duration
    }

    /// Which motion is under way at t, and how much of it is done.
    pub fn place(&self, t: f64) -> (usize, f64) {
        self.chain.place(t)
    }

    /// At rest before 0 and after the end.
    pub fn at(&self, t: f64) -> JointPoint {
        let n = self.start.len();
        let mut point = JointPoint { q: self.start.clone(), v: vec![0.0; n], a: vec![0.0; n] };
        for (k, delta) in self.deltas.iter().enumerate() {
            let s = self.chain.laws[k].at(t - self.chain.starts[k]);
            for i in 0..n {
                point.q[i] += delta[i] * s.x;
                point.v[i] += delta[i] * s.v;
                point.a[i] += delta[i] * s.a;
            }
        }
        point
    }
}

/// For a motion of no length.
const RESTING: MotionLimits = MotionLimits { speed: 1.0, acceleration: 1.0, jerk: 1.0 };

/// Joints that would leave their range.
pub(crate) fn outside(arm: &Arm, q: &[f64]) -> Vec<JointOutside> {
    let told = |k: usize| {
        let AxisLimits { low, high, .. } = arm.axis(k).limits;
        JointOutside { joint: arm.axis(k).name.clone(), value: q[k], low, high }
    };
    (0..arm.n()).filter(|&k| !arm.axis(k).limits.contains(q[k])).map(told).collect()
}

fn largest(delta: &[f64]) -> f64 {
    delta.iter().fold(0.0, |m: f64, d| m.max(d.abs()))
}

/// (1), with a share of acceleration and jerk; None where nothing moves.
fn along(delta: &[f64], limits: &[MotionLimits], share: [f64; 2]) -> Option<MotionLimits> {
    let moving = delta.iter().zip(limits).filter(|(d, _)| **d != 0.0);
    let all = moving.map(|(d, l)| l.per(d.abs())).reduce(MotionLimits::and)?;
    Some(MotionLimits { acceleration: share[0] * all.acceleration, jerk: share[1] * all.jerk, ..all })
}

/// (2): share of acceleration and of jerk for every motion.
fn shares(deltas: &[Vec<f64>], moves: &[JointMove]) -> Vec<[f64; 2]> {
    let mut shares = vec![[1.0_f64; 2]; moves.len()];
    for k in 1..moves.len() {
        let whole = |i: usize| along(&deltas[i], &moves[i].limits, [1.0; 2]);
        let (Some(one), Some(other)) = (whole(k - 1), whole(k)) else { continue };
        if moves[k - 1].blend <= 0.0 {
            continue;
        }
        for i in 0..deltas[k].len() {
            let (d1, d2) = (deltas[k - 1][i], deltas[k][i]);
            let MotionLimits { acceleration, jerk, .. } =
                if d1 == 0.0 { moves[k].limits[i] } else { moves[k - 1].limits[i].and(moves[k].limits[i]) };
            let (a1, a2) = (d1.abs() * one.acceleration, d2.abs() * other.acceleration);
            let braking = if d1 * d2 < 0.0 { a1 + a2 } else { a1.max(a2) };
            let jolt = d1.abs() * one.jerk + d2.abs() * other.jerk;
            let part = [ratio(acceleration, braking), ratio(jerk, jolt)];
            for s in [k - 1, k] {
                (0..2).for_each(|c| shares[s][c] = shares[s][c].min(part[c]));
            }
        }
    }
    shares
}

/// limit/needed, at most 1; infinite limits need no share.
fn ratio(limit: f64, needed: f64) -> f64 {
    if needed.is_nan() || needed <= limit { 1.0 } else { limit / needed }
}

fn overlap(laws: &[TimeLaw], deltas: &[Vec<f64>], moves: &[JointMove]) -> f64 {
    let zone = moves[0].blend;
    let sizes = [largest(&deltas[0]), largest(&deltas[1])];
    if zone <= 0.0 || sizes.contains(&0.0) {
        return 0.0;
    }
    let most = longest_overlap(&laws[0], &laws[1], [zone / sizes[0], zone / sizes[1]]);
    let quintic = moves.iter().any(|m| m.law == LawKind::Quintic);
    shortened(most, |overlap| {
        (0..deltas[0].len()).all(|i| {
            let peak = peak_speed(&laws[0], &laws[1], overlap, [deltas[0][i], deltas[1][i]]);
            let limit = moves[0].limits[i].speed.max(moves[1].limits[i].speed);
            peak <= limit * margin(quintic)
        })
    })
}
