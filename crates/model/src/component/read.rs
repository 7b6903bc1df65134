//! The small pieces of a component file: values, units, names, formulas.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::include::with_included;
use super::mount::{read_mount, read_pose};
use super::{ComponentDefinition, Formula, Scalar, ScalarForm, Section, read_definition};
use crate::diagnostic::{Diagnostic, Problems, did_you_mean, one_of};
use crate::file::{
    Data, Fields, Files, Source, Sources, Span, TomlKey, TomlTable, TomlText, TomlValue, parse, relative,
    wrong_type,
};
use crate::language::{Ast, LangError, is_reserved, parse_equation, parse_expression};
use crate::units::{Dimension, Unit, UnitError, parse_unit};

/// What is needed while files are read.
pub struct Reading<'a> {
    pub files: &'a dyn Files,
    pub problems: &'a Problems,
    pub sources: RefCell<Sources>,
    /// Some file could not be read at all; what would have been in it is unknown.
    pub incomplete: Cell<bool>,
}

impl<'a> Reading<'a> {
    pub fn new(files: &'a dyn Files, problems: &'a Problems) -> Self {
        Reading { files, problems, sources: RefCell::default(), incomplete: Cell::new(false) }
    }

    /// The text of a file; what cannot be read is reported at `place`, if there is one.
    pub fn source(&self, path: &str, place: Option<&Span>) -> Option<Arc<Source>> {
        match self.files.read(path) {
            Ok(text) => {
                let named = if place.is_some() { Source::named_by_model } else { Source::new };
                let source = named(path, text);
                self.sources.borrow_mut().add(&source);
                Some(source)
            }
            Err(reason) => {
                self.incomplete.set(true);
                let error = Diagnostic::error("M0002", format!("cannot read `{path}`: {reason}"));
                let error = match place {
                    Some(span) => {
                        error.at(span, "named here").hint("paths are relative to the file that names them")
                    }
                    None => error.hint("give the path of a model, a text file that ends in .toml"),
                };
                self.problems.add(error.hint_if(self.files.hint(path)));
                None
            }
        }
    }

    /// The table a file holds.
    pub fn parse(&self, source: &Arc<Source>) -> Option<TomlTable> {
        let table = parse(source, self.problems);
        self.incomplete.set(self.incomplete.get() || table.is_none());
        table
    }

    /// A file named in another one.
    pub(crate) fn source_beside(&self, name: &TomlText) -> Option<Arc<Source>> {
        self.source(&relative(&name.span.source.name, &name.text), Some(&name.span))
    }
}

/// What only models have.
const OF_MODELS: [&str; 6] = ["model", "run", "start", "live", "display", "expect"];

/// A component file; None for a model.
pub(crate) fn read_component(path: &str, reading: &Reading<'_>) -> Option<ComponentDefinition> {
    let source = reading.source(path, None)?;
    let (table, included) = with_included(path, reading.parse(&source)?, reading);
    if OF_MODELS.iter().any(|name| table.get(name).is_some()) {
        return None;
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    let name = file.strip_suffix(".toml").unwrap_or(file);
    let fields = Fields::new(&table, format!("component `{name}`"), &table.span, reading.problems);
    let text = |key| fields.text(key).map(|t| t.text);
    let mut definition = ComponentDefinition {
        title: text("title").unwrap_or_else(|| name.to_string()),
        aliases: fields.texts("aliases").into_iter().map(|t| t.text).collect(),
        icon: text("icon"),
        included,
        section: fields.choice("section", &Section::ALL),
        doc: fields.doc(),
        ..read_definition(name, &source, &fields, reading)
    };
    definition.pose = read_pose(&fields, &definition);
    if definition.pose.is_none() {
        definition.mount = read_mount(&fields, &definition);
    }
    finish_sections(fields, reading);
    Some(definition)
}

/// Sections that later parts of the project will read.
const RESERVED: [&str; 2] = ["flexible", "program"];

/// Words of other programs for sections of ours.
const ELSEWHERE: [(&str, &str); 16] = [
    ("simulation", "run"),
    ("simulate", "run"),
    ("solver", "run"),
    ("settings", "run"),
    ("elements", "components"),
    ("parts", "components"),
    ("instances", "components"),
    ("wires", "connect"),
    ("links", "connect"),
    ("bonds", "connect"),
    ("network", "connect"),
    ("constants", "parameters"),
    ("states", "variables"),
    ("unknowns", "variables"),
    ("initial", "start"),
    ("laws", "equations"),
];

/// What a component has at its top, and a model in [model].
const OF_HEADING: [&str; 5] = ["name", "doc", "include", "libraries", "defaults"];

/// Reports unknown sections. What would have been in them is missing elsewhere, which is no error of its own.
pub(crate) fn finish_sections(fields: Fields<'_>, reading: &Reading<'_>) {
    let known = fields.asked();
    let elsewhere = |name: &str| ELSEWHERE.iter().find(|(word, ours)| *word == name && known.contains(ours));
    for entry in fields.rest() {
        let name = &entry.key.name;
        let error = if RESERVED.contains(&name.as_str()) {
            Diagnostic::error("M0104", format!("the section `{name}` is not supported yet"))
                .at(&entry.key.span, "reserved for a later version")
                .hint("write the component with [equations] for now")
        } else if name == "mechanism" || Section::ALL.iter().any(|(word, _)| word == name) {
            Diagnostic::error("M0501", format!("[{name}] stands in a file that is no model"))
                .at(&entry.key.span, "only models have mechanisms")
                .hint("write it in the model file, or in a file that it names in `include`")
        } else {
            let (code, kind) = match entry.value.data {
                Data::Table(_) | Data::List(_) => ("M0102", "section"),
                _ => ("M0101", "key"),
            };
            reading.incomplete.set(reading.incomplete.get() || kind == "section");
            let listed = format!("there are {}", one_of(known.iter().copied()).replace(" or ", " and "));
            Diagnostic::error(code, format!("{} has no {kind} `{name}`", fields.what()))
                .at(&entry.key.span, format!("unknown {kind}"))
                .hint(listed)
                .hint_if(did_you_mean(name, known.iter().copied()))
                .hint_if(
                    OF_HEADING
                        .contains(&name.as_str())
                        .then(|| format!("`{name}` of a model stands in [model]")),
                )
                .hint_if(elsewhere(name).map(|(_, ours)| format!("did you mean `{ours}`?")))
        };
        fields.problems.add(error);
    }
}

/// A language error at its place in the file.
pub(crate) fn language_error(error: &LangError, text: &TomlText) -> Diagnostic {
    Diagnostic::error(error.code, error.message.as_str())
        .at(&text.at(&error.span), error.label.as_str())
        .hint_if(error.hint.clone())
}

fn report<T>(result: Result<T, Vec<LangError>>, text: &TomlText, problems: &Problems) -> Option<T> {
    result.map_err(|errors| errors.iter().for_each(|e| problems.add(language_error(e, text)))).ok()
}

pub fn formula(text: TomlText, problems: &Problems) -> Option<Formula> {
    let ast = report(parse_expression(&text.text), &text, problems)?;
    Some(Formula { ast, text })
}

pub fn equation(text: &TomlText, problems: &Problems) -> Option<(Ast, Ast)> {
    report(parse_equation(&text.text), text, problems)
}

fn unit_error(error: &UnitError, text: &TomlText) -> Diagnostic {
    Diagnostic::error("M0110", error.message.as_str())
        .at(&text.at(&error.span), "")
        .hint_if(error.hint.clone())
}

pub fn unit(text: &TomlText, problems: &Problems) -> Option<Unit> {
    parse_unit(&text.text).map_err(|e| problems.add(unit_error(&e, text))).ok()
}

/// A number or an expression in a string.
pub(crate) fn read_scalar(value: &TomlValue, key: &str, problems: &Problems) -> Scalar {
    let form = match &value.data {
        Data::Text(_) => value.as_text().and_then(|t| formula(t, problems)).map(ScalarForm::Formula),
        Data::Boolean(b) => Some(ScalarForm::Truth(*b)),
        _ => number(value, key, "a number or a string", problems).map(ScalarForm::Number),
    };
    Scalar { form: form.unwrap_or(ScalarForm::Broken), span: value.span.clone() }
}

/// A finite number.
pub fn number(value: &TomlValue, key: &str, expected: &str, problems: &Problems) -> Option<f64> {
    match value.as_number() {
        Some(number) if number.is_finite() => Some(number),
        Some(_) => {
            let error = Diagnostic::error("M0109", format!("`{key}` is not a finite number"));
            problems.add(error.at(&value.span, "infinite or not a number"));
            None
        }
        None => {
            let hint = "a number, or a text with a number and its unit: 12 or \"12 kg\"";
            problems.add(wrong_type(value, key, expected).hint(hint));
            None
        }
    }
}

/// Whether a key can name something in an expression; says so if not.
pub(crate) fn check_name(key: &TomlKey, problems: &Problems) -> bool {
    let mut letters = key.name.chars();
    let first = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    let good = first && letters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '#'));
    let reserved = is_reserved(&key.name);
    if !good || reserved {
        let label = if reserved { "is a word of the language" } else { "cannot be used in an expression" };
        problems.add(
            Diagnostic::error("M0113", format!("`{}` cannot be a name", key.name))
                .at(&key.span, label)
                .hint("a name has letters, digits and `_`, and begins with a letter"),
        );
    }
    good && !reserved
}

/// A value of the wrong dimension; `whose` begins the rest of the label: "`R` of `r1` is".
pub(crate) fn wrong_dimension(span: &Span, wanted: Dimension, found: Dimension, whose: &str) -> Diagnostic {
    let error =
        Diagnostic::error("M0107", format!("expected {}, found {}", wanted.quantity(), found.quantity()));
    if found == Dimension::ONE {
        error
            .at(span, format!("without a unit, but {whose} in {wanted}"))
            .hint(format!("add a unit, as in \"… {wanted}\""))
    } else if wanted == Dimension::ONE {
        error.at(span, format!("in {found}, but {whose} a plain number"))
    } else {
        error.at(span, format!("in {found}, but {whose} in {wanted}"))
    }
}
