//! A pendulum of unit mass in x, y on a circle of unit radius: λ pulls along the radius.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use trunnion_equations::flat::{Constraint, DisplayUnit, Equation, Origin, Quantity, QuantityRole};
use trunnion_equations::{EvaluationEngine, Expr, Flat, Symbol, analyse};

use crate::integrate::{Moment, OutputTimes};
use crate::machine::{Machine, Prepared};
use crate::problem::{Hybrid, Problem};
use crate::run::{Settings, run_on};
use crate::solvers::choose::{self, MethodNumbers};
use crate::start_error::StartError;

const G: f64 = 9.81;

fn quantity(flat: &mut Flat, name: &str, kind: QuantityRole) -> Symbol {
    let range = (f64::NEG_INFINITY, f64::INFINITY);
    let (unit, doc, origin) = (DisplayUnit::default(), String::new(), Origin::default());
    flat.add(Quantity { name: name.into(), unit, doc, origin, kind, nominal: None, range })
}

/// `times`: how often the same constraint is written, each twice as strong as the one before.
fn pendulum(start: [f64; 4], times: usize) -> Flat {
    let mut flat = Flat::default();
    let mut state = |name: &str, value: f64| {
        let start = flat.graph.constant(value).id;
        quantity(&mut flat, name, QuantityRole::Unknown { start })
    };
    let (x, y) = (state("x", start[0]), state("y", start[1]));
    let (vx, vy) = (state("vx", start[2]), state("vy", start[3]));
    let multipliers: Vec<Symbol> =
        (0..times).map(|k| quantity(&mut flat, &format!("lambda{k}"), QuantityRole::Multiplier)).collect();
    let pull = |flat: &Flat| {
        let terms = multipliers.iter().enumerate().map(|(k, &s)| (2.0_f64.powi(k as i32) * flat.ex(s)).id);
        let terms: Vec<Expr> = terms.collect();
        terms.iter().fold(flat.graph.constant(0.0), |sum, &e| sum + flat.graph.at(e)).id
    };
    let lambda = pull(&flat);
    let g = &flat.graph;
    let lambda = g.at(lambda);
    let equations = [
        (g.derivative(x).id, flat.ex(vx).id),
        (g.derivative(y).id, flat.ex(vy).id),
        (g.derivative(vx).id, (flat.ex(x) * lambda).id),
        (g.derivative(vy).id, (flat.ex(y) * lambda - G).id),
    ];
    let (px, py, wx, wy) = (flat.ex(x), flat.ex(y), flat.ex(vx), flat.ex(vy));
    let gap = (0.5 * (px * px + py * py - 1.0)).id;
    let rate = (px * wx + py * wy).id;
    let acceleration = (px * g.derivative(vx) + py * g.derivative(vy) + wx * wx + wy * wy).id;
    for (lhs, rhs) in equations {
        let name = format!("e{}", flat.equations.len());
        flat.equations.push(Equation { name, origin: Origin::default(), lhs, rhs });
    }
    for (k, &multiplier) in multipliers.iter().enumerate() {
        let scaled = |e: Expr| (2.0_f64.powi(k as i32) * flat.graph.at(e)).id;
        let constraint = Constraint {
            name: "rod".into(),
            origin: Origin::default(),
            position: Some(scaled(gap)),
            velocity: scaled(rate),
            acceleration: scaled(acceleration),
            facing: None,
            multiplier,
            switched: false,
        };
        flat.constraints.push(constraint);
    }
    flat
}

fn start(flat: Flat) -> Result<(Machine, Vec<f64>), StartError> {
    let prepared = Arc::new(Prepared::new(analyse(flat).unwrap(), EvaluationEngine::Interpreter));
    Machine::start(prepared, &HashMap::new(), 0.0)
}

fn run(flat: Flat, solver: &str, rtol: f64, t_end: f64) -> (Vec<f64>, f64) {
    let (mut machine, mut y) = start(flat).unwrap();
    let settings = Settings {
        t_0: 0.0,
        t_end,
        output: OutputTimes::Interval(0.1),
        at: vec![],
        rtol,
        atol: Some(rtol),
        h_max: None,
        step: None,
        numbers: MethodNumbers::default(),
    };
    let mut drift = 0.0_f64;
    let mut observe = |_: &mut Machine, _: f64, y: &[f64], _: Moment| {
        drift = drift.max((0.5 * (y[2] * y[2] + y[3] * y[3]) + G * y[1]).abs());
        ControlFlow::Continue(())
    };
    let solver = choose::find(solver).unwrap();
    run_on(&mut machine, &mut y, solver, &settings, false, &mut observe).unwrap();
    (y, drift)
}

/// IFToMM A01 at t = 10 s.
const AT_TEN: [f64; 4] = [-0.275087462576, -0.961419205099, 4.1755981010, -1.1947490546];

#[test]
fn the_pendulum_in_two_coordinates_keeps_time_length_and_energy() {
    let (y, drift) = run(pendulum([-1.0, 0.0, 0.0, 0.0], 1), "tsit45", 1e-12, 10.0);
    for (y, expected) in y.iter().zip(AT_TEN) {
        assert!((y - expected).abs() < 1e-9, "{y} is not {expected}");
    }
    assert!(drift < 1e-9, "{drift}");
    assert!((y[0].hypot(y[1]) - 1.0).abs() < 1e-14, "{y:?}");
    assert!((y[0] * y[2] + y[1] * y[3]).abs() < 1e-13, "{y:?}");
}

#[test]
fn every_adaptive_solver_agrees() {
    for solver in ["rodas5p", "esdirk34", "bdf"] {
        let (y, _) = run(pendulum([-1.0, 0.0, 0.0, 0.0], 1), solver, 1e-8, 10.0);
        for (y, expected) in y.iter().zip(AT_TEN) {
            assert!((y - expected).abs() < 2e-4, "{solver}: {y} is not {expected}");
        }
    }
}

#[test]
fn a_constraint_said_three_times_is_survived_and_told() {
    let (machine, y) = start(pendulum([-1.0, 0.0, 0.0, 0.0], 3)).unwrap();
    assert_eq!(machine.redundant.len(), 2);
    assert_eq!(y, [-1.0, 0.0, 0.0, 0.0]);
    let (y, drift) = run(pendulum([-1.0, 0.0, 0.0, 0.0], 3), "tsit45", 1e-12, 10.0);
    assert!((y[0] - AT_TEN[0]).abs() < 1e-9 && drift < 1e-9, "{y:?}, {drift}");
}

#[test]
fn a_rough_pose_is_assembled_and_its_velocity_made_to_fit() {
    let (_, y) = start(pendulum([0.9, 0.7, 1.0, 1.0], 1)).unwrap();
    assert!((y[0].hypot(y[1]) - 1.0).abs() < 1e-14, "{y:?}");
    assert!((y[0] * y[2] + y[1] * y[3]).abs() < 1e-14, "{y:?}");
    // What was given is kept where the rest can follow.
    let mut flat = pendulum([0.6, 0.1, 0.0, 0.0], 1);
    flat.held.push(flat.find("x").unwrap());
    let (machine, y) = start(flat).unwrap();
    assert!(y[0] == 0.6 && (y[1] - 0.8).abs() < 1e-12 && machine.moved.is_empty(), "{y:?}");
    // And moved, and reported, where it cannot.
    let mut flat = pendulum([1.6, 0.1, 0.0, 0.0], 1);
    flat.held.push(flat.find("x").unwrap());
    let (machine, y) = start(flat).unwrap();
    assert!(y[0] < 1.0 && machine.moved.len() == 1, "{y:?}");
}

#[test]
fn a_loop_that_cannot_close_is_named() {
    let mut flat = pendulum([1.0, 0.0, 0.0, 0.0], 1);
    // x² + y² + 1 is never zero.
    let gap = flat.constraints[0].position.unwrap();
    flat.constraints[0].position = Some((flat.graph.at(gap) + 1.0).id);
    let message = start(flat).err().unwrap().to_string();
    assert!(message.contains("`rod`") && message.contains("gap of 0.5 "), "{message}");
}

/// ∂f/∂y and ∂f/∂t with multipliers eliminated, against differences.
#[test]
fn the_jacobian_is_that_of_what_is_evaluated() {
    for times in [1, 2] {
        let (mut machine, y) = start(pendulum([0.6, -0.8, 0.8, 0.6], times)).unwrap();
        let n = y.len();
        let pattern = machine.layout().pattern.clone();
        let mut values = vec![0.0; pattern.nnz()];
        machine.jacobian(0.0, &y, &mut values);
        for j in 0..n {
            let step = 1e-6;
            let mut f = [vec![0.0; n], vec![0.0; n]];
            for (f, sign) in f.iter_mut().zip([1.0, -1.0]) {
                let mut moved = y.clone();
                moved[j] += sign * step;
                machine.residual(0.0, &moved, f);
            }
            for i in 0..n {
                let expected = (f[0][i] - f[1][i]) / (2.0 * step);
                let found = pattern.find(i, j).map_or(0.0, |k| values[k]);
                assert!((found - expected).abs() < 1e-6, "{times}: ∂f{i}/∂y{j} = {found}, not {expected}");
            }
        }
    }
}

#[test]
fn projection_moves_the_least() {
    let (mut machine, mut y) = start(pendulum([0.6, -0.8, 0.8, 0.6], 1)).unwrap();
    (y[0], y[1], y[2], y[3]) = (0.6 * 1.001, -0.8 * 1.001, 0.8 + 0.6e-3, 0.6 - 0.8e-3);
    assert!(machine.project(0.0, &mut y));
    // What the last correction leaves: a thousandth of 1e-7.
    for (y, expected) in y.iter().zip([0.6, -0.8, 0.8, 0.6]) {
        assert!((y - expected).abs() < 1e-10, "{y} is not {expected}");
    }
}
