//! Ideal switches in networks: diodes, contacts and check valves whose states depend on each other, with every adaptive solver.

use crate::hybrid::check;

fn run(t_end: &str) -> String {
    format!("[run]\nt_end = \"{t_end}\"\n")
}

/// L i' = U − (R + r) i, or L i' = −U_f − (R + r) i: exponentials from switch to switch.
#[test]
fn a_buck_converter_at_20_khz_follows_its_exponentials() {
    let (u, u_f, r_on, l, r) = (24.0, 0.5, 0.01, 1e-3, 2.0);
    for share in [0.5, 0.2, 0.9] {
        let period = 50e-6;
        let model = format!(
            r#"
[components]
s = {{ type = "voltage_source", U = "{u} V" }}
sw = {{ type = "switch", R_on = "{r_on} Ohm", close = "if mod(time, 50 us) < {} us then 1 else 0" }}
d = {{ type = "diode", U_f = "{u_f} V", R_on = "{r_on} Ohm" }}
l = {{ type = "inductor", L = "{l} H" }}
r = {{ type = "resistor", R = "{r} Ohm" }}
g = "electric_ground"
[connect]
"s.p" = "sw.p"
"sw.n" = ["d.n", "l.p"]
"l.n" = "r.p"
"g" = ["s.n", "d.p", "r.n"]
{}"#,
            share * 50.0,
            run("2 ms")
        );
        let decay = |from: f64, to: f64, dt: f64| to + (from - to) * (-(r + r_on) / l * dt).exp();
        let mut i = 0.0;
        for _ in 0..40 {
            i = decay(i, u / (r + r_on), share * period);
            i = decay(i, -u_f / (r + r_on), (1.0 - share) * period);
        }
        check(&model, &[("r.i", i, 2e-5 * i)]);
    }
}

#[test]
fn diodes_in_a_row_conduct_together() {
    for n in [2, 3, 5] {
        let names: Vec<String> = (1..=n).map(|k| format!("d{k}")).collect();
        let parts: String = names.iter().map(|d| format!("{d} = \"diode\"\n")).collect();
        let joints: String = names.windows(2).map(|w| format!("\"{}.n\" = \"{}.p\"\n", w[0], w[1])).collect();
        let model = format!(
            "[components]\ns = {{ type = \"voltage_source\", drive = \"24 V*sin(2*pi*50*time/1 s)\" }}\nr = {{ type = \"resistor\", R = \"100 Ohm\" }}\ng = \"electric_ground\"\n{parts}[connect]\n\"s.p\" = \"d1.p\"\n{joints}\"d{n}.n\" = \"r.p\"\n\"g\" = [\"s.n\", \"r.n\"]\n{}",
            run("25 ms")
        );
        // At a crest: the thresholds and resistances add up.
        let u = (24.0 - 0.7 * n as f64) / (100.0 + 0.1 * n as f64) * 100.0;
        check(&model, &[("r.u", u, 1e-4)]);
        // Half a period later the source drives backwards.
        check(&model.replace("25 ms", "35 ms"), &[("r.u", -24.0 * 100.0 * 1e-9 / n as f64, 1e-8)]);
    }
}

#[test]
fn a_six_pulse_bridge_gives_the_voltage_between_two_phases() {
    let phase = |shift: &str| format!("drive = \"325 V*sin(2*pi*50*time/1 s{shift})\"");
    let sources: String = [("a", ""), ("b", " - 2*pi/3"), ("c", " + 2*pi/3")]
        .map(|(name, shift)| format!("{name} = {{ type = \"voltage_source\", {} }}\n", phase(shift)))
        .concat();
    let diodes: String = (1..=6).map(|k| format!("d{k} = \"diode\"\n")).collect();
    for ms in [12.0, 21.6, 35.3] {
        let model = format!(
            r#"
[components]
{sources}{diodes}r = {{ type = "resistor", R = "10 Ohm" }}
g = "electric_ground"
[connect]
"g" = ["a.n", "b.n", "c.n"]
"a.p" = ["d1.p", "d4.n"]
"b.p" = ["d2.p", "d5.n"]
"c.p" = ["d3.p", "d6.n"]
"d1.n" = ["d2.n", "d3.n", "r.p"]
"r.n" = ["d4.p", "d5.p", "d6.p"]
{}"#,
            run(&format!("{ms} ms"))
        );
        let at = |shift: f64| 325.0 * (std::f64::consts::TAU * (50e-3 * ms + shift)).sin();
        let u = [at(0.0), at(-1.0 / 3.0), at(1.0 / 3.0)];
        let (high, low) =
            (u.iter().copied().fold(f64::MIN, f64::max), u.iter().copied().fold(f64::MAX, f64::min));
        check(&model, &[("r.u", (high - low - 1.4) / 10.2 * 10.0, 1e-3)]);
    }
}

/// q = R √x of a check valve or a restrictor with the default data, R = 4e-6.
fn drop(q: f64) -> f64 {
    (q / 4e-6).powi(2)
}

const CRACK: f64 = 0.2e5;

#[test]
fn a_graetz_bridge_of_check_valves_rectifies_flow() {
    // Both half waves, also without a volume anywhere.
    for (t_end, q) in [("0.125 s", 1e-3), ("0.375 s", 1e-3), ("1.0625 s", 1e-3 * 0.5_f64.sqrt())] {
        let model = format!(
            r#"
[components]
p = {{ type = "pump", suction = "port", drive = "1e-3 m^3/s*sin(2*pi*2*time/1 s)" }}
v1 = "check_valve"
v2 = "check_valve"
v3 = "check_valve"
v4 = "check_valve"
r = "restrictor"
t = "tank"
[connect]
"p.outlet" = ["v1.a", "v3.b"]
"p.inlet" = ["v2.a", "v4.b"]
"v1.b" = ["v2.b", "r.a"]
"t" = ["v3.a", "v4.a", "r.b"]
{}"#,
            run(t_end)
        );
        let across = 3.0 * drop(q) + 2.0 * CRACK;
        let sign = if t_end == "0.375 s" { -1.0 } else { 1.0 };
        check(&model, &[("r.q", q, 1e-8), ("p.delivery.e", sign * across, 1e-5 * across)]);
    }
}

#[test]
fn check_valves_in_a_row_without_volume_share_the_drop() {
    for (q, level) in [(1e-3, "50 bar"), (1e-4, "200 bar")] {
        let model = format!(
            r#"
[components]
p = {{ type = "pump", drive = "{q} m^3/s*max(sin(2*pi*2*time/1 s), 0)" }}
v1 = "check_valve"
v2 = "check_valve"
r = {{ type = "relief_valve", P_max = "210 bar" }}
a = {{ type = "volume", P0 = "{level}" }}
o = "orifice"
t = "tank"
[connect]
"p.outlet" = ["v1.a", "r.a"]
"v1.b" = "v2.a"
"v2.b" = ["a", "o.a"]
"t" = ["r.b", "o.b"]
{}"#,
            run("1.125 s")
        );
        // The root is smoothed within 100 Pa.
        let y = (q / 4e-6_f64).powi(2);
        let x = (0.5 * y * (y + (y * y + 4e4).sqrt())).sqrt();
        let dp = CRACK + x;
        check(&model, &[("v1.dp", dp, 1e-4 * dp), ("v2.dp", dp, 1e-4 * dp)]);
        // At rest the leakage sets the pressures, not the threshold.
        check(&model.replace("1.125 s", "1.5 s"), &[("v1.dp", 0.0, 1.0), ("v2.dp", 0.0, 1.0)]);
    }
}

#[test]
fn the_stronger_of_two_supplies_feeds_a_line_without_volume() {
    let model = format!(
        r#"
[components]
p1 = {{ type = "pump", drive = "1e-3 m^3/s*max(sin(2*pi*2*time/1 s), 0)" }}
p2 = {{ type = "pump", drive = "0.5e-3 m^3/s*max(-sin(2*pi*2*time/1 s), 0)" }}
v1 = "check_valve"
v2 = "check_valve"
v3 = "check_valve"
r1 = "relief_valve"
r2 = "relief_valve"
t = "tank"
o = "restrictor"
[connect]
"p1.outlet" = ["v1.a", "r1.a"]
"p2.outlet" = ["v2.a", "r2.a"]
"v1.b" = ["v2.b", "v3.a"]
"v3.b" = "o.a"
"t" = ["r1.b", "r2.b", "o.b"]
{}"#,
        run("1.125 s")
    );
    check(&model, &[("o.q", 1e-3, 1e-8), ("v2.q", 0.0, 1e-9)]);
    check(&model.replace("1.125 s", "1.375 s"), &[("o.q", 0.5e-3, 1e-8), ("v1.q", 0.0, 1e-9)]);
}

#[test]
fn a_ring_of_check_valves_passes_oil_on_until_nothing_cracks() {
    // Three litres: each valve ends at its threshold, the sum stays.
    let model = format!(
        r#"
[components]
v1 = "check_valve"
v2 = "check_valve"
v3 = "check_valve"
c1 = {{ type = "volume", P0 = "10 bar" }}
c2 = {{ type = "volume", P0 = "5 bar" }}
c3 = {{ type = "volume", P0 = "1 bar" }}
[connect]
"c1" = ["v1.a", "v3.b"]
"c2" = ["v1.b", "v2.a"]
"c3" = ["v2.b", "v3.a"]
{}"#,
        run("1 s")
    );
    let mean = 16e5 / 3.0;
    check(&model, &[("c1.p", mean + CRACK, 20.0), ("c2.p", mean, 20.0), ("c3.p", mean - CRACK, 20.0)]);
    // One more turn of the ring: from the third into the first.
    let turned = model.replace("\"10 bar\"", "\"2 bar\"").replace("\"1 bar\"", "\"9 bar\"");
    check(&turned, &[("c3.p", mean + CRACK, 20.0), ("c1.p", mean, 20.0), ("c2.p", mean - CRACK, 20.0)]);
}
