//! Control blocks: what feedforward and the guard against windup are for.

use std::collections::HashMap;

use trunnion_engine::project::Project;
use trunnion_results::Table;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, settings, simulate_to_table};

fn run(example: &str, sets: &[&str]) -> Table {
    let path = format!("{}/../../examples/language/control/{example}.toml", env!("CARGO_MANIFEST_DIR"));
    let sets: Vec<String> = sets.iter().map(|s| s.to_string()).collect();
    let project = Project::open(&path, &sets).unwrap_or_else(|f| panic!("{}", f));
    let (solver, settings) =
        settings(&project.run, &Overrides::default()).unwrap_or_else(|f| panic!("{}", f));
    let run = simulate_to_table(&project, &HashMap::new(), (solver, &settings), &Monitor::default());
    run.unwrap_or_else(|f| panic!("{}", f)).0
}

fn greatest(table: &Table, name: &str) -> f64 {
    table.column(name).unwrap().values.iter().fold(0.0_f64, |m, v| m.max(v.abs()))
}

#[test]
fn feedforward_at_least_halves_the_error() {
    let table = run("cascade_axis", &[]);
    let (with, without) = (greatest(&table, "error"), greatest(&table, "error_plain"));
    assert!(with < 0.5 * without, "{with} and {without}");
}

#[test]
fn the_integral_stays_at_what_it_needs() {
    let table = run("valve_axis", &["Ki=50 m^-1 s^-1", "load=0.05 m/s", "run.t_end=5 s"]);
    // Without a guard it would grow to Ki ∫e dt = 5 while the output is at its limit.
    for name in ["block.i", "sampled.i"] {
        let most = greatest(&table, name);
        assert!(most < 0.6, "{name}: {most}");
    }
}
