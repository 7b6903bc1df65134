//! What the program says to input that cannot work: cause, time, name, hint; a code that is not 0; nothing that looks
//! whole and is not; never a panic.

use crate::program::Folder;

const HINT: &str = "= hint:";

/// One state x with the given rate, run for 5 s from `start`.
fn rate(rate: &str, start: &str) -> String {
    format!(
        "[parameters]\na = 1\n[variables]\nx = {{ start = \"{start}\" }}\n\
         [equations]\ne = \"der(x) = ({rate})/1 s\"\n[run]\nt_end = \"5 s\"\n"
    )
}

#[test]
fn files_that_are_no_models() {
    let folder = Folder::new();
    let binary: Vec<u8> = (0..3000_u32).map(|i| (i * 7919 % 251) as u8).collect();
    folder.write("garbage.toml", "hello \u{1}\u{2} = = [[[ 17").write("binary.toml", binary);
    folder.write("empty.toml", "").write("parameters.toml", "[parameters]\na = 1\n");
    folder.write("named.toml", "[model]\nname = \"nothing\"\n");
    std::fs::create_dir(folder.path("folder.toml")).unwrap();
    let before = folder.files();
    for command in ["check", "run", "equations", "linearize", "balance"] {
        let unreadable = if command == "check" { 1 } else { 4 };
        folder.bad(&[command, "garbage.toml"], 1, &["M0001", "garbage.toml:1:7", "key with no value"]);
        folder.bad(&[command, "binary.toml"], unreadable, &["M0002", "binary.toml", "not UTF-8", HINT]);
        folder.bad(&[command, "missing.toml"], unreadable, &["M0002", "no such file", HINT]);
        if command != "check" {
            folder.bad(&[command, "folder.toml"], unreadable, &["M0002", "it is a folder", HINT]);
        }
        for nothing in ["empty.toml", "parameters.toml", "named.toml"] {
            folder.bad(&[command, nothing], 1, &["M0006", nothing, "nothing to simulate", HINT]);
        }
    }
    folder.bad(&["check", "folder.toml"], 2, &["no models and no components", HINT]);
    assert_eq!(folder.files(), before, "nothing is written");
}

#[test]
fn numbers_that_are_none() {
    let folder = Folder::new();
    folder.write("good.toml", rate("a", "0"));
    for value in ["1e999", "nan", "-inf"] {
        let model = rate("a", "0").replace("a = 1", &format!("a = {value}"));
        folder.write("bad.toml", model);
        folder.bad(&["run", "bad.toml"], 1, &["M0109", "`a` is not a finite number", "bad.toml:2:5"]);
        let set = format!("a={value}");
        folder.bad(&["run", "good.toml", "--set", &set], 1, &["M0109", "`a`", "value of a"]);
    }
    folder.write("text.toml", rate("a", "0").replace("a = 1", "a = \"1e999 m\""));
    folder.bad(&["run", "text.toml"], 1, &["`1e999` is too large a number"]);
    folder.bad(&["run", "good.toml", "--set", "a=0/0"], 1, &["division by zero", "value of a"]);
    folder.bad(&["run", "good.toml", "--set", "a="], 1, &["value of a", "found the end"]);
    folder.bad(&["run", "good.toml", "--set", "a"], 2, &["`a` has no value", HINT]);
    folder.bad(&["run", "good.toml", "--set", "b=1"], 1, &["M0204", "no parameter `b`"]);
    // Finite numbers whose product is not: found when it is computed.
    folder.write("product.toml", rate("a*a", "0").replace("a = 1", "a = 1e308"));
    folder.bad(&["run", "product.toml"], 3, &["`x`", "no finite value", "t = 0 s", HINT]);
    assert!(folder.read_ended("product.parquet").starts_with("failed:"));
}

#[test]
fn equations_that_fail_at_the_start() {
    let folder = Folder::new();
    for (rate_text, start, cause) in [
        ("(1 + x)/x", "0", "division by zero in (x + 1)/x with x + 1 = 1, x = 0"),
        ("-sqrt(x)", "-1", "root of a negative number in sqrt(x) with x = -1"),
        ("ln(x)", "-1", "logarithm of a negative number in ln(x) with x = -1"),
        ("1/(a - 1)", "0", "division by zero in 1/(a - 1) with a - 1 = 0"),
    ] {
        folder.write("m.toml", rate(rate_text, start));
        let answer =
            folder.bad(&["run", "m.toml", "-o", "m.csv"], 3, &["`x`", "no finite value", "t = 0 s", HINT]);
        assert!(answer.err.contains(cause), "{}", answer.err);
        assert!(folder.read("m.csv").contains("# ended: failed:"));
        folder.bad(&["linearize", "m.toml"], 3, &["`x`", "no finite value", "t = 0 s"]);
    }
}

#[test]
fn equations_that_fail_on_the_way() {
    let folder = Folder::new();
    // x = 1/(3 − t): infinite at 3 s.
    folder.write("pole.toml", rate("x^2", "1/3"));
    for solver in ["auto", "esdirk34", "trbdf2", "bdf", "tsit45"] {
        let answer = folder.bad(
            &["run", "pole.toml", "-o", "pole.csv", "--solver", solver],
            3,
            &["`x`", "t = ", HINT],
        );
        assert!(answer.err.contains("t = 3.0000") || answer.err.contains("t = 2.9999"), "{}", answer.err);
        assert!(answer.err.contains("grows without bound"), "{}", answer.err);
        // What was computed is there, and says that it is not all.
        let text = folder.read("pole.csv");
        assert!(text.contains("# ended: failed: step fell to"), "{solver}");
        let last = text.lines().rfind(|line| !line.starts_with('#')).unwrap();
        let time: f64 = last.split(',').next().unwrap().parse().unwrap();
        assert!((2.9..3.01).contains(&time), "{solver}: {last}");
        assert!(!folder.path("pole.csv.partial").exists());
    }
    for solver in ["rk4", "euler"] {
        folder.bad(
            &["run", "pole.toml", "--solver", solver],
            3,
            &["`x`", "no finite value at t = 3.0", HINT],
        );
    }
    // The root runs out of its range at about 0.85 s.
    folder.write("root.toml", rate("-2*sqrt(x) - 0.1", "1"));
    folder.bad(&["run", "root.toml"], 3, &["`x`", "t = 0.84", "no finite value", HINT]);
    folder.bad(&["linearize", "pole.toml", "--at", "4"], 3, &["`x`", HINT]);
}

#[test]
fn controllers_that_fail() {
    let folder = Folder::new();
    for (program, words) in [
        ("if (t > 0.45) while (true) {} return { u: 1 };", ["`c`", "does not end"].as_slice()),
        ("if (t > 0.45) throw new Error('enough'); return { u: 1 };", &["`c`", "enough"]),
        ("return { u: t > 0.45 ? NaN : 1 };", &["`u`"]),
    ] {
        let model = "[variables]\nx = { start = 0 }\n[equations]\ne = \"der(x) = c.u/1 s\"\n\
             [controllers.c]\nperiod = \"0.1 s\"\ninputs = {}\noutputs = { u = \"1\" }\n";
        folder.write("m.toml", format!("{model}script = \"function step(t) {{ {program} }}\"\n"));
        folder.bad(&["run", "m.toml", "-o", "m.csv"], 3, &["t = 0.5 s"]);
        folder.bad(&["run", "m.toml", "-o", "m.csv"], 3, words);
        assert!(folder.read("m.csv").contains("# ended: failed:"));
    }
}

#[test]
fn places_that_cannot_be_written() {
    let folder = Folder::new();
    folder.write("m.toml", rate("a", "0"));
    folder.bad(&["run", "m.toml", "-o", "/dev/full"], 4, &["/dev/full", HINT]);
    folder.bad(&["run", "m.toml", "-o", "m.toml/x.csv"], 4, &["m.toml", "is a file, not a folder", HINT]);
    folder.bad(&["run", "m.toml", "-o", "no/x.csv"], 4, &["no/x.csv", "missing", "create it"]);
    folder.bad(&["run", "m.toml", "-o", "x.xls"], 4, &["x.xls", HINT]);
    folder.bad(&["run", "m.toml", "--stats", "no/x.json", "-q"], 4, &["no/x.json", "folder is missing"]);
    folder.bad(&["equations", "m.toml", "-o", "no/x.txt"], 4, &["no/x.txt", "folder is missing"]);
    folder.bad(&["linearize", "m.toml", "-o", "no/x.json"], 4, &["no/x.json", "folder is missing"]);
    folder.bad(&["linearize", "m.toml", "-o", "x.xls"], 2, &["x.xls", HINT]);
    folder.bad(&["linearize", "m.toml", "--poles", "no/x.svg"], 4, &["no/x.svg", HINT]);
    folder.bad(&["new", "no/x"], 4, &["no/x.toml", "folder is missing"]);
    folder.bad(&["examples", "relay", "--copy", "m.toml"], 4, &["m.toml"]);
    assert_eq!(folder.files(), ["m.parquet", "m.toml"], "no rests");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    use std::process::Stdio;
    let folder = Folder::new();
    folder.write("m.toml", rate("a", "0"));
    std::os::unix::fs::symlink("/dev/full", folder.path("x.csv.partial")).unwrap();
    folder.bad(&["run", "m.toml", "-o", "x.csv"], 4, &["x.csv"]);
    assert!(!folder.path("x.csv").exists());
    folder.bad(&["run", "m.toml", "--stats", "/dev/full"], 4, &["/dev/full", "No space left"]);
    folder.bad(&["equations", "m.toml", "-o", "/dev/full"], 4, &["/dev/full", "No space left"]);
    let svg = folder.path("x.svg");
    std::os::unix::fs::symlink("/dev/full", &svg).unwrap();
    folder.bad(&["linearize", "m.toml", "--inputs", "a", "--bode", "x.svg"], 4, &["x.svg", "No space left"]);
    assert!(std::fs::symlink_metadata(&svg).unwrap().is_symlink(), "a device is not replaced by a file");
    for arguments in [&["check", "m.toml"][..], &["equations", "m.toml"], &["solvers"], &["run", "m.toml"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = folder.command(arguments).stdout(Stdio::from(full)).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{arguments:?}: {err}");
        assert!(err.contains("standard output") && !err.contains("panicked"), "{err}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_may_go_away() {
    use std::process::Stdio;
    let folder = Folder::new();
    folder.write("m.toml", rate("a", "0"));
    let mut child = folder
        .command(&["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn settings_that_make_no_sense() {
    let folder = Folder::new();
    folder.write("m.toml", rate("a", "0"));
    fn run<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
        [&["run", "m.toml", "-o", "x.csv"][..], arguments].concat()
    }
    for rtol in ["0", "-1", "nan", "1e-30", "1"] {
        folder.bad(&run(&["--rtol", rtol]), 2, &["rtol has to lie between 1e-14 and 0.1", HINT]);
    }
    for t_end in ["0", "-5"] {
        folder.bad(&run(&["--t-end", t_end]), 2, &["the end has to come after 0 s", HINT]);
    }
    for t_end in ["nan", "inf"] {
        folder.bad(&run(&["--t-end", t_end]), 2, &["is not a finite number", "write a time as"]);
    }
    folder.bad(&run(&["--rtol", "x"]), 2, &["--rtol"]);
    folder.bad(&run(&["--solver", "esdirk43"]), 2, &["no solver `esdirk43`", "did you mean `esdirk34`"]);
    for set in ["step=0", "step=-1", "h_max=-1", "rtol=0", "dt=0", "t_end=-1", "points=0", "points=1"] {
        folder.bad(&run(&["--set", &format!("run.{set}")]), 1, &["M0108", "value of run."]);
    }
    for set in ["step=nan", "h_max=1e999", "t_end=inf"] {
        folder.bad(&run(&["--set", &format!("run.{set}")]), 1, &["M0109", "value of run."]);
    }
    folder.bad(&run(&["--set", "run.dt=1e-30"]), 2, &["rows", HINT]);
    folder.bad(&run(&["--set", "run.points=1.5"]), 1, &["whole number"]);
    folder.bad(&["linearize", "m.toml", "--at", "-1"], 2, &["the run begins at t = 0 s"]);
    folder.bad(&["linearize", "m.toml", "--at", "1", "--balance"], 2, &["--balance"]);
    folder.bad(&["linearize", "m.toml", "--inputs", "b"], 2, &["no input, parameter or mode `b`", HINT]);
    folder.bad(&["linearize", "m.toml", "--outputs", "y*"], 2, &["no signal `y*`", HINT]);
    folder.bad(&["linearize", "m.toml", "--bode", "b.svg"], 2, &["needs an input", HINT]);
    folder.bad(&["linearize", "m.toml", "--frequencies", "9:1"], 2, &["9:1", HINT]);
    folder.bad(&["balance", "m.toml", "--hold", "y"], 2, &["no state or unknown `y`", HINT]);
    assert_eq!(folder.files(), ["m.toml"], "nothing is written");
}

/// An oscillator for solvers of structures, with a line more in [run] and in a variable.
fn structure(run: &str, variable: &str) -> String {
    format!(
        "[variables]\nx = {{ unit = \"m\", start = 1{variable} }}\nv = \"m/s\"\n[equations]\ne = \"der(x) = v\"\n\
         f = \"der(v) = -x*100/(1 s^2)\"\n[run]\nt_end = \"1 s\"\n{run}\n"
    )
}

#[test]
fn constants_of_methods_out_of_range() {
    let folder = Folder::new();
    for (solver, key, bad, good) in [
        ("generalized_alpha", "rho_inf", &["-5", "-0.01", "1.01"][..], &["0", "0.8", "1"][..]),
        ("hht", "alpha", &["99", "-0.1", "0.34"], &["0", "0.1", "0.333"]),
        ("newmark", "beta", &["-1", "0", "1.1"], &["0.25", "0.5"]),
        ("newmark", "gamma", &["-1", "0.49", "1.1"], &["0.5", "0.6"]),
    ] {
        for value in bad {
            folder.write(
                "m.toml",
                structure(&format!("solver = \"{solver}\"\nstep = \"1 ms\"\n{key} = {value}"), ""),
            );
            for command in ["check", "run"] {
                folder.bad(&[command, "m.toml"], 1, &["M0108", key, "has to lie", HINT]);
            }
        }
        for value in good {
            folder.write(
                "m.toml",
                structure(&format!("solver = \"{solver}\"\nstep = \"1 ms\"\n{key} = {value}"), ""),
            );
            folder.good(&["run", "m.toml", "-q", "-o", "m.csv"]);
            let last: f64 = folder
                .read("m.csv")
                .lines()
                .rfind(|l| !l.starts_with('#'))
                .unwrap()
                .split(',')
                .nth(1)
                .unwrap()
                .parse()
                .unwrap();
            // No method gains amplitude.
            assert!(last.abs() <= 1.001, "{solver} {key} {value}: {last}");
        }
    }
}

#[test]
fn sizes_that_are_none() {
    let folder = Folder::new();
    for value in ["0", "-1", "1e-300", "1e300", "\"-1 mm\""] {
        folder.write("m.toml", structure("", &format!(", nominal = {value}")));
        folder.bad(&["check", "m.toml"], 1, &["M0108", "nominal value of `x`", HINT]);
    }
    folder.write("m.toml", structure("", ", nominal = \"1 mm\""));
    folder.good(&["check", "m.toml"]);
}

#[test]
fn runs_without_end_are_refused() {
    use std::time::{Duration, Instant};
    let folder = Folder::new();
    let start = Instant::now();
    for (key, value) in [("h_max", "1e-300"), ("step", "1e-300"), ("t_end", "1e-300"), ("h_max", "1e-13")] {
        let line = format!("{key} = {value}");
        let model = structure(&line, "");
        folder.write("m.toml", if key == "t_end" { model.replace("t_end = \"1 s\"\n", "") } else { model });
        folder.bad(&["check", "m.toml"], 1, &["M0108", key]);
        folder.bad(&["run", "m.toml", "--solver", "rk4"], 1, &["M0108", key]);
    }
    folder.write("m.toml", structure("h_max = 0.1\nstep = 0.1", ""));
    folder.bad(&["run", "m.toml", "--t-end", "1e300"], 2, &["steps", HINT]);
    folder.bad(&["run", "m.toml", "--t-end", "1e-300"], 2, &["shorter", HINT]);
    folder.write(
        "m.toml",
        structure("", "") + "[modes]\nn = 0\n[tasks.a]\nperiod = \"1e-300 s\"\nset = { n = \"n + 1\" }\n",
    );
    folder.bad(&["run", "m.toml"], 3, &["period of `a`"]);
    assert!(start.elapsed() < Duration::from_secs(120));
}

#[test]
fn friction_that_holds_less_than_it_slides_with() {
    let folder = Folder::new();
    let model = |holds: &str, slides: &str| {
        format!(
            "[variables]\nx = \"m\"\nv = {{ unit = \"m/s\", start = 1 }}\n[equations]\ne = \"der(x) = v\"\n\
             f = \"1 kg*der(v) = 0.5 N - dry(v, {holds}, {slides})\"\n"
        )
    };
    folder.write("m.toml", model("1 N", "2 N"));
    for command in ["check", "run"] {
        folder.bad(&[command, "m.toml"], 1, &["M0316", "holds 1 and slides with 2", HINT]);
    }
    folder.write("m.toml", model("2 N", "2 N"));
    folder.good(&["run", "m.toml", "-q"]);
    folder.write("m.toml", model("3 N", "2 N + 1 N*exp(-(v/1 m*1 s)^2)"));
    folder.good(&["run", "m.toml", "-q"]);
    let joint = |stiction: &str| {
        format!(
            "[bodies.b]\nm = \"1 kg\"\n[joints]\ns = {{ type = \"prismatic\", axis = \"x\", parent = \"world\", child = \"b\", friction = \"2 N\", stiction = \"{stiction}\" }}\n"
        )
    };
    folder.write("m.toml", joint("1 N"));
    folder.bad(&["check", "m.toml"], 1, &["stiction"]);
    folder.write("m.toml", joint("3 N"));
    folder.good(&["check", "m.toml"]);
}

#[test]
fn tables_from_files_say_what_their_columns_lack() {
    let folder = Folder::new();
    let model = |columns: &str| {
        format!(
            "[tables]\ns = {{ file = \"s.csv\"{columns} }}\n[variables]\nx = {{}}\n[equations]\ne = \"der(x) = s(time)/1 s\"\n"
        )
    };
    folder.write("m.toml", model(""));
    for numbers in ["0,0\n1,1\n2,0\n", "# measured\n0;1e-3\n1;2\n", "0\t-1\n1\t2\n", "\"0\",\"1\"\n1,2\n"] {
        folder.write("s.csv", numbers);
        folder.bad(&["check", "m.toml"], 1, &["M0118", "no names of columns", "s.csv", "only numbers", HINT]);
    }
    folder.write("s.csv", "time [s],y\n0,0\n1,1\n");
    folder.good(&["check", "m.toml"]);
    folder.write("s.csv", "time [s],y,z,y [m]\n0,0,1,2\n1,1,2,3\n");
    folder.good(&["check", "m.toml"]);
    folder.write("m.toml", model(", x = \"time\", y = \"z\""));
    folder.good(&["check", "m.toml"]);
    for y in ["\"y\"", "{ column = \"y\", unit = \"m\" }"] {
        folder.write("m.toml", model(&format!(", x = \"time\", y = {y}")));
        folder.bad(&["check", "m.toml"], 1, &["M0118", "columns 2 and 4 of `s.csv` have one name", HINT]);
    }
    folder.write("s.csv", "time [s],y\n0,0\n1,1\n1,5\n0.5,3\n");
    folder.write("m.toml", model(""));
    folder.bad(&["check", "m.toml"], 1, &["M0115", "point 4 is not above the one before", "twice is a jump"]);
}

#[test]
fn models_without_states_run() {
    let folder = Folder::new();
    folder.write("time.toml", "[variables]\ny = {}\n[equations]\ne = \"y = sin(time/1 s)\"\n");
    folder
        .write("root.toml", "[variables]\nz = { start = 1 }\n[equations]\ne = \"z^3 + z = 2 + time/1 s\"\n");
    folder.write(
        "output.toml",
        "[outputs]\ny = \"2*time\"\n[events.half]\nwhen = \"time > 0.5 s\"\nset = {}\n",
    );
    let solvers = folder.good(&["solvers"]);
    for solver in solvers.lines().filter_map(|line| line.split_whitespace().next()) {
        for model in ["time.toml", "root.toml", "output.toml"] {
            let answer = folder.run(&["run", model, "-o", "x.csv", "--solver", solver]);
            // Explicit methods cannot solve for z, and have to say so.
            let refused = answer.code != 0 && answer.err.contains("error:");
            assert!(answer.code == 0 || refused && model == "root.toml", "{solver} {model}: {}", answer.err);
        }
    }
    folder.good(&["run", "time.toml", "-o", "x.csv", "-q"]);
    let text = folder.read("x.csv");
    let last = text.lines().rfind(|line| !line.starts_with('#')).unwrap();
    assert_eq!(last, format!("1,{}", 1_f64.sin()));
    assert!(folder.good(&["balance", "time.toml"]).contains("nothing to balance"));
    assert!(folder.good(&["linearize", "root.toml"]).contains("no states, so no poles"));
}

impl Folder {
    /// Names of all files, sorted.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path("")).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// How a results file says the run ended.
    fn read_ended(&self, name: &str) -> String {
        let table = trunnion_results::read(&self.path(name)).unwrap();
        table.metadata[trunnion_results::ENDED].clone()
    }
}
