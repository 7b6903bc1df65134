//! Hostile corpus: relations after a jump of what they compare, by an event, a task, `mod` or `floor`.

use std::f64::consts::PI;

use crate::hostile::{Corpus, model};

/// x grows at a rate of its band and is set back from `top` to `bottom`: exact from corner to corner. Gives x, resets, and time spent in each band.
fn bands(borders: &[f64], rates: &[f64], top: f64, bottom: f64, t_end: f64) -> (f64, f64, Vec<f64>) {
    let (mut x, mut t, mut resets) = (bottom, 0.0, 0.0);
    let mut spent = vec![0.0; rates.len()];
    loop {
        let band = borders.iter().filter(|b| x >= **b).count();
        let next = borders.get(band).copied().unwrap_or(top).min(top);
        let need = (next - x) / rates[band];
        let dt = need.min(t_end - t);
        spent[band] += dt;
        if t + need > t_end {
            return (x + rates[band] * dt, resets, spent);
        }
        (x, t) = (next, t + dt);
        if x >= top {
            (x, resets) = (bottom, resets + 1.0);
        }
    }
}

#[test]
fn a_boiler_heats_below_its_threshold_only() {
    let mut corpus = Corpus::new();
    for (cold, low, top, fast, slow) in [
        (35.0, 40.0, 61.0, 1.0, 0.1),
        (35.0, 40.0, 61.0, 0.1, 1.0),
        (39.9, 40.0, 41.0, 0.01, 0.7),
        (10.0, 59.0, 60.0, 2.0, 0.3),
        (39.999, 40.0, 90.0, 0.001, 3.0),
    ] {
        let text = format!(
            "[variables]\ntemp = {{ unit = \"°C\", start = {cold} }}\nuse = {{ unit = \"J\", start = 0 }}\n[modes]\nn = 0\n\
             [equations]\na = \"der(temp) = if temp < {low} °C then {fast} K/s else {slow} K/s\"\n\
             b = \"der(use) = if temp < {low} °C then 1 W else 0\"\n\
             [events.refill]\nwhen = \"temp > {top} °C\"\nset = {{ temp = \"{cold} °C\", n = \"n + 1\" }}\n[run]\nt_end = \"1000 s\"\n"
        );
        let (temp, n, spent) = bands(&[low], &[fast, slow], top, cold, 1000.0);
        let expected = [("n", n, 0.0), ("use", spent[0], 1e-6 * (1.0 + spent[0])), ("temp", temp, 1e-4)];
        corpus.right(&format!("boiler {cold} {low} {top}"), &text, &expected);
    }
    // Three borders; a reset may jump over two of them.
    for (k, bottom) in [0.0, 0.5, 1.0, 1.5, 2.0, 2.9].into_iter().enumerate() {
        let (borders, rates) = ([1.0, 2.0, 2.5], [0.3, 2.0, 0.7, 0.1]);
        let text = model(
            &[("x", bottom), ("a", 0.0), ("b", 0.0)],
            &[
                "der(x)*S = if x < 1 then 0.3 else if x < 2 then 2 else if x < 2.5 then 0.7 else 0.1",
                "der(a)*S = if x >= 1 and x < 2 then 1 else 0",
                "der(b)*S = if x < 1 or x > 2.5 then 1 else 0",
            ],
            &format!(
                "[modes]\nn = 0\n[events.back]\nwhen = \"x > 3\"\nset = {{ x = {bottom}, n = \"n + 1\" }}\n"
            ),
            37.7 + k as f64,
        );
        let (x, n, spent) = bands(&borders, &rates, 3.0, bottom, 37.7 + k as f64);
        let expected =
            [("n", n, 0.0), ("x", x, 1e-6), ("a", spent[1], 1e-6), ("b", spent[0] + spent[3], 1e-6)];
        corpus.right(&format!("four bands from {bottom}"), &text, &expected);
    }
    corpus.finish();
}

#[test]
fn mod_and_floor_jump_by_themselves() {
    let mut corpus = Corpus::new();
    for (period, width, turns) in [
        (1.0, 0.1, 10),
        (0.25, 0.249, 40),
        (3.0, 0.001, 50),
        (0.01, 0.003, 100),
        (7.0, 6.99, 20),
        (0.3, 0.15, 33),
        (1.1, 1.0999, 9),
    ] {
        let text = model(
            &[("z", 0.0)],
            &[&format!("der(z)*S = if mod(time, {period} s) < {width} s then 1 else 0")],
            "",
            period * turns as f64,
        );
        let right = width * turns as f64;
        corpus.right(&format!("mod {period} {width}"), &text, &[("z", right, 1e-6 * right)]);
    }
    // Of a state: x = t²/2 is at c when t = √(2c).
    let at = |c: f64| (2.0 * c).sqrt();
    for width in [0.25, 0.6, 0.9] {
        let law = format!("der(z)*S = if mod(x, 1) < {width} then 1 else 0");
        let text = model(&[("x", 0.0), ("z", 0.0)], &["der(x)*S = time/S", &law], "", 10.0);
        let z: f64 = (0..50).map(|k| at(f64::from(k) + width) - at(f64::from(k))).sum();
        corpus.right(&format!("mod of a state {width}"), &text, &[("z", z, 2e-6)]);
    }
    for (law, right) in [("floor(time/(1.7 s))", 2891.3), ("ceil(time/(1.7 s))", 2991.3)] {
        let text = model(&[("z", 0.0)], &[&format!("der(z)*S = {law}")], "", 100.0);
        corpus.right(law, &text, &[("z", right, 1e-6 * right)]);
    }
    // Of time through unknowns, two waves at once, and times that are shifted and scaled.
    for (law, right) in [
        ("if mod(2*y + 0.3, 1) < 0.25 and mod(y, 5) > 2.5 then 1 else 0", 2.5),
        ("if mod(time - 0.4 s, 1 s) < 0.1 s or mod(time, 1 s) < 0.1 s then 1 else 0", 4.0),
        ("if mod(-y, 1) < 0.3 then 2 else 0", 12.0),
    ] {
        let text = model(&[("y", 0.0), ("z", 0.0)], &["y = time/S", &format!("der(z)*S = {law}")], "", 20.0);
        corpus.right(law, &text, &[("z", right, 1e-6)]);
    }
    corpus.finish();
}

#[test]
fn references_that_events_and_tasks_move_are_read_again() {
    let mut corpus = Corpus::new();
    // A relay with a band: x rises from `bottom` to 1 and is set back; it is on above 0.5 and off below −0.5.
    for (bottom, on, off) in [(-1.0, 0.5, -0.5), (-2.0, 0.9, 0.0), (0.0, 0.5, -0.5), (-0.4, 0.6, -0.5)] {
        let text = model(
            &[("x", bottom), ("z", 0.0)],
            &["der(x)*S = 1", "der(z)*S = h.y"],
            &format!(
                "[components]\nh = {{ type = \"hysteresis\", x_on = {on}, x_off = {off}, u1 = \"x\" }}\n\
                 [events.back]\nwhen = \"x > 1\"\nset = {{ x = {bottom} }}\n"
            ),
            8.0,
        );
        let (mut x, mut y, mut z, h) = (bottom, 0.0, 0.0, 1e-4);
        for _ in 0..80000 {
            y = if x > on - 1e-9 {
                1.0
            } else if x < off - 1e-9 {
                0.0
            } else {
                y
            };
            (x, z) = (x + h, z + y * h);
            x = if x > 1.0 + 1e-9 { bottom + h } else { x };
        }
        corpus.right(&format!("relay set back to {bottom}"), &text, &[("z", z, 1e-3)]);
    }
    // A store that fills to a mark that events move: it waits at each.
    for (first, second) in [(1.0, 3.0), (2.0, 2.5), (0.5, 8.0)] {
        let text = model(
            &[("x", 0.0)],
            &["der(x)*S = if x < mark then 1 else 0"],
            &format!(
                "[modes]\nmark = {first}\n[events.up]\nwhen = \"time > 5 s\"\nset = {{ mark = {second} }}\n"
            ),
            9.0,
        );
        corpus.right(&format!("mark {first} {second}"), &text, &[("x", f64::min(second, first + 4.0), 1e-6)]);
    }
    // A task moves the reference by `by` each second while x = t: z counts the time below it.
    for by in [0.5, 0.95, 1.0, 2.0] {
        let text = model(
            &[("x", 0.0), ("z", 0.0)],
            &["der(x)*S = 1", "der(z)*S = if x < r then 1 else 0"],
            &format!("[modes]\nr = 0\n[tasks.up]\nperiod = \"1 s\"\nset = {{ r = \"r + {by}\" }}\n"),
            10.0,
        );
        // r = by (k + 1) on [k, k + 1).
        let exact: f64 =
            (0..10).map(|k: i32| (by * (f64::from(k) + 1.0) - f64::from(k)).clamp(0.0, 1.0)).sum();
        corpus.right(&format!("task {by}"), &text, &[("z", exact, 1e-6)]);
    }
    // A state that jumps back and forth: x = t, −3 at 4 s, +10 at 6 s.
    let text = model(
        &[("x", 0.0), ("a", 0.0), ("b", 0.0)],
        &["der(x)*S = 1", "der(a)*S = if x < 2 then 1 else 0", "der(b)*S = if not x < 2.5 then x else 0"],
        "[events.down]\nwhen = \"time > 4 s\"\nset = { x = \"x - 3\" }\n[events.up]\nwhen = \"time > 6 s\"\nset = { x = \"x + 10\" }\n",
        8.0,
    );
    // Below 2: 2 s, then 1 to 2. Above 2.5: 2.5 to 4, 2.5 to 3, 13 to 15.
    let b = (16.0 - 6.25 + 9.0 - 6.25 + 225.0 - 169.0) / 2.0;
    corpus.right("back and forth", &text, &[("a", 3.0, 1e-6), ("b", b, 1e-5)]);
    corpus.finish();
}

#[test]
fn turns_of_atan2_of_time_are_met() {
    let mut corpus = Corpus::new();
    // The angle φ = w t + a in (−π, π]: by turns of its integral ½ φ² from −π to π, which is none.
    let wrapped = |w: f64, a: f64, t: f64| {
        let phi = (w * t + a + PI).rem_euclid(2.0 * PI) - PI;
        0.5 * (phi * phi - a * a) / w
    };
    for (w, a, t_end) in
        [(20.0 * PI, 0.0, 10.025), (1.0, 0.0, 100.0), (3.0, 2.0, 50.0), (0.1, -3.0, 100.0), (100.0, 1.0, 3.0)]
    {
        let angle = format!("atan2(sin({w}*time/S + {a}), cos({w}*time/S + {a}))");
        for (rtol, laws) in [(1e-6, 1.0), (1e-3, 2.0)] {
            let text = model(&[("z", 0.0)], &[&format!("der(z)*S = {laws}*{angle}")], "", t_end)
                + &format!("rtol = {rtol}\n");
            let z = laws * wrapped(w, a, t_end);
            corpus.right(&format!("{w} {a} {rtol}"), &text, &[("z", z, 10.0 * rtol * (1.0 + z.abs()))]);
        }
    }
    corpus.finish();
}

#[test]
fn a_threshold_near_the_start_is_crossed_once() {
    let mut corpus = Corpus::new();
    for when in ["x > 1e-4", "abs(x) > 1e-4", "x^2 > 1e-8", "x > 3e-5", "x > 2e-4 and v > 0.1"] {
        for rtol in [1e-2, 1e-3, 1e-6] {
            let sections =
                format!("[modes]\nn = 0\n[events.e]\nwhen = \"{when}\"\nset = {{ n = \"n + 1\" }}\n");
            let laws = ["der(x)*S = v", "der(v)*S = -x"];
            let text = model(&[("x", 0.0), ("v", 1.0)], &laws, &sections, 1.0) + &format!("rtol = {rtol}\n");
            corpus.right(&format!("{when} {rtol}"), &text, &[("n", 1.0, 0.0)]);
        }
    }
    corpus.finish();
}
