//! `trunnion modes`: natural motions of a model, each with the states that take part.

use clap::Args;

use super::linearize::PointArgs;
use crate::given::Given;
use crate::output::{Print, say};
use crate::report::AnswerOptions;
use crate::session::Session;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_num::text::number;
use trunnion_study::linear::NamedLinearModel;
use trunnion_study::modes::{NaturalMode, document, natural_modes};

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
    #[command(flatten)]
    pub answer: AnswerOptions,
}

/// A smaller share of a mode is not worth a name.
const WORTH: f64 = 0.02;

pub fn execute(args: &ModesArgs, session: &Session) -> Result<(), Failure> {
    let project = session.open_and_warn(&args.model, &args.given.sets())?;
    let (mut at, place) = args.point.choice().find(&project, &session.monitor)?;
    let shown = NamedLinearModel::at(&project, &mut at, place, &[], &[])?;
    let modes = natural_modes(&shown)?;
    if session.answer(|| document(&shown, &modes)).is_none() {
        show(&shown, &modes, args.states);
    }
    Ok(())
}

fn show(shown: &NamedLinearModel, modes: &[NaturalMode], most: usize) {
    say(format_args!("{}, natural modes {}", shown.title, shown.place));
    shown.cautions.iter().for_each(|caution| say(format_args!("note: {caution}")));
    if modes.is_empty() {
        say("no states, so no modes");
        return;
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
    let mut first = 1;
    for mode in modes {
        let which = match mode.count {
            1 => format!("{first}"),
            n => format!("{first}–{}", first + n - 1),
        };
        first += mode.count;
        let or_none = |x: Option<f64>, digits| x.map_or_else(|| "–".to_string(), |x| number(x, digits));
        let numbers =
            [or_none(mode.frequency, 6), or_none(mode.damping_ratio, 4), or_none(mode.time_constant, 5)];
        let row = [which].into_iter().chain(numbers);
        table.push(row.chain([mode.kind.word().into(), named(&mode.shares, most)]));
    }
    table.print();
}

/// "body.x 48 %, body.v 46 %".
fn named(shares: &[(String, f64)], most: usize) -> String {
    let worth = shares.iter().take(most).filter(|(_, share)| *share >= WORTH);
    let list: Vec<String> =
        worth.map(|(name, share)| format!("{name} {} %", number(100.0 * share, 2))).collect();
    list.join(", ")
}
