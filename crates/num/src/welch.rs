//! Spectra averaged over segments: power density, and the response of one signal to another.
//!
//!   X_s(f) = Σ_n w_n (x_n − x̄_s) e^(−2πi f n Δt),   S_xy = 2 Δt / Σ w²  ·  mean over s of X̄_s Y_s         (1)  [Welch1967]
//!   H = S_xy / S_xx,   γ² = |S_xy|² / (S_xx S_yy)                                                       (2)  [Bendat2010, §6.2]
//!   standard deviation of |H|: |H| √((1 − γ²) / (2 γ² n)), and of its phase in rad                       (3)  [Bendat2010, §9.2]
//!
//! Segments overlap by half. n counts independent ones: with a Hann window neighbours correlate by 1/6, which leaves 1/(1 + 2/36)
//! of them. The densities are one-sided: their integral is the mean square.

use num_complex::Complex64;
use realfft::RealFftPlanner;

use crate::spectrum::Window;

#[derive(Clone, Debug, Default)]
pub struct Averaged {
    /// From 0 to half the sampling rate.
    pub frequency: Vec<f64>,
    pub s_xx: Vec<f64>,
    pub s_yy: Vec<f64>,
    pub s_xy: Vec<Complex64>,
    /// n of (3).
    pub averages: f64,
}

/// (1) for samples at a distance of `step`, in segments of so many of them; None if there is not one whole segment.
pub fn averaged(step: f64, x: &[f64], y: &[f64], segment: usize, window: Window) -> Option<Averaged> {
    let length = x.len().min(y.len());
    if segment < 4 || segment > length {
        return None;
    }
    let weights = window.weights(segment);
    let transform = RealFftPlanner::<f64>::new().plan_fft_forward(segment);
    let lines = |samples: &[f64]| {
        let mean = samples.iter().sum::<f64>() / segment as f64;
        let mut work: Vec<f64> = samples.iter().zip(&weights).map(|(v, w)| (v - mean) * w).collect();
        let mut lines = transform.make_output_vec();
        // Only wrong lengths are refused, and both are the transform's own.
        let _ = transform.process(&mut work, &mut lines);
        lines
    };
    let n = segment / 2 + 1;
    let mut sum = Averaged {
        s_xx: vec![0.0; n],
        s_yy: vec![0.0; n],
        s_xy: vec![Complex64::ZERO; n],
        ..Averaged::default()
    };
    let starts: Vec<usize> = (0..=length - segment).step_by((segment / 2).max(1)).collect();
    for &start in &starts {
        let (a, b) = (lines(&x[start..start + segment]), lines(&y[start..start + segment]));
        for k in 0..n {
            sum.s_xx[k] += a[k].norm_sqr();
            sum.s_yy[k] += b[k].norm_sqr();
            sum.s_xy[k] += a[k].conj() * b[k];
        }
    }
    let power: f64 = weights.iter().map(|w| w * w).sum();
    let scale = 2.0 * step / (power * starts.len() as f64);
    sum.s_xx.iter_mut().chain(&mut sum.s_yy).for_each(|s| *s *= scale);
    sum.s_xy.iter_mut().for_each(|s| *s *= scale);
    sum.frequency = (0..n).map(|k| k as f64 / (segment as f64 * step)).collect();
    sum.averages = if starts.len() > 1 { starts.len() as f64 / (1.0 + 2.0 / 36.0) } else { 1.0 };
    Some(sum)
}

impl Averaged {
    /// H of (2) on line k.
    pub fn response(&self, k: usize) -> Complex64 {
        self.s_xy[k] / self.s_xx[k]
    }

    /// γ² of (2).
    pub fn coherence(&self, k: usize) -> f64 {
        self.s_xy[k].norm_sqr() / (self.s_xx[k] * self.s_yy[k])
    }

    /// (3), relative.
    pub fn error(&self, k: usize) -> f64 {
        let g = self.coherence(k).clamp(f64::MIN_POSITIVE, 1.0);
        ((1.0 - g) / (2.0 * g * self.averages)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;

    #[test]
    fn white_noise_has_a_flat_density_of_its_mean_square() {
        let mut noise = Noise::new(3);
        let x: Vec<f64> = (0..1 << 16).map(|_| 2.0 * noise.next()).collect();
        let step = 0.01;
        let found = averaged(step, &x, &x, 256, Window::Hann).unwrap();
        // σ² = 4 over 50 Hz.
        let df = found.frequency[1];
        let total: f64 = found.s_xx[1..].iter().sum::<f64>() * df;
        assert!((total / 4.0 - 1.0).abs() < 0.03, "{total}");
        let expected = 4.0 / 50.0;
        // About 485 averages: each line within 4 of its standard deviations, 1/√n.
        let limit = 4.5 / found.averages.sqrt();
        assert!(
            found.s_xx[2..126].iter().all(|s| (s / expected - 1.0).abs() < limit),
            "{:?}",
            &found.s_xx[2..126]
        );
        assert!((2..126).all(|k| (found.coherence(k) - 1.0).abs() < 1e-12));
    }

    #[test]
    fn a_delay_and_a_gain_are_found_with_their_noise() {
        let (mut noise, mut other) = (Noise::new(1), Noise::new(2));
        let x: Vec<f64> = (0..40_000).map(|_| noise.next()).collect();
        let y: Vec<f64> =
            (0..40_000).map(|k| if k < 3 { 0.0 } else { 5.0 * x[k - 3] } + other.next()).collect();
        let found = averaged(1.0, &x, &y, 512, Window::Hann).unwrap();
        for k in 4..250 {
            let expected = Complex64::from_polar(5.0, -std::f64::consts::TAU * found.frequency[k] * 3.0);
            // γ² = 25/26.
            assert!((found.coherence(k) - 25.0 / 26.0).abs() < 0.03);
            let off = (found.response(k) - expected).norm() / 5.0;
            // A segment sees all but three of 512 samples of both; beside it, 5 standard deviations of both parts.
            assert!(off < 0.01 + 5.0 * found.error(k), "{off} on line {k}");
        }
        assert!(averaged(1.0, &x[..100], &y, 512, Window::Hann).is_none());
    }
}
