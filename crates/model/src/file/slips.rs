//! Texts that are no TOML: which slip of the pen it probably is, and what to write instead.

use std::ops::Range;
use std::sync::Arc;

use super::source::{Source, Span};
use crate::diagnostic::Diagnostic;

/// What the parser found at `range`, in words that say what to do. Only the first finding of a file is sure: the others may follow
/// from it.
pub fn explain(source: &Arc<Source>, found: &str, range: Range<usize>) -> Diagnostic {
    let slip = Slip { text: &source.text, at: range.start.min(source.text.len()), range };
    let (message, range, label, hint) = slip.meaning(found);
    let error = Diagnostic::error("M0001", format!("not valid TOML: {message}"));
    error.at(&Span::new(source, range), label).hint_if(hint)
}

struct Slip<'a> {
    text: &'a str,
    at: usize,
    range: Range<usize>,
}

/// Characters of a line that are shown at most.
const LAST_WORDS: usize = 24;

type Meaning = (String, Range<usize>, String, Option<String>);

impl<'a> Slip<'a> {
    fn meaning(&self, found: &str) -> Meaning {
        let what = found.split(", expected").next().unwrap_or(found);
        match what {
            "string values must be quoted" | "missing opening quote" => self.unquoted(),
            "invalid basic string" | "invalid literal string" => self.unended(),
            "invalid multi-line basic string" | "invalid multi-line literal string" => {
                let quotes = if what.contains("basic") { "\"\"\"" } else { "'''" };
                let start = self.text[..self.at].rfind(quotes).unwrap_or(self.at);
                let hint = format!("write {quotes} behind its last line");
                ("a text without end".into(), start..start + 3, "begins here".into(), Some(hint))
            }
            "extra comma in inline table" | "extra comma in array" => {
                self.here("a comma too many", "", "remove it".into())
            }
            "unquoted keys cannot be empty" => {
                self.here("a name is missing", "", "write `key = value`, or `[section]`".into())
            }
            "missing comma between key-value pairs"
            | "missing comma between array elements"
            | "missing key for inline table element"
            | "unexpected `=` in array"
            | "unclosed inline table"
            | "unclosed array" => self.unseparated(what),
            "unclosed table" => {
                let name = self.text[..self.at].rsplit('[').next().unwrap_or_default();
                let name = name.lines().next().unwrap_or_default().trim();
                self.here("the name of a section is not closed", "`]` is missing", format!("write [{name}]"))
            }
            "unexpected key or value" => self.behind_a_value(),
            "invalid unquoted key" => match self.rest() {
                rest if rest.starts_with(':') => {
                    self.here("`:` after a key", "not a colon", "write `key = value`".into())
                }
                rest if rest.starts_with(['/', '%', '-']) => {
                    self.here("this is no key", "a comment?", "comments begin with `#`".into())
                }
                _ => self.here(
                    "this is no key",
                    "a key has letters, digits, `_` and `-`",
                    "put a key with other characters into quotes".into(),
                ),
            },
            "invalid boolean" => self.here(what, "", "write `true` or `false`".into()),
            "key with no value" => {
                self.here(what, "`=` is missing", "write `key = value`, or `[section]`".into())
            }
            "extra `=`" => self.here(what, "", "write `key = value` with one `=`".into()),
            "missing escaped value" => self.here(
                "`\\` begins a special character",
                "not one of them",
                "write `\\\\` for a backslash, `/` in paths, or put the text into single quotes".into(),
            ),
            "invalid mantissa" | "invalid fraction" | "invalid float" | "unexpected leading zero" => self
                .here("a number that cannot be read", "", "numbers are written 0.5, 12, 1e-3 or -2.0".into()),
            _ => (found.to_string(), self.range.clone(), String::new(), None),
        }
    }

    fn here(&self, message: &str, label: &str, hint: String) -> Meaning {
        (message.into(), self.range.clone(), label.into(), Some(hint))
    }

    /// From the place to the end of its line.
    fn rest(&self) -> &'a str {
        self.text[self.at..].lines().next().unwrap_or_default()
    }

    /// `m = 150 kg`, `m = 150 kg"`, `m = “150 kg”`.
    fn unquoted(&self) -> Meaning {
        // The value was to stand on a line before: `m =` and nothing more.
        let before = self.text[..self.at].trim_end();
        if before.ends_with('=') && self.text[before.len()..self.at].contains('\n') {
            let place = before.len() - 1..before.len();
            let key = before[..before.len() - 1].trim_end().rsplit([' ', ',', '{', '\n', '\t']).next();
            let hint = format!("write `{} = value`", key.unwrap_or("key"));
            return ("a value is missing".into(), place, "nothing behind `=`".into(), Some(hint));
        }
        let rest = self.rest();
        let end = rest.find([',', '}', ']', '#', '"']).unwrap_or(rest.len());
        let (value, behind) = (rest[..end].trim(), &rest[end..]);
        let range = self.at..self.at + value.len().max(1);
        if value.is_empty() {
            return (
                "a value is missing".into(),
                range,
                "nothing behind `=`".into(),
                Some("write `key = value`".into()),
            );
        }
        if let Some((number, comment)) = value.split_once("//")
            && number.trim().parse::<f64>().is_ok()
        {
            let place = self.at + number.len()..self.at + number.len() + comment.len() + 2;
            return (
                "this is no value".into(),
                place,
                "a comment?".into(),
                Some("comments begin with `#`".into()),
            );
        }
        if value.starts_with('(') && value.contains('=') {
            let hint = "write { key = value, key = value }";
            return (
                "a list of values in parentheses".into(),
                range,
                "a table has braces".into(),
                Some(hint.into()),
            );
        }
        let curly = ['“', '”', '„', '‘', '’', '«', '»'];
        let plain = value.trim_matches(curly).trim();
        let (message, label) = match behind.starts_with('"') {
            _ if plain != value => ("a text in typographic quotes", "not quotes of TOML"),
            true => ("a quote is missing", "where the text begins"),
            false => ("a value without quotes", "texts and numbers with a unit stand in quotes"),
        };
        (message.into(), range, label.into(), Some(format!("write \"{plain}\"")))
    }

    /// `t_end = "5 s`, and nothing more on the line.
    fn unended(&self) -> Meaning {
        let start = opened(self.text, self.at).1.unwrap_or(self.range.start);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let end = line.find([',', '}', ']', '#']).unwrap_or(line.len());
        let value = line[..end].trim().trim_matches(['"', '\'']);
        let range = start..start + line[..end].trim_end().len().max(1);
        let hint = format!("write \"{value}\"");
        ("a quote is missing".into(), range, "this text has no end".into(), Some(hint))
    }

    /// Values side by side: a comma, a quote or a bracket is missing.
    fn unseparated(&self, what: &str) -> Meaning {
        let before = &self.text[..self.at];
        let gap = &before[before.trim_end().len()..];
        let (open, _) = opened(self.text, self.at);
        let unclosed =
            gap.contains('\n') || what.starts_with("unclosed") || !what.starts_with("missing comma");
        if let (true, Some(open)) = (unclosed, open) {
            let (bracket, closing) = if self.text[open..].starts_with('{') { ('{', '}') } else { ('[', ']') };
            let line = self.text[open..].lines().next().unwrap_or_default().trim_end();
            return (
                format!("`{bracket}` without `{closing}`"),
                open..open + 1,
                "opened here, closed nowhere".into(),
                Some(format!("write `{closing}` behind `{}`", last_words(line))),
            );
        }
        // A text that ended where the next one was to begin.
        if gap.is_empty() && before.ends_with('"') && !self.rest().starts_with('"') {
            let start = before[..before.len() - 1].rfind('"').unwrap_or(self.at - 1);
            let text = &before[start + 1..before.len() - 1];
            let value = text.split(',').next().unwrap_or_default().trim();
            return (
                "a quote is missing".into(),
                start..self.at,
                "read as one text".into(),
                Some(format!("write \"{value}\"")),
            );
        }
        self.here("a comma is missing", "before this", "put a comma between the two".into())
    }

    /// More on the line than one value.
    fn behind_a_value(&self) -> Meaning {
        match self.rest() {
            rest if rest.starts_with(';') => {
                self.here("`;` behind a value", "", "a line ends without `;`".into())
            }
            rest if rest.starts_with(',') && rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                self.here("`,` in a number", "", "decimals are written with a point".into())
            }
            rest if rest.starts_with(',') => {
                self.here("`,` behind a value", "", "a line of a section ends without a comma".into())
            }
            _ => self.here(
                "more than one value on a line",
                "behind a value that is complete",
                "texts and numbers with a unit stand in quotes, one `key = value` on each line".into(),
            ),
        }
    }
}

/// The end of a line from a comma, a bracket or a space on, short but for a single long word.
fn last_words(line: &str) -> &str {
    let long = line.chars().count().saturating_sub(LAST_WORDS);
    let from = line.char_indices().nth(long).map_or(0, |(i, _)| i);
    let breaks = |c: char| c.is_whitespace() || [',', '=', '{', '['].contains(&c);
    if from == 0 || line[..from].ends_with(breaks) {
        return line[from..].trim_start();
    }
    match line[from..].find(breaks) {
        Some(next) => line[from + next..].trim_start_matches(breaks),
        None => line.rsplit(breaks).next().unwrap_or(line),
    }
}

/// The innermost bracket that is open at a place, and the quote if it lies in a text. Brackets in texts and comments do not count.
fn opened(text: &str, at: usize) -> (Option<usize>, Option<usize>) {
    let (mut brackets, mut quote, mut comment): (Vec<usize>, Option<(char, usize)>, bool) =
        (vec![], None, false);
    let mut escaped = false;
    for (i, c) in text[..at].char_indices() {
        match (c, quote) {
            ('\n', _) => (comment, quote) = (false, None),
            _ if comment => {}
            (_, Some(_)) if escaped => escaped = false,
            ('\\', Some(('"', _))) => escaped = true,
            (c, Some((q, _))) if c == q => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some((c, i)),
            ('#', None) => comment = true,
            ('[' | '{', None) => brackets.push(i),
            (']' | '}', None) => {
                brackets.pop();
            }
            _ => {}
        }
    }
    (brackets.last().copied(), quote.map(|(_, i)| i))
}
