//! Joints that follow a moving tool.
//!
//!   q by inverse kinematics next to where the joints were,   q̇ = J⁺ V,   q̈ = J⁺ (V̇ − h(q, q̇))          (1)  [Siciliano2009, eq. 3.65]
//!
//! J⁺ = (JᵀJ + μ 1)⁻¹ Jᵀ over the axes that are not given, with a μ of rounding size: singular poses are refused before.

use trunnion_num::{DenseLu, Matrix};

use crate::arm::Arm;
use crate::damped::angle_length;
use crate::inverse::{InverseError, InverseRequest, InverseSolution, ToolGoal, solve};
use crate::jacobian::{Twist, scaled};
use crate::joint_path::JointPoint;
use crate::tool_path::ToolPoint;

/// An arm and which of its axes a tool motion may use.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolFollower {
    /// Axes that stay where they are.
    pub held: Vec<bool>,
    length: f64,
}

impl ToolFollower {
    pub fn new(arm: &Arm) -> Self {
        ToolFollower { held: vec![false; arm.n()], length: angle_length(arm) }
    }

    /// (1); `near` are the joints of a moment ago. The tool's motion is that of `arm` with its tool.
    pub fn joints(
        &self,
        arm: &Arm,
        tool: &ToolPoint,
        near: &[f64],
    ) -> Result<(JointPoint, InverseSolution), InverseError> {
        let mut request = InverseRequest::near(near);
        request.given = self.held.iter().zip(near).map(|(held, q)| held.then_some(*q)).collect();
        // Next to the joints of a moment ago there is nothing to look for elsewhere.
        request.restarts = 0;
        let found = solve(arm, &ToolGoal::Pose(tool.pose), &request)?;
        let jacobian = scaled(&arm.jacobian(&found.q), self.length);
        let v = self.rates(&jacobian, &tool.rate).ok_or(InverseError::NotFinite)?;
        let h = arm.bias_acceleration(&found.q, &v).rows();
        let wanted = tool.acceleration.rows();
        let rest: Vec<f64> = (0..6).map(|i| wanted[i] - h[i]).collect();
        let a = self.rates(&jacobian, &Twist::from_rows(&rest)).ok_or(InverseError::NotFinite)?;
        Ok((JointPoint { q: found.q.clone(), v, a }, found))
    }

    /// J⁺ of a twist.
    fn rates(&self, jacobian: &Matrix, twist: &Twist) -> Option<Vec<f64>> {
        let n = jacobian.columns();
        let rows = twist.rows();
        let weight = |i: usize| if i < 3 { self.length } else { 1.0 };
        let entry = |i: usize, j: usize| if self.held[j] { 0.0 } else { jacobian[(i, j)] };
        let mut normal = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                normal[i * n + j] = (0..6).map(|k| entry(k, i) * entry(k, j)).sum();
            }
            normal[i * n + i] += 1e-14 * self.length * self.length;
        }
        let mut rates: Vec<f64> =
            (0..n).map(|j| (0..6).map(|i| entry(i, j) * weight(i) * rows[i]).sum()).collect();
        let mut lu = DenseLu::new(n);
        lu.factor(&normal).ok()?;
        lu.solve(&mut rates);
        Some(rates)
    }
}
