//! Events, sampled tasks and controllers.

use super::read::{check_name, formula};
use super::sections::{entries, fields_of, flatten, read_mode, scalar, table_of};
use super::{
    Assign, Controller, EventDefinition, Formula, Reading, SampleClock, TaskDefinition, read_scalar,
};
use crate::diagnostic::{Diagnostic, Problems};
use crate::file::{Fields, Span, TomlEntry, TomlKey, TomlText, wrong_type};

fn read_assignments(f: &Fields<'_>) -> Vec<Assign> {
    flatten(f.entries("set"))
        .into_iter()
        .map(|(target, value)| {
            let value = read_scalar(value, &target.name, f.problems);
            Assign { target, value }
        })
        .collect()
}

pub(crate) fn read_event(entry: &TomlEntry, problems: &Problems) -> Option<EventDefinition> {
    let table = table_of(entry, "a table with `when` and `set`", problems)?;
    let f = fields_of(table, "event", &entry.key, problems);
    let when = f.text("when").and_then(|t| formula(t, problems));
    if f.value("when").is_none() {
        f.missing("when", "the condition, as in when = \"h < 0\"");
    }
    let set = read_assignments(&f);
    let terminate = f.text("terminate").map(|t| t.text);
    let warn = f.text("warn").map(|t| t.text);
    let at_start = f.boolean("at_start").unwrap_or(false);
    f.text("doc");
    f.finish();
    Some(EventDefinition { key: entry.key.clone(), when, set, terminate, warn, at_start })
}

pub(super) fn read_clock(f: &Fields<'_>) -> Option<SampleClock> {
    let (period, offset) = (scalar(f, "period"), scalar(f, "offset"));
    if period.is_none() {
        f.missing("period", "as in period = \"10 ms\"");
    }
    Some(SampleClock { period: period?, offset })
}

pub(crate) fn read_task(entry: &TomlEntry, problems: &Problems) -> Option<TaskDefinition> {
    let table = table_of(entry, "a table with `period` and `set`", problems)?;
    let f = fields_of(table, "task", &entry.key, problems);
    let clock = read_clock(&f);
    let set = read_assignments(&f);
    let after = f.boolean("after").unwrap_or(false);
    f.text("doc");
    if f.value("set").is_none() {
        f.missing("set", "what is set at every sample, as in set = { held = \"x\" }");
    }
    f.finish();
    Some(TaskDefinition { key: entry.key.clone(), clock: clock?, after, set })
}

/// Other files may hold anything; messages about them would show it.
fn is_program(name: &TomlText, endings: &[&str], what: &str, problems: &Problems) -> bool {
    let lower = name.text.to_ascii_lowercase();
    let good = endings.iter().any(|ending| lower.ends_with(ending));
    if !good {
        problems.add(
            Diagnostic::error("M0002", format!("`{}` is no {what}", name.text))
                .at(&name.span, "named here")
                .hint(format!("the name of a {what} ends in {}", endings[0])),
        );
    }
    good
}

/// A program in a file that `key` names, or in the text as `script`.
pub(super) fn read_program(
    f: &Fields<'_>,
    key: &'static str,
    endings: &[&str],
    what: &str,
    reading: &Reading<'_>,
) -> Option<TomlText> {
    f.exclude(key, "script", "give the program in a file or in the text, not both");
    if f.value(key).is_none() && f.value("script").is_none() {
        let name = if endings[0] == ".js" { "pid.js" } else { "pick.robot" };
        f.missing(key, &format!("the {what}: {key} = \"{name}\", or script = \"\"\"…\"\"\""));
    }
    if let Some(script) = f.text("script") {
        return Some(script);
    }
    let name = f.text(key).filter(|name| is_program(name, endings, what, reading.problems))?;
    let source = reading.source_beside(&name)?;
    Some(TomlText { text: source.text.clone(), span: Span::new(&source, 0..source.text.len()) })
}

/// `inputs` of a program: expressions by name.
pub(super) fn read_signals(f: &Fields<'_>) -> Vec<(TomlKey, Formula)> {
    let mut inputs = vec![];
    for input in f.entries("inputs") {
        check_name(&input.key, f.problems);
        match input.value.as_text() {
            Some(text) => {
                inputs.extend(formula(text, f.problems).map(|formula| (input.key.clone(), formula)))
            }
            None => f.problems.add(wrong_type(&input.value, &input.key.name, "an expression in a string")),
        }
    }
    inputs
}

pub(crate) fn read_controller(entry: &TomlEntry, reading: &Reading<'_>) -> Option<Controller> {
    let problems = reading.problems;
    let table =
        table_of(entry, "a table with `period`, `file` or `script`, `inputs` and `outputs`", problems)?;
    let f = fields_of(table, "controller", &entry.key, problems);
    let clock = read_clock(&f);
    let script = read_program(&f, "file", &[".js", ".mjs", ".cjs"], "JavaScript program", reading);
    let inputs = read_signals(&f);
    let outputs = entries(&f, "outputs", problems, |e| read_mode(e, "output", problems));
    if f.value("outputs").is_none() {
        f.missing("outputs", "what the program sets, as in outputs = { u = \"V\" }");
    }
    f.text("doc");
    f.finish();
    Some(Controller { key: entry.key.clone(), clock, script, inputs, outputs, robot: None })
}
