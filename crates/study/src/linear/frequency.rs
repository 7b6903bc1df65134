//! Frequency response on a grid that shows every pole.

use std::f64::consts::TAU;

use num_complex::Complex64;
use trunnion_engine::Failure;

use super::NamedLinearModel;
use crate::request_error::LinearRequestError;

/// One curve.
#[derive(Clone, Debug, Default)]
pub struct ResponseCurve {
    pub name: String,
    /// In Hz, ascending.
    pub frequency: Vec<f64>,
    pub magnitude_db: Vec<f64>,
    pub phase_deg: Vec<f64>,
}

/// Points a decade: a resonance of 0.5 % damping, 1 % wide, also gets points of its own.
const POINTS: usize = 100;
/// Most decades drawn, around the poles.
const DECADES: f64 = 12.0;

/// Frequencies in Hz, ascending: a decade beyond the slowest and fastest pole, or as asked for.
fn grid(shown: &NamedLinearModel, wanted: Option<(f64, f64)>) -> Vec<f64> {
    let sizes: Vec<f64> = shown.poles.iter().map(|p| p.natural_frequency()).filter(|f| *f > 0.0).collect();
    let fastest = sizes.iter().fold(0.0, |m: f64, f| m.max(*f));
    // Poles that are zero but for rounding do not stretch the picture.
    let slowest = sizes.iter().filter(|f| **f > 1e-9 * fastest).fold(f64::INFINITY, |m, f| m.min(*f));
    let (from, to) = wanted.unwrap_or(match fastest > 0.0 {
        true => (0.1 * slowest.max(fastest / 10f64.powf(DECADES - 2.0)), 10.0 * fastest),
        false => (0.01, 100.0),
    });
    let n = ((to / from).log10() * POINTS as f64).ceil().clamp(2.0, 1e5) as usize;
    let mut grid: Vec<f64> = (0..=n).map(|k| from * (to / from).powf(k as f64 / n as f64)).collect();
    // The peak itself, and its flanks down to a tenth.
    for pole in shown.poles.iter().filter(|p| p.im > 0.0 && p.re != 0.0) {
        let flanks = [0.0, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0];
        let near = flanks.iter().flat_map(|w| [pole.im - w * pole.re.abs(), pole.im + w * pole.re.abs()]);
        grid.extend(near.map(|w| w / TAU).filter(|f| (from..=to).contains(f)));
    }
    grid.sort_by(f64::total_cmp);
    grid.dedup();
    grid
}

/// One curve for each pair of input and output.
pub fn responses(shown: &NamedLinearModel, wanted: Option<(f64, f64)>) -> Vec<ResponseCurve> {
    let (inputs, outputs) = (&shown.inputs, &shown.outputs);
    let mut list = vec![];
    for output in outputs {
        for input in inputs {
            let name = format!("{} / {}", output.label(), input.label());
            list.push(ResponseCurve { name, ..ResponseCurve::default() });
        }
    }
    let mut response = shown.linear.frequency_response();
    let mut g = vec![Complex64::ZERO; list.len()];
    for frequency in grid(shown, wanted) {
        response.at(TAU * frequency, &mut g);
        for (curve, value) in list.iter_mut().zip(&g) {
            let phase = value.arg().to_degrees();
            // Continued from the point before, so that it has no jumps of a turn.
            let last = curve.phase_deg.last().copied().filter(|p| p.is_finite()).unwrap_or(phase);
            curve.frequency.push(frequency);
            curve.magnitude_db.push(20.0 * value.norm().log10());
            curve.phase_deg.push(phase + 360.0 * ((last - phase) / 360.0).round());
        }
    }
    // What does not answer at all has no curve.
    list.retain(|curve| curve.magnitude_db.iter().any(|m| m.is_finite()));
    list
}

/// A range of frequencies as a user writes it, "0.1:100", in Hz.
pub fn frequencies(text: &str) -> Result<(f64, f64), Failure> {
    let parts =
        text.split_once(':').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
    match parts {
        Some((from, to)) if f64::is_finite(to) && 0.0 < from && from < to => Ok((from, to)),
        _ => Err(LinearRequestError::Frequencies { text: text.into() }.into()),
    }
}
