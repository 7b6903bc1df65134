//! Constraints between states against closed forms.

mod build;

use std::collections::HashMap;

use build::{Model, residual, value};
use trunnion_equations::flat::{Assignment, Direction, Event, Origin, QuantityRole};
use trunnion_equations::{Flat, Symbol, System};

fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{a} is not {b}");
}

fn given_up(system: &System) -> Vec<&str> {
    system.reduced.iter().map(|r| system.quantity(r.given_up).name.as_str()).collect()
}

#[test]
fn capacitors_in_parallel_share_the_current() {
    // q₁/C₁ = u = q₂/C₂, q₁' + q₂' = i: q₁' = i C₁/(C₁ + C₂).
    let mut m = Model::new();
    let [q1, q2, u, i1, i2] = ["q1", "q2", "u", "i1", "i2"].map(|n| m.unknown(n, 0.0));
    let [c1, c2, i] = [("C1", 2.0), ("C2", 3.0), ("i", 10.0)].map(|(n, v)| m.parameter(n, v));
    m.say("one", |f| (f.ex(u), f.ex(q1) / f.ex(c1)));
    m.say("two", |f| (f.ex(u), f.ex(q2) / f.ex(c2)));
    m.say("node", |f| (f.ex(i1) + f.ex(i2), f.ex(i)));
    m.say("charge 1", |f| (f.graph.derivative(q1), f.ex(i1)));
    m.say("charge 2", |f| (f.graph.derivative(q2), f.ex(i2)));
    m.flat.dependent.push(q2);
    let system = m.analyse().unwrap();
    assert_eq!((system.n(), system.n_states), (1, 1));
    assert_eq!(given_up(&system), ["q2"]);
    assert_eq!(system.quantity(system.reduced[0].others[0]).name, "q1");
    near(residual(&system, 0.0, &[5.0])[0], 4.0);
    near(value(&system, "q2", 0.0, &[5.0]), 7.5);
    near(value(&system, "i2", 0.0, &[5.0]), 6.0);
}

#[test]
fn inductors_with_two_resistors_side_by_side_between_them_share_the_current() {
    // U – L₁ – (R₁ ‖ R₂) – L₂: (L₁ + L₂) i' = U − R i, R = R₁ R₂/(R₁ + R₂). The currents a, b, c, d into the ends of the
    // resistors go around in a circle, which hides i₁ = i₂; so do the potentials, which hides R₁ a = R₂ c.
    let mut m = Model::new();
    let [p1, p2, i1, i2] = ["p1", "p2", "i1", "i2"].map(|n| m.unknown(n, 0.0));
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|n| m.unknown(n, 0.0));
    let [ua, ub, uc, ud] = ["ua", "ub", "uc", "ud"].map(|n| m.unknown(n, 0.0));
    let [l1, l2, r1, r2, u] =
        [("L1", 1.0), ("L2", 3.0), ("R1", 4.0), ("R2", 12.0), ("U", 10.0)].map(|(n, v)| m.parameter(n, v));
    m.say("flux 1", |f| (f.graph.derivative(p1), f.ex(u) - f.ex(ua)));
    m.say("flux 2", |f| (f.graph.derivative(p2), f.ex(ub)));
    m.say("i1", |f| (f.ex(i1), f.ex(p1) / f.ex(l1)));
    m.say("i2", |f| (f.ex(i2), f.ex(p2) / f.ex(l2)));
    m.say("node 1", |f| (f.ex(a), f.ex(i1) - f.ex(c)));
    m.say("node 2", |f| (f.ex(d), f.ex(i2) - f.ex(b)));
    m.say("wire 1", |f| (f.ex(b), f.ex(a)));
    m.say("wire 2", |f| (f.ex(c), f.ex(d)));
    m.say("node 1 u", |f| (f.ex(uc), f.ex(ua)));
    m.say("node 2 u", |f| (f.ex(ub), f.ex(ud)));
    m.say("R1", |f| (f.ex(ua), f.ex(ub) + f.ex(r1) * f.ex(a)));
    m.say("R2", |f| (f.ex(ud), f.ex(uc) - f.ex(r2) * f.ex(d)));
    let system = m.analyse().unwrap();
    assert_eq!((system.n(), system.n_states, system.reduced.len()), (1, 1, 1));
    // One of the fluxes is left: 2 A flow.
    let (kept, inductance) = if given_up(&system) == ["p2"] { ("p1", 1.0) } else { ("p2", 3.0) };
    let y = [2.0 * inductance];
    near(value(&system, kept, 0.0, &y), y[0]);
    near(residual(&system, 0.0, &y)[0], inductance * (10.0 - 3.0 * 2.0) / 4.0);
    near(value(&system, "i1", 0.0, &y), 2.0);
    near(value(&system, "i2", 0.0, &y), 2.0);
    near(value(&system, "a", 0.0, &y), 1.5);
    near(value(&system, "c", 0.0, &y), 0.5);
}

/// Two masses through a gear, v₁ = r v₂: (m₁ + m₂/r²) v₁' = F.
fn gear(dependent: bool) -> Model {
    let mut m = Model::new();
    let [p1, p2, v1, v2, t] = ["p1", "p2", "v1", "v2", "T"].map(|n| m.unknown(n, 0.0));
    let [m1, m2, r, force] =
        [("m1", 2.0), ("m2", 12.0), ("r", 2.0), ("F", 10.0)].map(|(n, v)| m.parameter(n, v));
    m.say("v1", |f| (f.ex(v1), f.ex(p1) / f.ex(m1)));
    m.say("v2", |f| (f.ex(v2), f.ex(p2) / f.ex(m2)));
    m.say("gear", |f| (f.ex(v1), f.ex(r) * f.ex(v2)));
    m.say("one", |f| (f.graph.derivative(p1), f.ex(force) - f.ex(t)));
    m.say("two", |f| (f.graph.derivative(p2), f.ex(r) * f.ex(t)));
    if dependent {
        m.flat.dependent.push(p2);
    }
    m
}

#[test]
fn geared_masses_give_an_explicit_equation() {
    for dependent in [false, true] {
        let system = gear(dependent).analyse().unwrap();
        assert_eq!((system.n(), system.n_states), (1, 1));
        assert_eq!(given_up(&system), ["p2"]);
        near(residual(&system, 0.0, &[3.0])[0], 2.0 * 10.0 / 5.0);
        near(value(&system, "p2", 0.0, &[3.0]), 12.0 * (3.0 / 2.0) / 2.0);
        near(value(&system, "T", 0.0, &[3.0]), 10.0 - 4.0);
    }
}

#[test]
fn a_start_that_does_not_fit_is_found() {
    // p₂ follows: 12 p₁/4.
    for (start, conflict) in [(0.0, None), (9.0, None), (5.0, Some((5.0, 9.0)))] {
        let mut m = gear(true);
        for (name, value) in [("p1", 3.0), ("p2", start)] {
            let s = m.flat.find(name).unwrap();
            let start = m.flat.graph.constant(value).id;
            m.flat.quantities[s.index()].kind = QuantityRole::Unknown { start };
        }
        let system = m.analyse().unwrap();
        let start = system.start(&HashMap::new());
        let found: Vec<(f64, f64)> =
            start.conflicts().iter().map(|&(_, given, actual)| (given, actual)).collect();
        assert_eq!(found.first().copied(), conflict);
    }
}

#[test]
fn an_inductor_on_a_current_source_has_no_state() {
    // λ = L I sin(ω t), u = λ' = L I ω cos(ω t).
    let mut m = Model::new();
    let [flux, u, i] = ["flux", "u", "i"].map(|n| m.unknown(n, 0.0));
    let l = m.parameter("L", 0.5);
    m.say("source", |f| (f.ex(i), 4.0 * (3.0 * f.graph.time()).sin()));
    m.say("inductor", |f| (f.ex(i), f.ex(flux) / f.ex(l)));
    m.say("voltage", |f| (f.graph.derivative(flux), f.ex(u)));
    let system = m.analyse().unwrap();
    assert_eq!((system.n(), system.n_states), (0, 0));
    near(value(&system, "flux", 0.7, &[]), 2.0 * (2.1_f64).sin());
    near(value(&system, "u", 0.7, &[]), 6.0 * (2.1_f64).cos());
}

/// A linear store q₁ = C e beside a nonlinear one, q₁' + q₂' = 1: q₁' = C/(C + dq₂/de).
fn nonlinear(
    law: impl for<'g> Fn(&'g Flat, Symbol, Symbol) -> (trunnion_equations::Ex<'g>, trunnion_equations::Ex<'g>),
) -> System {
    let mut m = Model::new();
    let [q1, q2, e, f1, f2] = ["q1", "q2", "e", "f1", "f2"].map(|n| m.unknown(n, 0.0));
    m.say("linear", |f| (f.ex(e), f.ex(q1) / 2.0));
    m.say("law", |f| law(f, e, q2));
    m.say("node", |f| (f.ex(f1) + f.ex(f2), f.graph.constant(1.0)));
    m.say("one", |f| (f.graph.derivative(q1), f.ex(f1)));
    m.say("two", |f| (f.graph.derivative(q2), f.ex(f2)));
    m.flat.dependent.push(q2);
    m.analyse().unwrap()
}

#[test]
fn a_nonlinear_store_follows_by_its_inverse() {
    let system = nonlinear(|f, e, q| (f.ex(q), f.ex(e) + f.ex(e) * f.ex(e) * f.ex(e)));
    assert_eq!((system.n(), given_up(&system)), (1, vec!["q2"]));
    // e = 1: dq₂/de = 1 + 3 e² = 4.
    near(residual(&system, 0.0, &[2.0])[0], 2.0 / 6.0);
    near(value(&system, "q2", 0.0, &[2.0]), 2.0);
}

#[test]
fn a_nonlinear_store_without_inverse_keeps_its_state() {
    // e = q₂ + q₂³ gives q₁ outright.
    let system = nonlinear(|f, e, q| (f.ex(e), f.ex(q) + f.ex(q) * f.ex(q) * f.ex(q)));
    assert_eq!((system.n(), given_up(&system)), (1, vec!["q1"]));
    // q₂ = 1: q₁ = 4, q₁' = 2·4·q₂', so q₂' = 1/9.
    near(residual(&system, 0.0, &[1.0])[0], 1.0 / 9.0);
    near(value(&system, "q1", 0.0, &[1.0]), 4.0);
}

#[test]
fn laws_of_two_branches_are_differentiated_branch_by_branch() {
    let system = nonlinear(|f, e, q| {
        let e = f.ex(e);
        (f.ex(q), f.graph.select(e.lt(f.graph.constant(1.0)), e, 3.0 * e - 2.0))
    });
    assert_eq!(system.relations.len(), 1);
    // All modes are 0 until a run settles them: the second branch, dq₂/de = 3.
    near(residual(&system, 0.0, &[4.0])[0], 2.0 / 5.0);
    near(value(&system, "q2", 0.0, &[4.0]), 4.0);
}

#[test]
fn an_acceleration_is_the_rate_of_a_velocity_that_follows() {
    let mut m = Model::new();
    let [p, v, a, x] = ["p", "v", "a", "x"].map(|n| m.unknown(n, 0.0));
    m.say("newton", |f| (f.graph.derivative(p), -8.0 * f.ex(x)));
    m.say("velocity", |f| (f.ex(v), f.ex(p) / 2.0));
    m.say("position", |f| (f.graph.derivative(x), f.ex(v)));
    m.say("sensor", |f| (f.ex(a), f.graph.derivative(v)));
    let system = m.analyse().unwrap();
    assert_eq!((system.n(), given_up(&system)), (2, vec!["v"]));
    near(value(&system, "a", 0.0, &[1.0, 0.5]), -2.0);
    near(value(&system, "v", 0.0, &[1.0, 0.5]), 0.5);
}

#[test]
fn positions_tied_together_tie_velocities_too() {
    // x₁ = x₂ + 1, m₁ v₁' = F − λ, m₂ v₂' = λ: index 3.
    let mut m = Model::new();
    let [x1, x2, v1, v2, force] = ["x1", "x2", "v1", "v2", "lambda"].map(|n| m.unknown(n, 0.0));
    m.say("x1", |f| (f.graph.derivative(x1), f.ex(v1)));
    m.say("x2", |f| (f.graph.derivative(x2), f.ex(v2)));
    m.say("v1", |f| (2.0 * f.graph.derivative(v1), 10.0 - f.ex(force)));
    m.say("v2", |f| (3.0 * f.graph.derivative(v2), f.ex(force)));
    m.say("tie", |f| (f.ex(x1), f.ex(x2) + 1.0));
    let system = m.analyse().unwrap();
    assert_eq!((system.n(), system.n_states), (2, 2));
    assert_eq!(given_up(&system), ["x1", "v2"]);
    let rates = residual(&system, 0.0, &[7.0, 0.5]);
    near(rates[0], 0.5);
    near(rates[1], 2.0);
    near(value(&system, "x1", 0.0, &[7.0, 0.5]), 8.0);
    near(value(&system, "lambda", 0.0, &[7.0, 0.5]), 6.0);
}

#[test]
fn unknowns_without_closed_form_are_differentiated_along() {
    // e + e³ = q₁ and q₂ = 2 e, q₁' + q₂' = 1: q₁' = (1 + 3 e²)/(3 + 3 e²).
    let mut m = Model::new();
    let [q1, q2, f1, f2] = ["q1", "q2", "f1", "f2"].map(|n| m.unknown(n, 0.0));
    let e = m.unknown("e", 1.0);
    m.say("cubic", |f| (f.ex(e) + f.ex(e) * f.ex(e) * f.ex(e), f.ex(q1)));
    m.say("second", |f| (f.ex(q2) + 0.1 * f.ex(q2).sin(), 2.0 * f.ex(e) + f.ex(e).sin()));
    m.say("node", |f| (f.ex(f1) + f.ex(f2), f.graph.constant(1.0)));
    m.say("one", |f| (f.graph.derivative(q1), f.ex(f1)));
    m.say("two", |f| (f.graph.derivative(q2), f.ex(f2)));
    let system = m.analyse().unwrap();
    assert_eq!(system.n_states, 1);
    assert_eq!(given_up(&system), ["q1"]);
}

#[test]
fn a_state_that_events_set_stays() {
    let mut m = gear(true);
    let p2 = m.flat.find("p2").unwrap();
    let zero = m.flat.graph.constant(0.0).id;
    m.flat.events.push(Event {
        name: "stop".into(),
        origin: Origin::default(),
        guard: m.flat.graph.time().id,
        direction: Direction::Rising,
        set: vec![Assignment { target: p2, value: zero }],
        terminate: None,
        warn: None,
        compared: vec![],
        at_start: false,
    });
    assert_eq!(given_up(&m.analyse().unwrap()), ["p1"]);
}

#[test]
fn a_pendulum_in_two_coordinates_is_refused() {
    let mut m = Model::new();
    let [x, y] = [("x", 1.0), ("y", 0.0)].map(|(n, v)| m.unknown(n, v));
    let [u, v, pull] = ["u", "v", "pull"].map(|n| m.unknown(n, 0.0));
    m.say("x", |f| (f.graph.derivative(x), f.ex(u)));
    m.say("y", |f| (f.graph.derivative(y), f.ex(v)));
    m.say("u", |f| (f.graph.derivative(u), -f.ex(pull) * f.ex(x)));
    m.say("v", |f| (f.graph.derivative(v), -f.ex(pull) * f.ex(y) - 9.81));
    m.say("length", |f| (f.ex(x) * f.ex(x) + f.ex(y) * f.ex(y), f.graph.constant(1.0)));
    assert_eq!(
        m.messages(),
        [
            "equation (length) ties `x` and `y` together, but none of them is sure to follow from the others at all times"
        ]
    );
}

#[test]
fn a_constraint_does_not_hide_what_is_missing() {
    let mut m = gear(true);
    m.unknown("lost", 0.0);
    assert_eq!(m.messages(), ["`lost` appears in no equation"]);
}

#[test]
fn a_long_gear_train_is_one_explicit_equation() {
    // w_k = 2 w_{k+1}, k = 0…39, J = 1 each, torque 1 on the first: Σ 4⁻ᵏ w₀' = 1.
    let mut m = Model::new();
    let n = 40;
    let names = |m: &mut Model, letter: &str| -> Vec<Symbol> {
        (0..n).map(|k| m.unknown(&format!("wheel{k}.{letter}"), 0.0)).collect()
    };
    let (p, w, torque) = (names(&mut m, "p"), names(&mut m, "w"), names(&mut m, "torque"));
    for k in 0..n {
        m.say("speed", |f| (f.ex(w[k]), f.ex(p[k]) / 1.0));
        m.say("momentum", |f| {
            let next = if k + 1 < n { f.ex(torque[k + 1]) } else { f.graph.constant(0.0) };
            (f.graph.derivative(p[k]), f.ex(torque[k]) - 0.5 * next)
        });
        if k > 0 {
            m.say("gear", |f| (f.ex(w[k - 1]), 2.0 * f.ex(w[k])));
            m.flat.dependent.push(p[k]);
        }
    }
    m.say("drive", |f| (f.ex(torque[0]), f.graph.constant(1.0)));
    let system = m.analyse().unwrap();
    assert_eq!((system.n(), system.n_states, system.reduced.len()), (1, 1, n - 1));
    near(residual(&system, 0.0, &[0.0])[0], 0.75);
}

#[test]
fn derivatives_of_derivatives_stay_small() {
    // v₀ = sin t, vₖ = vₖ₋₁' (1 + vₖ₋₁²): each equation is differentiated once more than the one after it.
    let mut m = Model::new();
    let v: Vec<_> = (0..20).map(|k| m.unknown(&format!("v{k}"), 0.0)).collect();
    m.say("e0", |f| (f.ex(v[0]), f.graph.time().sin()));
    for k in 1..v.len() {
        let (now, before) = (v[k], v[k - 1]);
        m.say(&format!("e{k}"), move |f| {
            (f.ex(now), f.graph.derivative(before) * (1.0 + f.ex(before) * f.ex(before)))
        });
    }
    let system = m.analyse().unwrap();
    assert_eq!((system.n(), system.n_states), (0, 0));
    assert!(system.graph.len() < 100_000, "{} nodes", system.graph.len());
    let (s, c) = 0.3_f64.sin_cos();
    near(value(&system, "v1", 0.3, &[]), c * (1.0 + s * s));
    let rate = -s * (1.0 + s * s) + 2.0 * s * c * c;
    let v1 = c * (1.0 + s * s);
    near(value(&system, "v2", 0.3, &[]), rate * (1.0 + v1 * v1));
}
