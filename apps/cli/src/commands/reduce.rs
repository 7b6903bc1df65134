//! `trunnion reduce`: which stores of energy a model can do without, proved by running it without them.
//!
//! Every C and I of the bond graph with a state of its own is ranked by its activity, ∫|e f| dt [Louca1997]. From the least active
//! one on, stores are removed as long as the kept signals stay within the tolerance of the full model's.

use std::path::{Path, PathBuf};

use clap::Args;

use super::compare::share;
use super::run::seconds;
use crate::options::RunOptions;
use crate::output::{Print, say};
use crate::session::{Session, tell_proposed};
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_files::write_model;
use trunnion_num::text::{count, number, percent, with_unit};
use trunnion_study::compare::Difference;
use trunnion_study::reduce::{
    RankedStore, ReductionSearch, ReductionTrial, ReductionVerdict, Study, rank, shown, with_activities,
};

#[derive(Args, Debug)]
pub struct ReduceArgs {
    /// The model file
    pub model: String,
    /// Signals that have to stay as they are, separated by commas, with * for anything; without it those the model plots
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub keep: Vec<String>,
    /// How much they may change, as a share of their range: 0.01 or "1 %"
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "1 %")]
    pub tol: f64,
    /// Write the reduced model, which includes the full one
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub options: RunOptions,
}

pub fn execute(args: &ReduceArgs, session: &Session) -> Result<(), Failure> {
    let overrides = args.options.overrides();
    let (model, proposed) = session.workspace.ask_model(&args.model, &args.options.sets())?;
    tell_proposed(&proposed);
    let (project, signals) = with_activities(&model, &session.workspace.units)?;
    session.warn(project.told());
    let stores = rank(&project, &model, &signals, &overrides, &session.monitor)?;
    say(format_args!("{}: {} of energy with a state\n", model.name, count(stores.len(), "store")));
    if stores.is_empty() {
        say("nothing can be removed: no C or I of a bond graph has a state of its own");
        return Ok(());
    }
    let study = Study::new(model, overrides, &args.keep, args.tol, &session.monitor)?;
    let order: Vec<usize> = stores.iter().map(|s| s.node).collect();
    let ReductionSearch { removed, verdicts } = study.search(&order)?;
    show_stores(&stores, &verdicts);
    if removed.is_empty() {
        say(format_args!("\nnothing can be removed within {}", percent(args.tol)));
        return Ok(());
    }
    let (full, reduced) = (study.trial(&[])?, study.trial(&removed)?);
    show_signals(&reduced.differences);
    show_work(&full, &reduced);
    let names: Vec<&str> = removed.iter().map(|&n| study.model.network.nodes[n].name.as_str()).collect();
    match &args.out {
        Some(path) => write(args, path, &study.model.name, &names),
        None => {
            say(format_args!("\nto use it, write it with -o, or add to the model\n\n{}", section(&names)));
            Ok(())
        }
    }
}

fn show_stores(stores: &[RankedStore], verdicts: &[(usize, ReductionVerdict)]) {
    use Align::{Left, Right};
    let head = [("store", Left), ("", Left), ("activity", Right), ("mode", Right), ("", Left)];
    let mut listing = Listing::new(head);
    for store in stores {
        let verdict = verdicts.iter().find(|(n, _)| *n == store.node).map(|(_, v)| v.to_string());
        let mode = store.mode.map_or_else(|| "–".into(), shown);
        let row =
            [store.name.clone(), store.kind.into(), percent(store.share), mode, verdict.unwrap_or_default()];
        listing.push(row);
    }
    listing.print();
}

fn show_signals(differences: &[Difference]) {
    use Align::{Left, Right};
    let mut listing =
        Listing::new([("kept signal", Left), ("largest difference", Right), ("of range", Right)]);
    for d in differences {
        listing.push([d.name.clone(), with_unit(d.max, &d.unit, 4), percent(d.relative)]);
    }
    say("");
    listing.print();
}

fn show_work(full: &ReductionTrial, reduced: &ReductionTrial) {
    use Align::{Left, Right};
    let head = [("", Left), ("states", Right), ("steps", Right), ("evaluations", Right), ("time", Right)];
    let mut listing = Listing::new(head);
    for (name, trial) in [("full", full), ("reduced", reduced)] {
        let [steps, evaluations] = [trial.work.steps, trial.work.residuals].map(|n| n.to_string());
        listing.push([name.into(), trial.states.to_string(), steps, evaluations, seconds(trial.wall_s)]);
    }
    say("");
    listing.print();
    say(format_args!("the reduced model takes {} × the time", number(reduced.wall_s / full.wall_s, 3)));
}

/// The section that makes a model do without them.
fn section(names: &[&str]) -> String {
    let list: Vec<String> = names.iter().map(|n| format!("    \"{n}\",\n")).collect();
    format!("[reduce]\nremove = [\n{}]\n", list.concat())
}

fn write(args: &ReduceArgs, path: &Path, name: &str, names: &[&str]) -> Result<(), Failure> {
    let full = path_from(path, Path::new(&args.model));
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let text = format!(
        "[model]\nname    = \"{}, reduced\"\ninclude = \"{}\"\n\n{}",
        quoted(name),
        quoted(&full),
        section(names)
    );
    write_model(path, &text)?;
    say(format_args!("\n{}: {} removed", path.display(), count(names.len(), "store")));
    if let Some(folder) = Path::new(&full).parent().filter(|f| !f.as_os_str().is_empty()) {
        say(format_args!("it includes a file of another folder: run it with --allow {}", folder.display()));
    }
    Ok(())
}

/// How the file `to` is called in the file `from`.
fn path_from(from: &Path, to: &Path) -> String {
    let folder = |p: &Path| p.parent().map(Path::to_path_buf).unwrap_or_default();
    let name = to.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    if folder(from) == folder(to) {
        return name;
    }
    std::path::absolute(to).map_or(name, |p| p.to_string_lossy().into_owned())
}
