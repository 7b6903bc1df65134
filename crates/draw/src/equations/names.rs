//! One name for what is equal, and no names for what is used in passing.
//!
//! Connections make many equations that only give another name to something: `a = b`, `a = −b`. The analysis joins
//! those it can; here those follow that only turn out equal after solving. The name used is a state's, parameter's or
//! unknown's own or else the one with the shortest path. A short definition of something inside a component
//! (`motor.coil.e`) that is used once is put in where it is used.

use std::collections::{HashMap, HashSet};

use trunnion_equations::flat::Quantity;
use trunnion_equations::print::terms;
use trunnion_equations::{Expr, ExprNode, Graph, Symbol};

use super::sheet::SheetLine;

/// Terms a definition may have to be put in.
const SHORT: u64 = 24;

/// Which defined names are equal up to their sign, or constant.
pub struct EqualNames {
    /// ± another name, or a number, for each name that is nothing more.
    alias: HashMap<Symbol, Expr>,
    /// All defined names, in the order of evaluation.
    defined: Vec<Symbol>,
}

impl EqualNames {
    pub fn new(graph: &Graph, definitions: &[SheetLine]) -> Self {
        let mut groups = EqualNames { alias: HashMap::new(), defined: vec![] };
        for line in definitions {
            let ExprNode::Symbol(s) = graph.node(line.left) else { continue };
            groups.defined.push(s);
            // What comes before is in terms of its roots already: a + 0 is a.
            let value = replaced(graph, line.right, &groups.alias);
            let plain = match graph.node(value) {
                ExprNode::Const(_) => true,
                _ => graph.signed(value).is_some(),
            };
            if plain {
                groups.alias.insert(s, value);
            }
        }
        groups
    }

    pub(crate) fn is_alias(&self, s: Symbol) -> bool {
        self.alias.contains_key(&s)
    }

    /// What each name but the group's own is replaced by.
    pub(crate) fn replacements<'n>(
        &self,
        graph: &Graph,
        name: impl Fn(Symbol) -> &'n str,
    ) -> HashMap<Symbol, Expr> {
        // (name, negative) that stands for each root that is itself defined.
        let own = self.defined.iter().filter(|s| !self.is_alias(**s));
        let mut chosen: HashMap<Symbol, (Symbol, bool)> = own.map(|&s| (s, (s, false))).collect();
        let rank = |(s, negative): (Symbol, bool)| (name(s).matches('.').count(), name(s).len(), negative);
        let root_of = |s: &Symbol| self.alias.get(s).and_then(|&e| graph.signed(e));
        for s in &self.defined {
            if let Some((root, negative)) = root_of(s)
                && let Some(best) = chosen.get_mut(&root)
                && rank((*s, negative)) < rank(*best)
            {
                *best = (*s, negative);
            }
        }
        let mut names = HashMap::new();
        for &s in &self.defined {
            let (root, negative) = match (self.alias.get(&s), root_of(&s)) {
                (Some(&number), None) => {
                    names.insert(s, number);
                    continue;
                }
                (_, Some(root)) => root,
                (None, None) => (s, false),
            };
            let (own, turned) = chosen.get(&root).copied().unwrap_or((root, false));
            if own != s {
                let e = graph.symbol(own);
                names.insert(s, if negative != turned { -e } else { e }.id);
            }
        }
        names
    }
}

pub fn replaced(graph: &Graph, e: Expr, names: &HashMap<Symbol, Expr>) -> Expr {
    let one = |node| match node {
        ExprNode::Symbol(s) => names.get(&s).copied(),
        _ => None,
    };
    graph.rewrite(&[e], one)[0]
}

/// Definitions to be put in where they are used: those of inner quantities that `lines` use once.
pub(crate) fn passing<'q>(
    graph: &Graph,
    definitions: &mut Vec<SheetLine>,
    roots: &[Expr],
    quantity: impl Fn(Symbol) -> &'q Quantity,
) -> HashMap<Symbol, Expr> {
    let mut uses: HashMap<Expr, usize> = HashMap::new();
    for root in definitions.iter().map(|line| line.right).chain(roots.iter().copied()) {
        *uses.entry(root).or_default() += 1;
        for e in graph.reachable([root]) {
            graph.node(e).children().for_each(|c| *uses.entry(c).or_default() += 1);
        }
    }
    let is_inner = |s: Symbol| {
        let q = quantity(s);
        let local = q.name.strip_prefix(q.origin.component.as_str()).unwrap_or(&q.name);
        local.trim_start_matches('.').contains('.')
    };
    let mut put: HashMap<Symbol, Expr> = HashMap::new();
    for line in std::mem::take(definitions) {
        let right = replaced(graph, line.right, &put);
        match graph.node(line.left) {
            ExprNode::Symbol(s)
                if uses.get(&line.left) == Some(&1) && is_inner(s) && terms(graph, right) <= SHORT =>
            {
                put.insert(s, right);
            }
            _ => definitions.push(SheetLine { right, ..line }),
        }
    }
    put
}

/// Definitions that nothing in `roots` needs, taken out.
pub fn beside(graph: &Graph, definitions: &mut Vec<SheetLine>, roots: &[Expr]) -> Vec<SheetLine> {
    let mut needed: HashSet<Expr> = graph.reachable(roots.iter().copied()).into_iter().collect();
    let mut beside = vec![];
    for line in std::mem::take(definitions).into_iter().rev() {
        if needed.contains(&line.left) {
            needed.extend(graph.reachable([line.right]));
            definitions.push(line);
        } else {
            beside.push(line);
        }
    }
    definitions.reverse();
    beside.reverse();
    beside
}
