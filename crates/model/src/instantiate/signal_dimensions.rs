//! Dimensions of signals whose unit is free: what flows into a block says what flows out of it.
//!
//! A block such as a controller takes every unit. Once its inputs are connected their dimensions are known, and equations `x = …` and `der(x) = …` give those
//! of its variables and outputs, one after the other, with the gains that have a unit:
//!
//!   [u] = [Kp] [e],   [e] = [ref] = [y]                                                               (1)
//!
//! A gain without a unit, and every zero, fits everything: nothing is said of what it gives. Where (1) does not fit, in a sum or at an input
//! that has a unit, a gain has the wrong unit: "8 1/mm" on an angle is 8000 1/m and not 8.

use std::collections::{HashMap, HashSet};

use trunnion_equations::{Expr, ExprNode, Graph};

use super::names::NameView;
use super::{Instance, ModelBuilder, join};
use crate::component::{Assign, ScalarForm, SignalDirection};
use crate::diagnostic::Diagnostic;
use crate::language::{Ast, AstKind, Binding, DIMENSION, LangError, Scope, TableFn, lower, lower_equation};
use crate::units::Dimension;

const MISFIT: &str = "M0334";
/// Blocks in a chain that dimensions pass; a longer one is not looked at to its end.
const LONGEST: usize = 100;

/// What is known of quantities whose unit is free, by full name.
type Known = HashMap<String, Dimension>;

impl ModelBuilder<'_> {
    /// Warns where gains with units do not fit the signals they are given.
    pub(super) fn check_signal_dimensions(&self) {
        let free = self.free_names();
        if free.is_empty() || !self.names.broken.is_empty() {
            return;
        }
        let (blocks, known) = (self.blocks(&free), self.gains_with_units());
        if known.is_empty() {
            return;
        }
        // A copy: what is looked at here is no part of the model.
        let (wires, scratch) = (self.wires(&free), self.graph().clone());
        let mut flow = SignalDimensions { builder: self, blocks, free, known, wires, scratch };
        for _ in 0..LONGEST {
            if !flow.pass() {
                break;
            }
        }
        flow.report();
    }

    /// Quantities that take every unit, and parameters of blocks that do and are given as a plain number.
    fn free_names(&self) -> HashSet<String> {
        let unnamed = self.names.map.iter().filter(|(_, named)| named.unit.is_none());
        let mut free: HashSet<String> = unnamed.map(|(name, _)| name.clone()).collect();
        for instance in self.tree.instances.iter().skip(1) {
            let any = instance.each(|b| &b.parameters).filter(|p| p.any);
            free.extend(any.map(|p| instance.full(&p.key.name)));
        }
        free
    }

    /// Parameters of blocks that take every unit, given in one.
    fn gains_with_units(&self) -> Known {
        let mut known = Known::new();
        for instance in self.tree.instances.iter().skip(1) {
            for parameter in instance.each(|b| &b.parameters).filter(|p| p.any) {
                let name = instance.full(&parameter.key.name);
                let Some(named) = self.names.map.get(&name) else { continue };
                let unit = named.unit.as_ref().filter(|u| u.dimension != Dimension::ONE);
                let zero = named.symbol.is_some_and(|s| self.values.get(s) == Some(0.0));
                if let Some(unit) = unit.filter(|_| !zero) {
                    known.insert(name, unit.dimension);
                }
            }
        }
        known
    }

    /// Components with something that takes every unit.
    fn blocks(&self, free: &HashSet<String>) -> Vec<usize> {
        let has_free = |i: &Instance<'_>| {
            let named = i.each(|b| &b.variables).chain(i.each(|b| &b.modes)).map(|v| &v.key.name);
            let ports = i.each(|b| &b.ports).filter(|p| p.causality.is_some()).map(|p| &p.key.name);
            let mut all = named.chain(ports).chain(i.each(|b| &b.parameters).map(|p| &p.key.name));
            all.any(|name| free.contains(&i.full(name)))
        };
        let all = self.tree.instances.iter().enumerate().skip(1);
        all.filter(|(_, instance)| has_free(instance)).map(|(index, _)| index).collect()
    }

    /// Signals that are one, of which some take every unit: (taker, giver).
    fn wires(&self, free: &HashSet<String>) -> Vec<(String, String)> {
        let graph = self.graph();
        let name = |e: Expr| match graph.node(e) {
            ExprNode::Symbol(s) => self.flat.quantities.get(s.index()).map(|q| q.name.clone()),
            _ => None,
        };
        let equations = self.flat.equations.iter();
        let pairs = equations.filter_map(|e| Some((name(e.lhs)?, name(e.rhs)?)));
        pairs.filter(|(taker, giver)| free.contains(taker) || free.contains(giver)).collect()
    }
}

struct SignalDimensions<'b, 'a> {
    builder: &'b ModelBuilder<'a>,
    blocks: Vec<usize>,
    free: HashSet<String>,
    known: Known,
    wires: Vec<(String, String)>,
    scratch: Graph,
}

impl<'a> SignalDimensions<'_, 'a> {
    /// Every law once; true: something became known.
    fn pass(&mut self) -> bool {
        let before = self.known.len();
        let builder = self.builder;
        for index in self.blocks.clone() {
            let instance = &builder.tree.instances[index];
            for port in instance.each(|b| &b.ports).filter(|p| p.causality == Some(SignalDirection::In)) {
                let Some(argument) = instance.arguments.get(&port.key.name) else { continue };
                let ScalarForm::Formula(formula) = &argument.scalar.form else { continue };
                let found = self.dimension(argument.scope, &formula.ast);
                self.learn(instance.full(&port.key.name), found);
            }
            for equation in instance.each(|b| &b.equations) {
                let (left, right) = &equation.sides;
                let Some((name, rate)) = target(left) else { continue };
                let found = self.dimension(index, right);
                self.learn(instance.full(name), found.map(|d| if rate { d * Dimension::TIME } else { d }));
            }
            for Assign { target, value } in instance.each(|b| &b.tasks).flat_map(|t| &t.set) {
                let ScalarForm::Formula(formula) = &value.form else { continue };
                let found = self.dimension(index, &formula.ast);
                self.learn(instance.full(&target.name), found);
            }
        }
        for k in 0..self.wires.len() {
            let (taker, giver) = self.wires[k].clone();
            let found = self.of(&giver);
            self.learn(taker, found);
        }
        self.known.len() > before
    }

    /// What is known first stays: what does not fit it is reported.
    fn learn(&mut self, name: String, found: Option<Dimension>) {
        if let (Some(dimension), true) = (found, self.free.contains(&name)) {
            self.known.entry(name).or_insert(dimension);
        }
    }

    fn of(&self, name: &str) -> Option<Dimension> {
        if self.free.contains(name) {
            return self.known.get(name).copied();
        }
        self.builder.names.map.get(name).and_then(|n| n.unit.as_ref()).map(|u| u.dimension)
    }

    /// The dimension of an expression; None: not known, or it does not fit in itself.
    fn dimension(&self, index: usize, ast: &Ast) -> Option<Dimension> {
        lower(&self.scratch, ast, &self.scope(index)).ok().and_then(|typed| typed.dimension)
    }

    fn scope(&self, index: usize) -> SignalScope<'_> {
        SignalScope { view: self.builder.view(index), free: &self.free, known: &self.known }
    }

    /// Equations whose terms do not fit, and inputs that are given something else than they take.
    fn report(&self) {
        for &index in &self.blocks {
            let instance = &self.builder.tree.instances[index];
            if self.gains(instance).is_empty() {
                continue;
            }
            for equation in instance.each(|b| &b.equations) {
                let fits = lower_equation(&self.scratch, &equation.sides, &self.scope(index));
                if let Err(errors) = fits {
                    self.warn(instance, &errors, &equation.text.text);
                    break;
                }
            }
        }
        for (taker, giver) in &self.wires {
            let free = self.free.contains(giver) && !self.free.contains(taker);
            let (Some(wanted), Some(found)) = (self.of(taker), self.of(giver)) else { continue };
            if free && wanted != found {
                self.warn_input(taker, giver, wanted, found);
            }
        }
    }

    /// Parameters of a block that are given with a unit though it takes every unit.
    fn gains(&self, instance: &Instance<'a>) -> Vec<&'a str> {
        let any = instance.each(|b| &b.parameters).filter(|p| p.any).map(|p| p.key.name.as_str());
        any.filter(|name| self.known.contains_key(&instance.full(name))).collect()
    }

    fn warn(&self, instance: &Instance<'a>, errors: &[LangError], law: &str) {
        // What else is wrong with a law was said when its file was read.
        let Some(error) = errors.iter().find(|e| e.code == DIMENSION) else { return };
        let message = format!("units given to `{}` do not fit together: {}", instance.path, error.message);
        self.add(Diagnostic::warning(MISFIT, message), instance, &format!("in its law {law}"));
    }

    fn warn_input(&self, taker: &str, giver: &str, wanted: Dimension, found: Dimension) {
        let path = giver.rsplit_once('.').map_or("", |(path, _)| path);
        let Some(instance) = self.builder.tree.instances.iter().find(|i| i.path == path) else { return };
        let message = format!("`{taker}` takes {}, but `{giver}` is {}", told(wanted), told(found));
        self.add(Diagnostic::warning(MISFIT, message), instance, "");
    }

    /// With the gains and the inputs that the dimension comes from.
    fn add(&self, warning: Diagnostic, instance: &Instance<'a>, law: &str) {
        let mut warning = warning;
        for name in self.gains(instance) {
            let argument = instance.arguments.get(name).filter(|_| warning.labels.len() < 3);
            if let (Some(argument), Some(dimension)) = (argument, self.known.get(&instance.full(name))) {
                warning = warning.at(&argument.scalar.span, format!("`{name}` is in {dimension}"));
            }
        }
        if warning.labels.is_empty() {
            warning = warning.at(&instance.place, "this block");
        }
        let inputs = instance.each(|b| &b.ports).filter(|p| p.causality == Some(SignalDirection::In));
        let inputs: Vec<String> = inputs
            .filter_map(|p| Some((p, self.known.get(&instance.full(&p.key.name))?)))
            .map(|(p, dimension)| format!("`{}` is {}", p.key.name, told(*dimension)))
            .collect();
        let hint = [inputs.join(", "), law.to_string()];
        let hint: Vec<String> = hint.into_iter().filter(|h| !h.is_empty()).collect();
        let hint = format!("{}; give each gain the unit of output by input", hint.join("; "));
        self.builder.problems.add(warning.hint(hint));
    }
}

/// "a length (m)", "a plain number or an angle".
fn told(dimension: Dimension) -> String {
    match dimension {
        Dimension::ONE => "a plain number or an angle".to_string(),
        other if other.quantity().contains(&other.to_string()) => other.quantity(),
        other => format!("{} ({other})", other.quantity()),
    }
}

/// `x` of `x = …`, or of `der(x) = …`.
fn target(left: &Ast) -> Option<(&str, bool)> {
    match &left.kind {
        AstKind::Name(name) => Some((name, false)),
        AstKind::Call(function, _, arguments) if function == "der" => match arguments.as_slice() {
            [Ast { kind: AstKind::Name(name), .. }] => Some((name, true)),
            _ => None,
        },
        _ => None,
    }
}

/// The names of a component, free ones with what is known of them.
struct SignalScope<'n> {
    view: NameView<'n>,
    free: &'n HashSet<String>,
    known: &'n Known,
}

impl Scope for SignalScope<'_> {
    fn resolve(&self, path: &str) -> Option<Binding> {
        let binding = self.view.resolve(path)?;
        let full = join(&self.view.path, path);
        let dimension =
            if self.free.contains(&full) { self.known.get(&full).copied() } else { binding.dimension };
        Some(Binding { dimension, ..binding })
    }

    fn absolute(&self, path: &str) -> Option<Dimension> {
        self.view.absolute(path)
    }

    fn names(&self) -> Vec<String> {
        vec![]
    }

    fn table(&self, name: &str) -> Option<TableFn> {
        self.view.table(name)
    }
}
