//! Tables, equations, outputs, events, sampled tasks and controllers.

use std::collections::HashSet;
use std::sync::Arc;

use trunnion_equations::flat::{Action, Assignment, Equation, Event, Output, ScriptLanguage, Task};
use trunnion_equations::{Expr, ExprNode, GraphTable, Symbol};
use trunnion_num::{Table1, Table2};

use super::{ModelBuilder, NameRole, Named, join, shown, si};
use crate::component::OutputDefinition as Recorded;
use crate::component::{
    Assign, ComponentSections, Controller, SampleClock, TableColumn, TableData, language_error,
    wrong_dimension,
};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::domain::unit_of;
use crate::energy::{AccountKind, OwnAccount};
use crate::file::Span;
use crate::language::{Scope, TableFn, Typed, condition, count, lower, lower_equation};
use crate::units::{Dimension, Unit};

const ASCENDING: &str = "x (and y of a table with z) ascend, where the same x twice is a jump; y has one value per x, z one row per x";

/// Who sets values; an event may also set states.
#[derive(Clone, Copy)]
enum Setter<'s> {
    Event(&'s HashSet<Symbol>),
    Task,
}

impl<'a> ModelBuilder<'a> {
    /// Every entry of one section, with the component it is in.
    fn all<T>(&self, section: fn(&'a ComponentSections) -> &'a [T]) -> Vec<(usize, &'a T)> {
        let instances = self.tree.instances.iter().enumerate();
        instances.flat_map(|(i, instance)| instance.each(section).map(move |x| (i, x))).collect()
    }

    pub(crate) fn add_tables(&mut self) {
        for (index, data) in self.all(|b| &b.tables) {
            let instance = &self.tree.instances[index];
            let name = instance.full(&data.key.name);
            let made = self.table(&name, instance.table(&data.key.name).unwrap_or(data));
            self.names.tables.insert(name, made);
        }
    }

    fn table(&self, name: &str, data: &TableData) -> TableFn {
        let dimension = |column: &TableColumn| column.unit.as_ref().map(|u| u.dimension);
        let made = match &data.z {
            None => Table1::new(&data.x.values, &data.y.values, data.shape, data.outside)
                .map(|t| GraphTable::One(Arc::new(t))),
            Some(z) => Table2::new(&data.x.values, &data.y.values, &z.values, data.shape, data.outside)
                .map(|t| GraphTable::Two(Arc::new(t))),
        };
        let table = made.unwrap_or_else(|error| {
            self.problems.add(
                Diagnostic::error("M0115", format!("table `{}`: {error}", data.key.name))
                    .at(&data.key.span, "this table")
                    .hint(ASCENDING),
            );
            let flat = Table1::new(&[0.0, 1.0], &[0.0, 0.0], data.shape, data.outside);
            let plane = Table2::new(&[0.0, 1.0], &[0.0, 1.0], &[0.0; 4], data.shape, data.outside);
            match &data.z {
                None => GraphTable::One(Arc::new(flat.expect("two points"))),
                Some(_) => GraphTable::Two(Arc::new(plane.expect("four points"))),
            }
        });
        let id = self.graph().add_table(name, table);
        match &data.z {
            None => TableFn { id, arguments: vec![dimension(&data.x)], result: dimension(&data.y) },
            Some(z) => {
                TableFn { id, arguments: vec![dimension(&data.x), dimension(&data.y)], result: dimension(z) }
            }
        }
    }

    pub(crate) fn add_equations(&mut self) {
        for (index, equation) in self.all(|b| &b.equations) {
            let view = self.view(index);
            match lower_equation(self.graph(), &equation.sides, &view) {
                Ok((lhs, rhs)) => {
                    let rhs = self.with_terms(index, equation, rhs);
                    let name = self.tree.instances[index].full(&equation.key.name);
                    let origin = self.origin(index, &equation.text.span);
                    self.flat.equations.push(Equation { name, origin, lhs, rhs });
                }
                Err(errors) => {
                    errors.iter().for_each(|e| self.problems.add(language_error(e, &equation.text)))
                }
            }
        }
    }

    /// The right side and what options add to it.
    fn with_terms(&self, index: usize, equation: &crate::component::EquationDefinition, rhs: Expr) -> Expr {
        let instance = &self.tree.instances[index];
        let view = self.view(index);
        let wanted = lower(self.graph(), &equation.sides.0, &view).ok().and_then(|t| t.dimension);
        let mut sum = self.graph().at(rhs);
        for (key, term) in instance.each(|b| &b.terms).filter(|(key, _)| key.name == equation.key.name) {
            let Some(typed) = self.formula(term, &view) else { continue };
            match (wanted, typed.dimension) {
                (Some(wanted), Some(found)) if wanted != found => {
                    let whose = format!("{} is", instance.phrase(&key.name));
                    self.problems.add(wrong_dimension(&term.text.span, wanted, found, &whose));
                }
                _ => sum = sum + self.graph().at(typed.expr),
            }
        }
        sum.id
    }

    /// Terms for equations that do not exist.
    pub(crate) fn check_terms(&self) {
        for instance in &self.tree.instances {
            let names: Vec<&str> = instance.each(|b| &b.equations).map(|e| e.key.name.as_str()).collect();
            for (key, _) in instance.each(|b| &b.terms).filter(|(key, _)| !names.contains(&key.name.as_str()))
            {
                self.problems.add(
                    Diagnostic::error("M0117", format!("there is no equation `{}` to add to", key.name))
                        .at(&key.span, "not among [equations]")
                        .hint_if(did_you_mean(&key.name, names.iter().copied())),
                );
            }
        }
    }

    pub(crate) fn add_outputs(&mut self) {
        for (index, output) in self.all(|b| &b.outputs) {
            let instance = &self.tree.instances[index];
            let (name, whose) = (instance.full(&output.key.name), instance.phrase(&output.key.name));
            let Some(typed) = self.formula(&output.value, &self.view(index)) else {
                self.names.broken.insert(name);
                continue;
            };
            if let (Some(unit), Some(found)) = (&output.unit, typed.dimension)
                && unit.dimension != found
            {
                let span = &output.value.text.span;
                self.problems.add(wrong_dimension(span, unit.dimension, found, &format!("{whose} is")));
            }
            let unfit = output.unit.as_ref().filter(|u| u.offset != 0.0).and_then(|_| {
                let count = count(&output.value.ast, &self.view(index)).0;
                count.unfit(Some(1.0), &output.value.ast.span)
            });
            unfit.iter().for_each(|e| self.problems.add(language_error(e, &output.value.text)));
            if let Some(side) = output.energy {
                self.add_account(index, output, side, typed);
            }
            let unit = output.unit.clone().or(typed.dimension.map(si));
            self.add_output(index, name, unit, &output.doc, &output.key.span, typed.expr);
        }
    }

    /// An account of energy: an energy, or a power that is summed up.
    fn add_account(&mut self, index: usize, output: &Recorded, side: AccountKind, typed: Typed) {
        let [power, energy] = ["W", "J"].map(|u| unit_of(u).map(|u| u.dimension));
        let instance = &self.tree.instances[index];
        if let (Some(wanted), Some(found)) = (power, typed.dimension)
            && Some(found) != power
            && Some(found) != energy
        {
            let whose = format!("the account {} is", instance.phrase(&output.key.name));
            self.problems.add(wrong_dimension(&output.value.text.span, wanted, found, &whose));
            return;
        }
        self.network.accounts.push(OwnAccount {
            component: instance.path.clone(),
            name: instance.full(&output.key.name),
            side,
            value: typed.expr,
            is_power: typed.dimension != energy,
            origin: self.origin(index, &output.key.span),
        });
    }

    pub fn add_output(
        &mut self,
        index: usize,
        name: String,
        unit: Option<Unit>,
        doc: &str,
        span: &Span,
        value: Expr,
    ) {
        let origin = self.origin(index, span);
        let (unit, shown) = (unit.clone(), shown(unit.as_ref()));
        let named = Named { expr: value, symbol: None, role: NameRole::Output, unit, span: span.clone() };
        self.names.map.entry(name.clone()).or_insert(named);
        self.flat.outputs.push(Output { name, unit: shown, doc: doc.to_string(), origin, value });
    }

    /// Unknowns whose derivative is used.
    fn states(&self) -> HashSet<Symbol> {
        let graph = self.graph();
        let roots = self.flat.equations.iter().flat_map(|e| [e.lhs, e.rhs]);
        let derivative = |e: Expr| match graph.node(e) {
            ExprNode::Derivative(s) => Some(s),
            _ => None,
        };
        let stores = self.network.nodes.iter().flat_map(|n| n.law.states.iter().copied());
        let found = graph.reachable(roots).into_iter().filter_map(derivative).chain(stores);
        found.chain(self.mechanism.states()).collect()
    }

    pub(crate) fn add_events(&mut self) {
        let events = self.all(|b| &b.events);
        let states = self.states();
        for (index, event) in events {
            let set = self.assignments(index, &event.set, Setter::Event(&states));
            let Some(when) = &event.when else { continue };
            let whose = match self.tree.instances[index].path.as_str() {
                "" => String::new(),
                path => format!("`{path}` "),
            };
            match condition(self.graph(), &when.ast, &self.view(index)) {
                Ok(guard) => {
                    self.flat.events.push(Event {
                        name: self.tree.instances[index].full(&event.key.name),
                        origin: self.origin(index, &when.text.span),
                        guard: guard.expr,
                        direction: guard.direction,
                        compared: guard.compared,
                        set,
                        terminate: event.terminate.as_ref().map(|message| format!("{whose}{message}")),
                        warn: event.warn.clone(),
                        at_start: event.at_start,
                    });
                }
                Err(errors) => errors.iter().for_each(|e| self.problems.add(language_error(e, &when.text))),
            }
        }
    }

    /// What an event or task sets.
    fn assignments(&self, index: usize, set: &[Assign], setter: Setter<'_>) -> Vec<Assignment> {
        let view = self.view(index);
        let mut made = vec![];
        for assign in set {
            let name = &assign.target.name;
            let Some(target) = view.get(name) else {
                if !self.names.is_broken(&join(&view.path, name)) {
                    let names = view.names();
                    self.problems.add(
                        Diagnostic::error("M0205", format!("there is no `{name}` to set"))
                            .at(&assign.target.span, "unknown name")
                            .hint_if(did_you_mean(name, names.iter().map(String::as_str))),
                    );
                }
                continue;
            };
            let refused = match (target.role, setter) {
                (NameRole::Mode | NameRole::Input, _) => None,
                (NameRole::Unknown, Setter::Event(states))
                    if target.symbol.is_some_and(|s| states.contains(&s)) =>
                {
                    None
                }
                // An equation that could not be read may be the one that has the derivative.
                (NameRole::Unknown, Setter::Event(_)) if self.problems.has_errors() => None,
                (NameRole::Unknown, Setter::Event(_)) => Some("its equations determine it at every instant"),
                (NameRole::Unknown, Setter::Task) => Some("a variable follows the equations"),
                (role, _) => Some(role.article()),
            };
            if let Some(reason) = refused {
                self.problems.add(
                    Diagnostic::error("M0205", format!("`{name}` cannot be set"))
                        .at(&assign.target.span, reason)
                        .hint("modes and inputs can be set, by events also variables whose derivative `der(…)` is used"),
                );
                continue;
            }
            let value = self.scalar(&assign.value, &view, target.unit.as_ref(), &format!("`{name}`"));
            if let (Some(value), Some(symbol)) = (value, target.symbol) {
                made.push(Assignment { target: symbol, value: value.expr });
            }
        }
        made
    }

    pub(crate) fn add_tasks(&mut self) {
        for (index, task) in self.all(|b| &b.tasks) {
            let name = self.tree.instances[index].full(&task.key.name);
            let action = Action::Set(self.assignments(index, &task.set, Setter::Task));
            let Some((period, offset)) = self.clock(index, &task.clock, &name) else { continue };
            let origin = self.origin(index, &task.key.span);
            self.flat.tasks.push(Task { name, origin, period, offset, after: task.after, action });
        }
        for (index, controller) in self.all(|b| &b.controllers) {
            match &controller.robot {
                Some(robot) if index == 0 => self.add_robot(controller, robot),
                Some(_) => self.problems.add(
                    Diagnostic::error("M0501", "[robots] stands in a file that is no model")
                        .at(&controller.key.span, "only models have mechanisms")
                        .hint("write it in the model file, or in a file that it names in `include`"),
                ),
                None => self.add_controller(index, controller),
            }
        }
    }

    fn add_controller(&mut self, index: usize, controller: &'a Controller) {
        let name = self.tree.instances[index].full(&controller.key.name);
        let mut inputs = vec![];
        for (key, formula) in &controller.inputs {
            let typed = self.formula(formula, &self.view(index));
            inputs.extend(typed.map(|typed| (key.name.clone(), typed.expr)));
        }
        let symbol = |key: &str| self.names.map.get(&format!("{name}.{key}")).and_then(|n| n.symbol);
        let outputs = controller.outputs.iter();
        let outputs = outputs.filter_map(|o| Some((o.key.name.clone(), symbol(&o.key.name)?))).collect();
        let (Some(clock), Some(script)) = (&controller.clock, &controller.script) else { return };
        let Some((period, offset)) = self.clock(index, clock, &name) else { return };
        let origin = self.origin(index, &script.span);
        let source = script.text.as_str().into();
        let language = ScriptLanguage::JavaScript;
        let action = Action::Script { language, source, setup: vec![], inputs, outputs };
        self.flat.tasks.push(Task { name, origin, period, offset, after: false, action });
    }

    /// Period and offset; the period is positive.
    pub(super) fn clock(&mut self, index: usize, clock: &SampleClock, name: &str) -> Option<(Expr, Expr)> {
        let second = si(Dimension::TIME);
        let (period, seconds) =
            self.constant(&clock.period, index, Some(&second), &format!("the period of `{name}`"))?;
        if seconds <= 0.0 {
            self.problems.add(
                Diagnostic::error("M0108", format!("the period of `{name}` has to be above 0 s"))
                    .at(&clock.period.span, format!("this is {seconds} s")),
            );
            return None;
        }
        let offset = match &clock.offset {
            Some(offset) => {
                self.constant(offset, index, Some(&second), &format!("the offset of `{name}`"))?.0.expr
            }
            None => self.graph().constant(0.0).id,
        };
        Some((period.expr, offset))
    }
}
