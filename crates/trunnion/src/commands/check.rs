//! `trunnion check`: everything that is wrong with a model, and what it consists of.

use clap::Args;

use crate::failure::Failure;
use crate::output::say;
use crate::project::Project;

#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Model files
    #[arg(required = true)]
    pub models: Vec<String>,
    /// Change a parameter, a start value or a setting before checking
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
}

pub fn execute(args: &CheckArgs, colour: bool) -> Result<(), Failure> {
    let mut failed = None;
    for path in &args.models {
        match Project::open(path, &args.set) {
            Ok(project) => {
                project.show_warnings(colour);
                for note in &project.notes {
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
