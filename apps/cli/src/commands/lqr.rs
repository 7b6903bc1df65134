//! `trunnion lqr`: gains of optimal state feedback.

use std::path::PathBuf;

use clap::Args;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_engine::given::measuring;
use trunnion_files::write_whole;
use trunnion_num::text::number;
use trunnion_study::lqr::{Feedback, LqrRequest, defaults, feedback, law, uncontrollable};

use super::linearize::{PointArgs, say_cautions, show_poles};
use crate::given::Given;
use crate::output::{Print, say};
use crate::session::Session;

#[derive(Args, Debug)]
pub struct LqrArgs {
    /// The model file
    pub model: String,
    /// What the controller sets: inputs, parameters or modes
    #[arg(long, short, required = true, value_name = "U,…", value_delimiter = ',')]
    pub input: Vec<String>,
    /// What is to stay small, a signal or an expression, and its weight in SI: 'wheel.x - body.x'=10; several times
    #[arg(long, short, required = true, value_name = "Y=W")]
    pub weight: Vec<String>,
    /// Weight of the effort in SI: one number, or one for each input
    #[arg(long, short, required = true, value_name = "R,…", value_delimiter = ',')]
    pub effort: Vec<f64>,
    /// Feed back these signals or expressions; they have to say enough; default: all states
    #[arg(long, short, value_name = "X,…", value_delimiter = ',')]
    pub from: Vec<String>,
    #[command(flatten)]
    pub point: PointArgs,
    /// Write the gains as a file of defaults
    #[arg(long, short, value_name = "FILE.toml")]
    pub out: Option<PathBuf>,
    /// Names of the gains, in the order they are listed; default: K_ and the name of the signal, with _ for dots
    #[arg(long, value_name = "K,…", value_delimiter = ',')]
    pub names: Vec<String>,
    #[command(flatten)]
    pub given: Given,
}

const DIGITS: usize = 6;

pub fn execute(args: &LqrArgs, session: &Session) -> Result<(), Failure> {
    let request = LqrRequest {
        inputs: args.input.clone(),
        weights: args.weight.clone(),
        efforts: args.effort.clone(),
        from: args.from.clone(),
        names: args.names.clone(),
        point: args.point.choice(),
    };
    let signals = request.signals()?;
    let sets = measuring(&args.given.sets(), signals.iter().map(String::as_str));
    let project = session.open_and_warn(&args.model, &sets)?;
    let found = feedback(&project, &request, &session.monitor)?;
    show(&found);
    if found.moves && !args.point.balance {
        say("\nthis is no point of rest: the gains hold for small deviations from it; --balance finds one");
    }
    if let Some(path) = &args.out {
        write_whole(path, defaults(&found, &request).as_bytes())?;
        say(format_args!("\ngains in {}", path.display()));
    }
    Ok(())
}

fn show(found: &Feedback) {
    let shown = &found.shown;
    say(format_args!("{}, optimal state feedback {}", shown.title, shown.place));
    say_cautions(shown);
    for (gains, input) in found.gains.iter().zip(&shown.inputs) {
        say("");
        say(law(gains, input));
        say("");
        let head = [("gain", Align::Left), ("", Align::Right), ("", Align::Left), ("from", Align::Left)];
        let mut table = Listing::new(head);
        for gain in gains {
            let value = number(gain.value, DIGITS);
            table.push([format!("  {}", gain.name), value, gain.unit.clone(), gain.source.label()]);
        }
        table.print();
    }
    for one in &found.regulator.untouched {
        say(format_args!("\n{}", uncontrollable(one, shown)));
    }
    say("\nclosed loop:");
    show_poles(&found.regulator.poles);
}
