//! `trunnion mutants`: plant small faults in components and list those that no check notices.

use std::time::{Duration, Instant};

use clap::Args;

use crate::commands::run::seconds;
use crate::output::{Print, say};
use crate::session::Session;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_num::text::count;
use trunnion_study::mutants::{Campaign, CampaignEffort, CampaignRequest, Tally, Target};

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

impl MutantsArgs {
    fn request(&self) -> CampaignRequest {
        CampaignRequest {
            names: self.names.clone(),
            library: self.library.clone(),
            models: self.models.clone(),
            reasons: self.reasons.clone(),
            jobs: self.jobs,
            limit: Duration::try_from_secs_f64(self.limit).unwrap_or(Duration::from_secs(2)),
            common_checks: !self.models_only,
            effort: match (self.count, self.unused) {
                (true, _) => CampaignEffort::Count,
                (false, true) => CampaignEffort::Places,
                (false, false) => CampaignEffort::Try,
            },
        }
    }
}

pub fn execute(args: &MutantsArgs, session: &Session) -> Result<bool, Failure> {
    let (start, monitor) = (Instant::now(), &session.monitor);
    let campaign = Campaign::open(args.request(), monitor)?;
    let targets = campaign.targets(monitor);
    if args.unused {
        for (source, site) in campaign.unused(&targets) {
            say(format_args!("{}:{}: {}", source.name, site.line, site.path));
        }
        return Ok(true);
    }
    let outcome = campaign.run(&targets, monitor, |tried| {
        if args.all || tried.survived() {
            say(tried);
        }
    });
    summary(&targets, &outcome.tallies, args.count);
    for excuse in &outcome.stale {
        let (site, component) = (&excuse.site, &excuse.component);
        say(format_args!(
            "{}: the reason for `{site}` of `{component}` has no survivor: remove it",
            args.reasons
        ));
    }
    say(format_args!("\n{}; {}", outcome, seconds(start.elapsed().as_secs_f64())));
    match outcome.cancelled {
        true => Err(Failure::Cancelled),
        false => Ok(outcome.share() >= args.least && outcome.unexplained == 0 && outcome.stale.is_empty()),
    }
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
