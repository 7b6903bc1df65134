//! A linear block solved in symbols: Gauss elimination with pivots that cannot vanish.
//!
//! The pivot that makes least fill goes first [Markowitz1957], so that sums and plain definitions cost nothing and a chain of
//! any length stays a chain. Where switches change coefficients by many orders of magnitude, only pivots that are good by every branch go first
//! (`branches.rs`). A block that fills up is left to the numeric solver: its terms would outgrow it.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::Graph;
use crate::hash::{Map, Set};
use crate::node::{Expr, ExprNode};
use crate::start::evaluate;
use crate::structure::branches::{Branches, SAFE};
use crate::structure::identity::Identity;
use crate::structure::leaf_expr;
use crate::structure::sign::sign;
use crate::structure::solve::{BlockSolution, Equations};

/// Largest block tried, and the entries that may change for each of its equations, and in a small one.
const LARGEST: usize = 1_000;
const MOST_CHANGES: usize = 8;
const FEW_CHANGES: usize = 4_000;

/// None if the block is not linear, fills up, or a pivot might vanish.
pub fn linear(equations: &Equations<'_>, block: &[usize], unknowns: &[usize]) -> Option<BlockSolution> {
    if block.len() > LARGEST {
        return None;
    }
    let mut gauss = Gauss::new(equations, block, unknowns)?;
    gauss.branches = Branches::new(equations.graph, equations.parameters, &gauss.rows);
    let most = FEW_CHANGES.max(MOST_CHANGES * block.len());
    // (unknown, row) in order of elimination.
    let mut order: Vec<(usize, usize)> = Vec::new();
    while !gauss.open.is_empty() {
        if let Some(&r) = gauss.open.iter().find(|&&r| gauss.rows[r].is_empty()) {
            return Some(BlockSolution {
                hidden: Some((block[r], gauss.right[r])),
                ..BlockSolution::default()
            });
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
    Some(BlockSolution { definitions, ..BlockSolution::default() })
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
    /// Coefficients in numbers, if switches change them.
    branches: Option<Branches>,
    identity: Identity<'a>,
    changes: usize,
}

impl<'a> Gauss<'a> {
    fn new(equations: &'a Equations<'a>, block: &[usize], unknowns: &[usize]) -> Option<Self> {
        let graph = equations.graph;
        let leaves: Set<Expr> = unknowns.iter().map(|&u| leaf_expr(graph, equations.leaves[u])).collect();
        let own: Set<usize> = unknowns.iter().copied().collect();
        let zero = graph.constant(0.0).id;
        let mut identity = Identity::new(graph);
        let (mut rows, mut right) = (Vec::new(), Vec::new());
        let mut holding: Map<usize, BTreeSet<usize>> = Map::default();
        for (r, &e) in block.iter().enumerate() {
            // What decides a step is not linear although its slope is a number.
            let [present, stepped] = [equations.present, equations.stepped].map(|list| list[e].iter());
            if stepped.clone().any(|u| own.contains(u)) {
                return None;
            }
            let row = coefficients(equations, e, &leaves, &own, &mut identity)?;
            row.keys().for_each(|&u| _ = holding.entry(u).or_default().insert(r));
            if present.clone().any(|u| own.contains(u) && !row.contains_key(u)) {
                return None;
            }
            rows.push(row);
            let rest = without(graph, equations.residuals[e], &leaves, zero);
            right.push((-graph.at(rest)).id);
        }
        let open = (0..block.len()).collect();
        Some(Gauss {
            equations,
            rows,
            right,
            open,
            holding,
            safe: Map::default(),
            branches: None,
            identity,
            changes: 0,
        })
    }

    /// The safe pivot that makes least fill, constants first; of those that may be small by some branch the largest.
    fn pivot(&mut self) -> Option<(usize, usize)> {
        let Equations { graph, parameters, .. } = *self.equations;
        let mut best: Option<(f64, (usize, bool, usize, usize))> = None;
        for &r in &self.open {
            for (&u, &x) in &self.rows[r] {
                let safe = *self.safe.entry(x).or_insert_with(|| sign(graph, parameters, x).excludes_zero());
                if safe {
                    let fill = (self.rows[r].len() - 1) * (self.holding[&u].len() - 1);
                    let varies = graph.at(x).value().is_none();
                    let choice = (fill, varies, r, u);
                    let small = self.branches.as_mut().and_then(|b| b.worst(r, u)).unwrap_or(SAFE).min(SAFE);
                    if best.is_none_or(|(s, b)| small > s || small == s && choice < b) {
                        best = Some((small, choice));
                    }
                }
            }
        }
        best.map(|(_, (_, _, row, unknown))| (row, unknown))
    }

    /// The one coefficient left may vanish during a run: the block is singular there whatever is done.
    fn last_pivot(&self) -> Option<(usize, usize)> {
        let Equations { graph, parameters, .. } = *self.equations;
        let (Some(&row), 1) = (self.open.first(), self.open.len()) else { return None };
        let (Some((&unknown, &slope)), 1) = (self.rows[row].first_key_value(), self.rows[row].len()) else {
            return None;
        };
        let moves = |e: &Expr| match graph.node(*e) {
            ExprNode::Symbol(s) => !parameters.contains_key(&s),
            node => node == ExprNode::Time,
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
                if self.identity.is_zero(new.id) {
                    self.rows[r].remove(&u);
                    self.holding.entry(u).or_default().remove(&r);
                } else {
                    self.rows[r].insert(u, new.id);
                    self.holding.entry(u).or_default().insert(r);
                }
            }
            self.right[r] = (graph.at(self.right[r]) - factor * graph.at(self.right[row])).id;
            if let Some(branches) = &mut self.branches {
                branches.eliminate(row, unknown, r, &self.rows[r]);
            }
        }
    }
}

/// The slopes of an equation by the block's `own` unknowns, its `leaves`; None if one depends on them.
fn coefficients(
    equations: &Equations<'_>,
    equation: usize,
    leaves: &Set<Expr>,
    own: &Set<usize>,
    identity: &mut Identity<'_>,
) -> Option<BTreeMap<usize, Expr>> {
    let slopes = equations.gradients[equation].iter().map(|&(u, slope)| (u as usize, slope));
    let slopes = slopes.filter(|(u, _)| own.contains(u));
    slopes.map(|(u, slope)| Some((u, constant(equations.graph, slope, leaves, identity)?))).collect()
}

/// The equations of a block that are linear, in numbers, if switches change them.
pub fn branches(equations: &Equations<'_>, block: &[usize], unknowns: &[usize]) -> Option<Branches> {
    let Equations { graph, parameters, .. } = *equations;
    let leaves: Set<Expr> = unknowns.iter().map(|&u| leaf_expr(graph, equations.leaves[u])).collect();
    let own: Set<usize> = unknowns.iter().copied().collect();
    let mut identity = Identity::new(graph);
    let mut row = |&e: &usize| coefficients(equations, e, &leaves, &own, &mut identity).unwrap_or_default();
    let rows: Vec<BTreeMap<usize, Expr>> = block.iter().map(&mut row).collect();
    Branches::new(graph, parameters, &rows)
}

/// Largest block whose numbers are looked at.
const LARGEST_SINGULAR: usize = 200;
/// What is left of a row after elimination counts as rounding below this share of its largest entry.
const ROUNDING: f64 = 1e-12;

/// An equation and an unknown of a linear block that is singular with the default values of the parameters, if its coefficients depend on
/// nothing else.
pub fn singular(equations: &Equations<'_>, block: &[usize], unknowns: &[usize]) -> Option<(usize, usize)> {
    if block.len() > LARGEST_SINGULAR {
        return None;
    }
    let Equations { graph, parameters, .. } = *equations;
    let gauss = Gauss::new(equations, block, unknowns)?;
    let number = |e: Expr| evaluate(graph, e, |s| parameters.get(&s).copied().unwrap_or(f64::NAN));
    let mut rows: Vec<Vec<f64>> = vec![];
    for row in &gauss.rows {
        let mut values: Vec<f64> = unknowns.iter().map(|u| row.get(u).map_or(0.0, |&e| number(e))).collect();
        let largest = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        if values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        if largest > 0.0 {
            values.iter_mut().for_each(|v| *v /= largest);
        }
        rows.push(values);
    }
    // Gauss elimination with the largest entry left as pivot.
    let (mut open_rows, mut open): (Vec<usize>, Vec<usize>) =
        ((0..block.len()).collect(), (0..block.len()).collect());
    while !open.is_empty() {
        let places = open_rows.iter().flat_map(|&r| open.iter().map(move |&c| (r, c)));
        let (r, c) = places.max_by(|a, b| rows[a.0][a.1].abs().total_cmp(&rows[b.0][b.1].abs()))?;
        if rows[r][c].abs() <= ROUNDING {
            return Some((block[r], unknowns[c]));
        }
        open_rows.retain(|&other| other != r);
        open.retain(|&other| other != c);
        let pivot = rows[r].clone();
        for &other in &open_rows {
            let factor = rows[other][c] / pivot[c];
            if factor != 0.0 {
                rows[other].iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            }
        }
    }
    None
}

/// A slope that does not depend on the leaves, written without them; None if it does.
pub fn constant(graph: &Graph, slope: Expr, leaves: &Set<Expr>, identity: &mut Identity<'_>) -> Option<Expr> {
    if !graph.reachable([slope]).iter().any(|n| leaves.contains(n)) {
        return Some(slope);
    }
    let fixed = without(graph, slope, leaves, graph.constant(0.0).id);
    identity.is_zero((graph.at(slope) - graph.at(fixed)).id).then_some(fixed)
}

/// The expression where all the leaves are zero.
fn without(graph: &Graph, e: Expr, leaves: &Set<Expr>, zero: Expr) -> Expr {
    graph.rewrite(&[e], |node| match node {
        ExprNode::Symbol(_) | ExprNode::Derivative(_) => {
            leaves.contains(&leaf_expr(graph, node)).then_some(zero)
        }
        _ => None,
    })[0]
}
