//! The analysed model: M y' = f(t, y, p, u, m), guards, tasks and outputs, each with its name and origin.

use std::collections::HashMap;

use trunnion_num::Pattern;

use crate::closure::{Closure, Entries};
use crate::compiled::{Compiled, Engine};
use crate::derivative::{Gradient, cut_slopes, slopes};
use crate::flat::{
    Action, Assignment, Constraint, Direction, Event, Friction, Kind, Origin, Output, Quantity, Task,
};
use crate::graph::Graph;
use crate::hash::Map;
use crate::node::{Binary, Expr, Node, Symbol};
use crate::of_states::{Leaf, OfStates, Shown};
use crate::of_time::OfTime;
use crate::program::{Place, Programs};
use crate::start::{evaluate, start_values};
use crate::structure::{Alias, Reduction, Relation};

/// One row of f.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    pub origin: Origin,
    /// In terms of y, time, parameters, inputs and modes.
    pub value: Expr,
    /// As it was written, in the user's names.
    pub written: Expr,
}

/// An unknown solved in symbols, for reading: `leaf = value` from the named equation.
#[derive(Clone, Debug)]
pub struct Definition {
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

/// What analysis made of a model.
#[derive(Debug)]
pub struct Parts {
    pub graph: Graph,
    pub quantities: Vec<Quantity>,
    /// y: states first, then the unknowns left to the numeric solver.
    pub unknowns: Vec<Symbol>,
    pub n_states: usize,
    pub rows: Vec<Row>,
    /// In the order of evaluation.
    pub definitions: Vec<Definition>,
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
    pub unlocated: Vec<Unlocated>,
}

/// A whole number of an unknown that is found by iteration, in the user's names.
#[derive(Clone, Debug)]
pub struct Unlocated {
    pub value: Expr,
    /// Of the equation it stands in.
    pub origin: Origin,
}

impl Parts {
    /// Default values of the parameters.
    pub(crate) fn defaults(&self) -> Map<Symbol, f64> {
        let start = start_values(&self.graph, &self.quantities, &HashMap::new());
        let parameter = |i: &usize| matches!(self.quantities[*i].kind, Kind::Parameter { .. });
        (0..start.len()).filter(parameter).map(|i| (Symbol(i as u32), start[i])).collect()
    }
}

/// Below this speed (SI) friction sticks if it can hold.
pub const STILL: f64 = 1e-8;
/// Up to this speed (SI) friction that broke away is starting, its mode ±2: solvers leave so small a speed uncertain, and which way it goes is not
/// asked again.
pub const STARTED: f64 = 1e-5;

/// The first symbol that is no quantity.
const FREE: u32 = u32::MAX / 2;

#[derive(Debug)]
pub struct System {
    parts: Parts,
    /// Parameters, inputs and modes: the slow inputs, in order.
    pub slow: Vec<Symbol>,
    /// (position, velocity) places in y with y'[position] = y[velocity].
    pub second_order: Vec<(usize, usize)>,
    /// Pattern of ∂f/∂y, multipliers eliminated.
    pub pattern: Pattern,
    /// The constraints as numbers are computed from them.
    pub closure: Closure,
    /// Pattern and entries of the derivatives of all rows, then of g̈, then of expressions cut out of them, by y, then by the multipliers,
    /// then by these expressions.
    pub extended: Pattern,
    /// How many expressions were cut out, and the pattern without them.
    pub n_cut: usize,
    pub joined: Pattern,
    pub of_time: OfTime,
    pub of_states: OfStates,
    pub shown: Shown,
    jacobian: Vec<Expr>,
    f_t: Vec<Expr>,
    /// Where each quantity is found at run time; one that is solved in symbols has no place.
    places: Map<Symbol, Place>,
}

impl std::ops::Deref for System {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.parts
    }
}

/// Programs of a compiled system, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Residual,
    Jacobian,
    TimeGradient,
    /// Events first, then relations, then frictions.
    Guards,
    Outputs,
    /// Values of all assignments and script inputs: events first, then tasks.
    Actions,
    /// Rows, g̈, and their derivatives by the multipliers, as [`Closure`] lays out.
    Closure,
    /// Gaps, their rates, and their derivatives, as [`Closure`] lays out.
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
    Course,
    /// Of [`OfStates`]: functions, then guards, with the bases in place of the unknowns.
    OfStates,
    /// Of [`Shown`]: bases.
    ShownCourse,
    /// Of [`Shown`]: functions, with the bases in place of the unknowns.
    Shown,
}

impl System {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { graph, quantities, unknowns, rows, constraints, .. } = &parts;
        let slow: Vec<Symbol> = (0..quantities.len())
            .filter(|&i| !matches!(quantities[i].kind, Kind::Unknown { .. } | Kind::Multiplier))
            .map(|i| Symbol(i as u32))
            .collect();
        // Programs find the multipliers behind y.
        let multipliers = constraints.iter().map(|c| &c.multiplier);
        let place: Map<Symbol, u32> =
            unknowns.iter().chain(multipliers).enumerate().map(|(i, &s)| (s, i as u32)).collect();
        let places = (place.iter().map(|(&s, &i)| (s, Place::Unknown(i))))
            .chain(slow.iter().enumerate().map(|(i, &s)| (s, Place::Slow(i as u32))))
            .collect();
        let (n, m) = (unknowns.len(), constraints.len());
        let defaults = parts.defaults();
        let values: Vec<Expr> =
            rows.iter().map(|r| r.value).chain(constraints.iter().map(|c| c.acceleration)).collect();
        let cut = cut_slopes(graph, &defaults, &values, (n + m) as u32, |node| match node {
            Node::Symbol(s) => place.get(&s).copied(),
            _ => None,
        });
        let n_cut = cut.middle.len();
        let (extended, jacobian) = sparse(graph, n + m + n_cut, &[cut.roots, cut.middle].concat());
        let f_t = slopes(graph, &defaults, &values, |node| (node == Node::Time).then_some(0))
            .iter()
            .map(|g| g.first().map_or(graph.constant(0.0).id, |&(_, e)| e))
            .collect();
        let second_order = second_order(graph, rows, &place, parts.n_states);
        let closure = Closure::new(&parts, &defaults, &values, &place);
        let joined = uncut(&extended, n + m);
        let pattern = closure.eliminated(&joined, n);
        let of_time = OfTime::default();
        let mut system = System {
            parts,
            slow,
            second_order,
            pattern,
            closure,
            extended,
            n_cut,
            joined,
            of_time,
            of_states: OfStates::default(),
            shown: Shown::default(),
            jacobian,
            f_t,
            places,
        };
        system.of_time = system.find_of_time();
        system.of_states = system.find_of_states();
        system.shown = system.find_shown();
        let System { of_time, of_states, shown, places, .. } = &mut system;
        for symbols in [&of_time.symbols, &of_states.symbols, &shown.symbols] {
            places.extend(symbols.iter().enumerate().map(|(i, &s)| (s, Place::Unknown(i as u32))));
        }
        system
    }

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
            Some(Place::Slow(i)) => Some(*i as usize),
            _ => None,
        }
    }

    /// Place of an unknown in y.
    pub fn y_place(&self, s: Symbol) -> Option<usize> {
        match self.places.get(&s) {
            Some(Place::Unknown(i)) if (*i as usize) < self.n() => Some(*i as usize),
            _ => None,
        }
    }

    /// Guard functions with name and direction: events, then relations.
    pub fn guards(&self) -> Vec<(String, Direction, Expr)> {
        let events = self.events.iter().map(|e| (e.name.clone(), e.direction, e.guard));
        let relations =
            self.relations.iter().map(|r| (self.quantity(r.mode).name.clone(), Direction::Both, r.guard));
        let frictions = self.frictions.iter().map(|f| {
            let name = self.quantity(f.mode).name.clone();
            (name, Direction::Falling, self.margin(f))
        });
        events.chain(relations).chain(frictions).collect()
    }

    /// The relation of a guard.
    pub fn relation(&self, guard: usize) -> Option<&Relation> {
        guard.checked_sub(self.events.len()).and_then(|k| self.relations.get(k))
    }

    /// How far friction is from its next change: of what it holds while it sticks, of speed while it starts or slides.
    fn margin(&self, friction: &Friction) -> Expr {
        let g = &self.graph;
        let (direction, speed) = (g.symbol(friction.mode), g.at(friction.speed));
        let (limit, force) = (g.at(friction.limit), g.symbol(friction.multiplier));
        let held = 1.0 - force.abs() / limit.max(g.constant(f64::MIN_POSITIVE));
        // Where nothing holds it, because its motion is prescribed.
        let still = 1.0 - speed.abs() / STILL;
        let sticks = g.binary(Binary::Eq, direction, g.constant(0.0));
        let starts = g.binary(Binary::Lt, g.constant(1.5), direction.abs());
        // What starts and turns round before it slides is held again.
        let turned = 0.5 * direction * speed + STILL;
        let moving = g.select(starts, turned.min(STARTED - speed.abs()), direction * speed);
        g.select(sticks, held.min(still), moving).id
    }

    /// Assignments of every event, then of every task.
    pub fn action_lists(&self) -> impl Iterator<Item = &[Assignment]> {
        let tasks = self.tasks.iter().map(|t| match &t.action {
            Action::Set(set) => set.as_slice(),
            Action::Script { .. } => &[],
        });
        self.events.iter().map(|e| e.set.as_slice()).chain(tasks)
    }

    fn action_roots(&self) -> Vec<Expr> {
        let mut roots: Vec<Expr> = self.events.iter().flat_map(|e| e.set.iter().map(|a| a.value)).collect();
        for task in &self.tasks {
            match &task.action {
                Action::Set(set) => roots.extend(set.iter().map(|a| a.value)),
                Action::Script { inputs, .. } => roots.extend(inputs.iter().map(|(_, e)| *e)),
            }
        }
        roots
    }

    fn friction_roots(&self) -> Vec<Expr> {
        let of = |f: &Friction| [f.speed, f.limit, self.graph.symbol(f.multiplier).id];
        self.frictions.iter().flat_map(of).collect()
    }

    fn place(&self, node: Node) -> Option<Place> {
        match node {
            Node::Time => Some(Place::Time),
            Node::Symbol(s) => self.places.get(&s).copied(),
            _ => None,
        }
    }

    /// The programs in the order of [`Part`].
    pub fn programs(&self) -> Programs {
        let lists = [
            self.rows.iter().map(|r| r.value).collect(),
            self.jacobian.clone(),
            self.f_t.clone(),
            self.guards().into_iter().map(|(_, _, e)| e).collect(),
            self.outputs.iter().map(|o| o.value).collect(),
            self.action_roots(),
            self.closure.forces.clone(),
            self.closure.gaps.clone(),
            self.friction_roots(),
            self.time_roots(),
            self.of_time.rates.clone(),
            self.of_time.functions.iter().map(|f| f.1).collect(),
            self.of_states.bases.iter().chain(&self.of_states.angles).copied().collect(),
            self.of_states.functions.iter().chain(&self.of_states.guards).map(|f| f.1).collect(),
            self.shown.bases.clone(),
            self.shown.functions.iter().map(|f| f.1).collect(),
        ];
        Programs::build(&self.graph, &lists, |n| self.place(n))
    }

    fn time_roots(&self) -> Vec<Expr> {
        let OfTime { guards, corners, jumps, inputs, waves, .. } = &self.of_time;
        let all = self.guards();
        let guards = guards.iter().map(|&g| all[g].2);
        guards
            .chain(corners.iter().map(|c| c.0))
            .chain(jumps.iter().copied())
            .chain(inputs.iter().copied())
            .chain(waves.iter().copied())
            .collect()
    }

    /// Rows and accelerations, and guards.
    fn rows_and_guards(&self) -> (Vec<Expr>, Vec<Expr>) {
        let guards = self.guards().into_iter().map(|(_, _, e)| e).collect();
        let accelerations = self.constraints.iter().map(|c| c.acceleration);
        (self.rows.iter().map(|r| r.value).chain(accelerations).collect(), guards)
    }

    fn find_of_states(&self) -> OfStates {
        let (rows, guards) = self.rows_and_guards();
        let n = self.n();
        let free = FREE + self.of_time.symbols.len() as u32;
        OfStates::find(&self.graph, &rows, &guards, free, |leaf| match self.place(leaf) {
            Some(Place::Slow(_)) => Leaf::Constant,
            Some(Place::Time) => Leaf::Time,
            Some(Place::Unknown(i)) if (i as usize) < n => Leaf::Unknown,
            _ => Leaf::Other,
        })
    }

    fn find_shown(&self) -> Shown {
        let (rows, guards) = self.rows_and_guards();
        let outputs: Vec<Expr> = self.outputs.iter().map(|o| o.value).collect();
        let n = self.n();
        let free = FREE + (self.of_time.symbols.len() + self.of_states.symbols.len()) as u32;
        Shown::find(&self.graph, &outputs, &[rows, guards].concat(), free, |leaf| match self.place(leaf) {
            Some(Place::Slow(_)) => Leaf::Constant,
            Some(Place::Time) => Leaf::Unknown,
            Some(Place::Unknown(i)) if (i as usize) < n => Leaf::Unknown,
            _ => Leaf::Other,
        })
    }

    /// Everything of time alone in rows and guards.
    fn find_of_time(&self) -> OfTime {
        let (rows, guards) = self.rows_and_guards();
        let is_unknown = |leaf: Node| match leaf {
            Node::Symbol(s) => !matches!(self.places.get(&s), Some(Place::Slow(_))),
            leaf => leaf != Node::Time,
        };
        let relations: Vec<Expr> = self.relations.iter().map(|r| r.guard).collect();
        let by_time = self.graph.dependence(&relations, |leaf| leaf == Node::Time);
        let by_unknowns = self.graph.dependence(&relations, is_unknown);
        let of_time =
            |r: &&Relation| r.role != crate::Role::Argument && by_time[&r.guard] && !by_unknowns[&r.guard];
        let tangled = self.tangled(self.relations.iter().filter(of_time).collect());
        OfTime::find(&self.graph, &rows, &guards, FREE, |leaf| {
            is_unknown(leaf) || matches!(leaf, Node::Symbol(s) if tangled.contains(&s))
        })
    }

    /// Modes of those relations that are found together, as those of a bridge of diodes: what they read depends on themselves. Bounds of such
    /// guards over intervals say nothing.
    fn tangled(&self, mut relations: Vec<&Relation>) -> Vec<Symbol> {
        loop {
            let modes: Vec<Symbol> = relations.iter().map(|r| r.mode).collect();
            let is_mode = |leaf: Node| matches!(leaf, Node::Symbol(s) if modes.contains(&s));
            let guards: Vec<Expr> = relations.iter().map(|r| r.guard).collect();
            let depends = self.graph.dependence(&guards, is_mode);
            let before = relations.len();
            relations.retain(|r| depends[&r.guard]);
            if relations.len() == before {
                return modes;
            }
        }
    }

    pub fn compile(&self, engine: Engine) -> Compiled {
        Compiled::new(self.programs(), engine)
    }

    /// ∂(f, g̈)/∂u, ∂output/∂(y, λ) and ∂output/∂u, by rows, as programs of their own: for linear models.
    pub fn input_programs(&self, inputs: &[Symbol], outputs: &[Expr]) -> Programs {
        let column = |n: Node| match n {
            Node::Symbol(s) => inputs.iter().position(|&i| i == s).map(|i| i as u32),
            _ => None,
        };
        let by_y = |n: Node| match n {
            Node::Symbol(s) => match self.places.get(&s) {
                Some(Place::Unknown(i)) => Some(*i),
                _ => None,
            },
            _ => None,
        };
        let dense = |roots: &[Expr], column: &dyn Fn(Node) -> Option<u32>, width: usize| -> Vec<Expr> {
            let zero = self.graph.constant(0.0).id;
            let mut all = vec![zero; roots.len() * width];
            for (i, g) in slopes(&self.graph, &self.defaults(), roots, column).iter().enumerate() {
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
        Programs::build(&self.graph, &lists, |n| self.place(n))
    }

    /// What ties states together: gaps g (0 where not known), ½ (|q|² − 1) of quaternions, then ġ; and their derivatives by states.
    /// One program: the values, then the entries.
    pub fn ties(&self) -> (usize, Entries, Programs) {
        let graph = &self.graph;
        let zero = graph.constant(0.0);
        let gaps = self.constraints.iter().map(|c| c.position.unwrap_or(zero.id));
        let states = |q: &&[Symbol; 4]| q.iter().all(|&s| self.y_place(s).is_some());
        let lengths = self.quaternions.iter().filter(states).map(|q| {
            let squares = q.iter().fold(zero, |sum, &s| sum + graph.symbol(s) * graph.symbol(s));
            (0.5 * (squares - 1.0)).id
        });
        let mut roots: Vec<Expr> = gaps.chain(lengths).collect();
        let n_positions = roots.len();
        roots.extend(self.constraints.iter().map(|c| c.velocity));
        let (entries, programs) = self.by_states(roots);
        (n_positions, entries, programs)
    }

    /// Constraints that can be fulfilled turned over, and how they face, less one, with its derivatives by states; as `ties`.
    pub fn facings(&self) -> (Vec<usize>, Entries, Programs) {
        let facing = |(k, c): (usize, &Constraint)| Some((k, (self.graph.at(c.facing?) - 1.0).id));
        let (numbers, roots) = self.constraints.iter().enumerate().filter_map(facing).unzip();
        let (entries, programs) = self.by_states(roots);
        (numbers, entries, programs)
    }

    /// Derivatives of `values` by states; one program of the values, then the entries.
    fn by_states(&self, mut values: Vec<Expr>) -> (Entries, Programs) {
        let graph = &self.graph;
        let by_state = slopes(graph, &self.defaults(), &values, |n| match n {
            Node::Symbol(s) => self.y_place(s).filter(|&j| j < self.n_states).map(|j| j as u32),
            _ => None,
        });
        let list = by_state.into_iter().enumerate();
        let list = list.flat_map(|(i, g)| g.into_iter().map(move |(j, e)| ((i, j as usize), e)));
        let (entries, slopes) = list.unzip::<_, _, Entries, Vec<Expr>>();
        values.extend(slopes);
        (entries, Programs::build(graph, &[values], |n| self.place(n)))
    }

    /// A program of its own for `values`.
    pub fn program(&self, values: Vec<Expr>) -> Programs {
        Programs::build(&self.graph, &[values], |n| self.place(n))
    }

    /// Places in y of all quaternions that are states.
    pub fn quaternion_places(&self) -> Vec<[usize; 4]> {
        let places = |q: &[Symbol; 4]| match q.map(|s| self.y_place(s)) {
            [Some(w), Some(x), Some(y), Some(z)] => Some([w, x, y, z]),
            _ => None,
        };
        self.quaternions.iter().filter_map(places).collect()
    }

    /// The value (SI) of every quantity at the beginning; `given` overrides parameters and start values.
    pub fn start(&self, given: &HashMap<Symbol, f64>) -> Start<'_> {
        Start { system: self, values: start_values(&self.graph, &self.quantities, given) }
    }
}

/// Values at the beginning of a run.
pub struct Start<'a> {
    system: &'a System,
    values: Vec<f64>,
}

impl Start<'_> {
    /// Parameters, inputs and modes in the order of the slow inputs.
    pub fn slow(&self) -> Vec<f64> {
        self.system.slow.iter().map(|s| self.values[s.index()]).collect()
    }

    pub fn y(&self) -> Vec<f64> {
        self.system.unknowns.iter().map(|s| self.values[s.index()]).collect()
    }

    pub fn value(&self, s: Symbol) -> f64 {
        self.values[s.index()]
    }

    /// States that were given up although a start other than 0 was given for them, which does not fit what they follow
    /// from: (reduction, start given, start that follows).
    pub fn conflicts(&self) -> Vec<(&Reduction, f64, f64)> {
        let Parts { outputs, reduced, .. } = &**self.system;
        let value: HashMap<&str, Expr> = outputs.iter().map(|o| (o.name.as_str(), o.value)).collect();
        let mut found = vec![];
        for reduction in reduced {
            let given = self.value(reduction.given_up);
            let name = self.system.quantity(reduction.given_up).name.as_str();
            let actual = value.get(name).map_or(given, |&e| self.evaluate(e));
            // Rounding of a start that was computed to fit; what depends on time has no value here.
            if given != 0.0 && (actual - given).abs() > 1e-6 * given.abs() {
                found.push((reduction, given, actual));
            }
        }
        found
    }

    /// Value of an expression of parameters.
    pub fn evaluate(&self, e: Expr) -> f64 {
        evaluate(&self.system.graph, e, |s| self.values[s.index()])
    }
}

/// The pattern of gradients in a square matrix, and the entries in its order.
fn sparse(graph: &Graph, n: usize, gradients: &[Gradient]) -> (Pattern, Vec<Expr>) {
    let entries =
        gradients.iter().enumerate().flat_map(|(i, g)| g.iter().map(move |&(j, _)| (i, j as usize)));
    let pattern = Pattern::from_entries(n, entries);
    let mut values = vec![graph.constant(0.0).id; pattern.nnz()];
    for (i, g) in gradients.iter().enumerate() {
        for &(j, e) in g {
            if let Some(k) = pattern.find(i, j as usize) {
                values[k] = e;
            }
        }
    }
    (pattern, values)
}

/// The pattern of the first n rows and columns once the others, each of which follows from those before it, are put in.
fn uncut(extended: &Pattern, n: usize) -> Pattern {
    if extended.n() == n {
        return extended.clone();
    }
    let words = n.div_ceil(64);
    let mut rows: Vec<Vec<(usize, usize)>> = vec![vec![]; extended.n()];
    extended.entries().for_each(|(i, j, k)| rows[i].push((j, k)));
    let mut of: Vec<Vec<u64>> = Vec::with_capacity(extended.n() - n);
    let columns = |row: &[(usize, usize)], of: &[Vec<u64>]| {
        let mut set = vec![0_u64; words];
        for &(j, _) in row {
            if j < n {
                set[j / 64] |= 1 << (j % 64);
            } else {
                set.iter_mut().zip(&of[j - n]).for_each(|(a, b)| *a |= b);
            }
        }
        set
    };
    for row in &rows[n..] {
        let set = columns(row, &of);
        of.push(set);
    }
    let mut entries = vec![];
    for (i, row) in rows[..n].iter().enumerate() {
        let set = columns(row, &of);
        entries.extend((0..n).filter(|j| set[j / 64] >> (j % 64) & 1 == 1).map(|j| (i, j)));
    }
    Pattern::from_entries(n, entries)
}

fn second_order(
    graph: &Graph,
    rows: &[Row],
    place: &Map<Symbol, u32>,
    n_states: usize,
) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (i, row) in rows.iter().enumerate().take(n_states) {
        if let Node::Symbol(s) = graph.node(row.value)
            && let Some(&v) = place.get(&s)
        {
            let v = v as usize;
            let taken = pairs.iter().any(|&(p, w)| w == v || p == v || w == i);
            if v < n_states && v != i && !taken {
                pairs.push((i, v));
            }
        }
    }
    pairs
}
