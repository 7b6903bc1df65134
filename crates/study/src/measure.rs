//! Measures: one number of a signal or an event over a run, `max(body.x)` or `time(bounce, 2)`.
//!
//!   mean = 1/T ∫ x dt,   rms = √(1/T ∫ x² dt)                                     (1), (2)
//!
//! with straight lines between rows. A run that is measured has `PER_STEP` rows in every step, more where what nothing integrates hides something in it
//! (`OutputWatch`), both sides of every event, and a row at each time asked for: `at` and `final` are the solver's own values. `max` and `min` are those of the curve
//! between rows too (`extremes.rs`), as they are kept in results. A measure may have no value: an event that never came, a signal
//! that did not settle, or one that changes too fast for a mean.

mod shape;

use std::collections::HashMap;
use std::fmt;

pub use shape::ResponseShape;

use trunnion_equations::flat::QuantityRole;
use trunnion_equations::{DisplayUnit, Symbol};
use trunnion_model::expect::Measure;
use trunnion_model::units::{Dimension, parse_value};
use trunnion_sim::integrate::OutputTimes;
use trunnion_sim::run::Settings;
use trunnion_sim::solvers::choose::SolverEntry;

use crate::monitor::Monitor;
use crate::request_error::{MeasureFault, MeasureRequestError, NameKind, UnknownName};
use crate::simulate::{RunOutcome, hint, simulate};
use trunnion_engine::Failure;
use trunnion_engine::project::Project;
use trunnion_num::text::{count, number};

/// Rows in every step of a run that is measured.
const PER_STEP: usize = 16;

/// A signal has settled within 2 % where nothing else is said.
const SETTLED: f64 = 0.02;

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasureKind {
    Signal {
        signal: String,
        measure: Measure,
    },
    /// A property of its whole history.
    WholeSignal {
        signal: String,
        shape: ResponseShape,
    },
    /// How often an event fires.
    Count {
        event: String,
    },
    /// When it fires for the nth time, from 1.
    Time {
        event: String,
        nth: usize,
    },
}

impl MeasureKind {
    /// The signal or expression that is measured.
    pub fn signal(&self) -> Option<&str> {
        match self {
            MeasureKind::Signal { signal, .. } | MeasureKind::WholeSignal { signal, .. } => Some(signal),
            _ => None,
        }
    }

    pub fn parse(text: &str) -> Result<Self, Failure> {
        let wrong = |fault| Failure::from(MeasureRequestError::Text { text: text.into(), fault });
        let inside = text.trim().split_once('(').and_then(|(f, rest)| Some((f, rest.strip_suffix(')')?)));
        let (function, inside) = inside.ok_or_else(|| wrong(MeasureFault::NotAMeasure))?;
        let (name, second) = match (function.trim(), inside.rsplit_once(',')) {
            ("at" | "time" | "settling", Some((name, second))) => (name, Some(second.trim())),
            _ => (inside, None),
        };
        let name = name.trim().to_string();
        if name.is_empty() {
            return Err(wrong(MeasureFault::Nothing));
        }
        let signal = |measure| Ok(MeasureKind::Signal { signal: name.clone(), measure });
        match function.trim() {
            "max" => signal(Measure::Max),
            "min" => signal(Measure::Min),
            "mean" => signal(Measure::Mean),
            "rms" => signal(Measure::Rms),
            "final" => signal(Measure::Final),
            "at" => {
                let time = second.and_then(|s| parse_value(s).ok());
                let time = time.filter(|v| [Dimension::TIME, Dimension::ONE].contains(&v.unit.dimension));
                signal(Measure::At(time.ok_or_else(|| wrong(MeasureFault::NoTime))?.si))
            }
            "overshoot" => Ok(MeasureKind::WholeSignal { signal: name, shape: ResponseShape::Overshoot }),
            "peak_frequency" => {
                Ok(MeasureKind::WholeSignal { signal: name, shape: ResponseShape::PeakFrequency })
            }
            "settling" => {
                let share = second.map_or(Some(SETTLED), |s| {
                    let plain = parse_value(s).ok().filter(|v| v.unit.dimension == Dimension::ONE);
                    plain.map(|v| v.si).filter(|v| (0.0..1.0).contains(v) && *v > 0.0)
                });
                let share = share.ok_or_else(|| wrong(MeasureFault::NoShare))?;
                Ok(MeasureKind::WholeSignal { signal: name, shape: ResponseShape::Settling(share) })
            }
            "count" => Ok(MeasureKind::Count { event: name }),
            "time" => {
                let nth = second.map_or(Some(1), |s| s.parse().ok().filter(|&n| n > 0));
                let nth = nth.ok_or_else(|| wrong(MeasureFault::WhichTime { event: name.clone() }))?;
                Ok(MeasureKind::Time { event: name, nth })
            }
            other => Err(wrong(MeasureFault::UnknownFunction { function: other.into() })),
        }
    }
}

impl fmt::Display for MeasureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeasureKind::Signal { signal, measure } => match measure {
                Measure::Max => write!(f, "max({signal})"),
                Measure::Min => write!(f, "min({signal})"),
                Measure::Mean => write!(f, "mean({signal})"),
                Measure::Rms => write!(f, "rms({signal})"),
                Measure::Final => write!(f, "final({signal})"),
                Measure::At(t) => write!(f, "at({signal}, {} s)", number(*t, 9)),
            },
            MeasureKind::WholeSignal { signal, shape } => match shape {
                ResponseShape::Overshoot => write!(f, "overshoot({signal})"),
                ResponseShape::PeakFrequency => write!(f, "peak_frequency({signal})"),
                ResponseShape::Settling(share) => {
                    write!(f, "settling({signal}, {} %)", number(100.0 * share, 6))
                }
            },
            MeasureKind::Count { event } => write!(f, "count({event})"),
            MeasureKind::Time { event, nth: 1 } => write!(f, "time({event})"),
            MeasureKind::Time { event, nth } => write!(f, "time({event}, {nth})"),
        }
    }
}

/// Takes one signal row by row; not for extremes, which may lie between rows.
#[derive(Clone, Debug)]
pub struct Meter {
    measure: Measure,
    first: f64,
    /// The row before, NaN at the beginning.
    last: (f64, f64),
    /// Integral of (1) or (2), or value at the time asked for.
    held: f64,
}

impl Meter {
    pub fn new(measure: Measure) -> Self {
        let held = match measure {
            Measure::Mean | Measure::Rms => 0.0,
            _ => f64::NAN,
        };
        Meter { measure, first: f64::NAN, last: (f64::NAN, f64::NAN), held }
    }

    /// Times do not decrease. A NaN stays in what it enters.
    pub fn push(&mut self, t: f64, x: f64) {
        let (t_a, a) = self.last;
        let dt = if t_a.is_nan() { 0.0 } else { t - t_a };
        match self.measure {
            Measure::Mean if dt > 0.0 => self.held += 0.5 * dt * (a + x), // (1)
            Measure::Rms if dt > 0.0 => self.held += dt * (a * a + a * x + x * x) / 3.0, // (2)
            // Of several rows at one time the last counts: after the event.
            Measure::At(at) if t == at => self.held = x,
            Measure::At(at) if t_a < at && at < t => self.held = a + (at - t_a) / dt * (x - a),
            _ => {}
        }
        if self.first.is_nan() {
            self.first = t;
        }
        self.last = (t, x);
    }

    /// NaN if there is none: no rows, or a time outside the run.
    pub fn value(&self) -> f64 {
        let length = self.last.0 - self.first;
        match self.measure {
            Measure::Final => self.last.1,
            Measure::At(_) => self.held,
            _ if length.is_nan() => f64::NAN,
            Measure::Mean if length == 0.0 => self.last.1,
            Measure::Rms if length == 0.0 => self.last.1.abs(),
            Measure::Rms => (self.held / length).sqrt(),
            _ => self.held / length,
        }
    }
}

/// Where the values of a measure come from.
enum MeasureSource {
    /// The row, after its time.
    Column(usize),
    /// The same all the time.
    Parameter(Symbol),
    Events,
}

/// What came of the measures of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasuredValues {
    /// In the units they are shown in; NaN for those that have no value.
    pub values: Vec<f64>,
    /// Which of them have none, and why.
    pub absent: Vec<(usize, String)>,
}

/// Measures of one model, their names found.
pub struct Probe {
    wanted: Vec<MeasureKind>,
    sources: Vec<MeasureSource>,
    units: Vec<DisplayUnit>,
    /// Recorded columns of the model.
    columns: Vec<usize>,
}

impl Probe {
    pub fn new(project: &Project, wanted: Vec<MeasureKind>) -> Result<Self, Failure> {
        let mut probe = Probe { wanted: vec![], sources: vec![], units: vec![], columns: vec![] };
        for one in wanted {
            let (source, unit) = match &one {
                MeasureKind::Signal { signal, .. } => probe.find(project, signal)?,
                MeasureKind::WholeSignal { signal, shape } => {
                    let unit = match shape {
                        ResponseShape::Overshoot => DisplayUnit::default(),
                        ResponseShape::Settling(_) => DisplayUnit::si("s"),
                        ResponseShape::PeakFrequency => DisplayUnit::si("Hz"),
                    };
                    (probe.find(project, signal)?.0, unit)
                }
                MeasureKind::Count { event } => (find_event(project, event)?, DisplayUnit::default()),
                MeasureKind::Time { event, .. } => (find_event(project, event)?, DisplayUnit::si("s")),
            };
            probe.wanted.push(one);
            probe.sources.push(source);
            probe.units.push(unit);
        }
        Ok(probe)
    }

    fn find(&mut self, project: &Project, signal: &str) -> Result<(MeasureSource, DisplayUnit), Failure> {
        let (prepared, system) = (&project.prepared, &project.prepared.system);
        if let Some(column) = prepared.column(signal) {
            self.columns.push(column);
            return Ok((MeasureSource::Column(self.columns.len()), prepared.columns[column].unit.clone()));
        }
        let parameter = system
            .find(signal)
            .filter(|&s| matches!(system.quantity(s).kind, QuantityRole::Parameter { .. }));
        if let Some(symbol) = parameter {
            return Ok((MeasureSource::Parameter(symbol), system.quantity(symbol).unit.clone()));
        }
        Err(UnknownName::signal(signal, prepared).into())
    }

    pub fn wanted(&self) -> &[MeasureKind] {
        &self.wanted
    }

    /// The unit a measure is shown in.
    pub fn unit(&self, number: usize) -> &DisplayUnit {
        &self.units[number]
    }

    /// Run and measure.
    pub fn run(
        &self,
        project: &Project,
        given: &HashMap<Symbol, f64>,
        (solver, settings): (&SolverEntry, &Settings),
        monitor: &Monitor,
    ) -> Result<(MeasuredValues, RunOutcome), Failure> {
        let monitor = monitor.quiet();
        self.within(settings)?;
        let settings = self.sampled(settings);
        let mut meters: Vec<Option<Meter>> = self.wanted.iter().map(meter).collect();
        let mut histories: Vec<(Vec<f64>, Vec<f64>)> = vec![Default::default(); self.wanted.len()];
        let mut sink = |row: &[f64]| {
            for (k, source) in self.sources.iter().enumerate() {
                let MeasureSource::Column(place) = source else { continue };
                match (&mut meters[k], &self.wanted[k]) {
                    (Some(meter), _) => meter.push(row[0], row[*place]),
                    (None, MeasureKind::WholeSignal { .. }) => {
                        histories[k].0.push(row[0]);
                        histories[k].1.push(row[*place]);
                    }
                    _ => {}
                }
            }
            Ok(())
        };
        let outcome = simulate(project, given, (solver, &settings), &self.columns, &monitor, &mut sink)?;
        let start = project.prepared.system.start(given);
        let value = |k: usize| match (&self.wanted[k], &self.sources[k]) {
            (MeasureKind::Signal { .. }, MeasureSource::Parameter(s)) => {
                Ok(self.units[k].shown(start.value(*s)))
            }
            (MeasureKind::Signal { measure: Measure::Max, .. }, MeasureSource::Column(place)) => {
                Ok(outcome.extremes[place - 1].max.1)
            }
            (MeasureKind::Signal { measure: Measure::Min, .. }, MeasureSource::Column(place)) => {
                Ok(outcome.extremes[place - 1].min.1)
            }
            (
                MeasureKind::Signal { signal, measure: Measure::Mean | Measure::Rms },
                MeasureSource::Column(place),
            ) if outcome.unread.contains(&self.columns[place - 1]) => Err(format!(
                "`{signal}` changes faster than it is read; let a state sum it up, or give h_max in [run]"
            )),
            (MeasureKind::Signal { .. }, _) => Ok(meters[k].as_ref().map_or(f64::NAN, Meter::value)),
            (MeasureKind::WholeSignal { .. }, MeasureSource::Parameter(_)) => {
                Err("a parameter does not change".to_string())
            }
            (MeasureKind::WholeSignal { shape, .. }, _) => {
                shape.of(&histories[k].0, &histories[k].1).map_err(String::from)
            }
            (MeasureKind::Count { event }, _) => Ok(times(&outcome, event).count() as f64),
            (MeasureKind::Time { event, nth }, _) => {
                times(&outcome, event).nth(nth - 1).ok_or_else(|| match times(&outcome, event).count() {
                    0 => format!("`{event}` never happened"),
                    n => format!("`{event}` happened only {}", count(n, "time")),
                })
            }
        };
        let found: Vec<Result<f64, String>> = (0..self.wanted.len()).map(value).collect();
        let values: Vec<f64> = found.iter().map(|v| *v.as_ref().unwrap_or(&f64::NAN)).collect();
        if let (Some(summary), Ok(())) = (outcome.summary, outcome.check()) {
            self.reached(summary.t)?;
            self.finite(&values, &outcome)?;
        }
        let absent = found.into_iter().enumerate().filter_map(|(k, v)| Some((k, v.err()?))).collect();
        Ok((MeasuredValues { values, absent }, outcome))
    }

    /// A time outside the run has no value.
    fn within(&self, settings: &Settings) -> Result<(), Failure> {
        let inside = settings.t_0..=settings.t_end;
        match self.times().find(|(_, t)| !inside.contains(t)) {
            None => Ok(()),
            Some((wanted, _)) => {
                let (wanted, t_start, t_end) = (wanted.clone(), settings.t_0, settings.t_end);
                Err(MeasureRequestError::OutsideRun { wanted, t_start, t_end }.into())
            }
        }
    }

    /// Nor has one that the run did not reach.
    fn reached(&self, end: f64) -> Result<(), Failure> {
        match self.times().find(|&(_, t)| t > end) {
            None => Ok(()),
            Some((wanted, _)) => {
                let end = number(end, 6);
                let message = format!("`{wanted}` has no value: the model ends the run at t = {end} s");
                Err(Failure::Run { message, hint: None })
            }
        }
    }

    /// Nor one that an expression without a value entered.
    fn finite(&self, values: &[f64], outcome: &RunOutcome) -> Result<(), Failure> {
        for (k, source) in self.sources.iter().enumerate().filter(|(k, _)| !values[*k].is_finite()) {
            let MeasureSource::Column(place) = source else { continue };
            if let Some(error) = outcome.not_finite.get(&self.columns[place - 1]) {
                let message = format!("`{}` is no finite number: {error}", self.wanted[k]);
                return Err(Failure::Run { message, hint: hint(error) });
            }
        }
        Ok(())
    }

    /// Measures at a time.
    fn times(&self) -> impl Iterator<Item = (&MeasureKind, f64)> {
        self.wanted.iter().filter_map(|w| match w {
            MeasureKind::Signal { measure: Measure::At(t), .. } => Some((w, *t)),
            _ => None,
        })
    }

    /// The settings with rows where the measures need them.
    fn sampled(&self, settings: &Settings) -> Settings {
        let over_time = |w: &MeasureKind| match w {
            MeasureKind::Signal { measure, .. } => matches!(measure, Measure::Mean | Measure::Rms),
            other => matches!(other, MeasureKind::WholeSignal { .. }),
        };
        let output =
            if self.wanted.iter().any(over_time) { OutputTimes::Steps(PER_STEP) } else { OutputTimes::Start };
        Settings { output, at: self.times().map(|(_, t)| t).collect(), ..settings.clone() }
    }
}

fn meter(wanted: &MeasureKind) -> Option<Meter> {
    match wanted {
        MeasureKind::Signal { measure: Measure::Max | Measure::Min, .. } => None,
        MeasureKind::Signal { measure, .. } => Some(Meter::new(*measure)),
        _ => None,
    }
}

fn times<'a>(outcome: &'a RunOutcome, event: &'a str) -> impl Iterator<Item = f64> + 'a {
    outcome.events.iter().filter(move |(name, _)| name == event).map(|&(_, t)| t)
}

fn find_event(project: &Project, event: &str) -> Result<MeasureSource, Failure> {
    let names = || project.prepared.system.events.iter().map(|e| e.name.as_str());
    if names().any(|name| name == event) {
        Ok(MeasureSource::Events)
    } else {
        Err(UnknownName::new(NameKind::Event, event, names()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_read_and_written() {
        for text in [
            "max(body.x)",
            "rms(a - b)",
            "at(x, 0.25 s)",
            "final(x)",
            "count(bounce)",
            "time(bounce)",
            "time(b, 3)",
            "overshoot(x)",
            "settling(a - b, 5 %)",
            "peak_frequency(x)",
        ] {
            assert_eq!(MeasureKind::parse(text).unwrap().to_string(), text);
        }
        let at = |text: &str| MeasureKind::parse(text).unwrap().to_string();
        assert_eq!(at(" at( x , 250ms ) "), "at(x, 0.25 s)");
        assert_eq!(at("at(max(a, b), 2)"), "at(max(a, b), 2 s)");
        for text in
            ["body.x", "max()", "top(x)", "at(x)", "at(x, 3 m)", "time(x, 0)", "max(x", "settling(x, 3)"]
        {
            assert!(MeasureKind::parse(text).is_err(), "{text}");
        }
    }

    fn measured(measure: Measure, rows: &[(f64, f64)]) -> f64 {
        let mut meter = Meter::new(measure);
        rows.iter().for_each(|&(t, x)| meter.push(t, x));
        meter.value()
    }

    #[test]
    fn a_ramp_a_jump_and_a_plateau() {
        // 0 → 2 in 1 s, a jump to −1, held for 3 s: ∫ x = 1 − 3, ∫ x² = 4/3 + 3.
        let rows = [(0.0, 0.0), (1.0, 2.0), (1.0, -1.0), (4.0, -1.0)];
        for (measure, expected) in [
            (Measure::Final, -1.0),
            (Measure::Mean, -0.5),
            (Measure::Rms, (13.0_f64 / 12.0).sqrt()),
            (Measure::At(0.25), 0.5),
            (Measure::At(1.0), -1.0),
            (Measure::At(0.0), 0.0),
            (Measure::At(4.0), -1.0),
        ] {
            assert!((measured(measure, &rows) - expected).abs() < 1e-15, "{measure:?}");
        }
    }

    #[test]
    fn what_does_not_exist_is_not_a_number() {
        assert!(measured(Measure::At(5.0), &[(0.0, 1.0), (4.0, 1.0)]).is_nan());
        assert!(measured(Measure::Mean, &[]).is_nan());
        assert!(measured(Measure::Mean, &[(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0)]).is_nan());
        assert_eq!(measured(Measure::Rms, &[(1.0, -3.0)]), 3.0);
    }
}
