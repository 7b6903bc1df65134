//! The stiff hydraulic circuit, 10 s, 501 outputs: work, time and error of every implicit solver.
//!
//! Errors are relative to each state's range over the run, against the tightest run of another method.

use std::time::Instant;
use trunnion_sim::problem::{Layout, Problem};
use trunnion_sim::solvers::bdf::bdf;
use trunnion_sim::solvers::esdirk::{esdirk34, trbdf2};
use trunnion_sim::solvers::problems::{TestProblem, hydraulic_circuit};
use trunnion_sim::solvers::rosenbrock::{realtime, rodas5p};
use trunnion_sim::stepper::{SolverOptions, SolverWork, Stepper};

const OUTPUTS: usize = 501;

/// Values at the outputs, row by row.
fn run(solver: &mut dyn Stepper, problem: &mut TestProblem) -> Vec<f64> {
    let n = problem.layout().n();
    let (start, t_end) = (problem.start.clone(), problem.t_end);
    let mut rows = start.clone();
    rows.resize(OUTPUTS * n, 0.0);
    solver.restart(problem, 0.0, &start).unwrap();
    let mut next = 1;
    let time = |k: usize| if k == OUTPUTS - 1 { t_end } else { t_end * k as f64 / (OUTPUTS - 1) as f64 };
    while next < OUTPUTS {
        solver.step(problem, t_end).unwrap();
        let t = solver.state().0;
        while next < OUTPUTS && time(next) <= t {
            solver.segment().at(time(next), &mut rows[next * n..(next + 1) * n]);
            next += 1;
        }
    }
    rows
}

fn error(rows: &[f64], reference: &[f64], n: usize) -> (f64, usize) {
    let column = |i: usize| reference.iter().skip(i).step_by(n);
    let of = |i: usize| {
        let range = column(i).fold(f64::MIN, |m, v| m.max(*v)) - column(i).fold(f64::MAX, |m, v| m.min(*v));
        let worst =
            rows.iter().skip(i).step_by(n).zip(column(i)).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        worst / range
    };
    (0..n).map(|i| (of(i), i)).fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a })
}

type Make = fn(&Layout, &SolverOptions) -> Box<dyn Stepper>;

fn main() {
    let mut problem = hydraulic_circuit();
    let n = problem.layout().n();
    let tight = SolverOptions { rtol: 1e-10, ..SolverOptions::default() };
    let reference = run(&mut rodas5p(problem.layout(), &tight), &mut problem);
    let check = run(&mut esdirk34(problem.layout(), &SolverOptions { rtol: 1e-8, ..tight }), &mut problem);
    println!("reference: two methods agree to {:.1e} of the range", error(&check, &reference, n).0);
    {
        let (mut y, mut f, mut j) = (reference[100 * n..101 * n].to_vec(), vec![0.0; n], vec![0.0; 45]);
        let time = |f: &mut dyn FnMut()| {
            let start = Instant::now();
            (0..20000).for_each(|_| f());
            start.elapsed().as_secs_f64() / 20000.0 * 1e6
        };
        let r = time(&mut || {
            problem.residual(2.0, &y, &mut f);
            y[0] += 1e-18 * f[0];
        });
        let jac = time(&mut || {
            problem.jacobian(2.0, &y, &mut j);
            y[0] += 1e-18 * j[0];
        });
        println!("residual {r:.3} µs, Jacobian {jac:.3} µs");
    }

    let adaptive: [(&str, Make); 4] = [
        ("trbdf2", |l, o| Box::new(trbdf2(l, o))),
        ("esdirk34", |l, o| Box::new(esdirk34(l, o))),
        ("rodas5p", |l, o| Box::new(rodas5p(l, o))),
        ("bdf", |l, o| Box::new(bdf(l, o))),
    ];
    println!(
        "solver    rtol      error  worst  steps  rejected  residuals  Jacobians  factors  failures    ms  µs/step"
    );
    for (name, make) in adaptive {
        for rtol in [1e-3, 1e-4, 2e-5, 1e-5, 1e-6] {
            let options = SolverOptions { rtol, ..SolverOptions::default() };
            report(name, rtol, &mut || make(problem_layout(), &options), &reference);
        }
    }
    for rtol in [1e-3, 1e-4, 1e-5] {
        let options = SolverOptions { rtol, h: Some(1e-3), ..SolverOptions::default() };
        report("realtime", rtol, &mut || Box::new(realtime(problem_layout(), &options)), &reference);
    }
}

fn problem_layout() -> &'static Layout {
    Box::leak(Box::new(hydraulic_circuit().layout))
}

fn report(name: &str, setting: f64, make: &mut dyn FnMut() -> Box<dyn Stepper>, reference: &[f64]) {
    let mut problem = hydraulic_circuit();
    let n = problem.layout().n();
    let mut best = f64::INFINITY;
    let (mut rows, mut work) = (Vec::new(), SolverWork::default());
    for _ in 0..15 {
        let mut solver = make();
        let start = Instant::now();
        rows = run(&mut *solver, &mut problem);
        best = best.min(start.elapsed().as_secs_f64());
        work = solver.work();
    }
    let (error, worst) = error(&rows, reference, n);
    println!(
        "{name:9} {setting:7.0e} {error:8.1e} {worst:6} {:6} {:9} {:10} {:10} {:8} {:9} {:5.1} {:8.2}",
        work.steps,
        work.rejected,
        work.residuals,
        work.jacobians,
        work.factorisations,
        work.newton_failures,
        best * 1e3,
        best * 1e6 / work.steps as f64
    );
}
