//! From files to equations: the tree of components becomes one [`Flat`].
//!
//! Order: components and options (tree), parameters in order of dependence, variables and ports, equations
//! and events, connections. Everything wrong is reported; what could not be made is remembered as broken,
//! so that it is reported once.

mod aliases;
mod argument_hints;
mod bonds;
mod connect;
mod evaluate;
mod laws;
pub(crate) mod names;
mod notes;
mod parameters;
mod quantities;
mod robots;
mod sets;
mod signal_dimensions;
mod tree;
mod unused_values;
mod users;

use std::collections::HashMap;

use trunnion_equations::flat::{Flat, Origin};
use trunnion_equations::{DisplayUnit as Shown, Graph};

use crate::component::{
    ComponentDefinition, Formula, Library, Scalar, ScalarForm, language_error, wrong_dimension,
};
use crate::diagnostic::{Diagnostic, Label, Problems};
use crate::domain::Connector;
use crate::file::Span;
use crate::language::{Ast, AstKind, LangError, Typed, as_difference, count, lower, per_unit, references};
use crate::mechanism::{Mechanism, Sections};
use crate::network::Network;
use crate::units::{Dimension, Unit, turns_differ};

pub use aliases::FORMER_NAME;
use bonds::Bonds;
pub use evaluate::Values;
use names::ANYTHING;
pub use names::{ModelNames, NameRole, NameView, Named};
pub use notes::ASSUMED_UNIT;
pub use parameters::Deferred;
pub use sets::Sets;
pub use tree::{Instance, InstanceTree, join};
pub use unused_values::UNUSED_VALUE;
pub use users::Users;

/// A model on its way to equations.
pub struct ModelBuilder<'a> {
    pub tree: InstanceTree<'a>,
    pub names: ModelNames,
    pub flat: Flat,
    pub values: Values,
    pub network: Network,
    pub mechanism: Mechanism,
    /// Parameters whose value is left to whoever runs the model.
    pub deferred: Vec<Deferred>,
    /// Parameters that are differences: "1 °C" is 1 K.
    pub differences: Vec<String>,
    /// Numbers of the mechanism that were read in the unit that belongs there: name, value with unit, place.
    pub(crate) bare_numbers: Vec<(String, String, Span)>,
    bonds: Bonds,
    pub problems: &'a Problems,
    changing: HashMap<String, &'static str>,
}

/// All equations of a model.
pub fn instantiate<'a>(
    root: &'a ComponentDefinition,
    library: &'a Library,
    sets: &'a Sets,
    sections: &'a Sections,
    problems: &'a Problems,
) -> ModelBuilder<'a> {
    let tree = tree::build(root, library, sets, problems);
    let flat = Flat::default();
    let anything = Some(flat.graph.symbol(ANYTHING).id);
    let names = ModelNames { broken: tree.broken.clone(), anything, ..ModelNames::default() };
    let changing = changing(&tree);
    let mut builder = ModelBuilder {
        tree,
        names,
        flat,
        values: Values::default(),
        network: Network::default(),
        mechanism: Mechanism::default(),
        deferred: vec![],
        differences: vec![],
        bare_numbers: vec![],
        bonds: Bonds::default(),
        problems,
        changing,
    };
    if builder.tree.overgrown {
        return builder;
    }
    builder.add_tables();
    builder.add_parameters();
    builder.add_quantities();
    builder.add_robot_quantities();
    builder.add_bond_graphs();
    builder.add_outputs();
    builder.add_equations();
    builder.check_terms();
    builder.add_laws();
    builder.add_connections();
    builder.close_ports();
    builder.add_mechanism(sections);
    builder.add_events();
    builder.add_tasks();
    builder
}

/// What a number given to something with this unit means in SI.
fn in_unit(number: f64, unit: Option<&Unit>) -> f64 {
    unit.map_or(number, |u| number * u.factor + u.offset)
}

/// The unit of a number that stands alone.
fn literal(ast: &Ast) -> Option<&Unit> {
    match &ast.kind {
        AstKind::Number(_, unit) => unit.as_ref(),
        AstKind::Negate(a) => literal(a),
        _ => None,
    }
}

/// A unit as results show it.
pub fn shown(unit: Option<&Unit>) -> Shown {
    match unit {
        Some(u) if u.text != "1" => Shown { text: u.text.clone(), factor: u.factor, offset: u.offset },
        _ => Shown::default(),
    }
}

/// The SI unit of a dimension.
pub fn si(dimension: Dimension) -> Unit {
    Unit { dimension, factor: 1.0, offset: 0.0, text: dimension.to_string() }
}

impl ModelBuilder<'_> {
    pub fn graph(&self) -> &Graph {
        &self.flat.graph
    }

    pub fn origin(&self, instance: usize, span: &Span) -> Origin {
        Origin {
            component: self.tree.instances[instance].path.clone(),
            file: span.source.name.clone(),
            span: (span.range.start, span.range.end),
        }
    }

    /// The names that expressions of a component use.
    pub fn view(&self, instance: usize) -> NameView<'_> {
        self.names.view(&self.tree.instances[instance].path)
    }

    /// Whether an expression uses something that could not be made.
    fn uses_broken(&self, ast: &Ast, view: &NameView<'_>) -> bool {
        !self.names.broken.is_empty()
            && references(ast).iter().any(|(name, _)| self.names.is_broken(&join(&view.path, name)))
    }

    /// None if anything is wrong with it or with what it uses.
    pub fn formula(&self, formula: &Formula, view: &NameView<'_>) -> Option<Typed> {
        let lowered = lower(self.graph(), &formula.ast, view);
        let report = |errors: Vec<LangError>| {
            errors.iter().for_each(|e| self.problems.add(language_error(e, &formula.text)));
        };
        lowered.map_err(report).ok().filter(|_| !self.uses_broken(&formula.ast, view))
    }

    /// A number or expression for something with a unit; without a unit everything fits, and a bare number is
    /// a plain one. `whose` is "`R` of `r1`".
    pub fn scalar(
        &self,
        scalar: &Scalar,
        view: &NameView<'_>,
        unit: Option<&Unit>,
        whose: &str,
    ) -> Option<Typed> {
        let formula = match &scalar.form {
            ScalarForm::Broken => return None,
            ScalarForm::Number(number) => {
                let expr = self.graph().constant(in_unit(*number, unit)).id;
                let dimension = unit.map_or(Dimension::ONE, |u| u.dimension);
                return Some(Typed { expr, dimension: Some(dimension) });
            }
            ScalarForm::Truth(truth) if unit.is_none_or(|u| u.dimension == Dimension::ONE) => {
                let expr = self.graph().constant(f64::from(*truth)).id;
                return Some(Typed { expr, dimension: Some(Dimension::ONE) });
            }
            ScalarForm::Truth(_) => {
                self.report_truth(scalar, unit, whose);
                return None;
            }
            ScalarForm::Formula(formula) => formula,
        };
        let value = per_unit(&formula.ast, view);
        let typed = match &value {
            Some((number, own)) => {
                let expr = self.graph().constant(own.to_si(*number)).id;
                Typed { expr, dimension: Some(own.dimension) }
            }
            None => self.formula(formula, view)?,
        };
        if let Some(unit) = unit
            && let Some(hint) = literal(&formula.ast).and_then(|own| turns_differ(unit, own))
        {
            self.problems.add(
                Diagnostic::error("M0331", format!("{whose} is in {}, which differs by 2π", unit.text))
                    .at(&scalar.span, "revolutions, radians or cycles?")
                    .hint(hint),
            );
            return None;
        }
        match (unit.map(|u| u.dimension), typed.dimension) {
            (Some(wanted), Some(found)) if wanted != found => {
                let error = wrong_dimension(&scalar.span, wanted, found, &format!("{whose} is"));
                self.problems.add(self.with_parameter(error, &formula.ast, view));
                None
            }
            _ => self.absolute_fits(formula, view, unit).then_some(typed),
        }
    }

    /// A value that is nothing but a parameter: what is wrong is wrong where that has its value.
    fn with_parameter(&self, mut error: Diagnostic, ast: &Ast, view: &NameView<'_>) -> Diagnostic {
        let AstKind::Name(name) = &ast.kind else { return error };
        let Some(parameter) = view.get(name).filter(|n| n.role == NameRole::Parameter) else { return error };
        let unit = parameter.unit.as_ref().filter(|u| u.dimension != Dimension::ONE);
        let text = match unit {
            Some(unit) => format!("`{name}` is given in {}", unit.text),
            None => format!("`{name}` is given without a unit"),
        };
        error.labels.insert(0, Label { span: parameter.span.clone(), text });
        error
    }

    fn report_truth(&self, scalar: &Scalar, unit: Option<&Unit>, whose: &str) {
        let example = unit.map_or("…".to_string(), |u| format!("… {}", u.text));
        self.problems.add(
            Diagnostic::error("M0103", format!("{whose} has to be a number, found true or false"))
                .at(&scalar.span, "this is true or false")
                .hint(format!("write a number with its unit: \"{example}\"")),
        );
    }

    /// Whether what is given to something in °C is an absolute temperature; says so if not.
    fn absolute_fits(&self, formula: &Formula, view: &NameView<'_>, unit: Option<&Unit>) -> bool {
        if unit.is_none_or(|u| u.offset == 0.0) {
            return true;
        }
        let unfit = count(&formula.ast, view).0.unfit(Some(1.0), &formula.ast.span);
        unfit.iter().for_each(|e| self.problems.add(language_error(e, &formula.text)));
        unfit.is_none()
    }

    /// Whether a value can only be an absolute one, as "20 °C".
    pub(crate) fn is_absolute(&self, scalar: &Scalar, instance: usize, unit: Option<&Unit>) -> bool {
        match &scalar.form {
            ScalarForm::Formula(formula) => {
                let count = count(&formula.ast, &self.view(instance)).0;
                count.may_be(1.0) && !count.may_be(0.0)
            }
            _ => unit.is_some_and(|u| u.offset != 0.0),
        }
    }

    /// A difference of something with a unit, such as a tolerance: "1 °C" is 1 K there.
    pub fn difference(
        &mut self,
        scalar: &Scalar,
        instance: usize,
        unit: Option<&Unit>,
        whose: &str,
    ) -> Option<(Typed, f64)> {
        let unit = unit.map(|u| Unit { offset: 0.0, ..u.clone() });
        let mut scalar = scalar.clone();
        if let ScalarForm::Formula(formula) = &mut scalar.form {
            match as_difference(&formula.ast) {
                Some(ast) => formula.ast = ast,
                None => {
                    let count = count(&formula.ast, &self.view(instance)).0;
                    if let Some(error) = count.unfit(Some(0.0), &formula.ast.span) {
                        self.problems.add(language_error(&error, &formula.text));
                        return None;
                    }
                }
            }
        }
        self.constant(&scalar, instance, unit.as_ref(), whose)
    }

    /// The same where only parameters may be used, and its value, which has to be finite.
    pub fn constant(
        &mut self,
        scalar: &Scalar,
        instance: usize,
        unit: Option<&Unit>,
        whose: &str,
    ) -> Option<(Typed, f64)> {
        if matches!(scalar.form, ScalarForm::Truth(_)) {
            self.report_truth(scalar, unit, whose);
            return None;
        }
        if !self.uses_parameters_only(scalar, instance, whose) {
            return None;
        }
        let typed = self.scalar(scalar, &self.view(instance), unit, whose)?;
        let value = self.values.of(&self.flat.graph, typed.expr);
        let error = match value {
            Some(v) if v.is_finite() => return Some((typed, v)),
            Some(v) => Diagnostic::error("M0109", format!("{whose} is not a finite number"))
                .at(&scalar.span, format!("this is {v}")),
            None => Diagnostic::error("M0203", format!("{whose} may use parameters only"))
                .at(&scalar.span, "changes during a run"),
        };
        self.problems.add(error);
        None
    }

    fn uses_parameters_only(&self, scalar: &Scalar, instance: usize, whose: &str) -> bool {
        let ScalarForm::Formula(formula) = &scalar.form else { return true };
        let view = self.view(instance);
        let mut good = true;
        for (name, range) in references(&formula.ast) {
            let Some(kind) = self.changing.get(&join(&view.path, &name)) else { continue };
            good = false;
            self.problems.add(
                Diagnostic::error("M0203", format!("{whose} may use parameters only"))
                    .at(&formula.text.at(&range), format!("`{name}` is {kind}")),
            );
        }
        good
    }
}

/// What each name is that changes during a run: known before any of them is made.
fn changing(tree: &InstanceTree<'_>) -> HashMap<String, &'static str> {
    let mut kinds = HashMap::new();
    for instance in &tree.instances {
        let mut enter = |name: &str, kind| {
            kinds.insert(instance.full(name), kind);
        };
        instance.each(|b| &b.variables).for_each(|v| enter(&v.key.name, "a variable"));
        instance.each(|b| &b.modes).for_each(|v| enter(&v.key.name, "a mode"));
        instance.each(|b| &b.inputs).for_each(|v| enter(&v.key.name, "an input"));
        instance.each(|b| &b.bond_graph.laws).flat_map(|l| &l.states).for_each(|s| enter(&s.text, "a state"));
        for port in instance.each(|b| &b.ports) {
            match port.domain.map(|d| d.connector) {
                Some(Connector::Power { across, through, .. }) => {
                    enter(&format!("{}.{}", port.key.name, across.name), "a variable");
                    enter(&format!("{}.{}", port.key.name, through.name), "a variable");
                }
                _ => enter(&port.key.name, "a signal"),
            }
        }
    }
    kinds
}
