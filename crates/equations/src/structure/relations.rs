//! Relations and kinks of continuous quantities become modes that change at located instants.
//!
//! `a < b` inside an equation is replaced by a mode m with the guard b − a: m is 1 while the guard is positive.
//! Between events the mode does not change, so a solver sees smooth equations on either side of the switch.
//! sign(x) becomes (0 < x) − (x < 0). Relations between parameters, inputs and modes stay as they are.
//!
//! Kinks are frozen likewise, max(a, b) as if(m, a, b) with the guard a − b, abs(x) as if(m, x, −x): a step is smooth up to the kink and
//! ends there. At the kink both branches agree, so that nothing jumps. The branch taken is used a little beyond the kink; where it has no
//! value there, as under a root, in a divisor or a logarithm, the kink stays as it is and is only watched: a step that passes it is
//! taken again up to it.
//!
//! Whole numbers and tables follow in `pieces.rs`, once all is sorted.

use std::sync::Arc;

use crate::flat::{DisplayUnit, Flat, Origin, Quantity, QuantityRole};
use crate::graph::Graph;
use crate::hash::{Map, Set};
use crate::node::{Binary, Expr, ExprNode, Symbol, TableId, Unary};
use crate::print::{PrintStyle, print};
use crate::structure::sign::{Sign, sign};

/// What a zero crossing of a guard does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuardRole {
    /// The guard is none, but an argument of a table that no step may pass unseen.
    Argument,
    /// Nothing, but no step may pass it unseen.
    Watched,
    /// Equations go on without a jump by another branch.
    Kink,
    /// Equations may jump.
    Switch,
}

/// mode = 1 where guard > 0 (or = 0 too, if `closed`).
#[derive(Clone, Debug)]
pub struct Relation {
    pub role: GuardRole,
    pub mode: Symbol,
    pub guard: Expr,
    pub closed: bool,
    /// Not 0: the mode counts (`pieces.rs`), and moves on by this where the guard ceases to hold.
    pub step: f64,
    /// What it counts; None: whole numbers.
    pub points: Option<Arc<[f64]>>,
    /// The table whose first argument this is; a second one comes next.
    pub table: Option<TableId>,
    /// The relation the mode stands for, in the user's names.
    pub written: Expr,
}

/// Expressions with every hidden mode shown as its relation, and sign(x) as such.
pub fn written(graph: &Graph, relations: &[Relation], roots: &[Expr]) -> Vec<Expr> {
    let mut shown: Map<Symbol, Expr> = Map::default();
    let readable = |roots: &[Expr], shown: &Map<Symbol, Expr>| {
        graph.rewrite(roots, |node| match node {
            ExprNode::Symbol(s) => shown.get(&s).copied(),
            ExprNode::Binary(Binary::Sub, above, below) => match (graph.node(above), graph.node(below)) {
                (ExprNode::Binary(Binary::Lt, zero, x), ExprNode::Binary(Binary::Lt, y, zero_too))
                    if x == y && zero == zero_too && graph.node(zero) == ExprNode::Const(0.0) =>
                {
                    Some(graph.at(x).sign().id)
                }
                _ => None,
            },
            ExprNode::Select(condition, a, b) => kink_written(graph, condition, a, b),
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

/// if(b < a, a, b) is max(a, b), and so on.
fn kink_written(graph: &Graph, condition: Expr, a: Expr, b: Expr) -> Option<Expr> {
    let ExprNode::Binary(Binary::Lt, below, above) = graph.node(condition) else { return None };
    let (x, y) = (graph.at(a), graph.at(b));
    if (below, above) == (b, a) {
        Some(x.max(y).id)
    } else if (below, above) == (a, b) {
        Some(x.min(y).id)
    } else if above == a && graph.node(below) == ExprNode::Const(0.0) && (-x).id == b {
        Some(x.abs().id)
    } else {
        None
    }
}

/// Rewrites the equations of `flat` from number `first` on; the new modes are added to its quantities.
pub(crate) fn extract(
    flat: &mut Flat,
    first: usize,
    relations: &mut Vec<Relation>,
    parameters: &Map<Symbol, f64>,
) {
    let Flat { graph, quantities, equations, .. } = flat;
    let graph: &Graph = graph;
    let all = equations[first..].iter().flat_map(|e| [e.lhs, e.rhs]);
    let stepping = graph.containing(all, |e| switches(graph, e) || branches(graph, e).is_some());
    for equation in &mut equations[first..] {
        let sides = [equation.lhs, equation.rhs];
        if !sides.iter().any(|e| stepping.contains(e)) {
            continue;
        }
        let order = graph.reachable(sides);
        let varies = graph.dependence(&sides, |leaf| match leaf {
            ExprNode::Symbol(s) => {
                matches!(quantities[s.index()].kind, QuantityRole::Unknown { .. } | QuantityRole::Multiplier)
            }
            _ => true,
        });
        let live = live_kinks(graph, &order, &varies, parameters);
        let mut modes = RelationModes { graph, quantities, relations, origin: equation.origin.clone() };
        let zero = graph.constant(0.0).id;
        let used = beside_relations(graph, sides);
        let mut new: Map<Expr, Expr> = Map::default();
        // As relations read them: with kinks as they are, so that a relation is true or false by values alone.
        let mut read: Map<Expr, Expr> = Map::default();
        for &e in &order {
            let made = graph.rebuild(e, |c| new[&c]);
            let as_read = graph.rebuild(e, |c| read[&c]);
            let moves = graph.node(e).children().any(|c| varies[&c]);
            let relation = match graph.node(as_read) {
                _ if !moves => None,
                ExprNode::Binary(op @ (Binary::Lt | Binary::Le), a, b) => {
                    Some(modes.mode(a, b, op == Binary::Le, GuardRole::Switch))
                }
                ExprNode::Unary(Unary::Sign, a) => {
                    let above = modes.mode(zero, a, false, GuardRole::Switch);
                    let below = modes.mode(a, zero, false, GuardRole::Switch);
                    Some((graph.at(above) - graph.at(below)).id)
                }
                _ => None,
            };
            let made = match branches(graph, made).filter(|_| moves && used.contains(&e)) {
                _ if relation.is_some() => made,
                Some(kink) if live.contains(&e) => {
                    modes.mode(kink.below, kink.above, false, GuardRole::Watched);
                    made
                }
                Some(kink) => {
                    let mode = modes.mode(kink.below, kink.above, false, GuardRole::Kink);
                    graph.select(graph.at(mode), graph.at(kink.then), graph.at(kink.other)).id
                }
                None => made,
            };
            new.insert(e, relation.unwrap_or(made));
            read.insert(e, relation.unwrap_or(as_read));
        }
        (equation.lhs, equation.rhs) = (new[&sides[0]], new[&sides[1]]);
    }
}

/// What is used by more than relations.
fn beside_relations(graph: &Graph, sides: [Expr; 2]) -> Set<Expr> {
    let mut used: Set<Expr> = Set::default();
    let mut open = sides.to_vec();
    while let Some(e) = open.pop() {
        if used.insert(e) && !switches(graph, e) {
            open.extend(graph.node(e).children());
        }
    }
    used
}

fn switches(graph: &Graph, e: Expr) -> bool {
    matches!(graph.node(e), ExprNode::Binary(Binary::Lt | Binary::Le, ..) | ExprNode::Unary(Unary::Sign, _))
}

/// if(below < above, then, other).
struct Conditional {
    below: Expr,
    above: Expr,
    then: Expr,
    other: Expr,
}

/// A node with a kink, as the branches it consists of.
fn branches(graph: &Graph, e: Expr) -> Option<Conditional> {
    match graph.node(e) {
        ExprNode::Binary(Binary::Max, a, b) => Some(Conditional { below: b, above: a, then: a, other: b }),
        ExprNode::Binary(Binary::Min, a, b) => Some(Conditional { below: a, above: b, then: a, other: b }),
        ExprNode::Unary(Unary::Abs, a) => {
            let (below, other) = (graph.constant(0.0).id, (-graph.at(a)).id);
            Some(Conditional { below, above: a, then: a, other })
        }
        _ => None,
    }
}

/// Kinks on whose branches, continued beyond the kink, something has no value.
fn live_kinks(
    graph: &Graph,
    order: &[Expr],
    varies: &Map<Expr, bool>,
    parameters: &Map<Symbol, f64>,
) -> Set<Expr> {
    let is_kink = |e: Expr| branches(graph, e).is_some() && graph.node(e).children().any(|c| varies[&c]);
    let mut live: Set<Expr> = Set::default();
    if !order.iter().any(|&e| is_kink(e)) {
        return live;
    }
    // As they would be frozen, each with a mode of its own.
    let mut frozen: Map<Expr, Expr> = Map::default();
    for (k, &e) in order.iter().enumerate() {
        let made = graph.rebuild(e, |c| frozen[&c]);
        let made = match branches(graph, made).filter(|_| is_kink(e)) {
            Some(kink) => {
                let mode = graph.symbol(Symbol(u32::MAX - k as u32));
                graph.select(mode, graph.at(kink.then), graph.at(kink.other)).id
            }
            None => made,
        };
        frozen.insert(e, made);
    }
    for &e in order {
        let positive = |a: Expr| sign(graph, parameters, frozen[&a]) == Sign::Positive;
        let operand = match graph.node(e) {
            ExprNode::Unary(Unary::Sqrt | Unary::Ln | Unary::Log10, a) if !positive(a) => a,
            ExprNode::Unary(Unary::Asin | Unary::Acos, a) => a,
            ExprNode::Binary(Binary::Pow, a, b)
                if !graph.at(b).value().is_some_and(whole) && !positive(a) =>
            {
                a
            }
            ExprNode::Binary(Binary::Div, _, b) if !sign(graph, parameters, frozen[&b]).excludes_zero() => b,
            _ => continue,
        };
        live.extend(graph.reachable([operand]).into_iter().filter(|&k| is_kink(k)));
    }
    live
}

/// An exponent that every base can have.
fn whole(x: f64) -> bool {
    x >= 0.0 && x.fract() == 0.0
}

/// The modes made so far.
struct RelationModes<'a> {
    graph: &'a Graph,
    quantities: &'a mut Vec<Quantity>,
    relations: &'a mut Vec<Relation>,
    origin: Origin,
}

impl RelationModes<'_> {
    /// The mode of a < b, or a ≤ b.
    fn mode(&mut self, a: Expr, b: Expr, closed: bool, role: GuardRole) -> Expr {
        let RelationModes { graph, quantities, relations, origin } = self;
        let guard = (graph.at(b) - graph.at(a)).id;
        if let Some(known) = relations.iter_mut().find(|r| r.guard == guard && r.closed == closed) {
            known.role = known.role.max(role);
            return graph.symbol(known.mode).id;
        }
        let mode = Symbol(quantities.len() as u32);
        let name = |s: Symbol| quantities[s.index()].name.clone();
        let show = |e: Expr| print(graph, e, PrintStyle::Text, &name);
        let text = format!("{} {} {}", show(a), if closed { "<=" } else { "<" }, show(b));
        quantities.push(hidden_mode(text, origin, graph));
        let written = if closed { graph.at(a).le(graph.at(b)) } else { graph.at(a).lt(graph.at(b)) };
        relations.push(Relation {
            role,
            mode,
            guard,
            closed,
            step: 0.0,
            points: None,
            table: None,
            written: written.id,
        });
        graph.symbol(mode).id
    }
}

fn hidden_mode(name: String, origin: &Origin, graph: &Graph) -> Quantity {
    Quantity {
        name,
        unit: DisplayUnit::default(),
        doc: "Switches when the relation changes".into(),
        origin: origin.clone(),
        kind: QuantityRole::Mode { start: graph.constant(0.0).id },
        nominal: None,
        range: (0.0, 1.0),
    }
}
