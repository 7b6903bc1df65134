//! Gains of optimal state feedback.
//!
//!   u = u₀ + Σ K_k (x_k − x_k0)  with the least  ∫ Σ w_i y_i² + r Σ u_j² dt                       (1)
//!
//! y and u are deviations from the point, in SI; gains are in the units of their signals.

use trunnion_engine::{Failure, Hint, ModelView, Project};
use trunnion_model::units::parse_unit;
use trunnion_num::Matrix;
use trunnion_num::text::{number, with_unit};
use trunnion_sim::lqr::{Regulator, RegulatorFailure, UncontrollableMode, Weights};
use trunnion_sim::problem::Problem;

use crate::linear::{NamedLinearModel, PointChoice, Signal, inputs, outputs};
use crate::monitor::Monitor;
use crate::request_error::{FeedbackError, WeightFault};
use crate::simulate::OperatingPoint;

const DIGITS: usize = 6;
/// Digits in a file.
const WRITTEN: usize = 12;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct LqrRequest {
    /// What the controller sets.
    pub inputs: Vec<String>,
    /// What is to stay small and its weight in SI: "wheel.x - body.x=10".
    pub weights: Vec<String>,
    /// Weights of the inputs in SI: one, or one for each.
    pub efforts: Vec<f64>,
    /// Signals that are fed back; none: all states.
    pub from: Vec<String>,
    /// Names of the gains, in their order; none: made of the names of the signals.
    pub names: Vec<String>,
    pub point: PointChoice,
}

impl LqrRequest {
    /// Signals and expressions that the model has to have as outputs.
    pub fn signals(&self) -> Result<Vec<String>, Failure> {
        let weighed = self.weights.iter().map(|w| Ok(weight(w)?.0)).collect::<Result<Vec<_>, Failure>>()?;
        Ok(weighed.into_iter().chain(self.from.iter().cloned()).collect())
    }
}

/// One gain: from which signal to which input.
pub struct Gain {
    pub name: String,
    pub source: Signal,
    /// In the units shown, for (1).
    pub value: f64,
    pub unit: String,
}

/// What was found.
pub struct Feedback {
    pub shown: NamedLinearModel,
    /// Gains of one input each, in the order of the states.
    pub gains: Vec<Vec<Gain>>,
    pub regulator: Regulator,
    /// Signals and their weights.
    weighed: Vec<(String, f64)>,
    /// The model moves by itself at this point.
    pub moves: bool,
}

/// Solves for the gains of a model that was opened with the [`Request::signals`] as outputs.
pub fn feedback(project: &Project, request: &LqrRequest, monitor: &Monitor) -> Result<Feedback, Failure> {
    let weighed = request.weights.iter().map(|w| weight(w)).collect::<Result<Vec<_>, _>>()?;
    let inputs = inputs(project, &request.inputs)?;
    let (mut columns, mut weights) = (vec![], vec![]);
    for (signal, weight) in &weighed {
        for column in outputs(project, std::slice::from_ref(signal))? {
            columns.push(column);
            weights.push(*weight);
        }
    }
    let n_weights = weights.len();
    if !request.from.is_empty() {
        columns.extend(outputs(project, &request.from)?);
    }
    // Signals that are fed back weigh nothing.
    weights.resize(columns.len(), 0.0);
    let weights = Weights { outputs: weights, inputs: efforts(&request.efforts, inputs.len())? };
    let mut point = request.point.find(project, monitor)?;
    let shown = NamedLinearModel::at(project, &mut point, &inputs, &columns)?;
    let signals = chosen(&shown, n_weights)?;
    let regulator =
        shown.si.regulator(&weights, signals.as_ref()).map_err(|refused| explain(&refused, &shown))?;
    let sources = if signals.is_some() { &shown.outputs[n_weights..] } else { &shown.states[..] };
    let gains = gains(&shown, sources, &regulator, &request.names)?;
    Ok(Feedback { gains, regulator, weighed, moves: moves(&mut point.at), shown })
}

fn gains(
    shown: &NamedLinearModel,
    sources: &[Signal],
    found: &Regulator,
    names: &[String],
) -> Result<Vec<Vec<Gain>>, Failure> {
    let (n, several) = (sources.len(), shown.inputs.len() > 1);
    if !names.is_empty() && names.len() != n * shown.inputs.len() {
        let (gains, names) = (n * shown.inputs.len(), names.len());
        return Err(FeedbackError::Names { gains, names }.into());
    }
    let row = |i: usize| {
        let input = &shown.inputs[i];
        let whose = if several { format!("{}_", plain(&input.name)) } else { String::new() };
        let gain = |(k, source): (usize, &Signal)| Gain {
            name: names
                .get(i * n + k)
                .cloned()
                .unwrap_or_else(|| format!("K_{whose}{}", plain(&source.name))),
            source: source.clone(),
            value: -found.gain[(i, k)] * source.unit.factor / input.unit.factor,
            unit: quotient(&input.unit.text, &source.unit.text),
        };
        sources.iter().enumerate().map(gain).collect()
    };
    Ok((0..shown.inputs.len()).map(row).collect())
}

/// Does the model move by itself at this point?
fn moves(at: &mut OperatingPoint) -> bool {
    let mut rates = vec![0.0; at.y.len()];
    at.machine.residual(at.t, &at.y, &mut rates);
    let layout = at.machine.layout();
    let typical = layout.nominal.iter().zip(&layout.differential);
    // Faster than a typical size in 10⁶ seconds.
    rates.iter().zip(typical).any(|(rate, (size, state))| *state && rate.abs() > 1e-6 * size)
}

/// "expression=number".
fn weight(text: &str) -> Result<(String, f64), Failure> {
    let wrong = |fault| Failure::from(FeedbackError::Weight { text: text.into(), fault });
    let (signal, number) = text.rsplit_once('=').ok_or_else(|| wrong(WeightFault::Missing))?;
    let value: f64 = number.trim().parse().map_err(|_| wrong(WeightFault::NotANumber))?;
    if !(value.is_finite() && value >= 0.0) {
        return Err(wrong(WeightFault::NotPositive));
    }
    Ok((signal.trim().to_string(), value))
}

fn efforts(given: &[f64], n: usize) -> Result<Vec<f64>, Failure> {
    if let Some(&weight) = given.iter().find(|r| !(r.is_finite() && **r > 0.0)) {
        return Err(FeedbackError::FreeEffort { weight }.into());
    }
    match given {
        [one] => Ok(vec![*one; n]),
        all if all.len() == n => Ok(all.to_vec()),
        all => Err(FeedbackError::Efforts { inputs: n, weights: all.len() }.into()),
    }
}

/// C of the signals that are fed back, those behind the weights; what an input moves at once is none.
fn chosen(shown: &NamedLinearModel, n_weights: usize) -> Result<Option<Matrix>, Failure> {
    let si = &shown.si;
    let n = si.c.rows() - n_weights;
    for k in n_weights..si.c.rows() {
        if si.d.row(k).iter().any(|d| *d != 0.0) {
            return Err(FeedbackError::Feedthrough { signal: shown.outputs[k].name.clone() }.into());
        }
    }
    Ok((n > 0).then(|| si.c.block((n_weights, 0), n, si.c.columns())))
}

/// "u = u0 + K_x*(x - 3 mm) + …".
pub fn law(gains: &[Gain], input: &Signal) -> String {
    let mut text = format!("{} = {}", input.name, with_unit(input.value, &input.unit.text, WRITTEN));
    for gain in gains {
        let state = &gain.source;
        let away = match state.value == 0.0 {
            true => state.name.clone(),
            false => {
                let sign = if state.value < 0.0 { '+' } else { '-' };
                let size = with_unit(state.value.abs(), &state.unit.text, WRITTEN);
                format!("({} {sign} {size})", state.name)
            }
        };
        text += &format!(" + {}*{away}", gain.name);
    }
    text
}

/// What no input changes, in words.
pub fn uncontrollable(one: &UncontrollableMode, shown: &NamedLinearModel) -> String {
    if one.pole.im != 0.0 {
        let f = number(one.pole.natural_frequency(), DIGITS);
        return format!("no input reaches the oscillation at {f} Hz; the feedback follows it");
    }
    // Coefficients are SI.
    let own = one.combination.iter().zip(&shown.states).map(|(c, s)| (c * s.unit.factor, s.name.as_str()));
    let terms: Vec<(f64, &str)> = own.filter(|(c, _)| *c != 0.0).collect();
    let first = terms.first().map_or(1.0, |t| t.0);
    let mut text = String::new();
    for (c, name) in &terms {
        let c = c / first;
        let sign = if c < 0.0 { "- " } else { "+ " };
        let size = number(c.abs(), DIGITS);
        let factor = if size == "1" { String::new() } else { format!("{size}*") };
        text += &format!("{}{sign}{factor}{name}", if text.is_empty() { "" } else { " " });
    }
    let text = text.trim_start_matches("+ ");
    let what = if one.pole.re < 0.0 { "dies out by itself" } else { "never changes" };
    format!("no input reaches {text}, which {what}")
}

/// A name for a parameter: letters, digits and _.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

/// "N" by "m/s": "N/(m/s)", as units are read.
pub fn quotient(over: &str, under: &str) -> String {
    let simple = !under.contains(['/', ' ', '*', '·']);
    match (over.is_empty(), under.is_empty()) {
        (_, true) => over.to_string(),
        (true, false) if simple => format!("1/{under}"),
        (true, false) => format!("1/({under})"),
        (false, false) if simple => format!("{over}/{under}"),
        (false, false) => format!("{over}/({under})"),
    }
}

/// The gains as a file of defaults.
pub fn defaults(found: &Feedback, request: &LqrRequest) -> String {
    let (shown, weighed, effort) = (&found.shown, &found.weighed, &request.efforts);
    let mut text = format!("# Optimal state feedback of \"{}\" {}, for\n", shown.title, shown.place);
    for (gains, input) in found.gains.iter().zip(&shown.inputs) {
        text += &format!("#   {}\n", law(gains, input));
    }
    let cost: Vec<String> = weighed.iter().map(|(y, w)| format!("{} ({y})^2", number(*w, DIGITS))).collect();
    let efforts: Vec<String> = effort.iter().map(|r| number(*r, DIGITS)).collect();
    text += &format!("# Cost, in SI: {}; effort {}\n", cost.join(" + "), efforts.join(", "));
    for gain in found.gains.iter().flatten() {
        let value = number(gain.value, WRITTEN);
        // A unit that cannot be read back is left to the parameter.
        text += &match parse_unit(&gain.unit) {
            Ok(_) if !gain.unit.is_empty() => format!("{} = \"{value} {}\"\n", gain.name, gain.unit),
            _ => format!("{} = {value}\n", gain.name),
        };
    }
    text
}

/// Why there is no feedback, in the user's names.
fn explain(refused: &RegulatorFailure, shown: &NamedLinearModel) -> Failure {
    let inputs: Vec<String> = shown.inputs.iter().map(|s| format!("`{}`", s.name)).collect();
    let inputs = inputs.join(" and ");
    let (message, hint): (String, Hint) = match refused {
        RegulatorFailure::NoInfluence => (
            format!("{inputs} moves no state"),
            "name what the controller sets as its input; a loop that is closed already may hide it".into(),
        ),
        RegulatorFailure::FreeEffort => {
            ("the effort has no weight".into(), "raise the weight of the effort".into())
        }
        RegulatorFailure::OutOfReach(one) => (
            format!("{inputs} cannot stop a growing motion: {}", uncontrollable(one, shown)),
            Hint::from("another input, or another point?").and_see(ModelView::Modes),
        ),
        RegulatorFailure::Unseen { shares, pole } => (
            format!(
                "the cost does not see a motion that does not die out ({}): {}",
                if pole.im == 0.0 {
                    "free".into()
                } else {
                    format!("{} Hz", number(pole.natural_frequency(), 4))
                },
                largest(shares, shown)
            ),
            format!("add a weight on it, however small: {}=…", strongest(shares, shown)).into(),
        ),
        RegulatorFailure::TooFewSignals { missing } => (
            format!(
                "these signals do not say enough: {} % of the feedback would be missing",
                number(100.0 * missing, 2)
            ),
            "feed back all states to see their gains".into(),
        ),
        RegulatorFailure::Unsolved => (
            "the Riccati equation has no solution that was found".into(),
            Hint::from("weights far apart, or a model at its limit?").and_see(ModelView::Modes),
        ),
    };
    Failure::Run { message, hint: Some(hint) }
}

fn strongest<'a>(shares: &[f64], shown: &'a NamedLinearModel) -> &'a str {
    let best = (0..shares.len()).fold(0, |b, k| if shares[k] > shares[b] { k } else { b });
    shown.states.get(best).map_or("", |s| s.name.as_str())
}

fn largest(shares: &[f64], shown: &NamedLinearModel) -> String {
    let mut order: Vec<usize> = (0..shares.len()).filter(|&k| shares[k] > 0.05).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    let names: Vec<String> = order.iter().take(4).map(|&k| format!("`{}`", shown.states[k].name)).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_from_the_right() {
        assert_eq!(weight("a - b = 2e3").unwrap(), ("a - b".into(), 2e3));
        assert_eq!(weight("if(x >= 0, x, 0)=1").unwrap().0, "if(x >= 0, x, 0)");
        for wrong in ["x", "x=", "x=-1", "x=a"] {
            assert!(weight(wrong).is_err(), "{wrong}");
        }
        assert_eq!(efforts(&[2.0], 3).unwrap(), [2.0; 3]);
        assert!(efforts(&[1.0, 2.0], 3).is_err() && efforts(&[0.0], 1).is_err());
    }

    #[test]
    fn units_of_gains_can_be_read() {
        for (over, under, expected) in [
            ("N", "mm", "N/mm"),
            ("N", "m/s", "N/(m/s)"),
            ("", "m", "1/m"),
            ("V", "", "V"),
            ("N", "kg m/s", "N/(kg m/s)"),
        ] {
            let unit = quotient(over, under);
            assert_eq!(unit, expected);
            assert!(parse_unit(&unit).is_ok(), "{unit}");
        }
    }
}
