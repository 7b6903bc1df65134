//! What is said of mechanisms that cannot be: place, reason, hint.

use std::path::Path;

use insta::assert_snapshot;
use trunnion_equations::EvaluationEngine;

use crate::program::Folder;

const ARM: &str = r#"[mechanism]
gravity = "9.81 m/s^2"
[bodies]
world = { frames = { far = ["1.5 m", 0, 0] } }
arm = { m = "1 kg", rod = "1 m" }
fore = { m = "1 kg", rod = "1 m" }
[joints]
pin = { type = "revolute", parent = "world", child = "arm", axis = "y" }
elbow = { type = "revolute", parent = "arm.end", child = "fore", axis = "y" }
[run]
t_end = "1 s"
"#;

const CLOSE: &str =
    r#"close = { type = "revolute", parent = "world.far", child = "fore.end", axis = "y", cut = true }"#;
const FIRST: &str = r#"child = "arm", axis = "y""#;
const SECOND: &str = r#"child = "fore", axis = "y""#;

/// What `check` says of the arm with texts exchanged; "[run]" stands for a place to add to.
fn said(changes: &[(&str, &str)]) -> String {
    let mut text = ARM.to_string();
    for (from, to) in changes {
        assert!(text.contains(from), "`{from}` is not in the model");
        let add = if *from == "[run]" { format!("{to}\n[run]") } else { to.to_string() };
        text = text.replacen(from, &add, 1);
    }
    let folder = Folder::new();
    folder.write("m.toml", text);
    folder.run(&["check", "m.toml"]).err
}

fn all(cases: &[&[(&str, &str)]]) -> String {
    cases.iter().map(|changes| said(changes)).collect::<Vec<_>>().join("\n")
}

#[test]
fn bodies() {
    assert_snapshot!(all(&[
        &[
            (r#"m = "1 kg", rod = "1 m""#, r#"frames = { end = ["1 m", 0, 0] }"#),
            ("fore = ", "# "),
            ("elbow = ", "# ")
        ],
        &[(
            r#"rod = "1 m""#,
            r#"frames = { end = [0, 0, 0] }, inertia = ["1 kg m^2", "1 kg m^2", "5 kg m^2"]"#
        )],
        &[(r#"rod = "1 m""#, r#"rod = "1 m", shapes = [{ mesh = "none.stl" }]"#)],
        &[(r#"rod = "1 m""#, r#"rod = "1 m", mas = 3"#)],
        &[(r#""1 kg""#, r#""1 m""#)],
        &[(r#""1 kg""#, r#""-1 kg""#)],
        &[(r#"rod = "1 m""#, r#"rod = "1 m", shapes = [{ sphere = "1 m", density = "-5 kg/m^3" }]"#)],
        &[(r#"rod = "1 m""#, r#"rod = "1 m", shapes = [{ box = ["1 m", "-2 m", "1 m"] }]"#)],
        &[("arm = {", "\"link#\" = { count = 0, m = \"1 kg\" }\narm = {")],
        &[("arm = {", "lost = { m = \"1 kg\", rod = \"1 m\" }\narm = {")],
        &[("gravity", "gravitation")],
        &[(r#"gravity = "9.81 m/s^2""#, r#"plane = "xy""#), (r#"["1.5 m", 0, 0]"#, r#"["1.5 m", 0, 1]"#)],
    ]));
}

#[test]
fn joints() {
    assert_snapshot!(all(&[
        &[(r#"parent = "world", "#, "")],
        &[(r#"parent = "world""#, r#"parent = "word""#)],
        &[(r#"parent = "world""#, r#"parent = "arm.end""#)],
        &[("revolute", "hinge")],
        &[(FIRST, r#"child = "arm""#)],
        &[(
            r#""revolute", parent = "world", child = "arm", axis = "y""#,
            r#""universal", parent = "world", child = "arm", axes = ["y", "y"]"#
        )],
        &[(FIRST, r#"child = "arm", axis = "y", ph0 = 1"#)],
        &[(FIRST, r#"child = "arm", axis = "y", phi0 = "1 m""#)],
        &[(FIRST, r#"child = "arm", axis = "y", lower = "1 rad", upper = "-1 rad""#)],
        &[(FIRST, r#"child = "arm", axis = "y", motion = "elbow.phi""#)],
        &[(r#"gravity = "9.81 m/s^2""#, r#"plane = "xy""#), (r#"["1.5 m", 0, 0]"#, r#"["1.5 m", 0]"#)],
    ]));
}

#[test]
fn loops() {
    let near = r#"child = "arm", axis = "y", phi0 = "10 deg""#;
    assert_snapshot!(all(&[
        &[("[run]", CLOSE), ("1.5 m", "5 m")],
        &[("[run]", CLOSE), (r#"["1.5 m", 0, 0]"#, r#"["1.5 m", "1 mm", 0]"#)],
        &[
            ("[run]", CLOSE),
            (FIRST, near),
            (SECOND, r#"child = "fore", axis = "y", w0 = "1 rad/s", phi0 = "10 deg""#)
        ],
        &[
            ("[run]", CLOSE),
            (FIRST, r#"child = "arm", axis = "y", motion = "1 rad/s*time - 0.722734247813416 rad""#)
        ],
        &[("[run]", &CLOSE.replace("cut = true", r#"cut = true, motion = "2 rad""#))],
        &[("[run]", &CLOSE.replace("revolute", "screw"))],
        &[("[run]", r#"again = { type = "revolute", parent = "world", child = "arm.end", axis = "y" }"#)],
    ]));
}

#[test]
fn couplings_and_lines() {
    let with = |text: &str| said(&[("[run]", text)]);
    let texts = [
        with("[couplings]\ng = { type = \"gear\", a = \"pin\", b = \"pin\", ratio = 2 }"),
        with("[couplings]\ng = { type = \"gear\", a = \"pin\", b = \"elbow\", ratio = 0 }"),
        with("[couplings]\ng = { type = \"gear\", a = \"pin\", b = \"elbo\", ratio = 2 }"),
        with("[couplings]\ng = { type = \"rack\", turns = \"pin\", slides = \"elbow\", radius = \"1 m\" }"),
        with("[couplings]\ng = { type = \"linear\", terms = { \"pin.phi\" = 0 } }"),
        with(
            "[couplings]\ng = { type = \"gear\", a = \"pin\", b = \"elbow\", ratio = 2 }\n\
              h = { type = \"gear\", a = \"pin\", b = \"elbow\", ratio = 2 }",
        ),
        with("[couplings]\nrod = { type = \"rod\", from = \"world\", to = \"arm\" }"),
        with("[lines]\nspring = { from = \"world\", to = \"arm\", k = \"10 N/m\" }"),
        with("[loads]\nwind = { at = \"arm.end\" }"),
        with("[sensors]\ntip = { of = \"arm.tip\" }"),
        with("[[expect]]\nsignal = \"arm.q\"\nmax = \"1 m\"\ntol = \"1 mm\""),
    ];
    assert_snapshot!(texts.join("\n"));
}

/// The mechanism of every example and test model, without what follows from [run] on.
fn examples() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut list: Vec<(String, String)> = ["examples/domains/mechanisms", "tests/models/mechanisms"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.to_string_lossy().ends_with(".expect.toml"))
        .map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    list.sort();
    assert!(list.len() > 15);
    list.iter().map(|(path, text)| (path.clone(), text.split("[run]").next().unwrap().to_string())).collect()
}

/// Any character may be missing: the model is refused or runs, nothing else.
#[test]
fn a_character_is_missing() {
    let folder = Folder::new();
    let mut random = 7_u64;
    for (path, text) in examples() {
        let places: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
        for _ in 0..12 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let mut text = text.clone();
            text.remove(places[(random >> 33) as usize % places.len()]);
            folder.write("m.toml", &text);
            let file = folder.path("m.toml").display().to_string();
            if let Err(failure) =
                trunnion_engine::Workspace::default().open_with(&file, &[], EvaluationEngine::Interpreter)
            {
                assert!(!failure.to_string().is_empty(), "{path}");
            }
        }
    }
}

/// The page shows what the file says.
#[test]
fn the_first_example_of_the_page_is_a_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/guides/mechanisms.md")).unwrap();
    let block = page.split("```toml\n").nth(1).unwrap().split("\n```").next().unwrap();
    let file = std::fs::read_to_string(root.join("examples/domains/mechanisms/slider_crank.toml")).unwrap();
    assert!(file.contains(block), "{block}");
}
