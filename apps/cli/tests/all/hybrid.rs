//! Classes of hybrid models that once came out wrong without a word, each with its closed form, for every adaptive solver.

use crate::program::Folder;

const SOLVERS: [&str; 5] = ["rodas5p", "esdirk34", "trbdf2", "bdf", "tsit45"];

/// The last value of each column, for a model run with every solver.
pub fn check(model: &str, expected: &[(&str, f64, f64)]) {
    for solver in SOLVERS {
        let folder = Folder::new();
        folder.write("m.toml", model);
        folder.good(&["run", "m.toml", "-o", "m.csv", "--solver", solver]);
        let text = folder.read("m.csv");
        let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#')).collect();
        let head: Vec<&str> = lines[0].split(',').collect();
        let last: Vec<&str> = lines[lines.len() - 1].split(',').collect();
        for &(name, value, tolerance) in expected {
            let place = head.iter().position(|h| h.split(' ').next() == Some(name)).unwrap();
            let found: f64 = last[place].parse().unwrap();
            assert!((found - value).abs() <= tolerance, "{solver}: {name} is {found}, not {value}");
        }
    }
}

#[test]
fn a_relation_takes_its_side_from_its_value_after_a_jump() {
    // 35 °C after each refill: 5 s below 40 °C at 1 W, then 210 s at 0.1 K/s up to 61 °C; the first refill comes at 10 s.
    check(
        r#"
[variables]
temp = { unit = "°C", start = 60 }
use = { unit = "J", start = 0 }
[modes]
n = 0
[equations]
a = "der(temp) = if temp < 40 °C then 1 K/s else 0.1 K/s"
b = "der(use) = if temp < 40 °C then 1 W else 0"
[events.refill]
when = "temp > 61 °C"
set = { temp = "35 °C", n = "n + 1" }
[run]
t_end = "1000 s"
"#,
        &[("n", 5.0, 0.0), ("use", 25.0, 1e-6)],
    );
    let wave = |period: f64, width: f64| {
        format!(
            "[variables]\nz = {{ start = 0 }}\n[equations]\nc = \"der(z)*1 s = if mod(time, {period} s) < {width} s then 1 else 0\"\n[run]\nt_end = \"{} s\"\n",
            10.0 * period
        )
    };
    for (period, width) in [(1.0, 0.1), (0.25, 0.05), (3.0, 2.9)] {
        check(&wave(period, width), &[("z", 10.0 * width, 1e-7)]);
    }
}

#[test]
fn inputs_of_time_are_not_slept_through() {
    for (start, width) in [(500.0, 1e-3), (123.456, 1e-4), (999.0, 0.1)] {
        let (a, b, c) = (start, start + width, start + 2.0 * width);
        let table = format!(
            "[tables]\np = {{ x = [\"0 s\", \"{a} s\", \"{b} s\", \"{c} s\", \"1000 s\"], y = [0, 0, {}, 0, 0] }}\n",
            1.0 / width
        );
        let model = format!(
            "{table}[variables]\nx = {{ start = 0 }}\n[equations]\na = \"der(x)*1 s = p(time)\"\n[run]\nt_end = \"1000 s\"\n"
        );
        check(&model, &[("x", 1.0, 1e-5)]);
    }
}

#[test]
fn a_fast_guard_of_time_is_not_aliased() {
    check(
        r#"
[modes]
n = 0
[variables]
x = { start = 0 }
[equations]
a = "der(x)*1 s = 1"
[events.up]
when = "sin(2*pi*1000*time/1 s) > 0.9999"
set = { n = "n + 1" }
[run]
t_end = "0.2 s"
"#,
        &[("n", 200.0, 0.0)],
    );
}

#[test]
fn no_phase_of_conduction_is_stepped_over() {
    // Energy into a load behind max(): ∫ max(sin, 0.5) − 0.5 over a period is (√3 − 2π/3 + … )/2π in closed form.
    let share = (3.0_f64.sqrt() - std::f64::consts::PI / 3.0) / std::f64::consts::TAU;
    let model = r#"
[variables]
u = { start = 0 }
v = { start = 1 }
z = { start = 0 }
[equations]
a = "der(u)*1 s = 2*pi*50*v"
b = "der(v)*1 s = -2*pi*50*u"
c = "der(z)*1 s = max(u - 0.5, 0)"
[run]
t_end = "1 s"
rtol = 1e-8
"#;
    check(model, &[("z", share, 1e-5)]);
}

#[test]
fn events_that_meet_all_act() {
    let model = r#"
[variables]
x = { start = 0 }
y = { start = 0 }
[equations]
a = "der(x)*1 s = 1"
b = "der(y)*1 s = 0"
[events.one]
when = "x > 1"
set = { y = "y + 1" }
[events.two]
when = "time > 1 s"
set = { y = "y + 10" }
[run]
t_end = "2 s"
"#;
    check(model, &[("y", 11.0, 0.0)]);
}

#[test]
fn a_bridge_of_ideal_diodes_rectifies() {
    // Without a capacitor the load sees |24 V sin| less two thresholds: at the crest (24 − 1.4)/(100 + 0.2) · 100 V.
    let model = r#"
[components]
s = { type = "voltage_source", drive = "24 V*sin(2*pi*50*time/1 s)" }
d1 = "diode"
d2 = "diode"
d3 = "diode"
d4 = "diode"
r = { type = "resistor", R = "100 Ohm" }
g = "electric_ground"
[connect]
"s.p" = ["d1.p", "d3.n"]
"s.n" = ["d2.p", "d4.n"]
"d1.n" = ["d2.n", "r.p"]
"g" = ["d3.p", "d4.p", "r.n"]
[variables]
q = { unit = "C", start = 0 }
[equations]
charge = "der(q) = r.i"
[run]
t_end = "15 ms"
"#;
    check(model, &[("r.u", 22.6 / 100.2 * 100.0, 1e-3)]);
}
