//! Which unknowns stand in which equation, and which of them it is given to determine.

use crate::derivative::Gradient;
use crate::flat::Flat;
use crate::graph::Graph;
use crate::hash::Map;
use crate::node::{Expr, Node, Symbol};
use crate::structure::leaf_expr;
use crate::structure::matching::{self, Matching};
use crate::structure::solve::{Equations, by_unknowns, columns};
use crate::structure::standing::Standing;

pub struct Sorted {
    /// The unknowns: symbols and derivatives.
    pub leaves: Vec<Node>,
    /// lhs, rhs of each equation.
    pub sides: Vec<(Expr, Expr)>,
    /// lhs − rhs.
    pub residuals: Vec<Expr>,
    /// ∂residual/∂unknown.
    pub gradients: Vec<Gradient>,
    /// Unknowns in each equation.
    pub incidence: Vec<Vec<usize>>,
    pub matching: Matching,
    pub standing: Standing,
}

impl Sorted {
    pub fn new(flat: &Flat, leaves: Vec<Node>) -> Self {
        let graph = &flat.graph;
        let sides: Vec<(Expr, Expr)> = flat.equations.iter().map(|e| (e.lhs, e.rhs)).collect();
        let residuals: Vec<Expr> = sides.iter().map(|&(l, r)| (graph.at(l) - graph.at(r)).id).collect();
        let gradients = by_unknowns(graph, &residuals, &leaves);
        let incidence: Vec<Vec<usize>> =
            gradients.iter().map(|g| g.iter().map(|&(u, _)| u as usize).collect()).collect();
        let column: Map<Expr, usize> =
            leaves.iter().enumerate().map(|(i, &n)| (leaf_expr(graph, n), i)).collect();
        let preferred: Vec<Option<usize>> = sides
            .iter()
            .zip(&incidence)
            .map(|((l, r), list)| {
                [l, r].into_iter().find_map(|side| column.get(side)).copied().filter(|u| list.contains(u))
            })
            .collect();
        let matching = matching::maximum(&incidence, leaves.len(), &preferred);
        let standing = Standing::new(graph, sides.iter().flat_map(|&(l, r)| [l, r]), columns(&leaves));
        Sorted { leaves, sides, residuals, gradients, incidence, matching, standing }
    }

    pub fn equations<'a>(&'a self, graph: &'a Graph, parameters: &'a Map<Symbol, f64>) -> Equations<'a> {
        let Sorted { leaves, sides, residuals, gradients, standing, .. } = self;
        Equations { graph, parameters, leaves, sides, residuals, gradients, standing }
    }

    /// Blocks of the equations that `roots` need, in the order they can be solved.
    pub fn blocks(&self, roots: impl IntoIterator<Item = usize>) -> Vec<Vec<usize>> {
        matching::blocks(&self.incidence, &self.matching, roots)
    }
}
