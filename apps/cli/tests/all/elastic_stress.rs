//! Stress of elastic bodies in model files: gauges, the study of a run, and pictures, against closed forms.

use trunnion_engine::project::Project;
use trunnion_study::Monitor;
use trunnion_study::linear::{self, LinearizationPoint};
use trunnion_study::mode_motion::ModeMotion;
use trunnion_study::simulate::{Overrides, point};

use crate::program::{Folder, json};

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

/// A linear model has gauges as outputs: at rest the moment at the clamp grows by L for each newton at the tip, the stress by L c / I.
#[test]
fn gauges_are_outputs_of_linear_models() {
    let folder = Folder::new();
    let model = clamped("rectangle = [\"60 mm\", \"20 mm\"]", GAUGES, 9.81, "force = [0, 0, \"-F\"]");
    folder.write("m.toml", format!("[parameters]\nF = {{ value = \"10 N\" }}\n{model}"));
    let project =
        Project::open(&folder.path("m.toml").to_string_lossy(), &[]).unwrap_or_else(|f| panic!("{f}"));
    let Ok(at) = point(&project, &Overrides::default(), None, &Monitor::default()) else {
        panic!("no start")
    };
    let names = ["arm.root.My", "arm.root.Qz", "arm.root.von_mises"].map(String::from);
    let mut at = LinearizationPoint { at, place: String::new(), moving: vec![] };
    let inputs = linear::inputs(&project, &["F".to_string()]).unwrap_or_else(|f| panic!("{f}"));
    let outputs = linear::outputs(&project, &names).unwrap_or_else(|f| panic!("{f}"));
    let shown = linear::NamedLinearModel::at(&project, &mut at, &inputs, &outputs);
    let si = shown.unwrap_or_else(|f| panic!("{f}")).si;
    // D − C A⁻¹ B
    let gain = si.d.plus(-1.0, &si.c.times(&si.a.solve(&si.b).unwrap()));
    for (i, expected) in [2.0, -1.0, 2.0 * 0.01 / 4e-8].into_iter().enumerate() {
        assert!((gain[(i, 0)] / expected - 1.0).abs() < 1e-6, "{} {expected}", gain[(i, 0)]);
    }
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

/// A force F (1 − cos 2πt/T)/2 that comes and goes twice: the clamp has the highest stress M r / I, and two cycles of this range.
#[test]
fn the_worst_stress_and_its_cycles_are_found() {
    let line = "fatigue = { range = \"50 MPa\", cycles = 1e6, slope = 4, cut_off = \"5 MPa\" }";
    let model = clamped(
        "tube = [\"60 mm\", \"3 mm\"]",
        line,
        0.0,
        "force = [0, 0, \"200 N*(1 - cos(2*pi*time/2 s))\"]",
    )
    .replace("0.05 s", "4 s");
    let folder = Folder::new();
    folder.write("m.toml", model);
    let answer = json(&folder.good(&["stress", "m.toml", "--format", "json"]));
    let (worst, weakest) = (&answer["result"]["points"][0], &answer["result"]["weakest"][0]);
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let i = std::f64::consts::PI / 4.0 * (0.03_f64.powi(4) - 0.027_f64.powi(4));
    let stress = 400.0 * 2.0 * 0.03 / i;
    // The force acts slowly: (f/f_1)² = 0.1 % of it are dynamic.
    assert!((number(&worst["von_mises_pa"]) / stress - 1.0).abs() < 5e-3, "{answer}");
    assert!(number(&worst["at_m"][0]).abs() < 1e-9, "{answer}");
    let t = number(&worst["t"]);
    assert!((t - 1.0).abs() < 0.05 || (t - 3.0).abs() < 0.05, "{answer}");
    let damage = 2.0 / (1e6 * (50e6 / stress).powi(4));
    assert!((number(&weakest["fatigue"]["damage"]) / damage - 1.0).abs() < 0.02, "{answer}");
    assert!((number(&weakest["fatigue"]["largest_range_pa"]) / stress - 1.0).abs() < 5e-3, "{answer}");
    let said = folder.good(&["stress", "m.toml", "--most", "2"]);
    assert!(said.contains("von Mises [MPa]") && said.contains("cycles, largest range"), "{said}");
    assert_eq!(said.lines().filter(|l| l.starts_with("arm ")).count(), 3, "{said}");
}

/// A force of 14.3 Hz seen ten times a second.
#[test]
fn rows_that_are_too_far_apart_are_told() {
    let model =
        clamped("rectangle = [\"60 mm\", \"20 mm\"]", "", 0.0, "force = [0, 0, \"20 N*sin(90 1/s*time)\"]")
            .replace("0.05 s", "4 s\"\npoints = 40\nsolver = \"rodas5p");
    let folder = Folder::new();
    folder.write("m.toml", model);
    let said = folder.good(&["stress", "m.toml"]);
    assert!(said.contains("rows are too far apart"), "{said}");
}

/// A strip that spins is pulled by ρ ω² (L² − x²)/2. One static shape along it holds the mean of that, ρ ω² L²/3 everywhere, which is told.
#[test]
fn stress_that_modes_leave_out_is_told() {
    let folder = Folder::new();
    let hub = "hub = { type = \"revolute\", parent = \"world\", child = \"arm\", axis = \"z\", motion = \"30 rad/s*time\" }";
    let model = clamped("rectangle = [\"60 mm\", \"20 mm\"]", "modes = 2", 0.0, "force = [0, 0, 0]")
        .replace("[start]\nbalance = \"rest\"\n", "")
        .replace("clamp = { type = \"weld\", parent = \"world\", child = \"arm\" }", hub)
        .replace("damping = \"1 %\"", "damping = \"20 %\"");
    folder.write("m.toml", model);
    let said = folder.good(&["stress", "m.toml"]);
    // Most in the last element, whose mean is 0.695 MPa instead of 9.420 MPa.
    assert!(said.contains("leave out up to 8.73 MPa") && said.contains("more `modes`"), "{said}");
}

#[test]
fn a_model_without_elastic_bodies_has_no_stress() {
    let folder = Folder::new();
    folder
        .write("m.toml", clamped("circle = \"20 mm\"", "model = \"rigid\"", 0.0, "force = [0, 0, \"1 N\"]"));
    folder.bad(&["stress", "m.toml"], 2, &["no elastic bodies", "beams"]);
}

/// The first bending mode of a cantilever moves its middle by 0.33952 of its end [Blevins1979, table 8-1].
#[test]
fn a_mode_has_its_shape() {
    let folder = Folder::new();
    let text = clamped("rectangle = [\"60 mm\", \"20 mm\"]", "modes = 8", 0.0, "force = [0, 0, 0]");
    folder.write("m.toml", text);
    let project =
        Project::open(&folder.path("m.toml").to_string_lossy(), &[]).unwrap_or_else(|f| panic!("{f}"));
    let Ok(at) = point(&project, &Overrides::default(), None, &Monitor::default()) else {
        panic!("no start")
    };
    let mut at = LinearizationPoint { at, place: String::new(), moving: vec![] };
    let motion = ModeMotion::new(&project, &mut at, 1).unwrap_or_else(|f| panic!("{f}"));
    assert!(motion.title.starts_with("mode 1, 4.17"), "{}", motion.title);
    let table = motion.table(1.0);
    let part = &project.elastic_parts()[0];
    let q = part.coordinates("arm", &table).unwrap_or_else(|f| panic!("{f}"));
    let skin = part.skin().unwrap();
    let height = |x: f64, row: usize| {
        let place = skin.points.iter().find(|p| (p.at[0] - x).abs() < 1e-9).unwrap();
        place.motion.row(2).iter().zip(&q[row]).map(|(a, b)| a * b).sum::<f64>()
    };
    // A quarter of the period is the largest deflection, its beginning none.
    let (middle, end) = (height(1.0, 12), height(2.0, 12));
    assert!((middle / end - 0.339_52).abs() < 2e-4, "{middle} {end}");
    assert!(height(2.0, 0).abs() < 1e-6 * end.abs());
    assert!(ModeMotion::new(&project, &mut at, 99).is_err());
}

/// Modes at a time of a run: a pendulum that swings is no equilibrium, a beam at rest is one.
#[test]
fn modes_in_motion_say_so() {
    let folder = Folder::new();
    let text = clamped("rectangle = [\"60 mm\", \"20 mm\"]", "modes = 2", 9.81, "force = [0, 0, 0]");
    folder.write("rest.toml", &text);
    let hinge = "clamp = { type = \"revolute\", parent = \"world\", child = \"arm\", axis = \"y\", phi0 = \"60 deg\" }";
    let swings = text
        .replace("clamp = { type = \"weld\", parent = \"world\", child = \"arm\" }", hinge)
        .replace("[start]\nbalance = \"rest\"\n", "")
        .replace("0.05 s", "0.5 s");
    folder.write("swings.toml", swings);
    let said = folder.good(&["modes", "rest.toml", "--at", "40 ms"]);
    assert!(!said.contains("no equilibrium"), "{said}");
    let said = folder.good(&["modes", "swings.toml", "--at", "400 ms"]);
    assert!(said.contains("no equilibrium") && said.contains("at this instant"), "{said}");
}

/// glTF with a morph target for each coordinate, weights over time, and a colour for each corner.
#[test]
fn an_animation_bends_elastic_bodies() {
    let folder = Folder::new();
    let load = "force = [0, 0, \"200 N*(1 - cos(2*pi*time/2 s))\"]";
    folder.write(
        "m.toml",
        clamped("box = [\"60 mm\", \"40 mm\", \"3 mm\"]", "modes = 2", 0.0, load).replace("0.05 s", "2 s"),
    );
    folder.good(&["animate", "m.toml", "--stress", "--exaggerate", "3", "--rate", "10", "-o", "m.glb"]);
    let file = std::fs::read(folder.path("m.glb")).unwrap();
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let scene = json(std::str::from_utf8(&file[20..20 + length]).unwrap());
    let mesh = &scene["meshes"][0];
    let primitive = &mesh["primitives"][0];
    let targets = primitive["targets"].as_array().unwrap();
    assert_eq!((targets.len(), mesh["weights"].as_array().unwrap().len()), (8, 8));
    let count =
        |index: &serde_json::Value| scene["accessors"][index.as_u64().unwrap() as usize]["count"].as_u64();
    let corners = count(&primitive["attributes"]["POSITION"]);
    assert!(targets.iter().all(|target| count(&target["POSITION"]) == corners));
    assert_eq!(count(&primitive["attributes"]["COLOR_0"]), corners);
    let animation = &scene["animations"][0];
    let channels = animation["channels"].as_array().unwrap();
    let channel = channels.iter().find(|c| c["target"]["path"] == "weights").unwrap();
    let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
    assert_eq!(count(&sampler["output"]), Some(8 * count(&sampler["input"]).unwrap()));
    assert_eq!(scene["nodes"][channel["target"]["node"].as_u64().unwrap() as usize]["name"], "arm");
}

/// Pictures of the bent body: with colours there is a scale; the end of an arm that is drawn ten times as far bent is lower.
#[test]
fn pictures_show_deformation_and_stress() {
    let folder = Folder::new();
    let load = "force = [0, 0, \"-200 N\"]";
    folder.write("m.toml", clamped("box = [\"60 mm\", \"40 mm\", \"3 mm\"]", "modes = 2", 0.0, load));
    let drawn = |more: &[&str]| {
        folder.good(&[&["plot", "m.toml", "--view", "side", "-o", "m.svg"], more].concat());
        folder.read("m.svg")
    };
    let (plain, coloured) = (drawn(&[]), drawn(&["--stress"]));
    assert!(!plain.contains("von Mises") && coloured.contains("von Mises") && coloured.contains("MPa"));
    let height = |text: &str| {
        let size = text.split("height=\"").nth(1).unwrap().split('"').next().unwrap();
        size.parse::<f64>().unwrap()
    };
    let far = drawn(&["--exaggerate", "20"]);
    assert!(height(&far) > height(&plain) + 40.0, "{} {}", height(&far), height(&plain));
    folder.good(&["modes", "m.toml", "--mode", "2", "--plot", "mode.svg", "--animate", "mode.glb"]);
    assert!(folder.read("mode.svg").contains("mode 2"));
    folder.bad(&["modes", "m.toml", "--mode", "99", "--plot", "x.svg"], 2, &["no mode 99"]);
    folder.bad(&["plot", "m.toml", "--view", "side", "--exaggerate", "inf"], 2, &["without bound"]);
}

/// Shells are drawn bent and coloured as beams are, by whatever file describes them.
#[test]
fn a_mesh_is_drawn_with_its_deformation_and_stress() {
    let folder = Folder::new();
    let root = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let sheet = root.join("examples/domains/elastic/sheet.toml").to_string_lossy().into_owned();
    folder.good(&["plot", &sheet, "--view", "side", "--stress", "--exaggerate", "100", "-o", "bent.svg"]);
    assert!(folder.read("bent.svg").contains("von Mises stress"));
    folder.good(&["plot", &sheet, "--view", "side", "-o", "plain.svg"]);
    let size =
        |file: &str| folder.read(file).matches("<path").count() + folder.read(file).matches("<poly").count();
    assert!(size("bent.svg") > 0 && folder.read("bent.svg") != folder.read("plain.svg"));
    folder.good(&["modes", &sheet, "--mode", "1", "--plot", "mode.svg", "--animate", "mode.glb"]);
    let glb = std::fs::read(folder.path("mode.glb")).unwrap();
    assert!(String::from_utf8_lossy(&glb).contains("\"targets\""));
}

/// A bar of bulk data that gives constants of its section and no shape has no stress: gauges say so, and so does the study.
#[test]
fn sections_without_a_shape_have_no_stress() {
    let folder = Folder::new();
    let mut bulk = String::from("BEGIN BULK\n");
    (0..=4).for_each(|k| bulk += &format!("GRID,{},,{}.,0.,0.\n", k + 1, 500 * k));
    (1..=4).for_each(|k| bulk += &format!("CBAR,{k},1,{k},{},0.,0.,1.\n", k + 1));
    bulk += "PBAR,1,1,1200.,40000.0,360000.0,120000.\nMAT1,1,210000.,,0.3,7.85-9\nENDDATA\n";
    folder.write("bar.bdf", bulk);
    let model = "[bodies.bar]\nmesh = \"bar.bdf\"\nscale = \"1 mm\"\nframes = { root = { node = 1 }, tip = { node = 5 } }\nGAUGES\n\
                 [joints]\nclamp = { type = \"weld\", parent = \"world\", child = \"bar.root\" }\n[run]\nt_end = \"0.01 s\"\n";
    folder.write("m.toml", model.replace("GAUGES\n", ""));
    let text = folder.good(&["stress", "m.toml"]);
    assert!(text.contains("stress of 4 elements of `bar` is not known"), "{text}");
    folder.write("m.toml", model.replace("GAUGES", "gauges.r = { at = [0, 0, 0], shows = [\"stress\"] }"));
    folder.bad(&["check", "m.toml"], 1, &["B0020", "constants only", "PBARL"]);
    folder.write("m.toml", model.replace("GAUGES", "gauges.r = { at = [0, 0, 0], shows = [\"forces\"] }"));
    folder.good(&["check", "m.toml"]);
}
