//! Exact sparse derivatives, forward through the graph.
//!
//!   ∂n/∂x = Σ_c (∂n/∂c) (∂c/∂x)   over the children c of node n                                   (1)
//!
//! Each node carries the list of its non-zero partial derivatives; lists are merged by column. At kinks
//! (`abs`, `min`, `max`, `if`) the derivative of the side taken is used; steps have derivative zero.
//!
//! Some functions have a value where their slope is infinite: √x and x^p (0 < p < 1) at 0, asin and acos at ±1; atan2 has none at the
//! origin. A Jacobian takes the slope 0 there ([`slopes`]): an iteration that meets such a point goes on, while one with a huge slope would
//! take every step for converged. Where a quotient or a function has gone to its end while its argument has left the range of numbers, as
//! 1/cosh(x) for x > 710, the slope is 0 and not 0 · ∞. Equations that are differentiated in symbols ([`gradients`]) stay exact.
//!
//! In a long chain of dependent expressions the lists grow with the chain, and all of them together with its square. There a node
//! whose list gets long becomes a column of its own:
//!
//!   z = z(x, earlier z),   ∂r/∂x = ∂r/∂x|_z + Σ (∂r/∂z) (dz/dx),   dz/dx = ∂z/∂x + Σ (∂z/∂z') (dz'/dx)        (2)
//!
//! and numbers do the sums of (2).

use crate::graph::{Ex, Graph};
use crate::hash::{Map, Set};
use crate::node::{Binary, Expr, ExprNode, Symbol, Unary};
use crate::structure::{Sign, sign};

/// Non-zero partial derivatives, columns ascending.
pub type Gradient = Vec<(u32, Expr)>;

/// The gradient of every root with respect to the leaves to which `column` gives a number.
pub fn gradients(graph: &Graph, roots: &[Expr], column: impl Fn(ExprNode) -> Option<u32>) -> Vec<Gradient> {
    lists(graph, roots, &column, SlopeAtKink::Exact, usize::MAX, None)
        .map_or_else(Vec::new, |(roots, _)| roots)
}

/// The same for a Jacobian: finite wherever the roots are.
pub fn slopes(
    graph: &Graph,
    parameters: &Map<Symbol, f64>,
    roots: &[Expr],
    column: impl Fn(ExprNode) -> Option<u32>,
) -> Vec<Gradient> {
    let at = SlopeAtKink::Finite(parameters);
    lists(graph, roots, &column, at, usize::MAX, None).map_or_else(Vec::new, |(roots, _)| roots)
}

/// What a slope is at a kink, where a function has none.
#[derive(Clone, Copy)]
enum SlopeAtKink<'a> {
    /// Infinite, or not a number.
    Exact,
    /// 0; arguments that are certain to be positive with these parameters need no look.
    Finite(&'a Map<Symbol, f64>),
}

impl SlopeAtKink<'_> {
    /// `slope` where `size` > 0.
    fn guarded<'g>(self, size: Ex<'g>, slope: Ex<'g>) -> Ex<'g> {
        let graph = size.graph();
        match self {
            SlopeAtKink::Finite(parameters) if sign(graph, parameters, size.id) != Sign::Positive => {
                let zero = graph.constant(0.0);
                graph.select(zero.lt(size), slope, zero)
            }
            _ => slope,
        }
    }
}

/// The same with nodes in the middle as further columns, `first` and on. (2)
pub(crate) struct Cut {
    pub roots: Vec<Gradient>,
    /// Of each node in the middle, in an order in which they can be computed.
    pub middle: Vec<Gradient>,
}

/// Entries of all lists together beyond which it pays to cut: an arm of ten joints stays below.
const MANY: usize = 60_000;
/// Columns of a list beyond which a node that is used more than once is cut.
const LONG: usize = 12;

/// [`slopes`], cut where they would grow too large.
pub(crate) fn cut_slopes(
    graph: &Graph,
    parameters: &Map<Symbol, f64>,
    roots: &[Expr],
    first: u32,
    column: impl Fn(ExprNode) -> Option<u32>,
) -> Cut {
    let at = SlopeAtKink::Finite(parameters);
    match lists(graph, roots, &column, at, MANY, None) {
        Some((roots, middle)) => Cut { roots, middle },
        None => {
            let cut = lists(graph, roots, &column, at, usize::MAX, Some(first));
            let (roots, middle) = cut.unwrap_or_default();
            Cut { roots, middle }
        }
    }
}

/// Lists of the roots and of what was cut, if cut columns begin at `first`; None: more entries than `most`.
fn lists(
    graph: &Graph,
    roots: &[Expr],
    column: &impl Fn(ExprNode) -> Option<u32>,
    at: SlopeAtKink<'_>,
    most: usize,
    first: Option<u32>,
) -> Option<(Vec<Gradient>, Vec<Gradient>)> {
    let order = graph.reachable(roots.iter().copied());
    let growing = match at {
        SlopeAtKink::Exact => Set::default(),
        SlopeAtKink::Finite(_) => graph.containing(roots.iter().copied(), |e| grows(graph, e)),
    };
    let mut uses: Map<Expr, u32> = Map::default();
    let parents = order.iter().flat_map(|&e| graph.node(e).children());
    roots.iter().copied().chain(parents).for_each(|c| *uses.entry(c).or_default() += 1);
    let mut of: Map<Expr, Gradient> = Map::default();
    let (mut middle, mut total) = (vec![], 0);
    for e in order {
        let node = graph.node(e);
        let mut gradient = match node {
            ExprNode::Const(_) => Vec::new(),
            ExprNode::Time | ExprNode::Symbol(_) | ExprNode::Derivative(_) => {
                column(node).map(|c| (c, graph.constant(1.0).id)).into_iter().collect()
            }
            _ => combine(graph, e, at, &growing, &of),
        };
        total += gradient.len();
        if total > most {
            return None;
        }
        if let Some(first) = first
            && gradient.len() > LONG
            && uses.get(&e).is_some_and(|&u| u > 1)
        {
            let own = vec![(first + middle.len() as u32, graph.constant(1.0).id)];
            middle.push(std::mem::replace(&mut gradient, own));
        }
        if !gradient.is_empty() {
            of.insert(e, gradient);
        }
    }
    Some((roots.iter().map(|e| of.get(e).cloned().unwrap_or_default()).collect(), middle))
}

/// The derivative of one expression with respect to one leaf.
pub fn derivative<'g>(e: Ex<'g>, leaf: ExprNode) -> Ex<'g> {
    let graph = e.graph();
    let gradient = &gradients(graph, &[e.id], |n| (n == leaf).then_some(0))[0];
    gradient.first().map_or(graph.constant(0.0), |&(_, d)| graph.at(d))
}

/// (1) for one inner node.
fn combine(
    graph: &Graph,
    e: Expr,
    at: SlopeAtKink<'_>,
    growing: &Set<Expr>,
    of: &Map<Expr, Gradient>,
) -> Gradient {
    let node = graph.node(e);
    let empty = Vec::new();
    let gradient = |c: Expr| of.get(&c).unwrap_or(&empty);
    if let ExprNode::Select(c, a, b) = node {
        let zero = graph.constant(0.0);
        return merge(gradient(a), gradient(b), |da, db| {
            let side = |d: Option<Expr>| d.map_or(zero, |d| graph.at(d));
            graph.select(graph.at(c), side(da), side(db))
        });
    }
    if let ExprNode::Binary(op @ (Binary::Min | Binary::Max), a, b) = node {
        if gradient(a).is_empty() && gradient(b).is_empty() {
            return Vec::new();
        }
        let zero = graph.constant(0.0);
        let (x, y) = (graph.at(a), graph.at(b));
        let first = if op == Binary::Min { x.lt(y) } else { y.lt(x) };
        return merge(gradient(a), gradient(b), |da, db| {
            let side = |d: Option<Expr>| d.map_or(zero, |d| graph.at(d));
            graph.select(first, side(da), side(db))
        });
    }
    let children: Vec<Expr> = node.children().collect();
    if children.iter().all(|&c| gradient(c).is_empty()) {
        return Vec::new();
    }
    // A partial derivative is made only where it is needed: ln of a base matters only if the exponent varies.
    let scaled = |i: usize| -> Gradient {
        if gradient(children[i]).is_empty() {
            return Vec::new();
        }
        let by_divisor = match node {
            ExprNode::Binary(Binary::Div, _, divisor) if i == 0 => Some(graph.at(divisor)),
            _ => None,
        };
        let factor = if by_divisor.is_none() { partial(graph, e, i, at) } else { graph.constant(1.0) };
        let levels_off = growing.contains(&children[i])
            && match node {
                ExprNode::Unary(op, _) => op != Unary::Neg,
                ExprNode::Binary(op, ..) => op == Binary::Pow || (op == Binary::Div && i == 1),
                _ => false,
            };
        let zero = graph.constant(0.0);
        let product = |&(c, d): &(u32, Expr)| match by_divisor {
            Some(divisor) => (c, (graph.at(d) / divisor).id),
            None if levels_off => (c, graph.select(factor, factor * graph.at(d), zero).id),
            None => (c, (factor * graph.at(d)).id),
        };
        gradient(children[i]).iter().map(product).filter(|&(_, d)| graph.at(d).value() != Some(0.0)).collect()
    };
    let mut sum = scaled(0);
    if children.len() > 1 {
        let second = scaled(1);
        sum = merge(&sum, &second, |a, b| match (a, b) {
            (Some(a), Some(b)) => graph.at(a) + graph.at(b),
            (Some(d), None) | (None, Some(d)) => graph.at(d),
            (None, None) => graph.constant(0.0),
        });
    }
    sum
}

/// Functions that leave the range of numbers at arguments of some hundreds.
fn grows(graph: &Graph, e: Expr) -> bool {
    match graph.node(e) {
        ExprNode::Unary(op, _) => matches!(op, Unary::Exp | Unary::Sinh | Unary::Cosh),
        ExprNode::Binary(Binary::Pow, _, exponent) => graph.at(exponent).value().is_none(),
        _ => false,
    }
}

fn merge<'g>(
    a: &Gradient,
    b: &Gradient,
    mut both: impl FnMut(Option<Expr>, Option<Expr>) -> Ex<'g>,
) -> Gradient {
    let mut out = Gradient::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let (ca, cb) = (a.get(i).map_or(u32::MAX, |x| x.0), b.get(j).map_or(u32::MAX, |x| x.0));
        let column = ca.min(cb);
        let da = (ca == column).then(|| a[i].1);
        let db = (cb == column).then(|| b[j].1);
        i += da.is_some() as usize;
        j += db.is_some() as usize;
        let d = both(da, db);
        if d.value() != Some(0.0) {
            out.push((column, d.id));
        }
    }
    out
}

/// ∂e/∂(its i-th child).
fn partial<'g>(graph: &'g Graph, e: Expr, i: usize, at: SlopeAtKink<'_>) -> Ex<'g> {
    let one = graph.constant(1.0);
    let zero = graph.constant(0.0);
    let own = graph.at(e);
    match graph.node(e) {
        ExprNode::Unary(op, a) => {
            let x = graph.at(a);
            match op {
                Unary::Neg => -one,
                Unary::Abs => x.sign(),
                Unary::Sqrt => at.guarded(own, 0.5 / own),
                Unary::Exp => own,
                Unary::Ln => 1.0 / x,
                Unary::Log10 => std::f64::consts::LOG10_E / x,
                Unary::Sin => x.cos(),
                Unary::Cos => -x.sin(),
                Unary::Tan => 1.0 + own * own,
                Unary::Asin | Unary::Acos => {
                    let root = (1.0 - x * x).sqrt();
                    let slope = at.guarded(root, 1.0 / root);
                    if op == Unary::Asin { slope } else { -slope }
                }
                Unary::Atan => 1.0 / (1.0 + x * x),
                Unary::Sinh => graph.unary(Unary::Cosh, x),
                Unary::Cosh => graph.unary(Unary::Sinh, x),
                Unary::Tanh => 1.0 - own * own,
                Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Not => zero,
            }
        }
        ExprNode::Binary(op, a, b) => {
            let (x, y) = (graph.at(a), graph.at(b));
            match (op, i) {
                (Binary::Add, _) | (Binary::Sub | Binary::Mod, 0) => one,
                (Binary::Sub, _) => -one,
                (Binary::Mul, 0) => y,
                (Binary::Mul, _) => x,
                (Binary::Div, 0) => 1.0 / y,
                (Binary::Div, _) => -(own / y),
                (Binary::Pow, 0) if y.value().is_some_and(|y| y >= 1.0) => y * x.pow(y - 1.0),
                (Binary::Pow, 0) => at.guarded(x.abs(), y * x.pow(y - 1.0)),
                (Binary::Pow, _) => at.guarded(x, own * x.ln()),
                (Binary::Atan2, 0) => at.guarded(x * x + y * y, y / (x * x + y * y)),
                (Binary::Atan2, _) => at.guarded(x * x + y * y, -(x / (x * x + y * y))),
                (Binary::Mod, _) => -graph.unary(Unary::Floor, x / y),
                // Relations step; min and max are handled by `combine`.
                _ => zero,
            }
        }
        ExprNode::Table1(t, x, d) => graph.table1(t, graph.at(x), d + 1),
        ExprNode::Table2(t, x, y, dx, dy) if i == 0 => graph.table2(t, graph.at(x), graph.at(y), dx + 1, dy),
        ExprNode::Table2(t, x, y, dx, dy) => graph.table2(t, graph.at(x), graph.at(y), dx, dy + 1),
        // It has none before analysis; a test for linearity then finds that the law is not linear.
        ExprNode::Holding(..) => own,
        ExprNode::Const(_)
        | ExprNode::Time
        | ExprNode::Symbol(_)
        | ExprNode::Derivative(_)
        | ExprNode::Select(..) => zero,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Symbol;

    #[test]
    fn closed_forms() {
        let g = Graph::new();
        let x = g.symbol(Symbol(0));
        let y = g.symbol(Symbol(1));
        let leaf = ExprNode::Symbol(Symbol(0));
        let check = |e: Ex<'_>, d: Ex<'_>| assert_eq!(derivative(e, leaf).id, d.id);
        check(x * y, y);
        check(y * y, g.constant(0.0));
        check(x.sin(), x.cos());
        check(3.0 * x + y - x / 2.0, g.constant(2.5));
        check(x.exp() + x.exp(), x.exp() + x.exp());
        check(g.select(y.lt(x), x, y * x), g.select(y.lt(x), g.constant(1.0), y));
    }

    #[test]
    fn slopes_are_zero_where_a_function_has_levelled_off() {
        let g = Graph::new();
        let x = g.symbol(Symbol(0));
        let cosh = g.unary(Unary::Cosh, x);
        let none = Map::default();
        let slope = |e: Ex<'_>, at: f64| {
            let gradient =
                &slopes(&g, &none, &[e.id], |n| (n == ExprNode::Symbol(Symbol(0))).then_some(0))[0];
            crate::start::evaluate(&g, gradient[0].1, |_| at)
        };
        let base = g.constant(3.0);
        for e in [
            1.0 / (cosh * cosh),
            1.0 / cosh,
            1.0 / (1.0 + x.exp()),
            x.exp().tanh(),
            (-(x.exp())).exp(),
            1.0 / (x.exp() + (-x).exp()),
            1.0 / base.pow(x),
        ] {
            assert_eq!(slope(e, 2000.0), 0.0);
        }
        assert!((slope(1.0 / cosh, 1.0) + 1f64.tanh() / 1f64.cosh()).abs() < 1e-15);
    }
}
