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

#[test]
fn peaks_of_tables_are_not_stepped_over() {
    let mut corpus = Corpus::new();
    let (x, y) = ([0.0, 499.5, 500.0, 500.5, 1000.0], [0.0, 0.0, 1.0, 0.0, 0.0]);
    for (law, more, right, tolerance) in [
        ("s(x)", "", 0.5, 1e-6),
        ("s(x)", "shape = \"monotone\"", 0.5, 1e-5),
        ("s(x)", "outside = \"extend\"", 0.5, 1e-6),
        ("s(2*x)", "", 0.25, 1e-6),
        ("s(1000 - x)", "", 0.5, 1e-6),
        ("sqrt(s(x))", "", 2.0 / 3.0, 3e-4),
        ("s(x)^2", "", 1.0 / 3.0, 1e-6),
        ("if s(x) > 0.5 then 1 else 0", "", 0.5, 1e-6),
        ("1/(0.01 + s(x))", "", 99_900.0 + 101.0_f64.ln(), 1.0),
    ] {
        let laws = ["der(x)*S = 1", &format!("der(z)*S = {law}")];
        let text = model(&[("x", 0.0), ("z", 0.0)], &laws, &table(&x, &y, more), 1000.0);
        corpus.right(&format!("{law} {more}"), &text, &[("z", right, tolerance)]);
    }
    // Long tables: one point of 400 stands out; a sine of 100 points.
    let x: Vec<f64> = (0..=400).map(|k| 2.5 * f64::from(k)).collect();
    let y: Vec<f64> = (0..=400).map(|k| if k == 200 { 1.0 } else { 0.0 }).collect();
    let laws = ["der(x)*S = 10", "der(z)*S = s(x)"];
    corpus.right(
        "one of 400",
        &model(&[("x", 0.0), ("z", 0.0)], &laws, &table(&x, &y, ""), 100.0),
        &[("z", 0.25, 1e-5)],
    );
    let y: Vec<f64> = x.iter().map(|x| (0.025 * x).sin()).collect();
    let z: f64 = y.windows(2).map(|y| 0.125 * (y[0] + y[1])).sum();
    corpus.right(
        "a sine",
        &model(&[("x", 0.0), ("z", 0.0)], &laws, &table(&x, &y, ""), 100.0),
        &[("z", z, 1e-3)],
    );
    corpus.finish();
}

#[test]
fn corners_of_tables_are_met() {
    let mut corpus = Corpus::new();
    let (x, y) = ([-1.0, 0.0, 0.1, 2.0, 2.2], [0.0, 1.0, -3.0, 4.0, 0.0]);
    for (outside, extends) in [("hold", false), ("extend", true)] {
        for (w, rtol) in [(1.0, 1e-3), (1.0, 1e-6), (3.0, 1e-6), (0.3, 1e-3), (0.3, 1e-6)] {
            let of = |t: f64| 2.7 * (w * t).sin();
            let text = model(
                &[("x", 0.0), ("z", 0.0)],
                &[&format!("der(x)*S = {}*cos({w}*time/S)", 2.7 * w), "der(z)*S = s(x)"],
                &table(&x, &y, &format!("outside = \"{outside}\"")),
                20.0,
            ) + &format!("rtol = {rtol}\n");
            let key = |t: f64| floor(x.partition_point(|&p| p <= of(t)) as f64);
            let z = integral(20.0, key, |t| value(&x, &y, extends, of(t)));
            corpus.right(&format!("{outside} {w} {rtol}"), &text, &[("z", z, 10.0 * rtol * (1.0 + z.abs()))]);
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
