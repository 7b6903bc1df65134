//! A position servo with kinks in nearly every motion: overlap, relief valve, air in the oil. Steps, rejected ones and time by solver and tolerance.

use std::collections::HashMap;
use std::time::Instant;

use trunnion_engine::project::Project;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, settings, simulate};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/domains/hydraulic/servo_axis.toml");
const ROUNDS: usize = 10;

fn main() {
    let project = Project::open(MODEL, &[]).unwrap_or_else(|f| panic!("{}", f));
    println!(
        "position servo, 6 s\n\n{:<10} {:>6} {:>9} {:>8} {:>9} {:>8} {:>12}",
        "solver", "rtol", "ms", "steps", "rejected", "kinks", "evaluations"
    );
    for rtol in [1e-4, 1e-6, 1e-8] {
        for solver in ["rodas5p", "esdirk34", "trbdf2", "bdf", "tsit45"] {
            let overrides =
                Overrides { rtol: Some(rtol), solver: Some(solver.into()), ..Overrides::default() };
            let (solver, settings) = settings(&project.run, &overrides).unwrap_or_else(|f| panic!("{}", f));
            let mut best = f64::INFINITY;
            let mut summary = None;
            for _ in 0..ROUNDS {
                let start = Instant::now();
                let outcome = simulate(
                    &project,
                    &HashMap::new(),
                    (solver, &settings),
                    &[],
                    &Monitor::default(),
                    &mut |_| Ok(()),
                )
                .unwrap_or_else(|f| panic!("{}", f));
                best = best.min(start.elapsed().as_secs_f64());
                summary = outcome.summary;
            }
            match summary {
                None => println!("{:<10} {rtol:>6.0e} does not end", solver.name),
                Some(s) => println!(
                    "{:<10} {rtol:>6.0e} {:>9.2} {:>8} {:>8.1}% {:>8} {:>12}",
                    solver.name,
                    1e3 * best,
                    s.steps,
                    100.0 * s.work.rejected as f64 / (s.work.steps + s.work.rejected).max(1) as f64,
                    s.kinks,
                    s.work.residuals
                ),
            }
        }
    }
}
