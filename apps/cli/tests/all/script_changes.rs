//! Controllers that change parameters of the model while it runs: x' = −k x, and y' = −2k y, whose parameter follows from k.

use crate::program::Folder;

const MODEL: &str = r#"
[parameters]
k  = { value = "1 1/s", min = 0, doc = "Rate" }
k2 = { value = "2*k", doc = "Follows from it" }
[variables]
x = { unit = "1", start = 1 }
y = { unit = "1", start = 1 }
[equations]
one = "der(x) = -k*x"
two = "der(y) = -k2*y"
[outputs]
rate = { value = "k", unit = "1/s" }
[controllers.switch]
period  = "0.5 s"
script  = """
let done = 0;
function step(t) {
    if (t >= 1 && done === 0) { model.set("k", 0.25); done = 1; }
    return { n: done };
}
"""
outputs = { n = "1" }
[run]
t_end = "3 s"
rtol  = 1e-9
points = 7
[live]
rate = "100 Hz"
"#;

/// x, y and the rate at the last row with this time.
fn at(folder: &Folder, file: &str, t: f64) -> [f64; 3] {
    let text = folder.read(file);
    let mut lines = text.lines().filter(|l| !l.starts_with('#'));
    let head: Vec<String> = lines
        .next()
        .unwrap()
        .split(',')
        .map(|h| h.split(['[', ' ', '(']).next().unwrap().trim().trim_matches('"').to_string())
        .collect();
    let rows = lines.map(|l| l.split(',').map(|v| v.parse().unwrap_or(f64::NAN)).collect::<Vec<f64>>());
    let row = rows.rev().find(|row| (row[0] - t).abs() < 1e-9).unwrap();
    ["x", "y", "rate"]
        .map(|name| row[head.iter().position(|h| h == name).unwrap_or_else(|| panic!("{head:?}"))])
}

/// Before 1 s the rate is 1/s, then ¼ of it.
fn check(folder: &Folder, file: &str, tolerance: f64) {
    for (t, rate) in [(0.5_f64, 1.0), (2.0, 0.25), (3.0, 0.25)] {
        let decay = t.min(1.0) + 0.25 * (t - 1.0).max(0.0);
        let expected = [(-decay).exp(), (-2.0 * decay).exp(), rate];
        for (found, expected) in at(folder, file, t).iter().zip(expected) {
            assert!((found - expected).abs() < tolerance, "{file} at {t} s: {found}, expected {expected}");
        }
    }
}

#[test]
fn a_controller_changes_a_parameter_and_what_follows_from_it() {
    let folder = Folder::new();
    folder.write("m.toml", MODEL);
    for solver in ["auto", "rodas5p", "tsit45", "rk4"] {
        folder.good(&["run", "m.toml", "--solver", solver, "-o", "m.csv"]);
        check(&folder, "m.csv", 1e-7);
    }
}

#[test]
fn a_live_run_does_the_same_and_goes_on_from_a_snapshot_to_the_last_bit() {
    let folder = Folder::new();
    folder.write("m.toml", MODEL);
    let live =
        |arguments: &[&str]| folder.good(&[&["live", "m.toml", "--no-pace", "-q"], arguments].concat());
    live(&["--t-end", "3 s", "--record", "whole.csv"]);
    check(&folder, "whole.csv", 1e-3);
    live(&["--duration", "1500 ms", "--snapshot", "half"]);
    live(&["--duration", "1.5", "--resume", "half", "--record", "rest.csv"]);
    assert_eq!(
        at(&folder, "rest.csv", 3.0).map(f64::to_bits),
        at(&folder, "whole.csv", 3.0).map(f64::to_bits)
    );
}

/// A parameter that follows from one changed before the snapshot and one changed after it knows both.
#[test]
fn what_was_changed_before_a_snapshot_counts_after_it() {
    let folder = Folder::new();
    let model = MODEL
        .replace("2*k\"", "k*g\"")
        .replace("[variables]", "g  = { value = 2 }\n[variables]")
        .replace("return { n", "if (t >= 2) model.set(\"g\", 4);\n    return { n");
    folder.write("m.toml", model);
    let live =
        |arguments: &[&str]| folder.good(&[&["live", "m.toml", "--no-pace", "-q"], arguments].concat());
    live(&["--t-end", "3", "--record", "whole.csv"]);
    live(&["--t-end", "1.5", "--snapshot", "half"]);
    live(&["--t-end", "3", "--resume", "half", "--record", "rest.csv"]);
    let ends = ["rest.csv", "whole.csv"].map(|file| at(&folder, file, 3.0).map(f64::to_bits));
    assert_eq!(ends[0], ends[1]);
    // y' = −2k y up to 1 s, then with k/4, then with 4k/4.
    let y = at(&folder, "whole.csv", 3.0)[1];
    assert!((y - (-3.5_f64).exp()).abs() < 1e-4, "{y}");
}

/// What a program reaches while it runs counts, not the words in its text: a name that it puts together is the same object, and a comment
/// changes nothing of a snapshot.
#[test]
fn words_in_a_program_decide_nothing() {
    let folder = Folder::new();
    folder.write("m.toml", MODEL.replace("model.set(", "globalThis[\"mo\" + \"del\"].set("));
    folder.good(&["run", "m.toml", "-o", "m.csv"]);
    check(&folder, "m.csv", 1e-7);
    let sizes = ["model", "plant"].map(|word| {
        let program =
            MODEL.replace("model.set(\"k\", 0.25);", "").replace("let done", "// A word: ?\nlet done");
        folder.write("m.toml", program.replace('?', word));
        folder.good(&["live", "m.toml", "--no-pace", "-q", "--t-end", "1", "--snapshot", word]);
        std::fs::metadata(folder.path(word)).unwrap().len()
    });
    assert_eq!(sizes[0], sizes[1]);
}

#[test]
fn changes_that_cannot_be_made_are_told_with_their_place() {
    let folder = Folder::new();
    for (written, words) in [
        ("model.set(\"kk\", 1)", &["there is no parameter `kk`", "parameters: `k`, `k2`"][..]),
        ("model.set(\"k\", -1)", &["`k` = -1 is out of range", "between 0 and"]),
        ("model.set(\"k\", \"2\")", &["the value for `k` is no finite number", "SI units"]),
        ("model.set(\"x\", 1)", &["there is no parameter `x`"]),
    ] {
        folder.write("m.toml", MODEL.replace("model.set(\"k\", 0.25)", written));
        folder.bad(&["run", "m.toml"], 3, &[&["error[M0414]", "m.toml:1"], words].concat());
    }
    let early = MODEL.replace("let done = 0;", "let done = 0;\nmodel.set(\"k\", 2);");
    folder.write("m.toml", early);
    folder.bad(&["check", "m.toml"], 1, &["error[M0406]", "before the model begins", "call it in `step`"]);
}
