//! Equations that tie states to each other: differentiate them and give up as many states.
//!
//!   0 = g(x, t)   ⇒   0 = Σ ∂g/∂x · x' + ∂g/∂t,   and one x follows from the others                    (1)
//!
//! An equation that gets no unknown to determine belongs to a set with one equation more than unknowns [Pantelides1988].
//! The others of the set are solved for these unknowns and put into it: what is left is g, between states alone. (1)
//! is added as an equation. The state given up is an unknown like others, and so is its rate, a dummy derivative
//! [Mattsson1993]. Unknowns of the set that cannot be solved for in symbols are differentiated along.
//! All this is repeated until every equation has its unknown; each round leaves fewer states.
//!
//! The state to give up must be fixed by (1) for all time: ∂g/∂x must be certain not to vanish. States named in
//! `Flat::dependent` come first, then those that start at 0, then those an equation gives outright (`v = p/m`); but one
//! that can be solved for in symbols goes before one that cannot.
//! A pendulum in x, y has no such state: it is refused.

use std::collections::HashMap;

use crate::derivative::{Gradient, gradients};
use crate::flat::{Equation, Flat, Origin, QuantityRole};
use crate::graph::Graph;
use crate::hash::{Map, Set};
use crate::node::{Expr, ExprNode, Symbol};
use crate::start::{evaluate, start_values};
use crate::structure::alias::Alias;
use crate::structure::relations::{self, Relation};
use crate::structure::sign::sign;
use crate::structure::sorted::Sorted;
use crate::structure::{leaf_expr, states};

/// Code of the warning that a state given up was to start elsewhere than it does.
pub const UNFIT_START: &str = "S0007";

/// A state that is not independent.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// No longer integrated: its start is a guess at most.
    pub given_up: Symbol,
    /// The equation that ties it to others.
    pub equation: String,
    pub origin: Origin,
    /// 0 = constraint, in states, time and known values.
    pub constraint: Expr,
    /// The states it follows from.
    pub others: Vec<Symbol>,
}

/// Terms that differentiating may add, or times as many as there were: about a second of work.
const MOST_NODES: usize = 1_000_000;
const GROWTH: usize = 8;

/// Equations that could not be treated, and where the added ones come from.
#[derive(Default)]
pub struct ReductionFailure {
    /// Constraints in which no state is certain to follow from the others.
    pub undecided: Map<usize, Vec<Symbol>>,
    /// (equation, states in it) that an added equation is the derivative of.
    pub source: Map<usize, (usize, Vec<Symbol>)>,
    /// An equation that was still to be differentiated when the terms became too many.
    pub too_large: Option<usize>,
}

pub struct Reduced {
    pub sorted: Sorted,
    pub is_state: Vec<bool>,
    pub reductions: Vec<Reduction>,
    pub failure: ReductionFailure,
}

pub fn reduce(
    flat: &mut Flat,
    aliases: &[Alias],
    relations: &mut Vec<Relation>,
    parameters: &Map<Symbol, f64>,
) -> Reduced {
    let mut work = ReductionWork::new(flat, aliases);
    let mut unsolvable: Set<usize> = Set::default();
    let written = flat.equations.len();
    let most = flat.graph.len() + MOST_NODES.max(GROWTH * flat.graph.len());
    loop {
        let sorted = Sorted::new(flat, work.leaves(), written);
        let free = |e: &usize| sorted.matching.unknown_of[*e].is_none() && !unsolvable.contains(e);
        let loose: Vec<usize> = (0..flat.equations.len()).filter(free).collect();
        if loose.is_empty() {
            let ReductionWork { is_state, reductions, failure, .. } = work;
            return Reduced { sorted, is_state, reductions, failure };
        }
        if flat.graph.len() > most {
            work.failure.too_large = loose.first().copied();
            let ReductionWork { is_state, reductions, failure, .. } = work;
            return Reduced { sorted, is_state, reductions, failure };
        }
        let constraints = Constraints::find(flat, &sorted, parameters, &loose, &work.is_state);
        let (chosen, failed) = constraints.choose(flat, parameters, &work.is_state);
        // A row that determines an unknown in between stands for all: which of them is wrong cannot be decided.
        let is_loose: Set<usize> = loose.iter().copied().collect();
        let tangled = failed.iter().any(|&r| !is_loose.contains(&constraints.rows[r].equation));
        for (r, row) in constraints.rows.iter().enumerate() {
            if is_loose.contains(&row.equation) && (tangled || failed.contains(&r)) {
                unsolvable.insert(row.equation);
                if !row.states.is_empty() {
                    work.failure.undecided.insert(row.equation, row.states.clone());
                }
            }
        }
        if tangled {
            continue;
        }
        let first = flat.equations.len();
        for (row, symbol) in chosen {
            work.give_up(flat, &constraints.rows[row], symbol);
        }
        // Kinks have steps in their derivatives, which are located like all others.
        relations::extract(flat, first, relations, parameters);
        for list in [&mut work.is_state, &mut work.has_rate, &mut work.is_unknown] {
            list.resize(flat.quantities.len(), false);
        }
    }
}

struct ReductionWork {
    /// By quantity: it is to be found from the equations.
    is_unknown: Vec<bool>,
    /// By quantity: integrated.
    is_state: Vec<bool>,
    /// By quantity: its derivative is an unknown.
    has_rate: Vec<bool>,
    reductions: Vec<Reduction>,
    failure: ReductionFailure,
}

impl ReductionWork {
    fn new(flat: &mut Flat, aliases: &[Alias]) -> Self {
        let has_rate = states(flat);
        let mut is_unknown: Vec<bool> =
            flat.quantities.iter().map(|q| matches!(q.kind, QuantityRole::Unknown { .. })).collect();
        aliases.iter().for_each(|a| is_unknown[a.symbol.index()] = false);
        let (reductions, failure) = (vec![], ReductionFailure::default());
        ReductionWork { is_unknown, is_state: has_rate.clone(), has_rate, reductions, failure }
    }

    fn leaves(&self) -> Vec<ExprNode> {
        let mut leaves = Vec::new();
        for i in 0..self.is_unknown.len() {
            let s = Symbol(i as u32);
            if self.is_unknown[i] && !self.is_state[i] {
                leaves.push(ExprNode::Symbol(s));
            }
            if self.has_rate[i] {
                leaves.push(ExprNode::Derivative(s));
            }
        }
        leaves
    }

    /// Adds (1) for one constraint.
    fn give_up(&mut self, flat: &mut Flat, row: &HiddenConstraint, symbol: Symbol) {
        let equation = &flat.equations[row.equation];
        let (name, origin) = (equation.name.clone(), equation.origin.clone());
        if std::mem::replace(&mut self.is_state[symbol.index()], false) {
            self.reductions.push(Reduction {
                given_up: symbol,
                equation: name.clone(),
                origin: origin.clone(),
                constraint: row.value,
                others: row.states.iter().copied().filter(|&s| s != symbol).collect(),
            });
        }
        self.has_rate[symbol.index()] = true;
        let source = self.failure.source.get(&row.equation).cloned();
        let source = source.unwrap_or_else(|| (row.equation, row.states.clone()));
        self.failure.source.insert(flat.equations.len(), source);
        let name = if name.ends_with(DIFFERENTIATED) { name } else { format!("{name}{DIFFERENTIATED}") };
        // Written for a rate that no other equation gives outright, (1) determines it.
        let own = flat.graph.derivative(symbol).id;
        let given = flat.equations.iter().any(|e| e.lhs == own || e.rhs == own);
        let (lhs, rhs) = row.rate(&flat.graph, (!given).then_some(symbol));
        flat.equations.push(Equation { name, origin, lhs, rhs });
    }
}

const DIFFERENTIATED: &str = ", differentiated";

/// 0 = value, to be differentiated.
struct HiddenConstraint {
    /// Where it comes from.
    equation: usize,
    value: Expr,
    /// ∂value/∂x by symbol, and ∂value/∂t.
    slopes: Vec<(Symbol, Expr)>,
    by_time: Option<Expr>,
    states: Vec<Symbol>,
    /// It holds a rate, so its own rate would hold second derivatives.
    holds_rate: bool,
}

impl HiddenConstraint {
    fn new(
        graph: &Graph,
        (equation, value): (usize, Expr),
        gradient: &Gradient,
        time: u32,
        is_state: &[bool],
    ) -> Self {
        let symbols = gradient.iter().filter(|&&(c, _)| c != time);
        let slopes: Vec<(Symbol, Expr)> = symbols.map(|&(c, e)| (Symbol(c), e)).collect();
        let by_time = gradient.iter().find(|&&(c, _)| c == time).map(|&(_, e)| e);
        let states = slopes.iter().map(|&(s, _)| s).filter(|s| is_state[s.index()]).collect();
        let is_rate = |e: Expr| matches!(graph.node(e), ExprNode::Derivative(_));
        let holds_rate = graph.reachable([value]).into_iter().any(is_rate);
        HiddenConstraint { equation, value, slopes, by_time, states, holds_rate }
    }

    /// (1), as an equation; written for the rate of `symbol` if that has the coefficient ±1: what is differentiated later then stays a
    /// polynomial of it, where solving another equation for it would make fractions of fractions.
    fn rate(&self, graph: &Graph, symbol: Option<Symbol>) -> (Expr, Expr) {
        let by_time = self.by_time.map_or(graph.constant(0.0), |e| graph.at(e));
        let coefficient = |&&(s, e): &&(Symbol, Expr)| {
            Some(s) == symbol && graph.at(e).value().is_some_and(|c| c.abs() == 1.0)
        };
        let own = self.slopes.iter().find(coefficient).copied();
        let others = self.slopes.iter().filter(|&&slope| Some(slope) != own);
        let terms = others.map(|&(s, e)| graph.at(e) * graph.derivative(s));
        let sum = terms.fold(by_time, |sum, term| sum + term);
        match own {
            Some((s, e)) => (graph.derivative(s).id, (-(graph.at(e) * sum)).id),
            None => (sum.id, graph.constant(0.0).id),
        }
    }
}

/// The constraints of one round.
struct Constraints {
    rows: Vec<HiddenConstraint>,
    /// Unknowns that could not be solved for: to be differentiated along.
    implicit: Set<Symbol>,
}

impl Constraints {
    fn find(
        flat: &Flat,
        sorted: &Sorted,
        parameters: &Map<Symbol, f64>,
        loose: &[usize],
        is_state: &[bool],
    ) -> Self {
        let graph = &flat.graph;
        let equations = sorted.equations(graph, parameters);
        let is_loose: Set<usize> = loose.iter().copied().collect();
        let mut value: Map<Expr, Expr> = Map::default();
        // Residuals that fix each unknown left over, and those of the loose equations.
        let mut fixing: Map<Expr, Vec<(usize, Expr)>> = Map::default();
        let mut open: Vec<(usize, Expr)> = Vec::new();
        let inner =
            |e: usize, value: &mut Map<Expr, Expr>| (e, graph.replace(&[sorted.residuals[e]], value)[0]);
        for block in sorted.blocks(loose.iter().copied()) {
            if let [e] = block[..]
                && is_loose.contains(&e)
            {
                open.push(inner(e, &mut value));
                continue;
            }
            let unknowns: Vec<usize> = block.iter().filter_map(|&e| sorted.matching.unknown_of[e]).collect();
            let solution = equations.solve(&block, &unknowns);
            for (u, e, _) in solution.definitions {
                let expanded = graph.replace(&[e], &mut value)[0];
                value.insert(leaf_expr(graph, sorted.leaves[u]), expanded);
            }
            let (torn, rest) = if solution.hidden.is_some() {
                (unknowns, block)
            } else {
                (solution.torn, solution.residuals)
            };
            let residuals: Vec<(usize, Expr)> = rest.iter().map(|&e| inner(e, &mut value)).collect();
            for u in torn {
                fixing.insert(leaf_expr(graph, sorted.leaves[u]), residuals.clone());
            }
        }
        let (roots, implicit) = close(graph, open, &fixing);
        let time = flat.quantities.len() as u32;
        let values: Vec<Expr> = roots.iter().map(|&(_, value)| value).collect();
        let by_all = gradients(graph, &values, |node| match node {
            ExprNode::Time => Some(time),
            ExprNode::Symbol(s) => (is_state[s.index()] || implicit.contains(&s)).then_some(s.0),
            _ => None,
        });
        let row = |(&root, gradient): (&(usize, Expr), &Gradient)| {
            HiddenConstraint::new(graph, root, gradient, time, is_state)
        };
        Constraints { rows: roots.iter().zip(&by_all).map(row).collect(), implicit }
    }

    /// Which symbol each row fixes; and the rows that fix none for certain.
    fn choose(
        &self,
        flat: &Flat,
        parameters: &Map<Symbol, f64>,
        is_state: &[bool],
    ) -> (Vec<(usize, Symbol)>, Set<usize>) {
        let graph = &flat.graph;
        let mut table = Elimination::new(graph, &self.rows);
        let mut inner: Vec<Symbol> = self.implicit.iter().copied().collect();
        inner.sort_unstable();
        table.pivot(&inner, |_, _| true);
        let order = self.order(flat, is_state);
        let certain = |e: Expr| sign(graph, parameters, e).excludes_zero();
        let linear = |s: Symbol, e: Expr| !graph.reachable([e]).contains(&graph.symbol(s).id);
        table.pivot(&order, |s, e| linear(s, e) && certain(e));
        table.pivot(&order, |_, e| certain(e));
        if table.open.iter().any(|&open| open) {
            let start = start_values(graph, &flat.quantities, &HashMap::new());
            let dependent: Set<Symbol> = flat.dependent.iter().copied().collect();
            let named: Vec<Symbol> = order.into_iter().filter(|s| dependent.contains(s)).collect();
            table.pivot(&named, |_, e| evaluate(graph, e, |s| start[s.index()]) != 0.0);
        }
        let done: Set<usize> = table.chosen.iter().map(|&(row, _)| row).collect();
        let failed = (0..self.rows.len()).filter(|r| !done.contains(r)).collect();
        (table.chosen, failed)
    }

    /// States in the order they are to be given up; one that events set must stay.
    fn order(&self, flat: &Flat, is_state: &[bool]) -> Vec<Symbol> {
        let set: Set<Symbol> = flat.events.iter().flat_map(|e| &e.set).map(|a| a.target).collect();
        let dependent: Set<Symbol> = flat.dependent.iter().copied().collect();
        let mut outright: Map<Symbol, u8> = Map::default();
        for row in &self.rows {
            let equation = &flat.equations[row.equation];
            for (rank, side) in [equation.lhs, equation.rhs].into_iter().enumerate() {
                if let ExprNode::Symbol(s) = flat.graph.node(side) {
                    outright.entry(s).or_insert(rank as u8);
                }
            }
        }
        let starts_at_zero = |s: Symbol| match flat.quantity(s).kind {
            QuantityRole::Unknown { start } => flat.graph.node(start) == ExprNode::Const(0.0),
            _ => false,
        };
        let mut order: Vec<Symbol> = self.rows.iter().flat_map(|r| r.states.iter().copied()).collect();
        order.retain(|s| is_state[s.index()] && !set.contains(s));
        order.sort_by_key(|s| {
            let given = outright.get(s).copied().unwrap_or(2);
            (!dependent.contains(s), !starts_at_zero(*s), given, std::cmp::Reverse(*s))
        });
        order.dedup();
        order
    }
}

/// The residuals to differentiate: those of `open` and, for every unknown in them that could not be solved for,
/// those that fix it.
fn close(
    graph: &Graph,
    open: Vec<(usize, Expr)>,
    fixing: &Map<Expr, Vec<(usize, Expr)>>,
) -> (Vec<(usize, Expr)>, Set<Symbol>) {
    let mut rows = open;
    let mut known: Set<usize> = rows.iter().map(|&(e, _)| e).collect();
    let mut implicit = Set::default();
    let mut next = 0;
    while next < rows.len() {
        for e in graph.reachable([rows[next].1]) {
            let Some(residuals) = fixing.get(&e) else { continue };
            // A rate stays: there are no second derivatives, so its row is not differentiated.
            if let ExprNode::Symbol(s) = graph.node(e) {
                implicit.insert(s);
                rows.extend(residuals.iter().filter(|(e, _)| known.insert(*e)));
            }
        }
        next += 1;
    }
    (rows, implicit)
}

/// Gauss elimination on the slopes.
struct Elimination<'a> {
    graph: &'a Graph,
    rows: Vec<Map<Symbol, Expr>>,
    holding: Map<Symbol, Vec<usize>>,
    open: Vec<bool>,
    chosen: Vec<(usize, Symbol)>,
}

impl<'a> Elimination<'a> {
    fn new(graph: &'a Graph, constraints: &[HiddenConstraint]) -> Self {
        let rows: Vec<Map<Symbol, Expr>> =
            constraints.iter().map(|c| c.slopes.iter().copied().collect()).collect();
        let mut holding: Map<Symbol, Vec<usize>> = Map::default();
        for (r, constraint) in constraints.iter().enumerate() {
            constraint.slopes.iter().for_each(|(s, _)| holding.entry(*s).or_default().push(r));
        }
        Elimination {
            graph,
            open: constraints.iter().map(|c| !c.holds_rate).collect(),
            rows,
            holding,
            chosen: vec![],
        }
    }

    /// Gives each symbol in turn a row whose slope may be divided by, numbers before others.
    fn pivot(&mut self, symbols: &[Symbol], may_divide: impl Fn(Symbol, Expr) -> bool) {
        for &s in symbols {
            let holding = self.holding.get(&s).cloned().unwrap_or_default();
            let slope = |r: usize| self.rows[r].get(&s).copied();
            let usable = |r: &usize| self.open[*r] && slope(*r).is_some_and(|e| may_divide(s, e));
            let varies = |r: &usize| slope(*r).is_none_or(|e| self.graph.at(e).value().is_none());
            let Some(row) = holding.iter().copied().filter(usable).min_by_key(varies) else { continue };
            self.open[row] = false;
            self.chosen.push((row, s));
            let pivot = self.rows[row].clone();
            for r in holding {
                if self.open[r] {
                    self.subtract(r, &pivot, s);
                }
            }
        }
    }

    /// row r − (its slope / the pivot's) · pivot row
    fn subtract(&mut self, r: usize, pivot: &Map<Symbol, Expr>, s: Symbol) {
        let graph = self.graph;
        let Some(own) = self.rows[r].remove(&s) else { return };
        let factor = graph.at(own) / graph.at(pivot[&s]);
        for (&other, &e) in pivot.iter().filter(|(other, _)| **other != s) {
            let old = self.rows[r].get(&other).map_or(graph.constant(0.0), |&e| graph.at(e));
            let new = old - factor * graph.at(e);
            if new.value() == Some(0.0) {
                self.rows[r].remove(&other);
            } else if self.rows[r].insert(other, new.id).is_none() {
                self.holding.entry(other).or_default().push(r);
            }
        }
    }
}
