//! One machine for every pair of domains, with a store that depends on another and losses that determine each other,
//! against its solution by hand: the stores taken together, the losses eliminated. What is left is solved in closed form,
//! or, where a loss is not linear, as one equation of first order.
//!
//! The files derive the solutions; the tests take their parameters from the run.

use std::collections::HashMap;
use std::path::Path;

use trunnion_engine::project::Project;
use trunnion_model::network::BondNodeKind;
use trunnion_study::Monitor;
use trunnion_study::energy::balance_of;
use trunnion_study::measure::{MeasureKind, Probe};
use trunnion_study::simulate::{Overrides, settings};

const RTOL: f64 = 1e-9;
/// Allowed between run and solution, relative: a run keeps its RTOL in every step, not in the sum of them.
const NEAR: f64 = 1e-6;

fn path(pair: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/models/pairs/{pair}.toml"));
    file.to_string_lossy().into_owned()
}

/// Parameters by their names, and the values of signals at time `t` of a run.
fn run<const P: usize, const S: usize>(
    pair: &str,
    t: f64,
    parameters: &str,
    signals: [&str; S],
) -> ([f64; P], [f64; S]) {
    let project = Project::open(&path(pair), &[]).unwrap_or_else(|f| panic!("{pair}: {}", f));
    let system = &project.prepared.system;
    let start = system.start(&HashMap::new());
    let parameter = |name| start.value(system.find(name).unwrap_or_else(|| panic!("{pair}: no `{name}`")));
    let parameters: Vec<f64> = parameters.split(' ').map(parameter).collect();
    let measured = || {
        let wanted = signals.map(|name| MeasureKind::parse(&format!("at({name}, {t} s)")));
        let probe = Probe::new(&project, wanted.into_iter().collect::<Result<_, _>>()?)?;
        let overrides = Overrides { rtol: Some(RTOL), ..Overrides::default() };
        let (solver, settings) = settings(&project.run, &overrides)?;
        probe.run(&project, &HashMap::new(), (solver, &settings), &Monitor::default())
    };
    let (found, _) = measured().unwrap_or_else(|f| panic!("{pair}: {}", f));
    (parameters.try_into().unwrap(), found.values.try_into().unwrap())
}

/// The stores without a state, the losses of each loop, and that no energy is lost or gained.
fn check(pair: &str, dependent: &[&str], loops: &[&[&str]]) {
    let opened = trunnion_engine::Workspace::default().open_with_energy(&path(pair), &[]);
    let (project, accounts) = opened.unwrap_or_else(|f| panic!("{pair}: {}", f));
    let name = |node: usize| project.network.nodes[node].name.as_str();
    let found: Vec<&str> = project.causality.derivative.iter().map(|d| name(d.node)).collect();
    assert_eq!(found, dependent, "{pair}");
    let is_loss = |n: &usize| project.network.nodes[*n].kind == BondNodeKind::R;
    let losses = |nodes: &[usize]| nodes.iter().copied().filter(is_loss).map(name).collect();
    let found: Vec<Vec<&str>> = project.causality.loops.iter().map(|l| losses(&l.nodes)).collect();
    assert_eq!(found, loops, "{pair}");
    for code in ["N0002", "N0003"] {
        assert!(project.notes.iter().any(|n| n.code == code), "{pair}: {code} is not told");
    }
    let overrides = Overrides { rtol: Some(RTOL), ..Overrides::default() };
    let balance =
        balance_of(&project, accounts, &overrides, &Monitor::default()).unwrap_or_else(|f| panic!("{}", f));
    assert!(balance.relative() < 1e-8, "{pair}: {} J of {} J", balance.rest, balance.scale);
}

fn near(what: &str, found: f64, expected: f64) {
    let error = (found / expected - 1.0).abs();
    assert!(error < NEAR, "{what}: {found}, by hand {expected}: {error:.1e}");
}

/// y at `t_end` of y' = rate(y), y(0) = `start`; classical Runge–Kutta in steps so fine that halving them changes nothing.
fn rk4<const N: usize>(t_end: f64, start: [f64; N], rate: impl Fn([f64; N]) -> [f64; N]) -> [f64; N] {
    const STEPS: usize = 4000;
    let h = t_end / STEPS as f64;
    let along = |y: [f64; N], k: [f64; N], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    (0..STEPS).fold(start, |y, _| {
        let a = rate(y);
        let b = rate(along(y, a, 0.5 * h));
        let c = rate(along(y, b, 0.5 * h));
        let d = rate(along(y, c, h));
        std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]))
    })
}

/// Where a rising function is zero, by bisection down to neighbouring numbers.
fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
}

/// Flow through an orifice, root smoothed at d: R Δp/(Δp² + d²)^¼.
fn orifice(r: f64, dp: f64, d: f64) -> f64 {
    r * dp / (dp * dp + d * d).powf(0.25)
}

/// ∫₀ᵗ exp(−(t − s)/T) exp(−b s) ds: what an exponential leaves in a store of time constant T.
fn left_of_exponential(t: f64, b: f64, time: f64) -> f64 {
    ((-b * t).exp() - (-t / time).exp()) / (1.0 / time - b)
}

/// Effective mass m + J/r²; damper and slipping drum in series.
#[test]
fn translational_rotational() {
    let pair = "translational_rotational";
    check(pair, &["wheel.inertia"], &[&["damper.loss", "drum.loss"]]);
    let t = 0.3;
    let ([f, m, r, j, c, r_2, tau_c, w_c], [v, w]) =
        run(pair, t, "F m r J c r_2 tau_c w_c", ["sled.v", "wheel.w"]);
    // c (v − r_2 w_2) r_2 = tau_c tanh(w_2/w_c)
    let drag = |v: f64| {
        let slip = root(0.0, v / r_2, |w_2| tau_c * (w_2 / w_c).tanh() - r_2 * c * (v - r_2 * w_2));
        c * (v - r_2 * slip)
    };
    let [by_hand] = rk4(t, [0.0], |[v]| [(f - drag(v)) / (m + j / (r * r))]);
    near("v", v, by_hand);
    near("w", w, by_hand / r);
}

/// Effective mass m_2 + i² m_1 of a hydraulic lever; orifice and tube side by side.
#[test]
fn translational_hydraulic() {
    let pair = "translational_hydraulic";
    check(pair, &["large.inertia"], &[&["orifice.loss", "tube.loss"]]);
    let t = 0.005;
    let ([f, m_1, m_2, a_1, a_2, a_r, r, r_l, p_t, d], [v, p]) =
        run(pair, t, "F m_1 m_2 A_1 A_2 A_r R R_l P_t orifice.dp_lam", ["large.v", "ram.p_r"]);
    let i = a_2 / a_1;
    let drop = |v: f64| root(0.0, a_r * v * r_l, |dp| orifice(r, dp, d) + dp / r_l - a_r * v);
    let mass = m_2 + i * i * m_1;
    let [by_hand] = rk4(t, [0.0], |[v]| [(i * f - a_r * (p_t + drop(v))) / mass]);
    near("v", v, by_hand);
    near("p", p, p_t + drop(by_hand));
}

/// A mass behind a voice coil is a capacitor m/k²; resistor and diode in series.
#[test]
fn translational_electric() {
    let pair = "translational_electric";
    check(pair, &["body.inertia"], &[&["line.loss", "valve.loss"]]);
    let t = 0.2;
    let ([u, r, u_f, r_on, cap, k, m, c], [v, i]) =
        run(pair, t, "U R U_f R_on C k m c", ["body.v", "line.i"]);
    let (r_s, g) = (r + r_on, c / (k * k));
    let time = (cap + m / (k * k)) / (1.0 / r_s + g);
    let by_hand = (u - u_f) / (1.0 + r_s * g) * (1.0 - (-t / time).exp());
    near("v", v, by_hand / k);
    near("i", i, (u - u_f - by_hand) / r_s);
}

/// Two masses, two dampers in series; two heat capacities, two layers.
#[test]
fn translational_thermal() {
    let pair = "translational_thermal";
    let loops: [&[&str]; 2] = [&["first.loss", "second.loss"], &["layer.wall", "layer_2.wall"]];
    check(pair, &["trailer.inertia", "body_2.store"], &loops);
    let t = 12.0;
    let ([m_1, m_2, v_0, c_1, c_2, k_1, k_2, r_1, r_2, t_0], [v, temp]) =
        run(pair, t, "m_1 m_2 v_0 c_1 c_2 C_1 C_2 R_1 R_2 T_0", ["trailer.v", "body_2.temp"]);
    let (m, c, k) = (m_1 + m_2, 1.0 / (1.0 / c_1 + 1.0 / c_2), k_1 + k_2);
    near("v", v, v_0 * (-t * c / m).exp());
    near("T", temp - t_0, c * v_0 * v_0 / k * left_of_exponential(t, 2.0 * c / m, (r_1 + r_2) * k));
}

/// Inertia J_1 + J_2/n²; the pressure between orifice and leak is the root of a quadratic.
#[test]
fn rotational_hydraulic() {
    let pair = "rotational_hydraulic";
    check(pair, &["wheel.inertia"], &[&["orifice.loss", "motor.leak"]]);
    let t = 0.3;
    let ([p, p_t, r, v_g, g, c, j_1, n, j_2], [w, q]) =
        run(pair, t, "P P_t R V_g G c J_1 n J_2", ["wheel.w", "orifice.q"]);
    let d = v_g / std::f64::consts::TAU;
    let y = |w: f64| ((r * r + 4.0 * g * (d * w + g * (p - p_t))).sqrt() - r) / (2.0 * g);
    let torque = |w: f64| d * (p - p_t - y(w) * y(w)) - c * w;
    let [by_hand] = rk4(t, [0.0], |[w]| [torque(w) / (j_1 + j_2 / (n * n))]);
    near("w", w, by_hand / n);
    near("q", q, r * y(by_hand));
}

/// Inductance L + L_2, inertia J + J_2/n², the divider as one source: two poles.
#[test]
fn rotational_electric() {
    let pair = "rotational_electric";
    check(pair, &["motor.coil", "wheel.inertia"], &[&["upper.loss", "lower.loss"]]);
    let t = 0.03;
    let ([u, r_1, r_2, r, l, l_2, k, j, c, n, j_2], [w, i]) =
        run(pair, t, "U R_1 R_2 R L L_2 k J c n J_2", ["wheel.w", "choke.i"]);
    let (u_0, r_s) = (u * r_2 / (r_1 + r_2), r_1 * r_2 / (r_1 + r_2) + r);
    let (l_s, j_s) = (l + l_2, j + j_2 / (n * n));
    let (a, b) = (0.5 * (r_s / l_s + c / j_s), (r_s * c + k * k) / (l_s * j_s));
    let (s_1, s_2) = (-a + (a * a - b).sqrt(), -a - (a * a - b).sqrt());
    let (e_1, e_2) = ((t * s_1).exp(), (t * s_2).exp());
    let end = u_0 * k / (l_s * j_s * b);
    let speed = end * (1.0 + (s_2 * e_1 - s_1 * e_2) / (s_1 - s_2));
    let rate = end * s_1 * s_2 * (e_1 - e_2) / (s_1 - s_2);
    near("w", w, speed / n);
    near("i", i, (j_s * rate + c * speed) / k);
}

/// Two flywheels, a coupling and a brake in series: at first the torque of the brake, then less of it.
#[test]
fn rotational_thermal() {
    let pair = "rotational_thermal";
    let loops: [&[&str]; 2] = [&["coupling.loss", "brake.loss"], &["layer.wall", "layer_2.wall"]];
    check(pair, &["geared.inertia", "body_2.store"], &loops);
    let t = 1.1;
    let ([j_1, n, j_2, w_0, c, m, w_c, k_1, k_2, r_1, r_2, t_0], [w, temp]) =
        run(pair, t, "J_1 n J_2 w_0 c M w_c C_1 C_2 R_1 R_2 T_0", ["geared.w", "body_2.temp"]);
    let (j, k, r) = (j_1 + j_2 / (n * n), k_1 + k_2, r_1 + r_2);
    let torque = |w: f64| c * (w - root(0.0, w, |w_b| m * (w_b / w_c).tanh() - c * (w - w_b)));
    let rate = |[w, rise]: [f64; 2]| [-torque(w) / j, (torque(w) * w - rise / r) / k];
    let [speed, rise] = rk4(t, [w_0, 0.0], rate);
    near("w", w, speed / n);
    near("T", temp - t_0, rise);
}

/// A column of liquid behind a gyrator is a capacitor I/k²; battery and cable in series, orifice and tube side by side.
#[test]
fn hydraulic_electric() {
    let pair = "hydraulic_electric";
    check(pair, &["column.mass"], &[&["inner.loss", "cable.loss"], &["orifice.loss", "tube.loss"]]);
    let t = 0.05;
    let ([u, r_i, r_w, cap, k, inertance, r, r_l, d], [q, i]) =
        run(pair, t, "U R_i R_w C k I R R_l orifice.dp_lam", ["column.q", "cable.i"]);
    let drop = |q: f64| root(0.0, q * r_l, |dp| orifice(r, dp, d) + dp / r_l - q);
    let current = |x: f64| (u - x) / (r_i + r_w);
    let [by_hand] = rk4(t, [0.0], |[x]| [(current(x) - drop(x / k) / k) / (cap + inertance / (k * k))]);
    near("q", q, by_hand / k);
    near("i", i, current(by_hand));
}

/// Two vessels, two orifices in series: the root of the pressure falls evenly, and a cubic of it solves for the heat.
#[test]
fn hydraulic_thermal() {
    let pair = "hydraulic_thermal";
    let loops: [&[&str]; 2] = [&["first.loss", "second.loss"], &["layer.wall", "layer_2.wall"]];
    check(pair, &["vessel_2.oil", "body_2.store"], &loops);
    let t = 8.0;
    let ([v_1, v_2, beta, p_0, p_t, r_1, r_2, k_1, k_2, s_1, s_2, t_0], [p, temp]) =
        run(pair, t, "V_1 V_2 beta P_0 P_t R_1 R_2 C_1 C_2 S_1 S_2 T_0", ["vessel_2.p", "body_2.temp"]);
    let (r, k) = (r_1 * r_2 / r_1.hypot(r_2), k_1 + k_2);
    let time = (s_1 + s_2) * k;
    let fall = r * beta / (2.0 * (v_1 + v_2));
    let (g_0, a) = ((p_0 - p_t).sqrt(), fall * time);
    let g = g_0 - t * fall;
    let h = |g: f64| r * time / k * (((g + 3.0 * a) * g + 6.0 * a * a) * g + 6.0 * a * a * a);
    near("p", p, p_t + g * g);
    near("T", temp - t_0, h(g) - h(g_0) * (-t / time).exp());
}

/// Two capacitors, resistor and diode in series; two heat capacities, two layers.
#[test]
fn electric_thermal() {
    let pair = "electric_thermal";
    let loops: [&[&str]; 2] = [&["resistor.loss", "diode.loss"], &["layer.wall", "layer_2.wall"]];
    check(pair, &["buffer_2.plates", "body_2.store"], &loops);
    let t = 10.0;
    let ([u, r, u_f, r_on, c_1, c_2, k_1, k_2, s_1, s_2, t_0], [i_2, temp]) =
        run(pair, t, "U R U_f R_on C_1 C_2 K_1 K_2 S_1 S_2 T_0", ["buffer_2.i", "body_2.temp"]);
    let (r_s, cap, k) = (r + r_on, c_1 + c_2, k_1 + k_2);
    let (i_0, b, time) = ((u - u_f) / r_s, 1.0 / (r_s * cap), (s_1 + s_2) * k);
    near("i", i_2, i_0 * (-t * b).exp() * c_2 / cap);
    let heat =
        r_s * i_0 * i_0 * left_of_exponential(t, 2.0 * b, time) + u_f * i_0 * left_of_exponential(t, b, time);
    near("T", temp - t_0, heat / k);
}
