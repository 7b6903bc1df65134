//! Things that are no errors but may not be meant: signals without a receiver, numbers without a unit.

use std::collections::HashSet;

use trunnion_equations::flat::Action;
use trunnion_equations::{Expr, ExprNode, Symbol};

use super::ModelBuilder;
use super::sets::GIVEN_VALUE;
use crate::component::{Port, ScalarForm, SignalDirection};
use crate::diagnostic::Diagnostic;
use crate::expect::{Expect, Subject};
use crate::file::Span;
use crate::live::Live;
use crate::run::{RunSection, matches};

/// The code of a number that was read in the unit of what it is given to.
pub const ASSUMED_UNIT: &str = "M0312";

/// More examples are no help.
const MOST: usize = 6;

impl<'a> ModelBuilder<'a> {
    pub(crate) fn add_notes(&self, run: &RunSection, live: &Live, expect: &[Expect]) {
        if !self.problems.has_errors() {
            self.check_signal_dimensions();
            self.note_isolated_signals(run, expect);
            self.note_constant_inputs(live);
            self.note_replaced_parameters();
            self.note_bare_numbers();
        }
    }

    /// Outputs of signal blocks that nothing outside the block uses, shows or expects something of.
    fn note_isolated_signals(&self, run: &RunSection, expect: &[Expect]) {
        let shown = |name: &str| {
            let expected =
                |e: &Expect| matches!(&e.subject, Subject::Signal { signal, .. } if signal == name);
            run.plot.iter().chain(&run.record).any(|p| matches(p, name)) || expect.iter().any(expected)
        };
        let used = self.used_elsewhere();
        for (index, instance) in self.tree.instances.iter().enumerate().skip(1) {
            let ports: Vec<&'a Port> = instance.each(|b| &b.ports).collect();
            // What is inside a component is its author's business.
            let is_block =
                instance.definition.section.is_none() && ports.iter().all(|p| p.causality.is_some());
            if instance.parent != Some(0) || !is_block {
                continue;
            }
            let mut outputs = ports.iter().filter(|p| p.causality == Some(SignalDirection::Out)).peekable();
            let symbol = |p: &Port| self.names.map.get(&instance.full(&p.key.name)).and_then(|n| n.symbol);
            let taken = |p: &Port| {
                shown(&instance.full(&p.key.name)) || symbol(p).is_none_or(|s| used.contains(&(index, s)))
            };
            if outputs.peek().is_some() && !outputs.any(|p| taken(p)) {
                self.problems.add(
                    Diagnostic::note("M0311", format!("nothing takes the signal of `{}`", instance.path))
                        .at(&instance.place, "isolated")
                        .hint("connect its output, or leave the block out"),
                );
            }
        }
    }

    /// Symbols and the top-level components of their own that do not count as users.
    fn used_elsewhere(&self) -> HashSet<(usize, Symbol)> {
        let graph = self.graph();
        let mut used = HashSet::new();
        let owner: std::collections::HashMap<Symbol, usize> = self
            .tree
            .instances
            .iter()
            .enumerate()
            .flat_map(|(i, instance)| {
                instance.each(|b| &b.ports).map(move |p| (i, instance.full(&p.key.name)))
            })
            .filter_map(|(i, name)| Some((self.names.map.get(&name)?.symbol?, i)))
            .collect();
        let mut enter = |from: &str, roots: Vec<Expr>| {
            for e in graph.reachable(roots) {
                if let ExprNode::Symbol(s) = graph.node(e)
                    && let Some(&i) = owner.get(&s)
                    && self.tree.instances[i].path != from
                {
                    used.insert((i, s));
                }
            }
        };
        for equation in &self.flat.equations {
            enter(&equation.origin.component, vec![equation.lhs, equation.rhs]);
        }
        for output in &self.flat.outputs {
            enter(&output.origin.component, vec![output.value]);
        }
        for event in &self.flat.events {
            enter(&event.origin.component, vec![event.guard]);
        }
        for node in &self.network.nodes {
            let law = &node.law;
            let roots = law.effort.iter().chain(&law.flow).chain(&law.ratio).copied().collect();
            enter(&node.origin.component, roots);
        }
        for task in &self.flat.tasks {
            let roots = match &task.action {
                Action::Set(set) => set.iter().map(|a| a.value).collect(),
                Action::Script { inputs, .. } => inputs.iter().map(|(_, e)| *e).collect(),
            };
            enter(&task.origin.component, roots);
        }
        used
    }

    /// Bare numbers given to what has a unit: one note for the files, one for the values given to the run.
    fn note_bare_numbers(&self) {
        let (mut written, mut set) = (BareNumbers::default(), BareNumbers::default());
        for instance in self.tree.instances.iter().filter(|i| i.parent.is_none_or(|p| p == 0)) {
            let given = instance.arguments.iter().chain(&instance.starts);
            let mut given: Vec<_> = given.map(|(name, argument)| (instance.full(name), argument)).collect();
            given.sort_by(|a, b| a.0.cmp(&b.0));
            for (name, argument) in given {
                let ScalarForm::Number(number) = argument.scalar.form else { continue };
                let unit = self.names.map.get(&name).and_then(|n| n.unit.as_ref());
                let Some(unit) = unit.filter(|u| !["", "1"].contains(&u.text.as_str()) && number != 0.0)
                else {
                    continue;
                };
                let span = &argument.scalar.span;
                let from_outside = span.source.name.starts_with(GIVEN_VALUE);
                let list = if from_outside { &mut set } else { &mut written };
                list.add(&name, format!("{number} {}", unit.text), span);
            }
        }
        for (name, value, place) in &self.bare_numbers {
            let from_outside = place.source.name.starts_with(GIVEN_VALUE);
            let list = if from_outside { &mut set } else { &mut written };
            list.add(name, value.clone(), place);
        }
        let own = |name: &str| name.rsplit('.').next().unwrap_or(name).to_string();
        let notes = [
            written.note(|name, value| format!("write the unit with it: {} = \"{value}\"", own(name))),
            set.note(|name, value| format!("write the unit with it: {name}=\"{value}\"")),
        ];
        notes.into_iter().flatten().for_each(|note| self.problems.add(note));
    }
}

/// Numbers without a unit and how they were read.
#[derive(Default)]
struct BareNumbers {
    examples: Vec<String>,
    count: usize,
    /// Name, value with unit, and place of the first.
    first: Option<(String, String, Span)>,
}

impl BareNumbers {
    fn add(&mut self, name: &str, value: String, place: &Span) {
        self.count += 1;
        if self.examples.len() < MOST {
            self.examples.push(format!("{name} = {value}"));
        }
        self.first.get_or_insert_with(|| (name.to_string(), value, place.clone()));
    }

    fn note(self, hint: impl Fn(&str, &str) -> String) -> Option<Diagnostic> {
        let (name, value, place) = self.first?;
        let rest = if self.count > MOST { ", …" } else { "" };
        let note = Diagnostic::note(ASSUMED_UNIT, format!("read as {}{rest}", self.examples.join(", ")));
        Some(note.at(&place, "a number without a unit").hint(hint(&name, &value)))
    }
}
