//! What is shown of a model, in the names of the user, before it is put into words.
//!
//! Connections make many equations that only give another name to something: `a = b`, `a = −b`. The short form uses one
//! name for each such group, a state's, parameter's or unknown's own or else the one with the shortest path, puts in
//! what is only a number, and lists the other names at the end.

use std::collections::HashMap;

use trunnion_equations::flat::{Action, Assignment, Direction, Event, Kind, Origin, Output, Quantity, Task};
use trunnion_equations::structure::written;
use trunnion_equations::{Binary, Expr, Graph, Node, Start, Symbol, System, Unary};

use crate::project::Project;

/// How much of the work of sorting is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One name for what is equal.
    Short,
    /// Every definition.
    Complete,
    /// No definitions: everything in terms of states, unknowns and parameters.
    Expanded,
}

/// left = right, from the named equation.
#[derive(Clone, Debug)]
pub struct Line {
    pub left: Expr,
    pub right: Expr,
    pub equation: String,
    pub origin: Origin,
}

pub struct Sheet<'a> {
    pub project: &'a Project,
    pub system: &'a System,
    pub states: Vec<Symbol>,
    /// Solved numerically.
    pub unknowns: Vec<Symbol>,
    pub parameters: Vec<Symbol>,
    pub inputs: Vec<Symbol>,
    pub modes: Vec<Symbol>,
    /// In the order of evaluation.
    pub definitions: Vec<Line>,
    pub differential: Vec<Line>,
    /// 0 = right.
    pub algebraic: Vec<Line>,
    /// Names that are equal to an expression, by groups.
    pub equal: Vec<(Vec<Symbol>, Expr)>,
    pub events: Vec<Event>,
    pub tasks: Vec<Task>,
    pub outputs: Vec<Output>,
    start: Start<'a>,
}

impl<'a> Sheet<'a> {
    pub fn new(project: &'a Project, form: Form) -> Self {
        let system = &project.prepared.system;
        let hidden = |s: Symbol| system.relations.iter().any(|r| r.mode == s);
        let of_kind = |wanted: fn(&Kind) -> bool| -> Vec<Symbol> {
            let fits = |s: &Symbol| wanted(&system.quantity(*s).kind) && !hidden(*s);
            system.slow.iter().copied().filter(fits).collect()
        };
        let start = system.start(&HashMap::new());
        let (states, unknowns) = system.unknowns.split_at(system.n_states);
        let mut sheet = Sheet {
            project,
            system,
            states: states.to_vec(),
            unknowns: unknowns.to_vec(),
            parameters: of_kind(|k| matches!(k, Kind::Parameter { .. })),
            inputs: of_kind(|k| matches!(k, Kind::Input { .. })),
            modes: of_kind(|k| matches!(k, Kind::Mode { .. })),
            definitions: vec![],
            differential: vec![],
            algebraic: vec![],
            equal: vec![],
            events: system.as_written.events.clone(),
            tasks: system.as_written.tasks.clone(),
            outputs: system.as_written.outputs.clone(),
            start,
        };
        sheet.fill(form);
        sheet
    }

    fn fill(&mut self, form: Form) {
        let system = self.system;
        let zero = system.graph.constant(0.0).id;
        let expanded = form == Form::Expanded;
        for row in &system.rows[system.n_states..] {
            let right = self.readable(if expanded { row.value } else { row.written });
            let (equation, origin) = (row.name.clone(), row.origin.clone());
            self.algebraic.push(Line { left: zero, right, equation, origin });
        }
        for d in &system.definitions {
            let right = self.readable(d.value);
            let (equation, origin) = (d.equation.clone(), d.origin.clone());
            let line = Line { left: d.leaf, right, equation, origin };
            match system.graph.node(d.leaf) {
                Node::Derivative(_) => self.differential.push(line),
                _ => self.definitions.push(line),
            }
        }
        if expanded {
            for line in &mut self.differential {
                let place = system.rows.iter().position(|row| row.written == line.left);
                line.right = place.map_or(line.right, |i| system.rows[i].value);
            }
            let rights: Vec<Expr> = self.differential.iter().map(|line| self.readable(line.right)).collect();
            self.differential.iter_mut().zip(rights).for_each(|(line, right)| line.right = right);
            self.definitions.clear();
            self.events = system.events.clone();
            self.tasks = system.tasks.clone();
            let own = system.as_written.outputs.len();
            self.outputs = system.outputs[system.outputs.len() - own..].to_vec();
        }
        // Definitions that others need stay in order; derivatives are shown in the order of the states.
        let order = |line: &Line| match system.graph.node(line.left) {
            Node::Derivative(s) => system.y_place(s),
            _ => None,
        };
        self.differential.sort_by_key(order);
        if form == Form::Short {
            self.join_names();
        }
    }

    /// Hidden modes as the relations they stand for.
    fn readable(&self, e: Expr) -> Expr {
        written(&self.system.graph, &self.system.relations, &[e])[0]
    }

    /// One name for what is equal.
    fn join_names(&mut self) {
        let graph = &self.system.graph;
        let groups = Groups::new(graph, &self.definitions);
        let names = groups.replacements(graph, |s| self.system.quantity(s).name.as_str());
        let replace = |e: Expr| replaced(graph, e, &names);
        for line in std::mem::take(&mut self.definitions) {
            let Node::Symbol(s) = graph.node(line.left) else { continue };
            if !groups.is_alias(s) {
                // The group's name may be the negative of what was solved for.
                let (left, right) = match graph.node(replace(line.left)) {
                    Node::Unary(Unary::Neg, inner) => (inner, -graph.at(replace(line.right))),
                    _ => (replace(line.left), graph.at(replace(line.right))),
                };
                self.definitions.push(Line { left, right: right.id, ..line });
            }
            if let Some(&right) = names.get(&s) {
                match self.equal.iter_mut().find(|(_, e)| *e == right) {
                    Some((names, _)) => names.push(s),
                    None => self.equal.push((vec![s], right)),
                }
            }
        }
        for line in self.differential.iter_mut().chain(&mut self.algebraic) {
            line.right = replace(line.right);
        }
        let set = |list: &mut Vec<Assignment>| list.iter_mut().for_each(|a| a.value = replace(a.value));
        for event in &mut self.events {
            event.guard = replace(event.guard);
            set(&mut event.set);
        }
        for task in &mut self.tasks {
            match &mut task.action {
                Action::Set(list) => set(list),
                Action::Script { inputs, .. } => inputs.iter_mut().for_each(|(_, e)| *e = replace(*e)),
            }
        }
        self.outputs.iter_mut().for_each(|o| o.value = replace(o.value));
    }

    pub fn quantity(&self, s: Symbol) -> &Quantity {
        self.system.quantity(s)
    }

    /// Value at the beginning, in the unit it is shown in.
    pub fn start(&self, s: Symbol) -> f64 {
        self.quantity(s).unit.shown(self.start.value(s))
    }

    /// Value of an expression of parameters, in SI.
    pub fn evaluate(&self, e: Expr) -> f64 {
        self.start.evaluate(e)
    }

    /// The expression a parameter is computed from, if it is no plain number.
    pub fn formula(&self, s: Symbol) -> Option<Expr> {
        let Kind::Parameter { value } = self.quantity(s).kind else { return None };
        (!matches!(self.system.graph.node(value), Node::Const(_))).then_some(value)
    }

    /// Path of the file, and line from 1.
    pub fn place(&self, origin: &Origin) -> Option<(String, usize)> {
        let source = self.project.sources.get(&origin.file)?;
        Some((source.name.to_string(), source.position(origin.span.0).0))
    }

    /// The condition of an event: a relation that becomes true, or None if both directions count.
    pub fn condition(&self, event: &Event) -> Option<Expr> {
        let graph = &self.system.graph;
        let (a, b) = match graph.node(event.guard) {
            Node::Binary(Binary::Sub, a, b) => (graph.at(a), graph.at(b)),
            _ => (graph.at(event.guard), graph.constant(0.0)),
        };
        match event.direction {
            Direction::Rising => Some(b.lt(a).id),
            Direction::Falling => Some(a.lt(b).id),
            Direction::Both => None,
        }
    }
}

/// Which defined names are equal up to their sign, or constant.
struct Groups {
    /// ± another name, or a number, for each name that is nothing more.
    alias: HashMap<Symbol, Expr>,
    /// All defined names, in the order of evaluation.
    defined: Vec<Symbol>,
}

impl Groups {
    fn new(graph: &Graph, definitions: &[Line]) -> Self {
        let mut groups = Groups { alias: HashMap::new(), defined: vec![] };
        for line in definitions {
            let Node::Symbol(s) = graph.node(line.left) else { continue };
            groups.defined.push(s);
            // What comes before is in terms of its roots already: a + 0 is a.
            let value = replaced(graph, line.right, &groups.alias);
            let plain = match graph.node(value) {
                Node::Const(_) => true,
                _ => signed(graph, value).is_some(),
            };
            if plain {
                groups.alias.insert(s, value);
            }
        }
        groups
    }

    fn is_alias(&self, s: Symbol) -> bool {
        self.alias.contains_key(&s)
    }

    /// What each name but the group's own is replaced by.
    fn replacements<'n>(&self, graph: &Graph, name: impl Fn(Symbol) -> &'n str) -> HashMap<Symbol, Expr> {
        // (name, negative) that stands for each root that is itself defined.
        let own = self.defined.iter().filter(|s| !self.is_alias(**s));
        let mut chosen: HashMap<Symbol, (Symbol, bool)> = own.map(|&s| (s, (s, false))).collect();
        let rank = |(s, negative): (Symbol, bool)| (name(s).matches('.').count(), name(s).len(), negative);
        let root_of = |s: &Symbol| self.alias.get(s).and_then(|&e| signed(graph, e));
        for s in &self.defined {
            if let Some((root, negative)) = root_of(s)
                && let Some(best) = chosen.get_mut(&root)
                && rank((*s, negative)) < rank(*best)
            {
                *best = (*s, negative);
            }
        }
        let mut names = HashMap::new();
        for &s in &self.defined {
            let (root, negative) = match (self.alias.get(&s), root_of(&s)) {
                (Some(&number), None) => {
                    names.insert(s, number);
                    continue;
                }
                (_, Some(root)) => root,
                (None, None) => (s, false),
            };
            let (own, turned) = chosen.get(&root).copied().unwrap_or((root, false));
            if own != s {
                let e = graph.symbol(own);
                names.insert(s, if negative != turned { -e } else { e }.id);
            }
        }
        names
    }
}

/// A name, and whether it is negated.
fn signed(graph: &Graph, e: Expr) -> Option<(Symbol, bool)> {
    match graph.node(e) {
        Node::Symbol(s) => Some((s, false)),
        Node::Unary(Unary::Neg, inner) => match graph.node(inner) {
            Node::Symbol(s) => Some((s, true)),
            _ => None,
        },
        _ => None,
    }
}

fn replaced(graph: &Graph, e: Expr, names: &HashMap<Symbol, Expr>) -> Expr {
    let one = |node| match node {
        Node::Symbol(s) => names.get(&s).copied(),
        _ => None,
    };
    graph.rewrite(&[e], one)[0]
}
