//! `trunnion live`: replay and resumed runs have the same bits, what does not fit is refused, results agree with adaptive ones.

use std::path::Path;

use crate::program::Folder;

/// A mass on a spring with a stop, pushed by hand and held by a sampled controller.
const MODEL: &str = r#"
    [parameters]
    m = "2 kg"
    k = "800 N/m"
    [inputs]
    push = { unit = "N", start = "0 N" }
    lamp = { start = 0 }
    [variables]
    x = { unit = "m", start = "20 mm" }
    v = { unit = "m/s" }
    [equations]
    kinematics = "der(x) = v"
    force = "m*der(v) = push + damp.f + lamp*0.1 N - k*x - if(x > 15 mm, 50 kN/m*(x - 15 mm), 0 N)"
    [controllers.damp]
    period  = "5 ms"
    inputs  = { v = "v" }
    outputs = { f = "N" }
    script  = """
    let slow = 0;
    function step(t, inputs) {
        slow += 0.2 * (inputs.v - slow);
        return { f: -3 * slow + 0.01 * Math.random() };
    }
    """
    [live]
    show = ["x"]
    [live.keys]
    q     = { input = "push", step = "5 N", max = "40 N" }
    a     = { input = "push", step = "-5 N", min = "-40 N" }
    right = { input = "push", hold = "20 N" }
    "1"   = { input = "lamp", set = 1 }
    [run]
    t_end = "0.4 s"
"#;

const INPUTS: &str = "time,input,value\n0.05,push,30\n0.1,lamp,1\n0.1,push,-12.5\n0.25,push,0\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("m.toml", MODEL).write("in.csv", INPUTS);
    folder
}

/// Rows of results without what is said about them.
fn rows(folder: &Folder, name: &str) -> Vec<String> {
    let text = folder.read(name);
    text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).map(String::from).collect()
}

const UNPACED: [&str; 3] = ["live", "m.toml", "--no-pace"];

fn live(folder: &Folder, arguments: &[&str]) -> String {
    folder.good(&[&UNPACED[..], arguments].concat())
}

#[test]
fn a_replay_has_the_same_bits() {
    let folder = folder();
    live(&folder, &["--replay", "in.csv", "--record", "a.csv", "--inputs", "kept.csv"]);
    live(&folder, &["--replay", "kept.csv", "--record", "b.csv", "--inputs", "again.csv"]);
    let (a, b) = (rows(&folder, "a.csv"), rows(&folder, "b.csv"));
    assert_eq!(a.len(), 401);
    assert_eq!(a, b);
    assert_eq!(folder.read("kept.csv"), folder.read("again.csv"));
    assert!(folder.read("kept.csv").contains("\n0.1,push,-12.5\n"), "{}", folder.read("kept.csv"));
    live(&folder, &["--record", "without.csv"]);
    assert_ne!(a, rows(&folder, "without.csv"));
    // The clock has no say in it.
    folder.good(&["live", "m.toml", "--replay", "in.csv", "--duration", "0.4", "--record", "paced.csv"]);
    assert_eq!(a, rows(&folder, "paced.csv"));
}

#[test]
fn a_resumed_run_has_the_same_bits() {
    let folder = folder();
    let replay = ["--replay", "in.csv"];
    let whole = live(&folder, &[&replay[..], &["--duration", "0.4", "--record", "whole.csv"]].concat());
    assert!(whole.contains("400 periods of 1.00 ms") && whole.contains("0 overruns of work"), "{whole}");
    live(
        &folder,
        &[&replay[..], &["--duration", "0.173", "--record", "first.csv", "--snapshot", "at"]].concat(),
    );
    live(
        &folder,
        &[&replay[..], &["--duration", "0.227", "--record", "second.csv", "--resume", "at"]].concat(),
    );
    let (whole, first) = (rows(&folder, "whole.csv"), rows(&folder, "first.csv"));
    let second = rows(&folder, "second.csv");
    assert_eq!(whole[..174], first[..]);
    assert_eq!(whole[173..], second[..]);
}

#[test]
fn what_is_no_snapshot_of_this_model_is_refused() {
    let folder = folder();
    live(&folder, &["--duration", "0.05", "--snapshot", "at"]);
    folder.write("other.toml", MODEL.replace("800 N/m", "900 N/m"));
    folder.write("named.toml", format!("[model]\nname = \"crane\"\n{MODEL}"));
    let resume = |model: &str, more: &[&str], words: &[&str]| {
        folder.bad(&[&["live", model, "--no-pace", "--resume", "at"], more].concat(), 2, words);
    };
    resume("other.toml", &[], &["taken of another model", "hint"]);
    resume("named.toml", &[], &["taken of another model, `m`", "`crane`"]);
    resume("m.toml", &["--set", "m=3 kg"], &["with other values"]);
    resume("m.toml", &["--rate", "500 Hz"], &["another rate, 1000 Hz", "run at 1000 Hz"]);
    let whole = std::fs::read(folder.path("at")).unwrap();
    for bad in [&whole[..whole.len() - 8], &whole[..20], b"text", &[&whole[..], &[0; 8]].concat()] {
        folder.write("at", bad);
        resume("m.toml", &[], &["no snapshot, or not a whole one"]);
    }
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    folder.write("at", changed);
    resume("m.toml", &[], &["no snapshot, or not a whole one"]);
    folder.bad(&["live", "m.toml", "--resume", "none"], 4, &["none", "no such file"]);
}

#[test]
fn memory_that_cannot_be_seen_is_told() {
    let folder = folder();
    let hidden =
        "const f = (() => { let s = 0; return v => s += v; })();\nfunction step(t, i) { return f(i.v); }";
    let (before, rest) = MODEL.split_once("let slow").unwrap();
    let (_, after) = rest.split_once("\"\"\"").unwrap();
    folder.write("m.toml", format!("{before}{hidden}\n\"\"\"{after}"));
    let arguments = [&UNPACED[..], &["--duration", "0.05", "--snapshot", "at"]].concat();
    folder.bad(&arguments, 3, &["`f` is a function that may remember", "class"]);
}

#[test]
fn keys_that_make_no_sense_are_refused() {
    let check = |keys: &str, code: &str, words: &[&str]| {
        let folder = Folder::new();
        let (before, after) = MODEL.split_once("[live.keys]").unwrap();
        let (_, after) = after.split_once("[run]").unwrap();
        folder.write("m.toml", format!("{before}[live.keys]\n{keys}\n[run]{after}"));
        let code = format!("error[{code}]");
        let all = [&[code.as_str()], words].concat();
        folder.bad(&["check", "m.toml"], 1, &all);
        folder.bad(&["live", "m.toml"], 1, &all);
    };
    check("q = { input = \"pish\", step = 1 }", "M0405", &["no input `pish`", "did you mean `push`?"]);
    check("q = { input = \"x\", step = 1 }", "M0405", &["`x` is no input", "a variable"]);
    check("q = { input = \"push\", step = \"1 V\" }", "M0107", &["force"]);
    check("q = { input = \"push\" }", "M0106", &["`step`", "hold"]);
    check("q = { step = \"1 N\" }", "M0106", &["`input`"]);
    check("q = { input = \"push\", step = \"1 N\", hold = \"1 N\" }", "M0111", &["both"]);
    check(
        "q = { input = \"push\", step = \"1 N\", min = \"2 N\", max = \"1 N\" }",
        "M0108",
        &["above `min`"],
    );
    check("q = { input = \"push\", step = \"1 N\", size = 3 }", "M0101", &["no key `size`"]);
    check("q = \"push\"", "M0103", &["a table"]);
    check("p = { input = \"push\", step = \"1 N\" }", "M0404", &["a meaning of its own", "pauses"]);
    check("space = { input = \"push\", step = \"1 N\" }", "M0404", &["zero"]);
    check("page_up = { input = \"push\", step = \"1 N\" }", "M0404", &["no key `page_up`", "`up`"]);
    check("[live.speed]\nx = 1", "M0101", &["[live] has no key `speed`"]);
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let folder = folder();
    let bad = |arguments: &[&str], words: &[&str]| {
        folder.bad(&[&UNPACED[..], arguments].concat(), 2, words);
    };
    bad(&["--rate", "3 V"], &["no frequency", "1 kHz"]);
    bad(&["--rate", "0"], &["above 0"]);
    bad(&["--rate", "1 GHz"], &["out of reach"]);
    bad(&["--duration", "-1"], &["above 0"]);
    folder.write("x.csv", "0.0503,push,1\n");
    bad(&["--replay", "x.csv"], &["x.csv:1", "no time at which a period begins"]);
    folder.write("x.csv", "time,input,value\n0.05,pusch,1\n");
    bad(&["--replay", "x.csv"], &["x.csv:2", "no input `pusch`", "did you mean `push`?"]);
    folder.write("x.csv", "0.05,push,inf\n");
    bad(&["--replay", "x.csv"], &["has to be a number"]);
    folder.write("x.csv", "push 3\n");
    bad(&["--replay", "x.csv"], &["time,input,value"]);
}

#[test]
fn a_live_run_agrees_with_an_adaptive_one() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (model, duration, signals, tolerance) in [
        ("domains/hydraulic/stiff_circuit.toml", "2", "*", "1e-3"),
        ("domains/hydraulic/hydro_gas_strut.toml", "2", "*", "1e-3"),
        ("domains/mechanisms/driven_arm.toml", "2", "shoulder.*,elbow.*,motor.*", "1e-4"),
        ("language/events/relay.toml", "1", "*", "1e-4"),
    ] {
        let folder = Folder::new();
        let path = examples.join(model).to_string_lossy().into_owned();
        folder.good(&["live", &path, "--no-pace", "--duration", duration, "--record", "live.parquet"]);
        folder.good(&["run", &path, "--t-end", duration, "--rtol", "1e-8", "-o", "run.parquet", "-q"]);
        let answer =
            folder.run(&["compare", "live.parquet", "run.parquet", "-y", signals, "--tol", tolerance]);
        assert_eq!(answer.code, 0, "{model}: {}{}", answer.out, answer.err);
    }
}
