//! Hostile corpus: states that run evenly, so that steps are long, and functions and conditions that have narrow places along their course.

use std::f64::consts::{PI, TAU};

use crate::hostile::{Corpus, model};

fn counts(
    corpus: &mut Corpus,
    (x, laws): (&[(&str, f64)], &[&str]),
    condition: &str,
    t_end: f64,
    right: f64,
) {
    let event = format!("[modes]\nn = 0\n[events.one]\nwhen = \"{condition}\"\nset = {{ n = \"n + 1\" }}\n");
    for rtol in ["1e-3", "1e-6"] {
        let text = model(x, laws, &event, t_end) + &format!("rtol = {rtol}\n");
        corpus.right(&format!("{condition} {rtol}"), &text, &[("n", right, 0.0)]);
    }
}

#[test]
fn windows_of_conditions_are_not_stepped_over() {
    let mut corpus = Corpus::new();
    let evenly: (&[(&str, f64)], &[&str]) = (&[("x", 0.0), ("y", 0.0)], &["der(x)*S = 1", "der(y)*S = 2"]);
    for (condition, right) in [
        ("x > 3.99 and x < 4.01", 1.0),
        ("x > 3.99 and y < 8.02", 1.0),
        ("abs(x - 4) < 0.001", 1.0),
        ("abs(x - 4) > 1e-7", 1.0),
        ("x > 4 or x < 3.99", 1.0),
        ("max(x - 4.01, 3.99 - x) < 0", 1.0),
        ("(x - 4)^2 < 1e-8", 1.0),
        ("exp(-((x - 5)/0.001)^2) > 0.5", 1.0),
        ("1/(1 + ((x - 5)/0.001)^2) > 0.5", 1.0),
        ("(x - 5)*(x - 5.001)*(x - 5.002) > 0", 2.0),
        ("(x - 5)*(x - 5.001)*(x - 5.002) < 0", 1.0),
        ("x > 3.99 and x < 4.01 or y > 17 and y < 17.01", 2.0),
        ("(x - 4)*(y - 8.002) < 0", 1.0),
    ] {
        counts(&mut corpus, evenly, condition, 10.0, right);
    }
    // A body passes a gate.
    let body: (&[(&str, f64)], &[&str]) = (&[("x", 0.0), ("v", 3.0)], &["der(x)*S = v", "der(v)*S = -0.1*v"]);
    for gate in [3.0, 12.0] {
        counts(&mut corpus, body, &format!("x > {gate} and x < {gate} + 0.01"), 20.0, 1.0);
        counts(&mut corpus, body, &format!("x > {gate} and v > 0.1*(30 - {gate}) - 0.001"), 20.0, 1.0);
    }
    corpus.finish();
}

#[test]
fn turns_of_an_angle_are_counted() {
    let mut corpus = Corpus::new();
    let even: (&[(&str, f64)], &[&str]) = (&[("phi", 0.0)], &["der(phi)*S = 100"]);
    // sin(100 φ) > ½ from 1/6 π on in every turn.
    let turns = |angle: f64, first: f64| ((angle - first) / TAU).floor() + 1.0;
    for (condition, angle, first) in [
        ("sin(100*phi) > 0.5", 10_000.0, PI / 6.0),
        ("cos(phi - 1) < 0", 100.0, 1.0 + PI / 2.0),
        ("sin(phi)*cos(phi) > 0.4999", 200.0, (0.9998_f64).asin()),
        ("sin(phi) > 0.9999", 100.0, (0.9999_f64).asin()),
        ("tan(phi/2) > 5", 100.0, 2.0 * 5.0_f64.atan()),
    ] {
        counts(&mut corpus, even, condition, 1.0, turns(angle, first));
    }
    let faster: (&[(&str, f64)], &[&str]) =
        (&[("phi", 0.0), ("w", 0.0)], &["der(phi)*S = w", "der(w)*S = 10"]);
    counts(&mut corpus, faster, "sin(phi - 1) > 0", 20.0, turns(2000.0, 1.0));
    let two: (&[(&str, f64)], &[&str]) = (&[("p", 0.0), ("q", 0.0)], &["der(p)*S = 20", "der(q)*S = 1"]);
    let peaks = (0..6_000_000).filter(|&k| {
        let f = |k: i32| (20.0 * 5e-6 * f64::from(k)).sin() * (5e-6 * f64::from(k)).sin() > 0.9;
        f(k + 1) && !f(k)
    });
    counts(&mut corpus, two, "sin(p)*sin(q) > 0.9", 30.0, peaks.count() as f64);
    corpus.finish();
}

#[test]
fn narrow_functions_of_states_are_not_stepped_over() {
    let mut corpus = Corpus::new();
    for (law, w, t_end, right) in [
        ("if sin(x) > 0.9 then 1 else 0", TAU * 100.0, 2.0, 2.0 * (PI - 2.0 * 0.9_f64.asin()) / TAU),
        ("if sin(8*x) > 0.8 then 1 else 0", 50.0, TAU, PI - 2.0 * 0.8_f64.asin()),
        ("100*exp(-((x - 5)/0.01)^2)", 1.0, 10.0, PI.sqrt()),
        ("100/(1 + (100*(x - 50))^2)", 1.0, 100.0, 2.0 * 5000.0_f64.atan()),
        ("10*x*exp(-10*x)", 1.0, 1000.0, 0.1),
        ("exp(1000*(sin(x) - 1))", 20.0, TAU, TAU * 0.012_617_240_455_891_257),
        ("max(sin(x) - 0.99, 0)", 20.0, TAU, 2.0 * 0.99_f64.acos().sin() - 2.0 * 0.99 * 0.99_f64.acos()),
        ("1/cosh(50*(x - 7))", 1.0, 20.0, PI / 50.0),
        ("50*exp(-abs(x - 5)/0.01)", 1.0, 10.0, 1.0),
        ("if abs(x - 5) < 0.001 then 500 else 0", 1.0, 10.0, 1.0),
    ] {
        let laws = [&format!("der(x)*S = {w}"), &format!("der(z)*S = {law}")];
        let text = model(&[("x", 0.0), ("z", 0.0)], &laws.map(String::as_str), "", t_end);
        corpus.right(law, &text, &[("z", right, 2e-4)]);
    }
    corpus.finish();
}

#[test]
fn conditions_are_read_by_values_as_they_are() {
    let mut corpus = Corpus::new();
    let evenly: (&[(&str, f64)], &[&str]) = (&[("x", 0.0)], &["der(x)*S = 1"]);
    // Jumps of whole numbers at the instant of another part of the condition.
    for (condition, right) in [
        ("x > 3 and floor(x) < 2.5", 0.0),
        ("x >= 3 and floor(x) < 2.5", 0.0),
        ("x > 3 and mod(x, 1) > 0.5", 7.0),
        ("x > 2.5 and ceil(x) > 3.5", 1.0),
        ("x < 3 or floor(x) > 3.5", 1.0),
    ] {
        counts(&mut corpus, evenly, condition, 9.9, right);
    }
    // A kink inside a relation is not left to the branch before it.
    for width in [1e-3, 1e-6, 1e-9] {
        for rtol in ["1e-3", "1e-6"] {
            let law = format!("der(z)*S = if abs(x - 5) < {width:?} then {:?} else 0", 0.5 / width);
            let text = model(&[("x", 0.0), ("z", 0.0)], &["der(x)*S = 1", &law], "", 10.0);
            let text = text + &format!("rtol = {rtol}\n");
            corpus.right(&format!("abs {width} {rtol}"), &text, &[("z", 1.0, 1e-5)]);
        }
    }
    corpus.finish();
}

/// y' = (sin t − y)/τ follows as (sin t − τ cos t)/(1 + τ²).
#[test]
fn a_stiff_state_is_right_between_the_ends_of_steps() {
    let mut corpus = Corpus::new();
    for lag in [1e-2, 1e-3, 1e-4_f64] {
        let most = 1.0 / lag.hypot(1.0);
        for level in [0.5, 0.99, 0.999] {
            let law = format!("der(y)*S = (sin(time/S) - y)/{lag:?}");
            let stiff: (&[(&str, f64)], &[&str]) = (&[("y", 0.0)], &[&law]);
            let event =
                format!("[modes]\nn = 0\n[events.one]\nwhen = \"y > {level}\"\nset = {{ n = \"n + 1\" }}\n");
            let text = model(stiff.0, stiff.1, &event, 18.0);
            corpus.right_or_stiff(&format!("{lag} over {level}"), &text, &[("n", 3.0, 0.0)]);
            // ∫ max(y − c, 0) over three waves.
            let a = (level / most).acos();
            let right = 3.0 * 2.0 * (most * a.sin() - level * a);
            let over = format!("der(z)*S = max(y - {level}, 0)");
            let text = model(&[("y", 0.0), ("z", 0.0)], &[&law, &over], "", 18.0);
            corpus.right_or_stiff(&format!("{lag} above {level}"), &text, &[("z", right, 2e-5)]);
        }
    }
    corpus.finish();
}
