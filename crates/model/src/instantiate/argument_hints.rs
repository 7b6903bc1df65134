//! What is said of a value that a component does not take: what it is called there, or which option it goes with.

use super::Instance;
use super::tree::{has_start, value_names};
use crate::component::{ComponentDefinition, Parameter};
use crate::diagnostic::{Diagnostic, did_you_mean, one_of};
use crate::file::TomlKey;

pub(super) fn unknown_argument(instance: &Instance<'_>, key: &TomlKey) -> Diagnostic {
    let name = key.name.as_str();
    let definition = instance.definition;
    let error = Diagnostic::error("M0303", format!("`{}` has no parameter `{name}`", definition.name))
        .at(&key.span, "unknown parameter");
    if has_start(instance, name) {
        return error.hint(format!("`{name}` is a variable; its value at the beginning is `start.{name}`"));
    }
    if definition.mount.is_some() && ["from", "to", "on"].contains(&name) {
        return error
            .hint("components are mounted in models, which have bodies and joints, not inside others");
    }
    if let Some(hint) = other_option(definition, name) {
        return error.hint(hint);
    }
    let options = definition.options.iter().map(|o| o.key.name.as_str());
    let tables = instance.each(|b| &b.tables).map(|t| t.key.name.as_str());
    let known: Vec<&str> = value_names(instance).into_iter().chain(options).chain(tables).collect();
    let listed = if known.is_empty() {
        "it takes none".to_string()
    } else {
        format!("it takes {}", one_of(known.iter().copied()))
    };
    error.hint(listed).hint_if(did_you_mean(name, known)).hint_if(described(instance, name))
}

/// The choice of an option with which a component has this parameter.
pub(super) fn other_option(definition: &ComponentDefinition, name: &str) -> Option<String> {
    let when = definition.when.iter().find(|w| w.body.parameters.iter().any(|p| p.key.name == name))?;
    let given = definition.options.iter().find(|o| o.key.name == when.option.text).map(|o| &o.given);
    if let Some(given) = given.filter(|given| !given.is_empty()) {
        return Some(format!("it goes with {}", one_of(given.iter().map(String::as_str))));
    }
    let choices = one_of(when.is.iter().map(|t| t.text.as_str()));
    Some(format!("it belongs to the option `{}` = {choices}", when.option.text))
}

/// The parameters whose numbers go with an option: `c` with `damping`.
pub(super) fn number_of(definition: &ComponentDefinition, option: &str) -> Option<String> {
    let added = definition.when.iter().filter(|w| w.option.text == option).flat_map(|w| &w.body.parameters);
    let mut added: Vec<&str> = added.map(|p| p.key.name.as_str()).collect();
    added.dedup();
    (!added.is_empty()).then(|| format!("`{option}` is an option; the number is {}", one_of(added)))
}

/// `mass` for the parameter `m`, which is described as "Mass"; `friction` for `c`, "Viscous friction".
fn described(instance: &Instance<'_>, name: &str) -> Option<String> {
    let word = name.replace('_', " ").to_lowercase();
    let words = |doc: &str| -> Vec<String> {
        let split = doc.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
        split.map(str::to_lowercase).collect()
    };
    let says = |p: &&Parameter| p.doc.to_lowercase() == word;
    let mentions = |p: &&Parameter| words(&p.doc).contains(&word);
    let mut all = instance.each(|b| &b.parameters);
    let found = all.find(says).or_else(|| instance.each(|b| &b.parameters).find(mentions))?;
    Some(format!("did you mean `{}`?", found.key.name))
}
