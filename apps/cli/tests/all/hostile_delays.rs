//! Hostile corpus: a transport delay loses no pulse however short, and is of second order where its input is smooth.

use crate::hostile::Corpus;

#[test]
fn a_delay_loses_no_pulse() {
    let mut corpus = Corpus::new();
    let model = |drive: &str, delay: &str, t_end: f64| {
        format!(
            "[components]\nd = {{ type = \"transport_delay\", u = \"{drive}\", {delay} }}\ni = \"integrator\"\nj = {{ type = \"integrator\", u1 = \"{drive}\" }}\n\
             [connect]\n\"d.y\" = \"i.u1\"\n[run]\nt_end = \"{t_end} s\"\n"
        )
    };
    let pulse = |from: f64, to: f64| {
        format!("if time > {from} s and time < {to} s then {} else 0", 1.0 / (to - from))
    };
    for (from, to) in [(0.121, 0.122), (0.0399, 0.0401), (0.5, 0.50001), (0.2, 0.7), (1.0, 1.0001)] {
        for delay in ["T = \"1 s\"", "T = \"1 s\", points = 4", "T = \"0.3 s\", points = 10"] {
            let text = model(&pulse(from, to), delay, 3.0);
            corpus.right(&format!("{from} to {to}, {delay}"), &text, &[("i.x", 1.0, 1e-5)]);
        }
    }
    // A train of pulses; a sine of 1 kHz.
    let text = model("if mod(time, 0.1 s) < 0.001 s then 100 else 0", "T = \"0.5 s\"", 2.55);
    corpus.right("train", &text, &[("i.x", 2.1, 1e-5), ("j.x", 2.6, 1e-5)]);
    let text = model("1 + 3*sin(6283.185307179586*time/(1 s))", "T = \"0.5 s\"", 2.0);
    corpus.right("1 kHz", &text, &[("i.x", 1.5, 1e-3), ("d.y", 1.0, 0.05)]);
    corpus.finish();
}

#[test]
fn a_delay_of_something_smooth_is_of_second_order() {
    let mut corpus = Corpus::new();
    for (points, delta) in [(10, 1.0 / 10.5), (15, 1.0 / 15.5), (25, 1.0 / 25.5), (50, 1.0 / 50.5)] {
        for w in [1.0, 2.0_f64] {
            let text = format!(
                "[components]\nd = {{ type = \"transport_delay\", u = \"sin({w}*time/(1 s))\", T = \"1 s\", points = {points} }}\n[run]\nt_end = \"2.7 s\"\n"
            );
            let bound = w * w / 6.0 * delta * delta;
            corpus.right(&format!("{w}, {points} points"), &text, &[("d.y", (1.7 * w).sin(), bound)]);
        }
    }
    // Exact where u is straight.
    for (late, y) in [(0.7, 3.8), (1.1, 2.6)] {
        let text = format!(
            "[components]\nd = {{ type = \"transport_delay\", u = \"3*time/(1 s) - 1\", T = \"{late} s\", y_0 = 5 }}\n[run]\nt_end = \"2.3 s\"\n"
        );
        corpus.right(&format!("ramp {late}"), &text, &[("d.y", y, 1e-8)]);
    }
    corpus.finish();
}
