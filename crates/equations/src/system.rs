//! The analysed model: M y' = f(t, y, p, u, m), guards, tasks and outputs, each with its name and origin.

use std::collections::HashMap;

use trunnion_num::Pattern;

use crate::compiled::{Compiled, Engine};
use crate::derivative::gradients;
use crate::flat::{Action, Assignment, Direction, Event, Kind, Origin, Output, Quantity, Task};
use crate::graph::Graph;
use crate::hash::Map;
use crate::node::{Expr, Node, Symbol};
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

#[derive(Debug)]
pub struct System {
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
    /// Parameters, inputs and modes: the slow inputs, in order.
    pub slow: Vec<Symbol>,
    /// (position, velocity) places in y with y'[position] = y[velocity].
    pub second_order: Vec<(usize, usize)>,
    /// Pattern of ∂f/∂y.
    pub pattern: Pattern,
    jacobian: Vec<Expr>,
    f_t: Vec<Expr>,
    /// Where each quantity is found at run time; one that is solved in symbols has no place.
    places: Map<Symbol, Place>,
}

/// Programs of a compiled system, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Residual,
    Jacobian,
    TimeGradient,
    /// Events first, then relations.
    Guards,
    Outputs,
    /// Values of all assignments and script inputs: events first, then tasks.
    Actions,
}

impl System {
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn new(
        graph: Graph,
        quantities: Vec<Quantity>,
        unknowns: Vec<Symbol>,
        n_states: usize,
        rows: Vec<Row>,
        definitions: Vec<Definition>,
        relations: Vec<Relation>,
        events: Vec<Event>,
        tasks: Vec<Task>,
        outputs: Vec<Output>,
    ) -> Self {
        let slow: Vec<Symbol> = (0..quantities.len())
            .filter(|&i| !matches!(quantities[i].kind, Kind::Unknown { .. }))
            .map(|i| Symbol(i as u32))
            .collect();
        let places = (unknowns.iter().enumerate().map(|(i, &s)| (s, Place::Unknown(i as u32))))
            .chain(slow.iter().enumerate().map(|(i, &s)| (s, Place::Slow(i as u32))))
            .collect();
        let place: Map<Symbol, u32> = unknowns.iter().enumerate().map(|(i, &s)| (s, i as u32)).collect();
        let values: Vec<Expr> = rows.iter().map(|r| r.value).collect();
        let by_y = gradients(&graph, &values, |n| match n {
            Node::Symbol(s) => place.get(&s).copied(),
            _ => None,
        });
        let n = unknowns.len();
        let entries = by_y.iter().enumerate().flat_map(|(i, g)| g.iter().map(move |&(j, _)| (i, j as usize)));
        let pattern = Pattern::from_entries(n, entries);
        let mut jacobian = vec![graph.constant(0.0).id; pattern.nnz()];
        for (i, g) in by_y.iter().enumerate() {
            for &(j, e) in g {
                if let Some(k) = pattern.find(i, j as usize) {
                    jacobian[k] = e;
                }
            }
        }
        let f_t = gradients(&graph, &values, |n| (n == Node::Time).then_some(0))
            .iter()
            .map(|g| g.first().map_or(graph.constant(0.0).id, |&(_, e)| e))
            .collect();
        let second_order = second_order(&graph, &rows, &place, n_states);
        System {
            graph,
            quantities,
            unknowns,
            n_states,
            rows,
            definitions,
            relations,
            events,
            tasks,
            outputs,
            aliases: vec![],
            reduced: vec![],
            as_written: AsWritten::default(),
            slow,
            second_order,
            pattern,
            jacobian,
            f_t,
            places,
        }
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
            Some(Place::Unknown(i)) => Some(*i as usize),
            _ => None,
        }
    }

    /// Guard functions with name and direction: events, then relations.
    pub fn guards(&self) -> Vec<(String, Direction, Expr)> {
        let events = self.events.iter().map(|e| (e.name.clone(), e.direction, e.guard));
        let relations =
            self.relations.iter().map(|r| (self.quantity(r.mode).name.clone(), Direction::Both, r.guard));
        events.chain(relations).collect()
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
        ];
        Programs::build(&self.graph, &lists, |n| self.place(n))
    }

    pub fn compile(&self, engine: Engine) -> Compiled {
        Compiled::new(self.programs(), engine)
    }

    /// ∂f/∂u and ∂output/∂u for one input, as programs of their own: for linear models.
    pub fn input_programs(&self, inputs: &[Symbol], outputs: &[Expr]) -> Programs {
        let column = |n: Node| match n {
            Node::Symbol(s) => inputs.iter().position(|&i| i == s).map(|i| i as u32),
            _ => None,
        };
        let by_y = |n: Node| match n {
            Node::Symbol(s) => self.y_place(s).map(|i| i as u32),
            _ => None,
        };
        let dense = |roots: &[Expr], column: &dyn Fn(Node) -> Option<u32>, width: usize| -> Vec<Expr> {
            let zero = self.graph.constant(0.0).id;
            let mut all = vec![zero; roots.len() * width];
            for (i, g) in gradients(&self.graph, roots, column).iter().enumerate() {
                for &(j, e) in g {
                    all[i * width + j as usize] = e;
                }
            }
            all
        };
        let rows: Vec<Expr> = self.rows.iter().map(|r| r.value).collect();
        let lists = [
            dense(&rows, &column, inputs.len()),
            dense(outputs, &by_y, self.n()),
            dense(outputs, &column, inputs.len()),
        ];
        Programs::build(&self.graph, &lists, |n| self.place(n))
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
        let System { outputs, reduced, .. } = self.system;
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
