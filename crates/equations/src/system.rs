//! The analysed model: M y' = f(t, y, p, u, m), guards, tasks and outputs, each with its name and origin.

mod build;
mod start;

use std::collections::HashMap;
use std::sync::Arc;

use trunnion_num::Pattern;

use crate::compiled::{Compiled, EvaluationEngine};
use crate::constraints::{ConstraintPrograms, Entries};
use crate::derivative::slopes;
use crate::flat::{Constraint, Direction, Event, Friction, Origin, Output, Quantity, QuantityRole, Task};
use crate::frozen::{Expressions, FrozenGraph};
use crate::graph::Graph;
use crate::hash::Map;
use crate::image::Image;
use crate::node::{Expr, ExprNode, Symbol};
use crate::of_states::{OfStates, OutputFunctions};
use crate::of_time::OfTime;
use crate::program::{LeafPlace, Programs};
use crate::start::start_values;
use crate::structure::{Alias, Reduction, Relation};
pub use start::StartValues;

/// One row of f.
#[derive(Clone, Debug)]
pub struct ResidualRow {
    pub name: String,
    pub origin: Origin,
    /// In terms of y, time, parameters, inputs and modes.
    pub value: Expr,
    /// As it was written, in the user's names.
    pub written: Expr,
}

/// An unknown solved in symbols, for reading: `leaf = value` from the named equation.
#[derive(Clone, Debug)]
pub struct SolvedDefinition {
    pub leaf: Expr,
    pub value: Expr,
    pub equation: String,
    pub origin: Origin,
}

/// What the user wrote of it, before the solved unknowns were put in.
#[derive(Clone, Debug, Default)]
pub struct AsWritten {
    pub events: Vec<Event>,
    pub tasks: Vec<Task>,
    pub outputs: Vec<Output>,
}

/// What analysis made of a model. Its graph grows until all programs are written.
#[derive(Debug)]
pub struct SystemParts<G = FrozenGraph> {
    pub graph: G,
    pub quantities: Vec<Quantity>,
    /// y: states first, then the unknowns left to the numeric solver.
    pub unknowns: Vec<Symbol>,
    pub n_states: usize,
    pub rows: Vec<ResidualRow>,
    /// In the order of evaluation.
    pub definitions: Vec<SolvedDefinition>,
    pub relations: Vec<Relation>,
    pub events: Vec<Event>,
    pub tasks: Vec<Task>,
    /// Everything to record beside y.
    pub outputs: Vec<Output>,
    /// Names that stand for another quantity; each is among the outputs.
    pub aliases: Vec<Alias>,
    /// States that are not independent and were given up.
    pub reduced: Vec<Reduction>,
    /// Events, tasks and outputs for reading.
    pub as_written: AsWritten,
    /// What states have to fulfil although they are integrated on their own.
    pub constraints: Vec<Constraint>,
    /// Dry friction; what it holds with is among the constraints.
    pub frictions: Vec<Friction>,
    /// States whose start closing the loops is not to change if others can.
    pub held: Vec<Symbol>,
    /// States that are a unit quaternion together.
    pub quaternions: Vec<[Symbol; 4]>,
    /// Jumps that no guard locates.
    pub unlocated: Vec<UnlocatedJump>,
}

/// The integer part of an unknown that is found by iteration, in the user's names.
#[derive(Clone, Debug)]
pub struct UnlocatedJump {
    pub value: Expr,
    /// Of the equation it stands in.
    pub origin: Origin,
}

impl<G: Expressions> SystemParts<G> {
    /// Default values of the parameters.
    pub(crate) fn defaults(&self) -> Map<Symbol, f64> {
        let start = start_values(&self.graph, &self.quantities, &HashMap::new());
        let parameter = |i: &usize| matches!(self.quantities[*i].kind, QuantityRole::Parameter { .. });
        (0..start.len()).filter(parameter).map(|i| (Symbol(i as u32), start[i])).collect()
    }
}

/// Below this speed (SI) friction sticks if it can hold.
pub const STICTION_SPEED: f64 = 1e-8;
/// Up to this speed (SI) friction that broke away is starting, its mode ±2: so small a speed is uncertain after a step, and its direction is not
/// decided again.
pub const STARTED: f64 = 1e-5;

/// The first symbol that is no quantity.
const FREE: u32 = u32::MAX / 2;

#[derive(Debug)]
pub struct System<G = FrozenGraph> {
    parts: SystemParts<G>,
    /// Parameters, inputs and modes: the slow inputs, in order.
    pub slow: Vec<Symbol>,
    /// (position, velocity) places in y with y'[position] = y[velocity].
    pub second_order: Vec<(usize, usize)>,
    /// Pattern of ∂f/∂y, multipliers eliminated.
    pub pattern: Pattern,
    /// The constraints as numbers are computed from them.
    pub constraint_programs: ConstraintPrograms,
    /// Pattern and entries of the derivatives of all rows, then of g̈, then of expressions cut out of them, by y, then by the multipliers,
    /// then by these expressions.
    pub extended: Pattern,
    /// How many expressions were cut out, and the pattern without them.
    pub n_cut: usize,
    pub joined: Pattern,
    pub of_time: OfTime,
    pub of_states: OfStates,
    pub shown: OutputFunctions,
    /// Name and direction of every guard, and the guard: events, then relations, then frictions.
    pub guards: Vec<(String, Direction, Expr)>,
    /// Values of all assignments and script inputs: events first, then tasks.
    pub actions: Vec<Expr>,
    /// All that a run needs.
    pub image: Arc<Image>,
    /// Where each quantity is found at run time; one that is solved in symbols has no place.
    places: Map<Symbol, LeafPlace>,
}

impl<G> std::ops::Deref for System<G> {
    type Target = SystemParts<G>;

    fn deref(&self) -> &SystemParts<G> {
        &self.parts
    }
}

/// Functions of states with their derivatives by states.
#[derive(Clone, Debug, Default)]
pub struct TieProgram {
    /// Constraints they belong to, where not all have one.
    pub constraints: Vec<usize>,
    /// How many of them are of positions: these come first.
    pub n_positions: usize,
    /// How many there are.
    pub n: usize,
    pub entries: Entries,
    /// One program: the values, then the entries.
    pub programs: Programs,
}

/// Programs of a compiled system, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    Residual,
    Jacobian,
    TimeGradient,
    /// Events first, then relations, then frictions.
    Guards,
    Outputs,
    /// Values of all assignments and script inputs: events first, then tasks.
    Actions,
    /// Rows, g̈, and their derivatives by the multipliers, as [`ConstraintPrograms`] lays out.
    Constraints,
    /// Gaps, their rates, and their derivatives, as [`ConstraintPrograms`] lays out.
    Gaps,
    /// Speed, limit and multiplier of every friction.
    Frictions,
    /// Of [`OfTime`]: guards, arguments of tables, what jumps, inputs, waves.
    OfTime,
    /// Of [`OfTime`]: rates of the inputs.
    Rates,
    /// Of [`OfTime`]: functions, with the waves in place of the unknowns.
    OfWaves,
    /// Of [`OfStates`]: bases, then angles.
    StateBases,
    /// Of [`OfStates`]: functions, then guards, with the bases in place of the unknowns.
    OfStates,
    /// Of [`OutputFunctions`]: bases.
    OutputBases,
    /// Of [`OutputFunctions`]: functions, with the bases in place of the unknowns.
    OutputFunctions,
}

impl<G> System<G> {
    pub fn n(&self) -> usize {
        self.unknowns.len()
    }

    pub fn quantity(&self, s: Symbol) -> &Quantity {
        &self.quantities[s.index()]
    }

    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.quantities.iter().position(|q| q.name == name).map(|i| Symbol(i as u32))
    }

    /// Place of a parameter, input or mode among the slow inputs.
    pub fn slow_place(&self, s: Symbol) -> Option<usize> {
        match self.places.get(&s) {
            Some(LeafPlace::Slow(i)) => Some(*i as usize),
            _ => None,
        }
    }

    /// Place of an unknown in y.
    pub fn y_place(&self, s: Symbol) -> Option<usize> {
        match self.places.get(&s) {
            Some(LeafPlace::Unknown(i)) if (*i as usize) < self.n() => Some(*i as usize),
            _ => None,
        }
    }

    /// The relation of a guard.
    pub fn relation(&self, guard: usize) -> Option<&Relation> {
        guard.checked_sub(self.events.len()).and_then(|k| self.relations.get(k))
    }

    fn place(&self, node: ExprNode) -> Option<LeafPlace> {
        match node {
            ExprNode::Time => Some(LeafPlace::Time),
            ExprNode::Symbol(s) => self.places.get(&s).copied(),
            _ => None,
        }
    }
}

impl System {
    /// A quantity as an expression.
    pub fn expression(&self, s: Symbol) -> Expr {
        self.graph.symbol(s).expect("every quantity has a node once the graph is frozen")
    }

    pub fn compile(&self, engine: EvaluationEngine) -> Compiled {
        Compiled::new(self.image.programs.clone(), engine)
    }

    /// ∂(f, g̈)/∂u, ∂output/∂(y, λ) and ∂output/∂u, by rows, as programs of their own: for linear models.
    pub fn input_programs(&self, inputs: &[Symbol], outputs: &[Expr]) -> Programs {
        let graph = self.graph.thaw();
        let column = |n: ExprNode| match n {
            ExprNode::Symbol(s) => inputs.iter().position(|&i| i == s).map(|i| i as u32),
            _ => None,
        };
        let by_y = |n: ExprNode| match n {
            ExprNode::Symbol(s) => match self.places.get(&s) {
                Some(LeafPlace::Unknown(i)) => Some(*i),
                _ => None,
            },
            _ => None,
        };
        let dense = |roots: &[Expr], column: &dyn Fn(ExprNode) -> Option<u32>, width: usize| -> Vec<Expr> {
            let zero = graph.constant(0.0).id;
            let mut all = vec![zero; roots.len() * width];
            for (i, g) in slopes(&graph, &self.defaults(), roots, column).iter().enumerate() {
                for &(j, e) in g {
                    all[i * width + j as usize] = e;
                }
            }
            all
        };
        let accelerations = self.constraints.iter().map(|c| c.acceleration);
        let rows: Vec<Expr> = self.rows.iter().map(|r| r.value).chain(accelerations).collect();
        let lists = [
            dense(&rows, &column, inputs.len()),
            dense(outputs, &by_y, self.n() + self.constraints.len()),
            dense(outputs, &column, inputs.len()),
        ];
        Programs::build(&graph, &lists, |n| self.place(n))
    }

    /// A program of its own for `values` in `graph`, a copy of the own one.
    pub fn program(&self, graph: &Graph, values: Vec<Expr>) -> Programs {
        Programs::build(graph, &[values], |n| self.place(n))
    }

    /// The value (SI) of every quantity at the beginning; `given` overrides parameters and start values.
    pub fn start(&self, given: &HashMap<Symbol, f64>) -> StartValues<'_> {
        StartValues { system: self, values: start_values(&self.graph, &self.quantities, given) }
    }
}
