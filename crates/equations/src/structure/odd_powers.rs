//! Odd powers that a model writes by cases.
//!
//!   sgn(x) |x|^p,   if x > 0 then x^p else −(−x)^p   ⟶   x / (x² + ε)^((1−p)/2),  0 at 0,   0 < p ≤ 1         (1)
//!   if x > 0 then √x else b   ⟶   if x > 0 then √max(x, 0) else b                                          (2)
//!
//! (1) is continuous, but its parts switch at 0: where x comes to rest there, as the level of a tank that runs empty, modes would change for
//! ever. Factors may stand beside x under the root: √(2 |Δp| / ρ) sgn(Δp). Powers below ½ rise so steeply that iterations fail close to 0: there ε is
//! so large that steps which resolve the rise end in a straight line. An exponent that is a parameter is as good as a number.
//! The branch of (2) is used a little beyond its switch, where it has a value only so.

use std::collections::HashMap;

use crate::flat::{Flat, QuantityRole};
use crate::graph::{Ex, Graph};
use crate::node::{Binary, Expr, ExprNode, Unary};
use crate::start::{evaluate, start_values};

/// ε of (1): x² loses all digits below 1e-162; with this it stays above 0, and changes nothing else.
const TINY: f64 = 1e-300;
/// The same for powers below ½.
const STEEP: f64 = 1e-28;

/// (1) in all equations and outputs.
pub fn join(flat: &mut Flat) {
    let graph = &flat.graph;
    let sides = flat.equations.iter().flat_map(|e| [e.lhs, e.rhs]);
    let roots: Vec<Expr> = sides.chain(flat.outputs.iter().map(|o| o.value)).collect();
    let nodes = graph.reachable(roots.iter().copied());
    let any = |kind: fn(ExprNode) -> bool| nodes.iter().any(|&e| kind(graph.node(e)));
    let signs = any(|node| matches!(node, ExprNode::Unary(Unary::Sign, _)));
    if !signs && !any(|node| matches!(node, ExprNode::Select(..))) {
        return;
    }
    let by_others = graph.dependence(&roots, |leaf| match leaf {
        ExprNode::Symbol(s) => !matches!(flat.quantities[s.index()].kind, QuantityRole::Parameter { .. }),
        _ => true,
    });
    let start = start_values(graph, &flat.quantities, &HashMap::new());
    let parameter = |e: Expr| {
        let constant = by_others.get(&e) == Some(&false);
        constant.then(|| evaluate(graph, e, |s| start[s.index()]))
    };
    let new = graph.rewrite(&roots, |node| match node {
        ExprNode::Binary(Binary::Mul, a, b) if signs => {
            signed(graph, a, b).or_else(|| signed_by_parameter(graph, a, b, parameter))
        }
        ExprNode::Select(condition, a, b) => either_side(graph, condition, a, b),
        _ => None,
    });
    let (equations, outputs) = new.split_at(2 * flat.equations.len());
    for (equation, side) in flat.equations.iter_mut().zip(equations.chunks(2)) {
        (equation.lhs, equation.rhs) = (side[0], side[1]);
    }
    flat.outputs.iter_mut().zip(outputs).for_each(|(output, &e)| output.value = e);
}

/// Numerators and denominators of a product; its sign.
struct Product<'g> {
    graph: &'g Graph,
    above: Vec<Expr>,
    below: Vec<Expr>,
    negative: bool,
}

impl<'g> Product<'g> {
    fn of(graph: &'g Graph, e: Expr) -> Self {
        let mut product = Product { graph, above: vec![], below: vec![], negative: false };
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            match graph.node(e) {
                ExprNode::Binary(Binary::Mul, a, b) => open.extend([b, a]),
                ExprNode::Binary(Binary::Div, a, b) => {
                    open.push(a);
                    product.below.push(b);
                }
                ExprNode::Unary(Unary::Neg, a) => {
                    product.negative = !product.negative;
                    open.push(a);
                }
                _ => product.above.push(e),
            }
        }
        product
    }

    /// x of a factor sgn(x), and where it stands.
    fn sign(&self) -> Option<(usize, Expr)> {
        self.above.iter().enumerate().find_map(|(i, &e)| match self.graph.node(e) {
            ExprNode::Unary(Unary::Sign, x) => Some((i, x)),
            _ => None,
        })
    }

    fn value(&self) -> Ex<'g> {
        let graph = self.graph;
        let product = |list: &[Expr]| list.iter().fold(graph.constant(1.0), |p, &e| p * graph.at(e));
        let quotient = product(&self.above) / product(&self.below);
        if self.negative { -quotient } else { quotient }
    }

    /// Takes powers of z out; the exponent they have together, 0 if there are none.
    fn take_powers(&mut self, z: Expr) -> f64 {
        let (mut exponent, mut kept) = (0.0, vec![]);
        for e in std::mem::take(&mut self.above) {
            match power_of(self.graph, e, z) {
                Some((rest, p)) => {
                    exponent += p;
                    kept.push(rest);
                }
                None => kept.push(e),
            }
        }
        self.above = kept;
        exponent
    }
}

/// c and p of e = c z^p.
fn power_of(graph: &Graph, e: Expr, z: Expr) -> Option<(Expr, f64)> {
    let one = graph.constant(1.0);
    if e == z {
        return Some((one.id, 1.0));
    }
    let (base, exponent) = root(graph, graph.node(e))?;
    if base == z {
        return Some((one.id, exponent));
    }
    let mut inner = Product::of(graph, base);
    let mut p = inner.take_powers(z);
    // −(c y) with z = −y.
    let opposite = -graph.at(z);
    if p == 0.0 && inner.negative {
        p = inner.take_powers(opposite.id);
        inner.negative = false;
        if p != 1.0 {
            return None;
        }
    }
    (p > 0.0).then(|| (inner.value().pow(graph.constant(exponent)).id, p * exponent))
}

/// What stands under a root, or has another constant positive exponent; the exponent.
fn root(graph: &Graph, node: ExprNode) -> Option<(Expr, f64)> {
    match node {
        ExprNode::Unary(Unary::Sqrt, u) => Some((u, 0.5)),
        ExprNode::Binary(Binary::Pow, u, p) => Some((u, graph.at(p).value().filter(|p| *p > 0.0)?)),
        _ => None,
    }
}

/// sgn(x) · c |x|^p.
fn signed(graph: &Graph, a: Expr, b: Expr) -> Option<Expr> {
    let mut product = Product::of(graph, (graph.at(a) * graph.at(b)).id);
    let (place, x) = product.sign()?;
    product.above.swap_remove(place);
    let p = product.take_powers(graph.at(x).abs().id);
    Some((product.value() * odd_power(graph.at(x), p)?).id)
}

/// The same with a parameter p.
fn signed_by_parameter(
    graph: &Graph,
    a: Expr,
    b: Expr,
    parameter: impl Fn(Expr) -> Option<f64>,
) -> Option<Expr> {
    let mut product = Product::of(graph, (graph.at(a) * graph.at(b)).id);
    let (place, x) = product.sign()?;
    product.above.swap_remove(place);
    let size = graph.at(x).abs().id;
    let exponent = |e: Expr| match graph.node(e) {
        ExprNode::Binary(Binary::Pow, base, p) if base == size => Some(p),
        _ => None,
    };
    let (place, p) = product.above.iter().enumerate().find_map(|(i, &e)| Some((i, exponent(e)?)))?;
    let now = parameter(p).filter(|p| *p > 0.0)?;
    product.above.swap_remove(place);
    Some((product.value() * flat_at_zero(graph.at(x), graph.at(p), now)).id)
}

/// if(0 < x, a, b), by (1) or (2).
fn either_side(graph: &Graph, condition: Expr, a: Expr, b: Expr) -> Option<Expr> {
    let ExprNode::Binary(Binary::Lt | Binary::Le, low, high) = graph.node(condition) else { return None };
    let x = graph.at(high) - graph.at(low);
    let side = |e: Expr, x: Ex<'_>| {
        let mut product = Product::of(graph, e);
        let p = product.take_powers(x.id);
        (p, product.value().id)
    };
    let ((p, above), (q, below)) = (side(a, x), side(b, -x));
    if p == q
        && (-graph.at(above)).id == below
        && let Some(power) = odd_power(x, p)
    {
        return Some((graph.at(above) * power).id);
    }
    let (then, other) = (within(graph, a, x), within(graph, b, -x));
    let new = graph.select(graph.at(condition), graph.at(then), graph.at(other)).id;
    (then != a || other != b).then_some(new)
}

/// Roots of c x in a branch that is taken for x > 0, as those of c max(x, 0).
fn within(graph: &Graph, branch: Expr, x: Ex<'_>) -> Expr {
    let positive = x.max(graph.constant(0.0));
    let new = graph.rewrite(&[branch], |node| {
        let (u, p) = root(graph, node).filter(|(_, p)| p.fract() != 0.0)?;
        let mut product = Product::of(graph, u);
        let base = if u == x.id {
            positive
        } else {
            let place = product.above.iter().position(|&e| e == x.id)?;
            product.above.swap_remove(place);
            product.value() * positive
        };
        Some(base.pow(graph.constant(p)).id)
    });
    new[0]
}

/// (1); powers above 1 keep their absolute value.
fn odd_power(x: Ex<'_>, p: f64) -> Option<Ex<'_>> {
    let graph = x.graph();
    match p {
        _ if p <= 0.0 => None,
        _ if p >= 1.0 => Some(x * x.abs().pow(graph.constant(p - 1.0))),
        _ => Some(flat_at_zero(x, graph.constant(p), p)),
    }
}

/// (1) for an exponent p that has the value `now`.
fn flat_at_zero<'g>(x: Ex<'g>, p: Ex<'g>, now: f64) -> Ex<'g> {
    let graph = x.graph();
    let zero = graph.constant(0.0);
    let small = if now < 0.5 { STEEP } else { TINY };
    let power = x / (x * x + small).pow(0.5 * (1.0 - p));
    graph.select(graph.binary(Binary::Eq, x, zero), zero, power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Symbol;

    #[test]
    fn odd_powers_have_the_same_values_and_no_switch() {
        let g = Graph::new();
        let (x, c) = (g.symbol(Symbol(0)), g.symbol(Symbol(1)));
        let zero = g.constant(0.0);
        let by_sign = [
            (x.abs().sqrt(), x.sign()),
            (0.3 * x.abs().pow(g.constant(0.7)), x.sign()),
            (c * x.sign(), (2.0 * x.abs() / c).sqrt()),
            (x.sign() / c, -(x.abs() * c).sqrt()),
            (x.abs(), x.sign()),
            ((x - c).abs().sqrt() * c, (x - c).sign() * 3.0),
        ];
        let by_side = [
            g.select(zero.lt(x), c * x.sqrt(), -c * (-x).sqrt()),
            g.select(c.le(x), (x - c).sqrt(), -(c - x).sqrt()),
            g.select(zero.lt(x), (c * x).sqrt(), -(-(c * x)).sqrt()),
        ];
        let joined =
            by_sign.map(|(a, b)| (a * b, signed(&g, a.id, b.id))).into_iter().chain(by_side.map(|e| {
                let ExprNode::Select(condition, a, b) = g.node(e.id) else { panic!("a switch") };
                (e, either_side(&g, condition, a, b))
            }));
        for (e, new) in joined {
            let new = new.expect("an odd power");
            let switch = |e: Expr| {
                matches!(
                    g.node(e),
                    ExprNode::Unary(Unary::Sign, _) | ExprNode::Binary(Binary::Lt | Binary::Le, ..)
                )
            };
            assert!(!g.reachable([new]).into_iter().any(switch));
            for at in [-3.0, -1e-5, 0.0, 1e-9, 0.5, 1.5, 7.0] {
                let value = |e: Expr| evaluate(&g, e, |s| if s == Symbol(0) { at } else { 1.5 });
                let (a, b) = (value(e.id), value(new));
                assert!((a - b).abs() <= 1e-14 * a.abs(), "{at}: {a} and {b}");
            }
        }
        // Jumps stay.
        assert!(signed(&g, (x.abs() + 1.0).sqrt().id, x.sign().id).is_none());
        let half = g.select(zero.lt(x), c * (2.0 * x).sqrt(), zero);
        let ExprNode::Select(condition, a, b) = g.node(half.id) else { panic!("a switch") };
        let new = g.select(g.at(condition), c * (2.0 * x.max(zero)).sqrt(), zero);
        assert_eq!(either_side(&g, condition, a, b), Some(new.id));
    }
}
