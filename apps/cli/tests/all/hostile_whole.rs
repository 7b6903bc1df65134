//! Hostile corpus: integer parts (`floor`, `ceil`, `mod`) of states and of what follows from them, in equations, relations and conditions.

use std::f64::consts::TAU;

use crate::hostile::{Corpus, SOLVERS, model};
use crate::program::Folder;

/// ∫ f(t) dt from 0 to `t_end` of a function that is smooth while `key` stays: jumps are bisected, the rest is Simpson's rule.
pub fn integral(t_end: f64, key: impl Fn(f64) -> i64, f: impl Fn(f64) -> f64) -> f64 {
    let simpson = |a: f64, b: f64| {
        let (a_in, b_in) = (a + 1e-9 * (b - a), b - 1e-9 * (b - a));
        (b - a) / 6.0 * (f(a_in) + 4.0 * f(0.5 * (a + b)) + f(b_in))
    };
    let pieces = 20_000;
    let (mut total, mut from) = (0.0, 0.0);
    for k in 1..=pieces {
        let end = t_end * f64::from(k) / f64::from(pieces);
        // What jumps twice within a piece is not asked for here.
        if key(from) != key(end) {
            let (mut a, mut b) = (from, end);
            for _ in 0..80 {
                let middle = 0.5 * (a + b);
                if key(middle) == key(from) { a = middle } else { b = middle }
            }
            total += simpson(from, b);
            from = b;
        }
        total += simpson(from, end);
        from = end;
    }
    total
}

pub fn floor(x: f64) -> i64 {
    x.floor() as i64
}

/// x = t²/2 is at c when t = √(2c).
fn at(c: f64) -> f64 {
    (2.0 * c).sqrt()
}

const SPEEDS_UP: &str = "der(x)*S = time/S";

#[test]
fn windows_of_a_state_are_met() {
    let mut corpus = Corpus::new();
    for width in [0.25, 0.6, 0.9, 0.02, 0.001] {
        let law = format!("der(z)*S = if mod(x, 1) < {width} then 1 else 0");
        let text = model(&[("x", 0.0), ("z", 0.0)], &[SPEEDS_UP, &law], "", 10.0);
        let z: f64 = (0..50).map(|k| at(f64::from(k) + width) - at(f64::from(k))).sum();
        corpus.right(&format!("width {width}"), &text, &[("z", z, 2e-6)]);
    }
    // Evenly, forwards and backwards, with other divisors.
    for (rate, divisor, law, right) in [
        (-0.5, "1", "> 0.75", 5.0),
        (0.5, "1", "> 0.75", 5.0),
        (-3.0, "0.3", "< 0.1", 20.0 / 3.0),
        (1.0, "d", "< 0.25", 10.0),
        (-1.0, "-0.5", "< -0.4", 4.0),
        (7.0, "2*d", "> 0.999", 0.02),
    ] {
        let text = model(
            &[("x", 0.0), ("z", 0.0)],
            &[&format!("der(x)*S = {rate}"), &format!("der(z)*S = if mod(x, {divisor}) {law} then 1 else 0")],
            "[parameters.d]\nvalue = 0.5\n",
            20.0,
        );
        corpus.right(&format!("rate {rate}, mod {divisor} {law}"), &text, &[("z", right, 2e-6)]);
    }
    corpus.finish();
}

#[test]
fn jumps_of_whole_numbers_are_met() {
    let mut corpus = Corpus::new();
    let steps = |of: &dyn Fn(f64) -> f64| -> f64 {
        (0..50).map(|k| of(f64::from(k)) * (at(f64::from(k) + 1.0) - at(f64::from(k)))).sum()
    };
    for (law, right) in [
        ("floor(x)", steps(&|k| k)),
        ("ceil(x)", steps(&|k| k + 1.0)),
        ("mod(floor(x), 3)", steps(&|k| k % 3.0)),
        ("if floor(x) >= 7 then 1 else 0", 10.0 - at(7.0)),
        ("if floor(x) > 7 then 1 else 0", 10.0 - at(8.0)),
    ] {
        let text = model(&[("x", 0.0), ("z", 0.0)], &[SPEEDS_UP, &format!("der(z)*S = {law}")], "", 10.0);
        corpus.right(law, &text, &[("z", right, 1e-6 * (1.0 + right))]);
    }
    // To and fro: x = 2.7 sin t.
    let x = |t: f64| 2.7 * t.sin();
    for (law, key, right) in [
        ("floor(x)", 1.0, &(|x: f64| x.floor()) as &dyn Fn(f64) -> f64),
        ("ceil(x)*x", 1.0, &|x| x.ceil() * x),
        ("mod(x, 0.7)", 0.7, &|x| x - 0.7 * (x / 0.7).floor()),
        ("mod(x, -0.7)", 0.7, &|x| x + 0.7 * (-x / 0.7).floor()),
        ("floor(3*x + 0.5)/3", 1.0 / 6.0, &|x| (3.0 * x + 0.5).floor() / 3.0),
        ("q", 1.0 / 6.0, &|x| (3.0 * x + 0.5).floor() / 3.0),
        ("if q > 0.5 then w else 0", 1.0 / 6.0, &|x| if x > 0.5 { 3.0 * x } else { 0.0 }),
        ("floor(2*mod(x, 1)) + mod(floor(x), 2)", 0.5, &|x| {
            (2.0 * x.rem_euclid(1.0)).floor() + x.floor().rem_euclid(2.0)
        }),
        ("floor(abs(x))", 1.0, &|x| x.abs().floor()),
        ("floor(max(x, 0))*x", 1.0, &|x| x.max(0.0).floor() * x),
        ("ceil(min(x, 1))", 1.0, &|x| x.min(1.0).ceil()),
        ("if max(x, 0) >= 0 then 1 else 0", 1.0, &|_| 1.0),
    ] {
        let text = model(
            &[("x", 0.0), ("z", 0.0), ("q", 0.0), ("w", 0.0)],
            &["der(x)*S = 2.7*cos(time/S)", "q = floor(w + 0.5)/3", "w = 3*x", &format!("der(z)*S = {law}")],
            "",
            20.0,
        );
        let z = integral(20.0, |t| floor(x(t) / key), |t| right(x(t)));
        corpus.right(law, &text, &[("z", z, 2e-5 * (1.0 + z.abs()))]);
    }
    // With time, with a divisor that varies, of time through a state.
    for (law, right) in [
        ("floor(x + time/S)", &(|t: f64, x: f64| (x + t).floor()) as &dyn Fn(f64, f64) -> f64),
        ("mod(x, d)", &|t, x| x.rem_euclid(1.0 + 0.1 * t)),
        ("floor(x*d)", &|t, x| (x * (1.0 + 0.1 * t)).floor()),
    ] {
        let text = model(
            &[("x", 0.0), ("z", 0.0), ("d", 1.0)],
            &["der(x)*S = 2.7*cos(time/S)", "der(d)*S = 0.1", &format!("der(z)*S = {law}")],
            "",
            20.0,
        );
        let key = |t: f64| match law {
            "mod(x, d)" => floor(x(t) / (1.0 + 0.1 * t)),
            "floor(x*d)" => floor(x(t) * (1.0 + 0.1 * t)),
            _ => floor(x(t) + t),
        };
        let z = integral(20.0, key, |t| right(t, x(t)));
        corpus.right(law, &text, &[("z", z, 2e-5 * (1.0 + z.abs()))]);
    }
    corpus.finish();
}

#[test]
fn whole_numbers_of_time_are_met_to_the_rounding() {
    let mut corpus = Corpus::new();
    for (period, t_end) in [(1.7, 100.0), (0.1, 10.05), (0.3, 31.0), (7.0, 300.0), (1.1, 77.3)] {
        for (law, of) in [
            (format!("mod(time, {period} s)/S"), 0),
            (format!("floor(time/({period} s))"), 1),
            (format!("ceil(time/({period} s))"), 2),
        ] {
            let text = model(&[("z", 0.0)], &[&format!("der(z)*S = {law}")], "", t_end);
            let n = (t_end / period * (1.0 + 1e-14)).floor();
            let (rest, whole) = (t_end - n * period, period * n * (n - 1.0) / 2.0 + n * (t_end - n * period));
            let z = match of {
                0 => n * period * period / 2.0 + rest * rest / 2.0,
                1 => whole,
                _ => whole + t_end,
            };
            corpus.right(&law, &text, &[("z", z, 2e-6 * (1.0 + z))]);
        }
    }
    corpus.finish();
}

#[test]
fn a_state_may_turn_at_a_whole_number() {
    let mut corpus = Corpus::new();
    // x = n ∓ (t − 5)²: it touches n, comes a little short of it, or passes it a little.
    for (sign, law) in [(-1.0, "floor"), (1.0, "floor"), (-1.0, "ceil"), (1.0, "ceil")] {
        for over in [0.0, 1e-3, -1e-3] {
            let top = 2.0 + over;
            let text = model(
                &[("x", top + sign * 25.0), ("z", 0.0)],
                &[&format!("der(x)*S = {}*(time/S - 5)", 2.0 * sign), &format!("der(z)*S = {law}(x)")],
                "",
                10.0,
            );
            let of = |d: f64| {
                let x = top + sign * d * d;
                if law == "floor" { x.floor() } else { x.ceil() }
            };
            // From the turn on, to either side alike.
            let jumps = |t: f64| floor(of(t) * 2.0);
            let z = 2.0 * integral(5.0, jumps, of);
            corpus.right(&format!("{law} {sign} {over}"), &text, &[("z", z, 2e-5 * (1.0 + z.abs()))]);
        }
    }
    corpus.finish();
}

#[test]
fn whole_numbers_follow_resets() {
    let mut corpus = Corpus::new();
    // x rises by 1 per second and is set back at 7.3, by many numbers, to whole ones, to its own threshold.
    for back in ["-11.7", "-3", "7", "7.25", "x - 0.1", "-x", "0", "-100.5", "6.3", "2.3"] {
        let text = model(
            &[("x", 0.0), ("z", 0.0), ("u", 0.0)],
            &[
                "der(x)*S = 1",
                "der(z)*S = floor(x)",
                "der(u)*S = if mod(x, 2) >= 1.5 then sqrt(1.01 - mod(x, 1)) else 0",
            ],
            &format!("[events.back]\nwhen = \"x > 7.3\"\nset = {{ x = \"{back}\" }}\n"),
            40.0,
        );
        let to: f64 = match back {
            "x - 0.1" => 7.2,
            "-x" => -7.3,
            number => number.parse().unwrap(),
        };
        let x = |t: f64| if t < 7.3 { t } else { to + (t - 7.3) % (7.3 - to) };
        let key =
            |t: f64| floor(2.0 * x(t)) + 1000 * if t < 7.3 { 0 } else { 1 + floor((t - 7.3) / (7.3 - to)) };
        let z = integral(40.0, key, |t| x(t).floor());
        let root = |x: f64| if x.rem_euclid(2.0) >= 1.5 { (1.01 - x.rem_euclid(1.0)).sqrt() } else { 0.0 };
        let u = integral(40.0, key, |t| root(x(t)));
        // Under the root the range of mod ends with a kink, which an explicit step passes less exactly.
        let expected = [("z", z, 2e-6 * (1.0 + z.abs())), ("u", u, 3e-4 * (1.0 + u))];
        corpus.right(&format!("back to {back}"), &text, &expected);
    }
    corpus.finish();
}

#[test]
fn conditions_of_whole_numbers_come_true_at_their_instants() {
    let mut corpus = Corpus::new();
    let event = |when: &str| {
        format!(
            "[modes]\nn = 0\nlast = 0\n[events.e]\nwhen = \"{when}\"\nset = {{ n = \"n + 1\", last = \"time/S\" }}\n"
        )
    };
    for (when, n, last) in [
        ("mod(x, 1) > 0.5", 50.0, at(49.5)),
        ("mod(x, 1) >= 0.5", 50.0, at(49.5)),
        ("mod(x, 1) < 0.5", 49.0, at(49.0)),
        ("mod(x, 7) > 6.9", 7.0, at(48.9)),
        ("floor(x) > 3", 1.0, at(4.0)),
        ("floor(x) >= 3", 1.0, at(3.0)),
        ("not floor(x) < 3", 1.0, at(3.0)),
        ("floor(x) >= 3 and time > 3 s", 1.0, 3.0),
        ("3 <= floor(x)", 1.0, at(3.0)),
        ("floor(x) > n", 49.0, at(49.0)),
        ("mod(floor(x), 10) >= 9", 5.0, at(49.0)),
        ("ceil(x) >= 9", 1.0, at(8.0)),
        ("floor(time/S) >= 3", 1.0, 3.0),
        ("floor(time/S) > 3", 1.0, 4.0),
    ] {
        let text = model(&[("x", 0.0)], &[SPEEDS_UP], &event(when), 9.99);
        corpus.right(when, &text, &[("n", n, 0.0), ("last", last, 2e-6)]);
    }
    // A counter.
    for (when, last) in
        [("k >= 3", 2.5), ("k > 3", 3.5), ("k <= -3 or k >= 2", 1.5), ("k > 1 and x > 0", 1.5)]
    {
        let ticks = "[events.tick]\nwhen = \"mod(x, 1) > 0.5\"\nset = { k = \"k + 1\" }\n";
        let sections = event(when).replace("[modes]\n", "[modes]\nk = 0\n") + ticks;
        let text = model(&[("x", 0.0)], &["der(x)*S = 1"], &sections, 9.99);
        corpus.right(when, &text, &[("n", 1.0, 0.0), ("last", last, 2e-6)]);
    }
    corpus.finish();
}

#[test]
fn encoders_tell_steps_of_what_turns() {
    let mut corpus = Corpus::new();
    // A pendulum's angle in steps, a shaft's in turns.
    for (w, step) in [(3.0, 0.25), (3.0, 0.1), (-2.0, 0.5), (11.0, TAU), (-11.0, TAU)] {
        for law in ["q*floor(phi/q + 0.5)", "mod(phi, q)"] {
            let text = model(
                &[("phi", 0.3), ("z", 0.0)],
                &[&format!("der(phi)*S = {w} + sin(time/S)"), &format!("der(z)*S = {law}")],
                &format!("[parameters.q]\nvalue = {step:?}\n"),
                9.7,
            );
            let phi = |t: f64| 0.3 + w * t + 1.0 - t.cos();
            let half = if law.starts_with('q') { 0.5 } else { 0.0 };
            let z = integral(
                9.7,
                |t| floor(phi(t) / step + half),
                |t| if half > 0.0 { step * (phi(t) / step + half).floor() } else { phi(t).rem_euclid(step) },
            );
            corpus.right(&format!("{law} {w} {step}"), &text, &[("z", z, 1e-5 * (1.0 + z.abs()))]);
        }
    }
    corpus.finish();
}

/// Steps end at jumps also where they are fixed: x = t/2 is a straight line, and so is z between jumps.
#[test]
fn fixed_steps_meet_whole_numbers() {
    let folder = Folder::new();
    let laws = ["der(x)*S = 0.5", "der(z)*S = floor(x)", "der(u)*S = if mod(x, 1) > 0.75 then 1 else 0"];
    folder.write("m.toml", model(&[("x", 0.3), ("z", 0.0), ("u", 0.0)], &laws, "", 20.0));
    let x = |t: f64| 0.3 + 0.5 * t;
    let z = integral(20.0, |t| floor(x(t)), |t| x(t).floor());
    let u = 0.5 * 10.0;
    for solver in ["rk4", "euler", "generalized_alpha", "hht", "newmark"] {
        folder.good(&["run", "m.toml", "-o", "r.csv", "--solver", solver]);
        let rows = folder.read("r.csv");
        let last = rows.lines().rfind(|l| !l.starts_with('#')).unwrap();
        let last: Vec<f64> = last.split(',').map(|x| x.parse().unwrap()).collect();
        assert!((last[2] - z).abs() < 1e-9 && (last[3] - u).abs() < 1e-9, "{solver}: {last:?}, {z}, {u}");
    }
}

#[test]
fn what_has_no_whole_number_is_told() {
    let folder = Folder::new();
    for law in ["mod(x, 0*x)", "mod(x, p)", "floor(x/p)"] {
        let parameter = "[parameters.p]\nvalue = 0\n";
        folder.write(
            "m.toml",
            model(&[("x", 1.0), ("z", 0.0)], &["der(x)*S = 1", &format!("der(z)*S = {law}")], parameter, 5.0),
        );
        for solver in SOLVERS {
            let told = folder.bad(&["run", "m.toml", "-o", "r.csv", "--solver", solver], 3, &[]);
            assert!(told.err.contains("finite") || told.err.contains("zero"), "{law}: {}", told.err);
        }
    }
    // An unknown that its own whole number decides about.
    folder.write(
        "m.toml",
        model(&[("x", 0.2), ("w", 0.2)], &["der(x)*S = 0.1", "w + 0.1*floor(w) + 0.01*w^3 = x"], "", 1.0),
    );
    let told = folder.run(&["check", "m.toml"]);
    assert!(told.code == 0 && told.err.contains("M0411") && told.err.contains("floor(w)"), "{told:?}");
}
