//! A long elastic beam, clamped at one end and pulled at the other: 40 segments whose fast modes, up to 6400 rad/s, nothing damps.
//!
//!   C θ'' as in [Hairer, Wanner 1996, eqs. IV.1.10 to 1.15], n = 40, force (−φ, φ), φ = 1.5 sin² t until t = π, then 0        (1)
//!
//! Orders above 2 of backward differences are unstable for such modes: without care the slow motion of the beam takes 72 000 steps at any tolerance.

use super::bdf::bdf;
use super::explicit::Explicit;
use super::problems::{ResidualFunction, TestProblem, dense, differences};
use crate::problem::Problem;
use crate::stepper::{SolverOptions, SolverWork, Stepper};
use std::f64::consts::PI;

const N: usize = 40;

fn residual(t: f64, y: &[f64], f: &mut [f64]) {
    let (n2, n4) = ((N * N) as f64, (N * N * N * N) as f64);
    let (angle, speed) = y.split_at(N);
    let force = if t > PI { 0.0 } else { 1.5 * t.sin().powi(2) };
    let (mut s, mut c) = ([0.0; N], [0.0; N]);
    for i in 1..N {
        (s[i], c[i]) = (angle[i] - angle[i - 1]).sin_cos();
    }
    let v: Vec<f64> = (0..N)
        .map(|i| {
            let bend = match i {
                0 => angle[1] - 3.0 * angle[0],
                _ if i == N - 1 => angle[N - 2] - angle[N - 1],
                _ => angle[i - 1] - 2.0 * angle[i] + angle[i + 1],
            };
            n4 * bend + n2 * force * (angle[i].cos() + angle[i].sin())
        })
        .collect();
    // w = C⁻¹ (D v + θ'²), C tridiagonal.
    let mut w: Vec<f64> = speed.iter().map(|speed| speed * speed).collect();
    let mut diagonal = [2.0; N];
    (diagonal[0], diagonal[N - 1]) = (1.0, 3.0);
    let whole = diagonal;
    for i in 1..N {
        w[i] -= s[i] * v[i - 1];
        w[i - 1] += s[i] * v[i];
    }
    for i in (0..N - 1).rev() {
        let q = c[i + 1] / diagonal[i + 1];
        w[i] += w[i + 1] * q;
        diagonal[i] -= c[i + 1] * q;
    }
    w[0] /= diagonal[0];
    for i in 1..N {
        w[i] = (w[i] + c[i] * w[i - 1]) / diagonal[i];
    }
    // θ'' = C v + D w.
    for i in 0..N {
        (f[i], f[N + i]) = (speed[i], whole[i] * v[i]);
    }
    for i in 1..N {
        f[N + i] -= c[i] * v[i - 1] + s[i] * w[i - 1];
        f[N + i - 1] += s[i] * w[i] - c[i] * v[i];
    }
}

fn beam() -> TestProblem {
    let jacobian: ResidualFunction = |t, y, j| differences(residual, t, y, j);
    dense(vec![1.0; 2 * N], residual, jacobian, 5.0, vec![0.0; 2 * N])
}

/// The beam, with two sensors, one of them stiff, and an algebraic unknown.
fn watched_beam() -> TestProblem {
    const M: usize = 2 * N + 3;
    fn watched(t: f64, y: &[f64], f: &mut [f64]) {
        residual(t, &y[..2 * N], &mut f[..2 * N]);
        f[M - 3] = -1e6 * (y[M - 3] - y[3]);
        f[M - 2] = -300.0 * (y[M - 2] - y[N - 1]);
        f[M - 1] = y[0] + y[5] - y[M - 1];
    }
    let jacobian: ResidualFunction = |t, y, j| differences(watched, t, y, j);
    let mut beam = dense(vec![1.0; M], watched, jacobian, 5.0, vec![0.0; M]);
    beam.layout.differential[M - 1] = false;
    beam
}

/// Work and values at 5 s. The force has a corner at π.
fn run(mut problem: TestProblem, solver: &mut dyn Stepper) -> (SolverWork, Vec<f64>) {
    let start = problem.start.clone();
    solver.restart(&mut problem, 0.0, &start).unwrap();
    for end in [PI, 5.0] {
        while solver.state().0 < end {
            solver.step(&mut problem, end).unwrap();
            assert!(solver.work().steps < 80_000, "{:?}", solver.work());
        }
    }
    (solver.work(), solver.state().1.to_vec())
}

#[test]
fn backward_differences_do_not_follow_the_fast_modes_of_a_beam() {
    let (_, exact) =
        run(beam(), &mut Explicit::tsit45(SolverOptions { rtol: 1e-9, ..SolverOptions::default() }));
    // [Mazzia, Magherini 2008, test set for IVP solvers, BEAM]
    assert!(
        (exact[0] + 0.005792366591).abs() < 1e-9 && (exact[1] + 0.016952985507).abs() < 1e-9,
        "{exact:?}"
    );
    let check = |problem: TestProblem, rtol: f64, most: u64| {
        let mut solver = bdf(problem.layout(), &SolverOptions { rtol, ..SolverOptions::default() });
        let (work, y) = run(problem, &mut solver);
        let error = (0..N).map(|i| (y[i] - exact[i]).abs() / (1.0 + exact[i].abs())).fold(0.0, f64::max);
        println!("{rtol:e}: {work:?}, {:.1} rtol", error / rtol);
        assert!(work.steps < most, "{rtol:e}: {work:?}");
        assert!(error < 30.0 * rtol, "{rtol:e}: {:.0} rtol", error / rtol);
    };
    for (rtol, most) in [(1e-3, 300), (1e-4, 700), (1e-5, 1_700), (1e-6, 4_500)] {
        check(beam(), rtol, most);
    }
    check(watched_beam(), 1e-4, 700);
}
