//! Which unknowns stand in which equation, and which of them it is given to determine.
//!
//! An unknown whose terms cancel (z in y = z + x − z) is taken out: an equation can neither determine it nor needs it. One that stays
//! although its slope is zero, because it decides a step (`floor(z)`), is needed but not determined.
//!
//! In a long chain of bodies every acceleration depends on every force. Where slopes would be so many, what an equation gives by itself (the force
//! of a damper, from a speed that is known) counts as known in all others, if everything is determined then.

use crate::derivative::{self, Gradient};
use crate::flat::Flat;
use crate::graph::Graph;
use crate::hash::Map;
use crate::node::{Binary, Expr, ExprNode, Symbol, Unary};
use crate::structure::identity::Identity;
use crate::structure::leaf_expr;
use crate::structure::matching::{self, Matching};
use crate::structure::occurrences::Occurrences;
use crate::structure::solve::{Equations, by_unknowns, columns};

/// Unknowns of all equations together beyond which slopes by those that are given are left out.
const MANY: usize = 60_000;
/// Rounds in which such unknowns are looked for: each may need those of the round before.
const ROUNDS: usize = 8;

pub struct Sorted {
    /// The unknowns: symbols and derivatives.
    pub leaves: Vec<ExprNode>,
    /// lhs, rhs of each equation.
    pub sides: Vec<(Expr, Expr)>,
    /// lhs − rhs.
    pub residuals: Vec<Expr>,
    /// ∂residual/∂unknown, where it is not zero.
    pub gradients: Vec<Gradient>,
    /// Unknowns that each equation can determine.
    pub incidence: Vec<Vec<usize>>,
    /// Unknowns that stand in each equation.
    pub present: Vec<Vec<usize>>,
    /// Those of them that decide a step in it.
    pub stepped: Vec<Vec<usize>>,
    pub matching: Matching,
    pub standing: Occurrences,
}

impl Sorted {
    /// Equations from number `added` on were added to those of the model.
    pub fn new(flat: &Flat, leaves: Vec<ExprNode>, added: usize) -> Self {
        let (sorted, is_whole) = Self::make(flat, leaves, added, true);
        let Matching { unknown_of, equation_of } = &sorted.matching;
        let is_open = unknown_of.iter().chain(equation_of).any(Option::is_none);
        // Missing and redundant equations are reported with all unknowns that they contain.
        if is_open && !is_whole { Self::make(flat, sorted.leaves, added, false).0 } else { sorted }
    }

    /// `shortens`: slopes by what is given are left out where that pays. True if none are.
    fn make(flat: &Flat, leaves: Vec<ExprNode>, added: usize, shortens: bool) -> (Self, bool) {
        let graph = &flat.graph;
        let mut sides: Vec<(Expr, Expr)> = flat.equations.iter().map(|e| (e.lhs, e.rhs)).collect();
        let residual = |&(l, r): &(Expr, Expr)| (graph.at(l) - graph.at(r)).id;
        let mut residuals: Vec<Expr> = sides.iter().map(residual).collect();
        let column: Map<Expr, usize> =
            leaves.iter().enumerate().map(|(i, &n)| (leaf_expr(graph, n), i)).collect();
        let all = |sides: &[(Expr, Expr)], residuals: &[Expr]| {
            let sides: Vec<Expr> =
                sides.iter().flat_map(|&(l, r)| [l, r]).chain(residuals.iter().copied()).collect();
            Occurrences::of_unknowns(graph, sides, columns(&leaves))
        };
        let mut standing = all(&sides, &residuals);
        let given = if shortens { given(&sides, &residuals, &standing, &column) } else { Map::default() };
        let number = columns(&leaves);
        let open = |node: ExprNode| number(node).filter(|&u| !given.contains_key(&(u as usize)));
        let mut gradients = derivative::gradients(graph, &residuals, open);
        for (&u, &e) in &given {
            let is_left = sides[e].0 == leaf_expr(graph, leaves[u]);
            gradients[e] = vec![(u as u32, graph.constant(if is_left { 1.0 } else { -1.0 }).id)];
        }
        let mut cancels = false;
        let mut identity = Identity::new(graph);
        for e in 0..sides.len() {
            let (own, mut identity) = (&gradients[e], |x: Expr| identity.is_zero(x));
            let slope = |u: usize| own.binary_search_by_key(&(u as u32), |g| g.0).ok().map(|k| own[k].1);
            let asked = |u: usize| given.get(&u).is_none_or(|&own| own == e);
            let unknowns = standing.unknowns(residuals[e]).filter(|&u| asked(u));
            let cancelled: Vec<usize> = unknowns.filter(|&u| slope(u).is_none_or(&mut identity)).collect();
            if cancelled.is_empty() {
                continue;
            }
            cancels = true;
            for u in &cancelled {
                sides[e] = without(graph, sides[e], leaf_expr(graph, leaves[*u]), &mut identity);
            }
            residuals[e] = residual(&sides[e]);
            gradients[e] = by_unknowns(graph, &residuals[e..=e], &leaves).swap_remove(0);
            gradients[e].retain(|&(u, _)| asked(u as usize) && !cancelled.contains(&(u as usize)));
        }
        if cancels {
            standing = all(&sides, &residuals);
        }
        let present = residuals.iter().map(|&r| standing.unknowns(r).collect()).collect();
        let stepped = stepped(graph, &residuals, &standing);
        let incidence: Vec<Vec<usize>> =
            gradients.iter().map(|g| g.iter().map(|&(u, _)| u as usize).collect()).collect();
        let preferred: Vec<Option<usize>> = sides
            .iter()
            .zip(&incidence)
            .map(|((l, r), list)| {
                [l, r].into_iter().find_map(|side| column.get(side)).copied().filter(|u| list.contains(u))
            })
            .collect();
        let matching = matching::maximum(&incidence, leaves.len(), &preferred, added);
        let sorted =
            Sorted { leaves, sides, residuals, gradients, incidence, present, stepped, matching, standing };
        (sorted, given.is_empty())
    }

    pub fn equations<'a>(&'a self, graph: &'a Graph, parameters: &'a Map<Symbol, f64>) -> Equations<'a> {
        let Sorted { leaves, sides, residuals, gradients, standing, present, stepped, .. } = self;
        Equations { graph, parameters, leaves, sides, residuals, gradients, standing, present, stepped }
    }

    /// Blocks of the equations that `roots` need, in the order they can be solved.
    pub fn blocks(&self, roots: impl IntoIterator<Item = usize>) -> Vec<Vec<usize>> {
        matching::blocks(&self.present, &self.matching, roots)
    }
}

/// Unknowns that an equation gives by itself, or by others of them, each with its equation; none in a model of usual size.
fn given(
    sides: &[(Expr, Expr)],
    residuals: &[Expr],
    standing: &Occurrences,
    column: &Map<Expr, usize>,
) -> Map<usize, usize> {
    let mut given = Map::default();
    if residuals.iter().map(|&r| standing.unknowns(r).count()).sum::<usize>() <= MANY {
        return given;
    }
    for _ in 0..ROUNDS {
        let before = given.len();
        for (e, &(l, r)) in sides.iter().enumerate() {
            let alone = |(side, other): (Expr, Expr)| {
                column.get(&side).copied().filter(|&u| !standing.has(other, u) && !given.contains_key(&u))
            };
            let Some(u) = [(l, r), (r, l)].into_iter().find_map(alone) else { continue };
            if standing.unknowns(residuals[e]).all(|v| v == u || given.contains_key(&v)) {
                given.insert(u, e);
            }
        }
        if given.len() == before {
            break;
        }
    }
    given
}

/// The sides of an equation without a leaf that does not change their difference, if they have a value where it is 0 or 1.
fn without(
    graph: &Graph,
    sides: (Expr, Expr),
    leaf: Expr,
    is_zero: &mut impl FnMut(Expr) -> bool,
) -> (Expr, Expr) {
    let node = graph.node(leaf);
    let residual = |(l, r): (Expr, Expr)| graph.at(l) - graph.at(r);
    for value in [0.0, 1.0] {
        let number = graph.constant(value).id;
        let new = graph.rewrite(&[sides.0, sides.1], |n| (n == node).then_some(number));
        let new = (new[0], new[1]);
        if is_zero((residual(new) - residual(sides)).id) {
            return new;
        }
    }
    sides
}

/// Unknowns under a function that jumps, equation by equation.
fn stepped(graph: &Graph, residuals: &[Expr], standing: &Occurrences) -> Vec<Vec<usize>> {
    let steps = |node: ExprNode| match node {
        ExprNode::Unary(op, _) => matches!(op, Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Not),
        ExprNode::Binary(op, ..) => {
            use Binary::*;
            matches!(op, Mod | Lt | Le | Eq | Ne | And | Or)
        }
        _ => false,
    };
    let stepped = Occurrences::new(graph, residuals.iter().copied(), |e, node| {
        steps(node).then(|| standing.unknowns(e).map(|u| u as u32).collect())
    });
    residuals.iter().map(|&r| stepped.unknowns(r).collect()).collect()
}
