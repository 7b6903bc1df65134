//! How far rounding may have moved the results of a program: running error analysis.
//!
//!   δ(a ∘ b) = |∂∘/∂a| δ(a) + |∂∘/∂b| δ(b) + ε |a ∘ b|                        (1)  [Higham2002, §3.3]
//!
//! Leaves are known to one rounding. What a relation or an integer part gives is exact or entirely different: δ = 0.

use crate::graph::GraphTable;
use crate::node::{Binary, Unary};
use crate::program::{Op, Program};

impl Program {
    /// (1) for every output, into `out`, N times in one pass. `values` and `bounds` need as many places as there are operations. `uncertain`:
    /// what the unknowns are uncertain by beside rounding; none beyond its end.
    pub fn rounding<const N: usize>(
        &self,
        tables: &[GraphTable],
        (t, y, k): (f64, &[f64], &[f64]),
        uncertain: [&[f64]; N],
        values: &mut [f64],
        bounds: &mut [[f64; N]],
        out: [&mut [f64]; N],
    ) {
        for (i, op) in self.ops.iter().enumerate() {
            let v = |n: u32| values[n as usize];
            let d = |n: u32| bounds[n as usize];
            let (value, inherited) = match *op {
                Op::Const(c) => (c, [0.0; N]),
                Op::Time => (t, [0.0; N]),
                Op::Unknown(j) => {
                    (y[j as usize], uncertain.map(|u| u.get(j as usize).copied().unwrap_or(0.0)))
                }
                Op::Slow(j) => (k[j as usize], [0.0; N]),
                Op::Unary(op, a) => {
                    let slope = unary(op, v(a));
                    (op.eval(v(a)), d(a).map(|d| slope * d))
                }
                Op::Binary(op, a, b) => {
                    let value = op.eval(v(a), v(b));
                    let inherited = |n: usize| binary(op, (v(a), d(a)[n]), (v(b), d(b)[n]), value);
                    (value, std::array::from_fn(inherited))
                }
                Op::Select(c, a, b) => {
                    let taken = if v(c) != 0.0 { a } else { b };
                    (v(taken), d(taken))
                }
                Op::Table1(table, a, order) => match &tables[table as usize] {
                    GraphTable::One(table) => {
                        let slope = table.eval(v(a), order.saturating_add(1)).abs();
                        (table.eval(v(a), order), d(a).map(|d| slope * d))
                    }
                    GraphTable::Two(_) => (f64::NAN, [0.0; N]),
                },
                Op::Table2(table, a, b, p, q) => match &tables[table as usize] {
                    GraphTable::Two(table) => {
                        let slope = |p: u8, q: u8| table.eval(v(a), v(b), p, q).abs();
                        let (by_a, by_b) = (slope(p.saturating_add(1), q), slope(p, q.saturating_add(1)));
                        let inherited = |n: usize| by_a * d(a)[n] + by_b * d(b)[n];
                        (table.eval(v(a), v(b), p, q), std::array::from_fn(inherited))
                    }
                    GraphTable::One(_) => (f64::NAN, [0.0; N]),
                },
                Op::Store(j, a) => {
                    (0..N).for_each(|n| out[n][j as usize] = d(a)[n]);
                    continue;
                }
            };
            values[i] = value;
            let discrete = discrete(op);
            bounds[i] = inherited.map(|inherited| {
                let bound = inherited + f64::EPSILON * value.abs();
                if bound.is_finite() && !discrete { bound } else { 0.0 }
            });
        }
    }
}

/// Values that are whole numbers: right, or a whole step wrong.
fn discrete(op: &Op) -> bool {
    use Binary::*;
    matches!(
        op,
        Op::Unary(Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Not, _)
            | Op::Binary(Lt | Le | Eq | Ne | And | Or, ..)
    )
}

/// |d op/da|.
fn unary(op: Unary, a: f64) -> f64 {
    let slope = match op {
        Unary::Neg | Unary::Abs => 1.0,
        Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Not => 0.0,
        Unary::Sqrt => 0.5 / a.sqrt(),
        Unary::Exp => a.exp(),
        Unary::Ln => 1.0 / a,
        Unary::Log10 => std::f64::consts::LOG10_E / a,
        Unary::Sin => a.cos(),
        Unary::Cos => a.sin(),
        Unary::Tan => 1.0 + a.tan() * a.tan(),
        Unary::Asin | Unary::Acos => 1.0 / (1.0 - a * a).sqrt(),
        Unary::Atan => 1.0 / (1.0 + a * a),
        Unary::Sinh => a.cosh(),
        Unary::Cosh => a.sinh(),
        Unary::Tanh => 1.0 - a.tanh() * a.tanh(),
    };
    slope.abs()
}

/// What the bounds of both operands, (value, bound), add up to.
fn binary(op: Binary, (a, da): (f64, f64), (b, db): (f64, f64), value: f64) -> f64 {
    match op {
        Binary::Add | Binary::Sub => da + db,
        Binary::Mul => a.abs() * db + b.abs() * da,
        Binary::Div => (da + value.abs() * db) / b.abs(),
        Binary::Pow => {
            let by_base = if a == 0.0 { 0.0 } else { (b / a).abs() * da };
            let by_exponent = if a > 0.0 { a.ln().abs() * db } else { 0.0 };
            value.abs() * (by_base + by_exponent)
        }
        Binary::Atan2 => (a.abs() * db + b.abs() * da) / (a * a + b * b),
        Binary::Min | Binary::Max => da.max(db),
        Binary::Mod => da + (a / b).abs() * db,
        Binary::Lt | Binary::Le | Binary::Eq | Binary::Ne | Binary::And | Binary::Or => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::Graph;
    use crate::node::ExprNode;
    use crate::program::{LeafPlace, Programs};
    use crate::{Ex, Symbol};

    /// The bound of an expression of x = y_0.
    fn bound(x: f64, of: impl Fn(Ex) -> Ex) -> f64 {
        let graph = Graph::default();
        let root = of(graph.symbol(Symbol(0))).id;
        let place = |n: ExprNode| matches!(n, ExprNode::Symbol(_)).then_some(LeafPlace::Unknown(0));
        let programs = Programs::build(&graph, &[vec![root]], place);
        let program = &programs.fast[0];
        let (mut values, mut bounds) = (vec![0.0; program.ops.len()], vec![[0.0]; program.ops.len()]);
        let mut out = [0.0];
        program.rounding(&[], (0.0, &[x], &[]), [&[]], &mut values, &mut bounds, [&mut out]);
        out[0] / f64::EPSILON
    }

    #[test]
    fn terms_count_not_their_difference() {
        // x − 313.15 near 0: both terms are rounded, the difference is not worth mentioning.
        let found = bound(313.15, |x| x - 313.15);
        assert!((300.0..700.0).contains(&found), "{found}");
        // Far from zero the difference itself is rounded too.
        let found = bound(1e6, |x| x - 1.0);
        assert!((1e6..3e6).contains(&found), "{found}");
    }

    #[test]
    fn a_factor_scales_the_bound_and_steps_end_it() {
        let (once, scaled) = (bound(2.0, |x| x - 2.0), bound(2.0, |x| (x - 2.0) * 1e-3));
        assert!((scaled / once - 1e-3).abs() < 1e-6, "{once} {scaled}");
        // Only the factor and the product are rounded: 2 · ½.
        assert_eq!(bound(2.5, |x| x.graph().unary(crate::Unary::Floor, x) * 0.5), 2.0);
    }
}
