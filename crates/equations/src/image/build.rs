//! From a system to its image, while its graph still grows.

use super::{
    ColumnSource, ConstraintLayout, Image, ImageAction, ImageColumn, ImageConstraint, ImageEvent, ImageGuard,
    ImageQuantity, ImageRelation, ImageTask, QuantityKind, StartValue, StateLayout, TimeLayout,
};
use crate::flat::{Action, Assignment, Direction, Event, Output, Quantity, QuantityRole, Task};
use crate::graph::Graph;
use crate::hash::Set;
use crate::node::{Binary, Expr, ExprNode, Symbol};
use crate::program::{Op, Program, emit};
use crate::structure::GuardRole;
use crate::system::System;

impl Image {
    pub(crate) fn new(system: &System<Graph>) -> Self {
        let programs = &system.constraint_programs;
        let place = |s: &Symbol| system.y_place(*s);
        let quaternion = |q: &[Symbol; 4]| match q.each_ref().map(place) {
            [Some(w), Some(x), Some(y), Some(z)] => Some([w, x, y, z]),
            _ => None,
        };
        let mut image = Image {
            quantities: quantities(system),
            unknowns: system.unknowns.clone(),
            n_states: system.n_states,
            slow: system.slow.clone(),
            pattern: system.pattern.clone(),
            extended: system.extended.clone(),
            joined: system.joined.clone(),
            n_cut: system.n_cut,
            second_order: system.second_order.clone(),
            constraint_layout: ConstraintLayout {
                m: programs.m,
                linear: programs.linear,
                s: programs.s.clone(),
                b: programs.b.clone(),
                by_position: programs.by_position.clone(),
                by_velocity: programs.by_velocity.clone(),
            },
            held: system.held.clone(),
            quaternions: system.quaternions.iter().filter_map(quaternion).collect(),
            rows: system.rows.iter().map(|r| r.name.clone()).collect(),
            columns: columns(system),
            guards: guards(system),
            relations: relations(system),
            frictions: system.frictions.iter().map(|f| f.mode).collect(),
            guards_read: guards_read_multipliers(system),
            of_time: time_layout(system),
            of_states: StateLayout {
                n_bases: system.of_states.bases.len(),
                functions: system.of_states.functions.iter().map(|f| f.0).collect(),
                n_guards: system.of_states.guards.len(),
            },
            ..Image::default()
        };
        let constraints = system.constraints.iter();
        image.constraints = constraints
            .map(|c| ImageConstraint { name: c.name.clone(), multiplier: c.multiplier, switched: c.switched })
            .collect();
        image.find_places();
        let reads = Reads::new(system);
        let clamps = may_hold(system, &image);
        let event = |(number, e): (usize, &Event)| ImageEvent {
            name: e.name.clone(),
            targets: e.set.iter().map(|a| a.target).collect(),
            terminate: e.terminate.clone(),
            warn: e.warn.clone(),
            at_start: e.at_start,
            plain: !matches!(system.graph.node(e.guard), ExprNode::Binary(Binary::Min | Binary::Max, ..)),
            may_hold: clamps.contains(&number),
            touches: reads.any_of(&targets(&e.set)),
        };
        image.events = system.events.iter().enumerate().map(event).collect();
        image.tasks = system.tasks.iter().map(|t| task(system, t, &reads)).collect();
        image
    }
}

fn targets(set: &[Assignment]) -> Vec<Symbol> {
    set.iter().map(|a| a.target).collect()
}

/// The program of an expression of quantities.
fn start_value(graph: &Graph, e: Expr) -> StartValue {
    if let ExprNode::Const(number) = graph.node(e) {
        return StartValue::Number(number);
    }
    let program: Program = emit(graph, &[e], |_, node| match node {
        ExprNode::Symbol(s) => Some(Op::Unknown(s.0)),
        _ => None,
    });
    StartValue::Computed(program)
}

fn quantities(system: &System<Graph>) -> Vec<ImageQuantity> {
    let of = |q: &Quantity| {
        let (kind, start) = match q.kind {
            QuantityRole::Unknown { start } => (QuantityKind::Unknown, Some(start)),
            QuantityRole::Parameter { value } => (QuantityKind::Parameter, Some(value)),
            QuantityRole::Input { start } => (QuantityKind::Input, Some(start)),
            QuantityRole::Mode { start } => (QuantityKind::Mode, Some(start)),
            QuantityRole::Multiplier => (QuantityKind::Multiplier, None),
        };
        let start = start.map_or(StartValue::Number(0.0), |e| start_value(&system.graph, e));
        ImageQuantity {
            name: q.name.clone(),
            unit: q.unit.clone(),
            kind,
            nominal: q.nominal,
            range: q.range,
            start,
        }
    };
    system.quantities.iter().map(of).collect()
}

/// Unknowns, multipliers, then what follows from them, then modes and inputs the user named.
fn columns(system: &System<Graph>) -> Vec<ImageColumn> {
    let of = |s: Symbol, source: ColumnSource| {
        let q = system.quantity(s);
        ImageColumn {
            name: q.name.clone(),
            unit: q.unit.clone(),
            doc: q.doc.clone(),
            measured: false,
            source,
        }
    };
    let unknowns = system.unknowns.iter().enumerate().map(|(i, &s)| of(s, ColumnSource::Unknown(i)));
    // An output of the model has a name, one that is measured is its own name: `max(a.x - b.x)`.
    let own = system.outputs.len() - system.as_written.outputs.len();
    let output = |(i, o): (usize, &Output)| ImageColumn {
        name: o.name.clone(),
        unit: o.unit.clone(),
        doc: o.doc.clone(),
        measured: i >= own && !o.name.chars().all(|c| c.is_alphanumeric() || "_.".contains(c)),
        source: ColumnSource::Output(i),
    };
    let outputs = system.outputs.iter().enumerate().map(output);
    let constraints = system.constraints.iter().enumerate();
    let multipliers =
        constraints.filter(|(_, c)| !c.switched).map(|(i, c)| of(c.multiplier, ColumnSource::Multiplier(i)));
    let hidden: Set<Symbol> = system.relations.iter().map(|r| r.mode).collect();
    let discrete = system.slow.iter().enumerate().filter(|&(_, s)| {
        matches!(system.quantity(*s).kind, QuantityRole::Mode { .. } | QuantityRole::Input { .. })
            && !hidden.contains(s)
    });
    let discrete = discrete.map(|(i, &s)| of(s, ColumnSource::Slow(i)));
    unknowns.chain(multipliers).chain(outputs).chain(discrete).collect()
}

fn guards(system: &System<Graph>) -> Vec<ImageGuard> {
    let role = |number: usize| match number.checked_sub(system.events.len()) {
        Some(k) if k < system.relations.len() => system.relations[k].role,
        _ => GuardRole::Switch,
    };
    let unknowns: Set<Symbol> = system.unknowns[system.n_states..].iter().copied().collect();
    let reads = |&e: &Expr| matches!(system.graph.node(e), ExprNode::Symbol(s) if unknowns.contains(&s));
    let algebraic = |e: Expr| !unknowns.is_empty() && system.graph.reachable([e]).iter().any(reads);
    let guards = system.guards.iter().enumerate();
    guards
        .map(|(number, (name, direction, guard))| ImageGuard {
            name: name.clone(),
            direction: *direction,
            role: role(number),
            algebraic: algebraic(*guard),
        })
        .collect()
}

fn relations(system: &System<Graph>) -> Vec<ImageRelation> {
    let relations = system.relations.iter();
    relations
        .map(|r| ImageRelation {
            role: r.role,
            mode: r.mode,
            closed: r.closed,
            step: r.step,
            points: r.points.clone(),
            table: r.table.map(|t| t.0 as usize),
        })
        .collect()
}

fn guards_read_multipliers(system: &System<Graph>) -> bool {
    let plain = system.events.iter().map(|e| e.guard).chain(system.relations.iter().map(|r| r.guard));
    let plain: Vec<Expr> = plain.collect();
    let multiplier = |s: Symbol| matches!(system.quantity(s).kind, QuantityRole::Multiplier);
    let reads = |&e: &Expr| matches!(system.graph.node(e), ExprNode::Symbol(s) if multiplier(s));
    system.graph.reachable(plain).iter().any(reads)
}

fn time_layout(system: &System<Graph>) -> TimeLayout {
    let of = &system.of_time;
    TimeLayout {
        guards: of.guards.clone(),
        corners: of.corners.iter().map(|(_, points, jumps)| (points.clone(), *jumps)).collect(),
        n_jumps: of.jumps.len(),
        n_inputs: of.inputs.len(),
        n_waves: of.waves.len(),
        functions: of.functions.iter().map(|f| f.0).collect(),
    }
}

/// Quantities that each guard reads.
struct Reads(Vec<Set<Symbol>>);

impl Reads {
    fn new(system: &System<Graph>) -> Self {
        if system.events.is_empty() && system.tasks.is_empty() {
            return Reads(vec![]);
        }
        let symbol = |e: Expr| match system.graph.node(e) {
            ExprNode::Symbol(s) => Some(s),
            _ => None,
        };
        let read = |guard: Expr| system.graph.reachable([guard]).into_iter().filter_map(symbol).collect();
        Reads(system.guards.iter().map(|g| read(g.2)).collect())
    }

    fn any_of(&self, targets: &[Symbol]) -> Vec<usize> {
        (0..self.0.len()).filter(|&g| targets.iter().any(|t| self.0[g].contains(t))).collect()
    }
}

/// Events that may hold what they set.
fn may_hold(system: &System<Graph>, image: &Image) -> Vec<usize> {
    if !system.constraints.is_empty() || system.n() > system.n_states {
        return vec![];
    }
    let fixed = |event: &Event| {
        let values: Vec<_> = event.set.iter().map(|a| a.value).collect();
        let slow = |leaf: ExprNode| !matches!(leaf, ExprNode::Symbol(s) if image.slow_place(s).is_some());
        let changes = system.graph.dependence(&values, slow);
        values.iter().all(|v| !changes[v])
    };
    let holds = |event: &Event| {
        let mut places = event.set.iter().map(|a| image.y_place(a.target));
        let states = places.all(|place| place.is_some_and(|i| !image.is_turn(i)));
        let reads = |n: ExprNode| matches!(n, ExprNode::Symbol(s) if event.set.iter().any(|a| a.target == s));
        let own = system.graph.dependence(&[event.guard], reads)[&event.guard];
        let one_way = event.direction != Direction::Both;
        !event.set.is_empty() && states && one_way && own && event.terminate.is_none() && fixed(event)
    };
    (0..system.events.len()).filter(|&k| holds(&system.events[k])).collect()
}

fn task(system: &System<Graph>, task: &Task, reads: &Reads) -> ImageTask {
    let (action, set) = match &task.action {
        Action::Set(set) => (ImageAction::Set(targets(set)), targets(set)),
        Action::Script { language, source, setup, inputs, outputs } => {
            let action = ImageAction::Script {
                language: language.clone(),
                source: source.clone(),
                setup: setup.iter().map(|&e| start_value(&system.graph, e)).collect(),
                inputs: inputs.iter().map(|(name, _)| name.clone()).collect(),
                outputs: outputs.clone(),
                parameters: parameters(system, &task.origin.component),
            };
            (action, outputs.iter().map(|o| o.1).collect())
        }
    };
    ImageTask {
        name: task.name.clone(),
        period: start_value(&system.graph, task.period),
        offset: start_value(&system.graph, task.offset),
        after: task.after,
        action,
        touches: reads.any_of(&set),
    }
}

/// Arguments of the `init` of a controller: the parameters of the component it stands in, and its period.
fn parameters(system: &System<Graph>, component: &str) -> Vec<(String, Option<Symbol>)> {
    let mut list = vec![("period".to_string(), None)];
    for (i, q) in system.quantities.iter().enumerate() {
        if matches!(q.kind, QuantityRole::Parameter { .. }) && q.origin.component == component {
            let local = q.name.rsplit('.').next().unwrap_or(&q.name).to_string();
            list.retain(|(name, _)| *name != local);
            list.push((local, Some(Symbol(i as u32))));
        }
    }
    list
}
