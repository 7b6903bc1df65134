//! Faults planted in a component are noticed by models with expectations, and those that are not are listed.

use crate::program::Folder;

const SPRING: &str = r#"title = "Spring"

[ports]
a = { domain = "translational", doc = "One end" }
b = { domain = "translational", doc = "Other end" }

[parameters]
k = { unit = "N/m", default = 1000, above = 0, doc = "Stiffness" }
h = { unit = "N/m^3", default = 0, min = 0, doc = "Hardening" }

[variables]
f = { unit = "N", doc = "Force" }

[bond_graph]
structure   = ["a -> 0.force -> b", "0.force -> C.spring"]
laws.spring = { effort = "k*q + h*q^3", state = "x" }

[equations]
force = "f = spring.e"
"#;

/// A spring moved at 1 m/s for a tenth of a second.
fn model(signal: &str, value: &str, hardening: &str) -> String {
    format!(
        "[components]\ns = {{ type = \"my_spring\", h = \"{hardening} N/m^3\" }}\n\
         v = {{ type = \"motion_source\", V = \"1 m/s\" }}\ng = {{ type = \"ground\" }}\n[connect]\n\"v\" = \"s.a\"\n\"s.b\" = \"g\"\n\
         [run]\nt_end = \"0.1 s\"\n[[expect]]\nsignal = \"{signal}\"\nvalue = \"{value}\"\ntol = \"0.1 %\"\n"
    )
}

fn folder() -> Folder {
    let folder = Folder::new();
    for name in ["models", "library"] {
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    folder.write("library/my_spring.toml", SPRING);
    for part in ["motion_source", "ground"] {
        let text = include_library(part);
        folder.write(&format!("library/{part}.toml"), text);
    }
    folder
}

fn include_library(name: &str) -> String {
    let path = format!("{}/../../library/translational/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_law_without_a_check_is_listed() {
    let folder = folder();
    let mine = ["mutants", "my_spring", "--models", "models", "--models-only"];
    // The displacement tells nothing of the force.
    folder.write("models/weak.toml", model("s.x", "0.1 m", "0"));
    let answer = folder.run(&mine);
    assert_eq!(answer.code, 1, "{}{}", answer.out, answer.err);
    assert!(
        answer.out.contains("my_spring.toml:16: bond_graph.laws.spring.effort: k * q × 1.05: survives"),
        "{}",
        answer.out
    );
    assert!(answer.out.contains("equations.force: sign of spring.e: survives"), "{}", answer.out);
    // The force tells of stiffness and hardening.
    let strong = model("s.f", "1000*0.1*1 N + 5e4*1e-3*1 N", "5e4");
    folder.write("models/strong.toml", strong);
    let answer = folder.run(&mine);
    assert!(answer.out.contains("faults caught, 100 %"), "{}{}", answer.out, answer.err);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
}

#[test]
fn survivors_need_a_reason_and_reasons_a_survivor() {
    let folder = folder();
    folder.write("models/weak.toml", model("s.f", "100 N", "0"));
    let mine = [
        "mutants",
        "my_spring",
        "--models",
        "models",
        "--models-only",
        "--least",
        "10",
        "--reasons",
        "why.toml",
    ];
    let answer = folder.run(&mine);
    assert!(answer.code == 1 && answer.out.contains("h * q^3"), "{}{}", answer.out, answer.err);
    let why = "[[survivor]]\ncomponent = \"my_spring\"\nsite = \"bond_graph.laws.spring.effort\"\nreason = \"no model hardens\"\n";
    folder.write("why.toml", why);
    let answer = folder.run(&mine);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    assert!(answer.out.contains("(reason: no model hardens)"), "{}", answer.out);
    let stale = "[[survivor]]\ncomponent = \"my_spring\"\nsite = \"equations.force\"\nreason = \"none\"\n";
    folder.write("why.toml", format!("{why}{stale}"));
    let answer = folder.run(&mine);
    assert!(
        answer.code == 1 && answer.out.contains("has no survivor: remove it"),
        "{}{}",
        answer.out,
        answer.err
    );
}
