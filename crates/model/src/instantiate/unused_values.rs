//! Values that a model gives and nothing depends on.
//!
//! A parameter counts if an equation, a law, an event, a task, an output or a start value uses it, or the value of a parameter that counts. One
//! that does not, while another parameter that would follow from it is given itself (`q_rated` beside `R`), says something that is not so.

use std::collections::HashSet;

use trunnion_equations::flat::{Action, QuantityRole};
use trunnion_equations::{Expr, ExprNode, Symbol};

use super::{Instance, ModelBuilder};
use crate::component::ScalarForm;
use crate::diagnostic::{Diagnostic, one_of};
use crate::file::Span;
use crate::language::references;
use crate::live::Live;

/// The code of a value without effect.
pub const UNUSED_VALUE: &str = "M0332";
/// The code of a command that nothing gives.
pub(super) const NO_COMMAND: &str = "M0333";

impl ModelBuilder<'_> {
    /// Parameters that are given in vain, because what follows from them is given too.
    pub(super) fn note_replaced_parameters(&self) {
        let used = self.used_parameters();
        for instance in self.tree.instances.iter().filter(|i| i.parent == Some(0)) {
            let mut given: Vec<&String> = instance.arguments.keys().collect();
            given.sort();
            for name in given {
                let symbol = self.names.map.get(&instance.full(name)).and_then(|n| n.symbol);
                if symbol.is_none_or(|s| used.contains(&s)) {
                    continue;
                }
                let instead = replacing(instance, name);
                if instead.is_empty() {
                    continue;
                }
                let place = &instance.arguments[name].scalar.span;
                let others = one_of(instead.iter().copied()).replace(" or ", " and ");
                let verb = if instead.len() == 1 { "is" } else { "are" };
                self.problems.add(
                    Diagnostic::note(UNUSED_VALUE, format!("{} has no effect", instance.phrase(name)))
                        .at(place, format!("{others} would follow from it, but {verb} given"))
                        .hint("give the one or the other"),
                );
            }
        }
    }

    /// Start values that the model gives to its own variables and to those of its components: full name and place.
    pub(crate) fn given_starts(&self) -> Vec<(String, Span)> {
        let plain = |i: &&Instance<'_>| i.parent.is_none_or(|p| p == 0) && i.definition.section.is_none();
        let mut given = vec![];
        for instance in self.tree.instances.iter().filter(plain) {
            let starts = instance.starts.iter();
            given.extend(starts.map(|(name, argument)| (instance.full(name), argument.scalar.span.clone())));
        }
        given.sort_by(|a, b| a.0.cmp(&b.0));
        given
    }

    /// Inputs of the model that no controller, event, task or key sets, and that have no start of their own: they stay 0 in every run.
    pub(super) fn note_constant_inputs(&self, live: &Live) {
        let mut set: HashSet<Symbol> = HashSet::new();
        set.extend(self.flat.events.iter().flat_map(|e| &e.set).map(|a| a.target));
        for task in &self.flat.tasks {
            match &task.action {
                Action::Set(list) => set.extend(list.iter().map(|a| a.target)),
                Action::Script { outputs, .. } => set.extend(outputs.iter().map(|o| o.1)),
            }
        }
        let Some(root) = self.tree.instances.first() else { return };
        let used = self.used_inputs();
        for input in root.each(|b| &b.inputs).filter(|i| i.start.is_none()) {
            let name = &input.key.name;
            let symbol = self.names.map.get(name).and_then(|n| n.symbol);
            let by_key = live.keys.iter().any(|k| k.input == *name);
            if by_key || symbol.is_none_or(|s| set.contains(&s) || !used.contains(&s)) {
                continue;
            }
            self.problems.add(
                Diagnostic::note(NO_COMMAND, format!("nothing sets the input `{name}` in a run"))
                    .at(&input.key.span, "it stays 0")
                    .hint("let a controller or a key of [live] set it, give it a `start`, or make it a parameter"),
            );
        }
    }

    /// Inputs that something in a run depends on.
    fn used_inputs(&self) -> HashSet<Symbol> {
        let graph = self.graph();
        let symbol = |e: Expr| match graph.node(e) {
            ExprNode::Symbol(s) => Some(s),
            _ => None,
        };
        graph.reachable(self.roots()).into_iter().filter_map(symbol).collect()
    }

    fn used_parameters(&self) -> HashSet<Symbol> {
        let graph = self.graph();
        let mut open = self.roots();
        let mut used = HashSet::new();
        while !open.is_empty() {
            let mut next = vec![];
            for e in graph.reachable(std::mem::take(&mut open)) {
                let ExprNode::Symbol(s) = graph.node(e) else { continue };
                // What is broken is no quantity.
                let Some(quantity) = self.flat.quantities.get(s.index()) else { continue };
                if let QuantityRole::Parameter { value } = quantity.kind
                    && used.insert(s)
                {
                    next.push(value);
                }
            }
            open = next;
        }
        used
    }

    /// Everything that a run evaluates.
    fn roots(&self) -> Vec<Expr> {
        let flat = &self.flat;
        let mut roots: Vec<Expr> = flat.equations.iter().flat_map(|e| [e.lhs, e.rhs]).collect();
        roots.extend(flat.outputs.iter().map(|o| o.value));
        for event in &flat.events {
            roots.push(event.guard);
            roots.extend(event.compared.iter().map(|c| c.difference));
            roots.extend(event.set.iter().map(|a| a.value));
        }
        for task in &flat.tasks {
            roots.extend([task.period, task.offset]);
            match &task.action {
                Action::Set(list) => roots.extend(list.iter().map(|a| a.value)),
                Action::Script { inputs, .. } => roots.extend(inputs.iter().map(|i| i.1)),
            }
        }
        roots.extend(flat.quantities.iter().filter_map(|q| match q.kind {
            QuantityRole::Unknown { start }
            | QuantityRole::Input { start }
            | QuantityRole::Mode { start } => Some(start),
            QuantityRole::Parameter { .. } | QuantityRole::Multiplier => None,
        }));
        for node in &self.network.nodes {
            let law = &node.law;
            roots.extend(law.effort.iter().chain(&law.flow).chain(&law.stored).chain(&law.ratio));
        }
        roots.extend(self.network.accounts.iter().map(|a| a.value));
        roots
    }
}

/// Parameters of the component that would follow from `name`, at once or through others, and that are given.
fn replacing<'a>(instance: &Instance<'a>, name: &str) -> Vec<&'a str> {
    let (mut open, mut met, mut given) = (vec![name.to_string()], HashSet::new(), vec![]);
    while let Some(name) = open.pop() {
        let uses = |form: &ScalarForm| match form {
            ScalarForm::Formula(formula) => references(&formula.ast).iter().any(|(used, _)| *used == name),
            _ => false,
        };
        for p in instance.each(|b| &b.parameters) {
            if !p.value.as_ref().is_some_and(|v| uses(&v.form)) || !met.insert(p.key.name.as_str()) {
                continue;
            }
            match instance.arguments.contains_key(&p.key.name) {
                true => given.push(p.key.name.as_str()),
                false => open.push(p.key.name.clone()),
            }
        }
    }
    given
}
