//! Studies from end to end: open parameters, feedback, modes, measures.

use crate::program::Folder;

/// The first TOML block of a page that has `mark` in it.
fn example(page: &str, mark: &str) -> String {
    let path = format!("{}/../../docs/guides/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let blocks = text.split("```toml\n").skip(1).map(|b| b.split("```").next().unwrap());
    blocks.filter(|b| b.contains(mark)).map(String::from).next().unwrap()
}

/// The number after `name` in a text.
fn value(text: &str, name: &str) -> f64 {
    let rest = text.split(name).nth(1).unwrap_or_else(|| panic!("no `{name}` in {text}"));
    let number = rest.trim_start_matches([' ', '=', '"']).split_whitespace().next().unwrap();
    number.trim_matches('"').parse().unwrap_or_else(|_| panic!("no number after `{name}` in {text}"))
}

const WEIGHTS: [&str; 10] = [
    "--input",
    "F_0",
    "--weight",
    "Q_t=10",
    "--weight",
    "z_b - z_w=1",
    "--effort",
    "0.8e-9",
    "--from",
    "z_w,z_b,v_w,v_b",
];

#[test]
fn the_suspension_of_the_manual_gets_its_published_gains() {
    let folder = Folder::new();
    folder.write("car.toml", example("linear-models.md", "active suspension"));
    let text = folder.good(&[&["lqr", "car.toml", "-o", "gains.toml"][..], &WEIGHTS].concat());
    assert!(text.contains("no input reaches z_w + Q_t, which never changes"), "{text}");
    let gains = folder.read("gains.toml");
    for (name, published) in [("K_z_w", 57240.0), ("K_z_b", -35355.0), ("K_v_w", 1385.7), ("K_v_b", -4827.0)]
    {
        let found = value(&gains, &format!("\n{name} ="));
        assert!((found / published - 1.0).abs() < 2e-4, "{name}: {found} for {published}");
    }
    // The closed loop in the model is the one that was promised: smallest force, lowest body and wheel after a fall.
    let run = ["sweep", "car.toml", "--defaults", "gains.toml", "--param", "h=1 m", "--t-end", "1"];
    let measures =
        ["-m", "min(F)", "-m", "min(z_w)", "-m", "min(z_b)", "-m", "at(z_b, 0.1 s)", "-o", "t.csv"];
    folder.good(&[&run[..], &measures].concat());
    let table = folder.read("t.csv");
    let row: Vec<f64> = table
        .lines()
        .rfind(|l| !l.starts_with('#'))
        .unwrap()
        .split(',')
        .map(|v| v.parse().unwrap())
        .collect();
    for (found, expected) in row.iter().zip([1.0, -72968.0, -0.2806, -0.0849, 0.5456]) {
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} for {expected}");
    }
    let modes = folder.good(&["modes", "car.toml", "--defaults", "gains.toml"]);
    assert!(modes.contains("1.5747") && modes.contains("13.142"), "{modes}");
}

#[test]
fn feedback_that_cannot_be_is_explained() {
    let folder = Folder::new();
    folder.write("car.toml", example("linear-models.md", "active suspension"));
    let lqr = |rest: &[&'static str]| [&["lqr", "car.toml", "--effort", "1e-9"][..], rest].concat();
    folder.bad(&lqr(&["-i", "F_0", "-w", "v_b=1"]), 3, &["does not see", "add a weight"]);
    folder.bad(&lqr(&["-i", "h", "-w", "v_b=1"]), 3, &["`h` moves no state"]);
    folder.bad(&lqr(&["-i", "F_0", "-w", "Q_t"]), 2, &["has no weight"]);
    folder.bad(&lqr(&["-i", "F_1", "-w", "Q_t=1"]), 2, &["no input, parameter or mode `F_1`", "F_0"]);
    folder.bad(&lqr(&["-i", "F_0", "-w", "z_b - z_v=1"]), 1, &["z_v"]);
    let few = ["-i", "F_0", "-w", "Q_t=1", "-w", "z_b - z_w=1", "--from", "z_b,v_b"];
    folder.bad(&lqr(&few), 3, &["do not say enough"]);
    folder.bad(&["lqr", "car.toml", "-i", "F_0", "-w", "Q_t=1", "-e", "0"], 2, &["without limit"]);
}

const OPEN: &str = r#"
[parameters]
k = { unit = "N/m", above = 0, doc = "Stiffness" }
c = { unit = "N s/m", ask = true, value = 4 }
[variables]
x = { unit = "mm", start = "10 mm" }
v = "m/s"
[equations]
a = "der(x) = v"
b = "(2 kg)*der(v) = -c*v - k*x"
"#;

#[test]
fn open_parameters_come_from_outside() {
    let folder = Folder::new();
    folder.write("m.toml", OPEN).write("stiff.toml", "k = '2 kN/m'\n").write("wrong.toml", "kk = 2\n");
    folder.bad(&["run", "m.toml"], 1, &["M0302", "`k`", "Stiffness", "--set PATH=VALUE", "--defaults"]);
    let check = folder.good(&["check", "m.toml"]);
    assert!(check.contains("k [N/m] from 0: Stiffness") && check.contains("no errors; 2 states"), "{check}");
    let answer = folder.run(&["run", "m.toml", "--set", "k=200"]);
    assert!(answer.code == 0 && answer.err.contains("c = 4 N s/m"), "{}", answer.err);
    folder.good(&["run", "m.toml", "--defaults", "stiff.toml", "--set", "c=0", "-o", "a.csv"]);
    folder.good(&["run", "m.toml", "--set", "k=2000", "--set", "c=0", "-o", "b.csv"]);
    let data = |name: &str| {
        folder.read(name).lines().filter(|l| !l.starts_with('#')).map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(data("a.csv"), data("b.csv"));
    folder.bad(&["run", "m.toml", "--set", "k=1", "--defaults", "wrong.toml"], 1, &["M0204", "kk"]);
    folder.bad(&["run", "m.toml", "--defaults", "none.toml"], 4, &["none.toml"]);
    // What is swept need not be given.
    let sweep = folder.good(&[
        "sweep",
        "m.toml",
        "-p",
        "k=200,800",
        "--set",
        "c=0",
        "-m",
        "peak_frequency(x)",
        "--t-end",
        "20",
    ]);
    let f = |k: f64| f64::sqrt(k / 2.0) / std::f64::consts::TAU;
    let found: Vec<f64> = sweep
        .lines()
        .skip(1)
        .take(2)
        .map(|l| l.split_whitespace().nth(1).unwrap().parse().unwrap())
        .collect();
    for (found, k) in found.iter().zip([200.0, 800.0]) {
        assert!((found / f(k) - 1.0).abs() < 1e-3, "{found} for {}", f(k));
    }
}

#[test]
fn expressions_are_measured_like_signals() {
    let folder = Folder::new();
    folder.write("m.toml", OPEN);
    let text = folder.good(&[
        "sweep",
        "m.toml",
        "-p",
        "k=200",
        "--set",
        "c=0",
        "-m",
        "max(k*x^2/2 + (1 kg)*v^2)",
        "-m",
        "overshoot(x)",
        "--t-end",
        "5",
    ]);
    let row: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
    // It swings for ever.
    assert_eq!(row[2], "–", "{text}");
    assert!((row[1].parse::<f64>().unwrap() - 0.01).abs() < 1e-6, "{text}");
    folder.bad(&["sweep", "m.toml", "-p", "k=200", "-m", "max(x + k)"], 1, &["L13"]);
}

const OSCILLATOR: &str = r#"
[parameters]
m = "2 kg"
k = "200 N/m"
c = "4 N s/m"
[inputs]
f = { unit = "N", start = 0 }
[variables]
x = "mm"
v = "m/s"
[equations]
position = "der(x) = v"
momentum = "m*der(v) = f - c*v - k*x"
"#;

/// Columns of a CSV, by name.
fn columns(text: &str) -> Vec<(String, Vec<f64>)> {
    let mut lines = text.lines().filter(|l| !l.starts_with('#'));
    let names: Vec<String> =
        lines.next().unwrap().split(',').map(|n| n.split(" [").next().unwrap().to_string()).collect();
    let rows: Vec<Vec<f64>> = lines.map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    names.into_iter().enumerate().map(|(k, n)| (n, rows.iter().map(|r| r[k]).collect())).collect()
}

#[test]
fn noise_finds_the_frequency_response_of_an_oscillator() {
    let folder = Folder::new();
    folder.write("m.toml", OSCILLATOR);
    // An acceleration answers at once: the hold of the samples is distinguished from it.
    for (output, power) in [("x", 0), ("(f - c*v - k*x)/m", 2)] {
        folder.good(&["response", "m.toml", "-i", "f", "-y", output, "-o", "r.csv", "--plot", "r.svg"]);
        let table = columns(&folder.read("r.csv"));
        let column = |name: &str| &table.iter().find(|(n, _)| n == name).unwrap().1;
        let (mut sure, mut off) = (0, 0.0);
        for (k, f) in column("frequency").iter().enumerate() {
            let w = std::f64::consts::TAU * f;
            let gain = w.powi(power) / f64::hypot(200.0 - 2.0 * w * w, 4.0 * w);
            let exact = if power == 0 { 1e3 * gain } else { gain };
            assert!((column("linear_magnitude")[k] / exact - 1.0).abs() < 1e-9);
            let (found, error) = (column("noise_magnitude")[k] / exact - 1.0, column("noise_error")[k]);
            if column("coherence")[k] > 0.95 {
                sure += 1;
                // 1 % of bias at the peak, where the response bends within a line, and 4 standard deviations.
                assert!(found.abs() < 0.01 + 4.0 * error, "{found} ± {error} at {f} Hz of {output}");
                off += (found / error.max(1e-3)).powi(2);
            }
        }
        assert!(sure > 200, "only {sure} lines are sure");
        assert!(
            off / f64::from(sure) < 3.0,
            "the error that is stated is too small: {}",
            off / f64::from(sure)
        );
        let best = |name: &str| {
            let values = column(name);
            let top = (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap();
            column("frequency")[top]
        };
        let resonance = 10.0 / std::f64::consts::TAU;
        assert!((best("noise_magnitude") / resonance - 1.0).abs() < 0.04, "{}", best("noise_magnitude"));
        assert!(folder.read("r.svg").contains("coherence"));
    }
}

#[test]
fn a_response_that_cannot_be_found_is_explained() {
    let folder = Folder::new();
    folder.write("m.toml", OSCILLATOR).write("up.toml", OSCILLATOR.replace("- c*v", "+ c*v"));
    let response = |model: &'static str, rest: &[&'static str]| {
        [&["response", model, "-i", "f", "-y", "x"][..], rest].concat()
    };
    folder.bad(&response("up.toml", &[]), 3, &["unstable", "the linear model alone"]);
    folder.good(&response("up.toml", &["--method", "linear"]));
    folder.bad(&response("m.toml", &["--amplitude", "0"]), 2, &["amplitude"]);
    folder.bad(&response("m.toml", &["--segments", "0"]), 2, &["segments"]);
    folder.bad(
        &response("m.toml", &["--frequencies", "1e-6:1e3"]),
        2,
        &["samples", "the range of frequencies"],
    );
    folder.bad(&["response", "m.toml", "-i", "g", "-y", "x"], 2, &["`g`"]);
    folder.bad(&["response", "m.toml", "-i", "f", "-y", "*"], 2, &["more than one signal"]);
    let twice = |seed: &'static str| folder.good(&response("m.toml", &["--method", "noise", "--seed", seed]));
    assert_eq!(twice("3"), twice("3"));
    assert_ne!(twice("3"), twice("4"));
}

#[test]
fn plots_have_panels_statistics_and_spectra_as_asked() {
    let folder = Folder::new();
    folder.write("m.toml", OSCILLATOR);
    let run = |name: &'static str, c: &'static str| {
        folder.good(&[
            "run",
            "m.toml",
            "--t-end",
            "40",
            "--set",
            "start.x=10",
            "--set",
            c,
            "--set",
            "run.points=8001",
            "-o",
            name,
        ]);
    };
    run("a.csv", "c=0");
    run("b.csv", "c=0.4");
    // Positions of one unit in panels of their own, two runs in each.
    let text = folder.good(&[
        "plot",
        "a.csv",
        "b.csv",
        "-y",
        "x,v",
        "-y",
        "x",
        "--stats",
        "-o",
        "p.svg",
        "--line",
        "y=5 mm:limit",
    ]);
    assert!(text.contains("p.svg: 6 signals"), "{text}");
    let row = text.lines().find(|l| l.starts_with("a: x")).unwrap();
    let rms: f64 = row.split_whitespace().rev().nth(1).unwrap().parse().unwrap();
    // √(k/m) = 10 rad/s over 40 s: nearly whole periods.
    assert!((rms / (10.0 / 2.0_f64.sqrt()) - 1.0).abs() < 2e-3, "{row}");
    let svg = folder.read("p.svg");
    assert_eq!(svg.matches("limit").count(), 2, "one line in each panel of lengths");
    for window in ["hann", "hamming", "blackman", "flattop", "rectangular"] {
        let text = folder
            .good(&["plot", "a.csv", "-y", "x", "--fft", "--window", window, "--peaks", "1", "-o", "f.svg"]);
        let row = text.lines().nth(1).unwrap();
        let numbers: Vec<f64> = row.split_whitespace().filter_map(|w| w.parse().ok()).collect();
        assert!((numbers[0] / (10.0 / std::f64::consts::TAU) - 1.0).abs() < 5e-3, "{window}: {row}");
        assert!((numbers[1] / 10.0 - 1.0).abs() < 1e-2, "{window}: {row}");
    }
    let text = folder.good(&["plot", "b.csv", "-y", "x", "--psd", "--segments", "3", "-o", "d.png"]);
    assert!(text.contains("mm²/Hz") && text.contains("1.6 Hz"), "{text}");
    folder.bad(&["plot", "b.csv", "-y", "x", "--psd", "--segments", "100000"], 2, &["too few"]);
    folder.bad(&["plot", "a.csv", "-y", "z", "-y", "x"], 2, &["`z`"]);
}
