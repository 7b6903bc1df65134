//! Hostile corpus: kinks of states. Phases of conduction, contact or saturation that a step could pass over.

use std::f64::consts::{PI, TAU};

use crate::hostile::{Corpus, model, runge_kutta};

/// u = sin ωt and v = cos ωt as states, and z that sums up a function of them, over whole periods.
fn wave(law: &str, sections: &str, periods: f64) -> String {
    model(
        &[("u", 0.0), ("v", 1.0), ("z", 0.0)],
        &["der(u)*S = 2*pi*v", "der(v)*S = -2*pi*u", &format!("der(z)*S = {law}")],
        sections,
        periods,
    ) + "rtol = 1e-8\n"
}

/// ∫ max(sin θ − d, 0) dθ/2π over a period.
fn above(d: f64) -> f64 {
    (2.0 * (1.0 - d * d).sqrt() - d * (PI - 2.0 * d.asin())) / TAU
}

/// Share of a period with sin θ > d.
fn share(d: f64) -> f64 {
    (PI - 2.0 * d.asin()) / TAU
}

#[test]
fn limits_dead_zones_and_selectors_of_an_oscillation() {
    let mut corpus = Corpus::new();
    let cut = |a: f64, b: f64| format!("[tables]\nt = {{ x = [-2, {a}, {b}, 2], y = [0, 0, 1, 1] }}\n");
    let cases = [
        ("max(u - 0.5, 0)", above(0.5)),
        ("max(u - 0.999, 0)*100", 100.0 * above(0.999)),
        ("max(u, v)", 2.0_f64.sqrt() / PI),
        ("min(u, v, 0)", -(1.0 + 0.5 * 2.0_f64.sqrt()) / PI),
        ("abs(u)", 2.0 / PI),
        ("abs(abs(u) - 0.5)", 0.5 - 2.0 / PI + 4.0 * above(0.5)),
        ("clip(u, -0.2, 1)", above(-0.2) - 0.2),
        ("clip(u, -0.9, 0.3)", above(-0.9) - 0.9 - above(0.3)),
        ("u - clip(u, -2, 0.8)", above(0.8)),
        ("if u > 0.99 then 1 else 0", share(0.99)),
        ("if abs(u) < 0.01 then 1 else 0", 1.0 - 2.0 * share(0.01)),
        (
            "if u > 0.6 then v*v else if u < -0.95 then 3 else 0",
            (share(0.6) - 2.0 * 0.6 * 0.8 / TAU) / 2.0 + 3.0 * share(0.95),
        ),
        ("sign(u - 0.7)", 2.0 * share(0.7) - 1.0),
        ("sign(u)*u", 2.0 / PI),
        ("t(u)", (above(0.3) - above(0.4)) / 0.1),
    ];
    for (law, mean) in cases {
        corpus.right(law, &wave(law, &cut(0.3, 0.4), 6.0), &[("z", 6.0 * mean, 2e-5)]);
    }
    // Near the crest 1e-6 of the amplitude is 0.1 % of what is above.
    let mean = (above(0.999) - above(0.9995)) / 0.0005;
    corpus.right(
        "corners at the crest",
        &wave("t(u)", &cut(0.999, 0.9995), 6.0),
        &[("z", 6.0 * mean, 6e-3 * mean)],
    );
    for (kind, law, mean) in [
        ("dead_zone", "x_min = -0.1, x_max = 0.5", above(0.5) - above(0.1)),
        ("limiter", "y_min = -0.25, y_max = 0.75", above(-0.25) - 0.25 - above(0.75)),
    ] {
        let part = format!("[components]\nb = {{ type = \"{kind}\", {law}, u1 = \"u\" }}\n");
        corpus.right(kind, &wave("b.y", &part, 6.0), &[("z", 6.0 * mean, 1e-5)]);
    }
    let part = "[components]\nb = { type = \"selector\", level = 0.9, c = \"u\", a = \"5\", b = \"0\" }\n";
    corpus.right("selector", &wave("b.y", part, 6.0), &[("z", 30.0 * share(0.9), 1e-4)]);
    corpus.finish();
}

#[test]
fn rectifiers_charge_in_every_period() {
    // C u' = G w + max(w − U_f, 0)/R_on − u/R, w = U sin 2πft − u.
    let mut corpus = Corpus::new();
    for (r, c, f, t_end) in [
        (1e3, 47e-6, 50.0, 0.2),
        (1e3, 47e-6, 50.0, 0.195),
        (1e4, 47e-6, 50.0, 0.305),
        (300.0, 470e-6, 50.0, 0.2),
        (1e4, 1e-6, 400.0, 0.021),
        (1e4, 4.7e-6, 100.0, 0.083),
        (1e5, 10e-6, 50.0, 0.4),
        (2e3, 1e-4, 50.0, 0.3),
        (100.0, 1e-4, 10.0, 0.93),
        (1e3, 1e-5, 1000.0, 0.0131),
        (3e3, 1e-4, 60.0, 0.25),
        (5e4, 2e-6, 16.7, 0.5),
    ] {
        let text = format!(
            "[components]\ns = {{ type = \"voltage_source\", drive = \"10 V*sin(2*pi*{f}*time/1 s)\" }}\nd = \"diode\"\n\
             r = {{ type = \"resistor\", R = \"{r} Ohm\" }}\nc = {{ type = \"capacitor\", C = \"{c} F\" }}\ng = \"electric_ground\"\n\
             [connect]\n\"s.p\" = \"d.p\"\n\"d.n\" = [\"r.p\", \"c.p\"]\n\"g\" = [\"s.n\", \"r.n\", \"c.n\"]\n[run]\nt_end = \"{t_end} s\"\n"
        );
        let rate = |t: f64, u: &[f64; 1]| {
            let w = 10.0 * (TAU * f * t).sin() - u[0];
            [(1e-9 * w + (w - 0.7).max(0.0) / 0.1 - u[0] / r) / c]
        };
        let steps = (t_end / (0.1 * c).min(1e-6)).ceil() as usize * 2;
        let [u] = runge_kutta(rate, [0.0], t_end, steps);
        corpus.right(&format!("rectifier {r} {c} {f} {t_end}"), &text, &[("c.u", u, 1e-3)]);
    }
    corpus.finish();
}

#[test]
fn a_check_valve_fills_a_volume_from_a_pulsating_supply() {
    // C p' = G Δp + R_v r(max(Δp − 0.2 bar, 0)) − R r(p − 1 bar), r(x) = x/(x² + d²)^¼.
    let mut corpus = Corpus::new();
    for (mean, swing, f, litres, leak, t_end) in [
        (100.0, 100.0, 5.0, 1.0, 1e-9, 1.0),
        (0.0, 200.0, 5.0, 1.0, 1e-9, 0.7),
        (100.0, 50.0, 3.0, 2.0, 1e-8, 0.5),
        (50.0, 120.0, 11.0, 0.5, 1e-8, 0.31),
        (20.0, 200.0, 0.5, 1.0, 1e-9, 2.4),
    ] {
        let text = format!(
            "[components]\ns = {{ type = \"reservoir\", P = \"{mean} bar\", drive = \"{swing} bar*sin(2*pi*{f}*time/1 s)\" }}\nv = \"check_valve\"\n\
             a = {{ type = \"volume\", V0 = \"{litres} l\", P0 = \"100 bar\", beta = \"1.4 GPa\" }}\n\
             r = {{ type = \"restrictor\", R = {leak}, dp_lam = \"10 kPa\" }}\nt = {{ type = \"reservoir\", P = \"1 bar\" }}\n\
             [connect]\n\"s\" = \"v.a\"\n\"v.b\" = [\"a\", \"r.a\"]\n\"r.b\" = \"t\"\n[run]\nt_end = \"{t_end} s\"\n"
        );
        let root = |x: f64, d: f64| x / (x * x + d * d).sqrt().sqrt();
        let rate = |t: f64, p: &[f64; 1]| {
            let dp = 1e5 * (mean + swing * (TAU * f * t).sin()) - p[0];
            let q = 1e-17 * dp + 4e-6 * root((dp - 0.2e5).max(0.0), 100.0) - leak * root(p[0] - 1e5, 1e4);
            [1.4e9 / (litres * 1e-3) * q]
        };
        let [p] = runge_kutta(rate, [100e5], t_end, (t_end * 2e6) as usize);
        corpus.right(&format!("check valve {mean} {swing} {f}"), &text, &[("a.p", p, 1e-4 * p)]);
    }
    contacts(&mut corpus);
    corpus.finish();
}

/// A ball on a floor that only pushes: x'' = −g + (k/m) max(−x, 0). In contact x = −δ + a cos(ωt + φ), δ = g/ω².
fn contacts(corpus: &mut Corpus) {
    let g = 9.81_f64;
    for (height, omega, t_end) in
        [(1.0, 100.0, 10.0), (0.1, 1000.0, 5.0), (5.0, 30.0, 20.0), (0.01, 300.0, 1.0)]
    {
        let text = model(
            &[("x", height), ("v", 0.0)],
            &["der(x)*S = v", &format!("der(v)*S = {omega}^2*max(-x, 0) - {g}")],
            "",
            t_end,
        ) + "rtol = 1e-9\n";
        // Half the flight, then contact for 2 (π − atan(v ω/g))/ω, then a whole flight, and so on.
        let speed = (2.0 * g * height).sqrt();
        let contact = 2.0 * (PI - (speed * omega / g).atan()) / omega;
        let period = 2.0 * speed / g + contact;
        let t = (t_end + speed / g) % period;
        let x = if t < 2.0 * speed / g {
            speed * t - 0.5 * g * t * t
        } else {
            let (s, depth) = (t - 2.0 * speed / g, g / (omega * omega));
            -depth + depth * (omega * s).cos() - speed / omega * (omega * s).sin()
        };
        corpus.right(&format!("one-sided spring {height} {omega}"), &text, &[("x", x, 2e-4 * height)]);
    }
    // Dry friction takes 2 f/k from the swing at each turn; it sticks where |x| < f/k.
    for (x0, f, t_end) in [(1.0, 10.0, 3.0), (1.0, 3.0, 10.0), (0.55, 10.0, 10.0)] {
        let text = format!(
            "[components]\nm = {{ type = \"mass\", m = \"1 kg\", x0 = \"{x0} m\" }}\nk = {{ type = \"spring\", k = \"100 N/m\", dx0 = \"{x0} m\" }}\n\
             r = {{ type = \"friction\", f_c = \"{f} N\", r_s = 1 }}\ng = \"ground\"\n[connect]\n\"m\" = [\"k.a\", \"r.a\"]\n\"g\" = [\"k.b\", \"r.b\"]\n\
             [run]\nt_end = \"{t_end} s\"\n"
        );
        let band = f / 100.0;
        let (mut x, mut turns) = (x0, 0.0);
        while f64::abs(x) > band && (turns + 1.0) * PI / 10.0 < t_end {
            x = -(x - 2.0 * band * f64::signum(x));
            turns += 1.0;
        }
        let s = t_end - turns * PI / 10.0;
        let centre = band * x.signum();
        let end = if x.abs() > band { centre + (x - centre) * (10.0 * s).cos() } else { x };
        corpus.right(&format!("dry friction {x0} {f}"), &text, &[("m.x", end, 1e-5)]);
    }
}
