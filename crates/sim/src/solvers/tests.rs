//! What every implicit solver has to show: orders, exactness, accuracy on the standard problems, limits, failures.

use super::bdf::bdf;
use super::esdirk::{ESDIRK34, Esdirk, TR_BDF2, esdirk34, trbdf2};
use super::one_step::OneStep;
use super::problems::{self, TestProblem};
use super::rosenbrock::{RODAS3, RODAS5P, Rosenbrock, realtime, rodas5p};
use crate::problem::{Layout, Problem};
use crate::stepper::{SolverOptions, StepFailure, Stepper};

type Make = fn(&Layout, &SolverOptions) -> Box<dyn Stepper>;
type Pose = fn() -> TestProblem;

/// Every adaptive implicit solver by name.
const ADAPTIVE: [(&str, Make); 4] = [
    ("trbdf2", |layout, options| Box::new(trbdf2(layout, options))),
    ("esdirk34", |layout, options| Box::new(esdirk34(layout, options))),
    ("rodas5p", |layout, options| Box::new(rodas5p(layout, options))),
    ("bdf", |layout, options| Box::new(bdf(layout, options))),
];

fn run(solver: &mut dyn Stepper, problem: &mut TestProblem) {
    let (start, t_end) = (problem.start.clone(), problem.t_end);
    solver.restart(problem, 0.0, &start).unwrap();
    while solver.state().0 < t_end {
        solver.step(problem, t_end).unwrap();
    }
}

/// −log₁₀ max |y − ref| / (size + |ref|): the measure of the test set, for atol = rtol · size.
fn mescd(y: &[f64], problem: &TestProblem) -> f64 {
    let error = |i: usize| (y[i] - problem.end[i]).abs() / (problem.layout.nominal[i] + problem.end[i].abs());
    -(0..y.len()).map(error).fold(0.0, f64::max).log10()
}

#[test]
fn standard_problems_keep_the_tolerance_within_a_factor_100() {
    let standard: [(&str, Pose); 4] = [
        ("HIRES", problems::hires),
        ("Robertson", problems::robertson),
        ("Van der Pol", problems::van_der_pol),
        ("amplifier", problems::transistor_amplifier),
    ];
    let mut short = Vec::new();
    for (name, make) in standard {
        for (solver_name, solver) in ADAPTIVE {
            for digits in [4, 6, 8] {
                let mut problem = make();
                let options = SolverOptions { rtol: 10f64.powi(-digits), ..SolverOptions::default() };
                let mut solver = solver(problem.layout(), &options);
                run(&mut *solver, &mut problem);
                let achieved = mescd(solver.state().1, &problem);
                println!("{name:12} {solver_name:9} 1e-{digits} mescd {achieved:5.2} {:?}", solver.work());
                if achieved < f64::from(digits) - 2.0 {
                    short.push(format!("{name} {solver_name} 1e-{digits}: {achieved:.2}"));
                }
            }
        }
    }
    assert!(short.is_empty(), "{short:#?}");
}

/// Newton iterations to rounding, for constant steps.
fn exact() -> SolverOptions {
    SolverOptions { rtol: 1e-13, ..SolverOptions::default() }
}

/// Every one-step method with constant steps, and its order.
fn fixed(name: &str, layout: &Layout, h: f64) -> (Box<dyn Stepper>, f64) {
    let rosenbrock = |tableau| Box::new(OneStep::fixed(Rosenbrock::new(tableau, layout), layout, h));
    let esdirk = |tableau| Box::new(OneStep::fixed(Esdirk::new(tableau, layout, &exact()), layout, h));
    match name {
        "trbdf2" => (esdirk(&TR_BDF2), 3.0),
        "esdirk34" => (esdirk(&ESDIRK34), 4.0),
        "rodas5p" => (rosenbrock(&RODAS5P), 5.0),
        _ => (rosenbrock(&RODAS3), 3.0),
    }
}
const FIXED: [&str; 4] = ["trbdf2", "esdirk34", "rodas5p", "realtime"];

/// Slope of log error over log h between the two steps.
fn observed_order(steps: [f64; 2], mut error: impl FnMut(f64) -> f64) -> f64 {
    let [coarse, fine] = steps.map(&mut error);
    (coarse / fine).ln() / (steps[0] / steps[1]).ln()
}

fn assert_near(value: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((value - expected).abs() <= tolerance, "{what}: {value}, expected {expected}");
}

/// Error of unknown i at the end, with constant steps.
fn final_error(name: &str, mut problem: TestProblem, h: f64, i: usize) -> f64 {
    let (mut solver, _) = fixed(name, problem.layout(), h);
    run(&mut *solver, &mut problem);
    (solver.state().1[i] - problem.end[i]).abs()
}

#[test]
fn one_step_methods_have_their_order_in_differential_and_algebraic_unknowns() {
    for name in FIXED {
        let (_, order) = fixed(name, &problems::hyperbola().layout, 1.0);
        // Small enough for the leading term, large enough to stand above rounding.
        let steps = if order > 3.0 { [0.025, 0.0125] } else { [0.01, 0.005] };
        let algebraic_steps = if order > 3.0 { [0.00625, 0.003125] } else { [0.00125, 0.000625] };
        let of = |problem: Pose, i, steps| observed_order(steps, |h| final_error(name, problem(), h, i));
        assert_near(of(problems::hyperbola, 0, steps), order, 0.1, name);
        assert_near(of(problems::index_one, 0, steps), order, 0.1, name);
        assert_near(of(problems::index_one, 1, algebraic_steps), order, 0.1, name);
    }
}

#[test]
fn bdf_has_the_order_it_is_held_at() {
    for order in 1..=5 {
        for (i, what) in [(0, "differential"), (1, "algebraic")] {
            let steps = if order < 3 { [0.01 / 2.0, 0.01 / 4.0] } else { [0.01, 0.005] };
            let observed = observed_order(steps, |h| {
                let mut problem = problems::index_one();
                let at = |t: f64| vec![(-t - t.sin()).exp(), 1.0 + t.cos()];
                let history: Vec<_> = (0..=order).map(|j| at(-h * f64::from(j))).collect();
                let mut solver = bdf(problem.layout(), &exact());
                solver.restart(&mut problem, 0.0, &at(0.0)).unwrap();
                solver.hold(h, &history);
                while solver.state().0 < 2.0 - h / 2.0 {
                    solver.step(&mut problem, 2.0).unwrap();
                }
                (solver.state().1[i] - problem.end[i]).abs()
            });
            assert_near(observed, f64::from(order), 0.1, what);
        }
    }
}

#[test]
fn stiffness_without_transient_costs_no_accuracy() {
    // Prothero–Robinson at hλ = −10⁵: stiffly accurate methods end on the slow manifold.
    for name in FIXED {
        let error = final_error(name, problems::prothero_robinson(), 0.1, 0);
        assert!(error < 2e-6, "{name}: {error}");
    }
}

/// y' = p t^(p−1): y = t^p.
fn polynomial(degree: i32) -> TestProblem {
    fn residual<const P: i32>(t: f64, _: &[f64], f: &mut [f64]) {
        f[0] = f64::from(P) * t.powi(P - 1);
    }
    fn time_gradient<const P: i32>(t: f64, _: &[f64], f_t: &mut [f64]) {
        f_t[0] = f64::from(P * (P - 1)) * t.powi((P - 2).max(0));
    }
    let base = problems::hyperbola();
    let (residual, time_gradient): (problems::ResidualFunction, problems::ResidualFunction) = match degree {
        2 => (residual::<2>, time_gradient::<2>),
        3 => (residual::<3>, time_gradient::<3>),
        4 => (residual::<4>, time_gradient::<4>),
        _ => (residual::<5>, time_gradient::<5>),
    };
    TestProblem {
        residual,
        time_gradient,
        jacobian: |_, _, j| j[0] = 0.0,
        start: vec![0.0],
        end: vec![1.0],
        ..base
    }
}

#[test]
fn a_method_of_order_p_integrates_degree_p_exactly() {
    for name in FIXED {
        let (_, order) = fixed(name, &problems::hyperbola().layout, 1.0);
        let error = final_error(name, polynomial(order as i32), 0.3, 0);
        assert!(error < 5e-14, "{name}: {error}");
    }
}

/// Largest error of the curve inside steps of constant size, unknown i of `index_one`; checks that both ends are hit.
fn curve_error(solver: &mut dyn Stepper, problem: &mut TestProblem, i: usize) -> f64 {
    let start = problem.start.clone();
    solver.restart(problem, 0.0, &start).unwrap();
    let (mut worst, mut y, mut before) = (0.0_f64, vec![0.0; 2], start);
    while solver.state().0 < 1.0 {
        solver.step(problem, 1.0).unwrap();
        let after = solver.state().1.to_vec();
        let curve = solver.segment();
        curve.at(curve.t0, &mut y);
        (0..2).for_each(|k| assert_near(y[k], before[k], 1e-14, "start of the curve"));
        curve.at(curve.t1, &mut y);
        (0..2).for_each(|k| assert_near(y[k], after[k], 1e-13, "end of the curve"));
        for theta in [0.2, 0.5, 0.7] {
            let t = curve.t0 + theta * (curve.t1 - curve.t0);
            curve.at(t, &mut y);
            let exact = [(-t - t.sin()).exp(), 1.0 + t.cos()];
            worst = worst.max((y[i] - exact[i]).abs());
        }
        before = after;
    }
    worst
}

#[test]
fn the_curve_over_a_step_is_as_good_as_its_ends() {
    for name in FIXED {
        for i in 0..2 {
            let (_, order) = fixed(name, &problems::index_one().layout, 1.0);
            let steps = if order > 3.0 { [0.05, 0.025] } else { [0.02, 0.01] };
            let observed = observed_order(steps, |h| {
                let mut problem = problems::index_one();
                let (mut solver, _) = fixed(name, problem.layout(), h);
                curve_error(&mut *solver, &mut problem, i)
            });
            // Stages of esdirk34 have order 3 inside a step, and algebraic unknowns are read off them.
            let order = if name == "esdirk34" && i == 1 { 3.0 } else { order.min(4.0) };
            assert!(observed > order - 0.2, "{name}, unknown {i}: {observed}");
        }
    }
    for (name, make) in ADAPTIVE {
        let mut problem = problems::index_one();
        let mut solver = make(problem.layout(), &SolverOptions { rtol: 1e-7, ..SolverOptions::default() });
        let worst = (0..2).map(|i| curve_error(&mut *solver, &mut problem, i)).fold(0.0, f64::max);
        assert!(worst < 3e-6, "{name}: {worst}");
    }
}

#[test]
fn limits_are_met_exactly_and_do_not_shorten_later_steps() {
    for (name, make) in ADAPTIVE {
        let mut problem = problems::oscillator();
        let options = SolverOptions { rtol: 1e-5, ..SolverOptions::default() };
        let free = {
            let mut solver = make(problem.layout(), &options);
            run(&mut *solver, &mut problem);
            solver.work().steps
        };
        let mut solver = make(problem.layout(), &options);
        solver.restart(&mut problem, 0.0, &[1.0, 0.0]).unwrap();
        let limits: Vec<f64> = (1..=5).map(|k| f64::from(k) * 1.37).chain([7.0]).collect();
        for limit in &limits {
            while solver.state().0 < *limit {
                solver.step(&mut problem, *limit).unwrap();
                assert!(solver.state().0 <= *limit);
            }
            assert_eq!(solver.state().0, *limit);
        }
        assert!(mescd(solver.state().1, &problem) > 3.0, "{name}");
        // Two more steps for each of the five limits on the way, and some slack for BDF's differences.
        let steps = solver.work().steps;
        assert!(steps <= free * 5 / 4 + 15, "{name}: {steps} steps with limits, {free} without");
    }
}

#[test]
fn no_step_exceeds_the_largest_allowed() {
    for (name, make) in ADAPTIVE {
        let mut problem = problems::hyperbola();
        let mut solver =
            make(problem.layout(), &SolverOptions { rtol: 1e-3, h_max: 0.01, ..SolverOptions::default() });
        run(&mut *solver, &mut problem);
        assert!(solver.work().steps >= 96, "{name}: {:?}", solver.work());
    }
}

#[test]
fn a_value_that_cannot_be_computed_is_named() {
    for (name, make) in ADAPTIVE {
        // y' = −1/(2y): y = √(1 − t) ends at t = 1.
        let mut problem = TestProblem {
            residual: |_, y, f| f[0] = -0.5 / y[0],
            jacobian: |_, y, j| j[0] = 0.5 / (y[0] * y[0]),
            t_end: 2.0,
            ..problems::hyperbola()
        };
        let mut solver = make(problem.layout(), &SolverOptions::default());
        solver.restart(&mut problem, 0.0, &[1.0]).unwrap();
        let failure = loop {
            if let Err(failure) = solver.step(&mut problem, 2.0) {
                break failure;
            }
            if solver.state().0 > 1.1 {
                panic!("{name} went past the end of the solution");
            }
        };
        let (StepFailure::StepTooSmall { t, unknown: 0, .. } | StepFailure::NotFinite { t, row: 0 }) =
            failure
        else {
            panic!("{name}: {failure:?}");
        };
        assert_near(t, 1.0, 1e-3, name);
        let start = solver.restart(&mut problem, 0.0, &[0.0]);
        assert_eq!(start, Err(StepFailure::NotFinite { t: 0.0, row: 0 }), "{name}");
    }
}

#[test]
fn an_undetermined_unknown_is_named() {
    for (name, make) in ADAPTIVE {
        // 0 = y₁ − t holds, but nothing determines y₂.
        let mut problem = TestProblem {
            residual: |_, y, f| f.copy_from_slice(&[-y[0], 0.0]),
            jacobian: |_, _, j| j.copy_from_slice(&[-1.0, 0.0, 0.0, 0.0]),
            time_gradient: |_, _, f_t| f_t.fill(0.0),
            ..problems::index_one()
        };
        let mut solver = make(problem.layout(), &SolverOptions::default());
        solver.restart(&mut problem, 0.0, &[1.0, 0.0]).unwrap();
        let failure = solver.step(&mut problem, 1.0).unwrap_err();
        assert!(matches!(failure, StepFailure::Singular { unknown: 1, .. }), "{name}: {failure:?}");
    }
}

#[test]
fn a_second_run_gives_the_same_bits() {
    for (name, make) in ADAPTIVE {
        let ends: Vec<_> = (0..2)
            .map(|_| {
                let mut problem = problems::hires();
                let mut solver = make(problem.layout(), &SolverOptions::default());
                run(&mut *solver, &mut problem);
                (solver.state().1.to_vec(), solver.work())
            })
            .collect();
        assert_eq!(ends[0], ends[1], "{name}");
    }
}

#[test]
fn a_jump_is_followed_from_where_it_leads() {
    for (name, make) in ADAPTIVE {
        let mut problem = problems::oscillator();
        let mut solver = make(problem.layout(), &SolverOptions::default());
        solver.restart(&mut problem, 0.0, &[1.0, 0.0]).unwrap();
        while solver.state().0 < 3.0 {
            solver.step(&mut problem, 3.0).unwrap();
        }
        // Back to an instant inside the run, with other values.
        solver.restart(&mut problem, 2.0, &[0.0, 5.0]).unwrap();
        while solver.state().0 < 4.0 {
            solver.step(&mut problem, 4.0).unwrap();
        }
        assert_near(solver.state().1[0], 5.0 * 2f64.sin(), 1e-4, name);
    }
}

#[test]
fn constant_steps_stay_on_their_grid() {
    let mut problem = problems::oscillator();
    let (mut solver, _) = fixed("realtime", problem.layout(), 1e-4);
    run(&mut *solver, &mut problem);
    let work = solver.work();
    assert_eq!((work.steps, work.jacobians, work.factorisations), (70_000, 70_000, 70_000));
}

#[test]
fn steps_in_real_time_meet_the_ends_of_periods() {
    let mut problem = problems::hydraulic_circuit();
    let mut solver =
        realtime(problem.layout(), &SolverOptions { rtol: 1e-4, h: Some(1e-3), ..SolverOptions::default() });
    let start = problem.start.clone();
    solver.restart(&mut problem, 0.0, &start).unwrap();
    let mut met = 0;
    while solver.state().0 < 0.2 {
        solver.step(&mut problem, 0.2).unwrap();
        let t = solver.state().0;
        let end = (met + 1) as f64 * 1e-3;
        assert!(t <= end.min(0.2), "{t} is beyond {end}");
        met += (t == end.min(0.2)) as u64;
    }
    assert_eq!(met, 200);
    assert!(solver.work().steps > 200, "valves that open take more than one step a period");
}
