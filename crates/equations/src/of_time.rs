//! What depends on time alone: guards, corners of tables, jumps, and inputs.
//!
//! An input is looked at term by term, products multiplied out:
//!
//!   (a + b) c + d  ⟶  a c,  b c,  d                                                               (1)
//!
//! so that a narrow pulse is seen beside something large, and a fast wave that a window shuts out is not. Functions of sums are looked at
//! as a whole, and the terms of such a sum that may have narrow features of their own by themselves.

use crate::graph::{Graph, Table};
use crate::hash::Map;
use crate::node::{Binary, Expr, Node, Unary};

/// What depends on time alone, parameters, inputs and modes aside.
#[derive(Clone, Debug, Default)]
pub struct OfTime {
    /// Numbers of guards.
    pub guards: Vec<usize>,
    /// Arguments of tables, where these have corners, and whether they jump there.
    pub corners: Vec<(Expr, Vec<f64>, bool)>,
    /// Whole numbers.
    pub jumps: Vec<Expr>,
    /// Whatever else enters equations and guards.
    pub inputs: Vec<Expr>,
}

/// More terms than this are not multiplied out.
const MOST_TERMS: usize = 16;

/// A term of (1).
#[derive(Clone, Copy)]
struct Term {
    e: Expr,
    of_time: bool,
    /// It may change within a time that is short against its own: not a power of time.
    narrow: bool,
}

impl OfTime {
    /// Everything of time alone in `rows` and `guards`; `unknown` tells leaves that are neither time nor slow.
    pub fn find(graph: &Graph, rows: &[Expr], guards: &[Expr], unknown: impl Fn(Node) -> bool) -> Self {
        let roots: Vec<Expr> = rows.iter().chain(guards).copied().collect();
        let by_time = graph.dependence(&roots, |leaf| leaf == Node::Time);
        let by_unknowns = graph.dependence(&roots, unknown);
        let alone = |e: Expr| by_time[&e] && !by_unknowns[&e];
        let mut found =
            OfTime { guards: (0..guards.len()).filter(|&g| alone(guards[g])).collect(), ..OfTime::default() };
        let mut terms: Map<Expr, Vec<Term>> = Map::default();
        let mut used: Vec<Expr> = roots.iter().copied().filter(|&e| alone(e)).collect();
        for e in graph.reachable(roots.iter().copied()) {
            if !alone(e) {
                if !by_unknowns[&e] {
                    terms.insert(e, vec![Term { e, of_time: false, narrow: false }]);
                }
                used.extend(graph.node(e).children().filter(|&c| alone(c)));
                continue;
            }
            let of_e = found.terms(graph, e, &terms);
            terms.insert(e, of_e);
            found.look_at(graph, e);
        }
        used.sort_unstable();
        used.dedup();
        found.inputs.extend(used.iter().flat_map(|e| &terms[e]).filter(|t| t.of_time).map(|t| t.e));
        found.inputs.sort_unstable();
        found.inputs.dedup();
        found.inputs.retain(|&e| graph.node(e) != Node::Time);
        found
    }

    fn look_at(&mut self, graph: &Graph, e: Expr) {
        match graph.node(e) {
            Node::Table1(table, a, order) => {
                if let Table::One(table) = graph.table_at(table.0 as usize) {
                    let jumps: Vec<f64> = table.jumps().collect();
                    for (places, jumps) in [(table.corners().to_vec(), order > 0), (jumps, true)] {
                        if !places.is_empty() {
                            self.corners.push((a, places, jumps));
                        }
                    }
                }
            }
            Node::Unary(Unary::Floor | Unary::Ceil, _) => self.jumps.push(e),
            Node::Binary(Binary::Mod, a, b) => {
                self.jumps.push(graph.unary(Unary::Floor, graph.at(a) / graph.at(b)).id);
            }
            // From π to −π where x < 0. A number that changes there has to change once more in a turn, here by the axis x = 0.
            Node::Binary(Binary::Atan2, y, x) => {
                let zero = graph.constant(0.0);
                self.jumps.push((graph.at(y).lt(zero) * graph.at(x).lt(zero)).id);
            }
            _ => {}
        }
    }

    /// (1) of an expression of time alone, from those of its children. Terms it does not pass on are inputs by themselves.
    fn terms(&mut self, graph: &Graph, e: Expr, of: &Map<Expr, Vec<Term>>) -> Vec<Term> {
        let node = graph.node(e);
        let whole = |narrow: bool| vec![Term { e, of_time: true, narrow }];
        let narrow = |c: Expr| of[&c].iter().any(|t| t.narrow);
        let children: Vec<Expr> = node.children().collect();
        match node {
            Node::Time => whole(false),
            Node::Unary(Unary::Neg, a) => of[&a].clone(),
            Node::Binary(Binary::Add | Binary::Sub, a, b) if of[&a].len() + of[&b].len() <= MOST_TERMS => {
                of[&a].iter().chain(&of[&b]).copied().collect()
            }
            Node::Binary(Binary::Mul, a, b) if of[&a].len() * of[&b].len() <= MOST_TERMS => {
                let product = |x: &Term, y: &Term| Term {
                    e: (graph.at(x.e) * graph.at(y.e)).id,
                    of_time: x.of_time || y.of_time,
                    narrow: x.narrow || y.narrow,
                };
                of[&a].iter().flat_map(|x| of[&b].iter().map(move |y| product(x, y))).collect()
            }
            Node::Binary(Binary::Div, a, b) if of[&b].iter().all(|t| !t.of_time) => {
                let quotient = |x: &Term| Term { e: (graph.at(x.e) / graph.at(b)).id, ..*x };
                of[&a].iter().map(quotient).collect()
            }
            Node::Binary(Binary::Add | Binary::Sub | Binary::Mul, ..) => {
                self.keep(&children, of, 1);
                whole(children.iter().any(|&c| narrow(c)))
            }
            _ => {
                self.keep(&children, of, 2);
                whole(true)
            }
        }
    }

    /// Terms that may have narrow features, where there are `least` or more of them, become inputs by themselves.
    fn keep(&mut self, children: &[Expr], of: &Map<Expr, Vec<Term>>, least: usize) {
        for c in children {
            if of[c].len() >= least {
                self.inputs.extend(of[c].iter().filter(|t| t.narrow).map(|t| t.e));
            }
        }
    }
}
