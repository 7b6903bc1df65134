//! The known word a misspelt one was probably meant to be.

/// The closest of `known`: equal but for case, or within one edit per three letters. Among equals the one that
/// starts alike for longest wins, then the shortest, then the first.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody misspells a word this long, and the search stays cheap on garbage.
    if word.len() > 100 {
        return None;
    }
    let letters = lowercase(word);
    let allowed = (letters.len() / 3).max(1);
    let mut best: Option<([usize; 3], &str)> = None;
    for candidate in known {
        let other = lowercase(candidate);
        if other.len().abs_diff(letters.len()) > allowed {
            continue;
        }
        let edits = edits(&letters, &other);
        // Half a word changed is another word, not a misspelling.
        if edits > allowed || 2 * edits >= letters.len().max(other.len()) {
            continue;
        }
        let differing = letters.len() - letters.iter().zip(&other).take_while(|(a, b)| a == b).count();
        let far = [edits, differing, other.len()];
        if best.is_none_or(|(least, _)| far < least) {
            best = Some((far, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn lowercase(word: &str) -> Vec<char> {
    word.chars().flat_map(char::to_lowercase).collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`: the restricted distance of
/// Damerau and Levenshtein.
pub fn edits(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_count_by_hand() {
        let cases =
            [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("mass", "mas", 1), ("pump", "pmup", 1)];
        for (from, to, expected) in cases {
            let (a, b): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
            assert_eq!((edits(&a, &b), edits(&b, &a)), (expected, expected), "{from} → {to}");
        }
    }

    #[test]
    fn finds_the_word_that_was_meant() {
        let known = ["pressure", "volume", "q", "p_a", "restrictor"];
        assert_eq!(nearest("presure", known), Some("pressure"));
        assert_eq!(nearest("VOLUME", known), Some("volume"));
        assert_eq!(nearest("pa", known), Some("p_a"));
        assert_eq!(nearest("restritcor", known), Some("restrictor"));
        assert_eq!(nearest("sinn", ["sign", "sin"]), Some("sin"));
        assert_eq!(nearest("Q", known), Some("q"));
        assert_eq!(nearest("x", known), None);
        assert_eq!(nearest("q0", known), None);
        assert_eq!(nearest("torque", known), None);
        assert_eq!(nearest("", known), None);
    }
}
