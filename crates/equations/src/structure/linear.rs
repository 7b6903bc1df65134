//! A linear block solved in symbols: Gauss elimination with pivots that cannot vanish.
//!
//! The pivot that makes least fill goes first [Markowitz1957], so that sums and plain definitions cost nothing and a chain of
//! any length stays a chain. A block that fills up is left to the numeric solver: its terms would outgrow it.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::Graph;
use crate::hash::{Map, Set};
use crate::node::{Expr, Node};
use crate::structure::leaf_expr;
use crate::structure::sign::sign;
use crate::structure::solve::{Equations, Solution};

/// Up to here fill does not matter.
const SMALL: usize = 24;
/// Largest block tried, and the entries that may change for each of its equations.
const LARGEST: usize = 1_000;
const MOST_CHANGES: usize = 8;

/// None if the block is not linear, fills up, or a pivot might vanish.
pub fn linear(equations: &Equations<'_>, block: &[usize], unknowns: &[usize]) -> Option<Solution> {
    if block.len() > LARGEST {
        return None;
    }
    let mut gauss = Gauss::new(equations, block, unknowns)?;
    let most = if block.len() <= SMALL { usize::MAX } else { MOST_CHANGES * block.len() };
    // (unknown, row) in order of elimination.
    let mut order: Vec<(usize, usize)> = Vec::new();
    while !gauss.open.is_empty() {
        if let Some(&r) = gauss.open.iter().find(|&&r| gauss.rows[r].is_empty()) {
            return Some(Solution { hidden: Some((block[r], gauss.right[r])), ..Solution::default() });
        }
        let (row, unknown) = gauss.pivot().or_else(|| gauss.last_pivot())?;
        gauss.eliminate(row, unknown);
        order.push((unknown, row));
        if gauss.changes > most {
            return None;
        }
    }
    // The last one eliminated is known first.
    let graph = equations.graph;
    let mut definitions = Vec::new();
    for &(unknown, row) in order.iter().rev() {
        let mut sum = graph.at(gauss.right[row]);
        for (&u, &x) in gauss.rows[row].iter().filter(|&(&u, _)| u != unknown) {
            sum = sum - graph.at(x) * graph.at(leaf_expr(graph, equations.leaves[u]));
        }
        definitions.push((unknown, (sum / graph.at(gauss.rows[row][&unknown])).id, block[row]));
    }
    Some(Solution { definitions, ..Solution::default() })
}

/// Σ rows[r][u] · u = right[r].
struct Gauss<'a> {
    equations: &'a Equations<'a>,
    rows: Vec<BTreeMap<usize, Expr>>,
    right: Vec<Expr>,
    /// Rows not used yet, and which of them hold each unknown.
    open: BTreeSet<usize>,
    holding: Map<usize, BTreeSet<usize>>,
    /// Whether each coefficient met so far may be divided by.
    safe: Map<Expr, bool>,
    changes: usize,
}

impl<'a> Gauss<'a> {
    fn new(equations: &'a Equations<'a>, block: &[usize], unknowns: &[usize]) -> Option<Self> {
        let graph = equations.graph;
        let leaves: Set<Expr> = unknowns.iter().map(|&u| leaf_expr(graph, equations.leaves[u])).collect();
        let own: Set<usize> = unknowns.iter().copied().collect();
        let zero = graph.constant(0.0).id;
        let (mut rows, mut right) = (Vec::new(), Vec::new());
        let mut holding: Map<usize, BTreeSet<usize>> = Map::default();
        for (r, &e) in block.iter().enumerate() {
            let mut row = BTreeMap::new();
            for &(u, slope) in &equations.gradients[e] {
                if !own.contains(&(u as usize)) {
                    continue;
                }
                if graph.reachable([slope]).iter().any(|n| leaves.contains(n)) {
                    return None;
                }
                row.insert(u as usize, slope);
                holding.entry(u as usize).or_default().insert(r);
            }
            rows.push(row);
            let rest = without(graph, equations.residuals[e], &leaves, zero);
            right.push((-graph.at(rest)).id);
        }
        let open = (0..block.len()).collect();
        Some(Gauss { equations, rows, right, open, holding, safe: Map::default(), changes: 0 })
    }

    /// The safe pivot that makes least fill, constants first.
    fn pivot(&mut self) -> Option<(usize, usize)> {
        let Equations { graph, parameters, .. } = *self.equations;
        let mut best = None;
        for &r in &self.open {
            for (&u, &x) in &self.rows[r] {
                let safe = *self.safe.entry(x).or_insert_with(|| sign(graph, parameters, x).excludes_zero());
                if safe {
                    let fill = (self.rows[r].len() - 1) * (self.holding[&u].len() - 1);
                    let varies = graph.at(x).value().is_none();
                    let choice = (fill, varies, r, u);
                    best = Some(best.map_or(choice, |b| choice.min(b)));
                }
            }
        }
        best.map(|(_, _, row, unknown)| (row, unknown))
    }

    /// The one coefficient left may vanish on the way: the block is singular there whatever is done.
    fn last_pivot(&self) -> Option<(usize, usize)> {
        let Equations { graph, parameters, .. } = *self.equations;
        let (Some(&row), 1) = (self.open.first(), self.open.len()) else { return None };
        let (Some((&unknown, &slope)), 1) = (self.rows[row].first_key_value(), self.rows[row].len()) else {
            return None;
        };
        let moves = |e: &Expr| match graph.node(*e) {
            Node::Symbol(s) => !parameters.contains_key(&s),
            node => node == Node::Time,
        };
        graph.reachable([slope]).iter().any(moves).then_some((row, unknown))
    }

    /// Takes `unknown` out of all other open rows.
    fn eliminate(&mut self, row: usize, unknown: usize) {
        let graph = self.equations.graph;
        self.open.remove(&row);
        for &u in self.rows[row].keys() {
            self.holding.entry(u).or_default().remove(&row);
        }
        let pivot_row = self.rows[row].clone();
        let pivot = graph.at(pivot_row[&unknown]);
        for r in self.holding.remove(&unknown).unwrap_or_default() {
            let Some(a) = self.rows[r].remove(&unknown) else { continue };
            let factor = graph.at(a) / pivot;
            for (&u, &x) in pivot_row.iter().filter(|&(&u, _)| u != unknown) {
                let old = self.rows[r].get(&u).map_or(graph.constant(0.0), |&o| graph.at(o));
                let new = old - factor * graph.at(x);
                self.changes += 1;
                if new.value() == Some(0.0) {
                    self.rows[r].remove(&u);
                    self.holding.entry(u).or_default().remove(&r);
                } else {
                    self.rows[r].insert(u, new.id);
                    self.holding.entry(u).or_default().insert(r);
                }
            }
            self.right[r] = (graph.at(self.right[r]) - factor * graph.at(self.right[row])).id;
        }
    }
}

/// The expression where all the leaves are zero.
fn without(graph: &Graph, e: Expr, leaves: &Set<Expr>, zero: Expr) -> Expr {
    graph.rewrite(&[e], |node| match node {
        Node::Symbol(_) | Node::Derivative(_) => leaves.contains(&leaf_expr(graph, node)).then_some(zero),
        _ => None,
    })[0]
}
