//! `trunnion energy`: what every element supplied, lost and stored during a run, and whether it adds up.

use std::collections::HashMap;

use clap::Args;
use trunnion_model::energy::{Account, Side};

use crate::failure::Failure;
use crate::listing::{Align, Listing};
use crate::output::say;
use crate::project::Project;
use crate::simulate::{Overrides, settings, simulate_to_table};
use trunnion_num::text::number;
use trunnion_results::Table;

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

/// The energies of a run.
pub struct Balance {
    /// Element, side, energy from start to end in J.
    pub rows: Vec<(Account, f64)>,
    /// Stored + lost − supplied at the end, in J.
    pub rest: f64,
    /// The largest sum of absolute energies at any instant, in J: what `rest` is to be held against.
    pub scale: f64,
}

impl Balance {
    pub fn relative(&self) -> f64 {
        if self.scale > 0.0 { self.rest.abs() / self.scale } else { 0.0 }
    }
}

pub fn execute(args: &EnergyArgs, colour: bool) -> Result<(), Failure> {
    let overrides = Overrides { t_end: args.t_end, solver: None, rtol: Some(args.rtol) };
    let (project, accounts) = Project::open_with_energy(&args.model, &args.set)?;
    project.show_warnings(colour);
    if accounts.is_empty() {
        say(format_args!("{} has no element that takes or gives energy", project.name));
        return Ok(());
    }
    let balance = balance_of(&project, accounts, &overrides)?;
    show(&balance);
    Ok(())
}

/// Runs a project opened with energy accounts.
pub fn balance_of(
    project: &Project,
    accounts: Vec<Account>,
    overrides: &Overrides,
) -> Result<Balance, Failure> {
    let (solver, settings) = settings(&project.run, overrides)?;
    let (table, outcome) = simulate_to_table(project, &HashMap::new(), (solver, &settings), true)?;
    outcome.check()?;
    sum_up(&table, accounts)
}

fn sum_up(table: &Table, accounts: Vec<Account>) -> Result<Balance, Failure> {
    let mut signals = vec![];
    for account in &accounts {
        let column = table.column(&account.signal).map_err(|e| Failure::usage(e.to_string()))?;
        signals.push(&column.values);
    }
    let change = |k: usize, i: usize| signals[k][i] - signals[k][0];
    let total = |i: usize| (0..accounts.len()).map(|k| change(k, i).abs()).sum::<f64>();
    let scale = (0..table.rows()).map(total).fold(0.0, f64::max);
    let last = table.rows().saturating_sub(1);
    let (mut rows, mut rest) = (vec![], 0.0);
    for (k, account) in accounts.into_iter().enumerate() {
        let energy = change(k, last);
        rest += if account.side == Side::Supplied { -energy } else { energy };
        rows.push((account, energy));
    }
    rows.sort_by_key(|(account, _)| account.side);
    Ok(Balance { rows, rest, scale })
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
