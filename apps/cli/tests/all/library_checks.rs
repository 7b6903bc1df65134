//! Every built-in component meets the common checks, and components with faults do not.

use crate::program::Folder;
use trunnion_engine::files::{Embedded, library};
use trunnion_study::Monitor;
use trunnion_study::component_checks::Bundle;
use trunnion_study::parallel::{for_each, workers};

#[test]
fn every_built_in_component_is_sound() {
    let bundle = Bundle::of(library());
    let n = bundle.components.len();
    assert!(n > 50);
    let mut found = vec![];
    let monitor = Monitor::default();
    let check = |k: usize| bundle.check(k, &Embedded, trunnion_draw::plot::png::check, &monitor);
    for_each(n, workers(), "components", &monitor, &check, |_, report| {
        found.extend(report.findings().map(ToString::to_string));
    });
    found.sort();
    assert!(found.is_empty(), "{} findings:\n\n{}", found.len(), found.join("\n"));
}

const ICON: &str =
    r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M4 16h24"/></svg>"#;

/// A spring with both laws, and everything its page needs.
const SPRING: &str = r#"title = "Progressive spring"
icon  = "spring.svg"
doc   = """
Hardens on both sides.

    f = k dx + h dx³                                                      (1)

Sign:    dx > 0 is compression.
Assumes: no mass.
Limits:  none.
"""

[ports]
a = { domain = "translational", doc = "One end" }
b = { domain = "translational", doc = "Other end" }

[parameters]
k = { unit = "N/m", default = 1000, above = 0, doc = "Stiffness" }

[bond_graph]
structure   = ["a -> 0.force -> b", "0.force -> C.spring", "0.force -> R.loss"]
laws.spring = { effort = "k*q", displacement = "e/k" }
laws.loss   = { effort = "10 N s/m*f" }
"#;

/// Checks SPRING with one text put in place of another; what is said on both channels.
fn check(code: i32, old: &str, new: &str) -> String {
    let folder = Folder::new();
    assert!(SPRING.contains(old), "{old}");
    folder.write("spring.toml", SPRING.replacen(old, new, 1)).write("spring.svg", ICON);
    let answer = folder.run(&["check", "spring.toml"]);
    assert_eq!(answer.code, code, "{old} → {new}: {}{}", answer.out, answer.err);
    answer.out + &answer.err
}

#[test]
fn a_sound_component_passes_all_checks() {
    let said = check(0, "", "");
    assert!(said.contains("spring     ok     ok         ok         ok      ok     ok    ok"), "{said}");
    assert!(said.contains("1 component: no errors"), "{said}");
}

#[test]
fn faults_are_found_and_shown_in_the_file() {
    for (old, new, code, words) in [
        ("title = \"Progressive spring\"", "", "C0001", "has no title"),
        ("spring.svg", "missing.svg", "C0001", "there is no such file"),
        ("    f = k dx + h dx³", "    none", "C0001", "has no formula"),
        ("Limits:", "Limited:", "C0001", "has no `Limits:`"),
        (", doc = \"One end\"", "", "C0001", "port `a` is not described"),
        (", doc = \"Stiffness\"", "", "C0001", "parameter `k` is not described"),
        (", above = 0", "", "C0002", "parameter `k` has no range"),
        ("unit = \"N/m\", ", "", "C0002", "parameter `k` has no unit"),
        ("default = 1000", "default = 0", "M0108", "has to be above 0"),
        ("10 N s/m*f", "-10 N s/m*f", "C0003", "the loss `loss` gives"),
        ("10 N s/m*f", "if f > 1 m/s then -1 N else 10 N s/m*f", "C0003", "the loss `loss` gives"),
        ("e/k", "0.999*e/k", "C0004", "the laws of `spring` disagree"),
        ("k*q\"", "k*abs(q)\"", "C0004", "the laws of `spring` disagree"),
        ("10 N s/m*f", "1 W/f", "C0006", "no finite value"),
        ("10 N s/m*f", "10 N*f", "M0107", "expected"),
        (
            "[bond_graph]",
            "[variables]\nx = { unit = \"m\", doc = \"Where\" }\n\n[bond_graph]",
            "S0001",
            "`it.x`",
        ),
        ("a -> 0.force", "a -> 2.force", "M0116", "there is no element"),
    ] {
        let said = check(1, old, new);
        assert!(said.contains(code) && said.contains(words), "{old} → {new}: {said}");
        assert!(said.contains("--> spring.toml:"), "{said}");
    }
}

#[test]
fn energy_that_goes_astray_is_missed() {
    // An effort at the only port: the charge comes from the wrong inverse, the energy from the law.
    let one_port = SPRING.replace("b = { domain = \"translational\", doc = \"Other end\" }\n", "");
    let one_port = one_port.replace("\"a -> 0.force -> b\", \"0.force", "\"a -> 0.force\", \"0.force");
    let one_port = one_port.replace("10 N s/m", "1e4 N s/m");
    let folder = Folder::new();
    folder.write("spring.toml", one_port.replace("e/k", "0.999*e/k")).write("spring.svg", ICON);
    let words = ["C0004", "C0005", "of the energy that moved is not accounted for", "--> spring.toml:"];
    folder.bad(&["check", "spring.toml"], 1, &words);
    folder.write("spring.toml", one_port);
    folder.good(&["check", "spring.toml"]);
}

#[test]
fn folders_are_checked_with_models_and_components_in_them() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("mine")).unwrap();
    folder.write("mine/spring.toml", SPRING).write("mine/spring.svg", ICON);
    folder.write("mine/pair.toml", pair());
    let model = "[model]\nlibraries = [\".\"]\n[components]\ns = { type = \"spring\" }\nm = { type = \"mass\" }\n\
                 g = { type = \"ground\" }\n[connect]\n\"s.a\" = \"m\"\n\"s.b\" = \"g\"\n[run]\nt_end = \"1 s\"\n";
    folder.write("mine/model.toml", model).write("mine/broken.toml", "title = [");
    let answer = folder.bad(&["check", "mine"], 1, &["M0001", "mine/broken.toml:1:"]);
    assert!(answer.out.contains("2 components: 1 error"), "{}{}", answer.out, answer.err);
    std::fs::remove_file(folder.path("mine/broken.toml")).unwrap();
    let said = folder.good(&["check", "mine"]);
    assert!(said.contains("mine/model.toml: no errors; 3 states"), "{said}");
    assert!(said.contains("2 components: no errors"), "{said}");
    // What stands beside a component may be used by it.
    folder.good(&["check", "mine/pair.toml"]);
    folder.bad(&["check", "."], 0, &[]);
    std::fs::create_dir(folder.path("nothing")).unwrap();
    folder.bad(&["check", "nothing"], 2, &["no models and no components in `nothing`", "= hint:"]);
}

/// Two of them in a row.
fn pair() -> String {
    let parts = "[components]\none = { type = \"spring\", k = \"2*k\" }\ntwo = { type = \"spring\", k = \"2*k\" }\n\
                 [connect]\n\"a\" = \"one.a\"\n\"one.b\" = \"two.a\"\n\"two.b\" = \"b\"\n";
    let head = SPRING.split("[bond_graph]").next().unwrap();
    format!("{head}{parts}")
}

/// Components of others need no icon; ours have one each.
#[test]
fn every_component_of_the_library_has_an_icon() {
    let without: Vec<&str> = library().iter().filter(|d| d.icon.is_none()).map(|d| d.name.as_str()).collect();
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn a_component_without_an_icon_passes_all_checks() {
    let folder = Folder::new();
    folder.write("plain_spring.toml", SPRING.replace("icon  = \"spring.svg\"\n", ""));
    let text = folder.good(&["check", "plain_spring.toml"]);
    assert!(text.contains("1 component: no errors"), "{text}");
}
