//! Which unknowns occur in which expression, of all expressions in one pass: nodes share the lists of their children.

use crate::graph::Graph;
use crate::hash::Map;
use crate::node::{Expr, ExprNode};

pub struct Occurrences {
    /// Number of the list of each node; those without unknowns are left out.
    of: Map<Expr, usize>,
    /// Ascending.
    lists: Vec<Vec<u32>>,
}

impl Occurrences {
    /// Of everything under `roots`; `columns` numbers the unknowns.
    pub(crate) fn of_unknowns(
        graph: &Graph,
        roots: impl IntoIterator<Item = Expr>,
        columns: impl Fn(ExprNode) -> Option<u32>,
    ) -> Self {
        Self::new(graph, roots, |_, node| columns(node).map(|unknown| vec![unknown]))
    }

    /// Where `own` gives a list (ascending) it is that of the node; else that of all its children together.
    pub fn new(
        graph: &Graph,
        roots: impl IntoIterator<Item = Expr>,
        own: impl Fn(Expr, ExprNode) -> Option<Vec<u32>>,
    ) -> Self {
        let mut standing = Occurrences { of: Map::default(), lists: vec![] };
        for e in graph.reachable(roots) {
            let node = graph.node(e);
            let list = match own(e, node) {
                Some(list) => (!list.is_empty()).then(|| standing.add(list)),
                None => {
                    node.children().fold(None, |sum, c| standing.union(sum, standing.of.get(&c).copied()))
                }
            };
            if let Some(list) = list {
                standing.of.insert(e, list);
            }
        }
        standing
    }

    fn add(&mut self, list: Vec<u32>) -> usize {
        self.lists.push(list);
        self.lists.len() - 1
    }

    fn union(&mut self, a: Option<usize>, b: Option<usize>) -> Option<usize> {
        let (Some(i), Some(j)) = (a, b) else { return a.or(b) };
        if i == j {
            return a;
        }
        let (x, y) = (&self.lists[i], &self.lists[j]);
        let mut all: Vec<u32> = x.iter().chain(y).copied().collect();
        all.sort_unstable();
        all.dedup();
        match all.len() {
            n if n == x.len() => a,
            n if n == y.len() => b,
            _ => Some(self.add(all)),
        }
    }

    fn list(&self, e: Expr) -> &[u32] {
        self.of.get(&e).map_or(&[], |&i| &self.lists[i])
    }

    /// Unknowns in an expression, ascending.
    pub fn unknowns(&self, e: Expr) -> impl Iterator<Item = usize> {
        self.list(e).iter().map(|&u| u as usize)
    }

    pub fn has(&self, e: Expr, unknown: usize) -> bool {
        self.list(e).binary_search(&(unknown as u32)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Symbol;

    #[test]
    fn lists_are_those_of_all_below() {
        let g = Graph::new();
        let [x, y, p] = [0, 1, 2].map(|i| g.symbol(Symbol(i)));
        let column = |n: ExprNode| match n {
            ExprNode::Symbol(Symbol(s)) if s < 2 => Some(s),
            _ => None,
        };
        let (a, b) = (x * p + p.sin(), (x * p).lt(y));
        let both = g.select(b, a, p);
        let standing = Occurrences::of_unknowns(&g, [both.id], column);
        assert_eq!(standing.list(a.id), [0]);
        assert_eq!(standing.list(both.id), [0, 1]);
        assert!(standing.list(p.id).is_empty() && standing.has(b.id, 1) && !standing.has(a.id, 1));
    }
}
