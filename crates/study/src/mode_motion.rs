//! A natural motion as poses of all bodies over one period, to be drawn.
//!
//!   x(θ) = x_0 + a (Re z sin θ + Im z cos θ),   z = C v                 v: right eigenvector, C: poses of states      (1)
//!
//! The phase of z is that which makes Σ z² real, so that bodies pass x_0 together at θ = 0 where the motion allows it. Time runs so that a period
//! takes [`PERIOD`], whatever the frequency. Linear: large amplitudes leave the surface of constraints.

use num_complex::Complex64;
use trunnion_engine::{Failure, Project};
use trunnion_num::eigen::pairs;
use trunnion_num::text::number;
use trunnion_results::{Column, Table};

use crate::linear::{LinearizationPoint, NamedLinearModel, Signal};
use crate::modes::{NaturalMode, natural_modes};
use crate::request_error::LinearRequestError;

/// In s.
pub const PERIOD: f64 = 2.0;
/// Rows of a period.
const ROWS: usize = 48;
/// What a body shows of its pose.
const POSE: [&str; 8] = ["x", "y", "z", "phi", "qw", "qx", "qy", "qz"];

pub struct ModeMotion {
    /// "mode 2, 26.18 Hz".
    pub title: String,
    /// Poses and elastic coordinates at rest.
    signals: Vec<Signal>,
    /// z of (1), in the units of the signals.
    shape: Vec<Complex64>,
}

impl ModeMotion {
    /// The mode of this number, from 1 on, as `modes` lists them.
    pub fn new(project: &Project, point: &mut LinearizationPoint, mode: usize) -> Result<Self, Failure> {
        let columns = pose_columns(project);
        if columns.is_empty() {
            return Err(LinearRequestError::NoBodies { model: project.name.clone() }.into());
        }
        let linear = NamedLinearModel::at(project, point, &[], &columns)?;
        let modes = natural_modes(&linear)?;
        let (found, which) = numbered(&modes, mode)?;
        let states = vector(&linear, found, which)?;
        let c = &linear.si.c;
        let mut shape: Vec<Complex64> = (0..c.rows())
            .map(|i| {
                let z: Complex64 = c.row(i).iter().zip(&states).map(|(c, v)| v * c).sum();
                z / linear.outputs[i].unit.factor
            })
            .collect();
        let square: Complex64 = shape.iter().map(|z| z * z).sum();
        if square.norm() > 0.0 {
            let turn = square.sqrt();
            let turn = turn.conj() / turn.norm();
            shape.iter_mut().for_each(|z| *z *= turn);
        }
        let what = match found.frequency {
            Some(f) => format!("{} Hz", number(f, 4)),
            None => found.kind.word().to_string(),
        };
        Ok(ModeMotion { title: format!("mode {mode}, {what}"), signals: linear.outputs, shape })
    }

    /// (1) with an amplitude in which the largest entry of z is 1.
    pub fn table(&self, amplitude: f64) -> Table {
        let largest = self.shape.iter().map(|z| z.norm()).fold(f64::MIN_POSITIVE, f64::max);
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / ROWS as f64;
        let time = (0..=ROWS).map(|k| PERIOD * k as f64 / ROWS as f64).collect();
        let mut columns = vec![Column { values: time, ..Column::new("time", "s", "") }];
        for (signal, z) in self.signals.iter().zip(&self.shape) {
            let z = z * (amplitude / largest);
            let at = |k: usize| signal.value + z.re * angle(k).sin() + z.im * angle(k).cos();
            let values = (0..=ROWS).map(at).collect();
            columns.push(Column { values, ..Column::new(&signal.name, &signal.unit.text, "") });
        }
        Table { columns, ..Table::default() }
    }
}

/// Columns of poses and elastic coordinates of all bodies.
fn pose_columns(project: &Project) -> Vec<usize> {
    let of = |body: &str, key: &str| project.prepared.column(&format!("{body}.{key}"));
    let mut columns = vec![];
    for body in project.mechanism.bodies.iter().skip(1) {
        columns.extend(POSE.iter().filter_map(|key| of(&body.name, key)));
        let modes = body.inertia.modal().map_or(0, |modal| modal.coordinates.len());
        columns.extend((1..=modes).filter_map(|k| of(&body.name, &format!("q{k}"))));
    }
    columns
}

/// The mode of this number; of several with the same pole, which.
fn numbered(modes: &[NaturalMode], number: usize) -> Result<(&NaturalMode, usize), Failure> {
    let mut first = 1;
    for mode in modes {
        if (first..first + mode.count).contains(&number) {
            return Ok((mode, number - first));
        }
        first += mode.count;
    }
    Err(LinearRequestError::UnknownMode { number, modes: first - 1 }.into())
}

/// The right eigenvector of a mode.
fn vector(linear: &NamedLinearModel, mode: &NaturalMode, which: usize) -> Result<Vec<Complex64>, Failure> {
    let failed = || Failure::Run { message: "the shape of the mode could not be found".into(), hint: None };
    let mut all = pairs(&linear.si.a).map_err(|_| failed())?;
    all.retain(|pair| pair.value.im >= 0.0);
    let pole = Complex64::new(mode.pole.re, mode.pole.im);
    all.sort_by(|a, b| (a.value - pole).norm().total_cmp(&(b.value - pole).norm()));
    all.into_iter().nth(which).map(|pair| pair.right).ok_or_else(failed)
}
