//! Values from outside a model: `--set`, a file of defaults, and answers of a user at a terminal.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;

use clap::Args;
use trunnion_engine::given::{describe, shown};
use trunnion_engine::workspace::Answers;
use trunnion_model::Deferred;
use trunnion_model::diagnostic::visible;
use trunnion_model::units::{Dimension, parse_unit, parse_value};

#[derive(Args, Clone, Debug, Default)]
pub struct Given {
    /// Change a parameter, an option, a start value or a setting: --set body.m="12 kg" --set run.t_end="3 s"
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// File of values, a line `path = value` each; --set wins over it
    #[arg(long, value_name = "FILE.toml")]
    pub defaults: Option<String>,
    /// Units to show results in: "bar, l/min, deg, boom.p=MPa"; see docs/guides/results.md
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

/// Whoever sits at a terminal is asked.
pub fn answers() -> Option<Answers> {
    let asks = io::stdin().is_terminal() && io::stderr().is_terminal();
    asks.then(|| -> Answers { Arc::new(|open| ask(open, &mut io::stdin().lock(), &mut io::stderr())) })
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
    use trunnion_equations::DisplayUnit;

    fn open(default: Option<f64>) -> Deferred {
        let unit = DisplayUnit { text: "mm".into(), factor: 1e-3, offset: 0.0 };
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
