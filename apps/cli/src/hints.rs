//! Hints that name commands of this program: libraries say what to change or to look at, here stands how.

use std::borrow::Cow;

use trunnion_engine::{Failure, ModelView};
use trunnion_files::output::OverwriteRefusal;
use trunnion_model::Diagnostic;
use trunnion_results::ResultsError;

/// The command that shows a view of the model.
fn command(view: ModelView) -> String {
    match view {
        ModelView::Names => "`trunnion equations` lists all names",
        ModelView::Equation => "`trunnion equations` shows its equation",
        ModelView::Equations => "`trunnion equations` lists them",
        ModelView::LinearModel => "look at the matrix with `trunnion linearize`",
        ModelView::Modes => "look at it with `trunnion modes`",
        ModelView::Examples => "`trunnion examples` lists them",
    }
    .into()
}

/// What the user can do about a failure.
pub fn hint(failure: &Failure) -> Option<String> {
    match failure {
        // A study says what to hold; here that is an option. In a file it is a list.
        Failure::Run { hint: Some(hint), .. } => {
            let line = hint.clone().line(command);
            Some(line.replace("hold = [", "\0").replace("hold = ", "--hold ").replace('\0', "hold = ["))
        }
        Failure::Results(ResultsError::NoColumn { nearest, .. }) if nearest.is_empty() => {
            Some("`trunnion plot FILE --list` lists the signals".into())
        }
        Failure::Results(ResultsError::Kept { refusal: OverwriteRefusal::Leftover, .. }) => {
            Some("keep it with `trunnion convert`, or rename or remove it".into())
        }
        other => other.hint().map(|hint| hint.line(command)),
    }
}

/// Commands that help with a message about a model, by its code.
const COMMANDS: [(&str, &str); 5] = [
    ("M0006", "`trunnion new` writes a model to start from"),
    ("M0315", "`trunnion energy` lists the stores of a model"),
    ("M0318", "`trunnion equations` lists all names"),
    ("M0408", "`trunnion equations` shows them"),
    ("N0103", "`trunnion balance MODEL` finds them, and can write them into the file"),
];

/// The message with the command that helps; where a name is suggested, that says enough.
pub fn with_command(found: &Diagnostic) -> Cow<'_, Diagnostic> {
    let known = COMMANDS.iter().find(|(code, _)| *code == found.code);
    let suggests = found.hint.as_deref().is_some_and(|hint| hint.starts_with("did you mean"));
    let Some((_, command)) = known.filter(|_| !suggests) else { return Cow::Borrowed(found) };
    let hint = match &found.hint {
        Some(hint) => format!("{hint}; {command}"),
        None => command.to_string(),
    };
    Cow::Owned(Diagnostic { hint: Some(hint), ..found.clone() })
}
