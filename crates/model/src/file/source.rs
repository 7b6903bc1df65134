//! Texts and places in them.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A text with the name it is shown under.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    pub name: Arc<str>,
    pub text: String,
    /// Whether messages may show lines of it.
    pub quotable: bool,
}

impl Source {
    pub fn new(name: &str, text: String) -> Arc<Self> {
        Arc::new(Source { name: name.into(), text, quotable: true })
    }

    /// A file that a model names. What does not end as a file of ours may be anything, and is not quoted.
    pub(crate) fn named_by_model(name: &str, text: String) -> Arc<Self> {
        const OURS: [&str; 10] =
            [".toml", ".js", ".mjs", ".robot", ".csv", ".tsv", ".txt", ".dat", ".urdf", ".xml"];
        let lower = name.to_ascii_lowercase();
        let quotable = OURS.iter().any(|ending| lower.ends_with(ending));
        Arc::new(Source { name: name.into(), text, quotable })
    }

    /// Line and column of a byte, both from 1, the column in characters.
    pub fn position(&self, byte: usize) -> (usize, usize) {
        let before = &self.text.as_bytes()[..byte.min(self.text.len())];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        // Bytes that continue a UTF-8 character are not counted.
        let column = before[start..].iter().filter(|&&b| b & 0xC0 != 0x80).count() + 1;
        (line, column)
    }

    /// The line that holds a byte, and where it begins.
    pub fn line_of(&self, byte: usize) -> (usize, &str) {
        let bytes = self.text.as_bytes();
        let byte = byte.min(bytes.len());
        let start = bytes[..byte].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let end = bytes[start..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |i| start + i);
        (start, self.text[start..end].trim_end_matches('\r'))
    }
}

/// A stretch of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub source: Arc<Source>,
    pub range: Range<usize>,
}

impl Span {
    pub fn new(source: &Arc<Source>, range: Range<usize>) -> Self {
        Span { source: source.clone(), range }
    }

    pub fn text(&self) -> &str {
        self.source.text.get(self.range.clone()).unwrap_or("")
    }
}

/// All texts a model was read from, by name.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    list: Vec<Arc<Source>>,
}

impl Sources {
    pub fn add(&mut self, source: &Arc<Source>) {
        if self.get(&source.name).is_none() {
            self.list.push(source.clone());
        }
    }

    pub fn get(&self, name: &str) -> Option<&Arc<Source>> {
        self.list.iter().find(|s| &*s.name == name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Source>> {
        self.list.iter()
    }

    /// The same for the same names and texts, in any order of reading; 32 hexadecimal digits. Folder names
    /// do not count, so a model keeps its hash when it moves.
    pub fn hash(&self) -> String {
        let of_source = |s: &Arc<Source>| {
            let mut hash = ContentHash::EMPTY;
            hash.add(s.name.rsplit('/').next().unwrap_or("").as_bytes());
            hash.add(&[0]);
            hash.add(s.text.as_bytes());
            hash.0
        };
        let mut parts: Vec<u128> = self.list.iter().map(of_source).collect();
        parts.sort_unstable();
        let mut all = ContentHash::EMPTY;
        parts.iter().for_each(|p| all.add(&p.to_le_bytes()));
        all.to_string()
    }
}

/// FNV-1a, 128 bits; shown as 32 hexadecimal digits. What is written to it as text is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentHash(pub u128);

impl ContentHash {
    pub const EMPTY: ContentHash = ContentHash(0x6c62272e07bb014262b821756295c58d);

    pub fn add(&mut self, bytes: &[u8]) {
        const PRIME: u128 = 0x0000000001000000000000000000013B;
        self.0 = bytes.iter().fold(self.0, |h, &b| (h ^ u128::from(b)).wrapping_mul(PRIME));
    }
}

impl fmt::Write for ContentHash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        let s = Source::new("a", "é = 1\r\nΔp = 2".into());
        assert_eq!(s.position(0), (1, 1));
        assert_eq!(s.position(3), (1, 3));
        assert_eq!(s.position(8 + "Δp".len()), (2, 3));
        assert_eq!(s.line_of(3), (0, "é = 1"));
        assert_eq!(s.line_of(100), (8, "Δp = 2"));
    }

    #[test]
    fn the_hash_follows_texts_not_folders_or_order() {
        let of = |files: &[(&str, &str)]| {
            let mut sources = Sources::default();
            for (name, text) in files {
                sources.add(&Source::new(name, text.to_string()));
            }
            sources.hash()
        };
        assert_eq!(of(&[("x/a", "1"), ("x/b", "2")]), of(&[("y/b", "2"), ("y/a", "1")]));
        assert_ne!(of(&[("a", "1")]), of(&[("a", "2")]));
        assert_eq!(of(&[]).len(), 32);
    }
}
