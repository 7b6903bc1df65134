//! Natural motions of a model at a point, each with the states that take part.

use serde_json::{Value, json};
use trunnion_engine::{Failure, ModelView};
use trunnion_num::text::number;
use trunnion_sim::linear::Pole;
use trunnion_sim::modes::modes;
use trunnion_sim::problem::Problem;

use crate::linear::NamedLinearModel;
use crate::simulate::OperatingPoint;

/// Rates below this share of what acts in a mode are none.
const ROUNDING: f64 = 1e-9;

/// What a motion is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionKind {
    /// Nothing brings it back, nothing drives it.
    Free,
    Unstable,
    Decay,
    Undamped,
    Oscillation,
}

impl MotionKind {
    pub fn word(self) -> &'static str {
        match self {
            MotionKind::Free => "free",
            MotionKind::Unstable => "unstable",
            MotionKind::Decay => "decay",
            MotionKind::Undamped => "undamped",
            MotionKind::Oscillation => "oscillation",
        }
    }
}

/// A natural motion, or several with the same pole.
#[derive(Clone, Debug)]
pub struct NaturalMode {
    /// Of a conjugate pair the one with the positive imaginary part.
    pub pole: Pole,
    /// How often it occurs.
    pub count: usize,
    pub kind: MotionKind,
    /// In Hz; None where it does not oscillate.
    pub frequency: Option<f64>,
    pub damping_ratio: Option<f64>,
    /// In s, negative where it grows; None where it neither grows nor decays.
    pub time_constant: Option<f64>,
    /// States by their share, the largest first; all shares add up to one.
    pub shares: Vec<(String, f64)>,
}

/// The modes of a linear model.
pub fn natural_modes(shown: &NamedLinearModel) -> Result<Vec<NaturalMode>, Failure> {
    let found = modes(&shown.si).map_err(|_| Failure::Run {
        message: "the modes could not be found".into(),
        hint: Some(ModelView::LinearModel.into()),
    })?;
    let list = found.into_iter().map(|mode| {
        let (pole, zero) = (mode.pole, ROUNDING * mode.size);
        let kind = match pole {
            p if p.re.hypot(p.im) <= zero => MotionKind::Free,
            p if p.re > zero => MotionKind::Unstable,
            p if p.im == 0.0 => MotionKind::Decay,
            p if p.re.abs() <= zero => MotionKind::Undamped,
            _ => MotionKind::Oscillation,
        };
        let moves = kind != MotionKind::Free;
        let named = shown.states.iter().zip(&mode.shares).map(|(s, &share)| (s.name.clone(), share));
        let mut shares: Vec<(String, f64)> = named.collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        NaturalMode {
            pole,
            count: mode.count,
            kind,
            frequency: (moves && pole.im != 0.0).then(|| pole.natural_frequency()),
            damping_ratio: moves.then(|| pole.damping_ratio()),
            time_constant: (pole.re.abs() > zero).then(|| -1.0 / pole.re),
            shares,
        }
    });
    Ok(list.collect())
}

/// Rates are none below this share of what states of their typical size make of them: ten times the tolerance of a run.
const RESTS: f64 = 1e-5;

/// Says so where the point is no equilibrium: deviations then add to a motion that goes on, and the modes change with it.
pub fn caution_in_motion(at: &mut OperatingPoint, shown: &NamedLinearModel) -> Option<String> {
    let mut f = vec![0.0; at.y.len()];
    at.machine.residual(at.t, &at.y, &mut f);
    let layout = at.machine.layout();
    let (names, nominal) = (&layout.names, &layout.nominal);
    let places: Vec<usize> =
        shown.states.iter().filter_map(|s| names.iter().position(|name| *name == s.name)).collect();
    if places.len() < shown.states.len() {
        return None;
    }
    let term = |i: usize, j: usize| (shown.si.a[(i, j)] * nominal[places[j]]).abs();
    let moves = |&i: &usize| f[places[i]].abs() > RESTS * (0..places.len()).map(|j| term(i, j)).sum::<f64>();
    let moving: Vec<String> =
        (0..places.len()).filter(moves).map(|i| format!("`{}`", shown.states[i].name)).collect();
    let named = match moving.as_slice() {
        [] => return None,
        [one] => one.clone(),
        [first, ..] => format!("{first} and of {} more", moving.len() - 1),
    };
    Some(format!(
        "this is no equilibrium, as the rate of {named} shows; the modes are those of small deviations at this instant"
    ))
}

/// A smaller share of a mode is not worth a name.
const WORTH: f64 = 0.02;

/// Number, frequency, damping ratio, time constant, kind and states of each, to be read; `most` states are named.
pub fn listed(modes: &[NaturalMode], most: usize) -> Vec<[String; 6]> {
    let or_none = |x: Option<f64>, digits| x.map_or_else(|| "–".to_string(), |x| number(x, digits));
    let mut first = 1;
    let row = |mode: &NaturalMode| {
        let which = match mode.count {
            1 => format!("{first}"),
            n => format!("{first}–{}", first + n - 1),
        };
        first += mode.count;
        let worth = mode.shares.iter().take(most).filter(|(_, share)| *share >= WORTH);
        let states: Vec<String> =
            worth.map(|(name, share)| format!("{name} {} %", number(100.0 * share, 2))).collect();
        let [frequency, ratio] = [(mode.frequency, 6), (mode.damping_ratio, 4)].map(|(x, n)| or_none(x, n));
        let constant = or_none(mode.time_constant, 5);
        [which, frequency, ratio, constant, mode.kind.word().into(), states.join(", ")]
    };
    modes.iter().map(row).collect()
}

/// All modes for other programs.
pub fn document(shown: &NamedLinearModel, modes: &[NaturalMode]) -> Value {
    let states = |(name, share): &(String, f64)| json!({ "name": name, "share": share });
    let mode = |m: &NaturalMode| {
        json!({
            "re": m.pole.re,
            "im": m.pole.im,
            "count": m.count,
            "kind": m.kind.word(),
            "natural_frequency_hz": m.frequency,
            "damping_ratio": m.damping_ratio,
            "time_constant_s": m.time_constant,
            "states": m.shares.iter().map(states).collect::<Vec<_>>(),
        })
    };
    let modes: Vec<Value> = modes.iter().map(mode).collect();
    json!({ "model": shown.title, "place": shown.place, "cautions": shown.cautions, "t": shown.t, "modes": modes })
}
