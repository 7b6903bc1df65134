//! Oscillations that nothing damps: errors of single steps add up.

use super::bdf::bdf;
use super::esdirk::{ESDIRK34, EsdirkTableau, TR_BDF2, esdirk34, trbdf2};
use super::explicit::Explicit;
use super::problems::{ResidualFunction, TestProblem, dense, differences, oscillator};
use super::rosenbrock::rodas5p;
use crate::problem::{Layout, Problem};
use crate::stepper::{SolverOptions, Stepper};

/// With the error they keep to, in rtol.
const SOLVERS: [(&str, f64); 4] = [("rodas5p", 30.0), ("esdirk34", 30.0), ("trbdf2", 30.0), ("bdf", 30.0)];

fn solver(name: &str, layout: &Layout, rtol: f64) -> Box<dyn Stepper> {
    let options = SolverOptions { rtol, ..SolverOptions::default() };
    match name {
        "rodas5p" => Box::new(rodas5p(layout, &options)),
        "esdirk34" => Box::new(esdirk34(layout, &options)),
        "trbdf2" => Box::new(trbdf2(layout, &options)),
        "bdf" => Box::new(bdf(layout, &options)),
        _ => Box::new(Explicit::tsit45(options)),
    }
}

/// Steps, and the values at the end.
fn run(name: &str, problem: &mut TestProblem, rtol: f64) -> (u64, Vec<f64>) {
    let (start, t_end) = (problem.start.clone(), problem.t_end);
    let mut solver = solver(name, problem.layout(), rtol);
    solver.restart(problem, 0.0, &start).unwrap();
    while solver.state().0 < t_end {
        solver.step(problem, t_end).unwrap();
        assert!(solver.work().steps < 200_000, "{name}: {:?}", solver.work());
    }
    println!("{name} {rtol:e} {:?}", solver.work());
    (solver.work().steps, solver.state().1.to_vec())
}

/// The heavy top of the literature, 150 rad/s about y, held at its point: ω and the upward direction γ, both in the body.
///
///   I ω' = Iω × ω − m g l e_y × γ,   γ' = γ × ω,   I = diag(15.234375, 0.46875, 15.234375) kg m², m = 15 kg, l = 1 m
fn heavy_top() -> TestProblem {
    const A: f64 = 15.234375;
    const C: f64 = 0.46875;
    const MGL: f64 = 15.0 * 9.81;
    fn residual(_: f64, y: &[f64], f: &mut [f64]) {
        let (w, g) = (&y[..3], &y[3..]);
        f[0] = ((C - A) * w[1] * w[2] - MGL * g[2]) / A;
        f[1] = 0.0;
        f[2] = ((A - C) * w[0] * w[1] + MGL * g[0]) / A;
        f[3] = g[1] * w[2] - g[2] * w[1];
        f[4] = g[2] * w[0] - g[0] * w[2];
        f[5] = g[0] * w[1] - g[1] * w[0];
    }
    let jacobian: ResidualFunction = |t, y, j| differences(residual, t, y, j);
    let start = vec![0.0, 150.0, -4.61538, 0.0, 0.0, 1.0];
    dense(vec![5.0, 150.0, 5.0, 1.0, 1.0, 1.0], residual, jacobian, 2.0, start)
}

#[test]
fn a_spinning_top_keeps_what_rtol_promises() {
    let (_, exact) = run("tsit45", &mut heavy_top(), 1e-13);
    for (name, most) in SOLVERS {
        for rtol in [1e-4, 1e-6] {
            let (steps, y) = run(name, &mut heavy_top(), rtol);
            let size = heavy_top().layout.nominal;
            let error =
                (0..6).map(|i| (y[i] - exact[i]).abs() / (size[i] + exact[i].abs())).fold(0.0, f64::max);
            println!("{name} {rtol:e}: {steps} steps, {:.1} rtol", error / rtol);
            assert!(error < most * rtol, "{name} {rtol:e}: {:.0} rtol in {steps} steps", error / rtol);
        }
    }
}

#[test]
fn thirty_periods_keep_what_rtol_promises() {
    for (name, most) in SOLVERS {
        for rtol in [1e-4, 1e-6] {
            let t_end = 60.0 * std::f64::consts::PI;
            let (_, y) = run(name, &mut TestProblem { t_end, ..oscillator() }, rtol);
            let error = (y[0] - 1.0).abs().max(y[1].abs());
            println!("{name} {rtol:e}: {:.1} rtol", error / rtol);
            assert!(error < most * rtol, "{name} {rtol:e}: {:.0} rtol", error / rtol);
        }
    }
}

/// |R| on the imaginary axis and at −∞, of steps with their error taken off.
#[test]
fn what_is_taken_off_leaves_methods_l_stable() {
    // Complex numbers as (re, im).
    type C = (f64, f64);
    let mul = |a: C, b: C| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
    let div = |a: C, b: C| {
        let size = b.0 * b.0 + b.1 * b.1;
        mul(a, (b.0 / size, -b.1 / size))
    };
    let growth = |tableau: &EsdirkTableau, z: C| {
        let pole = (1.0 - tableau.gamma * z.0, -tableau.gamma * z.1);
        let mut k: Vec<C> = vec![z];
        let sum = |weights: &[f64], k: &[C]| {
            weights.iter().zip(k).fold((0.0, 0.0), |s, (w, k)| (s.0 + w * k.0, s.1 + w * k.1))
        };
        let mut last = (1.0, 0.0);
        for a in &tableau.a[1..] {
            let s = sum(a, &k);
            last = div((1.0 + s.0, s.1), pole);
            k.push(mul(z, last));
        }
        let e = div(div(sum(tableau.d, &k), pole), pole);
        (last.0 - e.0).hypot(last.1 - e.1)
    };
    for tableau in [&TR_BDF2, &ESDIRK34] {
        for i in 0..4000 {
            let y = 10f64.powf(-3.0 + f64::from(i) / 500.0);
            assert!(growth(tableau, (0.0, y)) <= 1.0 + 1e-12, "order {} at {y}i", tableau.order);
        }
        assert!(growth(tableau, (-1e9, 0.0)) < 1e-6);
    }
}
