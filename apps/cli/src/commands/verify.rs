//! `trunnion verify`: run models and compare with what they expect of themselves.

use std::io::IsTerminal;
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_model::RunSection;
use trunnion_model::expect::LARGEST_SHARE;
use trunnion_num::text::count;
use trunnion_study::parallel::{for_each, workers};
use trunnion_study::simulate::{Overrides, settings};
use trunnion_study::verify::{
    ExpectationCheck, VerifyFailure, VerifyOptions, VerifyReport, find_models, verify_model,
};
use trunnion_study::verify_rows::{BAD, COLUMNS, rows};

use crate::commands::run::seconds;
use crate::failure::render;
use crate::given::Given;
use crate::options::MethodOptions;
use crate::output::{say, say_red, tell};
use crate::report::{AnswerOptions, errors};
use crate::session::Session;

#[derive(Args, Clone, Debug, Default)]
pub struct VerifyArgs {
    /// Model files, or folders with models in them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    /// Solver and tolerance given here replace those that expectations ask for.
    #[command(flatten)]
    pub method: MethodOptions,
    #[command(flatten)]
    pub given: Given,
    /// List every check; otherwise, of those that pass, the one nearest to its limit
    #[arg(long, short)]
    pub all: bool,
    #[command(flatten)]
    pub answer: AnswerOptions,
}

pub fn execute(args: &VerifyArgs, session: &Session) -> Result<bool, Failure> {
    let start = Instant::now();
    // A mistake in the arguments is no fault of the models.
    let Overrides { solver, rtol, .. } = args.method.overrides();
    settings(&RunSection::default(), &args.method.overrides())?;
    let models = find_models(&args.paths)?;
    let mut reports: Vec<Option<VerifyReport>> = models.iter().map(|_| None).collect();
    let options = VerifyOptions { solver, rtol, values: args.given.sets() };
    let monitor = &session.monitor;
    let work = |k: usize| verify_model(&session.workspace, &models[k], &options, monitor);
    let done = |k: usize, report| reports[k] = Some(report);
    let cancelled = for_each(models.len(), workers(), "models", monitor, &work, done);
    let reports: Vec<VerifyReport> = reports.into_iter().flatten().collect();
    if session.answer(|| document(&reports)).is_none() {
        show(&reports, args, session, start);
    }
    let failed: usize = reports.iter().map(VerifyReport::failed).sum();
    match (cancelled, failed) {
        (true, _) => Err(Failure::Cancelled),
        (false, failed) => Ok(failed == 0),
    }
}

fn document(reports: &[VerifyReport]) -> Value {
    let check = |c: &ExpectationCheck| {
        let shown = |si: f64| c.unit.shown(si);
        json!({
            "check": c.what,
            "solver": c.solver,
            "unit": c.unit.text,
            "expected": c.bounds.is_none().then(|| shown(c.expected)),
            "at_least": c.bounds.map(|(low, _)| shown(low)),
            "at_most": c.bounds.map(|(_, high)| shown(high)),
            "found": shown(c.found),
            "error": c.error() / c.unit.factor,
            "allowed": c.allowed / c.unit.factor,
            "passed": c.passed(),
        })
    };
    let failure = |f: &VerifyFailure| json!({ "solver": f.solver, "errors": errors(&f.cause) });
    let model = |r: &VerifyReport| {
        json!({
            "path": r.path,
            "runs": r.runs,
            "passed": r.passed(),
            "failed": r.failed(),
            "checks": r.checks.iter().map(check).collect::<Vec<_>>(),
            "failures": r.failures.iter().map(failure).collect::<Vec<_>>(),
            "without_value": r.absent.iter().map(|(of, why)| json!({ "measure": of, "reason": why })).collect::<Vec<_>>(),
        })
    };
    json!({
        "passed": reports.iter().map(VerifyReport::passed).sum::<usize>(),
        "failed": reports.iter().map(VerifyReport::failed).sum::<usize>(),
        "models": reports.iter().map(model).collect::<Vec<_>>(),
    })
}

fn show(reports: &[VerifyReport], args: &VerifyArgs, session: &Session, start: Instant) {
    let coloured = std::io::stdout().is_terminal() && session.colour;
    // Text to the left, numbers to the right.
    let aligned = |(k, title)| (title, if (3..7).contains(&k) { Align::Right } else { Align::Left });
    let mut listing = Listing::new(COLUMNS.into_iter().enumerate().map(aligned));
    rows(reports, args.all).into_iter().for_each(|row| listing.push(row));
    for line in listing.lines() {
        match BAD.iter().find_map(|word| Some((line.strip_suffix(word)?, word))).filter(|_| coloured) {
            Some((rest, word)) => say_red(rest, word),
            None => say(line),
        }
    }
    for (report, failure) in reports.iter().flat_map(|r| r.failures.iter().map(move |f| (r, f))) {
        let solver =
            if failure.solver.is_empty() { String::new() } else { format!(" with {}", failure.solver) };
        tell(format_args!("\n{}{solver}:", report.path));
        eprint!("{}", render(&failure.cause, session.colour));
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
}
