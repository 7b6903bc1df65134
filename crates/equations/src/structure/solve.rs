//! Solving the equations of one block for its unknowns, as far as symbols allow.
//!
//! A linear block is eliminated by Gauss with pivots that cannot vanish; otherwise the block is torn: a few
//! unknowns are left to the numeric solver, the others follow from them one after the other. [Elmqvist1994]

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::derivative::{Gradient, gradients};
use crate::graph::Graph;
use crate::hash::{Map, Set};
use crate::node::{Expr, ExprNode, Symbol};
use crate::start::evaluate;
use crate::structure::branches::SAFE;
use crate::structure::identity::Identity;
use crate::structure::leaf_expr;
use crate::structure::linear::{branches, constant, linear, singular};
use crate::structure::occurrences::Occurrences;
use crate::structure::sign::sign;

/// The solution of a block: definitions in order of evaluation, then what is left.
#[derive(Debug, Default)]
pub struct BlockSolution {
    /// unknown = expression of known things and of earlier unknowns; with the equation it came from.
    pub definitions: Vec<(usize, Expr, usize)>,
    /// Unknowns left to the numeric solver.
    pub torn: Vec<usize>,
    /// Equations whose residual determines them.
    pub residuals: Vec<usize>,
    /// The block is linear and its equations depend on each other, whatever the parameters are: this equation, with
    /// multiples of the others added, loses all unknowns of the block and says 0 = expression.
    pub hidden: Option<(usize, Expr)>,
    /// With the parameters as they are, this equation does not determine this unknown, nor do the others of the block.
    pub vanishing: Option<(usize, usize)>,
}

/// The equations of a model as residuals with their derivatives by the unknowns.
pub struct Equations<'a> {
    pub graph: &'a Graph,
    /// Default values of the parameters: their signs are taken to stay.
    pub parameters: &'a Map<Symbol, f64>,
    /// Leaf of each unknown: a symbol or a derivative.
    pub leaves: &'a [ExprNode],
    /// lhs, rhs, lhs − rhs.
    pub sides: &'a [(Expr, Expr)],
    pub residuals: &'a [Expr],
    /// ∂residual/∂unknown.
    pub gradients: &'a [Gradient],
    /// What stands in the sides.
    pub standing: &'a Occurrences,
    /// Unknowns that stand in each equation, and those that decide a step in it.
    pub present: &'a [Vec<usize>],
    pub stepped: &'a [Vec<usize>],
}

impl Equations<'_> {
    fn partial(&self, equation: usize, unknown: usize) -> Option<Expr> {
        let list = &self.gradients[equation];
        list.binary_search_by_key(&(unknown as u32), |&(u, _)| u).ok().map(|k| list[k].1)
    }

    /// unknown = …, if the equation is linear in it. `any_divisor`: also divide by what might vanish.
    fn solved_for(&self, equation: usize, unknown: usize, any_divisor: bool) -> Option<Expr> {
        let graph = self.graph;
        let leaf = self.leaves[unknown];
        let own = leaf_expr(graph, leaf);
        let (lhs, rhs) = self.sides[equation];
        // As the user wrote it.
        if lhs == own && !self.standing.has(rhs, unknown) {
            return Some(rhs);
        }
        if rhs == own && !self.standing.has(lhs, unknown) {
            return Some(lhs);
        }
        if self.stepped[equation].contains(&unknown) {
            return None;
        }
        let only = Set::from_iter([own]);
        let slope = constant(graph, self.partial(equation, unknown)?, &only, &mut Identity::new(graph))?;
        if !any_divisor && !sign(graph, self.parameters, slope).excludes_zero() {
            return None;
        }
        // The side that holds the unknown minus the other, at unknown = 0.
        let zero = graph.constant(0.0).id;
        let rest = graph.rewrite(&[lhs, rhs], |n| (n == leaf).then_some(zero));
        Some(((graph.at(rest[1]) - graph.at(rest[0])) / graph.at(slope)).id)
    }

    /// The coefficient of the unknown is zero with the parameters as they are, and depends on nothing else.
    fn vanishes(&self, equation: usize, unknown: usize) -> bool {
        let slope = self.partial(equation, unknown);
        let value = |e| evaluate(self.graph, e, |s| self.parameters.get(&s).copied().unwrap_or(f64::NAN));
        slope.is_some_and(|e| self.graph.at(e).value().is_none() && value(e) == 0.0)
    }

    /// Solve the block of `equations` for `unknowns` (as many).
    pub fn solve(&self, equations: &[usize], unknowns: &[usize]) -> BlockSolution {
        if let ([equation], [unknown]) = (equations, unknowns) {
            let vanishing = self.vanishes(*equation, *unknown).then_some((*equation, *unknown));
            return match self.solved_for(*equation, *unknown, true) {
                Some(e) => BlockSolution {
                    definitions: vec![(*unknown, e, *equation)],
                    vanishing,
                    ..BlockSolution::default()
                },
                None => BlockSolution {
                    torn: vec![*unknown],
                    residuals: vec![*equation],
                    ..BlockSolution::default()
                },
            };
        }
        linear(self, equations, unknowns).unwrap_or_else(|| {
            let vanishing = singular(self, equations, unknowns);
            BlockSolution { vanishing, ..self.tear(equations, unknowns) }
        })
    }

    /// Solve one equation after the other; when none has a single open unknown, give one to the solver. An unknown that would get what rounding
    /// does to others many times over (the voltage of a diode that blocks, from its current) is given to the solver too.
    fn tear(&self, equations: &[usize], unknowns: &[usize]) -> BlockSolution {
        let mut solution = BlockSolution::default();
        let mut branches = branches(self, equations, unknowns);
        let mut amplifies = |e: usize, u: usize| {
            let row = equations.binary_search(&e).ok();
            row.zip(branches.as_mut()).is_some_and(|(r, b)| b.worst(r, u).is_some_and(|w| w < SAFE))
        };
        // Open unknowns of each open equation, and the equations that hold each open unknown.
        let mut holding: Map<usize, Vec<usize>> = unknowns.iter().map(|&u| (u, vec![])).collect();
        let mut open: Map<usize, BTreeSet<usize>> = Map::default();
        for &e in equations {
            let own = self.present[e].iter().copied().filter(|u| holding.contains_key(u));
            let own: BTreeSet<usize> = own.collect();
            own.iter().for_each(|u| holding.entry(*u).or_default().push(e));
            open.insert(e, own);
        }
        let mut ready: BTreeSet<usize> = equations.iter().copied().filter(|e| open[e].len() == 1).collect();
        loop {
            let known = if let Some(e) = ready.pop_first() {
                let Some(u) = open.get(&e).and_then(BTreeSet::first).copied() else { continue };
                let Some(x) = self.solved_for(e, u, false).filter(|_| !amplifies(e, u)) else { continue };
                solution.definitions.push((u, x, e));
                open.remove(&e);
                u
            } else {
                // The unknown that stands in most of the equations left makes most of them simpler.
                let count = |u: usize| holding[&u].iter().filter(|e| open.contains_key(e)).count();
                let most = holding.keys().copied().max_by_key(|&u| (count(u), Reverse(u)));
                let Some(u) = most else { break };
                solution.torn.push(u);
                u
            };
            for e in holding.remove(&known).unwrap_or_default() {
                let Some(own) = open.get_mut(&e) else { continue };
                own.remove(&known);
                if own.len() == 1 {
                    ready.insert(e);
                }
            }
        }
        solution.residuals = equations.iter().copied().filter(|e| open.contains_key(e)).collect();
        solution
    }
}

/// Numbers of the unknowns by their leaf.
pub fn columns(leaves: &[ExprNode]) -> impl Fn(ExprNode) -> Option<u32> + use<> {
    let key = |n: ExprNode| match n {
        ExprNode::Symbol(s) => Some((0u8, s)),
        ExprNode::Derivative(s) => Some((1, s)),
        _ => None,
    };
    let columns: Map<_, u32> =
        leaves.iter().enumerate().filter_map(|(i, &n)| key(n).map(|k| (k, i as u32))).collect();
    move |n| key(n).and_then(|k| columns.get(&k).copied())
}

/// Gradients of residuals by unknowns.
pub(crate) fn by_unknowns(graph: &Graph, residuals: &[Expr], leaves: &[ExprNode]) -> Vec<Gradient> {
    gradients(graph, residuals, columns(leaves))
}
