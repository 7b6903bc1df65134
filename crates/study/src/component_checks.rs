//! The common checks on a component: those on its file, and runs on a bench with every choice of its options.
//!
//! On a typical bench it has to run; on a soft one it may be that no solution is found, but nothing may be divided by zero; a
//! stiff one counts only where the component takes what it imposes. Whatever runs has to account for its energy:
//! stored + lost − supplied = 0 within 1e-6 of what moved.

use std::collections::HashMap;
use std::sync::Arc;

use trunnion_equations::EvaluationEngine;
use trunnion_equations::flat::{DisplayUnit, Flat, Origin, Output};
use trunnion_model::component::{Reading, is_shared};
use trunnion_model::diagnostic::Problems;
use trunnion_model::display::Display;
use trunnion_model::domain::Domain;
use trunnion_model::file::relative;
use trunnion_model::{ComponentDefinition, Diagnostic, Files, Library, Model, Severity, Span, load};
use trunnion_network::check::{
    Bench, BenchDrive, PortSum, bench, choices, is_equations_only, laws, port_sums,
};
use trunnion_sim::integrate::RunError;
use trunnion_sim::stepper::StepFailure as SolverFailure;

use crate::component_page::page;
use crate::energy::balance_of;
use crate::monitor::Monitor;
use crate::simulate::{Overrides, settings, simulate_to_table};
use trunnion_engine::Failure;
use trunnion_engine::files::Disk;
use trunnion_engine::project::{Project, accounts_of};
use trunnion_files::looks_like_a_component;
use trunnion_num::text::number;

/// Energy that may be missing, as a part of what moved.
const CLOSED: f64 = 1e-6;
/// Energy below this, in J, is what the solver leaves open.
const NOTHING: f64 = 1e-9;
/// Tolerance of the runs with accounts: their error stays well below `CLOSED`.
const FINE: f64 = 1e-9;

/// The code of a force without reaction.
const UNREACTED: &str = "C0007";

/// One of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentCheck {
    /// The file reads, and all formulas fit by dimension.
    Units,
    /// As many equations as unknowns, with every choice of the options.
    Equations,
    /// Where a law has both forms, each is the inverse of the other.
    Causality,
    /// A loss never gives energy.
    Losses,
    /// What goes in at the ports is stored or lost, and has a reaction.
    Power,
    /// It runs with its default values.
    Runs,
    /// Title, formula, sign and limits, and a description of everything.
    Page,
}

impl ComponentCheck {
    pub const ALL: [ComponentCheck; 7] = [
        ComponentCheck::Units,
        ComponentCheck::Equations,
        ComponentCheck::Causality,
        ComponentCheck::Losses,
        ComponentCheck::Power,
        ComponentCheck::Runs,
        ComponentCheck::Page,
    ];

    pub fn word(self) -> &'static str {
        match self {
            ComponentCheck::Units => "units",
            ComponentCheck::Equations => "equations",
            ComponentCheck::Causality => "causality",
            ComponentCheck::Losses => "losses",
            ComponentCheck::Power => "power",
            ComponentCheck::Runs => "runs",
            ComponentCheck::Page => "page",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum CheckVerdict {
    /// Nothing to look at.
    #[default]
    Absent,
    Passed,
    Failed(Vec<Diagnostic>),
}

/// What came of all checks on one component.
#[derive(Debug)]
pub struct ComponentReport {
    pub name: String,
    /// In the order of `Check::ALL`.
    pub verdicts: Vec<CheckVerdict>,
}

impl ComponentReport {
    pub fn findings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.verdicts.iter().flat_map(|v| match v {
            CheckVerdict::Failed(list) => list.as_slice(),
            _ => &[],
        })
    }

    fn new(name: &str) -> Self {
        ComponentReport {
            name: name.to_string(),
            verdicts: vec![CheckVerdict::Absent; ComponentCheck::ALL.len()],
        }
    }

    /// The check was made and found this; nothing is passed.
    fn enter(&mut self, check: ComponentCheck, found: impl IntoIterator<Item = Diagnostic>) {
        let verdict = &mut self.verdicts[check as usize];
        for mut finding in found {
            // The bench is not the user's.
            finding.labels.retain(|l| !Bench::is_part(&l.span.source.name));
            match verdict {
                // The same with other options is the same.
                CheckVerdict::Failed(list) if list.contains(&finding) => {}
                CheckVerdict::Failed(list) => list.push(finding),
                _ => *verdict = CheckVerdict::Failed(vec![finding]),
            }
        }
        if *verdict == CheckVerdict::Absent {
            *verdict = CheckVerdict::Passed;
        }
    }

    fn add(&mut self, other: ComponentReport) {
        for (check, verdict) in ComponentCheck::ALL.into_iter().zip(other.verdicts) {
            match verdict {
                CheckVerdict::Absent => {}
                CheckVerdict::Passed => self.enter(check, None),
                CheckVerdict::Failed(list) => self.enter(check, list),
            }
        }
    }

    fn failed(&self, check: ComponentCheck) -> bool {
        matches!(self.verdicts[check as usize], CheckVerdict::Failed(_))
    }
}

/// Says why a picture cannot be shown.
pub type IconCheck = fn(&str) -> Result<(), String>;

/// Which choices of options are run.
pub(crate) type OptionFilter<'a> = &'a dyn Fn(&[(String, String)]) -> bool;

/// Components to check, with what they can use.
pub struct Bundle {
    pub library: Library,
    pub components: Vec<Arc<ComponentDefinition>>,
    /// What is wrong with the files.
    problems: Vec<Diagnostic>,
}

impl Bundle {
    /// The components in these files; `library` has what else they use, and `beside` may be used too.
    pub fn read(files: &dyn Files, library: &Library, paths: &[String], beside: Vec<String>) -> Self {
        let problems = Problems::default();
        let mut library = library.clone();
        let mut all: Vec<String> = vec![];
        for path in beside.iter().chain(paths) {
            if !all.contains(path) {
                all.push(path.clone());
            }
        }
        let before = library.iter().count();
        library.add_files(all, &Reading::new(files, &problems));
        let mut problems = problems.finish().unwrap_or_else(|errors| errors);
        let concerns =
            |d: &Diagnostic| d.labels.is_empty() || d.labels.iter().any(|l| is_one(&l.span, paths));
        problems.retain(concerns);
        let wanted = |d: &&Arc<ComponentDefinition>| paths.iter().any(|p| **p == *d.source.name);
        let components = library.iter().skip(before).filter(wanted).cloned().collect();
        Bundle { library, components, problems }
    }

    /// The component in one file; those beside it may be used by it.
    pub fn of_file(files: &dyn Files, library: &Library, path: &str) -> Self {
        Bundle::read(files, library, &[path.to_string()], siblings(path))
    }

    /// Everything wrong with the files.
    pub fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        self.problems.iter().filter(|d| d.severity == Severity::Error)
    }

    /// The built-in library.
    pub fn of(library: &Library) -> Self {
        let components = library.iter().cloned().collect();
        Bundle { library: library.clone(), components, problems: vec![] }
    }

    /// One component of a library.
    pub fn single(library: Library, component: Arc<ComponentDefinition>) -> Self {
        Bundle { library, components: vec![component], problems: vec![] }
    }

    /// What cannot be laid to a component: files that could not be read at all.
    pub fn unreadable(&self) -> impl Iterator<Item = &Diagnostic> {
        self.problems.iter().filter(|d| !self.components.iter().any(|c| points_into(d, c)))
    }

    /// All checks on component number k.
    pub fn check(&self, k: usize, files: &dyn Files, icons: IconCheck, monitor: &Monitor) -> ComponentReport {
        let definition = &self.components[k];
        let mut report = ComponentReport::new(&definition.name);
        let reading = self.problems.iter().filter(|d| points_into(d, definition)).cloned();
        report.enter(ComponentCheck::Units, reading);
        if report.failed(ComponentCheck::Units) {
            return report;
        }
        report.enter(ComponentCheck::Page, page(definition));
        report.enter(ComponentCheck::Page, icon(definition, files, icons));
        // A joint or a line moves only in a mechanism.
        if definition.section.is_some() {
            return report;
        }
        self.on_benches(definition, &|_| true, false, monitor, &mut report);
        report
    }

    /// The checks that run component number k, with those choices of its options that are `wanted`, up to the first fault.
    pub(crate) fn check_quickly(
        &self,
        k: usize,
        wanted: OptionFilter<'_>,
        monitor: &Monitor,
    ) -> ComponentReport {
        let definition = &self.components[k];
        let mut report = ComponentReport::new(&definition.name);
        report.enter(
            ComponentCheck::Units,
            self.problems.iter().filter(|d| points_into(d, definition)).cloned(),
        );
        if !report.failed(ComponentCheck::Units) && definition.section.is_none() {
            self.on_benches(definition, wanted, true, monitor, &mut report);
        }
        report
    }

    /// Runs with every choice of the options that is wanted and every drive.
    fn on_benches(
        &self,
        definition: &ComponentDefinition,
        wanted: OptionFilter<'_>,
        first_only: bool,
        monitor: &Monitor,
        report: &mut ComponentReport,
    ) {
        for chosen in choices(definition).into_iter().filter(|chosen| wanted(chosen)) {
            for drive in BenchDrive::ALL {
                let mut one = ComponentReport::new(&definition.name);
                self.on_bench(definition, &chosen, drive, monitor, &mut one);
                if drive == BenchDrive::Typical
                    && one.failed(ComponentCheck::Runs)
                    && has_raw_bonds(definition)
                {
                    one.verdicts[ComponentCheck::Runs as usize] = CheckVerdict::Absent;
                    self.on_bench(definition, &chosen, BenchDrive::Dual, monitor, &mut one);
                }
                let sticks = one.verdicts[ComponentCheck::Equations as usize] == CheckVerdict::Absent;
                if drive == BenchDrive::Typical && sticks {
                    self.on_bench(definition, &chosen, BenchDrive::Rigid, monitor, &mut one);
                }
                report.add(one);
                if first_only && report.findings().next().is_some() {
                    return;
                }
            }
        }
    }

    fn on_bench(
        &self,
        definition: &ComponentDefinition,
        chosen: &[(String, String)],
        drive: BenchDrive,
        monitor: &Monitor,
        report: &mut ComponentReport,
    ) {
        let bench = bench(definition, chosen, drive);
        let trial = BenchTrial { definition, chosen, drive, monitor };
        let model = match self.model(&bench) {
            Ok(model) => model,
            Err(errors) => return report.enter(ComponentCheck::Units, errors),
        };
        let warnings = model.warnings.iter().filter(|d| d.severity != Severity::Note);
        report.enter(ComponentCheck::Units, warnings.cloned());
        let nothing = model.flat.equations.is_empty() && model.network.nodes.is_empty();
        if nothing && model.flat.outputs.is_empty() && model.flat.tasks.is_empty() {
            return;
        }
        if drive == BenchDrive::Typical {
            let found = laws(&model);
            found.causality.into_iter().for_each(|list| report.enter(ComponentCheck::Causality, list));
            found.losses.into_iter().for_each(|list| report.enter(ComponentCheck::Losses, list));
        }
        match (trial.run(model), drive.gives_way()) {
            (Ok(BenchOutcome { missing, unreacted, ran }), gives_way) => {
                if gives_way {
                    report.enter(ComponentCheck::Equations, None);
                    report.enter(ComponentCheck::Runs, ran.err());
                }
                missing.into_iter().for_each(|found| report.enter(ComponentCheck::Power, found));
                unreacted.into_iter().for_each(|found| report.enter(ComponentCheck::Power, found));
            }
            // Friction that sticks needs something that has inertia.
            (Err(errors), true) if errors.iter().all(|e| e.code == "S0008") && drive != BenchDrive::Rigid => {
            }
            (Err(errors), true) => report.enter(ComponentCheck::Equations, errors),
            // It does not take what a stiff drive imposes.
            (Err(_), false) => {}
        }
    }

    fn model(&self, bench: &Bench) -> Result<Model, Vec<Diagnostic>> {
        load(bench, bench.model, &[], &self.library)
    }
}

/// Components in the same folder.
pub(crate) fn siblings(path: &str) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let Ok(entries) = std::fs::read_dir(folder) else { return vec![] };
    let prefix = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let names = entries.flatten().filter_map(|e| e.file_name().into_string().ok());
    let paths = names
        .filter(|name| name.ends_with(".toml") && !is_shared(name))
        .map(|name| format!("{prefix}{name}"));
    paths.filter(|p| Disk.read(p).is_ok_and(|text| looks_like_a_component(&text))).collect()
}

fn has_raw_bonds(definition: &ComponentDefinition) -> bool {
    definition.bodies().flat_map(|b| &b.ports).any(|p| p.domain.is_some_and(Domain::is_raw))
}

fn is_one(span: &Span, paths: &[String]) -> bool {
    paths.iter().any(|p| **p == *span.source.name)
}

fn points_into(diagnostic: &Diagnostic, definition: &ComponentDefinition) -> bool {
    let mut files = std::iter::once(&definition.source).chain(&definition.included);
    files.any(|file| diagnostic.labels.iter().any(|l| l.span.source.name == file.name))
}

/// One run on the bench.
struct BenchTrial<'a> {
    definition: &'a ComponentDefinition,
    chosen: &'a [(String, String)],
    drive: BenchDrive,
    monitor: &'a Monitor,
}

struct BenchOutcome {
    /// Energy that is missing; None: nothing has any.
    missing: Option<Option<Diagnostic>>,
    /// Ports whose forces have no reaction; None: nothing to ask.
    unreacted: Option<Option<Diagnostic>>,
    ran: Result<(), Diagnostic>,
}

impl BenchTrial<'_> {
    /// Err: its equations do not make a system.
    fn run(&self, model: Model) -> Result<BenchOutcome, Vec<Diagnostic>> {
        let mut accounts = vec![];
        let plain = model.clone();
        let sums = port_sums(self.definition, &model);
        // All power into equations counts as lost: that is no check.
        let tautology = is_equations_only(&model.network);
        let project = Project::of_model(
            model,
            EvaluationEngine::Native,
            &Display::default(),
            |flat, network, mechanism| {
                accounts = accounts_of(flat, network, mechanism);
                sums.iter().enumerate().for_each(|(k, sum)| sum_outputs(flat, k, sum));
            },
        );
        let project = project.map_err(|failure| match failure {
            Failure::Model(list) => list,
            other => vec![self.finding("C0006", &other.reason())],
        })?;
        let has_energy = !accounts.is_empty();
        let fine = Overrides { rtol: Some(FINE), ..Overrides::default() };
        if has_energy && let Ok(balance) = balance_of(&project, accounts, &fine, self.monitor) {
            let missing = (balance.rest.abs() > CLOSED * balance.scale + NOTHING).then(|| {
                let part = number(balance.relative(), 3);
                self.finding("C0005", &format!("{part} of the energy that moved is not accounted for"))
            });
            let missing = (!tautology).then_some(missing);
            return Ok(BenchOutcome { missing, unreacted: self.unreacted(&project, &sums), ran: Ok(()) });
        }
        let project = match has_energy {
            true => Project::of_model(plain, EvaluationEngine::Native, &Display::default(), |_, _, _| ())
                .unwrap_or(project),
            false => project,
        };
        let ran = settings(&project.run, &Overrides::default()).and_then(|(solver, settings)| {
            simulate_to_table(&project, &HashMap::new(), (solver, &settings), &self.monitor.quiet())
        });
        let failure = match ran {
            Ok((_, outcome)) if self.is_excused(outcome.error.as_ref()) => None,
            Ok((_, outcome)) => outcome.check().err(),
            Err(failure) => Some(failure),
        };
        let ran = failure.map_or(Ok(()), |f| Err(self.finding("C0006", &f.reason())));
        Ok(BenchOutcome { missing: None, unreacted: None, ran })
    }

    /// Forces, currents or flows of ports that do not cancel though the component stands between them alone.
    fn unreacted(&self, project: &Project, sums: &[PortSum]) -> Option<Option<Diagnostic>> {
        let (solver, settings) =
            settings(&project.run, &Overrides::default()).ok().filter(|_| !sums.is_empty())?;
        let ran = simulate_to_table(project, &HashMap::new(), (solver, &settings), &self.monitor.quiet());
        let (table, _) = ran.ok()?;
        for (k, sum) in sums.iter().enumerate() {
            let largest = |what: &str| {
                let column = table.column(&format!("{what}.{k}")).ok()?;
                Some(column.values.iter().fold(0.0, |m: f64, x| m.max(x.abs())))
            };
            let (rest, size) = (largest("reaction")?, largest("reaction_size")?);
            if rest > CLOSED * size {
                let ports = sum.ports.join("`, `");
                let text = format!(
                    "the {} at `{ports}` does not cancel though only differences between them count: {} of it has no reaction",
                    sum.through,
                    number(rest / size, 3)
                );
                return Some(Some(self.finding(UNREACTED, &text)));
            }
        }
        Some(None)
    }

    /// A drive without mass or volume may leave a law without a solution; a value that is none is the law's own fault.
    fn is_excused(&self, error: Option<&RunError>) -> bool {
        let not_finite = matches!(
            error,
            Some(
                RunError::NotFinite { .. }
                    | RunError::Solver { failure: SolverFailure::NotFinite { .. }, .. }
            )
        );
        !matches!(self.drive, BenchDrive::Typical | BenchDrive::Dual | BenchDrive::Rigid) && !not_finite
    }

    fn finding(&self, code: &'static str, what: &str) -> Diagnostic {
        let top = Span::new(&self.definition.source, 0..0);
        let options: Vec<String> =
            self.chosen.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let with = if options.is_empty() { String::new() } else { format!(", {}", options.join(", ")) };
        let message = format!("`{}` {}{with}: {what}", self.definition.name, self.drive.phrase());
        Diagnostic::error(code, message).at(&top, "this component, with its default values")
    }
}

/// Records the sum that should be zero, and its size.
fn sum_outputs(flat: &mut Flat, k: usize, sum: &PortSum) {
    for (what, value) in [("reaction", sum.sum), ("reaction_size", sum.size)] {
        let name = format!("{what}.{k}");
        let (unit, doc, origin) = (DisplayUnit::default(), String::new(), Origin::default());
        flat.outputs.push(Output { name, unit, doc, origin, value });
    }
}

/// Larger pictures are no icons.
const LARGEST_ICON: usize = 16 << 10;

/// What is wrong with the icon, if it names one.
fn icon(definition: &ComponentDefinition, files: &dyn Files, check: IconCheck) -> Option<Diagnostic> {
    let name = definition.icon.as_ref()?;
    let fault = match files.read(&relative(&definition.source.name, name)) {
        Err(reason) => reason,
        Ok(text) if text.len() > LARGEST_ICON => format!("it has more than {} kB", LARGEST_ICON >> 10),
        Ok(text) => check(&text).err()?,
    };
    let start = definition.source.text.find(name.as_str()).unwrap_or(0);
    let place = Span::new(&definition.source, start..start + name.len());
    let error =
        Diagnostic::error("C0001", format!("the icon `{name}` of `{}` cannot be shown", definition.name));
    Some(error.at(&place, fault).hint("an icon is a small SVG beside the component's file"))
}
