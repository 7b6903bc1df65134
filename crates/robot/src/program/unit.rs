//! Dimensions and units of numbers in robot programs: lengths, angles, times.

use std::f64::consts::PI;

/// Exponents of length, angle and time. Angles count here, so that degrees are never taken for millimetres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MotionDimension {
    pub length: i8,
    pub angle: i8,
    pub time: i8,
}

pub(crate) const PLAIN: MotionDimension = MotionDimension { length: 0, angle: 0, time: 0 };
pub(crate) const LENGTH: MotionDimension = MotionDimension { length: 1, ..PLAIN };
pub(crate) const ANGLE: MotionDimension = MotionDimension { angle: 1, ..PLAIN };
pub(crate) const TIME: MotionDimension = MotionDimension { time: 1, ..PLAIN };

impl MotionDimension {
    pub(crate) fn times(self, other: MotionDimension, power: i8) -> Option<MotionDimension> {
        let add = |a: i8, b: i8| a.checked_add(b.checked_mul(power)?);
        Some(MotionDimension {
            length: add(self.length, other.length)?,
            angle: add(self.angle, other.angle)?,
            time: add(self.time, other.time)?,
        })
    }

    pub(crate) fn root(self) -> Option<MotionDimension> {
        let even = [self.length, self.angle, self.time].iter().all(|e| e % 2 == 0);
        even.then_some(MotionDimension {
            length: self.length / 2,
            angle: self.angle / 2,
            time: self.time / 2,
        })
    }

    /// "a length", "a speed", or the unit itself.
    pub(crate) fn named(self) -> String {
        match (self.length, self.angle, self.time) {
            (0, 0, 0) => "a plain number".into(),
            (1, 0, 0) => "a length".into(),
            (0, 1, 0) => "an angle".into(),
            (0, 0, 1) => "a time".into(),
            (1, 0, -1) => "a speed".into(),
            (0, 1, -1) => "an angular speed".into(),
            (1, 0, -2) => "an acceleration".into(),
            (0, 1, -2) => "an angular acceleration".into(),
            (1, 0, -3) => "a jerk".into(),
            (0, 1, -3) => "an angular jerk".into(),
            _ => format!("a quantity in {}", self.unit()),
        }
    }

    fn unit(self) -> String {
        let parts = [("m", self.length), ("rad", self.angle), ("s", self.time)];
        let power = |(name, e): (&str, i8)| if e == 1 { name.to_string() } else { format!("{name}^{e}") };
        parts.into_iter().filter(|(_, e)| *e != 0).map(power).collect::<Vec<_>>().join(" ")
    }
}

/// Factor to SI and dimension of a unit's name.
pub(crate) fn known(name: &str) -> Option<(f64, MotionDimension)> {
    Some(match name {
        "m" => (1.0, LENGTH),
        "cm" => (1e-2, LENGTH),
        "mm" => (1e-3, LENGTH),
        "um" | "µm" => (1e-6, LENGTH),
        "rad" => (1.0, ANGLE),
        "mrad" => (1e-3, ANGLE),
        "deg" | "°" => (PI / 180.0, ANGLE),
        "rev" => (2.0 * PI, ANGLE),
        "s" => (1.0, TIME),
        "ms" => (1e-3, TIME),
        "min" => (60.0, TIME),
        "rpm" => (2.0 * PI / 60.0, MotionDimension { angle: 1, time: -1, ..PLAIN }),
        "%" => (1e-2, PLAIN),
        _ => return None,
    })
}

pub(crate) const NAMES: [&str; 14] =
    ["m", "cm", "mm", "um", "µm", "rad", "mrad", "deg", "°", "rev", "s", "ms", "min", "rpm"];
