//! From a place in the value of a TOML string to the place in the file: quotes, escapes, line ends.

use std::ops::Range;

/// For each byte of the value, and its end, the byte of `raw` it comes from. `raw` is the string with its
/// quotes, as a valid TOML file has it; what is not a quoted string is taken as it stands.
pub fn offsets(raw: &str) -> Vec<usize> {
    let (open, basic) = match raw.as_bytes() {
        [b'"', b'"', b'"', ..] if raw.len() >= 6 => (3, true),
        [b'\'', b'\'', b'\'', ..] if raw.len() >= 6 => (3, false),
        [b'"', ..] if raw.len() >= 2 => (1, true),
        [b'\'', ..] if raw.len() >= 2 => (1, false),
        _ => return (0..=raw.len()).collect(),
    };
    let end = raw.len() - open;
    let mut map = Vec::with_capacity(raw.len());
    let mut at = open;
    if open == 3 {
        // A line end right after the opening quotes is not part of the value.
        at += if raw[at..].starts_with("\r\n") { 2 } else { usize::from(raw[at..].starts_with('\n')) };
    }
    while at < end {
        let Some(c) = raw[at..].chars().next() else { break };
        if c == '\\' && basic {
            at = escape(raw, at, end, &mut map);
        } else if open == 3 && raw[at..].starts_with("\r\n") {
            // The value keeps both bytes.
            map.extend([at, at + 1]);
            at += 2;
        } else {
            map.extend(at..at + c.len_utf8());
            at += c.len_utf8();
        }
    }
    map.push(end);
    map
}

/// One escape that begins at `at`; gives where the next character begins.
fn escape(raw: &str, at: usize, end: usize, map: &mut Vec<usize>) -> usize {
    let digits = match raw.as_bytes().get(at + 1) {
        Some(b'x') => 2,
        Some(b'u') => 4,
        Some(b'U') => 8,
        Some(b' ' | b'\t' | b'\n' | b'\r') => {
            // A line-ending backslash swallows the white space after it.
            let rest = &raw[at + 1..end];
            return at + 1 + (rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len());
        }
        _ => {
            map.push(at);
            return (at + 2).min(end);
        }
    };
    let code = raw.get(at + 2..at + 2 + digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let width = code.and_then(char::from_u32).map_or(1, char::len_utf8);
    map.extend(std::iter::repeat_n(at, width));
    (at + 2 + digits).min(end)
}

/// The bytes of the file for bytes of the value; `start` is where `raw` begins in the file.
pub fn locate(raw: &str, start: usize, range: &Range<usize>) -> Range<usize> {
    let map = offsets(raw);
    let at = |i: usize| map.get(i).copied().unwrap_or(raw.len());
    let from = at(range.start);
    // An empty range stays a point; the end of an escape is where the next character begins.
    let to = if range.is_empty() { from } else { at(range.end).max(from) };
    start + from..start + to
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of `raw` that give the given piece of the value.
    fn check(raw: &str, piece: &str, expected: &str) {
        let doc = format!("x = {raw}\n");
        let (table, errors) = toml::de::DeTable::parse_recoverable(&doc);
        assert!(errors.is_empty(), "{errors:?}");
        let value = table.get_ref().get("x").unwrap().get_ref().as_str().unwrap().to_string();
        assert_eq!(offsets(raw).len(), value.len() + 1, "{raw:?} gives {value:?}");
        let from = value.find(piece).unwrap();
        assert_eq!(&raw[locate(raw, 0, &(from..from + piece.len()))], expected);
    }

    #[test]
    fn places_survive_quotes_and_escapes() {
        check(r#""a = b""#, "b", "b");
        check("'a = b'", "b", "b");
        check(r#""a\tb\"c""#, "c", "c");
        check(r#""a\tb""#, "\t", r"\t");
        check(r#""\u0394p = Δq""#, "Δq", "Δq");
        check(r#""\u0394p = q""#, "Δp", r"\u0394p");
        check("\"\"\"\na = b\n + c\"\"\"", "c", "c");
        check("\"\"\"a \\\n    + c\"\"\"", "c", "c");
        check("'''\na = \\b'''", "\\b", "\\b");
        check("\"\"\"a\r\nb\"\"\"", "b", "b");
    }
}
