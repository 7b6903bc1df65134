//! Reference values, orders and damping of the structural methods.

use super::*;
use crate::scenes::{Scene, assert_near, observed_order};

fn solver(parameters: Parameters, start: StartAcceleration, h: f64) -> GeneralizedAlpha {
    GeneralizedAlpha::new(parameters, start, SolverOptions { h: Some(h), ..SolverOptions::default() })
}

/// Mass 10 kg. X: spring 200 N/m, damper, 100 N; Y: spring 100 N/m, 1 N.
fn damped_mass(damper: fn(f64) -> f64) -> Scene {
    Scene::new(&["x", "y", "v_x", "v_y"], move |_, y, _, f| {
        f[0] = y[2];
        f[1] = y[3];
        f[2] = (100.0 - 200.0 * y[0] - damper(y[2])) / 10.0;
        f[3] = (1.0 - 100.0 * y[1]) / 10.0;
    })
    .second_order(&[(0, 2), (1, 3)])
}

/// Constant damper: FEDEM's HHT1 rows, given to nine digits, so 5e-10. Its acceleration carries what FEDEM's own
/// iteration leaves: the recursion (1) to (3) in 40 digits gives 0.05848455677363, 1.2e-9 from the row.
/// Damper 50 v|v|: the recursion in 40 digits. FEDEM's row (0.490196145) is 1.7e-5 off it, since FEDEM evaluates a
/// non-linear damper at the predicted velocity in its force predictor and stops iterating early.
#[test]
fn hht_follows_the_reference_step_by_step() {
    let tolerance = 5e-10;
    let constant: fn(f64) -> f64 = |v| 10.0 * v;
    let quadratic: fn(f64) -> f64 = |v| 50.0 * v * v.abs();
    let cases = [
        (constant, [0.496765811, 6.38011051e-3, 0.05848455677363]),
        (quadratic, [0.49021330685344, -0.01425320077348, 0.19647478637356]),
    ];
    for (case, (damper, [x, v, a])) in cases.into_iter().enumerate() {
        let mut scene = damped_mass(damper);
        let mut hht = solver(Parameters::hht(0.1), StartAcceleration::Zero, 0.01);
        hht.restart(&mut scene, 0.0, &[0.0; 4]).unwrap();
        let first = [3.00712415e-4, 1.39073235e-3, 3.46152418e-3, 6.49928945e-3];
        for k in 0..1000 {
            hht.step(&mut scene, 10.0).unwrap();
            if k < 4 && case == 0 {
                assert_near(hht.state().1[0], first[k], tolerance);
            }
        }
        let (t, y) = hht.state();
        assert_eq!(t, 10.0);
        assert_near(y[0], x, tolerance);
        assert_near(y[2], v, tolerance);
        assert_near(hht.rates()[2], a, tolerance);
        assert_near(y[1], 1.82956172e-4, tolerance);
        if case == 0 {
            assert_near(hht.rates()[2], 5.84845580e-2, 1.5e-9);
        }
    }
}

/// A forced oscillator (x, v), a first-order unknown w driven by it and an algebraic one z:
/// x'' = −4 x − 0.2 x' + z, w' = −3 w + x + sin t, 0 = z + z³ − cos(2 t) − ½ w.
fn mixed() -> Scene {
    Scene::new(&["x", "v", "w", "z"], |t, y, _, f| {
        f[0] = y[1];
        f[1] = -4.0 * y[0] - 0.2 * y[1] + y[3];
        f[2] = -3.0 * y[2] + y[0] + t.sin();
        f[3] = y[3] + y[3].powi(3) - (2.0 * t).cos() - 0.5 * y[2];
    })
    .algebraic(&[3])
    .second_order(&[(0, 1)])
}

fn end(parameters: Parameters, h: f64) -> Vec<f64> {
    let mut scene = mixed();
    let mut y = vec![1.0, 0.0, 0.0, 0.7];
    crate::newton::ConsistentValues::new(scene.layout()).solve(&mut scene, 0.0, &mut y).unwrap();
    let mut solver = solver(parameters, StartAcceleration::Consistent, h);
    solver.restart(&mut scene, 0.0, &y).unwrap();
    while solver.state().0 < 2.0 {
        solver.step(&mut scene, 2.0).unwrap();
    }
    solver.state().1.to_vec()
}

#[test]
fn every_unknown_is_of_second_order() {
    let exact = end(Parameters::newmark(0.25, 0.5), 2.0 / 65536.0);
    for parameters in [
        Parameters::generalized_alpha(0.8),
        Parameters::generalized_alpha(0.0),
        Parameters::hht(0.1),
        Parameters::newmark(0.25, 0.5),
    ] {
        for i in 0..4 {
            let order =
                observed_order(&[1.0 / 256.0, 1.0 / 512.0], |h| (end(parameters, h)[i] - exact[i]).abs());
            assert_near(order, 2.0, 0.1);
        }
    }
    // Numerical damping by γ > ½ alone costs an order.
    let damped = Parameters::newmark(0.3025, 0.6);
    let order = observed_order(&[1.0 / 512.0, 1.0 / 1024.0], |h| (end(damped, h)[0] - exact[0]).abs());
    assert_near(order, 1.0, 0.1);
}

#[test]
fn average_acceleration_keeps_the_energy_of_an_oscillator() {
    let mut scene = Scene::new(&["x", "v"], |_, y, _, f| {
        f[0] = y[1];
        f[1] = -9.0 * y[0];
    })
    .second_order(&[(0, 1)]);
    let mut newmark = solver(Parameters::newmark(0.25, 0.5), StartAcceleration::Consistent, 0.1);
    newmark.restart(&mut scene, 0.0, &[1.0, 0.0]).unwrap();
    for _ in 0..1000 {
        newmark.step(&mut scene, f64::INFINITY).unwrap();
        let y = newmark.state().1;
        assert_near(0.5 * (y[1] * y[1] + 9.0 * y[0] * y[0]), 4.5, 1e-11);
    }
}

#[test]
fn rho_is_what_is_left_of_the_highest_frequencies() {
    // h ω = 1e6: the amplification of one step tends to ρ∞, here seen over ten.
    let mut scene = Scene::new(&["x", "v"], |_, y, _, f| {
        f[0] = y[1];
        f[1] = -1e12 * y[0];
    })
    .second_order(&[(0, 1)]);
    let mut stepper = solver(Parameters::generalized_alpha(0.5), StartAcceleration::Consistent, 1.0);
    stepper.restart(&mut scene, 0.0, &[1.0, 0.0]).unwrap();
    let mut amplitudes = vec![];
    for _ in 0..40 {
        stepper.step(&mut scene, f64::INFINITY).unwrap();
        amplitudes.push(stepper.state().1[0].abs());
    }
    // A double root: amplitude ~ k ρᵏ.
    let ratio = (amplitudes[39] / amplitudes[29] * 30.0 / 40.0).powf(0.1);
    assert_near(ratio, 0.5, 0.02);
}
