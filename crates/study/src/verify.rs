//! Runs of models, and how they compare with what the models expect of themselves.

use std::collections::HashMap;
use std::path::Path;

use trunnion_engine::files::Disk;
use trunnion_engine::{Failure, Project, Workspace};
use trunnion_equations::DisplayUnit;
use trunnion_files::looks_like_a_model;
use trunnion_model::expect::{Demand, ExpectTolerance, Subject};
use trunnion_model::units::{nominal, parse_unit};
use trunnion_model::{Expect, Files, model_of_expectations};
use trunnion_sim::run::Settings;
use trunnion_sim::solvers::choose::SolverEntry;

use crate::measure::{MeasureKind, Probe};
use crate::monitor::Monitor;
use crate::request_error::FilesRequestError;
use crate::simulate::{Overrides, settings};

/// What replaces the solvers and tolerances that expectations ask for.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    pub solver: Option<String>,
    pub rtol: Option<f64>,
    /// Changes of the models, each as "path=value".
    pub values: Vec<String>,
}

/// Models among the paths: files as they are named, of folders those that look like one.
pub fn find_models(paths: &[String]) -> Result<Vec<String>, Failure> {
    let mut found = vec![];
    let refused = |path: &str, reason: String| Failure::File(trunnion_files::FileError::read(path, reason));
    for path in paths {
        if !Path::new(path).is_dir() {
            if !Path::new(path).exists() {
                return Err(refused(path, "there is no such file".into()));
            }
            // A file of expectations stands for its model.
            found.push(model_of_expectations(path).unwrap_or_else(|| path.clone()));
            continue;
        }
        let mut files = Disk.list(path).map_err(|reason| refused(path, reason))?;
        // Expectations beside a model come with it; without one they would go unnoticed.
        let orphan = |file: &&String| model_of_expectations(file).is_some_and(|model| !Disk.exists(&model));
        if let Some(file) = files.iter().find(orphan) {
            return Err(refused(file, "there is no model beside these expectations".into()));
        }
        files.retain(|file| {
            file.ends_with(".toml")
                && model_of_expectations(file).is_none()
                && Disk.read(file).is_ok_and(|text| looks_like_a_model(&text))
        });
        files.sort();
        found.extend(files);
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|path| seen.insert(path.clone()));
    if found.is_empty() {
        return Err(FilesRequestError::NoModels { paths: paths.to_vec() }.into());
    }
    Ok(found)
}

/// What came of one model.
#[derive(Debug, Default)]
pub struct VerifyReport {
    pub path: String,
    pub checks: Vec<ExpectationCheck>,
    pub failures: Vec<VerifyFailure>,
    /// Measures without a value, and why.
    pub absent: Vec<(String, String)>,
    pub runs: usize,
}

/// One expectation with one solver at one tolerance.
#[derive(Clone, Debug)]
pub struct ExpectationCheck {
    /// Which of the model's expectations.
    pub expectation: usize,
    pub what: String,
    pub solver: String,
    /// In SI; `unit` for showing them. With bounds, the nearest one and nothing around it.
    pub expected: f64,
    pub found: f64,
    pub allowed: f64,
    pub relative: bool,
    /// Infinite where there is none.
    pub bounds: Option<(f64, f64)>,
    /// The tolerance is so wide that it needs a reason, and has none.
    pub loose: bool,
    pub unit: DisplayUnit,
}

/// A model or a run that failed.
#[derive(Debug)]
pub struct VerifyFailure {
    pub solver: String,
    pub cause: Failure,
}

impl ExpectationCheck {
    /// How far the value is from what is expected, or outside its bounds.
    pub fn error(&self) -> f64 {
        match self.bounds {
            Some((low, high)) => (low - self.found).max(self.found - high).max(self.found * 0.0),
            None => (self.found - self.expected).abs(),
        }
    }

    pub fn passed(&self) -> bool {
        self.error() <= self.allowed && !self.loose
    }

    /// Share of the tolerance that is used up; not a number counts as most.
    pub fn used(&self) -> f64 {
        match (self.error(), self.allowed) {
            (0.0, _) => 0.0,
            (error, allowed) if error.is_nan() || allowed == 0.0 => f64::INFINITY,
            (error, allowed) => error / allowed,
        }
    }
}

impl VerifyReport {
    /// A model without expectations passes by running.
    pub fn passed(&self) -> usize {
        let runs = usize::from(self.checks.is_empty() && self.failures.is_empty());
        runs + self.checks.iter().filter(|c| c.passed()).count()
    }

    pub fn failed(&self) -> usize {
        self.failures.len() + self.checks.iter().filter(|c| !c.passed()).count()
    }
}

/// Run one model with every solver and tolerance its expectations ask for.
pub fn verify_model(
    workspace: &Workspace,
    path: &str,
    options: &VerifyOptions,
    monitor: &Monitor,
) -> VerifyReport {
    verify_with(path, options, Depth::Full, monitor, &|sets| {
        workspace.open(path, &[&options.values[..], sets].concat())
    })
}

/// How much of a model is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Every expectation with every solver and tolerance it asks for.
    Full,
    /// Every expectation once, up to the first that fails.
    Quick,
}

/// The same for a model that is opened in a way of its own, given values that replace those of the file.
pub(crate) fn verify_with(
    path: &str,
    options: &VerifyOptions,
    depth: Depth,
    monitor: &Monitor,
    open: &dyn Fn(&[String]) -> Result<Project, Failure>,
) -> VerifyReport {
    let mut report = VerifyReport { path: path.into(), ..VerifyReport::default() };
    let project = match open(&[]) {
        Ok(project) => project,
        Err(cause) => {
            report.failures.push(VerifyFailure { solver: String::new(), cause });
            return report;
        }
    };
    // Models with other values are other models: each is opened once.
    for sets in variants(&project.expect) {
        let other = if sets.is_empty() { None } else { Some(open(&sets)) };
        let project = match other.as_ref().map(Result::as_ref) {
            None => &project,
            Some(Ok(other)) => other,
            Some(Err(_)) => {
                let cause = other.and_then(Result::err).unwrap_or(Failure::Cancelled);
                report.failures.push(VerifyFailure { solver: sets.join(", "), cause });
                continue;
            }
        };
        for overrides in combinations(&project.expect, &sets, options) {
            let quick = depth == Depth::Quick;
            if quick && report.failed() > 0 {
                return report;
            }
            let done = |k: usize| quick && report.checks.iter().any(|c| c.expectation == k);
            let asked = |&k: &usize| {
                project.expect[k].sets == sets && wants(&project.expect[k], options, &overrides) && !done(k)
            };
            let checked: Vec<usize> = (0..project.expect.len()).filter(asked).collect();
            if checked.is_empty() && !project.expect.is_empty() {
                continue;
            }
            if let Err(cause) = check(project, &overrides, &checked, monitor, &mut report) {
                let solver = overrides.solver.unwrap_or_else(|| project.run.solver.clone());
                report.failures.push(VerifyFailure { solver, cause });
            }
        }
    }
    report
}

/// The different values that expectations set; a model without expectations is run as it is.
pub fn variants(expect: &[Expect]) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![];
    for one in expect {
        if !all.contains(&one.sets) {
            all.push(one.sets.clone());
        }
    }
    if all.is_empty() { vec![vec![]] } else { all }
}

/// Solvers and tolerances of one expectation; None: as the model says.
fn asked<'a>(expect: &'a Expect, options: &'a VerifyOptions) -> (Vec<Option<&'a str>>, Vec<Option<f64>>) {
    fn or_default<T>(list: Vec<Option<T>>) -> Vec<Option<T>> {
        if list.is_empty() { vec![None] } else { list }
    }
    let solvers = match &options.solver {
        Some(solver) => vec![Some(solver.as_str())],
        None => or_default(expect.solvers.iter().map(|s| Some(s.as_str())).collect()),
    };
    let rtol = match options.rtol {
        Some(rtol) => vec![Some(rtol)],
        None => or_default(expect.rtol.iter().copied().map(Some).collect()),
    };
    (solvers, rtol)
}

/// Each solver and tolerance that some expectation asks for, once. A model without expectations is run as it says.
fn combinations(expect: &[Expect], sets: &[String], options: &VerifyOptions) -> Vec<Overrides> {
    let mut all: Vec<Overrides> = vec![];
    let mut add = |solver: Option<&str>, rtol: Option<f64>| {
        if !all.iter().any(|o| o.solver.as_deref() == solver && o.rtol == rtol) {
            all.push(Overrides { t_end: None, solver: solver.map(String::from), rtol });
        }
    };
    if expect.is_empty() {
        add(options.solver.as_deref(), options.rtol);
    }
    for one in expect.iter().filter(|e| e.sets == sets) {
        let (solvers, rtol) = asked(one, options);
        for solver in solvers {
            rtol.iter().for_each(|&rtol| add(solver, rtol));
        }
    }
    all
}

fn wants(expect: &Expect, options: &VerifyOptions, overrides: &Overrides) -> bool {
    let (solvers, rtol) = asked(expect, options);
    solvers.contains(&overrides.solver.as_deref()) && rtol.contains(&overrides.rtol)
}

fn check(
    project: &Project,
    overrides: &Overrides,
    checked: &[usize],
    monitor: &Monitor,
    report: &mut VerifyReport,
) -> Result<(), Failure> {
    let (solver, settings) = settings(&project.run, overrides)?;
    let expect = || checked.iter().map(|&k| &project.expect[k]);
    let probe = Probe::new(project, expect().map(|e| wanted(&e.subject)).collect())?;
    report.runs += 1;
    let (found, outcome) = probe.run(project, &HashMap::new(), (solver, &settings), monitor)?;
    outcome.check()?;
    report.absent.extend(found.absent.iter().map(|(k, why)| (probe.wanted()[*k].to_string(), why.clone())));
    for (k, one) in expect().enumerate() {
        let unit = probe.unit(k);
        let si = found.values[k] * unit.factor + unit.offset;
        report.checks.push(ExpectationCheck {
            expectation: checked[k],
            what: what(&probe.wanted()[k].to_string(), &one.sets),
            solver: solver_text(solver, &settings),
            found: si,
            ..compare(project, one, &settings)
        });
    }
    Ok(())
}

/// The check and the values it is made with.
fn what(wanted: &str, sets: &[String]) -> String {
    if sets.is_empty() { wanted.to_string() } else { format!("{wanted} {}", sets.join(" ")) }
}

fn wanted(subject: &Subject) -> MeasureKind {
    match subject {
        Subject::Signal { signal, measure, .. } => {
            MeasureKind::Signal { signal: signal.clone(), measure: *measure }
        }
        Subject::Count { event, .. } => MeasureKind::Count { event: event.clone() },
        Subject::Time { event, nth, .. } => MeasureKind::Time { event: event.clone(), nth: *nth },
    }
}

fn solver_text(solver: &SolverEntry, settings: &Settings) -> String {
    match solver.fixed_step {
        true => solver.name.to_string(),
        false => format!("{} {:e}", solver.name, settings.rtol),
    }
}

/// The expected side of a check.
fn compare(project: &Project, expect: &Expect, settings: &Settings) -> ExpectationCheck {
    let (unit, size) = match &expect.subject {
        Subject::Signal { signal, unit, .. } => (unit.clone(), nominal_of(project, signal, unit)),
        Subject::Count { .. } => (DisplayUnit::default(), 1.0),
        Subject::Time { .. } => (DisplayUnit::si("s"), settings.t_end - settings.t_0),
    };
    let (what, solver) = (String::new(), String::new());
    let blank = ExpectationCheck {
        expectation: 0,
        what,
        solver,
        expected: f64::NAN,
        found: f64::NAN,
        allowed: 0.0,
        relative: false,
        bounds: None,
        loose: false,
        unit,
    };
    let (expected, tolerance) = match expect.demand {
        Demand::Near(expected, tolerance) => (expected, tolerance),
        Demand::Within(low, high) => return ExpectationCheck { bounds: Some((low, high)), ..blank },
    };
    let allowed = match tolerance {
        ExpectTolerance::Relative(share) => share * expected.abs(),
        ExpectTolerance::Absolute(allowed) => allowed,
        ExpectTolerance::Rtol(factor) => factor * settings.rtol * (size + expected.abs()),
    };
    let relative = matches!(tolerance, ExpectTolerance::Relative(_));
    let loose = expected != 0.0 && expect.needs_reason(allowed / expected.abs());
    ExpectationCheck { expected, allowed, relative, loose, ..blank }
}

/// Typical size of a signal, the same that error control uses.
fn nominal_of(project: &Project, signal: &str, unit: &DisplayUnit) -> f64 {
    let system = &project.prepared.system;
    let own = system.find(signal).and_then(|s| system.quantity(s).nominal.map(|n| n.size));
    own.or_else(|| parse_unit(&unit.text).ok().map(|u| nominal(u.dimension))).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_no_models() {
        assert!(looks_like_a_model("# text\n[run]\nt_end = 1"));
        assert!(!looks_like_a_model("title = \"x\"\n[ports]\n"));
    }
}
