//! Two levers move the tool of a robot: joint references that follow from speeds of the tool.
//!
//!   u ← u + clip(v − u, ± a h)                      v: speeds that the levers ask, a: acceleration of the tool      (1)
//!   q̇ = rates(q + ½ h rates(q, u), u),   q ← q + h q̇                                                               (2)  explicit midpoint
//!
//! `rates` is that of [`TipControl`]. The reference of the speed is the q̇ of (2): integrated over a period it gives the next reference of the position.

use trunnion_equations::flat::RobotOutline;
use trunnion_num::Archive;
use trunnion_robot::Arm;
use trunnion_robot::tip::TipControl;

use crate::robot::{arm_of, defaults_of};
use crate::script_error::ScriptError;

pub struct LeverRunner {
    arm: Arm,
    control: TipControl,
    /// Of the tool, m/s².
    acceleration: f64,
    period: f64,
    /// References of the axes; empty until the first sample.
    q: Vec<f64>,
    v: Vec<f64>,
    /// u of (1).
    u: [f64; 2],
}

impl LeverRunner {
    pub fn new(
        name: &str,
        outline: &RobotOutline,
        plane: [[f64; 3]; 2],
        setup: &[f64],
        period: f64,
    ) -> Result<LeverRunner, ScriptError> {
        let arm = arm_of(outline, setup).map_err(|e| ScriptError {
            name: name.to_string(),
            line: None,
            column: None,
            message: e.to_string(),
            hint: None,
        })?;
        let limits = defaults_of(setup).tool.linear;
        let mut control = TipControl::new(&arm, plane, limits.speed);
        let moving = outline.joints.iter().filter(|j| j.motion != Default::default());
        for (weight, joint) in control.weights.iter_mut().zip(moving) {
            *weight = if joint.held { 0.0 } else { *weight };
        }
        let (q, v) = (vec![], vec![0.0; arm.n()]);
        Ok(LeverRunner { arm, control, acceleration: limits.acceleration, period, q, v, u: [0.0; 2] })
    }

    /// Inputs: positions of the axes, then both levers in m/s.
    pub fn step(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        let (n, h) = (self.arm.n(), self.period);
        if self.q.is_empty() {
            self.q = inputs[..n].to_vec();
        }
        for (u, &lever) in self.u.iter_mut().zip(&inputs[n..n + 2]) {
            let wanted = lever.clamp(-self.control.speed, self.control.speed);
            let most = self.acceleration * h;
            *u += (wanted - *u).clamp(-most, most); // (1)
        }
        let levers = self.u.map(|u| u / self.control.speed);
        let first = self.control.rates(&self.arm, &self.q, levers);
        let middle: Vec<f64> = self.q.iter().zip(&first.rates).map(|(q, r)| q + 0.5 * h * r).collect();
        let found = self.control.rates(&self.arm, &middle, levers); // (2)
        for k in 0..n {
            let limits = self.arm.axis(k).limits;
            let next =
                (self.q[k] + h * found.rates[k]).clamp(limits.low.min(self.q[k]), limits.high.max(self.q[k]));
            let speed = (next - self.q[k]) / h;
            outputs[3 * k..3 * k + 3].copy_from_slice(&[self.q[k], speed, (speed - self.v[k]) / h]);
            (self.q[k], self.v[k]) = (next, speed);
        }
        outputs[3 * n..3 * n + 2].copy_from_slice(&[found.share, f64::from(found.singular)]);
    }

    pub fn remember(&mut self, archive: &mut Archive) {
        let mut begun = !self.q.is_empty();
        archive.flag(&mut begun);
        if archive.reads() {
            self.q = if begun { vec![0.0; self.arm.n()] } else { vec![] };
        }
        archive.numbers(&mut self.q);
        archive.numbers(&mut self.v);
        archive.numbers(&mut self.u);
    }
}

#[cfg(test)]
mod tests {
    use trunnion_equations::flat::{RobotJointMotion, RobotJointOutline};

    use super::*;

    /// Boom of 3 m and stick of 2 m in the plane of x and z.
    fn crane(high: f64) -> LeverRunner {
        let joint = |name: &str| RobotJointOutline {
            name: name.into(),
            motion: RobotJointMotion::Turn,
            axis: [0.0, -1.0, 0.0],
            ..Default::default()
        };
        let plane = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let outline = RobotOutline { joints: vec![joint("boom"), joint("stick")], levers: Some(plane) };
        let unturned = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let place = |x: f64| [[x, 0.0, 0.0].as_slice(), &unturned].concat();
        let limits = [0.0, -3.0, high, 1.0, 4.0, 40.0];
        let tool = [vec![0.5, 2.0, 20.0, 1.0, 1.0, 1.0], place(2.0)].concat();
        let joints = [place(0.0), limits.to_vec(), place(3.0), limits.to_vec()].concat();
        LeverRunner::new("crane", &outline, plane, &[tool, joints].concat(), 0.01).unwrap()
    }

    fn tip(q: [f64; 2]) -> [f64; 2] {
        [3.0 * q[0].cos() + 2.0 * (q[0] + q[1]).cos(), 3.0 * q[0].sin() + 2.0 * (q[0] + q[1]).sin()]
    }

    #[test]
    fn the_tip_goes_straight_at_the_speed_of_the_lever() {
        let mut runner = crane(3.0);
        let (start, mut out) = ([0.9, -1.6], [0.0; 8]);
        let mut before = None;
        for k in 0..=300 {
            runner.step(&[start[0], start[1], -0.3, 0.0], &mut out);
            let (p, t) = (tip([out[0], out[3]]), 0.01 * f64::from(k));
            // 2 m/s² reach 0.3 m/s in 15 samples: Σ i 20 mm/s 10 ms = 24 mm.
            let travelled = if k < 15 { continue } else { 0.024 + 0.3 * (t - 0.15) };
            assert!((p[1] - tip(start)[1]).abs() < 1e-5, "{t}: {p:?}");
            assert!((tip(start)[0] - p[0] - travelled).abs() < 1e-4, "{t}: {p:?} {travelled}");
            // The speed is that of the next period.
            if let Some((x, v)) = before.replace((out[0], out[1])) {
                let expected: f64 = x + 0.01 * v;
                assert!((out[0] - expected).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn a_snapshot_goes_on_with_the_same_bits() {
        let (mut whole, mut out) = (crane(3.0), [0.0; 8]);
        (0..50).for_each(|_| whole.step(&[0.9, -1.6, 0.2, 0.1], &mut out));
        let mut archive = Archive::to_write();
        whole.remember(&mut archive);
        let mut again = crane(3.0);
        let mut archive = Archive::to_read(archive.finish().unwrap());
        again.remember(&mut archive);
        assert!(archive.finish().is_some());
        for _ in 0..50 {
            let mut other = [0.0; 8];
            whole.step(&[7.0, 7.0, -0.2, 0.3], &mut out);
            again.step(&[8.0, 8.0, -0.2, 0.3], &mut other);
            assert_eq!(out.map(f64::to_bits), other.map(f64::to_bits));
        }
    }

    #[test]
    fn an_axis_stops_at_its_end() {
        let (mut runner, mut out) = (crane(0.95), [0.0; 8]);
        let mut most = 0.0_f64;
        for _ in 0..400 {
            runner.step(&[0.9, -1.6, 0.0, 0.5], &mut out);
            most = most.max(out[0]);
        }
        assert!(most <= 0.95 && most > 0.949, "{most}");
    }
}
