//! Lines of bulk data, taken apart: small fields (8 columns), large ones (16 columns, marked by *) and free ones (commas), with continuations and included files.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trunnion_model::{Diagnostic, Source};

use super::super::{MALFORMED, MeshResult, UNREADABLE, fault};
use super::LoadIncluded;
use super::card::BulkCard;

/// Files that include each other.
const DEEPEST: usize = 10;

/// Tabs as blanks up to the next multiple of 8 columns.
pub(in super::super) fn without_tabs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        match c {
            '\t' => {
                let blanks = 8 - column % 8;
                out.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            }
            c => {
                out.push(c);
                column = if c == '\n' { 0 } else { column + 1 };
            }
        }
    }
    out
}

/// One line without its comment.
struct BulkLine<'a> {
    text: &'a str,
    start: usize,
    number: usize,
}

struct BulkLines<'s> {
    load: LoadIncluded<'s>,
    files: Vec<String>,
    cards: Vec<BulkCard>,
    /// What the last line names at its end, which the next may repeat.
    mark: String,
    ended: bool,
}

/// The files, and all cards of them.
pub(super) fn cards(main: &Arc<Source>, load: LoadIncluded<'_>) -> MeshResult<(Vec<String>, Vec<BulkCard>)> {
    let mut reader = BulkLines { load, files: vec![], cards: vec![], mark: String::new(), ended: false };
    reader.file(main, &mut vec![])?;
    Ok((reader.files, reader.cards))
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inside = text.get(range.clone()).unwrap_or("");
    let start = range.start + (inside.len() - inside.trim_start().len());
    start..start + inside.trim().len()
}

fn lines(source: &Source) -> impl Iterator<Item = BulkLine<'_>> {
    let mut start = 0;
    source.text.split('\n').enumerate().map(move |(k, whole)| {
        let line = BulkLine { text: whole.split('$').next().unwrap_or("").trim_end(), start, number: k + 1 };
        start += whole.len() + 1;
        line
    })
}

/// The first word of a line, in capitals.
fn first_word(line: &str) -> String {
    line.trim_start().split([' ', ',']).next().unwrap_or("").to_ascii_uppercase()
}

impl BulkLines<'_> {
    fn file(&mut self, source: &Arc<Source>, open: &mut Vec<PathBuf>) -> MeshResult<()> {
        let path = PathBuf::from(&*source.name);
        let file = self.files.len();
        self.files.push(source.name.to_string());
        open.push(path);
        let begins =
            |l: &BulkLine<'_>| first_word(l.text) == "BEGIN" && l.text.to_ascii_uppercase().contains("BULK");
        // What stands before, if anything, tells another program what to compute.
        let first = lines(source).find(begins).map_or(1, |l| l.number + 1);
        let mut include: Option<(Range<usize>, String)> = None;
        for line in lines(source).filter(|l| l.number >= first) {
            if self.ended {
                break;
            }
            if let Some((range, text)) = include.take() {
                include = self.included(source, open, range, text + line.text.trim())?;
                continue;
            }
            match first_word(line.text).as_str() {
                "" if line.text.trim().is_empty() => {}
                "ENDDATA" => self.ended = true,
                "INCLUDE" => {
                    let range = trimmed(&source.text, line.start..line.start + line.text.len());
                    let rest = line.text.trim()["INCLUDE".len()..].trim_start_matches([' ', ',']).to_string();
                    include = self.included(source, open, range, rest)?;
                }
                _ => self.line(source, file, &line)?,
            }
        }
        if let Some((range, _)) = include {
            return Err(fault(
                source,
                range,
                MALFORMED,
                "INCLUDE without an end",
                "the quote is not closed",
                "INCLUDE 'part.bdf'",
            ));
        }
        open.pop();
        Ok(())
    }

    /// Reads a file that is included, or asks for the next line where its name does not end.
    fn included(
        &mut self,
        source: &Arc<Source>,
        open: &mut Vec<PathBuf>,
        range: Range<usize>,
        text: String,
    ) -> MeshResult<Option<(Range<usize>, String)>> {
        let name = match text.strip_prefix('\'').or_else(|| text.strip_prefix('"')) {
            Some(inside) => match inside.split_once(['\'', '"']) {
                Some((name, _)) => name.to_string(),
                None => return Ok(Some((range, text))),
            },
            None if text.is_empty() => return Ok(Some((range, text))),
            None => text,
        };
        let folder = Path::new(&*source.name).parent().unwrap_or(Path::new(""));
        let path = folder.join(name.trim());
        let refuse = |reason: &str| {
            let message = format!("cannot include `{}`: {reason}", path.display());
            fault(
                source,
                range.clone(),
                UNREADABLE,
                message,
                "included here",
                "files include each other in a circle, or too deeply",
            )
        };
        if open.contains(&path) {
            return Err(refuse("it is being read already"));
        }
        if open.len() >= DEEPEST {
            return Err(refuse(&format!("more than {DEEPEST} files include each other")));
        }
        let next = (self.load)(&path).map_err(|error| {
            let at = trunnion_model::Span::new(source, range.clone());
            Box::new((*error).at(&at, "included here"))
        })?;
        self.mark.clear();
        self.file(&next, open)?;
        Ok(None)
    }

    fn line(&mut self, source: &Arc<Source>, file: usize, line: &BulkLine<'_>) -> MeshResult<()> {
        let whole = trimmed(&source.text, line.start..line.start + line.text.len());
        let malformed = |message: String, hint: &str| -> Box<Diagnostic> {
            fault(source, whole.clone(), MALFORMED, message, "here", hint)
        };
        if !line.text.is_ascii() {
            let message = format!("line {} has characters that bulk data do not have", line.number);
            return Err(malformed(message, "only comments, behind $, may have any characters"));
        }
        let columns = if line.text.contains(',') { free(line) } else { fixed(line) };
        let Some(columns) = columns else {
            let message = format!("line {} has too many fields", line.number);
            return Err(malformed(
                message,
                "a line has a name, 8 fields (4 with *) and the mark of a continuation",
            ));
        };
        let text = |r: &Range<usize>| source.text[r.clone()].to_ascii_uppercase();
        let head = text(&columns.head);
        let large = columns.large;
        if head.is_empty() || head.starts_with(['+', '*']) {
            let named = head.trim_start_matches(['+', '*']);
            let mark = std::mem::take(&mut self.mark);
            let Some(card) = self.cards.last_mut().filter(|c| c.file == file) else {
                return Err(malformed(
                    format!("line {} continues nothing", line.number),
                    "no card stands above it",
                ));
            };
            if !named.is_empty() && !mark.is_empty() && named != mark {
                let message = format!("line {} continues another card", line.number);
                return Err(malformed(message, "continuations follow their card line by line, in order"));
            }
            if !large {
                pad(&mut card.fields, &columns.head, 8);
            }
            card.fields.extend(columns.fields);
        } else {
            let name = head.trim_end_matches('*').trim().to_string();
            let name_range = columns.head.clone();
            let fields = columns.fields;
            self.cards.push(BulkCard {
                source: source.clone(),
                file,
                line: line.number,
                name,
                name_range,
                fields,
            });
        }
        self.mark = text(&columns.tail).trim_start_matches(['+', '*']).to_string();
        Ok(())
    }
}

/// Blank fields up to a multiple of `count`.
fn pad(fields: &mut Vec<Range<usize>>, at: &Range<usize>, count: usize) {
    while !fields.len().is_multiple_of(count) {
        fields.push(at.start..at.start);
    }
}

/// The parts of one line.
struct BulkColumns {
    head: Range<usize>,
    /// 8, or 4 large ones.
    fields: Vec<Range<usize>>,
    tail: Range<usize>,
    large: bool,
}

fn fixed(line: &BulkLine<'_>) -> Option<BulkColumns> {
    let column = |from: usize, to: usize| {
        let (from, to) = (from.min(line.text.len()), to.min(line.text.len()));
        let inside = trimmed(line.text, from..to);
        line.start + inside.start..line.start + inside.end
    };
    let head = column(0, 8);
    let large = line.text[head.start - line.start..head.end - line.start].contains('*');
    let width = if large { 16 } else { 8 };
    let fields = (0..64 / width).map(|k| column(8 + k * width, 8 + (k + 1) * width)).collect();
    Some(BulkColumns { head, fields, tail: column(72, 80), large })
}

fn free(line: &BulkLine<'_>) -> Option<BulkColumns> {
    let mut parts = vec![];
    let mut at = 0;
    for part in line.text.split(',') {
        let inside = trimmed(line.text, at..at + part.len());
        parts.push(line.start + inside.start..line.start + inside.end);
        at += part.len() + 1;
    }
    let head = parts.remove(0);
    let large = line.text[head.start - line.start..head.end - line.start].contains('*');
    let count = if large { 4 } else { 8 };
    let end = line.start + line.text.len();
    let mut rest = parts.split_off(parts.len().min(count)).into_iter();
    let tail = rest.next().unwrap_or(end..end);
    if rest.any(|r| !r.is_empty()) {
        return None;
    }
    let mut fields = parts;
    pad(&mut fields, &(end..end), count);
    Some(BulkColumns { head, fields, tail, large })
}
