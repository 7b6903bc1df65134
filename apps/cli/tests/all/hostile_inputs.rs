//! Hostile corpus: inputs that wake up late, are narrow or fast, and guards of time that repeat.

use std::f64::consts::{E, PI};

use crate::hostile::{Corpus, SOLVERS, last, model};
use crate::program::{Folder, json};

/// x sums up an expression of time over 1000 s.
fn sum(law: &str, sections: &str) -> String {
    model(&[("x", 0.0)], &[&format!("der(x)*S = {law}")], sections, 1000.0)
}

#[test]
fn narrow_expressions_of_time_are_not_slept_through() {
    let mut corpus = Corpus::new();
    let cases = [
        ("exp(-((time/S - 500)/0.2)^2)", 0.2 * PI.sqrt()),
        ("exp(-((time/S - 777.7)/0.01)^2)*100", PI.sqrt()),
        ("exp(-((time/S - 100)/0.05)^2) + 2*exp(-((time/S - 900)/0.002)^2)", 0.054 * PI.sqrt()),
        ("1/(1 + ((time/S - 300)/0.01)^2)", 0.01 * ((700.0_f64 / 0.01).atan() + (300.0_f64 / 0.01).atan())),
        ("1 - tanh((time/S - 654.321)*50)^2", 2.0 / 50.0),
        ("50*(1 + tanh((time/S - 999)*1000))", 100.0),
        ("1/cosh(50*(time/S - 654.321))^2", 2.0 / 50.0),
        ("1e6/cosh((time/S - 654.321)*1e6)", PI),
        ("1/(1 + exp(-(time/S - 900.5)*1e4))", 99.5),
        ("4e4/(exp((time/S - 600)*1e4) + exp(-(time/S - 600)*1e4))^2", 2.0),
        ("1e6*exp(-((time/S - 345.678)*1e6)^2)", PI.sqrt()),
        ("1e8*exp(-((time/S - 345.678)*1e4)^2)*exp(-((time/S - 345.678)*1e4)^2)", 1e4 * (0.5 * PI).sqrt()),
        ("1e4*exp(-((time/S - 200)*1e4)^2)*cos((time/S - 200)*1e4)", PI.sqrt() * (-0.25_f64).exp()),
        ("10*exp(-((time/S - 500)/0.1)^2)*(1 + sin(2*pi*100*time/S))", PI.sqrt()),
        ("0.1*sin(2*pi*time/(100 s)) + 1e6/(1 + ((time/S - 700)*1e6)^2)", PI),
        ("(time/S*1e3)^3*exp(-time/S*1e3)*1e3", 6.0),
        ("max(0, 1 - abs(time/S - 500)/0.001)*1000", 1.0),
        ("if time > 500 s and time < 500.0001 s then 1e4 else 0", 1.0),
        ("if abs(time - 345.6 s) < 0.5 ms then 1000 else 0", 1.0),
        ("1000*min(max(time/S - 800, 0), 0.001)", 199.9995),
        ("if mod(time, 100 s) < 1 ms then 1000 else 0", 10.0),
        ("if mod(time, 10 s) > 9.9999 s then 1e4 else 0", 100.0),
        ("clip(1e6*(sin(2*pi*time/(200 s)) - 0.999999), 0, 1)", f64::NAN),
        ("exp(-50*mod(time, 100 s)/S)*50", 10.0),
        ("if sin(2*pi*time/(500 s)) > 0.99999999 then 1 else 0", 1000.0 * (0.99999999_f64).acos() / PI),
        // Functions of a wave; near a crossing of its value c at the speed w √(1 − c²), the integral of a narrow one is that along a straight line.
        ("1/(1.000001 - cos(2*pi*time/(500 s)))", 1000.0 / (1.000001_f64.powi(2) - 1.0).sqrt()),
        ("1e4*exp(-((sin(2*pi*time/(100 s)) - 0.5)*1e4)^2)", 1000.0 / PI.sqrt() / 0.75_f64.sqrt()),
        ("1e5*(1 - tanh(1e5*sin(2*pi*time/(500 s) + 1))^2)", 2000.0 / PI),
        ("0.3/(1e-4 + (0.8*cos(2*pi*time/(250 s)))^2)", 1e3 * 0.3 / 1e-2 / (1e-4_f64 + 0.64).sqrt()),
        (
            "0.5*(0.8*sin(2*pi*time/(40 s)) + sqrt((0.8*sin(2*pi*time/(40 s)))^2 + 1e-12))/sqrt((0.8*sin(2*pi*time/(40 s)))^2 + 1e-12)",
            500.0,
        ),
    ];
    for (law, right) in cases {
        // ∫ of the clipped crest: (sin − d)·1e6 between the crossings of d = 0.999999, five crests of 200 s.
        let d = 0.999999_f64;
        let crest = 1000.0 / (2.0 * PI) * 1e6 * (2.0 * (1.0 - d * d).sqrt() - d * 2.0 * d.acos());
        let right = if right.is_nan() { crest } else { right };
        corpus.right(law, &sum(law, ""), &[("x", right, 5e-6 + 2e-5 * right)]);
    }
    // What only rounding moves needs no step of its own.
    let constant = "0.37*(sin(2*pi*time/S + 0.1)^2 + cos(2*pi*time/S + 0.1)^2)";
    corpus.right("constant", &sum(constant, ""), &[("x", 370.0, 1e-5)]);
    corpus.finish();
}

#[test]
fn sources_and_tables_wake_a_resting_model() {
    let mut corpus = Corpus::new();
    let part = |text: &str| format!("[components]\nq = {{ {text} }}\n");
    let cases = [
        ("type = \"rounded_pulse\", z = 2, v = \"10 1/s\", t_0 = \"700 s\"", "q.y", E * E / 10.0),
        ("type = \"rounded_pulse\", z = 1e3, v = \"1000 1/s\", t_0 = \"700 s\"", "q.y", E * E / 2.0),
        ("type = \"rounded_pulse\", z = 5e3, v = \"1000 1/s\", t_0 = \"0.1 s\"", "q.y", 2.5 * E * E),
        ("type = \"rounded_pulse\", z = 1e5, v = \"1e5 1/s\", t_0 = \"999 s\"", "q.y", E * E / 2.0),
        ("type = \"rounded_pulse_of_area\", S = 1, v = \"1e4 1/s\", t_0 = \"700 s\"", "q.y", 1.0),
        ("type = \"rounded_pulse_of_area\", S = 3, v = \"200 1/s\", t_0 = \"999 s\"", "q.y", 3.0),
        ("type = \"half_sine\", A = 100, T = \"10 ms\", t_0 = \"432.1 s\"", "q.y", 2.0 / PI),
        ("type = \"step\", t_step = \"999.99 s\", y_1 = 100", "q.y", 1.0),
        ("type = \"pulse\", A = 1e5, t_1 = \"600 s\", t_2 = \"600.00001 s\"", "q.y", 1.0),
        ("type = \"clock\", A = 1e3, period = \"100 s\", duty = 1e-5, t_0 = \"50 s\"", "q.y", 10.0),
        (
            "type = \"quintic\", x = [1, 3], t = [\"500 s\", \"800 s\"], T = [\"1 ms\", \"0.1 s\"]",
            "q.v*S",
            3.0,
        ),
        ("type = \"trapezoid\", x = [2], t = [\"900 s\"], v_max = 10, a_max = 1000", "q.v*S", 2.0),
        (
            "type = \"trajectory\", t_0 = \"990 s\", path = { x = { unit = \"s\", values = [0, 1, 2] }, y = [0, 1, 0] }",
            "q.x",
            1.0,
        ),
    ];
    for (text, law, right) in cases {
        corpus.right(text, &sum(law, &part(text)), &[("x", right, 2e-5 * right)]);
    }
    for (start, width) in [(500.0, 1e-3), (3.0, 1e-5), (999.9, 1e-2)] {
        let (b, c) = (start + width, start + 2.0 * width);
        let table = format!(
            "[tables]\np = {{ x = [\"0 s\", \"{start} s\", \"{b} s\", \"{c} s\", \"1000 s\"], y = [0, 0, {}, 0, 0] }}\n",
            1.0 / width
        );
        corpus.right(&format!("table {start}"), &sum("p(time)", &table), &[("x", 1.0, 2e-5)]);
        // The same twice a second, by mod, and on another axis.
        let turned = sum("p(1000 s - time)", &table);
        corpus.right(&format!("table from behind {start}"), &turned, &[("x", 1.0, 2e-5)]);
    }
    // Measured data: 2001 samples of 0.5 s, one spike of one sample, a hat of area 0.5 · 40.
    let spike = |k: usize| if k == 1234 { 40.0 } else { 0.0 };
    let csv: String = (0..2001).map(|k| format!("{},{}\n", k as f64 * 0.5, spike(k))).collect();
    for shape in ["linear", "monotone"] {
        let table = format!(
            "[tables]\np = {{ file = \"d.csv\", x = \"time\", y = \"load\", shape = \"{shape}\" }}\n"
        );
        let files = [("d.csv", &*format!("time [s],load\n{csv}"))];
        corpus.right_with(shape, &sum("p(time)", &table), &files, &[("x", 20.0, 4e-4)]);
    }
    // A duty cycle in a file: 200 loads of 5 ms each after 5 s, trapezoidal sum.
    let duty: String =
        (1..200).map(|k| format!("{k}4.99\t0\n{k}4.991\t1\n{k}4.996\t1\n{k}4.997\t0\n")).collect();
    let table = "[tables]\np = { file = \"d.tsv\", x = \"t\", y = \"f\" }\n";
    let files = [("d.tsv", &*format!("t [s]\tf\n0\t0\n{duty}2000\t0\n"))];
    corpus.right_with(
        "duty cycle from a file",
        &sum("1000*p(time)", table),
        &files,
        &[("x", 99.0 * 6.0, 1e-3)],
    );
    corpus.finish();
}

/// A mass on a stiff servo rests for a long time, then follows.
#[test]
fn a_servo_follows_after_a_long_rest() {
    let mut corpus = Corpus::new();
    for (start, length) in [(500.0, 1.0), (100.0, 0.2), (998.0, 0.5), (900.0, 5.0), (700.0, 0.01)] {
        let servo = |q: &str, t_end: f64| {
            format!(
                "[components]\nq = {{ {q} }}\nm = {{ type = \"mass\", m = \"10 kg\" }}\n\
                 f = {{ type = \"force_source\", drive = \"1e5 N/m*(q.x - m.x) + 1e3 N s/m*(q.v - m.v) + 10 kg*q.a\" }}\n\
                 [connect]\n\"f\" = \"m\"\n[run]\nt_end = \"{t_end} s\"\npoints = 11\n"
            )
        };
        // With the acceleration fed forward the mass is where it should be at every instant.
        let half = start + 0.5 * length;
        let quintic = format!("type = \"quintic\", x = [\"1 m\"], t = [\"{start} s\"], T = [\"{length} s\"]");
        corpus.right(&format!("quintic {start}, half way"), &servo(&quintic, half), &[("m.x", 0.5, 1e-4)]);
        corpus.right(&format!("quintic {start}, there"), &servo(&quintic, 1000.0), &[("m.x", 1.0, 1e-5)]);
        let v = 2.0 / length;
        let trapezoid = format!(
            "type = \"trapezoid\", x = [\"1 m\"], t = [\"{start} s\"], v_max = \"{v} m/s\", a_max = \"{} m/s^2\"",
            v * v
        );
        corpus.right(
            &format!("trapezoid {start}, half way"),
            &servo(&trapezoid, half),
            &[("m.x", 0.5, 1e-4)],
        );
    }
    corpus.finish();
}

#[test]
fn fast_guards_of_time_are_counted() {
    let mut corpus = Corpus::new();
    let count = |guard: &str, sections: &str, t_end: f64| {
        model(
            &[("x", 0.0)],
            &["der(x)*S = 1"],
            &format!(
                "[modes]\nn = 0\n[events.up]\nwhen = \"{guard}\"\nset = {{ n = \"n + 1\" }}\n{sections}"
            ),
            t_end,
        )
    };
    let cases = [
        ("sin(2*pi*1000*time/S) > 0.9999", 0.5, 500.0),
        ("sin(2*pi*1000*time/S) > 0.999999", 0.2, 200.0),
        ("cos(2*pi*777*time/S) < -0.9", 1.0, 777.0),
        ("abs(sin(2*pi*200*time/S)) > 0.99999", 1.0, 400.0),
        ("crosses(sin(2*pi*300*time/S), 0.5)", 1.0, 600.0),
        ("mod(time, 1 ms) > 0.9 ms", 0.5, 500.0),
        ("mod(time, 3 ms) < 1 ms", 0.9005, 300.0),
        ("sin(2*pi*50*(time/S)^2) > 0.5", 1.99, 198.0),
        ("sin(2*pi*100*time/S)*sin(2*pi*101*time/S) > 0.9999", 1.0, f64::NAN),
        ("sin(2*pi*500*time/S) > 0.5 and cos(2*pi*500*time/S) > 0", 0.4, 200.0),
        ("sin(2*pi*100*time/S) > 0.9 or sin(2*pi*100*time/S) < -0.9", 1.0, 200.0),
        ("exp(sin(2*pi*400*time/S)) > 2.7182", 0.5, 200.0),
    ];
    for (guard, t_end, n) in cases {
        // The product is ½ (cos 2πt − cos 2π201t): above 0.9999 only near t = 0 and 1, or not at all; counted by samples of 0.1 µs.
        let product = |t: f64| (2.0 * PI * 100.0 * t).sin() * (2.0 * PI * 101.0 * t).sin() > 0.9999;
        let n = if n.is_nan() {
            (1..10_000_000_u32)
                .filter(|&k| product(f64::from(k) * 1e-7) && !product(f64::from(k - 1) * 1e-7))
                .count() as f64
        } else {
            n
        };
        corpus.right(guard, &count(guard, "", t_end), &[("n", n, 0.0)]);
    }
    // Long after the start, and by a table of mod.
    let late = count("sin(2*pi*1000*time/S) > 0.9999", "", 1000.1)
        .replace("[run]\n", "[run]\nt_start = \"1000 s\"\n");
    corpus.right("late", &late, &[("n", 100.0, 0.0)]);
    let saw = "[tables]\ns = { x = [\"0 s\", \"1 ms\", \"1.01 ms\", \"2 ms\"], y = [0, 0, 1, 0] }\n";
    corpus.right("table of mod", &count("s(mod(time, 2 ms)) > 0.99", saw, 0.5), &[("n", 250.0, 0.0)]);
    corpus.finish();
}

/// Pulses where a wave passes c, under an envelope of 1 − a to 1 + a: the sum of their areas, each that along a straight line, does not know the envelope, whose mean is 1.
#[test]
fn small_pulses_among_large_ones_are_seen() {
    let mut corpus = Corpus::new();
    for period in [20.0, 50.0, 100.0] {
        for (a, sharp) in [(0.6, 1e2), (0.6, 1e3), (0.8, 1e2), (0.8, 1e4)] {
            let wave = format!("(sin(2*pi*time/({period} s)) - 0.5)*{sharp}");
            let envelope = format!("(1 + {a}*cos(2*pi*time/(1000 s)))");
            // One crossing up and one down in each period; the next term of the area is smaller by (1/sharp)².
            let speed = 2.0 * PI / period * 0.75_f64.sqrt() * sharp;
            let right = 2.0 * 1000.0 / period * PI.sqrt() / speed;
            let law = format!("{envelope}*exp(-({wave})^2)");
            corpus.right(&law, &sum(&law, ""), &[("x", right, 1e-3 * right)]);
        }
    }
    corpus.finish();
}

/// Two currents with leaks, and a small or switched resistance between them: its power is what terms leave that cancel, and holds no step down for being uncertain.
#[test]
fn terms_that_cancel_hold_no_step_down() {
    let folder = Folder::new();
    // A periodic contact, closed for half of each period.
    let switch = "{ type = \"switch\", close = \"0.5 + 0.4*sin(2*pi*time/S + 2)\" }";
    let resistor = |r: f64| format!("{{ type = \"resistor\", R = \"{r:e} Ohm\" }}");
    let term = |r: f64| r / (600.0 + r).powi(2);
    let cases = [
        (switch.to_string(), 0.5 * (term(1e-3) + term(1e9))),
        (resistor(1e-3), term(1e-3)),
        (resistor(1.0), term(1.0)),
        (resistor(1e9), term(1e9)),
    ];
    for (part, factor) in cases {
        let text = format!(
            "[parameters]\nS = {{ unit = \"s\", default = 1 }}\n\
             [components]\ns1 = {{ type = \"current_source\", drive = \"0.1 A*sin(2*pi*time/S)\" }}\n\
             s2 = {{ type = \"current_source\", drive = \"0.1 A*sin(2*pi*time/S + 1)\" }}\n\
             l1 = {{ type = \"resistor\", R = \"300 Ohm\" }}\nl2 = {{ type = \"resistor\", R = \"300 Ohm\" }}\n\
             r = {part}\ng = \"electric_ground\"\n\
             [variables]\nE = {{ unit = \"J\", start = 0 }}\n[equations]\nloss = \"der(E) = r.u*r.i\"\n\
             [connect]\n\"s1.p\" = [\"l1.p\", \"r.p\"]\n\"s2.p\" = [\"l2.p\", \"r.n\"]\n\
             \"g\" = [\"s1.n\", \"s2.n\", \"l1.n\", \"l2.n\"]\n[run]\nt_end = \"10 s\"\nrtol = 1e-8\n"
        );
        folder.write("m.toml", &text);
        // 300 Ω (i_1 − i_2)/(600 Ω + R) through R, whose square has the same mean in both halves of a period.
        let right = 10.0 * 0.5 * (300.0 * 0.2 * 0.5_f64.sin()).powi(2) * factor;
        for solver in SOLVERS {
            let arguments = ["run", "m.toml", "--solver", solver, "-o", "r.csv", "--stats", "s.json", "-q"];
            folder.good(&arguments);
            let found = last(&folder.read("r.csv"), "E").unwrap();
            assert!((found / right - 1.0).abs() < 2e-5, "{part}, {solver}: {found}, not {right}");
            let steps = json(&folder.read("s.json"))["steps"].as_u64().unwrap();
            assert!(steps < 10_000, "{part}, {solver}: {steps} steps for 10 periods");
        }
    }
}
