//! The code of a model, shared between runs: of an image alone, or of an analysed model.

use std::collections::HashMap;
use std::sync::Arc;

use trunnion_equations::image::{ColumnSource, ImageColumn, RestStart};
use trunnion_equations::program::Programs;
use trunnion_equations::{Compiled, EvaluationEngine, Expr, Image, ProgramKind, Symbol, System};

use super::clamp::{Clamp, clamps};
use crate::equilibrium::HeldValues;
use crate::problem::{Direction, Guard, GuardRole, Layout};

/// An image with its code: all that a run needs, for any number of runs on any number of threads.
#[derive(Debug)]
pub struct Loaded {
    pub image: Arc<Image>,
    pub compiled: Compiled,
    pub layout: Layout,
    pub columns: Vec<ImageColumn>,
    /// Places of the columns.
    by_name: HashMap<String, usize>,
    /// By part: it reads multipliers.
    pub(super) reads_multipliers: Vec<bool>,
    pub(super) clamps: Vec<Clamp>,
    /// Runs begin at the static equilibrium, found with this held.
    pub rest: Option<HeldValues>,
    /// Derivatives of the outputs held there.
    pub(super) rest_outputs: Option<Arc<Compiled>>,
}

impl Loaded {
    pub fn new(image: Arc<Image>, engine: EvaluationEngine) -> Self {
        let compiled = Compiled::new(image.programs.clone(), engine);
        let clamps = clamps(&image);
        let layout = layout(&image, &clamps);
        let reads = |part: usize| compiled.program(part).unknowns() > image.n();
        let reads_multipliers = (0..=ProgramKind::Frictions as usize).map(reads).collect();
        // Of several with one name the first.
        let by_name = image.columns.iter().enumerate().rev().map(|(i, c)| (c.name.clone(), i)).collect();
        let hold =
            |rest: &RestStart| HeldValues { unknowns: rest.unknowns.clone(), outputs: rest.outputs.clone() };
        let (rest, rest_outputs) = (image.rest.as_ref().map(hold), rest_outputs(&image));
        let columns = image.columns.clone();
        Loaded { image, compiled, layout, columns, by_name, reads_multipliers, clamps, rest, rest_outputs }
    }

    /// Guards of the model: those of clamps come after.
    pub(super) fn plain(&self) -> usize {
        self.compiled.program(ProgramKind::Guards as usize).n_out
    }

    /// The place of a column by its name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}

fn rest_outputs(image: &Image) -> Option<Arc<Compiled>> {
    let rest = image.rest.as_ref().filter(|rest| !rest.outputs.is_empty())?;
    Some(Arc::new(Compiled::new(rest.programs.clone(), EvaluationEngine::Interpreter)))
}

/// An analysed model with its code. Beside what a run needs it holds the equations in symbols: for linear models, and for the cause of a value
/// that is no finite number.
#[derive(Debug)]
pub struct Prepared {
    pub system: System,
    loaded: Loaded,
}

impl std::ops::Deref for Prepared {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        &self.loaded
    }
}

impl Prepared {
    pub fn new(system: System, engine: EvaluationEngine) -> Self {
        let loaded = Loaded::new(Arc::clone(&system.image), engine);
        Prepared { system, loaded }
    }

    /// Other units to show columns in.
    pub fn change_columns(&mut self, change: impl FnOnce(&mut [ImageColumn])) {
        let image = Arc::make_mut(&mut self.loaded.image);
        change(&mut image.columns);
        self.loaded.columns.clone_from(&image.columns);
    }

    /// Absolute tolerances of single unknowns.
    pub fn set_tolerances(&mut self, atol: Vec<Option<f64>>) {
        Arc::make_mut(&mut self.loaded.image).atol.clone_from(&atol);
        self.loaded.layout.atol = atol;
    }

    /// Runs begin at the static equilibrium, found with this held.
    pub fn set_rest(&mut self, hold: HeldValues) {
        let programs = self.output_gradients(&hold.outputs);
        let HeldValues { unknowns, outputs } = hold.clone();
        self.loaded.rest = Some(hold);
        Arc::make_mut(&mut self.loaded.image).rest = Some(RestStart { unknowns, outputs, programs });
        self.loaded.rest_outputs = rest_outputs(&self.loaded.image);
    }

    /// Programs of the derivatives of columns by y and multipliers; none without columns.
    pub(crate) fn output_gradients(&self, columns: &[usize]) -> Programs {
        if columns.is_empty() {
            return Programs::default();
        }
        let shown: Vec<Expr> = columns.iter().map(|&c| self.column_expression(c)).collect();
        self.system.input_programs(&[], &shown)
    }

    /// What a column shows, in SI.
    pub fn column_expression(&self, column: usize) -> Expr {
        let system = &self.system;
        let symbol = match self.columns[column].source {
            ColumnSource::Unknown(i) => system.unknowns[i],
            ColumnSource::Multiplier(i) => system.constraints[i].multiplier,
            ColumnSource::Output(i) => return system.outputs[i].value,
            ColumnSource::Slow(i) => system.slow[i],
        };
        system.expression(symbol)
    }
}

/// What a machine runs.
#[derive(Clone)]
pub(super) enum LoadedModel {
    Analysed(Arc<Prepared>),
    Image(Arc<Loaded>),
}

impl std::ops::Deref for LoadedModel {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        match self {
            LoadedModel::Analysed(prepared) => prepared,
            LoadedModel::Image(loaded) => loaded,
        }
    }
}

fn layout(image: &Image, clamps: &[Clamp]) -> Layout {
    let quantity = |&s: &Symbol| image.quantity(s);
    let given = |s: &Symbol| quantity(s).nominal.is_some_and(|n| n.given);
    // Components of a unit quaternion are of size one.
    let learns = |i: usize| i < image.n_states && !image.is_turn(i) && !given(&image.unknowns[i]);
    let guards = image.guards.iter().map(|g| Guard {
        name: g.name.clone(),
        direction: g.direction,
        role: g.role,
        algebraic: g.algebraic,
    });
    let tables = image.relations.iter().enumerate();
    let table = |t: usize| image.programs.tables[t].clone();
    let tables = tables.filter_map(|(k, r)| Some((image.events.len() + k, table(r.table?))));
    // Events that hold, when they no longer do.
    let ends = clamps.iter().map(|clamp| Guard {
        name: image.events[clamp.event].name.clone(),
        direction: Direction::Falling,
        role: GuardRole::Switch,
        algebraic: false,
    });
    Layout {
        names: image.unknowns.iter().map(|s| quantity(s).name.clone()).collect(),
        differential: (0..image.n()).map(|i| i < image.n_states).collect(),
        nominal: image.unknowns.iter().map(|s| quantity(s).nominal.map_or(1.0, |n| n.size)).collect(),
        atol: image.atol.clone(),
        learns: (0..image.n()).map(learns).collect(),
        pattern: image.pattern.clone(),
        second_order: image.second_order.clone(),
        guards: guards.chain(ends).collect(),
        tables: tables.collect(),
        constrained: !image.constraints.is_empty(),
    }
}
