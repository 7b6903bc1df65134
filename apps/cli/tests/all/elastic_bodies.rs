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
fn frequencies(text: &str, values: &[String]) -> Vec<f64> {
    let folder = Folder::new();
    folder.write("m.toml", format!("[mechanism]\ngravity = \"0 m/s^2\"\n{text}\n[run]\nt_end = \"1 s\"\n"));
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
    let found = frequencies(&(strip("0", "\"2 m\"", frames) + &clamped("strip")), &[]);
    let (first, second) = (1.875_104_f64.powi(2), 4.694_091_f64.powi(2));
    assert_near(found[0], unit() * first, 1e-4);
    assert_near(found[1], unit() * 3.0 * first, 1e-3);
    assert_near(found[2], unit() * second, 3e-4);
    assert_eq!(found.len(), 14);
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
        |body: &str, at: &str| frequencies(&format!("[bodies]\n{load}{body}{}{weld}", clamped(at)), &[]);
    let (here, tip) = (all(&here, "strip"), all(&far, "strip.root"));
    assert_eq!(here.len(), 10);
    here.iter().zip(&tip).for_each(|(a, b)| assert_near(*a, *b, 1e-7));
    // Held at its other interface, it is the same strip the other way round.
    let ends = "frames = { root = [0, 0, 0], tip = [\"2 m\", 0, 0] }\nmodes = 4";
    let [near, far] =
        ["strip.root", "strip.tip"].map(|at| frequencies(&(strip("0", "\"2 m\"", ends) + &clamped(at)), &[]));
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
    let gravity = ["mechanism.gravity=9.81 m/s^2".to_string()];
    let with = |model: &str| frequencies(&text, &[gravity[0].clone(), format!("strip.model={model}")]);
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
