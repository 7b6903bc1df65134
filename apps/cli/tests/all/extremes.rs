//! No peak is lost between rows: every reader has the same highest and lowest values, to the accuracy of the solver.

use crate::program::Folder;

/// A swing of 50 Hz, x = sin(100 π t), with its product and a wave of 37 Hz that nothing is integrated of; a row every second.
const SWING: &str = r#"
[parameters]
w = "100*pi*(1 rad/s)"
[variables]
x = { unit = "m", start = 0 }
v = { unit = "m/s", start = "w*(1 m)" }
y = "1"
e = "m^2/s"
[equations]
position = "der(x) = v"
speed = "der(v) = -w^2*x"
wave = "y = 3*sin(2*pi*(37 Hz)*time)"
product = "e = x*v"
[run]
t_end = "10 s"
dt = "1 s"
rtol = 1e-8
"#;

/// Thrown up at 5 m/s: v²/2g at v/g.
const BALL: &str = r#"
[variables]
h = { unit = "m", start = 0 }
v = { unit = "m/s", start = "5 m/s" }
[equations]
position = "der(h) = v"
speed = "der(v) = -9.81 m/s^2"
[events]
bounce = { when = "h < 0 m", set = { v = "-0.5*v" } }
[run]
t_end = "1.2 s"
points = 2
"#;

/// A pulse of 10 ms, and a state that an event sets to 5, from where it falls.
const PULSE: &str = r#"
[variables]
p = "1"
x = { unit = "1", start = 0 }
q = { unit = "1", start = 0 }
[equations]
pulse = "p = if time > 0.3 s and time < 0.31 s then 2 else 0"
level = "der(x) = p/(1 s)"
fall = "der(q) = -q/(1 ms)"
[events]
kick = { when = "time > 0.55 s", set = { q = "5" } }
[run]
t_end = "1 s"
dt = "0.5 s"
"#;

/// Lowest and highest value of a signal as `plot --list` tells them.
fn listed(folder: &Folder, file: &str, signal: &str) -> (f64, f64) {
    let text = folder.good(&["plot", file, "--list"]);
    let line = text.lines().find(|l| l.split_whitespace().next() == Some(signal)).unwrap();
    let cells: Vec<f64> = line.split_whitespace().skip(1).filter_map(|c| c.parse().ok()).collect();
    let at = cells.len() - 3;
    (cells[at], cells[at + 1])
}

#[test]
fn every_reader_finds_the_peaks_between_rows() {
    let pi = std::f64::consts::PI;
    let g = 9.81;
    for (model, signal, low, high) in [
        (SWING, "x", -1.0, 1.0),
        (SWING, "y", -3.0, 3.0),
        (SWING, "v", -100.0 * pi, 100.0 * pi),
        // x v = w/2 sin(2 w t).
        (SWING, "e", -50.0 * pi, 50.0 * pi),
        (BALL, "h", 0.0, 25.0 / (2.0 * g)),
        (BALL, "v", -5.0, 5.0),
        (PULSE, "p", 0.0, 2.0),
        (PULSE, "x", 0.0, 0.02),
        (PULSE, "q", 0.0, 5.0),
    ] {
        let folder = Folder::new();
        // Something to sweep.
        let model = format!("[parameters]\none = 1\n{}", model.replace("[parameters]\n", ""));
        folder.write("m.toml", &model);
        for file in ["m.csv", "m.parquet"] {
            folder.good(&["run", "m.toml", "-o", file]);
        }
        folder.good(&["convert", "m.csv", "again.parquet"]);
        folder.good(&["convert", "m.parquet", "again.csv"]);
        let near = |found: f64, wanted: f64| (found - wanted).abs() < 1e-5 * (high - low);
        for file in ["m.csv", "m.parquet", "again.csv", "again.parquet", "m.toml"] {
            let (found_low, found_high) = listed(&folder, file, signal);
            assert!(
                near(found_low, low) && near(found_high, high),
                "{file} {signal}: {found_low} {found_high}"
            );
        }
        let sweep = |measure: &str| {
            let text = folder.good(&["sweep", "m.toml", "-p", "one=1", "-m", measure]);
            text.lines().nth(1).unwrap().split_whitespace().nth(1).unwrap().parse::<f64>().unwrap()
        };
        let (max, min) = (sweep(&format!("max({signal})")), sweep(&format!("min({signal})")));
        assert!(near(max, high) && near(min, low), "{signal}: {min} {max}");
        // The very same as in the file, to the digits that are shown.
        assert_eq!(listed(&folder, "m.csv", signal), (min, max));
        let stats = folder.good(&["plot", "m.csv", "-y", signal, "--stats", "-o", "m.svg"]);
        let cells: Vec<f64> =
            stats.lines().nth(1).unwrap().split_whitespace().filter_map(|c| c.parse().ok()).collect();
        assert!(near(cells[0], low) && near(cells[2], high), "{stats}");
    }
}

#[test]
fn extremes_are_exact_to_the_solver() {
    let folder = Folder::new();
    folder.write("m.toml", SWING).good(&["run", "m.toml", "-o", "m.csv"]);
    let text = folder.read("m.csv");
    let line = text.lines().find_map(|l| l.strip_prefix("# extremes: ")).unwrap();
    let all: serde_json::Value = serde_json::from_str(line).unwrap();
    for (signal, size) in [("x", 1.0), ("y", 3.0), ("e", 50.0 * std::f64::consts::PI)] {
        for (place, wanted) in [(1, -size), (3, size)] {
            let found = all[signal][place].as_f64().unwrap();
            assert!((found - wanted).abs() < 1e-6 * size, "{signal}: {found}");
        }
    }
}

#[test]
fn a_lost_pulse_is_a_difference() {
    let folder = Folder::new();
    folder.write("m.toml", PULSE).write("flat.toml", PULSE.replace("then 2", "then 0"));
    for name in ["m", "flat"] {
        folder.good(&["run", &format!("{name}.toml"), "-o", &format!("{name}.parquet")]);
    }
    let text = folder.good(&["compare", "m.parquet", "flat.parquet"]);
    let line = text.lines().find(|l| l.starts_with("p ")).unwrap();
    assert!(line.contains("2") && line.contains("100 %"), "{text}");
    assert!(folder.good(&["compare", "m.parquet", "m.parquet"]).contains("equal to the last bit"));
}

#[test]
fn what_has_no_value_is_told() {
    let folder = Folder::new();
    folder
        .write("m.toml", format!("[parameters]\ng = \"9.81 m/s^2\"\n{}", BALL.replace("-9.81 m/s^2", "-g")));
    let answer =
        folder.run(&["sweep", "m.toml", "-p", "g=9.81 m/s^2", "-m", "time(bounce, 7)", "-m", "settling(h)"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.lines().nth(1).unwrap().matches('–').count() == 2, "{}", answer.out);
    for part in
        ["`time(bounce, 7)` has no value: `bounce` happened only 1 time", "`settling(h, 2 %)` has no value"]
    {
        assert!(answer.err.contains(part), "{}", answer.err);
    }
    // Half the runs fail: the sweep has failed.
    let wrong =
        BALL.replace("speed = \"der(v) = -9.81 m/s^2\"", "speed = \"der(v) = -(9.81 m/s^2)*sqrt(g)\"");
    folder.write("w.toml", format!("[parameters]\ng = 1\n{wrong}"));
    folder.bad(&["sweep", "w.toml", "-p", "g=1,-1", "-m", "max(h)"], 3, &["1 of 2 runs failed"]);
}
