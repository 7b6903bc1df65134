//! Coefficients in numbers, by every branch that switches may take: which pivots keep rounding small?
//!
//! A diode that blocks has a resistance of 10⁹ Ω, one that conducts 0.1 Ω. Elimination in symbols has one order for all branches, so a pivot has
//! to be good by each of them:
//!   ρ = min over branches of |a_ru| c_u / max_v |a_rv| c_v ≥ τ                                    (1)
//! bounds the growth of errors by 1/τ, as partial pivoting does. The sizes 1/c_u of the unknowns, which make volts and amperes comparable, are
//! those that balance the coefficients that no switch changes. [Curtis1972]

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::Graph;
use crate::hash::Map;
use crate::node::{Expr, ExprNode, Symbol};

/// τ.
pub(crate) const SAFE: f64 = 1e-3;
/// With up to so many switches all branches are looked at, otherwise so many.
const ALL_BRANCHES: usize = 5;
const SOME_BRANCHES: usize = 40;
/// Rounds of balancing.
const BALANCING: usize = 4;

type BranchRow = BTreeMap<usize, f64>;

pub struct Branches {
    /// Σ rows[r][u] · u, branch by branch, in unknowns of size 1.
    branches: Vec<Vec<BranchRow>>,
    /// ρ of the entries of each row.
    worst: Vec<Option<BTreeMap<usize, f64>>>,
}

impl Branches {
    /// None if no switch changes a coefficient. Rows with one that depends on more than parameters and switches are left out.
    pub fn new(graph: &Graph, parameters: &Map<Symbol, f64>, rows: &[BTreeMap<usize, Expr>]) -> Option<Self> {
        let order = graph.reachable(rows.iter().flat_map(|row| row.values().copied()));
        let switches: BTreeSet<Symbol> = order.iter().filter_map(|&e| switch(graph, parameters, e)).collect();
        if switches.is_empty() {
            return None;
        }
        let switches: Vec<Symbol> = switches.into_iter().collect();
        let (mut branches, mut values): (Vec<Vec<BranchRow>>, Map<Expr, f64>) = (vec![], Map::default());
        for branch in 0..count(switches.len()) {
            for &e in &order {
                let value = match graph.node(e) {
                    ExprNode::Symbol(s) => match switches.binary_search(&s) {
                        Ok(k) => f64::from(u8::from(is_on(branch, k, switches.len()))),
                        Err(_) => parameters.get(&s).copied().unwrap_or(f64::NAN),
                    },
                    node => graph.evaluate_node(node, |c| values[&c]),
                };
                values.insert(e, value);
            }
            let numbers = |row: &BTreeMap<usize, Expr>| row.iter().map(|(&u, e)| (u, values[e])).collect();
            branches.push(rows.iter().map(numbers).collect());
        }
        let known = |r: usize| branches.iter().all(|rows| rows[r].values().all(|v| v.is_finite()));
        let unknown: Vec<usize> = (0..rows.len()).filter(|&r| !known(r)).collect();
        branches.iter_mut().for_each(|rows| unknown.iter().for_each(|&r| rows[r].clear()));
        balance(&mut branches);
        Some(Branches { worst: vec![None; rows.len()], branches })
    }

    /// ρ of (1), if it is known.
    pub fn worst(&mut self, row: usize, unknown: usize) -> Option<f64> {
        let branches = &self.branches;
        let worst = self.worst[row].get_or_insert_with(|| {
            let mut worst = BTreeMap::new();
            for of in branches.iter().map(|rows| &rows[row]) {
                let largest = of.values().fold(0.0, |m: f64, v| m.max(v.abs()));
                // Some branches are never taken together, and leave nothing.
                if largest > 0.0 && largest.is_finite() {
                    for (&u, v) in of {
                        let ratio = v.abs() / largest;
                        worst.entry(u).and_modify(|w: &mut f64| *w = w.min(ratio)).or_insert(ratio);
                    }
                }
            }
            worst
        });
        worst.get(&unknown).copied()
    }

    /// Takes `unknown` out of the row `other` by `row`; entries that stay are `left`.
    pub fn eliminate(&mut self, row: usize, unknown: usize, other: usize, left: &BTreeMap<usize, Expr>) {
        for rows in &mut self.branches {
            let pivot = rows[row].clone();
            let of = &mut rows[other];
            if pivot.is_empty() || of.is_empty() {
                of.clear();
                continue;
            }
            let factor = of.get(&unknown).copied().unwrap_or(0.0) / pivot[&unknown];
            for (&u, x) in &pivot {
                *of.entry(u).or_insert(0.0) -= factor * x;
            }
            of.retain(|u, _| left.contains_key(u));
        }
        self.worst[other] = None;
    }
}

/// What decides between two coefficients.
fn switch(graph: &Graph, parameters: &Map<Symbol, f64>, e: Expr) -> Option<Symbol> {
    let ExprNode::Select(condition, ..) = graph.node(e) else { return None };
    match graph.node(condition) {
        ExprNode::Symbol(s) if !parameters.contains_key(&s) => Some(s),
        _ => None,
    }
}

fn count(switches: usize) -> usize {
    if switches <= ALL_BRANCHES { 1 << switches } else { SOME_BRANCHES }
}

/// Whether switch k is on in a branch: all combinations, or all off, all on, and what looks random.
fn is_on(branch: usize, k: usize, switches: usize) -> bool {
    match branch {
        _ if switches <= ALL_BRANCHES => branch >> k & 1 == 1,
        0 => false,
        1 => true,
        _ => {
            let x = (branch as u64 * 0x9e37_79b9 + k as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) >> 63 == 1
        }
    }
}

/// Writes all rows in unknowns of size 1.
fn balance(branches: &mut [Vec<BranchRow>]) {
    let first = branches[0].clone();
    let changes = |r: usize, u: usize| branches.iter().any(|rows| rows[r].get(&u) != first[r].get(&u));
    let mut fixed: Vec<BranchRow> = first.clone();
    for (r, row) in fixed.iter_mut().enumerate() {
        row.retain(|&u, v| *v != 0.0 && !changes(r, u));
    }
    let mut scale: BTreeMap<usize, f64> = fixed.iter().flat_map(BranchRow::keys).map(|&u| (u, 1.0)).collect();
    let middle = |ends: (f64, f64)| 1.0 / (ends.0 * ends.1).sqrt();
    let widen = |ends: (f64, f64), x: f64| (ends.0.min(x), ends.1.max(x));
    for _ in 0..BALANCING {
        let mut ends: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for row in fixed.iter().filter(|row| !row.is_empty()) {
            let scaled = || row.iter().map(|(u, v)| (v * scale[u]).abs());
            let of_row = middle(scaled().fold((f64::INFINITY, 0.0), widen));
            for (&u, v) in row {
                let x = (v * of_row).abs();
                ends.entry(u).and_modify(|e| *e = widen(*e, x)).or_insert((x, x));
            }
        }
        scale.iter_mut().for_each(|(u, c)| *c = middle(ends[u]));
    }
    for (u, v) in branches.iter_mut().flatten().flatten() {
        *v *= scale.get(u).copied().unwrap_or(1.0);
    }
}
