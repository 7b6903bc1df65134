//! Options of all commands that run a model.

use clap::Args;
use trunnion_model::units::{Dimension, parse_value};
use trunnion_study::simulate::Overrides;

use crate::given::Given;

/// How the equations are solved.
#[derive(Args, Clone, Debug, Default)]
pub struct MethodOptions {
    /// Solver, by name; `trunnion solvers` lists them
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Relative tolerance of adaptive solvers
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub rtol: Option<f64>,
}

/// What every run takes.
#[derive(Args, Clone, Debug, Default)]
pub struct RunOptions {
    /// End of the run: 5, "5 s", "200 ms", "2 min"; bare numbers are seconds
    #[arg(long, value_name = "TIME", value_parser = time, allow_negative_numbers = true)]
    pub t_end: Option<f64>,
    #[command(flatten)]
    pub method: MethodOptions,
    #[command(flatten)]
    pub given: Given,
}

impl MethodOptions {
    /// Of a run whose end is given otherwise.
    pub fn overrides(&self) -> Overrides {
        Overrides { t_end: None, solver: self.solver.clone(), rtol: self.rtol }
    }
}

impl RunOptions {
    pub fn overrides(&self) -> Overrides {
        Overrides { t_end: self.t_end, ..self.method.overrides() }
    }

    /// Values from outside, each as `path=value`.
    pub fn sets(&self) -> Vec<String> {
        self.given.sets()
    }
}

/// A time in seconds, of "5", "5s", "200 ms" or "2 min".
pub fn time(text: &str) -> Result<f64, String> {
    let wanted = "write a time as 5, \"5 s\", \"200 ms\" or \"2 min\"";
    let value = parse_value(text).map_err(|e| match e.hint {
        Some(hint) => format!("{} ({hint}); {wanted}", e.message),
        None => format!("{}; {wanted}", e.message),
    })?;
    match value.unit.text.is_empty() || value.unit.dimension == Dimension::TIME {
        true => Ok(value.si),
        false => Err(format!("it is {}; {wanted}", value.unit.dimension.quantity())),
    }
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_have_units_or_are_seconds() {
        for (text, seconds) in [
            ("5", 5.0),
            ("5s", 5.0),
            ("5 s", 5.0),
            ("200 ms", 0.2),
            ("2 min", 120.0),
            ("1.5h", 5400.0),
            ("250us", 250e-6),
            ("-1", -1.0),
        ] {
            assert_eq!(time(text), Ok(seconds), "{text}");
        }
        for (text, reason) in [
            ("5 bar", "it is a pressure"),
            ("5 Hz", "it is a frequency"),
            ("5 sec", "sec"),
            ("soon", "soon"),
            ("", "number"),
            ("5 %", "plain"),
        ] {
            let told = time(text).unwrap_err();
            assert!(told.contains(reason) && told.contains("\"200 ms\""), "{text}: {told}");
        }
    }
}
