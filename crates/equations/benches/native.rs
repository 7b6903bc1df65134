//! Compile time and speed of native code against the interpreter, on random straight-line programs.

use std::hint::black_box;
use std::time::Instant;

use trunnion_equations::program::{LeafPlace, Programs};
use trunnion_equations::{Compiled, EvaluationEngine, Ex, Expr, ExprNode, Graph, Symbol};

const UNKNOWNS: u32 = 40;

fn programs(size: usize) -> Programs {
    let g = Graph::new();
    let mut pool: Vec<Ex<'_>> = (0..UNKNOWNS).map(|i| g.symbol(Symbol(i))).collect();
    let mut seed = 1u64;
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % n
    };
    while g.len() < size + UNKNOWNS as usize {
        // Mostly recent values, as in real equations.
        let near = pool.len().min(60);
        let (a, b) = (pool[pool.len() - 1 - random(near)], pool[random(pool.len())]);
        pool.push(match random(8) {
            0 => (a - b) * 0.5,
            1 => a / (b * b + 1.0),
            2 => (a * a + 0.25).sqrt(),
            3 | 4 => a * 0.7 + b * 0.3,
            _ => a * b - a,
        });
    }
    let roots: Vec<Expr> = pool.iter().rev().take(pool.len() / 4).map(|e| e.id).collect();
    Programs::build(&g, &[roots], |n| match n {
        ExprNode::Symbol(s) => Some(LeafPlace::Unknown(s.0)),
        _ => None,
    })
}

fn time_per_run(compiled: &Compiled) -> f64 {
    let y: Vec<f64> = (0..UNKNOWNS).map(|i| 0.1 + 0.01 * i as f64).collect();
    let mut scratch = vec![0.0; compiled.scratch()];
    let mut out = vec![0.0; compiled.program(0).n_out];
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        let rounds = 1 + 2_000_000 / compiled.program(0).ops.len();
        for _ in 0..rounds {
            compiled.run(0, 0.0, black_box(&y), &[], &mut scratch, &mut out);
        }
        best = best.min(start.elapsed().as_secs_f64() / rounds as f64);
    }
    black_box(&out);
    best
}

fn main() {
    println!(
        "{:>10} {:>12} {:>14} {:>16} {:>8}",
        "operations", "compile ms", "native ns/op", "interpreted ns/op", "ratio"
    );
    for size in [500, 2_000, 5_000, 50_000] {
        let programs = programs(size);
        let work = programs.fast[0].work() as f64;
        let start = Instant::now();
        let native = Compiled::new(programs.clone(), EvaluationEngine::Native);
        native.warm_up(0);
        let compile = start.elapsed().as_secs_f64();
        let interpreted = Compiled::new(programs, EvaluationEngine::Interpreter);
        let (a, b) = (time_per_run(&native), time_per_run(&interpreted));
        let (ns_a, ns_b) = (1e9 * a / work, 1e9 * b / work);
        println!("{work:>10} {:>12.2} {ns_a:>14.3} {ns_b:>16.3} {:>8.1}", 1e3 * compile, b / a);
    }
}
