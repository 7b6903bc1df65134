//! Robots of others, read as a user does.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use trunnion_engine::project::Project;
use trunnion_results::{Table, read};
use trunnion_sim::problem::Problem;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, point, settings, simulate_to_table};

use crate::program::Folder;

pub fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../crates/exchange/tests/data").join(name)
}

/// The robot in a folder of its own, with its meshes, and what it becomes.
pub fn six_axis() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("meshes")).unwrap();
    for name in ["six_axis.urdf", "meshes/arm.obj", "meshes/wrist.stl"] {
        std::fs::copy(data(name), folder.path(name)).unwrap();
    }
    folder
}

#[test]
fn a_robot_of_six_axes_becomes_a_model_file() {
    let folder = six_axis();
    let answer = folder.run(&["import", "six_axis.urdf", "-o", "robot.toml"]);
    assert_eq!((answer.code, answer.out.trim()), (0, "robot.toml: 8 bodies"));
    insta::assert_snapshot!("six_axis_notes", answer.err);
    insta::assert_snapshot!("six_axis_model", folder.read("robot.toml"));
    assert_eq!(folder.good(&["import", "six_axis.urdf"]), folder.read("robot.toml"));
}

#[test]
fn a_wrong_robot_is_refused() {
    let folder = Folder::new();
    folder.write("r.urdf", "<robot name=\"r\">\n  <link name=\"base\">\n</robot>\n");
    let answer = folder.run(&["import", "r.urdf"]);
    assert_eq!(answer.code, 1);
    insta::assert_snapshot!("unclosed_tag", answer.err);
    assert_eq!(folder.run(&["import", "none.urdf"]).code, 4);
}

/// Rounding of two orders of adding up: 1e-9 of the largest, as the note beside the data says.
const ROUNDING: f64 = 1e-9;

/// Pose, gravity torques and mass matrix.
struct Reference {
    phi: [f64; 6],
    gravity: [f64; 6],
    mass: [[f64; 6]; 6],
}

fn references() -> Vec<Reference> {
    let table: Table = read(Path::new(&data("six_axis_mass_matrix.csv"))).unwrap();
    let value = |name: String, row: usize| table.column(&name).unwrap().values[row];
    let one = |row: usize| Reference {
        phi: [1, 2, 3, 4, 5, 6].map(|i| value(format!("phi{i}"), row)),
        gravity: [1, 2, 3, 4, 5, 6].map(|i| value(format!("g{i}"), row)),
        mass: [1, 2, 3, 4, 5, 6]
            .map(|i| [1, 2, 3, 4, 5, 6].map(|j| value(format!("m{}{}", i.min(j), i.max(j)), row))),
    };
    (0..table.rows()).map(one).collect()
}

/// Friction of the file takes no part.
fn frictionless(text: &str) -> String {
    let mut parts = text.split(", friction = \"");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |all, part| all + part.split_once('"').map_or("", |(_, rest)| rest))
}

fn opened(path: &Path) -> Project {
    Project::open(path.to_str().unwrap(), &[]).unwrap_or_else(|failure| panic!("{}", failure))
}

fn near(found: f64, expected: f64, largest: f64, what: &str) {
    assert!((found - expected).abs() <= ROUNDING * largest, "{what}: {found} is not {expected}");
}

#[test]
fn accelerations_from_rest_are_those_of_the_reference() {
    let folder = six_axis();
    folder.good(&["import", "six_axis.urdf", "-o", "robot.toml"]);
    folder.write("robot.toml", frictionless(&folder.read("robot.toml")));
    let path = folder.path("robot.toml");
    let project = opened(&path);
    let names = &project.prepared.layout.names;
    let place =
        |name: String| names.iter().position(|n| *n == name).unwrap_or_else(|| panic!("{name}: {names:?}"));
    let mut start = point(&project, &Overrides::default(), None, &Monitor::default()).unwrap();
    for Reference { phi, gravity, mass } in references() {
        for k in 0..6 {
            start.y[place(format!("axis_{}.phi", k + 1))] = phi[k];
            start.y[place(format!("axis_{}.w", k + 1))] = 0.0;
        }
        let mut rates = vec![0.0; start.y.len()];
        start.machine.residual(0.0, &start.y, &mut rates);
        let w_dot: Vec<f64> = (1..=6).map(|k| rates[place(format!("axis_{k}.w"))]).collect();
        let largest = gravity.iter().fold(0.0_f64, |a, g| a.max(g.abs()));
        // M q'' = −g.
        for i in 0..6 {
            let torque: f64 = (0..6).map(|j| mass[i][j] * w_dot[j]).sum();
            near(torque, -gravity[i], largest, &format!("torque on axis {}", i + 1));
        }
    }
}

#[test]
fn torques_of_prescribed_motion_are_the_mass_matrix_of_the_reference() {
    let folder = six_axis();
    folder.good(&["import", "six_axis.urdf", "-o", "robot.toml"]);
    // Every axis goes its way: φ_k = p_k + ½ a_k t².
    let mut text = frictionless(&folder.read("robot.toml"));
    for k in 1..=6 {
        let line = text.lines().find(|l| l.starts_with(&format!("axis_{k} ="))).unwrap().to_string();
        let driven = line.replace(" }", &format!(", motion = \"p{k} + 0.5*a{k}*time^2\" }}"));
        text = text.replace(&line, &driven);
    }
    text += "\n[parameters]\n";
    (1..=6).for_each(|k| text += &format!("p{k} = \"0 rad\"\na{k} = \"0 rad/s^2\"\n"));
    folder.write("driven.toml", text.replace("t_end = \"2 s\"", "t_end = \"1 us\"\npoints = 2"));
    let path = folder.path("driven.toml");
    let project = opened(&path);
    let symbol = |name: String| project.prepared.system.find(&name).unwrap();
    let (solver, settings) = settings(&project.run, &Overrides::default()).unwrap();
    for Reference { phi, gravity, mass } in references() {
        let torques = |accelerated: Option<usize>| {
            let mut given: HashMap<_, _> = (0..6).map(|k| (symbol(format!("p{}", k + 1)), phi[k])).collect();
            given.extend(accelerated.map(|k| (symbol(format!("a{}", k + 1)), 1.0)));
            let (table, outcome) =
                simulate_to_table(&project, &given, (solver, &settings), &Monitor::default()).unwrap();
            outcome.check().unwrap();
            [1, 2, 3, 4, 5, 6].map(|k| table.column(&format!("axis_{k}.effort")).unwrap().values[0])
        };
        let held = torques(None);
        let largest = gravity.iter().fold(0.0_f64, |a, g| a.max(g.abs()));
        (0..6).for_each(|i| near(held[i], gravity[i], largest, &format!("gravity on axis {}", i + 1)));
        for j in 0..6 {
            let moved = torques(Some(j));
            for i in 0..6 {
                near(moved[i] - held[i], mass[i][j], largest, &format!("m{}{}", i + 1, j + 1));
            }
        }
    }
}
