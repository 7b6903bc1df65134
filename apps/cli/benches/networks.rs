//! From schematic to equations: time against size for a chain of masses, springs and dampers with a force on every mass; and the
//! wall time of every example after loading.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use trunnion_engine::files::library;
use trunnion_engine::project::Project;
use trunnion_equations::analyse;
use trunnion_model::{Files, Model, load};
use trunnion_network::{assign, emit};
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, settings, simulate};

/// One model in memory.
struct Text(String);

impl Files for Text {
    fn read(&self, _: &str) -> Result<String, String> {
        Ok(self.0.clone())
    }

    fn list(&self, _: &str) -> Result<Vec<String>, String> {
        Ok(vec![])
    }
}

/// A chain with so many masses; each adds momentum, position and the compression of its spring.
fn chain(masses: usize) -> String {
    let mut text = String::from("[components]\nwall = { type = \"ground\" }\n");
    for i in 0..masses {
        let _ = writeln!(text, "m{i} = {{ type = \"mass\", m = \"1 kg\" }}");
        let _ = writeln!(text, "s{i} = {{ type = \"spring_damper\", k = \"1 kN/m\", c = \"2 N s/m\" }}");
        let _ = writeln!(
            text,
            "f{i} = {{ type = \"force_source\", F = 0, drive = \"1 N*sin({i} + 3*time/1 s)\" }}"
        );
    }
    text.push_str("[connect]\n\"wall\" = \"s0.a\"\n");
    for i in 0..masses {
        let next = if i + 1 < masses { format!(", \"s{}.a\"", i + 1) } else { String::new() };
        let _ = writeln!(text, "\"m{i}\" = [\"s{i}.b\", \"f{i}\"{next}]");
    }
    text
}

fn read(text: &Text) -> Model {
    load(text, "chain.toml", &[], library()).unwrap_or_else(|e| panic!("{}", e[0]))
}

fn equations(model: &Model) -> usize {
    let mut flat = model.flat.clone();
    emit(&mut flat, &model.network, &assign(&model.network));
    let system = analyse(flat).unwrap_or_else(|e| panic!("{:?}", e[0]));
    assert_eq!(system.n(), system.n_states);
    black_box(system).n_states
}

fn best<T>(rounds: usize, mut work: impl FnMut() -> T) -> f64 {
    let time = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed().as_secs_f64()
    };
    (0..rounds).map(time).fold(f64::INFINITY, f64::min)
}

fn growth() {
    println!("mass-spring-damper chain with a force on every mass");
    println!("{:>8} {:>14} {:>18} {:>8}", "states", "read (ms)", "equations (ms)", "growth");
    let mut last: Option<(usize, f64)> = None;
    for masses in [11, 34, 107, 340, 1070] {
        let text = Text(chain(masses));
        let rounds = (2000 / masses).clamp(1, 40);
        let reading = best(rounds, || read(&text));
        let model = read(&text);
        let states = equations(&model);
        let solving = best(rounds, || equations(&model));
        // t ∝ n^growth; n log n is 1.1 to 1.2 here.
        let power = last.map(|(n, t)| (solving / t).ln() / (states as f64 / n as f64).ln());
        let power = power.map_or(String::new(), |p| format!("{p:.2}"));
        println!("{states:>8} {:>14.2} {:>18.2} {power:>8}", 1e3 * reading, 1e3 * solving);
        last = Some((states, solving));
    }
}

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("parts") {
            models(&path, found);
        } else if path.extension().is_some_and(|e| e == "toml")
            && !path.to_string_lossy().ends_with(".expect.toml")
        {
            found.push(path);
        }
    }
}

fn examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut paths = vec![];
    models(&root, &mut paths);
    paths.sort();
    println!("\nexamples: opening and compiling, running");
    for path in paths {
        let name = path.to_string_lossy().into_owned();
        let open = || Project::open(&name, &[]).unwrap_or_else(|f| panic!("{}", f));
        let opening = best(3, open);
        let project = open();
        let (solver, s) = settings(&project.run, &Overrides::default()).unwrap_or_else(|_| panic!("{name}"));
        let run = || {
            let mut sink = |_: &[f64]| Ok(());
            simulate(&project, &HashMap::new(), (solver, &s), &[], &Monitor::default(), &mut sink).is_ok()
        };
        let short = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        println!("{short:<44} {:>9.2} ms {:>9.2} ms", 1e3 * opening, 1e3 * best(3, run));
    }
}

fn main() {
    growth();
    examples();
}
