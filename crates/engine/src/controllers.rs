//! Controllers that fail, told as mistakes in a model are: with the line of the program.

use trunnion_equations::System;
use trunnion_equations::flat::Action;
use trunnion_model::file::{Span, TomlText};
use trunnion_model::{Diagnostic, Sources};
use trunnion_sim::integrate::RunError;
use trunnion_sim::script_error::{ScriptError, TaskError};
use trunnion_sim::start_error::StartError;

use crate::{Failure, Hint};

/// A program that cannot begin, and one that fails in a run.
const CANNOT_BEGIN: &str = "M0406";
const FAILS: &str = "M0414";

/// A run that failed, with the place in the program where a controller did.
pub fn run_failure(system: &System, sources: &Sources, error: &RunError, hint: Option<Hint>) -> Failure {
    match error {
        RunError::Task { t, error: TaskError::Script(script) } => {
            let message = format!("the controller `{}` fails at t = {t} s: {}", script.name, script.message);
            let place = Box::new(placed(system, sources, script, Diagnostic::error(FAILS, message)));
            Failure::Script { message: error.to_string(), place }
        }
        _ => Failure::Run { message: error.to_string(), hint },
    }
}

/// A model that cannot begin.
pub fn start_failure(system: &System, sources: &Sources, error: &StartError) -> Failure {
    match error {
        StartError::Task(TaskError::Script(script)) => {
            let place = Box::new(cannot_begin(system, sources, script));
            Failure::Script { message: error.to_string(), place }
        }
        _ => Failure::start(error),
    }
}

/// A controller whose program cannot be read or begin.
pub fn cannot_begin(system: &System, sources: &Sources, error: &ScriptError) -> Diagnostic {
    let message = format!("the controller `{}` cannot begin: {}", error.name, error.message);
    let found = Diagnostic::error(CANNOT_BEGIN, message);
    placed(system, sources, error, found.hint("`check` runs its top level and `init`, not `step`"))
}

fn placed(system: &System, sources: &Sources, error: &ScriptError, found: Diagnostic) -> Diagnostic {
    let found = found.hint_if(error.hint.clone());
    let Some(task) = system.tasks.iter().find(|task| task.name == error.name) else { return found };
    let (Action::Script { source: program, .. }, Some(file)) = (&task.action, sources.get(&task.origin.file))
    else {
        return found;
    };
    let whole = Span::new(file, task.origin.span.0..task.origin.span.1);
    let (Some(line), Some(column)) = (error.line, error.column) else {
        return found.at(&Span::new(file, whole.range.start..whole.range.start), "its program");
    };
    let range = word_at(program, line as usize, column as usize);
    // A program of its own is the file; one in a model lies in quotes, perhaps with escapes.
    let is_file = whole.text() == &**program;
    let span = match is_file {
        true => Span::new(file, range),
        false => TomlText { text: program.to_string(), span: whole }.at(&range),
    };
    found.at(&span, "")
}

/// Bytes of the word at a place of a text, or of its one character.
fn word_at(text: &str, line: usize, column: usize) -> std::ops::Range<usize> {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = text[start..].lines().next().unwrap_or_default();
    let from = rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(i, _)| i);
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let word: usize = rest[from..].chars().take_while(|&c| is_word(c)).map(char::len_utf8).sum();
    let one = rest[from..].chars().next().map_or(0, char::len_utf8);
    start + from..start + from + word.max(one)
}
