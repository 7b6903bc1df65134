//! Answers as JSON, `--format json`: one document on standard output, errors included. Its shape is in docs/reference/command-line.md.

use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use trunnion_engine::Failure;
use trunnion_model::diagnostic::Label;
use trunnion_model::{Diagnostic, Severity};

use crate::failure::{exit, exit_code, hint};
use crate::output::say_json;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// For reading here
    #[default]
    Text,
    /// One JSON document on standard output, errors included
    Json,
}

#[derive(Args, Clone, Copy, Debug, Default)]
pub struct AnswerOptions {
    #[arg(long, value_enum, default_value_t)]
    pub format: AnswerFormat,
}

/// What is to be answered, as it comes together.
#[derive(Default)]
pub struct JsonAnswer(Mutex<Parts>);

#[derive(Default)]
struct Parts {
    result: Value,
    warnings: Vec<Value>,
    errors: Vec<Value>,
}

impl JsonAnswer {
    fn with(&self, change: impl FnOnce(&mut Parts)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub fn result(&self, result: Value) {
        self.with(|parts| parts.result = result);
    }

    /// Errors, warnings and notes.
    pub fn found(&self, found: &Diagnostic) {
        self.with(|parts| match found.severity {
            Severity::Error => parts.errors.push(diagnostic(found)),
            Severity::Warning | Severity::Note => parts.warnings.push(diagnostic(found)),
        });
    }

    pub fn failed(&self, failure: &Failure) {
        self.with(|parts| parts.errors.extend(errors(failure)));
    }

    pub fn print(&self, command: &str, code: u8) {
        self.with(|Parts { result, warnings, errors }| {
            say_json(&json!({
                "command": command,
                "exit_code": code,
                "result": result,
                "warnings": warnings,
                "errors": errors,
            }));
        });
    }
}

/// All errors of a failure.
pub fn errors(failure: &Failure) -> Vec<Value> {
    match failure {
        Failure::Model(list) => list.iter().map(diagnostic).collect(),
        Failure::Script { place, .. } => vec![diagnostic(place)],
        other => vec![plain(kind(exit_code(other)), &other.to_string(), hint(other))],
    }
}

/// An error without a code of its own, and without a place in a file.
pub fn plain(kind: &str, message: &str, hint: Option<String>) -> Value {
    json!({ "severity": "error", "code": kind, "message": message, "place": null, "also": [], "hint": hint })
}

/// What stands for the code of an error that has none: the meaning of the exit code.
fn kind(code: u8) -> &'static str {
    match code {
        exit::MODEL => "model",
        exit::USAGE => "usage",
        exit::RUN => "run",
        exit::FILES => "files",
        _ => "cancelled",
    }
}

fn diagnostic(found: &Diagnostic) -> Value {
    let place = |label: &Label| {
        let source = &label.span.source;
        let (line, column) = source.position(label.span.range.start);
        json!({ "file": &*source.name, "line": line, "column": column, "text": label.text })
    };
    let severity = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    json!({
        "severity": severity,
        "code": found.code,
        "message": found.message,
        "place": found.labels.first().map(place),
        "also": found.labels.iter().skip(1).map(place).collect::<Vec<_>>(),
        "hint": found.hint,
    })
}
