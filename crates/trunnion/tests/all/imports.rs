//! Robots of others, read as a user does.

use std::path::PathBuf;

use crate::program::Folder;

pub fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
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
