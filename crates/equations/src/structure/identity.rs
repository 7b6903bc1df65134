//! Is an expression zero whatever its quantities are? Terms that cancel are not always seen by making nodes: (z + 1)(z − 1) − z² + 1.
//!
//! An analytic expression that is not zero everywhere is zero at a random point with probability 0 [Schwartz1980]. So it is
//! evaluated at a few points, with a bound of its rounding error carried along:
//!
//!   |fl(e)| ≤ 4 ε(e)   at every point   ⇒   e ≡ 0                                                          (1)
//!
//! What is not analytic (`max`, `abs`, `if`, steps, tables) counts as a quantity of its own: what cancels with it does so by its name.
//! Points are the same on every run.

use crate::graph::Graph;
use crate::hash::Map;
use crate::node::{Binary, Expr, Node, Unary};

/// Points tried, and how many of them have to give a value.
const POINTS: usize = 6;
const NEEDED: usize = 3;

/// Value and bound of its error.
type Number = (f64, f64);

pub struct Identity<'a> {
    graph: &'a Graph,
    /// By point, by node.
    at: [Map<Expr, Number>; POINTS],
}

impl<'a> Identity<'a> {
    pub fn new(graph: &'a Graph) -> Self {
        Identity { graph, at: Default::default() }
    }

    /// (1)
    pub fn is_zero(&mut self, e: Expr) -> bool {
        if let Some(v) = self.graph.at(e).value() {
            return v == 0.0;
        }
        let mut zero = 0;
        for point in 0..POINTS {
            let (value, error) = self.evaluate(point, e);
            if !(value.is_finite() && error.is_finite()) {
                continue;
            }
            if value.abs() > 4.0 * error {
                return false;
            }
            zero += 1;
        }
        zero >= NEEDED
    }

    fn evaluate(&mut self, point: usize, e: Expr) -> Number {
        let (graph, known) = (self.graph, &mut self.at[point]);
        let mut stack = vec![e];
        while let Some(&at) = stack.last() {
            let node = graph.node(at);
            let open = stack.len();
            if is_analytic(node) {
                stack.extend(node.children().filter(|c| !known.contains_key(c)));
            }
            if stack.len() == open {
                let number = value(node, at, point, |c| known[&c]);
                known.insert(at, number);
                stack.pop();
            }
        }
        known[&e]
    }
}

fn is_analytic(node: Node) -> bool {
    match node {
        Node::Unary(op, _) => {
            !matches!(op, Unary::Abs | Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Not)
        }
        Node::Binary(op, ..) => {
            matches!(op, Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Pow)
        }
        _ => false,
    }
}

/// Value and running error bound [Higham2002, section 3.3].
fn value(node: Node, e: Expr, point: usize, of: impl Fn(Expr) -> Number) -> Number {
    let rounded = |v: f64, error: f64| (v, error + f64::EPSILON * v.abs());
    match node {
        Node::Const(v) => rounded(v, 0.0),
        Node::Unary(op, a) if is_analytic(node) => {
            let (x, error) = of(a);
            let v = op.eval(x);
            let slope = match op {
                Unary::Sqrt => 0.5 / v,
                Unary::Exp => v,
                Unary::Ln => 1.0 / x,
                Unary::Log10 => std::f64::consts::LOG10_E / x,
                Unary::Tan => 1.0 + v * v,
                Unary::Asin | Unary::Acos => 1.0 / (1.0 - x * x).sqrt(),
                Unary::Sinh | Unary::Cosh => x.cosh(),
                // At most 1.
                _ => 1.0,
            };
            rounded(v, slope.abs() * error)
        }
        Node::Binary(op, a, b) if is_analytic(node) => {
            let ((x, dx), (y, dy)) = (of(a), of(b));
            let v = op.eval(x, y);
            let error = match op {
                Binary::Add | Binary::Sub => dx + dy,
                Binary::Mul => x.abs() * dy + y.abs() * dx,
                Binary::Div => (dx + v.abs() * dy) / y.abs(),
                _ => v.abs() * ((y / x).abs() * dx + x.abs().ln().abs() * dy),
            };
            rounded(v, error)
        }
        _ => (sample(e, point), 0.0),
    }
}

/// A value for a quantity: small, about 1, large, and of both signs, by the point.
fn sample(e: Expr, point: usize) -> f64 {
    // Mixing by splitmix64 [Steele2014].
    let mut h = (e.index() as u64 * POINTS as u64 + point as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    h = (h ^ (h >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    h = (h ^ (h >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    h ^= h >> 31;
    let share = (h >> 11) as f64 / (1_u64 << 53) as f64;
    match point {
        0 => 0.2 + 0.7 * share,
        1 => 1.1 + 2.0 * share,
        2 => -0.9 + 0.8 * share,
        3 => 30.0 * share - 10.0,
        4 => 1e3 * (0.1 + share),
        _ => 1e-3 * (0.1 + share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Symbol;

    #[test]
    fn what_cancels_is_zero_and_nothing_else() {
        let g = Graph::new();
        let [x, y, z] = [0, 1, 2].map(|i| g.symbol(Symbol(i)));
        let mut identity = Identity::new(&g);
        let mut check =
            |e: crate::graph::Ex<'_>, zero: bool| assert_eq!(identity.is_zero(e.id), zero, "{e:?}");
        check((z + 1.0) * (z - 1.0) - z * z + 1.0, true);
        check((x + y) * (x + y) - (x * x + 2.0 * (x * y) + y * y), true);
        check(x.sin() * x.sin() + x.cos() * x.cos() - 1.0, true);
        check(x / (x + y) + y / (x + y) - 1.0, true);
        check((x * y).exp() - (x * y + y - y).exp(), true);
        check(x * x.max(y) - x.max(y) * x, true);
        check(x - y, false);
        check((z + 1.0) * (z - 1.0) - z * z, false);
        check(x.max(y) - y, false);
        check(1e-9 * x, false);
        check(1.0 - (1e-3 * x).cos(), false);
        check(x + 1e-11 * y - x, false);
    }
}
