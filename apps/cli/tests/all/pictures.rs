//! Pictures and animations of mechanisms, asked for as a user does.

use crate::program::Folder;

const PENDULUM: &str = r#"
[model]
name = "pendulum"
[mechanism]
[bodies]
world = { shapes = [{ box = ["0.3 m", "0.2 m", "0.05 m"], at = [0, 0, "0.03 m"] }], frames = { wall = ["1 m", 0, 0] } }
arm = { m = "1 kg", rod = "0.5 m" }
[joints]
hinge = { type = "revolute", parent = "world", child = "arm", axis = "y" }
[lines]
spring = { from = "world.wall", to = "arm.end", k = "5 N/m", l0 = "0.4 m" }
[run]
t_end = "1 s"
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("pendulum.toml", PENDULUM);
    folder
}

#[test]
fn a_model_and_its_results_give_the_same_picture() {
    let folder = folder();
    let views = ["side", "xz", "front", "top", "iso"];
    for view in views {
        let out = format!("{view}.svg");
        let said = folder.good(&["plot", "pendulum.toml", "--view", view, "--frames", "3", "-o", &out]);
        assert_eq!(said.trim(), format!("{out}: 3 poses"));
    }
    assert_eq!(folder.read("side.svg"), folder.read("xz.svg"));
    assert_ne!(folder.read("side.svg"), folder.read("iso.svg"));
    folder.good(&["run", "pendulum.toml", "-q", "-o", "run.parquet"]);
    let results = ["plot", "run.parquet", "--model", "pendulum.toml", "--view", "side", "--frames", "3"];
    folder.good(&[&results[..], &["-o", "again.svg"]].concat());
    assert_eq!(folder.read("side.svg"), folder.read("again.svg"));
    folder.good(&[
        "plot",
        "pendulum.toml",
        "--view",
        "side",
        "--at",
        "0.25,0.5",
        "--trace",
        "arm.end",
        "-o",
        "a.png",
    ]);
    assert!(std::fs::read(folder.path("a.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn the_last_of_even_times_is_the_end() {
    let folder = folder();
    // 0.05 · 3/3 is more than 0.05 in floating point.
    let short = ["plot", "pendulum.toml", "--set", "run.t_end=0.05 s", "--view", "side", "--frames", "4"];
    assert_eq!(folder.good(&short).trim(), "pendulum.svg: 4 poses");
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let folder = folder();
    folder.good(&["run", "pendulum.toml", "-q", "-o", "run.csv"]);
    folder.write("plain.toml", "[model]\nname = \"plain\"\n[variables]\nx = { start = 1 }\n[equations]\na = \"der(x) = -x/(1 s)\"\n[run]\nt_end = \"1 s\"\n");
    let check = |arguments: &[&str], message: &str| {
        let answer = folder.run(arguments);
        assert_eq!(answer.code, 2, "{arguments:?}: {}", answer.err);
        assert!(answer.err.contains(message) && answer.err.contains("hint"), "{arguments:?}: {}", answer.err);
    };
    check(&["plot", "run.csv", "--view", "top"], "does not say what the bodies look like");
    check(&["animate", "run.csv"], "does not say what the bodies look like");
    check(&["plot", "plain.toml", "--view", "top"], "has no bodies");
    check(&["plot", "pendulum.toml", "--view", "top", "--at", "3"], "nothing at t = 3 s");
    check(&["plot", "pendulum.toml", "--view", "top", "--trace", "arm.ent"], "no point `arm.ent`");
    check(&["animate", "pendulum.toml", "-o", "a.gltf"], "cannot tell which animation");
    check(&["animate", "pendulum.toml", "--rate", "0"], "--rate has to be above 0");
}

#[test]
fn an_animation_is_a_mesh_that_can_be_read() {
    let folder = folder();
    assert_eq!(folder.good(&["animate", "pendulum.toml"]).trim(), "pendulum.glb: 1 body, 1 s");
    let triangles = trunnion_exchange::mesh::read(&folder.path("pendulum.glb")).unwrap();
    // The arm begins along x.
    let far = triangles.iter().flatten().map(|p| p[0]).fold(0.0, f64::max);
    assert!(far > 0.5 && triangles.iter().flatten().all(|p| p[2].abs() < 0.1), "{far}");
}
