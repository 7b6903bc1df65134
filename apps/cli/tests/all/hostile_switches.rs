//! Hostile corpus: ideal switches whose branches depend on each other.

use std::f64::consts::{PI, TAU};

use crate::hostile::{Corpus, runge_kutta};

const BRIDGE: &str = "d1 = \"diode\"\nd2 = \"diode\"\nd3 = \"diode\"\nd4 = \"diode\"\n";

fn source(u: f64, f: f64) -> String {
    format!(
        "s = {{ type = \"voltage_source\", drive = \"{u} V*sin(2*pi*{f}*time/1 s)\" }}\ng = \"electric_ground\"\n"
    )
}

fn run(t_end: f64) -> String {
    format!("[run]\nt_end = \"{t_end} s\"\n")
}

/// C u' = max(|U sin| − 2 U_f − u, 0)/(2 R_on) − u/R; what leaks is below 1e-7 A.
#[test]
fn a_bridge_with_a_capacitor_charges_twice_a_period() {
    let mut corpus = Corpus::new();
    for (u, f, r, c, t_end) in [
        (24.0, 50.0, 100.0, 1e-3, 1.0),
        (24.0, 50.0, 100.0, 1e-3, 0.333),
        (24.0, 50.0, 1e3, 1e-4, 0.21),
        (10.0, 400.0, 50.0, 1e-4, 0.0307),
        (325.0, 50.0, 1e3, 1e-4, 0.105),
        (5.0, 1000.0, 1e4, 1e-6, 0.0102),
        (24.0, 50.0, 100.0, 1e-3, 0.0151),
        (48.0, 60.0, 500.0, 1e-5, 0.11),
        (24.0, 16.7, 20.0, 1e-2, 0.4),
        (12.0, 50.0, 1e4, 1e-3, 0.5),
        (3.0, 50.0, 30.0, 1e-4, 0.077),
    ] {
        let text = format!(
            "[components]\n{}{BRIDGE}r = {{ type = \"resistor\", R = \"{r} Ohm\" }}\nc = {{ type = \"capacitor\", C = \"{c} F\" }}\n[connect]\n\
             \"s.p\" = [\"d1.p\", \"d3.n\"]\n\"s.n\" = [\"d2.p\", \"d4.n\"]\n\"d1.n\" = [\"d2.n\", \"r.p\", \"c.p\"]\n\"g\" = [\"d3.p\", \"d4.p\", \"r.n\", \"c.n\"]\n{}",
            source(u, f),
            run(t_end)
        );
        let rate = |t: f64, y: &[f64; 1]| {
            [(((u * (TAU * f * t).sin()).abs() - 1.4 - y[0]).max(0.0) / 0.2 - y[0] / r) / c]
        };
        let [right] = runge_kutta(rate, [0.0], t_end, (t_end / (0.1 * c).min(2e-6)).ceil() as usize);
        corpus.right(&format!("bridge {u} {f} {r} {c} {t_end}"), &text, &[("c.u", right, 1e-3 * right)]);
    }
    corpus.finish();
}

/// All four conduct where the voltage is low: L i' = max(|u|, R_on i) − 2 U_f − (2 R_on + R) i, i ≥ 0. Blocked, its time constant is L G_off.
#[test]
fn a_bridge_drives_a_coil_that_keeps_all_diodes_conducting() {
    let mut corpus = Corpus::new();
    for (r, l, t_end) in [
        (10.0, 0.1, 0.203),
        (1.0, 0.01, 0.0857),
        (100.0, 0.05, 0.0513),
        (0.5, 0.5, 0.3),
        (0.1, 0.1, 0.151),
        (2.0, 0.002, 0.0437),
        (1.0, 0.01, 0.0073),
        (5.0, 1.0, 0.4),
        (20.0, 0.02, 0.0999),
        (1.0, 1e-4, 0.0261),
    ] {
        let text = format!(
            "[components]\n{}{BRIDGE}r = {{ type = \"resistor\", R = \"{r} Ohm\" }}\nl = {{ type = \"inductor\", L = \"{l} H\" }}\n[connect]\n\
             \"s.p\" = [\"d1.p\", \"d3.n\"]\n\"s.n\" = [\"d2.p\", \"d4.n\"]\n\"d1.n\" = [\"d2.n\", \"l.p\"]\n\"l.n\" = \"r.p\"\n\"g\" = [\"d3.p\", \"d4.p\", \"r.n\"]\n{}",
            source(24.0, 50.0),
            run(t_end)
        );
        let rate = |t: f64, y: &[f64; 1]| {
            let i_dot = ((24.0 * (TAU * 50.0 * t).sin()).abs().max(0.1 * y[0]) - 1.4 - (0.2 + r) * y[0]) / l;
            [if y[0] > 0.0 { i_dot } else { i_dot.max(0.0) }]
        };
        let [right] = runge_kutta(rate, [0.0], t_end, (t_end * 2e6) as usize);
        corpus.right_or_stiff(&format!("coil {r} {l} {t_end}"), &text, &[("l.i", right, 1e-5 * right)]);
    }
    corpus.finish();
}

/// No state at all: r.u = max(|u| − 2 U_f, 0) R/(R + 2 R_on).
#[test]
fn a_bridge_on_a_resistor_alone_follows_its_source() {
    let mut corpus = Corpus::new();
    for (r, t_end) in [
        (0.1, 0.0151),
        (5.0, 0.0151),
        (10.0, 0.0151),
        (100.0, 0.0251),
        (100.0, 0.0301),
        (100.0, 0.0401),
        (100.0, 0.9951),
        (1e3, 0.0151),
        (1e4, 0.0163),
        (1e6, 0.0151),
    ] {
        let text = format!(
            "[components]\n{}{BRIDGE}r = {{ type = \"resistor\", R = \"{r} Ohm\" }}\n[connect]\n\
             \"s.p\" = [\"d1.p\", \"d3.n\"]\n\"s.n\" = [\"d2.p\", \"d4.n\"]\n\"d1.n\" = [\"d2.n\", \"r.p\"]\n\"g\" = [\"d3.p\", \"d4.p\", \"r.n\"]\n{}",
            source(24.0, 50.0),
            run(t_end)
        );
        let u = (24.0 * (TAU * 50.0 * t_end).sin()).abs();
        let right = (u - 1.4).max(0.0) / (r + 0.2) * r;
        // Blocked diodes let 1e-9 S through.
        corpus.right(&format!("resistor {r} {t_end}"), &text, &[("r.u", right, 1e-7 + 1e-9 * u * r)]);
    }
    corpus.finish();
}

#[test]
fn converters_clippers_and_doublers_follow_their_exponentials() {
    let mut corpus = Corpus::new();
    // Two diodes back to back clip at ± U_f, three in a row against one at their sum.
    for (n, t_end) in [(1, 0.005), (1, 0.015), (3, 0.005), (3, 0.015)] {
        let row: String = (1..=n).map(|k| format!("u{k} = \"diode\"\n")).collect();
        let joints: String = (1..n).map(|k| format!("\"u{k}.n\" = \"u{}.p\"\n", k + 1)).collect();
        let text = format!(
            "[components]\n{}r = {{ type = \"resistor\", R = \"100 Ohm\" }}\n{row}d = \"diode\"\n[connect]\n\"s.p\" = \"r.p\"\n\
             \"r.n\" = [\"u1.p\", \"d.n\"]\n{joints}\"g\" = [\"s.n\", \"u{n}.n\", \"d.p\"]\n{}",
            source(24.0, 50.0),
            run(t_end)
        );
        let (count, sign) = if t_end < 0.01 { (f64::from(n), 1.0) } else { (1.0, -1.0) };
        let i = sign * (24.0 - 0.7 * count) / (100.0 + 0.1 * count);
        corpus.right(&format!("clipper {n} {t_end}"), &text, &[("r.i", i, 1e-6)]);
    }
    // A coil is fed for a time, then runs free through a diode: exponentials.
    for (on, period, t_end) in [(0.3, 1.0, 10.0), (0.9, 1.0, 10.0), (0.01, 0.5, 5.0)] {
        let text = format!(
            "[components]\ns = {{ type = \"voltage_source\", U = \"12 V\" }}\nw = {{ type = \"switch\", R_on = \"0.01 Ohm\", close = \"if mod(time, {period} ms) < {on} ms then 1 else 0\" }}\n\
             d = {{ type = \"diode\", U_f = \"0.5 V\", R_on = \"0.01 Ohm\" }}\nl = {{ type = \"inductor\", L = \"1 mH\" }}\nr = {{ type = \"resistor\", R = \"1 Ohm\" }}\n\
             g = \"electric_ground\"\n[connect]\n\"s.p\" = \"w.p\"\n\"w.n\" = [\"d.n\", \"l.p\"]\n\"l.n\" = \"r.p\"\n\"g\" = [\"s.n\", \"d.p\", \"r.n\"]\n{}",
            run(t_end * 1e-3)
        );
        let decay = |i: f64, u: f64, t: f64| u / 1.01 + (i - u / 1.01) * (-1010.0 * t).exp();
        // It runs free until the current is used up.
        let free = |i: f64, t: f64| decay(i, -0.5, t).max(0.0);
        let mut i = 0.0;
        for _ in 0..(t_end / period) as usize {
            i = free(decay(i, 12.0, on * 1e-3), (period - on) * 1e-3);
        }
        let expected = [("r.i", i, 1e-4 * (0.1 + i))];
        // Once the current is used up the coil is blocked.
        if i > 0.0 {
            corpus.right(&format!("coil {on} {period}"), &text, &expected);
        } else {
            corpus.right_or_stiff(&format!("coil {on} {period}"), &text, &expected);
        }
    }
    // Boost: L i' = U − (v + U_f if the switch is open), C v' = i or 0 − v/R.
    for share in [0.3, 0.6] {
        let text = format!(
            "[components]\ns = {{ type = \"voltage_source\", U = \"12 V\" }}\nw = {{ type = \"switch\", R_on = \"0.01 Ohm\", close = \"if mod(time, 0.1 ms) < {} ms then 1 else 0\" }}\n\
             d = \"diode\"\nl = {{ type = \"inductor\", L = \"1 mH\" }}\nr = {{ type = \"resistor\", R = \"50 Ohm\" }}\nc = {{ type = \"capacitor\", C = \"10 uF\" }}\n\
             g = \"electric_ground\"\n[connect]\n\"s.p\" = \"l.p\"\n\"l.n\" = [\"w.p\", \"d.p\"]\n\"d.n\" = [\"c.p\", \"r.p\"]\n\"g\" = [\"s.n\", \"w.n\", \"c.n\", \"r.n\"]\n{}",
            0.1 * share,
            run(4e-3)
        );
        let rate = |t: f64, y: &[f64; 2]| {
            let closed = (t * 1e4 + 1e-7) % 1.0 < share;
            let (drop, out) = if closed {
                (0.01 * y[0], 0.0)
            } else if y[0] > 0.0 {
                (0.1 * y[0] + 0.7 + y[1], y[0])
            } else {
                (12.0, 0.0)
            };
            [(12.0 - drop) / 1e-3, (out - y[1] / 50.0) / 10e-6]
        };
        let [i, v] = runge_kutta(rate, [0.0, 0.0], 4e-3, 400_000);
        let expected = [("c.u", v, 2e-3 * v), ("l.i", i, 2e-3 * i.max(1.0))];
        // With a short share the current is used up in every period.
        if share < 0.5 {
            corpus.right_or_stiff(&format!("boost {share}"), &text, &expected);
        } else {
            corpus.right(&format!("boost {share}"), &text, &expected);
        }
    }
    // Doubler: one capacitor charges in each half wave; the load sees both.
    for (f, t_end) in [(50.0, 0.205), (200.0, 0.0615)] {
        let text = format!(
            "[components]\n{}d1 = \"diode\"\nd2 = \"diode\"\na = {{ type = \"capacitor\", C = \"100 uF\" }}\nb = {{ type = \"capacitor\", C = \"100 uF\" }}\n\
             r = {{ type = \"resistor\", R = \"5 kOhm\" }}\n[connect]\n\"s.p\" = [\"d1.p\", \"d2.n\"]\n\"d1.n\" = [\"a.p\", \"r.p\"]\n\"d2.p\" = [\"b.n\", \"r.n\"]\n\
             \"g\" = [\"s.n\", \"a.n\", \"b.p\"]\n{}",
            source(10.0, f),
            run(t_end)
        );
        let rate = |t: f64, y: &[f64; 2]| {
            let (u, i) = (10.0 * (TAU * f * t).sin(), (y[0] + y[1]) / 5e3);
            [((u - y[0] - 0.7).max(0.0) / 0.1 - i) / 1e-4, ((-u - y[1] - 0.7).max(0.0) / 0.1 - i) / 1e-4]
        };
        let [a, b] = runge_kutta(rate, [0.0, 0.0], t_end, (t_end * 1e6) as usize);
        corpus.right(&format!("doubler {f}"), &text, &[("a.u", a, 1e-2), ("b.u", b, 1e-2)]);
    }
    // Three phases, half wave: the highest feeds the load.
    for t_end in [0.004, 0.0113, 0.0187] {
        let names = ["a", "b", "c"];
        let phases: String = (0..3)
            .map(|k| format!("{} = {{ type = \"voltage_source\", drive = \"100 V*sin(2*pi*50*time/1 s - {k}*2*pi/3)\" }}\nd{} = \"diode\"\n", names[k], names[k]))
            .collect();
        let joints: String = names.map(|n| format!("\"{n}.p\" = \"d{n}.p\"\n")).concat();
        let text = format!(
            "[components]\n{phases}r = {{ type = \"resistor\", R = \"10 Ohm\" }}\ng = \"electric_ground\"\n[connect]\n{joints}\
             \"da.n\" = [\"db.n\", \"dc.n\", \"r.p\"]\n\"g\" = [\"a.n\", \"b.n\", \"c.n\", \"r.n\"]\n{}",
            run(t_end)
        );
        let u = (0..3)
            .map(|k| 100.0 * (TAU * 50.0 * t_end - f64::from(k) * 2.0 * PI / 3.0).sin())
            .fold(f64::MIN, f64::max);
        corpus.right(&format!("three phases {t_end}"), &text, &[("r.u", (u - 0.7) / 10.1 * 10.0, 1e-5)]);
    }
    corpus.finish();
}

/// Sources of alternating flow or current into the nodes of a bridge, with nothing that stores between source and valves: all valves are closed at
/// once where the flow passes zero, and the pressure between them jumps. What leaves the bridge is Σ |q| of a pair of nodes, Σ max(q, 0) of single
/// ones, less what two closed valves leak.
#[test]
fn a_bridge_fed_by_an_alternating_flow_rectifies_it() {
    let mut corpus = Corpus::new();
    let mut tried = |name: &str, model: &str, column: &str, right: f64| {
        // Sizes that are learnt hold a state to 100 rtol of its largest value; the coarse runs are to be better than that.
        for (rtol, off) in [(1e-6, 1e-4), (1e-3, 3e-2)] {
            let text = format!("{model}rtol = {rtol:e}\n");
            corpus.right(&format!("{name} {rtol:e}"), &text, &[(column, right, off * right)]);
        }
    };
    let drive = |q: f64, f: f64, phase: f64| format!("{q:e}*sin(2*pi*{f}*time/1 s + {phase})");
    // V/β p' = |q| − R √(p − p_t) − 2 G_leak (p − p_t).
    for (q, f, phase, v, t_end) in [
        (1e-4, 10.0, 0.0, 10.0, 0.55),
        (1e-5, 3.0, 0.0, 1.0, 1.0),
        (1e-5, 17.0, 1.1, 0.1, 0.5),
        (1e-5, 50.0, 0.0, 1.0, 0.35),
        (1e-5, 7.0, 0.5, 5.0, 1.0),
        (1e-6, 25.0, 0.3, 0.05, 0.3),
    ] {
        let model = format!(
            "[components]\ns = {{ type = \"pump\", suction = \"port\", drive = \"1 m^3/s*{}\" }}\nv1 = \"check_valve\"\nv2 = \"check_valve\"\n\
             v3 = \"check_valve\"\nv4 = \"check_valve\"\na = {{ type = \"volume\", V0 = \"{v} l\", P0 = \"10 bar\" }}\n\
             r = {{ type = \"restrictor\", R = \"1e-9 (m^7/kg)^0.5\" }}\nt = {{ type = \"reservoir\", P = \"1 bar\" }}\n[connect]\n\
             \"s.outlet\" = [\"v1.a\", \"v3.b\"]\n\"s.inlet\" = [\"v2.a\", \"v4.b\"]\n\"v1.b\" = [\"v2.b\", \"a\", \"r.a\"]\n\"t\" = [\"v3.a\", \"v4.a\", \"r.b\"]\n{}",
            drive(q, f, phase),
            run(t_end)
        );
        let rate = |t: f64, p: &[f64; 1]| {
            let above = p[0] - 1e5;
            let flow = (q * (TAU * f * t + phase).sin()).abs() - 1e-9 * above.sqrt() - 2e-17 * above;
            [1.4e9 / (v * 1e-3) * flow]
        };
        let [right] = runge_kutta(rate, [1e6], t_end, 200_000);
        tried(&format!("valves {q} {f} {phase} {v}"), &model, "a.p", right);
    }
    // Three phases, each between a suction valve and a pressure valve.
    for (q, f, v, t_end) in [(1e-4, 10.0, 10.0, 0.7), (1e-5, 27.0, 0.5, 0.25)] {
        let phases: String = (0..3)
            .map(|k| format!("s{k} = {{ type = \"pump\", suction = \"port\", drive = \"1 m^3/s*{}\" }}\nu{k} = \"check_valve\"\nl{k} = \"check_valve\"\n", drive(q, f, -f64::from(k) * TAU / 3.0)))
            .collect();
        let joints: String =
            (0..3).map(|k| format!("\"s{k}.outlet\" = [\"u{k}.a\", \"l{k}.b\"]\n")).collect();
        let model = format!(
            "[components]\n{phases}a = {{ type = \"volume\", V0 = \"{v} l\", P0 = \"10 bar\" }}\nr = {{ type = \"restrictor\", R = \"1e-9 (m^7/kg)^0.5\" }}\n\
             t = {{ type = \"reservoir\", P = \"1 bar\" }}\n[connect]\n{joints}\"u0.b\" = [\"u1.b\", \"u2.b\", \"a\", \"r.a\"]\n\
             \"t\" = [\"s0.inlet\", \"s1.inlet\", \"s2.inlet\", \"l0.a\", \"l1.a\", \"l2.a\", \"r.b\"]\n{}",
            run(t_end)
        );
        let rate = |t: f64, p: &[f64; 1]| {
            let one = |k: i32| (q * (TAU * (f * t - f64::from(k) / 3.0)).sin()).max(0.0);
            let above = p[0] - 1e5;
            [1.4e9 / (v * 1e-3) * ((0..3).map(one).sum::<f64>() - 1e-9 * above.sqrt() - 3e-17 * above)]
        };
        let [right] = runge_kutta(rate, [1e6], t_end, 200_000);
        tried(&format!("three phases of valves {q} {f} {v}"), &model, "a.p", right);
    }
    // C u' = |i| − u/R − 2 G_off u.
    for (i, f, phase, c, r, t_end) in [
        (1.0, 50.0, 0.0, 1e-3, 20.0, 0.21),
        (10.0, 400.0, 0.7, 1e-4, 5.0, 0.03),
        (1e-3, 50.0, 0.0, 1e-6, 1e4, 0.11),
        (0.1, 3.0, 1.0, 1e-2, 100.0, 1.7),
    ] {
        let model = format!(
            "[components]\ns = {{ type = \"current_source\", drive = \"1 A*{}\" }}\n{BRIDGE}g = \"electric_ground\"\nr = {{ type = \"resistor\", R = \"{r} Ohm\" }}\n\
             c = {{ type = \"capacitor\", C = \"{c} F\" }}\n[connect]\n\"s.n\" = [\"d1.p\", \"d3.n\"]\n\"s.p\" = [\"d2.p\", \"d4.n\"]\n\
             \"d1.n\" = [\"d2.n\", \"r.p\", \"c.p\"]\n\"g\" = [\"d3.p\", \"d4.p\", \"r.n\", \"c.n\"]\n{}",
            drive(i, f, phase),
            run(t_end)
        );
        let rate =
            |t: f64, u: &[f64; 1]| [((i * (TAU * f * t + phase).sin()).abs() - u[0] / r - 2e-9 * u[0]) / c];
        let [right] = runge_kutta(rate, [0.0], t_end, 200_000);
        tried(&format!("diodes {i} {f} {phase} {c} {r}"), &model, "c.u", right);
    }
    corpus.finish();
}
