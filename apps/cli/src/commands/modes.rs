//! `trunnion modes`: natural motions of a model, each with the states that take part.

use clap::Args;
use trunnion_sim::linear::Pole;
use trunnion_sim::modes::modes;

use super::linearize::PointArgs;
use crate::given::Given;
use crate::output::{Print, say};
use crate::session::Session;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_num::text::number;
use trunnion_study::linear::Shown;

#[derive(Args, Debug)]
pub struct ModesArgs {
    /// The model file
    pub model: String,
    #[command(flatten)]
    pub point: PointArgs,
    /// States that are named for each mode
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub states: usize,
    #[command(flatten)]
    pub given: Given,
}

/// A smaller share of a mode is not worth a name.
const WORTH: f64 = 0.02;
/// Rates below this share of what acts in a mode are none.
const ROUNDING: f64 = 1e-9;

pub fn execute(args: &ModesArgs, session: &Session) -> Result<(), Failure> {
    let project = session.open_and_warn(&args.model, &args.given.sets())?;
    let (mut at, place) = args.point.choice().find(&project, &session.monitor)?;
    let shown = Shown::at(&project, &mut at, place, &[], &[])?;
    let modes = modes(&shown.si).map_err(|_| Failure::Run {
        message: "the modes could not be found".into(),
        hint: Some("look at the matrix with `trunnion linearize`".into()),
    })?;
    say(format_args!("{}, natural modes {}", shown.title, shown.place));
    if modes.is_empty() {
        say("no states, so no modes");
        return Ok(());
    }
    say("");
    let right = |text| (text, Align::Right);
    let mut table = Listing::new([
        right("mode"),
        right("frequency [Hz]"),
        right("damping ratio"),
        right("time constant [s]"),
        ("", Align::Left),
        ("states", Align::Left),
    ]);
    let mut number = 0;
    for mode in &modes {
        let [frequency, damping, constant, kind] = describe(mode.pole, ROUNDING * mode.size);
        let states = named(&mode.shares, &shown, args.states);
        let which = match mode.count {
            1 => format!("{}", number + 1),
            n => format!("{}–{}", number + 1, number + n),
        };
        number += mode.count;
        table.push([which, frequency, damping, constant, kind, states]);
    }
    table.print();
    Ok(())
}

/// Frequency, damping ratio, time constant and kind of a motion; `zero` is rounding.
fn describe(pole: Pole, zero: f64) -> [String; 4] {
    let none = || "–".to_string();
    let kind = match pole {
        p if p.re.hypot(p.im) <= zero => "free",
        p if p.re > zero => "unstable",
        p if p.im == 0.0 => "decay",
        p if p.re.abs() <= zero => "undamped",
        _ => "oscillation",
    };
    let still = kind == "free";
    [
        if pole.im == 0.0 || still { none() } else { number(pole.natural_frequency(), 6) },
        if still { none() } else { number(pole.damping_ratio(), 4) },
        if pole.re.abs() <= zero { none() } else { number(-1.0 / pole.re, 5) },
        kind.into(),
    ]
}

/// "body.x 48 %, body.v 46 %".
fn named(shares: &[f64], shown: &Shown, most: usize) -> String {
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    let worth = order.iter().take(most).filter(|&&k| shares[k] >= WORTH);
    let list: Vec<String> =
        worth.map(|&k| format!("{} {} %", shown.states[k].name, number(100.0 * shares[k], 2))).collect();
    list.join(", ")
}
