//! Two levers move the tip in a plane: rates of the joints, as an operator of a crane needs them.
//!
//!   u = (e_1, e_2)ᵀ v_tip,   q̇ = W Jᵀ (J W Jᵀ + λ² 1)⁻¹ u,   J: 2 × n                          (1)  [Nakamura1986]
//!   λ² = λ_0² (1 − (σ/ε)²) where the smallest singular value σ of J √W is below ε, else 0              (2)  [Maciejewski1988]
//!   near an end stop: |q̇| ≤ √(2 a d), with a the acceleration of the joint and d the way that is left      (3)
//!
//! W favours joints that are light or fast. A joint that may not move further is left out and the others take over; if a joint would be too
//! fast, all are slowed together, so that the tip keeps its direction.

use trunnion_num::space::{Point, dot};

use crate::arm::Arm;

/// How levers move a tip.
#[derive(Clone, Debug, PartialEq)]
pub struct TipControl {
    /// Directions of the two levers, in the axes of the base, of length 1 and across each other.
    pub plane: [Point; 2],
    /// Speed of the tip at full lever, m/s.
    pub speed: f64,
    /// Weight of every coordinate; 0: it stays.
    pub weights: Vec<f64>,
    /// ε of (2), in m per unit of the joints.
    pub near_singular: f64,
    /// λ_0 of (2).
    pub damping: f64,
}

/// What the joints are to do, and what the tip then does.
#[derive(Clone, Debug, PartialEq)]
pub struct TipRates {
    pub rates: Vec<f64>,
    /// Of the tip in the plane, m/s.
    pub tip: [f64; 2],
    /// Joints that stop at their limit.
    pub stopped: Vec<usize>,
    /// What speed limits leave of the speed that was asked, 0 to 1.
    pub share: f64,
    /// Damping is at work: the tip follows less than it was told.
    pub singular: bool,
}

impl TipControl {
    /// The joints of the chain with equal weights.
    pub fn new(arm: &Arm, plane: [Point; 2], speed: f64) -> Self {
        let weights = (0..arm.n()).map(|k| f64::from(arm.chain().contains(&k))).collect();
        // A twentieth of the arm: there the joints are 20 times as fast as at their best.
        let near_singular = 0.05 * crate::damped::angle_length(arm);
        TipControl { plane, speed, weights, near_singular, damping: near_singular }
    }

    /// `levers` from −1 to 1; what is beyond counts as full, what is no number as 0.
    pub fn rates(&self, arm: &Arm, q: &[f64], levers: [f64; 2]) -> TipRates {
        let wanted = levers.map(|l| if l.is_finite() { self.speed * l.clamp(-1.0, 1.0) } else { 0.0 });
        let jacobian = arm.jacobian(q);
        let column = |k: usize| [0, 1, 2].map(|i| jacobian[(3 + i, k)]);
        let rows: Vec<[f64; 2]> = (0..arm.n()).map(|k| self.plane.map(|e| dot(e, column(k)))).collect();
        let mut weights = self.weights.clone();
        let mut stopped = vec![];
        loop {
            let (mut rates, singular) = self.damped(&rows, &weights, wanted);
            let blocked = (0..arm.n())
                .find(|&k| weights[k] > 0.0 && rates[k] != 0.0 && room(arm, k, q[k], rates[k]) <= 0.0);
            if let Some(k) = blocked {
                weights[k] = 0.0;
                stopped.push(k);
                continue;
            }
            let allowed = |k: usize| {
                let braking = (2.0 * arm.axis(k).limits.acceleration * room(arm, k, q[k], rates[k])).sqrt();
                arm.axis(k).limits.speed.min(if braking.is_nan() { f64::INFINITY } else { braking })
            };
            let share = (0..arm.n())
                .filter(|&k| rates[k] != 0.0)
                .map(|k| allowed(k) / rates[k].abs())
                .fold(1.0, f64::min);
            rates.iter_mut().for_each(|r| *r *= share);
            let tip = [0, 1].map(|i| rates.iter().zip(&rows).map(|(r, row)| r * row[i]).sum());
            return TipRates { rates, tip, stopped, share, singular };
        }
    }

    /// (1) with (2).
    fn damped(&self, rows: &[[f64; 2]], weights: &[f64], u: [f64; 2]) -> (Vec<f64>, bool) {
        let sum = |i: usize, j: usize| rows.iter().zip(weights).map(|(r, w)| w * r[i] * r[j]).sum::<f64>();
        let (a, b, d) = (sum(0, 0), sum(0, 1), sum(1, 1));
        // Eigenvalues of the symmetric 2 × 2 matrix; the product is taken for the smaller one, where a difference would cancel.
        let largest = 0.5 * (a + d + (a - d).hypot(2.0 * b));
        let smallest = if largest > 0.0 { ((a * d - b * b) / largest).max(0.0) } else { 0.0 };
        let epsilon = self.near_singular * self.near_singular;
        let lambda =
            if smallest < epsilon { self.damping * self.damping * (1.0 - smallest / epsilon) } else { 0.0 };
        let (a, d) = (a + lambda, d + lambda);
        let det = a * d - b * b;
        if det.is_nan() || det <= 0.0 {
            return (vec![0.0; rows.len()], true);
        }
        let y = [(d * u[0] - b * u[1]) / det, (a * u[1] - b * u[0]) / det];
        let rate = |(r, w): (&[f64; 2], &f64)| w * (r[0] * y[0] + r[1] * y[1]);
        (rows.iter().zip(weights).map(rate).collect(), lambda > 0.0)
    }
}

/// Way to the end stop ahead.
fn room(arm: &Arm, k: usize, q: f64, rate: f64) -> f64 {
    let limits = &arm.axis(k).limits;
    if rate > 0.0 { limits.high - q } else { q - limits.low }
}
