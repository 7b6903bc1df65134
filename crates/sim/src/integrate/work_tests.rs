//! Work that is saved, and that nothing is lost by it.

use super::*;
use crate::problem::{Direction, Effect};
use crate::scenes::{Scene, assert_near};
use crate::solvers::explicit::Explicit;
use crate::solvers::rosenbrock::rodas5p;
use crate::stepper::SolverOptions;
use std::ops::ControlFlow;

const NOTHING: Effect = Effect { changed: false, terminate: false };
const CHANGED: Effect = Effect { changed: true, terminate: false };

fn run(scene: &mut Scene, y: &mut [f64], stepper: &mut dyn Stepper, t_end: f64) -> Summary {
    let mut watch = |_: &mut Scene, _: f64, _: &[f64], _: Moment| ControlFlow::Continue(());
    integrate(scene, y, stepper, &RunPlan::new(0.0, t_end, OutputTimes::Start), &mut watch).unwrap()
}

/// An input that changes at every sample costs an evaluation, not the step size: x' = u − x, u = ±1 in turn for T, so that with e = exp(−T)
/// x_(2j) = (x_0 − c) e^(2j) + c,   c = (1 − e)²/(e² − 1).
#[test]
fn steps_keep_their_pace_when_inputs_change() {
    let make = || {
        Scene::new(&["x"], |_, y, on, f| f[0] = if on[0] { 1.0 } else { -1.0 } - y[0]).modes(&[false]).task(
            0.01,
            |_, _, on| {
                on[0] = !on[0];
                CHANGED
            },
        )
    };
    let options = SolverOptions { rtol: 1e-8, ..SolverOptions::default() };
    let steppers: [Box<dyn Stepper>; 2] =
        [Box::new(Explicit::tsit45(options.clone())), Box::new(rodas5p(make().layout(), &options))];
    let e = (-0.01_f64).exp();
    let c = (1.0 - e) * (1.0 - e) / (e * e - 1.0);
    for mut stepper in steppers {
        let mut y = [0.5];
        let summary = run(&mut make(), &mut y, stepper.as_mut(), 1.0);
        assert_near(y[0], (0.5 - c) * e.powi(100) + c, 1e-8);
        assert_eq!((summary.samples, summary.restarts), (101, 1));
        // One step a sample, but for the first.
        assert!(summary.steps <= 105, "{} steps", summary.steps);
        assert!(summary.work.residuals <= 9 * summary.steps, "{} evaluations", summary.work.residuals);
    }
}

/// A costly guard is looked at in a few places as long as it is far from zero, and its crossing is found as that of any other.
#[test]
fn costly_guards_are_found_with_fewer_looks() {
    // x = sin t, 2 − x never crosses, x − 0.9 does twice in each turn.
    let make = |costly: bool, level: f64| {
        let scene = Scene::new(&["x", "v"], |_, y, _, f| (f[0], f[1]) = (y[1], -y[0]))
            .guard("other", Direction::Both, |_, y, _| y[1], |_, _, _, _| NOTHING)
            .guard("level", Direction::Both, move |_, y, _| level - y[0], |_, _, _, _| NOTHING);
        if costly { scene.costly() } else { scene }
    };
    let mut looks = vec![];
    for level in [20.0, 0.9] {
        let [plain, costly] = [false, true].map(|costly| {
            let mut scene = make(costly, level);
            let mut stepper = Explicit::tsit45(SolverOptions { rtol: 1e-11, ..SolverOptions::default() });
            let summary = run(&mut scene, &mut [0.0, 1.0], &mut stepper, 10.0);
            looks.push((scene.looks as f64, summary.steps as f64));
            scene.fired
        });
        assert_eq!(plain, costly);
    }
    let (far, steps) = looks[1];
    assert!(far < 6.0 * steps, "{far} looks in {steps} steps");
}
