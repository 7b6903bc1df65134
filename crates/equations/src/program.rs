//! Straight-line programs: the form both the interpreter and the native compiler read.
//!
//! Work is split by how often it is needed. What depends on parameters, inputs and modes alone is *slow*: it is
//! computed once after each change into the array k. The rest is *fast*: functions of time, the unknowns y
//! and k. A division by a slow value, or by a value that several divisions share, becomes a product with its
//! reciprocal, unless its whole part is taken: there a rounding counts.

use crate::graph::{Graph, GraphTable};
use crate::hash::{Map, Set};
use crate::node::{Binary, Expr, ExprNode, Unary};

/// Where a leaf of an expression is found at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeafPlace {
    /// Simulated time.
    Time,
    /// Unknown number i.
    Unknown(u32),
    /// Number i of the slow inputs: parameters, inputs and modes in one array.
    Slow(u32),
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Op {
    Const(f64),
    #[default]
    Time,
    /// y[i]
    Unknown(u32),
    /// k[i] in a fast program, slow input i in the slow one.
    Slow(u32),
    Unary(Unary, u32),
    Binary(Binary, u32, u32),
    Select(u32, u32, u32),
    Table1(u32, u32, u8),
    Table2(u32, u32, u32, u8, u8),
    /// out[i] = value
    Store(u32, u32),
}

impl Op {
    /// Numbers of the operations it reads.
    pub(crate) fn operands(&self) -> impl Iterator<Item = u32> + use<> {
        let slots = match *self {
            Op::Const(_) | Op::Time | Op::Unknown(_) | Op::Slow(_) => [None; 3],
            Op::Unary(_, a) | Op::Table1(_, a, _) | Op::Store(_, a) => [Some(a), None, None],
            Op::Binary(_, a, b) | Op::Table2(_, a, b, ..) => [Some(a), Some(b), None],
            Op::Select(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        slots.into_iter().flatten()
    }
}

/// Operations in order; operands are numbers of earlier operations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub ops: Vec<Op>,
    pub n_out: usize,
}

/// The slow program and the fast programs that read its results.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    /// Slow inputs → k.
    pub slow: Program,
    pub fast: Vec<Program>,
    pub tables: Vec<GraphTable>,
}

impl Programs {
    /// One fast program for each list of roots.
    pub fn build(graph: &Graph, roots: &[Vec<Expr>], place: impl Fn(ExprNode) -> Option<LeafPlace>) -> Self {
        let all: Vec<Expr> = roots.iter().flatten().copied().collect();
        let fast_leaf = |leaf: ExprNode| !matches!(place(leaf), Some(LeafPlace::Slow(_)));
        let cheap = reciprocals(graph, &all, &graph.dependence(&all, fast_leaf));
        let is_fast = graph.dependence(&cheap, fast_leaf);

        let mut builder =
            ProgramBuilder { graph, place: &place, is_fast: &is_fast, k: Map::default(), slow: Vec::new() };
        let mut fast = Vec::new();
        let mut next = 0;
        for list in roots {
            fast.push(builder.fast(&cheap[next..next + list.len()]));
            next += list.len();
        }
        let slow = builder.slow_program();
        let tables = (0..graph.n_tables()).map(|i| graph.table_at(i)).collect();
        Programs { slow, fast, tables }
    }
}

/// Replaces divisions by products where the reciprocal is slow or shared.
fn reciprocals(graph: &Graph, roots: &[Expr], is_fast: &Map<Expr, bool>) -> Vec<Expr> {
    let mut divisions: Map<Expr, u32> = Map::default();
    let mut exact: Set<Expr> = Set::default();
    for &e in is_fast.keys() {
        if let ExprNode::Unary(Unary::Floor | Unary::Ceil, a) = graph.node(e) {
            exact.insert(a);
        }
    }
    for (e, _) in is_fast.iter().filter(|(_, fast)| **fast) {
        if let ExprNode::Binary(Binary::Div, _, d) = graph.node(*e) {
            *divisions.entry(d).or_default() += 1;
        }
    }
    let mut new: Map<Expr, Expr> = Map::default();
    for e in graph.reachable(roots.iter().copied()) {
        let made = match graph.node(e) {
            ExprNode::Binary(Binary::Div, a, b)
                if is_fast[&e]
                    && !exact.contains(&e)
                    && graph.at(a).value() != Some(1.0)
                    && (!is_fast[&b] || divisions[&b] > 1) =>
            {
                (graph.at(new[&a]) * (1.0 / graph.at(new[&b]))).id
            }
            _ => graph.rebuild(e, |c| new[&c]),
        };
        new.insert(e, made);
    }
    roots.iter().map(|e| new[e]).collect()
}

struct ProgramBuilder<'a, P> {
    graph: &'a Graph,
    place: &'a P,
    /// Does it depend on more than slow inputs?
    is_fast: &'a Map<Expr, bool>,
    /// Slot in k of each slow expression that fast code reads.
    k: Map<Expr, u32>,
    slow: Vec<Expr>,
}

impl<P: Fn(ExprNode) -> Option<LeafPlace>> ProgramBuilder<'_, P> {
    fn fast(&mut self, roots: &[Expr]) -> Program {
        let (graph, place, is_fast) = (self.graph, self.place, self.is_fast);
        let (k, slow) = (&mut self.k, &mut self.slow);
        emit(graph, roots, |e, node| match node {
            ExprNode::Const(_) => None,
            _ if !is_fast[&e] => Some(Op::Slow(*k.entry(e).or_insert_with(|| {
                slow.push(e);
                slow.len() as u32 - 1
            }))),
            _ => leaf(place(node), Op::Slow),
        })
    }

    fn slow_program(&self) -> Program {
        emit(self.graph, &self.slow, |_, node| leaf((self.place)(node), Op::Slow))
    }
}

fn leaf(place: Option<LeafPlace>, slow: impl Fn(u32) -> Op) -> Option<Op> {
    place.map(|p| match p {
        LeafPlace::Time => Op::Time,
        LeafPlace::Unknown(i) => Op::Unknown(i),
        LeafPlace::Slow(i) => slow(i),
    })
}

/// Post-order from each root, so that values are used soon after they are made; a root is stored at once.
pub(crate) fn emit(
    graph: &Graph,
    roots: &[Expr],
    mut shortcut: impl FnMut(Expr, ExprNode) -> Option<Op>,
) -> Program {
    let mut ops: Vec<Op> = Vec::new();
    let mut number: Map<Expr, u32> = Map::default();
    let mut stack: Vec<(Expr, bool)> = Vec::new();
    for (i, &root) in roots.iter().enumerate() {
        stack.push((root, false));
        while let Some((e, ready)) = stack.pop() {
            if number.contains_key(&e) {
                continue;
            }
            let node = graph.node(e);
            let op = if let Some(op) = shortcut(e, node) {
                op
            } else if !ready && node.children().next().is_some() {
                stack.push((e, true));
                let children: Vec<Expr> = node.children().collect();
                stack.extend(children.iter().rev().map(|&c| (c, false)));
                continue;
            } else {
                let at = |c: Expr| number[&c];
                match node {
                    ExprNode::Const(v) => Op::Const(v),
                    ExprNode::Unary(op, a) => Op::Unary(op, at(a)),
                    ExprNode::Binary(op, a, b) => Op::Binary(op, at(a), at(b)),
                    ExprNode::Select(c, a, b) => Op::Select(at(c), at(a), at(b)),
                    ExprNode::Table1(t, a, d) => Op::Table1(t.0, at(a), d),
                    ExprNode::Table2(t, a, b, dx, dy) => Op::Table2(t.0, at(a), at(b), dx, dy),
                    // A leaf without a place has no value: it shows up as NaN, not as a wrong number.
                    ExprNode::Time
                    | ExprNode::Symbol(_)
                    | ExprNode::Derivative(_)
                    | ExprNode::Holding(..) => Op::Const(f64::NAN),
                }
            };
            number.insert(e, ops.len() as u32);
            ops.push(op);
        }
        ops.push(Op::Store(i as u32, number[&root]));
    }
    Program { ops, n_out: roots.len() }
}

impl Program {
    /// Number of operations that compute something.
    pub fn work(&self) -> usize {
        let free =
            |op: &&Op| !matches!(op, Op::Const(_) | Op::Time | Op::Unknown(_) | Op::Slow(_) | Op::Store(..));
        self.ops.iter().filter(free).count()
    }

    /// Length of y that it reads at most.
    pub fn unknowns(&self) -> usize {
        let read = |op: &Op| if let Op::Unknown(i) = op { *i as usize + 1 } else { 0 };
        self.ops.iter().map(read).max().unwrap_or(0)
    }

    /// Interpret. `values` needs as many places as there are operations.
    pub fn run(
        &self,
        tables: &[GraphTable],
        t: f64,
        y: &[f64],
        k: &[f64],
        values: &mut [f64],
        out: &mut [f64],
    ) {
        self.run_some(0..self.ops.len(), tables, (t, y, k), values, out);
    }

    /// The same for some operations in order; `values` holds those of the others.
    pub(crate) fn run_some(
        &self,
        which: impl Iterator<Item = usize>,
        tables: &[GraphTable],
        (t, y, k): (f64, &[f64], &[f64]),
        values: &mut [f64],
        out: &mut [f64],
    ) {
        for i in which {
            let v = |n: u32| values[n as usize];
            let value = match self.ops[i] {
                Op::Const(c) => c,
                Op::Time => t,
                Op::Unknown(j) => y[j as usize],
                Op::Slow(j) => k[j as usize],
                Op::Unary(op, a) => op.eval(v(a)),
                Op::Binary(op, a, b) => op.eval(v(a), v(b)),
                Op::Select(c, a, b) => {
                    if v(c) != 0.0 {
                        v(a)
                    } else {
                        v(b)
                    }
                }
                Op::Table1(table, a, d) => match &tables[table as usize] {
                    GraphTable::One(table) => table.eval(v(a), d),
                    GraphTable::Two(_) => f64::NAN,
                },
                Op::Table2(table, a, b, dx, dy) => match &tables[table as usize] {
                    GraphTable::Two(table) => table.eval(v(a), v(b), dx, dy),
                    GraphTable::One(_) => f64::NAN,
                },
                Op::Store(j, a) => {
                    out[j as usize] = v(a);
                    continue;
                }
            };
            values[i] = value;
        }
    }

    /// Operations that depend on slow value number `place`, in order.
    pub(crate) fn readers(&self, place: usize) -> Vec<u32> {
        let mut depends = vec![false; self.ops.len()];
        let mut found = vec![];
        for (i, op) in self.ops.iter().enumerate() {
            let d = |n: u32| depends[n as usize];
            depends[i] = match *op {
                Op::Const(_) | Op::Time | Op::Unknown(_) => false,
                Op::Slow(j) => j as usize == place,
                Op::Unary(_, a) | Op::Table1(_, a, _) | Op::Store(_, a) => d(a),
                Op::Binary(_, a, b) | Op::Table2(_, a, b, ..) => d(a) || d(b),
                Op::Select(c, a, b) => d(c) || d(a) || d(b),
            };
            if depends[i] {
                found.push(i as u32);
            }
        }
        found
    }
}
