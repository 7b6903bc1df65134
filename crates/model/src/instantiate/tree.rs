//! The tree of components: which definition each one has, which options, and what it is given.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::aliases;
use super::argument_hints::{number_of, unknown_argument};
use super::sets::Sets;
use crate::component::{
    Child, ComponentDefinition, ComponentSections, Library, Scalar, SignalDirection, TableData, choice_text,
    given_table, read_scalar,
};
use crate::diagnostic::{Diagnostic, Problems, did_you_mean, one_of};
use crate::file::{Data, Span, TomlKey, TomlValue, wrong_type};
use crate::units::parse_value;

/// More than this is a mistake: components that multiply at every level.
const MOST: usize = 100_000;
const DEEPEST: usize = 64;

/// A value from outside a component and the component whose names it uses.
#[derive(Clone, Debug)]
pub struct Argument {
    pub scalar: Scalar,
    pub scope: usize,
}

#[derive(Debug)]
pub struct Instance<'a> {
    /// "boom.lift"; empty for the model.
    pub path: String,
    pub parent: Option<usize>,
    pub definition: &'a ComponentDefinition,
    /// The sections of the definition and of the options chosen.
    pub bodies: Vec<&'a ComponentSections>,
    /// Options and what was chosen.
    pub chosen: HashMap<String, String>,
    /// Values of parameters and signal inputs.
    pub arguments: HashMap<String, Argument>,
    pub starts: HashMap<String, Argument>,
    /// Tables given from outside.
    pub tables: HashMap<String, TableData>,
    pub children: HashMap<String, usize>,
    /// Where it is named.
    pub place: Span,
}

impl<'a> Instance<'a> {
    /// The full name of something inside.
    pub fn full(&self, name: &str) -> String {
        join(&self.path, name)
    }

    /// "`R` of `r1`", or "`R`" in the model itself.
    pub fn phrase(&self, name: &str) -> String {
        if self.path.is_empty() { format!("`{name}`") } else { format!("`{name}` of `{}`", self.path) }
    }

    /// A table as it is here: given from outside, or the component's own.
    pub fn table(&self, name: &str) -> Option<&TableData> {
        self.tables.get(name).or_else(|| self.each(|b| &b.tables).find(|t| t.key.name == name))
    }

    /// Every entry of one section.
    pub fn each<T>(
        &self,
        section: fn(&'a ComponentSections) -> &'a [T],
    ) -> impl Iterator<Item = &'a T> + use<'a, T> {
        let lists: Vec<&'a [T]> = self.bodies.iter().map(|b| section(b)).collect();
        lists.into_iter().flatten()
    }
}

pub fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

pub struct InstanceTree<'a> {
    pub library: &'a Library,
    pub instances: Vec<Instance<'a>>,
    /// Components that could not be made, which has been reported.
    pub broken: HashSet<String>,
    /// There are too many components to go on.
    pub overgrown: bool,
}

pub fn build<'a>(
    root: &'a ComponentDefinition,
    library: &'a Library,
    sets: &'a Sets,
    problems: &'a Problems,
) -> InstanceTree<'a> {
    let mut growing = InstanceTreeBuilder {
        library,
        sets,
        problems,
        tree: InstanceTree { library, instances: vec![], broken: HashSet::new(), overgrown: false },
        unknown: HashSet::new(),
    };
    let place = Span::new(&root.source, 0..0);
    growing.add(String::new(), None, root, &[], place);
    growing.expand(0, 0);
    growing.tree
}

struct InstanceTreeBuilder<'a> {
    library: &'a Library,
    sets: &'a Sets,
    problems: &'a Problems,
    tree: InstanceTree<'a>,
    /// Components of unknown type.
    unknown: HashSet<*const Child>,
}

impl<'a> InstanceTreeBuilder<'a> {
    /// Makes the components inside one.
    fn expand(&mut self, index: usize, depth: usize) {
        let children: Vec<&'a Child> = self.tree.instances[index].each(|b| &b.components).collect();
        for child in children {
            if self.tree.overgrown {
                return;
            }
            let path = self.tree.instances[index].full(&child.key.name);
            if self.tree.instances[index].children.contains_key(&child.key.name) {
                continue;
            }
            let Some(definition) = self.definition(index, child, depth) else {
                self.tree.broken.insert(path);
                continue;
            };
            let made = self.add(path, Some(index), definition, &child.arguments, child.key.span.clone());
            self.tree.instances[index].children.insert(child.key.name.clone(), made);
            self.expand(made, depth + 1);
        }
    }

    fn definition(
        &mut self,
        parent: usize,
        child: &'a Child,
        depth: usize,
    ) -> Option<&'a ComponentDefinition> {
        let kind = child.kind.as_ref()?;
        let Some(definition) = child.definition.as_ref().or_else(|| self.library.find(&kind.text)) else {
            // Once, however often the component around it is used.
            if !self.unknown.insert(std::ptr::from_ref(child)) {
                return None;
            }
            self.problems.add(
                Diagnostic::error("M0301", format!("there is no component type `{}`", kind.text))
                    .at(&kind.span, "not in any library")
                    .hint("a type is the name of a component file; `libraries` in [model] adds folders")
                    .hint_if(did_you_mean(&kind.text, self.library.names())),
            );
            return None;
        };
        if definition.section != child.section {
            let error = Diagnostic::error("M0502", format!("`{}` is no component of its own", kind.text));
            let section = definition.section.map_or("components", |s| s.word());
            self.problems.add(
                error
                    .at(&kind.span, "a part of a mechanism")
                    .hint(format!("write `{}` in [{section}] of the model", child.key.name)),
            );
            return None;
        }
        let mut chain = vec![definition.name.as_str()];
        let mut up = Some(parent);
        while let Some(i) = up {
            let instance = &self.tree.instances[i];
            chain.push(&instance.definition.name);
            // With other numbers of ports it still is the same component.
            if Arc::ptr_eq(&instance.definition.source, &definition.source) {
                chain.reverse();
                self.problems.add(
                    Diagnostic::error("M0309", format!("component `{}` contains itself", definition.name))
                        .at(&kind.span, chain.join(" → "))
                        .hint("a component can only be made of others"),
                );
                return None;
            }
            up = instance.parent;
        }
        if depth >= DEEPEST || self.tree.instances.len() >= MOST {
            self.tree.overgrown = true;
            self.problems.add(
                Diagnostic::error("M0004", "the model has too many components")
                    .at(&kind.span, format!("more than {MOST}, or more than {DEEPEST} inside each other")),
            );
            return None;
        }
        Some(definition)
    }

    fn add(
        &mut self,
        path: String,
        parent: Option<usize>,
        definition: &'a ComponentDefinition,
        given: &'a [(TomlKey, TomlValue)],
        place: Span,
    ) -> usize {
        let index = self.tree.instances.len();
        let mut bodies = vec![&definition.body];
        let mut all_chosen = HashMap::new();
        for option in definition.options.iter().filter(|o| !o.choices.is_empty()) {
            let name = &option.key.name;
            let set = self.sets.take(&join(&path, name));
            let value =
                set.or_else(|| given.iter().find(|(key, _)| key.name == *name).map(|(_, value)| value));
            let is_given = |parameter: &String| {
                given.iter().any(|(key, _)| key.name == *parameter) || self.sets.has(&join(&path, parameter))
            };
            let unsaid = match option.given.iter().any(is_given) {
                true => "true".to_string(),
                false => option.default.clone(),
            };
            let chosen = value.map_or(Some(unsaid), |value| {
                self.choose(value, (name, &option.choices), definition, parent)
            });
            let matching = |w: &&'a crate::component::When| {
                w.option.text == *name && chosen.as_ref().is_some_and(|c| w.is.iter().any(|is| is.text == *c))
            };
            bodies.extend(definition.when.iter().filter(matching).map(|w| &w.body));
            all_chosen.extend(chosen.map(|c| (name.clone(), c)));
        }
        let mut instance = Instance {
            path,
            parent,
            definition,
            bodies,
            chosen: all_chosen,
            arguments: HashMap::new(),
            starts: HashMap::new(),
            tables: HashMap::new(),
            children: HashMap::new(),
            place,
        };
        for (key, value) in given {
            self.give(&mut instance, key, value, parent.unwrap_or(0));
        }
        self.give_sets(&mut instance);
        check_names(&instance, self.problems);
        self.tree.instances.push(instance);
        index
    }

    /// One of the choices, or what was chosen for the option of this name where the component is used.
    fn choose(
        &self,
        value: &TomlValue,
        (name, choices): (&str, &[String]),
        definition: &ComponentDefinition,
        parent: Option<usize>,
    ) -> Option<String> {
        let words = || choices.iter().map(String::as_str);
        let Some(text) = choice_text(value) else {
            self.problems.add(wrong_type(value, name, &one_of(words())).hint_if(number_of(definition, name)));
            return None;
        };
        if choices.contains(&text) {
            return Some(text);
        }
        let of_parent = parent.and_then(|p| self.tree.instances[p].chosen.get(&text));
        if let Some(same) = of_parent.filter(|c| choices.contains(c)) {
            return Some(same.clone());
        }
        self.problems.add(
            Diagnostic::error("M0112", format!("option `{name}` cannot be `{text}`"))
                .at(&value.span, format!("has to be {}", one_of(words())))
                .hint_if(number_of(definition, name).filter(|_| parse_value(&text).is_ok()))
                .hint_if(did_you_mean(&text, words())),
        );
        None
    }

    /// One argument in the table of a component.
    fn give(&self, instance: &mut Instance<'a>, key: &TomlKey, value: &TomlValue, scope: usize) {
        let name = key.name.as_str();
        let argument = |name: &str, value: &TomlValue| Argument {
            scalar: read_scalar(value, name, self.problems),
            scope,
        };
        if instance.definition.options.iter().any(|o| o.key.name == name) {
            return;
        }
        if takes_value(instance, name) {
            aliases::refuse_twice(instance, key, self.problems);
            instance.arguments.insert(name.to_string(), argument(name, value));
            return;
        }
        if aliases::find(instance, name).is_some() {
            instance.arguments.extend(aliases::give(instance, key, value, scope, self.problems));
            return;
        }
        if let Some(own) = instance.each(|b| &b.tables).find(|t| t.key.name == name) {
            let around = |name: &str| self.tree.instances.get(scope).and_then(|i| i.table(name));
            let given = given_table(key, value, own, around, self.problems);
            instance.tables.extend(given.map(|table| (name.to_string(), table)));
            return;
        }
        if let Some(parameter) = aliases::other_form(instance, name) {
            let own = &parameter.key.name;
            if instance.arguments.insert(own.clone(), argument(name, value)).is_some() {
                let error = Diagnostic::error("M0105", format!("{} is given twice", instance.phrase(own)));
                self.problems.add(error.at(&key.span, format!("`{name}` is the same")));
            }
            return;
        }
        if let Some(variable) = name.strip_suffix("_0").or(name.strip_suffix('0'))
            && has_start(instance, variable)
        {
            instance.starts.insert(variable.to_string(), argument(name, value));
            return;
        }
        if name != "start" {
            self.problems.add(unknown_argument(instance, key));
            return;
        }
        let Data::Table(table) = &value.data else {
            self.problems.add(wrong_type(value, "start", "a table, as in start.u = \"3 V\""));
            return;
        };
        for entry in &table.entries {
            if has_start(instance, &entry.key.name) {
                instance.starts.insert(entry.key.name.clone(), argument(&entry.key.name, &entry.value));
            } else {
                let variables = start_names(instance);
                self.problems.add(
                    Diagnostic::error(
                        "M0303",
                        format!("`{}` has no variable `{}`", instance.path, entry.key.name),
                    )
                    .at(&entry.key.span, "nothing to start here")
                    .hint_if(did_you_mean(&entry.key.name, variables.iter().copied())),
                );
            }
        }
    }

    /// Values from outside the files come last and win; they use names of the model.
    fn give_sets(&self, instance: &mut Instance<'a>) {
        aliases::give_sets(instance, self.sets, self.problems);
        let taken = |name: &str, forms: &[String]| {
            let value = forms.iter().filter_map(|form| self.sets.take(form)).next_back()?;
            Some(Argument { scalar: read_scalar(value, name, self.problems), scope: 0 })
        };
        for name in value_names(instance) {
            let other = aliases::spelt(instance, name).map(|other| instance.full(&other));
            let forms: Vec<String> = other.into_iter().chain([instance.full(name)]).collect();
            if let Some(argument) = taken(name, &forms) {
                instance.arguments.insert(name.to_string(), argument);
            }
        }
        for name in start_names(instance) {
            let own = |end: &str| takes_value(instance, &format!("{name}{end}"));
            let ends = ["0", "_0"].iter().filter(|_| !own("0") && !own("_0"));
            let mut forms = vec![instance.full(name)];
            forms.extend(ends.map(|end| instance.full(&format!("{name}{end}"))));
            if !own("0") {
                forms.push(instance.full(&format!("start.{name}")));
            }
            if let Some(argument) = taken(name, &forms) {
                instance.starts.insert(name.to_string(), argument);
            }
        }
    }
}

pub(super) fn value_names<'a>(instance: &Instance<'a>) -> Vec<&'a str> {
    let signals = instance.each(|b| &b.ports).filter(|p| p.causality == Some(SignalDirection::In));
    let parameters = instance.each(|b| &b.parameters).map(|p| p.key.name.as_str());
    parameters.chain(signals.map(|p| p.key.name.as_str())).collect()
}

/// Whether a name takes a value from outside: parameters and signal inputs do.
fn takes_value(instance: &Instance<'_>, name: &str) -> bool {
    value_names(instance).contains(&name)
}

fn start_names<'a>(instance: &Instance<'a>) -> Vec<&'a str> {
    let (variables, modes) = (instance.each(|b| &b.variables), instance.each(|b| &b.modes));
    let states = instance.each(|b| &b.bond_graph.laws).flat_map(|l| &l.states).map(|s| s.text.as_str());
    let named = variables.chain(modes).chain(instance.each(|b| &b.inputs)).map(|v| v.key.name.as_str());
    named.chain(states).collect()
}

pub(super) fn has_start(instance: &Instance<'_>, name: &str) -> bool {
    start_names(instance).contains(&name)
}

/// All names of a component share one space.
fn check_names(instance: &Instance<'_>, problems: &Problems) {
    let mut seen: HashMap<&str, (&'static str, &TomlKey)> = HashMap::new();
    let mut enter = |kind: &'static str, key| {
        let key: &TomlKey = key;
        if let Some((other, first)) = seen.insert(&key.name, (kind, key)) {
            problems.add(
                Diagnostic::error("M0105", format!("`{}` is defined twice", key.name))
                    .at(&key.span, format!("as {kind} here"))
                    .at(&first.span, format!("as {other} here"))
                    .hint("names of variables, parameters, components and so on share one space"),
            );
        }
    };
    for option in &instance.definition.options {
        enter("an option", &option.key);
    }
    for body in &instance.bodies {
        body.ports.iter().for_each(|x| enter("a port", &x.key));
        body.parameters.iter().for_each(|x| enter("a parameter", &x.key));
        body.variables.iter().for_each(|x| enter("a variable", &x.key));
        body.modes.iter().for_each(|x| enter("a mode", &x.key));
        body.inputs.iter().for_each(|x| enter("an input", &x.key));
        body.components.iter().for_each(|x| enter("a component", &x.key));
        body.controllers.iter().for_each(|x| enter("a controller", &x.key));
        body.outputs.iter().for_each(|x| enter("an output", &x.key));
    }
    let mut laws: HashMap<(&str, &str), &TomlKey> = HashMap::new();
    for body in &instance.bodies {
        let equations = body.equations.iter().map(|x| ("equation", &x.key));
        let events = body.events.iter().map(|x| ("event", &x.key));
        let tasks = body.tasks.iter().map(|x| ("task", &x.key));
        let tables = body.tables.iter().map(|x| ("table", &x.key));
        for (kind, key) in equations.chain(events).chain(tasks).chain(tables) {
            if let Some(first) = laws.insert((kind, &key.name), key) {
                problems.add(
                    Diagnostic::error("M0105", format!("{kind} `{}` is defined twice", key.name))
                        .at(&key.span, "here")
                        .at(&first.span, "and here"),
                );
            }
        }
    }
}
