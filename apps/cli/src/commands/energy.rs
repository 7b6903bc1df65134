//! `trunnion energy`: what every element supplied, lost and stored during a run, and whether it adds up.

use clap::Args;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_model::energy::Side;
use trunnion_num::text::number;
use trunnion_study::energy::{Balance, balance_of};
use trunnion_study::simulate::Overrides;

use crate::output::{Print, say};
use crate::session::{Session, tell_proposed};

#[derive(Args, Debug)]
pub struct EnergyArgs {
    /// The model file
    pub model: String,
    /// Stop at this time, in seconds
    #[arg(long, value_name = "S")]
    pub t_end: Option<f64>,
    /// Relative tolerance
    #[arg(long, value_name = "X", default_value_t = 1e-9)]
    pub rtol: f64,
    /// Change a parameter, an option or a start value before
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
}

pub fn execute(args: &EnergyArgs, session: &Session) -> Result<(), Failure> {
    let overrides = Overrides { t_end: args.t_end, solver: None, rtol: Some(args.rtol) };
    let (project, accounts) = session.workspace.open_with_energy(&args.model, &args.set)?;
    tell_proposed(&project.proposed);
    session.warn(project.told());
    if accounts.is_empty() {
        say(format_args!("{} has no element that takes or gives energy", project.name));
        return Ok(());
    }
    let balance = balance_of(&project, accounts, &overrides, &session.monitor)?;
    show(&balance);
    Ok(())
}

fn show(balance: &Balance) {
    let head = [("element", Align::Left), ("", Align::Left), ("energy (J)", Align::Right), ("", Align::Left)];
    let mut listing = Listing::new(head);
    for (account, energy) in &balance.rows {
        let kind = account.kind.word().to_string();
        listing.push([account.name.clone(), kind, number(*energy, 7), account.side.word().into()]);
    }
    for side in [Side::Supplied, Side::Lost, Side::Stored] {
        let sum: f64 = balance.rows.iter().filter(|(a, _)| a.side == side).map(|(_, e)| e).sum();
        listing.push(["sum".into(), String::new(), number(sum, 7), side.word().into()]);
    }
    listing.print();
    say(format_args!(
        "stored + lost − supplied = {} J, {} of what moved",
        number(balance.rest, 3),
        number(balance.relative(), 2)
    ));
}
