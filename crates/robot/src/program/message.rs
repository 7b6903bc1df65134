//! What is wrong with a robot program, where, and what to do about it.
//!
//! ```text
//! error[R04]: `pik` is not known
//!   --> cell.robot:7:13
//!  7 | move linear pik
//!    |             ^^^ no point, variable or signal has this name
//!    = hint: did you mean `pick`?
//! ```
//! Every code has a line in docs/reference/robot-language.md; a test sees to that.

use std::fmt::Write;

/// Bytes of the source, from `start` up to `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextSpan {
    pub start: usize,
    pub end: usize,
}

impl TextSpan {
    pub(crate) fn to(self, other: TextSpan) -> TextSpan {
        TextSpan { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A message about a program, of its text or of its run.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotMessage {
    /// "R04".
    pub code: &'static str,
    pub span: TextSpan,
    pub message: String,
    /// Beside the caret.
    pub label: String,
    pub hint: Option<String>,
}

impl RobotMessage {
    pub(crate) fn new(
        code: &'static str,
        span: TextSpan,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Self {
        RobotMessage { code, span, message: message.into(), label: label.into(), hint: None }
    }

    pub(crate) fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }

    pub(crate) fn hint_if(mut self, text: Option<String>) -> Self {
        self.hint = text.or(self.hint);
        self
    }

    /// Line and column, from 1, columns in characters.
    pub fn place(&self, source: &str) -> (usize, usize) {
        let start = self.span.start.min(source.len());
        let before = source.get(..start).unwrap_or(source);
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// With the line of the source and a caret below it.
    pub fn shown(&self, name: &str, source: &str) -> String {
        let (line, column) = self.place(source);
        let text = source.lines().nth(line - 1).unwrap_or("");
        let width = source
            .get(self.span.start..self.span.end)
            .unwrap_or("")
            .lines()
            .next()
            .unwrap_or("")
            .chars()
            .count();
        let room = text.chars().count() + 1 - (column - 1).min(text.chars().count());
        let carets = "^".repeat(width.clamp(1, room.max(1)));
        // Tabs stay tabs, so that carets stand below what they mean.
        let indent: String =
            text.chars().take(column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let number = line.to_string();
        let blank = " ".repeat(number.len());
        let mut shown =
            format!("error[{}]: {}\n{blank} --> {name}:{line}:{column}\n", self.code, self.message);
        let _ = writeln!(shown, "{number} | {text}");
        let _ = writeln!(shown, "{blank} | {indent}{carets} {}", self.label);
        if let Some(hint) = &self.hint {
            let _ = writeln!(shown, "{blank} = hint: {hint}");
        }
        shown
    }
}

/// The name that differs least, if little. [Levenshtein1966]
pub(crate) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let letters: Vec<char> = word.chars().collect();
    let distance = |other: &str| {
        let other: Vec<char> = other.chars().collect();
        let mut row: Vec<usize> = (0..=other.len()).collect();
        for (i, a) in letters.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, b) in other.iter().enumerate() {
                let replaced = diagonal + usize::from(!a.eq_ignore_ascii_case(b));
                diagonal = row[j + 1];
                row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
            }
        }
        row[other.len()]
    };
    let best = names.into_iter().map(|n| (distance(n), n)).min()?;
    // A third of the letters wrong is another word.
    (best.0 <= 1 + letters.len() / 4).then(|| format!("did you mean `{}`?", best.1))
}
