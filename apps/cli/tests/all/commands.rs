//! The program as a user runs it: files in, text, files and exit codes out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use trunnion_results::{self, CANCELLED, COMPLETE, Table, UNFINISHED};

const OSCILLATOR: &str = r#"
[model]
name = "oscillator"
[parameters]
m = "2 kg"
k = { value = "200 N/m", above = 0 }
d = "1 N s/m"
[variables]
x = { unit = "mm", start = "20 mm" }
v = "m/s"
[equations]
speed = "der(x) = v"
newton = "m*der(v) = -k*x - d*v"
[run]
t_end = "5 s"
plot = ["x"]
"#;

/// A folder of its own for each test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("trunnion-commands-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trunnion"));
        command.args(arguments).current_dir(&self.0).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs to the end; standard output and standard error together.
    #[track_caller]
    fn run(&self, arguments: &[&str], exit: i32) -> String {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        let text = format!("{}{}", String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
        assert_eq!(status.code(), Some(exit), "{arguments:?}: {text}");
        text
    }

    fn read(&self, name: &str) -> Table {
        trunnion_results::read(&self.0.join(name)).unwrap()
    }

    fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The last value of a column.
fn last(table: &Table, name: &str) -> f64 {
    *table.column(name).unwrap().values.last().unwrap()
}

/// Two volumes joined by a line, a controller that samples: a pressure has the names of all ports it is at, a constant only its own.
const NAMES: &str = r#"
[components]
supply = { type = "reservoir", P = "100 bar" }
valve  = { type = "restrictor", R = "1e-6 (m^7/kg)^0.5" }
oil    = { type = "accumulator", V0 = "1 l", P0 = "10 bar" }
[connect]
"supply.port" = "valve.a"
"valve.b" = "oil"
[modes]
seen = { unit = "Pa", start = 0 }
[outputs]
p_oil = "oil.p"
nothing = "0 Pa"
nought  = "0 Pa"
[tasks]
look = { period = "100 ms", set.seen = "oil.p" }
[run]
t_end = "1 s"
"#;

#[test]
fn a_quantity_is_stored_once_and_found_by_all_its_names() {
    let folder = Folder::new("names");
    folder.write("m.toml", NAMES);
    for file in ["m.parquet", "m.csv"] {
        folder.run(&["run", "m.toml", "--out", file, "-q"], 0);
        let table = folder.read(file);
        let column = |name: &str| table.column(name).unwrap();
        for name in ["oil.p", "oil.port.p", "valve.b.p"] {
            assert_eq!(column(name).same_as.as_deref(), Some("p_oil"), "{name} in {file}");
            assert_eq!(column(name).values, column("p_oil").values);
            assert_eq!(column(name).extremes, column("p_oil").extremes);
        }
        assert!(column("p_oil").same_as.is_none() && last(&table, "valve.b.p") > 1.5e6);
        assert!(column("nothing").same_as.is_none() && column("nought").same_as.is_none());
        assert!(column("seen").held && !column("p_oil").held && !column("nothing").held);
        // The sampled pressure is the one at the sample before, and stays.
        let values = &column("seen").values;
        assert!(values.windows(2).filter(|pair| pair[0] != pair[1]).count() <= 11, "{values:?}");
    }
    // A command finds every name, and a pattern each quantity once.
    assert!(folder.run(&["plot", "m.csv", "-y", "valve.b.p", "-o", "p.svg"], 0).contains("1 signal"));
    assert!(folder.run(&["plot", "m.parquet", "--list"], 0).contains("same as p_oil"));
    let table =
        "[tables]\nt = { file = \"m.csv\", x = \"time\", y = \"valve.b.p\" }\n[outputs]\ny = \"t(time)\"\n";
    folder.write("t.toml", table);
    folder.run(&["run", "t.toml", "-q", "--out", "t.csv"], 0);
    assert_eq!(last(&folder.read("t.csv"), "y"), last(&folder.read("m.csv"), "p_oil"));
}

#[test]
fn results_are_run_plotted_compared_and_converted() {
    let folder = Folder::new("round");
    folder.write("spring.toml", OSCILLATOR);
    assert!(folder.run(&["run", "spring.toml"], 0).contains("501 rows in spring.parquet"));
    let text = folder.run(&["plot", "spring.parquet"], 0);
    assert_eq!(text, "spring.svg: 1 signal\n");
    let picture = fs::read_to_string(folder.0.join("spring.svg")).unwrap();
    assert!(picture.contains("x [mm]") && !picture.contains("v [m/s]"));
    let text = folder.run(&["plot", "spring.toml", "--fft", "-y", "*", "-o", "fft.svg"], 0);
    assert!(text.contains("1.589") && text.ends_with("fft.svg: 2 spectra\n"), "{text}");
    folder.run(&["convert", "spring.parquet", "spring.csv"], 0);
    folder.run(&["convert", "spring.csv", "again.parquet"], 0);
    assert_eq!(folder.read("again.parquet"), folder.read("spring.parquet"));
    let text = folder.run(&["compare", "spring.toml", "again.parquet", "--tol", "0"], 0);
    assert!(text.contains("all 2 signals are equal to the last bit"), "{text}");
    let other = ["compare", "spring.toml", "--solver-b", "bdf", "--plot", "both.svg"];
    assert!(folder.run(&other, 0).contains("B takes ") && folder.has("both.svg"));
    let text = folder.run(&["compare", "spring.toml", "--set-b", "d=2 N s/m", "--tol", "1 %"], 1);
    assert!(text.contains("2 signals differ by more than 1 %"), "{text}");
}

#[test]
fn expectations_beside_a_model_are_verified_with_it() {
    let folder = Folder::new("beside");
    fs::create_dir(folder.0.join("models")).unwrap();
    let beside =
        |value: &str| format!("[[expect]]\nsignal = \"x\"\nvalue = \"{value}\"\ntol = \"1e-3 mm\"\n");
    let model =
        "[model]\n[variables]\nx = \"m\"\n[equations]\ne = \"der(x) = 1 m/s\"\n[run]\nt_end = \"1 s\"\n";
    folder.write("models/cart.toml", model);
    folder.write("models/cart.expect.toml", &beside("1 m"));
    for path in ["models", "models/cart.toml", "models/cart.expect.toml"] {
        let text = folder.run(&["verify", path], 0);
        assert!(text.contains("1 passed, 0 failed"), "{text}");
    }
    folder.write("models/cart.expect.toml", &beside("1.001 m"));
    assert!(folder.run(&["verify", "models"], 1).contains("MISS"));
    folder.write("models/sled.expect.toml", &beside("1 m"));
    assert!(folder.run(&["verify", "models"], 4).contains("no model beside these expectations"));
}

#[test]
fn verify_tells_what_holds_and_what_does_not() {
    let folder = Folder::new("verify");
    fs::create_dir(folder.0.join("models")).unwrap();
    // x = x₀ e^(−δt) (cos ωt + δ/ω sin ωt), δ = d/2m, ω² = k/m − δ², at 1 s.
    let (delta, x_0) = (0.25_f64, 20.0);
    let w = (100.0 - delta * delta).sqrt();
    let x = x_0 * (-delta).exp() * (w.cos() + delta / w * w.sin());
    let expect =
        |measure: &str, tol: &str| format!("[[expect]]\nsignal = \"x\"\n{measure}\ntol = \"{tol}\"\n");
    let at = expect(&format!("at = \"1 s\"\nvalue = \"{x:?} mm\""), "100 rtol");
    let many = "solver = [\"rodas5p\", \"esdirk34\", \"bdf\"]\nrtol = [1e-5, 1e-7]\n";
    // The first minimum is half a turn after the start.
    let low = -x_0 * (-delta * std::f64::consts::PI / w).exp();
    let min = expect(&format!("min = \"{low:?} mm\""), "0.01 %");
    folder.write("models/good.toml", &format!("{OSCILLATOR}{at}{many}{min}"));
    folder.write("models/part.toml", "title = \"A component\"\n[parameters]\nk = 1\n");
    folder.write("models/runs.toml", OSCILLATOR);
    let text = folder.run(&["verify", "models"], 0);
    assert!(text.contains("8 passed, 0 failed; 8 runs of 2 models"), "{text}");
    assert!(folder.run(&["verify", "models/good.toml", "--solver", "tsit45"], 0).contains("tsit45 1e-7"));
    let wrong = expect("value = \"3 mm\"", "1 %");
    folder.write("models/wrong.toml", &format!("{OSCILLATOR}{wrong}"));
    folder.write("models/broken.toml", "[model]\n[equations]\na = \"x = 3 qq\"\n");
    let text = folder.run(&["verify", "models"], 1);
    let line = text.lines().find(|l| l.contains("wrong.toml")).unwrap();
    assert!(line.contains("final(x)") && line.contains("3 mm") && line.ends_with("MISS"), "{text}");
    assert!(text.contains("unknown unit `qq`") && text.contains("8 passed, 2 failed"), "{text}");
    folder.run(&["verify", "models", "--solver", "best"], 2);
    folder.run(&["verify", "nowhere"], 4);
}

#[test]
fn a_sweep_equals_single_runs() {
    let folder = Folder::new("sweep");
    folder.write("spring.toml", OSCILLATOR);
    let sweep =
        ["sweep", "spring.toml", "-p", "k=100:200:3", "-p", "d=0.5,2", "-m", "at(x, 1 s)", "-m", "final(v)"];
    folder.run(&[&sweep[..], &["--out", "t.csv", "--plot", "t.svg"]].concat(), 0);
    let table = folder.read("t.csv");
    assert_eq!((table.rows(), table.ended()), (6, Some(COMPLETE)));
    for row in [0, 3, 5] {
        let value = |name: &str| table.column(name).unwrap().values[row];
        let (k, d) = (format!("k={} N/m", value("k")), format!("d={} N s/m", value("d")));
        folder.run(&["run", "spring.toml", "--set", &k, "--set", &d, "--out", "one.csv", "-q"], 0);
        let one = folder.read("one.csv");
        assert_eq!(one.columns[0].values[100], 1.0);
        assert_eq!(one.column("x").unwrap().values[100].to_bits(), value("at(x, 1 s)").to_bits());
        assert_eq!(last(&one, "v").to_bits(), value("final(v)").to_bits());
    }
    // The length of the run follows the parameter, also where it is no part of the compiled equations.
    folder.write("longer.toml", &OSCILLATOR.replace("t_end = \"5 s\"", "t_end = \"m*1 s/kg\""));
    folder.run(
        &["sweep", "longer.toml", "-p", "m=1,3", "-m", "final(x)", "-m", "final(k)", "--out", "m.csv"],
        0,
    );
    assert_eq!(last(&folder.read("m.csv"), "final(k)"), 200.0);
    folder.run(&["run", "longer.toml", "--set", "m=3 kg", "--out", "one.csv", "-q"], 0);
    assert_eq!(
        last(&folder.read("m.csv"), "final(x)").to_bits(),
        last(&folder.read("one.csv"), "x").to_bits()
    );
}

#[test]
fn a_run_that_fails_leaves_a_gap_in_the_sweep() {
    let folder = Folder::new("gap");
    // x' = x², which is infinite at 1/x₀.
    let model = "[model]\n[variables]\nx = { start = 1 }\n[equations]\na = \"der(x) = x*x/1 s\"\n[run]\nt_end = \"2 s\"\n";
    folder.write("blow.toml", model);
    let sweep = ["sweep", "blow.toml", "-m", "final(x)", "--out", "t.csv", "-p"];
    let text = folder.run(&[&sweep[..], &["start.x=0.25,1,0.4"]].concat(), 3);
    assert!(text.contains("warning: start.x = 1.0: ") && text.contains("1 of 3 runs failed"), "{text}");
    let found = folder.read("t.csv").column("final(x)").unwrap().values.clone();
    assert!((found[0] - 0.5).abs() < 1e-5 && found[1].is_nan() && (found[2] - 2.0).abs() < 1e-4);
    folder.run(&[&sweep[..], &["start.x=1,2"]].concat(), 3);
}

#[test]
fn names_that_do_not_exist_are_answered_with_near_ones() {
    let folder = Folder::new("names");
    folder.write("spring.toml", OSCILLATOR);
    for (arguments, answer) in [
        (["plot", "spring.toml", "-y", "X"].as_slice(), "did you mean `x`"),
        (&["plot", "spring.toml", "-y", "z*"], "--list"),
        (&["compare", "spring.toml", "spring.toml", "-y", "xx"], "did you mean `x`"),
        (&["sweep", "spring.toml", "-p", "k=1,2", "-m", "max(X)"], "did you mean `x`"),
        (&["sweep", "spring.toml", "-p", "x=1,2", "-m", "max(x)"], "start values"),
        (&["sweep", "spring.toml", "-p", "k=1,2", "-m", "x"], "write max(body.x)"),
        (&["sweep", "spring.toml", "-p", "k=1 bar,2", "-m", "max(x)"], "`k` is a stiffness"),
        (&["compare", "spring.toml"], "--set-b"),
    ] {
        let text = folder.run(arguments, 2);
        assert!(text.contains(answer), "{arguments:?}: {text}");
    }
    // What the reader of models refuses.
    let range = ["sweep", "spring.toml", "-p", "k=-1:1:3", "-m", "max(x)"];
    assert!(folder.run(&range, 1).contains("`k` has to be above 0"));
    assert!(!folder.has("spring.svg"));
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_anything_runs() {
    let folder = Folder::new("place");
    folder.write("spring.toml", OSCILLATOR);
    // A file is no folder, whoever asks.
    for place in ["spring.toml/x.csv", "missing/x.parquet", "x.txt"] {
        for command in [&["run", "spring.toml"][..], &["sweep", "spring.toml", "-p", "k=1,2", "-m", "max(x)"]]
        {
            let text = folder.run(&[command, &["--out", place]].concat(), 4);
            assert!(text.starts_with("error: cannot "), "{text}");
        }
    }
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
}

/// Waits until a run has written something; it may need a while on a busy machine.
#[track_caller]
fn wait_for(file: &Path, child: &mut Child) {
    let start = Instant::now();
    while fs::metadata(file).map_or(0, |about| about.len()) < 1000 {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing was written");
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A run that would take for ever.
const ENDLESS: [&str; 6] = ["run", "spring.toml", "--set", "d=0 N s/m", "--set", "run.t_end=1e12 s"];

#[cfg(unix)]
#[track_caller]
fn interrupt(mut child: Child, partial: &Path) {
    wait_for(partial, &mut child);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!partial.exists());
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_it_has() {
    let folder = Folder::new("interrupt");
    folder.write("spring.toml", OSCILLATOR);
    for out in ["x.parquet", "x.csv"] {
        let child = folder.command(&ENDLESS).args(["--set", "run.dt=1 s", "--out", out]).spawn().unwrap();
        interrupt(child, &folder.0.join(format!("{out}.partial")));
        let table = folder.read(out);
        assert!(
            table.rows() > 1 && table.ended() == Some(CANCELLED),
            "{} rows, {:?}",
            table.rows(),
            table.ended()
        );
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_sweep_keeps_its_rows() {
    let folder = Folder::new("interrupt-sweep");
    folder.write("spring.toml", OSCILLATOR);
    let sweep = ["sweep", "spring.toml", "-p", "k=100:200:1000000", "-m", "final(x)", "--out", "t.csv"];
    let child = folder.command(&sweep).stdout(Stdio::null()).spawn().unwrap();
    interrupt(child, &folder.0.join("t.csv.partial"));
    let table = folder.read("t.csv");
    assert!((2..1_000_000).contains(&table.rows()) && table.ended() == Some(CANCELLED));
    assert!(table.columns[1].values.iter().all(|x| x.is_finite()));
}

#[test]
fn a_killed_run_leaves_what_it_had() {
    let folder = Folder::new("killed");
    folder.write("spring.toml", OSCILLATOR);
    for out in ["x.parquet", "x.csv"] {
        let mut child = folder.command(&ENDLESS).args(["--set", "run.dt=1 s", "--out", out]).spawn().unwrap();
        let partial = format!("{out}.partial");
        wait_for(&folder.0.join(&partial), &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!folder.has(out));
        let table = folder.read(&partial);
        assert!(table.rows() > 1 && table.ended() == Some(UNFINISHED));
        assert!(folder.run(&["convert", &partial, "kept.csv"], 0).contains("unfinished"));
        assert_eq!(folder.read("kept.csv"), table);
    }
}
