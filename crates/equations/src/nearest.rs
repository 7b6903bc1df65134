//! The known word a misspelt one was probably meant to be.

use strsim::osa_distance;

/// The closest of `known`: equal but for case, or within one edit per three letters. Among equals the one that
/// starts alike for longest wins, then one that the word begins with (`kg` for `kgs`), then the first.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Words this long are not misspelt, and the search stays cheap on garbage.
    if word.len() > 100 {
        return None;
    }
    let wanted = word.to_lowercase();
    let length = wanted.chars().count();
    let allowed = (length / 3).max(1);
    let mut best: Option<([usize; 3], &str)> = None;
    for candidate in known {
        let other = candidate.to_lowercase();
        let other_length = other.chars().count();
        if other_length.abs_diff(length) > allowed {
            continue;
        }
        // Swaps of neighbours count once.
        let edits = osa_distance(&wanted, &other);
        // Half a word changed is another word, not a misspelling.
        if edits > allowed || 2 * edits >= length.max(other_length) {
            continue;
        }
        let differing = length - wanted.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
        let far = [edits, differing, usize::from(!wanted.starts_with(&other))];
        if best.is_none_or(|(least, _)| far < least) {
            best = Some((far, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// "did you mean `…`?" for the nearest candidate.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, candidates).map(|c| format!("did you mean `{c}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_word_that_was_meant() {
        let known = ["pressure", "volume", "q", "p_a", "restrictor"];
        assert_eq!(nearest("presure", known), Some("pressure"));
        assert_eq!(nearest("VOLUME", known), Some("volume"));
        assert_eq!(nearest("pa", known), Some("p_a"));
        assert_eq!(nearest("restritcor", known), Some("restrictor"));
        assert_eq!(nearest("sinn", ["sign", "sin"]), Some("sin"));
        assert_eq!(nearest("kgs", ["kgf", "kg"]), Some("kg"));
        assert_eq!(nearest("Q", known), Some("q"));
        assert_eq!(nearest("x", known), None);
        assert_eq!(nearest("q0", known), None);
        assert_eq!(nearest("torque", known), None);
        assert_eq!(nearest("", known), None);
    }
}
