//! Values from outside a model: `--set`, a file of defaults, and answers to what the model leaves open.

use std::io::{self, BufRead, IsTerminal, Write};

use clap::Args;
use trunnion_model::diagnostic::visible;
use trunnion_model::units::{Dimension, parse_unit, parse_value};
use trunnion_model::{Deferred, Diagnostic, Severity, load_asking};

use crate::failure::Failure;
use crate::files::{Confined, library};
use crate::output::tell;
use crate::project::split_set;
use trunnion_num::text::{number, with_unit};

#[derive(Args, Clone, Debug, Default)]
pub struct Given {
    /// Change a parameter, an option, a start value or a setting: --set body.m="12 kg" --set run.t_end="3 s"
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// File of values, a line `path = value` each; --set wins over it
    #[arg(long, value_name = "FILE.toml")]
    pub defaults: Option<String>,
    /// Units to show results in: "bar, l/min, deg, boom.p=MPa"; see docs/results.md
    #[arg(long, value_name = "LIST")]
    pub units: Option<String>,
}

impl Given {
    /// All of it as `path=value`.
    pub fn sets(&self) -> Vec<String> {
        let defaults = self.defaults.iter().map(|path| format!("model.defaults={path}"));
        let units = self.units.iter().map(|units| format!("display.units={units}"));
        defaults.chain(units).chain(self.set.iter().cloned()).collect()
    }
}

/// The message of a parameter without a value.
const MISSING: &str = "M0302";

/// The values, completed by answers to what the model leaves open: by what a user at a terminal says, or the model
/// proposes.
pub fn answered(path: &str, sets: &[String]) -> Result<Vec<String>, Failure> {
    let mut sets = sets.to_vec();
    let asks = io::stdin().is_terminal() && io::stderr().is_terminal();
    let mut proposed = vec![];
    for open in &left_open(path, &sets)? {
        let answer = if asks { ask(open, &mut io::stdin().lock(), &mut io::stderr()) } else { None };
        if let (None, Some(si)) = (&answer, open.default) {
            proposed.push(format!("{} = {}", open.name, shown(si, open)));
        }
        // Without an answer and a proposal the reader of models says what is missing.
        let value = answer.or(open.default.map(|si| typed(si, open)));
        sets.extend(value.map(|value| format!("{}={value}", open.name)));
    }
    if !proposed.is_empty() && !asks {
        tell(format_args!("as the model proposes: {}", proposed.join(", ")));
    }
    Ok(sets)
}

/// The values, completed by those of `known` that the model leaves open.
pub fn completed(path: &str, sets: &[String], known: &[String]) -> Result<Vec<String>, Failure> {
    let open = left_open(path, sets)?;
    let wanted = |one: &&String| open.iter().any(|d| split_set(one).is_ok_and(|(name, _)| name == d.name));
    Ok(sets.iter().chain(known.iter().filter(wanted)).cloned().collect())
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

/// The values completed by some that fit, for looking at a model without running it; and what they stand for.
pub fn stand_ins(path: &str, sets: &[String]) -> Result<(Vec<String>, Vec<Deferred>), Failure> {
    let deferred = left_open(path, sets)?;
    let mut sets = sets.to_vec();
    for open in &deferred {
        let (low, high) = open.range;
        let si = open.default.unwrap_or(match (low.is_finite(), high.is_finite()) {
            (true, true) => 0.5 * (low + high),
            (true, false) => low + low.abs().max(1.0),
            (false, true) => high - high.abs().max(1.0),
            (false, false) => 1.0,
        });
        sets.push(format!("{}={}", open.name, typed(si, open)));
    }
    Ok((sets, deferred))
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

fn shown(si: f64, open: &Deferred) -> String {
    with_unit(open.unit.shown(si), &open.unit.text, 9)
}

/// As it would be typed, with its unit.
fn typed(si: f64, open: &Deferred) -> String {
    format!("{:?} {}", open.unit.shown(si), open.unit.text).trim_end().to_string()
}

/// What nobody has given yet. A model with other errors leaves nothing open: they come first.
fn left_open(path: &str, sets: &[String]) -> Result<Vec<Deferred>, Failure> {
    let sets = sets.iter().map(|s| split_set(s)).collect::<Result<Vec<_>, _>>()?;
    let files = Confined::to_model(path, sets.iter().cloned());
    let (model, deferred) = load_asking(&files, path, &sets, library());
    let other = |d: &Diagnostic| d.severity == Severity::Error && d.code != MISSING;
    Ok(if model.is_err_and(|list| list.iter().any(other)) { vec![] } else { deferred })
}

/// Asks until the answer fits; None for what is proposed, or at the end of the input.
fn ask(open: &Deferred, input: &mut dyn BufRead, output: &mut dyn Write) -> Option<String> {
    let proposed = open.default.map(|si| format!(" ({})", shown(si, open))).unwrap_or_default();
    loop {
        // A terminal that is gone shows at the next read.
        let _ = write!(output, "{}{proposed} = ", visible(&describe(open)));
        let _ = output.flush();
        let mut line = String::new();
        if !matches!(input.read_line(&mut line), Ok(1..)) {
            return None;
        }
        let answer = line.trim();
        if answer.is_empty() && open.default.is_some() {
            return None;
        }
        match fits(answer, open) {
            Ok(()) => return Some(answer.to_string()),
            Err(reason) => drop(writeln!(output, "{reason}")),
        }
    }
}

/// Whether a number with or without unit fits; expressions are left to the reader of models.
fn fits(answer: &str, open: &Deferred) -> Result<(), String> {
    if answer.is_empty() {
        return Err("it needs a value".into());
    }
    let Ok(value) = parse_value(answer) else { return Ok(()) };
    let bare = value.unit.text.is_empty();
    let wanted = if open.unit.text.is_empty() { Dimension::ONE } else { unit_dimension(open)? };
    if !bare && value.unit.dimension != wanted {
        return Err(format!(
            "it is {}, and {answer} is {}",
            wanted.quantity(),
            value.unit.dimension.quantity()
        ));
    }
    let si = if bare { value.si * open.unit.factor + open.unit.offset } else { value.si };
    match (open.range.0..=open.range.1).contains(&si) {
        true => Ok(()),
        false => Err(format!("{answer} is out of range")),
    }
}

fn unit_dimension(open: &Deferred) -> Result<Dimension, String> {
    parse_unit(&open.unit.text).map(|u| u.dimension).map_err(|e| e.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunnion_equations::Unit;

    fn open(default: Option<f64>) -> Deferred {
        let unit = Unit { text: "mm".into(), factor: 1e-3, offset: 0.0 };
        Deferred { name: "b.d".into(), unit, doc: "Bore".into(), default, range: (1e-3, f64::INFINITY) }
    }

    fn asked(default: Option<f64>, typed: &str) -> (Option<String>, String) {
        let mut output = vec![];
        let answer = ask(&open(default), &mut typed.as_bytes(), &mut output);
        (answer, String::from_utf8(output).unwrap())
    }

    #[test]
    fn a_question_shows_unit_range_and_meaning() {
        let (answer, text) = asked(Some(0.02), "3 cm\n");
        assert_eq!((answer.as_deref(), text.as_str()), (Some("3 cm"), "b.d [mm] from 1: Bore (20 mm) = "));
    }

    #[test]
    fn a_question_is_repeated_until_the_answer_fits() {
        let (answer, text) = asked(None, "\n5 bar\n0.5\n12\n");
        assert_eq!(answer.as_deref(), Some("12"));
        for reason in ["needs a value", "a pressure", "0.5 is out of range"] {
            assert!(text.contains(reason), "{text}");
        }
        assert_eq!(asked(Some(0.02), "\n").0, None);
        assert_eq!(asked(None, "").0, None);
    }
}
