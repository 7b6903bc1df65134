//! The sections of a component or model file.

use std::sync::Arc;

use trunnion_num::{Outside, Shape};

use super::read::{check_name, equation, formula, number, unit};
use super::*;
use crate::diagnostic::{Diagnostic, Problems, did_you_mean, one_of};
use crate::domain::{Connector, DOMAINS, domain};
use crate::file::{Data, Entry, Fields, Table, texts, wrong_type};
use crate::language::is_function;
use crate::units::{Dimension, parse_unit, parse_value};

/// What components and models have in common.
pub fn read_definition(
    name: &str,
    source: &Arc<Source>,
    fields: &Fields<'_>,
    reading: &Reading<'_>,
) -> Definition {
    let problems = reading.problems;
    let options: Vec<Choice> = entries(fields, "options", problems, |e| read_choice(e, problems));
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
    Definition {
        name: name.to_string(),
        title: name.to_string(),
        aliases: vec![],
        icon: None,
        doc: String::new(),
        options,
        body,
        when,
        source: source.clone(),
    }
}

fn read_body(fields: &Fields<'_>, reading: &Reading<'_>) -> Body {
    let problems = reading.problems;
    Body {
        ports: entries(fields, "ports", problems, |e| read_port(e, problems)),
        parameters: entries(fields, "parameters", problems, |e| read_parameter(e, problems)),
        variables: entries(fields, "variables", problems, |e| read_variable(e, "variable", problems)),
        modes: entries(fields, "modes", problems, |e| read_mode(e, "mode", problems)),
        inputs: entries(fields, "inputs", problems, |e| read_variable(e, "input", problems)),
        tables: entries(fields, "tables", problems, |e| read_table(e, problems)),
        components: entries(fields, "components", problems, |e| read_child(e, problems)),
        connections: read_connections(fields.entries("connect"), problems),
        equations: fields.entries("equations").iter().filter_map(|e| read_equation(e, problems)).collect(),
        outputs: entries(fields, "outputs", problems, |e| read_output(e, problems)),
        events: fields.entries("events").iter().filter_map(|e| read_event(e, problems)).collect(),
        tasks: fields.entries("tasks").iter().filter_map(|e| read_task(e, problems)).collect(),
        controllers: entries(fields, "controllers", problems, |e| read_controller(e, reading)),
    }
}

/// The entries of a section whose keys are names.
fn entries<T>(
    fields: &Fields<'_>,
    section: &'static str,
    problems: &Problems,
    read: impl Fn(&Entry) -> Option<T>,
) -> Vec<T> {
    let named = |e: &&Entry| check_name(&e.key, problems);
    fields.entries(section).iter().filter(named).filter_map(read).collect()
}

/// The table of an entry, or a report of what is there instead.
fn table_of<'a>(entry: &'a Entry, expected: &str, problems: &Problems) -> Option<&'a Table> {
    match &entry.value.data {
        Data::Table(table) => Some(table),
        _ => {
            problems.add(wrong_type(&entry.value, &entry.key.name, expected));
            None
        }
    }
}

fn fields_of<'a>(table: &'a Table, kind: &str, key: &Key, problems: &'a Problems) -> Fields<'a> {
    Fields::new(table, format!("{kind} `{}`", key.name), &key.span, problems)
}

fn scalar(fields: &Fields<'_>, key: &'static str) -> Option<Scalar> {
    fields.value(key).map(|v| read_scalar(v, key, fields.problems))
}

fn read_parameter(entry: &Entry, problems: &Problems) -> Option<Parameter> {
    let key = entry.key.clone();
    let Data::Table(table) = &entry.value.data else {
        let value = Some(read_scalar(&entry.value, &key.name, problems));
        return Some(Parameter { key, unit: None, value, bounds: Bounds::default(), doc: String::new(), broken: false });
    };
    let f = fields_of(table, "parameter", &key, problems);
    f.exclude("value", "default", "a model gives a `value`, a component a `default`: keep one");
    let value = scalar(&f, "value").or_else(|| scalar(&f, "default"));
    let text = f.text("unit");
    let read = text.as_ref().and_then(|t| unit(t, problems));
    let broken = f.value("unit").is_some() && read.is_none();
    let bounds = Bounds {
        min: scalar(&f, "min"),
        max: scalar(&f, "max"),
        above: scalar(&f, "above"),
        below: scalar(&f, "below"),
    };
    if value.is_none() && text.is_none() && !broken {
        f.missing("unit", "a parameter without a value has to say its unit, \"1\" for a plain number");
    }
    let doc = f.doc();
    f.finish();
    Some(Parameter { key, unit: read, value, bounds, doc, broken })
}

fn plain() -> Option<Unit> {
    parse_unit("1").ok()
}

fn read_variable(entry: &Entry, kind: &str, problems: &Problems) -> Option<Variable> {
    let key = entry.key.clone();
    let blank = |key, unit| Variable { key, unit, start: None, nominal: None, doc: String::new() };
    if let Some(text) = entry.value.as_text() {
        return Some(blank(key, unit(&text, problems)));
    }
    let Some(table) = table_of(entry, "a unit or a table", problems) else { return Some(blank(key, None)) };
    let f = fields_of(table, kind, &key, problems);
    let mut variable =
        Variable { key: key.clone(), unit: None, start: scalar(&f, "start"), nominal: scalar(&f, "nominal"), doc: f.doc() };
    variable.unit = match f.value("unit") {
        Some(_) => f.text("unit").and_then(|t| unit(&t, problems)),
        // A key nobody knows may have been meant to be the unit.
        None => plain().filter(|_| f.rest().next().is_none()),
    };
    f.finish();
    Some(variable)
}

/// A mode, or the output of a controller: a bare number or boolean is the start value of a plain number.
fn read_mode(entry: &Entry, kind: &str, problems: &Problems) -> Option<Variable> {
    match entry.value.data {
        Data::Integer(_) | Data::Number(_) | Data::Boolean(_) => Some(Variable {
            key: entry.key.clone(),
            unit: plain(),
            start: Some(read_scalar(&entry.value, &entry.key.name, problems)),
            nominal: None,
            doc: String::new(),
        }),
        _ => read_variable(entry, kind, problems),
    }
}

fn read_port(entry: &Entry, problems: &Problems) -> Option<Port> {
    let key = entry.key.clone();
    let mut port =
        Port { key, domain: None, causality: None, unit: None, default: None, optional: false, doc: String::new() };
    let find = |text: &Text| {
        let found = domain(&text.text);
        if found.is_none() {
            let names = || DOMAINS.iter().map(|d| d.name);
            problems.add(
                Diagnostic::error("M0112", format!("there is no domain `{}`", text.text))
                    .at(&text.span, format!("has to be {}", one_of(names())))
                    .hint_if(did_you_mean(&text.text, names())),
            );
        }
        found
    };
    if let Some(text) = entry.value.as_text() {
        port.domain = find(&text);
        if port.domain.is_some_and(|d| d.connector == Connector::Signal) {
            let error = Diagnostic::error("M0106", format!("port `{}` needs `direction`", port.key.name));
            let hint = "write { domain = \"signal\", direction = \"in\" }, or \"out\"";
            problems.add(error.at(&text.span, "a signal is directed").hint(hint));
            port.domain = None;
        }
        return Some(port);
    }
    let Some(table) = table_of(entry, "a domain or a table", problems) else { return Some(port) };
    let f = fields_of(table, "port", &port.key, problems);
    match f.text("domain") {
        Some(text) => port.domain = find(&text),
        None if f.value("domain").is_none() => f.missing("domain", "as in { domain = \"electric\" }"),
        None => {}
    }
    port.optional = f.boolean("optional").unwrap_or(false);
    port.doc = f.doc();
    if port.domain.is_some_and(|d| d.connector == Connector::Signal) {
        port.causality = f.choice("direction", &[("in", Causality::In), ("out", Causality::Out)]);
        if f.value("direction").is_none() {
            f.missing("direction", "a signal port is an input, \"in\", or an output, \"out\"");
        }
        if port.causality.is_none() {
            port.domain = None;
        }
        port.unit = f.text("unit").and_then(|t| unit(&t, problems));
        port.default = scalar(&f, "default");
    }
    if port.domain.is_some() {
        f.finish();
    }
    Some(port)
}

fn read_choice(entry: &Entry, problems: &Problems) -> Option<Choice> {
    let key = entry.key.clone();
    let table = table_of(entry, "a table with `choices` and `default`", problems)?;
    let f = fields_of(table, "option", &key, problems);
    let doc = f.doc();
    let choices = match f.value("choices") {
        Some(_) => f.texts("choices").into_iter().map(|t| t.text).collect(),
        None => vec!["false".to_string(), "true".to_string()],
    };
    let default = f.value("default").and_then(choice_text);
    if f.value("default").is_none() {
        f.missing("default", "the choice taken where the component is used without this option");
    }
    f.finish();
    let default = default?;
    if !choices.contains(&default) {
        let place = &table.get("default")?.value.span;
        problems.add(
            Diagnostic::error("M0112", format!("the default of option `{}` is not among its choices", key.name))
                .at(place, format!("has to be {}", one_of(choices.iter().map(String::as_str)))),
        );
    }
    Some(Choice { key, choices, default, doc })
}

/// The value of an option: a word, or true or false.
pub fn choice_text(value: &Value) -> Option<String> {
    match &value.data {
        Data::Text(text) => Some(text.clone()),
        Data::Boolean(b) => Some(b.to_string()),
        _ => None,
    }
}

fn read_when(f: &Fields<'_>, options: &[Choice], reading: &Reading<'_>) -> Option<When> {
    let problems = reading.problems;
    let body = read_body(f, reading);
    let option = f.text("option");
    let is: Vec<Text> = match f.value("is") {
        Some(Value { data: Data::Boolean(b), span }) => vec![Text { text: b.to_string(), span: span.clone() }],
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

fn read_column(f: &Fields<'_>, key: &'static str) -> Option<Column> {
    let problems = f.problems;
    let value = f.value(key)?;
    let (list, own_unit) = match &value.data {
        Data::List(list) => (list.as_slice(), None),
        Data::Table(table) => {
            let inner = Fields::new(table, format!("`{key}`"), &value.span, problems);
            let own = inner.text("unit").and_then(|t| unit(&t, problems));
            let list = inner.list("values");
            if inner.value("values").is_none() {
                inner.missing("values", "as in { unit = \"mm\", values = [0, 1, 2] }");
            }
            inner.finish();
            (list?, own)
        }
        _ => {
            problems.add(wrong_type(value, key, "a list, or a table with `unit` and `values`"));
            return None;
        }
    };
    let mut column = Column { values: vec![], unit: own_unit };
    let mut good = true;
    for item in list {
        // Rows of a table of two variables follow each other.
        let row = match &item.data {
            Data::List(row) => row.as_slice(),
            _ => std::slice::from_ref(item),
        };
        for cell in row {
            good &= read_cell(cell, key, &mut column, problems);
        }
    }
    column.unit = column.unit.or_else(plain);
    good.then_some(column)
}

/// One value of a table: a number in the unit of the column, or a number with its own unit.
fn read_cell(cell: &Value, key: &str, column: &mut Column, problems: &Problems) -> bool {
    let Some(text) = cell.as_text() else {
        let Some(v) = number(cell, key, "a list of numbers", problems) else { return false };
        let si = column.unit.as_ref().map_or(v, |u| v * u.factor + u.offset);
        column.values.push(si);
        return true;
    };
    match parse_value(&text.text) {
        Ok(value) => {
            let dimension = column.unit.as_ref().map(|u| u.dimension);
            if let Some(wanted) = dimension.filter(|d| *d != value.unit.dimension) {
                problems.add(wrong_dimension(&text.span, wanted, value.unit.dimension, "the values before are"));
                return false;
            }
            column.values.push(value.si);
            column.unit.get_or_insert(value.unit);
            true
        }
        Err(error) => {
            problems.add(
                Diagnostic::error("M0110", error.message).at(&text.at(&error.span), "").hint_if(error.hint),
            );
            false
        }
    }
}

/// A value of the wrong dimension; `whose` begins the rest of the label: "`R` of `r1` is".
pub fn wrong_dimension(span: &Span, wanted: Dimension, found: Dimension, whose: &str) -> Diagnostic {
    let error = Diagnostic::error("M0107", format!("expected {}, found {}", wanted.quantity(), found.quantity()));
    if found == Dimension::ONE {
        error.at(span, format!("without a unit, but {whose} in {wanted}")).hint(format!("add a unit, as in \"… {wanted}\""))
    } else if wanted == Dimension::ONE {
        error.at(span, format!("in {found}, but {whose} a plain number"))
    } else {
        error.at(span, format!("in {found}, but {whose} in {wanted}"))
    }
}

fn read_table(entry: &Entry, problems: &Problems) -> Option<TableData> {
    let key = entry.key.clone();
    if is_function(&key.name) {
        let error = Diagnostic::error("M0113", format!("`{}` cannot name a table", key.name));
        problems.add(error.at(&key.span, "is a function of the language").hint("give the table another name"));
    }
    let table = table_of(entry, "a table with `x` and `y`", problems)?;
    let f = fields_of(table, "table", &key, problems);
    let x = read_column(&f, "x");
    let y = read_column(&f, "y");
    let z = read_column(&f, "z");
    let shape = f.choice("shape", &[("linear", Shape::Linear), ("monotone", Shape::Monotone)]);
    let outside = f.choice("outside", &[("hold", Outside::Hold), ("extend", Outside::Extend)]);
    f.text("doc");
    for name in ["x", "y"] {
        if table.get(name).is_none() {
            f.missing(name, "as in { x = [\"0 mm\", \"5 mm\"], y = [\"0 N\", \"20 N\"] }");
        }
    }
    f.finish();
    // A table that could not be read still is a function, of any dimension.
    let whole = x.is_some() && y.is_some() && (z.is_some() || table.get("z").is_none());
    let (x, y, z) = match (x, y) {
        (Some(x), Some(y)) if whole => (x, y, z),
        _ => {
            let any = || Column { values: vec![0.0, 1.0], unit: None };
            let values = || Column { values: vec![0.0; 4], unit: None };
            (any(), any(), table.get("z").map(|_| values()))
        }
    };
    Some(TableData {
        key,
        x,
        y,
        z,
        shape: shape.unwrap_or(Shape::Linear),
        outside: outside.unwrap_or(Outside::Hold),
    })
}

fn read_child(entry: &Entry, problems: &Problems) -> Option<Child> {
    let key = entry.key.clone();
    if let Some(kind) = entry.value.as_text() {
        return Some(Child { key, kind: Some(kind), arguments: vec![] });
    }
    let Some(table) = table_of(entry, "a component type or a table", problems) else {
        return Some(Child { key, kind: None, arguments: vec![] });
    };
    let f = fields_of(table, "component", &key, problems);
    let kind = f.text("type");
    if f.value("type").is_none() {
        f.missing("type", "as in { type = \"resistor\", R = \"1 kOhm\" }");
    }
    let arguments = f.rest().map(|e| (e.key.clone(), e.value.clone())).collect();
    Some(Child { key, kind, arguments })
}

/// Paths in keys may be quoted, `"r1.p"`, or not, `r1.p`: both come out as paths.
fn flatten(entries: &[Entry]) -> Vec<(Key, &Value)> {
    let mut flat = vec![];
    for entry in entries {
        match &entry.value.data {
            Data::Table(table) => {
                for (key, value) in flatten(&table.entries) {
                    let range = entry.key.span.range.start.min(key.span.range.start)..key.span.range.end;
                    let near = entry.key.span.range.end <= key.span.range.start
                        && key.span.range.start - entry.key.span.range.end < 8;
                    let span = if near { Span::new(&key.span.source, range) } else { key.span };
                    flat.push((Key { name: format!("{}.{}", entry.key.name, key.name), span }, value));
                }
            }
            _ => flat.push((entry.key.clone(), &entry.value)),
        }
    }
    flat
}

fn read_connections(entries: &[Entry], problems: &Problems) -> Vec<Connection> {
    let mut connections = vec![];
    for (key, value) in flatten(entries) {
        let others = texts(value, &key.name, problems);
        let mut ends = vec![key];
        ends.extend(others.into_iter().map(|t| Key { name: t.text, span: t.span }));
        connections.push(Connection { ends });
    }
    connections
}

fn read_equation(entry: &Entry, problems: &Problems) -> Option<Equation> {
    let Some(text) = entry.value.as_text() else {
        problems.add(wrong_type(&entry.value, &entry.key.name, "an equation in a string, \"left = right\""));
        return None;
    };
    let sides = equation(&text, problems)?;
    Some(Equation { key: entry.key.clone(), sides, text })
}

fn read_output(entry: &Entry, problems: &Problems) -> Option<Output> {
    let key = entry.key.clone();
    if let Some(text) = entry.value.as_text() {
        return Some(Output { key, value: formula(text, problems)?, unit: None, doc: String::new() });
    }
    let table = table_of(entry, "an expression or a table", problems)?;
    let f = fields_of(table, "output", &key, problems);
    let value = f.text("value").and_then(|t| formula(t, problems));
    if f.value("value").is_none() {
        f.missing("value", "the expression to record");
    }
    let unit = f.text("unit").and_then(|t| unit(&t, problems));
    let doc = f.doc();
    f.finish();
    Some(Output { key, value: value?, unit, doc })
}

fn read_assignments(f: &Fields<'_>) -> Vec<Assign> {
    flatten(f.entries("set"))
        .into_iter()
        .map(|(target, value)| {
            let value = read_scalar(value, &target.name, f.problems);
            Assign { target, value }
        })
        .collect()
}

fn read_event(entry: &Entry, problems: &Problems) -> Option<Event> {
    let table = table_of(entry, "a table with `when` and `set`", problems)?;
    let f = fields_of(table, "event", &entry.key, problems);
    let when = f.text("when").and_then(|t| formula(t, problems));
    if f.value("when").is_none() {
        f.missing("when", "the condition, as in when = \"h < 0\"");
    }
    let set = read_assignments(&f);
    let terminate = f.text("terminate").map(|t| t.text);
    f.text("doc");
    if f.value("set").is_none() && f.value("terminate").is_none() {
        f.missing("set", "say what happens: set = { v = \"-e*v\" } or terminate = \"message\"");
    }
    f.finish();
    Some(Event { key: entry.key.clone(), when, set, terminate })
}

fn read_clock(f: &Fields<'_>) -> Option<Clock> {
    let (period, offset) = (scalar(f, "period"), scalar(f, "offset"));
    if period.is_none() {
        f.missing("period", "as in period = \"10 ms\"");
    }
    Some(Clock { period: period?, offset })
}

fn read_task(entry: &Entry, problems: &Problems) -> Option<Task> {
    let table = table_of(entry, "a table with `period` and `set`", problems)?;
    let f = fields_of(table, "task", &entry.key, problems);
    let clock = read_clock(&f);
    let set = read_assignments(&f);
    f.text("doc");
    if f.value("set").is_none() {
        f.missing("set", "what is set at every sample, as in set = { held = \"x\" }");
    }
    f.finish();
    Some(Task { key: entry.key.clone(), clock: clock?, set })
}

fn read_controller(entry: &Entry, reading: &Reading<'_>) -> Option<Controller> {
    let problems = reading.problems;
    let table = table_of(entry, "a table with `period`, `file` or `script`, `inputs` and `outputs`", problems)?;
    let f = fields_of(table, "controller", &entry.key, problems);
    let clock = read_clock(&f);
    f.exclude("file", "script", "give the program in a file or in the text, not both");
    let script = match f.text("script") {
        Some(script) => Some(script),
        None => f.text("file").and_then(|name| reading.source_beside(&name)).map(|source| Text {
            text: source.text.clone(),
            span: Span::new(&source, 0..source.text.len()),
        }),
    };
    if f.value("file").is_none() && f.value("script").is_none() {
        f.missing("file", "the JavaScript program: file = \"pid.js\", or script = \"\"\"…\"\"\"");
    }
    let mut inputs = vec![];
    for input in f.entries("inputs") {
        check_name(&input.key, problems);
        match input.value.as_text() {
            Some(text) => inputs.extend(formula(text, problems).map(|formula| (input.key.clone(), formula))),
            None => problems.add(wrong_type(&input.value, &input.key.name, "an expression in a string")),
        }
    }
    let outputs = entries(&f, "outputs", problems, |e| read_mode(e, "output", problems));
    if f.value("outputs").is_none() {
        f.missing("outputs", "what the program sets, as in outputs = { u = \"V\" }");
    }
    f.text("doc");
    f.finish();
    Some(Controller { key: entry.key.clone(), clock, script, inputs, outputs })
}
