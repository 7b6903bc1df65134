//! Parameters: in order of dependence, with their units, values and ranges.

use std::collections::HashMap;

use trunnion_equations::DisplayUnit as Shown;
use trunnion_equations::flat::{Quantity, QuantityRole};

use super::{Instance, ModelBuilder, NameRole, Named, join, shown, si};
use crate::component::{Common, Parameter, Scalar, ScalarForm};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::domain::Domain;
use crate::file::Span;
use crate::language::{Typed, references};
use crate::units::{Unit, parse_value};

/// A parameter whose value is left to whoever runs the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Deferred {
    pub name: String,
    pub unit: Shown,
    pub doc: String,
    /// The default, in SI.
    pub default: Option<f64>,
    /// In SI.
    pub range: (f64, f64),
}

/// A parameter of one component and the value it has there.
struct Item<'a> {
    name: String,
    instance: usize,
    parameter: &'a Parameter,
    value: Option<Scalar>,
    /// The component whose names the value uses.
    scope: usize,
    /// No value is given beyond the proposed one.
    open: bool,
}

impl ModelBuilder<'_> {
    pub(crate) fn add_parameters(&mut self) {
        self.note_useless_values();
        let items = self.items();
        for i in self.sorted(&items) {
            self.add_parameter(&items[i]);
        }
    }
}

impl<'a> ModelBuilder<'a> {
    fn items(&self) -> Vec<Item<'a>> {
        let mut items = vec![];
        for (index, instance) in self.tree.instances.iter().enumerate() {
            for parameter in instance.each(|b| &b.parameters) {
                let argument = instance.arguments.get(&parameter.key.name);
                let name = instance.full(&parameter.key.name);
                let given = argument.map(|a| (a.scalar.clone(), a.scope));
                let given = given.or_else(|| self.common_value(instance, &parameter.key.name));
                let open = given.is_none() && (parameter.ask || parameter.value.is_none());
                let driven =
                    || parameter.unless.as_ref().is_some_and(|input| self.is_driven(index, &input.text));
                let (value, scope) = match given {
                    Some((value, scope)) => (Some(value), scope),
                    None if driven() => (
                        Some(Scalar { form: ScalarForm::Number(0.0), span: parameter.key.span.clone() }),
                        index,
                    ),
                    None => (parameter.value.clone(), index),
                };
                items.push(Item { name, instance: index, parameter, value, scope, open });
            }
        }
        items
    }

    /// Whether a signal input has a value or a connection from around the component.
    fn is_driven(&self, index: usize, input: &str) -> bool {
        let instance = &self.tree.instances[index];
        let Some(around) = instance.parent.map(|p| &self.tree.instances[p]) else { return false };
        let name = instance.path.rsplit('.').next().unwrap_or(&instance.path);
        let end = format!("{name}.{input}");
        let connected = || around.each(|b| &b.connections).flat_map(|c| &c.ends).any(|e| e.name == end);
        instance.arguments.contains_key(input) || connected()
    }

    /// The value that [common] of what is around a component has for its parameter, and whose names it uses.
    fn common_value(&self, instance: &Instance<'a>, name: &str) -> Option<(Scalar, usize)> {
        let mut around = instance.parent;
        while let Some(index) = around {
            let outer = &self.tree.instances[index];
            let fits = |c: &&'a Common| c.key.name == name && has_port(instance, c.domain);
            if let Some(common) = outer.each(|b| &b.common).filter(fits).last() {
                return Some((common.value.clone(), index));
            }
            around = outer.parent;
        }
        None
    }

    /// Common values of the model that no component could take are misspelt.
    fn note_useless_values(&self) {
        let Some(root) = self.tree.instances.first() else { return };
        for common in root.each(|b| &b.common) {
            let with_port = || self.tree.instances[1..].iter().filter(|i| has_port(i, common.domain));
            let names = || with_port().flat_map(|i| i.each(|b| &b.parameters)).map(|p| p.key.name.as_str());
            let name = &common.key.name;
            if names().any(|n| n == name) || !self.names.broken.is_empty() {
                continue;
            }
            let domain = common.domain;
            self.problems.add(
                Diagnostic::warning("M0314", format!("no component takes the common value `{name}`"))
                    .at(&common.key.span, format!("no {} component has this parameter", domain.name))
                    .hint_if(did_you_mean(name, names())),
            );
        }
    }

    /// Each after those its value uses. Cycles are reported and their members broken.
    fn sorted(&mut self, items: &[Item<'a>]) -> Vec<usize> {
        let index: HashMap<&str, usize> =
            items.iter().enumerate().map(|(i, p)| (p.name.as_str(), i)).collect();
        let uses: Vec<Vec<usize>> = items
            .iter()
            .map(|item| {
                let Some(Scalar { form: ScalarForm::Formula(formula), .. }) = &item.value else {
                    return vec![];
                };
                let scope = &self.tree.instances[item.scope].path;
                let names = references(&formula.ast);
                names.iter().filter_map(|(name, _)| index.get(join(scope, name).as_str()).copied()).collect()
            })
            .collect();
        let mut order = vec![];
        // 0: not met, 1: being followed, 2: done.
        let mut mark = vec![0u8; items.len()];
        for root in 0..items.len() {
            if mark[root] != 0 {
                continue;
            }
            let mut stack = vec![(root, 0)];
            mark[root] = 1;
            while let Some((item, next)) = stack.last_mut() {
                let (item, step) = (*item, *next);
                *next += 1;
                match uses[item].get(step) {
                    None => {
                        mark[item] = 2;
                        order.push(item);
                        stack.pop();
                    }
                    Some(&used) if mark[used] == 0 => {
                        mark[used] = 1;
                        stack.push((used, 0));
                    }
                    Some(&used) if mark[used] == 1 => {
                        let from = stack.iter().position(|(i, _)| *i == used).unwrap_or(0);
                        let cycle: Vec<usize> = stack[from..].iter().map(|(i, _)| *i).collect();
                        self.report_cycle(items, &cycle);
                    }
                    Some(_) => {}
                }
            }
        }
        order
    }

    fn report_cycle(&mut self, items: &[Item<'a>], cycle: &[usize]) {
        let mut names: Vec<&str> = cycle.iter().map(|&i| items[i].name.as_str()).collect();
        let mut error = match cycle {
            [one] => {
                Diagnostic::error("M0202", format!("parameter `{}` depends on itself", items[*one].name))
            }
            _ => Diagnostic::error("M0202", "parameters depend on each other in a circle"),
        };
        names.push(names[0]);
        for (k, &i) in cycle.iter().enumerate().take(4) {
            let span = items[i].value.as_ref().map_or(&items[i].parameter.key.span, |v| &v.span);
            error = error.at(span, format!("`{}` uses `{}`", names[k], names[k + 1]));
        }
        self.problems.add(error.hint("give one of them a value that does not use the others"));
        self.names.broken.extend(cycle.iter().map(|&i| items[i].name.clone()));
    }

    fn add_parameter(&mut self, item: &Item<'a>) {
        let p = item.parameter;
        let whose = self.tree.instances[item.instance].phrase(&p.key.name);
        // Without a unit of its own, the one its first value is written in: another value keeps to it.
        let unit = p.unit.clone().or_else(|| p.value.as_ref().filter(|_| !p.any).and_then(literal_unit));
        let value = match &item.value {
            _ if self.names.broken.contains(&item.name) => None,
            Some(value) if p.difference => self.difference(value, item.scope, unit.as_ref(), &whose),
            Some(value) => self.constant(value, item.scope, unit.as_ref(), &whose),
            None => {
                self.report_missing(item, unit.as_ref());
                None
            }
        };
        let sound = value.is_some() && !p.broken;
        if !sound {
            self.names.broken.insert(item.name.clone());
        }
        let placeholder = Typed { expr: self.graph().constant(1.0).id, dimension: None };
        let (typed, number) = value.unwrap_or((placeholder, 1.0));
        let unit = unit.or(typed.dimension.map(si));
        // What a difference is shown in has its zero at zero.
        let unit = unit.map(|u| if p.difference { without_offset(u) } else { u });
        let absolute = item.value.as_ref().is_some_and(|v| self.is_absolute(v, item.scope, unit.as_ref()));
        if let (Some(unit), true) = (&unit, absolute && !p.difference) {
            self.names.absolute.insert(item.name.clone(), unit.dimension);
        }
        let range = self.range(item, unit.as_ref(), &whose, sound.then_some(number));
        if item.open && !p.broken {
            let (name, unit, doc) = (item.name.clone(), shown(unit.as_ref()), p.doc.clone());
            self.deferred.push(Deferred { name, unit, doc, default: sound.then_some(number), range });
        }
        if p.difference {
            self.differences.push(item.name.clone());
        }
        let place = item.value.as_ref().map_or(&p.key.span, |v| &v.span);
        let origin = self.origin(item.instance, place);
        let symbol = self.flat.add(Quantity {
            name: item.name.clone(),
            unit: shown(unit.as_ref()),
            doc: p.doc.clone(),
            origin,
            kind: QuantityRole::Parameter { value: typed.expr },
            nominal: None,
            range,
        });
        self.values.set(symbol, number);
        // A former name in another unit would be another number.
        for alias in p.aliases.iter().filter(|a| a.unit.is_none()) {
            let former = self.tree.instances[item.instance].full(&alias.name);
            self.names.former.insert(former, item.name.clone());
        }
        let expr = self.flat.ex(symbol).id;
        let span = p.key.span.clone();
        let named = Named { expr, symbol: Some(symbol), role: NameRole::Parameter, unit, span };
        self.names.map.insert(item.name.clone(), named);
    }

    fn report_missing(&self, item: &Item<'a>, unit: Option<&Unit>) {
        let instance = &self.tree.instances[item.instance];
        let name = &item.parameter.key.name;
        let example = unit.map_or("…".to_string(), |u| format!("… {}", u.text));
        let doc =
            if item.parameter.doc.is_empty() { String::new() } else { format!(": {}", item.parameter.doc) };
        let (message, place) = if instance.path.is_empty() {
            (format!("parameter `{name}` has no value"), &item.parameter.key.span)
        } else {
            (format!("`{}` needs a value for `{name}`", instance.path), &instance.place)
        };
        self.problems.add(
            Diagnostic::error("M0302", message)
                .at(place, format!("`{name}` is missing{doc}"))
                .hint(format!("add {name} = \"{example}\", or give `{}` a value when it is run", item.name)),
        );
    }

    /// The allowed range in SI; `value` is checked against it. Excluded limits move to the next number.
    fn range(&mut self, item: &Item<'a>, unit: Option<&Unit>, whose: &str, value: Option<f64>) -> (f64, f64) {
        let bounds = &item.parameter.bounds;
        let mut range = (f64::NEG_INFINITY, f64::INFINITY);
        let mut missed = None;
        let checks = [
            (&bounds.min, "at least"),
            (&bounds.above, "above"),
            (&bounds.max, "at most"),
            (&bounds.below, "below"),
        ];
        for (bound, word) in checks {
            let Some(bound) = bound else { continue };
            let what = format!("the limit of {whose}");
            let limit = if item.parameter.difference {
                self.difference(bound, item.instance, unit, &what)
            } else {
                self.constant(bound, item.instance, unit, &what)
            };
            let Some((_, limit)) = limit else { continue };
            match word {
                "at least" => range.0 = range.0.max(limit),
                "above" => range.0 = range.0.max(limit.next_up()),
                "at most" => range.1 = range.1.min(limit),
                _ => range.1 = range.1.min(limit.next_down()),
            }
            let kept = |v: f64| match word {
                "at least" => v >= limit,
                "above" => v > limit,
                "at most" => v <= limit,
                _ => v < limit,
            };
            if value.is_some_and(|v| !kept(v)) {
                missed = Some((word, limit, bound.span.clone()));
            }
        }
        if let (Some((word, limit, bound)), Some(v)) = (missed, value) {
            let unit = shown(unit);
            let place = item.value.as_ref().map_or(&item.parameter.key.span, |v| &v.span);
            // A default that fails beside a wrong value does so because of it.
            let own = item.parameter.value.as_ref().is_some_and(|v| item.instance > 0 && v.span == *place);
            if own && self.problems.has_errors() {
                return range;
            }
            self.report_range(whose, word, (&unit, limit), place, v, &bound);
        }
        range
    }

    fn report_range(
        &self,
        whose: &str,
        word: &str,
        limit: (&Shown, f64),
        place: &Span,
        found: f64,
        bound: &Span,
    ) {
        let number = |si: f64| number(limit.0.shown(si), &limit.0.text);
        let error = Diagnostic::error("M0108", format!("{whose} has to be {word} {}", number(limit.1)))
            .at(place, format!("this is {}", number(found)));
        self.problems.add(if place.source == bound.source { error.at(bound, "the limit") } else { error });
    }
}

fn has_port(instance: &Instance<'_>, domain: &Domain) -> bool {
    instance.each(|b| &b.ports).any(|p| p.domain == Some(domain))
}

/// The unit of a difference: its SI unit where the unit given has a shifted zero.
fn without_offset(unit: Unit) -> Unit {
    if unit.offset == 0.0 { unit } else { si(unit.dimension) }
}

/// A number with its unit, short.
fn number(value: f64, unit: &str) -> String {
    // Rounding hides what converting units did to the last digits.
    let rounded: f64 = format!("{value:.12e}").parse().unwrap_or(value);
    let digits = if rounded != 0.0 && (rounded.abs() >= 1e6 || rounded.abs() < 1e-3) {
        format!("{rounded:e}")
    } else {
        rounded.to_string()
    };
    if unit.is_empty() { digits } else { format!("{digits} {unit}") }
}

/// The unit of a value that is nothing but a number with a unit.
fn literal_unit(value: &Scalar) -> Option<Unit> {
    let ScalarForm::Formula(formula) = &value.form else { return None };
    parse_value(&formula.text.text).ok().map(|v| v.unit)
}
