//! `trunnion check`: everything that is wrong with a model, and what it consists of; the common checks on components.

use std::collections::HashMap;
use std::path::Path;

use clap::Args;
use trunnion_equations::flat::Action;
use trunnion_model::component::is_shared;
use trunnion_model::{ASSUMED_UNIT, Deferred, Diagnostic, Files};
use trunnion_sim::task::script_faults;

use crate::failure::render;
use crate::given::Given;
use crate::output::{Print, say};
use crate::session::Session;
use trunnion_draw::listing::{Align, Listing};
use trunnion_draw::plot::png;
use trunnion_engine::Failure;
use trunnion_engine::controllers::cannot_begin;
use trunnion_engine::files::{Disk, library};
use trunnion_engine::given::describe;
use trunnion_engine::project::Project;
use trunnion_files::{looks_like_a_component, looks_like_a_model};
use trunnion_num::text::{count, with_unit};
use trunnion_study::advice::remarks;
use trunnion_study::component_checks::{Bundle, Check, Report, Verdict, siblings};
use trunnion_study::parallel::{for_each, workers};

#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Model files, component files, or folders of them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    #[command(flatten)]
    pub given: Given,
}

/// The files to check.
#[derive(Default)]
struct Found {
    models: Vec<String>,
    components: Vec<String>,
    /// Other files that components may use.
    beside: Vec<String>,
}

pub fn execute(args: &CheckArgs, session: &Session) -> Result<bool, Failure> {
    let found = find(&args.paths)?;
    let mut good = true;
    let sets = args.given.sets();
    for path in &found.models {
        good &= check_model(path, &sets, session);
    }
    if !found.components.is_empty() {
        let files = session.workspace.confined(&args.paths);
        let bundle = Bundle::read(&files, library(), &found.components, found.beside);
        good &= check_components(&bundle, &files, session)?;
    }
    Ok(good)
}

fn find(paths: &[String]) -> Result<Found, Failure> {
    let mut found = Found::default();
    let reads_so = |path: &str| Disk.read(path).is_ok_and(|text| looks_like_a_component(&text));
    let is_component = |path: &str| !is_shared(path) && reads_so(path);
    for path in paths {
        if !Path::new(path).is_dir() {
            if is_shared(path) {
                let message = format!("`{path}` is no component: it is there to be included by others");
                return Err(Failure::usage_hint(message, "check the components that include it"));
            }
            if is_component(path) {
                found.components.push(path.clone());
                found.beside.extend(siblings(path));
            } else {
                found.models.push(path.clone());
            }
            continue;
        }
        let refused = |reason: String| Failure::File(trunnion_files::Error::read(path, reason));
        let mut inside = Disk.list(path).map_err(refused)?;
        inside.retain(|file| file.ends_with(".toml"));
        inside.sort();
        let (components, others): (Vec<_>, Vec<_>) = inside.into_iter().partition(|p| is_component(p));
        let is_model = |path: &String| Disk.read(path).is_ok_and(|text| looks_like_a_model(&text));
        let models: Vec<String> = others.into_iter().filter(is_model).collect();
        if components.is_empty() && models.is_empty() {
            return Err(Failure::usage_hint(
                format!("there are no models and no components in `{path}`"),
                "a model is a .toml file with [model] or [run], a component one with [ports]",
            ));
        }
        found.components.extend(components);
        found.models.extend(models);
    }
    Ok(found)
}

fn check_model(path: &str, sets: &[String], session: &Session) -> bool {
    match open(path, sets, session) {
        Ok((project, deferred)) => {
            session.warn(project.told());
            let faults = controllers(&project);
            if !faults.is_empty() {
                eprint!("{}", render(&Failure::Model(faults), session.colour));
                return false;
            }
            for one in &deferred {
                let default = one.default.map(|si| with_unit(one.unit.shown(si), &one.unit.text, 9));
                let default = default.map(|d| format!(", {d} if nobody is asked")).unwrap_or_default();
                say(format_args!("{path}: asked when it is run: {}{default}", describe(one)));
            }
            let notes = project.notes.iter().filter(|n| n.code != ASSUMED_UNIT);
            for note in notes.chain(&remarks(&project)) {
                eprintln!("{}", note.render(session.colour));
            }
            say(format_args!("{path}: {}", contents(&project)));
            let programs = scripts(&project);
            if !programs.is_empty() {
                let names = programs.join(", ");
                say(format_args!("{path}: controllers were run up to the end of `init`: {names}"));
            }
            true
        }
        Err(failure) => {
            eprint!("{}", render(&failure, session.colour));
            false
        }
    }
}

/// Names of the controllers that are programs.
fn scripts(project: &Project) -> Vec<&str> {
    let tasks = project.prepared.system.tasks.iter();
    tasks.filter(|t| matches!(t.action, Action::Script { .. })).map(|t| t.name.as_str()).collect()
}

/// Controllers whose program cannot be read or begin.
fn controllers(project: &Project) -> Vec<Diagnostic> {
    let system = &project.prepared.system;
    let faults = script_faults(&system.image, &HashMap::new(), project.run.t_start);
    faults.iter().map(|(_, error)| cannot_begin(system, &project.sources, error)).collect()
}

/// The model, with stand-ins for what is left open.
fn open(path: &str, sets: &[String], session: &Session) -> Result<(Project, Vec<Deferred>), Failure> {
    let (sets, deferred) = session.workspace.stand_ins(path, sets)?;
    Ok((session.open(path, &sets)?, deferred))
}

/// A row for every component, then what was found; true if nothing was.
fn check_components(bundle: &Bundle, files: &(dyn Files + Sync), session: &Session) -> Result<bool, Failure> {
    let n = bundle.components.len();
    let mut reports: Vec<Option<Report>> = (0..n).map(|_| None).collect();
    let work = |k: usize| bundle.check(k, files, png::check, &session.monitor);
    let done = |k: usize, report| reports[k] = Some(report);
    let cancelled = for_each(n, workers(), "components", &session.monitor, &work, done);
    let reports: Vec<Report> = reports.into_iter().flatten().collect();
    let head = Check::ALL.iter().map(|c| (c.word(), Align::Left));
    let mut table = Listing::new([("component", Align::Left)].into_iter().chain(head));
    for report in &reports {
        let cells = report.verdicts.iter().map(|v| match v {
            Verdict::Absent => "–".to_string(),
            Verdict::Passed => "ok".into(),
            Verdict::Failed(list) => format!("{} ✗", list.len()),
        });
        table.push([report.name.clone()].into_iter().chain(cells));
    }
    if !table.is_empty() {
        table.print();
    }
    let findings: Vec<_> = reports.iter().flat_map(Report::findings).chain(bundle.unreadable()).collect();
    for finding in &findings {
        eprintln!("{}", finding.render(session.colour));
    }
    let findings = findings.len();
    let found = if findings == 0 { "no errors".into() } else { count(findings, "error") };
    say(format_args!("{}: {found}", count(n, "component")));
    if cancelled { Err(Failure::Cancelled) } else { Ok(findings == 0) }
}

fn contents(project: &Project) -> String {
    let system = &project.prepared.system;
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
