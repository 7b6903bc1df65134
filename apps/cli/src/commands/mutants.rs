//! `trunnion mutants`: plant small faults in components and list those that no check notices.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use trunnion_model::file::Source;
use trunnion_model::{Definition, Files, Library};

use crate::commands::run::seconds;
use crate::output::{Print, say};
use crate::session::Session;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_engine::files::Disk;
use trunnion_num::text::{count, number};
use trunnion_study::Monitor;
use trunnion_study::mutants::{Example, Reasons, Target, Verdict};
use trunnion_study::parallel::for_each;
use trunnion_study::verify::find_models;

#[derive(Args, Clone, Debug)]
pub struct MutantsArgs {
    /// Only components whose file has this in its path, as `hydraulic/` or `restrictor`
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Folder of the components
    #[arg(long, value_name = "FOLDER", default_value = "library")]
    pub library: String,
    /// Models whose expectations are the checks, or folders with such models
    #[arg(long, value_name = "PATH", default_values = ["examples", "tests/models"])]
    pub models: Vec<String>,
    /// File with reasons why a fault may stay unnoticed
    #[arg(long, value_name = "FILE", default_value = "tests/mutants.toml")]
    pub reasons: String,
    /// How many to try at a time
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub jobs: usize,
    /// Seconds that one check with a fault may take; ten times as long as without it is always allowed
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    pub limit: f64,
    /// Share of faults in percent that have to be caught
    #[arg(long, value_name = "PERCENT", default_value_t = 95.0)]
    pub least: f64,
    /// Only count the faults, without trying them
    #[arg(long)]
    pub count: bool,
    /// Only list the places that no model uses, without trying faults
    #[arg(long)]
    pub unused: bool,
    /// Leave out the common checks of components
    #[arg(long)]
    pub models_only: bool,
    /// List every fault and what caught it
    #[arg(long, short)]
    pub all: bool,
}

/// One fault: numbers of target, site and mutant.
type Piece = (usize, usize, usize);

/// What is told in the end.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    tried: usize,
    caught: usize,
    /// Survivors that have a reason.
    explained: usize,
    invalid: usize,
    /// Left out by a rule.
    spared: usize,
}

impl Tally {
    fn enter(&mut self, verdict: &Verdict, has_reason: bool) {
        match verdict {
            Verdict::Invalid => self.invalid += 1,
            _ => self.tried += 1,
        }
        match verdict {
            Verdict::Caught(_) => self.caught += 1,
            Verdict::Survived | Verdict::Unused if has_reason => self.explained += 1,
            _ => {}
        }
    }
}

pub fn execute(args: &MutantsArgs, session: &Session) -> Result<bool, Failure> {
    let (start, monitor) = (Instant::now(), &session.monitor);
    let library = Library::load(&Disk, &args.library).map_err(Failure::Model)?;
    let reasons = read_reasons(&args.reasons)?;
    let wanted = |path: &str| args.names.is_empty() || args.names.iter().any(|n| path.contains(n.as_str()));
    let mut chosen: Vec<(Arc<Definition>, Arc<Source>)> = vec![];
    for definition in library.iter() {
        for file in std::iter::once(&definition.source).chain(&definition.included) {
            if wanted(&file.name) && !chosen.iter().any(|(_, known)| known.name == file.name) {
                chosen.push((definition.clone(), file.clone()));
            }
        }
    }
    if chosen.is_empty() {
        return Err(Failure::usage(format!("no component of `{}` is called so", args.library)));
    }
    let examples = if args.count { vec![] } else { timed_examples(args, &library, &chosen, monitor)? };
    let limit = Duration::try_from_secs_f64(args.limit).unwrap_or(Duration::from_secs(2));
    let mut targets = vec![];
    for_each(
        chosen.len(),
        args.jobs,
        "components",
        monitor,
        &|k| Target::new(&library, &chosen[k], &examples, limit, !args.models_only, monitor),
        |k, target| targets.push((k, target)),
    );
    targets.sort_by_key(|(k, _)| *k);
    let targets: Vec<Target<'_>> = targets.into_iter().map(|(_, target)| target).collect();
    if args.unused {
        list_unused(&targets, &reasons);
        return Ok(true);
    }
    let (pieces, spared) = pieces(&targets, &reasons);
    let mut tallies = vec![Tally::default(); targets.len()];
    for (tally, spared) in tallies.iter_mut().zip(spared) {
        tally.spared = spared;
    }
    let mut used = vec![false; reasons.excuses.len()];
    let mut unexplained = 0;
    let work = |k: usize| {
        let (target, site, mutant): Piece = pieces[k];
        targets[target].verdict(site, mutant)
    };
    let tried = if args.count { 0 } else { pieces.len() };
    let cancelled = for_each(tried, args.jobs, "faults", monitor, &work, |k, verdict| {
        let (excuse, line) = line_of(args, &targets, pieces[k], &verdict, &reasons);
        let survived = matches!(verdict, Verdict::Survived | Verdict::Unused);
        tallies[pieces[k].0].enter(&verdict, excuse.is_some());
        unexplained += usize::from(survived && excuse.is_none());
        if let Some(k) = excuse.filter(|_| survived) {
            used[k] = true;
        }
        if args.all || survived {
            say(format_args!("{line}"));
        }
    });
    summary(&targets, &tallies, args.count);
    let stale = stale_reasons(&reasons, &used, &targets, args);
    let sum = |of: fn(&Tally) -> usize| tallies.iter().map(of).sum::<usize>();
    let (tried, caught) = (sum(|t| t.tried), sum(|t| t.caught));
    let share = if tried == 0 { 100.0 } else { 100.0 * caught as f64 / tried as f64 };
    let time = seconds(start.elapsed().as_secs_f64());
    say(format_args!(
        "\n{caught} of {tried} faults caught, {} %; {} survive with a reason, {unexplained} without; {} spared by rules; {time}",
        number(share, 4),
        sum(|t| t.explained),
        sum(|t| t.spared),
    ));
    match cancelled {
        true => Err(Failure::Cancelled),
        false if share < args.least || unexplained > 0 || stale => Ok(false),
        false => Ok(true),
    }
}

fn read_reasons(path: &str) -> Result<Reasons, Failure> {
    if !Path::new(path).exists() {
        return Ok(Reasons::default());
    }
    let refused = |reason: String| Failure::File(trunnion_files::Error::read(path, reason));
    Reasons::read(path, &Disk.read(path).map_err(refused)?).map_err(Failure::usage)
}

/// The models that use one of the components, each with the time it takes.
fn timed_examples(
    args: &MutantsArgs,
    library: &Library,
    chosen: &[(Arc<Definition>, Arc<Source>)],
    monitor: &Monitor,
) -> Result<Vec<Example>, Failure> {
    let models = find_models(&args.models)?;
    let mut examples: Vec<Example> = vec![];
    let mut failing = vec![];
    let work = |k: usize| {
        let mut example = Example::read(&models[k], library)?;
        let uses = chosen.iter().any(|(_, file)| example.uses.iter().any(|u| **u == *file.name));
        uses.then(|| (args.unused || example.time(library, monitor), example))
    };
    for_each(models.len(), args.jobs, "models", monitor, &work, |_, done| match done {
        Some((true, example)) => examples.push(example),
        Some((false, example)) => failing.push(example.path),
        None => {}
    });
    if !failing.is_empty() {
        let list = failing.join(", ");
        return Err(Failure::usage(format!("without any fault, these miss their expectations: {list}")));
    }
    examples.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(examples)
}

/// The places that no model uses.
fn list_unused(targets: &[Target<'_>], reasons: &Reasons) {
    for target in targets {
        for (k, site) in target.sites.iter().enumerate() {
            let tried = !site.mutants.is_empty() && reasons.rule(&target.source, site).is_none();
            if tried && !target.is_used(k) {
                say(format_args!("{}:{}: {}", target.source.name, site.line, site.path));
            }
        }
    }
}

/// All faults to try, and for each component how many are left out by rules.
fn pieces(targets: &[Target<'_>], reasons: &Reasons) -> (Vec<Piece>, Vec<usize>) {
    let (mut pieces, mut spared) = (vec![], vec![0; targets.len()]);
    for (t, target) in targets.iter().enumerate() {
        for (s, site) in target.sites.iter().enumerate() {
            match reasons.rule(&target.source, site) {
                Some(_) => spared[t] += site.mutants.len(),
                None => pieces.extend((0..site.mutants.len()).map(|m| (t, s, m))),
            }
        }
    }
    (pieces, spared)
}

/// "hydraulic/restrictor" of "library/hydraulic/restrictor.toml".
fn component<'a>(path: &'a str, library: &str) -> &'a str {
    let inside = path.strip_prefix(library.trim_end_matches('/')).unwrap_or(path);
    inside.trim_start_matches('/').trim_end_matches(".toml")
}

fn line_of(
    args: &MutantsArgs,
    targets: &[Target<'_>],
    (t, s, m): Piece,
    verdict: &Verdict,
    reasons: &Reasons,
) -> (Option<usize>, String) {
    let target = &targets[t];
    let (site, mutant) = (&target.sites[s], &target.sites[s].mutants[m]);
    let excuse = reasons.excuse(component(&target.source.name, &args.library), site, mutant);
    let what = match verdict {
        Verdict::Caught(by) => format!("caught by {by}"),
        Verdict::Survived => "survives".into(),
        Verdict::Unused => "used by no check".into(),
        Verdict::Invalid => "no valid model".into(),
    };
    let why = excuse.map_or(String::new(), |k| format!(" (reason: {})", reasons.excuses[k].reason));
    let line = format!("{}:{}: {}: {}: {what}{why}", target.source.name, site.line, site.path, mutant.change);
    (excuse, line)
}

fn summary(targets: &[Target<'_>], tallies: &[Tally], count_only: bool) {
    use Align::{Left, Right};
    let head = ["faults", "caught", "explained", "survive", "invalid", "spared"];
    let mut listing =
        Listing::new(std::iter::once(("component", Left)).chain(head.into_iter().map(|h| (h, Right))));
    for (target, tally) in targets.iter().zip(tallies) {
        let left = tally.tried - tally.caught - tally.explained;
        if count_only || left > 0 || targets.len() < 20 {
            let all: usize = target.sites.iter().map(|s| s.mutants.len()).sum();
            let tried = if count_only { all - tally.spared } else { tally.tried };
            let cells = [tried, tally.caught, tally.explained, left, tally.invalid, tally.spared];
            let cells = cells.map(|n| n.to_string());
            listing.push(std::iter::once(target.source.name.to_string()).chain(cells));
        }
    }
    if !listing.is_empty() {
        say(format_args!(""));
        listing.print();
    }
    if count_only {
        let all: usize = targets.iter().flat_map(|t| &t.sites).map(|s| s.mutants.len()).sum();
        say(format_args!("\n{} in {}", count(all, "fault"), count(targets.len(), "component")));
    }
}

/// Reasons for survivors that are none: of the components that were tried.
fn stale_reasons(reasons: &Reasons, used: &[bool], targets: &[Target<'_>], args: &MutantsArgs) -> bool {
    let mut stale = false;
    for (excuse, used) in reasons.excuses.iter().zip(used) {
        let tried = targets.iter().any(|t| component(&t.source.name, &args.library) == excuse.component);
        // Of a library that is tried as a whole nothing else can have it.
        if !args.count && !used && (tried || args.names.is_empty()) {
            say(format_args!(
                "{}: the reason for `{}` of `{}` has no survivor: remove it",
                args.reasons, excuse.site, excuse.component
            ));
            stale = true;
        }
    }
    stale
}
