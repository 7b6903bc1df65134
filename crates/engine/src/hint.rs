//! What a user can do about a failure.

use std::fmt;

/// A view of the model that shows more about a failure. Every program names its own door to it: a command, a button, a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelView {
    /// All names of the model.
    Names,
    /// The equation of the variable named.
    Equation,
    /// All equations.
    Equations,
    /// The matrices of the linear model.
    LinearModel,
    /// Poles and the states that take part in them.
    Modes,
    /// The examples that come with the program.
    Examples,
}

impl fmt::Display for ModelView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ModelView::Names => "see the names of the model",
            ModelView::Equation => "see its equation",
            ModelView::Equations => "see the equations",
            ModelView::LinearModel => "see the matrix of the linear model",
            ModelView::Modes => "see the modes",
            ModelView::Examples => "see the list of examples",
        })
    }
}

/// What to change, and what to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Empty where there is only something to look at.
    pub text: String,
    pub see: Option<ModelView>,
}

impl Hint {
    pub fn and_see(self, view: ModelView) -> Self {
        Hint { see: Some(view), ..self }
    }

    /// In one line, where a view is named by `door`.
    pub fn line(&self, door: impl Fn(ModelView) -> String) -> String {
        match self.see.map(door) {
            None => self.text.clone(),
            Some(see) if self.text.is_empty() => see,
            Some(see) if self.text.ends_with('?') => format!("{} {see}", self.text),
            Some(see) => format!("{}; {see}", self.text),
        }
    }

    /// "did you mean `a` or `b`?", if anything is near.
    pub fn nearest(near: &[String]) -> Option<Self> {
        (!near.is_empty()).then(|| format!("did you mean `{}`?", near.join("` or `")).into())
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Hint { text, see: None }
    }
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        text.to_string().into()
    }
}

impl From<ModelView> for Hint {
    fn from(view: ModelView) -> Self {
        Hint { text: String::new(), see: Some(view) }
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line(|view| view.to_string()))
    }
}
