//! One model for many values of its parameters, on all cores.
//!
//! The model is compiled once; each run gets its parameters beside the compiled code, and gives the same bits as a run of
//! its own with these values.

use std::collections::HashMap;

use trunnion_engine::given::measuring;
use trunnion_engine::{Failure, Project, Workspace};
use trunnion_equations::Symbol;
use trunnion_equations::flat::QuantityRole;
use trunnion_model::units::Unit;
use trunnion_model::{ASSUMED_UNIT, Diagnostic, RunSection};
use trunnion_results::{Column, Table};
use trunnion_sim::run::Settings;
use trunnion_sim::solvers::choose::SolverEntry;

use crate::measure::{MeasureKind, MeasuredValues, Probe};
use crate::monitor::Monitor;
use crate::parallel::{for_each, workers};
use crate::range::{self, Range};
use crate::request_error::GridError;
use crate::simulate::{Overrides, metadata, settings};

/// More runs than are practical.
const MOST_RUNS: usize = range::MOST;

/// What is to be run.
#[derive(Clone, Debug, Default)]
pub struct SweepRequest {
    pub model: String,
    /// "k=100:200:11", "k=1 N/m:1000 N/m:4:log" or "k=1,2,5".
    pub parameters: Vec<String>,
    /// "max(body.x)", "at(body.x, 2 s)", "count(event)" …
    pub measures: Vec<String>,
    /// Changes for all runs, each as "path=value".
    pub values: Vec<String>,
    pub overrides: Overrides,
}

/// What came of all runs.
#[derive(Debug, Default)]
pub struct SweepOutcome {
    /// Measures of each run; None where it was not begun or not finished.
    pub rows: Vec<Option<Vec<f64>>>,
    pub failures: Vec<(usize, Failure)>,
    /// Run, measure, and why it has no value.
    pub absent: Vec<(usize, usize, String)>,
    /// Why a row could not be written.
    pub lost: Option<trunnion_results::ResultsError>,
    pub cancelled: bool,
}

/// A parameter and the values it takes.
pub struct Swept {
    pub name: String,
    symbol: Symbol,
    pub unit: Unit,
    doc: String,
    /// In `unit`.
    pub values: Vec<f64>,
    pub log: bool,
    /// Some value was given without a unit.
    bare: bool,
}

/// Everything the runs share.
pub struct Sweep<'a> {
    workspace: &'a Workspace,
    pub project: Project,
    pub swept: Vec<Swept>,
    pub probe: Probe,
    solver: &'static SolverEntry,
    settings: Settings,
    /// The model, and how it is changed for all runs, where the settings of a run depend on a swept parameter
    /// (`t_end = "5*tau"`) and have to be read again.
    reread: Option<(String, Vec<String>, Overrides)>,
}

impl<'a> Sweep<'a> {
    pub fn open(workspace: &'a Workspace, args: &SweepRequest) -> Result<Self, Failure> {
        let wanted = args.measures.iter().map(|m| MeasureKind::parse(m)).collect::<Result<Vec<_>, _>>()?;
        let signals = wanted.iter().filter_map(MeasureKind::signal);
        let set = measuring(&args.values, signals);
        // A parameter that is left open has the values it is swept over.
        let firsts: Vec<String> = args.parameters.iter().map(|p| first(p)).collect();
        let answered = workspace.answered(&args.model, &workspace.completed(&args.model, &set, &firsts)?)?;
        let set = answered.values;
        let project = Project { proposed: answered.proposed, ..workspace.open(&args.model, &set)? };
        let probe = Probe::new(&project, wanted)?;
        let overrides = args.overrides.clone();
        let (solver, settings) = settings(&project.run, &overrides)?;
        let mut swept: Vec<Swept> = vec![];
        let mut moves = false;
        for text in &args.parameters {
            let one = Swept::read(text, workspace, &project, &args.model, &set)?;
            if swept.iter().any(|s| s.name == one.name) {
                return Err(GridError::SweptTwice { name: one.name }.into());
            }
            // Range and unit are checked by the reader of the model, at both ends.
            for value in [one.values[0], one.values[one.values.len() - 1]] {
                let model = workspace.read(&args.model, &with(&set, &one.name, value))?;
                moves |= fingerprint(&model.run) != fingerprint(&project.run);
            }
            swept.push(one);
        }
        let reread = moves.then(|| (args.model.clone(), set, overrides));
        Ok(Sweep { workspace, project, swept, probe, solver, settings, reread })
    }

    pub fn runs(&self) -> Result<usize, Failure> {
        let product = self.swept.iter().try_fold(1_usize, |n, s| n.checked_mul(s.values.len()));
        let few = product.filter(|n| *n <= MOST_RUNS);
        few.ok_or_else(|| GridError::TooManyRuns { most: MOST_RUNS }.into())
    }

    /// Values of the parameters in run k, in their units; the last parameter changes fastest.
    pub fn values(&self, mut k: usize) -> Vec<f64> {
        let mut values: Vec<f64> = self
            .swept
            .iter()
            .rev()
            .map(|s| {
                let value = s.values[k % s.values.len()];
                k /= s.values.len();
                value
            })
            .collect();
        values.reverse();
        values
    }

    /// The measures of run k, in the units they are shown in.
    pub fn run(&self, k: usize, monitor: &Monitor) -> Result<MeasuredValues, Failure> {
        let values = self.values(k);
        let pairs = || self.swept.iter().zip(&values);
        let given: HashMap<Symbol, f64> = pairs().map(|(s, &v)| (s.symbol, s.unit.to_si(v))).collect();
        let own = match &self.reread {
            Some((model, set, overrides)) => {
                let set = pairs().fold(set.clone(), |set, (s, &v)| with(&set, &s.name, v));
                Some(settings(&self.workspace.read(model, &set)?.run, overrides)?.1)
            }
            None => None,
        };
        let settings = own.as_ref().unwrap_or(&self.settings);
        let (measured, outcome) = self.probe.run(&self.project, &given, (self.solver, settings), monitor)?;
        outcome.check()?;
        Ok(measured)
    }

    pub fn header(&self) -> Table {
        let parameters = self.swept.iter().map(|s| Column::new(&s.name, &s.unit.text, &s.doc));
        let wanted = self.probe.wanted().iter().enumerate();
        let measures = wanted.map(|(k, w)| Column::new(w.to_string(), &self.probe.unit(k).text, ""));
        Table {
            columns: parameters.chain(measures).collect(),
            metadata: metadata(&self.project, self.solver.name, &self.settings),
        }
    }

    pub fn row(&self, k: usize, measured: &[f64]) -> Vec<f64> {
        let mut row = self.values(k);
        row.extend(measured);
        row
    }

    /// "k = 100 N/m, c = 2 N s/m" of run k.
    pub fn named(&self, k: usize) -> String {
        let values = self.values(k);
        let at = self.swept.iter().zip(values).map(|(s, v)| format!("{} = {}", s.name, shown(v, &s.unit)));
        at.collect::<Vec<_>>().join(", ")
    }

    /// All runs on all cores. `row` gets them in their order as far as possible, so that a killed sweep leaves a table without holes.
    pub fn run_all(
        &self,
        n: usize,
        monitor: &Monitor,
        row: &mut dyn FnMut(&[f64]) -> Result<(), trunnion_results::ResultsError>,
    ) -> SweepOutcome {
        let mut all = SweepOutcome { rows: vec![None; n], ..SweepOutcome::default() };
        let mut written = 0;
        all.cancelled = for_each(n, workers(), "runs", monitor, &|k| self.run(k, monitor), |k, result| {
            all.rows[k] = match result {
                Ok(MeasuredValues { values, absent }) => {
                    all.absent.extend(absent.into_iter().map(|(m, why)| (k, m, why)));
                    Some(values)
                }
                // Not finished: as if it had not been begun.
                Err(Failure::Cancelled) => None,
                Err(failure) => {
                    all.failures.push((k, failure));
                    Some(vec![f64::NAN; self.probe.wanted().len()])
                }
            };
            while let Some(Some(values)) = all.rows.get(written) {
                all.lost = row(&self.row(written, values)).err().or(all.lost.take());
                written += 1;
            }
        });
        for k in written..n {
            if let Some(values) = &all.rows[k] {
                all.lost = row(&self.row(k, values)).err().or(all.lost.take());
            }
        }
        all.failures.sort_by_key(|(k, _)| *k);
        all.absent.sort();
        all
    }
}

impl Swept {
    fn read(
        text: &str,
        workspace: &Workspace,
        project: &Project,
        model: &str,
        set: &[String],
    ) -> Result<Self, Failure> {
        let (name, range) = range::split(text)?;
        let (name, system) = (name.to_string(), &project.prepared.system);
        let symbol = match find(&name, project) {
            Some(symbol) => symbol,
            None => {
                // The reader of models knows what can be set, and what may have been meant.
                workspace.read(model, &[set.to_vec(), vec![first(text)]].concat())?;
                return Err(GridError::CannotBeSwept { name }.into());
            }
        };
        let quantity = system.quantity(symbol);
        let unit = range::unit(&quantity.unit);
        let difference = project.differences.contains(&name);
        let Range { values, log, bare } = Range::read(text, &name, range, &unit, difference)?;
        Ok(Swept { name, symbol, unit, doc: quantity.doc.clone(), values, log, bare })
    }

    /// How numbers without a unit were read.
    pub fn assumed_unit(&self) -> Option<Diagnostic> {
        let in_unit = self.bare && !["", "1"].contains(&self.unit.text.as_str());
        let ends = [self.values.first()?, self.values.last()?].map(|&v| shown(v, &self.unit));
        let note = Diagnostic::note(ASSUMED_UNIT, format!("{} read as {} … {}", self.name, ends[0], ends[1]));
        in_unit.then(|| note.hint(format!("as in {}=\"{}:{}:3\"", self.name, ends[0], ends[1])))
    }
}

/// "k=100" of "k=100:200:11".
fn first(text: &str) -> String {
    let (name, range) = text.split_once('=').unwrap_or((text, ""));
    format!("{}={}", name.trim(), range.split([':', ',']).next().unwrap_or_default().trim())
}

/// The quantity a name means: a parameter, an input or mode, or, with `start.`, a start value.
fn find(name: &str, project: &Project) -> Option<Symbol> {
    let system = &project.prepared.system;
    let starts = |kind: &QuantityRole| matches!(kind, QuantityRole::Unknown { .. });
    if let Some(symbol) = system.find(name).filter(|&s| !starts(&system.quantity(s).kind)) {
        return Some(symbol);
    }
    let variable = match name.rsplit_once("start.")? {
        (path, variable) if path.is_empty() || path.ends_with('.') => format!("{path}{variable}"),
        _ => return None,
    };
    system.find(&variable).filter(|&s| starts(&system.quantity(s).kind))
}

fn shown(value: f64, unit: &Unit) -> String {
    if unit.text.is_empty() { format!("{value:?}") } else { format!("{value:?} {}", unit.text) }
}

/// A bare number counts in the unit of the parameter.
fn with(set: &[String], name: &str, value: f64) -> Vec<String> {
    let mut set = set.to_vec();
    set.push(format!("{name}={value:?}"));
    set
}

/// What of the settings could depend on a parameter.
fn fingerprint(run: &RunSection) -> String {
    format!("{:?}", RunSection { solver_span: None, ..run.clone() })
}
