//! Variables, inputs, modes and the variables of ports.

use trunnion_equations::Expr;
use trunnion_equations::flat::{Nominal, Quantity, QuantityRole};

use super::{ModelBuilder, NameRole, Named, shown};
use crate::component::{Port, VariableDefinition};
use crate::diagnostic::Diagnostic;
use crate::domain::{self, Connector, unit_of};
use crate::file::Span;
use crate::units::{Dimension, Unit, nominal};

/// What all kinds of quantities are entered with.
pub(super) struct New<'s> {
    pub name: String,
    pub unit: Option<Unit>,
    pub doc: &'s str,
    pub nominal: Option<f64>,
    pub span: &'s Span,
}

impl<'a> ModelBuilder<'a> {
    pub(crate) fn add_quantities(&mut self) {
        for index in 0..self.tree.instances.len() {
            let instance = &self.tree.instances[index];
            let ports: Vec<&'a Port> = instance.each(|b| &b.ports).collect();
            let variables: Vec<&'a VariableDefinition> = instance.each(|b| &b.variables).collect();
            let inputs: Vec<&'a VariableDefinition> = instance.each(|b| &b.inputs).collect();
            let modes: Vec<&'a VariableDefinition> = instance.each(|b| &b.modes).collect();
            let controllers: Vec<_> = instance.each(|b| &b.controllers).collect();
            for port in ports {
                self.add_port(index, port);
            }
            for variable in variables {
                self.add_variable(index, "", variable, NameRole::Unknown);
            }
            for variable in inputs {
                self.add_variable(index, "", variable, NameRole::Input);
            }
            for variable in modes {
                self.add_variable(index, "", variable, NameRole::Mode);
            }
            for controller in controllers {
                for output in &controller.outputs {
                    self.add_variable(index, &format!("{}.", controller.key.name), output, NameRole::Mode);
                }
            }
        }
    }

    fn add_port(&mut self, index: usize, port: &'a Port) {
        let instance = &self.tree.instances[index];
        let name = instance.full(&port.key.name);
        let Some(domain) = port.domain else {
            self.names.broken.insert(name);
            return;
        };
        let Connector::Power { across, through, .. } = domain.connector else {
            let new =
                New { name, unit: port.unit.clone(), doc: &port.doc, nominal: None, span: &port.key.span };
            let start = self.graph().constant(0.0).id;
            self.add_quantity(index, new, NameRole::Unknown, start);
            return;
        };
        for domain::PowerVariable { name: part, unit, doc, start } in [across, through] {
            let name = format!("{name}.{part}");
            let new = New { name, unit: unit_of(unit), doc, nominal: None, span: &port.key.span };
            if domain.name == "thermal" && part == across.name {
                self.names.absolute.insert(new.name.clone(), Dimension::TEMPERATURE);
            }
            let start = self.graph().constant(start).id;
            self.add_quantity(index, new, NameRole::Unknown, start);
        }
        for taken in &port.takes {
            self.add_variable(index, &format!("{}.", port.key.name), taken, NameRole::Unknown);
        }
    }

    fn add_variable(&mut self, index: usize, prefix: &str, variable: &'a VariableDefinition, role: NameRole) {
        let instance = &self.tree.instances[index];
        let local = format!("{prefix}{}", variable.key.name);
        let (name, whose) = (instance.full(&local), instance.phrase(&local));
        let unit = variable.unit.as_ref();
        let given = instance.starts.get(&local).cloned();
        let value = given.as_ref().map(|a| (&a.scalar, a.scope));
        let value = value.or(variable.start.as_ref().map(|s| (s, index)));
        if value.is_some_and(|(scalar, scope)| self.is_absolute(scalar, scope, unit)) {
            self.names.absolute.extend(unit.map(|u| (name.clone(), u.dimension)));
        }
        let start = value.and_then(|(scalar, scope)| {
            // Modes and inputs may be truth values.
            let switch = matches!(role, NameRole::Mode | NameRole::Input);
            let scalar = scalar.as_number(switch && unit.is_none_or(|u| u.dimension == Dimension::ONE));
            self.constant(&scalar, scope, unit, &format!("the start of {whose}"))
        });
        let start = start.map_or_else(|| self.graph().constant(0.0).id, |(typed, _)| typed.expr);
        let size = variable.nominal.as_ref();
        let size =
            size.and_then(|n| self.difference(n, index, unit, &format!("the nominal value of {whose}")));
        let new = New {
            name,
            unit: variable.unit.clone(),
            doc: &variable.doc,
            nominal: size.and_then(|(_, value)| self.nominal_size(value, variable)),
            span: &variable.key.span,
        };
        self.add_quantity(index, new, role, start);
    }

    /// A typical size is a size; what lies beyond all sizes would make every error nothing, or everything.
    fn nominal_size(&self, value: f64, variable: &VariableDefinition) -> Option<f64> {
        const SIZES: std::ops::RangeInclusive<f64> = 1e-30..=1e30;
        if SIZES.contains(&value) {
            return Some(value);
        }
        let rule = if value > 0.0 { "has to lie between 1e-30 and 1e30 in SI" } else { "has to be above 0" };
        let span = variable.nominal.as_ref().map_or(&variable.key.span, |n| &n.span);
        self.problems.add(
            Diagnostic::error("M0108", format!("the nominal value of `{}` {rule}", variable.key.name))
                .at(span, format!("this is {value}"))
                .hint("it is the size the variable usually has, for error control"),
        );
        None
    }

    pub(super) fn add_quantity(&mut self, index: usize, new: New<'_>, role: NameRole, start: Expr) {
        if self.names.map.contains_key(&new.name) {
            // Twice the same name, which has been reported.
            return;
        }
        if let Some(unit) = new.unit.as_ref().filter(|u| u.offset != 0.0) {
            self.names.absolute.insert(new.name.clone(), unit.dimension);
        }
        let kind = match role {
            NameRole::Input => QuantityRole::Input { start },
            NameRole::Mode => QuantityRole::Mode { start },
            _ => QuantityRole::Unknown { start },
        };
        let given = new.nominal.map(Nominal::given);
        let symbol = self.flat.add(Quantity {
            name: new.name.clone(),
            unit: shown(new.unit.as_ref()),
            doc: new.doc.to_string(),
            origin: self.origin(index, new.span),
            kind,
            nominal: given.or_else(|| new.unit.as_ref().map(|u| Nominal::by_unit(nominal(u.dimension)))),
            range: (f64::NEG_INFINITY, f64::INFINITY),
        });
        let expr = self.flat.ex(symbol).id;
        let span = new.span.clone();
        self.names.map.insert(new.name, Named { expr, symbol: Some(symbol), role, unit: new.unit, span });
    }
}
