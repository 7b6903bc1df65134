//! `trunnion solvers`: what can be asked for with --solver.

use trunnion_sim::solvers::choose::SOLVERS;

use crate::output::say;

pub fn execute() {
    for solver in SOLVERS {
        say(format_args!("{:<18} {}", solver.name, solver.about));
    }
}
