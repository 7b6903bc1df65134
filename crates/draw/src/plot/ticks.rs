//! Where an axis has its ticks and what stands beside them.

use super::TickKind;
use super::scale::AxisScale;
use super::svg::{Markup, with_minus};
use trunnion_num::text::number;

/// Numbers up to this size, and steps down to the other, are written out; beyond, a power of ten is split off.
const LARGEST_PLAIN: f64 = 1e5;
const SMALLEST_PLAIN: f64 = 1e-2;
/// Labels with more digits than this get a common offset.
const MOST_DIGITS: f64 = 1e6;

#[derive(Clone, Debug, Default)]
pub struct Ticks {
    pub major: Vec<(f64, Markup)>,
    /// Fine grid lines without labels.
    pub minor: Vec<f64>,
    /// Labels are to be multiplied by ten to this power.
    pub exponent: i32,
    /// To be added to the labels (after the factor).
    pub offset: Option<f64>,
}

impl Ticks {
    /// Ticks about `spacing` px apart.
    pub fn new(scale: &AxisScale, kind: TickKind, spacing: f64) -> Self {
        let most = (scale.length() / spacing).clamp(3.0, 20.0);
        if scale.log { logarithmic(scale, most) } else { linear(scale, kind, most) }
    }

    /// Ticks at these values, each with its own number.
    pub fn at(values: &[f64]) -> Self {
        let major = values.iter().map(|value| (*value, Markup::number(*value))).collect();
        Self { major, ..Self::default() }
    }

    /// Width of the widest label.
    pub(crate) fn label_width(&self, size: f64) -> f64 {
        self.major.iter().map(|(_, label)| label.width(size)).fold(0.0, f64::max)
    }
}

fn linear(scale: &AxisScale, kind: TickKind, most: f64) -> Ticks {
    let step = match kind {
        TickKind::Decimal => decimal_step((scale.max - scale.min) / most),
        TickKind::Degrees => degree_step((scale.max - scale.min) / most),
    };
    let values = multiples(scale, step);
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let offset = (largest / step > MOST_DIGITS).then_some(values[0]);
    let shown = offset.map_or(largest, |first| values[values.len() - 1] - first);
    let exponent = if shown >= LARGEST_PLAIN || shown < SMALLEST_PLAIN && shown > 0.0 {
        3 * (order(shown).div_euclid(3))
    } else {
        0
    };
    let decimals = (exponent - order(step)).clamp(0, 12) as usize;
    let label = |value: &f64| {
        let shown = (value - offset.unwrap_or(0.0)) / 10_f64.powi(exponent);
        // Adding zero turns a negative zero positive.
        let rounded = format!("{shown:.decimals$}").parse::<f64>().unwrap_or(0.0) + 0.0;
        (*value, Markup::plain(&with_minus(&format!("{rounded:.decimals$}"))))
    };
    Ticks { major: values.iter().map(label).collect(), minor: Vec::new(), exponent, offset }
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `least`.
pub(crate) fn decimal_step(least: f64) -> f64 {
    let power = 10_f64.powi(order(least));
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

fn degree_step(least: f64) -> f64 {
    let fits = |step: &f64| *step >= least;
    [1.0, 5.0, 15.0, 30.0, 45.0, 90.0, 180.0, 360.0]
        .into_iter()
        .find(fits)
        .filter(|_| least > 0.5)
        .unwrap_or_else(|| decimal_step(least))
}

/// Exponent of the leading digit.
fn order(value: f64) -> i32 {
    // Guards against 999.9999999 for a thousand.
    (value.log10() + 1e-12).floor() as i32
}

/// Multiples of the step inside the range; at least the range's middle.
fn multiples(scale: &AxisScale, step: f64) -> Vec<f64> {
    let (first, last) = ((scale.min / step - 1e-9).ceil(), (scale.max / step + 1e-9).floor());
    // At sizes where steps vanish in rounding there is no sequence to walk.
    if !(first..first + 100.0).contains(&last) || first + 1.0 == first {
        return vec![0.5 * (scale.min + scale.max)];
    }
    let n = (last - first) as usize;
    // Dividing by a whole number keeps 3 · 0.1 at 0.3.
    let inverse = (1.0 / step).round();
    let exact = inverse >= 1.0 && (inverse * step - 1.0).abs() < 1e-9;
    (0..=n)
        .map(|i| first + i as f64)
        .map(|multiple| if exact { multiple / inverse } else { multiple * step })
        .collect()
}

fn logarithmic(scale: &AxisScale, most: f64) -> Ticks {
    let (first, last) = (order(scale.min), order(scale.max));
    let n_decades = scale.max.log10() - scale.min.log10();
    if n_decades < 0.7 {
        return linear(scale, TickKind::Decimal, most.min(6.0));
    }
    let every = (n_decades / most).ceil().max(1.0) as i32;
    let within = |mantissas: &[f64], step: i32| -> Vec<f64> {
        let decades = (first..=last).filter(|exponent| exponent % step == 0);
        let all = decades.flat_map(|exponent| mantissas.iter().map(move |m| m * power(exponent)));
        let (low, high) = (scale.min * (1.0 - 1e-9), scale.max * (1.0 + 1e-9));
        all.filter(|value| (low..=high).contains(value)).collect()
    };
    // A short axis would be left with one or two labels: number the steps between as well.
    let major = match n_decades {
        n if n < 1.5 => within(&[1.0, 2.0, 5.0], 1),
        n if n < 2.5 && most >= 6.0 => within(&[1.0, 3.0], 1),
        _ => within(&[1.0], every),
    };
    let minor = match every {
        1 if n_decades < 6.0 => within(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], 1),
        1 => Vec::new(),
        _ => within(&[1.0], 1),
    };
    let plain = major.iter().all(|value| (0.9e-3..1.1e4).contains(value));
    let label = |value: f64| {
        if plain || order(value).abs() > 300 {
            // Three tenths are no 0.30000000000000004.
            (value, Markup::plain(&number(value, 6)))
        } else {
            let mantissa = (value / power(order(value))).round();
            let lead = if mantissa == 1.0 { String::new() } else { format!("{mantissa}·") };
            (value, Markup::plain(&lead).then(Markup::power_of_ten(order(value))))
        }
    };
    Ticks { major: major.into_iter().map(label).collect(), minor, exponent: 0, offset: None }
}

/// Ten to a power, exact where it can be.
fn power(exponent: i32) -> f64 {
    if exponent < 0 { 1.0 / 10_f64.powi(-exponent) } else { 10_f64.powi(exponent) }
}

#[cfg(test)]
mod tests {
    use super::super::ChartAxis;
    use super::*;

    fn ticks(min: f64, max: f64, log: bool) -> Ticks {
        let axis = ChartAxis { log, ..ChartAxis::default() };
        Ticks::new(&AxisScale::new(&axis, (min, max), (0.0, 500.0)), TickKind::Decimal, 90.0)
    }

    fn places(min: f64, max: f64, log: bool) -> Vec<f64> {
        ticks(min, max, log).major.iter().map(|(value, _)| *value).collect()
    }

    fn labels(ticks: &Ticks) -> Vec<String> {
        ticks.major.iter().map(|(_, label)| format!("{label:?}")).collect()
    }

    #[test]
    fn steps_are_one_two_five() {
        for (least, step) in [(1.0, 1.0), (1.1, 2.0), (2.1, 5.0), (5.1, 10.0), (0.03, 0.05), (7e-9, 1e-8)] {
            assert!((decimal_step(least) / step - 1.0).abs() < 1e-12, "{least}");
        }
    }

    #[test]
    fn places_are_round_numbers() {
        assert_eq!(places(0.0, 1.0, false), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(places(-0.31, 0.31, false), [-0.2, 0.0, 0.2]);
        assert_eq!(places(0.0, 0.3, false), [0.0, 0.1, 0.2, 0.3]);
        assert_eq!(places(0.0, 5.0, false), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(places(0.1, 1000.0, true), [0.1, 1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(places(1.0, 20.0, true), [1.0, 2.0, 5.0, 10.0, 20.0]);
    }

    #[test]
    fn no_label_shows_rounding() {
        for (min, max) in [(0.1, 10.0), (0.01, 1.0), (0.001, 0.1), (1.0, 300.0), (0.3, 0.9), (1e-7, 1e-5)] {
            for log in [true, false] {
                for label in labels(&ticks(min, max, log)) {
                    // What is written, not how wide it is.
                    let label = label.split("em:").next().unwrap_or_default().to_owned();
                    assert!(!label.contains("000000") && !label.contains("999999"), "{label}");
                }
            }
        }
        let scale =
            AxisScale::new(&ChartAxis { log: true, ..ChartAxis::default() }, (0.1, 10.0), (0.0, 500.0));
        let close = labels(&Ticks::new(&scale, TickKind::Decimal, 60.0));
        assert!(close[1].contains("\"0.3\""), "{close:?}");
    }

    #[test]
    fn labels_split_off_powers_of_a_thousand() {
        let small = ticks(0.0, 3e-5, false);
        assert_eq!(small.exponent, -6);
        assert!(labels(&small)[1].contains("\"10\""), "{:?}", labels(&small));
        assert_eq!(ticks(0.0, 2.1e7, false).exponent, 6);
        assert_eq!(ticks(0.0, 99_999.0, false).exponent, 0);
        assert_eq!(ticks(1e9 + 1.0, 1e9 + 2.0, false).offset, Some(1e9 + 1.0));
    }

    #[test]
    fn no_range_breaks_them() {
        for (min, max) in [
            (-1e300, 1e300),
            (1e-280, 3e-280),
            (1e15, 1e15 + 1.0),
            (0.9e300, 1.1e300),
            (1.0, 1.0 + 1e-13),
            (-1e-20, 1e5),
        ] {
            let found = ticks(min, max, false);
            assert!(!found.major.is_empty() && found.major.len() < 30, "{min}..{max}");
            if min > 0.0 {
                let found = ticks(min, max, true);
                assert!(found.major.len() < 30, "{min}..{max}");
            }
        }
        assert!(ticks(1e-300, 1e300, true).major.len() > 2);
    }

    #[test]
    fn degrees_divide_a_turn() {
        let axis = ChartAxis::default();
        let scale = AxisScale::new(&axis, (-270.0, 10.0), (0.0, 200.0));
        let found = Ticks::new(&scale, TickKind::Degrees, 45.0);
        let places: Vec<f64> = found.major.iter().map(|(value, _)| *value).collect();
        assert_eq!(places, [-270.0, -180.0, -90.0, 0.0]);
    }
}
