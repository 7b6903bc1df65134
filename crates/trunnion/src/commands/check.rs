//! `trunnion check`: everything that is wrong with a model, and what it consists of.

use clap::Args;
use trunnion_model::Deferred;

use crate::advice::remarks;
use crate::failure::Failure;
use crate::given::{Given, describe, stand_ins};
use crate::listing::with_unit;
use crate::output::say;
use crate::project::Project;

#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Model files
    #[arg(required = true)]
    pub models: Vec<String>,
    #[command(flatten)]
    pub given: Given,
}

pub fn execute(args: &CheckArgs, colour: bool) -> Result<(), Failure> {
    let mut failed = None;
    for path in &args.models {
        match open(path, &args.given.sets()) {
            Ok((project, deferred)) => {
                project.show_warnings(colour);
                for one in &deferred {
                    let default = one.default.map(|si| with_unit(one.unit.shown(si), &one.unit.text, 9));
                    let default = default.map(|d| format!(", {d} if nobody is asked")).unwrap_or_default();
                    say(format_args!("{path}: asked when it is run: {}{default}", describe(one)));
                }
                for note in project.notes.iter().chain(&remarks(&project)) {
                    eprintln!("{}", note.render(colour));
                }
                say(format_args!("{path}: {}", contents(&project)));
            }
            Err(failure) => {
                eprint!("{}", failure.render(colour));
                failed = Some(Failure::Missed);
            }
        }
    }
    failed.map_or(Ok(()), Err)
}

/// The model, with stand-ins for what is left open.
fn open(path: &str, sets: &[String]) -> Result<(Project, Vec<Deferred>), Failure> {
    let (sets, deferred) = stand_ins(path, sets)?;
    Ok((Project::open(path, &sets)?, deferred))
}

fn contents(project: &Project) -> String {
    let system = &project.prepared.system;
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let mut parts = vec![count(system.n_states, "state")];
    let unsolved = system.n() - system.n_states;
    if unsolved > 0 {
        parts.push(format!("{} solved numerically", count(unsolved, "unknown")));
    }
    parts.push(format!(
        "{} solved in symbols",
        count(system.outputs.len() - system.as_written.outputs.len(), "unknown")
    ));
    for (n, what) in
        [(system.events.len() + system.relations.len(), "guard"), (system.tasks.len(), "sampled task")]
    {
        if n > 0 {
            parts.push(count(n, what));
        }
    }
    format!("no errors; {}", parts.join(", "))
}
