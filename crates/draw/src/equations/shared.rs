//! Long expressions as a mechanism has them: what they have in common is written once, under a name of its own (#1, #2, …).
//!
//! In the graph equal expressions are one node; written out, each stands wherever it is used, and a page of nodes becomes a
//! book.

use std::collections::HashMap;

use trunnion_equations::print::terms;
use trunnion_equations::{Expr, Graph, Symbol};

use super::sheet::SheetLine;

/// Expressions of more terms are taken apart.
const LONG: u64 = 300;
/// Fewer terms are not worth a name.
const FEW: u64 = 6;

/// Takes the long ones of `places` apart; the symbols of what they share begin at number `first`.
pub fn share(graph: &Graph, places: Vec<&mut Expr>, first: usize) -> Vec<SheetLine> {
    let long: Vec<&mut Expr> = places.into_iter().filter(|e| terms(graph, **e) > LONG).collect();
    let roots: Vec<Expr> = long.iter().map(|e| **e).collect();
    let order = graph.reachable(roots.iter().copied());
    let mut uses: HashMap<Expr, usize> = HashMap::new();
    for e in order.iter().flat_map(|&e| graph.node(e).children()).chain(roots) {
        *uses.entry(e).or_default() += 1;
    }
    let mut new: HashMap<Expr, Expr> = HashMap::new();
    let mut shared = vec![];
    for e in order {
        let mut made = graph.rebuild(e, |c| new[&c]);
        if uses.get(&e).is_some_and(|&n| n > 1) && terms(graph, made) >= FEW {
            let left = graph.symbol(Symbol((first + shared.len()) as u32)).id;
            let (equation, origin) = Default::default();
            shared.push(SheetLine { left, right: made, equation, origin });
            made = left;
        }
        new.insert(e, made);
    }
    long.into_iter().for_each(|place| *place = new[place]);
    shared
}
