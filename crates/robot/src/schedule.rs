//! Gains over a grid of poses, so that every axis keeps bandwidth and damping wherever the arm is.
//!
//!   J_eff(q) ≈ Σ_c w_c(q) J_eff(q_c),   w_c: multilinear weights of the corners c of the cell           (1)
//!
//! Gains are proportional to J_eff (`servo`), so interpolating one interpolates the other. Outside of the grid the nearest edge counts.
//! What is left between grid points is measured in the middle of every cell, where the error of (1) is largest to second order.

use std::fmt;

use crate::arm::Arm;
use crate::inertia::{MassNode, axis_inertias};
use crate::servo::{AxisDrive, ServoError, ServoGains, ServoSpec, damping_of};

/// A coordinate over which gains change, with its grid: at least two values that rise.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduleAxis {
    pub coordinate: usize,
    pub values: Vec<f64>,
}

/// More grid points than this are refused.
pub(crate) const MOST_GRID_POINTS: usize = 100_000;

#[derive(Clone, Debug, PartialEq)]
pub enum ScheduleError {
    Servo(ServoError),
    /// Fewer than two values, not rising, or a coordinate that the arm has not.
    Grid {
        axis: usize,
    },
    TooManyPoints {
        points: usize,
    },
    /// One drive for every coordinate is needed.
    Drives {
        expected: usize,
        found: usize,
    },
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScheduleError::Servo(error) => write!(f, "{error}"),
            ScheduleError::Grid { axis } => {
                write!(
                    f,
                    "axis {axis} of the grid needs a coordinate of the arm and at least two values that rise"
                )
            }
            ScheduleError::TooManyPoints { points } => {
                write!(
                    f,
                    "the grid has {points} points, more than {MOST_GRID_POINTS}; take fewer values or fewer axes"
                )
            }
            ScheduleError::Drives { expected, found } => {
                write!(f, "the arm has {expected} axes, but there are {found} drives")
            }
        }
    }
}

impl std::error::Error for ScheduleError {}

/// Gains of all axes over the workspace.
#[derive(Clone, Debug, PartialEq)]
pub struct GainSchedule {
    axes: Vec<ScheduleAxis>,
    drives: Vec<AxisDrive>,
    spec: ServoSpec,
    /// J_eff of every coordinate at every grid point, last axis fastest.
    inertias: Vec<Vec<f64>>,
}

impl GainSchedule {
    /// `pose` has the values of coordinates that are not on the grid.
    pub fn new(
        arm: &Arm,
        nodes: &[MassNode],
        pose: &[f64],
        axes: Vec<ScheduleAxis>,
        drives: &[AxisDrive],
        spec: ServoSpec,
    ) -> Result<GainSchedule, ScheduleError> {
        if drives.len() != arm.n() || pose.len() != arm.n() {
            return Err(ScheduleError::Drives { expected: arm.n(), found: drives.len() });
        }
        for (axis, a) in axes.iter().enumerate() {
            let rising = a.values.windows(2).all(|w| w[0] < w[1]) && a.values.iter().all(|v| v.is_finite());
            if a.values.len() < 2 || !rising || a.coordinate >= arm.n() {
                return Err(ScheduleError::Grid { axis });
            }
        }
        let points =
            axes.iter().try_fold(1_usize, |n, a| n.checked_mul(a.values.len())).unwrap_or(usize::MAX);
        if points > MOST_GRID_POINTS {
            return Err(ScheduleError::TooManyPoints { points });
        }
        let mut schedule = GainSchedule { axes, drives: drives.to_vec(), spec, inertias: vec![] };
        for index in 0..points {
            let q = schedule.pose_of(pose, index);
            schedule.inertias.push(effective_inertias(arm, &q, nodes, drives));
        }
        // Numbers are examined once, with the first inertias.
        schedule.gains_of(&schedule.inertias[0]).map_err(ScheduleError::Servo)?;
        Ok(schedule)
    }

    fn pose_of(&self, pose: &[f64], mut index: usize) -> Vec<f64> {
        let mut q = pose.to_vec();
        for axis in self.axes.iter().rev() {
            q[axis.coordinate] = axis.values[index % axis.values.len()];
            index /= axis.values.len();
        }
        q
    }

    fn gains_of(&self, inertias: &[f64]) -> Result<Vec<ServoGains>, ServoError> {
        inertias.iter().zip(&self.drives).map(|(j, d)| self.spec.gains(*j, d.ratio)).collect()
    }

    /// (1)
    pub fn effective_inertias(&self, q: &[f64]) -> Vec<f64> {
        let mut corners = vec![(0_usize, 1.0_f64)];
        for axis in &self.axes {
            let x = q[axis.coordinate].clamp(axis.values[0], axis.values[axis.values.len() - 1]);
            let cell = axis.values.partition_point(|v| *v <= x).clamp(1, axis.values.len() - 1) - 1;
            let share = (x - axis.values[cell]) / (axis.values[cell + 1] - axis.values[cell]);
            let n = axis.values.len();
            let both =
                |(i, w): (usize, f64)| [(i * n + cell, w * (1.0 - share)), (i * n + cell + 1, w * share)];
            corners = corners.into_iter().flat_map(both).collect();
        }
        let sum = |k: usize| corners.iter().map(|(i, w)| w * self.inertias[*i][k]).sum();
        (0..self.drives.len()).map(sum).collect()
    }

    pub fn gains(&self, q: &[f64]) -> Result<Vec<ServoGains>, ServoError> {
        self.gains_of(&self.effective_inertias(q))
    }

    /// Lowest and highest damping of each axis in the middle of all cells.
    pub fn damping_between(
        &self,
        arm: &Arm,
        nodes: &[MassNode],
        pose: &[f64],
    ) -> Result<Vec<[f64; 2]>, ServoError> {
        let cells: usize = self.axes.iter().map(|a| a.values.len() - 1).product();
        let mut range = vec![[f64::INFINITY, f64::NEG_INFINITY]; self.drives.len()];
        for cell in 0..cells {
            let (mut q, mut index) = (pose.to_vec(), cell);
            for axis in self.axes.iter().rev() {
                let i = index % (axis.values.len() - 1);
                q[axis.coordinate] = 0.5 * (axis.values[i] + axis.values[i + 1]);
                index /= axis.values.len() - 1;
            }
            let gains = self.gains(&q)?;
            let real = effective_inertias(arm, &q, nodes, &self.drives);
            for (k, r) in range.iter_mut().enumerate() {
                let zeta = damping_of(&gains[k], real[k], self.drives[k].ratio);
                *r = [r[0].min(zeta), r[1].max(zeta)];
            }
        }
        Ok(range)
    }
}

/// J_eff of every axis at a pose.
pub fn effective_inertias(arm: &Arm, q: &[f64], nodes: &[MassNode], drives: &[AxisDrive]) -> Vec<f64> {
    axis_inertias(arm, q, nodes).iter().zip(drives).map(|(j, d)| d.effective_inertia(*j)).collect()
}
