//! Stress of elastic bodies in model files: gauges, the study of a run, and pictures, against closed forms.

use crate::program::Folder;

/// One beam of steel, 2 m along x and clamped at its origin, with a load at its tip.
fn clamped(section: &str, body: &str, gravity: f64, load: &str) -> String {
    format!(
        r#"
[mechanism]
gravity = "{gravity} m/s^2"
[bodies.arm]
material = "steel"
beams = [{{ from = [0, 0, 0], to = ["2 m", 0, 0], section = {{ {section} }}, elements = 20, shear = false }}]
frames = {{ tip = ["2 m", 0, 0] }}
damping = "1 %"
{body}
[joints]
clamp = {{ type = "weld", parent = "world", child = "arm" }}
[loads]
pull = {{ at = "arm.tip", {load} }}
[start]
balance = "rest"
[run]
t_end = "0.05 s"
"#
    )
}

const GAUGES: &str = "gauges.root = { at = [0, 0, 0], shows = [\"forces\", \"stress\"] }\n\
                      gauges.middle = { at = [\"1 m\", 0, 0], shows = [\"forces\", \"stress\", \"displacement\"] }";

/// Signal, value in SI and tolerance.
fn verified(model: &str, expected: &[(&str, f64, &str)]) {
    let expect = |(signal, value, tol): &(&str, f64, &str)| {
        let unit = match signal.rsplit('.').next().unwrap_or_default() {
            "N" | "Qy" | "Qz" => "1 N",
            "T" | "My" | "Mz" => "1 N m",
            "ux" | "uy" | "uz" => "1 m",
            _ => "1 Pa",
        };
        format!(
            "[[expect]]\nsignal = \"{signal}/({unit})\"\nvalue = {value:e}\ntol = \"{tol}\"\nsource = \"closed form\"\n"
        )
    };
    let folder = Folder::new();
    folder.write("m.toml", format!("{model}{}", expected.iter().map(expect).collect::<String>()));
    folder.good(&["verify", "m.toml"]);
}

/// A force at the tip bends the arm: M = F (L − x), σ = M c / I; cubics hold it exactly.
#[test]
fn a_force_at_the_tip_bends_the_arm() {
    let load = "force = [0, \"30 N\", \"-40 N\"]";
    let model = clamped("rectangle = [\"60 mm\", \"20 mm\"]", GAUGES, 0.0, load);
    let (i_y, i_z) = (0.06 * 0.02_f64.powi(3) / 12.0, 0.02 * 0.06_f64.powi(3) / 12.0);
    let stress = |arm: f64| 40.0 * arm * 0.01 / i_y + 30.0 * arm * 0.03 / i_z;
    verified(
        &model,
        &[
            ("arm.root.My", 80.0, "1e-5 %"),
            ("arm.root.Mz", 60.0, "1e-5 %"),
            ("arm.root.Qy", 30.0, "1e-5 %"),
            ("arm.root.Qz", -40.0, "1e-5 %"),
            ("arm.middle.My", 40.0, "1e-5 %"),
            ("arm.root.von_mises", stress(2.0), "1e-5 %"),
            ("arm.root.principal_max", stress(2.0), "1e-5 %"),
            ("arm.root.principal_min", -stress(2.0), "1e-5 %"),
            ("arm.middle.von_mises", stress(1.0), "1e-5 %"),
            // F x² (3 L − x) / 6 E I
            ("arm.middle.uz", -40.0 * 5.0 / (6.0 * 210e9 * i_y), "1e-4 %"),
        ],
    );
}

/// τ = T r / J in a tube, whose von Mises stress is √3 τ and whose principal stresses are ± τ.
#[test]
fn a_torque_twists_a_tube() {
    let model = clamped("tube = [\"60 mm\", \"3 mm\"]", GAUGES, 0.0, "torque = [\"2 N m\", 0, 0]");
    let j = std::f64::consts::PI / 2.0 * (0.03_f64.powi(4) - 0.027_f64.powi(4));
    let tau = 2.0 * 0.03 / j;
    verified(
        &model,
        &[
            ("arm.middle.T", 2.0, "1e-5 %"),
            ("arm.middle.von_mises", 3.0_f64.sqrt() * tau, "1e-5 %"),
            ("arm.root.principal_max", tau, "1e-5 %"),
            ("arm.root.principal_min", -tau, "1e-5 %"),
        ],
    );
}

/// A round section has the same stress in whatever direction it is bent, and σ = N/A on top of it.
#[test]
fn a_tube_is_bent_alike_in_all_directions() {
    let (a, i) = {
        let pi = std::f64::consts::PI;
        (pi * (0.03_f64.powi(2) - 0.027_f64.powi(2)), pi / 4.0 * (0.03_f64.powi(4) - 0.027_f64.powi(4)))
    };
    // The pull straightens the arm: M = F tanh(k L) / k at the clamp, k² = N / E I.
    let k = (1000.0 / (210e9 * i)).sqrt();
    let stress = 50.0 * (2.0 * k).tanh() / k * 0.03 / i + 1000.0 / a;
    for angle in [0.0_f64, 0.3, 0.8] {
        let (y, z) = (50.0 * angle.cos(), 50.0 * angle.sin());
        let load = format!("force = [\"1000 N\", \"{y} N\", \"{z} N\"]");
        let model = clamped("tube = [\"60 mm\", \"3 mm\"]", GAUGES, 0.0, &load);
        verified(&model, &[("arm.root.principal_max", stress, "0.2 %")]);
    }
}

/// Weight: M = ρ g A L²/2 and Q = ρ g A L at the clamp, whatever modes are kept: static deflections hold what they leave out.
#[test]
fn weight_bends_the_arm() {
    let weight = 7850.0 * 9.81 * 0.06 * 0.02;
    for modes in [0, 3] {
        let body = format!("{GAUGES}\nmodes = {modes}");
        let model = clamped("rectangle = [\"60 mm\", \"20 mm\"]", &body, 9.81, "force = [0, 0, 0]");
        let stress = 2.0 * weight * 0.01 / (0.06 * 0.02_f64.powi(3) / 12.0);
        verified(
            &model,
            &[
                ("arm.root.My", 2.0 * weight, "1e-4 %"),
                ("arm.root.Qz", -2.0 * weight, "1e-4 %"),
                ("arm.middle.My", 0.5 * weight, "1e-4 %"),
                ("arm.middle.Qz", -weight, "1e-4 %"),
                ("arm.root.von_mises", stress, "1e-4 %"),
                // q x² (6 L² − 4 L x + x²) / 24 E I
                ("arm.middle.uz", -weight * 17.0 / (24.0 * 210e9 * 4e-8), "0.01 %"),
            ],
        );
    }
}

/// A strip on a hub that turns at 30 rad/s pulls at it with ρ A ω² L²/2; at x with ρ A ω² (L² − x²)/2.
#[test]
fn rotation_pulls_the_arm() {
    let model = clamped("rectangle = [\"60 mm\", \"20 mm\"]", &format!("{GAUGES}\nmodes = 2"), 0.0, "force = [0, 0, 0]")
        .replace("damping = \"1 %\"", "damping = \"20 %\"")
        .replace("[start]\nbalance = \"rest\"\n", "")
        .replace("0.05 s", "0.5 s")
        .replace(
            "clamp = { type = \"weld\", parent = \"world\", child = \"arm\" }",
            "hub = { type = \"revolute\", parent = \"world\", child = \"arm\", axis = \"z\", motion = \"30 rad/s*time\" }",
        );
    let pull = 7850.0 * 0.06 * 0.02 * 900.0;
    verified(&model, &[("arm.root.N", 2.0 * pull, "0.1 %"), ("arm.middle.N", 1.5 * pull, "0.1 %")]);
}

/// A pendulum let go from the horizontal, without damping: its hinge carries no moment about its axis while the arm vibrates beyond it. Forces hold the
/// inertia of the vibration, whatever modes are kept; what is left is of second order in the deflection.
#[test]
fn a_hinge_carries_no_moment() {
    let folder = Folder::new();
    let model = clamped("rectangle = [\"60 mm\", \"20 mm\"]", GAUGES, 9.81, "force = [0, 0, 0]")
        .replace("[start]\nbalance = \"rest\"\n", "")
        .replace("damping = \"1 %\"", "damping = \"0 %\"")
        .replace("0.05 s", "0.3 s")
        .replace(
            "clamp = { type = \"weld\", parent = \"world\", child = \"arm\" }",
            "pin = { type = \"revolute\", parent = \"world\", child = \"arm\", axis = \"y\" }",
        );
    folder.write("m.toml", model);
    folder.good(&["run", "m.toml", "--out", "m.csv"]);
    let text = folder.read("m.csv");
    let mut lines = text.lines().filter(|l| !l.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<f64>> = lines.map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    let largest = |name: &str| {
        let k = names.iter().position(|n| n.starts_with(name)).unwrap();
        rows.iter().map(|row| row[k].abs()).fold(0.0, f64::max)
    };
    let (hinge, middle) = (largest("arm.root.My"), largest("arm.middle.My"));
    assert!(middle > 20.0 && hinge < 1e-3 * middle, "{hinge} {middle}");
}

#[test]
fn gauges_without_a_place_are_refused() {
    let cases = [
        ("gauges.a = [\"0.33 m\", 0, 0]", "B0020", "the nearest node is at [\"0.3 m\""),
        ("gauges.a = { at = [0, 0, 0], beam = 2 }", "B0020", "there are 1"),
        ("gauges.a = { at = [0, 0, 0], beam = 0 }", "M0540", "count from 1"),
        ("gauges.a = { at = [0, 0, 0], side = \"from\" }", "B0020", "no section"),
        ("gauges.a = { at = [0, 0, 0], side = \"left\" }", "M0112", "from"),
        ("gauges.a = { at = [0, 0, 0], shows = [\"stres\"] }", "M0112", "stress"),
        ("gauges.a = { shows = [\"stress\"] }", "M0106", "at"),
        ("gauges.a = [\"L\", 0, 0]", "M0521", "before parameters"),
        ("fatigue = { range = \"71 MPa\", cycles = 2e6 }", "M0106", "slope"),
        ("fatigue = { range = \"71 mm\", cycles = 2e6, slope = 3 }", "M0521", "Pa"),
        ("fatigue = 3", "M0507", "table"),
    ];
    for (keys, code, words) in cases {
        let folder = Folder::new();
        folder.write("m.toml", clamped("circle = \"20 mm\"", keys, 0.0, "force = [0, 0, \"1 N\"]"));
        let said = folder.run(&["check", "m.toml"]).err;
        assert!(said.contains(code) && said.contains(words) && said.contains("m.toml:"), "{keys}: {said}");
    }
}
