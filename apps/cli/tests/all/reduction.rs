//! `trunnion reduce` and `[reduce]`: what can go, what has to stay, and what is said.

use crate::program::Folder;

/// A mass between two springs, one of which is nearly rigid, pulled to and fro.
fn springs(extra: &str) -> String {
    format!(
        r#"
[parameters]
k = "1 kN/m"
[components]
pull  = {{ type = "force_source", F = "0 N", drive = "10 N*sin(2 rad/s*time)" }}
tip   = {{ type = "mass", m = "0.01 kg" }}
stiff = {{ type = "spring_damper", k = "1e4*k", c = "1 N s/m" }}
body  = {{ type = "mass", m = "1 kg" }}
soft  = {{ type = "spring_damper", k = "k", c = "5 N s/m" }}
wall  = "ground"
[connect]
"pull" = ["tip", "stiff.a"]
"stiff.b" = ["body", "soft.a"]
"wall" = "soft.b"
[run]
t_end = "3 s"
plot  = ["body.x"]
{extra}
"#
    )
}

#[test]
fn stiff_and_small_stores_go_and_others_stay() {
    let folder = Folder::new();
    folder.write("m.toml", springs(""));
    let out = folder.good(&["reduce", "m.toml", "--tol", "0.5 %", "-o", "r.toml"]);
    let line =
        |name: &str| out.lines().find(|l| l.starts_with(name)).unwrap_or_else(|| panic!("{name}: {out}"));
    assert!(line("stiff.spring").ends_with("removed"), "{out}");
    assert!(line("tip.inertia").ends_with("removed"), "{out}");
    assert!(line("soft.spring").contains("kept: body.x changes by"), "{out}");
    // The file it wrote gives the same model: half the states, all commands.
    let checked = folder.good(&["check", "r.toml"]);
    let states = |text: &str| -> usize {
        let before = text.split(" states").next().unwrap_or_default();
        before.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{text}"))
    };
    let full = folder.good(&["check", "m.toml"]);
    assert!(states(&checked) + 2 <= states(&full), "{checked}{full}");
    folder.good(&["compare", "m.toml", "r.toml", "-y", "body.x", "--tol", "0.5 %"]);
    let energy = folder.good(&["energy", "r.toml"]);
    assert!(!energy.contains("stiff.spring"), "{energy}");
    let rest = energy.lines().last().and_then(|l| l.split(", ").nth(1)).and_then(|l| l.split(' ').next());
    assert!(rest.and_then(|r| r.parse::<f64>().ok()).is_some_and(|r| r < 1e-6), "{energy}");
}

#[test]
fn what_hurts_is_refused() {
    let folder = Folder::new();
    folder.write("m.toml", springs(""));
    let out = folder.good(&["reduce", "m.toml", "--keep", "stiff.dx,body.x,tip.v", "--tol", "1e-9"]);
    assert!(out.contains("nothing can be removed within"), "{out}");
}

#[test]
fn models_without_stores_say_so() {
    let folder = Folder::new();
    folder.write(
        "m.toml",
        "[variables]\nx = { unit = \"m\", start = 1 }\n[equations]\nlaw = \"der(x) = -x/1 s\"\n[run]\nplot = [\"x\"]",
    );
    let out = folder.good(&["reduce", "m.toml"]);
    assert!(out.contains("nothing can be removed: no C or I of a bond graph"), "{out}");
}

#[test]
fn bad_names_are_explained() {
    let folder = Folder::new();
    folder.write("m.toml", springs("").replace("plot  = [\"body.x\"]", ""));
    let said = |arguments: &[&str], code: i32, text: &str| {
        let answer = folder.run(arguments);
        assert!(answer.code == code && answer.err.contains(text), "{answer:?}");
    };
    said(&["reduce", "m.toml"], 2, "name signals to keep");
    said(&["reduce", "m.toml", "--keep", "body.y"], 2, "body.y");
    said(&["reduce", "m.toml", "--keep", "body.x", "--tol", "3 kg"], 2, "it is a share");
    said(&["reduce", "none.toml", "--keep", "x"], 4, "none.toml");
    folder.write("r.toml", springs("[reduce]\nremove = [\"stiff.sprung\"]\nkeep = 3"));
    said(&["check", "r.toml"], 1, "M0101");
    folder.write("r.toml", springs("[reduce]\nremove = [\"stiff.sprung\"]"));
    said(&["check", "r.toml"], 1, "did you mean `stiff.spring`?");
}

/// Removing the inertia of a pulled mass with friction leaves f = c v.
#[test]
fn a_mass_without_inertia_follows_at_once() {
    let folder = Folder::new();
    folder.write(
        "m.toml",
        r#"
[components]
pull = { type = "force_source", F = "0 N", drive = "10 N*sin(2 rad/s*time)" }
body = { type = "mass", m = "1 kg" }
oil  = { type = "damper", c = "50 N s/m" }
wall = "ground"
[connect]
"pull" = ["body", "oil.a"]
"wall" = "oil.b"
[reduce]
remove = ["body.inertia"]
[run]
t_end = "3 s"
[[expect]]
signal = "body.v - 0.2 m/s*sin(2 rad/s*time)"
max    = "0 m/s"
tol    = "1e-12 m/s"
[[expect]]
signal = "body.x"
value  = "0.1 m*(1 - cos(6))"
tol    = "1e-6 m"
"#,
    );
    folder.good(&["verify", "m.toml"]);
}
