//! What is shown of a model, in the names of the user, before it is put into words.

use std::collections::HashMap;
use std::sync::Arc;

use trunnion_equations::flat::{
    Action, Assignment, Direction, Event, Origin, Output, Quantity, QuantityRole, Task,
};
use trunnion_equations::start::evaluate;
use trunnion_equations::structure::{Reduction, written};
use trunnion_equations::{Binary, Expr, ExprNode, Graph, StartValues, Symbol, System, Unary};

use super::names::{EqualNames, beside, passing, replaced};
use super::shared::share;
use trunnion_engine::project::Project;

/// How much of the work of sorting is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SheetDetail {
    /// One name for what is equal, none for what is used in passing.
    Short,
    /// Every definition.
    Complete,
    /// No definitions: everything in terms of states, unknowns and parameters.
    Expanded,
}

/// left = right, from the named equation.
#[derive(Clone, Debug)]
pub struct SheetLine {
    pub left: Expr,
    pub right: Expr,
    pub equation: String,
    pub origin: Origin,
}

pub struct EquationSheet<'a> {
    pub project: &'a Project,
    pub system: &'a System,
    pub states: Vec<Symbol>,
    /// Solved numerically.
    pub unknowns: Vec<Symbol>,
    pub parameters: Vec<Symbol>,
    pub inputs: Vec<Symbol>,
    pub modes: Vec<Symbol>,
    /// Terms that long expressions have in common, each by those before it.
    pub shared: Vec<SheetLine>,
    /// In the order of evaluation.
    pub definitions: Vec<SheetLine>,
    pub differential: Vec<SheetLine>,
    /// 0 = right.
    pub algebraic: Vec<SheetLine>,
    /// 0 = right, kept by multipliers.
    pub loops: Vec<SheetLine>,
    /// Definitions that only results need.
    pub beside: Vec<SheetLine>,
    /// States that are not independent.
    pub reduced: &'a [Reduction],
    /// Names that are equal to an expression, by groups.
    pub equal: Vec<(Vec<Symbol>, Expr)>,
    pub events: Vec<Event>,
    pub tasks: Vec<Task>,
    pub outputs: Vec<Output>,
    start: StartValues<'a>,
    /// A copy of the system's, with what is written of it.
    pub graph: Arc<Graph>,
}

impl<'a> EquationSheet<'a> {
    pub fn new(project: &'a Project, form: SheetDetail) -> Self {
        let system = &project.prepared.system;
        let hidden = |s: Symbol| system.relations.iter().any(|r| r.mode == s);
        let of_kind = |wanted: fn(&QuantityRole) -> bool| -> Vec<Symbol> {
            let fits = |s: &Symbol| wanted(&system.quantity(*s).kind) && !hidden(*s);
            system.slow.iter().copied().filter(fits).collect()
        };
        let start = system.start(&HashMap::new());
        let (states, unknowns) = system.unknowns.split_at(system.n_states);
        let mut sheet = EquationSheet {
            project,
            system,
            states: states.to_vec(),
            unknowns: unknowns.to_vec(),
            parameters: of_kind(|k| matches!(k, QuantityRole::Parameter { .. })),
            inputs: of_kind(|k| matches!(k, QuantityRole::Input { .. })),
            modes: of_kind(|k| matches!(k, QuantityRole::Mode { .. })),
            shared: vec![],
            definitions: vec![],
            differential: vec![],
            algebraic: vec![],
            loops: vec![],
            beside: vec![],
            reduced: &system.reduced,
            equal: vec![],
            events: system.as_written.events.clone(),
            tasks: system.as_written.tasks.clone(),
            outputs: system.as_written.outputs.clone(),
            start,
            graph: Arc::new(system.graph.thaw()),
        };
        sheet.fill(form);
        sheet.share();
        sheet
    }

    fn fill(&mut self, form: SheetDetail) {
        let system = self.system;
        let zero = self.graph.constant(0.0).id;
        let expanded = form == SheetDetail::Expanded;
        for row in &system.rows[system.n_states..] {
            let right = self.readable(if expanded { row.value } else { row.written });
            let (equation, origin) = (row.name.clone(), row.origin.clone());
            self.algebraic.push(SheetLine { left: zero, right, equation, origin });
        }
        for c in &system.constraints {
            let right = self.readable(c.position.unwrap_or(c.velocity));
            let equation = format!("{}, by {}", c.name, system.quantity(c.multiplier).name);
            self.loops.push(SheetLine { left: zero, right, equation, origin: c.origin.clone() });
        }
        for d in &system.definitions {
            let right = self.readable(d.value);
            let (equation, origin) = (d.equation.clone(), d.origin.clone());
            let line = SheetLine { left: d.leaf, right, equation, origin };
            match self.graph.node(d.leaf) {
                // The rate of a state that was given up is an unknown like others.
                ExprNode::Derivative(s) if system.y_place(s).is_some_and(|i| i < system.n_states) => {
                    self.differential.push(line);
                }
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
        let graph = &self.graph;
        let order = |line: &SheetLine| match graph.node(line.left) {
            ExprNode::Derivative(s) => system.y_place(s),
            _ => None,
        };
        self.differential.sort_by_key(order);
        let mut same: Vec<(Symbol, Expr)> = system.aliases.iter().map(|a| (a.symbol, a.value)).collect();
        if form == SheetDetail::Short {
            self.join_names(&mut same);
            self.put_in(&mut same);
        }
        self.equal = grouped(same);
    }

    /// Hidden modes as the relations they stand for.
    fn readable(&self, e: Expr) -> Expr {
        written(&self.graph, &self.system.relations, &[e])[0]
    }

    /// One name for what is equal.
    fn join_names(&mut self, same: &mut Vec<(Symbol, Expr)>) {
        let graph = &*Arc::clone(&self.graph);
        let groups = EqualNames::new(graph, &self.definitions);
        let names = groups.replacements(graph, |s| self.system.quantity(s).name.as_str());
        let replace = |e: Expr| replaced(graph, e, &names);
        for line in std::mem::take(&mut self.definitions) {
            let ExprNode::Symbol(s) = graph.node(line.left) else {
                self.definitions.push(SheetLine { right: replace(line.right), ..line });
                continue;
            };
            if !groups.is_alias(s) {
                // The group's name may be the negative of what was solved for.
                let (left, right) = match graph.node(replace(line.left)) {
                    ExprNode::Unary(Unary::Neg, inner) => (inner, -graph.at(replace(line.right))),
                    _ => (replace(line.left), graph.at(replace(line.right))),
                };
                self.definitions.push(SheetLine { left, right: right.id, ..line });
            }
            same.extend(names.get(&s).map(|&right| (s, right)));
        }
        same.iter_mut().for_each(|(_, e)| *e = replace(*e));
        self.needed().into_iter().for_each(|e| *e = replace(*e));
        self.outputs.iter_mut().for_each(|o| o.value = replace(o.value));
    }

    /// What is used in passing is put in; what only results need goes to the end.
    fn put_in(&mut self, same: &mut [(Symbol, Expr)]) {
        let system = self.system;
        let graph = &*Arc::clone(&self.graph);
        let mut definitions = std::mem::take(&mut self.definitions);
        let roots: Vec<Expr> = self.needed().into_iter().map(|e| *e).collect();
        let mut further = beside(graph, &mut definitions, &roots);
        let mut put = passing(graph, &mut definitions, &roots, |s| system.quantity(s));
        further.iter_mut().for_each(|line| line.right = replaced(graph, line.right, &put));
        self.outputs.iter_mut().for_each(|o| o.value = replaced(graph, o.value, &put));
        let outputs: Vec<Expr> = self.outputs.iter().map(|o| o.value).collect();
        put.extend(passing(graph, &mut further, &outputs, |s| system.quantity(s)));
        let all = |e: &mut Expr| *e = replaced(graph, *e, &put);
        self.needed().into_iter().for_each(all);
        self.outputs.iter_mut().map(|o| &mut o.value).for_each(all);
        same.iter_mut().map(|(_, e)| e).for_each(all);
        (self.definitions, self.beside) = (definitions, further);
    }

    /// Long expressions with what they have in common put first.
    fn share(&mut self) {
        let EquationSheet {
            differential,
            algebraic,
            loops,
            events,
            tasks,
            definitions,
            beside,
            outputs,
            equal,
            ..
        } = self;
        let mut places = needed(differential.iter_mut().chain(algebraic).chain(loops), events, tasks);
        places.extend(definitions.iter_mut().chain(beside).map(|line| &mut line.right));
        places.extend(outputs.iter_mut().map(|o| &mut o.value));
        places.extend(equal.iter_mut().map(|(_, e)| e));
        self.shared = share(&self.graph, places, self.system.quantities.len());
    }

    /// Everything that decides how a run goes on.
    fn needed(&mut self) -> Vec<&mut Expr> {
        let lines = self.differential.iter_mut().chain(&mut self.algebraic).chain(&mut self.loops);
        needed(lines, &mut self.events, &mut self.tasks)
    }

    /// The name of a quantity, or of a shared term.
    pub fn name(&self, s: Symbol) -> String {
        match self.shared_number(s) {
            Some(k) => format!("#{k}"),
            None => self.quantity(s).name.clone(),
        }
    }

    /// Which of the shared terms it is, from 1.
    pub(crate) fn shared_number(&self, s: Symbol) -> Option<usize> {
        s.index().checked_sub(self.system.quantities.len()).map(|k| k + 1)
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
        evaluate(&*self.graph, e, |s| self.start.value(s))
    }

    /// The expression a parameter is computed from, if it is no plain number.
    pub fn formula(&self, s: Symbol) -> Option<Expr> {
        let QuantityRole::Parameter { value } = self.quantity(s).kind else { return None };
        (!matches!(self.graph.node(value), ExprNode::Const(_))).then_some(value)
    }

    /// Path of the file, and line from 1.
    pub fn place(&self, origin: &Origin) -> Option<(String, usize)> {
        let source = self.project.sources.get(&origin.file)?;
        Some((source.name.to_string(), source.position(origin.span.0).0))
    }

    /// The condition of an event: a relation that becomes true, or None if both directions count.
    pub fn condition(&self, event: &Event) -> Option<Expr> {
        let graph = &self.graph;
        let (a, b) = match graph.node(event.guard) {
            ExprNode::Binary(Binary::Sub, a, b) => (graph.at(a), graph.at(b)),
            _ => (graph.at(event.guard), graph.constant(0.0)),
        };
        match event.direction {
            Direction::Rising => Some(b.lt(a).id),
            Direction::Falling => Some(a.lt(b).id),
            Direction::Both => None,
        }
    }
}

/// Right sides of the lines given, and what events and tasks compute.
fn needed<'s>(
    lines: impl Iterator<Item = &'s mut SheetLine>,
    events: &'s mut [Event],
    tasks: &'s mut [Task],
) -> Vec<&'s mut Expr> {
    fn set(list: &mut [Assignment]) -> impl Iterator<Item = &mut Expr> {
        list.iter_mut().map(|a| &mut a.value)
    }
    let mut all: Vec<&mut Expr> = lines.map(|line| &mut line.right).collect();
    for event in events {
        all.push(&mut event.guard);
        all.extend(set(&mut event.set));
    }
    for task in tasks {
        match &mut task.action {
            Action::Set(list) => all.extend(set(list)),
            Action::Script { inputs, .. } => all.extend(inputs.iter_mut().map(|(_, e)| e)),
        }
    }
    all
}

/// Names by what they are equal to.
fn grouped(same: Vec<(Symbol, Expr)>) -> Vec<(Vec<Symbol>, Expr)> {
    let mut place: HashMap<Expr, usize> = HashMap::new();
    let mut groups: Vec<(Vec<Symbol>, Expr)> = vec![];
    for (name, value) in same {
        let i = *place.entry(value).or_insert(groups.len());
        match groups.get_mut(i) {
            Some((names, _)) => names.push(name),
            None => groups.push((vec![name], value)),
        }
    }
    groups
}
