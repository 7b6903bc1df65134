//! TOML as a tree with a span on every key and value.

use std::ops::Range;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::offsets::locate;
use super::slips::explain;
use super::source::{Source, Span};
use crate::diagnostic::{Diagnostic, Problems};

#[derive(Clone, Debug)]
pub enum Data {
    Text(String),
    Integer(i64),
    Number(f64),
    Boolean(bool),
    List(Vec<TomlValue>),
    Table(TomlTable),
    Date,
}

#[derive(Clone, Debug)]
pub struct TomlValue {
    pub data: Data,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct TomlKey {
    pub name: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct TomlEntry {
    pub key: TomlKey,
    pub value: TomlValue,
}

/// Entries in the order of the file.
#[derive(Clone, Debug)]
pub struct TomlTable {
    pub entries: Vec<TomlEntry>,
    pub span: Span,
}

/// A string with its place; places inside it are found through quotes and escapes.
#[derive(Clone, Debug)]
pub struct TomlText {
    pub text: String,
    pub span: Span,
}

impl TomlText {
    /// The place of some bytes of the text in the file.
    pub fn at(&self, range: &Range<usize>) -> Span {
        Span::new(&self.span.source, locate(self.span.text(), self.span.range.start, range))
    }
}

impl TomlValue {
    /// What it is, in words.
    pub fn kind(&self) -> &'static str {
        match self.data {
            Data::Text(_) => "a string",
            Data::Integer(_) | Data::Number(_) => "a number",
            Data::Boolean(_) => "true or false",
            Data::List(_) => "a list",
            Data::Table(_) => "a table",
            Data::Date => "a date",
        }
    }

    pub fn as_text(&self) -> Option<TomlText> {
        match &self.data {
            Data::Text(text) => Some(TomlText { text: text.clone(), span: self.span.clone() }),
            _ => None,
        }
    }

    pub fn as_number(&self) -> Option<f64> {
        match self.data {
            Data::Integer(i) => Some(i as f64),
            Data::Number(v) => Some(v),
            _ => None,
        }
    }
}

impl TomlTable {
    pub fn empty(span: Span) -> Self {
        TomlTable { entries: vec![], span }
    }

    pub fn get(&self, name: &str) -> Option<&TomlEntry> {
        self.entries.iter().find(|e| e.key.name == name)
    }
}

/// What the parser calls a key that is there already.
const TWICE: &str = "duplicate key";

/// The file as a table; None where the text cannot be trusted, and the reasons are among the problems.
pub fn parse(source: &Arc<Source>, problems: &Problems) -> Option<TomlTable> {
    let (table, mut errors) = DeTable::parse_recoverable(&source.text);
    let table = convert_table(table.get_ref(), table.span(), source);
    errors.sort_by_key(|e| e.span().map(|s| s.start));
    // What comes behind a slip is read wrongly as well.
    if let Some(first) = errors.iter().find(|e| e.message() != TWICE) {
        problems.add(explain(source, first.message(), first.span().unwrap_or(0..0)));
        return None;
    }
    for error in errors {
        let span = Span::new(source, error.span().unwrap_or(0..0));
        problems.add(defined_twice(&span, &table));
    }
    Some(table)
}

fn defined_twice(span: &Span, table: &TomlTable) -> Diagnostic {
    let name = span.text().trim_matches(['"', '\'']);
    let error =
        Diagnostic::error("M0105", format!("`{name}` is defined twice")).at(span, "the second definition");
    let error = match last_before(table, name, span.range.start) {
        Some(first) => error.at(first, "the first one"),
        None => error,
    };
    let line = span.source.line_of(span.range.start).1.trim_start();
    error.hint(match line.starts_with('[') {
        true => format!("put what belongs to [{name}] under one heading"),
        false => "rename one of them or remove it".into(),
    })
}

/// The last key of this name before some place.
fn last_before<'t>(table: &'t TomlTable, name: &str, place: usize) -> Option<&'t Span> {
    let inner = table.entries.iter().filter_map(|e| match &e.value.data {
        Data::Table(table) => last_before(table, name, place),
        _ => None,
    });
    let own = table.entries.iter().filter(|e| e.key.name == name).map(|e| &e.key.span);
    inner.chain(own).filter(|s| s.range.start < place).max_by_key(|s| s.range.start)
}

fn convert_table(table: &DeTable<'_>, range: Range<usize>, source: &Arc<Source>) -> TomlTable {
    let mut entries: Vec<TomlEntry> = table
        .iter()
        .map(|(key, value)| TomlEntry {
            key: TomlKey { name: key.get_ref().to_string(), span: Span::new(source, key.span()) },
            value: convert(value.get_ref(), value.span(), source),
        })
        .collect();
    entries.sort_by_key(|e| e.key.span.range.start);
    TomlTable { entries, span: Span::new(source, range) }
}

fn convert(value: &DeValue<'_>, range: Range<usize>, source: &Arc<Source>) -> TomlValue {
    let data = match value {
        DeValue::String(text) => Data::Text(text.to_string()),
        DeValue::Integer(i) => match i64::from_str_radix(i.as_str(), i.radix()) {
            Ok(value) => Data::Integer(value),
            // Beyond 64 bits it is still a number.
            Err(_) => Data::Number(i.as_str().parse().unwrap_or(f64::NAN)),
        },
        DeValue::Float(f) => Data::Number(f.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(b) => Data::Boolean(*b),
        DeValue::Datetime(_) => Data::Date,
        DeValue::Array(list) => {
            Data::List(list.iter().map(|v| convert(v.get_ref(), v.span(), source)).collect())
        }
        DeValue::Table(table) => Data::Table(convert_table(table, range.clone(), source)),
    };
    TomlValue { data, span: Span::new(source, range) }
}
