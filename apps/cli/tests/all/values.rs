//! Values: none that is not finite leaves the program as a result, terms that cancel change nothing, and slopes without bound stop nobody.

use crate::program::{Folder, json};

/// A model of these variables (with their starts) and equations, run for `t_end` seconds.
fn model(variables: &[(&str, f64)], equations: &[&str], t_end: f64) -> String {
    let variables: String = variables.iter().map(|(n, x)| format!("{n} = {{ start = {x:?} }}\n")).collect();
    let equations: String = equations.iter().enumerate().map(|(k, e)| format!("e{k} = \"{e}\"\n")).collect();
    format!("[variables]\n{variables}[equations]\n{equations}[run]\nt_end = \"{t_end} s\"\npoints = 101\n")
}

/// Rows of a result: time, then the columns asked for.
fn rows(folder: &Folder, file: &str, columns: &[&str]) -> Vec<Vec<f64>> {
    let text = folder.read(file);
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = |name: &&str| head.iter().position(|h| h.split(' ').next() == Some(*name)).unwrap();
    let places: Vec<usize> = std::iter::once(&"time").chain(columns).map(place).collect();
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            places.iter().map(|&p| cells[p].parse().unwrap()).collect()
        })
        .collect()
}

const SOLVERS: [&str; 5] = ["rodas5p", "esdirk34", "trbdf2", "bdf", "tsit45"];
const DECAY: &str = "der(x) = -x/(1 s)";

#[test]
fn a_value_that_is_not_finite_stops_the_run_and_names_its_operation() {
    let folder = Folder::new();
    let bad = |equation: &str, words: &[&str]| {
        folder.write(
            "m.toml",
            model(&[("x", 1.0), ("y", 0.0), ("z", 0.0)], &[DECAY, equation, "z = 2*y"], 1.0),
        );
        for engine in ["rodas5p", "tsit45"] {
            folder.bad(&["run", "m.toml", "-o", "m.csv", "--solver", engine], 3, words);
        }
        // Everything before it is kept, and nothing of it.
        let text = folder.read("m.csv");
        assert!(text.contains("# ended: failed"), "{text}");
        assert!(
            !text.lines().filter(|l| !l.starts_with('#')).any(|l| l.contains("NaN") || l.contains("inf"))
        );
    };
    bad("y = asin(2*x)", &["`y` has no finite value at t = 0 s", "asin(2*x) with 2*x = 2", "equation (e1)"]);
    bad("y = ln(x - 0.5)", &["`y`", "at t = 0.7 s", "logarithm of a negative number in ln(x - 0.5)"]);
    bad("y = 1/(x - 1)", &["`y`", "t = 0 s", "division by zero in 1/(x - 1) with x - 1 = 0"]);
    bad("y = (x - 1)/(1 - x)", &["0/0"]);
    bad("y = sqrt(x - 0.5)", &["`y`", "at t = 0.7 s", "root of a negative number in sqrt(x - 0.5)"]);
    bad("y = (x - 0.5)^0.3", &["`y`", "fractional power of a negative number"]);
    bad(
        "y = exp(1000*x)",
        &["`y`", "a number too large to be represented in exp(1000*x) with 1000*x = 1000"],
    );
    bad("y = mod(x, x - x*1)", &["`y`", "division by zero"]);
}

#[test]
fn outputs_motions_and_actions_are_watched() {
    let folder = Folder::new();
    let plain = model(&[("x", 1.0)], &[DECAY], 1.0);
    folder.write("output.toml", format!("{plain}[outputs]\no = \"acos(3*x)\"\n"));
    folder.bad(&["run", "output.toml"], 3, &["`o` has no finite value at t = 0 s", "acos(3*x) with 3*x = 3"]);
    // Also where nobody records it.
    folder.write("hidden.toml", format!("{plain}record = [\"x\"]\n[outputs]\no = \"acos(3*x)\"\n"));
    folder.bad(&["run", "hidden.toml"], 3, &["`o` has no finite value"]);
    folder.write(
        "motion.toml",
        "[bodies]\na = { m = \"1 kg\", rod = \"1 m\" }\n[joints]\nj = { type = \"revolute\", parent = \"world\", child = \"a\", \
         axis = \"y\", motion = \"exp(1000*time/(1 s))*(1 rad)\" }\n[run]\nt_end = \"1 s\"\n",
    );
    folder.bad(&["run", "motion.toml"], 1, &["no finite acceleration", "`j.phi`"]);
    folder.write(
        "jump.toml",
        "[bodies]\na = { m = \"1 kg\", rod = \"1 m\" }\n[joints]\nj = { type = \"revolute\", parent = \"world\", child = \"a\", \
         axis = \"y\", motion = \"sqrt(0.5 - time/(1 s))*(1 rad)\" }\n[run]\nt_end = \"1 s\"\n",
    );
    folder.bad(&["run", "jump.toml"], 1, &["no finite", "t = 0.5"]);
    folder.write("event.toml", format!("{plain}[events.low]\nwhen = \"x < 0.5\"\nset.x = \"ln(x - 1)\"\n"));
    folder.bad(&["run", "event.toml"], 3, &["`low` sets `x` to NaN", "logarithm of a negative number"]);
    // A condition that cannot be judged would never come true.
    folder.write(
        "guard.toml",
        format!("{plain}[events.low]\nwhen = \"asin(2*x) < 0.1\"\nterminate = \"low\"\n"),
    );
    folder.bad(
        &["run", "guard.toml"],
        3,
        &["`low` has no finite value at t = 0 s", "asin(2*x) with 2*x = 2"],
    );
    folder.write(
        "kept.toml",
        format!("{plain}[events.low]\nwhen = \"x < 0.45 and asin(2*x) < 0.5\"\nterminate = \"low\"\n"),
    );
    folder.good(&["run", "kept.toml"]);
}

#[test]
fn measures_beyond_the_run_are_refused() {
    let folder = Folder::new();
    let plain = model(&[("x", 1.0)], &[DECAY], 1.0);
    folder.write("m.toml", &plain);
    let sweep =
        |measure: &str| ["sweep", "m.toml", "--param", "start.x=1,2", "--measure", measure].map(String::from);
    let bad = |measure: &str, code: i32, words: &[&str]| {
        let arguments = sweep(measure);
        folder.bad(&arguments.each_ref().map(String::as_str), code, words);
    };
    bad("at(x, 2 s)", 2, &["`at(x, 2 s)` lies outside the run, which goes from 0 s to 1 s"]);
    bad("at(1/x - ln(x - 5), 0.5 s)", 3, &["`at(1/x - ln(x - 5), 0.5 s)` is no finite number", "logarithm"]);
    // What is not finite elsewhere does not matter.
    let arguments = sweep("at(1/(x - 1)^2 + 1/(x - 2)^2, 0.1 s)");
    folder.good(&arguments.each_ref().map(String::as_str));
    folder.write("ends.toml", format!("{plain}[events.low]\nwhen = \"x < 0.5\"\nterminate = \"low\"\n[[expect]]\nsignal = \"x\"\nat = \"0.9 s\"\nvalue = 0.4\ntol = 0.1\n"));
    folder.bad(&["verify", "ends.toml"], 1, &[]);
}

#[test]
fn terms_that_cancel_are_taken_out() {
    let folder = Folder::new();
    let starts = [("x", 1.0), ("y", 0.0), ("z", 0.0)];
    for (equations, y, z) in [
        (["y = z + x - z", "z = 2*x"], 1.0, 2.0),
        (["y = z + x - z", "z = 2*y"], 1.0, 2.0),
        (["z + x = y + z", "z = 3*y"], 1.0, 3.0),
        (["y^2 - (y - z)*(y + z) - z^2 + y = x", "z = 3*y"], 1.0, 3.0),
        (["y = floor(3*z)", "z = 2*x"], f64::NAN, 2.0),
        (["x - x + y - y = z", "y = z + z - 2*z + x"], 1.0, 0.0),
        (["y = sin(z)^2 + cos(z)^2 + x - 1", "z = 4*y"], 1.0, 4.0),
    ] {
        folder.write("m.toml", model(&starts, &[DECAY, equations[0], equations[1]], 1.0));
        folder.good(&["run", "m.toml", "-o", "m.csv"]);
        for row in rows(&folder, "m.csv", &["x", "y", "z"]) {
            let expected = if y.is_nan() { (6.0 * row[1]).floor() } else { y * row[1] };
            assert!((row[2] - expected).abs() < 1e-12, "{equations:?}: y = {} at {}", row[2], row[0]);
            assert!((row[3] - z * row[1]).abs() < 1e-12, "{equations:?}: z = {} at {}", row[3], row[0]);
        }
    }
    let refused = |equations: [&str; 2], code: &str| {
        folder.write("m.toml", model(&starts, &[DECAY, equations[0], equations[1]], 1.0));
        folder.bad(&["check", "m.toml"], 1, &[code]);
    };
    refused(["0*z = y - x", "y = x"], "S0003");
    refused(["z + y = x", "2*z + 2*y = 2*x"], "S0006");
    refused(["(x - 1)*y + z = x", "z + y*(x - 1) = 3"], "S0006");
    refused(["y^2 - (y - z)*(y + z) - z^2 = x", "z = 3*y"], "S0004");
    let parameters = "[parameters]\na = 2\nb = 2\n";
    folder.write("m.toml", format!("{parameters}{}", model(&starts[..2], &[DECAY, "(a - b)*y = x"], 1.0)));
    folder.bad(&["check", "m.toml"], 1, &["S0010", "its coefficient a - b is zero"]);
    folder.good(&["run", "m.toml", "--set", "a=3", "-o", "m.csv"]);
}

/// What flows out through a root stops, and what has stopped stays: h' = −c h^p is h^(1−p) = 1 − (1−p) c t up to the end, then 0.
#[test]
fn a_tank_that_runs_empty_stays_empty() {
    let folder = Folder::new();
    let equations = [
        "der(h) = -0.1*sqrt(max(h, 0))/(1 s)",
        "der(k) = -0.1*max(k, 0)^0.5/(1 s)",
        "der(b) = -0.2*max(b, 0)^0.3/(1 s)",
        "der(f) = (0.5 - sqrt(max(f, 0)))/(1 s)",
        "der(r) = -0.3*signed_root(r, 0)/(1 s)",
        "der(q) = (1 - signed_root(q, 0))/(1 s)",
        "der(s) = (1 - signed_root(s, d))/(1 s)",
    ];
    let starts = [("h", 1.0), ("k", 1.0), ("b", 1.0), ("f", 0.0), ("r", -1.0), ("q", 0.0), ("s", 0.0)];
    folder.write("m.toml", format!("[parameters]\nd = 0\n{}", model(&starts, &equations, 30.0)));
    for solver in SOLVERS {
        folder.good(&["run", "m.toml", "-o", "m.csv", "--solver", solver, "--stats", "s.json"]);
        let power = |p: f64, c: f64, t: f64| (1.0 - (1.0 - p) * c * t).max(0.0).powf(1.0 / (1.0 - p));
        for row in rows(&folder, "m.csv", &["h", "k", "b", "r"]) {
            let t = row[0];
            let wanted = [power(0.5, 0.1, t), power(0.5, 0.1, t), power(0.3, 0.2, t), -power(0.5, 0.3, t)];
            for (found, wanted) in row[1..].iter().zip(wanted) {
                assert!((found - wanted).abs() < 2e-4, "{solver}: {found}, not {wanted} at {t}");
            }
        }
        // What starts empty fills up to where in and out agree.
        let last = rows(&folder, "m.csv", &["f", "q", "s"]).pop().unwrap();
        assert!((last[1] - 0.25).abs() < 1e-5 && (last[2] - 1.0).abs() < 1e-5, "{solver}: {last:?}");
        assert!((last[3] - 1.0).abs() < 1e-5, "{solver}: {last:?}");
        // About 0 the slope of the root is some 500 / s at the size of the tolerance: explicit steps of 7 ms.
        let most = if solver == "tsit45" { 30 * 1000 / 7 } else { 1000 };
        let steps = json(&folder.read("s.json"))["steps"].as_u64().unwrap();
        assert!(steps < most, "{solver} crawls: {steps} steps");
    }
}

#[test]
fn long_listings_are_written() {
    let folder = Folder::new();
    let mut ladder = String::from(
        "[components]\ns = { type = \"voltage_source\", U = \"10 V\" }\ng = { type = \"electric_ground\" }\n",
    );
    (0..1500)
        .for_each(|k| ladder.push_str(&format!("resistor_{k} = {{ type = \"resistor\", R = \"5 Ohm\" }}\n")));
    ladder.push_str("[connect]\n\"s.p\" = \"resistor_0.p\"\n");
    (1..1500).for_each(|k| ladder.push_str(&format!("\"resistor_{}.n\" = \"resistor_{k}.p\"\n", k - 1)));
    ladder.push_str("\"resistor_1499.n\" = [\"s.n\", \"g.p\"]\n");
    folder.write("ladder.toml", ladder);
    assert!(folder.good(&["equations", "ladder.toml"]).contains("resistor_1499"));
    let mut arm = String::from("[bodies]\n");
    (0..7).for_each(|k| arm.push_str(&format!("b{k} = {{ m = \"1 kg\", rod = \"1 m\" }}\n")));
    arm.push_str("[joints]\n");
    for k in 0..7 {
        let parent = if k == 0 { "world".into() } else { format!("b{}.end", k - 1) };
        let axis = if k % 2 == 0 { "y" } else { "z" };
        arm.push_str(&format!(
            "j{k} = {{ type = \"revolute\", parent = \"{parent}\", child = \"b{k}\", axis = \"{axis}\" }}\n"
        ));
    }
    folder.write("arm.toml", arm);
    for form in [
        &["equations", "arm.toml", "--format", "json"][..],
        &["equations", "arm.toml", "--format", "json", "--expanded"],
    ] {
        let text = folder.good(form);
        assert!(text.len() < 20 << 20, "{} bytes", text.len());
        let document = json(&text);
        let shared = document["shared"].as_array().unwrap();
        assert_eq!(shared[0]["name"], "#1");
        assert!(document["differential"].as_array().unwrap().iter().all(|d| !d["right"].is_null()));
    }
}
