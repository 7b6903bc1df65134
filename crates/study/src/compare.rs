//! Two results side by side: where and by how much their signals differ.

mod times;

use serde_json::{Value, json};
use trunnion_engine::Failure;
use trunnion_model::expect::Measure;
use trunnion_results::Column;

use crate::measure::Meter;
use crate::request_error::FilesRequestError;
use crate::signals::RunSignals;
use times::sampled;
pub use times::{ComparisonTimes, single_times};

/// One signal in both.
#[derive(Clone, Debug)]
pub struct Difference {
    pub name: String,
    pub unit: String,
    pub max: f64,
    /// Time of the largest difference.
    pub at: f64,
    pub rms: f64,
    /// Largest difference as a share of the range of the first, or of its size where it is constant.
    pub relative: f64,
}

/// The comparison as a document: all differences, and what only one of the two has. `beyond` counts signals beyond a tolerance.
pub fn document(
    a: &RunSignals,
    b: &RunSignals,
    times: &str,
    differences: &[Difference],
    beyond: Option<usize>,
) -> Value {
    let signal = |d: &Difference| {
        json!({
            "name": d.name,
            "unit": d.unit,
            "largest": d.max,
            "of_range": d.relative,
            "at_s": d.at,
            "rms": d.rms,
        })
    };
    let only = |from: &RunSignals, to: &RunSignals| -> Vec<String> {
        missing(from, to).map(|c| c.name.clone()).collect()
    };
    json!({
        "a": a.path,
        "b": b.path,
        "times": times,
        "signals": differences.iter().map(signal).collect::<Vec<_>>(),
        "only_in_a": only(a, b),
        "only_in_b": only(b, a),
        "beyond_tolerance": beyond,
    })
}

/// Signals that only the first has.
pub fn missing<'a>(from: &'a RunSignals, to: &'a RunSignals) -> impl Iterator<Item = &'a Column> {
    from.table.columns.iter().filter(|x| !to.table.columns.iter().any(|y| y.name == x.name))
}

pub fn difference(times: &ComparisonTimes, x: &Column, y: &Column) -> Difference {
    let (x_at, y_at) = (sampled(&times.a, &x.values, &times.at), sampled(&times.b, &y.values, &times.at));
    let (mut max, mut at) = (0.0, times.at[0]);
    let mut rms = Meter::new(Measure::Rms);
    for ((&t, &p), &q) in times.at.iter().zip(&x_at).zip(&y_at) {
        // Both infinite, or both not a number, is the same.
        let same = p == q || p.is_nan() && q.is_nan();
        let d = if same { 0.0 } else { (p - q).abs() };
        if d > max || d.is_nan() && !max.is_nan() {
            (max, at) = (d, t);
        }
        rms.push(t, d);
    }
    let known = x.extremes.unwrap_or_default();
    let low = x.values.iter().copied().fold(known.min.1, f64::min);
    let high = x.values.iter().copied().fold(known.max.1, f64::max);
    let size = if high > low { high - low } else { high.abs() };
    for (t, d) in times.at_events(x, y, size).into_iter().chain(times.of_extremes(x, y)) {
        if d > max {
            (max, at) = (d, t);
        }
    }
    let relative = if max == 0.0 { 0.0 } else { max / size };
    Difference { name: x.name.clone(), unit: x.unit.clone(), max, at, rms: rms.value(), relative }
}

/// What to call the two: by their files, or by what differs between two runs of one model.
pub fn labels(a: &RunSignals, b: &RunSignals) -> (String, String) {
    if a.name != b.name {
        return (a.name.clone(), b.name.clone());
    }
    let others = a.options.iter().filter_map(|(name, x)| Some((x, b.options.get(name)?)));
    let (of_a, of_b): (Vec<&str>, Vec<&str>) =
        others.filter(|(x, y)| x != y).map(|(x, y)| (x.as_str(), y.as_str())).unzip();
    if !of_a.is_empty() {
        return (of_a.join(", "), of_b.join(", "));
    }
    let own = |s: &RunSignals, other: &RunSignals| {
        let new: Vec<&str> =
            s.changes.iter().filter(|c| !other.changes.contains(c)).map(String::as_str).collect();
        if new.is_empty() { "as it is".to_string() } else { new.join(", ") }
    };
    if a.changes != b.changes {
        return (own(a, b), own(b, a));
    }
    for key in ["solver", "rtol"] {
        let of = |s: &RunSignals| s.table.metadata.get(key).cloned().unwrap_or_default();
        if of(a) != of(b) {
            let shown = |text: String| text.parse().map(|x: f64| format!("{key} {x:e}")).unwrap_or(text);
            return (shown(of(a)), shown(of(b)));
        }
    }
    ("A".into(), "B".into())
}

/// Title and subtitle of a picture of both: the model, if it is one, and what differs.
pub fn title(a: &RunSignals, b: &RunSignals) -> (String, String) {
    let (of_a, of_b) = labels(a, b);
    let both = format!("{of_a} and {of_b}");
    let model = |s: &RunSignals| s.table.metadata.get("model").filter(|name| !name.is_empty()).cloned();
    match model(a).filter(|name| model(b).as_ref() == Some(name)) {
        Some(name) => (name, both),
        None => (both, String::new()),
    }
}

/// Signals that both have, in the same unit; unasked, one of several names that mean one quantity in both.
pub fn pairs<'a>(
    a: &'a RunSignals,
    b: &'a RunSignals,
    patterns: &[String],
) -> Result<Vec<(&'a Column, &'a Column)>, Failure> {
    let of_a =
        if patterns.is_empty() { a.table.columns[1..].iter().collect() } else { a.matching(patterns)? };
    let repeats =
        |x: &Column, y: &Column| patterns.is_empty() && x.same_as.is_some() && x.same_as == y.same_as;
    let pairs: Vec<_> = of_a
        .into_iter()
        .filter_map(|x| Some((x, b.table.columns.iter().find(|y| y.name == x.name && y.unit == x.unit)?)))
        .filter(|(x, y)| !repeats(x, y))
        .collect();
    if pairs.is_empty() {
        return Err(FilesRequestError::NoCommonSignal { one: a.path.clone(), other: b.path.clone() }.into());
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunnion_results::Extremes;

    fn column(values: &[f64]) -> Column {
        Column { values: values.to_vec(), ..Column::new("x", "m", "") }
    }

    #[test]
    fn common_times_are_compared_and_events_side_by_side() {
        let (a, b) = ([0.0, 1.0, 1.5, 1.5, 2.0, 3.0], [0.0, 1.0, 2.0, 2.2, 3.0]);
        let times = ComparisonTimes::new(&a, &b);
        assert_eq!((times.at.as_slice(), times.interpolated), ([0.0, 1.0, 2.0, 3.0].as_slice(), false));
        let d = difference(
            &times,
            &column(&[0.0, 1.0, 9.0, -9.0, 2.0, 4.0]),
            &column(&[0.0, 1.0, 2.5, 7.0, 4.0]),
        );
        // Only the first jumps at 1.5, to −9, where the other goes from 1 to 2.5.
        assert_eq!((d.max, d.at), (10.0, 1.5));
        let b = [0.0, 1.0, 1.6, 1.6, 2.0, 3.0];
        let (x, y) = ([0.0, 1.0, 9.0, -9.0, 2.0, 4.0], [0.0, 1.0, 9.25, -9.0, 2.5, 4.0]);
        let d = difference(&ComparisonTimes::new(&a, &b), &column(&x), &column(&y));
        assert_eq!((d.max, d.at, d.relative), (0.5, 2.0, 0.5 / 18.0));
        let y = [0.0, 1.0, 9.75, -9.0, 2.5, 4.0];
        let d = difference(&ComparisonTimes::new(&a, &b), &column(&x), &column(&y));
        assert_eq!((d.max, d.at), (0.75, 1.5));
    }

    #[test]
    fn a_peak_between_rows_is_a_difference() {
        let t = [0.0, 1.0, 2.0];
        let peak = Extremes { min: (0.0, 0.0), max: (0.3, 5.0) };
        let flat = Extremes { min: (0.0, 0.0), max: (0.0, 0.0) };
        let with = |extremes| Column { extremes: Some(extremes), ..column(&[0.0; 3]) };
        let d = difference(&ComparisonTimes::new(&t, &t), &with(peak), &with(flat));
        assert_eq!((d.max, d.at, d.relative), (5.0, 0.3, 1.0));
        assert_eq!(difference(&ComparisonTimes::new(&t, &t), &with(peak), &with(peak)).max, 0.0);
    }

    #[test]
    fn other_times_are_interpolated_in_the_finer_one() {
        let fine: Vec<f64> = (0..=30).map(|k| 0.1 * f64::from(k)).collect();
        let coarse = [-1.0, 0.55, 1.25, 2.95, 7.0];
        for swapped in [false, true] {
            let times = if swapped {
                ComparisonTimes::new(&fine, &coarse)
            } else {
                ComparisonTimes::new(&coarse, &fine)
            };
            assert_eq!((times.at.as_slice(), times.interpolated), ([0.55, 1.25, 2.95].as_slice(), true));
        }
        let times = ComparisonTimes::new(&coarse, &fine);
        let line = |t: &[f64]| column(&t.iter().map(|t| 3.0 * t - 1.0).collect::<Vec<_>>());
        assert!(difference(&times, &line(&coarse), &line(&fine)).max < 1e-14);
    }

    #[test]
    fn what_is_no_number_is_a_difference_unless_both_are_none() {
        let times = ComparisonTimes::new(&[0.0, 1.0], &[0.0, 1.0]);
        let with = |x: f64, y: f64| difference(&times, &column(&[0.0, x]), &column(&[0.0, y]));
        assert!(with(1.0, f64::NAN).relative.is_nan());
        assert_eq!(with(f64::NAN, f64::NAN).max, 0.0);
        assert_eq!(with(f64::INFINITY, f64::INFINITY).max, 0.0);
        assert_eq!(with(2.0, 1.0).relative, 0.5);
    }
}
