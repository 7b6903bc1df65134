//! A graph that has ceased to grow: plain data, shared between threads without a lock.
//!
//! Analysis works on a [`Graph`], where looking for an expression may add it. What it returns holds a [`FrozenGraph`]. Whoever has to make
//! further expressions of it does so in a copy, where all numbers of expressions stay valid.

use crate::graph::{Graph, GraphTable, NodeStore, key};
use crate::hash::{Map, Set};
use crate::node::{Expr, ExprNode, Symbol, TableId, Unary};

/// Expressions to read: a graph that grows, or one that does no longer.
pub trait Expressions {
    fn node(&self, e: Expr) -> ExprNode;
    fn table(&self, id: TableId) -> GraphTable;
    /// Every node that `roots` are computed from, children first.
    fn under(&self, roots: &[Expr]) -> Vec<Expr>;
}

impl Expressions for Graph {
    fn node(&self, e: Expr) -> ExprNode {
        Graph::node(self, e)
    }

    fn table(&self, id: TableId) -> GraphTable {
        Graph::table(self, id)
    }

    fn under(&self, roots: &[Expr]) -> Vec<Expr> {
        self.reachable(roots.iter().copied())
    }
}

/// All expressions of an analysed model.
pub struct FrozenGraph {
    store: NodeStore,
}

impl std::fmt::Debug for FrozenGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FrozenGraph of {} nodes", self.len())
    }
}

impl Expressions for FrozenGraph {
    fn node(&self, e: Expr) -> ExprNode {
        FrozenGraph::node(self, e)
    }

    fn table(&self, id: TableId) -> GraphTable {
        FrozenGraph::table(self, id)
    }

    fn under(&self, roots: &[Expr]) -> Vec<Expr> {
        self.reachable(roots.iter().copied())
    }
}

impl FrozenGraph {
    pub(crate) fn new(store: NodeStore) -> Self {
        FrozenGraph { store }
    }

    /// A copy that may grow.
    pub fn thaw(&self) -> Graph {
        Graph::from_store(self.store.clone())
    }

    pub fn len(&self) -> usize {
        self.store.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn node(&self, e: Expr) -> ExprNode {
        self.store.nodes[e.index()]
    }

    /// The expression that is this symbol; None of one that is no quantity and that nothing reads.
    pub fn symbol(&self, s: Symbol) -> Option<Expr> {
        self.store.index.get(&key(&ExprNode::Symbol(s))).copied()
    }

    pub fn table(&self, id: TableId) -> GraphTable {
        self.store.tables[id.0 as usize].1.clone()
    }

    /// A symbol and whether it is negated; None for anything else.
    pub fn signed(&self, e: Expr) -> Option<(Symbol, bool)> {
        signed(self, e)
    }

    /// Every node that `roots` are computed from, children first.
    pub fn reachable(&self, roots: impl IntoIterator<Item = Expr>) -> Vec<Expr> {
        let mut seen: Set<Expr> = Set::default();
        let mut stack: Vec<Expr> = roots.into_iter().collect();
        while let Some(e) = stack.pop() {
            if seen.insert(e) {
                stack.extend(self.node(e).children().filter(|c| !seen.contains(c)));
            }
        }
        let mut found: Vec<Expr> = seen.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// For every node under the roots: does it depend on a leaf of the kind asked for? Constants depend on nothing.
    pub fn dependence(&self, roots: &[Expr], leaf: impl Fn(ExprNode) -> bool) -> Map<Expr, bool> {
        dependence(self, roots, leaf)
    }
}

/// A symbol and whether it is negated; None for anything else.
pub(crate) fn signed(graph: &impl Expressions, e: Expr) -> Option<(Symbol, bool)> {
    match graph.node(e) {
        ExprNode::Symbol(s) => Some((s, false)),
        ExprNode::Unary(Unary::Neg, inner) => match graph.node(inner) {
            ExprNode::Symbol(s) => Some((s, true)),
            _ => None,
        },
        _ => None,
    }
}

/// For every node under the roots: does it depend on a leaf of the kind asked for? Constants depend on nothing.
pub(crate) fn dependence(
    graph: &impl Expressions,
    roots: &[Expr],
    leaf: impl Fn(ExprNode) -> bool,
) -> Map<Expr, bool> {
    let mut depends = Map::default();
    for e in graph.under(roots) {
        let node = graph.node(e);
        let d = match node {
            ExprNode::Const(_) => false,
            ExprNode::Time | ExprNode::Symbol(_) | ExprNode::Derivative(_) => leaf(node),
            _ => node.children().any(|c| depends[&c]),
        };
        depends.insert(e, d);
    }
    depends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::evaluate;

    fn shared_without_lock<T: Send + Sync + std::panic::RefUnwindSafe>() {}

    #[test]
    fn a_copy_grows_and_the_frozen_graph_does_not() {
        let g = Graph::new();
        let (x, k) = (g.symbol(Symbol(0)), g.symbol(Symbol(1)));
        let force = (-k * x).id;
        let frozen = g.freeze();
        shared_without_lock::<FrozenGraph>();
        let before = frozen.len();
        let copy = frozen.thaw();
        assert_eq!((-(copy.symbol(Symbol(1)) * copy.symbol(Symbol(0)))).id, force);
        let further = copy.at(force) * 2.0;
        assert!(further.id.index() >= before && frozen.len() == before);
        assert_eq!(frozen.symbol(Symbol(1)).map(|e| frozen.node(e)), Some(ExprNode::Symbol(Symbol(1))));
        assert_eq!(frozen.symbol(Symbol(2)), None);
        assert_eq!(evaluate(&frozen, force, |s| if s == Symbol(0) { 3.0 } else { 2.0 }), -6.0);
        assert_eq!(frozen.reachable([force]), copy.reachable([force]));
    }
}
