//! What an unknown word was perhaps meant to be.

/// Says that a flag or command is unknown, and which known one is near.
pub(super) fn unknown(what: &str, dashes: &str, word: &str, known: impl Iterator<Item = &'static str>) -> String {
    let shown = shown(word);
    let near = known.map(|name| (distance(word, name), name)).filter(|(far, name)| *far <= 2 && *far < name.len()).min();
    match near {
        Some((_, name)) => format!("unknown {what}: {dashes}{shown}; did you mean {dashes}{name}?"),
        None => format!("unknown {what}: {dashes}{shown}"),
    }
}

/// A word of a command line, safe to print and no longer than a line.
pub(super) fn shown(word: &str) -> String {
    word.chars().take(40).flat_map(char::escape_debug).collect()
}

/// How many letters must be added, dropped, changed or swapped with their neighbour to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    // No known word is this long, and the work grows with the product.
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(40).collect(), b.chars().collect());
    let (mut before, mut last): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        (before, last) = (last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_shown_without_what_would_act_or_hide() {
        assert_eq!(shown("a\u{1b}[1m\u{202e}\u{200b}é"), "a\\u{1b}[1m\\u{202e}\\u{200b}é");
    }

    #[test]
    fn a_distance_counts_slips_of_the_hand() {
        for (a, b, far) in
            [("check", "check", 0), ("chekc", "check", 1), ("", "undo", 4), ("snapshot", "snapshots", 1), ("x", "policy", 6)]
        {
            assert_eq!(distance(a, b), far, "{a} {b}");
        }
    }
}
