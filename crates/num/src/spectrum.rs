//! Amplitude spectrum of a signal.
//!
//!   A_k = 2 |Σ_n w_n (y_n − ȳ) e^(−2πi kn/N)| / Σ_n w_n                               (1)
//!
//! so that a sine of amplitude a on a line of the spectrum shows as a. The mean ȳ is taken out first, lest a
//! window spread it over its neighbours, and shown at zero frequency; the line at half the sampling rate is
//! counted once. Between two lines a sine shows lower, at worst by 2/π (no window), 8/3π (Hann), 0.1 % (flat
//! top); [`Spectrum::peaks`] makes up for it from the two highest lines. [Grandke1983]
//!
//! Rows that are not evenly spaced are interpolated linearly at their most usual distance.

use std::f64::consts::PI;
use std::fmt;

use realfft::RealFftPlanner;

/// Why a signal has no spectrum.
#[derive(Clone, Debug, PartialEq)]
pub enum SpectrumError {
    TooShort { samples: usize, needed: usize },
    NotFinite { time: f64 },
    TimeRunsBack { time: f64 },
}

impl SpectrumError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            SpectrumError::TooShort { .. } => "a spectrum needs more rows: run longer or write more of them",
            SpectrumError::NotFinite { .. } => "choose a time range in which the signal is finite",
            SpectrumError::TimeRunsBack { .. } => "a spectrum needs a signal over time",
        }
    }
}

impl fmt::Display for SpectrumError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpectrumError::TooShort { samples, needed } => {
                write!(f, "{samples} samples are too few for a spectrum, which takes {needed}")
            }
            SpectrumError::NotFinite { time } => write!(f, "the signal is not a number at t = {time} s"),
            SpectrumError::TimeRunsBack { time } => write!(f, "time does not increase at t = {time} s"),
        }
    }
}

impl std::error::Error for SpectrumError {}

const FEWEST_SAMPLES: usize = 4;
/// 32 MiB of samples; a longer signal is sampled more coarsely.
const MOST_SAMPLES: usize = 1 << 22;
/// Steps equal within this share of their length are even: times are printed with six digits or more.
const EVEN: f64 = 1e-6;
/// Lines lower than this share of the highest are not listed as peaks.
const PEAK_FLOOR: f64 = 1e-3;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Window {
    /// For whole periods.
    None,
    #[default]
    Hann,
    Hamming,
    Blackman,
    /// For amplitudes.
    FlatTop,
}

#[derive(Clone, Debug)]
pub struct Spectrum {
    /// From 0 to half the sampling rate, in Hz for a time in s.
    pub frequency: Vec<f64>,
    pub amplitude: Vec<f64>,
    pub window: Window,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    pub frequency: f64,
    pub amplitude: f64,
}

/// The spectrum of y over a time that never decreases.
pub fn spectrum(time: &[f64], y: &[f64], window: Window) -> Result<Spectrum, SpectrumError> {
    let (step, mut samples) = resample(time, y)?;
    let n = samples.len();
    let mean = samples.iter().sum::<f64>() / n as f64;
    let weights = window.weights(n);
    for (sample, weight) in samples.iter_mut().zip(&weights) {
        *sample = (*sample - mean) * weight;
    }
    let transform = RealFftPlanner::<f64>::new().plan_fft_forward(n);
    let mut lines = transform.make_output_vec();
    // Only wrong lengths are refused, and both are the transform's own.
    let _ = transform.process(&mut samples, &mut lines);
    let total: f64 = weights.iter().sum();
    let mut amplitude: Vec<f64> = lines.iter().map(|line| 2.0 * line.norm() / total).collect(); // (1)
    amplitude[0] = mean.abs();
    if n % 2 == 0 {
        amplitude[n / 2] *= 0.5;
    }
    let frequency = (0..amplitude.len()).map(|k| k as f64 / (n as f64 * step)).collect();
    Ok(Spectrum { frequency, amplitude, window })
}

impl Window {
    /// Weights of n samples.
    pub fn weights(self, n: usize) -> Vec<f64> {
        (0..n).map(|i| self.weight(i as f64 / n as f64)).collect()
    }

    /// Coefficients a of cos 0, cos φ, … with alternating signs.
    fn terms(self) -> &'static [f64] {
        match self {
            Self::None => &[1.0],
            Self::Hann => &[0.5, 0.5],
            Self::Hamming => &[0.54, 0.46],
            Self::Blackman => &[0.42, 0.5, 0.08],
            // The common five-term set, ISO 18431-2 scaled to a peak of one.
            Self::FlatTop => &[0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368],
        }
    }

    /// What a line shows of a sine that is so many lines away: W(x) = Σ a_k (sinc(x − k) + sinc(x + k)) / 2 a_0. The
    /// alternating signs are those of the phases of the lines.
    fn shown(self, lines: f64) -> f64 {
        let pair = |(k, a): (usize, &f64)| {
            let k = k as f64;
            0.5 * a * (sinc(lines - k) + sinc(lines + k))
        };
        self.terms().iter().enumerate().map(pair).sum::<f64>() / self.terms()[0]
    }

    /// How far a sine is from its highest line, for a ratio of the second highest to it: W(1 − δ)/W(δ) = ratio.
    fn distance(self, ratio: f64) -> f64 {
        // The ratio grows from δ = 0 to one at ½.
        let (mut low, mut high) = (0.0, 0.5);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            match self.shown(1.0 - middle) / self.shown(middle) < ratio {
                true => low = middle,
                false => high = middle,
            }
        }
        0.5 * (low + high)
    }

    /// Weight at a share from 0 to 1 of the length; periodic.
    fn weight(self, share: f64) -> f64 {
        let term = |(k, a): (usize, &f64)| {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            sign * a * (2.0 * PI * k as f64 * share).cos()
        };
        self.terms().iter().enumerate().map(term).sum()
    }
}

impl Spectrum {
    /// The highest `count` lines that stand above both neighbours, as they are.
    pub fn highest_lines(&self, count: usize) -> Vec<Peak> {
        let a = &self.amplitude;
        let inside = 1..a.len().saturating_sub(1);
        let highest = a.iter().fold(0.0_f64, |highest, value| highest.max(*value));
        // Densities are squares.
        let floor = PEAK_FLOOR * PEAK_FLOOR * highest;
        let tops = inside.filter(|&k| a[k] > a[k - 1] && a[k] >= a[k + 1] && a[k] > floor);
        let mut peaks: Vec<Peak> =
            tops.map(|k| Peak { frequency: self.frequency[k], amplitude: a[k] }).collect();
        peaks.sort_by(|p, q| q.amplitude.total_cmp(&p.amplitude));
        peaks.truncate(count);
        peaks
    }

    /// The highest `count` peaks, highest first, with what lies between two lines made up for.
    pub fn peaks(&self, count: usize) -> Vec<Peak> {
        let a = &self.amplitude;
        let inside = 1..a.len().saturating_sub(1);
        let highest = a.iter().skip(1).fold(0.0_f64, |highest, value| highest.max(*value));
        // The mean at zero is no neighbour to compare with.
        let left = |k: usize| if k > 1 { a[k - 1] } else { 0.0 };
        let is_peak = |k: &usize| a[*k] > left(*k) && a[*k] >= a[k + 1] && a[*k] > PEAK_FLOOR * highest;
        let mut peaks: Vec<Peak> =
            inside.filter(is_peak).map(|k| self.between_lines(k, left(k), a[k + 1])).collect();
        peaks.sort_by(|p, q| q.amplitude.total_cmp(&p.amplitude));
        peaks.truncate(count);
        peaks
    }

    /// Frequency and amplitude of one sine of which line k shows most.
    fn between_lines(&self, k: usize, left: f64, right: f64) -> Peak {
        let centre = self.amplitude[k];
        let side = if right >= left { 1.0 } else { -1.0 };
        let ratio = left.max(right) / centre;
        // Distance from line k in lines, and what line k shows of the amplitude there: for a window of
        // transform W, ratio = W(1 − δ)/W(δ) solved for δ.
        let (delta, shown) = match self.window {
            Window::None => {
                let delta = ratio / (1.0 + ratio);
                (delta, sinc(delta))
            }
            Window::Hann | Window::Hamming | Window::Blackman => {
                let delta = self.window.distance(ratio);
                (delta, self.window.shown(delta))
            }
            // So flat that the amplitude is as shown.
            Window::FlatTop => (side * self.centre_of_weight(k), 1.0),
        };
        let df = self.frequency[1];
        Peak { frequency: (k as f64 + side * delta) * df, amplitude: centre / shown }
    }

    /// Where the power of the lines that a flat top makes of one sine has its centre, in lines from line k.
    fn centre_of_weight(&self, k: usize) -> f64 {
        let reach = FLAT_TOP_REACH.min(k - 1).min(self.amplitude.len() - 1 - k);
        let lines = &self.amplitude[k - reach..=k + reach];
        let power: f64 = lines.iter().map(|a| a * a).sum();
        let moment: f64 = lines.iter().enumerate().map(|(i, a)| (i as f64 - reach as f64) * a * a).sum();
        moment / power
    }
}

/// Lines on each side over which a flat top spreads a sine.
const FLAT_TOP_REACH: usize = 5;

fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-9 { 1.0 } else { (PI * x).sin() / (PI * x) }
}

/// Even samples of y: their distance and values.
pub fn resample(time: &[f64], y: &[f64]) -> Result<(f64, Vec<f64>), SpectrumError> {
    let n = time.len().min(y.len());
    let (time, y) = (&time[..n], &y[..n]);
    if n < FEWEST_SAMPLES {
        return Err(SpectrumError::TooShort { samples: n, needed: FEWEST_SAMPLES });
    }
    if let Some(i) = (0..n).find(|i| !time[*i].is_finite() || !y[*i].is_finite()) {
        return Err(SpectrumError::NotFinite { time: time[i] });
    }
    if let Some(pair) = time.windows(2).find(|pair| pair[1] < pair[0]) {
        return Err(SpectrumError::TimeRunsBack { time: pair[1] });
    }
    let span = time[n - 1] - time[0];
    let even = span / (n - 1) as f64;
    if time.windows(2).all(|pair| ((pair[1] - pair[0]) / even - 1.0).abs() < EVEN * n as f64) && span > 0.0 {
        return Ok((even, y.to_vec()));
    }
    let mut steps: Vec<f64> =
        time.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0.0).collect();
    if steps.len() + 1 < FEWEST_SAMPLES {
        return Err(SpectrumError::TooShort { samples: steps.len() + 1, needed: FEWEST_SAMPLES });
    }
    let middle = steps.len() / 2;
    let usual = *steps.select_nth_unstable_by(middle, f64::total_cmp).1;
    // Rows on a grid with some at events between: the grid. Steps of all lengths: fine enough for most of them.
    let on_grid = steps.iter().filter(|step| (*step / usual - 1.0).abs() < EVEN).count() > middle;
    let step = if on_grid { usual } else { usual.min(even) };
    let intervals = (span / step).round().clamp(3.0, (MOST_SAMPLES - 1) as f64) as usize;
    let step = span / intervals as f64;
    let mut i = 0;
    let sample = |k: usize| {
        let t = (time[0] + k as f64 * step).min(time[n - 1]);
        while i + 2 < n && time[i + 1] <= t {
            i += 1;
        }
        let dt = time[i + 1] - time[i];
        if dt > 0.0 { y[i] + (t - time[i]) / dt * (y[i + 1] - y[i]) } else { y[i + 1] }
    };
    Ok((step, (0..=intervals).map(sample).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 1000;
    const STEP: f64 = 1e-3;

    /// A sine of amplitude 3 at `lines` spectral lines, with mean 5, over one second less a step.
    fn sine(lines: f64) -> (Vec<f64>, Vec<f64>) {
        let time: Vec<f64> = (0..N).map(|i| i as f64 * STEP).collect();
        let y = time.iter().map(|t| 5.0 + 3.0 * (2.0 * PI * lines * t + 0.4).sin()).collect();
        (time, y)
    }

    fn amplitude_at(line: usize, lines: f64, window: Window) -> f64 {
        let (time, y) = sine(lines);
        spectrum(&time, &y, window).unwrap().amplitude[line]
    }

    fn assert_near(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
    }

    #[test]
    fn a_sine_on_a_line_has_its_amplitude_there() {
        for window in [Window::None, Window::Hann, Window::Hamming, Window::Blackman, Window::FlatTop] {
            assert_near(amplitude_at(50, 50.0, window), 3.0, 1e-8);
            assert_near(amplitude_at(0, 50.0, window), 5.0, 1e-9);
            assert_near(amplitude_at(200, 50.0, window), 0.0, 1e-8);
        }
    }

    #[test]
    fn between_two_lines_it_shows_what_the_window_lets_through() {
        // What the mirror image at −50.5 lines adds to a neighbour is below 1/(100 π), 1 %.
        assert_near(amplitude_at(50, 50.5, Window::None), 3.0 * 2.0 / PI, 0.03);
        // Hann and flat top fall off faster.
        assert_near(amplitude_at(50, 50.5, Window::Hann), 3.0 * 8.0 / (3.0 * PI), 1e-4);
        assert_near(amplitude_at(50, 50.5, Window::FlatTop), 3.0, 3.0 * 1.3e-3);
    }

    #[test]
    fn peaks_make_up_for_it() {
        for lines in [50.0, 50.2, 50.5, 50.9] {
            let (time, y) = sine(lines);
            for (window, tolerance) in [
                (Window::None, 2e-2),
                (Window::Hann, 1e-4),
                (Window::Hamming, 2e-3),
                (Window::Blackman, 1e-4),
                (Window::FlatTop, 4e-3),
            ] {
                let peak = spectrum(&time, &y, window).unwrap().peaks(1)[0];
                assert_near(peak.amplitude, 3.0, tolerance * 3.0);
                // The centre of weight loses what lies outside its reach.
                assert_near(
                    peak.frequency,
                    lines,
                    if window == Window::FlatTop { 0.05 } else { 20.0 * tolerance },
                );
            }
        }
    }

    #[test]
    fn peaks_are_sorted_by_height() {
        let time: Vec<f64> = (0..N).map(|i| i as f64 * STEP).collect();
        let y: Vec<f64> =
            time.iter().map(|t| (2.0 * PI * 40.0 * t).sin() + 2.0 * (2.0 * PI * 120.3 * t).cos()).collect();
        let peaks = spectrum(&time, &y, Window::Hann).unwrap().peaks(2);
        assert_near(peaks[0].frequency, 120.3, 1e-3);
        assert_near(peaks[0].amplitude, 2.0, 1e-3);
        assert_near(peaks[1].frequency, 40.0, 1e-3);
    }

    #[test]
    fn rows_at_events_between_even_ones_change_nothing() {
        let (time, y) = sine(50.0);
        let (mut with_events, mut y_events) = (time.clone(), y.clone());
        for (at, t) in [(301, 0.3004), (302, 0.3004), (703, 700.0 * STEP)] {
            let value = y_events[at - 1];
            with_events.insert(at, t);
            y_events.insert(at, value);
        }
        let plain = spectrum(&time, &y, Window::Hann).unwrap();
        let other = spectrum(&with_events, &y_events, Window::Hann).unwrap();
        assert_eq!(plain.amplitude.len(), other.amplitude.len());
        for (a, b) in plain.amplitude.iter().zip(&other.amplitude) {
            assert_near(*a, *b, 1e-9);
        }
    }

    #[test]
    fn the_highest_line_counts_once() {
        let time: Vec<f64> = (0..8).map(f64::from).collect();
        let y: Vec<f64> = (0..8).map(|i| if i % 2 == 0 { 2.0 } else { -2.0 }).collect();
        let found = spectrum(&time, &y, Window::None).unwrap();
        assert_near(found.amplitude[4], 2.0, 1e-12);
        assert_eq!(found.frequency[4], 0.5);
    }

    #[test]
    fn what_has_no_spectrum_is_refused() {
        let check = |time: &[f64], y: &[f64], message: &str| {
            let error = spectrum(time, y, Window::Hann).unwrap_err();
            assert!(error.to_string().contains(message) && !error.hint().is_empty(), "{error}");
        };
        check(&[], &[], "0 samples");
        check(&[0.0, 0.0, 0.0, 0.0, 0.0], &[1.0; 5], "1 samples are too few");
        check(&[0.0, 1.0, 2.0, 3.0], &[1.0, f64::NAN, 1.0, 1.0], "not a number at t = 1 s");
        check(&[0.0, 1.0, 0.5, 3.0], &[1.0; 4], "does not increase at t = 0.5 s");
    }
}
