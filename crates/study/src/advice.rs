//! Remarks on a model that has no errors: what its structure shows, and what happens when it is run for a moment.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use trunnion_equations::Symbol;
use trunnion_equations::print::{PrintStyle, print};
use trunnion_equations::structure::written;
use trunnion_model::Diagnostic;
use trunnion_sim::integrate::{IntegrationProgress, Moment, Observer, StepPiece};
use trunnion_sim::machine::Machine;
use trunnion_sim::run::run;

use crate::jumps::{self, Jumps};
use crate::monitor::Monitor;
use crate::simulate::{Overrides, point, settings};
use crate::structure_advice::{advise, unrelieved};
use trunnion_engine::project::Project;
use trunnion_network::CausalityFinding;
use trunnion_num::text::number;

/// Longest time of the trial run.
const ADVICE_TIME: Duration = Duration::from_secs(2);
/// What `check` had no time for.
const LEFT_OUT: &str = "M0409";

/// What can be said of a model at its start, and of a run as far as it gets, in two seconds together.
pub fn remarks(project: &Project) -> Vec<Diagnostic> {
    let end = Instant::now() + ADVICE_TIME;
    let mut remarks = unlocated(project);
    let told = |f: &CausalityFinding| f.diagnostic(&project.network, &project.sources);
    remarks.extend(unrelieved(&project.network).iter().map(told));
    if let Ok(mut at) = point(project, &Overrides::default(), None, &Monitor::default()) {
        let length = project.run.t_end - project.run.t_start;
        if Instant::now() < end {
            let findings = advise(&project.network, &mut at.machine, at.t, &at.y, length);
            remarks.extend(findings.iter().map(told));
        } else {
            remarks.push(left_out("the structure was not examined"));
        }
    }
    remarks.extend(trial(project, end));
    remarks
}

/// Jumps that steps pass over.
fn unlocated(project: &Project) -> Vec<Diagnostic> {
    let system = &project.prepared.system;
    let name = |s: Symbol| system.quantity(s).name.clone();
    let graph = system.graph.thaw();
    let told = system.unlocated.iter().map(|jump| {
        let shown = written(&graph, &system.relations, &[jump.value])[0];
        let text =
            format!("the jumps of `{}` are not located", print(&graph, shown, PrintStyle::Text, &name));
        Diagnostic::note("M0411", text)
            .at_origin(&project.sources, &jump.origin, "it decides about what it is computed from")
            .hint("sample it with a task, or let a state follow the value with a delay")
    });
    told.collect()
}

fn left_out(what: &str) -> Diagnostic {
    Diagnostic::note(LEFT_OUT, format!("{what}: two seconds for remarks are over"))
        .hint("a run goes on to the end, and tells what happens there")
}

/// Ends a run when its time is over, and knows how far it came.
struct TimeLimit {
    end: Instant,
    reached: f64,
    stopped: bool,
    jumps: Jumps,
}

impl Observer<Machine> for TimeLimit {
    fn observe(&mut self, _: &mut Machine, _: f64, _: &[f64], _: Moment) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn follow(&mut self, machine: &mut Machine, piece: StepPiece<'_>) -> ControlFlow<()> {
        self.jumps.follow(machine, piece);
        ControlFlow::Continue(())
    }

    fn progress(&mut self, at: IntegrationProgress) -> ControlFlow<()> {
        self.reached = at.t;
        self.stopped = Instant::now() > self.end;
        if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Runs the model and reports the events that warn, and impulses that are lost.
fn trial(project: &Project, end: Instant) -> Vec<Diagnostic> {
    let Ok((solver, settings)) = settings(&project.run, &Overrides::default()) else { return vec![] };
    let jumps = Jumps::new(&project.prepared, settings.rtol);
    let mut watch = TimeLimit { end, reached: settings.t_0, stopped: false, jumps };
    let finished = if Instant::now() < end {
        run(&project.prepared, &HashMap::new(), solver, &settings, &mut watch).ok()
    } else {
        watch.stopped = true;
        None
    };
    let mut list = finished.map_or(vec![], |f| warnings(project, &f.machine.fired, f.machine.holds()));
    list.extend(jumps::warnings(&project.prepared, &project.sources, &watch.jumps.found()));
    if watch.stopped {
        let [reached, end] = [watch.reached, settings.t_end].map(|t| number(t, 3));
        list.push(left_out(&format!("a run was tried up to t = {reached} s of {end} s only")));
    }
    list
}

/// The messages of events that warn, each the first time it fired; of those that met, and of those that came to hold what they set.
pub fn warnings(project: &Project, fired: &[(usize, f64)], held: &[(usize, f64)]) -> Vec<Diagnostic> {
    let mut told = HashSet::new();
    let mut list = vec![];
    for &(event, t) in fired {
        let event = &project.prepared.system.events[event];
        let Some(message) = event.warn.as_ref().filter(|_| told.insert(&event.name)) else { continue };
        let whose = match event.origin.component.as_str() {
            "" => String::new(),
            path => format!("`{path}` "),
        };
        let text = format!("at t = {} s {whose}{message}", number(t, 5));
        let warning = Diagnostic::warning("M0403", text);
        list.push(warning.at_origin(&project.sources, &event.origin, "this came true"));
    }
    list.extend(meetings(project, fired));
    list.extend(rests(project, held));
    list.extend(project.prepared.compiled.native_failure().map(interpreted));
    list
}

/// Native code was wanted, and the compiler refused.
fn interpreted(reason: &str) -> Diagnostic {
    Diagnostic::warning("M0420", format!("equations are interpreted, not compiled: {reason}"))
        .hint("results have the same bits, but runs take several times as long; please report the reason")
}

/// Events that would have fired for ever, each the first time it came to hold what it sets.
fn rests(project: &Project, held: &[(usize, f64)]) -> Vec<Diagnostic> {
    let system = &project.prepared.system;
    let mut told = HashSet::new();
    let first = held.iter().filter(|(event, _)| told.insert(*event));
    first
        .map(|&(event, t)| {
            let event = &system.events[event];
            let names: Vec<String> =
                event.set.iter().map(|a| format!("`{}`", system.quantity(a.target).name)).collect();
            let (names, t) = (names.join(", "), number(t, 5));
            let text = format!(
                "from t = {t} s on `{}` holds {names}: it would fire again at once, for ever",
                event.name
            );
            Diagnostic::note("M0412", text).at_origin(
                &project.sources,
                &event.origin,
                "this sets what it asks for",
            )
        })
        .collect()
}

/// Events that set one quantity at one instant, each pair the first time they met: the later one acted on what the earlier had set.
fn meetings(project: &Project, fired: &[(usize, f64)]) -> Vec<Diagnostic> {
    let system = &project.prepared.system;
    let mut told = HashSet::new();
    let mut list = vec![];
    for (k, &(second, t)) in fired.iter().enumerate() {
        for &(first, _) in fired[..k].iter().rev().take_while(|f| f.1 == t) {
            let (a, b) = (&system.events[first], &system.events[second]);
            let common = a.set.iter().find(|x| b.set.iter().any(|y| y.target == x.target));
            let Some(common) = common.filter(|_| first != second && told.insert((first, second))) else {
                continue;
            };
            let (name, t) = (&system.quantity(common.target).name, number(t, 5));
            let text = format!("at t = {t} s `{}` and `{}` both set `{name}`", a.name, b.name);
            let label = format!("this acted after `{}`, on what that had set", a.name);
            let warning = Diagnostic::warning("M0410", text).at_origin(&project.sources, &b.origin, label);
            list.push(
                warning.hint("events that meet act in the order of the file; put them in the order you mean"),
            );
        }
    }
    list
}
