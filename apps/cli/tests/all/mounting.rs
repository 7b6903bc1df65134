//! Components that are mounted are the same as a line or a joint, a ground and connections.

use std::collections::HashMap;

use crate::program::Folder;
use trunnion_engine::project::Project;
use trunnion_results::Table;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, settings, simulate_to_table};

fn run_in(folder: &Folder) -> Table {
    let project =
        Project::open(&folder.path("m.toml").to_string_lossy(), &[]).unwrap_or_else(|f| panic!("{}", f));
    let settings = settings(&project.run, &Overrides::default()).unwrap_or_else(|f| panic!("{}", f));
    let run = simulate_to_table(&project, &HashMap::new(), (settings.0, &settings.1), &Monitor::default());
    run.unwrap_or_else(|f| panic!("{}", f)).0
}

fn run(text: &str) -> Table {
    let folder = Folder::new();
    folder.write("m.toml", text);
    run_in(&folder)
}

/// Both forms give the same values of everything that both have.
fn check(mounted: &str, written_out: &str, renamed: &[(&str, &str)]) {
    let (a, b) = (run(mounted), run(written_out));
    let mut compared = 0;
    for column in &a.columns {
        let name = renamed.iter().fold(column.name.clone(), |n, (from, to)| n.replace(from, to));
        let other = b.column(&name).unwrap_or_else(|_| panic!("no {name}"));
        let size = other.values.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
        for (x, y) in column.values.iter().zip(&other.values) {
            assert!((x - y).abs() <= 1e-12 * size, "{name}: {x} and {y}");
        }
        compared += 1;
    }
    assert!(compared > 20);
}

#[test]
fn a_cylinder_between_frames_is_a_line_a_ground_and_two_connections() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/domains/mechanisms/mounted_boom.toml");
    let mounted = std::fs::read_to_string(path).unwrap();
    let mounted = mounted.split("[run]").next().unwrap();
    let written_out = mounted
        .replace("from = \"world.foot\", to = \"boom.pin\", ", "")
        .replace(
            "[components]",
            "[lines]\nrope = { from = \"world.foot\", to = \"boom.pin\" }\n\n[components]\nwall = \"ground\"",
        )
        .replace("[connect]", "[connect]\n\"rope\" = \"lift.rod\"\n\"wall\" = \"lift.case\"");
    assert_ne!(mounted, written_out);
    check(mounted, &written_out, &[("lift.line.", "rope."), ("lift.ground.", "wall.")]);
}

const WHEEL: &str = r#"
    [bodies]
    wheel = { m = "2 kg", inertia = [0.1, 0.1, 0.2] }
    [joints]
    axle = { type = "cylindrical", parent = "world", child = "wheel", axis = "x" }
    [components]
    battery = { type = "voltage_source", U = "12 V" }
    earth   = "electric_ground"
    motor   = { type = "dc_motor" MOUNT }
    [connect]
    "battery.p" = "motor.p"
    "earth" = ["battery.n", "motor.n"]"#;

#[test]
fn a_motor_on_a_joint_is_a_connection() {
    for on in ["axle.phi", "axle.rotation"] {
        let mounted = WHEEL.replace("MOUNT", &format!(", on = \"{on}\""));
        let written_out = WHEEL.replace("MOUNT", "") + "\n\"motor.shaft\" = \"axle.rotation\"\n";
        check(&mounted, &written_out, &[]);
    }
}

/// A rod that carries m g through its whole length, by two of a family beside each other.
#[test]
fn families_are_mounted_one_by_one() {
    let text = r#"
        [options]
        n = { count = 2, doc = "Springs" }
        [bodies]
        world = { frames = { "hook#" = { count = 2, at = ["0.1 m*#", 0, "1 m"] } } }
        load  = { m = "4 kg", frames = { "eye#" = { count = 2, at = ["0.1 m*#", 0, 0] } } }
        [joints]
        guide = { type = "prismatic", parent = "world", child = "load", axis = "z" }
        [components]
        "spring#" = { type = "spring_damper", from = "world.hook#", to = "load.eye#", k = "1 kN/m", c = "100 N s/m" }
        [run]
        t_end = "5 s""#;
    let table = run(text);
    for k in 1..=2 {
        let length = table.column(&format!("spring{k}.line.l")).unwrap().values.last().copied().unwrap();
        assert!((length - (1.0 + 4.0 * 9.81 / 2000.0)).abs() < 1e-6, "{length}");
    }
}

#[test]
fn a_mounted_component_is_told_its_length() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("parts")).unwrap();
    folder.write(
        "parts/rope.toml",
        r#"
        [ports]
        end = { domain = "translational" }
        [mount]
        to     = "end"
        length = "l"
        [options]
        mounted = { default = false }
        [parameters]
        k = { unit = "N/m", default = 500 }
        [equations]
        force = "end.f = k*(s - 1 m)"
        [variables]
        s = "m"
        [[when]]
        option = "mounted"
        is = false
        [when.equations]
        free = "der(s) = end.v"
        [[when]]
        option = "mounted"
        is = true
        [when.ports]
        l = { domain = "signal", direction = "in", unit = "m" }
        [when.equations]
        measured = "s = l"
        "#,
    );
    folder.write(
        "m.toml",
        r#"
        [model]
        libraries = ["parts"]
        [mechanism]
        plane = "xy"
        [bodies]
        ball = { m = "1 kg" }
        [joints]
        slide = { type = "prismatic", parent = "world", child = "ball", axis = "-y", x0 = "2 m" }
        [components]
        rope = { type = "rope", from = "world", to = "ball" }
        [run]
        t_end = "1 s""#,
    );
    let table = run_in(&folder);
    let last = |name: &str| table.column(name).unwrap().values.last().copied().unwrap();
    // x = x̄ + (x₀ − x̄) cos ωt with k (x̄ − 1 m) = m g.
    let rest = 1.0 + 9.81 / 500.0;
    let expected = rest + (2.0 - rest) * 500.0_f64.sqrt().cos();
    assert!((last("slide.x") - expected).abs() < 1e-4, "{}", last("slide.x"));
    assert_eq!(last("rope.s"), last("slide.x"));
}
