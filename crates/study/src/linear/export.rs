//! The linear model for other programs.
//!
//! JSON has names, units and values of all signals, A, B, C, D by rows, and the poles. CSV is the block matrix
//! [A B; C D] with the names of its rows and columns.

use std::path::Path;

use serde_json::{Value, json};
use trunnion_engine::Failure;
use trunnion_files::write_whole;
use trunnion_num::Matrix;

use super::{NamedLinearModel, Signal};
use crate::request_error::LinearRequestError;

pub fn json(shown: &NamedLinearModel) -> String {
    format!("{:#}\n", document(shown))
}

/// The linear model with names, units and poles.
pub fn document(shown: &NamedLinearModel) -> Value {
    let signals = |list: &[Signal]| -> Vec<Value> {
        list.iter().map(|s| json!({ "name": s.name, "unit": s.unit.text, "value": s.value })).collect()
    };
    let rows = |m: &Matrix| (0..m.rows()).map(|i| m.row(i).to_vec()).collect::<Vec<_>>();
    let linear = &shown.linear;
    json!({
        "model": shown.title,
        "place": shown.place,
        "cautions": shown.cautions,
        "t": shown.t,
        "states": signals(&shown.states),
        "inputs": signals(&shown.inputs),
        "outputs": signals(&shown.outputs),
        "A": rows(&linear.a),
        "B": rows(&linear.b),
        "C": rows(&linear.c),
        "D": rows(&linear.d),
        "poles": shown.poles.iter().map(|p| json!({
            "re": p.re,
            "im": p.im,
            "natural_frequency_hz": p.natural_frequency(),
            "damping_ratio": Some(p.damping_ratio()).filter(|d| d.is_finite()),
        })).collect::<Vec<_>>(),
    })
}

/// Writes the matrices as the ending of the file says.
pub fn write(shown: &NamedLinearModel, path: &Path) -> Result<(), Failure> {
    let text = match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("json") => json(shown),
        Some("csv") => csv(shown),
        _ => {
            return Err(LinearRequestError::FileKind { path: path.display().to_string() }.into());
        }
    };
    Ok(write_whole(path, text.as_bytes())?)
}

pub fn csv(shown: &NamedLinearModel) -> String {
    let linear = &shown.linear;
    let mut text = String::new();
    let columns = shown.states.iter().chain(&shown.inputs).map(|s| quoted(&s.label()));
    text.push_str(&[String::new()].into_iter().chain(columns).collect::<Vec<_>>().join(","));
    text.push('\n');
    let rates = shown.states.iter().map(|s| format!("der({})", s.name));
    let outputs = shown.outputs.iter().map(Signal::label);
    let blocks =
        [(&linear.a, &linear.b, rates.collect::<Vec<_>>()), (&linear.c, &linear.d, outputs.collect())];
    for (left, right, names) in blocks {
        for (i, name) in names.iter().enumerate() {
            let entries = left.row(i).iter().chain(right.row(i)).map(|v| v.to_string());
            text.push_str(&[quoted(name)].into_iter().chain(entries).collect::<Vec<_>>().join(","));
            text.push('\n');
        }
    }
    text
}

fn quoted(name: &str) -> String {
    if name.contains([',', '"']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.into() }
}
