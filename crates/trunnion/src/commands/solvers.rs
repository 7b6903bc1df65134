//! `trunnion solvers`: what can be asked for with --solver.

use trunnion_sim::solvers::choose::SOLVERS;

pub fn execute() {
    for solver in SOLVERS {
        println!("{:<18} {}", solver.name, solver.about);
    }
}
