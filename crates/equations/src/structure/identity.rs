//! Is an expression zero whatever its quantities are? Terms that cancel are not always seen by making nodes: (z + 1)(z − 1) − z² + 1.
//!
//! An analytic expression that is not zero everywhere is zero at a random point with probability 0 [Schwartz1980]. So it is
//! evaluated at a few points, with a bound of its rounding error carried along:
//!
//!   |fl(e)| ≤ 4 ε(e) ≪ size(e)   at every point   ⇒   e ≡ 0                                                (1)
//!
//! where size(e) is that of the terms whose sum e is. In long recursions the bound outgrows the terms, and nothing can be said: e counts as
//! not zero.
//!
//! What is not analytic (`max`, `abs`, `if`, steps, tables) counts as a quantity of its own: what cancels with it does so by its name.
//! Points are the same on every run.

use crate::graph::Graph;
use crate::node::{Binary, Expr, ExprNode, Unary};

/// Points tried, and how many of them have to give a value.
const POINTS: usize = 6;
const NEEDED: usize = 3;
/// A bound of errors below this share of the terms tells whether they cancel.
const DECISIVE: f64 = 1e-6;

#[derive(Clone, Copy)]
struct BoundedNumber {
    value: f64,
    /// Bound of its error.
    error: f64,
    /// What it would be if nothing cancelled in the sum that it is or has as a factor.
    size: f64,
}

impl BoundedNumber {
    const NONE: BoundedNumber = BoundedNumber { value: f64::NAN, error: f64::NAN, size: f64::NAN };

    fn may_be_zero(self) -> bool {
        self.value.abs() <= 4.0 * self.error
    }

    fn tells(self) -> bool {
        4.0 * self.error <= DECISIVE * self.size
    }

    /// Its size as a term of a sum.
    fn as_term(self) -> f64 {
        if self.may_be_zero() && self.tells() { self.size } else { self.value.abs() }
    }
}

pub struct Identity<'a> {
    graph: &'a Graph,
    /// By point, by node.
    at: [Vec<Option<BoundedNumber>>; POINTS],
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
            let found = self.evaluate(point, e);
            if !(found.value.is_finite() && found.error.is_finite()) {
                continue;
            }
            if !found.may_be_zero() {
                return false;
            }
            zero += usize::from(found.tells());
        }
        zero >= NEEDED
    }

    fn evaluate(&mut self, point: usize, e: Expr) -> BoundedNumber {
        let (graph, known) = (self.graph, &mut self.at[point]);
        known.resize(known.len().max(graph.len()), None);
        let mut stack = vec![e];
        while let Some(&at) = stack.last() {
            let node = graph.node(at);
            let open = stack.len();
            if is_analytic(node) {
                stack.extend(node.children().filter(|c| known[c.index()].is_none()));
            }
            if stack.len() == open {
                let number = value(node, at, point, |c| known[c.index()].unwrap_or(BoundedNumber::NONE));
                known[at.index()] = Some(number);
                stack.pop();
            }
        }
        known[e.index()].unwrap_or(BoundedNumber::NONE)
    }
}

fn is_analytic(node: ExprNode) -> bool {
    match node {
        ExprNode::Unary(op, _) => {
            !matches!(op, Unary::Abs | Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Not)
        }
        ExprNode::Binary(op, ..) => {
            matches!(op, Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Pow)
        }
        _ => false,
    }
}

/// Value and running error bound [Higham2002, section 3.3].
fn value(node: ExprNode, e: Expr, point: usize, of: impl Fn(Expr) -> BoundedNumber) -> BoundedNumber {
    let rounded = |v: f64, error: f64, size: f64| BoundedNumber {
        value: v,
        error: error + f64::EPSILON * v.abs(),
        size: size.max(v.abs()),
    };
    match node {
        ExprNode::Const(v) => rounded(v, 0.0, 0.0),
        ExprNode::Unary(op, a) if is_analytic(node) => {
            let BoundedNumber { value: x, error, size } = of(a);
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
            rounded(v, slope.abs() * error, slope.abs() * size)
        }
        ExprNode::Binary(op, a, b) if is_analytic(node) => {
            let (a, b) = (of(a), of(b));
            let (x, y) = (a.value, b.value);
            let v = op.eval(x, y);
            let through = |dx: f64, dy: f64| match op {
                Binary::Mul => x.abs() * dy + y.abs() * dx,
                Binary::Div => (dx + v.abs() * dy) / y.abs(),
                _ => v.abs() * ((y / x).abs() * dx + x.abs().ln().abs() * dy),
            };
            match op {
                Binary::Add | Binary::Sub => rounded(v, a.error + b.error, a.as_term() + b.as_term()),
                _ => rounded(v, through(a.error, b.error), through(a.size, b.size)),
            }
        }
        _ => {
            let v = sample(e, point);
            BoundedNumber { value: v, error: 0.0, size: v.abs() }
        }
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
        check((x - x * y / y) + (z - z * x / x), true);
        check(x * (y + z - y - z) * (x + 1.0), true);
    }

    #[test]
    fn what_rounding_hides_is_not_zero() {
        // A recursion whose bound of errors grows without end, x ← 1 / (x + y) − y.
        let g = Graph::new();
        let [x, y] = [0, 1].map(|i| g.symbol(Symbol(i)));
        let mut e = x;
        (0..200).for_each(|_| e = 1.0 / (e + y) - 3.0 * y);
        assert!(!Identity::new(&g).is_zero(e.id));
        assert!(!Identity::new(&g).is_zero((e - x).id));
    }
}
