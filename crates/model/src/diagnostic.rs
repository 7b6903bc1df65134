//! What is wrong with a model, where, and what to do about it.
//!
//! ```text
//! error[M0107]: expected a volume flow, found a pressure
//!   --> press.toml:12:26
//! 12 | pump = { type = "pump", q = "210 bar" }
//!    |                             ^^^^^^^^^ in Pa, but `q` of `pump` is in m³/s
//!    = hint: to fix the pressure, use a `reservoir` instead of a `pump`
//! ```
//! Every code has an entry in docs/reference/errors.md; a test sees to that.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Write;

use trunnion_equations::flat::Origin;
pub use trunnion_equations::nearest::did_you_mean;
use trunnion_equations::structure::StructureError;
use unicode_width::UnicodeWidthStr;

use crate::file::{Sources, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
    /// Good to know, nothing to mend.
    Note,
}

/// A place and what is the matter there.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// "M0107".
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    /// The first one is where the user should look first.
    pub labels: Vec<Label>,
    pub hint: Option<String>,
}

impl Diagnostic {
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic { code, severity: Severity::Error, message: message.into(), labels: vec![], hint: None }
    }

    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Self::error(code, message) }
    }

    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Note, ..Self::error(code, message) }
    }

    pub fn at(mut self, span: &Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span: span.clone(), text: text.into() });
        self
    }

    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }

    pub fn hint_if(mut self, text: Option<String>) -> Self {
        self.hint = text.or(self.hint);
        self
    }

    /// A finding about something already in the equations, shown where it was written.
    pub fn from_origin(
        sources: &Sources,
        code: &'static str,
        origin: &Origin,
        message: impl Into<String>,
        label: impl Into<String>,
        hint: Option<String>,
    ) -> Self {
        Self::error(code, message).at_origin(sources, origin, label).hint_if(hint)
    }

    /// What the analysis of the equations found, shown where they were written.
    pub fn from_structure(sources: &Sources, error: &StructureError) -> Self {
        let start = Self::error(error.code(), error.message()).hint(error.hint());
        error.origins.iter().fold(start, |d, origin| {
            let place = if origin.component.is_empty() {
                String::new()
            } else {
                format!("in `{}`", origin.component)
            };
            d.at_origin(sources, origin, place)
        })
    }

    /// A further place; nothing happens when the file of `origin` is not among the sources.
    pub fn at_origin(self, sources: &Sources, origin: &Origin, label: impl Into<String>) -> Self {
        match sources.get(&origin.file) {
            Some(source) => self.at(&Span::new(source, origin.span.0..origin.span.1), label),
            None => self,
        }
    }

    /// The text above, with terminal colours if asked for.
    pub fn render(&self, colour: bool) -> String {
        let paint =
            |code: &str, s: &str| if colour { format!("\x1b[{code}m{s}\x1b[0m") } else { s.to_string() };
        let (word, tone) = match self.severity {
            Severity::Error => ("error", "1;31"),
            Severity::Warning => ("warning", "1;33"),
            Severity::Note => ("note", "1;36"),
        };
        let head = format!("{word}[{}]", self.code);
        let mut out = format!("{}: {}\n", paint(tone, &head), paint("1", &visible(&self.message)));
        let last_line = self.labels.iter().map(|l| l.span.source.position(l.span.range.start).0).max();
        let width = last_line.map_or(1, |line| line.to_string().len());
        for label in &self.labels {
            let source = &label.span.source;
            let (line, column) = source.position(label.span.range.start);
            let arrow = format!("{:width$}--> ", "");
            let name = visible(&source.name);
            let _ = writeln!(out, "{}{name}:{line}:{column}", paint("34", &arrow));
            let text = match label.text.is_empty() {
                true => String::new(),
                false => format!(" {}", visible(&label.text)),
            };
            if !source.quotable {
                let _ = writeln!(out, "{}{}", paint("34", &format!("{:width$} |", "")), paint(tone, &text));
                continue;
            }
            let (shown, offset, carets) = excerpt(&label.span);
            let _ = writeln!(out, "{} {shown}", paint("34", &format!("{line:>width$} |")));
            let marks = format!("{:offset$}{}", "", paint(tone, "^".repeat(carets).as_str()));
            let _ =
                writeln!(out, "{} {marks}{}", paint("34", &format!("{:width$} |", "")), paint(tone, &text));
        }
        if let Some(hint) = &self.hint {
            let _ = writeln!(out, "{:width$} {} {}", "", paint("1;36", "= hint:"), visible(hint));
        }
        out
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.render(false))
    }
}

/// A character that steers a terminal, or turns the direction of reading, instead of being seen.
fn disturbs(c: char) -> bool {
    let turns =
        matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns
}

/// A text that can be shown on a terminal: what would steer it is written out, as `\u{1b}`. Lines and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| disturbs(c) && c != '\n' && c != '\t';
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if hidden(c) { c.escape_unicode().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Longest piece of a line that is shown.
const SHOWN: usize = 120;

/// The line with the span, the column of the terminal at which the carets begin, and how many there are. Characters that would
/// disturb the layout are replaced; a long line is cut around the span.
fn excerpt(span: &Span) -> (String, usize, usize) {
    let (start, line) = span.source.line_of(span.range.start);
    let clean = |c: char| match c {
        '\t' => ' ',
        c if disturbs(c) => '\u{FFFD}',
        c => c,
    };
    let count = |to: usize| line.char_indices().take_while(|(i, _)| *i < to).count();
    let from = count(span.range.start - start.min(span.range.start));
    let to = count(span.range.end.saturating_sub(start)).max(from + 1);
    let all: Vec<char> = line.chars().map(clean).collect();
    let first = if all.len() <= SHOWN { 0 } else { from.saturating_sub(SHOWN / 2).min(all.len() - SHOWN) };
    let last = all.len().min(first + SHOWN);
    let (left, right) = (if first > 0 { "…" } else { "" }, if last < all.len() { "…" } else { "" });
    let piece = |from: usize, to: usize| -> String { all[from.min(to)..to].iter().collect() };
    let before = left.to_string() + &piece(first, from.min(last));
    let marked = piece(from, to.min(last));
    (format!("{left}{}{right}", piece(first, last)), before.width(), marked.width().max(1))
}

/// Findings as they come in.
#[derive(Debug, Default)]
pub struct Problems {
    list: RefCell<Vec<Diagnostic>>,
}

/// More than this is no help.
const LIMIT: usize = 100;

impl Problems {
    pub fn add(&self, diagnostic: Diagnostic) {
        self.list.borrow_mut().push(diagnostic);
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.list.borrow().iter().any(|d| d.severity == Severity::Error)
    }

    /// Errors if there are any, else the warnings: they can wait until the errors are gone.
    pub fn finish(self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let mut all: Vec<Diagnostic> = vec![];
        for diagnostic in self.list.into_inner() {
            // A component used ten times has its error once.
            if !all.iter().rev().take(LIMIT).any(|d| *d == diagnostic) {
                all.push(diagnostic);
            }
        }
        let (mut errors, warnings): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|d| d.severity == Severity::Error);
        if errors.is_empty() {
            return Ok(warnings);
        }
        let more = errors.len().saturating_sub(LIMIT);
        if more > 0 {
            errors.truncate(LIMIT);
            errors.push(Diagnostic::error("M0005", format!("{more} more errors are not shown")));
        }
        Err(errors)
    }
}

/// "`a`, `b` or `c`".
pub fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    match quoted.split_last() {
        None => "nothing".into(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::Source;

    #[test]
    fn a_diagnostic_looks_as_the_style_says() {
        let text = format!("{}pump = {{ type = \"pump\", q = \"210 bar\" }}\n", "\n".repeat(11));
        let source = Source::new("press.toml", text);
        let start = source.text.find("\"210").unwrap();
        let shown = Diagnostic::error("M0107", "expected a volume flow, found a pressure")
            .at(&Span::new(&source, start..start + 9), "in Pa, but `q` of `pump` is in m³/s")
            .hint("to fix the pressure, use a `reservoir` instead of a `pump`")
            .to_string();
        insta::assert_snapshot!(shown, @r#"
        error[M0107]: expected a volume flow, found a pressure
          --> press.toml:12:29
        12 | pump = { type = "pump", q = "210 bar" }
           |                             ^^^^^^^^^ in Pa, but `q` of `pump` is in m³/s
           = hint: to fix the pressure, use a `reservoir` instead of a `pump`
        "#);
    }

    /// Carets stand under what they mean on a terminal, where signs are two columns wide or none.
    #[test]
    fn carets_follow_the_width_of_signs() {
        // The text before the caret, the text under it, and the columns of both.
        let cases = [
            ("Δp = ", "xx", 5, 2),
            ("名前 = ", "xx", 7, 2),
            ("a = \"質量", "キロ", 9, 4),
            ("e\u{301}a\u{308} ", "xx", 3, 2),
            ("🚜 ", "xx", 3, 2),
            ("👩\u{200d}🔧 ", "🚜", 3, 2),
            ("\t", "ｗｉｄｅ", 1, 8),
        ];
        for (before, under, column, width) in cases {
            let source = Source::new("a", format!("{before}{under} z"));
            let span = Span::new(&source, before.len()..before.len() + under.len());
            let shown = Diagnostic::error("M0001", "m").at(&span, "here").to_string();
            let marks = shown.lines().nth(3).unwrap().strip_prefix("  | ").unwrap();
            assert_eq!(marks, format!("{:column$}{} here", "", "^".repeat(width)), "{shown}");
        }
    }

    #[test]
    fn long_lines_are_cut_around_the_span() {
        let source = Source::new("a", format!("{}HERE{}", "x".repeat(500), "y".repeat(500)));
        let shown = Diagnostic::error("M0001", "m").at(&Span::new(&source, 500..504), "this").to_string();
        let lines: Vec<&str> = shown.lines().collect();
        let column = lines[3].chars().position(|c| c == '^').unwrap();
        let under: String = lines[2].chars().skip(column).take(4).collect();
        assert_eq!(under, "HERE");
    }

    #[test]
    fn every_span_can_be_shown() {
        let source = Source::new("a", "é\tΔ\n\u{7}b".into());
        for from in 0..12 {
            for to in from..12 {
                Diagnostic::error("M0001", "m").at(&Span::new(&source, from..to), "t").render(true);
            }
        }
    }

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        assert_eq!(visible("Δp\tä\n"), "Δp\tä\n");
        assert_eq!(visible("a\x1b[2Jb\u{9b}c\u{202e}d\r\x07"), "a\\u{1b}[2Jb\\u{9b}c\\u{202e}d\\u{d}\\u{7}");
        let source = Source::new("a\x1b.toml", "x = '\x1b'\n".into());
        let all = Diagnostic::error("M0001", "\x1b]0;").at(&Span::new(&source, 0..1), "\x1bl").hint("\x1bh");
        assert!(!all.render(false).contains('\x1b'));
    }

    #[test]
    fn lines_of_unknown_files_are_not_shown() {
        for (name, shown) in [("secret", false), (".env", false), ("a.toml", true), ("B.CSV", true)] {
            let source = Source::named_by_model(name, "root:x:0:0\n".into());
            let text = Diagnostic::error("M0001", "no").at(&Span::new(&source, 0..1), "here").render(false);
            assert_eq!(text.contains("root"), shown, "{text}");
            assert!(text.contains(&format!("{name}:1:1")) && text.contains("here"));
        }
    }
}
