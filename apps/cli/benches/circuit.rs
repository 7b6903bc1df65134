//! The stiff hydraulic circuit: cost of a run at a stated error, of compiling, of an evaluation, of a parameter change.
//!
//! With TRUNNION_PEER_PYTHON set to an interpreter that has casadi, the same circuit runs in CVODES with compiled
//! equations in the same run, and the ratio is printed.

use std::collections::HashMap;
use std::hint::black_box;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use trunnion_engine::project::Project;
use trunnion_equations::{Compiled, EvaluationEngine, ProgramKind};
use trunnion_sim::machine::Prepared;
use trunnion_sim::solvers::choose::find;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, settings, simulate, simulate_to_table};

const MODEL: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/domains/hydraulic/stiff_circuit.toml");
const PEER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/stiff_circuit_casadi.py");
/// Largest error against a state's range at any of the 501 outputs.
const ERROR: f64 = 3e-5;
const STATES: usize = 18;

/// The shortest of several rounds: what other work on the machine disturbs least.
fn best<T>(rounds: usize, mut work: impl FnMut() -> T) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        black_box(work());
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

fn columns(project: &Project, solver: &str, rtol: f64) -> Vec<Vec<f64>> {
    let overrides = Overrides { solver: Some(solver.into()), rtol: Some(rtol), ..Overrides::default() };
    let (entry, s) = settings(&project.run, &overrides).unwrap_or_else(|f| panic!("{}", f));
    let (table, outcome) = simulate_to_table(project, &HashMap::new(), (entry, &s), &Monitor::default())
        .unwrap_or_else(|f| panic!("{}", f));
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    table.columns.into_iter().skip(1).take(STATES).map(|c| c.values).collect()
}

/// Largest difference from the reference, relative to each state's range.
fn error(found: &[Vec<f64>], reference: &[Vec<f64>]) -> f64 {
    let mut worst: f64 = 0.0;
    for (a, b) in found.iter().zip(reference) {
        let (low, high) = b.iter().fold((f64::MAX, f64::MIN), |(l, h), &v| (l.min(v), h.max(v)));
        let difference = a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        worst = worst.max(difference / (high - low));
    }
    worst
}

fn main() {
    let project = Project::open(MODEL, &[]).unwrap_or_else(|f| panic!("{}", f));
    println!("stiff hydraulic circuit, {STATES} states, 10 s, 501 outputs");
    evaluation(&project);
    compiling(&project);
    parameter_change(&project);

    let reference = columns(&project, "rodas5p", 1e-11);
    println!("\n{:<10} {:>7} {:>10} {:>10}   {:>6}", "solver", "rtol", "error", "ms", "steps");
    let mut fastest = f64::INFINITY;
    for solver in ["rodas5p", "esdirk34", "bdf", "trbdf2"] {
        for rtol in [3e-5, 2e-5, 1e-5, 1e-6] {
            let e = error(&columns(&project, solver, rtol), &reference);
            let overrides =
                Overrides { solver: Some(solver.into()), rtol: Some(rtol), ..Overrides::default() };
            let Ok((_, s)) = settings(&project.run, &overrides) else { continue };
            let Some(entry) = find(solver) else { continue };
            let all: Vec<usize> = (0..STATES).collect();
            let mut steps = 0;
            let time = best(40, || {
                let mut rows = 0;
                let mut sink = |row: &[f64]| {
                    rows += row.len();
                    Ok(())
                };
                let outcome =
                    simulate(&project, &HashMap::new(), (entry, &s), &all, &Monitor::default(), &mut sink);
                steps = outcome.ok().and_then(|o| o.summary).map_or(0, |s| s.work.steps);
                rows
            });
            let mark = if e <= ERROR { " " } else { "*" };
            println!("{solver:<10} {rtol:>7.0e} {e:>10.1e} {:>10.2} {mark} {steps:>6}", 1e3 * time);
            if e <= ERROR {
                fastest = fastest.min(time);
            }
        }
    }
    println!("* error above {ERROR:e}\n\nfastest at error ≤ {ERROR:e}: {:.2} ms", 1e3 * fastest);
    peer(fastest);
}

fn evaluation(project: &Project) {
    let prepared = &project.prepared;
    let interpreted = prepared.system.compile(EvaluationEngine::Interpreter);
    let y = prepared.system.start(&HashMap::new()).y();
    let slow = prepared.system.start(&HashMap::new()).slow();
    let time = |compiled: &Compiled, part: ProgramKind| {
        let mut scratch = vec![0.0; compiled.scratch()];
        let mut k = vec![0.0; compiled.n_slow()];
        compiled.prepare(&slow, &mut scratch, &mut k);
        let mut out = vec![0.0; compiled.program(part as usize).n_out];
        let rounds = 2000;
        let mut t = 0.1;
        best(50, || {
            for _ in 0..rounds {
                t += 1e-6;
                compiled.run(part as usize, t, black_box(&y), &k, &mut scratch, &mut out);
            }
        }) / f64::from(rounds)
    };
    for (part, name) in [(ProgramKind::Residual, "residual"), (ProgramKind::Jacobian, "Jacobian")] {
        let (native, slow) = (time(&prepared.compiled, part), time(&interpreted, part));
        let operations = prepared.compiled.program(part as usize).work();
        println!(
            "{name}: {operations} operations, native {:.0} ns, interpreter {:.0} ns, ratio {:.1}",
            1e9 * native,
            1e9 * slow,
            slow / native
        );
    }
}

fn compiling(project: &Project) {
    let system = &project.prepared.system;
    let native = best(10, || {
        let compiled = system.compile(EvaluationEngine::Native);
        [ProgramKind::Residual, ProgramKind::Jacobian].map(|part| compiled.warm_up(part as usize))
    });
    let open = best(5, || Project::open(MODEL, &[]).map(|p| p.hash));
    println!("compile to native code: {:.1} ms; file to compiled model: {:.1} ms", 1e3 * native, 1e3 * open);
}

/// From a changed parameter to the first step of the next run.
fn parameter_change(project: &Project) {
    let prepared: &Arc<Prepared> = &project.prepared;
    let Some(mass) = prepared.system.find("lift.m") else { return };
    let (Some(entry), Ok((_, s))) = (find("rodas5p"), settings(&project.run, &Overrides::default())) else {
        return;
    };
    let mut value = 400.0;
    let time = best(50, || {
        value += 1.0;
        let given = HashMap::from([(mass, value)]);
        let mut first =
            |_: &mut trunnion_sim::machine::Machine, _: f64, _: &[f64], _| std::ops::ControlFlow::Break(());
        trunnion_sim::run::run(prepared, &given, entry, &s, &mut first).map(|f| f.y)
    });
    println!("parameter change to first output of the next run: {:.3} ms", 1e3 * time);
}

fn peer(ours: f64) {
    let Some(python) = std::env::var_os("TRUNNION_PEER_PYTHON") else {
        println!("(no peer: set TRUNNION_PEER_PYTHON to a Python with casadi, as `make bench` does)");
        return;
    };
    match Command::new(python).arg(PEER).output() {
        Ok(out) if out.status.success() => {
            let text = String::from_utf8_lossy(&out.stdout);
            let number = |key: &str| {
                serde_json::from_str::<serde_json::Value>(text.trim()).ok().and_then(|v| v[key].as_f64())
            };
            if let (Some(time), Some(e)) = (number("cpu_s"), number("error")) {
                println!(
                    "CVODES with compiled equations: {:.1} ms at error {e:.1e}; ratio {:.1}",
                    1e3 * time,
                    time / ours
                );
            }
        }
        Ok(out) => println!("peer failed: {}", String::from_utf8_lossy(&out.stderr)),
        Err(e) => println!("peer failed: {e}"),
    }
}
