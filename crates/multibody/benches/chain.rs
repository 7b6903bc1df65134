//! Forward dynamics of chains of hinges with axes x, y, x, …: operations, time of one evaluation, of analysis and of compiling.
//! Growth is t ∝ n^growth between neighbouring sizes. `apps/cli/benches/mechanisms.rs` sets the times beside other tools.

#[path = "../tests/build/mod.rs"]
mod build;

use std::hint::black_box;
use std::time::Instant;

use trunnion_equations::flat::{Equation, Origin};
use trunnion_equations::{EvaluationEngine, ProgramKind, analyse};

fn main() {
    println!(
        "{:>6} {:>10} {:>10} {:>8} {:>8} {:>10} {:>10}",
        "bodies", "operations", "µs", "ns/op", "growth", "analyse ms", "compile ms"
    );
    let mut last: Option<(f64, f64)> = None;
    for n in [5, 10, 20, 50, 100, 200, 500, 1000] {
        let mut model = build::chain(n);
        model.emit();
        for joint in &model.mechanism.joints {
            let (lhs, rhs) = (model.flat.ex(joint.freedoms[0].force).id, model.flat.graph.constant(0.0).id);
            let (name, origin) = (joint.name.clone(), Origin::default());
            model.flat.equations.push(Equation { name, origin, lhs, rhs });
        }
        let begin = Instant::now();
        let system = analyse(model.flat).unwrap_or_else(|_| panic!("a chain is a sound model"));
        let analysed = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let compiled = system.compile(EvaluationEngine::Native);
        let y: Vec<f64> = (0..system.n()).map(|i| 0.5 * (i as f64 * 1.7).sin()).collect();
        let start = system.start(&Default::default());
        let (mut k, mut scratch) = (vec![0.0; compiled.n_slow()], vec![0.0; compiled.scratch()]);
        compiled.prepare(&start.slow(), &mut scratch, &mut k);
        let program = compiled.program(ProgramKind::Residual as usize);
        let mut out = vec![0.0; program.n_out];
        let mut run =
            || compiled.run(ProgramKind::Residual as usize, 0.0, black_box(&y), &k, &mut scratch, &mut out);
        compiled.warm_up(ProgramKind::Residual as usize);
        run();
        let compile = begin.elapsed().as_secs_f64();
        let rounds = 1 + 2_000_000 / program.ops.len();
        let mut best = f64::INFINITY;
        for _ in 0..20 {
            let begin = Instant::now();
            (0..rounds).for_each(|_| run());
            best = best.min(begin.elapsed().as_secs_f64() / rounds as f64);
        }
        let work = program.work() as f64;
        let growth = last.map_or(f64::NAN, |(m, t)| (best / t).ln() / (n as f64 / m).ln());
        println!(
            "{n:>6} {work:>10} {:>10.3} {:>8.3} {growth:>8.2} {:>10.1} {:>10.1}",
            1e6 * best,
            1e9 * best / work,
            1e3 * analysed,
            1e3 * compile
        );
        last = Some((n as f64, best));
    }
}
