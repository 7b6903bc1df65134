//! Names in the sources: every type has one of its own, private words stay out, and `pub` is what another crate uses.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|e| e.unwrap().path()) {
        match path.is_dir() {
            true => rust_files(&path, found),
            false if path.extension().is_some_and(|e| e == "rs") => found.push(path),
            false => {}
        }
    }
}

/// A source without comments, and with nothing inside its literals.
fn code_of(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(c) = rest.chars().next() {
        let skipped = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => 2 + string_length(&rest[1..]),
            'r' if !out.ends_with(is_word) => raw_length(rest).unwrap_or(0),
            '\'' => char_length(rest).unwrap_or(0),
            _ => 0,
        };
        if skipped > 0 {
            // Two literals beside each other stay two.
            out.push(' ');
            rest = &rest[skipped.min(rest.len())..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Bytes up to the quote that ends a string.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at,
            _ => {}
        }
    }
    text.len()
}

/// Of r#"…"#.
fn raw_length(text: &str) -> Option<usize> {
    let hashes = text[1..].chars().take_while(|c| *c == '#').count();
    let inside = text[1 + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(2 + hashes + inside.find(&end)? + end.len())
}

/// Of 'x' or '\n'; None of a lifetime.
fn char_length(text: &str) -> Option<usize> {
    let inside = &text[1..];
    if inside.starts_with('\\') {
        return Some(3 + inside[2..].find('\'')?);
    }
    let length = inside.chars().next()?.len_utf8();
    inside[length..].starts_with('\'').then_some(2 + length)
}

struct SourceFile {
    path: String,
    /// `crates/sim` of its library; tests, benches and examples are crates of their own.
    home: String,
    code: String,
}

/// All sources of crates and programs. In `src` what only tests see is left out.
fn sources() -> Vec<SourceFile> {
    let mut found = vec![];
    for group in ["crates", "apps"] {
        for entry in fs::read_dir(root().join(group)).unwrap() {
            let name = format!("{group}/{}", entry.unwrap().file_name().to_string_lossy());
            let mut files = vec![];
            rust_files(&root().join(&name), &mut files);
            let texts: Vec<String> = files.iter().map(|f| fs::read_to_string(f).unwrap()).collect();
            let tests: Vec<&str> = texts
                .iter()
                .flat_map(|text| text.split("#[cfg(test)]\nmod ").skip(1))
                .filter_map(|rest| rest.lines().next()?.strip_suffix(';'))
                .collect();
            for (file, text) in files.iter().zip(&texts) {
                let path = file.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
                let in_source = path.starts_with(&format!("{name}/src/"));
                let parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
                if in_source && parts.iter().any(|part| tests.contains(part)) {
                    continue;
                }
                let text = match in_source {
                    true => text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default(),
                    false => text,
                };
                let home = if in_source { name.clone() } else { path.clone() };
                found.push(SourceFile { path, home, code: code_of(text) });
            }
        }
    }
    found
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c| !is_word(c)).filter(|w| w.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// The name that a line defines, if it begins with one of these keywords after its visibility.
fn defined<'a>(line: &'a str, keywords: &[&str]) -> Option<&'a str> {
    let mut line = line.trim_start();
    if let Some(rest) = line.strip_prefix("pub") {
        line = rest.strip_prefix('(').map_or(rest, |r| r.split_once(')').map_or("", |s| s.1)).trim_start();
    }
    let rest = keywords.iter().find_map(|k| line.strip_prefix(k)?.strip_prefix(' '))?;
    words(rest).next()
}

/// Stand-ins of a build without JavaScript.
const STAND_INS: [&str; 3] = ["Limits", "Offer", "Script"];

#[test]
fn every_type_has_a_name_of_its_own() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in sources().iter().filter(|f| !f.home.ends_with(".rs")) {
        for line in file.code.lines() {
            // `type` inside an impl or a trait belongs to that.
            let keywords = ["struct", "enum", "union", "trait", "unsafe trait", "type"];
            let keywords = if line.starts_with(' ') { &keywords[..5] } else { &keywords[..] };
            if let Some(name) = defined(line, keywords).filter(|n| !STAND_INS.contains(n)) {
                places.entry(name.to_string()).or_default().push(file.path.clone());
            }
        }
    }
    assert!(places.len() > 500, "only {} types were found", places.len());
    let twice: Vec<_> = places.iter().filter(|(_, files)| files.len() > 1).collect();
    assert!(twice.is_empty(), "types of one name; each should say where it belongs: {twice:#?}");
}

/// Words of no textbook, and what to write instead.
const PRIVATE: [(&str, &str); 14] = [
    ("happen", "handle_events, fire"),
    ("take_sides", "update_guard_sides"),
    ("lean", "set_side"),
    ("hopeless", "unsolvable, a limit"),
    ("impatient", "a time limit"),
    ("patience", "a time limit"),
    ("nobody", "none, unused"),
    ("trouble", "failure, error"),
    ("rubbing", "friction"),
    ("blur", "uncertainty, band"),
    ("course", "trajectory, history"),
    ("stuck", "failure; of friction: sticks"),
    ("glance", "an interval"),
    ("closure", "constraints"),
];

/// `handle_events` → handle, events; `BondNode` → bond, node.
fn segments(name: &str) -> BTreeSet<String> {
    let mut found = vec![String::new()];
    let shouts = !name.contains(|c: char| c.is_lowercase());
    for c in name.chars() {
        if c == '_' || (c.is_uppercase() && !shouts) {
            found.push(String::new());
        }
        if c != '_' {
            found.last_mut().unwrap().extend(c.to_lowercase());
        }
    }
    found.into_iter().collect()
}

#[test]
fn names_are_words_of_the_field() {
    let mut wrong = BTreeSet::new();
    for file in sources().iter().filter(|f| !f.home.ends_with(".rs")) {
        for name in words(&file.code) {
            let parts = segments(name);
            for (_, instead) in PRIVATE.iter().filter(|p| p.0 == name || parts.contains(p.0)) {
                wrong.insert(format!("{}: `{name}`; in the field: {instead}", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Public items that begin in a line, methods and fields too.
const ITEMS: [&str; 11] =
    ["fn", "const fn", "unsafe fn", "struct", "enum", "union", "trait", "type", "const", "static", "mod"];

/// What the signatures of a library show: from a `pub` on to its body, with the bodies of enums and traits; and heads of impls.
fn signatures(code: &str) -> String {
    let mut found = String::new();
    let mut lines = code.lines().peekable();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        let shown = text.starts_with("pub ") || text.starts_with("impl") || text.starts_with("type ");
        if !shown {
            continue;
        }
        let whole = defined(line, &["enum", "trait"]).is_some();
        let indent = line.len() - text.len();
        found += line;
        let is_field = text.starts_with("pub ") && defined(line, &ITEMS).is_none();
        let ends = |l: &str| l.contains(['{', ';']) || (is_field && l.trim_end().ends_with(','));
        let mut open = whole || !ends(line);
        while let Some(next) = lines.peek().filter(|_| open) {
            let closes = next.starts_with(&format!("{}}}", " ".repeat(indent)));
            found += next;
            open = if whole { !closes } else { !ends(next) };
            lines.next();
        }
        found.push('\n');
    }
    found
}

#[test]
fn what_is_public_is_used_by_another_crate() {
    let files = sources();
    // The manual shows parts of libraries to those who write programs of their own.
    let manual: Vec<String> = ["elastic", "robots", "rust"]
        .iter()
        .map(|page| fs::read_to_string(root().join(format!("docs/guides/{page}.md"))).unwrap())
        .collect();
    let mut named: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for word in manual.iter().flat_map(|page| words(page)) {
        named.entry(word).or_default().insert("docs/guides");
    }
    let mut shown: BTreeMap<&str, String> = BTreeMap::new();
    for file in &files {
        words(&file.code).for_each(|w| {
            named.entry(w).or_default().insert(&file.home);
        });
        *shown.entry(&file.home).or_default() += &signatures(&file.code);
    }
    let shown: BTreeMap<&str, BTreeMap<&str, usize>> = shown
        .iter()
        .map(|(home, text)| {
            let mut counts = BTreeMap::new();
            words(text).for_each(|w| *counts.entry(w).or_default() += 1);
            (*home, counts)
        })
        .collect();
    let mut wrong = BTreeSet::new();
    for file in files.iter().filter(|f| f.home.starts_with("crates/") && !f.home.ends_with(".rs")) {
        for line in file.code.lines().filter(|l| l.trim_start().starts_with("pub ")) {
            let Some(name) = defined(line, &ITEMS) else { continue };
            let elsewhere = named[name].iter().any(|home| *home != file.home);
            // Its definition is one mention; a second one is the signature of something else.
            let in_signature = shown[file.home.as_str()].get(name).is_some_and(|n| *n > 1);
            let is_type = name.starts_with(char::is_uppercase);
            if !(elsewhere || is_type && in_signature) {
                wrong.insert(format!("{}: {name}", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "pub(crate) is enough for {} items: {wrong:#?}", wrong.len());
}
