//! Elastic bodies in pieces: large deflections, the same small vibrations, frames under the name of the whole.

use crate::program::Folder;
use trunnion_engine::project::Project;
use trunnion_sim::linear::linearise;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, point};

/// Frequencies in rad/s, ascending, and the signals asked for, at rest at the start.
fn at_rest(model: &str, values: &[String], signals: &[&str]) -> (Vec<f64>, Vec<f64>) {
    let folder = Folder::new();
    folder.write("m.toml", model);
    let project =
        Project::open(&folder.path("m.toml").to_string_lossy(), values).unwrap_or_else(|f| panic!("{f}"));
    let Ok(mut at) = point(&project, &Overrides::default(), None, &Monitor::default()) else {
        panic!("no start")
    };
    let linear = linearise(&mut at.machine, at.t, &at.y, &[], &[]).unwrap().0;
    let mut found: Vec<f64> = linear.poles().unwrap().iter().map(|p| p.im).filter(|w| *w > 0.0).collect();
    found.sort_by(f64::total_cmp);
    let columns = project.prepared.columns.iter();
    let names: Vec<String> = columns.map(|c| c.name.to_string()).collect();
    let mut row = vec![0.0; names.len()];
    at.machine.record(at.t, &at.y, &mut row).unwrap();
    let value =
        |name: &&str| row[names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no {name}"))];
    (found, signals.iter().map(value).collect())
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() < tolerance, "{found} for {expected}");
}

/// A strip with F L² / E I = `load`, in pieces.
fn strip(load: f64, modes: usize, frames: &str) -> String {
    format!(
        "[mechanism]\ngravity = \"0 m/s^2\"\n[bodies.strip]\nmaterial = {{ E = \"200 GPa\", nu = 0.3, rho = \"7850 kg/m^3\" }}\n\
         beams = [{{ from = [0, 0, 0], to = [\"1 m\", 0, 0], section = {{ rectangle = [\"30 mm\", \"4 mm\"] }}, elements = 16, shear = false }}]\n\
         pieces = 4\nmodes = {modes}\nframes = {{ tip = [\"1 m\", 0, 0]{frames} }}\n\
         [joints]\nclamp = {{ type = \"weld\", parent = \"world\", child = \"strip\" }}\n\
         [loads]\npull = {{ at = \"strip.tip\", force = [0, 0, \"{} N\"] }}\n\
         [sensors]\ntip = {{ of = \"strip.tip\", shows = [\"position\"] }}\n[start]\nbalance = \"rest\"\n[run]\nt_end = \"1 s\"\n",
        32.0 * load
    )
}

fn pieces(n: usize) -> Vec<String> {
    vec![format!("strip.pieces={n}")]
}

/// Deflection of the elastica for F L² / E I = 1 [Mattiasson 1981]; one body stays at the linear F L³ / 3 E I.
#[test]
fn deflections_converge_to_the_elastica_with_the_square_of_the_pieces() {
    let model = strip(1.0, 0, "");
    let deflection = |n: usize| at_rest(&model, &pieces(n), &["tip.z"]).1[0];
    assert_near(deflection(1), 1.0 / 3.0, 1e-3);
    let [coarse, fine] = [8, 16].map(|n| 0.30172 - deflection(n));
    assert!(fine.abs() < 3e-4, "{fine}");
    // Second order, as far as five digits of the reference show it.
    assert!((3.0..5.0).contains(&(coarse / fine)), "{coarse} {fine}");
}

/// Tube of 10 m under 100 kN across its end: 0.34460077 m and 9.99289385 m by a geometrically exact beam with shear areas of half the section, converged.
#[test]
fn a_pipe_bends_as_a_geometrically_exact_beam() {
    let model = "[mechanism]\ngravity = \"0 m/s^2\"\n[bodies.pipe]\nmaterial = { E = \"210 GPa\", nu = 0.29, rho = \"7850 kg/m^3\" }\n\
         beams = [{ from = [0, 0, 0], to = [0, 0, \"10 m\"], section = { tube = [\"500 mm\", \"10 mm\"] }, elements = 8 }]\n\
         pieces = 8\nmodes = 0\nframes = { tip = [0, 0, \"10 m\"] }\n[joints]\nclamp = { type = \"weld\", parent = \"world\", child = \"pipe\" }\n\
         [loads]\npull = { at = \"pipe.tip\", force = [\"100 kN\", 0, 0] }\n[sensors]\ntip = { of = \"pipe.tip\", shows = [\"position\"] }\n\
         [start]\nbalance = \"rest\"\n[run]\nt_end = \"1 s\"\n";
    let (_, tip) = at_rest(model, &[], &["tip.x", "tip.z"]);
    assert_near(tip[0], 0.344_600_77, 5e-5);
    assert_near(tip[1], 9.992_893_85, 1e-6);
    let (_, whole) = at_rest(model, &["pipe.pieces=1".into()], &["tip.x"]);
    assert_near(whole[0], 0.345_020, 2e-5);
}

/// β L = 1.8751, 4.6941, 7.8548 in any number of pieces.
#[test]
fn small_vibrations_do_not_depend_on_pieces() {
    let model = strip(0.0, 2, "");
    let unit = (200e9 * 0.004_f64.powi(2) / 12.0 / 7850.0).sqrt();
    for n in [1, 2, 4] {
        let (found, _) = at_rest(&model, &pieces(n), &[]);
        assert_near(found[0], 1.875_104_f64.powi(2) * unit, 1e-4);
        assert_near(found[1], 4.694_091_f64.powi(2) * unit, 2e-3);
    }
}

/// A frame in the middle is on an inner piece, and is still the strip's.
#[test]
fn frames_keep_the_name_of_the_whole() {
    let model = strip(0.01, 0, ", mid = [\"0.5 m\", 0, 0], low = { at = [\"0.75 m\", 0, 0], rotate = [0, \"90 deg\", 0] }")
        .replace("[start]", "mid = { of = \"strip.mid\", shows = [\"position\"] }\nlow = { of = \"strip.low\", shows = [\"position\"] }\n[start]");
    let (_, found) = at_rest(&model, &[], &["mid.z", "low.z", "tip.z"]);
    // x² (3 L − x) / 2 L³ of the tip.
    assert_near(found[0] / found[2], 0.25 * 2.5 / 2.0, 1e-3);
    assert_near(found[1] / found[2], 0.5625 * 2.25 / 2.0, 1e-3);
    let (rigid, _) = at_rest(&model, &["strip.model=rigid".into()], &[]);
    assert!(rigid.is_empty(), "a rigid body has no pieces");
}

/// M = F (L − x) at a gauge, which is on the piece that has its place; there is none of its name on the others.
#[test]
fn gauges_are_on_the_piece_that_has_their_place() {
    let model = strip(0.01, 0, "")
        .replace("pieces = 4", "pieces = 4\ngauges.mid = { at = [\"0.5 m\", 0, 0], shows = [\"forces\"] }");
    let (_, found) = at_rest(&model, &[], &["strip_2.mid.My"]);
    assert_near(found[0].abs(), 0.32 * 0.5, 1e-3);
    let folder = Folder::new();
    folder.write("m.toml", &model);
    folder.good(&["run", "m.toml", "-o", "r.csv"]);
    let table = std::fs::read_to_string(folder.path("r.csv")).unwrap();
    assert_eq!(table.lines().find(|l| !l.starts_with('#')).unwrap().matches("mid.My").count(), 1);
}

#[test]
fn bodies_that_cannot_be_divided_are_refused() {
    let folder = Folder::new();
    let good = strip(0.0, 0, "");
    let cases = [
        ("pieces = 4", "pieces = 0", "from 1 to 100"),
        ("pieces = 4", "pieces = \"four\"", "from 1 to 100"),
        ("pieces = 4", "pieces = 4\npoint_masses = []", "beside `point_masses`"),
        (
            "shear = false",
            "shear = false, section_to = { rectangle = [\"30 mm\", \"3 mm\"] }",
            "beside `section_to`",
        ),
        (
            "from = [0, 0, 0], to = [\"1 m\", 0, 0]",
            "from = [\"1 m\", 0, 0], to = [0, 0, 0]",
            "ends at the origin",
        ),
        (
            "beams = [{",
            "beams = [{ from = [0, 0, 0], to = [0, 0, \"1 m\"], section = { circle = \"9 mm\" } }, {",
            "one beam",
        ),
    ];
    for (from, to, words) in cases {
        folder.write("m.toml", good.replacen(from, to, 1));
        let text = folder.run(&["check", "m.toml"]).err;
        assert!(text.contains("M0546") && text.contains(words) && text.contains("hint:"), "{to}: {text}");
    }
    folder.write("m.toml", good.replacen("to = [\"1 m\"", "to = [\"x\"", 1));
    let text = folder.run(&["check", "m.toml"]).err;
    assert!(text.contains("M0521"), "{text}");
}
