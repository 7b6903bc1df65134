//! Tolerances that see the signal: sizes are learnt, single states have their own, and what stays within its tolerance is told.

use crate::program::Folder;

const SOLVERS: [&str; 5] = ["rodas5p", "esdirk34", "trbdf2", "bdf", "tsit45"];

/// An oscillator of 2 rad/s driven by `a` sin 3t from rest: x = a/5 (3/2 sin 2t − sin 3t).
fn oscillator(variables: &str, a: f64, run: &str) -> String {
    format!(
        "[variables]\n{variables}\n[equations]\ne1 = \"der(x) = v\"\n\
         e2 = \"der(v) = {a:e} m/s^2*sin(3*time/(1 s)) - x*(4 1/s^2)\"\n[run]\nt_end = \"10 s\"\n{run}"
    )
}

const PLAIN: &str = "x = { unit = \"m\" }\nv = { unit = \"m/s\" }";

/// Final value of `x`.
fn final_x(folder: &Folder, solver: &str) -> f64 {
    folder.good(&["run", "m.toml", "-o", "m.csv", "--solver", solver, "-q"]);
    let text = folder.read("m.csv");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let place = lines.next().unwrap().split(',').position(|h| h.starts_with("x ")).unwrap();
    lines.next_back().unwrap().split(',').nth(place).unwrap().parse().unwrap()
}

/// What is said beside the results.
fn told(folder: &Folder, arguments: &[&str]) -> String {
    let answer = folder.run(arguments);
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer.err
}

fn warned(folder: &Folder, arguments: &[&str], words: &[&str]) {
    let told = told(folder, arguments);
    for word in words {
        assert!(told.contains(word), "no `{word}` in:\n{told}");
    }
}

#[test]
fn small_signals_are_as_accurate_as_large_ones_without_a_word_of_their_size() {
    let folder = Folder::new();
    for solver in SOLVERS {
        for a in [1e3, 1.0, 1e-3, 1e-6, 1e-8] {
            folder.write("m.toml", oscillator(PLAIN, a, ""));
            let exact = a / 5.0 * (1.5 * 20f64.sin() - 30f64.sin());
            let error = (final_x(&folder, solver) / exact - 1.0).abs();
            // 100 rtol, and what ten seconds add up to.
            assert!(error < 1e-3, "{solver}, {a}: {error:e}");
        }
    }
}

/// A mass on a spring, or a ring of coil and capacitor, after whole periods.
#[test]
fn components_of_small_signals_are_right_at_every_tolerance() {
    let folder = Folder::new();
    let spring = "[components]\nm = { type = \"mass\", m = \"1 kg\", v0 = \"A m/s\" }\nk = { type = \"spring\", k = \"100 N/m\" }\n\
         g = \"ground\"\n[connect]\nm = \"k.a\"\n\"k.b\" = \"g\"\n[outputs]\nx = { unit = \"m/s\", value = \"m.v\" }\n\
         [run]\nt_end = \"6.283185307179586 s\"\n";
    let ring = "[components]\nc = { type = \"capacitor\", C = \"1 nF\", u0 = \"A V\" }\nl = { type = \"inductor\", L = \"1 mH\" }\n\
         g = \"electric_ground\"\n[connect]\n\"c.p\" = \"l.p\"\n\"g\" = [\"c.n\", \"l.n\"]\n\
         [outputs]\nx = { unit = \"V\", value = \"c.u\" }\n[run]\nt_end = \"6.283185307179586e-5 s\"\n";
    for (name, model) in [("spring", spring), ("ring", ring)] {
        for (a, rtol) in [(1e-2, 1e-3), (1e-8, 1e-3), (1e-9, 1e-3), (1e-8, 1e-6), (1e-11, 1e-6)] {
            folder.write("m.toml", format!("{}rtol = {rtol:e}\n", model.replace('A', &format!("{a:e}"))));
            for solver in SOLVERS {
                let error = (final_x(&folder, solver) / a - 1.0).abs();
                // Ten periods at 1 % of the size, or 100 rtol.
                let bound = if rtol > 1e-4 { 0.15 } else { 1e-3 };
                assert!(error < bound, "{name}, {solver}, {a:e}, rtol {rtol:e}: {error:e}");
            }
        }
    }
}

#[test]
fn a_state_as_small_as_rounding_is_told_too() {
    let folder = Folder::new();
    folder.write("m.toml", oscillator(PLAIN, 1e-12, ""));
    let words = ["M0407", "`x` reached 4.8e-13 m, with a tolerance of 1e-13 m", "{ \"x\" = \"5e-19 m\" }"];
    warned(&folder, &["run", "m.toml", "-o", "m.csv"], &words);
    folder.write("m.toml", oscillator(PLAIN, 1e-19, ""));
    let words = ["M0407", "`x` never left its tolerance of 1e-13 m"];
    warned(&folder, &["run", "m.toml", "-o", "m.csv"], &words);
    // As it says, it comes out.
    folder.write("m.toml", oscillator(PLAIN, 1e-19, "atol = { x = \"1e-26 m\", v = \"1e-26 m/s\" }"));
    assert!(!told(&folder, &["run", "m.toml", "-o", "m.csv"]).contains("M0407"));
    let exact = 1e-19 / 5.0 * (1.5 * 20f64.sin() - 30f64.sin());
    assert!((final_x(&folder, "auto") / exact - 1.0).abs() < 1e-4);
}

#[test]
fn a_state_within_its_tolerance_is_told_with_what_to_write() {
    let folder = Folder::new();
    let given = "x = { unit = \"m\", nominal = \"1 m\" }\nv = { unit = \"m/s\", nominal = \"1 m/s\" }";
    let words = ["warning[M0407]", "`x` never left its tolerance of 1e-6 m: results say nothing of it"];
    folder.write("m.toml", oscillator(given, 1e-9, ""));
    warned(&folder, &["run", "m.toml", "-o", "m.csv"], &words);
    warned(&folder, &["run", "m.toml", "-o", "m.csv"], &["nominal = \"5e-10 m\"", "{ \"x\" = \"5e-16 m\" }"]);
    folder.write("m.toml", oscillator(PLAIN, 1e-6, "atol = 1e-6"));
    warned(&folder, &["run", "m.toml", "-o", "m.csv"], &["M0407", "`x` never left its tolerance of 1e-6 m"]);
    folder.write("m.toml", oscillator(given, 1e-5, ""));
    warned(
        &folder,
        &["run", "m.toml", "-o", "m.csv"],
        &["M0407", "`x` reached 4.8e-6 m, with a tolerance of 1e-6 m"],
    );
    // As it says, it comes out.
    folder.write("m.toml", oscillator(given, 1e-9, "atol = { x = \"5e-16 m\", v = \"1e-15 m/s\" }"));
    assert!(!told(&folder, &["run", "m.toml", "-o", "m.csv"]).contains("M0407"));
    let exact = 1e-9 / 5.0 * (1.5 * 20f64.sin() - 30f64.sin());
    assert!((final_x(&folder, "auto") / exact - 1.0).abs() < 1e-4);
}

#[test]
fn a_rest_and_what_rounding_makes_of_it_are_not_told() {
    let folder = Folder::new();
    let quiet = |text: String| {
        folder.write("m.toml", text);
        let told = told(&folder, &["run", "m.toml", "-o", "m.csv"]);
        assert!(!told.contains("M0407"), "{told}");
    };
    quiet(oscillator(
        "x = { unit = \"m\", nominal = \"1 m\" }\nv = { unit = \"m/s\", nominal = 1 }",
        0.0,
        "",
    ));
    // Forces of 1e5 N that cancel but for rounding.
    quiet(
        "[variables]\np = { unit = \"Pa\", start = 123456.7 }\nq = { unit = \"Pa\", start = 123456.70000000002 }\nx = { unit = \"m\", nominal = \"1 m\" }\n\
         v = { unit = \"m/s\", nominal = \"1 m/s\" }\n[equations]\ne1 = \"der(x) = v\"\ne2 = \"der(p) = 0 Pa/s\"\ne4 = \"der(q) = 0 Pa/s\"\n\
         e3 = \"der(v)*(1 kg) = (p - q)*(0.1 m^2)\"\n[run]\nt_end = \"1 s\""
            .into(),
    );
}

#[test]
fn tolerances_by_state_are_checked() {
    let folder = Folder::new();
    let check = |run: &str, words: &[&str]| {
        folder.write(
            "m.toml",
            oscillator(&format!("{PLAIN}\ny = {{ unit = \"m\" }}"), 1.0, run)
                .replace("[run]", "e3 = \"y = 2*x\"\n[run]"),
        );
        folder.bad(&["check", "m.toml"], 1, words);
    };
    check("atol = { x = \"1 nm/s\" }", &["M0107", "the tolerance of `x`"]);
    check("atol = { x = \"0 m\" }", &["M0108", "the tolerance of `x` has to be above 0"]);
    check("atol = { \"*\" = \"1 nm\" }", &["M0107", "the tolerance of `v`"]);
    check("atol = { y = \"1 nm\" }", &["M0408", "`y` has no tolerance of its own"]);
    folder.write("m.toml", oscillator(PLAIN, 1.0, "atol = { x = \"1 nm\", z = \"1 nm\" }"));
    warned(&folder, &["check", "m.toml"], &["M0401", "`z` is the name of nothing"]);
}

#[test]
fn a_tolerance_of_a_component_s_state_is_kept_to() {
    // A mass on a spring: the finer tolerance takes more steps.
    let folder = Folder::new();
    let model = |atol: &str| {
        format!(
            "[components]\nm = {{ type = \"mass\", m = \"1 kg\", v0 = \"1 m/s\" }}\n\
             k = {{ type = \"spring\", k = \"100 N/m\" }}\ng = {{ type = \"ground\" }}\n\
             [connect]\nm = \"k.a\"\n\"k.b\" = \"g\"\n[run]\nt_end = \"10 s\"\n{atol}\n"
        )
    };
    let steps = |atol: &str| {
        folder.write("m.toml", model(atol));
        folder.good(&["run", "m.toml", "-o", "m.csv", "--stats", "s.json", "--solver", "rodas5p"]);
        crate::program::json(&folder.read("s.json"))["steps"].as_u64().unwrap()
    };
    let (coarse, fine) = (steps("atol = { \"m.*\" = 1e-5 }"), steps("atol = { \"m.x\" = \"1 pm\" }"));
    assert!(coarse < fine, "{coarse} and {fine} steps");
}
