//! Contacts and grips: no energy is lost or gained, and a plane in space is the plane.

use std::collections::HashMap;

use crate::program::Folder;
use trunnion_engine::project::Project;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, settings, simulate_to_table};

/// What is left over of the account of energy, as a share of what moved.
fn unaccounted(name: &str) -> f64 {
    let folder = Folder::new();
    let path = format!("{}/../../{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let said = folder.good(&["energy", &path]);
    let line = said.lines().find(|l| l.starts_with("stored + lost")).unwrap_or_else(|| panic!("{said}"));
    let share = line.split(", ").nth(1).and_then(|l| l.split(' ').next()).unwrap_or_else(|| panic!("{line}"));
    share.parse().unwrap_or_else(|_| panic!("{line}"))
}

#[test]
fn no_energy_is_lost_or_gained_in_contacts_and_grips() {
    for name in [
        "examples/domains/mechanisms/contact_rebound",
        "examples/domains/mechanisms/contact_slope",
        "examples/domains/mechanisms/contact_friction",
        "tests/models/mechanisms/contact_laws",
        "examples/domains/mechanisms/take_up",
        "examples/domains/mechanisms/take_up_plane",
        "examples/domains/mechanisms/pick_and_place",
    ] {
        let share = unaccounted(name);
        assert!(share < 1e-8, "{name}: {share}");
    }
}

/// The last value of each name.
fn last(text: &str, names: &[&str]) -> Vec<f64> {
    let folder = Folder::new();
    folder.write("m.toml", text);
    let project =
        Project::open(&folder.path("m.toml").to_string_lossy(), &[]).unwrap_or_else(|f| panic!("{f}"));
    let settings = settings(&project.run, &Overrides::default()).unwrap_or_else(|f| panic!("{f}"));
    let run = simulate_to_table(&project, &HashMap::new(), (settings.0, &settings.1), &Monitor::default());
    let table = run.unwrap_or_else(|f| panic!("{f}")).0;
    let value = |name: &&str| table.column(name).ok().and_then(|c| c.values.last().copied());
    names.iter().map(|name| value(name).unwrap_or_else(|| panic!("no {name}"))).collect()
}

/// A block that falls on two feet, tilted, slides and rocks to rest: in a plane, and in space on four feet of half the stiffness.
#[test]
fn a_block_in_a_plane_is_a_block_in_space() {
    let run = "[run]\nt_end = \"0.6 s\"\nrtol = 1e-9\n";
    let plane = format!(
        r#"
[mechanism]
plane = "xy"
[bodies]
block = {{ m = "10 kg", inertia = "0.4 kg m^2", frames = {{ a = ["-0.2 m", "-0.1 m"], b = ["0.2 m", "-0.1 m"] }} }}
[joints]
fly = {{ type = "planar", parent = "world", child = "block", y0 = "0.2 m", phi0 = "0.1 rad", vx0 = "1 m/s" }}
[components]
a = {{ type = "ground_contact", from = "world", to = "block.a", k = "2e5 N/m", c = "400 N s/m", c_t = "400 N s/m" }}
b = {{ type = "ground_contact", from = "world", to = "block.b", k = "2e5 N/m", c = "400 N s/m", c_t = "400 N s/m" }}
{run}"#
    );
    let foot = |name: &str, corner: &str| {
        format!(
            "{name} = {{ type = \"ground_contact\", from = \"world\", to = \"block.{corner}\", k = \"1e5 N/m\", c = \"200 N s/m\", c_t = \"200 N s/m\" }}\n"
        )
    };
    let feet: String = ["a", "b", "c", "d"].iter().map(|f| foot(f, f)).collect();
    let space = format!(
        r#"
[bodies]
block = {{ m = "10 kg", inertia = ["0.4 kg m^2", "0.4 kg m^2", "0.4 kg m^2"], frames = {{ a = ["-0.2 m", "0.1 m", "-0.1 m"], b = ["0.2 m", "0.1 m", "-0.1 m"], c = ["-0.2 m", "-0.1 m", "-0.1 m"], d = ["0.2 m", "-0.1 m", "-0.1 m"] }} }}
[joints]
fly = {{ type = "free", parent = "world", child = "block", z0 = "0.2 m", rotate0 = [0, "-0.1 rad", 0], vx0 = "1 m/s" }}
[components]
{feet}{run}"#
    );
    let a = last(&plane, &["block.x", "block.y", "fly.vx", "fly.phi"]);
    let b = last(&space, &["block.x", "block.z", "fly.vx", "fly.qy", "block.y"]);
    for k in 0..3 {
        assert!((a[k] - b[k]).abs() < 1e-6, "{k}: {} and {}", a[k], b[k]);
    }
    assert!((a[3] + 2.0 * b[3].asin()).abs() < 1e-6, "{} and {}", a[3], b[3]);
    assert!(b[4].abs() < 1e-9, "out of the plane: {}", b[4]);
    assert!(a[0] > 0.1 && a[2].abs() < 1.0, "it has slid: {a:?}");
}
