//! Ports and options.

use super::read::unit;
use super::sections::{entries, fields_of, read_variable, scalar, table_of};
use super::{OptionChoice, Port, SignalDirection, read_scalar};
use crate::diagnostic::{Diagnostic, Problems, did_you_mean, one_of};
use crate::domain::{Connector, DOMAINS, Domain, domain};
use crate::file::{Data, TomlEntry, TomlText, TomlValue, wrong_type};

/// The domain that a text names; says so if there is none.
pub(crate) fn find_domain(text: &TomlText, problems: &Problems) -> Option<&'static Domain> {
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
}

pub(crate) fn read_port(entry: &TomlEntry, problems: &Problems) -> Option<Port> {
    let key = entry.key.clone();
    let mut port = Port {
        key,
        domain: None,
        causality: None,
        unit: None,
        default: None,
        optional: false,
        command: false,
        gives: vec![],
        takes: vec![],
        doc: String::new(),
    };
    if let Some(text) = entry.value.as_text() {
        port.domain = find_domain(&text, problems);
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
        Some(text) => port.domain = find_domain(&text, problems),
        None if f.value("domain").is_none() => f.missing("domain", "as in { domain = \"electric\" }"),
        None => {}
    }
    port.optional = f.boolean("optional").unwrap_or(false);
    port.doc = f.doc();
    if port.domain.is_some_and(|d| d.connector == Connector::Signal) {
        port.causality = f.choice("direction", &[("in", SignalDirection::In), ("out", SignalDirection::Out)]);
        if f.value("direction").is_none() {
            f.missing("direction", "a signal port is an input, \"in\", or an output, \"out\"");
        }
        if port.causality.is_none() {
            port.domain = None;
        }
        port.unit = f.text("unit").and_then(|t| unit(&t, problems));
        port.default = scalar(&f, "default");
        port.command = f.boolean("command").unwrap_or(false);
    } else {
        let value = |e: &TomlEntry| Some((e.key.clone(), read_scalar(&e.value, &e.key.name, problems)));
        port.gives = entries(&f, "gives", problems, value);
        port.takes = entries(&f, "takes", problems, |e| read_variable(e, "value", problems));
    }
    if port.domain.is_some() {
        f.finish();
    }
    Some(port)
}

pub(crate) fn read_choice(entry: &TomlEntry, problems: &Problems) -> Option<OptionChoice> {
    let key = entry.key.clone();
    let table = table_of(entry, "a table with `choices` and `default`", problems)?;
    let f = fields_of(table, "option", &key, problems);
    let doc = f.doc();
    let free = |count| OptionChoice {
        key: key.clone(),
        choices: vec![],
        default: String::new(),
        count,
        given: vec![],
        doc: doc.clone(),
    };
    if let Some(value) = f.value("count") {
        let count = whole(value, "count", problems).or(Some(1));
        f.finish();
        return Some(free(count));
    }
    if let Some(text) = f.text("text") {
        f.finish();
        return Some(OptionChoice { default: text.text, ..free(None) });
    }
    let given: Vec<String> = f.texts("given").into_iter().map(|t| t.text).collect();
    if !given.is_empty() {
        f.exclude("given", "choices", "what a parameter chooses by being given is true or false");
    }
    let choices = match f.value("choices") {
        Some(_) => f.texts("choices").into_iter().map(|t| t.text).collect(),
        None => vec!["false".to_string(), "true".to_string()],
    };
    let default = match f.value("default") {
        None if !given.is_empty() => Some("false".to_string()),
        value => value.and_then(choice_text),
    };
    if default.is_none() && f.value("default").is_none() {
        f.missing("default", "the choice taken where the component is used without this option");
    }
    f.finish();
    let default = default?;
    if !choices.contains(&default) {
        let place = &table.get("default")?.value.span;
        problems.add(
            Diagnostic::error(
                "M0112",
                format!("the default of option `{}` is not among its choices", key.name),
            )
            .at(place, format!("has to be {}", one_of(choices.iter().map(String::as_str)))),
        );
    }
    Some(OptionChoice { key, choices, default, count: None, given, doc })
}

/// A number of things.
pub fn whole(value: &TomlValue, key: &str, problems: &Problems) -> Option<usize> {
    let count = match value.data {
        Data::Integer(i) => usize::try_from(i).ok().filter(|&n| n > 0),
        _ => None,
    };
    if count.is_none() {
        problems.add(wrong_type(value, key, "a whole number above 0"));
    }
    count
}

/// The value of an option: a word, or true or false.
pub(crate) fn choice_text(value: &TomlValue) -> Option<String> {
    match &value.data {
        Data::Text(text) => Some(text.clone()),
        Data::Boolean(b) => Some(b.to_string()),
        _ => None,
    }
}
