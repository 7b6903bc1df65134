//! Solving the equations of one block for its unknowns, as far as symbols allow.
//!
//! A linear block is eliminated by Gauss with pivots that cannot vanish; otherwise the block is torn: a few
//! unknowns are left to the numeric solver, the others follow from them one after the other. [Elmqvist1994]

use std::collections::HashMap;

use crate::derivative::{Gradient, gradients};
use crate::graph::Graph;
use crate::node::{Expr, Node, Symbol};
use crate::structure::sign::sign;

/// Largest linear block that is eliminated symbolically: beyond it the terms outgrow a numeric solution.
const LARGEST_LINEAR: usize = 24;

/// The solution of a block: definitions in order of evaluation, then what is left.
#[derive(Debug, Default)]
pub struct Solution {
    /// unknown = expression of known things and of earlier unknowns; with the equation it came from.
    pub definitions: Vec<(usize, Expr, usize)>,
    /// Unknowns left to the numeric solver.
    pub torn: Vec<usize>,
    /// Equations whose residual determines them.
    pub residuals: Vec<usize>,
    /// The block is linear and its equations depend on each other, whatever the parameters are.
    pub singular: bool,
}

/// The equations of a model as residuals with their derivatives by the unknowns.
pub struct Equations<'a> {
    pub graph: &'a Graph,
    /// Default values of the parameters: their signs are taken to stay.
    pub parameters: &'a HashMap<Symbol, f64>,
    /// Leaf of each unknown: a symbol or a derivative.
    pub leaves: &'a [Node],
    /// lhs, rhs, lhs − rhs.
    pub sides: &'a [(Expr, Expr)],
    pub residuals: &'a [Expr],
    /// ∂residual/∂unknown.
    pub gradients: &'a [Gradient],
}

impl Equations<'_> {
    fn partial(&self, equation: usize, unknown: usize) -> Option<Expr> {
        let list = &self.gradients[equation];
        list.binary_search_by_key(&(unknown as u32), |&(u, _)| u).ok().map(|k| list[k].1)
    }

    /// Is the equation linear in `unknown` with a coefficient that holds none of `others`?
    fn is_free_of(&self, e: Expr, others: &[usize]) -> bool {
        let nodes = self.graph.reachable([e]);
        !nodes.iter().any(|&n| {
            let node = self.graph.node(n);
            matches!(node, Node::Symbol(_) | Node::Derivative(_))
                && others.iter().any(|&u| self.leaves[u] == node)
        })
    }

    /// unknown = …, if the equation is linear in it. `any_divisor`: also divide by what might vanish.
    fn solved_for(&self, equation: usize, unknown: usize, any_divisor: bool) -> Option<Expr> {
        let graph = self.graph;
        let leaf = self.leaves[unknown];
        let (lhs, rhs) = self.sides[equation];
        // As the user wrote it.
        if graph.node(lhs) == leaf && self.is_free_of(rhs, &[unknown]) {
            return Some(rhs);
        }
        if graph.node(rhs) == leaf && self.is_free_of(lhs, &[unknown]) {
            return Some(lhs);
        }
        let slope = self.partial(equation, unknown)?;
        if !self.is_free_of(slope, &[unknown]) {
            return None;
        }
        if !any_divisor && !sign(graph, self.parameters, slope).excludes_zero() {
            return None;
        }
        // The side that holds the unknown minus the other, at unknown = 0.
        let zero = graph.constant(0.0).id;
        let rest = graph.rewrite(&[lhs, rhs], |n| (n == leaf).then_some(zero));
        Some(((graph.at(rest[1]) - graph.at(rest[0])) / graph.at(slope)).id)
    }

    /// Solve the block of `equations` for `unknowns` (as many).
    pub fn solve(&self, equations: &[usize], unknowns: &[usize]) -> Solution {
        if let ([equation], [unknown]) = (equations, unknowns) {
            return match self.solved_for(*equation, *unknown, true) {
                Some(e) => Solution { definitions: vec![(*unknown, e, *equation)], ..Solution::default() },
                None => Solution { torn: vec![*unknown], residuals: vec![*equation], ..Solution::default() },
            };
        }
        self.linear(equations, unknowns).unwrap_or_else(|| self.tear(equations, unknowns))
    }

    /// Gauss elimination in symbols; None if the block is not linear or a pivot might vanish.
    fn linear(&self, equations: &[usize], unknowns: &[usize]) -> Option<Solution> {
        if equations.len() > LARGEST_LINEAR {
            return None;
        }
        let graph = self.graph;
        let mut rows: Vec<HashMap<usize, Expr>> = Vec::new();
        let mut right: Vec<Expr> = Vec::new();
        let zero = graph.constant(0.0).id;
        for &e in equations {
            let mut row = HashMap::new();
            for &u in unknowns {
                if let Some(slope) = self.partial(e, u) {
                    if !self.is_free_of(slope, unknowns) {
                        return None;
                    }
                    row.insert(u, slope);
                }
            }
            rows.push(row);
            let is_unknown = |n: Node| unknowns.iter().any(|&u| self.leaves[u] == n);
            let rest = graph.rewrite(&[self.residuals[e]], |n| is_unknown(n).then_some(zero))[0];
            right.push((-graph.at(rest)).id);
        }
        let mut open: Vec<usize> = (0..rows.len()).collect();
        // (unknown, row) in order of elimination.
        let mut order: Vec<(usize, usize)> = Vec::new();
        while !open.is_empty() {
            if open.iter().any(|&r| rows[r].is_empty()) {
                return Some(Solution { singular: true, ..Solution::default() });
            }
            let (row, unknown) = self.pivot(&open, &rows).or_else(|| self.last_pivot(&open, &rows))?;
            open.retain(|&r| r != row);
            order.push((unknown, row));
            let pivot = graph.at(rows[row][&unknown]);
            for &r in &open {
                let Some(a) = rows[r].remove(&unknown) else { continue };
                let factor = graph.at(a) / pivot;
                let pivot_row: Vec<(usize, Expr)> =
                    rows[row].iter().filter(|&(&u, _)| u != unknown).map(|(&u, &x)| (u, x)).collect();
                for (u, x) in pivot_row {
                    let old = rows[r].get(&u).map_or(graph.constant(0.0), |&o| graph.at(o));
                    let new = old - factor * graph.at(x);
                    if new.value() == Some(0.0) {
                        rows[r].remove(&u);
                    } else {
                        rows[r].insert(u, new.id);
                    }
                }
                right[r] = (graph.at(right[r]) - factor * graph.at(right[row])).id;
            }
        }
        // The last one eliminated is known first.
        let mut definitions = Vec::new();
        for &(unknown, row) in order.iter().rev() {
            let mut sum = graph.at(right[row]);
            let mut terms: Vec<(usize, Expr)> = rows[row].iter().map(|(&u, &x)| (u, x)).collect();
            terms.sort_unstable_by_key(|&(u, _)| u);
            for (u, x) in terms.into_iter().filter(|&(u, _)| u != unknown) {
                sum = sum - graph.at(x) * self.leaf(u);
            }
            definitions.push((unknown, (sum / graph.at(rows[row][&unknown])).id, equations[row]));
        }
        Some(Solution { definitions, ..Solution::default() })
    }

    fn leaf(&self, unknown: usize) -> crate::graph::Ex<'_> {
        match self.leaves[unknown] {
            Node::Derivative(s) => self.graph.derivative(s),
            Node::Symbol(s) => self.graph.symbol(s),
            _ => self.graph.time(),
        }
    }

    /// The safe pivot that makes least fill (Markowitz), constants first.
    fn pivot(&self, open: &[usize], rows: &[HashMap<usize, Expr>]) -> Option<(usize, usize)> {
        let mut safe = Vec::new();
        for &r in open {
            for (&u, &x) in &rows[r] {
                if sign(self.graph, self.parameters, x).excludes_zero() {
                    let column = open.iter().filter(|&&o| rows[o].contains_key(&u)).count();
                    let fill = (rows[r].len() - 1) * (column - 1);
                    let varies = self.graph.at(x).value().is_none();
                    safe.push((fill, varies, r, u));
                }
            }
        }
        safe.into_iter().min().map(|(_, _, row, unknown)| (row, unknown))
    }

    /// The one coefficient left may vanish on the way: the block is singular there whatever is done.
    fn last_pivot(&self, open: &[usize], rows: &[HashMap<usize, Expr>]) -> Option<(usize, usize)> {
        let [row] = *open else { return None };
        let mut entries = rows[row].iter();
        let (Some((&unknown, &slope)), None) = (entries.next(), entries.next()) else { return None };
        let moves = |e: &Expr| match self.graph.node(*e) {
            Node::Symbol(s) => !self.parameters.contains_key(&s),
            node => node == Node::Time,
        };
        self.graph.reachable([slope]).iter().any(moves).then_some((row, unknown))
    }

    /// Solve one equation after the other; when none has a single open unknown, give one to the solver.
    fn tear(&self, equations: &[usize], unknowns: &[usize]) -> Solution {
        let mut solution = Solution::default();
        let mut open_equations: Vec<usize> = equations.to_vec();
        let mut open: Vec<usize> = unknowns.to_vec();
        loop {
            let holds = |e: usize, open: &[usize]| -> Vec<usize> {
                open.iter().copied().filter(|&u| self.partial(e, u).is_some()).collect()
            };
            let ready = open_equations.iter().enumerate().find_map(|(k, &e)| match holds(e, &open)[..] {
                [u] => self.solved_for(e, u, false).map(|x| (k, e, u, x)),
                _ => None,
            });
            if let Some((k, e, u, x)) = ready {
                solution.definitions.push((u, x, e));
                open_equations.remove(k);
                open.retain(|&o| o != u);
                continue;
            }
            // The unknown that stands in most of the equations left makes most of them simpler.
            let count = |u: usize| open_equations.iter().filter(|&&e| self.partial(e, u).is_some()).count();
            let Some(&u) = open.iter().max_by_key(|&&u| (count(u), std::cmp::Reverse(u))) else { break };
            solution.torn.push(u);
            open.retain(|&o| o != u);
        }
        solution.residuals = open_equations;
        solution
    }
}

/// Gradients of residuals by unknowns.
pub fn by_unknowns(graph: &Graph, residuals: &[Expr], leaves: &[Node]) -> Vec<Gradient> {
    let key = |n: Node| match n {
        Node::Symbol(s) => Some((0u8, s)),
        Node::Derivative(s) => Some((1, s)),
        _ => None,
    };
    let columns: HashMap<_, u32> =
        leaves.iter().enumerate().filter_map(|(i, &n)| key(n).map(|k| (k, i as u32))).collect();
    gradients(graph, residuals, |n| key(n).and_then(|k| columns.get(&k).copied()))
}
