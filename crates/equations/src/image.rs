//! All that a run needs of a model, and nothing symbolic: programs as lists of operations, tables, names, places, start values.
//!
//! An image is plain data. [`Image::to_bytes`] writes it, [`Image::from_bytes`] reads and checks it: another process or machine runs
//! it and gets the same bits. What needs equations in symbols stays with the `System`: the cause of a value that is no finite number,
//! linear models, pages of equations.

mod build;
mod bytes;
mod check;
mod fields;

use std::collections::HashMap;
use std::sync::Arc;

use trunnion_num::Pattern;

use crate::constraints::Entries;
use crate::flat::{Direction, DisplayUnit, Nominal, ScriptLanguage};
use crate::node::Symbol;
use crate::program::{LeafPlace, Op, Program, Programs};
use crate::structure::GuardRole;
use crate::system::TieProgram;
pub use bytes::ImageError;

/// A value at the beginning of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum StartValue {
    Number(f64),
    /// One output; the values of quantities stand in place of the unknowns.
    Computed(Program),
}

impl Default for StartValue {
    fn default() -> Self {
        StartValue::Number(0.0)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuantityKind {
    #[default]
    Unknown,
    Parameter,
    Input,
    Mode,
    Multiplier,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImageQuantity {
    pub name: String,
    pub unit: DisplayUnit,
    pub kind: QuantityKind,
    pub nominal: Option<Nominal>,
    /// Least and largest value that a parameter or input may have.
    pub range: (f64, f64),
    pub start: StartValue,
}

/// A recorded signal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImageColumn {
    pub name: String,
    pub unit: DisplayUnit,
    pub doc: String,
    /// An expression that somebody measures, no quantity of the model: it counts only where it is measured.
    pub measured: bool,
    pub source: ColumnSource,
}

/// Where the value of a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnSource {
    Unknown(usize),
    Multiplier(usize),
    Output(usize),
    Slow(usize),
}

impl Default for ColumnSource {
    fn default() -> Self {
        ColumnSource::Unknown(0)
    }
}

/// Of constraints: what the values of `ProgramKind::Constraints` and `ProgramKind::Gaps` are, as [`crate::ConstraintPrograms`] says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConstraintLayout {
    pub m: usize,
    pub linear: bool,
    pub s: Entries,
    pub b: Entries,
    pub by_position: Entries,
    pub by_velocity: Entries,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImageConstraint {
    pub name: String,
    pub multiplier: Symbol,
    pub switched: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ImageGuard {
    pub name: String,
    pub direction: Direction,
    pub role: GuardRole,
    /// It reads algebraic unknowns.
    pub algebraic: bool,
}

impl Default for ImageGuard {
    fn default() -> Self {
        ImageGuard {
            name: String::new(),
            direction: Direction::Both,
            role: GuardRole::Switch,
            algebraic: false,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImageEvent {
    pub name: String,
    /// What it sets, in the order of the values.
    pub targets: Vec<Symbol>,
    pub terminate: Option<String>,
    pub warn: Option<String>,
    pub at_start: bool,
    /// Its condition is one relation; of several, one may keep the others from being evaluated.
    pub plain: bool,
    /// It may hold what it sets: all are states, with values that follow from parameters and modes, and its condition reads one of them.
    pub may_hold: bool,
    /// Guards that read what it sets.
    pub touches: Vec<usize>,
}

/// What mirrors a relation: the mode, and how it follows the guard.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageRelation {
    pub role: GuardRole,
    pub mode: Symbol,
    pub closed: bool,
    /// Not 0: the mode counts, and moves on by this where the guard ceases to hold.
    pub step: f64,
    /// What it counts; None: whole numbers.
    pub points: Option<Arc<[f64]>>,
    /// The table whose first argument this is; a second one comes next.
    pub table: Option<usize>,
}

impl Default for ImageRelation {
    fn default() -> Self {
        let (role, mode) = (GuardRole::Switch, Symbol(0));
        ImageRelation { role, mode, closed: false, step: 0.0, points: None, table: None }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ImageAction {
    /// What is set, in the order of the values.
    Set(Vec<Symbol>),
    /// A program.
    Script {
        language: ScriptLanguage,
        source: Arc<str>,
        setup: Vec<StartValue>,
        inputs: Vec<String>,
        outputs: Vec<(String, Symbol)>,
        /// Arguments of `init`, by local name; None: the period.
        parameters: Vec<(String, Option<Symbol>)>,
    },
}

impl Default for ImageAction {
    fn default() -> Self {
        ImageAction::Set(vec![])
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImageTask {
    pub name: String,
    pub period: StartValue,
    pub offset: StartValue,
    /// Done once the other tasks of the same instant are.
    pub after: bool,
    pub action: ImageAction,
    /// Guards that read what it sets.
    pub touches: Vec<usize>,
}

/// What the outputs of `ProgramKind::OfTime` and `ProgramKind::OfWaves` are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeLayout {
    /// Numbers of guards.
    pub guards: Vec<usize>,
    /// Corners of tables of time, and whether these jump there.
    pub corners: Vec<(Vec<f64>, bool)>,
    pub n_jumps: usize,
    pub n_inputs: usize,
    pub n_waves: usize,
    /// The wave that each function is one of.
    pub functions: Vec<usize>,
}

/// What the outputs of `ProgramKind::Course` and `ProgramKind::OfStates` are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateLayout {
    pub n_bases: usize,
    /// The base that each function is one of.
    pub functions: Vec<usize>,
    pub n_guards: usize,
}

/// Runs begin at the static equilibrium, with these kept.
#[derive(Clone, Debug, Default)]
pub struct RestStart {
    pub unknowns: Vec<usize>,
    /// Columns.
    pub outputs: Vec<usize>,
    /// Their derivatives by y and the multipliers, by rows, as `System::input_programs` gives them.
    pub programs: Programs,
}

/// All that a run needs of a model.
#[derive(Clone, Debug, Default)]
pub struct Image {
    pub quantities: Vec<ImageQuantity>,
    /// y: states first.
    pub unknowns: Vec<Symbol>,
    pub n_states: usize,
    /// Parameters, inputs and modes: the slow inputs, in order.
    pub slow: Vec<Symbol>,
    /// In the order of `Part`.
    pub programs: Programs,
    pub pattern: Pattern,
    pub extended: Pattern,
    pub joined: Pattern,
    pub n_cut: usize,
    pub second_order: Vec<(usize, usize)>,
    pub constraint_layout: ConstraintLayout,
    pub constraints: Vec<ImageConstraint>,
    pub ties: TieProgram,
    pub facings: TieProgram,
    /// States whose start closing the loops is not to change if others can.
    pub held: Vec<Symbol>,
    /// Places in y of quaternions.
    pub quaternions: Vec<[usize; 4]>,
    /// Names of the rows.
    pub rows: Vec<String>,
    pub columns: Vec<ImageColumn>,
    pub guards: Vec<ImageGuard>,
    pub events: Vec<ImageEvent>,
    pub relations: Vec<ImageRelation>,
    /// Modes of dry friction.
    pub frictions: Vec<Symbol>,
    /// Guards other than those of friction read multipliers.
    pub guards_read: bool,
    pub tasks: Vec<ImageTask>,
    pub of_time: TimeLayout,
    pub of_states: StateLayout,
    /// Absolute tolerances the user gave to single unknowns; none where empty.
    pub atol: Vec<Option<f64>>,
    pub rest: Option<RestStart>,
    /// By quantity: where it is found at run time. Follows from the lists above.
    places: Vec<Option<LeafPlace>>,
}

impl Image {
    pub fn n(&self) -> usize {
        self.unknowns.len()
    }

    pub fn quantity(&self, s: Symbol) -> &ImageQuantity {
        &self.quantities[s.index()]
    }

    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.quantities.iter().position(|q| q.name == name).map(|i| Symbol(i as u32))
    }

    /// Place of a parameter, input or mode among the slow inputs.
    pub fn slow_place(&self, s: Symbol) -> Option<usize> {
        match self.places.get(s.index())? {
            Some(LeafPlace::Slow(i)) => Some(*i as usize),
            _ => None,
        }
    }

    /// Place of an unknown in y.
    pub fn y_place(&self, s: Symbol) -> Option<usize> {
        match self.places.get(s.index())? {
            Some(LeafPlace::Unknown(i)) => Some(*i as usize),
            _ => None,
        }
    }

    /// The relation of a guard.
    pub fn relation(&self, guard: usize) -> Option<&ImageRelation> {
        guard.checked_sub(self.events.len()).and_then(|k| self.relations.get(k))
    }

    /// Whether an unknown, by its place in y, is part of a quaternion.
    pub fn is_turn(&self, place: usize) -> bool {
        self.quaternions.iter().flatten().any(|&i| i == place)
    }

    fn find_places(&mut self) {
        self.places = vec![None; self.quantities.len()];
        for (i, s) in self.unknowns.iter().enumerate() {
            self.places[s.index()] = Some(LeafPlace::Unknown(i as u32));
        }
        for (i, s) in self.slow.iter().enumerate() {
            self.places[s.index()] = Some(LeafPlace::Slow(i as u32));
        }
    }

    /// The value (SI) of every quantity at the beginning, each after what it is computed from; `given` overrides, and what is computed
    /// from it follows. A circle, which front ends refuse, ends in NaN.
    pub fn start_values(&self, given: &HashMap<Symbol, f64>) -> Vec<f64> {
        let n = self.quantities.len();
        let mut values = vec![f64::NAN; n];
        let (mut known, mut open) = (vec![false; n], vec![false; n]);
        for (&s, &v) in given {
            if let Some(value) = values.get_mut(s.index()) {
                (*value, known[s.index()]) = (v, true);
            }
        }
        let mut stack = vec![];
        for first in 0..n {
            stack.push(first);
            while let Some(&i) = stack.last() {
                if known[i] {
                    stack.pop();
                    continue;
                }
                let start = &self.quantities[i].start;
                let needed = start.reads().filter(|&j| !known[j]);
                let before = stack.len();
                if !open[i] {
                    stack.extend(needed);
                }
                if stack.len() == before {
                    (values[i], known[i]) = (start.evaluate(&self.programs, &values), true);
                    stack.pop();
                } else {
                    open[i] = true;
                }
            }
        }
        values
    }

    /// Parameters, inputs and modes of start values, in the order of the slow inputs.
    pub fn slow_values(&self, start: &[f64]) -> Vec<f64> {
        self.slow.iter().map(|s| start[s.index()]).collect()
    }

    pub fn y_values(&self, start: &[f64]) -> Vec<f64> {
        self.unknowns.iter().map(|s| start[s.index()]).collect()
    }
}

impl StartValue {
    /// From the values of all quantities.
    pub fn evaluate(&self, programs: &Programs, values: &[f64]) -> f64 {
        match self {
            StartValue::Number(number) => *number,
            StartValue::Computed(program) => {
                let (mut scratch, mut out) = (vec![0.0; program.ops.len()], [f64::NAN]);
                program.run(&programs.tables, f64::NAN, values, &[], &mut scratch, &mut out);
                out[0]
            }
        }
    }

    /// Quantities that it is computed from.
    fn reads(&self) -> impl Iterator<Item = usize> + '_ {
        let ops = match self {
            StartValue::Number(_) => &[][..],
            StartValue::Computed(program) => &program.ops,
        };
        ops.iter().filter_map(|op| match op {
            Op::Unknown(i) => Some(*i as usize),
            _ => None,
        })
    }
}

impl ImageRelation {
    /// The value of the mode, `now` so far, that fits a value of the guard.
    pub fn settled(&self, now: f64, guard: f64) -> f64 {
        if self.role == GuardRole::Argument {
            return now;
        }
        let holds = guard > 0.0 || (self.closed && guard == 0.0);
        if self.step == 0.0 {
            return f64::from(u8::from(holds));
        }
        match (holds, &self.points) {
            (true, _) => now,
            (false, _) if !guard.is_finite() => now,
            (false, Some(points)) => self.cell(points, now, guard),
            // By as many whole numbers as it is beyond.
            _ if self.closed => now + self.step * (-guard).ceil(),
            _ => now + self.step * (1.0 + (-guard).floor()),
        }
    }

    /// The cell between points in which a value lies that is beyond the end of cell `now` by −guard.
    fn cell(&self, points: &[f64], now: f64, guard: f64) -> f64 {
        let c = (now as usize).min(points.len());
        let new = match self.step < 0.0 {
            true if c == 0 => 0,
            true => points.partition_point(|&p| p <= points[c - 1] + guard).min(c - 1),
            false if c >= points.len() => points.len(),
            false => points.partition_point(|&p| p <= points[c] - guard).max(c + 1),
        };
        new as f64
    }
}
