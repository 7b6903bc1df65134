//! A model ready to run: compiled equations with their present parameters, inputs and modes.
//!
//! [`Prepared`] is immutable and shared; each run has its own [`Machine`].

mod clamp;
mod hybrid;
mod watch;
mod whole;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use trunnion_equations::flat::{Action, Assignment, Kind};
use trunnion_equations::{Compiled, Engine, Expr, Node, Part, SlowValues, Symbol, System, Unit};
use trunnion_num::Archive;

use crate::closure::{Assembly, Loops, Quaternion, normalise};
use crate::cuts::Cuts;
use crate::equilibrium::{Hold, Rest, balance_machine};
use crate::friction::Frictions;
use crate::problem::{Direction, Guard, Hybrid, Layout, Problem, Role};
use crate::run_error::RunError;
use crate::start_error::StartError;
use crate::state_watch::StateWatch;
use crate::task::Tasks;
use crate::time_watch::TimeWatch;
use clamp::{Clamp, Held, clamps};
use watch::plain_guards;

/// The compiled model, for any number of runs on any number of threads.
#[derive(Debug)]
pub struct Prepared {
    pub system: System,
    pub compiled: Compiled,
    pub layout: Layout,
    pub columns: Vec<Column>,
    /// Places of the columns.
    by_name: HashMap<String, usize>,
    /// By part: it reads multipliers.
    reads_multipliers: Vec<bool>,
    /// Guards other than those of friction read them.
    guards_read: bool,
    /// Events whose condition is one relation; of several, one may keep the others from being asked for.
    plain_guards: Vec<usize>,
    /// Runs begin at the static equilibrium, found with this held.
    pub rest: Option<Hold>,
    /// By event, then by task: guards that read what it sets.
    touches: Vec<Vec<usize>>,
    clamps: Vec<Clamp>,
}

/// A recorded signal.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub unit: Unit,
    pub doc: String,
    /// An expression that somebody measures, no quantity of the model: it counts only where it is measured.
    pub measured: bool,
    source: Source,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Unknown(usize),
    Multiplier(usize),
    Output(usize),
    Slow(usize),
}

impl Prepared {
    pub fn new(system: System, engine: Engine) -> Self {
        let compiled = system.compile(engine);
        let clamps = clamps(&system);
        let layout = layout(&system, &clamps);
        let columns = columns(&system);
        let reads = |part: usize| compiled.program(part).unknowns() > system.n();
        let reads_multipliers = (0..=Part::Frictions as usize).map(reads).collect();
        let guards_read = guards_read_multipliers(&system);
        let (plain_guards, touches) = (plain_guards(&system), touches(&system));
        // Of several with one name the first.
        let by_name = columns.iter().enumerate().rev().map(|(i, c)| (c.name.clone(), i)).collect();
        Prepared {
            system,
            compiled,
            layout,
            columns,
            by_name,
            reads_multipliers,
            guards_read,
            plain_guards,
            touches,
            clamps,
            rest: None,
        }
    }

    /// What a column shows, in SI.
    pub fn column_expression(&self, column: usize) -> Expr {
        let system = &self.system;
        match self.columns[column].source {
            Source::Unknown(i) => system.graph.symbol(system.unknowns[i]).id,
            Source::Multiplier(i) => system.graph.symbol(system.constraints[i].multiplier).id,
            Source::Output(i) => system.outputs[i].value,
            Source::Slow(i) => system.graph.symbol(system.slow[i]).id,
        }
    }

    /// Guards of the model: those of clamps come after.
    fn plain(&self) -> usize {
        self.compiled.program(Part::Guards as usize).n_out
    }

    /// The place of a column by its name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}

/// By unknown: whether loops or a quaternion tie it to others.
fn tied(system: &System) -> Vec<bool> {
    let mut tied = vec![false; system.n()];
    let closure = &system.closure;
    closure.by_position.iter().chain(&closure.by_velocity).for_each(|e| tied[e.1] = true);
    system.quaternion_places().iter().flatten().for_each(|&i| tied[i] = true);
    tied
}

fn guards_read_multipliers(system: &System) -> bool {
    let plain = system.events.iter().map(|e| e.guard).chain(system.relations.iter().map(|r| r.guard));
    let plain: Vec<Expr> = plain.collect();
    let multiplier = |s: Symbol| matches!(system.quantity(s).kind, Kind::Multiplier);
    let reads = |&e: &Expr| matches!(system.graph.node(e), Node::Symbol(s) if multiplier(s));
    system.graph.reachable(plain).iter().any(reads)
}

fn touches(system: &System) -> Vec<Vec<usize>> {
    let read = |guard: Expr| -> HashSet<Symbol> {
        let symbol = |e: Expr| match system.graph.node(e) {
            Node::Symbol(s) => Some(s),
            _ => None,
        };
        system.graph.reachable([guard]).into_iter().filter_map(symbol).collect()
    };
    if system.events.is_empty() && system.tasks.is_empty() {
        return vec![];
    }
    let reads: Vec<HashSet<Symbol>> = system.guards().into_iter().map(|(_, _, guard)| read(guard)).collect();
    let of = |targets: Vec<Symbol>| {
        let sets = |r: &HashSet<Symbol>| targets.iter().any(|t| r.contains(t));
        (0..reads.len()).filter(|&g| sets(&reads[g])).collect()
    };
    let set = |set: &[Assignment]| set.iter().map(|a| a.target).collect();
    let by_events = system.events.iter().map(|e| of(set(&e.set)));
    let by_tasks = system.tasks.iter().map(|task| match &task.action {
        Action::Set(assignments) => of(set(assignments)),
        Action::Script { outputs, .. } => of(outputs.iter().map(|&(_, target)| target).collect()),
    });
    by_events.chain(by_tasks).collect()
}

fn layout(system: &System, clamps: &[Clamp]) -> Layout {
    let quantity = |&s: &Symbol| system.quantity(s);
    // Components of a unit quaternion are of size one.
    let turns: HashSet<usize> = system.quaternion_places().into_iter().flatten().collect();
    let given = |s: &Symbol| quantity(s).nominal.is_some_and(|n| n.given);
    let learns = |i: usize| i < system.n_states && !turns.contains(&i) && !given(&system.unknowns[i]);
    let role = |number: usize| match number.checked_sub(system.events.len()) {
        Some(k) if k < system.relations.len() => system.relations[k].role,
        _ => Role::Switch,
    };
    let unknown = |s: Symbol| system.unknowns[system.n_states..].contains(&s);
    let reads = |&e: &Expr| matches!(system.graph.node(e), Node::Symbol(s) if unknown(s));
    let algebraic =
        |guard: Expr| system.n() > system.n_states && system.graph.reachable([guard]).iter().any(reads);
    let guards = system.guards().into_iter().enumerate();
    let guards = guards.map(|(number, (name, direction, guard))| Guard {
        name,
        direction,
        role: role(number),
        algebraic: algebraic(guard),
    });
    let tables = system.relations.iter().enumerate();
    let tables = tables.filter_map(|(k, r)| Some((system.events.len() + k, system.graph.table(r.table?))));
    // Events that hold, when they no longer do.
    let ends = clamps.iter().map(|clamp| Guard {
        name: system.events[clamp.event].name.clone(),
        direction: Direction::Falling,
        role: Role::Switch,
        algebraic: false,
    });
    Layout {
        names: system.unknowns.iter().map(|s| quantity(s).name.clone()).collect(),
        differential: (0..system.n()).map(|i| i < system.n_states).collect(),
        nominal: system.unknowns.iter().map(|s| quantity(s).nominal.map_or(1.0, |n| n.size)).collect(),
        atol: vec![],
        learns: (0..system.n()).map(learns).collect(),
        pattern: system.pattern.clone(),
        second_order: system.second_order.clone(),
        guards: guards.chain(ends).collect(),
        tables: tables.collect(),
        constrained: !system.constraints.is_empty(),
    }
}

/// Unknowns, multipliers, then what follows from them, then modes and inputs the user named.
fn columns(system: &System) -> Vec<Column> {
    let of = |s: Symbol, source: Source| {
        let q = system.quantity(s);
        Column { name: q.name.clone(), unit: q.unit.clone(), doc: q.doc.clone(), measured: false, source }
    };
    let unknowns = system.unknowns.iter().enumerate().map(|(i, &s)| of(s, Source::Unknown(i)));
    // An output of the model has a name, one that is measured is its own name: `max(a.x - b.x)`.
    let own = system.outputs.len() - system.as_written.outputs.len();
    let outputs = system.outputs.iter().enumerate().map(|(i, o)| Column {
        name: o.name.clone(),
        unit: o.unit.clone(),
        doc: o.doc.clone(),
        measured: i >= own && !o.name.chars().all(|c| c.is_alphanumeric() || "_.".contains(c)),
        source: Source::Output(i),
    });
    let constraints = system.constraints.iter().enumerate();
    let multipliers =
        constraints.filter(|(_, c)| !c.switched).map(|(i, c)| of(c.multiplier, Source::Multiplier(i)));
    let hidden = |s: Symbol| system.relations.iter().any(|r| r.mode == s);
    let discrete = system.slow.iter().enumerate().filter(|&(_, &s)| {
        matches!(system.quantity(s).kind, Kind::Mode { .. } | Kind::Input { .. }) && !hidden(s)
    });
    let discrete = discrete.map(|(i, &s)| of(s, Source::Slow(i)));
    unknowns.chain(multipliers).chain(outputs).chain(discrete).collect()
}

/// One run of a prepared model.
pub struct Machine {
    /// Parameters, inputs and start values from outside.
    given: HashMap<Symbol, f64>,
    prepared: Arc<Prepared>,
    /// Parameters, inputs and modes.
    slow: Vec<f64>,
    /// Those for which k was found.
    known: SlowValues,
    k: Vec<f64>,
    scratch: Vec<f64>,
    /// Of `rounding`.
    bounds: Vec<[f64; 2]>,
    /// Written by `compute_actions`.
    actions: Vec<f64>,
    outputs: Vec<f64>,
    loops: Option<Loops>,
    quaternions: Vec<Quaternion>,
    /// By state: loops or a quaternion tie it to others.
    tied: Vec<bool>,
    /// One of them was set.
    unfit: bool,
    /// The time at which multipliers were last found, with the values of today.
    closed: Option<f64>,
    cuts: Option<Cuts>,
    /// Start values that had to move to close the loops, with the value given.
    pub moved: Vec<(Symbol, f64)>,
    /// Constraints that follow from others at the start.
    pub redundant: Vec<usize>,
    /// Those that almost do.
    pub weak: Vec<usize>,
    /// How it rests at the start, where the model asks for that.
    pub rest: Rest,
    tasks: Tasks,
    frictions: Frictions,
    /// Why the model ended the run.
    pub ended_by: Option<String>,
    /// Number and time of every event so far.
    pub fired: Vec<(usize, f64)>,
    /// By column: where it comes from, factor and offset of its unit unless it is in SI.
    readings: Vec<(Source, Option<(f64, f64)>)>,
    /// The first condition of an event that could not be judged.
    lost_guard: Option<RunError>,
    /// Time and number of the last round of `settle`.
    settling: (f64, usize),
    /// Kinks take the branch of the values asked for; with their guards.
    following: bool,
    guard_values: Vec<f64>,
    held: Held,
    time_watch: Option<TimeWatch>,
    state_watch: Option<StateWatch>,
}

/// Factor and offset of a unit that is not SI.
fn factors(unit: &Unit) -> Option<(f64, f64)> {
    ((unit.factor, unit.offset) != (1.0, 0.0)).then_some((unit.factor, unit.offset))
}

impl Machine {
    /// A machine at its start, and the unknowns there. `given` overrides parameters, inputs and start values (SI).
    pub fn start(
        prepared: Arc<Prepared>,
        given: &HashMap<Symbol, f64>,
        t_0: f64,
    ) -> Result<(Self, Vec<f64>), StartError> {
        let held = prepared.system.held.clone();
        let (mut machine, mut y) = Self::start_holding(prepared, given, t_0, &held)?;
        let prepared = machine.prepared.clone();
        if let Some(hold) = &prepared.rest {
            machine.rest = balance_machine(&mut machine, t_0, &mut y, hold)
                .map_err(|no_rest| StartError::no_rest(&prepared, t_0, &no_rest))?;
        }
        Ok((machine, y))
    }

    /// The same with other states that closing the loops is not to move.
    pub fn start_holding(
        prepared: Arc<Prepared>,
        given: &HashMap<Symbol, f64>,
        t_0: f64,
        held: &[Symbol],
    ) -> Result<(Self, Vec<f64>), StartError> {
        let system = &prepared.system;
        let start = system.start(given);
        let (slow, mut y) = (start.slow(), start.y());
        let tasks = Tasks::new(system, &start, t_0).map_err(StartError::Task)?;
        let compiled = &prepared.compiled;
        let time_watch = TimeWatch::new(system, compiled);
        let state_watch = StateWatch::new(system, compiled);
        let n_guards = compiled.program(Part::Guards as usize).n_out;
        let sized = |part: Part| vec![0.0; compiled.program(part as usize).n_out];
        let held_by_events = Held::new(prepared.clamps.len(), system.n(), n_guards);
        let mut machine = Machine {
            given: given.clone(),
            held: held_by_events,
            known: SlowValues::default(),
            k: vec![0.0; compiled.n_slow()],
            scratch: vec![0.0; compiled.scratch()],
            bounds: vec![[0.0; 2]; compiled.scratch()],
            actions: sized(Part::Actions),
            outputs: sized(Part::Outputs),
            loops: Loops::new(system),
            quaternions: system.quaternion_places(),
            tied: tied(system),
            unfit: false,
            closed: None,
            cuts: Cuts::new(system),
            moved: vec![],
            redundant: vec![],
            weak: vec![],
            rest: Rest::default(),
            tasks,
            frictions: Frictions::new(system),
            readings: prepared.columns.iter().map(|c| (c.source, factors(&c.unit))).collect(),
            slow,
            prepared,
            ended_by: None,
            fired: Vec::new(),
            lost_guard: None,
            settling: (f64::NAN, 0),
            following: false,
            time_watch,
            state_watch,
            guard_values: vec![0.0; n_guards],
        };
        machine.prepare();
        machine.assemble(t_0, held, &mut y)?;
        machine.recount(t_0, &y);
        machine.stick(t_0, &y);
        Ok((machine, y))
    }

    /// A pose that closes the loops.
    fn assemble(&mut self, t: f64, held: &[Symbol], y: &mut [f64]) -> Result<(), StartError> {
        self.normalise(y);
        let Machine { prepared, k, scratch, loops: Some(loops), slow, .. } = self else { return Ok(()) };
        let Prepared { system, compiled, .. } = &**prepared;
        let run = |y: &[f64], gaps: &mut [f64]| compiled.run(Part::Gaps as usize, t, y, k, scratch, gaps);
        let done = Assembly::new(loops, system, slow, t, run).assemble(held, y);
        self.moved = done.map_err(|open| StartError::open(system, open))?;
        self.close(t, y);
        (self.redundant, self.weak) = self.loops.as_ref().map_or_else(Default::default, Loops::dependent);
        let constraints = &self.prepared.system.constraints;
        for list in [&mut self.redundant, &mut self.weak] {
            list.retain(|&k| !constraints[k].switched);
        }
        Ok(())
    }

    /// Quaternions of unit length; true if one was not.
    fn normalise(&self, y: &mut [f64]) -> bool {
        let mut changed = false;
        for q in &self.quaternions {
            changed |= normalise(q, y);
        }
        changed
    }

    /// Multipliers at (t, y), and f in the buffers of `loops`.
    fn close(&mut self, t: f64, y: &[f64]) {
        let Machine { prepared, k, scratch, loops: Some(loops), closed, .. } = self else { return };
        if *closed == Some(t) && loops.extended[..y.len()] == *y {
            return;
        }
        let compiled = &prepared.compiled;
        loops.close(y, |extended, out| compiled.run(Part::Closure as usize, t, extended, k, scratch, out));
        loops.keep(t);
        *closed = Some(t);
    }

    /// Multipliers at (t, y) alone.
    fn find_multipliers(&mut self, t: f64, y: &[f64]) {
        let Machine { loops: Some(loops), closed, .. } = self else { return };
        let is_closed = *closed == Some(t) && loops.extended[..y.len()] == *y;
        if !is_closed && loops.recall(t, y) {
            *closed = None;
            return;
        }
        self.close(t, y);
    }

    /// Bring `y` back to closed loops and unit quaternions, to rounding.
    pub fn restore(&mut self, t: f64, y: &mut [f64]) {
        self.normalise(y);
        if let Machine { prepared, k, scratch, loops: Some(loops), .. } = self {
            let compiled = &prepared.compiled;
            loops.restore(y, |y, gaps| compiled.run(Part::Gaps as usize, t, y, k, scratch, gaps));
        }
    }

    /// What was set may not fit the loops.
    fn refit(&mut self, t: f64, y: &mut [f64]) {
        if std::mem::take(&mut self.unfit) {
            self.restore(t, y);
        }
    }

    /// All that the steps to come take over from those before, the values of the unknowns aside. Err: why a controller's memory
    /// cannot be kept, or taken up.
    pub fn remember(&mut self, archive: &mut Archive) -> Result<(), String> {
        archive.numbers(&mut self.slow);
        if let Some(loops) = &mut self.loops {
            loops.remember(archive);
        }
        self.held.order.iter_mut().for_each(|order| archive.count(order));
        archive.numbers(&mut self.held.least);
        self.tasks.remember(archive)?;
        self.given.extend(self.tasks.changes());
        self.prepare();
        Ok(())
    }

    /// Native code of every part, made now; and room for what steps may need.
    pub fn warm_up(&mut self, t: f64, y: &[f64]) {
        let compiled = &self.prepared.compiled;
        (0..compiled.len()).for_each(|part| _ = compiled.warm_up(part));
        let n = y.len();
        let (mut f, mut j) = (vec![0.0; n], vec![0.0; self.prepared.layout.pattern.nnz()]);
        self.residual(t, y, &mut f);
        self.jacobian(t, y, &mut j);
        self.time_gradient(t, y, &mut f);
        self.guards(t, y, &mut vec![0.0; self.prepared.layout.guards.len()]);
        self.compute_actions(t, y);
        self.read_frictions(t, y);
        // What is not finite is told when it is recorded in the run.
        let _ = self.record(t, y, &mut vec![0.0; self.prepared.columns.len()]);
        self.project(t, &mut y.to_vec());
        self.fired.reserve(256);
        let system = &self.prepared.system;
        let varies = |s: Symbol| !matches!(system.quantities[s.index()].kind, Kind::Parameter { .. });
        let places = system.slow.iter().enumerate().filter(|&(_, &s)| varies(s));
        places.for_each(|(place, _)| self.prepared.compiled.expect_change(place));
        if let Some(loops) = &mut self.loops {
            loops.reserve();
        }
    }

    /// The closed loops as the last evaluation left them.
    pub(crate) fn loops(&mut self) -> Option<&mut Loops> {
        self.loops.as_mut()
    }

    pub fn prepared(&self) -> &Arc<Prepared> {
        &self.prepared
    }

    /// Lines the controllers wrote since the last call.
    pub fn take_log(&mut self) -> Vec<String> {
        self.tasks.take_log()
    }

    /// Event and time of every beginning of a hold.
    pub fn holds(&self) -> &[(usize, f64)] {
        &self.held.log
    }

    /// Present value of a parameter, input or mode.
    pub fn slow(&self, place: usize) -> f64 {
        self.slow[place]
    }

    /// Present values of all parameters, inputs and modes.
    pub fn slow_values(&self) -> &[f64] {
        &self.slow
    }

    /// Change a parameter, input or mode between steps.
    pub fn set_slow(&mut self, place: usize, value: f64) {
        self.slow[place] = value;
        self.prepare();
    }

    /// Changes a parameter or input (SI), and the parameters that follow from it; false: nothing is different.
    pub fn set_parameter(&mut self, symbol: Symbol, value: f64) -> bool {
        let system = &self.prepared.system;
        let before = system.start(&self.given).slow();
        self.given.insert(symbol, value);
        let after = system.start(&self.given).slow();
        let settable =
            |s: Symbol| matches!(system.quantity(s).kind, Kind::Parameter { .. } | Kind::Input { .. });
        let mut changed = false;
        for (place, &s) in system.slow.iter().enumerate() {
            // An input may have been moved by other means since.
            let wanted = s == symbol || before[place].to_bits() != after[place].to_bits();
            if wanted && settable(s) && self.slow[place].to_bits() != after[place].to_bits() {
                self.slow[place] = after[place];
                changed = true;
            }
        }
        if changed {
            self.prepare();
        }
        changed
    }

    /// What was given from outside, at the start and since.
    pub fn given(&self) -> &HashMap<Symbol, f64> {
        &self.given
    }

    /// The same, of another run: its values come with its memory.
    pub(crate) fn take_given(&mut self, given: HashMap<Symbol, f64>) {
        self.given = given;
    }

    /// All columns at (t, y), in the units they are shown in. Err: one of them is no finite number; `row` is filled all the same.
    pub fn record(&mut self, t: f64, y: &[f64], row: &mut [f64]) -> Result<(), RunError> {
        let mut outputs = std::mem::take(&mut self.outputs);
        self.find_multipliers(t, y);
        self.run(Part::Outputs, t, y, &mut outputs);
        self.outputs = outputs;
        let Machine { readings, outputs, slow, loops, .. } = self;
        let mut all_finite = true;
        for (value, (source, unit)) in row.iter_mut().zip(readings) {
            let si = match *source {
                Source::Unknown(i) => y[i],
                Source::Multiplier(i) => loops.as_ref().map_or(0.0, |l| l.extended[y.len() + i]),
                Source::Output(i) => outputs[i],
                Source::Slow(i) => slow[i],
            };
            *value = unit.map_or(si, |(factor, offset)| (si - offset) / factor);
            all_finite &= value.is_finite();
        }
        if let Some(lost) = self.lost_guard.take() {
            return Err(lost);
        }
        if all_finite {
            return Ok(());
        }
        let columns = &self.prepared.columns;
        match row.iter().zip(columns).position(|(value, column)| !value.is_finite() && !column.measured) {
            None => Ok(()),
            Some(column) => Err(self.not_finite(t, y, column)),
        }
    }

    /// k follows the slow inputs.
    fn prepare(&mut self) {
        self.closed = None;
        if let Some(loops) = &mut self.loops {
            loops.forget();
        }
        self.prepared.compiled.update(&self.slow, &mut self.known, &mut self.k);
    }

    /// Multipliers are found first where the part reads them.
    fn part(&mut self, part: Part, t: f64, y: &[f64], out: &mut [f64]) {
        if self.prepared.reads_multipliers[part as usize] {
            self.find_multipliers(t, y);
            return self.run(part, t, y, out);
        }
        let Machine { prepared, k, scratch, .. } = self;
        prepared.compiled.run(part as usize, t, y, k, scratch, out);
    }

    /// With the multipliers of the last `close`.
    fn run(&mut self, part: Part, t: f64, y: &[f64], out: &mut [f64]) {
        let Machine { prepared, k, scratch, loops, .. } = self;
        let y = loops.as_ref().map_or(y, |l| &l.extended);
        prepared.compiled.run(part as usize, t, y, k, scratch, out);
    }

    /// Let friction stick or slide as speeds and forces ask for, until all agree; true if anything changed.
    fn stick(&mut self, t: f64, y: &[f64]) -> bool {
        let mut changed = false;
        // Each may be decided anew once the others are.
        for _ in 0..=2 * self.frictions.len() {
            self.read_frictions(t, y);
            if !self.frictions.settle(&mut self.slow) {
                break;
            }
            self.prepare();
            changed = true;
        }
        changed
    }

    /// Speeds, limits and holding forces of all frictions at (t, y).
    fn read_frictions(&mut self, t: f64, y: &[f64]) {
        if self.frictions.len() > 0 {
            let mut values = std::mem::take(&mut self.frictions.values);
            self.part(Part::Frictions, t, y, &mut values);
            self.frictions.values = values;
        }
    }

    /// Number of the first guard of friction.
    fn first_friction(&self) -> usize {
        self.prepared.system.events.len() + self.prepared.system.relations.len()
    }

    fn compute_actions(&mut self, t: f64, y: &[f64]) {
        let mut actions = std::mem::take(&mut self.actions);
        self.part(Part::Actions, t, y, &mut actions);
        self.actions = actions;
    }

    /// Give the computed values of `set` to its targets; true if anything changed.
    fn assign(
        &mut self,
        (name, set): (&str, &[Assignment]),
        first: usize,
        t: f64,
        y: &mut [f64],
    ) -> Result<bool, String> {
        let bad = |k: &usize| !self.actions[first + k].is_finite();
        if let Some(k) = (0..set.len()).find(bad) {
            let a = &set[k];
            let target = &self.prepared.system.quantity(a.target).name;
            let cause = self.cause(t, y, a.value).map_or(String::new(), |cause| format!(": {cause}"));
            let value = self.actions[first + k];
            return Err(format!("`{name}` sets `{target}` to {value}, which is no finite value{cause}"));
        }
        let mut changed = false;
        for (k, a) in set.iter().enumerate() {
            changed |= self.put(a.target, self.actions[first + k], y);
        }
        Ok(changed)
    }

    /// The branches of all kinks at (t, y), where they are followed.
    fn choose_branches(&mut self, t: f64, y: &[f64]) {
        if !self.following {
            return;
        }
        let prepared = Arc::clone(&self.prepared);
        let system = &prepared.system;
        let mut g = std::mem::take(&mut self.guard_values);
        // A branch may decide about the next.
        for _ in 0..4 {
            self.guards(t, y, &mut g);
            let mut changed = false;
            for (relation, &value) in system.relations.iter().zip(&g[system.events.len()..]) {
                if relation.role == Role::Kink && value != 0.0 && !value.is_nan() {
                    let now = system.slow_place(relation.mode).map_or(0.0, |i| self.slow[i]);
                    changed |= self.put(relation.mode, relation.settled(now, value), &mut []);
                }
            }
            if !changed {
                break;
            }
            self.prepare();
        }
        self.guard_values = g;
    }

    fn put(&mut self, target: Symbol, value: f64, y: &mut [f64]) -> bool {
        let place = match self.prepared.system.slow_place(target) {
            Some(i) => &mut self.slow[i],
            None => match self.prepared.system.y_place(target) {
                Some(i) => {
                    self.unfit |= self.tied[i];
                    if y[i] != value {
                        self.let_go(i);
                    }
                    &mut y[i]
                }
                None => return false,
            },
        };
        let changed = place.to_bits() != value.to_bits();
        *place = value;
        changed
    }
}

impl Problem for Machine {
    fn layout(&self) -> &Layout {
        &self.prepared.layout
    }

    fn residual(&mut self, t: f64, y: &[f64], f: &mut [f64]) {
        self.choose_branches(t, y);
        if self.loops.is_none() {
            self.run(Part::Residual, t, y, f);
            return self.hold_rows(f);
        }
        self.close(t, y);
        if let Some(loops) = &self.loops {
            f.copy_from_slice(&loops.forces[..f.len()]);
        }
    }

    fn jacobian(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        self.choose_branches(t, y);
        self.close(t, y);
        let Machine { prepared, k, scratch, loops, cuts, .. } = self;
        let mut run = |y: &[f64], out: &mut [f64]| match cuts {
            None => prepared.compiled.run(Part::Jacobian as usize, t, y, k, scratch, out),
            Some(cuts) => {
                prepared.compiled.run(Part::Jacobian as usize, t, y, k, scratch, &mut cuts.entries);
                cuts.eliminate(out);
            }
        };
        match loops {
            None => run(y, values),
            Some(loops) => {
                run(&loops.extended, &mut loops.jacobian);
                loops.eliminate(values);
            }
        }
        self.hold_entries(values);
    }

    fn time_gradient(&mut self, t: f64, y: &[f64], f_t: &mut [f64]) {
        if self.loops.is_none() {
            self.run(Part::TimeGradient, t, y, f_t);
            return self.hold_rows(f_t);
        }
        self.close(t, y);
        let Machine { prepared, k, scratch, loops: Some(loops), .. } = self else { return };
        let compiled = &prepared.compiled;
        compiled.run(Part::TimeGradient as usize, t, &loops.extended, k, scratch, &mut loops.f_t);
        loops.eliminate_time();
        f_t.copy_from_slice(&loops.f_t[..f_t.len()]);
    }
}
