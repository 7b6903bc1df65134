//! Hostile corpus: peaks and means of outputs that nothing integrates, so that no step follows them.

use std::f64::consts::PI;

use crate::hostile::SOLVERS;
use crate::program::Folder;

/// Steps of x = sin(t) are long against what the outputs do, those of z = t longer still.
fn model(swings: bool, output: &str, sections: &str, t_end: f64) -> String {
    let (variables, equations) = match swings {
        true => {
            ("x = { start = 0 }\nv = { start = 1 }\n", "a = \"der(x)*1 s = v\"\nb = \"der(v)*1 s = -x\"\n")
        }
        false => ("", ""),
    };
    format!(
        "[variables]\nz = {{ start = 0 }}\n{variables}[equations]\nc = \"der(z)*1 s = 1\"\n{equations}\
         [outputs]\nr = \"{output}\"\n{sections}\n[run]\nt_end = \"{t_end} s\"\npoints = 3\n"
    )
}

/// Of r: a measure, its value, and how far it may be off.
type Wanted = (&'static str, f64, f64);

/// ∫ of 1/(1 + ((t − a)/w)²) from 0 to 1000.
fn lorentz(a: f64, w: f64) -> f64 {
    w * (((1000.0 - a) / w).atan() + (a / w).atan())
}

/// Largest and mean value, in a run of 1000 s.
fn high(max: f64, area: f64) -> Vec<Wanted> {
    vec![("max", max, 1e-6 * max.abs()), ("mean", area / 1000.0, 2e-3 * area.abs() / 1000.0)]
}

#[test]
fn peaks_and_means_of_outputs_are_not_lost() {
    let hat_of_state = 1000.0 - 1000.0 * 0.5 * (77.7 * 77.7 + 922.3 * 922.3);
    let table = "[tables.s]\nx = [\"0 s\", \"400 s\", \"400.001 s\", \"400.002 s\", \"401 s\"]\ny = [0, 0, 7, 0, 0]\nshape = \"monotone\"";
    let steps = "[tables.s]\nx = [\"400 s\", \"400 s\", \"400.001 s\", \"400.001 s\"]\ny = [0, 7, 7, 0]";
    let cases: Vec<(&str, &str, Vec<Wanted>)> = vec![
        ("max(0, 1 - abs(time - 333.3 s)/1 ms)", "", high(1.0, 1e-3)),
        ("exp(-((time - 501.37 s)/1 ms)^2)", "", high(1.0, 1e-3 * PI.sqrt())),
        ("3 - exp(-((time - 501.37 s)/1 ms)^2)", "", vec![("min", 2.0, 1e-6)]),
        ("1/(1 + ((z - 123.4)/0.01)^2)", "", high(1.0, lorentz(123.4, 0.01))),
        (
            "1 - abs(z - 77.7)/0.001",
            "",
            vec![("max", 1.0, 1e-3), ("mean", hat_of_state / 1000.0, 1e-7 * hat_of_state.abs())],
        ),
        ("exp(-((z - 77.7)/0.001)^2) + exp(-((time - 800 s)/1 ms)^2)", "", high(1.0, 2e-3 * PI.sqrt())),
        ("1 - tanh((z - 654.321)*50)^2", "", high(1.0, 2.0 / 50.0)),
        ("if time > 400 s and time < 400.001 s then 5 else 0", "", high(5.0, 5e-3)),
        ("if z > 400 and z < 400.001 then 5 else 0", "", high(5.0, 5e-3)),
        ("s(time)", table, high(7.0, 7e-3)),
        ("s(time)", steps, high(7.0, 7e-3)),
        ("s(z*1 s)", steps, high(7.0, 7e-3)),
        ("z*exp(-((time - 501.37 s)/1 ms)^2)", "", high(501.37, 501.37e-3 * PI.sqrt())),
        (
            "exp(-((z - 501.37)/1e-3)^2)*cos((z - 501.37)/1e-3)",
            "",
            high(1.0, 1e-3 * PI.sqrt() * (-0.25_f64).exp()),
        ),
        (
            "(z - 300)*exp(-((z - 300)/0.01)^2)",
            "",
            vec![
                ("max", 0.01 * (-0.5_f64).exp() / 2.0_f64.sqrt(), 1e-8),
                ("min", -0.01 * (-0.5_f64).exp() / 2.0_f64.sqrt(), 1e-8),
            ],
        ),
    ];
    let long =
        cases.into_iter().map(|(law, sections, wanted)| (law, model(false, law, sections, 1000.0), wanted));
    let half = 0.5_f64.sqrt();
    let wave =
        |mean: f64| vec![("max", 1.0, 1e-6), ("min", -1.0, 1e-6), ("mean", mean, 2e-3), ("rms", half, 2e-3)];
    let tooth = vec![("max", 1.0, 1e-4), ("min", 0.0, 1e-4), ("mean", 0.5, 2e-3)];
    let short = [
        ("sin(2*pi*5*time/1 s)", model(false, "sin(2*pi*5*time/1 s)", "", 10.0), wave(0.0)),
        ("sin(30*z)", model(false, "sin(30*z)", "", 2.0 * PI), wave(0.0)),
        ("sin(7*x)", model(true, "sin(7*x)", "", 2.0 * PI), vec![("max", 1.0, 1e-6), ("min", -1.0, 1e-6)]),
        ("mod(time, 0.25 s)", model(false, "mod(time, 0.25 s)/0.25 s", "", 10.0), tooth.clone()),
        ("mod(z, 0.25)", model(false, "mod(z, 0.25)/0.25", "", 10.0), tooth),
        (
            "a narrow place of a swing",
            model(true, "1/(1 + ((x - 0.5)/1e-4)^2)", "", 6.0),
            vec![("max", 1.0, 1e-5)],
        ),
    ];
    let mut failures = vec![];
    for (name, text, wanted) in long.chain(short) {
        let expects = wanted.iter().map(|(measure, value, off)| {
            format!("[[expect]]\nsignal = \"r\"\n{measure} = {value:e}\ntol = {off:e}\n")
        });
        let folder = Folder::new();
        folder.write("m.toml", text + &expects.collect::<String>());
        for solver in SOLVERS {
            let answer = folder.run(&["verify", "m.toml", "--solver", solver, "--all"]);
            if answer.code != 0 {
                failures.push(format!("{name}, {solver}: {}{}", answer.out, answer.err));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn a_mean_that_cannot_be_read_has_no_value() {
    let folder = Folder::new();
    let tone = |hertz: f64, t_end: f64| {
        let model = model(false, &format!("sin(2*pi*{hertz}*time/1 s)"), "", t_end);
        model.replace("[run]", &format!("q = \"sin({hertz}*time/1 s)^2 + cos({hertz}*time/1 s)^2\"\n[run]"))
            + "[[expect]]\nsignal = \"r\"\nmean = 0\ntol = 2e-3\n[[expect]]\nsignal = \"q\"\nmean = 1\ntol = 1e-9\n"
    };
    folder.write("m.toml", tone(1e3, 1.0));
    folder.good(&["verify", "m.toml"]);
    folder.write("m.toml", tone(1e3, 3600.0));
    let said = folder.run(&["verify", "m.toml", "--all"]);
    assert!(said.code != 0 && said.out.contains("1 passed, 1 failed"), "{said:?}");
    assert!(said.err.contains("`mean(r)` has no value: `r` changes faster than it is read"), "{said:?}");
}
