//! The hash-consed expression graph: equal expressions are one node.
//!
//! Nodes are made through [`Ex`], a copyable handle with the usual operators:
//!
//! ```
//! use trunnion_equations::{Graph, Symbol};
//! let g = Graph::new();
//! let (x, k) = (g.symbol(Symbol(0)), g.symbol(Symbol(1)));
//! let force = -k * x + 0.0 * x.sin();
//! assert_eq!(force, -(x * k));
//! ```
//!
//! Making a node folds constants and drops what cannot matter: x + 0, 1 · x, 0 · x, x − x, −(−x), x^1;
//! x + x becomes 2 x, and numbers move to the front of products.
//! Values change by rounding at most, except that 0 · x is 0 also where x is not finite.

mod expression;

use crate::hash::{Map, Set};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trunnion_num::{Table1, Table2};

use crate::frozen::{FrozenGraph, dependence, signed};
use crate::node::{Binary, Expr, ExprNode, Holding, Symbol, TableId, Unary};

/// A table that nodes refer to.
#[derive(Clone, Debug)]
pub enum GraphTable {
    One(Arc<Table1>),
    Two(Arc<Table2>),
}

impl GraphTable {
    /// Of its first and of its second argument.
    pub fn points(&self) -> [&[f64]; 2] {
        match self {
            GraphTable::One(of) => [of.points(), &[]],
            GraphTable::Two(of) => of.points(),
        }
    }

    /// Whether a jump was taken out at a point of its first argument.
    pub fn has_seam(&self, point: f64) -> bool {
        matches!(self, GraphTable::One(of) if of.has_seam(point))
    }

    /// The second argument does not matter to a table of one.
    pub fn eval(&self, [a, b]: [f64; 2]) -> f64 {
        match self {
            GraphTable::One(of) => of.eval(a, 0),
            GraphTable::Two(of) => of.eval(a, b, 0, 0),
        }
    }
}

/// Structure of a node as a map key; floats by their bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NodeKey(u32, u64, u64);

pub(crate) fn key(node: &ExprNode) -> NodeKey {
    let two = |a: Expr, b: Expr| ((a.0 as u64) << 32) | b.0 as u64;
    match *node {
        ExprNode::Const(v) => NodeKey(0, v.to_bits(), 0),
        ExprNode::Time => NodeKey(1, 0, 0),
        ExprNode::Symbol(s) => NodeKey(2, s.0 as u64, 0),
        ExprNode::Derivative(s) => NodeKey(3, s.0 as u64, 0),
        ExprNode::Unary(op, a) => NodeKey(4, op as u64, a.0 as u64),
        ExprNode::Binary(op, a, b) => NodeKey(5, op as u64, two(a, b)),
        ExprNode::Select(c, a, b) => NodeKey(6, c.0 as u64, two(a, b)),
        ExprNode::Holding(kind, a, b, c) => NodeKey(8 + kind as u32, a.0 as u64, two(b, c)),
        ExprNode::Table1(t, a, d) => NodeKey(7, two(Expr(t.0), a), d as u64),
        ExprNode::Table2(t, a, b, dx, dy) => NodeKey(10 + t.0, two(a, b), ((dx as u64) << 8) | dy as u64),
    }
}

/// The value of a node from those of its children; a leaf without a value is NaN.
pub(crate) fn evaluate_node(
    node: ExprNode,
    table: impl Fn(TableId) -> GraphTable,
    child: impl Fn(Expr) -> f64,
) -> f64 {
    match node {
        ExprNode::Const(v) => v,
        ExprNode::Time | ExprNode::Symbol(_) | ExprNode::Derivative(_) | ExprNode::Holding(..) => f64::NAN,
        ExprNode::Unary(op, a) => op.eval(child(a)),
        ExprNode::Binary(op, a, b) => op.eval(child(a), child(b)),
        ExprNode::Select(c, a, b) => {
            if child(c) != 0.0 {
                child(a)
            } else {
                child(b)
            }
        }
        ExprNode::Table1(t, a, d) => match table(t) {
            GraphTable::One(table) => table.eval(child(a), d),
            GraphTable::Two(_) => f64::NAN,
        },
        ExprNode::Table2(t, a, b, dx, dy) => match table(t) {
            GraphTable::Two(table) => table.eval(child(a), child(b), dx, dy),
            GraphTable::One(_) => f64::NAN,
        },
    }
}

#[derive(Clone, Default)]
pub(crate) struct NodeStore {
    pub nodes: Vec<ExprNode>,
    pub index: Map<NodeKey, Expr>,
    pub tables: Vec<(String, GraphTable)>,
    /// Scratch of `reachable`: a node is seen if its mark is the current round.
    marks: Vec<u32>,
    round: u32,
}

/// All expressions of one model while it is being built.
#[derive(Default)]
pub struct Graph {
    /// Locked for single look-ups and insertions only, never while calling out.
    store: Mutex<NodeStore>,
}

impl Clone for Graph {
    fn clone(&self) -> Self {
        Graph { store: Mutex::new(self.store().clone()) }
    }
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Graph of {} nodes", self.len())
    }
}

/// An expression together with its graph.
#[derive(Clone, Copy)]
pub struct Ex<'g> {
    graph: &'g Graph,
    pub id: Expr,
}

impl PartialEq for Ex<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.graph, other.graph) && self.id == other.id
    }
}

impl std::fmt::Debug for Ex<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.graph.node(self.id))
    }
}

impl Graph {
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn from_store(store: NodeStore) -> Self {
        Graph { store: Mutex::new(store) }
    }

    /// It grows no more.
    pub(crate) fn freeze(self) -> FrozenGraph {
        FrozenGraph::new(self.store.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn store(&self) -> MutexGuard<'_, NodeStore> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of nodes made so far.
    pub fn len(&self) -> usize {
        self.store().nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn node(&self, e: Expr) -> ExprNode {
        self.store().nodes[e.index()]
    }

    /// The handle with operators for a stored expression.
    pub fn at(&self, id: Expr) -> Ex<'_> {
        Ex { graph: self, id }
    }

    pub fn constant(&self, value: f64) -> Ex<'_> {
        // One zero: −0 would make equal expressions differ.
        self.make(ExprNode::Const(if value == 0.0 { 0.0 } else { value }))
    }

    pub fn time(&self) -> Ex<'_> {
        self.make(ExprNode::Time)
    }

    pub fn symbol(&self, s: Symbol) -> Ex<'_> {
        self.make(ExprNode::Symbol(s))
    }

    /// dx/dt as an unknown of its own.
    pub fn derivative(&self, s: Symbol) -> Ex<'_> {
        self.make(ExprNode::Derivative(s))
    }

    /// `name` is what users call it.
    /// A symbol and whether it is negated; None for anything else.
    pub fn signed(&self, e: Expr) -> Option<(Symbol, bool)> {
        signed(self, e)
    }

    pub fn add_table(&self, name: &str, table: GraphTable) -> TableId {
        let mut store = self.store();
        let tables = &mut store.tables;
        tables.push((name.to_string(), table));
        TableId(tables.len() as u32 - 1)
    }

    pub fn table(&self, id: TableId) -> GraphTable {
        self.table_at(id.0 as usize)
    }

    pub fn table_name(&self, id: TableId) -> String {
        self.store().tables[id.0 as usize].0.clone()
    }

    pub(crate) fn n_tables(&self) -> usize {
        self.store().tables.len()
    }

    /// Table number i.
    pub fn table_at(&self, i: usize) -> GraphTable {
        self.store().tables[i].1.clone()
    }

    pub fn table1<'g>(&'g self, id: TableId, x: Ex<'g>, derivative: u8) -> Ex<'g> {
        if let (Some(v), GraphTable::One(t)) = (x.value(), self.table(id)) {
            return self.constant(t.eval(v, derivative));
        }
        self.make(ExprNode::Table1(id, x.id, derivative))
    }

    pub fn table2<'g>(&'g self, id: TableId, x: Ex<'g>, y: Ex<'g>, dx: u8, dy: u8) -> Ex<'g> {
        self.make(ExprNode::Table2(id, x.id, y.id, dx, dy))
    }

    /// `if condition { a } else { b }`.
    pub fn select<'g>(&'g self, condition: Ex<'g>, a: Ex<'g>, b: Ex<'g>) -> Ex<'g> {
        match condition.value() {
            Some(c) => {
                if c != 0.0 {
                    a
                } else {
                    b
                }
            }
            None if a.id == b.id => a,
            None => self.make(ExprNode::Select(condition.id, a.id, b.id)),
        }
    }

    pub fn holding<'g>(&'g self, kind: Holding, [a, b, c]: [Ex<'g>; 3]) -> Ex<'g> {
        self.make(ExprNode::Holding(kind, a.id, b.id, c.id))
    }

    pub fn unary<'g>(&'g self, op: Unary, a: Ex<'g>) -> Ex<'g> {
        if let Some(v) = a.value() {
            return self.constant(op.eval(v));
        }
        match (op, self.node(a.id)) {
            (Unary::Neg, ExprNode::Unary(Unary::Neg, inner)) => self.at(inner),
            (Unary::Neg, ExprNode::Binary(Binary::Sub, x, y)) => self.at(y) - self.at(x),
            (Unary::Abs, ExprNode::Unary(Unary::Neg | Unary::Abs, inner)) => self.at(inner).abs(),
            _ => self.make(ExprNode::Unary(op, a.id)),
        }
    }

    pub fn binary<'g>(&'g self, op: Binary, a: Ex<'g>, b: Ex<'g>) -> Ex<'g> {
        if let (Some(x), Some(y)) = (a.value(), b.value()) {
            return self.constant(op.eval(x, y));
        }
        if let Some(simple) = self.simplified(op, a, b) {
            return simple;
        }
        let (a, b) = if op.commutes() && a.id > b.id { (b, a) } else { (a, b) };
        self.make(ExprNode::Binary(op, a.id, b.id))
    }

    fn simplified<'g>(&'g self, op: Binary, a: Ex<'g>, b: Ex<'g>) -> Option<Ex<'g>> {
        let zero = || self.constant(0.0);
        let (x, y) = (a.value(), b.value());
        let negated = |e: Ex<'g>| match self.node(e.id) {
            ExprNode::Unary(Unary::Neg, inner) => Some(self.at(inner)),
            _ => None,
        };
        // −x − y is the opposite of x + y.
        let opposite = |e: Ex<'g>| match self.node(e.id) {
            ExprNode::Binary(Binary::Sub, x, y) => negated(self.at(x)).map(|x| x + self.at(y)),
            _ => negated(e),
        };
        match op {
            Binary::Add if x == Some(0.0) => Some(b),
            Binary::Add if y == Some(0.0) => Some(a),
            Binary::Add if a.id == b.id => Some(2.0 * a),
            Binary::Add => {
                if let Some(inner) = negated(b) {
                    Some(a - inner)
                } else {
                    negated(a).map(|inner| b - inner)
                }
            }
            Binary::Sub if y == Some(0.0) => Some(a),
            Binary::Sub if x == Some(0.0) => Some(-b),
            Binary::Sub if a.id == b.id => Some(zero()),
            Binary::Sub => opposite(b).map(|inner| a + inner),
            Binary::Mul if x == Some(0.0) || y == Some(0.0) => Some(zero()),
            Binary::Mul if x == Some(1.0) => Some(b),
            Binary::Mul if y == Some(1.0) => Some(a),
            Binary::Mul if x == Some(-1.0) => Some(-b),
            Binary::Mul if y == Some(-1.0) => Some(-a),
            Binary::Mul => match (negated(a), negated(b)) {
                (Some(p), Some(q)) => Some(p * q),
                (Some(p), None) => Some(-(p * b)),
                (None, Some(q)) => Some(-(a * q)),
                (None, None) => self.number_first(a, b),
            },
            Binary::Div if y == Some(1.0) => Some(a),
            Binary::Div if y == Some(-1.0) => Some(-a),
            Binary::Div if x == Some(0.0) => Some(zero()),
            Binary::Div => match (negated(a), opposite(b)) {
                (Some(p), Some(q)) => Some(p / q),
                (Some(p), None) => Some(-(p / b)),
                (None, Some(q)) => Some(-(a / q)),
                (None, None) => None,
            },
            Binary::Pow => self.simple_power(a, y?),
            Binary::Min | Binary::Max if a.id == b.id => Some(a),
            _ => None,
        }
    }

    /// x · (c · y) = c · (x · y), so that squares are seen as such.
    fn number_first<'g>(&'g self, a: Ex<'g>, b: Ex<'g>) -> Option<Ex<'g>> {
        let scaled = |e: Ex<'g>| match self.node(e.id) {
            ExprNode::Binary(Binary::Mul, c, rest) if self.at(c).value().is_some() => {
                Some((self.at(c), self.at(rest)))
            }
            ExprNode::Binary(Binary::Mul, rest, c) if self.at(c).value().is_some() => {
                Some((self.at(c), self.at(rest)))
            }
            _ => None,
        };
        match (scaled(a), scaled(b)) {
            (Some((c, x)), Some((d, y))) => Some(c * d * (x * y)),
            (Some((c, x)), None) if b.value().is_none() => Some(c * (x * b)),
            (None, Some((d, y))) if a.value().is_none() => Some(d * (a * y)),
            _ => None,
        }
    }

    /// Small whole and half exponents become products and roots: faster, and exact where they should be.
    fn simple_power<'g>(&'g self, a: Ex<'g>, exponent: f64) -> Option<Ex<'g>> {
        if exponent == 0.0 {
            return Some(self.constant(1.0));
        }
        if exponent < 0.0 {
            return self.simple_power(a, -exponent).map(|positive| self.constant(1.0) / positive);
        }
        let whole = exponent.floor();
        if whole > 16.0 || (exponent != whole && exponent != whole + 0.5) {
            return None;
        }
        let mut product = (exponent != whole).then(|| a.sqrt());
        let (mut square, mut left) = (a, whole as u32);
        while left > 0 {
            if left & 1 == 1 {
                product = Some(product.map_or(square, |p| p * square));
            }
            left >>= 1;
            if left > 0 {
                square = square * square;
            }
        }
        product
    }

    fn make(&self, node: ExprNode) -> Ex<'_> {
        let mut store = self.store();
        let key = key(&node);
        if let Some(&id) = store.index.get(&key) {
            return self.at(id);
        }
        let id = Expr(u32::try_from(store.nodes.len()).expect("fewer than 2³² nodes"));
        store.nodes.push(node);
        store.index.insert(key, id);
        self.at(id)
    }

    /// The value of a node from those of its children; a leaf without a value is NaN.
    pub fn evaluate_node(&self, node: ExprNode, child: impl Fn(Expr) -> f64) -> f64 {
        evaluate_node(node, |t| self.table(t), child)
    }

    /// Every node that `roots` are computed from, children first.
    pub fn reachable(&self, roots: impl IntoIterator<Item = Expr>) -> Vec<Expr> {
        let mut store = self.store();
        let NodeStore { nodes, marks, round, .. } = &mut *store;
        marks.resize(nodes.len(), 0);
        *round = round.wrapping_add(1);
        if *round == 0 {
            marks.fill(0);
            *round = 1;
        }
        let mut found = Vec::new();
        let mut stack: Vec<Expr> = roots.into_iter().collect();
        while let Some(e) = stack.pop() {
            if std::mem::replace(&mut marks[e.index()], *round) != *round {
                found.push(e);
                stack.extend(nodes[e.index()].children().filter(|c| marks[c.index()] != *round));
            }
        }
        found.sort_unstable();
        found
    }

    /// `roots` rebuilt bottom up: where `replace` gives an expression for a node (whose children are already
    /// rebuilt) it takes its place. What comes in is not looked into again.
    pub fn rewrite(&self, roots: &[Expr], mut replace: impl FnMut(ExprNode) -> Option<Expr>) -> Vec<Expr> {
        let mut new: Map<Expr, Expr> = Map::default();
        for e in self.reachable(roots.iter().copied()) {
            let made = self.rebuild(e, |c| new[&c]);
            new.insert(e, replace(self.node(made)).unwrap_or(made));
        }
        roots.iter().map(|e| new[e]).collect()
    }

    /// `roots` with every node that `new` knows replaced; expressions made in between are entered there, so that nothing is
    /// made twice.
    pub fn replace(&self, roots: &[Expr], new: &mut Map<Expr, Expr>) -> Vec<Expr> {
        let mut stack: Vec<Expr> = roots.to_vec();
        while let Some(&e) = stack.last() {
            if new.contains_key(&e) {
                stack.pop();
                continue;
            }
            let open = stack.len();
            stack.extend(self.node(e).children().filter(|c| !new.contains_key(c)));
            if stack.len() == open {
                let made = self.rebuild(e, |c| new[&c]);
                new.insert(e, made);
                stack.pop();
            }
        }
        roots.iter().map(|e| new[e]).collect()
    }

    /// A node made again from the new forms of its children.
    pub fn rebuild(&self, e: Expr, new: impl Fn(Expr) -> Expr) -> Expr {
        let at = |c: Expr| self.at(new(c));
        match self.node(e) {
            ExprNode::Const(_) | ExprNode::Time | ExprNode::Symbol(_) | ExprNode::Derivative(_) => e,
            ExprNode::Unary(op, a) => self.unary(op, at(a)).id,
            ExprNode::Binary(op, a, b) => self.binary(op, at(a), at(b)).id,
            ExprNode::Select(c, a, b) => self.select(at(c), at(a), at(b)).id,
            ExprNode::Holding(kind, a, b, c) => self.holding(kind, [at(a), at(b), at(c)]).id,
            ExprNode::Table1(t, a, d) => self.table1(t, at(a), d).id,
            ExprNode::Table2(t, a, b, dx, dy) => self.table2(t, at(a), at(b), dx, dy).id,
        }
    }

    /// The nodes under the roots that are of the kind asked for, or computed from such.
    pub(crate) fn containing(
        &self,
        roots: impl IntoIterator<Item = Expr>,
        kind: impl Fn(Expr) -> bool,
    ) -> Set<Expr> {
        let mut found = Set::default();
        for e in self.reachable(roots) {
            if kind(e) || self.node(e).children().any(|c| found.contains(&c)) {
                found.insert(e);
            }
        }
        found
    }

    /// For every node under the roots: does it depend on a leaf of the kind asked for? Constants depend on nothing.
    pub fn dependence(&self, roots: &[Expr], leaf: impl Fn(ExprNode) -> bool) -> Map<Expr, bool> {
        dependence(self, roots, leaf)
    }
}
