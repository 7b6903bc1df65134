//! Random expressions: native code equals the interpreter bit for bit, derivatives equal differences.

use std::sync::Arc;

use proptest::prelude::*;
use trunnion_equations::derivative::gradients;
use trunnion_equations::program::{LeafPlace, Programs};
use trunnion_equations::{
    Binary, Compiled, EvaluationEngine, Ex, Expr, ExprNode, Graph, GraphTable, Symbol, TableId, Unary,
};
use trunnion_num::{Outside, Table1, Table2, TableShape};

const UNKNOWNS: u32 = 4;
const SLOW: u32 = 3;

/// A recipe for an expression: each step combines earlier results.
#[derive(Clone, Debug)]
struct Step {
    op: u8,
    a: usize,
    b: usize,
    c: usize,
    value: f64,
}

fn steps(max: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = (0u8..40, any::<usize>(), any::<usize>(), any::<usize>(), -3.0..3.0f64)
        .prop_map(|(op, a, b, c, value)| Step { op, a, b, c, value });
    prop::collection::vec(step, 1..max)
}

fn tables(g: &Graph) -> (TableId, TableId) {
    let x = [-2.0, -0.5, 0.3, 1.0, 2.5];
    let one = Table1::new(&x, &[0.0, 1.0, 1.5, 1.4, 3.0], TableShape::Monotone, Outside::Extend).unwrap();
    let z: Vec<f64> = (0..15).map(|i| (i as f64 * 0.7).sin()).collect();
    let two = Table2::new(&x, &[-1.0, 0.0, 1.5], &z, TableShape::Monotone, Outside::Extend).unwrap();
    (g.add_table("one", GraphTable::One(Arc::new(one))), g.add_table("two", GraphTable::Two(Arc::new(two))))
}

/// `smooth` leaves out what has kinks or poles, so that differences mean something.
fn build(g: &Graph, steps: &[Step], smooth: bool) -> Vec<Expr> {
    let (one, two) = tables(g);
    let mut pool: Vec<Ex<'_>> = (0..UNKNOWNS + SLOW).map(|i| g.symbol(Symbol(i))).collect();
    pool.push(g.time());
    for s in steps {
        let pick = |i: usize| pool[i % pool.len()];
        let (a, b, c) = (pick(s.a), pick(s.b), pick(s.c));
        let k = g.constant(s.value);
        let made = match s.op {
            0..=3 => a + b,
            4..=6 => a - b,
            7..=11 => a * b,
            12..=13 => a / (b * b + 1.0),
            14 => a.sin(),
            15 => a.cos(),
            16 => (a * 0.1).tanh(),
            17 => (a * a + 0.1).sqrt(),
            18 => (-(a * a)).exp(),
            19 => (a * a + 0.5).ln(),
            20 => g.unary(Unary::Atan, a),
            21 => (a * a + 1.0).pow(k),
            22 => a.atan2(b * b + 0.5),
            23 => a.signed_root(b * b + 0.3),
            24 => k * a,
            25 => -a,
            26 => g.unary(Unary::Sinh, a * 0.05),
            27 if !smooth => g.table1(one, a * 0.3, 0),
            28 if !smooth => g.table2(two, a * 0.2, b * 0.2, 0, 0),
            29 => g.constant(s.value),
            30 => a.pow(g.constant(3.0)),
            _ if smooth => a * k + b,
            31 => a.abs(),
            32 => a.min(b),
            33 => a.max(b),
            34 => g.select(a.lt(b), c, a),
            35 => a / b,
            36 => g.binary(Binary::Mod, a, b),
            37 => g.unary(Unary::Floor, a),
            38 => a.le(b).and(!c.lt(a)).or(a.sign()),
            _ => a.sqrt(),
        };
        pool.push(made);
    }
    pool[(UNKNOWNS + SLOW) as usize..].iter().rev().take(6).map(|e| e.id).collect()
}

fn place(node: ExprNode) -> Option<LeafPlace> {
    match node {
        ExprNode::Time => Some(LeafPlace::Time),
        ExprNode::Symbol(s) if s.0 < UNKNOWNS => Some(LeafPlace::Unknown(s.0)),
        ExprNode::Symbol(s) => Some(LeafPlace::Slow(s.0 - UNKNOWNS)),
        _ => None,
    }
}

fn column(node: ExprNode) -> Option<u32> {
    match place(node) {
        Some(LeafPlace::Unknown(i)) => Some(i),
        _ => None,
    }
}

fn evaluate(
    programs: &Programs,
    engine: EvaluationEngine,
    t: f64,
    y: &[f64],
    slow: &[f64],
    number: usize,
) -> Vec<f64> {
    let compiled = Compiled::new(programs.clone(), engine);
    assert_eq!(compiled.warm_up(number), engine == EvaluationEngine::Native);
    let mut scratch = vec![0.0; compiled.scratch()];
    let mut k = vec![0.0; compiled.n_slow()];
    compiled.prepare(slow, &mut scratch, &mut k);
    let mut out = vec![0.0; compiled.program(number).n_out];
    compiled.run(number, t, y, &k, &mut scratch, &mut out);
    out
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn native_code_equals_the_interpreter_bit_for_bit(
        steps in steps(400), t in -1.0..1.0f64,
        y in prop::collection::vec(-2.0..2.0f64, UNKNOWNS as usize),
        slow in prop::collection::vec(-2.0..2.0f64, SLOW as usize),
    ) {
        let g = Graph::new();
        let roots = build(&g, &steps, false);
        let gradient: Vec<Expr> = gradients(&g, &roots, column).into_iter().flatten().map(|(_, e)| e).collect();
        let programs = Programs::build(&g, &[roots, gradient], place);
        for number in 0..2 {
            let native = evaluate(&programs, EvaluationEngine::Native, t, &y, &slow, number);
            let interpreted = evaluate(&programs, EvaluationEngine::Interpreter, t, &y, &slow, number);
            prop_assert!(same_bits(&native, &interpreted), "{native:?}\n{interpreted:?}");
        }
    }

    #[test]
    fn derivatives_equal_central_differences(
        steps in steps(60), t in -1.0..1.0f64,
        y in prop::collection::vec(-2.0..2.0f64, UNKNOWNS as usize),
        slow in prop::collection::vec(-2.0..2.0f64, SLOW as usize),
    ) {
        const N: usize = UNKNOWNS as usize;
        let g = Graph::new();
        let roots = build(&g, &steps, true);
        let n_roots = roots.len();
        let lists = gradients(&g, &roots, column);
        let entries: Vec<(usize, usize)> =
            lists.iter().enumerate().flat_map(|(r, l)| l.iter().map(move |&(c, _)| (r, c as usize))).collect();
        let flat: Vec<Expr> = lists.into_iter().flatten().map(|(_, e)| e).collect();
        let programs = Programs::build(&g, &[roots, flat], place);
        let exact = evaluate(&programs, EvaluationEngine::Interpreter, t, &y, &slow, 1);
        let value = |y: &[f64]| evaluate(&programs, EvaluationEngine::Interpreter, t, y, &slow, 0);
        let mut dense = vec![0.0; n_roots * N];
        for (&(r, c), d) in entries.iter().zip(&exact) {
            dense[r * N + c] = *d;
        }
        let values = value(&y);
        for c in 0..N {
            // Richardson extrapolation of central differences: error O(h⁴).
            let difference = |h: f64| -> Vec<f64> {
                let (mut up, mut down) = (y.clone(), y.clone());
                up[c] += h;
                down[c] -= h;
                value(&up).iter().zip(value(&down)).map(|(a, b)| (a - b) / (2.0 * h)).collect()
            };
            let (coarse, fine) = (difference(2e-4), difference(1e-4));
            for r in 0..n_roots {
                let d = fine[r] + (fine[r] - coarse[r]) / 3.0;
                let d_exact = dense[r * N + c];
                // Where the two differences disagree the function is too steep for them to judge by.
                let doubt = (fine[r] - coarse[r]).abs();
                let size = d_exact.abs().max(1.0).max(values[r].abs());
                if !d.is_finite() || size > 1e6 || doubt > 1e-3 * size {
                    continue;
                }
                prop_assert!((d - d_exact).abs() <= 1e-6 * size + 0.3 * doubt, "row {r} column {c}: {d} but {d_exact}");
            }
        }
    }
}

#[test]
fn chunked_programs_pass_values_on() {
    // Long enough for several chunks, with values used far from where they are made.
    let g = Graph::new();
    let mut pool: Vec<Ex<'_>> = (0..UNKNOWNS + SLOW).map(|i| g.symbol(Symbol(i))).collect();
    for i in 0..5000usize {
        let (a, b) = (pool[(i * 7919) % pool.len()], pool[(i * 104_729 + 3) % pool.len()]);
        pool.push(if i % 3 == 0 { (a - b) * 0.5 } else { a * 0.7 + b * 0.3 });
    }
    let roots: Vec<Expr> = pool.iter().rev().step_by(97).map(|e| e.id).collect();
    let programs = Programs::build(&g, &[roots], place);
    let (y, slow) = ([0.3, -1.2, 0.9, 2.0], [1.1, -0.4, 0.2]);
    let native = evaluate(&programs, EvaluationEngine::Native, 0.5, &y, &slow, 0);
    assert!(same_bits(&native, &evaluate(&programs, EvaluationEngine::Interpreter, 0.5, &y, &slow, 0)));
}
