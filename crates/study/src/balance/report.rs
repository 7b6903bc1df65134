//! How a machine rests: what carries it, what moves, what was chosen, and whether it stays.

use serde_json::{Value, json};
use trunnion_engine::Project;
use trunnion_sim::equilibrium::unstable;
use trunnion_sim::problem::Problem;

use super::Balanced;

/// A recorded signal at the start and at rest, in its unit.
#[derive(Clone, Debug)]
pub struct RestValue {
    pub name: String,
    pub unit: String,
    pub doc: String,
    pub start: f64,
    pub at_rest: f64,
}

/// An unknown, the equation that would move it, and its rate (SI).
#[derive(Clone, Debug)]
pub struct RestRate {
    pub name: String,
    pub equation: String,
    pub rate: f64,
}

#[derive(Clone, Debug)]
pub struct RestReport {
    pub t: f64,
    pub values: Vec<RestValue>,
    /// Held unknowns, with what they would do if they were let go.
    pub held: Vec<RestRate>,
    /// States that are left moving.
    pub moving: Vec<RestRate>,
    /// States whose value was chosen so that the machine rests.
    pub found: Vec<String>,
    /// States that nothing at rest changes.
    pub kept: Vec<String>,
    /// The state that leaves this rest, and the time in which it grows by a factor e (s).
    pub unstable: Option<(String, f64)>,
    /// The equation with the largest residual, and its size (SI).
    pub residual: Option<(String, f64)>,
}

const PRESSURES: [&str; 4] = ["Pa", "kPa", "bar", "MPa"];

/// But for rounding; 1e-15 of anything in SI is nothing.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()) + 1e-15
}

impl RestReport {
    /// For other programs.
    pub fn document(&self, model: &str) -> Value {
        let rates = |list: &[RestRate]| -> Vec<Value> {
            let rate = |r: &RestRate| json!({ "name": r.name, "equation": r.equation, "rate_si": r.rate });
            list.iter().map(rate).collect()
        };
        let value = |v: &RestValue| json!({ "name": v.name, "unit": v.unit, "start": v.start, "at_rest": v.at_rest, "doc": v.doc });
        let unstable =
            self.unstable.as_ref().map(|(state, t)| json!({ "state": state, "time_constant_s": t }));
        let residual = self.residual.as_ref().map(|(of, size)| json!({ "equation": of, "size_si": size }));
        json!({
            "model": model,
            "t": self.t,
            "values": self.values.iter().map(value).collect::<Vec<_>>(),
            "held": rates(&self.held),
            "moving": rates(&self.moving),
            "found": self.found,
            "kept": self.kept,
            "unstable": unstable,
            "largest_residual": residual,
        })
    }
}

impl Balanced {
    /// `all`: with everything that is recorded, not only what is solved for and the pressures of components.
    pub fn report(&mut self, project: &Project, all: bool) -> RestReport {
        let Balanced { at, rest, before, after, .. } = self;
        let prepared = &project.prepared;
        let name = |i: usize| prepared.layout.names[i].clone();
        let row = |i: usize| prepared.system.rows[i].name.clone();
        let names = |list: &[usize]| list.iter().map(|&i| name(i)).collect::<Vec<_>>();
        let chosen: Vec<usize> =
            rest.released.iter().copied().filter(|&i| !same(before[i], after[i])).collect();
        let mut f = vec![0.0; prepared.system.n()];
        at.machine.residual(at.t, &at.y, &mut f);
        let left =
            |i: &usize| rest.supported.iter().any(|s| s.1 == *i) || rest.moving.iter().any(|m| m.0 == *i);
        let solved = (0..f.len()).filter(|i| !left(i));
        let worst = solved.max_by(|&i, &j| f[i].abs().total_cmp(&f[j].abs()));
        let rate = |of: usize, i: usize, rate: f64| RestRate { name: name(of), equation: row(i), rate };
        RestReport {
            t: at.t,
            values: values(project, before, after, all),
            held: rest.supported.iter().map(|&(of, i, r)| rate(of, i, r)).collect(),
            moving: rest.moving.iter().map(|&(i, r)| rate(i, i, r)).collect(),
            found: names(&chosen),
            kept: names(&rest.kept),
            unstable: unstable(&mut at.machine, at.t, &at.y, rest)
                .map(|unstable| (name(unstable.state), 1.0 / unstable.pole.re)),
            residual: worst.map(|i| (row(i), f[i].abs())),
        }
    }
}

fn values(project: &Project, before: &[f64], after: &[f64], all: bool) -> Vec<RestValue> {
    let prepared = &project.prepared;
    let n = if all { prepared.columns.len() } else { prepared.system.n() };
    // Pressures of components are what most look for; they are seldom states.
    let pressure = |i: usize| {
        let column = &prepared.columns[i];
        let own = column.name.matches('.').count() == 1 && !column.name.contains(' ');
        own && PRESSURES.contains(&column.unit.text.as_str()) && !same(before[i], after[i])
    };
    let shown = prepared.columns.iter().enumerate().filter(|&(i, _)| i < n || pressure(i));
    let value = |(i, column): (usize, &trunnion_sim::machine::ImageColumn)| RestValue {
        name: column.name.clone(),
        unit: column.unit.text.clone(),
        doc: column.doc.clone(),
        start: before[i],
        at_rest: after[i],
    };
    shown.map(value).collect()
}
