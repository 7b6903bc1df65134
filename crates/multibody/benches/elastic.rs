//! Arms of elastic links with hinges about z and y in turn: operations and times of the accelerations and of their derivatives, and what it
//! takes to prepare them. Every link bends in y and z by cantilever modes, to second order, with geometric stiffening.

#[path = "../tests/build/mod.rs"]
mod build;

use std::hint::black_box;
use std::time::Instant;

use trunnion_equations::flat::{Equation, Origin};
use trunnion_equations::{EvaluationEngine, ProgramKind, analyse};

fn main() {
    println!(
        "{:>6} {:>6} {:>10} {:>8} {:>10} {:>8} {:>8} {:>10} {:>10}",
        "bodies", "modes", "rates", "µs", "jacobian", "µs", "emit ms", "analyse ms", "compile ms"
    );
    for (bodies, modes) in [(1, 14), (2, 6), (4, 6), (2, 14), (4, 14), (8, 8)] {
        let begin = Instant::now();
        let mut model = build::beam::arm(bodies, modes);
        model.emit();
        let emitted = begin.elapsed().as_secs_f64();
        for joint in &model.mechanism.joints {
            let (lhs, rhs) = (model.flat.ex(joint.freedoms[0].force).id, model.flat.graph.constant(0.0).id);
            let (name, origin) = (joint.name.clone(), Origin::default());
            model.flat.equations.push(Equation { name, origin, lhs, rhs });
        }
        let begin = Instant::now();
        let system = analyse(model.flat).unwrap_or_else(|_| panic!("an arm is a sound model"));
        let analysed = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let compiled = system.compile(EvaluationEngine::Native);
        let y: Vec<f64> = (0..system.n()).map(|i| 0.01 * (i as f64 * 1.7).sin()).collect();
        let start = system.start(&Default::default());
        let (mut k, mut scratch) = (vec![0.0; compiled.n_slow()], vec![0.0; compiled.scratch()]);
        compiled.prepare(&start.slow(), &mut scratch, &mut k);
        for part in [ProgramKind::Residual, ProgramKind::Jacobian] {
            compiled.warm_up(part as usize);
        }
        let compile = begin.elapsed().as_secs_f64();
        let mut measure = |part: ProgramKind| {
            let program = compiled.program(part as usize);
            let mut out = vec![0.0; program.n_out];
            let mut run = || compiled.run(part as usize, 0.0, black_box(&y), &k, &mut scratch, &mut out);
            let rounds = 1 + 1_000_000 / program.ops.len();
            let mut best = f64::INFINITY;
            for _ in 0..10 {
                let begin = Instant::now();
                (0..rounds).for_each(|_| run());
                best = best.min(begin.elapsed().as_secs_f64() / rounds as f64);
            }
            (program.work(), 1e6 * best)
        };
        let ((rates, t_rates), (jacobian, t_jacobian)) =
            (measure(ProgramKind::Residual), measure(ProgramKind::Jacobian));
        println!(
            "{bodies:>6} {modes:>6} {rates:>10} {t_rates:>8.1} {jacobian:>10} {t_jacobian:>8.1} {:>8.1} {:>10.1} {:>10.1}",
            1e3 * emitted,
            1e3 * analysed,
            1e3 * compile
        );
    }
}
