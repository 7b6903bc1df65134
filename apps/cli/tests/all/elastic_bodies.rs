//! Elastic bodies of model files, described by beams: against closed forms, against the rigid body, and what is said of bad ones.

use crate::program::Folder;
use trunnion_engine::project::Project;
use trunnion_sim::linear::linearise;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, point};

/// A strip of steel along x, 60 mm wide and 20 mm high.
fn strip(from: &str, to: &str, extra: &str) -> String {
    format!(
        r#"
[bodies.strip]
material = "steel"
beams = [{{ from = [{from}, 0, 0], to = [{to}, 0, 0], section = {{ rectangle = ["60 mm", "20 mm"] }}, elements = 10, shear = false }}]
{extra}
"#
    )
}

fn clamped(frame: &str) -> String {
    format!("[joints]\nclamp = {{ type = \"weld\", parent = \"world\", child = \"{frame}\" }}\n")
}

/// Frequencies of the model at its start in rad/s, ascending.
fn frequencies(gravity: &str, text: &str, values: &[String]) -> Vec<f64> {
    let folder = Folder::new();
    folder.write(
        "m.toml",
        format!("[mechanism]\ngravity = \"{gravity} m/s^2\"\n{text}\n[run]\nt_end = \"1 s\"\n"),
    );
    let project =
        Project::open(&folder.path("m.toml").to_string_lossy(), values).unwrap_or_else(|f| panic!("{f}"));
    let Ok(mut at) = point(&project, &Overrides::default(), None, &Monitor::default()) else {
        panic!("no start")
    };
    let linear = linearise(&mut at.machine, at.t, &at.y, &[], &[]).unwrap().0;
    let mut found: Vec<f64> = linear.poles().unwrap().iter().map(|p| p.im).filter(|w| *w > 0.0).collect();
    found.sort_by(f64::total_cmp);
    found
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() < tolerance, "{found} for {expected}");
}

/// √(E I / ρ A) / L² of the strip, bent in its weak direction.
fn unit() -> f64 {
    let (e, rho, h, length) = (210e9_f64, 7850.0, 0.02, 2.0);
    (e * h * h / (12.0 * rho)).sqrt() / (length * length)
}

/// β L = 1.8751, 4.6941; three times as stiff across the width. Rotary inertia lowers a frequency by about ½ (β i)², i = h/√12.
#[test]
fn frequencies_of_a_cantilever() {
    let frames = "frames = { tip = [\"2 m\", 0, 0] }\nmodes = 8";
    let found = frequencies("0", &(strip("0", "\"2 m\"", frames) + &clamped("strip")), &[]);
    let (first, second) = (1.875_104_f64.powi(2), 4.694_091_f64.powi(2));
    assert_near(found[0], unit() * first, 1e-4);
    assert_near(found[1], unit() * 3.0 * first, 1e-3);
    assert_near(found[2], unit() * second, 3e-4);
    assert_eq!(found.len(), 14);
    let text = strip("0", "\"2 m\"", frames) + &clamped("strip");
    let fewer = frequencies("0", &text, &["strip.modes=2".into()]);
    assert_eq!(fewer.len(), 8);
    assert!(fewer[2] > found[2], "a reduced part is never softer");
}

/// The same strip, its origin in the middle of nowhere: B is fixed to the first frame then.
#[test]
fn frequencies_do_not_depend_on_the_origin() {
    let here = strip("0", "\"2 m\"", "frames = { tip = [\"2 m\", 0, 0] }\nmodes = 4");
    let far =
        strip("\"3 m\"", "\"5 m\"", "frames = { root = [\"3 m\", 0, 0], tip = [\"5 m\", 0, 0] }\nmodes = 4");
    let load = "load = { m = \"3 kg\", inertia = [\"0.1 kg m^2\", \"0.1 kg m^2\", \"0.1 kg m^2\"] }\n";
    let weld = "grip = { type = \"weld\", parent = \"strip.tip\", child = \"load\" }\n";
    let all =
        |body: &str, at: &str| frequencies("0", &format!("[bodies]\n{load}{body}{}{weld}", clamped(at)), &[]);
    let (here, tip) = (all(&here, "strip"), all(&far, "strip.root"));
    assert_eq!(here.len(), 10);
    here.iter().zip(&tip).for_each(|(a, b)| assert_near(*a, *b, 1e-7));
    // Held at its other interface, it is the same strip the other way round.
    let ends = "frames = { root = [0, 0, 0], tip = [\"2 m\", 0, 0] }\nmodes = 4";
    let [near, far] = ["strip.root", "strip.tip"]
        .map(|at| frequencies("0", &(strip("0", "\"2 m\"", ends) + &clamped(at)), &[]));
    near.iter().zip(&far).take(6).for_each(|(a, b)| assert_near(*a, *b, 1e-6));
}

/// A pendulum of a material that hardly bends swings as the rigid one: ω² = 3 g / 2 L but for the height of the section.
#[test]
fn a_stiff_pendulum_swings_as_a_rigid_one() {
    let body = strip("0", "\"2 m\"", "frames = { tip = [\"2 m\", 0, 0] }\nmodes = 2")
        .replace("\"steel\"", "{ E = \"2.1e9 GPa\", nu = 0.3, rho = \"7850 kg/m^3\" }");
    let text = format!(
        "{body}[joints]\npin = {{ type = \"revolute\", parent = \"world\", child = \"strip\", axis = \"y\", phi0 = \"90 deg\" }}\n"
    );
    let with = |model: &str| frequencies("9.81", &text, &[format!("strip.model={model}")]);
    let (rigid, elastic) = (with("rigid"), with("elastic"));
    assert_eq!((rigid.len(), elastic.len()), (1, 9));
    assert_near(rigid[0], (1.5 * 9.81 / 2.0_f64).sqrt(), 1e-4);
    assert_near(elastic[0], rigid[0], 1e-6);
}

/// What `check` says of a strip with texts exchanged.
fn said(from: &str, to: &str) -> String {
    let text = strip("0", "\"2 m\"", "frames = { tip = [\"2 m\", 0, 0] }\nmodes = 4") + &clamped("strip");
    assert!(text.contains(from), "{from}");
    let folder = Folder::new();
    folder.write("m.toml", format!("[mechanism]\n{}\n[run]\nt_end = \"1 s\"\n", text.replacen(from, to, 1)));
    folder.run(&["check", "m.toml"]).err
}

#[test]
fn bad_descriptions_are_refused_with_place_and_hint() {
    let beam = "beams = [{";
    let cases = [
        ("from = [0, 0, 0]", "from = [0, 0, \"h\"]", "M0521", "before parameters have values"),
        ("from = [0, 0, 0]", "from = [0, 0, 1]", "M0521", "without a unit"),
        ("\"60 mm\"", "\"60 kg\"", "M0521", "has to be in m"),
        ("\"steel\"", "\"steal\"", "M0522", "steel"),
        ("rectangle", "rectangel", "M0522", "rectangle"),
        ("rectangle = [\"60 mm\", \"20 mm\"]", "tube = [\"60 mm\", \"30 mm\"]", "M0522", "do not fit"),
        ("from = [0, 0, 0]", "from = [\"2 m\", 0, 0]", "M0523", "without length"),
        (
            beam,
            "beams = [{ from = [0, \"1 m\", 0], to = [0, \"2 m\", 0], section = { circle = \"9 mm\" } }, {",
            "M0523",
            "not connected",
        ),
        ("tip = [\"2 m\"", "tip = [\"2.1 m\"", "M0524", "the nearest node is at [\"2 m\""),
        ("modes = 4", "modes = 55", "M0525", "at most 54"),
        ("modes = 4", "m = \"1 kg\"", "M0526", "weld a body"),
        ("modes = 4", "damping = \"-1 %\"", "M0522", "negative"),
        ("modes = 4", "model = \"soft\"", "M0112", "elastic"),
    ];
    for (from, to, code, words) in cases {
        let text = said(from, to);
        assert!(text.contains(code) && text.contains(words) && text.contains("m.toml:"), "{to}: {text}");
    }
}

/// Rotation at a constant rate stretches the strip by ρ ω² L³ / 3 E.
#[test]
fn a_spinning_strip_is_stretched() {
    let text = strip("0", "\"2 m\"", "frames = { tip = [\"2 m\", 0, 0] }\nmodes = 2\ndamping = \"20 %\"")
        + "[joints]\npin = { type = \"revolute\", parent = \"world\", child = \"strip\", axis = \"z\", motion = \"30 rad/s*time\" }\n"
        + "[sensors]\ntip = { of = \"strip.tip\", from = \"strip\", shows = [\"position\"] }\n";
    let stretch = 7850.0 * 30.0_f64.powi(2) * 2.0_f64.powi(3) / (3.0 * 210e9);
    let folder = Folder::new();
    let expect = format!(
        "[[expect]]\nsignal = \"(tip.x - 2 m)/(1 m)\"\nvalue = {stretch:e}\ntol = \"0.5 %\"\nsource = \"ρ ω² L³ / 3 E\"\n"
    );
    folder.write(
        "m.toml",
        format!("[mechanism]\ngravity = \"0 m/s^2\"\n{text}\n[run]\nt_end = \"0.5 s\"\n{expect}"),
    );
    folder.good(&["verify", "m.toml"]);
}

/// A damped pendulum let go from the horizontal, with a load at its tip.
#[test]
fn the_energy_account_closes() {
    let text = strip("0", "\"2 m\"", "frames = { tip = [\"2 m\", 0, 0] }\nmodes = 2\ndamping = \"2 %\"")
        + "[bodies.load]\nm = \"20 kg\"\ninertia = [\"0.1 kg m^2\", \"0.1 kg m^2\", \"0.1 kg m^2\"]\n"
        + "[joints]\npin = { type = \"revolute\", parent = \"world\", child = \"strip\", axis = \"y\" }\n"
        + "grip = { type = \"weld\", parent = \"strip.tip\", child = \"load\" }\n";
    let folder = Folder::new();
    folder.write(
        "m.toml",
        format!("[mechanism]\ngravity = \"9.81 m/s^2\"\n{text}\n[run]\nt_end = \"1 s\"\nrtol = 1e-8\n"),
    );
    let said = folder.good(&["energy", "m.toml"]);
    let lost = said.lines().find(|l| l.starts_with("strip.damping")).unwrap_or_else(|| panic!("{said}"));
    let lost: f64 = lost.split_whitespace().nth(2).unwrap().parse().unwrap();
    assert!(lost > 0.01, "{said}");
    let share =
        said.lines().find_map(|l| l.strip_suffix(" of what moved")).unwrap_or_else(|| panic!("{said}"));
    let share: f64 = share.rsplit(", ").next().unwrap().parse().unwrap();
    assert!(share.abs() < 1e-6, "{said}");
}

/// A rod of steel, 1 m long and 5 mm thick, upwards from its clamp; square of the lowest frequency over that without gravity.
fn standing(gravity: &str, more: &str, joints: &str) -> f64 {
    let rod = "material = \"steel\"\nmodes = 4\nframes = { tip = [0, 0, \"1 m\"] }\n\
               beams = [{ from = [0, 0, 0], to = [0, 0, \"1 m\"], section = { circle = \"5 mm\" } }]\n";
    // At rest, so that the load is carried.
    let text =
        format!("{more}\n[bodies.rod]\n{rod}\n{}{joints}[start]\nbalance = \"rest\"\n", clamped("rod"));
    (frequencies(gravity, &text, &[])[0] / frequencies("0", &text, &[])[0]).powi(2)
}

/// E I and ρ A of that rod.
fn rod() -> (f64, f64) {
    let d = 5e-3_f64;
    (210e9 * std::f64::consts::PI / 64.0 * d.powi(4), 7850.0 * std::f64::consts::PI / 4.0 * d * d)
}

/// Self weight: ω² falls to zero at ρ A g L³ = 7.837 E I [Timoshenko, Gere 1961, art. 2.12], almost linearly. A hanging rod is stiffened alike.
#[test]
fn weight_softens_a_standing_rod_and_stiffens_a_hanging_one() {
    let (e_i, rho_a) = rod();
    for g in [20.0, -20.0] {
        let drop = rho_a * g / (7.837 * e_i);
        assert_near(1.0 - standing(&g.to_string(), "", ""), drop, 0.02);
    }
}

/// A mass of 3 kg at the tip: ω² falls by m g / (π² E I / 4 L²), and a little by the weight of the rod.
#[test]
fn a_load_at_the_tip_softens_a_standing_rod() {
    let (e_i, rho_a) = rod();
    let load = "[bodies.load]\nm = \"3 kg\"\ninertia = [\"1e-6 kg m^2\", \"1e-6 kg m^2\", \"1e-6 kg m^2\"]";
    let weld = "grip = { type = \"weld\", parent = \"rod.tip\", child = \"load\" }\n";
    let drop = 0.5 * 3.0 * 4.0 / (std::f64::consts::PI.powi(2) * e_i) + 0.5 * rho_a / (7.837 * e_i);
    assert_near(1.0 - standing("0.5", load, weld), drop, 0.02);
}

/// A bent arm whose hub is accelerated by α: its outer half, along y at x = 1 m, is pressed by ρ α x where α > 0 and pulled where α < 0.
#[test]
fn angular_acceleration_presses_or_pulls_a_bent_arm() {
    let section = "section = { circle = \"5 mm\" }";
    let lowest = |acceleration: f64| {
        let text = format!(
            "[bodies.arm]\nmaterial = \"steel\"\nmodes = 4\nframes = {{ tip = [\"1 m\", \"1 m\", 0] }}\n\
             beams = [{{ from = [0, 0, 0], to = [\"1 m\", 0, 0], {section} }}, {{ from = [\"1 m\", 0, 0], to = [\"1 m\", \"1 m\", 0], {section} }}]\n\
             [joints]\nhub = {{ type = \"revolute\", parent = \"world\", child = \"arm\", axis = \"z\", motion = \"{acceleration} rad/s^2*time^2/2\" }}\n"
        );
        frequencies("0", &text, &[])[0]
    };
    let [pressed, free, pulled] = [5.0, 0.0, -5.0].map(lowest);
    assert!(pressed < 0.999 * free && pulled > 1.001 * free, "{pressed} {free} {pulled}");
}
