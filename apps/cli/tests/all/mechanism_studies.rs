//! Rest, modes, linear models, inverse dynamics and reach of mechanisms, against closed forms.

use std::f64::consts::FRAC_PI_2;

use crate::program::Folder;
use trunnion_engine::project::Project;
use trunnion_sim::equilibrium::{HeldValues, find_equilibrium};
use trunnion_sim::linear::{LinearModel, linearise};
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, point};

const G: f64 = 9.81;

/// A model in a folder of its own, at rest if asked for.
fn linear(text: &str, rest: bool, inputs: &[&str], outputs: &[&str]) -> LinearModel {
    let folder = Folder::new();
    folder.write("m.toml", format!("[model]\nname = \"m\"\n{text}\n[run]\nt_end = \"1 s\"\n"));
    let project =
        Project::open(&folder.path("m.toml").to_string_lossy(), &[]).unwrap_or_else(|f| panic!("{}", f));
    let Ok(mut at) = point(&project, &Overrides::default(), None, &Monitor::default()) else {
        panic!("no start")
    };
    if rest {
        find_equilibrium(&mut at.machine, at.t, &mut at.y, &HeldValues::default()).unwrap();
    }
    let prepared = &project.prepared;
    let inputs: Vec<_> = inputs.iter().map(|name| prepared.system.find(name).unwrap()).collect();
    let outputs: Vec<_> = outputs.iter().map(|name| prepared.column(name).unwrap()).collect();
    linearise(&mut at.machine, at.t, &at.y, &inputs, &outputs).unwrap().0
}

/// All modes are oscillations with these frequencies in rad/s, slowest first.
fn check_modes(text: &str, expected: &[f64]) {
    let poles = linear(text, true, &[], &[]).poles().unwrap();
    let found: Vec<f64> = poles.iter().filter(|p| p.im >= 0.0).map(|p| p.im).collect();
    assert_eq!(found.len(), expected.len(), "{poles:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-7 * expected.max(1.0), "{found} for {expected}");
    }
}

#[test]
fn a_physical_pendulum_swings_with_its_frequency() {
    let (m, c, j): (f64, f64, f64) = (2.0, 0.7, 0.3);
    let text = r#"
        [bodies]
        arm = { m = "2 kg", center = ["0.7 m", 0, 0], inertia = [0.2, 0.3, 0.3] }
        [joints]
        pin = { type = "revolute", parent = "world", child = "arm", axis = "y", phi0 = "20 deg" }"#;
    check_modes(text, &[(m * G * c / (j + m * c * c)).sqrt()]);
}

#[test]
fn a_free_body_on_a_tilted_hinge_swings_with_its_frequency() {
    // Gravity across the hinge, which rises by 40°; J = 0.1 + m c².
    let text = r#"
        [bodies]
        world = { frames = { a = { at = [0, 0, 0], rotate = ["40 deg", 0, "30 deg"] } } }
        b = { m = "1 kg", center = ["0.5 m", 0, 0], inertia = [0.01, 0.1, 0.1] }
        [joints]
        j = { type = "free", parent = "world", child = "b", guess = true }
        h = { type = "revolute", parent = "world.a", child = "b", axis = "y", cut = true }"#;
    check_modes(text, &[(G * 40.0_f64.to_radians().cos() * 0.5 / 0.35).sqrt()]);
}

#[test]
fn a_ball_pendulum_has_two_frequencies_and_turns_freely() {
    let (m, c): (f64, f64) = (2.0, 0.5);
    let text = r#"
        [bodies]
        arm = { m = "2 kg", center = ["0.5 m", 0, 0], inertia = [0.15, 0.1, 0.2] }
        [joints]
        ball = { type = "spherical", parent = "world", child = "arm", rotate0 = [0, "60 deg", 0] }"#;
    let swing = |j: f64| (m * G * c / (j + m * c * c)).sqrt();
    check_modes(text, &[0.0, 0.0, swing(0.2), swing(0.1)]);
}

#[test]
fn a_double_pendulum_has_its_textbook_modes() {
    // Equal point masses and lengths: ω² = (2 ∓ √2) g / l.
    let text = r#"
        [mechanism]
        plane = "xy"
        [bodies]
        a = { m = "1 kg", center = ["1 m", 0], frames = { tip = ["1 m", 0] } }
        b = { m = "1 kg", center = ["1 m", 0] }
        [joints]
        p = { type = "revolute", parent = "world", child = "a", phi0 = "-80 deg" }
        q = { type = "revolute", parent = "a.tip", child = "b", phi0 = "5 deg" }"#;
    check_modes(text, &[(2.0 - 2.0_f64.sqrt()) * G, (2.0 + 2.0_f64.sqrt()) * G].map(f64::sqrt));
}

/// Two hanging rods and a bar between them: one coordinate, J = ⅔ m l² + M l², stiffness (m + M) g l.
const PARALLELOGRAM: &str = r#"
    [mechanism]
    plane = "xy"
    [parameters]
    F = "0 N"
    [bodies]
    world = { frames = { foot = ["2 m", 0] } }
    left  = { m = "1 kg", rod = "1 m" }
    right = { m = "1 kg", rod = "1 m" }
    bar   = { m = "3 kg", rod = "2 m" }
    [joints]
    p = { type = "revolute", parent = "world", child = "left", phi0 = "-80 deg" }
    q = { type = "revolute", parent = "world.foot", child = "right", phi0 = "-80 deg" }
    r = { type = "revolute", parent = "left.end", child = "bar", phi0 = "80 deg" }
    s = { type = "revolute", parent = "bar.end", child = "right.end", cut = true, reactions = true }
    [loads]
    push = { at = "bar", force = ["F", 0] }
    [sensors]
    bar_left = { of = "bar", shows = ["position"] }"#;

#[test]
fn a_parallelogram_has_the_mode_of_its_one_coordinate() {
    let (m, bar) = (1.0, 3.0);
    let inertia = 2.0 / 3.0 * m + bar;
    check_modes(PARALLELOGRAM, &[((m + bar) * G / inertia).sqrt()]);
    // A force on the bar moves it by x/F = 1/((m + M) g) in the end; half of it goes through the second rod.
    let linear = linear(PARALLELOGRAM, true, &["F"], &["bar_left.x", "s.fx"]);
    let gain = linear.static_gain().unwrap();
    assert!((gain[(0, 0)] - 1.0 / ((m + bar) * G)).abs() < 1e-12, "{gain:?}");
    assert!((gain[(1, 0)].abs() - 0.5).abs() < 1e-12, "{gain:?}");
    // At once the bar is accelerated by F/J, and the joint takes what the second rod needs of it.
    assert!((linear.d[(1, 0)].abs() - m / 3.0 / inertia).abs() < 1e-12, "{:?}", linear.d);
}

#[test]
fn a_moving_loop_is_linear_about_its_motion() {
    // φ̈ = −(m + M) g sin θ / J with θ from the vertical, whatever its speed: the same as for one pendulum.
    let moving = PARALLELOGRAM.replace("phi0 = \"-80 deg\"", "phi0 = \"-50 deg\", w0 = 2");
    let moving = moving.replace("phi0 = \"80 deg\"", "phi0 = \"50 deg\", w0 = -2");
    let poles = linear(&moving, false, &[], &[]).poles().unwrap();
    let expected = (4.0 * G / (11.0 / 3.0) * 40.0_f64.to_radians().cos()).sqrt();
    assert_eq!(poles.len(), 2);
    assert!((poles[0].im - expected).abs() < 1e-9 && poles[0].re.abs() < 1e-9, "{poles:?} for {expected}");
}

#[test]
fn loops_that_say_the_same_twice_have_one_mode_too() {
    let folder = Folder::new();
    let text = include_str!("../../../../examples/domains/mechanisms/bricard.toml");
    folder.write("bricard.toml", text);
    let modes = folder.good(&["modes", "bricard.toml", "--balance"]);
    assert!(modes.contains("undamped") && modes.lines().count() == 4, "{modes}");
}

fn number_after(text: &str, name: &str, column: usize) -> f64 {
    let line = text.lines().find(|l| l.split_whitespace().next() == Some(name));
    let line = line.unwrap_or_else(|| panic!("no `{name}` in {text}"));
    line.split_whitespace().nth(column).unwrap().parse().unwrap()
}

#[test]
fn a_chain_hangs_straight_and_a_sprung_arm_where_torques_agree() {
    let folder = Folder::new();
    folder.write(
        "chain.toml",
        r##"
        [model]
        name = "chain"
        [bodies]
        "link#" = { count = 4, m = "1 kg", rod = "0.2 m" }
        [joints]
        pin1   = { type = "revolute", parent = "world", child = "link1", axis = "y", phi0 = "40 deg" }
        "pin#" = { count = 4, type = "revolute", parent = "link#-1.end", child = "link#", axis = "y", phi0 = "20 deg" }
        "##,
    );
    let text = folder.good(&["balance", "chain.toml"]);
    assert!((number_after(&text, "pin1.phi", 2) - FRAC_PI_2).abs() < 1e-6, "{text}");
    assert!((2..5).all(|k| number_after(&text, &format!("pin{k}.phi"), 2).abs() < 1e-6), "{text}");

    folder.write(
        "arm.toml",
        r#"
        [model]
        name = "arm"
        [mechanism]
        plane = "xy"
        [bodies]
        arm = { m = "2 kg", rod = "1 m" }
        [joints]
        pin = { type = "revolute", parent = "world", child = "arm", k = "30 N m/rad" }
        "#,
    );
    folder.good(&["balance", "arm.toml", "--write"]);
    // It has been written where it starts now: k φ + ½ m g l cos φ = 0.
    let text = folder.good(&["balance", "arm.toml"]);
    let phi = number_after(&text, "pin.phi", 1);
    assert!((30.0 * phi + G * phi.cos()).abs() < 1e-4, "{text}");
    assert!(!folder.read("arm.toml").contains("[components]"));
}

#[test]
fn rest_is_written_for_balls_and_loops_too() {
    let folder = Folder::new();
    folder.write(
        "ball.toml",
        "[model]\nname = \"ball\"\n[bodies]\narm = { m = 2, center = [0.5, 0, 0], inertia = [0.15, 0.1, 0.2] }\n\
         [joints]\nball = { type = \"spherical\", parent = \"world\", child = \"arm\", rotate0 = [0, \"60 deg\", 0] }\n",
    );
    // It may turn about the vertical.
    folder.good(&["balance", "ball.toml", "--hold", "ball.qx", "--write"]);
    folder.bad(&["balance", "ball.toml"], 3, &["nothing determines `ball.q", "--hold ball.q"]);
    let text = folder.good(&["balance", "ball.toml", "--hold", "ball.qx"]);
    assert!((number_after(&text, "ball.qy", 1) - 0.5_f64.sqrt()).abs() < 1e-6, "{text}");
    folder.write("loop.toml", format!("[model]\nname = \"loop\"\n{PARALLELOGRAM}\n"));
    folder.good(&["balance", "loop.toml", "--write", "--hold", "p.phi"]);
    folder.good(&["balance", "loop.toml", "--write"]);
    let text = folder.good(&["balance", "loop.toml"]);
    assert!(
        ["p.phi", "q.phi", "r.phi"]
            .iter()
            .all(|q| (number_after(&text, q, 1).abs() - FRAC_PI_2).abs() < 1e-6)
    );
    let text = folder.good(&["equations", "loop.toml"]);
    assert!(text.contains("Closed loops") && text.contains("# s, by s.lambda1"), "{text}");
}

/// Two rods in a plane, q̈ and q̇ given: the textbook's torques.
#[test]
fn torques_of_the_example_arm_are_those_of_the_textbook() {
    let folder = Folder::new();
    folder.write("arm.toml", include_str!("../../../../examples/studies/arm.toml"));
    let motion = "1 rad*sin(3 rad/s*time)";
    let text = folder.good(&[
        "inverse",
        "arm.toml",
        "--motion",
        &format!("shoulder={motion}"),
        "--motion",
        "elbow.phi=0.5 rad*sin(2 rad/s*time)",
        "-o",
        "torques.csv",
    ]);
    assert!(text.contains("shoulder.effort") && text.contains("elbow.effort"), "{text}");
    let table = folder.read("torques.csv");
    let mut lines = table.lines().filter(|l| !l.starts_with('#'));
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place =
        |name: &str| head.iter().position(|h| h.starts_with(name)).unwrap_or_else(|| panic!("{head:?}"));
    let places = ["time", "shoulder.effort", "elbow.effort"].map(place);
    let (m, l) = ([4.0, 2.0], [0.5, 0.4]);
    for line in lines {
        let values: Vec<f64> = line.split(',').map(|v| v.parse().unwrap()).collect();
        let [t, tau_1, tau_2] = places.map(|k| values[k]);
        let (q1, v1, a1) = ((3.0 * t).sin(), 3.0 * (3.0 * t).cos(), -9.0 * (3.0 * t).sin());
        let (q2, v2, a2) = (0.5 * (2.0 * t).sin(), (2.0 * t).cos(), -2.0 * (2.0 * t).sin());
        let m22 = m[1] * l[1] * l[1] / 3.0;
        let p: f64 = m[1] * l[0] * l[1] / 2.0;
        let m12 = m22 + p * f64::cos(q2);
        let m11 = m[0] * l[0] * l[0] / 3.0 + m[1] * l[0] * l[0] + m22 + 2.0 * p * f64::cos(q2);
        let s = p * f64::sin(q2);
        let g2 = m[1] * G * l[1] / 2.0 * f64::cos(q1 + q2);
        let g1 = (m[0] / 2.0 + m[1]) * G * l[0] * f64::cos(q1) + g2;
        let first = m11 * a1 + m12 * a2 - s * (2.0 * v1 * v2 + v2 * v2) + g1;
        let second = m12 * a1 + m22 * a2 + s * v1 * v1 + g2;
        assert!((tau_1 - first).abs() < 1e-9 && (tau_2 - second).abs() < 1e-9, "{t}: {tau_1} for {first}");
    }
}

#[test]
fn a_driven_loop_takes_the_torque_of_its_one_coordinate() {
    let folder = Folder::new();
    folder.write("loop.toml", format!("[model]\nname = \"loop\"\n{PARALLELOGRAM}\n[run]\nt_end = \"1 s\"\n"));
    let motion = "p=-90 deg + 0.3 rad*sin(2 rad/s*time)";
    folder.good(&["inverse", "loop.toml", "--motion", motion, "-o", "t.csv"]);
    let table = folder.read("t.csv");
    let mut lines = table.lines().filter(|l| !l.starts_with('#'));
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let effort = head.iter().position(|h| h.starts_with("p.effort")).unwrap();
    for line in lines {
        let values: Vec<f64> = line.split(',').map(|v| v.parse().unwrap()).collect();
        let theta = 0.3 * (2.0 * values[0]).sin();
        let expected = -11.0 / 3.0 * 4.0 * theta + 4.0 * G * f64::sin(theta);
        assert!((values[effort] - expected).abs() < 1e-7, "{} for {expected}", values[effort]);
    }
    // Nothing asked for: all that is independent stays.
    let text = folder.good(&["inverse", "loop.toml"]);
    assert!(text.contains("kept where they start"), "{text}");
    folder.bad(&["inverse", "loop.toml", "--motion", "p=1 m"], 1, &["M0107"]);
    folder.bad(&["inverse", "loop.toml", "--motion", "arm=1"], 1, &["arm.motion"]);
    folder.bad(&["inverse", "loop.toml", "--motion", "p"], 2, &["says no motion", "hint"]);
}

#[test]
fn the_reach_of_an_arm_and_of_a_loop() {
    let folder = Folder::new();
    folder.write("loop.toml", format!("[model]\nname = \"loop\"\n{PARALLELOGRAM}\n"));
    let arguments = ["workspace", "loop.toml", "--point", "bar_left", "-o", "w.csv"];
    folder.good(
        &[&arguments[..], &["--joint", "p=-170 deg:-10 deg:9", "--joint", "q.phi=-170 deg,-90 deg"]].concat(),
    );
    let table = folder.read("w.csv");
    let rows = table.lines().filter(|l| !l.starts_with('#')).skip(1);
    let mut assembled = 0;
    for row in rows {
        let values: Vec<f64> = row.split(',').map(|v| v.parse().unwrap_or(f64::NAN)).collect();
        let [p, q, closed, x, y] = values[..] else { panic!("{row}") };
        // Rods that are not parallel need a bar of another length, or one that crosses.
        let length = (2.0 + q.cos() - p.cos()).hypot(q.sin() - p.sin());
        assert_eq!(closed == 1.0, (length - 2.0).abs() < 1e-9, "{row}");
        if closed == 1.0 {
            assembled += 1;
            assert!((x - p.cos()).abs() < 1e-9 && (y - p.sin()).abs() < 1e-9, "{row}");
        } else {
            assert!(x.is_nan() && y.is_nan(), "{row}");
        }
    }
    assert_eq!(assembled, 2);
    folder.bad(&["workspace", "loop.toml", "--joint", "z=1", "--point", "bar"], 2, &["no coordinate `z`"]);
    folder.bad(
        &["workspace", "loop.toml", "--joint", "s=1", "--point", "bar"],
        2,
        &["closes a loop", "hint"],
    );
    folder.bad(&["workspace", "loop.toml", "--joint", "p=1 m", "--point", "bar"], 2, &["`p.phi`"]);
    folder.bad(&["workspace", "loop.toml", "--joint", "p=1", "--point", "nose"], 2, &["no signal `nose`"]);
    let both = ["--joint", "p=0.1 rad", "--joint", "q=1 rad", "--point", "bar"];
    folder.bad(&[&["workspace", "loop.toml"][..], &both].concat(), 3, &["no pose"]);
}

/// Forty hinges with damping: what is lost is what the dampers take. Forces at the far end of a long chain are not mistaken for terms that cancel.
#[test]
fn energy_of_a_long_damped_chain_closes() {
    let n = 40;
    let mut text = String::from("[bodies]\n");
    (0..n).for_each(|i| text += &format!("b{i} = {{ m = \"1 kg\", rod = \"0.5 m\" }}\n"));
    text += "[joints]\n";
    for i in 0..n {
        let parent = if i == 0 { "world".into() } else { format!("b{}.end", i - 1) };
        let axis = if i % 2 == 0 { "y" } else { "z" };
        text += &format!(
            "j{i} = {{ type = \"revolute\", parent = \"{parent}\", child = \"b{i}\", axis = \"{axis}\", c = \"20 N m s/rad\" }}\n"
        );
    }
    text += "[run]\nt_end = \"0.1 s\"\n";
    let folder = Folder::new();
    folder.write("m.toml", text);
    let path = folder.path("m.toml");
    let opened = trunnion_engine::Workspace::default().open_with_energy(&path.to_string_lossy(), &[]);
    let (project, accounts) = opened.unwrap_or_else(|f| panic!("{}", f));
    let balance =
        trunnion_study::energy::balance_of(&project, accounts, &Overrides::default(), &Monitor::default());
    let balance = balance.unwrap_or_else(|f| panic!("{}", f));
    assert!(balance.relative() < 1e-5, "{} J of {} J", balance.rest, balance.scale);
}
