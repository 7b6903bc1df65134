//! Bounds of a program's results over an interval of time: interval arithmetic.
//!
//!   f([a, b]) ⊇ { f(t) : a ≤ t ≤ b }                                            (1)  [Moore2009, ch. 5]
//!
//! What depends on time alone is bounded for certain, so that no feature of it, however narrow, is between two looks.
//! Where an operation has no bound the result is (−∞, ∞). Rounding is not widened: bounds are true to some roundings.

use crate::graph::GraphTable;
use crate::node::{Binary, Unary};
use crate::program::{Op, Program};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Lower and upper bound.
pub type Interval = (f64, f64);

const ALL: Interval = (f64::NEG_INFINITY, f64::INFINITY);

impl Program {
    /// (1) of every output for times in [a, b] and unknowns in `y`; of those beyond its end nothing is known. `values` needs as many places as there are operations.
    pub fn enclose(
        &self,
        tables: &[GraphTable],
        (time, y): (Interval, &[Interval]),
        k: &[f64],
        values: &mut [Interval],
        out: &mut [Interval],
    ) {
        for (i, op) in self.ops.iter().enumerate() {
            match *op {
                Op::Store(j, a) => out[j as usize] = values[a as usize],
                _ => values[i] = of_op(op, tables, (time, y), k, values),
            }
        }
    }

    /// What `enclose_again` begins with.
    pub fn enclosed(&self) -> Enclosed {
        let is_input = |i: &usize| matches!(self.ops[*i], Op::Unknown(_) | Op::Slow(_));
        Enclosed {
            values: vec![ALL; self.ops.len()],
            changed: vec![true; self.ops.len()],
            inputs: (0..self.ops.len()).filter(is_input).collect(),
            cones: self.cones(),
            bounds: vec![ALL; self.n_out],
            is_known: false,
        }
    }

    /// By unknowns, the operations that depend on each.
    fn cones(&self) -> Vec<Vec<usize>> {
        let mut of: Vec<Vec<u32>> = Vec::with_capacity(self.ops.len());
        let mut cones: Vec<Vec<usize>> = vec![];
        for (i, op) in self.ops.iter().enumerate() {
            let mut unknowns: Vec<u32> = match *op {
                Op::Unknown(j) => vec![j],
                _ => op.operands().flat_map(|a| of[a as usize].iter().copied()).collect(),
            };
            unknowns.sort_unstable();
            unknowns.dedup();
            for &j in &unknowns {
                if cones.len() <= j as usize {
                    cones.resize(j as usize + 1, vec![]);
                }
                cones[j as usize].push(i);
            }
            of.push(unknowns);
        }
        cones
    }

    /// `enclose` at time zero, where most of `y` and `k` are what they were in the last call: what follows from those is not found again.
    pub fn enclose_again(&self, tables: &[GraphTable], y: &[Interval], k: &[f64], known: &mut Enclosed) {
        let at = ((0.0, 0.0), y);
        let Enclosed { values, changed, inputs, bounds, is_known, .. } = known;
        let differs = |&&i: &&usize| of_op(&self.ops[i], tables, at, k, values) != values[i];
        let mut different = inputs.iter().filter(differs);
        let (first, more) = (different.next(), different.next().is_some());
        if *is_known && first.is_none() {
            return;
        }
        if *is_known
            && !more
            && let Some(&i) = first
            && let Op::Unknown(j) = self.ops[i]
        {
            self.enclose_cone(tables, j as usize, y, k, known);
            return;
        }
        changed.fill(false);
        for (i, op) in self.ops.iter().enumerate() {
            let again = match *op {
                Op::Unknown(_) | Op::Slow(_) => true,
                _ => op.operands().any(|a| changed[a as usize]),
            };
            if again || !*is_known {
                let value = of_op(op, tables, at, k, values);
                changed[i] = value != values[i];
                values[i] = value;
                if let Op::Store(j, _) = *op {
                    bounds[j as usize] = value;
                }
            }
        }
        *is_known = true;
    }

    /// The same where nothing differs from the last call but y[j].
    pub fn enclose_cone(
        &self,
        tables: &[GraphTable],
        j: usize,
        y: &[Interval],
        k: &[f64],
        known: &mut Enclosed,
    ) {
        let Enclosed { values, cones, bounds, .. } = known;
        for &i in cones.get(j).into_iter().flatten() {
            values[i] = of_op(&self.ops[i], tables, ((0.0, 0.0), y), k, values);
            if let Op::Store(j, _) = self.ops[i] {
                bounds[j as usize] = values[i];
            }
        }
    }
}

/// Bounds of every operation of a program, as they were last found.
#[derive(Clone, Debug)]
pub struct Enclosed {
    values: Vec<Interval>,
    changed: Vec<bool>,
    /// Operations that read unknowns and k.
    inputs: Vec<usize>,
    /// By unknowns, the operations that depend on each.
    cones: Vec<Vec<usize>>,
    /// Of its results.
    pub bounds: Vec<Interval>,
    is_known: bool,
}

/// (1) of one operation, from those of its operands.
fn of_op(
    op: &Op,
    tables: &[GraphTable],
    (time, y): (Interval, &[Interval]),
    k: &[f64],
    values: &[Interval],
) -> Interval {
    let v = |n: u32| values[n as usize];
    let value = match *op {
        Op::Const(c) => (c, c),
        Op::Time => time,
        Op::Unknown(j) => y.get(j as usize).copied().unwrap_or(ALL),
        Op::Slow(j) => (k[j as usize], k[j as usize]),
        Op::Unary(op, a) => unary(op, v(a)),
        Op::Binary(Binary::Mul, a, b) if a == b => square(v(a)),
        Op::Binary(op, a, b) => binary(op, v(a), v(b)),
        Op::Select(c, a, b) => match truth(v(c)) {
            Some(true) => v(a),
            Some(false) => v(b),
            None => hull(v(a), v(b)),
        },
        Op::Table1(table, a, derivative) => match &tables[table as usize] {
            GraphTable::One(table) => table.range(v(a).0, v(a).1, derivative),
            GraphTable::Two(_) => ALL,
        },
        Op::Table2(..) => ALL,
        Op::Store(_, a) => v(a),
    };
    if value.0.is_nan() || value.1.is_nan() { ALL } else { value }
}

fn hull(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

/// Whether it is certainly true or false.
fn truth(a: Interval) -> Option<bool> {
    if a == (0.0, 0.0) {
        Some(false)
    } else if a.0 > 0.0 || a.1 < 0.0 {
        Some(true)
    } else {
        None
    }
}

fn of_truth(known: Option<bool>) -> Interval {
    match known {
        Some(true) => (1.0, 1.0),
        Some(false) => (0.0, 0.0),
        None => (0.0, 1.0),
    }
}

fn square((a, b): Interval) -> Interval {
    let (low, high) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
    (if a <= 0.0 && b >= 0.0 { 0.0 } else { low * low }, high * high)
}

fn unary(op: Unary, (a, b): Interval) -> Interval {
    let rising = || (op.eval(a), op.eval(b));
    match op {
        Unary::Neg => (-b, -a),
        Unary::Abs if a >= 0.0 => (a, b),
        Unary::Abs if b <= 0.0 => (-b, -a),
        Unary::Abs => (0.0, b.max(-a)),
        Unary::Sqrt if b < 0.0 => ALL,
        Unary::Sqrt => (a.max(0.0).sqrt(), b.sqrt()),
        Unary::Ln | Unary::Log10 if a <= 0.0 => (f64::NEG_INFINITY, op.eval(b.max(0.0))),
        Unary::Sin => wave(a, b),
        Unary::Cos => wave(a + FRAC_PI_2, b + FRAC_PI_2),
        Unary::Tan if ((a + FRAC_PI_2) / PI).floor() != ((b + FRAC_PI_2) / PI).floor() => ALL,
        Unary::Asin | Unary::Acos if a < -1.0 || b > 1.0 => ALL,
        Unary::Acos => (op.eval(b), op.eval(a)),
        Unary::Cosh if a <= 0.0 && b >= 0.0 => (1.0, op.eval(a).max(op.eval(b))),
        Unary::Cosh => (op.eval(a).min(op.eval(b)), op.eval(a).max(op.eval(b))),
        Unary::Not => of_truth(truth((a, b)).map(|t| !t)),
        Unary::Sign
        | Unary::Exp
        | Unary::Ln
        | Unary::Log10
        | Unary::Tan
        | Unary::Asin
        | Unary::Atan
        | Unary::Sinh
        | Unary::Tanh
        | Unary::Floor
        | Unary::Ceil => rising(),
    }
}

/// sin over [a, b]: −1 and 1 where a trough or a crest lies within.
fn wave(a: f64, b: f64) -> Interval {
    let width = b - a;
    if width.is_nan() || width >= TAU {
        return (-1.0, 1.0);
    }
    let within = |phase: f64| ((a - phase) / TAU).ceil() * TAU + phase <= b;
    let (low, high) = (a.sin().min(b.sin()), a.sin().max(b.sin()));
    (if within(-FRAC_PI_2) { -1.0 } else { low }, if within(FRAC_PI_2) { 1.0 } else { high })
}

fn binary(op: Binary, x: Interval, y: Interval) -> Interval {
    let ((a, b), (c, d)) = (x, y);
    match op {
        Binary::Add => (a + c, b + d),
        Binary::Sub => (a - d, b - c),
        Binary::Mul => {
            // 0 · ∞ is 0: a factor that is zero for certain.
            let product = |p: f64, q: f64| if p == 0.0 || q == 0.0 { 0.0 } else { p * q };
            let all = [product(a, c), product(a, d), product(b, c), product(b, d)];
            (all.into_iter().fold(f64::INFINITY, f64::min), all.into_iter().fold(f64::NEG_INFINITY, f64::max))
        }
        Binary::Div if c <= 0.0 && d >= 0.0 => ALL,
        Binary::Div => binary(Binary::Mul, x, (1.0 / d, 1.0 / c)),
        Binary::Pow => power(x, y),
        // It jumps across the negative half of the axis; elsewhere the corners are farthest.
        Binary::Atan2 if a <= 0.0 && b >= 0.0 && c <= 0.0 => (-PI, PI),
        Binary::Atan2 => {
            let all = [op.eval(a, c), op.eval(a, d), op.eval(b, c), op.eval(b, d)];
            (all.into_iter().fold(PI, f64::min), all.into_iter().fold(-PI, f64::max))
        }
        Binary::Min => (a.min(c), b.min(d)),
        Binary::Max => (a.max(c), b.max(d)),
        Binary::Mod if c == d && c != 0.0 => {
            let (first, last) = ((a / c).floor(), (b / c).floor());
            if first == last { (op.eval(a, c), op.eval(b, c)) } else { (c.min(0.0), c.max(0.0)) }
        }
        Binary::Mod => ALL,
        Binary::Lt => of_truth(if b < c { Some(true) } else { (a >= d).then_some(false) }),
        Binary::Le => of_truth(if b <= c { Some(true) } else { (a > d).then_some(false) }),
        Binary::Eq | Binary::Ne => {
            let apart = (b < c || d < a).then_some(false);
            let equal = apart.or((a == b && c == d && a == c).then_some(true));
            of_truth(if op == Binary::Eq { equal } else { equal.map(|e| !e) })
        }
        Binary::And => of_truth(match (truth(x), truth(y)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }),
        Binary::Or => of_truth(match (truth(x), truth(y)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        }),
    }
}

fn power((a, b): Interval, (c, d): Interval) -> Interval {
    if c != d {
        // exp(y ln x) for x > 0.
        return match a > 0.0 {
            true => unary(Unary::Exp, binary(Binary::Mul, (c, d), unary(Unary::Ln, (a, b)))),
            false => ALL,
        };
    }
    let (at_a, at_b) = (a.powf(c), b.powf(c));
    let ends = (at_a.min(at_b), at_a.max(at_b));
    if a >= 0.0 || (c.fract() == 0.0 && c >= 0.0 && c % 2.0 != 0.0) {
        ends
    } else if c.fract() == 0.0 && c >= 0.0 {
        if b >= 0.0 { (0.0, ends.1) } else { ends }
    } else {
        ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Ex, Graph};
    use crate::node::{ExprNode, Symbol};
    use crate::program::{LeafPlace, Programs};
    use proptest::prelude::*;

    fn enclosure(of: impl Fn(Ex) -> Ex, a: f64, b: f64) -> (Interval, impl Fn(f64) -> f64) {
        let graph = Graph::default();
        let root = of(graph.time()).id;
        let place = |n: ExprNode| (n == ExprNode::Time).then_some(LeafPlace::Time);
        let programs = Programs::build(&graph, &[vec![root]], place);
        let program = programs.fast[0].clone();
        let mut values = vec![(0.0, 0.0); program.ops.len()];
        let mut out = [(0.0, 0.0)];
        program.enclose(&[], ((a, b), &[]), &[], &mut values, &mut out);
        let at = move |t: f64| {
            let (mut values, mut out) = (vec![0.0; program.ops.len()], [0.0]);
            program.run(&[], t, &[], &[], &mut values, &mut out);
            out[0]
        };
        (out[0], at)
    }

    type Case = fn(Ex<'_>) -> Ex<'_>;
    const CASES: [Case; 13] = [
        |t| (t * 3.0).sin().atan2((t * 3.0).cos()),
        |t| (t * 7.0).sin() - 0.3,
        |t| (t * 3.0).cos() * t,
        |t| t.graph().binary(Binary::Mod, t, t.graph().constant(0.7)) - 0.1,
        |t| t.abs() * t - t * t,
        |t| (t - 0.5).max(t.graph().constant(0.0)).min(t.graph().constant(0.25)),
        |t| (-(t * t * 4.0)).exp(),
        |t| 1.0 / (t - 0.3),
        |t| (t * t + 1.0).sqrt(),
        |t| t.graph().binary(Binary::Pow, t, t.graph().constant(3.0)) - t,
        |t| t.graph().select(t.lt(t.graph().constant(0.2)), t, 1.0 - t),
        |t| t.graph().unary(Unary::Tan, t),
        |t| t.graph().unary(Unary::Floor, t * 5.0) + t.graph().unary(Unary::Cosh, t),
    ];

    proptest! {
        #[test]
        fn every_value_is_within_the_bounds(case in 0..CASES.len(), a in -4.0..4.0_f64, width in 0.0..3.0_f64, at in 0.0..1.0_f64) {
            let ((low, high), value) = enclosure(CASES[case], a, a + width);
            let x = value(a + at * width);
            let slack = 1e-12 * (1.0 + x.abs());
            prop_assert!(x.is_nan() || (x >= low - slack && x <= high + slack), "{x} is not in [{low}, {high}]");
        }
    }

    #[test]
    fn bounds_found_again_are_those_of_a_whole_look() {
        let graph = Graph::default();
        let [x, y, p] = [0, 1, 2].map(|i| graph.symbol(Symbol(i)));
        let roots = [x.sin() * p + y, (x * x - 1.0).max(y), y / p, graph.constant(2.0) + p].map(|e| e.id);
        let place = |n: ExprNode| match n {
            ExprNode::Symbol(Symbol(2)) => Some(LeafPlace::Slow(0)),
            ExprNode::Symbol(Symbol(i)) => Some(LeafPlace::Unknown(i)),
            _ => None,
        };
        let program = &Programs::build(&graph, &[roots.to_vec()], place).fast[0];
        let mut known = program.enclosed();
        let (mut values, mut out) = (vec![ALL; program.ops.len()], vec![ALL; 4]);
        let cases = [
            ([(0.0, 1.0), (2.0, 3.0)], 1.0),
            ([(0.0, 1.0), (2.0, 3.0)], 1.0),
            ([(0.0, 1.0), (2.0, 4.0)], 1.0),
            ([(0.5, 2.0), (2.0, 4.0)], 1.0),
            ([(0.5, 2.0), (2.0, 4.0)], -2.0),
            ([(0.5, f64::INFINITY), (2.0, 4.0)], 0.0),
            ([(0.0, 1.0), (2.0, 3.0)], 1.0),
        ];
        for (ranges, p) in cases {
            let k = vec![p; 4];
            program.enclose(&[], ((0.0, 0.0), &ranges), &k, &mut values, &mut out);
            program.enclose_again(&[], &ranges, &k, &mut known);
            assert_eq!(known.bounds, out);
        }
    }

    #[test]
    fn bounds_close_in_on_the_value() {
        for (k, &case) in CASES.iter().enumerate() {
            let ((low, high), value) = enclosure(case, 1.234, 1.234 + 1e-9);
            let x = value(1.234);
            assert!(high - low < 1e-6 && (x - low).abs() < 1e-6, "case {k}: {x} in [{low}, {high}]");
        }
    }
}
