//! `trunnion verify`: run models and compare with what they expect of themselves.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::Path;
use std::time::Instant;

use clap::Args;
use trunnion_equations::Unit;
use trunnion_model::expect::{Demand, LARGEST_SHARE, Subject, Tolerance};
use trunnion_model::units::{nominal, parse_unit};
use trunnion_model::{Expect, Files, Run};
use trunnion_sim::run::Settings;
use trunnion_sim::solvers::choose::Entry;

use crate::commands::run::seconds;
use crate::failure::Failure;
use crate::files::Disk;
use crate::listing::{Align, Listing};
use crate::measure::{Probe, Wanted};
use crate::output::{say, say_red, tell};
use crate::parallel::{for_each, workers};
use crate::project::Project;
use crate::simulate::{Overrides, settings};
use trunnion_files::looks_like_a_model;
use trunnion_num::text::{count, number, with_unit};

#[derive(Args, Clone, Debug, Default)]
pub struct VerifyArgs {
    /// Model files, or folders with models in them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    /// Check with this solver only
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Check at this relative tolerance only
    #[arg(long, value_name = "X")]
    pub rtol: Option<f64>,
    /// List every check; otherwise, of those that pass, the one nearest to its limit
    #[arg(long, short)]
    pub all: bool,
}

pub fn execute(args: &VerifyArgs, colour: bool) -> Result<(), Failure> {
    let start = Instant::now();
    // A mistake in the arguments is no fault of the models.
    let overrides = Overrides { t_end: None, solver: args.solver.clone(), rtol: args.rtol };
    settings(&Run::default(), &overrides)?;
    let models = find_models(&args.paths)?;
    let mut reports: Vec<Option<Report>> = models.iter().map(|_| None).collect();
    let work = |k: usize| verify_model(&models[k], args);
    let cancelled = for_each(models.len(), workers(), "models", &work, |k, report| reports[k] = Some(report));
    let reports: Vec<Report> = reports.into_iter().flatten().collect();
    let coloured = std::io::stdout().is_terminal() && colour;
    for line in table(&reports, args.all).lines() {
        match BAD.iter().find_map(|word| Some((line.strip_suffix(word)?, word))).filter(|_| coloured) {
            Some((rest, word)) => say_red(rest, word),
            None => say(line),
        }
    }
    for (report, failure) in reports.iter().flat_map(|r| r.failures.iter().map(move |f| (r, f))) {
        let solver =
            if failure.solver.is_empty() { String::new() } else { format!(" with {}", failure.solver) };
        tell(format_args!("\n{}{solver}:", report.path));
        eprint!("{}", failure.cause.render(colour));
    }
    for (report, (wanted, why)) in reports.iter().flat_map(|r| r.absent.iter().map(move |a| (r, a))) {
        tell(format_args!("{}: `{wanted}` has no value: {why}", report.path));
    }
    let (passed, failed) = reports.iter().fold((0, 0), |(p, f), r| (p + r.passed(), f + r.failed()));
    let loose = reports.iter().flat_map(|r| &r.checks).filter(|c| c.loose).count();
    if loose > 0 {
        let most = 100.0 * LARGEST_SHARE;
        eprintln!("\n{} of more than {most} % without a `reason`", count(loose, "tolerance"));
    }
    let runs: usize = reports.iter().map(|r| r.runs).sum();
    let time = seconds(start.elapsed().as_secs_f64());
    say(format_args!(
        "\n{passed} passed, {failed} failed; {} of {} in {time}",
        count(runs, "run"),
        count(reports.len(), "model")
    ));
    match (cancelled, failed) {
        (true, _) => Err(Failure::Cancelled),
        (false, 0) => Ok(()),
        _ => Err(Failure::Missed),
    }
}

/// Models among the paths: files as they are named, of folders those that look like one.
pub fn find_models(paths: &[String]) -> Result<Vec<String>, Failure> {
    let mut found = vec![];
    let refused = |path: &str, reason: String| Failure::File(trunnion_files::Error::read(path, reason));
    for path in paths {
        if !Path::new(path).is_dir() {
            if !Path::new(path).exists() {
                return Err(refused(path, "there is no such file".into()));
            }
            found.push(path.clone());
            continue;
        }
        let mut files = Disk.list(path).map_err(|reason| refused(path, reason))?;
        files.retain(|file| {
            file.ends_with(".toml") && Disk.read(file).is_ok_and(|text| looks_like_a_model(&text))
        });
        files.sort();
        found.extend(files);
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|path| seen.insert(path.clone()));
    if found.is_empty() {
        return Err(Failure::usage_hint(
            format!("there are no models in {}", paths.join(", ")),
            "a model is a .toml file with [model] or [run]",
        ));
    }
    Ok(found)
}

/// What came of one model.
#[derive(Debug, Default)]
pub struct Report {
    pub path: String,
    pub checks: Vec<Check>,
    pub failures: Vec<Broken>,
    /// Measures without a value, and why.
    pub absent: Vec<(String, String)>,
    pub runs: usize,
}

/// One expectation with one solver at one tolerance.
#[derive(Clone, Debug)]
pub struct Check {
    /// Which of the model's expectations.
    expectation: usize,
    what: String,
    solver: String,
    /// In SI; `unit` for showing them. With bounds, the nearest one and nothing around it.
    expected: f64,
    found: f64,
    allowed: f64,
    relative: bool,
    /// Infinite where there is none.
    bounds: Option<(f64, f64)>,
    /// The tolerance is so wide that it needs a reason, and has none.
    loose: bool,
    unit: Unit,
}

/// A model or a run that failed.
#[derive(Debug)]
pub struct Broken {
    pub solver: String,
    pub cause: Failure,
}

impl Check {
    /// How far the value is from what is expected, or outside its bounds.
    fn error(&self) -> f64 {
        match self.bounds {
            Some((low, high)) => (low - self.found).max(self.found - high).max(self.found * 0.0),
            None => (self.found - self.expected).abs(),
        }
    }

    fn passed(&self) -> bool {
        self.error() <= self.allowed && !self.loose
    }

    /// Share of the tolerance that is used up; not a number counts as most.
    fn used(&self) -> f64 {
        match (self.error(), self.allowed) {
            (0.0, _) => 0.0,
            (error, allowed) if error.is_nan() || allowed == 0.0 => f64::INFINITY,
            (error, allowed) => error / allowed,
        }
    }
}

impl Report {
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
pub fn verify_model(path: &str, args: &VerifyArgs) -> Report {
    verify_with(path, args, Depth::Full, &|sets| Project::open(path, sets))
}

/// How much of a model is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Every expectation with every solver and tolerance it asks for.
    Full,
    /// Every expectation once, up to the first that fails.
    Quick,
}

/// The same for a model that is opened in a way of its own, given values that replace those of the file.
pub fn verify_with(
    path: &str,
    args: &VerifyArgs,
    depth: Depth,
    open: &dyn Fn(&[String]) -> Result<Project, Failure>,
) -> Report {
    let mut report = Report { path: path.into(), ..Report::default() };
    let project = match open(&[]) {
        Ok(project) => project,
        Err(cause) => {
            report.failures.push(Broken { solver: String::new(), cause });
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
                let cause = other.and_then(Result::err).unwrap_or(Failure::Missed);
                report.failures.push(Broken { solver: sets.join(", "), cause });
                continue;
            }
        };
        for overrides in combinations(&project.expect, &sets, args) {
            let quick = depth == Depth::Quick;
            if quick && report.failed() > 0 {
                return report;
            }
            let done = |k: usize| quick && report.checks.iter().any(|c| c.expectation == k);
            let asked = |&k: &usize| {
                project.expect[k].sets == sets && wants(&project.expect[k], args, &overrides) && !done(k)
            };
            let checked: Vec<usize> = (0..project.expect.len()).filter(asked).collect();
            if checked.is_empty() && !project.expect.is_empty() {
                continue;
            }
            if let Err(cause) = check(project, &overrides, &checked, &mut report) {
                let solver = overrides.solver.unwrap_or_else(|| project.run.solver.clone());
                report.failures.push(Broken { solver, cause });
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
fn asked<'a>(expect: &'a Expect, args: &'a VerifyArgs) -> (Vec<Option<&'a str>>, Vec<Option<f64>>) {
    fn or_default<T>(list: Vec<Option<T>>) -> Vec<Option<T>> {
        if list.is_empty() { vec![None] } else { list }
    }
    let solvers = match &args.solver {
        Some(solver) => vec![Some(solver.as_str())],
        None => or_default(expect.solvers.iter().map(|s| Some(s.as_str())).collect()),
    };
    let rtol = match args.rtol {
        Some(rtol) => vec![Some(rtol)],
        None => or_default(expect.rtol.iter().copied().map(Some).collect()),
    };
    (solvers, rtol)
}

/// Each solver and tolerance that some expectation asks for, once. A model without expectations is run as it says.
fn combinations(expect: &[Expect], sets: &[String], args: &VerifyArgs) -> Vec<Overrides> {
    let mut all: Vec<Overrides> = vec![];
    let mut add = |solver: Option<&str>, rtol: Option<f64>| {
        if !all.iter().any(|o| o.solver.as_deref() == solver && o.rtol == rtol) {
            all.push(Overrides { t_end: None, solver: solver.map(String::from), rtol });
        }
    };
    if expect.is_empty() {
        add(args.solver.as_deref(), args.rtol);
    }
    for one in expect.iter().filter(|e| e.sets == sets) {
        let (solvers, rtol) = asked(one, args);
        for solver in solvers {
            rtol.iter().for_each(|&rtol| add(solver, rtol));
        }
    }
    all
}

fn wants(expect: &Expect, args: &VerifyArgs, overrides: &Overrides) -> bool {
    let (solvers, rtol) = asked(expect, args);
    solvers.contains(&overrides.solver.as_deref()) && rtol.contains(&overrides.rtol)
}

fn check(
    project: &Project,
    overrides: &Overrides,
    checked: &[usize],
    report: &mut Report,
) -> Result<(), Failure> {
    let (solver, settings) = settings(&project.run, overrides)?;
    let expect = || checked.iter().map(|&k| &project.expect[k]);
    let probe = Probe::new(project, expect().map(|e| wanted(&e.subject)).collect())?;
    report.runs += 1;
    let (found, outcome) = probe.run(project, &HashMap::new(), (solver, &settings))?;
    outcome.check()?;
    report.absent.extend(found.absent.iter().map(|(k, why)| (probe.wanted()[*k].to_string(), why.clone())));
    for (k, one) in expect().enumerate() {
        let unit = probe.unit(k);
        let si = found.values[k] * unit.factor + unit.offset;
        report.checks.push(Check {
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

fn wanted(subject: &Subject) -> Wanted {
    match subject {
        Subject::Signal { signal, measure, .. } => {
            Wanted::Signal { signal: signal.clone(), measure: *measure }
        }
        Subject::Count { event, .. } => Wanted::Count { event: event.clone() },
        Subject::Time { event, nth, .. } => Wanted::Time { event: event.clone(), nth: *nth },
    }
}

fn solver_text(solver: &Entry, settings: &Settings) -> String {
    match solver.fixed_step {
        true => solver.name.to_string(),
        false => format!("{} {:e}", solver.name, settings.rtol),
    }
}

/// The expected side of a check.
fn compare(project: &Project, expect: &Expect, settings: &Settings) -> Check {
    let (unit, size) = match &expect.subject {
        Subject::Signal { signal, unit, .. } => (unit.clone(), nominal_of(project, signal, unit)),
        Subject::Count { .. } => (Unit::default(), 1.0),
        Subject::Time { .. } => (Unit::si("s"), settings.t_end - settings.t_0),
    };
    let (what, solver) = (String::new(), String::new());
    let blank = Check {
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
        Demand::Within(low, high) => return Check { bounds: Some((low, high)), ..blank },
    };
    let allowed = match tolerance {
        Tolerance::Relative(share) => share * expected.abs(),
        Tolerance::Absolute(allowed) => allowed,
        Tolerance::Rtol(factor) => factor * settings.rtol * (size + expected.abs()),
    };
    let relative = matches!(tolerance, Tolerance::Relative(_));
    let loose = expected != 0.0 && expect.needs_reason(allowed / expected.abs());
    Check { expected, allowed, relative, loose, ..blank }
}

/// Typical size of a signal, the same that error control uses.
fn nominal_of(project: &Project, signal: &str, unit: &Unit) -> f64 {
    let system = &project.prepared.system;
    let own = system.find(signal).and_then(|s| system.quantity(s).nominal.map(|n| n.size));
    own.or_else(|| parse_unit(&unit.text).ok().map(|u| nominal(u.dimension))).unwrap_or(1.0)
}

/// Verdicts that are shown in red.
const BAD: [&str; 3] = ["MISS", "FAILED", "LOOSE"];

fn table(reports: &[Report], all: bool) -> Listing {
    use Align::{Left, Right};
    let mut listing = Listing::new([
        ("model", Left),
        ("check", Left),
        ("solver", Left),
        ("expected", Right),
        ("found", Right),
        ("error", Right),
        ("allowed", Right),
        ("", Left),
    ]);
    for report in reports {
        let mut model = report.path.clone();
        let mut push = |cells: Vec<String>| {
            listing.push(std::iter::once(std::mem::take(&mut model)).chain(cells));
        };
        for check in shown(&report.checks, all) {
            let verdict = match (check.passed(), check.loose) {
                (true, _) => "ok".into(),
                (false, true) => BAD[2].into(),
                (false, false) => BAD[0].into(),
            };
            push(cells(check).into_iter().chain([verdict]).collect());
        }
        let line = |what: &str, solver: &str, verdict: &str| {
            let mut cells = vec![what.to_string(), solver.to_string()];
            cells.extend(std::iter::repeat_n(String::new(), 4));
            cells.push(verdict.into());
            cells
        };
        for failure in &report.failures {
            let what = if failure.solver.is_empty() { "opens" } else { "runs" };
            push(line(what, &failure.solver, BAD[1]));
        }
        if report.checks.is_empty() && report.failures.is_empty() {
            push(line("runs", "", "ok"));
        }
    }
    listing
}

/// All checks, or of each expectation those that miss, or the one nearest to its limit.
fn shown(checks: &[Check], all: bool) -> Vec<&Check> {
    if all {
        return checks.iter().collect();
    }
    let last = checks.iter().map(|c| c.expectation).max().unwrap_or(0);
    let mut list = vec![];
    for expectation in 0..=last {
        let of = || checks.iter().filter(|c| c.expectation == expectation);
        let missed: Vec<&Check> = of().filter(|c| !c.passed()).collect();
        match missed.is_empty() {
            true => list.extend(of().max_by(|a, b| a.used().total_cmp(&b.used()))),
            false => list.extend(missed),
        }
    }
    list
}

fn cells(check: &Check) -> Vec<String> {
    let unit = &check.unit;
    let share = check.allowed / check.expected.abs();
    // Enough digits to see an error of the size that is allowed.
    let digits = if share > 0.0 && share < 1.0 { (2.0 - share.log10()).ceil() as usize } else { 4 };
    let value = |si: f64| match si.is_nan() {
        true => "–".to_string(),
        false => with_unit(unit.shown(si), &unit.text, digits.clamp(4, 14)),
    };
    let difference = |si: f64| match (si.is_nan(), check.relative) {
        (true, _) => "–".to_string(),
        (_, true) => format!("{} %", number(100.0 * si / check.expected.abs(), 2)),
        (_, false) => with_unit(si / unit.factor, &unit.text, 2),
    };
    let (what, solver) = (check.what.clone(), check.solver.clone());
    match check.bounds {
        Some((low, high)) => {
            let wanted = match (low.is_finite(), high.is_finite()) {
                (true, true) => format!("{} … {}", value(low), value(high)),
                (true, false) => format!("≥ {}", value(low)),
                _ => format!("≤ {}", value(high)),
            };
            let outside = Some(check.error()).filter(|e| *e != 0.0).map(difference);
            vec![what, solver, wanted, value(check.found), outside.unwrap_or_default(), String::new()]
        }
        None => {
            let [expected, found] = [check.expected, check.found].map(value);
            vec![what, solver, expected, found, difference(check.error()), difference(check.allowed)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(expectation: usize, found: f64, allowed: f64) -> Check {
        Check {
            expectation,
            what: "max(x)".into(),
            solver: "auto 1e-6".into(),
            expected: 0.029919,
            found,
            allowed,
            relative: false,
            bounds: None,
            loose: false,
            unit: Unit { text: "mm".into(), factor: 1e-3, offset: 0.0 },
        }
    }

    #[test]
    fn a_check_shows_enough_digits() {
        assert!(with(0, 0.029918, 6e-5).passed() && !with(0, f64::NAN, 1.0).passed());
        let near = cells(&with(0, 0.029918, 6e-5));
        assert_eq!(near[2..], ["29.919 mm", "29.918 mm", "0.001 mm", "0.06 mm"]);
        let relative = Check { relative: true, ..with(0, 0.03, 6e-5) };
        assert_eq!(cells(&relative)[4..], ["0.27 %", "0.2 %"]);
        assert_eq!(cells(&with(0, f64::NAN, 1.0))[3..], ["–", "–", "1000 mm"]);
    }

    #[test]
    fn bounds_hold_or_tell_how_far_outside_a_value_is() {
        let bounded =
            |found: f64, low: f64, high: f64| Check { bounds: Some((low, high)), ..with(0, found, 0.0) };
        let (none, much) = (f64::NEG_INFINITY, f64::INFINITY);
        for (found, low, high, passes, wanted, outside) in [
            (0.003, none, 0.004, true, "≤ 4 mm", ""),
            (0.005, none, 0.004, false, "≤ 4 mm", "1 mm"),
            (0.005, 0.004, much, true, "≥ 4 mm", ""),
            (0.003, 0.004, much, false, "≥ 4 mm", "1 mm"),
            (0.004, 0.004, 0.005, true, "4 mm … 5 mm", ""),
            (0.006, 0.004, 0.005, false, "4 mm … 5 mm", "1 mm"),
            (f64::NAN, none, 0.004, false, "≤ 4 mm", "–"),
        ] {
            let check = bounded(found, low, high);
            assert_eq!(check.passed(), passes, "{found} in {low} … {high}");
            let cells = cells(&check);
            assert_eq!((cells[2].as_str(), cells[4].as_str()), (wanted, outside));
        }
        assert!(!Check { loose: true, ..with(0, 0.029919, 1.0) }.passed());
    }

    #[test]
    fn misses_are_all_listed_and_the_worst_that_pass() {
        let checks = [with(0, 0.03, 1e-3), with(0, 0.0301, 1e-3), with(1, 1.0, 1e-3), with(1, f64::NAN, 1.0)];
        let found: Vec<f64> = shown(&checks, false).iter().map(|c| c.found).take(2).collect();
        assert_eq!(found, [0.0301, 1.0]);
        assert_eq!(shown(&checks, false).len(), 3);
        assert_eq!(shown(&checks, true).len(), 4);
    }

    #[test]
    fn components_are_no_models() {
        assert!(looks_like_a_model("# text\n[run]\nt_end = 1"));
        assert!(!looks_like_a_model("title = \"x\"\n[ports]\n"));
    }
}
