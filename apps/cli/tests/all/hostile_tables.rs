//! Hostile corpus: tables of states, whose corners and peaks no step may pass unseen.

use crate::hostile::{Corpus, model};
use crate::hostile_whole::{floor, integral};

fn table(x: &[f64], y: &[f64], more: &str) -> String {
    format!("[tables.s]\nx = {x:?}\ny = {y:?}\n{more}\n")
}

/// Linear interpolation.
fn value(x: &[f64], y: &[f64], extends: bool, at: f64) -> f64 {
    let last = x.len() - 1;
    if !extends && (at <= x[0] || at >= x[last]) {
        return if at <= x[0] { y[0] } else { y[last] };
    }
    let k = x.partition_point(|&p| p <= at).clamp(1, last);
    y[k - 1] + (y[k] - y[k - 1]) * (at - x[k - 1]) / (x[k] - x[k - 1])
}

/// What a state is told to by the tolerance, with room for the steps of a run.
fn allowed(z: f64, rtol: f64) -> f64 {
    10.0 * rtol * (1.0 + z.abs())
}

/// A peak of height 1 and width 1 in a rest of 1000.
const PEAK: ([f64; 5], [f64; 5]) = ([0.0, 499.5, 500.0, 500.5, 1000.0], [0.0, 0.0, 1.0, 0.0, 0.0]);
const MONOTONE: &str = "shape = \"monotone\"";

/// ∫ law dt with x = t from 0 to 1000, at loose and tight tolerances.
fn integrates(corpus: &mut Corpus, name: &str, law: &str, sections: &str, right: f64) {
    for rtol in [1e-3, 1e-6] {
        let laws = ["der(x)*S = 1", &format!("der(z)*S = {law}")];
        let text = model(&[("x", 0.0), ("z", 0.0)], &laws, sections, 1000.0) + &format!("rtol = {rtol}\n");
        corpus.right(&format!("{name} {rtol}"), &text, &[("z", right, allowed(right, rtol))]);
    }
}

#[test]
fn peaks_of_tables_are_not_stepped_over() {
    let mut corpus = Corpus::new();
    for (law, more, right) in [
        ("s(x)", "", 0.5),
        ("s(x)", MONOTONE, 0.5),
        ("s(x)", "outside = \"extend\"", 0.5),
        ("s(2*x)", "", 0.25),
        ("s(1000 - x)", "", 0.5),
        ("sqrt(s(x))", "", 2.0 / 3.0),
        ("s(x)^2", "", 1.0 / 3.0),
        ("if s(x) > 0.5 then 1 else 0", "", 0.5),
        // 99 900 + ln 101, less what it is at rest.
        ("1/(0.01 + s(x)) - 100", "", 101.0_f64.ln() - 100.0),
    ] {
        integrates(&mut corpus, &format!("{law} {more}"), law, &table(&PEAK.0, &PEAK.1, more), right);
    }
    corpus.finish();
}

#[test]
fn points_of_long_tables_are_not_stepped_over() {
    let mut corpus = Corpus::new();
    let x: Vec<f64> = (0..=400).map(|k| 2.5 * f64::from(k)).collect();
    let at_500 = |rest: f64, height: f64| -> Vec<f64> {
        x.iter().map(|&x| if x == 500.0 { rest + height } else { rest }).collect()
    };
    for more in ["", MONOTONE] {
        integrates(
            &mut corpus,
            &format!("one of 400 {more}"),
            "s(x)",
            &table(&x, &at_500(0.0, 1.0), more),
            2.5,
        );
        integrates(
            &mut corpus,
            &format!("a dent {more}"),
            "s(x) - 1",
            &table(&x, &at_500(1.0, -0.5), more),
            -1.25,
        );
    }
    let ramp: Vec<f64> = x.iter().zip(at_500(0.0, 20.0)).map(|(x, y)| x + y).collect();
    integrates(&mut corpus, "on a ramp", "s(x) - x", &table(&x, &ramp, ""), 50.0);
    // A wide bump of a twentieth, after a peak.
    let bump = |x: f64| 0.05 * (1.0 - (x - 700.0).abs() / 20.0).max(0.0) + f64::from(x == 100.0);
    let y: Vec<f64> = x.iter().map(|&x| bump(x)).collect();
    integrates(&mut corpus, "a bump", "s(x)", &table(&x, &y, ""), 2.5 + 1.0);
    corpus.finish();
}

#[test]
fn tables_of_unknowns_that_are_iterated_are_not_stepped_over() {
    // w³ + 3 w = s(x − w): ∫ w dx = ∫ w du with u = x − w, over s: g − ¼ g⁴ − 3/2 g² with g³ + 3 g = 1.
    let g = (0..50).fold(0.3_f64, |g, _| g - (g.powi(3) + 3.0 * g - 1.0) / (3.0 * g * g + 3.0));
    let right = g - 0.25 * g.powi(4) - 1.5 * g * g;
    let mut corpus = Corpus::new();
    for (k, (more, rtol)) in [("", 1e-3), ("", 1e-6)].into_iter().enumerate() {
        for shift in [0.0, 0.1, 0.2, 0.3, 0.4] {
            let laws = ["der(x)*S = 1", "der(z)*S = w", &format!("w^3 + 3*w = s(x - w + {shift})")];
            let starts = [("x", 0.0), ("z", 0.0), ("w", 0.0)];
            let text = model(&starts, &laws, &table(&PEAK.0, &PEAK.1, more), 1000.0);
            let text = text + &format!("rtol = {rtol}\n");
            corpus.right(&format!("{k} {shift}"), &text, &[("z", right, allowed(right, rtol))]);
        }
    }
    corpus.finish();
}

/// A table of two variables, z by rows.
fn table_2(x: &[f64], y: &[f64], z: impl Fn(usize, usize) -> f64, more: &str) -> String {
    let rows: Vec<Vec<f64>> = (0..x.len()).map(|i| (0..y.len()).map(|j| z(i, j)).collect()).collect();
    format!("[tables.s]\nx = {x:?}\ny = {y:?}\nz = {rows:?}\n{more}\n")
}

#[test]
fn peaks_of_tables_of_two_variables_are_not_stepped_over() {
    let mut corpus = Corpus::new();
    let ((p, h), q) = (PEAK, [0.0, 1.0]);
    for more in ["", MONOTONE] {
        integrates(&mut corpus, &format!("x {more}"), "s(x, 0.5)", &table_2(&p, &q, |i, _| h[i], more), 0.5);
        integrates(&mut corpus, &format!("y {more}"), "s(0.5, x)", &table_2(&q, &p, |_, j| h[j], more), 0.5);
    }
    // A peak at one point of the plane, met along both diagonals: (1 − 2 |u|)².
    let point = table_2(&p, &p, |i, j| h[i] * h[j], "");
    for law in ["s(x, x)", "s(x, 1000 - x)", "s(x, time/S)"] {
        integrates(&mut corpus, law, law, &point, 1.0 / 3.0);
    }
    integrates(&mut corpus, "root", "sqrt(s(x, 0.5))", &table_2(&p, &q, |i, _| h[i], ""), 2.0 / 3.0);
    let x: Vec<f64> = (0..=400).map(|k| 2.5 * f64::from(k)).collect();
    let one = table_2(&x, &q, |i, j| if i == 200 { 2.0 * j as f64 } else { 0.0 }, "");
    integrates(&mut corpus, "one of 400", "s(x, 0.5)", &one, 2.5);
    corpus.finish();
}

#[test]
fn corners_of_tables_are_met() {
    let mut corpus = Corpus::new();
    let (x, y) = ([-1.0, 0.0, 0.1, 2.0, 2.2], [0.0, 1.0, -3.0, 4.0, 0.0]);
    for (outside, extends) in [("hold", false), ("extend", true)] {
        for (w, rtol) in [(1.0, 1e-3), (1.0, 1e-6), (3.0, 1e-6), (0.3, 1e-3), (0.3, 1e-6)] {
            // Few periods: x itself drifts with bdf.
            let t_end = 20.0 / f64::max(w, 1.0);
            let of = |t: f64| 2.7 * (w * t).sin();
            let text = model(
                &[("x", 0.0), ("z", 0.0)],
                &[&format!("der(x)*S = {}*cos({w}*time/S)", 2.7 * w), "der(z)*S = s(x)"],
                &table(&x, &y, &format!("outside = \"{outside}\"")),
                t_end,
            ) + &format!("rtol = {rtol}\n");
            let key = |t: f64| floor(x.partition_point(|&p| p <= of(t)) as f64);
            let z = integral(t_end, key, |t| value(&x, &y, extends, of(t)));
            corpus.right(&format!("{outside} {w} {rtol}"), &text, &[("z", z, allowed(z, rtol))]);
        }
    }
    // A cam turns, forwards and backwards; and states that are set back.
    let (a, b) = ([0.0, 1.0, 2.0, 4.0, std::f64::consts::TAU], [0.0, 1.0, 1.0, 0.0, 0.0]);
    for w in [3.0, -3.0] {
        let phi = |t: f64| (w * t + 0.5 * (1.0 - t.cos())).rem_euclid(std::f64::consts::TAU);
        let laws = [&format!("der(x)*S = {w} + 0.5*sin(time/S)"), "der(z)*S = s(mod(x, 2*pi))"];
        let text = model(&[("x", 0.0), ("z", 0.0)], &laws, &table(&a, &b, ""), 30.0);
        let key = |t: f64| a.partition_point(|&p| p <= phi(t)) as i64;
        let z = integral(30.0, key, |t| value(&a, &b, false, phi(t)));
        corpus.right(&format!("cam {w}"), &text, &[("z", z, 1e-5 * z)]);
    }
    let back = "[events.back]\nwhen = \"x > 3.5\"\nset = { x = -1.5 }\n";
    let sections = table(&[0.0, 1.0, 2.0, 3.0, 4.0], &[0.0, 1.0, 0.0, 1.0, 0.0], "") + back;
    let text = model(&[("x", 0.0), ("z", 0.0)], &["der(x)*S = 1", "der(z)*S = s(x)"], &sections, 18.5);
    corpus.right("set back", &text, &[("z", 4.0 * 1.875, 1e-6)]);
    corpus.finish();
}

/// A step up at 1 from 1 to 5, a slope of 1, a step down at 3, three equal points at 5; 0 before, 2 behind.
const STEPS: ([f64; 9], [f64; 9]) =
    ([0.0, 1.0, 1.0, 3.0, 3.0, 5.0, 5.0, 5.0, 6.0], [0.0, 1.0, 5.0, 7.0, -1.0, -1.0, 9.0, 2.0, 2.0]);

/// ∫ of it up to x.
fn steps_area(x: f64) -> f64 {
    let up_to = |a: f64, b: f64| x.clamp(a, b) - a;
    let s = up_to(1.0, 3.0);
    0.5 * up_to(0.0, 1.0).powi(2) + 5.0 * s + 0.5 * s * s - up_to(3.0, 5.0) + 2.0 * up_to(5.0, 10.0)
}

/// The same points as a file of results.
fn as_file(x: &[f64], y: &[f64]) -> String {
    let rows = x.iter().zip(y).map(|(x, y)| format!("{x},{y}\n"));
    "# a comment\ntime [s],y\n".to_string() + &rows.collect::<String>()
}

#[test]
fn tables_jump_where_a_point_stands_twice() {
    let mut corpus = Corpus::new();
    let (x, y) = STEPS;
    let file = as_file(&x, &y);
    let both = |of: &str| {
        [
            table(&x, &y, of),
            format!("[tables]\ns = {{ file = \"s.csv\"{} }}\n", of.replace("shape", ", shape")),
        ]
    };
    for shape in ["", MONOTONE] {
        let [written, read] = both(shape);
        for (name, sections, of_time, t) in [
            ("time", &read, "s(time)", 1.0),
            ("slow time", &read, "s(time/2)", 2.0),
            ("written", &written, "s(time/S)", 1.0),
            ("state", &written, "s(x)", 1.0),
            ("falling", &written, "s(10 - x)", -1.0),
            ("root", &written, "sqrt(s(x) + 1)^2 - 1", 1.0),
            ("both", &written, "s(0.5*x + 0.5*time/S)", 1.0),
        ] {
            let right = if t < 0.0 { steps_area(10.0) } else { t * steps_area(10.0 / t) };
            for rtol in [1e-3, 1e-6] {
                let laws = ["der(x)*S = 1", &format!("der(z)*S = {of_time}")];
                let text =
                    model(&[("x", 0.0), ("z", 0.0)], &laws, sections, 10.0) + &format!("rtol = {rtol}\n");
                let near = allowed(right, rtol);
                let name = format!("{name} {shape} {rtol}");
                corpus.right_with(&name, &text, &[("s.csv", &file)], &[("z", right, near)]);
            }
        }
    }
    // An event on what jumps, and one beyond it: at x = 1 and at 10 − x = 5.
    let events = "[modes]\nn = 0\nm = 0\n[events.up]\nwhen = \"s(x) > 3\"\nset = { n = \"n + 1\" }\n\
                  [events.down]\nwhen = \"s(time/S) < -0.5\"\nset = { m = \"m + 1\" }\n";
    let laws = ["der(x)*S = 1"];
    let text = model(&[("x", 0.0)], &laws, &(table(&x, &y, "") + events), 10.0);
    corpus.right("events", &text, &[("n", 1.0, 0.0), ("m", 1.0, 0.0)]);
    // A hundred stairs of a state, more than a table with corners is frozen for.
    let x: Vec<f64> = (1..=100).flat_map(|k| [0.09 * f64::from(k); 2]).collect();
    let y: Vec<f64> = (0..100).flat_map(|k| [f64::from(k), f64::from(k + 1)]).collect();
    let right: f64 = (1..=100).map(|k| 10.0 - 0.09 * f64::from(k)).sum();
    let laws = ["der(x)*S = 1", "der(z)*S = s(x)"];
    let text = model(&[("x", 0.0), ("z", 0.0)], &laws, &table(&x, &y, ""), 10.0);
    corpus.right("stairs", &text, &[("z", right, 1e-6 * right)]);
    corpus.finish();
}
