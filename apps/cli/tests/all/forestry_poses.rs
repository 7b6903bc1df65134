//! The forestry crane at other poses than that of its example: what carries it, how it swings on trapped oil, full against reduced.
//!
//!   M(q) q̈ + K q = 0,   K = diag(K_i l_i'²) + ∂/∂q (G_i − F_i l_i'),   F_i = G_i/l_i',   K_i = A_1²/C_1 + A_2²/C_2      (1)
//!
//! for small motions about rest with all valves closed: boom and stick on the springs of their oil, in closed form.

use std::collections::HashMap;
use std::f64::consts::TAU;
use std::path::Path;

use trunnion_engine::project::Project;
use trunnion_results::Table;
use trunnion_sim::linear::linearise;
use trunnion_sim::modes::modes;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, point, settings, simulate_to_table};

/// Boom, stick and head at the tip.
const POSES: [(f64, f64, f64); 6] = [
    (0.0, -0.8, 0.0),
    (0.25, -1.7, 0.0),
    (0.85, -0.7, 0.0),
    (1.05, -1.9, 0.0),
    (0.3, -1.2, 500.0),
    (0.9, -1.5, 800.0),
];

fn sets(pose: (f64, f64, f64), more: &[&str]) -> Vec<String> {
    let (boom, stick, head) = pose;
    let own = [format!("q_2={boom} rad"), format!("q_3={stick} rad"), format!("m_p={head} kg")];
    own.into_iter().chain(more.iter().map(|s| s.to_string())).collect()
}

fn open(sets: &[String]) -> Project {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/machines/forestry/crane.toml");
    Project::open(&path.to_string_lossy(), sets).unwrap_or_else(|f| panic!("{f}"))
}

fn run(sets: &[String]) -> Table {
    let project = open(sets);
    let (solver, settings) = settings(&project.run, &Overrides::default()).unwrap_or_else(|f| panic!("{f}"));
    let ran = simulate_to_table(&project, &HashMap::new(), (solver, &settings), &Monitor::default());
    ran.unwrap_or_else(|f| panic!("{f}")).0
}

fn column<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    &table.column(name).unwrap_or_else(|_| panic!("no `{name}`")).values
}

/// Length of a cylinder from its pins, and its first and second derivative by the angle.
fn cylinder(q: f64, base: [f64; 2], rod: [f64; 2]) -> [f64; 3] {
    let (s, c) = q.sin_cos();
    let p = [c * rod[0] - s * rod[1], s * rod[0] + c * rod[1]];
    let r = [p[0] - base[0], p[1] - base[1]];
    let l = r[0].hypot(r[1]);
    let first = (p[0] * r[1] - p[1] * r[0]) / l;
    // l l' = p × r; its derivative is p · base.
    [l, first, ((p[0] * base[0] + p[1] * base[1]) - first * first) / l]
}

struct Crane {
    /// M22, M23, M33 and gravity torques of boom and stick.
    m: [f64; 3],
    g: [f64; 2],
    /// ∂G/∂q: 22, 23 = 33.
    slope: [f64; 2],
    boom: [f64; 3],
    stick: [f64; 3],
}

fn crane((q2, q3, head): (f64, f64, f64)) -> Crane {
    let (l2, lc2, m2, j2) = (4.5, 2.1, 900.0, 1500.0);
    let (l3, lc3, m3, j3) = (2.8, 1.2, 450.0, 300.0);
    let (g, h) = (9.81, m3 * lc3 + head * l3);
    let m33 = j3 + m3 * lc3 * lc3 + head * l3 * l3;
    let m22 = j2 + m2 * lc2 * lc2 + (m3 + head) * l2 * l2 + m33 + 2.0 * l2 * h * q3.cos();
    let inner = g * (m2 * lc2 + (m3 + head) * l2);
    let outer = g * h;
    Crane {
        m: [m22, m33 + l2 * h * q3.cos(), m33],
        g: [inner * q2.cos() + outer * (q2 + q3).cos(), outer * (q2 + q3).cos()],
        slope: [-inner * q2.sin() - outer * (q2 + q3).sin(), -outer * (q2 + q3).sin()],
        boom: cylinder(q2, [0.55, -0.70], [2.00, 0.10]),
        stick: cylinder(q3, [-1.90, 0.55], [-0.48, 0.16]),
    }
}

/// A_1²/C_1 + A_2²/C_2.
fn oil(bore: f64, rod: f64, c: [f64; 2]) -> f64 {
    let (a1, a2) = (TAU / 8.0 * bore * bore, TAU / 8.0 * (bore * bore - rod * rod));
    a1 * a1 / c[0] + a2 * a2 / c[1]
}

/// (1), in Hz, the slower first.
fn frequencies(crane: &Crane) -> [f64; 2] {
    let stiff = |k: f64, [_, first, second]: [f64; 3], g: f64| k * first * first - g / first * second;
    let k22 = stiff(oil(0.14, 0.09, [7.0e-12, 5.0e-12]), crane.boom, crane.g[0]) + crane.slope[0];
    let k33 = stiff(oil(0.11, 0.07, [3.2e-12, 2.2e-12]), crane.stick, crane.g[1]) + crane.slope[1];
    let k23 = crane.slope[1];
    let [m22, m23, m33] = crane.m;
    // det(K − x M) = 0.
    let a = m22 * m33 - m23 * m23;
    let b = k22 * m33 + k33 * m22 - 2.0 * k23 * m23;
    let c = k22 * k33 - k23 * k23;
    let root = (b * b - 4.0 * a * c).sqrt();
    [(b - root) / (2.0 * a), (b + root) / (2.0 * a)].map(|x| x.sqrt() / TAU)
}

fn near(found: f64, expected: f64, share: f64, what: &str) {
    assert!((found - expected).abs() <= share * expected.abs(), "{what}: {found}, expected {expected}");
}

#[test]
fn cylinders_carry_the_pose() {
    for pose in POSES {
        let crane = crane(pose);
        let table = run(&sets(pose, &["motion=operator", "run.t_end=1 ms"]));
        let first = |name: &str| column(&table, name)[0];
        near(first("raise.line.l"), crane.boom[0], 1e-9, "length of the boom's cylinder");
        near(first("reach.line.l"), crane.stick[0], 1e-9, "length of the stick's cylinder");
        near(first("raise.f"), crane.g[0] / crane.boom[1], 1e-6, &format!("boom at {pose:?}"));
        near(first("reach.f"), crane.g[1] / crane.stick[1], 1e-6, &format!("stick at {pose:?}"));
    }
}

#[test]
fn trapped_oil_swings_as_the_closed_form_says() {
    for pose in POSES {
        let project = open(&sets(pose, &["motion=operator"]));
        let Ok(mut here) = point(&project, &Overrides::default(), None, &Monitor::default()) else {
            panic!("no point")
        };
        let (linear, _) = linearise(&mut here.machine, here.t, &here.y, &[], &[]).unwrap();
        let all = modes(&linear).unwrap();
        let mut found: Vec<f64> =
            all.iter().filter(|m| m.pole.im > 0.0).map(|m| m.pole.natural_frequency()).collect();
        found.sort_by(f64::total_cmp);
        // The slowest is the swing. Damping of 1 to 6 % moves a coupled frequency by its square at most.
        let expected = frequencies(&crane(pose));
        near(found[1], expected[0], 2e-3, &format!("slower at {pose:?}"));
        near(found[2], expected[1], 2e-3, &format!("faster at {pose:?}"));
    }
}

/// The stick goes in by 0.4 rad and back at each pose, the boom by as little as its controller lets it.
#[test]
fn the_reduced_crane_follows_the_full_one_at_other_poses() {
    for pose in [POSES[0], POSES[2], POSES[4]] {
        let motion = ["motion=joints", "A_sw=0", "A_bm=0", "A_sk=-0.2 rad", "run.t_end=20 s", "run.dt=10 ms"];
        let full = run(&sets(pose, &motion));
        let reduced = run(&sets(pose, &[&motion[..], &["hydraulics=reduced"]].concat()));
        let error = |table: &Table| -> HashMap<i64, f64> {
            let (t, q, phi) = (column(table, "time"), column(table, "q_sk"), column(table, "fold.phi"));
            (0..t.len()).map(|i| ((t[i] * 1e6).round() as i64, q[i] - phi[i])).collect()
        };
        let (a, b) = (error(&full), error(&reduced));
        let common: Vec<(f64, f64)> =
            a.iter().filter(|(t, _)| **t > 5_000_000).filter_map(|(t, x)| Some((*x, *b.get(t)?))).collect();
        assert!(common.len() > 1000, "few instants in common");
        let most = common.iter().fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
        let size = common.iter().fold(0.0_f64, |m, (x, _)| m.max(x.abs()));
        assert!(most < 5e-4, "{most} of {size} at {pose:?}");
        assert!((0.01..0.06).contains(&size), "{size} at {pose:?}");
    }
}
