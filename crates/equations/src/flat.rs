//! What a front end says of a model, before any analysis: symbols, equations, events, sampled tasks.
//!
//! Every domain and the model files write into one [`Flat`]; `analyse` turns it into a `System`.

use std::sync::Arc;

use crate::graph::{Ex, Graph};
use crate::node::{Expr, Symbol};

/// How a quantity is shown. Inside, everything is SI: value_SI = shown · factor + offset.
#[derive(Clone, Debug, PartialEq)]
pub struct DisplayUnit {
    pub text: String,
    pub factor: f64,
    pub offset: f64,
}

impl Default for DisplayUnit {
    fn default() -> Self {
        DisplayUnit { text: String::new(), factor: 1.0, offset: 0.0 }
    }
}

impl DisplayUnit {
    /// A unit that is SI already.
    pub fn si(text: &str) -> Self {
        DisplayUnit { text: text.into(), ..Self::default() }
    }

    /// The number to show for an SI value.
    pub fn shown(&self, si: f64) -> f64 {
        (si - self.offset) / self.factor
    }
}

/// Which part of the model something comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// Path of the component ("boom.lift"), empty for the model itself.
    pub component: String,
    /// File the text stands in, and the bytes it covers.
    pub file: Arc<str>,
    pub span: (usize, usize),
}

#[derive(Clone, Debug, PartialEq)]
pub enum QuantityRole {
    /// A continuous unknown. It is a state if its derivative appears in an equation. `start` (of parameters
    /// only) is its value at the beginning, or a guess where equations fix it.
    Unknown { start: Expr },
    /// Constant during a run; may be changed without compiling again. `value` may use other parameters.
    Parameter { value: Expr },
    /// Set from outside: piecewise constant between sampled instants.
    Input { start: Expr },
    /// Discrete: changed by events and sampled tasks only.
    Mode { start: Expr },
    /// The force that keeps a constraint: found by numbers at every evaluation.
    Multiplier,
}

/// Typical size of a quantity in SI, for error control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nominal {
    pub size: f64,
    /// Said of this quantity, and not what its unit suggests.
    pub given: bool,
}

impl Nominal {
    pub fn given(size: f64) -> Self {
        Nominal { size, given: true }
    }

    pub fn by_unit(size: f64) -> Self {
        Nominal { size, given: false }
    }
}

#[derive(Clone, Debug)]
pub struct Quantity {
    pub name: String,
    pub unit: DisplayUnit,
    pub doc: String,
    pub origin: Origin,
    pub kind: QuantityRole,
    /// None: nothing is known.
    pub nominal: Option<Nominal>,
    /// Allowed range in SI (parameters).
    pub range: (f64, f64),
}

/// lhs = rhs.
#[derive(Clone, Debug)]
pub struct Equation {
    pub name: String,
    pub origin: Origin,
    pub lhs: Expr,
    pub rhs: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Rising,
    Falling,
    Both,
}

/// `target` takes `value`, computed from the values just before. Targets are states, modes and inputs.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub target: Symbol,
    pub value: Expr,
}

/// A difference in a guard, and the side on which it counts where it is zero: `a >= b` holds there, `a > b` does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    pub difference: Expr,
    pub zero_is_above: bool,
}

/// When `guard` crosses zero in the given direction, all assignments are carried out at once.
#[derive(Clone, Debug)]
pub struct Event {
    pub name: String,
    pub origin: Origin,
    pub guard: Expr,
    pub direction: Direction,
    /// What the condition compares.
    pub compared: Vec<Comparison>,
    pub set: Vec<Assignment>,
    /// Ends the run with this message.
    pub terminate: Option<String>,
    /// A message for the user of the model.
    pub warn: Option<String>,
    /// Happens at the start too, if its guard is already beyond zero.
    pub at_start: bool,
}

/// What a program is written in.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ScriptLanguage {
    #[default]
    JavaScript,
    /// A robot program, and the robot that it moves.
    Robot(RobotOutline),
}

/// What is known of a robot without numbers. Those that set it up: [`RobotOutline::OF_TOOL`] of the tool, then [`RobotOutline::OF_JOINT`] of each
/// joint. The inputs of its program are the positions of the axes, then the signals; its outputs are position, speed and acceleration of each axis,
/// line and state of the program, then the signals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RobotOutline {
    /// From the base to the tool, each carried by the one before.
    pub joints: Vec<RobotJointOutline>,
    /// Two levers move the tool along these directions of the base, and there is no program: the signals are speeds of the tool.
    pub levers: Option<[[f64; 3]; 2]>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RobotJointOutline {
    pub name: String,
    pub motion: RobotJointMotion,
    /// In the axes of its frame.
    pub axis: [f64; 3],
    /// Motions of the tool leave it where it is.
    pub held: bool,
    /// The component that drives it, if the model names it.
    pub drive: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RobotJointMotion {
    #[default]
    Fixed,
    Turn,
    Slide,
    Screw,
}

impl RobotOutline {
    /// Limits of the tool: speed, acceleration and jerk of its point, then of its orientation; its place seen from the last link (3 and 9 numbers).
    pub const OF_TOOL: usize = 18;
    /// Place seen from the link before (3 and 9 numbers by rows), slide per radian, low, high, speed, acceleration, jerk.
    pub const OF_JOINT: usize = 18;

    /// Outputs that tell of the robot itself, behind the references of the axes.
    pub const OF_STATE: usize = 2;

    /// Their names: the line under way and whether the program is over, or what limits leave of the speed asked by levers and whether the
    /// pose is near a singular one.
    pub fn state(&self) -> [&'static str; Self::OF_STATE] {
        if self.levers.is_some() { ["share", "singular"] } else { ["line", "done"] }
    }

    pub fn axes(&self) -> usize {
        self.joints.iter().filter(|j| j.motion != RobotJointMotion::Fixed).count()
    }
}

#[derive(Clone, Debug)]
pub enum Action {
    Set(Vec<Assignment>),
    /// A program: named inputs, named outputs.
    Script {
        language: ScriptLanguage,
        source: Arc<str>,
        /// Numbers that it is set up with, of parameters alone.
        setup: Vec<Expr>,
        inputs: Vec<(String, Expr)>,
        outputs: Vec<(String, Symbol)>,
    },
}

/// Something done at t = offset + k · period.
#[derive(Clone, Debug)]
pub struct Task {
    pub name: String,
    pub origin: Origin,
    pub period: Expr,
    pub offset: Expr,
    /// Done once the other tasks of the same instant are.
    pub after: bool,
    pub action: Action,
}

/// A named expression to record beside the unknowns.
#[derive(Clone, Debug)]
pub struct Output {
    pub name: String,
    pub unit: DisplayUnit,
    pub doc: String,
    pub origin: Origin,
    pub value: Expr,
}

/// Something that has to stay zero although states could leave it: the gap of a closed loop.
///
/// The multiplier is a force along the gap: where it acts, λ · ġ is its power, so that ∂g̈/∂λ is symmetric and not negative. It is
/// no unknown of the sorted equations: a run finds it from g̈ = 0 by numbers, also where constraints depend on each other, and brings
/// states that left g = 0 or ġ = 0 back after each step.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// What it is part of: the joint or coupling.
    pub name: String,
    pub origin: Origin,
    /// g, of states and parameters; None: only speeds are tied.
    pub position: Option<Expr>,
    /// ġ, of states.
    pub velocity: Expr,
    /// g̈, linear in multipliers and derivatives of states.
    pub acceleration: Expr,
    /// 1 where what is joined faces as it should, less where it is turned over although g = 0; of states and parameters.
    pub facing: Option<Expr>,
    /// A quantity of kind `Multiplier`.
    pub multiplier: Symbol,
    /// There only now and then: made of a [`Hold`].
    pub switched: bool,
}

/// While `locked`, a multiplier against `speed` gives it its rate; else the multiplier is 0.
#[derive(Clone, Debug)]
pub struct Hold {
    pub origin: Origin,
    /// Of modes, inputs and parameters.
    pub locked: Expr,
    pub speed: Expr,
    pub rate: Expr,
    pub multiplier: Symbol,
}

/// Dry friction: `mode` is the direction of sliding, 0 while it sticks, which its hold sees to.
#[derive(Clone, Debug)]
pub struct Friction {
    pub mode: Symbol,
    pub speed: Expr,
    /// The most it holds.
    pub limit: Expr,
    /// What it resists with while it slides.
    pub sliding: Expr,
    pub multiplier: Symbol,
}

#[derive(Clone, Debug, Default)]
pub struct Flat {
    pub graph: Graph,
    pub quantities: Vec<Quantity>,
    pub equations: Vec<Equation>,
    pub events: Vec<Event>,
    pub tasks: Vec<Task>,
    pub outputs: Vec<Output>,
    /// States to give up first where equations tie states to each other.
    pub dependent: Vec<Symbol>,
    pub constraints: Vec<Constraint>,
    /// Made from `dry` and `hold` in equations.
    pub holds: Vec<Hold>,
    pub frictions: Vec<Friction>,
    /// States whose start closing the loops is not to change if others can.
    pub held: Vec<Symbol>,
    /// States that are a unit quaternion (w, x, y, z) together.
    pub quaternions: Vec<[Symbol; 4]>,
}

impl Flat {
    /// Enter a quantity. Names are unique; the front end sees to that.
    pub fn add(&mut self, quantity: Quantity) -> Symbol {
        self.quantities.push(quantity);
        Symbol(self.quantities.len() as u32 - 1)
    }

    pub fn quantity(&self, s: Symbol) -> &Quantity {
        &self.quantities[s.index()]
    }

    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.quantities.iter().position(|q| q.name == name).map(|i| Symbol(i as u32))
    }

    pub fn ex(&self, s: Symbol) -> Ex<'_> {
        self.graph.symbol(s)
    }
}
