//! Measures that need a signal's whole history.
//!
//!   overshoot = max over t of (x − x_end)/(x_end − x_0)                                                  (1)
//!   settling  = last t with |x − x_end| > share · |x_end − x_0|, counted from the start                  (2)
//!
//! They have a meaning where a signal goes from one value to another and stays there: it ends elsewhere than it began, and over the last
//! tenth of the run it keeps within the share of (2), 2 % for (1).

use trunnion_num::spectrum::{Window, spectrum};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ResponseShape {
    /// Share of the change by which it is exceeded; 0 if it is not.
    Overshoot,
    /// Time after which the signal stays within this share of the change.
    Settling(f64),
    /// Frequency of the highest line of the spectrum, in Hz.
    PeakFrequency,
}

/// Share of the run at its end in which a signal that settles stays where it is.
const REST: f64 = 0.1;
/// Share of the change that counts as staying, where none is given.
const STAYS: f64 = 0.02;
/// A change below this share of the signal is rounding.
const ROUNDING: f64 = 1e-9;

impl ResponseShape {
    /// Err: why there is none.
    pub fn of(self, times: &[f64], values: &[f64]) -> Result<f64, &'static str> {
        if values.len() < 2 {
            return Err("there are no values");
        }
        if values.iter().any(|x| !x.is_finite()) {
            return Err("the signal has values that are no numbers");
        }
        match self {
            ResponseShape::Overshoot => {
                let (end, change) = step(values)?;
                settling(times, values, STAYS)?;
                Ok(values.iter().map(|x| (x - end) / change).fold(0.0, f64::max)) // (1)
            }
            ResponseShape::Settling(share) => settling(times, values, share),
            ResponseShape::PeakFrequency => {
                let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |m, &x| (m.0.min(x), m.1.max(x)));
                if high - low <= 1e-12 * high.abs().max(low.abs()) {
                    return Err("the signal is constant");
                }
                let found = spectrum(times, values, Window::Hann).ok();
                let peak = found.and_then(|s| s.peaks(1).first().map(|p| p.frequency));
                peak.ok_or("its spectrum has no peak")
            }
        }
    }
}

/// End of the signal, and the change from its start to there.
fn step(values: &[f64]) -> Result<(f64, f64), &'static str> {
    let (start, end) = (values[0], values[values.len() - 1]);
    let largest = values.iter().fold(0.0, |m: f64, x| m.max((x - end).abs()));
    let change = end - start;
    let is_change = change.abs() > ROUNDING * largest && change.abs() > 1e-12 * end.abs();
    if is_change { Ok((end, change)) } else { Err("the signal ends where it began") }
}

/// (2), if the signal has been at rest since.
fn settling(times: &[f64], values: &[f64], share: f64) -> Result<f64, &'static str> {
    let (end, change) = step(values)?;
    let limit = share * change.abs();
    let away = |i: usize| (values[i] - end).abs();
    let Some(last) = (0..values.len()).rposition(|i| away(i) > limit) else { return Ok(0.0) };
    // Between that row and the next it comes inside, along a straight line.
    let (a, b) = (away(last), away(last + 1));
    let t = times[last] + (a - limit) / (a - b) * (times[last + 1] - times[last]);
    let (t_0, t_end) = (times[0], times[times.len() - 1]);
    if t > t_end - REST * (t_end - t_0) {
        return Err("the signal has not settled over the last tenth of the run");
    }
    Ok(t - t_0)
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
        assert!((ResponseShape::Overshoot.of(&t, &x).unwrap() - expected).abs() < 1e-5);
        // After t_s the curve is inside for good, just before it is not.
        let t_s = ResponseShape::Settling(0.05).of(&t, &x).unwrap();
        let inside =
            |from: f64| t.iter().zip(&x).filter(|(t, _)| **t >= from).all(|(_, x)| (x - 1.0).abs() <= 0.05);
        assert!(inside(t_s + 2e-3) && !inside(t_s - 2e-3) && (5.0..12.0).contains(&t_s), "{t_s}");
    }

    #[test]
    fn what_has_no_meaning_has_no_value() {
        let t: Vec<f64> = (0..=100).map(f64::from).collect();
        let of = |x: fn(&f64) -> f64| t.iter().map(x).collect::<Vec<_>>();
        for (signal, reason) in [
            (of(|t| t * (-t).exp()), "ends where it began"),
            (of(|_| 3.0), "ends where it began"),
            (of(|t| 2.0 * t), "has not settled"),
            (of(|t| (0.3 * t).sin()), "has not settled"),
            (of(|t| if *t < 95.0 { 0.0 } else { 1.0 }), "has not settled"),
        ] {
            for shape in [ResponseShape::Overshoot, ResponseShape::Settling(0.02)] {
                assert!(shape.of(&t, &signal).is_err_and(|e| e.contains(reason)), "{shape:?} {reason}");
            }
        }
        assert!(ResponseShape::Overshoot.of(&[], &[]).is_err());
        assert!(ResponseShape::PeakFrequency.of(&t, &of(|_| 2.0)).is_err());
        assert_eq!(ResponseShape::Overshoot.of(&t, &of(|t| if *t < 5.0 { 0.0 } else { 1.0 })), Ok(0.0));
        // Down by 4 from 1 to −3, through 2 % of it between 1 and 2.
        let drop = of(|t| if *t < 2.0 { 1.0 } else { -3.0 });
        assert!((ResponseShape::Settling(0.02).of(&t, &drop).unwrap() - 1.98).abs() < 1e-12);
    }

    #[test]
    fn the_strongest_frequency_is_found() {
        let t: Vec<f64> = (0..4000).map(|k| 1e-3 * f64::from(k)).collect();
        let x: Vec<f64> =
            t.iter().map(|t| 3.0 + (TAU * 7.3 * t).sin() + 0.4 * (TAU * 31.0 * t).sin()).collect();
        assert!((ResponseShape::PeakFrequency.of(&t, &x).unwrap() - 7.3).abs() < 0.01);
    }
}
