//! Servo design with the gears and linear axes of the library: rotor, ratio and travel of a turn are theirs.

use crate::program::{Folder, json};

const MODEL: &str = r#"
    [bodies]
    slide = { m = "5 kg" }
    wheel = { m = 0, inertia = ["1 kg m^2", "1 kg m^2", "2 kg m^2"] }
    [joints]
    x = { type = "prismatic", parent = "world", child = "slide", axis = "x" }
    z = { type = "revolute", parent = "slide", child = "wheel", axis = "z" }
    [components]
    gx = { type = "linear_axis", compliance = "rigid", J = "3e-4 kg m^2", n = 10, r = "25 mm" }
    gz = { type = "servo_gear", compliance = "rigid", J = "2e-4 kg m^2", n = 100 }
    [connect]
    "gx.load" = "x"
    "gz.load" = "z"
    [robots.r]
    script = "wait 1 s"
    period = "10 ms"
    tool   = "wheel"
    axes   = ["x", "z"]
    drives = ["gx", "gz"]
    speed  = ["0.5 m/s", "2 rad/s"]
    [run]
    t_end = "10 ms"
"#;

/// J_eff = J + J_low (r/n)² and J + J_low/n².
#[test]
fn gears_of_the_library_bring_rotor_and_ratio() {
    let folder = Folder::new();
    folder.write("m.toml", MODEL);
    let answer = json(&folder.good(&["servo", "m.toml", "--bandwidth", "10", "--format", "json"]));
    for (k, expected) in [3e-4 + 5.0 * (0.025_f64 / 10.0).powi(2), 2e-4 + 2.0 / 1e4].into_iter().enumerate() {
        let found = answer["result"]["axes"][k]["effective_inertia_si"].as_f64().unwrap();
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
    }
    // Their rotor is no place for the inertia that feedforward takes, and they have no gains.
    folder.good(&["servo", "m.toml", "--write"]);
    assert_eq!(folder.read("m.toml"), MODEL);
}

#[test]
fn an_axis_without_a_known_drive_is_told() {
    let folder = Folder::new();
    folder.write("m.toml", MODEL.replace("drives = [\"gx\", \"gz\"]\n", ""));
    let text = folder.good(&["servo", "m.toml", "--bandwidth", "10"]);
    assert!(text.contains("note: no drive") && text.contains("x, z"), "{text}");
}
