//! From values to pixels.

use super::ChartAxis;

/// Beyond this the width of a range would overflow; nothing physical is near.
const HUGE: f64 = 1e300;
/// A range narrower than this share of its values is rounding noise and drawn as a constant.
const NOISE: f64 = 1e-12;
/// Below this a value counts as zero: steps between ticks would lose digits in denormal numbers.
const TINY: f64 = 1e-280;

/// The values an axis shows and where it shows them.
#[derive(Clone, Copy, Debug)]
pub struct AxisScale {
    pub log: bool,
    pub min: f64,
    pub max: f64,
    from_px: f64,
    to_px: f64,
}

impl AxisScale {
    pub fn new(axis: &ChartAxis, range: (f64, f64), px: (f64, f64)) -> Self {
        Self { log: axis.log, min: range.0, max: range.1, from_px: px.0, to_px: px.1 }
    }

    /// The pixel of a value; NaN for one the axis cannot show.
    pub fn px(&self, value: f64) -> f64 {
        let share = if self.log {
            (value.log10() - self.min.log10()) / (self.max.log10() - self.min.log10())
        } else {
            (value - self.min) / (self.max - self.min)
        };
        let px = self.from_px + share * (self.to_px - self.from_px);
        if px.is_finite() { px } else { f64::NAN }
    }

    pub fn length(&self) -> f64 {
        (self.to_px - self.from_px).abs()
    }

    pub fn contains(&self, value: f64) -> bool {
        (self.min..=self.max).contains(&value)
    }
}

/// The range of an axis over these values, with `margin` of it left free at both ends.
pub fn range(axis: &ChartAxis, values: impl Iterator<Item = f64>, margin: f64) -> (f64, f64) {
    if let Some((a, b)) = axis.range.filter(|(a, b)| a.is_finite() && b.is_finite() && a != b) {
        let (min, max) = (a.min(b), a.max(b));
        if !axis.log || min > 0.0 {
            return (min, max);
        }
    }
    let shown = values.filter(|value| value.is_finite() && (!axis.log || *value > TINY));
    let (min, max) =
        shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| (min.min(value), max.max(value)));
    if min > max {
        return if axis.log { (1.0, 10.0) } else { (0.0, 1.0) };
    }
    if axis.log { log_range(min, max, margin) } else { linear_range(min, max, margin) }
}

fn linear_range(min: f64, max: f64, margin: f64) -> (f64, f64) {
    let (min, max) = (min.clamp(-HUGE, HUGE), max.clamp(-HUGE, HUGE));
    let size = min.abs().max(max.abs());
    if size < TINY {
        return (-1.0, 1.0);
    }
    if max - min <= NOISE * size {
        return (min - 0.1 * size, max + 0.1 * size);
    }
    let free = margin * (max - min);
    (min - free, max + free)
}

fn log_range(min: f64, max: f64, margin: f64) -> (f64, f64) {
    let (a, b) = (min.log10().clamp(-300.0, 300.0), max.log10().clamp(-300.0, 300.0));
    if b - a < 1e-9 {
        return (10_f64.powf(a - 0.5), 10_f64.powf(b + 0.5));
    }
    let free = margin * (b - a);
    // Without a margin the ends stay exactly where the data ends.
    if margin == 0.0 { (min, max.min(HUGE)) } else { (10_f64.powf(a - free), 10_f64.powf(b + free)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_data_gives_a_range_with_room() {
        let check = |values: &[f64], log: bool| {
            let axis = ChartAxis { log, ..ChartAxis::default() };
            let (min, max) = range(&axis, values.iter().copied(), 0.05);
            assert!(min < max && (max - min).is_finite() && (!log || min > 0.0), "{values:?}: {min} {max}");
            let scale = AxisScale::new(&axis, (min, max), (0.0, 100.0));
            for value in values.iter().filter(|value| value.abs() <= HUGE && (!log || **value > TINY)) {
                assert!((-0.1..=100.1).contains(&scale.px(*value)), "{value} of {values:?}");
            }
        };
        for values in [
            &[][..],
            &[f64::NAN][..],
            &[0.0],
            &[7.0],
            &[-3e-310, 3e-310],
            &[1e-290, 2e-290],
            &[f64::MIN, f64::MAX],
            &[1e15, 1e15 + 1.0],
            &[1e-30, 1e30],
        ] {
            check(values, false);
            check(values, true);
        }
    }

    #[test]
    fn decades_are_equally_long() {
        let axis = ChartAxis { log: true, ..ChartAxis::default() };
        let scale = AxisScale::new(&axis, (1.0, 1000.0), (0.0, 300.0));
        for (value, px) in [(1.0, 0.0), (10.0, 100.0), (100.0, 200.0), (1000.0, 300.0)] {
            assert!((scale.px(value) - px).abs() < 1e-9);
        }
        assert!(scale.px(0.0).is_nan() && scale.px(-1.0).is_nan());
    }
}
