//! Units as users meet them: shown, assumed, driven.

use crate::program::Folder;

/// A vessel at 2 bar that a pump fills: p' = β q/V, from 2 to 16 bar in 1 s, with 1 l, 1.4 GPa and 0.06 l/min.
const VESSEL: &str = r#"
[components]
feed   = { type = "pump", Q = "0.06 l/min" }
vessel = { type = "volume", V0 = "1 l", beta = "1.4 GPa", P0 = "2 bar" }
[connect]
"feed" = "vessel"
[display]
units   = ["bar", "l/min"]
[run]
t_end  = "1 s"
points = 11
record = ["vessel.p", "feed.q"]
"#;

#[test]
fn results_keep_si_and_are_shown_as_the_model_wants() {
    let folder = Folder::new();
    folder.write("vessel.toml", VESSEL);
    folder.good(&["run", "vessel.toml", "-o", "a.csv"]);
    let text = folder.read("a.csv");
    let rows: Vec<&str> = text.lines().filter(|l| !l.starts_with('#')).collect();
    assert_eq!(rows[0], "time [s],feed.q [m^3/s],vessel.p [Pa]");
    assert!(rows[1] == "0,1e-6,200000", "{}", rows[1]);
    assert!(text.contains("# display: feed.q=l/min; vessel.p=bar"), "{text}");
    // Plots and tables of the file show bar, as do those of the model.
    for source in ["a.csv", "vessel.toml"] {
        let list = folder.good(&["plot", source, "--stats", "-o", "p.svg"]);
        assert!(list.contains("bar") && list.contains("16"), "{source}: {list}");
        assert!(folder.read("p.svg").contains("bar"), "{source}");
        let list = folder.good(&["plot", source, "--stats", "--units", "vessel.p=MPa", "-o", "p.svg"]);
        assert!(list.contains("MPa") && list.contains("1.6"), "{source}: {list}");
    }
    // The same numbers, whatever they are shown in.
    folder.good(&["run", "vessel.toml", "-o", "b.csv", "--shown-units", "--units", "kPa"]);
    assert!(folder.read("b.csv").contains("vessel.p [kPa]"));
    let said = folder.good(&["compare", "a.csv", "b.csv", "--tol", "1e-12"]);
    assert!(said.contains("2 signals") || said.contains("all within"), "{said}");
    let swept = folder.good(&["sweep", "vessel.toml", "-p", "vessel.V0=1 l,2 l", "-m", "final(vessel.p)"]);
    assert!(swept.contains("[bar]") && swept.contains("16") && swept.contains('9'), "{swept}");
}

#[test]
fn a_user_prefers_units_by_the_environment() {
    let folder = Folder::new();
    folder.write("vessel.toml", VESSEL.replace("units   = [\"bar\", \"l/min\"]", ""));
    let with = |units: &str| {
        let mut command = folder.command(&["plot", "vessel.toml", "--stats", "-o", "p.svg"]);
        let output = command.env("TRUNNION_UNITS", units).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    assert!(with("bar").contains("bar"), "{}", with("bar"));
    assert!(with("bars").contains("did you mean `bar`?"), "{}", with("bars"));
}

#[test]
fn units_that_were_assumed_are_told() {
    let folder = Folder::new();
    folder.write("vessel.toml", VESSEL);
    let told = |arguments: &[&str]| {
        let answer = folder.run(arguments);
        assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
        answer.err
    };
    assert!(!told(&["run", "vessel.toml"]).contains("M0312"));
    let said = told(&["run", "vessel.toml", "--set", "vessel.V0=0.002"]);
    assert!(said.contains("read as vessel.V0 = 0.002 m^3"), "{said}");
    let said = told(&["sweep", "vessel.toml", "-p", "vessel.V0=0.001:0.002:2", "-m", "final(vessel.p)"]);
    assert!(said.contains("vessel.V0 read as 0.001 m^3 … 0.002 m^3"), "{said}");
}

#[test]
fn a_force_of_zero_moves_nothing() {
    let folder = Folder::new();
    let text = "[components]\nf = { type = \"force_source\", drive = \"0 N\" }\nm = \"mass\"\n[connect]\nf = \"m\"\n\
                [run]\nt_end = \"1 s\"\n[[expect]]\nsignal = \"m.v\"\nvalue = 0\ntol = 0\n\
                [[expect]]\nsignal = \"m.x\"\nat_most = 0\n";
    folder.write("still.toml", text);
    folder.good(&["verify", "still.toml"]);
}

#[test]
fn a_loose_tolerance_fails_without_a_reason() {
    let folder = Folder::new();
    let text = |reason: &str| {
        format!(
            "[variables]\nx = {{ start = 1 }}\n[equations]\nd = \"der(x) = -x/1 s\"\n[run]\nt_end = \"1 s\"\n\
             [[expect]]\nsignal = \"x\"\nvalue = 0.4\ntol = 0.1\n{reason}\n"
        )
    };
    folder.write("a.toml", text("")).write("b.toml", text("reason = \"read off a diagram\""));
    let answer = folder.bad(&["verify", "a.toml"], 1, &["1 tolerance of more than 5 % without a `reason`"]);
    assert!(answer.out.contains("LOOSE"), "{}", answer.out);
    folder.good(&["verify", "b.toml"]);
    assert!(folder.run(&["check", "a.toml"]).err.contains("M0430"));
}
