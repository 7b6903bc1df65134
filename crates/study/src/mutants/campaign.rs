//! All faults of chosen components, tried one after the other, and what is left unexplained.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use trunnion_engine::Failure;
use trunnion_engine::files::Disk;
use trunnion_model::{ComponentDefinition, Files, Library, Source};
use trunnion_num::text::number;

use super::reasons::{Excuse, Reasons};
use super::sites::{Mutant, Site};
use super::{Example, MutantVerdict, Target};
use crate::monitor::Monitor;
use crate::parallel::for_each;
use crate::request_error::FilesRequestError;
use crate::verify::find_models;

/// What is tried, and how much of it.
#[derive(Clone, Debug, Default)]
pub struct CampaignRequest {
    /// Parts of paths of component files; none: all.
    pub names: Vec<String>,
    /// Folder of the components.
    pub library: String,
    /// Models whose expectations are the checks, or folders with such models.
    pub models: Vec<String>,
    /// File with reasons why a fault may stay unnoticed.
    pub reasons: String,
    pub jobs: usize,
    /// What one check with a fault may take.
    pub limit: Duration,
    /// Whether the common checks of components count too.
    pub common_checks: bool,
    pub effort: CampaignEffort,
}

/// How far a campaign goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CampaignEffort {
    /// Faults are counted.
    Count,
    /// Places that models use are found.
    Places,
    /// Faults are tried.
    #[default]
    Try,
}

/// One fault: numbers of target, site and mutant.
pub type Piece = (usize, usize, usize);

/// What came of the faults of one component.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub tried: usize,
    pub caught: usize,
    /// Survivors that have a reason.
    pub explained: usize,
    pub invalid: usize,
    /// Left out by a rule.
    pub spared: usize,
}

impl Tally {
    fn enter(&mut self, verdict: &MutantVerdict, has_reason: bool) {
        match verdict {
            MutantVerdict::Invalid => self.invalid += 1,
            _ => self.tried += 1,
        }
        match verdict {
            MutantVerdict::Caught(_) => self.caught += 1,
            MutantVerdict::Survived | MutantVerdict::Unused if has_reason => self.explained += 1,
            _ => {}
        }
    }
}

/// One fault that was tried.
pub struct Tried<'a> {
    pub source: &'a Source,
    pub site: &'a Site,
    pub mutant: &'a Mutant,
    pub verdict: MutantVerdict,
    /// Why it may survive.
    pub reason: Option<&'a str>,
}

impl Tried<'_> {
    pub fn survived(&self) -> bool {
        matches!(self.verdict, MutantVerdict::Survived | MutantVerdict::Unused)
    }
}

impl fmt::Display for Tried<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tried { source, site, mutant, .. } = self;
        write!(f, "{}:{}: {}: {}: ", source.name, site.line, site.path, mutant.change)?;
        match &self.verdict {
            MutantVerdict::Caught(by) => write!(f, "caught by {by}")?,
            MutantVerdict::Survived => f.write_str("survives")?,
            MutantVerdict::Unused => f.write_str("used by no check")?,
            MutantVerdict::Invalid => f.write_str("no valid model")?,
        }
        self.reason.map_or(Ok(()), |reason| write!(f, " (reason: {reason})"))
    }
}

/// What came of all of them.
pub struct CampaignOutcome<'a> {
    /// One for each target.
    pub tallies: Vec<Tally>,
    /// Survivors without a reason.
    pub unexplained: usize,
    /// Reasons for survivors that are none.
    pub stale: Vec<&'a Excuse>,
    pub cancelled: bool,
}

impl CampaignOutcome<'_> {
    pub fn sum(&self, of: fn(&Tally) -> usize) -> usize {
        self.tallies.iter().map(of).sum()
    }

    /// Share of faults that were caught, in percent.
    pub fn share(&self) -> f64 {
        let (tried, caught) = (self.sum(|t| t.tried), self.sum(|t| t.caught));
        if tried == 0 { 100.0 } else { 100.0 * caught as f64 / tried as f64 }
    }
}

impl fmt::Display for CampaignOutcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [tried, caught, explained] =
            [self.sum(|t| t.tried), self.sum(|t| t.caught), self.sum(|t| t.explained)];
        let (share, spared) = (number(self.share(), 4), self.sum(|t| t.spared));
        write!(f, "{caught} of {tried} faults caught, {share} %; ")?;
        write!(f, "{explained} survive with a reason, {} without; {spared} spared by rules", self.unexplained)
    }
}

pub struct Campaign {
    request: CampaignRequest,
    library: Library,
    reasons: Reasons,
    chosen: Vec<(Arc<ComponentDefinition>, Arc<Source>)>,
    examples: Vec<Example>,
}

impl Campaign {
    pub fn open(request: CampaignRequest, monitor: &Monitor) -> Result<Self, Failure> {
        let library = Library::load(&Disk, &request.library).map_err(Failure::Model)?;
        let reasons = read_reasons(&request.reasons)?;
        let names = &request.names;
        let wanted = |path: &str| names.is_empty() || names.iter().any(|n| path.contains(n.as_str()));
        let mut chosen: Vec<(Arc<ComponentDefinition>, Arc<Source>)> = vec![];
        for definition in library.iter() {
            for file in std::iter::once(&definition.source).chain(&definition.included) {
                if wanted(&file.name) && !chosen.iter().any(|(_, known)| known.name == file.name) {
                    chosen.push((definition.clone(), file.clone()));
                }
            }
        }
        if chosen.is_empty() {
            return Err(FilesRequestError::NoComponent { library: request.library }.into());
        }
        let mut campaign = Campaign { request, library, reasons, chosen, examples: vec![] };
        if campaign.request.effort != CampaignEffort::Count {
            campaign.examples = campaign.timed_examples(monitor)?;
        }
        Ok(campaign)
    }

    /// The models that use one of the components, each with the time it takes.
    fn timed_examples(&self, monitor: &Monitor) -> Result<Vec<Example>, Failure> {
        let models = find_models(&self.request.models)?;
        let mut examples: Vec<Example> = vec![];
        let mut failing = vec![];
        let only_places = self.request.effort == CampaignEffort::Places;
        let work = |k: usize| {
            let mut example = Example::read(&models[k], &self.library)?;
            let uses = self.chosen.iter().any(|(_, file)| example.uses.iter().any(|u| **u == *file.name));
            uses.then(|| (only_places || example.time(&self.library, monitor), example))
        };
        for_each(models.len(), self.request.jobs, "models", monitor, &work, |_, done| match done {
            Some((true, example)) => examples.push(example),
            Some((false, example)) => failing.push(example.path),
            None => {}
        });
        if !failing.is_empty() {
            return Err(FilesRequestError::FailingModels { models: failing }.into());
        }
        examples.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(examples)
    }

    pub fn targets<'a>(&'a self, monitor: &'a Monitor) -> Vec<Target<'a>> {
        let mut targets = vec![];
        let (limit, common) = (self.request.limit, self.request.common_checks);
        let target =
            |k: usize| Target::new(&self.library, &self.chosen[k], &self.examples, limit, common, monitor);
        for_each(self.chosen.len(), self.request.jobs, "components", monitor, &target, |k, target| {
            targets.push((k, target));
        });
        targets.sort_by_key(|(k, _)| *k);
        targets.into_iter().map(|(_, target)| target).collect()
    }

    /// The places that no model uses, of those that faults would be planted in.
    pub fn unused<'a>(&self, targets: &'a [Target<'_>]) -> Vec<(&'a Source, &'a Site)> {
        let mut unused = vec![];
        for target in targets {
            for (k, site) in target.sites.iter().enumerate() {
                let tried = !site.mutants.is_empty() && self.reasons.rule(&target.source, site).is_none();
                if tried && !target.is_used(k) {
                    unused.push((&*target.source, site));
                }
            }
        }
        unused
    }

    /// All faults to try, and for each component how many are left out by rules.
    fn pieces(&self, targets: &[Target<'_>]) -> (Vec<Piece>, Vec<usize>) {
        let (mut pieces, mut spared) = (vec![], vec![0; targets.len()]);
        for (t, target) in targets.iter().enumerate() {
            for (s, site) in target.sites.iter().enumerate() {
                match self.reasons.rule(&target.source, site) {
                    Some(_) => spared[t] += site.mutants.len(),
                    None => pieces.extend((0..site.mutants.len()).map(|m| (t, s, m))),
                }
            }
        }
        (pieces, spared)
    }

    /// Plants every fault; each is told as soon as its verdict is known. Where only a count is asked for, none is planted.
    pub fn run(
        &self,
        targets: &[Target<'_>],
        monitor: &Monitor,
        mut told: impl FnMut(&Tried<'_>),
    ) -> CampaignOutcome<'_> {
        let (pieces, spared) = self.pieces(targets);
        let mut tallies: Vec<Tally> =
            spared.iter().map(|&spared| Tally { spared, ..Tally::default() }).collect();
        let mut used = vec![false; self.reasons.excuses.len()];
        let mut unexplained = 0;
        let work = |k: usize| {
            let (target, site, mutant): Piece = pieces[k];
            targets[target].verdict(site, mutant)
        };
        let only_counts = self.request.effort == CampaignEffort::Count;
        let n = if only_counts { 0 } else { pieces.len() };
        let cancelled = for_each(n, self.request.jobs, "faults", monitor, &work, |k, verdict| {
            let (t, s, m) = pieces[k];
            let (source, site) = (&*targets[t].source, &targets[t].sites[s]);
            let mutant = &site.mutants[m];
            let excuse = self.reasons.excuse(self.component(source), site, mutant);
            let reason = excuse.map(|k| self.reasons.excuses[k].reason.as_str());
            tallies[t].enter(&verdict, excuse.is_some());
            let tried = Tried { source, site, mutant, verdict, reason };
            unexplained += usize::from(tried.survived() && excuse.is_none());
            if let Some(k) = excuse.filter(|_| tried.survived()) {
                used[k] = true;
            }
            told(&tried);
        });
        let stale = if only_counts { vec![] } else { self.stale(&used, targets) };
        CampaignOutcome { tallies, unexplained, stale, cancelled }
    }

    /// "hydraulic/restrictor" of "library/hydraulic/restrictor.toml".
    fn component<'a>(&self, source: &'a Source) -> &'a str {
        let library = self.request.library.trim_end_matches('/');
        let inside = source.name.strip_prefix(library).unwrap_or(&source.name);
        inside.trim_start_matches('/').trim_end_matches(".toml")
    }

    /// Reasons without a survivor, of the components that were tried.
    fn stale(&self, used: &[bool], targets: &[Target<'_>]) -> Vec<&Excuse> {
        let excuses = self.reasons.excuses.iter().zip(used).filter(|(_, used)| !**used);
        let tried = |excuse: &Excuse| targets.iter().any(|t| self.component(&t.source) == excuse.component);
        // Of a library that is tried as a whole nothing else can have it.
        excuses.map(|(excuse, _)| excuse).filter(|e| self.request.names.is_empty() || tried(e)).collect()
    }
}

fn read_reasons(path: &str) -> Result<Reasons, Failure> {
    if !Path::new(path).exists() {
        return Ok(Reasons::default());
    }
    let refused = |reason: String| Failure::File(trunnion_files::FileError::read(path, reason));
    Ok(Reasons::read(path, &Disk.read(path).map_err(refused)?)?)
}
