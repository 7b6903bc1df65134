//! Which known names a mistyped one may have meant.

use trunnion_model::edits;

/// Up to three of `names` nearest to `wanted`, best first; none when nothing is close.
///
/// Close is a restricted Damerau–Levenshtein distance of at most a third of the letters. A name that differs
/// in case only, or that ends with the wanted one after a dot (`x` for `body.x`), counts as one edit.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = (wanted.chars().count() / 3).max(1);
    let mut found: Vec<(usize, &str)> = names
        .into_iter()
        .map(|name| (distance(wanted, name), name))
        .filter(|(edits, _)| *edits <= limit)
        .collect();
    found.sort_by_key(|(edits, _)| *edits);
    found.into_iter().take(3).map(|(_, name)| name).collect()
}

fn distance(wanted: &str, name: &str) -> usize {
    let is_tail = name.strip_suffix(wanted).is_some_and(|head| head.ends_with('.'));
    if is_tail || wanted.to_lowercase() == name.to_lowercase() {
        return 1;
    }
    let (from, to): (Vec<char>, Vec<char>) = (wanted.chars().collect(), name.chars().collect());
    edits(&from, &to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_first_and_nothing_far() {
        let names = ["body.x", "body.v", "gas.p"];
        assert_eq!(nearest("body.y", names), ["body.x", "body.v"]);
        assert_eq!(nearest("x", names), ["body.x"]);
        assert_eq!(nearest("GAS.P", names), ["gas.p"]);
        assert!(nearest("controller", names).is_empty());
    }
}
