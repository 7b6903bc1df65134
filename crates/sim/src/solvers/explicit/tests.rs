//! Orders, curves, tolerances and failures of the explicit methods.

use super::*;
use crate::scenes::{Scene, assert_near, observed_order};
use crate::stepper::Stepper;

fn fixed(tableau: &'static ExplicitTableau, h: f64) -> Explicit {
    Explicit::new(tableau, SolverOptions { h: Some(h), ..SolverOptions::default() })
}

fn tsit45(rtol: f64) -> Explicit {
    Explicit::tsit45(SolverOptions { rtol, ..SolverOptions::default() })
}

fn run(stepper: &mut Explicit, scene: &mut Scene, y: &[f64], t_end: f64) -> Vec<f64> {
    stepper.restart(scene, 0.0, y).unwrap();
    while stepper.state().0 < t_end {
        stepper.step(scene, t_end).unwrap();
    }
    assert_eq!(stepper.state().0, t_end);
    stepper.state().1.to_vec()
}

fn oscillator() -> Scene {
    Scene::new(&["x", "v"], |_, y, _, f| (f[0], f[1]) = (y[1], -y[0]))
}

/// x' = −z, 0 = z³ + z − x³ − x, so z = x = e^(−t); w' = z + cos t.
fn index_one() -> Scene {
    Scene::new(&["x", "z", "w"], |t, y, _, f| {
        f[0] = -y[1];
        f[1] = y[1].powi(3) + y[1] - y[0].powi(3) - y[0];
        f[2] = y[1] + t.cos();
    })
    .algebraic(&[1])
}

#[test]
fn coefficients_are_consistent() {
    for tableau in [&TSIT45, &RK4, &EULER] {
        for (a, c) in tableau.a.iter().zip(tableau.c) {
            assert_near(a.iter().sum(), *c, 1e-15);
        }
        // ∫₀¹ θ^(q−1) = 1/q as far as the order goes.
        for q in 1..=tableau.order {
            let moment: f64 = tableau.b.iter().zip(tableau.c).map(|(b, c)| b * c.powi(q as i32 - 1)).sum();
            assert_near(moment, 1.0 / q as f64, 1e-14);
        }
        assert_near(tableau.error.iter().sum(), 0.0, 1e-15);
        // (3) ends at (2).
        for (i, w) in tableau.dense.iter().enumerate() {
            assert_near(w.iter().sum(), tableau.b.get(i).copied().unwrap_or(0.0), 1e-13);
        }
    }
}

/// Tsit45 with its step fixed: an adaptive one that accepts everything.
fn end_error(tableau: &'static ExplicitTableau, h: f64) -> f64 {
    let options = SolverOptions { rtol: 1e9, h_max: h, h: Some(h), ..SolverOptions::default() };
    let y = run(&mut Explicit::new(tableau, options), &mut oscillator(), &[1.0, 0.0], 1.0);
    (y[0] - 1.0_f64.cos()).hypot(y[1] + 1.0_f64.sin())
}

#[test]
fn orders_are_those_of_the_methods() {
    assert_near(observed_order(&[0.1, 0.05, 0.025], |h| end_error(&TSIT45, h)), 5.0, 0.1);
    assert_near(observed_order(&[0.1, 0.05, 0.025], |h| end_error(&RK4, h)), 4.0, 0.1);
    assert_near(observed_order(&[0.01, 0.005, 0.0025], |h| end_error(&EULER, h)), 1.0, 0.1);
}

#[test]
fn algebraic_unknowns_keep_the_order() {
    let error = |tableau: &'static ExplicitTableau, h: f64| {
        let options = SolverOptions { rtol: 1e9, atol: Some(1e-10), h_max: h, h: Some(h) };
        let mut stepper = Explicit::new(tableau, options);
        // Accept every step, solve every stage to rounding.
        let mut scene = index_one();
        stepper.restart(&mut scene, 0.0, &[1.0, 1.0, 0.0]).unwrap();
        let y = run(&mut stepper, &mut scene, &[1.0, 1.0, 0.0], 1.0);
        let x = (-1.0_f64).exp();
        (y[1] - x).abs() + (y[2] - (1.0 - x + 1.0_f64.sin())).abs()
    };
    assert_near(observed_order(&[0.2, 0.1, 0.05], |h| error(&RK4, h)), 4.0, 0.1);
    assert_near(observed_order(&[0.01, 0.005, 0.0025], |h| error(&EULER, h)), 1.0, 0.1);
    // The adaptive one by its tolerance.
    for rtol in [1e-5, 1e-8, 1e-11] {
        let y = run(&mut tsit45(rtol), &mut index_one(), &[1.0, 1.0, 0.0], 1.0);
        assert_near(y[1], (-1.0_f64).exp(), 10.0 * rtol);
        assert_near(y[2], 1.0 - (-1.0_f64).exp() + 1.0_f64.sin(), 10.0 * rtol);
    }
}

#[test]
fn curve_over_a_step_is_of_its_degree() {
    // Largest error inside one step of length h against the exact solution, algebraic unknown included.
    let inside = |tableau: &'static ExplicitTableau, h: f64| {
        let mut scene = index_one();
        let mut stepper =
            Explicit::new(tableau, SolverOptions { rtol: 1e-9, h: Some(h), ..SolverOptions::default() });
        stepper.restart(&mut scene, 0.0, &[1.0, 1.0, 0.0]).unwrap();
        stepper.attempt(&mut scene, h).ok().unwrap();
        stepper.accept(h);
        let mut y = [0.0; 3];
        (1..40).fold(0.0, |m: f64, k| {
            let t = h * k as f64 / 40.0;
            stepper.segment().at(t, &mut y);
            m.max((y[0] - (-t).exp()).abs()).max((y[1] - (-t).exp()).abs())
        })
    };
    // An interpolant of degree p is off by O(h^(p+1)).
    assert_near(observed_order(&[0.2, 0.1, 0.05], |h| inside(&RK4, h)), 4.0, 0.2);
    assert_near(observed_order(&[0.02, 0.01], |h| inside(&EULER, h)), 2.0, 0.1);
}

#[test]
fn tsit45_curve_is_of_fourth_order() {
    let inside = |h: f64| {
        let mut stepper = tsit45(1e-2);
        let mut scene = oscillator();
        stepper.restart(&mut scene, 0.0, &[1.0, 0.0]).unwrap();
        stepper.attempt(&mut scene, h).ok().unwrap();
        stepper.accept(h);
        let mut y = [0.0; 2];
        (1..40).fold(0.0, |m: f64, k| {
            let t = h * k as f64 / 40.0;
            stepper.segment().at(t, &mut y);
            m.max((y[0] - t.cos()).hypot(y[1] + t.sin()))
        })
    };
    assert_near(observed_order(&[0.2, 0.1, 0.05], inside), 5.0, 0.2);
}

#[test]
fn tolerance_is_kept() {
    for rtol in [1e-4, 1e-7, 1e-10] {
        let mut stepper = tsit45(rtol);
        let y = run(&mut stepper, &mut oscillator(), &[1.0, 0.0], 10.0);
        let error = (y[0] - 10.0_f64.cos()).hypot(y[1] + 10.0_f64.sin());
        assert!(error < 20.0 * rtol, "{error:e} at {rtol:e}");
    }
}

#[test]
fn a_limit_is_met_and_does_not_shorten_what_follows() {
    let mut free = tsit45(1e-6);
    run(&mut free, &mut oscillator(), &[1.0, 0.0], 100.0);
    let mut scene = oscillator();
    let mut stepper = tsit45(1e-6);
    stepper.restart(&mut scene, 0.0, &[1.0, 0.0]).unwrap();
    for k in 1..=10 {
        // Not representable, and just beyond a natural step end.
        let limit = k as f64 * 9.99999;
        while stepper.state().0 < limit {
            stepper.step(&mut scene, limit).unwrap();
        }
        assert_eq!(stepper.state().0, limit);
    }
    assert!(stepper.work().steps <= free.work().steps + 20, "{:?} {:?}", stepper.work(), free.work());
}

#[test]
fn failures_name_the_unknown() {
    // b' = b² from 1 is infinite at t = 1.
    let mut scene = Scene::new(&["a", "b"], |_, y, _, f| (f[0], f[1]) = (-y[0], y[1] * y[1]));
    let mut stepper = tsit45(1e-8);
    stepper.restart(&mut scene, 0.0, &[1.0, 1.0]).unwrap();
    let failure = (0..100_000).find_map(|_| stepper.step(&mut scene, 3.0).err()).unwrap();
    let StepFailure::StepTooSmall { t, unknown, .. } = failure else { panic!("{failure:?}") };
    assert_eq!(unknown, 1);
    assert_near(t, 1.0, 1e-3);
    // A root that has no value beyond t = ½.
    let mut scene = Scene::new(&["a"], |t, _, _, f| f[0] = (0.5 - t).sqrt());
    stepper = tsit45(1e-8);
    stepper.restart(&mut scene, 0.0, &[1.0]).unwrap();
    let failure = (0..100_000).find_map(|_| stepper.step(&mut scene, 3.0).err()).unwrap();
    assert!(matches!(failure, StepFailure::StepTooSmall { unknown: 0, .. }), "{failure:?}");
    // And none at the start.
    assert_eq!(stepper.restart(&mut scene, 0.6, &[1.0]), Err(StepFailure::NotFinite { t: 0.6, row: 0 }));
    let mut rk4 = fixed(&RK4, 0.2);
    rk4.restart(&mut scene, 0.0, &[1.0]).unwrap();
    let failure = (0..10).find_map(|_| rk4.step(&mut scene, 3.0).err()).unwrap();
    assert!(matches!(failure, StepFailure::NotFinite { row: 0, .. }), "{failure:?}");
}

#[test]
fn stiffness_is_noticed() {
    let mut scene = Scene::new(&["a"], |t, y, _, f| f[0] = -1e4 * (y[0] - t.cos()));
    let mut stepper = tsit45(1e-4);
    run(&mut stepper, &mut scene, &[1.0], 0.1);
    assert!(stepper.looks_stiff());
    run(&mut stepper, &mut oscillator(), &[1.0, 0.0], 10.0);
    assert!(!stepper.looks_stiff());
}
