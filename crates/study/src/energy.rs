//! What every element supplied, lost and stored during a run, and whether it adds up.

use std::collections::HashMap;

use serde_json::{Value, json};
use trunnion_engine::{Failure, Project};
use trunnion_model::energy::{Account, AccountKind};
use trunnion_results::Table;

use crate::monitor::Monitor;
use crate::simulate::{Overrides, settings, simulate_to_table};

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
    pub fn sum(&self, side: AccountKind) -> f64 {
        self.rows.iter().filter(|(account, _)| account.side == side).map(|(_, energy)| energy).sum()
    }

    pub fn relative(&self) -> f64 {
        if self.scale > 0.0 { self.rest.abs() / self.scale } else { 0.0 }
    }

    /// For other programs.
    pub fn document(&self, model: &str) -> Value {
        let element = |(account, energy): &(Account, f64)| {
            let (kind, side) = (account.kind.word(), account.side.word());
            json!({ "name": account.name, "kind": kind, "side": side, "energy_j": energy })
        };
        json!({
            "model": model,
            "elements": self.rows.iter().map(element).collect::<Vec<_>>(),
            "supplied_j": self.sum(AccountKind::Supplied),
            "lost_j": self.sum(AccountKind::Lost),
            "stored_j": self.sum(AccountKind::Stored),
            "rest_j": self.rest,
            "rest_relative": self.relative(),
        })
    }
}

/// Runs a project opened with energy accounts.
pub fn balance_of(
    project: &Project,
    accounts: Vec<Account>,
    overrides: &Overrides,
    monitor: &Monitor,
) -> Result<Balance, Failure> {
    let (solver, settings) = settings(&project.run, overrides)?;
    let (table, outcome) =
        simulate_to_table(project, &HashMap::new(), (solver, &settings), &monitor.quiet())?;
    outcome.check()?;
    sum_up(&table, accounts)
}

fn sum_up(table: &Table, accounts: Vec<Account>) -> Result<Balance, Failure> {
    let mut signals = vec![];
    for account in &accounts {
        let column = table.column(&account.signal)?;
        signals.push(&column.values);
    }
    let change = |k: usize, i: usize| signals[k][i] - signals[k][0];
    let total = |i: usize| (0..accounts.len()).map(|k| change(k, i).abs()).sum::<f64>();
    let scale = (0..table.rows()).map(total).fold(0.0, f64::max);
    let last = table.rows().saturating_sub(1);
    let (mut rows, mut rest) = (vec![], 0.0);
    for (k, account) in accounts.into_iter().enumerate() {
        let energy = change(k, last);
        rest += if account.side == AccountKind::Supplied { -energy } else { energy };
        rows.push((account, energy));
    }
    rows.sort_by_key(|(account, _)| account.side);
    Ok(Balance { rows, rest, scale })
}
