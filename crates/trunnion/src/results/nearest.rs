//! Which known names a mistyped one may have meant.

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
    if is_tail || wanted.to_lowercase() == name.to_lowercase() { 1 } else { edits(wanted, name) }
}

/// Insertions, deletions, substitutions and swaps of neighbours from one text to the other.
fn edits(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for i in 1..=from.len() {
        let mut row = vec![i; to.len() + 1];
        for j in 1..=to.len() {
            let change = usize::from(from[i - 1] != to[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + change);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_count_by_hand() {
        for (from, to, expected) in
            [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("mass", "mas", 1), ("pump", "pmup", 1)]
        {
            assert_eq!(edits(from, to), expected, "{from} → {to}");
            assert_eq!(edits(to, from), expected, "{to} → {from}");
        }
    }

    #[test]
    fn nearest_first_and_nothing_far() {
        let names = ["body.x", "body.v", "gas.p"];
        assert_eq!(nearest("body.y", names), ["body.x", "body.v"]);
        assert_eq!(nearest("x", names), ["body.x"]);
        assert_eq!(nearest("GAS.P", names), ["gas.p"]);
        assert!(nearest("controller", names).is_empty());
    }
}
