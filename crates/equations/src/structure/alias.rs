//! Many names for one thing: connections say a = b, a = −b, a + b = 0 or a = known, and nothing more.
//!
//!   a = ± r   for every member a of a group with the representative r                                  (1)
//!
//! Groups grow by union with signs [Tarjan1975]; then every expression is rewritten once. The representative is the
//! state of the group, else the name with the shortest path. Two states are never joined: such an equation is a
//! constraint, left to `index`. What is put in (a zero, say) may turn a sum into another alias, so the search is
//! repeated until nothing is found.
//!
//! Guesses: a representative that is no state and starts at plain 0 takes the first other start in its group, with
//! its sign; a state keeps its own start, which is a value and not a guess.

use crate::flat::{Equation, Flat, QuantityRole};
use crate::graph::Graph;
use crate::hash::Map;
use crate::node::{Binary, Expr, ExprNode, Symbol};
use crate::structure::{actions, states};

/// A quantity that is nothing but another name.
#[derive(Clone, Debug)]
pub struct Alias {
    pub symbol: Symbol,
    /// ± the representative, ± a parameter, input or mode, or a number.
    pub value: Expr,
}

/// What was taken out, and how to put it back.
pub struct Eliminated {
    pub aliases: Vec<Alias>,
    /// Equations used up, with their places.
    equations: Vec<(usize, Equation)>,
    /// The other equations as they were written.
    sides: Vec<(Expr, Expr)>,
}

/// Searches end here at the latest; one each for a zero that makes the next sum trivial.
const MOST_ROUNDS: usize = 16;

/// Takes alias equations out of `flat` and writes everything else in the names that are left.
pub fn eliminate(flat: &mut Flat) -> Eliminated {
    let is_state = states(flat);
    let written: Vec<(Expr, Expr)> = flat.equations.iter().map(|e| (e.lhs, e.rhs)).collect();
    let mut groups = AliasSets::new(flat, &is_state);
    let mut used = vec![false; written.len()];
    let mut sides = written.clone();
    let mut values = Map::default();
    for _ in 0..MOST_ROUNDS {
        let mut found = false;
        for (i, &(lhs, rhs)) in sides.iter().enumerate() {
            if !used[i] && groups.take(&flat.graph, lhs, rhs) {
                used[i] = true;
                found = true;
            }
        }
        if !found {
            break;
        }
        values = groups.values(flat);
        let open: Vec<usize> = (0..sides.len()).filter(|&i| !used[i]).collect();
        let roots: Vec<Expr> = open.iter().flat_map(|&i| [sides[i].0, sides[i].1]).collect();
        let new = replaced(&flat.graph, &roots, &values);
        open.iter().zip(new.chunks(2)).for_each(|(&i, side)| sides[i] = (side[0], side[1]));
    }
    let (graph, places) = actions(flat);
    let roots: Vec<Expr> = places.iter().map(|e| **e).collect();
    let new = replaced(graph, &roots, &values);
    places.into_iter().zip(new).for_each(|(place, e)| *place = e);
    groups.keep_guesses(flat, &values);
    let mut eliminated = Eliminated { aliases: vec![], equations: vec![], sides: vec![] };
    let mut left = Vec::new();
    for (i, mut equation) in std::mem::take(&mut flat.equations).into_iter().enumerate() {
        if used[i] {
            eliminated.equations.push((i, equation));
        } else {
            (equation.lhs, equation.rhs) = sides[i];
            eliminated.sides.push(written[i]);
            left.push(equation);
        }
    }
    flat.equations = left;
    let mut aliases: Vec<Alias> = values.into_iter().map(|(symbol, value)| Alias { symbol, value }).collect();
    aliases.sort_unstable_by_key(|a| a.symbol);
    eliminated.aliases = aliases;
    eliminated
}

impl Eliminated {
    /// The equations as they were written, in their order: for messages.
    pub fn restore(self, flat: &mut Flat) {
        let mut left = std::mem::take(&mut flat.equations).into_iter().zip(self.sides);
        let mut taken = self.equations.into_iter().peekable();
        loop {
            let place = flat.equations.len();
            if let Some((_, equation)) = taken.next_if(|(i, _)| *i == place) {
                flat.equations.push(equation);
            } else if let Some((equation, (lhs, rhs))) = left.next() {
                flat.equations.push(Equation { lhs, rhs, ..equation });
            } else {
                break;
            }
        }
    }
}

/// Symbols replaced by their values.
pub fn replaced(graph: &Graph, roots: &[Expr], values: &Map<Symbol, Expr>) -> Vec<Expr> {
    graph.rewrite(roots, |node| match node {
        ExprNode::Symbol(s) => values.get(&s).copied(),
        _ => None,
    })
}

/// Union-find over all quantities; `parent` is (quantity, negated).
struct AliasSets {
    parent: Vec<(u32, bool)>,
    /// Of roots: how many members hang below.
    size: Vec<u32>,
    /// Of roots: the state in the group.
    state: Vec<Option<u32>>,
    /// Of roots: the known value of the root.
    known: Map<u32, Expr>,
    unknown: Vec<bool>,
}

impl AliasSets {
    fn new(flat: &Flat, is_state: &[bool]) -> Self {
        let n = flat.quantities.len() as u32;
        AliasSets {
            parent: (0..n).map(|i| (i, false)).collect(),
            size: vec![1; n as usize],
            state: (0..n).map(|i| is_state[i as usize].then_some(i)).collect(),
            known: Map::default(),
            unknown: flat.quantities.iter().map(|q| matches!(q.kind, QuantityRole::Unknown { .. })).collect(),
        }
    }

    fn root(&mut self, s: u32) -> (u32, bool) {
        let (mut at, mut negative) = (s, false);
        while self.parent[at as usize].0 != at {
            negative ^= self.parent[at as usize].1;
            at = self.parent[at as usize].0;
        }
        // Path compression: every node passed now points to the root.
        let (mut step, mut sign) = (s, negative);
        while step != at {
            let (next, turned) = std::mem::replace(&mut self.parent[step as usize], (at, sign));
            sign ^= turned;
            step = next;
        }
        (at, negative)
    }

    /// Uses the equation up, if it is an alias.
    fn take(&mut self, graph: &Graph, lhs: Expr, rhs: Expr) -> bool {
        let (left, right) = parts(graph, lhs, rhs);
        let unknown = |e: Expr| graph.signed(e).filter(|(s, _)| self.unknown[s.index()]);
        match (unknown(left), unknown(right)) {
            (Some((a, m)), Some((b, n))) => self.join(graph, a, b, m != n),
            (Some((a, negative)), None) => self.fix(graph, a, negative, right),
            (None, Some((b, negative))) => self.fix(graph, b, negative, left),
            (None, None) => false,
        }
    }

    /// a = ± b.
    fn join(&mut self, graph: &Graph, a: Symbol, b: Symbol, negative: bool) -> bool {
        let ((ra, na), (rb, nb)) = (self.root(a.0), self.root(b.0));
        let turned = negative ^ na ^ nb;
        if ra == rb {
            // a = −a says a = 0; a = a says nothing, and the sorting will complain of it.
            return turned && self.fix(graph, Symbol(ra), false, graph.constant(0.0).id);
        }
        match (self.known.get(&ra).copied(), self.known.get(&rb).copied()) {
            (Some(_), Some(_)) => return false,
            (Some(value), None) => return self.fix(graph, Symbol(rb), turned, value),
            (None, Some(value)) => return self.fix(graph, Symbol(ra), turned, value),
            (None, None) => {}
        }
        if self.state[ra as usize].is_some() && self.state[rb as usize].is_some() {
            return false;
        }
        let (top, below) = if self.size[ra as usize] < self.size[rb as usize] { (rb, ra) } else { (ra, rb) };
        self.parent[below as usize] = (top, turned);
        self.size[top as usize] += self.size[below as usize];
        self.state[top as usize] = self.state[top as usize].or(self.state[below as usize]);
        true
    }

    /// ± a = value, where the value is a number or ± something that is no unknown.
    fn fix(&mut self, graph: &Graph, a: Symbol, negative: bool, value: Expr) -> bool {
        let plain = matches!(graph.node(value), ExprNode::Const(_)) || graph.signed(value).is_some();
        let (root, turned) = self.root(a.0);
        if !plain || self.state[root as usize].is_some() || self.known.contains_key(&root) {
            return false;
        }
        let value = if negative != turned { (-graph.at(value)).id } else { value };
        self.known.insert(root, value);
        true
    }

    /// What each eliminated symbol is replaced by. (1)
    fn values(&mut self, flat: &Flat) -> Map<Symbol, Expr> {
        let graph = &flat.graph;
        let rank = |i: u32| {
            let name = &flat.quantities[i as usize].name;
            (name.matches('.').count(), name.len(), i)
        };
        // (member, negated) that speaks for each root.
        let mut chosen: Map<u32, (u32, bool)> = Map::default();
        let members: Vec<u32> = (0..self.parent.len() as u32).filter(|&i| self.unknown[i as usize]).collect();
        for &i in &members {
            let (root, negative) = self.root(i);
            let state = self.state[root as usize];
            let better = |best: u32| state == Some(i) || (state != Some(best) && rank(i) < rank(best));
            match chosen.get(&root) {
                Some(&(best, _)) if !better(best) => {}
                _ => _ = chosen.insert(root, (i, negative)),
            }
        }
        let mut values = Map::default();
        for &i in &members {
            let (root, negative) = self.root(i);
            let (value, turned) = match (self.known.get(&root), chosen[&root]) {
                (Some(&value), _) => (graph.at(value), false),
                (None, (best, _)) if best == i => continue,
                (None, (best, turned)) => (graph.symbol(Symbol(best)), turned),
            };
            values.insert(Symbol(i), if negative != turned { -value } else { value }.id);
        }
        values
    }

    /// Representatives take over what their group knows of where to begin and how large they are.
    fn keep_guesses(&self, flat: &mut Flat, values: &Map<Symbol, Expr>) {
        let Flat { graph, quantities, .. } = flat;
        let mut members: Vec<(Symbol, Expr)> = values.iter().map(|(&s, &e)| (s, e)).collect();
        members.sort_unstable();
        for (member, value) in members {
            let Some((best, negative)) = graph.signed(value) else { continue };
            let (from, nominal) =
                (quantities[member.index()].kind.clone(), quantities[member.index()].nominal);
            let is_state = self.state[best.index()] == Some(best.0);
            let target = &mut quantities[best.index()];
            let (QuantityRole::Unknown { start }, QuantityRole::Unknown { start: other }) =
                (&mut target.kind, from)
            else {
                continue;
            };
            let is_zero = |e: Expr| graph.node(e) == ExprNode::Const(0.0);
            if !is_state && is_zero(*start) && !is_zero(other) {
                // By name, so that a start given later for the member counts too.
                let symbol = graph.symbol(member);
                *start = if negative { -symbol } else { symbol }.id;
            }
            let known = target.nominal.filter(|n| n.given || nominal.is_none_or(|n| !n.given));
            target.nominal = known.or(nominal);
        }
    }
}

/// The two things an equation calls equal: its sides, or the terms of a sum that is zero.
fn parts(graph: &Graph, lhs: Expr, rhs: Expr) -> (Expr, Expr) {
    let zero = |e: Expr| graph.node(e) == ExprNode::Const(0.0);
    let sum = match (zero(lhs), zero(rhs)) {
        (false, true) => lhs,
        (true, false) => rhs,
        _ => return (lhs, rhs),
    };
    match graph.node(sum) {
        ExprNode::Binary(Binary::Sub, a, b) => (a, b),
        ExprNode::Binary(Binary::Add, a, b) => (a, (-graph.at(b)).id),
        _ => (lhs, rhs),
    }
}
