//! Text in rows and columns: the one reader for results, measurements and tables.
//!
//! ```text
//! # model: strut                      a comment; `key: value` in it is read by `entry`
//! time [s],"stroke, measured [mm]"    the first other line: names, each with its unit in brackets if it has one
//! 0,1.5                               rows of as many cells; an empty one is a missing value
//! ```
//!
//! Cells are separated by commas, semicolons or tabs, whichever the line of names has most of outside quotes. Blanks around a cell do not count.
//! A cell in double quotes may hold separators, and doubled quotes for one. Empty lines and a byte order mark are skipped. A cell ends with
//! its line.

use std::borrow::Cow;
use std::ops::Range;

#[derive(Clone, Debug)]
pub struct CsvText<'t> {
    text: &'t str,
    separator: char,
    /// Without the `#` they begin with.
    pub comments: Vec<&'t str>,
    pub head: Vec<CsvHeading<'t>>,
    /// Number of the line, from 1, and the line.
    lines: Vec<(usize, &'t str)>,
}

/// Name and unit of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct CsvHeading<'t> {
    pub name: Cow<'t, str>,
    pub unit: Option<Cow<'t, str>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CsvCell<'t> {
    pub text: Cow<'t, str>,
    /// Its bytes in the whole text, without quotes.
    pub place: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CsvRow<'t> {
    /// From 1.
    pub line: usize,
    pub cells: Vec<CsvCell<'t>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CsvFault {
    /// There is no line of names.
    Empty,
    /// Numbers where the names should be.
    NoHeader { line: usize, place: Range<usize> },
    /// A row of another length than the line of names; `place` is its first cell too many, or its last one.
    Cells { line: usize, found: usize, expected: usize, place: Range<usize> },
}

impl CsvCell<'_> {
    /// NaN where there is nothing.
    pub fn number(&self) -> Option<f64> {
        if self.text.is_empty() { Some(f64::NAN) } else { self.text.parse().ok() }
    }
}

impl<'t> CsvText<'t> {
    pub fn read(text: &'t str) -> Result<Self, CsvFault> {
        let whole = text;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (mut comments, mut lines) = (vec![], vec![]);
        for (idx, line) in text.lines().enumerate() {
            match line.strip_prefix('#') {
                Some(comment) => comments.push(comment),
                None if line.trim().is_empty() => {}
                None => lines.push((idx + 1, line)),
            }
        }
        if lines.is_empty() {
            return Err(CsvFault::Empty);
        }
        let (line, names) = lines.remove(0);
        let separator = separator(names);
        let cells = split(whole, names, separator);
        if cells.iter().all(|cell| cell.text.parse::<f64>().is_ok()) {
            let start = offset(whole, names);
            return Err(CsvFault::NoHeader { line, place: start..start + names.len() });
        }
        let head = cells.into_iter().map(|cell| heading(cell.text)).collect();
        Ok(CsvText { text: whole, separator, comments, head, lines })
    }

    pub fn rows(&self) -> impl Iterator<Item = Result<CsvRow<'t>, CsvFault>> + '_ {
        self.lines.iter().map(|&(line, text)| {
            let cells = split(self.text, text, self.separator);
            let (found, expected) = (cells.len(), self.head.len());
            if found == expected {
                return Ok(CsvRow { line, cells });
            }
            let place = cells[expected.min(found - 1)].place.clone();
            Err(CsvFault::Cells { line, found, expected, place })
        })
    }

    /// Which character of its line a byte of the text is, from 1.
    pub fn character(text: &str, at: usize) -> usize {
        let before = text.get(..at).unwrap_or_default();
        1 + before.rsplit('\n').next().unwrap_or_default().trim_start_matches('\u{feff}').chars().count()
    }
}

/// Key and value of a comment `key: value`.
pub fn entry(comment: &str) -> Option<(String, String)> {
    let (key, value) = comment.trim_start().split_once(": ")?;
    Some((unescape(key), unescape(value)))
}

/// The comment that [`entry`] reads back.
pub fn comment(key: &str, value: &str) -> String {
    format!("# {}: {}\n", escape(key).replace(": ", ":\\ "), escape(value))
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    plain
}

fn separator(names: &str) -> char {
    let mut quoted = false;
    let mut counts = [('\t', 0), (';', 0), (',', 0)];
    for c in names.chars() {
        quoted ^= c == '"';
        counts.iter_mut().filter(|(s, _)| *s == c && !quoted).for_each(|(_, n)| *n += 1);
    }
    // Of equal counts the last, a comma.
    counts.into_iter().max_by_key(|(_, n)| *n).map_or(',', |(s, _)| s)
}

fn heading(cell: Cow<'_, str>) -> CsvHeading<'_> {
    let parts = cell.strip_suffix(']').and_then(|inner| inner.rsplit_once('['));
    let Some((name, unit)) = parts.map(|(name, unit)| (name.trim().len(), unit.trim().to_string())) else {
        return CsvHeading { name: cell, unit: None };
    };
    let unit = Some(unit).filter(|unit| !unit.is_empty()).map(Cow::Owned);
    let name = match cell {
        Cow::Borrowed(cell) => Cow::Borrowed(&cell[..name]),
        Cow::Owned(cell) => Cow::Owned(cell[..name].to_string()),
    };
    CsvHeading { name, unit }
}

fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

fn split<'t>(text: &str, line: &'t str, separator: char) -> Vec<CsvCell<'t>> {
    let plain = |cell: &'t str| {
        let cell = cell.trim();
        let start = offset(text, cell);
        CsvCell { text: Cow::Borrowed(cell), place: start..start + cell.len() }
    };
    if !line.contains('"') {
        return line.split(separator).map(plain).collect();
    }
    let mut cells = vec![];
    let mut rest = line;
    loop {
        match rest.trim_start_matches([' ', '\u{a0}']).strip_prefix('"') {
            Some(inner) => {
                let (cell, after) = unquoted(inner);
                let start = offset(text, inner);
                let len = inner.len() - after.len();
                let len = if inner[..len].ends_with('"') { len - 1 } else { len };
                cells.push(CsvCell { text: cell, place: start..start + len });
                rest = after.find(separator).map_or("", |at| &after[at..]);
            }
            None => {
                let end = rest.find(separator).unwrap_or(rest.len());
                cells.push(plain(&rest[..end]));
                rest = &rest[end..];
            }
        }
        match rest.strip_prefix(separator) {
            Some(after) => rest = after,
            None => return cells,
        }
    }
}

/// What stands before the closing quote, and what comes after it.
fn unquoted(inner: &str) -> (Cow<'_, str>, &str) {
    let mut chars = inner.char_indices().peekable();
    let mut doubled = false;
    while let Some((at, c)) = chars.next() {
        if c == '"' && chars.next_if(|(_, next)| *next == '"').is_none() {
            let cell = &inner[..at];
            let cell = if doubled { Cow::Owned(cell.replace("\"\"", "\"")) } else { Cow::Borrowed(cell) };
            return (cell, &inner[at + 1..]);
        }
        doubled |= c == '"';
    }
    (Cow::Borrowed(inner), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<Vec<f64>> {
        let csv = CsvText::read(text).unwrap();
        let row = |row: Result<CsvRow, _>| row.unwrap().cells.iter().map(|c| c.number().unwrap()).collect();
        csv.rows().map(row).collect()
    }

    #[test]
    fn separators_are_those_of_the_names() {
        for text in ["t,x\n0,1\n2,3", "t;x\n0;1\n2;3\n", "\u{feff}t\tx\r\n0\t1\r\n\r\n# end\r\n2\t3"] {
            assert_eq!(numbers(text), [[0.0, 1.0], [2.0, 3.0]], "{text}");
        }
        assert_eq!(numbers("\"a;b;c\",\"d\"\"e\"\n\"1\" , 2\n"), [[1.0, 2.0]]);
        assert_eq!(numbers("alone\n4\n"), [[4.0]]);
        assert!(numbers("a,b\n1,\n")[0][1].is_nan());
    }

    #[test]
    fn names_have_units_in_their_last_brackets() {
        let csv = CsvText::read("time [s],x[mm], y ,\"a, \"\"b\"\" [m/s]\",z [0] [],#").unwrap();
        let head: Vec<_> = csv.head.iter().map(|h| (&*h.name, h.unit.as_deref().unwrap_or(""))).collect();
        let expected = [("time", "s"), ("x", "mm"), ("y", ""), ("a, \"b\"", "m/s"), ("z [0]", ""), ("#", "")];
        assert_eq!(head, expected);
    }

    #[test]
    fn places_are_those_in_the_text() {
        let text = "# c\na;\"b\"\n 1 ;\"x\"\"y\"\nä; 7\n";
        let csv = CsvText::read(text).unwrap();
        let rows: Vec<CsvRow> = csv.rows().map(Result::unwrap).collect();
        let found: Vec<&str> = rows.iter().flat_map(|r| &r.cells).map(|c| &text[c.place.clone()]).collect();
        assert_eq!(found, ["1", "x\"\"y", "ä", "7"]);
        assert_eq!((rows[0].line, rows[1].line), (3, 4));
        assert_eq!(CsvText::character(text, rows[1].cells[1].place.start), 4);
        assert_eq!(rows[0].cells[1].text, "x\"y");
    }

    #[test]
    fn what_is_no_sheet_is_told_with_its_place() {
        assert_eq!(CsvText::read("# only\n\n").unwrap_err(), CsvFault::Empty);
        assert_eq!(CsvText::read("#\n1,\"2\"\n").unwrap_err(), CsvFault::NoHeader { line: 2, place: 2..7 });
        let fault = |text: &str| CsvText::read(text).unwrap().rows().find_map(Result::err).unwrap();
        assert_eq!(
            fault("a,b\n0,1\n0,1,2\n"),
            CsvFault::Cells { line: 3, found: 3, expected: 2, place: 12..13 }
        );
        assert_eq!(fault("a,b\n7\n"), CsvFault::Cells { line: 2, found: 1, expected: 2, place: 4..5 });
    }

    #[test]
    fn comments_keep_any_key_and_value() {
        let (key, value) = ("odd: key", " # 1: 2\r\n\\n");
        let text = comment(key, value);
        assert_eq!(
            entry(text.trim_end_matches('\n').trim_start_matches('#')).unwrap(),
            (key.into(), value.into())
        );
        assert_eq!(entry("nothing"), None);
    }

    #[test]
    fn no_text_brings_it_down() {
        let whole = "# a: b\n\"x, \"\"y\"\" [m]\";z\t,[ ]\n\"1\";2\n\"\n;;;\n\u{feff}\"";
        let ends: Vec<usize> = whole.char_indices().map(|(at, _)| at).collect();
        for &from in &ends {
            for &to in ends.iter().filter(|&&to| to >= from) {
                if let Ok(csv) = CsvText::read(&whole[from..to]) {
                    csv.rows().flatten().for_each(|row| assert_eq!(row.cells.len(), csv.head.len()));
                }
            }
        }
    }
}
