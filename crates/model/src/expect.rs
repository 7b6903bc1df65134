//! What is expected of a model, `[[expect]]`: a value within a tolerance, or bounds.

use trunnion_equations::DisplayUnit as Shown;

use crate::component::{flatten, read_scalar};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::file::{Data, Fields, Span, TomlText, TomlValue, wrong_type};
use crate::instantiate::{ModelBuilder, shown, si};
use crate::units::{Dimension, Unit, parse_value};

/// What of a signal is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    Final,
    At(f64),
    Max,
    Min,
    Mean,
    Rms,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// `signal` is the name of a quantity or output, `unit` for showing it.
    Signal { signal: String, measure: Measure, unit: Shown },
    /// How often an event fires.
    Count { event: String },
    /// When an event fires for the nth time, from 1.
    Time { event: String, nth: usize },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExpectTolerance {
    /// Of the expected value.
    Relative(f64),
    /// In SI.
    Absolute(f64),
    /// |found − expected| ≤ factor · rtol · (nominal + |expected|): as the run's tolerance allows.
    Rtol(f64),
}

/// What has to be found, in SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Demand {
    Near(f64, ExpectTolerance),
    /// Bounds, infinite where there is none.
    Within(f64, f64),
}

#[derive(Clone, Debug)]
pub struct Expect {
    pub subject: Subject,
    pub demand: Demand,
    /// Solvers to check with; empty: the one of the run.
    pub solvers: Vec<String>,
    /// Tolerances to check at; empty: the one of the run.
    pub rtol: Vec<f64>,
    /// Values that replace those of the file, "path=value".
    pub sets: Vec<String>,
    /// Where the number comes from.
    pub source: String,
    /// Why the tolerance is as wide as it is.
    pub reason: String,
    pub span: Span,
}

/// The largest tolerance that needs no reason, as a share of the expected value: what one reads off a diagram.
pub const LARGEST_SHARE: f64 = 0.05;
/// The code of a tolerance without a reason.
pub(crate) const NO_REASON: &str = "M0430";

impl Expect {
    /// Whether a tolerance of this share of the expected value says too little to stand alone.
    pub fn needs_reason(&self, share: f64) -> bool {
        // Rounding of 5 %.
        self.reason.is_empty() && share > LARGEST_SHARE * (1.0 + 1e-9)
    }
}

/// What is expected of one subject, before it is put together.
struct ExpectDraft {
    subject: Subject,
    demand: Demand,
}

/// The bounds of one measure.
const BOUNDS: [&str; 2] = ["at_least", "at_most"];

impl ModelBuilder<'_> {
    pub(crate) fn read_expect(&mut self, value: &TomlValue) -> Option<Expect> {
        let problems = self.problems;
        let Data::Table(table) = &value.data else {
            problems.add(wrong_type(value, "expect", "a list of tables, [[expect]]"));
            return None;
        };
        let f = Fields::new(table, "this [[expect]]", &value.span, problems);
        let source = f.text("source").map(|t| t.text).unwrap_or_default();
        let reason = f.text("reason").map(|t| t.text.trim().to_string()).unwrap_or_default();
        f.text("doc");
        let solvers = f.texts("solver").into_iter().map(|t| t.text).collect();
        let rtol = self.expected_rtol(&f);
        let sets = self.sets(&f);
        let found = match (f.text("signal"), f.text("event")) {
            (Some(_), Some(_)) => {
                f.exclude("signal", "event", "expect something of a signal or of an event");
                None
            }
            (Some(signal), None) => self.signal(&f, &signal),
            (None, Some(event)) => self.event(&f, &event),
            (None, None) => {
                f.missing("signal", "the name of a variable, as in signal = \"body.x\"");
                None
            }
        };
        // Nothing is known of the unit of `tol` otherwise, and nothing of the keys that go with what is missing.
        f.ask(&["tol"]);
        if found.is_some() {
            f.finish();
        }
        let ExpectDraft { subject, demand } = found?;
        let expect =
            Expect { subject, demand, solvers, rtol, sets, source, reason, span: value.span.clone() };
        self.note_loose(&expect, table.get("tol").map_or(&value.span, |e| &e.value.span));
        Some(expect)
    }

    /// A tolerance so wide that almost everything passes has to say why.
    fn note_loose(&self, expect: &Expect, place: &Span) {
        let share = match expect.demand {
            Demand::Near(_, ExpectTolerance::Relative(share)) => share,
            Demand::Near(value, ExpectTolerance::Absolute(allowed)) if value != 0.0 => allowed / value.abs(),
            _ => return,
        };
        if expect.needs_reason(share) {
            let share = (100.0 * share).round();
            self.problems.add(
                Diagnostic::note(NO_REASON, format!("a tolerance of {share} % says little"))
                    .at(place, "above 5 % of the expected value")
                    .hint(
                        "give its `reason`, or bounds with `at_least` and `at_most`; `verify` asks for one",
                    ),
            );
        }
    }

    /// One relative tolerance of a run or a list of them.
    fn expected_rtol(&mut self, f: &Fields<'_>) -> Vec<f64> {
        let plain = si(Dimension::ONE);
        match f.value("rtol") {
            Some(TomlValue { data: Data::List(list), .. }) => {
                list.iter().filter_map(|v| self.positive(Some(v), "rtol", &plain)).collect()
            }
            one => self.positive(one, "rtol", &plain).into_iter().collect(),
        }
    }

    /// `set = { "damper.c" = "1000 N s/m" }`, as on the command line.
    fn sets(&self, f: &Fields<'_>) -> Vec<String> {
        let mut sets = vec![];
        for (key, value) in flatten(f.entries("set")) {
            let text = match &value.data {
                Data::Text(text) => text.clone(),
                Data::Integer(n) => n.to_string(),
                Data::Number(n) => n.to_string(),
                Data::Boolean(b) => b.to_string(),
                _ => {
                    self.problems.add(wrong_type(value, &key.name, "a number or a string"));
                    continue;
                }
            };
            sets.push(format!("{}={text}", key.name));
        }
        sets
    }

    fn signal(&mut self, f: &Fields<'_>, signal: &TomlText) -> Option<ExpectDraft> {
        let unit = self.signal_unit(signal);
        let at = self.number(f.value("at"), "at", &si(Dimension::TIME));
        let last = at.map_or(Measure::Final, Measure::At);
        let measures = [
            ("value", last),
            ("max", Measure::Max),
            ("min", Measure::Min),
            ("mean", Measure::Mean),
            ("rms", Measure::Rms),
        ];
        let given: Vec<_> = measures.into_iter().filter(|(key, _)| f.value(key).is_some()).collect();
        let bounded = BOUNDS.iter().any(|key| f.value(key).is_some());
        if given.is_empty() && !bounded {
            f.missing(
                "value",
                "the expected `value` at the end or `at` a time, or `max`, `min`, `mean`, `rms`, or bounds, `at_least` and `at_most`",
            );
        }
        if let [(a, _), (b, _), ..] = given.as_slice() {
            f.exclude(a, b, "write one [[expect]] for each");
        }
        if let (Some(entry), Some((key, _))) = (f.entry("at"), given.iter().find(|(key, _)| *key != "value"))
        {
            let error = Diagnostic::error("M0111", format!("`at` does not go with `{key}`"));
            self.problems.add(error.at(&entry.key.span, "a time goes with `value`"));
        }
        let unit = unit?;
        let named =
            |measure| Subject::Signal { signal: signal.text.clone(), measure, unit: shown(unit.as_ref()) };
        let wanted = unit.clone().unwrap_or_else(|| si(Dimension::ONE));
        if bounded {
            let (low, high) = self.bounds(f, &wanted, given.first().map(|(key, _)| *key))?;
            let measure = self.bounded_measure(f, at, (low, high))?;
            return Some(ExpectDraft { subject: named(measure), demand: Demand::Within(low, high) });
        }
        let (key, measure) = given.into_iter().next_back()?;
        let value = self.number(f.value(key), key, &wanted)?;
        let tolerance = self.tolerance(f, Some(&wanted))?;
        Some(ExpectDraft { subject: named(measure), demand: Demand::Near(value, tolerance) })
    }

    /// Which measure bounds hold for: the one that `measure` names, the value `at` a time, or that of the whole run.
    fn bounded_measure(&self, f: &Fields<'_>, at: Option<f64>, bounds: (f64, f64)) -> Option<Measure> {
        let words = [
            ("final", Measure::Final),
            ("max", Measure::Max),
            ("min", Measure::Min),
            ("mean", Measure::Mean),
            ("rms", Measure::Rms),
        ];
        let named = f.choice("measure", &words);
        match (named, at) {
            (Some(_), Some(_)) => {
                f.exclude("measure", "at", "bounds hold for a measure of the run, or at a time");
                None
            }
            (Some(measure), None) => Some(measure),
            (None, Some(t)) => Some(Measure::At(t)),
            (None, None) if f.value("measure").is_some() => None,
            (None, None) if bounds.0.is_infinite() => Some(Measure::Max),
            (None, None) if bounds.1.is_infinite() => Some(Measure::Min),
            (None, None) => {
                f.missing(
                    "measure",
                    "with two bounds: \"final\", \"max\", \"min\", \"mean\" or \"rms\", or a time, `at`",
                );
                None
            }
        }
    }

    /// `at_least` and `at_most`, which take the place of a value and its tolerance.
    fn bounds(&mut self, f: &Fields<'_>, unit: &Unit, beside: Option<&'static str>) -> Option<(f64, f64)> {
        for other in beside.into_iter().chain(["tol"]) {
            let both =
                BOUNDS.into_iter().any(|key| f.exclude(key, other, "bounds need no value and no tolerance"));
            if both {
                return None;
            }
        }
        let [low, high] = BOUNDS.map(|key| match f.value(key) {
            Some(value) => self.number(Some(value), key, unit).map(Some),
            None => Some(None),
        });
        let (low, high) = (low?.unwrap_or(f64::NEG_INFINITY), high?.unwrap_or(f64::INFINITY));
        if low > high {
            let error = Diagnostic::error("M0108", "`at_most` has to be above `at_least`");
            self.problems.add(error.at(&f.value("at_most")?.span, "this is below"));
            return None;
        }
        Some((low, high))
    }

    fn event(&mut self, f: &Fields<'_>, event: &TomlText) -> Option<ExpectDraft> {
        let instances = self.tree.instances.iter();
        let names: Vec<String> =
            instances.flat_map(|i| i.each(|b| &b.events).map(|e| i.full(&e.key.name))).collect();
        if !names.contains(&event.text) {
            self.problems.add(
                Diagnostic::error("M0402", format!("there is no event `{}`", event.text))
                    .at(&event.span, "unknown event")
                    .hint_if(did_you_mean(&event.text, names.iter().map(String::as_str))),
            );
            return None;
        }
        let event = event.text.clone();
        let second = si(Dimension::TIME);
        let time = self.number(f.value("time"), "time", &second);
        let nth = f.count("nth");
        if BOUNDS.iter().any(|key| f.value(key).is_some()) {
            let beside = ["count", "time"].into_iter().find(|key| f.value(key).is_some());
            // With `nth` it is a time, else a number of times.
            let unit = if nth.is_some() { second } else { si(Dimension::ONE) };
            let (low, high) = self.bounds(f, &unit, beside)?;
            let subject = match nth {
                Some(nth) => Subject::Time { event, nth: nth.max(1) },
                None => Subject::Count { event },
            };
            return Some(ExpectDraft { subject, demand: Demand::Within(low, high) });
        }
        match (f.count("count"), time) {
            (Some(count), None) => {
                let tolerance = match f.value("tol") {
                    Some(_) => self.tolerance(f, None)?,
                    None => ExpectTolerance::Absolute(0.0),
                };
                Some(ExpectDraft {
                    subject: Subject::Count { event },
                    demand: Demand::Near(count as f64, tolerance),
                })
            }
            (None, Some(time)) => {
                let tolerance = self.tolerance(f, Some(&second))?;
                let subject = Subject::Time { event, nth: nth.unwrap_or(1).max(1) };
                Some(ExpectDraft { subject, demand: Demand::Near(time, tolerance) })
            }
            (Some(_), Some(_)) => {
                f.exclude("count", "time", "write one [[expect]] for each");
                None
            }
            (None, None) => {
                f.missing(
                    "count",
                    "how often it happens, or its `time`, of the first or the `nth`, or bounds, `at_least` and `at_most`",
                );
                None
            }
        }
    }

    fn tolerance(&mut self, f: &Fields<'_>, unit: Option<&Unit>) -> Option<ExpectTolerance> {
        let Some(value) = f.value("tol") else {
            f.missing("tol", "how far off it may be: tol = \"0.2 %\", \"1 mm\" or \"100 rtol\"");
            return None;
        };
        let problems = self.problems;
        let positive = |v: f64, tolerance: fn(f64) -> ExpectTolerance| {
            let good = v.is_finite() && v >= 0.0;
            if !good {
                let error = Diagnostic::error("M0108", "`tol` has to be at least 0");
                problems.add(error.at(&value.span, format!("this is {v}")));
            }
            good.then(|| tolerance(v))
        };
        if let Some(text) = value.as_text() {
            let relative = text.text.trim().strip_suffix('%').map(|_| parse_value(&text.text));
            if let Some(Ok(parsed)) = relative {
                return positive(parsed.si, ExpectTolerance::Relative);
            }
            let factor = text.text.trim().strip_suffix("rtol").map(|n| n.trim().trim_end_matches('*').trim());
            if let Some(Ok(factor)) = factor.map(|n| if n.is_empty() { Ok(1.0) } else { n.parse::<f64>() }) {
                return positive(factor, ExpectTolerance::Rtol);
            }
        }
        let plain = si(Dimension::ONE);
        let scalar = read_scalar(value, "tol", self.problems);
        let (_, tol) = self.difference(&scalar, 0, Some(unit.unwrap_or(&plain)), "`tol`")?;
        positive(tol, ExpectTolerance::Absolute)
    }
}
