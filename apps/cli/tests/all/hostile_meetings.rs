//! Hostile corpus: events that meet at one instant, states that are set onto their own threshold, chains of events.

use crate::hostile::{Corpus, model, runge_kutta};

/// Events with their conditions and actions, in this order.
fn events(list: &[(&str, &str)]) -> String {
    let event = |(k, (when, set)): (usize, &(&str, &str))| {
        format!("[events.e{k}]\nwhen = \"{when}\"\nset = {{ {set} }}\n")
    };
    list.iter().enumerate().map(event).collect()
}

#[test]
fn events_of_one_instant_act_one_after_the_other() {
    let mut corpus = Corpus::new();
    let run = |list: &[(&str, &str)], sections: &str| {
        model(
            &[("x", 0.0), ("y", 1.0), ("w", 0.0)],
            &["der(x)*S = 1", "der(y)*S = 0", "der(w)*S = y"],
            &format!("{sections}{}", events(list)),
            2.0,
        )
    };
    // y is 1 for the first second, then the value after all of them.
    type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], f64);
    let cases: &[Case] = &[
        ("sum", &[("x > 1", "y = \"y + 1\""), ("time > 1 s", "y = \"y + 10\"")], 12.0),
        ("first adds", &[("x > 1", "y = \"y + 1\""), ("time > 1 s", "y = \"y*10\"")], 20.0),
        ("first multiplies", &[("time > 1 s", "y = \"y*10\""), ("x > 1", "y = \"y + 1\"")], 11.0),
        (
            "three",
            &[("x > 1", "y = \"2*y\""), ("2*x > 2", "y = \"y + 3\""), ("time > 1 s", "y = \"y^2\"")],
            25.0,
        ),
        (
            "three, turned",
            &[("time > 1 s", "y = \"y^2\""), ("2*x > 2", "y = \"y + 3\""), ("x > 1", "y = \"2*y\"")],
            8.0,
        ),
        ("one sets, one adds", &[("x > 1", "y = 7"), ("time > 1 s", "y = \"y + x\"")], 8.0),
        ("one adds, one sets", &[("time > 1 s", "y = \"y + x\""), ("x > 1", "y = 7")], 7.0),
        (
            "either side",
            &[("x > 1", "y = \"y + 1\""), ("1 - x < 0", "y = \"y + 1\""), ("crosses(x, 1)", "y = \"y + 1\"")],
            4.0,
        ),
        ("a guard of both", &[("x > 1", "y = \"y + 1\""), ("x > 1 and time > 1 s", "y = \"y + 1\"")], 3.0),
        ("triggered by the other", &[("x > 1", "y = 5"), ("y > 4", "y = \"y + 1\"")], 6.0),
        ("triggered, in front", &[("y > 4", "y = \"y + 1\""), ("x > 1", "y = 5")], 6.0),
    ];
    for (name, list, y) in cases {
        corpus.right(name, &run(list, ""), &[("y", *y, 1e-12), ("w", 1.0 + y, 1e-6)]);
    }
    // A mode that two set, and a task of the same instant: the event comes first.
    let modes =
        "[modes]\nn = 0\nm = 0\n[tasks.t]\nperiod = \"1 s\"\noffset = \"1 s\"\nset = { m = \"10*n\" }\n";
    let list = [("x > 1", "n = \"n + 1\""), ("time > 1 s", "n = \"n + 2\""), ("x > 1.5", "n = \"n + 4\"")];
    let text = run(&list, modes).replace("t_end = \"2 s\"", "t_end = \"1.9 s\"");
    corpus.right("modes and a task", &text, &[("n", 7.0, 0.0), ("m", 30.0, 0.0)]);
    corpus.finish();
}

/// Equal balls on a line that meet elastically: they pass on their speeds, so that the set of speeds stays, in order of places.
#[test]
fn balls_of_a_cradle_keep_momentum_and_order() {
    let mut corpus = Corpus::new();
    let cases: [(&[f64], &[f64]); 10] = [
        (&[0.0, 1.0, 2.0], &[1.0, 0.0, -1.0]),
        (&[0.0, 1.0, 2.0], &[2.0, 1.0, 0.0]),
        (&[0.0, 1.0, 2.0], &[3.0, 0.0, -3.0]),
        (&[0.0, 1.0, 2.0, 3.0], &[3.0, 1.0, -1.0, -3.0]),
        (&[0.0, 1.0, 2.0, 3.0, 4.0], &[1.0, 0.0, 0.0, 0.0, -1.0]),
        (&[0.0, 1.0, 2.0, 3.0, 4.0], &[2.0, 1.0, 0.0, -1.0, -2.0]),
        (&[0.0, 1.0, 3.0], &[1.0, 0.0, -2.0]),
        (&[0.0, 1.5, 2.0, 4.0], &[1.0, 0.0, 0.0, -1.0]),
        (&[0.0, 0.7, 1.9, 2.3], &[2.0, -1.0, 1.0, -2.0]),
        (&[0.0, 1.0, 2.0, 3.0, 4.0], &[4.0, 0.0, 0.0, 0.0, 0.0]),
    ];
    for (places, speeds) in cases {
        let n = places.len();
        let mut starts = vec![];
        let (xs, vs): (Vec<_>, Vec<_>) = (0..n).map(|k| (format!("x{k}"), format!("v{k}"))).unzip();
        (0..n).for_each(|k| starts.extend([(&*xs[k], places[k]), (&*vs[k], speeds[k])]));
        let equations: Vec<String> =
            (0..n).flat_map(|k| [format!("der(x{k})*S = v{k}"), format!("der(v{k})*S = 0")]).collect();
        let equations: Vec<&str> = equations.iter().map(String::as_str).collect();
        let hits: String = (1..n)
            .map(|k| {
                let b = k - 1;
                format!(
                    "[events.h{k}]\nwhen = \"x{b} > x{k}\"\nset = {{ v{b} = \"v{k}\", v{k} = \"v{b}\" }}\n"
                )
            })
            .collect();
        // As if they passed through each other, then sorted.
        let mut end: Vec<(f64, f64)> = places.iter().zip(speeds).map(|(x, v)| (x + 5.0 * v, *v)).collect();
        end.sort_by(|a, b| a.0.total_cmp(&b.0));
        let expected: Vec<_> =
            (0..n).flat_map(|k| [(&*xs[k], end[k].0, 1e-6), (&*vs[k], end[k].1, 1e-9)]).collect();
        corpus.right(&format!("{places:?} {speeds:?}"), &model(&starts, &equations, &hits, 5.0), &expected);
    }
    corpus.finish();
}

#[test]
fn a_state_set_onto_its_own_threshold_crosses_it_again() {
    let mut corpus = Corpus::new();
    // A ball that is laid on the floor falls again at once: it rests there.
    for (height, speed, t_end) in [(1.0, -1.0, 2.0), (1.0, 0.0, 3.0), (0.01, 5.0, 9.0)] {
        let text = model(
            &[("x", height), ("v", speed)],
            &["der(x)*S = v", "der(v)*S = -9.81"],
            &events(&[("x < 0", "x = 0, v = 0")]),
            t_end,
        );
        corpus.right(&format!("laid on the floor from {height}"), &text, &[("x", 0.0, 0.0), ("v", 0.0, 0.0)]);
    }
    // Lifted off again where b t > g, as from a ceiling seen upside down: x = b (t − g/b)³/6.
    for (lift, side, t_end) in [(10.0, 1.0, 2.0), (20.0, 1.0, 1.0), (10.0, -1.0, 2.0), (7.0, -1.0, 2.5)] {
        let g = 9.81 * side;
        let condition = if side > 0.0 { "x < 3" } else { "x > 3" };
        let text = model(
            &[("x", 3.0 + 0.3 * side), ("v", 0.0)],
            &["der(x)*S = v", &format!("der(v)*S = {}*time/S - ({g})", lift * side)],
            &events(&[(condition, "x = 3, v = 0")]),
            t_end,
        );
        let after = t_end - 9.81 / lift;
        let expected = [
            ("x", 3.0 + side * lift * after.powi(3) / 6.0, 1e-6),
            ("v", side * lift * after.powi(2) / 2.0, 1e-6),
        ];
        corpus.right(&format!("lifted by {lift}, {side}"), &text, &expected);
    }
    // A stop for the position alone: x stays at 0 while v falls and rises, and leaves when v = sin 2t/2 − 0.2 t passes zero.
    let text = model(
        &[("x", 0.5), ("v", 0.0), ("w", 0.0)],
        &["der(x)*S = v", "der(v)*S = cos(2*time/S) - 0.2", "der(w)*S = x"],
        &events(&[("x < 0", "x = 0")]),
        3.0,
    );
    let rate = |t: f64, y: &[f64; 3]| {
        let stops = y[0] <= 0.0 && y[1] < 0.0;
        [if stops { 0.0 } else { y[1] }, (2.0 * t).cos() - 0.2, y[0]]
    };
    let [x, v, w] = runge_kutta(rate, [0.5, 0.0, 0.0], 3.0, 1_000_000);
    corpus.right("a stop for x alone", &text, &[("x", x, 1e-5), ("v", v, 1e-5), ("w", w, 1e-5)]);
    // Kicked off by another event.
    let text = model(
        &[("x", 1.0), ("v", 0.0)],
        &["der(x)*S = v", "der(v)*S = -10"],
        &events(&[("x < 0", "x = 0, v = 0"), ("time > 1 s", "v = 5")]),
        1.5,
    );
    corpus.right("kicked", &text, &[("x", 1.25, 1e-6), ("v", 0.0, 1e-6)]);
    // Put back onto the floor, thrown up again with `v`: flights of 2 v/g.
    for v in [1.0, 3.0, 0.3] {
        let text = model(
            &[("x", 0.0), ("v", v)],
            &["der(x)*S = v", "der(v)*S = -9.81"],
            &format!("[modes]\nn = 0\n{}", events(&[("x < 0", &format!("x = 0, v = {v}, n = \"n + 1\""))])),
            2.0,
        );
        let flight = 2.0 * v / 9.81;
        let n = (2.0 / flight).floor();
        let t = 2.0 - n * flight;
        corpus.right(
            &format!("thrown with {v}"),
            &text,
            &[("n", n, 0.0), ("x", v * t - 0.5 * 9.81 * t * t, 1e-5)],
        );
    }
    // Two events share a threshold: x swings about it.
    for (mark, t_end) in [(0.0, 20.3), (0.5, 20.3), (-0.9, 10.1)] {
        let text = model(
            &[("x", mark), ("v", 0.3)],
            &["der(x)*S = 2*pi*v", "der(v)*S = 2*pi*(0 - x)"],
            &format!(
                "[modes]\non = 0\nn = 0\n{}",
                events(&[("x > 0.1", "on = 1, n = \"n + 1\""), ("x < 0.1", "on = 0, n = \"n + 1\"")])
            ),
            t_end,
        );
        // x = a sin(2πt + φ): crossings of 0.1 counted by samples of 0.1 ms.
        let at = |k: u32| {
            let t = f64::from(k) * 1e-4;
            mark * (std::f64::consts::TAU * t).cos() + 0.3 * (std::f64::consts::TAU * t).sin() > 0.1
        };
        let count = (1..=(t_end * 1e4) as u32).filter(|&k| at(k) != at(k - 1)).count() as f64;
        corpus.right(&format!("swing about a mark, {mark}"), &text, &[("n", count, 0.0)]);
    }
    // A thermostat that is set onto each of its thresholds as it reaches them.
    let text = model(
        &[("x", 0.0)],
        &["der(x)*S = rate"],
        &format!(
            "[modes]\nrate = 1\n{}",
            events(&[("x > 1", "x = 1, rate = -2"), ("x < -1", "x = -1, rate = 1")])
        ),
        10.25,
    );
    // Period 3 s: 2 s up, 1 s down, first top at 1 s; at 10.25 s 0.25 s after the top of 10 s.
    corpus.right("set onto both ends", &text, &[("x", 0.5, 1e-6)]);
    let text = model(
        &[("x", 0.0)],
        &["der(x)*S = 1"],
        &format!("[modes]\nn = 0\n{}", events(&[("x > 0.01", "x = 0, n = \"n + 1\"")])),
        9.9951,
    );
    corpus.right("saw tooth", &text, &[("n", 999.0, 0.0), ("x", 0.0051, 1e-6)]);
    corpus.finish();
}

#[test]
fn chains_of_events_at_one_instant_end() {
    let mut corpus = Corpus::new();
    // Each event sets the next off; the last marks the end.
    for n in [2, 10, 50, 150, 300] {
        let modes: String = (0..=n).map(|k| format!("m{k} = 0\n")).collect();
        let chain: String = (1..=n)
            .map(|k| format!("[events.c{k}]\nwhen = \"m{} > 0.5\"\nset = {{ m{k} = 1 }}\n", k - 1))
            .collect();
        let text = model(
            &[("x", 0.0)],
            &["der(x)*S = 1 + 0*m0"],
            &format!("[modes]\n{modes}[events.first]\nwhen = \"x > 1\"\nset = {{ m0 = 1 }}\n{chain}"),
            2.0,
        );
        corpus.right(&format!("chain of {n}"), &text, &[(&format!("m{n}"), 1.0, 0.0), ("x", 2.0, 1e-6)]);
        // The same in the opposite order of the file, by states.
        let states: Vec<String> = (0..=n.min(50)).map(|k| format!("y{k}")).collect();
        let mut starts: Vec<(&str, f64)> = states.iter().map(|s| (&**s, 0.0)).collect();
        starts.push(("x", 0.0));
        let equations: Vec<String> = states.iter().map(|s| format!("der({s})*S = 0")).collect();
        let mut equations: Vec<&str> = equations.iter().map(String::as_str).collect();
        equations.push("der(x)*S = 1");
        let chain: String = (1..states.len())
            .rev()
            .map(|k| {
                format!("[events.c{k}]\nwhen = \"y{} > {k}\"\nset = {{ y{k} = \"y{} + 1\" }}\n", k - 1, k - 1)
            })
            .collect();
        let text = model(
            &starts,
            &equations,
            &format!("{chain}[events.first]\nwhen = \"x > 1\"\nset = {{ y0 = 1.5 }}\n"),
            2.0,
        );
        let last = states.len() - 1;
        corpus.right(&format!("states {n}"), &text, &[(&states[last], 1.5 + last as f64, 1e-12)]);
    }
    corpus.finish();
}
