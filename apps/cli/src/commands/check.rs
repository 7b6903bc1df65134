//! `trunnion check`: everything that is wrong with a model, and what it consists of; the common checks on components.

use std::collections::HashMap;

use clap::Args;
use serde_json::{Value, json};
use trunnion_equations::flat::{Action, ScriptLanguage};
use trunnion_model::{Deferred, Diagnostic, Files};
use trunnion_sim::task::script_faults;

use crate::given::Given;
use crate::output::Print;
use crate::report::AnswerOptions;
use crate::session::Session;
use trunnion_draw::listing::{Align, Listing};
use trunnion_draw::plot::png;
use trunnion_engine::Failure;
use trunnion_engine::controllers::cannot_begin;
use trunnion_engine::files::library;
use trunnion_engine::given::describe;
use trunnion_engine::project::Project;
use trunnion_num::text::{count, with_unit};
use trunnion_study::advice::remarks;
use trunnion_study::checked_files::find_checked;
use trunnion_study::component_checks::{Bundle, CheckVerdict, ComponentCheck, ComponentReport};
use trunnion_study::parallel::{for_each, workers};

#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Model files, component files, or folders of them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    #[command(flatten)]
    pub given: Given,
    #[command(flatten)]
    pub answer: AnswerOptions,
}

pub fn execute(args: &CheckArgs, session: &Session) -> Result<bool, Failure> {
    let found = find_checked(&args.paths)?;
    let sets = args.given.sets();
    let models: Vec<(bool, Value)> = found.models.iter().map(|p| check_model(p, &sets, session)).collect();
    let (mut good, mut components) = (models.iter().all(|(good, _)| *good), vec![]);
    let mut cancelled = false;
    if !found.components.is_empty() {
        let files = session.workspace.confined(&args.paths);
        let bundle = Bundle::read(&files, library(), &found.components, found.beside);
        let (reports, ended) = check_components(&bundle, &files, session);
        good &= reports.iter().all(|r| r.findings().next().is_none()) && bundle.unreadable().next().is_none();
        (components, cancelled) = (reports, ended);
    }
    session.answer(|| {
        let models: Vec<Value> = models.into_iter().map(|(_, about)| about).collect();
        json!({ "models": models, "components": components.iter().map(component).collect::<Vec<_>>() })
    });
    if cancelled { Err(Failure::Cancelled) } else { Ok(good) }
}

/// The verdict on each check of a component.
fn component(report: &ComponentReport) -> Value {
    let verdict = |verdict: &CheckVerdict| match verdict {
        CheckVerdict::Absent => Value::Null,
        CheckVerdict::Passed => json!(true),
        CheckVerdict::Failed(_) => json!(false),
    };
    let checks =
        ComponentCheck::ALL.iter().zip(&report.verdicts).map(|(c, v)| (c.word().to_string(), verdict(v)));
    json!({ "name": report.name, "checks": checks.collect::<serde_json::Map<_, _>>() })
}

/// Whether it has no errors, and what it consists of.
fn check_model(path: &str, sets: &[String], session: &Session) -> (bool, Value) {
    let bad = json!({ "path": path, "good": false });
    match open(path, sets, session) {
        Ok((project, deferred)) => {
            session.warn(project.told());
            let faults = controllers(&project);
            if !faults.is_empty() {
                session.fail(&Failure::Model(faults));
                return (false, bad);
            }
            for one in &deferred {
                let default = one.default.map(|si| with_unit(one.unit.shown(si), &one.unit.text, 9));
                let default = default.map(|d| format!(", {d} if nobody is asked")).unwrap_or_default();
                session.note(format_args!("{path}: asked when it is run: {}{default}", describe(one)));
            }
            let notes = project.notes.iter().filter(|n| !Project::is_told(n));
            session.warn(notes.chain(&remarks(&project)));
            session.note(format_args!("{path}: {}", contents(&project)));
            let programs = scripts(&project);
            if !programs.is_empty() {
                let names = programs.join(", ");
                session.note(format_args!("{path}: controllers were run up to the end of `init`: {names}"));
            }
            (true, about(path, &project, &deferred))
        }
        Err(failure) => {
            session.fail(&failure);
            (false, bad)
        }
    }
}

fn about(path: &str, project: &Project, deferred: &[Deferred]) -> Value {
    let system = &project.prepared.system;
    json!({
        "path": path,
        "good": true,
        "name": project.name,
        "states": system.n_states,
        "unknowns": system.n() - system.n_states,
        "guards": system.events.len() + system.relations.len(),
        "sampled_tasks": system.tasks.len(),
        "left_open": deferred.iter().map(|d| d.name.as_str()).collect::<Vec<_>>(),
    })
}

/// Names of the controllers that are programs.
fn scripts(project: &Project) -> Vec<&str> {
    let tasks = project.prepared.system.tasks.iter();
    tasks
        .filter(|t| matches!(&t.action, Action::Script { language: ScriptLanguage::JavaScript, .. }))
        .map(|t| t.name.as_str())
        .collect()
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

/// A row for every component, then what was found. True: not all were checked.
fn check_components(
    bundle: &Bundle,
    files: &(dyn Files + Sync),
    session: &Session,
) -> (Vec<ComponentReport>, bool) {
    let n = bundle.components.len();
    let mut reports: Vec<Option<ComponentReport>> = (0..n).map(|_| None).collect();
    let work = |k: usize| bundle.check(k, files, png::check, &session.monitor);
    let done = |k: usize, report| reports[k] = Some(report);
    let cancelled = for_each(n, workers(), "components", &session.monitor, &work, done);
    let reports: Vec<ComponentReport> = reports.into_iter().flatten().collect();
    let head = ComponentCheck::ALL.iter().map(|c| (c.word(), Align::Left));
    let mut table = Listing::new([("component", Align::Left)].into_iter().chain(head));
    for report in &reports {
        let cells = report.verdicts.iter().map(|v| match v {
            CheckVerdict::Absent => "–".to_string(),
            CheckVerdict::Passed => "ok".into(),
            CheckVerdict::Failed(list) => format!("{} ✗", list.len()),
        });
        table.push([report.name.clone()].into_iter().chain(cells));
    }
    if !table.is_empty() && session.json.is_none() {
        table.print();
    }
    let findings: Vec<_> =
        reports.iter().flat_map(ComponentReport::findings).chain(bundle.unreadable()).collect();
    session.warn(findings.iter().copied());
    let findings = findings.len();
    let found = if findings == 0 { "no errors".into() } else { count(findings, "error") };
    session.note(format_args!("{}: {found}", count(n, "component")));
    (reports, cancelled)
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
