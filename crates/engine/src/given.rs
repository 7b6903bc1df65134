//! Values from outside a model, each as `path=value`.

use trunnion_model::Deferred;
use trunnion_num::text::{number, with_unit};

use crate::{Failure, OpenError};

/// "path=value" in two.
pub fn split(text: &str) -> Result<(String, String), Failure> {
    match text.split_once('=') {
        Some((path, value)) if !path.trim().is_empty() => Ok((path.trim().into(), value.trim().into())),
        _ => Err(OpenError::NoValue { text: text.into() }.into()),
    }
}

pub(crate) fn split_all(values: &[String]) -> Result<Vec<(String, String)>, Failure> {
    values.iter().map(|v| split(v)).collect()
}

/// The values, and an output for every expression among `signals` that is more than a name or pattern.
pub fn measuring<'a>(sets: &[String], signals: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut sets = sets.to_vec();
    for signal in signals {
        let named = signal.chars().all(|c| c.is_alphanumeric() || "_.*".contains(c));
        let set = format!("outputs.{signal}={signal}");
        if !named && !sets.contains(&set) {
            sets.push(set);
        }
    }
    sets
}

/// "R = … (m^7/kg)^0.5, above 0: Flow per root of pressure drop".
pub fn describe(open: &Deferred) -> String {
    let mut text = open.name.clone();
    if !open.unit.text.is_empty() {
        text += &format!(" [{}]", open.unit.text);
    }
    let limits = [(open.range.0, "from"), (open.range.1, "to")];
    for (si, word) in limits.iter().filter(|(si, _)| si.is_finite()) {
        // An excluded limit is the next number beside it; that beside zero is no number to be read.
        let si = if si.abs() < f64::MIN_POSITIVE { 0.0 } else { *si };
        text += &format!(" {word} {}", number(open.unit.shown(si), 9));
    }
    if !open.doc.is_empty() {
        text += &format!(": {}", open.doc);
    }
    text
}

/// A value of what is left open, in its unit.
pub fn shown(si: f64, open: &Deferred) -> String {
    with_unit(open.unit.shown(si), &open.unit.text, 9)
}

/// As it would be typed, with its unit.
pub(crate) fn typed(si: f64, open: &Deferred) -> String {
    format!("{:?} {}", open.unit.shown(si), open.unit.text).trim_end().to_string()
}
