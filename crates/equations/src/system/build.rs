//! From the parts to a system: derivatives, patterns, guards, what is watched, and the programs. All expressions are made here.

use std::sync::Arc;

use trunnion_num::Pattern;

use super::{FREE, ResidualRow, STARTED, STICTION_SPEED, System, SystemParts, TieProgram};
use crate::constraints::{ConstraintPrograms, Entries};
use crate::derivative::{Gradient, cut_slopes, slopes};
use crate::flat::{Action, Constraint, Direction, Friction, QuantityRole};
use crate::graph::Graph;
use crate::hash::Map;
use crate::image::Image;
use crate::node::{Binary, Expr, ExprNode, Symbol};
use crate::of_states::{Leaf, OfStates, OutputFunctions};
use crate::of_time::OfTime;
use crate::program::{LeafPlace, Programs};
use crate::structure::Relation;

impl System<Graph> {
    pub(crate) fn build(parts: SystemParts<Graph>) -> System {
        let SystemParts { graph, quantities, unknowns, rows, constraints, .. } = &parts;
        let slow: Vec<Symbol> = (0..quantities.len())
            .filter(|&i| {
                !matches!(quantities[i].kind, QuantityRole::Unknown { .. } | QuantityRole::Multiplier)
            })
            .map(|i| Symbol(i as u32))
            .collect();
        // Programs find the multipliers behind y.
        let multipliers = constraints.iter().map(|c| &c.multiplier);
        let place: Map<Symbol, u32> =
            unknowns.iter().chain(multipliers).enumerate().map(|(i, &s)| (s, i as u32)).collect();
        let places = (place.iter().map(|(&s, &i)| (s, LeafPlace::Unknown(i))))
            .chain(slow.iter().enumerate().map(|(i, &s)| (s, LeafPlace::Slow(i as u32))))
            .collect();
        let (n, m) = (unknowns.len(), constraints.len());
        let defaults = parts.defaults();
        let values: Vec<Expr> =
            rows.iter().map(|r| r.value).chain(constraints.iter().map(|c| c.acceleration)).collect();
        let cut = cut_slopes(graph, &defaults, &values, (n + m) as u32, |node| match node {
            ExprNode::Symbol(s) => place.get(&s).copied(),
            _ => None,
        });
        let n_cut = cut.middle.len();
        let (extended, jacobian) = sparse(graph, n + m + n_cut, &[cut.roots, cut.middle].concat());
        let f_t: Vec<Expr> = slopes(graph, &defaults, &values, |node| (node == ExprNode::Time).then_some(0))
            .iter()
            .map(|g| g.first().map_or(graph.constant(0.0).id, |&(_, e)| e))
            .collect();
        let second_order = second_order(graph, rows, &place, parts.n_states);
        let constraint_programs = ConstraintPrograms::new(&parts, &defaults, &values, &place);
        let joined = uncut(&extended, n + m);
        let pattern = constraint_programs.eliminated(&joined, n);
        let mut system = System {
            parts,
            slow,
            second_order,
            pattern,
            constraint_programs,
            extended,
            n_cut,
            joined,
            of_time: OfTime::default(),
            of_states: OfStates::default(),
            shown: OutputFunctions::default(),
            guards: vec![],
            actions: vec![],
            image: Arc::default(),
            places,
        };
        system.guards = system.make_guards();
        system.of_time = system.find_of_time();
        system.of_states = system.find_of_states();
        system.shown = system.find_output_functions();
        let System { of_time, of_states, shown, places, .. } = &mut system;
        for symbols in [&of_time.symbols, &of_states.symbols, &shown.symbols] {
            places.extend(symbols.iter().enumerate().map(|(i, &s)| (s, LeafPlace::Unknown(i as u32))));
        }
        system.actions = system.action_roots();
        let programs = system.make_programs(jacobian, f_t);
        let (ties, facings) = (system.make_ties(), system.make_facings());
        let mut image = Image::new(&system);
        (image.programs, image.ties, image.facings) = (programs, ties, facings);
        system.image = Arc::new(image);
        system.freeze()
    }

    /// The same with a graph that grows no more, in which every quantity can be named.
    fn freeze(self) -> System {
        (0..self.quantities.len()).for_each(|i| _ = self.graph.symbol(Symbol(i as u32)));
        let System {
            parts, slow, second_order, pattern, constraint_programs, extended, n_cut, joined, ..
        } = self;
        let System { of_time, of_states, shown, guards, actions, image, places, .. } = self;
        let parts = parts.freeze();
        System {
            parts,
            slow,
            second_order,
            pattern,
            constraint_programs,
            extended,
            n_cut,
            joined,
            of_time,
            of_states,
            shown,
            guards,
            actions,
            image,
            places,
        }
    }

    fn make_guards(&self) -> Vec<(String, Direction, Expr)> {
        let events = self.events.iter().map(|e| (e.name.clone(), e.direction, e.guard));
        let relations =
            self.relations.iter().map(|r| (self.quantity(r.mode).name.clone(), Direction::Both, r.guard));
        let frictions = self.frictions.iter().map(|f| {
            let name = self.quantity(f.mode).name.clone();
            (name, Direction::Falling, self.margin(f))
        });
        events.chain(relations).chain(frictions).collect()
    }

    /// How far friction is from its next change: of what it holds while it sticks, of speed while it starts or slides.
    fn margin(&self, friction: &Friction) -> Expr {
        let g = &self.graph;
        let (direction, speed) = (g.symbol(friction.mode), g.at(friction.speed));
        let (limit, force) = (g.at(friction.limit), g.symbol(friction.multiplier));
        let held = 1.0 - force.abs() / limit.max(g.constant(f64::MIN_POSITIVE));
        // Where nothing holds it, because its motion is prescribed.
        let still = 1.0 - speed.abs() / STICTION_SPEED;
        let sticks = g.binary(Binary::Eq, direction, g.constant(0.0));
        let starts = g.binary(Binary::Lt, g.constant(1.5), direction.abs());
        // What starts and turns round before it slides is held again.
        let turned = 0.5 * direction * speed + STICTION_SPEED;
        let moving = g.select(starts, turned.min(STARTED - speed.abs()), direction * speed);
        g.select(sticks, held.min(still), moving).id
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

    /// The programs in the order of [`Part`].
    fn make_programs(&self, jacobian: Vec<Expr>, f_t: Vec<Expr>) -> Programs {
        let lists = [
            self.rows.iter().map(|r| r.value).collect(),
            jacobian,
            f_t,
            self.guards.iter().map(|g| g.2).collect(),
            self.outputs.iter().map(|o| o.value).collect(),
            self.actions.clone(),
            self.constraint_programs.forces.clone(),
            self.constraint_programs.gaps.clone(),
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
        let guards = guards.iter().map(|&g| self.guards[g].2);
        guards
            .chain(corners.iter().map(|c| c.0))
            .chain(jumps.iter().copied())
            .chain(inputs.iter().copied())
            .chain(waves.iter().copied())
            .collect()
    }

    /// Rows and accelerations, and guards.
    fn rows_and_guards(&self) -> (Vec<Expr>, Vec<Expr>) {
        let guards = self.guards.iter().map(|g| g.2).collect();
        let accelerations = self.constraints.iter().map(|c| c.acceleration);
        (self.rows.iter().map(|r| r.value).chain(accelerations).collect(), guards)
    }

    fn find_of_states(&self) -> OfStates {
        let (rows, guards) = self.rows_and_guards();
        let n = self.n();
        let free = FREE + self.of_time.symbols.len() as u32;
        OfStates::find(&self.graph, &rows, &guards, free, |leaf| match self.place(leaf) {
            Some(LeafPlace::Slow(_)) => Leaf::Constant,
            Some(LeafPlace::Time) => Leaf::Time,
            Some(LeafPlace::Unknown(i)) if (i as usize) < n => Leaf::Unknown,
            _ => Leaf::Other,
        })
    }

    fn find_output_functions(&self) -> OutputFunctions {
        let (rows, guards) = self.rows_and_guards();
        let outputs: Vec<Expr> = self.outputs.iter().map(|o| o.value).collect();
        let n = self.n();
        let free = FREE + (self.of_time.symbols.len() + self.of_states.symbols.len()) as u32;
        OutputFunctions::find(&self.graph, &outputs, &[rows, guards].concat(), free, |leaf| {
            match self.place(leaf) {
                Some(LeafPlace::Slow(_)) => Leaf::Constant,
                Some(LeafPlace::Time) => Leaf::Unknown,
                Some(LeafPlace::Unknown(i)) if (i as usize) < n => Leaf::Unknown,
                _ => Leaf::Other,
            }
        })
    }

    /// Everything of time alone in rows and guards.
    fn find_of_time(&self) -> OfTime {
        let (rows, guards) = self.rows_and_guards();
        let is_unknown = |leaf: ExprNode| match leaf {
            ExprNode::Symbol(s) => !matches!(self.places.get(&s), Some(LeafPlace::Slow(_))),
            leaf => leaf != ExprNode::Time,
        };
        let relations: Vec<Expr> = self.relations.iter().map(|r| r.guard).collect();
        let by_time = self.graph.dependence(&relations, |leaf| leaf == ExprNode::Time);
        let by_unknowns = self.graph.dependence(&relations, is_unknown);
        let of_time = |r: &&Relation| {
            r.role != crate::GuardRole::Argument && by_time[&r.guard] && !by_unknowns[&r.guard]
        };
        let tangled = self.tangled(self.relations.iter().filter(of_time).collect());
        OfTime::find(&self.graph, &rows, &guards, FREE, |leaf| {
            is_unknown(leaf) || matches!(leaf, ExprNode::Symbol(s) if tangled.contains(&s))
        })
    }

    /// Modes of those relations that are found together, as those of a bridge of diodes: what they read depends on themselves. Bounds of such
    /// guards over intervals say nothing.
    fn tangled(&self, mut relations: Vec<&Relation>) -> Vec<Symbol> {
        loop {
            let modes: Vec<Symbol> = relations.iter().map(|r| r.mode).collect();
            let is_mode = |leaf: ExprNode| matches!(leaf, ExprNode::Symbol(s) if modes.contains(&s));
            let guards: Vec<Expr> = relations.iter().map(|r| r.guard).collect();
            let depends = self.graph.dependence(&guards, is_mode);
            let before = relations.len();
            relations.retain(|r| depends[&r.guard]);
            if relations.len() == before {
                return modes;
            }
        }
    }

    fn make_ties(&self) -> TieProgram {
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
        TieProgram { n_positions, ..self.by_states(roots) }
    }

    fn make_facings(&self) -> TieProgram {
        let facing = |(k, c): (usize, &Constraint)| Some((k, (self.graph.at(c.facing?) - 1.0).id));
        let (constraints, roots) = self.constraints.iter().enumerate().filter_map(facing).unzip();
        TieProgram { constraints, ..self.by_states(roots) }
    }

    /// Derivatives of `values` by states; one program of the values, then the entries.
    fn by_states(&self, mut values: Vec<Expr>) -> TieProgram {
        let (graph, n) = (&self.graph, values.len());
        let by_state = slopes(graph, &self.defaults(), &values, |n| match n {
            ExprNode::Symbol(s) => self.y_place(s).filter(|&j| j < self.n_states).map(|j| j as u32),
            _ => None,
        });
        let list = by_state.into_iter().enumerate();
        let list = list.flat_map(|(i, g)| g.into_iter().map(move |(j, e)| ((i, j as usize), e)));
        let (entries, slopes) = list.unzip::<_, _, Entries, Vec<Expr>>();
        values.extend(slopes);
        let programs = Programs::build(graph, &[values], |n| self.place(n));
        TieProgram { constraints: vec![], n_positions: n, n, entries, programs }
    }
}

impl SystemParts<Graph> {
    fn freeze(self) -> SystemParts {
        SystemParts {
            graph: self.graph.freeze(),
            quantities: self.quantities,
            unknowns: self.unknowns,
            n_states: self.n_states,
            rows: self.rows,
            definitions: self.definitions,
            relations: self.relations,
            events: self.events,
            tasks: self.tasks,
            outputs: self.outputs,
            aliases: self.aliases,
            reduced: self.reduced,
            as_written: self.as_written,
            constraints: self.constraints,
            frictions: self.frictions,
            held: self.held,
            quaternions: self.quaternions,
            unlocated: self.unlocated,
        }
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
    rows: &[ResidualRow],
    place: &Map<Symbol, u32>,
    n_states: usize,
) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (i, row) in rows.iter().enumerate().take(n_states) {
        if let ExprNode::Symbol(s) = graph.node(row.value)
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
