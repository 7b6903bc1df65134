//! Relations between continuous quantities become modes that change at located events.
//!
//! `a < b` inside an equation is replaced by a mode m with the guard b − a: m is 1 while the guard is positive.
//! Between events the mode does not change, so a solver sees smooth equations on either side of the switch.
//! sign(x) becomes (0 < x) − (x < 0). Relations between parameters, inputs and modes stay as they are.

use crate::flat::{Flat, Kind, Origin, Quantity, Unit};
use crate::graph::Graph;
use crate::hash::Map;
use crate::node::{Binary, Expr, Node, Symbol, Unary};
use crate::print::{Style, print};

/// mode = 1 where guard > 0 (or = 0 too, if `closed`).
#[derive(Clone, Debug)]
pub struct Relation {
    pub mode: Symbol,
    pub guard: Expr,
    pub closed: bool,
    /// The relation the mode stands for, in the user's names.
    pub written: Expr,
}

/// Expressions with every hidden mode shown as its relation, and sign(x) as such.
pub fn written(graph: &Graph, relations: &[Relation], roots: &[Expr]) -> Vec<Expr> {
    let mut shown: Map<Symbol, Expr> = Map::default();
    let readable = |roots: &[Expr], shown: &Map<Symbol, Expr>| {
        graph.rewrite(roots, |node| match node {
            Node::Symbol(s) => shown.get(&s).copied(),
            Node::Binary(Binary::Sub, above, below) => match (graph.node(above), graph.node(below)) {
                (Node::Binary(Binary::Lt, zero, x), Node::Binary(Binary::Lt, y, zero_too))
                    if x == y && zero == zero_too && graph.node(zero) == Node::Const(0.0) =>
                {
                    Some(graph.at(x).sign().id)
                }
                _ => None,
            },
            _ => None,
        })
    };
    // A relation only uses modes of relations before it.
    for relation in relations {
        let relation_shown = readable(&[relation.written], &shown)[0];
        shown.insert(relation.mode, relation_shown);
    }
    readable(roots, &shown)
}

/// Rewrites the equations of `flat` from number `first` on; the new modes are added to its quantities.
pub fn extract(flat: &mut Flat, first: usize, relations: &mut Vec<Relation>) {
    let Flat { graph, quantities, equations, .. } = flat;
    let graph: &Graph = graph;
    let all = equations[first..].iter().flat_map(|e| [e.lhs, e.rhs]);
    let stepping = graph.containing(all, |node| {
        matches!(node, Node::Binary(Binary::Lt | Binary::Le, ..) | Node::Unary(Unary::Sign, _))
    });
    for equation in &mut equations[first..] {
        let sides = [equation.lhs, equation.rhs];
        if !sides.iter().any(|e| stepping.contains(e)) {
            continue;
        }
        let varies = graph.dependence(&sides, |leaf| match leaf {
            Node::Symbol(s) => matches!(quantities[s.index()].kind, Kind::Unknown { .. } | Kind::Multiplier),
            _ => true,
        });
        let mut mode = |a: Expr, b: Expr, closed: bool| -> Expr {
            let guard = (graph.at(b) - graph.at(a)).id;
            let known = relations.iter().find(|r| r.guard == guard && r.closed == closed);
            let symbol = known.map(|r| r.mode).unwrap_or_else(|| {
                let symbol = Symbol(quantities.len() as u32);
                let name = |s: Symbol| quantities[s.index()].name.clone();
                let show = |e: Expr| print(graph, e, Style::Text, &name);
                let text = format!("{} {} {}", show(a), if closed { "<=" } else { "<" }, show(b));
                quantities.push(hidden_mode(text, &equation.origin, graph));
                let written = if closed { graph.at(a).le(graph.at(b)) } else { graph.at(a).lt(graph.at(b)) };
                relations.push(Relation { mode: symbol, guard, closed, written: written.id });
                symbol
            });
            graph.symbol(symbol).id
        };
        let moves = |e: Expr| varies.get(&e).copied().unwrap_or(true);
        let zero = graph.constant(0.0).id;
        let new = graph.rewrite(&sides, |node| match node {
            Node::Binary(op @ (Binary::Lt | Binary::Le), a, b) if moves(a) || moves(b) => {
                Some(mode(a, b, op == Binary::Le))
            }
            Node::Unary(Unary::Sign, a) if moves(a) => {
                let (above, below) = (mode(zero, a, false), mode(a, zero, false));
                Some((graph.at(above) - graph.at(below)).id)
            }
            _ => None,
        });
        (equation.lhs, equation.rhs) = (new[0], new[1]);
    }
}

fn hidden_mode(name: String, origin: &Origin, graph: &Graph) -> Quantity {
    Quantity {
        name,
        unit: Unit::default(),
        doc: "Switches when the relation changes".into(),
        origin: origin.clone(),
        kind: Kind::Mode { start: graph.constant(0.0).id },
        nominal: None,
        range: (0.0, 1.0),
    }
}
