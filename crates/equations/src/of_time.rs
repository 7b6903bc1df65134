//! What depends on time alone: guards, corners of tables, jumps, and inputs.
//!
//! An input is looked at term by term, products multiplied out:
//!
//!   (a + b) c + d  ⟶  a c,  b c,  d                                                               (1)
//!
//! so that a narrow pulse is seen beside something large, and a fast wave that a window shuts out is not. Functions of sums are looked at
//! as a whole, and the terms of such a sum that may have narrow features of their own by themselves.
//!
//! An input that depends on time through one wave alone, f(sin(…)), is listed as such: f is periodic. For the others the rate is listed too,
//! if they are continuous: bounds by the rate are far closer where terms cancel.

use crate::derivative::gradients;
use crate::graph::{Graph, GraphTable};
use crate::hash::Map;
use crate::node::{Binary, Expr, ExprNode, Symbol, Unary};

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
    /// Their derivatives by time; infinite where an input may jump.
    pub rates: Vec<Expr>,
    /// Sines and cosines.
    pub waves: Vec<Expr>,
    /// Stand for the waves in `functions`.
    pub symbols: Vec<Symbol>,
    /// Number of the wave, and f.
    pub functions: Vec<(usize, Expr)>,
}

/// How an expression knows time.
#[derive(Clone, Copy, PartialEq)]
enum TimeDependence {
    Nothing,
    Wave(Expr),
    Time,
}

/// More terms than this are not multiplied out.
const MOST_TERMS: usize = 16;

/// A term of (1).
#[derive(Clone, Copy)]
struct TimeTerm {
    e: Expr,
    of_time: bool,
    /// It may change within a time that is short against its own: not a power of time.
    narrow: bool,
}

impl OfTime {
    /// Everything of time alone in `rows` and `guards`; `unknown` tells leaves that are neither time nor slow. Symbols from `free` on are
    /// not used elsewhere.
    pub fn find(
        graph: &Graph,
        rows: &[Expr],
        guards: &[Expr],
        free: u32,
        unknown: impl Fn(ExprNode) -> bool,
    ) -> Self {
        let roots: Vec<Expr> = rows.iter().chain(guards).copied().collect();
        let by_time = graph.dependence(&roots, |leaf| leaf == ExprNode::Time);
        let by_unknowns = graph.dependence(&roots, unknown);
        let alone = |e: Expr| by_time[&e] && !by_unknowns[&e];
        let mut found =
            OfTime { guards: (0..guards.len()).filter(|&g| alone(guards[g])).collect(), ..OfTime::default() };
        let mut terms: Map<Expr, Vec<TimeTerm>> = Map::default();
        let mut used: Vec<Expr> = roots.iter().copied().filter(|&e| alone(e)).collect();
        for e in graph.reachable(roots.iter().copied()) {
            if !alone(e) {
                if !by_unknowns[&e] {
                    terms.insert(e, vec![TimeTerm { e, of_time: false, narrow: false }]);
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
        found.inputs.retain(|&e| graph.node(e) != ExprNode::Time);
        found.part_waves(graph, free);
        found.find_rates(graph);
        found
    }

    fn find_rates(&mut self, graph: &Graph) {
        let mut may_jump: Map<Expr, bool> = Map::default();
        let by_time = graph.dependence(&self.inputs, |leaf| leaf == ExprNode::Time);
        for e in graph.reachable(self.inputs.iter().copied()) {
            let node = graph.node(e);
            let jumps = match node {
                ExprNode::Unary(Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Not, _) => true,
                ExprNode::Binary(op, ..) => {
                    use Binary::{Add, Div, Max, Min, Mul, Pow, Sub};
                    !matches!(op, Add | Sub | Mul | Div | Pow | Min | Max)
                }
                ExprNode::Select(c, ..) => by_time[&c],
                ExprNode::Table1(table, ..) => match graph.table_at(table.0 as usize) {
                    GraphTable::One(table) => table.jumps().next().is_some(),
                    GraphTable::Two(_) => true,
                },
                ExprNode::Table2(..) | ExprNode::Holding(..) | ExprNode::Derivative(_) => true,
                _ => false,
            };
            let jumps = by_time[&e] && (jumps || node.children().any(|c| may_jump[&c]));
            may_jump.insert(e, jumps);
        }
        let slopes = gradients(graph, &self.inputs, |node| (node == ExprNode::Time).then_some(0));
        let rate = |(slope, input): (&Vec<(u32, Expr)>, &Expr)| match slope.first() {
            _ if may_jump[input] => graph.constant(f64::INFINITY).id,
            Some(&(_, e)) => e,
            None => graph.constant(0.0).id,
        };
        self.rates = slopes.iter().zip(&self.inputs).map(rate).collect();
    }

    /// Inputs f(wave) become functions; the waves themselves, and multiples of them, stay inputs.
    fn part_waves(&mut self, graph: &Graph, free: u32) {
        let mut knows: Map<Expr, TimeDependence> = Map::default();
        let mut plain: Map<Expr, bool> = Map::default();
        for e in graph.reachable(self.inputs.iter().copied()) {
            let node = graph.node(e);
            let mut of_e =
                if node == ExprNode::Time { TimeDependence::Time } else { TimeDependence::Nothing };
            for c in node.children() {
                of_e = match (of_e, knows[&c]) {
                    (TimeDependence::Nothing, of) | (of, TimeDependence::Nothing) => of,
                    (a, b) if a == b => a,
                    _ => TimeDependence::Time,
                };
            }
            let is_wave = matches!(node, ExprNode::Unary(Unary::Sin | Unary::Cos, _))
                && of_e != TimeDependence::Nothing;
            let multiple = match node {
                ExprNode::Unary(Unary::Neg, a) => plain[&a],
                ExprNode::Binary(Binary::Mul | Binary::Div, a, b) if knows[&b] == TimeDependence::Nothing => {
                    plain[&a]
                }
                ExprNode::Binary(Binary::Mul, a, b) if knows[&a] == TimeDependence::Nothing => plain[&b],
                _ => false,
            };
            knows.insert(e, if is_wave { TimeDependence::Wave(e) } else { of_e });
            plain.insert(e, is_wave || multiple);
        }
        let (waves, inputs) =
            self.inputs.iter().partition(|&e| !plain[e] && matches!(knows[e], TimeDependence::Wave(_)));
        self.inputs = inputs;
        let waves: Vec<Expr> = waves;
        for e in waves {
            let TimeDependence::Wave(wave) = knows[&e] else { continue };
            let number = self.waves.iter().position(|&w| w == wave).unwrap_or_else(|| {
                self.symbols.push(Symbol(free + self.waves.len() as u32));
                self.waves.push(wave);
                self.waves.len() - 1
            });
            let symbol = graph.symbol(self.symbols[number]).id;
            self.functions.push((number, graph.replace(&[e], &mut Map::from_iter([(wave, symbol)]))[0]));
        }
    }

    fn look_at(&mut self, graph: &Graph, e: Expr) {
        match graph.node(e) {
            ExprNode::Table1(table, a, order) => {
                if let GraphTable::One(table) = graph.table_at(table.0 as usize) {
                    let jumps: Vec<f64> = table.jumps().collect();
                    for (places, jumps) in [(table.corners().to_vec(), order > 0), (jumps, true)] {
                        if !places.is_empty() {
                            self.corners.push((a, places, jumps));
                        }
                    }
                }
            }
            ExprNode::Unary(Unary::Floor | Unary::Ceil, _) => self.jumps.push(e),
            ExprNode::Binary(Binary::Mod, a, b) => {
                self.jumps.push(graph.unary(Unary::Floor, graph.at(a) / graph.at(b)).id);
            }
            // From π to −π where x < 0. A number that changes there has to change once more in a turn, here by the axis x = 0.
            ExprNode::Binary(Binary::Atan2, y, x) => {
                let zero = graph.constant(0.0);
                self.jumps.push((graph.at(y).lt(zero) * graph.at(x).lt(zero)).id);
            }
            _ => {}
        }
    }

    /// (1) of an expression of time alone, from those of its children. Terms it does not pass on are inputs by themselves.
    fn terms(&mut self, graph: &Graph, e: Expr, of: &Map<Expr, Vec<TimeTerm>>) -> Vec<TimeTerm> {
        let node = graph.node(e);
        let whole = |narrow: bool| vec![TimeTerm { e, of_time: true, narrow }];
        let narrow = |c: Expr| of[&c].iter().any(|t| t.narrow);
        let children: Vec<Expr> = node.children().collect();
        match node {
            ExprNode::Time => whole(false),
            ExprNode::Unary(Unary::Neg, a) => of[&a].clone(),
            ExprNode::Binary(Binary::Add | Binary::Sub, a, b)
                if of[&a].len() + of[&b].len() <= MOST_TERMS =>
            {
                of[&a].iter().chain(&of[&b]).copied().collect()
            }
            ExprNode::Binary(Binary::Mul, a, b) if of[&a].len() * of[&b].len() <= MOST_TERMS => {
                let product = |x: &TimeTerm, y: &TimeTerm| TimeTerm {
                    e: (graph.at(x.e) * graph.at(y.e)).id,
                    of_time: x.of_time || y.of_time,
                    narrow: x.narrow || y.narrow,
                };
                of[&a].iter().flat_map(|x| of[&b].iter().map(move |y| product(x, y))).collect()
            }
            ExprNode::Binary(Binary::Div, a, b) if of[&b].iter().all(|t| !t.of_time) => {
                let quotient = |x: &TimeTerm| TimeTerm { e: (graph.at(x.e) / graph.at(b)).id, ..*x };
                of[&a].iter().map(quotient).collect()
            }
            ExprNode::Binary(Binary::Add | Binary::Sub | Binary::Mul, ..) => {
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
    fn keep(&mut self, children: &[Expr], of: &Map<Expr, Vec<TimeTerm>>, least: usize) {
        for c in children {
            if of[c].len() >= least {
                self.inputs.extend(of[c].iter().filter(|t| t.narrow).map(|t| t.e));
            }
        }
    }
}
