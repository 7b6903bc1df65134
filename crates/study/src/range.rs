//! Values as the command line writes them: `k=100:200:11`, `k=1:1000:4:log`, `k=1,2,5`.

use std::cell::Cell;

use trunnion_model::units::{Dimension, Unit, parse_unit, parse_value};

use crate::request_error::{RangeError, RangeFault};
use trunnion_engine::Failure;

/// More values than are practical.
pub const MOST: usize = 10_000_000;

fn wrong(text: &str, fault: RangeFault) -> Failure {
    RangeError { text: text.into(), fault }.into()
}

/// Name and values.
pub fn split(text: &str) -> Result<(&str, &str), Failure> {
    let (name, range) = text.split_once('=').ok_or_else(|| wrong(text, RangeFault::NoValues))?;
    Ok((name.trim(), range))
}

/// The unit of a quantity, with its dimension.
pub fn unit(of: &trunnion_equations::DisplayUnit) -> Unit {
    parse_unit(&of.text).unwrap_or(Unit {
        dimension: Dimension::ONE,
        factor: of.factor,
        offset: of.offset,
        text: of.text.clone(),
    })
}

#[derive(Clone, Debug)]
pub struct Range {
    /// In the unit asked for.
    pub values: Vec<f64>,
    pub log: bool,
    /// Some number has no unit of its own.
    pub bare: bool,
}

impl Range {
    /// `text` is all that was written, for messages; `difference`: "1 °C" is 1 K.
    pub fn read(text: &str, name: &str, range: &str, unit: &Unit, difference: bool) -> Result<Self, Failure> {
        let bare = Cell::new(false);
        let value = |text: &str| -> Result<f64, Failure> {
            let value = read_value(text, name, unit, difference)?;
            bare.set(bare.get() || value.bare);
            Ok(value.number)
        };
        let parts: Vec<&str> = range.split(':').collect();
        let (values, log) = match parts.as_slice() {
            [list] => (list.split(',').map(value).collect::<Result<Vec<_>, _>>()?, false),
            [from, to, n] => (
                spaced(
                    value(from)?,
                    value(to)?,
                    points(n).ok_or_else(|| wrong(n.trim(), RangeFault::Count))?,
                ),
                false,
            ),
            [from, to, n, log] if log.trim() == "log" => {
                let (from, to) = (value(from)?, value(to)?);
                if from * to <= 0.0 {
                    return Err(wrong(text, RangeFault::Sign));
                }
                let n = points(n).ok_or_else(|| wrong(n.trim(), RangeFault::Count))?;
                (spaced_in_decades(from, to, n), true)
            }
            _ => return Err(wrong(text, RangeFault::NotUnderstood)),
        };
        Ok(Range { values, log, bare: bare.get() })
    }
}

fn points(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|n| (1..=MOST).contains(n))
}

/// A number in the unit of the quantity.
pub(crate) struct NumberInUnit {
    pub number: f64,
    bare: bool,
}

/// A value in the unit of the quantity; a bare number counts in it.
pub(crate) fn read_value(
    text: &str,
    name: &str,
    unit: &Unit,
    difference: bool,
) -> Result<NumberInUnit, Failure> {
    let refused = |fault: RangeFault| wrong(text.trim(), fault);
    let value = parse_value(text)
        .map_err(|e| refused(RangeFault::Value { name: name.into(), message: e.message, hint: e.hint }))?;
    if value.unit.text.is_empty() {
        return Ok(NumberInUnit { number: value.si, bare: true });
    }
    if value.unit.dimension != unit.dimension {
        let [wanted, found] = [unit, &value.unit].map(|u| u.dimension.quantity());
        return Err(refused(RangeFault::Dimension { name: name.into(), wanted, found }));
    }
    let si = if difference { value.si - value.unit.offset } else { value.si };
    Ok(NumberInUnit { number: rounded(unit.from_si(si)), bare: false })
}

/// n values at equal distances, both ends included.
fn spaced(from: f64, to: f64, n: usize) -> Vec<f64> {
    let share = |i: usize| i as f64 / (n.max(2) - 1) as f64;
    (0..n).map(|i| if i + 1 == n && n > 1 { to } else { rounded(from + share(i) * (to - from)) }).collect()
}

/// n values at equal ratios, both ends included. A power of the ratio loses fewer digits than the exponential of a logarithm.
fn spaced_in_decades(from: f64, to: f64, n: usize) -> Vec<f64> {
    let share = |i: usize| i as f64 / (n.max(2) - 1) as f64;
    let value = |i: usize| rounded(from * (to / from).powf(share(i)));
    (0..n).map(|i| if i + 1 == n && n > 1 { to } else { value(i) }).collect()
}

/// 15 digits: 0.3 instead of 0.30000000000000004, so that a value can be typed again.
fn rounded(value: f64) -> f64 {
    format!("{value:.14e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_as_typed() {
        assert_eq!(spaced(0.1, 0.5, 5), [0.1, 0.2, 0.3, 0.4, 0.5]);
        assert_eq!(spaced(3.0, 7.0, 1), [3.0]);
        assert_eq!(spaced_in_decades(0.001, 1.0, 4), [0.001, 0.01, 0.1, 1.0]);
        assert_eq!(spaced_in_decades(-1e-5, -1e3, 9)[1..4], [-1e-4, -1e-3, -1e-2]);
        assert_eq!(spaced_in_decades(0.3, 2.0, 1), [0.3]);
        let mm = parse_unit("mm").unwrap();
        assert_eq!(read_value("1.9 cm", "x", &mm, false).unwrap().number, 19.0);
        assert_eq!(read_value("19", "x", &mm, false).unwrap().number, 19.0);
        assert!(read_value("19 bar", "x", &mm, false).is_err());
        assert!(read_value("many", "x", &mm, false).is_err());
    }
}
