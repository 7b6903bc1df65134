//! A path of the tool is walked before it runs: reach, range, singular poses, speeds and accelerations of the joints.
//!
//! Samples stand evenly in time, and a few hundred of them cover a motion; what is found is told with its place on the path. The walk can be
//! divided over several calls, so that a sampled task has bounded work.

use std::fmt;

use trunnion_num::Matrix;
use trunnion_num::space::Pose;
use trunnion_num::text::number;

use crate::arm::Arm;
use crate::follow::ToolFollower;
use crate::inverse::{ArmBranch, InverseError, InverseSolution, Singularity};
use crate::joint_path::JointPoint;
use crate::tool_path::ToolPath;

/// What is wrong at a place.
#[derive(Clone, Debug, PartialEq)]
pub enum PathCause {
    Pose(InverseError),
    Singular(Singularity),
    /// A joint would have to be faster than it can: the path must take `factor` times as long.
    TooFast {
        joint: String,
        rate: f64,
        limit: f64,
        factor: f64,
    },
    /// Likewise for its acceleration.
    TooMuchAcceleration {
        joint: String,
        rate: f64,
        limit: f64,
        factor: f64,
    },
    /// The joints would have to jump to another branch.
    BranchChange {
        joint: String,
        from: f64,
        to: f64,
    },
}

/// A cause and where on the path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathFault {
    /// Which motion of the path.
    pub index: usize,
    /// How much of it is done, 0 to 1.
    pub share: f64,
    /// Way from the start of that motion, m.
    pub distance: f64,
    pub t: f64,
    pub pose: Pose,
    pub cause: PathCause,
}

impl fmt::Display for PathFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mm, percent) = (number(1e3 * self.distance, 4), number(100.0 * self.share, 3));
        write!(f, "{mm} mm along the motion ({percent} %): ")?;
        match &self.cause {
            PathCause::Pose(error) => write!(f, "{error}"),
            PathCause::Singular(singularity) => write!(f, "{singularity}"),
            PathCause::TooFast { joint, rate, limit, .. } => {
                write!(f, "`{joint}` would need a speed of {}, limit {}", number(*rate, 4), number(*limit, 4))
            }
            PathCause::TooMuchAcceleration { joint, rate, limit, .. } => {
                write!(
                    f,
                    "`{joint}` would need an acceleration of {}, limit {}",
                    number(*rate, 4),
                    number(*limit, 4)
                )
            }
            PathCause::BranchChange { joint, from, to } => {
                write!(f, "`{joint}` would have to jump from {} to {}", number(*from, 4), number(*to, 4))
            }
        }
    }
}

impl std::error::Error for PathFault {}

/// A walk along a path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathCheck {
    samples: usize,
    next: usize,
    last: JointPoint,
    branch: Option<ArmBranch>,
    /// Sign of det J, for six axes found by iteration.
    side: f64,
}

impl PathCheck {
    pub fn new(start: &[f64], samples: usize) -> PathCheck {
        let rest = vec![0.0; start.len()];
        let last = JointPoint { q: start.to_vec(), v: rest.clone(), a: rest };
        PathCheck { samples: samples.max(1), next: 0, last, branch: None, side: 0.0 }
    }

    /// Samples walked so far.
    pub(crate) fn walked(&self) -> usize {
        self.next
    }

    /// Up to `most` samples; true when the path has been walked to its end.
    pub fn advance(
        &mut self,
        arm: &Arm,
        follower: &ToolFollower,
        path: &ToolPath,
        most: usize,
    ) -> Result<bool, Box<PathFault>> {
        let step = path.duration() / self.samples as f64;
        for _ in 0..most {
            if self.next > self.samples {
                return Ok(true);
            }
            let t = step * self.next as f64;
            let point = path.at(t);
            let (joints, found) = match follower.joints(arm, &point, &self.last.q) {
                Ok(found) => found,
                Err(InverseError::Singular { singularity, .. }) => {
                    return Err(fault(path, t, PathCause::Singular(singularity)));
                }
                Err(error) => return Err(fault(path, t, PathCause::Pose(error))),
            };
            if let Some(singularity) = self.crossed(arm, follower, found) {
                return Err(fault(path, t, PathCause::Singular(singularity)));
            }
            if let Some(cause) = self.compared(arm, &joints, if self.next == 0 { 0.0 } else { step }) {
                return Err(fault(path, t, cause));
            }
            self.last = joints;
            self.next += 1;
        }
        Ok(self.next > self.samples)
    }

    /// The whole path at once.
    pub fn walk(
        arm: &Arm,
        follower: &ToolFollower,
        path: &ToolPath,
        start: &[f64],
        samples: usize,
    ) -> Result<(), Box<PathFault>> {
        PathCheck::new(start, samples).advance(arm, follower, path, samples + 1).map(|_| ())
    }

    /// A singular pose at this sample, or between the last one and this.
    fn crossed(&mut self, arm: &Arm, follower: &ToolFollower, found: InverseSolution) -> Option<Singularity> {
        let before = std::mem::replace(&mut self.branch, found.branch);
        if let Some(singularity) = found.singular.into_iter().next() {
            return Some(singularity);
        }
        if let (Some(a), Some(b)) = (before, found.branch) {
            return match b {
                _ if a.wrist != b.wrist => Some(Singularity::Wrist),
                _ if a.elbow != b.elbow => Some(Singularity::Elbow),
                _ if a.shoulder != b.shoulder => Some(Singularity::Shoulder),
                _ => None,
            };
        }
        let free: Vec<usize> = arm.chain().iter().copied().filter(|&k| !follower.held[k]).collect();
        if found.branch.is_some() || free.len() != 6 {
            return None;
        }
        let side = determinant(&arm.jacobian(&found.q), &free).signum();
        let before = std::mem::replace(&mut self.side, side);
        let joints = || free.iter().map(|&k| arm.axis(k).name.clone()).collect();
        (before * side < 0.0).then(|| Singularity::Axes { joints: joints() })
    }

    fn compared(&self, arm: &Arm, now: &JointPoint, step: f64) -> Option<PathCause> {
        for (k, limits) in arm.limits().enumerate() {
            let joint = || arm.axis(k).name.clone();
            // A smooth motion is not half a radian off what its rates at both ends say.
            let expected = 0.5 * step * (self.last.v[k] + now.v[k]);
            let (from, to) = (self.last.q[k], now.q[k]);
            if (to - from - expected).abs() > 0.5 {
                return Some(PathCause::BranchChange { joint: joint(), from, to });
            }
            // Rounding of J⁺.
            let slack = 1.0 + 1e-6;
            let (rate, limit) = (now.v[k].abs(), limits.speed);
            if rate > limit * slack {
                return Some(PathCause::TooFast { joint: joint(), rate, limit, factor: rate / limit });
            }
            let (rate, limit) = (now.a[k].abs(), limits.acceleration);
            if rate > limit * slack {
                let factor = (rate / limit).sqrt();
                return Some(PathCause::TooMuchAcceleration { joint: joint(), rate, limit, factor });
            }
        }
        None
    }
}

fn fault(path: &ToolPath, t: f64, cause: PathCause) -> Box<PathFault> {
    let (index, share) = path.place(t);
    let distance = share * path.length(index);
    Box::new(PathFault { index, share, distance, t, pose: path.at(t).pose, cause })
}

/// Of the columns of six axes, by elimination with the largest pivots.
fn determinant(jacobian: &Matrix, axes: &[usize]) -> f64 {
    let mut m: Vec<Vec<f64>> = (0..6).map(|i| axes.iter().map(|&k| jacobian[(i, k)]).collect()).collect();
    let mut det = 1.0;
    for k in 0..6 {
        let p = (k..6).fold(k, |best, i| if m[i][k].abs() > m[best][k].abs() { i } else { best });
        if m[p][k] == 0.0 {
            return 0.0;
        }
        if p != k {
            m.swap(p, k);
            det = -det;
        }
        det *= m[k][k];
        for i in k + 1..6 {
            let factor = m[i][k] / m[k][k];
            (k..6).for_each(|j| m[i][j] -= factor * m[k][j]);
        }
    }
    det
}
