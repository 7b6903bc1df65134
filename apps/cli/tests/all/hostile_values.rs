//! Hostile corpus: values that are not finite never leave with exit 0; impossible data are refused.

use crate::hostile::{Corpus, model};

#[test]
fn what_is_not_finite_is_told_with_its_name_and_time() {
    let mut corpus = Corpus::new();
    // x = e^−t; y, an unknown solved in symbols, has no value at the start or from some time on.
    for (law, words) in [
        ("asin(2*x)", ["`y`", "t = 0 s"]),
        ("acos(x - 2.5)", ["`y`", "t = 0 s"]),
        ("ln(x - 0.5)", ["`y`", "t = 0.7"]),
        ("ln(0.5 - x)", ["`y`", "t = 0 s"]),
        ("sqrt(x - 0.9)", ["`y`", "t = 0.2"]),
        ("(x - 0.7)^0.3", ["`y`", "t = 0.4"]),
        ("1/(x - 1)", ["`y`", "t = 0 s"]),
        ("exp(1000*x)", ["`y`", "t = 0 s"]),
        ("exp(exp(8*time/S))", ["`y`", "t = 0.9"]),
        ("x*ln(x - 0.5)", ["`y`", "t = 0.7"]),
        ("log10(0.8 - time/S)", ["`y`", "t = 0.8"]),
        ("if x > 0.5 then 1 else sqrt(x - 0.6)", ["`y`", "t = 0."]),
        ("mod(1, x - 1)", ["`y`", "t = 0 s"]),
        ("(x - 1)/(x - 1)", ["`y`", "t = 0 s"]),
    ] {
        let text = model(&[("x", 1.0), ("y", 0.0)], &["der(x)*S = -x", &format!("y = {law}")], "", 1.0);
        corpus.told(law, &text, 3, &words);
        let state =
            model(&[("x", 1.0), ("w", 0.0)], &["der(x)*S = -x", &format!("der(w)*S = {law}")], "", 1.0);
        corpus.told(&format!("rate {law}"), &state, 3, &["t = 0"]);
    }
    // A finite escape: x = 1/(1 − t).
    let text = model(&[("x", 1.0)], &["der(x)*S = x^2"], "", 2.0);
    corpus.told("finite escape", &text, 3, &["`x`"]);
    corpus.finish();
}

#[test]
fn motions_that_leave_all_bounds_are_told() {
    let mut corpus = Corpus::new();
    for (motion, joint) in [
        ("exp(1000*time/(1 s))*(1 rad)", "revolute"),
        ("sqrt(0.5 - time/(1 s))*(1 rad)", "revolute"),
        ("ln(0.3 - time/(1 s))*(1 rad)", "revolute"),
        ("1 rad/(time/(1 s) - 0.5)", "revolute"),
        ("asin(2*time/(1 s))", "revolute"),
        ("exp(2000*time/(1 s))*(1 m)", "prismatic"),
        ("(0.25 - time/(1 s))^2.5*(1 m)", "prismatic"),
        ("tan(2*time/(1 s))*(1 m)/0", "prismatic"),
        ("acos(1 + time/(1 s))*(1 m)", "prismatic"),
        ("log10(0.7 - time/(1 s))*(1 m)", "prismatic"),
    ] {
        let text = format!(
            "[bodies]\na = {{ m = \"1 kg\", rod = \"1 m\" }}\n[joints]\nj = {{ type = \"{joint}\", parent = \"world\", child = \"a\", axis = \"y\", \
             motion = \"{motion}\" }}\n[run]\nt_end = \"1 s\"\n"
        );
        corpus.told(motion, &text, 1, &[]);
    }
    corpus.finish();
}

#[test]
fn terms_that_cancel_leave_the_rest() {
    let mut corpus = Corpus::new();
    let e = (-1.0_f64).exp();
    for (b, c, y, z) in [
        ("y = z + x - z", "z = 2*x", e, 2.0 * e),
        ("y = z + x - z", "z = 2*y", e, 2.0 * e),
        ("y + z = x + z", "z = sin(x)", e, e.sin()),
        ("y = (z + x)^2 - z^2 - 2*z*x", "z = 3*x", e * e, 3.0 * e),
        ("y = 0*z + x", "z = 5*y", e, 5.0 * e),
        ("y = 3*z - 2*z - z + x", "z = y + 1", e, 1.0 + e),
        ("z - y = z - x", "z = 2*y + 1", e, 2.0 * e + 1.0),
        ("y = x*z/z", "z = x + 1", e, e + 1.0),
        ("y = if z > z then 1 else x", "z = 4*x", e, 4.0 * e),
        ("y - z = -z + x", "2*z = y + z", e, e),
    ] {
        let text = model(&[("x", 1.0), ("y", 0.0), ("z", 0.0)], &["der(x)*S = -x", b, c], "", 1.0);
        corpus.right(b, &text, &[("y", y, 1e-5), ("z", z, 2e-5)]);
    }
    corpus.finish();
}

const OSCILLATOR: &str = "[variables]\nx = { unit = \"m\", start = 1 }\nv = \"m/s\"\n[equations]\ne = \"der(x) = v\"\nf = \"der(v) = -x*100/(1 s^2)\"\n";

#[test]
fn impossible_settings_are_refused() {
    let mut corpus = Corpus::new();
    for run in [
        "rho_inf = -5",
        "rho_inf = 1.5",
        "alpha = 99",
        "beta = -1",
        "gamma = -3",
        "rtol = 0",
        "rtol = -1e-6",
        "atol = -1",
        "h_max = \"0 s\"",
        "h_max = \"-1 s\"",
        "h_max = \"1e-300 s\"",
        "step = \"-1 ms\"",
        "points = -3",
        "dt = \"0 s\"",
        "rtol = nan",
        "rtol = inf",
        "t_start = \"2 s\"",
    ] {
        let text = format!("{OSCILLATOR}[run]\nt_end = \"1 s\"\n{run}\n");
        corpus.refused(run, &text, 1, &["error"]);
    }
    for run in ["rtol = 2", "rtol = 1e-300", "dt = \"1e-300 s\"", "points = 2000000000000000"] {
        corpus.refused(run, &format!("{OSCILLATOR}[run]\nt_end = \"1 s\"\n{run}\n"), 2, &["error"]);
    }
    for (from, to) in [
        ("start = 1", "start = 1, nominal = -1"),
        ("start = 1", "start = 1, nominal = 0"),
        ("start = 1", "start = nan"),
        ("start = 1", "start = true"),
        ("start = 1", "start = \"1e999 m\""),
    ] {
        corpus.refused(
            to,
            &format!("{}[run]\nt_end = \"1 s\"\n", OSCILLATOR.replace(from, to)),
            1,
            &["error"],
        );
    }
    corpus.finish();
}

#[test]
fn impossible_data_of_components_are_refused() {
    let mut corpus = Corpus::new();
    for part in [
        "r = { type = \"friction\", r_s = 0.5 }",
        "r = { type = \"friction\", f_c = \"-1 N\" }",
        "m = { type = \"mass\", m = 0 }",
        "m = { type = \"mass\", m = \"-1 kg\" }",
        "s = { type = \"spring\", k = \"-1 N/m\" }",
        "c = { type = \"capacitor\", C = 0 }",
        "d = { type = \"diode\", R_on = 0 }",
        "v = { type = \"volume\", V0 = \"-1 l\" }",
        "v = { type = \"check_valve\", R = 0 }",
        "c = { type = \"clock\", duty = 1.5 }",
        "c = { type = \"clock\", period = \"0 s\" }",
        "q = { type = \"quintic\", T = \"0 s\" }",
    ] {
        let text = format!("[components]\n{part}\n[run]\nt_end = \"1 s\"\n");
        corpus.refused(part, &text, 1, &["M0108"]);
    }
    // Friction that holds less than it slides with.
    let text = model(&[("v", 1.0)], &["der(v)*S = -dry(v, 1, 3)"], "", 1.0);
    corpus.refused("dry", &text, 1, &["error"]);
    corpus.finish();
}
