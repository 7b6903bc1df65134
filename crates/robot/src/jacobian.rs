//! Geometric Jacobian of the tool point, manipulability, and the acceleration at constant joint rates.
//!
//!   (w; v) = J q̇,   column of a revolute joint: (a; a × (p − c)),  prismatic: (0; a),
//!                    screw: (a; a × (p − c) + lead a)                              (1)  [Siciliano2009, eq. 3.30]
//!   manipulability: √det(J Jᵀ) = Π σ_i                                               (2)  [Yoshikawa1985]
//!   (ẇ; v̇) = J q̈ + h(q, q̇),   base to tip:                                          (3)  [Siciliano2009, §7.5]
//!     ẇ_i = ẇ_p + w_p × a q̇,   v̇_i = v̇_p + ẇ_p × r + w_p × (w_p × r) + 2 w_p × a ṡ + …
//!
//! Rows: angular, then linear, in the axes of the base.

use trunnion_num::Matrix;
use trunnion_num::space::{Point, Pose, apply, cross, minus, plus, times};

use crate::arm::{Arm, AxisMotion};

/// Angular and linear rate of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    pub w: Point,
    pub v: Point,
}

impl Twist {
    pub fn rows(&self) -> [f64; 6] {
        [self.w[0], self.w[1], self.w[2], self.v[0], self.v[1], self.v[2]]
    }

    pub(crate) fn from_rows(r: &[f64]) -> Self {
        Twist { w: [r[0], r[1], r[2]], v: [r[3], r[4], r[5]] }
    }
}

impl Arm {
    /// (1) of the tool point, 6 × n.
    pub fn jacobian(&self, q: &[f64]) -> Matrix {
        let links = self.links(q);
        let at = self.tool_of(&links).p;
        self.jacobian_at(&links, self.tip(), at)
    }

    /// (1) of the point `at` (in the axes of the base) of a link.
    pub(crate) fn jacobian_at(&self, links: &[Pose], link: usize, at: Point) -> Matrix {
        let mut jacobian = Matrix::zeros(6, self.n());
        for k in (0..self.n()).filter(|&k| self.carries(k, link)) {
            let (w, v) = self.column(links, k, at);
            for i in 0..3 {
                jacobian[(i, k)] = w[i];
                jacobian[(3 + i, k)] = v[i];
            }
        }
        jacobian
    }

    fn column(&self, links: &[Pose], k: usize, at: Point) -> (Point, Point) {
        let joint = self.axis(k);
        let own = links[self.joint_of(k)];
        // A rotation about its own axis leaves the axis as it is.
        let a = apply(own.r, joint.axis);
        match joint.motion {
            AxisMotion::Prismatic => ([0.0; 3], a),
            AxisMotion::Screw { lead } => (a, plus(cross(a, minus(at, own.p)), times(lead, a))),
            AxisMotion::Revolute | AxisMotion::Fixed => (a, cross(a, minus(at, own.p))),
        }
    }

    /// Rates of the tool point for the rates of the joints.
    pub fn twist(&self, q: &[f64], q_dot: &[f64]) -> Twist {
        Twist::from_rows(&product(&self.jacobian(q), q_dot))
    }

    /// h of (3): acceleration of the tool point while the joints keep their rates.
    pub fn bias_acceleration(&self, q: &[f64], q_dot: &[f64]) -> Twist {
        let links = self.links(q);
        let mut rates: Vec<(Point, Point, Point)> = Vec::with_capacity(links.len());
        for (i, joint) in self.joints().iter().enumerate() {
            let (origin, (w, alpha, acc)) = match joint.parent {
                Some(p) => (links[p].p, rates[p]),
                None => ([0.0; 3], ([0.0; 3], [0.0; 3], [0.0; 3])),
            };
            let a = apply(links[i].r, joint.axis);
            let rate = self.axes_position(i).map_or(0.0, |k| q_dot[k]);
            let (turn, slide) = match joint.motion {
                AxisMotion::Fixed => (0.0, 0.0),
                AxisMotion::Revolute => (rate, 0.0),
                AxisMotion::Prismatic => (0.0, rate),
                AxisMotion::Screw { lead } => (rate, lead * rate),
            };
            let r = minus(links[i].p, origin);
            let carried = plus(acc, plus(cross(alpha, r), cross(w, cross(w, r))));
            let coriolis = times(2.0 * slide, cross(w, a));
            let alpha = plus(alpha, times(turn, cross(w, a)));
            rates.push((plus(w, times(turn, a)), alpha, plus(carried, coriolis)));
        }
        let tip = self.tip();
        let (w, alpha, acc) = rates[tip];
        let r = minus(self.tool_of(&links).p, links[tip].p);
        Twist { w: alpha, v: plus(acc, plus(cross(alpha, r), cross(w, cross(w, r)))) }
    }

    fn axes_position(&self, joint: usize) -> Option<usize> {
        (0..self.n()).find(|&k| self.joint_of(k) == joint)
    }

    /// (2) of the tool point; `length` (m) makes angles comparable with distances.
    pub fn manipulability(&self, q: &[f64], length: f64) -> f64 {
        singular_values(&scaled(&self.jacobian(q), length)).iter().product()
    }
}

/// Angular rows times a length, so that all rows are in m.
pub(crate) fn scaled(jacobian: &Matrix, length: f64) -> Matrix {
    Matrix::from_fn(6, jacobian.columns(), |i, j| jacobian[(i, j)] * if i < 3 { length } else { 1.0 })
}

pub(crate) fn product(a: &Matrix, x: &[f64]) -> Vec<f64> {
    (0..a.rows()).map(|i| a.row(i).iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

/// Singular values, largest first, by one-sided Jacobi rotations: small ones keep their digits. [Demmel1992]
pub(crate) fn singular_values(a: &Matrix) -> Vec<f64> {
    singular_pairs(a).into_iter().map(|(s, _)| s).collect()
}

/// Singular values with their directions in the smaller of the two spaces, largest first.
pub(crate) fn singular_pairs(a: &Matrix) -> Vec<(f64, Vec<f64>)> {
    // The columns of `b` are made orthogonal; fewer columns than rows.
    let mut b: Vec<Vec<f64>> = match a.columns() <= a.rows() {
        true => (0..a.columns()).map(|j| (0..a.rows()).map(|i| a[(i, j)]).collect()).collect(),
        false => (0..a.rows()).map(|i| a.row(i).to_vec()).collect(),
    };
    let n = b.len();
    let mut v: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
    let sum = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    // Converges in fewer than ten sweeps for matrices of this size; more only if numbers are not finite.
    for _ in 0..30 {
        let mut rotated = false;
        for i in 0..n {
            for j in i + 1..n {
                let (p, q, r) = (sum(&b[i], &b[i]), sum(&b[j], &b[j]), sum(&b[i], &b[j]));
                if r.is_nan() || r.abs() <= 1e-15 * (p * q).sqrt() {
                    continue;
                }
                rotated = true;
                let z = (q - p) / (2.0 * r);
                let t = z.signum() / (z.abs() + z.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = c * t;
                for m in [&mut b, &mut v] {
                    for k in 0..m[i].len() {
                        let (x, y) = (m[i][k], m[j][k]);
                        (m[i][k], m[j][k]) = (c * x - s * y, s * x + c * y);
                    }
                }
            }
        }
        if !rotated {
            break;
        }
    }
    let mut pairs: Vec<(f64, Vec<f64>)> =
        b.iter().zip(v).map(|(column, v)| (sum(column, column).sqrt(), v)).collect();
    pairs.sort_by(|x, y| y.0.total_cmp(&x.0));
    pairs
}
