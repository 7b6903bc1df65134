//! Measures that need a signal's whole course.
//!
//!   overshoot = max over t of (x − x_end)/(x_end − x_0)                                                  (1)
//!   settling  = last t with |x − x_end| > share · |x_end − x_0|, counted from the start                  (2)
//!
//! A signal that ends where it began is compared with its largest distance from there. The end counts as the value it
//! settles to: run long enough.

use crate::plot::{Window, spectrum};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Share of the change by which it is exceeded; 0 if it is not.
    Overshoot,
    /// Time after which the signal stays within this share of the change.
    Settling(f64),
    /// Frequency of the highest line of the spectrum, in Hz.
    PeakFrequency,
}

impl Shape {
    /// NaN where there is none: no rows, a constant.
    pub fn of(self, times: &[f64], values: &[f64]) -> f64 {
        let (Some(&start), Some(&end), Some(&t_0)) = (values.first(), values.last(), times.first()) else {
            return f64::NAN;
        };
        if values.iter().any(|x| !x.is_finite()) {
            return f64::NAN;
        }
        let largest = values.iter().fold(0.0, |m: f64, x| m.max((x - end).abs()));
        // A change that is rounding of the course is none.
        let change = if (end - start).abs() > 1e-9 * largest { end - start } else { -largest };
        match self {
            Shape::Overshoot => values.iter().map(|x| (x - end) / change).fold(0.0, f64::max), // (1)
            Shape::Settling(share) => {
                let outside = |x: &f64| (x - end).abs() > share * change.abs();
                let Some(last) = values.iter().rposition(outside) else { return 0.0 };
                // Between that row and the next it comes inside, along a straight line.
                let limit = share * change.abs();
                let (a, b) = ((values[last] - end).abs(), (values[last + 1] - end).abs());
                times[last] + (a - limit) / (a - b) * (times[last + 1] - times[last]) - t_0 // (2)
            }
            Shape::PeakFrequency => {
                let found = spectrum(times, values, Window::Hann).ok();
                found.and_then(|s| s.peaks(1).first().map(|p| p.frequency)).unwrap_or(f64::NAN)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// 1 − e^(−ζω₀t) (cos ω_d t + …): the step response of an oscillator.
    fn step_response(zeta: f64) -> (Vec<f64>, Vec<f64>) {
        let w_d = f64::sqrt(1.0 - zeta * zeta);
        let times: Vec<f64> = (0..=60_000).map(|k| 1e-3 * f64::from(k)).collect();
        let x = |t: &f64| 1.0 - (-zeta * t).exp() * ((w_d * t).cos() + zeta / w_d * (w_d * t).sin());
        (times.clone(), times.iter().map(x).collect())
    }

    #[test]
    fn an_oscillator_overshoots_and_settles_as_known() {
        let zeta: f64 = 0.3;
        let (t, x) = step_response(zeta);
        let w_d = (1.0 - zeta * zeta).sqrt();
        let expected = (-zeta * std::f64::consts::PI / w_d).exp();
        assert!((Shape::Overshoot.of(&t, &x) - expected).abs() < 1e-5);
        // After t_s the curve is inside for good, just before it is not.
        let t_s = Shape::Settling(0.05).of(&t, &x);
        let inside =
            |from: f64| t.iter().zip(&x).filter(|(t, _)| **t >= from).all(|(_, x)| (x - 1.0).abs() <= 0.05);
        assert!(inside(t_s + 2e-3) && !inside(t_s - 2e-3) && (5.0..12.0).contains(&t_s), "{t_s}");
        assert!(Shape::Overshoot.of(&t, &t) == 0.0);
    }

    #[test]
    fn a_pulse_is_compared_with_its_height() {
        let (t, x) = ([0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 2.0, 1.0, 0.0, 0.0]);
        assert_eq!(Shape::Settling(0.25).of(&t, &x), 2.5);
        assert_eq!(Shape::Settling(0.1).of(&t, &[3.0; 5]), 0.0);
        assert!(Shape::Overshoot.of(&[], &[]).is_nan());
    }

    #[test]
    fn the_strongest_frequency_is_found() {
        let t: Vec<f64> = (0..4000).map(|k| 1e-3 * f64::from(k)).collect();
        let x: Vec<f64> =
            t.iter().map(|t| 3.0 + (TAU * 7.3 * t).sin() + 0.4 * (TAU * 31.0 * t).sin()).collect();
        assert!((Shape::PeakFrequency.of(&t, &x) - 7.3).abs() < 0.01);
    }
}
