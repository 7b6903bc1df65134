//! Is the reference page that is made from a component's file complete?

use trunnion_model::component::{ComponentDefinition, Parameter};
use trunnion_model::file::TomlKey;
use trunnion_model::{Diagnostic, Span};

/// What the page of the component lacks. An icon is not needed; one that is named is looked at elsewhere.
pub fn page(definition: &ComponentDefinition) -> Vec<Diagnostic> {
    let top = Span::new(&definition.source, 0..0);
    let mut found = vec![];
    let mut lacks = |what: &str, hint: &str| {
        let error = Diagnostic::error("C0001", format!("`{}` has no {what}", definition.name));
        found.push(error.at(&top, "in this file").hint(hint));
    };
    if definition.title == definition.name {
        lacks("title", "add title = \"…\" at the top: its name in words");
    }
    let doc = &definition.doc;
    if doc.trim().is_empty() {
        lacks(
            "description",
            "add doc = \"\"\"…\"\"\": what it is, its formula, sign, assumptions and limits",
        );
    } else {
        // The first line has lost its indentation to the reader of the file.
        let set_off = |(k, line): (usize, &str)| (k == 0 || line.starts_with("    ")) && line.contains('=');
        let does_something = definition.bodies().any(|b| !b.ports.is_empty());
        if does_something && !doc.lines().enumerate().any(set_off) {
            lacks("formula", "write it into doc, on a line of its own indented by four spaces");
        }
        let power =
            definition.bodies().flat_map(|b| &b.ports).any(|p| p.domain.is_some_and(|d| d.is_power()));
        for word in ["Sign:", "Assumes:", "Limits:"] {
            if power && !doc.lines().any(|line| line.starts_with(word)) {
                lacks(&format!("`{word}` in its description"), "every component with power ports says it");
            }
        }
    }
    for body in definition.bodies() {
        let mut said = |kind: &str, key: &TomlKey, doc: &str| {
            if doc.trim().is_empty() {
                found.push(undocumented(kind, key));
            }
        };
        body.ports.iter().for_each(|p| said("port", &p.key, &p.doc));
        body.parameters.iter().for_each(|p| said("parameter", &p.key, &p.doc));
        body.variables.iter().for_each(|v| said("variable", &v.key, &v.doc));
        body.modes.iter().for_each(|v| said("mode", &v.key, &v.doc));
        body.outputs.iter().for_each(|o| said("output", &o.key, &o.doc));
        found.extend(body.parameters.iter().filter(|p| !p.broken).filter_map(incomplete));
    }
    let options = definition.options.iter().filter(|o| o.doc.trim().is_empty());
    found.extend(options.map(|o| undocumented("option", &o.key)));
    found
}

fn undocumented(kind: &str, key: &TomlKey) -> Diagnostic {
    Diagnostic::error("C0001", format!("{kind} `{}` is not described", key.name))
        .at(&key.span, "no `doc`")
        .hint("add doc = \"…\", one line")
}

fn incomplete(parameter: &Parameter) -> Option<Diagnostic> {
    let bounds = &parameter.bounds;
    let open = [&bounds.min, &bounds.max, &bounds.above, &bounds.below].iter().all(|b| b.is_none());
    let (what, hint) = match parameter {
        p if p.unit.is_none() && !p.any => ("unit", "add unit = \"…\", or \"1\" for a plain number"),
        p if p.value.is_none() => ("default", "add default = …, a value that simulates"),
        _ if open => ("range", "add min, max, above or below: what the component can do with"),
        _ => return None,
    };
    let error = Diagnostic::error("C0002", format!("parameter `{}` has no {what}", parameter.key.name));
    Some(error.at(&parameter.key.span, "").hint(hint))
}
