//! How an output answers an input at each frequency, from the linear model and from a run driven with
//! noise.
//!
//! The input is its value at the point plus white noise, held for T = 0.4/f_max: its spectrum falls by 24 % up to f_max. Input and
//! output are compared in the middle of intervals of T/8, between which the input is a staircase; what the states see
//! of it is sinc(f T/8) lower than its samples, what passes at once is not:
//!
//!   H = D + (Ĥ − D) / sinc(f T/8),   Ĥ by averaged spectra                                                   (1)

use std::f64::consts::{PI, TAU};
use std::ops::ControlFlow;

use num_complex::Complex64;
use trunnion_engine::{Failure, Project};
use trunnion_equations::Symbol;
use trunnion_num::noise::Noise;
use trunnion_num::spectrum::Window;
use trunnion_num::text::{count, number, with_unit};
use trunnion_num::welch::averaged;
use trunnion_results::{Column, Table};
use trunnion_sim::integrate::{Ended, Moment, OutputTimes};
use trunnion_sim::run::{Settings, run_on};
use trunnion_sim::sampled_input::SampledInput;

use trunnion_engine::controllers::run_failure;

use crate::linear::{NamedLinearModel, ResponseCurve};
use crate::lqr::quotient;
use crate::monitor::Monitor;
use crate::request_error::NoiseError;
use crate::simulate::{OperatingPoint, Overrides, hint, settings};

/// How the noise is made.
#[derive(Clone, Debug)]
pub struct NoiseDrive {
    /// Standard deviation, in the unit of the input; None: 1 % of its value, or 1.
    pub amplitude: Option<f64>,
    /// Segments of the run that are averaged.
    pub segments: usize,
    /// Another number is another noise.
    pub seed: u64,
    /// Of the run.
    pub overrides: Overrides,
}

/// Samples in each held interval.
const FINE: usize = 8;
/// Held time in periods of the highest frequency.
const HELD: f64 = 0.4;
/// A segment has so many periods of the lowest frequency, and time constants of the slowest oscillation: its bias at a
/// resonance is (bandwidth of a Hann window / half-power bandwidth)² / 6, here below 0.3 %.
const PERIODS: f64 = 4.0;
const TIME_CONSTANTS: f64 = 40.0;
/// What a start leaves has died out to e^−7.
const SETTLED: f64 = 7.0;
/// Half a gigabyte of samples.
const MOST_SAMPLES: f64 = 2e7;

/// How the model is driven.
#[derive(Debug)]
pub struct ResponsePlan {
    /// Held time.
    hold: f64,
    /// Samples that are left out at the beginning, in a segment, and in all.
    settle: usize,
    segment: usize,
    total: usize,
    /// Of the noise, in SI.
    amplitude: f64,
    frequencies: (f64, f64),
}

impl ResponsePlan {
    pub fn new(
        shown: &NamedLinearModel,
        frequencies: (f64, f64),
        drive: &NoiseDrive,
    ) -> Result<Self, Failure> {
        let fastest = shown.poles.iter().fold(0.0, |m: f64, p| m.max(p.re.hypot(p.im)));
        if let Some(pole) = shown.poles.iter().find(|p| p.re > 1e-7 * fastest) {
            let constant = number(1.0 / pole.re, 4);
            return Err(Failure::Run {
                message: format!("the model is unstable: deviations grow e-fold in {constant} s"),
                hint: Some("choose another point, or the linear model alone".into()),
            });
        }
        let input = &shown.inputs[0];
        let usual = if input.value == 0.0 { 1.0 } else { 0.01 * input.value.abs() };
        let amplitude = drive.amplitude.unwrap_or(usual);
        if !(amplitude.is_finite() && amplitude > 0.0) {
            return Err(NoiseError::Amplitude.into());
        }
        if !(1..=100_000).contains(&drive.segments) {
            return Err(NoiseError::Segments.into());
        }
        let hold = HELD / frequencies.1;
        let step = hold / FINE as f64;
        let slowest = |oscillating: bool| {
            let chosen =
                shown.poles.iter().filter(|p| p.re < -1e-9 * fastest && (p.im != 0.0 || !oscillating));
            chosen.fold(f64::INFINITY, |m, p| m.min(-p.re))
        };
        let length = (PERIODS / frequencies.0).max(TIME_CONSTANTS / slowest(true));
        let settle = (SETTLED / slowest(false)).min(10.0 * length).max(hold);
        let segment = 2 * (0.5 * length / step).ceil().min(MOST_SAMPLES) as usize;
        let settle = (settle / step).ceil().min(MOST_SAMPLES) as usize;
        let total = settle + segment * (drive.segments + 1) / 2;
        if total as f64 > MOST_SAMPLES {
            return Err(NoiseError::TooManySamples { samples: total }.into());
        }
        Ok(ResponsePlan {
            hold,
            settle,
            segment,
            total,
            amplitude: amplitude * input.unit.factor,
            frequencies,
        })
    }

    fn step(&self) -> f64 {
        self.hold / FINE as f64
    }
}

/// The response on the lines of the averaged spectra.
pub struct Estimate {
    pub frequency: Vec<f64>,
    /// In the units shown.
    pub response: Vec<Complex64>,
    pub coherence: Vec<f64>,
    /// Standard deviation, relative.
    pub error: Vec<f64>,
    segments: usize,
    length: f64,
    duration: f64,
    amplitude: f64,
}

impl Estimate {
    pub fn describe(&self, shown: &NamedLinearModel) -> String {
        let input = &shown.inputs[0];
        format!(
            "noise of {} for {} s, {} of {} s averaged",
            with_unit(self.amplitude / input.unit.factor, &input.unit.text, 4),
            number(self.duration, 4),
            count(self.segments, "segment"),
            number(self.length, 4)
        )
    }

    /// Magnitude and phase, without jumps of a turn; beside the phases of another curve where there is one.
    pub fn curve(&self, beside: Option<(Vec<f64>, Vec<f64>)>) -> ResponseCurve {
        let near = |f: f64| {
            let (at, phase) = beside.as_ref()?;
            let k = at.partition_point(|x| *x < f).min(at.len().checked_sub(1)?);
            phase.get(k).copied().filter(|p| p.is_finite())
        };
        let mut last = None;
        let mut curve = ResponseCurve { name: "noise run".into(), ..ResponseCurve::default() };
        for (f, g) in self.frequency.iter().zip(&self.response) {
            let phase = g.arg().to_degrees();
            let target = near(*f).or(last).unwrap_or(phase);
            let phase = phase + 360.0 * ((target - phase) / 360.0).round();
            last = Some(phase);
            curve.frequency.push(*f);
            curve.magnitude_db.push(20.0 * g.norm().log10());
            curve.phase_deg.push(phase);
        }
        curve
    }
}

/// Drive, record, average.
pub fn estimate(
    project: &Project,
    at: OperatingPoint,
    (input, output): (Symbol, usize),
    plan: &ResponsePlan,
    drive: &NoiseDrive,
    shown: &NamedLinearModel,
    monitor: &Monitor,
) -> Result<Estimate, Failure> {
    let (solver, usual) = settings(&project.run, &drive.overrides)?;
    let (t_0, step) = (at.t, plan.step());
    let mut noise = Noise::new(drive.seed);
    let centre = project.prepared.system.slow_place(input).map_or(0.0, |place| at.machine.slow(place));
    let held: Vec<f64> =
        (0..plan.total.div_ceil(FINE)).map(|_| centre + plan.amplitude * noise.next()).collect();
    let times: Vec<f64> = (0..plan.total).map(|k| t_0 + (k as f64 + 0.5) * step).collect();
    let settings = Settings {
        t_0,
        t_end: t_0 + plan.total as f64 * step,
        output: OutputTimes::Start,
        at: times,
        ..usual
    };
    let refused = || NoiseError::CannotBeDriven { input: shown.inputs[0].name.clone() };
    let mut driven =
        SampledInput::new(at.machine, input, (t_0, plan.hold), held.clone()).ok_or_else(refused)?;
    let mut row = vec![0.0; project.prepared.columns.len()];
    let (mut y, mut answers) = (at.y, Vec::with_capacity(plan.total + 2));
    let mut not_finite = None;
    let mut watch = |driven: &mut SampledInput, t: f64, y: &[f64], _: Moment| {
        if let Err(error) = driven.machine.record(t, y, &mut row) {
            not_finite = Some(error);
            return ControlFlow::Break(());
        }
        answers.push((t, row[output]));
        match monitor.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let result = run_on(&mut driven, &mut y, solver, &settings, false, &mut watch);
    match not_finite.map_or(result, Err) {
        Err(error) => {
            return Err(run_failure(&project.prepared.system, &project.sources, &error, hint(&error)));
        }
        Ok(summary) if summary.ended == Ended::Cancelled => return Err(Failure::Cancelled),
        Ok(summary) if summary.ended == Ended::Terminated => {
            let message = format!("the model ends the run at t = {} s", number(summary.t, 6));
            return Err(Failure::Run { message, hint: Some("a smaller amplitude may keep it going".into()) });
        }
        Ok(_) => {}
    }
    // The start and the end are reported as well.
    answers.retain(|(t, _)| settings.at.binary_search_by(|x| x.total_cmp(t)).is_ok());
    let unit = shown.inputs[0].unit.factor;
    let x: Vec<f64> = (plan.settle..plan.total).map(|k| (held[k / FINE] - centre) / unit).collect();
    let y: Vec<f64> = answers.iter().skip(plan.settle).map(|a| a.1).collect();
    let found = averaged(step, &x, &y, plan.segment, Window::Hann).ok_or(NoiseError::TooShort)?;
    let through = Complex64::new(shown.linear.d[(0, 0)], 0.0);
    let inside = |k: &usize| (plan.frequencies.0..=plan.frequencies.1).contains(&found.frequency[*k]);
    let lines: Vec<usize> = (2..found.frequency.len()).filter(inside).collect();
    let corrected = |k: usize| {
        let seen = PI * found.frequency[k] * step;
        through + (found.response(k) - through) * (seen / seen.sin()) // (1)
    };
    Ok(Estimate {
        response: lines.iter().map(|&k| corrected(k)).collect(),
        coherence: lines.iter().map(|&k| found.coherence(k)).collect(),
        error: lines.iter().map(|&k| found.error(k)).collect(),
        frequency: lines.iter().map(|&k| found.frequency[k]).collect(),
        segments: drive.segments,
        length: plan.segment as f64 * step,
        duration: plan.total as f64 * step,
        amplitude: plan.amplitude,
    })
}

/// From below the slowest to above the fastest oscillation, or pole; not more than noise can resolve in a short run.
pub fn around(shown: &NamedLinearModel) -> (f64, f64) {
    let of = |oscillating: bool| {
        let chosen = shown.poles.iter().filter(|p| !oscillating || p.im != 0.0);
        let sizes = chosen.map(|p| p.natural_frequency()).filter(|f| *f > 0.0);
        sizes.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), f| (a.min(f), b.max(f)))
    };
    let (slow, fast) = match (of(true), of(false)) {
        (found, _) if found.1 > 0.0 => found,
        (_, found) if found.1 > 0.0 => found,
        _ => (1.0, 1.0),
    };
    let to = 4.0 * fast;
    ((slow / 5.0).max(to / 500.0), to)
}

/// Frequencies at equal ratios.
pub fn spread((from, to): (f64, f64), n: usize) -> Vec<f64> {
    (0..n).map(|k| from * (to / from).powf(k as f64 / (n - 1) as f64)).collect()
}

pub fn linear(shown: &NamedLinearModel, frequencies: &[f64]) -> Vec<Complex64> {
    let mut response = shown.linear.frequency_response();
    let at = |f: &f64| {
        let mut g = [Complex64::ZERO];
        response.at(TAU * f, &mut g);
        g[0]
    };
    frequencies.iter().map(at).collect()
}

/// All lines, as they are written to files.
pub fn table(
    grid: &[f64],
    linear: Option<&[Complex64]>,
    noise: Option<&Estimate>,
    shown: &NamedLinearModel,
) -> Table {
    let unit = quotient(&shown.outputs[0].unit.text, &shown.inputs[0].unit.text);
    let column = |name: &str, unit: &str, values: Vec<f64>| Column { values, ..Column::new(name, unit, "") };
    let mut columns = vec![column("frequency", "Hz", grid.to_vec())];
    let mut curve = |name: &str, g: &[Complex64]| {
        columns.push(column(&format!("{name}_magnitude"), &unit, g.iter().map(|g| g.norm()).collect()));
        columns.push(column(
            &format!("{name}_phase"),
            "deg",
            g.iter().map(|g| g.arg().to_degrees()).collect(),
        ));
    };
    if let Some(g) = linear {
        curve("linear", g);
    }
    if let Some(found) = noise {
        curve("noise", &found.response);
        columns.push(column("coherence", "", found.coherence.clone()));
        columns.push(column("noise_error", "", found.error.clone()));
    }
    Table { columns, ..Table::default() }
}

/// Where the response is largest.
pub fn largest(
    grid: &[f64],
    linear: Option<&[Complex64]>,
    noise: Option<&Estimate>,
    shown: &NamedLinearModel,
) -> String {
    let best = |g: &[Complex64]| (0..g.len()).max_by(|&a, &b| g[a].norm().total_cmp(&g[b].norm()));
    let unit = quotient(&shown.outputs[0].unit.text, &shown.inputs[0].unit.text);
    let say = |how: &str, g: &[Complex64]| {
        best(g).map(|k| format!("{how} {} at {} Hz", with_unit(g[k].norm(), &unit, 5), number(grid[k], 5)))
    };
    let both =
        [linear.and_then(|g| say("linear", g)), noise.and_then(|found| say("with noise", &found.response))];
    format!("largest response: {}", both.into_iter().flatten().collect::<Vec<_>>().join(", "))
}
