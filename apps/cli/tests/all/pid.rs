//! A PID controller in JavaScript, sampled at 1 ms, against the exact discrete solution of plant and controller.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;

use trunnion_engine::project::Project;
use trunnion_sim::machine::Machine;
use trunnion_sim::run::run;
use trunnion_study::simulate::{Overrides, settings};

type M3 = [[f64; 3]; 3];

fn product(a: &M3, b: &M3) -> M3 {
    let mut c = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            c[i][j] = (0..3).map(|k| a[i][k] * b[k][j]).sum();
        }
    }
    c
}

/// exp(a) by its series, after halving until small.
fn exponential(a: &M3) -> M3 {
    const HALVINGS: i32 = 10;
    let small = a.map(|row| row.map(|v| v / 2f64.powi(HALVINGS)));
    let mut sum = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut term = sum;
    for n in 1..20 {
        term = product(&term, &small).map(|row| row.map(|v| v / f64::from(n)));
        for i in 0..3 {
            for j in 0..3 {
                sum[i][j] += term[i][j];
            }
        }
    }
    for _ in 0..HALVINGS {
        sum = product(&sum, &sum);
    }
    sum
}

#[test]
fn a_sampled_pid_matches_the_exact_discrete_solution() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/language/control/pid_position.toml");
    let sets = ["run.dt=1 ms".to_string(), "run.t_end=2 s".to_string()];
    let project = Project::open(&path.to_string_lossy(), &sets).unwrap_or_else(|f| panic!("{}", f));

    // x' = v, v' = (f − d v − k x)/m with f held between samples: exact over one period.
    let (m, d, k, target, h) = (2.0, 3.0, 20.0, 0.1, 1e-3);
    let step = exponential(&[[0.0, h, 0.0], [-k / m * h, -d / m * h, h / m], [0.0, 0.0, 0.0]]);
    let (kp, ki, kd) = (400.0, 300.0, 40.0);
    let (mut x, mut v, mut integral, mut last) = (0.0, 0.0, 0.0, 0.0);
    let mut exact = vec![x];
    for _ in 0..2000 {
        let error = target - x;
        integral += h * error;
        let rate = (error - last) / h;
        last = error;
        let f = kp * error + ki * integral + kd * rate;
        (x, v) = (
            step[0][0] * x + step[0][1] * v + step[0][2] * f,
            step[1][0] * x + step[1][1] * v + step[1][2] * f,
        );
        exact.push(x);
    }

    let place = project.prepared.column("x").unwrap();
    let mut row = vec![0.0; project.prepared.columns.len()];
    for solver in ["rodas5p", "esdirk34", "trbdf2", "bdf", "tsit45"] {
        let overrides = Overrides { solver: Some(solver.into()), rtol: Some(1e-10), ..Overrides::default() };
        let (entry, s) = settings(&project.run, &overrides).unwrap_or_else(|f| panic!("{}", f));
        let mut found = HashMap::new();
        let mut keep = |machine: &mut Machine, t: f64, y: &[f64], _| {
            machine.record(t, y, &mut row).unwrap();
            found.insert((t / h).round() as usize, row[place]);
            ControlFlow::Continue(())
        };
        let finished = run(&project.prepared, &HashMap::new(), entry, &s, &mut keep).unwrap();
        assert!(finished.result.is_ok(), "{solver}: {:?}", finished.result);
        let worst = (0..=2000).map(|i| (found[&i] - exact[i]).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-9, "{solver}: {worst:e}");
    }
}
