//! Planting faults in components, and seeing whether the checks that use them notice.
//!
//! A mutant is a component file with one fault (`faults`) in one place (`sites`). It is caught when an expectation of a model
//! that uses the component fails with it, or a common check of the component itself. Models are asked in the order of
//! the time they take, those first that caught neighbours. A fault that no expectation notices is a law that nothing tests.

mod campaign;
mod coverage;
mod faults;
mod reasons;
mod sites;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use trunnion_equations::EvaluationEngine;
use trunnion_model::component::Reading;
use trunnion_model::diagnostic::Problems;
use trunnion_model::{ComponentDefinition, Diagnostic, Files, Library, Model, Source, load};

use crate::component_checks::Bundle;
use crate::monitor::Monitor;
use crate::verify::{Depth, VerifyOptions, VerifyReport, variants, verify_with};
use trunnion_engine::Failure;
use trunnion_engine::Project;
use trunnion_engine::files::Disk;
use trunnion_engine::given::split;
use trunnion_model::display::Display;

pub use campaign::{Campaign, CampaignEffort, CampaignOutcome, CampaignRequest, Piece, Tally, Tried};
pub use reasons::{ExclusionRule, Excuse, Reasons};
pub use sites::{Mutant, Site, is_number, sites};

use coverage::reached;

/// A run with a fault may take so many times what it takes without.
const LONGER: u32 = 10;

/// One file of the library in another wording.
pub struct Overlay<'a> {
    path: &'a str,
    text: &'a str,
}

impl Files for Overlay<'_> {
    fn read(&self, path: &str) -> Result<String, String> {
        if path == self.path { Ok(self.text.to_string()) } else { Disk.read(path) }
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        Disk.list(folder)
    }
}

/// The library with one component in another wording.
pub(crate) fn reworded(library: &Library, path: &str, text: &str) -> Result<Library, Vec<Diagnostic>> {
    let problems = Problems::default();
    let mut library = library.clone();
    // What is shared changes all components that include it.
    let is_of = |d: &&Arc<ComponentDefinition>| d.included.iter().any(|s| &*s.name == path);
    let mut paths: Vec<String> = library.iter().filter(is_of).map(|d| d.source.name.to_string()).collect();
    if paths.is_empty() {
        paths.push(path.to_string());
    }
    library.add_files(paths, &Reading::new(&Overlay { path, text }, &problems));
    problems.finish().map(|_| library)
}

/// A model with expectations.
pub struct Example {
    pub path: String,
    /// The values its expectations set.
    pub variants: Vec<Vec<String>>,
    /// Files of the components it uses, however deep.
    pub uses: Vec<String>,
    /// The quicker one of the two.
    engine: EvaluationEngine,
    /// What verifying it takes.
    pub time: Duration,
}

fn model_of(path: &str, sets: &[String], library: &Library) -> Result<Model, Failure> {
    let sets = sets.iter().map(|s| split(s)).collect::<Result<Vec<_>, _>>()?;
    load(&Disk, path, &sets, library).map_err(Failure::Model)
}

impl Example {
    /// None: it cannot be read, or there is nothing to verify.
    pub fn read(path: &str, library: &Library) -> Option<Example> {
        let model = model_of(path, &[], library).ok()?;
        if model.expect.is_empty() {
            return None;
        }
        let variants = variants(&model.expect);
        let mut uses: Vec<String> = model.sources.iter().map(|s| s.name.to_string()).collect();
        for sets in &variants {
            let model = model_of(path, sets, library).ok()?;
            uses.extend(model.sources.iter().map(|s| s.name.to_string()));
        }
        uses.sort();
        uses.dedup();
        let (engine, time) = (EvaluationEngine::Native, Duration::ZERO);
        Some(Example { path: path.into(), variants, uses, engine, time })
    }

    fn verify(&self, library: &Library, engine: EvaluationEngine, monitor: &Monitor) -> VerifyReport {
        verify_with(&self.path, &VerifyOptions::default(), Depth::Quick, monitor, &|sets| {
            let model = model_of(&self.path, sets, library)?;
            Project::of_model(model, engine, &Display::default(), |_, _, _| ())
        })
    }

    /// Takes its time without a fault, in both ways; false if it fails.
    pub fn time(&mut self, library: &Library, monitor: &Monitor) -> bool {
        for engine in [EvaluationEngine::Native, EvaluationEngine::Interpreter] {
            let limit = if engine == EvaluationEngine::Native { Duration::from_secs(120) } else { self.time };
            let start = Instant::now();
            let report = self.verify(library, engine, &monitor.within(limit));
            let took = start.elapsed();
            if engine == EvaluationEngine::Native && report.failed() > 0 {
                return false;
            }
            if engine == EvaluationEngine::Native || (report.failed() == 0 && took < self.time) {
                (self.engine, self.time) = (engine, took);
            }
        }
        true
    }
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MutantVerdict {
    /// By which check.
    Caught(String),
    Survived,
    /// No check uses what was changed.
    Unused,
    /// It does not read, or its dimensions do not fit: such a mistake would be seen at once.
    Invalid,
}

/// One component, or a file that it includes, its faults, and the checks that may find them.
pub struct Target<'a> {
    library: &'a Library,
    pub source: Arc<Source>,
    definition: Arc<ComponentDefinition>,
    pub sites: Vec<Site>,
    examples: Vec<&'a Example>,
    /// By site, whether an example uses it.
    reached: Vec<Vec<bool>>,
    /// Faults found so far, by check; the last one are the common checks.
    kills: Mutex<HashMap<usize, u32>>,
    limit: Duration,
    common: bool,
    monitor: &'a Monitor,
}

impl<'a> Target<'a> {
    pub fn new(
        library: &'a Library,
        (definition, source): &(Arc<ComponentDefinition>, Arc<Source>),
        examples: &'a [Example],
        limit: Duration,
        common: bool,
        monitor: &'a Monitor,
    ) -> Self {
        let source = source.clone();
        let sites = sites(&source);
        let examples: Vec<&Example> =
            examples.iter().filter(|e| e.uses.iter().any(|u| **u == *source.name)).collect();
        let by_example: Vec<Vec<bool>> =
            examples.iter().map(|e| reached(library, &source, &sites, e)).collect();
        let reached = (0..sites.len()).map(|k| by_example.iter().map(|of| of[k]).collect()).collect();
        let (definition, kills) = (definition.clone(), Mutex::default());
        Target { library, source, definition, sites, examples, reached, kills, limit, common, monitor }
    }

    /// Whether a model uses a site.
    pub(crate) fn is_used(&self, site: usize) -> bool {
        self.reached[site].contains(&true)
    }

    /// The checks that use a site, the most promising first: numbers of examples, and one more for the common checks.
    fn checks(&self, site: usize) -> Vec<usize> {
        let kills = self.kills.lock().map(|k| k.clone()).unwrap_or_default();
        let n = self.examples.len();
        let mut list: Vec<usize> = (0..n).filter(|&e| self.reached[site][e]).collect();
        if self.common && self.definition.section.is_none() {
            list.push(n);
        }
        let time = |c: &usize| self.examples.get(*c).map_or(0.2, |e| e.time.as_secs_f64());
        let price = |c: &usize| time(c) / f64::from(1 + kills.get(c).copied().unwrap_or(0));
        list.sort_by(|a, b| price(a).total_cmp(&price(b)));
        list
    }

    /// Plants one fault and runs checks until one fails.
    pub fn verdict(&self, site: usize, mutant: usize) -> MutantVerdict {
        let place = &self.sites[site];
        let text = place.with(&self.source, &place.mutants[mutant].text);
        let Ok(library) = reworded(self.library, &self.source.name, &text) else {
            return MutantVerdict::Invalid;
        };
        let mut used = false;
        for check in self.checks(site) {
            used |= check < self.examples.len();
            let name = self.examples.get(check).map_or("common checks", |e| e.path.as_str());
            let found = catch_unwind(AssertUnwindSafe(|| match self.examples.get(check) {
                Some(example) => self.by_example(example, &library),
                None => self.by_common_checks(place, &library),
            }));
            match found {
                Ok(MutantEvidence::Nothing) => {}
                Ok(MutantEvidence::Invalid) => return MutantVerdict::Invalid,
                Ok(MutantEvidence::Fault) => {
                    if let Ok(mut kills) = self.kills.lock() {
                        *kills.entry(check).or_insert(0) += 1;
                    }
                    return MutantVerdict::Caught(name.to_string());
                }
                Err(_) => return MutantVerdict::Caught(format!("panic in {name}")),
            }
        }
        if used { MutantVerdict::Survived } else { MutantVerdict::Unused }
    }

    fn by_example(&self, example: &Example, library: &Library) -> MutantEvidence {
        let limit = self.limit.max(example.time * LONGER);
        let report = self
            .in_time(limit, library, &|library, monitor| example.verify(library, example.engine, monitor));
        let refused = report.failures.iter().find_map(|broken| match &broken.cause {
            Failure::Model(errors) => Some(MutantEvidence::of(errors)),
            _ => None,
        });
        match refused {
            Some(found) => found,
            None if report.failed() > 0 => MutantEvidence::Fault,
            None => MutantEvidence::Nothing,
        }
    }

    fn by_common_checks(&self, site: &Site, library: &Library) -> MutantEvidence {
        let wanted = |chosen: &[(String, String)]| match &site.when {
            Some((option, is)) => chosen.iter().any(|(name, value)| name == option && is.contains(value)),
            None => true,
        };
        let check = |library: &Library, monitor: &Monitor| {
            let definition = library.find(&self.definition.name)?;
            let report =
                Bundle::single(library.clone(), definition.clone()).check_quickly(0, &wanted, monitor);
            Some(report.findings().cloned().collect::<Vec<_>>())
        };
        match self.in_time(self.limit, library, &check) {
            None => MutantEvidence::Invalid,
            Some(found) if found.is_empty() => MutantEvidence::Nothing,
            Some(found) => MutantEvidence::of(&found),
        }
    }

    /// What a check says of a library with a fault, within a limit. A machine that is busy otherwise is no fault: where the
    /// limit is passed, what the check takes without the fault is measured again.
    fn in_time<T>(&self, limit: Duration, library: &Library, check: &dyn Fn(&Library, &Monitor) -> T) -> T {
        let start = Instant::now();
        let found = check(library, &self.monitor.within(limit));
        if start.elapsed() < limit {
            return found;
        }
        let start = Instant::now();
        check(self.library, self.monitor);
        let longer = start.elapsed() * LONGER;
        if longer > limit { check(library, &self.monitor.within(longer)) } else { found }
    }
}

enum MutantEvidence {
    Nothing,
    Fault,
    Invalid,
}

impl MutantEvidence {
    /// A value out of range, an unfit system and a failed check are found by checking; what does not read is no mutant.
    fn of(errors: &[Diagnostic]) -> MutantEvidence {
        let reads = |d: &Diagnostic| !d.code.starts_with(['M', 'L']) || d.code == "M0108";
        if errors.iter().all(reads) { MutantEvidence::Fault } else { MutantEvidence::Invalid }
    }
}
