//! Commands that look at a model, from end to end.

use crate::program::{Folder, json};

const OSCILLATOR: &str = r#"
[model]
name = "hanging mass"   # a comment
[parameters]
m = "2 kg"
k = "200 N/m"
c = "4 N s/m"
[inputs]
f = { unit = "N", start = 0 }
[variables]
x = { unit = "mm", start = "10 mm" }   # from the unstretched spring
v = "m/s"
[equations]
position = "der(x) = v"
momentum = "m*der(v) = f - c*v - k*x - m*(9.81 m/s^2)"
"#;

/// Friction, a stop, a table, a root solved numerically, an event and a task.
const MIXTURE: &str = r#"
[parameters]
k = "2 kN/m"
mu = { value = 0.3, doc = "Friction" }
[tables]
force = { x = ["0 mm", "5 mm"], y = { unit = "N", values = [0, 20] } }
[inputs]
u = { unit = "N", start = 0 }
[variables]
x = { unit = "mm", start = "30 mm" }
v = "m/s"
z = { start = 1 }
[equations]
a = "der(x) = v"
b = "(3 kg)*der(v) = u - k*x*if(x < 0 mm, 0, 1) - force(x) - (1 N)*sign(v)*mu - z*1 N"
c = "z^3 + z = x/1 mm"
[events.stop]
when = "x > 1 m"
terminate = "out of range"
[tasks.push]
period = "10 ms"
set = { u = "u + 1 N" }
"#;

#[test]
fn equations_read_as_an_engineer_writes_them() {
    let folder = Folder::new();
    folder.write("m.toml", MIXTURE);
    let text = folder.good(&["equations", "m.toml"]);
    for line in [
        "2 states, 1 unknown solved numerically; numbers in equations are SI",
        "  x        30  mm",
        "  mu      0.3          Friction",
        "  der(x) = v ",
        "  der(v) = (u - k*x*if(x < 0, 0, 1) - force(x) - mu*sign(v) - z)/3   # b",
        "  0 = z + z^3 - x/0.001   # c",
        "  stop: when x > 1\n    ends the run: out of range",
        "  push: every 0.01 s from 0 s\n    u := u + 1",
    ] {
        assert!(text.contains(line), "`{line}` is not in\n{text}");
    }
    let latex = folder.good(&["equations", "m.toml", "--format", "latex"]);
    assert!(latex.contains(r"\begin{align*}") && latex.contains(r"\dot{x} &= v"), "{latex}");
    let count = |what: &str| latex.matches(what).count();
    assert_eq!(count(r"\begin{"), count(r"\end{"), "{latex}");
    assert_eq!(count("{"), count("}"), "{latex}");
}

/// Two RC links on a source.
const FILTER: &str = r#"
[components]
source = { type = "voltage_source", U = "5 V" }
r1 = { type = "resistor", R = "1 kOhm" }
r2 = { type = "resistor", R = "2 kOhm" }
c1 = { type = "capacitor", C = "1 uF" }
c2 = { type = "capacitor", C = "1 uF" }
gnd = "electric_ground"
[connect]
"source.p" = "r1.p"
"r1.n" = ["c1.p", "r2.p"]
"r2.n" = "c2.p"
"gnd" = ["source.n", "c1.n", "c2.n"]
"#;

#[test]
fn connections_give_one_name_to_what_is_equal() {
    let folder = Folder::new();
    folder.write("filter.toml", FILTER);
    let text = folder.good(&["equations", "filter.toml"]);
    let expected = "\
Definitions, in the order of evaluation
  c1.u = c1.q/c1.C         # c1.plates
  r1.u = source.U - c1.u   # r1.loop
  r1.i = r1.u/r1.R         # r1.loss
  c2.u = c2.q/c2.C         # c2.plates
  r2.u = c1.u - c2.u       # r2.loop
  r2.i = r2.u/r2.R         # r2.loss
  c1.i = r1.i - r2.i       # r1.n

Differential equations
  der(c1.q) = c1.i   # c1.plates
  der(c2.q) = r2.i   # c2.plates
";
    assert!(text.contains(expected), "{text}");
    let expanded = folder.good(&["equations", "filter.toml", "--expanded"]);
    let row = "der(c2.q) = (c1.q/c1.C - c2.q/c2.C)/r2.R";
    assert!(expanded.contains(row) && !expanded.contains("Definitions"), "{expanded}");
}

/// A motor drives a wheel through a gear: one inertia, one momentum.
const GEARED: &str = r#"
[components]
motor = { type = "inertia", J = "2 kg m^2" }
drive = { type = "moment_source", M = "3 N m" }
gear  = { type = "gear", n = 5 }
wheel = { type = "inertia", J = "50 kg m^2" }
[connect]
"drive"  = ["motor", "gear.a"]
"gear.b" = "wheel"
"#;

#[test]
fn equations_say_which_states_are_not_independent() {
    let folder = Folder::new();
    folder.write("m.toml", GEARED);
    let text = folder.good(&["equations", "m.toml"]);
    for line in [
        "  `wheel.h` is not independent: it follows from `motor.h` (",
        "  der(motor.h) = drive.M*gear.n/(gear.n + wheel.J/motor.J/gear.n)   # wheel.inertia, differentiated",
        "\nFurther results\n",
        "  motor.flange.w, drive.flange.w, gear.a.w, ",
    ] {
        assert!(text.contains(line), "`{line}` is not in\n{text}");
    }
    let latex = folder.good(&["equations", "m.toml", "--format", "latex"]);
    assert!(latex.contains("wheel.h is not independent: it follows from motor.h"), "{latex}");
    let unfit = folder.run(&["check", "m.toml", "--set", "wheel.w0=1 rad/s"]);
    let said = unfit.err;
    assert!(said.contains("warning[S0007]: `wheel.h` starts at 0 kg m^2/s, not at 50 kg m^2/s"), "{said}");
    let all = json(&folder.good(&["equations", "m.toml", "--format", "json"]));
    assert_eq!(all["reduced"][0]["state"], "wheel.h");
    assert_eq!(all["reduced"][0]["follows_from"], json(r#"["motor.h"]"#));
    let aliases = all["aliases"].as_array().unwrap();
    let speed = aliases.iter().find(|a| a["value"]["text"] == "motor.w").unwrap();
    assert!(speed["names"].as_array().unwrap().iter().any(|n| n["name"] == "motor.flange.w"));
}

#[test]
fn equations_as_json_have_trees_and_origins() {
    let folder = Folder::new();
    folder.write("m.toml", MIXTURE);
    let all = json(&folder.good(&["equations", "m.toml", "--format", "json"]));
    assert_eq!(all["states"][0]["name"], "x");
    assert_eq!(all["states"][0]["unit"]["text"], "mm");
    let row = &all["differential"][0];
    assert_eq!(row["text"], "der(x) = v");
    assert_eq!(row["left"], json(r#"{ "kind": "derivative", "name": "x" }"#));
    assert_eq!(row["right"], json(r#"{ "kind": "symbol", "name": "v" }"#));
    assert_eq!(row["origin"]["file"], "m.toml");
    let line = MIXTURE.lines().position(|l| l.starts_with("a = ")).unwrap() + 1;
    assert_eq!(row["origin"]["line"], line);
    assert_eq!(all["events"][0]["direction"], "rising");
    folder.good(&["equations", "m.toml", "--format", "json", "-o", "m.json"]);
    assert_eq!(json(&folder.read("m.json")), all);
    // Components too, with the file of the library.
    folder.write("filter.toml", FILTER);
    let all = json(&folder.good(&["equations", "filter.toml", "--format", "json"]));
    let laws = all["definitions"].as_array().unwrap();
    let law = laws.iter().find(|d| d["equation"] == "r1.loss: r1.loss.f").unwrap();
    assert_eq!(law["origin"]["component"], "r1");
    assert_eq!(law["origin"]["file"], "library/electric/resistor.toml");
}

#[test]
fn a_linear_model_has_the_units_of_its_signals() {
    let folder = Folder::new();
    folder.write("m.toml", OSCILLATOR);
    let arguments = ["linearize", "m.toml", "-o", "m.json", "--bode", "b.svg", "--poles", "p.svg"];
    let text = folder.good(&arguments);
    // ω₀ = 10 rad/s, ζ = 0.1.
    for word in ["±9.94987", "1.59155", "0.1", "der(v)"] {
        assert!(text.contains(word), "`{word}` is not in\n{text}");
    }
    let model = json(&folder.read("m.json"));
    // mm and m/s: ẋ = 1000 v, v̇ = −k/m · x/1000 − c/m v.
    assert_eq!(model["A"], json("[[0.0, 1000.0], [-0.1, -2.0]]"));
    assert_eq!(model["B"], json("[[0.0], [0.5]]"));
    assert_eq!(model["inputs"][0]["name"], "f");
    let pole = &model["poles"][0];
    assert!((pole["natural_frequency_hz"].as_f64().unwrap() - 10.0 / std::f64::consts::TAU).abs() < 1e-12);
    assert!((pole["damping_ratio"].as_f64().unwrap() - 0.1).abs() < 1e-12);
    assert!(folder.read("b.svg").contains("<svg") && folder.read("p.svg").contains("<svg"));
    folder.good(&["linearize", "m.toml", "--inputs", "f,k", "--outputs", "x", "-o", "m.csv", "--balance"]);
    // At rest x = −98.1 mm: a stiffer spring lifts the mass, ∂v̇/∂k = −x/m.
    let csv = folder.read("m.csv");
    assert_eq!(csv.lines().next().unwrap(), ",x [mm],v [m/s],f [N],k [N/m]");
    let row: Vec<f64> = csv.lines().nth(2).unwrap().split(',').skip(1).map(|v| v.parse().unwrap()).collect();
    assert!((row[3] - 0.0981 / 2.0).abs() < 1e-12, "{row:?}");
    assert_eq!(csv.lines().last().unwrap(), "x [mm],1,0,0,0");
}

#[test]
fn a_run_leads_to_the_point_of_a_linear_model() {
    let folder = Folder::new();
    // ẋ = −x², x(1) = 1/2: A = −2 x = −1.
    folder.write("m.toml", "[variables]\nx = { start = 1 }\n[equations]\ne = \"der(x) = -x^2/1 s\"\n");
    folder.good(&["linearize", "m.toml", "--at", "1", "--rtol", "1e-10", "-o", "m.json"]);
    let a = json(&folder.read("m.json"))["A"][0][0].as_f64().unwrap();
    assert!((a + 1.0).abs() < 1e-8, "{a}");
}

#[test]
fn balance_finds_and_writes_the_equilibrium() {
    let folder = Folder::new();
    folder.write("m.toml", OSCILLATOR);
    let text = folder.good(&["balance", "m.toml", "--write"]);
    assert!(text.contains("  x        10    -98.1  mm"), "{text}");
    assert!(text.contains("1 start value written"), "{text}");
    let written = OSCILLATOR.replace(r#"start = "10 mm" }"#, r#"start = "-98.1 mm" }"#);
    assert_eq!(folder.read("m.toml"), written, "only the number changes");
    let again = folder.good(&["balance", "m.toml", "--write"]);
    assert!(again.contains("0 start values written"), "{again}");
    assert_eq!(folder.read("m.toml"), written);
}

#[test]
fn balance_names_what_is_free() {
    let folder = Folder::new();
    folder.write("m.toml", OSCILLATOR.replace("- k*x ", ""));
    folder.bad(
        &["balance", "m.toml"],
        3,
        &["determines `x`", "= hint: hold it where it starts with --hold x"],
    );
    let text = folder.good(&["balance", "m.toml", "--hold", "x"]);
    assert!(text.contains("`x` is held: let go, der(v) would be -9.81 (SI)"), "{text}");
}

#[test]
fn balance_follows_switches() {
    let folder = Folder::new();
    // A mass above a stop: in the air nothing carries it.
    let model = OSCILLATOR.replace("- k*x ", "- if(x < 0 mm, k*x, 0 N) ");
    folder.write("m.toml", model);
    let text = folder.good(&["balance", "m.toml"]);
    assert!(text.contains("-98.1"), "{text}");
}

#[test]
fn balance_writes_into_components() {
    let folder = Folder::new();
    folder.good(&["new", "filter", "--template", "circuit"]);
    let before = folder.read("filter.toml");
    folder.good(&["balance", "filter.toml", "--write"]);
    let charged = before.replace(r#", C = "C" }"#, r#", C = "C", start.q = "5e-6 A s" }"#);
    assert_eq!(folder.read("filter.toml"), charged);
}

#[test]
fn templates_do_what_they_expect() {
    let folder = Folder::new();
    for template in ["oscillator", "circuit", "bouncing-ball", "controller", "hydraulic-axis", "mechanism"] {
        folder.good(&["new", template, "--template", template]);
        let model = format!("{template}.toml");
        let answer = folder.run(&["check", &model]);
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{template}");
        folder.good(&["equations", &model]);
        assert!(!folder.read(&model).contains("NAME"));
        folder.good(&["verify", &model]);
    }
    let before = folder.read("circuit.toml");
    folder.bad(&["new", "circuit"], 2, &["`circuit.toml` is there already", "= hint:"]);
    folder.bad(&["new", "a\"b"], 2, &["cannot name a model", "= hint:"]);
    assert_eq!(folder.read("circuit.toml"), before);
    folder.good(&["new", "other.toml"]);
    assert!(folder.read("other.toml").contains("name = \"other\""));
}

#[test]
fn examples_are_listed_and_copied() {
    let folder = Folder::new();
    let text = folder.good(&["examples"]);
    assert!(text.contains("language/events\n") && text.contains("  relay"), "{text}");
    assert!(folder.good(&["examples", "relay"]).contains("[[expect]]"));
    folder.good(&["examples", "relay", "--copy", "mine"]);
    folder.good(&["check", "mine/relay.toml"]);
    folder.bad(&["examples", "relay", "--copy", "mine"], 2, &["is there already", "= hint:"]);
    folder.bad(&["examples", "realy"], 2, &["no example `realy`", "did you mean `relay`"]);
    folder.good(&["examples", "--copy", "all"]);
    folder.good(&["check", "all/language/events/relay.toml"]);
}

#[test]
fn shells_can_complete() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.good(&["completions", shell]);
        assert!(script.contains("linearize") && script.contains("expanded"), "{shell}");
    }
    folder.bad(&["completions", "tcsh"], 2, &["tcsh"]);
}

#[test]
fn the_manual_names_every_command_and_exit_code() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/command-line.md");
    let page = std::fs::read_to_string(root).unwrap();
    let program = <trunnion::cli::Cli as clap::CommandFactory>::command();
    let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
    assert!(names.len() > 8, "{names:?}");
    for name in names {
        assert!(page.contains(&format!("| `trunnion {name}")), "`{name}` is missing");
    }
    use trunnion::failure::exit;
    for code in [0, exit::MODEL, exit::USAGE, exit::RUN, exit::FILES, exit::CANCELLED] {
        assert!(page.contains(&format!("\n| {code} | ")), "{code} is missing");
    }
}
