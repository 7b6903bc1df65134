//! The forestry crane: cost of 40 s in full, reduced and relaxed, each at the tolerance the numbers of the crane need. An argument chooses one
//! of these by its name.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use trunnion_engine::project::Project;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, settings, simulate};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/machines/forestry/crane.toml");
const ROUNDS: usize = 20;

struct Cost {
    seconds: f64,
    steps: u64,
    evaluations: u64,
    /// Largest tracking error after 5 s.
    error: f64,
}

/// The shortest of several runs with 801 outputs; the first one, which compiles, does not count.
fn cost(sets: &[&str], rtol: f64) -> Cost {
    let sets: Vec<String> = sets.iter().chain(&["run.dt=50 ms"]).map(|s| s.to_string()).collect();
    let project = Project::open(MODEL, &sets).unwrap_or_else(|f| panic!("{}", f));
    let overrides = Overrides { rtol: Some(rtol), ..Overrides::default() };
    let (solver, settings) = settings(&project.run, &overrides).unwrap_or_else(|f| panic!("{}", f));
    let column = project.prepared.column("e").expect("the crane has a tracking error");
    let mut best = Cost { seconds: f64::INFINITY, steps: 0, evaluations: 0, error: 0.0 };
    for _ in 0..ROUNDS {
        let mut error = 0.0_f64;
        let mut sink = |row: &[f64]| {
            if row[0] > 5.0 {
                error = error.max(row[1].abs());
            }
            Ok(())
        };
        let start = Instant::now();
        let outcome = simulate(
            &project,
            &HashMap::new(),
            (solver, &settings),
            &[column],
            &Monitor::default(),
            &mut sink,
        )
        .unwrap_or_else(|f| panic!("{}", f));
        let seconds = start.elapsed().as_secs_f64();
        let summary = black_box(outcome.summary).expect("the run ends");
        if seconds < best.seconds {
            best = Cost { seconds, steps: summary.steps, evaluations: summary.work.residuals, error };
        }
    }
    best
}

fn main() {
    println!(
        "forestry crane, 40 s, 801 outputs; published: 28 min full, 8 min reduced, 47 s reduced and relaxed\n"
    );
    println!(
        "{:<22} {:>6} {:>9} {:>8} {:>12} {:>14} {:>10}",
        "model", "rtol", "ms", "steps", "evaluations", "× real time", "max error"
    );
    let relaxed = "C_Rmax=1e16 kg/m^7";
    let cases: [(&str, &[&str]); 5] = [
        ("full", &[]),
        ("reduced", &["hydraulics=reduced"]),
        ("reduced, relaxed", &["hydraulics=reduced", relaxed]),
        ("full, resistance", &["closing=resistance"]),
        ("full, relaxed", &[relaxed]),
    ];
    let chosen = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    for rtol in [1e-4, 1e-6] {
        let mut full = f64::NAN;
        for (name, sets) in cases {
            if chosen.as_ref().is_some_and(|chosen| chosen != name) {
                continue;
            }
            let c = cost(sets, rtol);
            if name == "full" {
                full = c.seconds;
            }
            println!(
                "{name:<22} {rtol:>6.0e} {:>9.2} {:>8} {:>12} {:>14.0} {:>10.5}   full / this {:.2}",
                1e3 * c.seconds,
                c.steps,
                c.evaluations,
                40.0 / c.seconds,
                c.error,
                full / c.seconds
            );
        }
    }
}
