//! `trunnion energy`: what every element supplied, lost and stored during a run, and whether it adds up.

use clap::Args;
use serde_json::json;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_model::energy::AccountKind;
use trunnion_num::text::number;
use trunnion_study::energy::{Balance, balance_of};
use trunnion_study::simulate::Overrides;

use crate::options::RunOptions;
use crate::output::{Print, say};
use crate::report::AnswerOptions;
use crate::session::{Session, tell_proposed};

#[derive(Args, Debug)]
pub struct EnergyArgs {
    /// The model file
    pub model: String,
    #[command(flatten)]
    pub options: RunOptions,
    #[command(flatten)]
    pub answer: AnswerOptions,
}

/// Relative tolerance where none is given: finer than that of a run, for energies are differences.
const RTOL: f64 = 1e-9;

pub fn execute(args: &EnergyArgs, session: &Session) -> Result<(), Failure> {
    let overrides = args.options.overrides();
    let overrides = Overrides { rtol: overrides.rtol.or(Some(RTOL)), ..overrides };
    let (project, accounts) = session.workspace.open_with_energy(&args.model, &args.options.sets())?;
    tell_proposed(&project.proposed);
    session.warn(project.told());
    if accounts.is_empty() {
        if session.answer(|| json!({ "model": project.name, "elements": [] })).is_none() {
            say(format_args!("{} has no element that takes or gives energy", project.name));
        }
        return Ok(());
    }
    let balance = balance_of(&project, accounts, &overrides, &session.monitor)?;
    if session.answer(|| balance.json(&project.name)).is_none() {
        show(&balance);
    }
    Ok(())
}

fn show(balance: &Balance) {
    let head = [("element", Align::Left), ("", Align::Left), ("energy (J)", Align::Right), ("", Align::Left)];
    let mut listing = Listing::new(head);
    for (account, energy) in &balance.rows {
        let kind = account.kind.word().to_string();
        listing.push([account.name.clone(), kind, number(*energy, 7), account.side.word().into()]);
    }
    for side in [AccountKind::Supplied, AccountKind::Lost, AccountKind::Stored] {
        listing.push(["sum".into(), String::new(), number(balance.sum(side), 7), side.word().into()]);
    }
    listing.print();
    say(format_args!(
        "stored + lost − supplied = {} J, {} of what moved",
        number(balance.rest, 3),
        number(balance.relative(), 2)
    ));
}
