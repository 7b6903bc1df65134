//! A step allocates nothing, whatever the solver; nor does the curve over it.

mod counting;

use counting::allocations;
use std::ops::ControlFlow;
use trunnion_num::Pattern;
use trunnion_sim::integrate::{Moment, OutputTimes, RunPlan, integrate};
use trunnion_sim::problem::{Crossing, Direction, Effect, Guard, GuardRole, Hybrid, Layout, Problem};
use trunnion_sim::solvers::bdf::bdf;
use trunnion_sim::solvers::esdirk::{esdirk34, trbdf2};
use trunnion_sim::solvers::explicit::Explicit;
use trunnion_sim::solvers::generalized_alpha::{GeneralizedAlpha, Parameters, StartAcceleration};
use trunnion_sim::solvers::problems::{TestProblem, hires, hydraulic_circuit, index_one};
use trunnion_sim::solvers::rosenbrock::{realtime, rodas5p};
use trunnion_sim::stepper::{SolverOptions, Stepper};

#[test]
fn a_step_allocates_nothing() {
    type Make = fn(&Layout, &SolverOptions) -> Box<dyn Stepper>;
    type Pose = fn() -> TestProblem;
    let solvers: [(&str, Make); 5] = [
        ("trbdf2", |l, o| Box::new(trbdf2(l, o))),
        ("esdirk34", |l, o| Box::new(esdirk34(l, o))),
        ("rodas5p", |l, o| Box::new(rodas5p(l, o))),
        ("bdf", |l, o| Box::new(bdf(l, o))),
        ("realtime", |l, o| Box::new(realtime(l, o))),
    ];
    let problems: [(&str, Pose); 3] =
        [("HIRES", hires), ("index one", index_one), ("circuit", hydraulic_circuit)];
    for (name, make) in solvers {
        for (problem_name, problem) in problems {
            let mut problem = problem();
            let start = problem.start.clone();
            let mut y = start.clone();
            let mut solver = make(
                problem.layout(),
                &SolverOptions { rtol: 1e-4, h: Some(1e-4), ..SolverOptions::default() },
            );
            solver.restart(&mut problem, 0.0, &start).unwrap();
            let before = allocations();
            for _ in 0..3000 {
                solver.step(&mut problem, 10.0).unwrap();
                let curve = solver.segment();
                curve.at(0.5 * (curve.t0 + curve.t1), &mut y);
            }
            assert_eq!(allocations() - before, 0, "{name} on {problem_name}");
        }
    }
}

#[test]
fn nor_does_a_step_of_an_explicit_or_structural_solver() {
    let options = SolverOptions { rtol: 1e-6, h: Some(1e-4), ..SolverOptions::default() };
    let alpha = Parameters::generalized_alpha(0.8);
    let solvers: [Box<dyn Stepper>; 4] = [
        Box::new(Explicit::tsit45(options.clone())),
        Box::new(Explicit::rk4(options.clone())),
        Box::new(Explicit::euler(options.clone())),
        Box::new(GeneralizedAlpha::new(alpha, StartAcceleration::Consistent, options)),
    ];
    for (k, mut solver) in solvers.into_iter().enumerate() {
        let mut problem = index_one();
        let start = problem.start.clone();
        let mut y = start.clone();
        solver.restart(&mut problem, 0.0, &start).unwrap();
        solver.step(&mut problem, 10.0).unwrap();
        let before = allocations();
        for _ in 0..1000 {
            solver.step(&mut problem, 10.0).unwrap();
            let curve = solver.segment();
            curve.at(0.5 * (curve.t0 + curve.t1), &mut y);
        }
        assert_eq!(allocations() - before, 0, "solver {k}");
    }
}

/// x'' = −x; its velocity is turned round at every passage of x downwards, upwards nothing changes.
struct Swing(Layout);

impl Swing {
    fn new() -> Self {
        let guard = |name: &str, direction| Guard {
            name: name.into(),
            direction,
            role: GuardRole::Switch,
            algebraic: false,
        };
        Swing(Layout {
            names: vec!["x".into(), "v".into()],
            differential: vec![true; 2],
            nominal: vec![1.0; 2],
            pattern: Pattern::dense(2),
            guards: vec![guard("down", Direction::Falling), guard("up", Direction::Rising)],
            ..Layout::default()
        })
    }
}

impl Problem for Swing {
    fn layout(&self) -> &Layout {
        &self.0
    }
    fn residual(&mut self, _: f64, y: &[f64], f: &mut [f64]) {
        (f[0], f[1]) = (y[1], -y[0]);
    }
    fn jacobian(&mut self, _: f64, _: &[f64], values: &mut [f64]) {
        values.copy_from_slice(&[0.0, -1.0, 1.0, 0.0]);
    }
    fn time_gradient(&mut self, _: f64, _: &[f64], f_t: &mut [f64]) {
        f_t.fill(0.0);
    }
}

impl Hybrid for Swing {
    fn guards(&mut self, _: f64, y: &[f64], g: &mut [f64]) {
        g.copy_from_slice(&[y[0], y[1]]);
    }
    fn rounding(&mut self, _: f64, y: &[f64], noise: &mut [f64]) {
        noise.copy_from_slice(&[y[0].abs() * f64::EPSILON, y[1].abs() * f64::EPSILON]);
    }
    fn fire(
        &mut self,
        _: f64,
        y: &mut [f64],
        crossings: &[Crossing],
        _: &mut [bool],
    ) -> Result<(Effect, usize), String> {
        let changed = crossings.iter().any(|c| c.guard == 0);
        y[1] = if changed { -y[1] } else { y[1] };
        Ok((Effect { changed, terminate: false }, crossings.len()))
    }
    fn settle(&mut self, _: f64, _: &[f64], _: &[f64]) -> bool {
        false
    }
    fn next_instant(&self) -> f64 {
        f64::INFINITY
    }
    fn sample(
        &mut self,
        _: f64,
        _: &mut [f64],
        _: &mut [bool],
    ) -> Result<Effect, trunnion_sim::script_error::TaskError> {
        Ok(Effect::default())
    }
}

#[test]
fn a_run_allocates_at_its_start_only() {
    let allocations = |t_end: f64| {
        let mut stepper = Explicit::tsit45(SolverOptions::default());
        let mut rows = 0;
        let mut observer = |_: &mut Swing, _: f64, _: &[f64], _: Moment| {
            rows += 1;
            ControlFlow::Continue(())
        };
        let (mut swing, mut y) = (Swing::new(), [1.0, 0.0]);
        let plan = RunPlan::new(0.0, t_end, OutputTimes::Interval(0.01));
        let before = allocations();
        let summary = integrate(&mut swing, &mut y, &mut stepper, &plan, &mut observer).unwrap();
        assert!(summary.events as f64 > t_end / 4.0 && rows as f64 > 100.0 * t_end);
        allocations() - before
    };
    assert_eq!(allocations(10.0), allocations(200.0));
}
