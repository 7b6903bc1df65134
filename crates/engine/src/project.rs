//! A model from file to compiled equations, with everything that is wrong with it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use trunnion_equations::structure::UNFIT_START;
use trunnion_equations::{EvaluationEngine, Expr, Flat, Symbol, System, analyse};
use trunnion_model::diagnostic::{did_you_mean, one_of};
use trunnion_model::display::Display;
use trunnion_model::energy::Account;
use trunnion_model::file::TomlText;
use trunnion_model::live::Live;
use trunnion_model::mechanism::Mechanism;
use trunnion_model::network::Network;
use trunnion_model::{ASSUMED_UNIT, Diagnostic, Expect, Model, RunSection, Severity, Sources, UNUSED_VALUE};
use trunnion_multibody::energy;
use trunnion_network::{Causality, account, assign, emit, floating, motion_power};
use trunnion_sim::equilibrium::HeldValues;
use trunnion_sim::machine::Prepared;
use trunnion_sim::solvers::choose::{SOLVERS, find};

use crate::Failure;
use crate::assembly::{assemble, at_rest};
use crate::elastic_bodies::{self, ReductionSettings};
use crate::motions;
use crate::part_shapes::PartShapes;
use crate::robots;
use crate::unused_starts::unused_starts;
use crate::workspace::Workspace;
use trunnion_num::text::{number, with_unit};

const NOT_HELD: &str = "M0318";
const NO_TOLERANCE: &str = "M0408";
/// The code of a run whose end is not given.
pub const NO_END: &str = "M0415";

/// A model ready to run.
pub struct Project {
    pub name: String,
    pub doc: String,
    pub run: RunSection,
    pub live: Live,
    /// Units in which results are to be shown.
    pub display: Display,
    pub expect: Vec<Expect>,
    pub sources: Sources,
    pub warnings: Vec<Diagnostic>,
    /// What `check` tells beside warnings.
    pub notes: Vec<Diagnostic>,
    pub hash: String,
    /// Values that the model proposed for what it leaves open: "name = value".
    pub proposed: Vec<String>,
    /// Parameters that are differences.
    pub differences: Vec<String>,
    /// What was chosen for the options of the model itself.
    pub options: BTreeMap<String, String>,
    pub prepared: Arc<Prepared>,
    pub network: Network,
    pub mechanism: Mechanism,
    pub causality: Causality,
}

impl Project {
    /// Read, check, analyse and compile, in a [`Workspace`] without anything of its own.
    pub fn open(path: &str, values: &[String]) -> Result<Project, Failure> {
        Workspace::default().open(path, values)
    }

    /// Finite elements of the elastic bodies, and how they move.
    pub fn elastic_parts(&self) -> Vec<PartShapes> {
        let elastic = self.mechanism.described.iter().filter(|d| d.part.elastic);
        elastic.map(PartShapes::new).collect()
    }

    /// With results in the units in which they are to be shown.
    pub fn shown(mut self) -> Project {
        if let Some(prepared) = Arc::get_mut(&mut self.prepared) {
            prepared.change_columns(|columns| {
                self.display.apply(columns.iter_mut().map(|c| (c.name.as_str(), &mut c.unit)));
            });
        }
        self
    }

    /// A model that has been read. `complete` may add to the equations before they are analysed.
    pub fn of_model(
        mut model: Model,
        engine: EvaluationEngine,
        units: &Display,
        complete: impl FnOnce(&mut Flat, &Network, &Mechanism),
    ) -> Result<Project, Failure> {
        let reduced = elastic_bodies::complete(&mut model, &ReductionSettings::default())?;
        model.warnings.extend(reduced);
        let mut flat = model.flat;
        let causality = assign(&model.network);
        let findings = causality.findings(&model.network, &flat.graph);
        let findings = findings.iter().map(|f| f.diagnostic(&model.network, &model.sources));
        let (mut notes, mut warnings): (Vec<_>, Vec<_>) =
            model.warnings.into_iter().partition(|d| d.severity == Severity::Note);
        let (errors, found): (Vec<_>, Vec<_>) = findings.partition(|d| d.severity == Severity::Error);
        if !errors.is_empty() {
            return Err(Failure::Model(errors));
        }
        notes.extend(found);
        emit(&mut flat, &model.network, &causality);
        trunnion_multibody::emit(&mut flat, &model.mechanism, &model.sources).map_err(Failure::Model)?;
        complete(&mut flat, &model.network, &model.mechanism);
        let system = analyse(flat).map_err(|errors| {
            let floating = floating(&model.network, &model.sources);
            let structure = errors.iter().map(|e| Diagnostic::from_structure(&model.sources, e));
            Failure::Model(if floating.is_empty() { structure.collect() } else { floating })
        })?;
        if let Some(unknown) = unknown_solver(&model.run) {
            return Err(Failure::Model(vec![unknown]));
        }
        warnings.extend(unfit_starts(&system, &model.sources));
        notes.extend(unused_starts(&system, &model.given_starts));
        notes.extend(endless(&model.run));
        let weak = weak_frictions(&system, &model.sources);
        if !weak.is_empty() {
            return Err(Failure::Model(weak));
        }
        let display = model.display.or(units.clone());
        let mut prepared = Prepared::new(system, engine);
        if let Some(names) = &model.rest {
            prepared.set_rest(held_at_rest(&prepared, names)?);
        }
        prepared.set_tolerances(tolerances(&prepared.system, &model.run.atol_of)?);
        let prepared = Arc::new(prepared);
        let span = (model.run.t_start, model.run.t_end);
        warnings.extend(motions::examine(&prepared.system, &model.mechanism, &model.sources, span)?);
        robots::examine(&prepared.system, &model.sources, span)?;
        let (resting, moving) = at_rest(&prepared, &model.sources, model.run.t_start)?;
        warnings.extend(resting);
        notes.extend(moving);
        warnings.extend(assemble(&prepared, &model.mechanism, &model.sources, model.run.t_start)?);
        Ok(Project {
            name: model.name,
            doc: model.doc,
            run: model.run,
            live: model.live,
            display,
            expect: model.expect,
            sources: model.sources,
            warnings,
            notes,
            network: model.network,
            mechanism: model.mechanism,
            causality,
            hash: model.hash,
            proposed: vec![],
            differences: model.differences,
            options: model.options,
            prepared,
        })
    }

    /// Warnings, and what else every command says: units that were assumed for numbers without one, and values without effect.
    pub fn told(&self) -> impl Iterator<Item = &Diagnostic> {
        self.warnings.iter().chain(self.notes.iter().filter(|n| Project::is_told(n)))
    }

    /// Whether every command tells this note, not only `check`.
    pub fn is_told(note: &Diagnostic) -> bool {
        [ASSUMED_UNIT, UNUSED_VALUE].contains(&note.code)
    }
}

/// What [start] holds, by its places.
fn held_at_rest(prepared: &Prepared, names: &[TomlText]) -> Result<HeldValues, Failure> {
    let mut hold = HeldValues::default();
    let mut wrong = vec![];
    for name in names {
        let unknown = prepared.layout.names.iter().position(|k| *k == name.text);
        match (unknown, prepared.column(&name.text)) {
            (Some(i), _) => hold.unknowns.push(i),
            (None, Some(column)) => hold.outputs.push(column),
            (None, None) => {
                let known = prepared.columns.iter().map(|c| c.name.as_str());
                wrong.push(
                    Diagnostic::error(NOT_HELD, format!("there is no signal `{}` to hold", name.text))
                        .at(&name.span, "no state, and nothing that is recorded, has this name")
                        .hint("name a state, or a signal that is recorded")
                        .hint_if(did_you_mean(&name.text, known)),
                );
            }
        }
    }
    if wrong.is_empty() { Ok(hold) } else { Err(Failure::Model(wrong)) }
}

/// The absolute tolerances the user gave, by unknown; another name of an unknown serves too.
fn tolerances(system: &System, given: &[(TomlText, f64)]) -> Result<Vec<Option<f64>>, Failure> {
    let (mut atol, mut wrong) = (vec![None; system.n()], vec![]);
    let alias = |s: Symbol| {
        let alias = system.aliases.iter().find(|a| a.symbol == s)?;
        system.y_place(system.graph.signed(alias.value)?.0)
    };
    for (name, number) in given {
        let symbol = system.find(&name.text);
        match symbol.and_then(|s| system.y_place(s).or_else(|| alias(s))) {
            Some(i) => atol[i] = Some(*number),
            // A pattern is for those that can have one.
            None if name.span.text().contains('*') => {}
            None => wrong.push(
                Diagnostic::error(NO_TOLERANCE, format!("`{}` has no tolerance of its own", name.text))
                    .at(&name.span, "it follows from states at every instant")
                    .hint("give it to the states it follows from"),
            ),
        }
    }
    if wrong.is_empty() { Ok(atol) } else { Err(Failure::Model(wrong)) }
}

/// Accounts of the network and of the mechanism.
pub fn accounts_of(flat: &mut Flat, network: &Network, mechanism: &Mechanism) -> Vec<Account> {
    let mut accounts = account(flat, network);
    accounts.extend(energy::account(flat, mechanism, |flat, name| motion_power(flat, network, name)));
    accounts
}

/// A run whose end is not given.
fn endless(run: &RunSection) -> Option<Diagnostic> {
    (!run.t_end_given).then(|| {
        Diagnostic::note(NO_END, format!("without `t_end` a run ends at {} s", run.t_end))
            .hint("say how long it takes: t_end = \"10 s\" in [run]")
    })
}

/// A solver of the file that there is not.
fn unknown_solver(run: &RunSection) -> Option<Diagnostic> {
    let (name, span) = (&run.solver, run.solver_span.as_ref()?);
    let known = || SOLVERS.iter().map(|s| s.name);
    find(name).is_none().then(|| {
        Diagnostic::error("M0112", format!("there is no solver `{name}`"))
            .at(span, format!("has to be {}", one_of(known())))
            .hint_if(did_you_mean(name, known()))
    })
}

/// Start values of states that follow from others and start elsewhere.
fn unfit_starts(system: &System, sources: &Sources) -> Vec<Diagnostic> {
    let start = system.start(&HashMap::new());
    let unfit = start.conflicts().into_iter().map(|(reduction, given, actual)| {
        let q = system.quantity(reduction.given_up);
        let [given, actual] = [given, actual].map(|v| with_unit(q.unit.shown(v), &q.unit.text, 6));
        let name = &q.name;
        let others: Vec<&str> = reduction.others.iter().map(|&s| system.quantity(s).name.as_str()).collect();
        let label = match others.as_slice() {
            [] => format!("equation ({}) alone fixes it", reduction.equation),
            some => format!("it follows from {}", one_of(some.iter().copied()).replace(" or ", " and ")),
        };
        Diagnostic::warning(
            UNFIT_START,
            format!("`{name}` starts at {actual}, not at {given}: it is not independent"),
        )
        .at_origin(sources, &reduction.origin, label)
        .hint(format!("give start values that fit each other, or none for `{name}`"))
    });
    unfit.collect()
}

/// Dry friction that holds less than it slides with, which starts and stops without end.
fn weak_frictions(system: &System, sources: &Sources) -> Vec<Diagnostic> {
    let mut start = system.start(&HashMap::new());
    let roots: Vec<Expr> = system.frictions.iter().flat_map(|f| [f.limit, f.sliding]).collect();
    start.settle_relations(&roots);
    let weak = system.frictions.iter().filter_map(|f| {
        let (holds, slides) = (start.evaluate(f.limit), start.evaluate(f.sliding));
        // Rounding of the two terms.
        let weak = slides > holds + 1e-12 * (slides.abs() + holds.abs()) || holds < 0.0;
        let origin = &system.quantity(f.mode).origin;
        weak.then(|| {
            let whose = match origin.component.is_empty() {
                true => "a friction".to_string(),
                false => format!("the friction of `{}`", origin.component),
            };
            let [holds, slides] = [holds, slides].map(|x| number(x, 6));
            Diagnostic::error("M0316", format!("{whose} holds {holds} and slides with {slides} (SI)"))
                .at_origin(sources, origin, "holds less than it slides with")
                .hint("what it holds at rest is at least what it resists with in motion")
        })
    });
    weak.collect()
}
