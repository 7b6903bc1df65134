//! `trunnion compare`: two results, two models, or one model in two ways, signal by signal.
//!
//! Signals are compared at times that both have. Where those are few, at the times of the coarser one, the finer one
//! interpolated linearly. Two runs never place an event at the very same time: a signal that jumps there is compared before with before and
//! after with after; an event that the other one has not, with the values it has about that time. Highest and lowest values, which may lie between
//! rows, are compared too: |max a − max b| ≤ max |a − b|.

use std::path::PathBuf;

use clap::Args;

use crate::commands::run::seconds;
use crate::failure::{usage, usage_hint};
use crate::options::RunOptions;
use crate::output::{Print, say};
use crate::report::AnswerOptions;
use crate::session::{Session, tell_proposed, tell_stopped};
use trunnion_draw::listing::{Align, Listing};
use trunnion_draw::plot::{dash, merged, named_on_axes, save, views};
use trunnion_engine::Failure;
use trunnion_num::text::{count, number, percent, with_unit};
use trunnion_results::Column;
use trunnion_study::compare::{
    ComparisonTimes, Difference, difference, document, labels, missing, pairs, single_times, title,
};
use trunnion_study::display::{self, convert};
use trunnion_study::signals::{Effort, RunChanges, RunSignals, is_model};
use trunnion_study::simulate::Overrides;

/// Signals that are listed, those with the largest differences.
const MOST_LISTED: usize = 20;
/// Signals that are drawn where none are named.
const MOST_DRAWN: usize = 4;

#[derive(Args, Clone, Debug, Default)]
pub struct CompareArgs {
    /// Results or model
    pub a: String,
    /// Results or model to compare with it; without it, the same model with the changes below
    pub b: Option<String>,
    /// Only these signals, separated by commas, with * for anything
    #[arg(short, value_delimiter = ',', value_name = "NAMES")]
    pub y: Vec<String>,
    /// Of both models.
    #[command(flatten)]
    pub options: RunOptions,
    /// Solver of the second model
    #[arg(long, value_name = "NAME")]
    pub solver_b: Option<String>,
    /// Relative tolerance of the second model
    #[arg(long, value_name = "X")]
    pub rtol_b: Option<f64>,
    /// Change something in the second model: a parameter, a fidelity
    #[arg(long, value_name = "PATH=VALUE")]
    pub set_b: Vec<String>,
    /// Exit with 1 if a difference is larger than this share of the signal's range: 0.01 or "1 %"
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub tol: Option<f64>,
    /// List all signals, not only those that differ most
    #[arg(long)]
    pub all: bool,
    /// Draw both, as .svg or .png
    #[arg(long, short = 'o', value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub answer: AnswerOptions,
}

pub fn share(text: &str) -> Result<f64, String> {
    let value = trunnion_model::units::parse_value(text).map_err(|e| e.message)?;
    let plain = value.unit.dimension == trunnion_model::units::Dimension::ONE;
    if plain && value.si >= 0.0 { Ok(value.si) } else { Err("it is a share, as 0.01 or 1 %".into()) }
}

pub fn execute(args: &CompareArgs, session: &Session) -> Result<bool, Failure> {
    let (a, b) = open(args, session)?;
    let times = ComparisonTimes::new(&a.time().values, &b.time().values);
    if times.at.is_empty() {
        return Err(usage("the two have no time in common"));
    }
    let pairs = pairs(&a, &b, &args.y)?;
    let mut differences: Vec<Difference> = pairs.iter().map(|(x, y)| difference(&times, x, y)).collect();
    differences.sort_by(|p, q| q.relative.total_cmp(&p.relative));
    let over = |d: &Difference, tol: f64| d.relative > tol || d.relative.is_nan();
    let beyond = args.tol.map(|tol| differences.iter().filter(|d| over(d, tol)).count());
    let times_text = times.describe().to_string();
    if session.answer(|| document(&a, &b, &times_text, &differences, beyond)).is_none() {
        efforts(&a, &b);
        say(times_text);
        print(&differences, args.all);
        unmatched(&a, &b);
    }
    if let Some(path) = &args.plot {
        draw(&a, &b, &pairs, &differences, args, path)?;
        session.note(path.display());
    }
    if let (Some(tol), Some(n)) = (args.tol, beyond) {
        session.note(match n {
            0 => format!("\nall within {}", percent(tol)),
            n => format!("\n{} differ by more than {}", count(n, "signal"), percent(tol)),
        });
    }
    Ok(beyond.is_none_or(|n| n == 0))
}

fn open(args: &CompareArgs, session: &Session) -> Result<(RunSignals, RunSignals), Failure> {
    let units = display::parse("--units ", args.options.given.units.as_deref().unwrap_or_default())?;
    let changes_a = RunChanges { set: args.options.sets(), units, overrides: args.options.overrides() };
    let Overrides { t_end, solver, rtol } = args.options.overrides();
    let changes_b = RunChanges {
        set: [args.options.sets(), args.set_b.clone()].concat(),
        units: changes_a.units.clone(),
        overrides: Overrides { t_end, solver: args.solver_b.clone().or(solver), rtol: args.rtol_b.or(rtol) },
    };
    let changed = args.solver_b.is_some() || args.rtol_b.is_some() || !args.set_b.is_empty();
    let path_b = match &args.b {
        Some(b) => b,
        None if changed && is_model(&args.a) => &args.a,
        None => {
            return Err(usage_hint(
                "there is nothing to compare with",
                "name a second file, or change the model with --solver-b, --rtol-b or --set-b",
            ));
        }
    };
    let (workspace, monitor) = (&session.workspace, &session.monitor);
    let told = |signals: &RunSignals| {
        tell_proposed(&signals.proposed);
        tell_stopped(&signals.path, signals.stopped.as_ref());
    };
    let a = RunSignals::open(workspace, &args.a, &changes_a, &[], monitor).inspect(told)?;
    // The second model gives values at the times of the first: nothing has to be interpolated. Events have rows of their own.
    let at = single_times(&a.time().values);
    let mut b = RunSignals::open(workspace, path_b, &changes_b, &at, monitor).inspect(told)?;
    // Each of the two may want to be shown in other units.
    for column in &mut b.table.columns {
        if let Ok(same) = a.table.column(&column.name) {
            convert(column, &same.unit);
        }
    }
    Ok((a, b))
}

/// What each run took, and the ratio.
fn efforts(a: &RunSignals, b: &RunSignals) {
    let line = |letter: &str, s: &RunSignals| {
        let of = |key: &str| s.table.metadata.get(key).cloned().unwrap_or_default();
        let rtol = of("rtol").parse::<f64>().map(|r| format!("{r:e}")).unwrap_or_default();
        let work = s
            .effort
            .map(|e| format!("{}, {}", count(e.summary.work.steps as usize, "step"), seconds(e.wall_s)));
        [letter.to_string(), s.path.clone(), format!("{} {rtol}", of("solver")), work.unwrap_or_default()]
    };
    let mut listing = Listing::new([("", Align::Left); 4]);
    listing.push(line("A", a));
    listing.push(line("B", b));
    listing.lines().iter().skip(1).for_each(say);
    if let (Some(Effort { summary: s_a, wall_s: w_a }), Some(Effort { summary: s_b, wall_s: w_b })) =
        (a.effort, b.effort)
    {
        let steps = s_b.work.steps as f64 / s_a.work.steps as f64;
        say(format_args!(
            "B takes {} × the steps and {} × the time of A",
            number(steps, 3),
            number(w_b / w_a, 3)
        ));
    }
}

fn print(differences: &[Difference], all: bool) {
    use Align::{Left, Right};
    let head =
        [("signal", Left), ("largest difference", Right), ("of range", Right), ("at", Right), ("rms", Right)];
    let mut listing = Listing::new(head);
    let differing: Vec<&Difference> = differences.iter().filter(|d| d.max != 0.0).collect();
    let shown = if all { differing.len() } else { MOST_LISTED.min(differing.len()) };
    for d in &differing[..shown] {
        listing.push([
            d.name.clone(),
            with_unit(d.max, &d.unit, 4),
            percent(d.relative),
            format!("{} s", number(d.at, 5)),
            with_unit(d.rms, &d.unit, 4),
        ]);
    }
    if !listing.is_empty() {
        listing.print();
    }
    if differing.len() > shown {
        say(format_args!(
            "… {} with smaller differences (--all lists them)",
            count(differing.len() - shown, "signal")
        ));
    }
    match differences.len() - differing.len() {
        0 => {}
        n if n == differences.len() => {
            say(format_args!("all {} are equal to the last bit", count(n, "signal")))
        }
        1 => say("1 signal is equal to the last bit"),
        n => say(format_args!("{n} signals are equal to the last bit")),
    }
}

/// Says what could not be compared.
fn unmatched(a: &RunSignals, b: &RunSignals) {
    for (n, file) in [(missing(a, b).count(), "A"), (missing(b, a).count(), "B")] {
        if n > 0 {
            say(format_args!("{} only in {file}", count(n, "signal")));
        }
    }
    for x in &a.table.columns {
        if let Some(y) = b.table.columns.iter().find(|y| y.name == x.name && y.unit != x.unit) {
            say(format_args!("`{}` is in {} in A, in {} in B", x.name, unit(&x.unit), unit(&y.unit)));
        }
    }
}

fn unit(text: &str) -> &str {
    if text.is_empty() { "plain numbers" } else { text }
}

/// Both, in the panels of their units: signals that were asked for, that the model plots, or that differ most.
fn draw(
    a: &RunSignals,
    b: &RunSignals,
    pairs: &[(&Column, &Column)],
    differences: &[Difference],
    args: &CompareArgs,
    path: &std::path::Path,
) -> Result<(), Failure> {
    let favourites: Vec<&str> = a.favourites().iter().map(|c| c.name.as_str()).collect();
    let worst: Vec<&str> = differences.iter().map(|d| d.name.as_str()).take(MOST_DRAWN).collect();
    let wanted = |name: &str| match (args.y.is_empty(), favourites.is_empty()) {
        (false, _) => true,
        (true, false) => favourites.contains(&name),
        (true, true) => worst.contains(&name),
    };
    let named = |c: &Column, file: &str| Column { name: format!("{file}: {}", c.name), ..c.clone() };
    let (name_a, name_b) = &labels(a, b);
    let mut charts = vec![];
    for (x, y) in pairs.iter().filter(|(x, _)| wanted(&x.name)) {
        charts.push(views::history(a.time(), &[&named(x, name_a)]));
        charts.push(views::history(b.time(), &[&named(y, name_b)]));
    }
    let mut chart = merged(charts);
    dash(&mut chart, name_b);
    named_on_axes(&mut chart);
    (chart.title, chart.subtitle) = title(a, b);
    save(&chart, path)?;
    Ok(())
}
