//! Expectations in a file beside the model.

use trunnion_model::{Model, load, model_of_expectations};

use crate::{Memory, built_in, shown};

const MACHINE: &str = "[variables]\nx = { unit = \"m\" }\n[equations]\ne = \"der(x) = 1 m/s\"\n";
const OWN: &str = "[[expect]]\nsignal = \"x\"\nvalue = \"1 m\"\ntol = \"1 mm\"\n";
const BESIDE: &str = "[[expect]]\nsignal = \"x\"\nmax = \"1 m\"\ntol = \"1 mm\"\nsource = \"closed form\"\n";

fn opened(files: &[(&str, &str)], path: &str) -> Result<Model, String> {
    load(&Memory::new(files), path, &[], &built_in()).map_err(|errors| shown(&errors))
}

#[test]
fn expectations_beside_a_model_come_after_its_own() {
    let both = format!("{MACHINE}{OWN}");
    let model = opened(&[("m.toml", &both), ("m.expect.toml", BESIDE)], "m.toml").unwrap();
    assert_eq!(model.expect.len(), 2);
    assert_eq!(model.expect[1].source, "closed form");
    // Who copies a model copies what it was read from.
    assert!(model.sources.iter().any(|s| &*s.name == "m.expect.toml"));
    // They are the same as in the model itself.
    let inside = format!("{MACHINE}{OWN}{BESIDE}");
    let inside = opened(&[("m.toml", &inside)], "m.toml").unwrap();
    let said = |m: &Model| m.expect.iter().map(|e| (e.subject.clone(), e.demand)).collect::<Vec<_>>();
    assert_eq!(said(&model), said(&inside));
}

#[test]
fn an_including_model_has_expectations_of_its_own_only() {
    let including = "[model]\ninclude = \"m.toml\"\n";
    let files = [("m.toml", MACHINE), ("m.expect.toml", BESIDE), ("n.toml", including)];
    assert!(opened(&files, "n.toml").unwrap().expect.is_empty());
}

#[test]
fn errors_name_the_file_beside_and_the_line() {
    let wrong = |text: &str, wanted: &[&str]| {
        let said = opened(&[("m.toml", MACHINE), ("m.expect.toml", text)], "m.toml").unwrap_err();
        wanted.iter().for_each(|w| assert!(said.contains(w), "`{w}` is missing in\n{said}"));
    };
    wrong("[[expect]]\nsignal = \"y\"\nmax = 1\ntol = 1\n", &["m.expect.toml:2:", "`y`"]);
    wrong("[[expect]]\nsignal = \"x\"\nmax = \"1 s\"\ntol = \"1 mm\"\n", &["m.expect.toml:3:"]);
    wrong(
        "[run]\nt_end = \"1 s\"\n",
        &["error[M0102]", "m.expect.toml:1:2", "a file of expectations has no section `run`"],
    );
    wrong("[[expect]]\nsignal = \"x\nmax = 1\n", &["m.expect.toml:2:"]);
}

#[test]
fn a_file_of_expectations_stands_for_its_model() {
    assert_eq!(model_of_expectations("a/m.expect.toml").as_deref(), Some("a/m.toml"));
    assert_eq!(model_of_expectations("a/m.toml"), None);
}
