//! The sections of a component or model file.

use std::sync::Arc;

use super::bond_graph::read_bond_graph;
use super::common::read_common;
use super::csv::with_file;
use super::events::{read_controller, read_event, read_task};
use super::linear_graph::read_linear_graph;
use super::ports::{read_choice, read_port};
use super::read::{check_name, equation, formula, unit};
use super::robots::read_robots;
use super::tables::read_table;
use super::*;
use crate::diagnostic::{Diagnostic, Problems, did_you_mean, one_of};
use crate::file::{Data, Fields, TomlEntry, TomlTable, texts, wrong_type};
use crate::units::parse_unit;

/// What components and models have in common.
pub(crate) fn read_definition(
    name: &str,
    source: &Arc<Source>,
    fields: &Fields<'_>,
    reading: &Reading<'_>,
) -> ComponentDefinition {
    let problems = reading.problems;
    let options: Vec<OptionChoice> = entries(fields, "options", problems, |e| read_choice(e, problems));
    let body = read_body(fields, reading);
    let mut when = vec![];
    for value in fields.list("when").unwrap_or(&[]) {
        let Data::Table(table) = &value.data else {
            problems.add(wrong_type(value, "when", "a list of tables, [[when]]"));
            continue;
        };
        let inner = Fields::new(table, "`when`", &value.span, problems);
        when.extend(read_when(&inner, &options, reading));
        inner.finish();
    }
    ComponentDefinition {
        name: name.to_string(),
        title: name.to_string(),
        aliases: vec![],
        icon: None,
        doc: String::new(),
        section: None,
        mount: None,
        pose: None,
        options,
        body,
        when,
        source: source.clone(),
        included: vec![],
    }
}

fn read_body(fields: &Fields<'_>, reading: &Reading<'_>) -> ComponentSections {
    let problems = reading.problems;
    let mut bond_graph = read_bond_graph(fields, problems);
    bond_graph.extend(read_linear_graph(fields, problems));
    ComponentSections {
        bond_graph,
        ports: entries(fields, "ports", problems, |e| read_port(e, problems)),
        parameters: entries(fields, "parameters", problems, |e| read_parameter(e, problems)),
        variables: entries(fields, "variables", problems, |e| read_variable(e, "variable", problems)),
        modes: entries(fields, "modes", problems, |e| read_mode(e, "mode", problems)),
        inputs: entries(fields, "inputs", problems, |e| read_variable(e, "input", problems)),
        tables: entries(fields, "tables", problems, |e| read_table(e, reading)),
        components: entries(fields, "components", problems, |e| read_child(e, reading)),
        connections: read_connections(fields.entries("connect"), problems),
        equations: fields.entries("equations").iter().filter_map(|e| read_equation(e, problems)).collect(),
        terms: fields.entries("terms").iter().filter_map(|e| read_term(e, problems)).collect(),
        outputs: entries(fields, "outputs", problems, |e| read_output(e, problems)),
        events: fields.entries("events").iter().filter_map(|e| read_event(e, problems)).collect(),
        tasks: fields.entries("tasks").iter().filter_map(|e| read_task(e, problems)).collect(),
        controllers: {
            let mut all = entries(fields, "controllers", problems, |e| read_controller(e, reading));
            all.extend(read_robots(fields, reading));
            all
        },
        common: read_common(fields),
    }
}

/// The entries of a section whose keys are names.
pub fn entries<T>(
    fields: &Fields<'_>,
    section: &'static str,
    problems: &Problems,
    read: impl Fn(&TomlEntry) -> Option<T>,
) -> Vec<T> {
    let named = |e: &&TomlEntry| check_name(&e.key, problems);
    fields.entries(section).iter().filter(named).filter_map(read).collect()
}

/// The table of an entry, or a report of what is there instead.
pub(crate) fn table_of<'a>(
    entry: &'a TomlEntry,
    expected: &str,
    problems: &Problems,
) -> Option<&'a TomlTable> {
    match &entry.value.data {
        Data::Table(table) => Some(table),
        _ => {
            problems.add(wrong_type(&entry.value, &entry.key.name, expected));
            None
        }
    }
}

pub(crate) fn fields_of<'a>(
    table: &'a TomlTable,
    kind: &str,
    key: &TomlKey,
    problems: &'a Problems,
) -> Fields<'a> {
    Fields::new(table, format!("{kind} `{}`", key.name), &key.span, problems)
}

pub fn scalar(fields: &Fields<'_>, key: &'static str) -> Option<Scalar> {
    fields.value(key).map(|v| read_scalar(v, key, fields.problems))
}

fn read_parameter(entry: &TomlEntry, problems: &Problems) -> Option<Parameter> {
    let key = entry.key.clone();
    let Data::Table(table) = &entry.value.data else {
        let value = Some(read_scalar(&entry.value, &key.name, problems));
        return Some(Parameter {
            key,
            unit: None,
            value,
            ask: false,
            bounds: Bounds::default(),
            doc: String::new(),
            any: false,
            difference: false,
            aliases: vec![],
            unless: None,
            list: false,
            broken: false,
        });
    };
    let f = fields_of(table, "parameter", &key, problems);
    f.exclude("value", "default", "a model gives a `value`, a component a `default`: keep one");
    let value = scalar(&f, "value").or_else(|| scalar(&f, "default"));
    let text = f.text("unit");
    let any = text.as_ref().is_some_and(|t| t.text == "any");
    let read = text.as_ref().filter(|_| !any).and_then(|t| unit(t, problems));
    let broken = f.value("unit").is_some() && read.is_none() && !any;
    let bounds = Bounds {
        min: scalar(&f, "min"),
        max: scalar(&f, "max"),
        above: scalar(&f, "above"),
        below: scalar(&f, "below"),
    };
    if value.is_none() && text.is_none() && !broken {
        f.missing("unit", "a parameter without a value has to say its unit, \"1\" for a plain number");
    }
    let (ask, doc) = (f.boolean("ask").unwrap_or(false), f.doc());
    let list = f.boolean("list").unwrap_or(false);
    let difference = f.boolean("difference").unwrap_or(false);
    let unless = f.text("unless");
    let aliases = read_aliases(&f);
    f.finish();
    Some(Parameter {
        key,
        unit: read,
        value,
        ask,
        bounds,
        doc,
        any,
        difference,
        aliases,
        unless,
        list,
        broken,
    })
}

/// `aliases = ["A_1", { name = "V_g", unit = "m^3/rev" }]`.
fn read_aliases(f: &Fields<'_>) -> Vec<FormerName> {
    let mut aliases = vec![];
    for value in f.list("aliases").unwrap_or(&[]) {
        match (&value.data, value.as_text()) {
            (_, Some(text)) => aliases.push(FormerName { name: text.text, unit: None }),
            (Data::Table(table), _) => {
                let inner = Fields::new(table, "a former name", &value.span, f.problems);
                let (name, own) = (inner.text("name"), inner.text("unit").and_then(|t| unit(&t, f.problems)));
                if inner.value("name").is_none() {
                    inner.missing("name", "the name that it had before");
                }
                inner.finish();
                aliases.extend(name.map(|name| FormerName { name: name.text, unit: own }));
            }
            _ => f.problems.add(wrong_type(value, "aliases", "a list of names")),
        }
    }
    aliases
}

pub fn plain() -> Option<Unit> {
    parse_unit("1").ok()
}

pub(crate) fn read_variable(
    entry: &TomlEntry,
    kind: &str,
    problems: &Problems,
) -> Option<VariableDefinition> {
    let key = entry.key.clone();
    let blank = |key, unit| VariableDefinition { key, unit, start: None, nominal: None, doc: String::new() };
    // Without a unit it takes every dimension.
    let unit = |text: TomlText| if text.text == "any" { None } else { unit(&text, problems) };
    if let Some(text) = entry.value.as_text() {
        return Some(blank(key, unit(text)));
    }
    let Some(table) = table_of(entry, "a unit or a table", problems) else { return Some(blank(key, None)) };
    let f = fields_of(table, kind, &key, problems);
    let mut variable = VariableDefinition {
        key: key.clone(),
        unit: None,
        start: scalar(&f, "start"),
        nominal: scalar(&f, "nominal"),
        doc: f.doc(),
    };
    variable.unit = match f.value("unit") {
        Some(_) => f.text("unit").and_then(unit),
        // An unknown key may have been meant to be the unit.
        None => plain().filter(|_| f.rest().next().is_none()),
    };
    f.finish();
    Some(variable)
}

/// A mode, or the output of a controller: a bare number or boolean is the start value of a plain number.
pub(crate) fn read_mode(entry: &TomlEntry, kind: &str, problems: &Problems) -> Option<VariableDefinition> {
    match entry.value.data {
        Data::Integer(_) | Data::Number(_) | Data::Boolean(_) => Some(VariableDefinition {
            key: entry.key.clone(),
            unit: plain(),
            start: Some(read_scalar(&entry.value, &entry.key.name, problems)),
            nominal: None,
            doc: String::new(),
        }),
        _ => read_variable(entry, kind, problems),
    }
}

fn read_when(f: &Fields<'_>, options: &[OptionChoice], reading: &Reading<'_>) -> Option<When> {
    let problems = reading.problems;
    let body = read_body(f, reading);
    let option = f.text("option");
    let is: Vec<TomlText> = match f.value("is") {
        Some(TomlValue { data: Data::Boolean(b), span }) => {
            vec![TomlText { text: b.to_string(), span: span.clone() }]
        }
        _ => f.texts("is"),
    };
    if f.value("option").is_none() {
        f.missing("option", "the option this depends on");
    }
    if f.value("is").is_none() {
        f.missing("is", "the choice or choices for which this is added");
    }
    let option = option?;
    let Some(choice) = options.iter().find(|c| c.key.name == option.text) else {
        problems.add(
            Diagnostic::error("M0114", format!("there is no option `{}`", option.text))
                .at(&option.span, "not among [options]")
                .hint_if(did_you_mean(&option.text, options.iter().map(|c| c.key.name.as_str()))),
        );
        return None;
    };
    for word in is.iter().filter(|w| !choice.choices.contains(&w.text)) {
        let choices = || choice.choices.iter().map(String::as_str);
        problems.add(
            Diagnostic::error("M0112", format!("option `{}` cannot be `{}`", option.text, word.text))
                .at(&word.span, format!("has to be {}", one_of(choices())))
                .hint_if(did_you_mean(&word.text, choices())),
        );
    }
    Some(When { option, is, body })
}

fn read_child(entry: &TomlEntry, reading: &Reading<'_>) -> Option<Child> {
    let problems = reading.problems;
    let key = entry.key.clone();
    if let Some(kind) = entry.value.as_text() {
        return Some(Child { key, kind: Some(kind), arguments: vec![], definition: None, section: None });
    }
    let Some(table) = table_of(entry, "a component type or a table", problems) else {
        return Some(Child { key, kind: None, arguments: vec![], definition: None, section: None });
    };
    let f = fields_of(table, "component", &key, problems);
    let kind = f.text("type");
    if f.value("type").is_none() {
        f.missing("type", "as in { type = \"resistor\", R = \"1 kOhm\" }");
    }
    let arguments = f.rest().filter_map(|e| Some((e.key.clone(), with_file(e, reading)?))).collect();
    Some(Child { key, kind, arguments, definition: None, section: None })
}

/// Paths in keys may be quoted, `"r1.p"`, or not, `r1.p`: both come out as paths.
pub fn flatten(entries: &[TomlEntry]) -> Vec<(TomlKey, &TomlValue)> {
    let mut flat = vec![];
    for entry in entries {
        match &entry.value.data {
            Data::Table(table) => {
                for (key, value) in flatten(&table.entries) {
                    let range = entry.key.span.range.start.min(key.span.range.start)..key.span.range.end;
                    let near = entry.key.span.range.end <= key.span.range.start
                        && key.span.range.start - entry.key.span.range.end < 8;
                    let span = if near { Span::new(&key.span.source, range) } else { key.span };
                    flat.push((TomlKey { name: format!("{}.{}", entry.key.name, key.name), span }, value));
                }
            }
            _ => flat.push((entry.key.clone(), &entry.value)),
        }
    }
    flat
}

fn read_connections(entries: &[TomlEntry], problems: &Problems) -> Vec<Connection> {
    let mut connections = vec![];
    for (key, value) in flatten(entries) {
        let others = texts(value, &key.name, problems);
        let mut ends = vec![key];
        ends.extend(others.into_iter().map(|t| TomlKey { name: t.text, span: t.span }));
        connections.push(Connection { ends });
    }
    connections
}

fn read_equation(entry: &TomlEntry, problems: &Problems) -> Option<EquationDefinition> {
    let Some(text) = entry.value.as_text() else {
        problems.add(wrong_type(&entry.value, &entry.key.name, "an equation in a string, \"left = right\""));
        return None;
    };
    let sides = equation(&text, problems)?;
    Some(EquationDefinition { key: entry.key.clone(), sides, text })
}

fn read_term(entry: &TomlEntry, problems: &Problems) -> Option<(TomlKey, Formula)> {
    let Some(text) = entry.value.as_text() else {
        problems.add(wrong_type(&entry.value, &entry.key.name, "an expression in a string"));
        return None;
    };
    Some((entry.key.clone(), formula(text, problems)?))
}

fn read_output(entry: &TomlEntry, problems: &Problems) -> Option<OutputDefinition> {
    let key = entry.key.clone();
    if let Some(text) = entry.value.as_text() {
        return Some(OutputDefinition {
            key,
            value: formula(text, problems)?,
            unit: None,
            energy: None,
            doc: String::new(),
        });
    }
    let table = table_of(entry, "an expression or a table", problems)?;
    let f = fields_of(table, "output", &key, problems);
    let value = f.text("value").and_then(|t| formula(t, problems));
    if f.value("value").is_none() {
        f.missing("value", "the expression to record");
    }
    let unit = f.text("unit").and_then(|t| unit(&t, problems));
    let energy = f.choice("energy", &AccountKind::WORDS);
    let doc = f.doc();
    f.finish();
    Some(OutputDefinition { key, value: value?, unit, energy, doc })
}
