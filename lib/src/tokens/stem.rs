//! A light stemmer: plurals and the commonest endings of verbs, so that `retries`, `retried` and `retry` meet.

/// The stem of an English word in small letters; words of other scripts, short words and words with digits stay.
///
/// It only has to be the same for forms of one word, not a word itself. Ours, after the first steps of Porter's (1980).
#[must_use]
pub fn stem(word: &str) -> &str {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    let word = plural(word);
    let cut = ["ing", "edly", "ed", "er", "ly"]
        .iter()
        .find_map(|end| word.strip_suffix(end))
        .filter(|stem| stem.len() >= 3 && has_vowel(stem));
    let mut stem = cut.unwrap_or(word);
    // `stopped`, `running`: the letter was doubled for the ending.
    if cut.is_some() && stem.len() > 3 {
        let bytes = stem.as_bytes();
        let last = bytes[bytes.len() - 1];
        if last == bytes[bytes.len() - 2] && !matches!(last, b'l' | b's' | b'z' | b'e' | b'o') {
            stem = &stem[..stem.len() - 1];
        }
    }
    // `caches` and `caching`, `retry` and `retried`.
    let short = stem.strip_suffix('e').or_else(|| stem.strip_suffix('y')).or_else(|| stem.strip_suffix('i'));
    short.filter(|short| short.len() >= 3).unwrap_or(stem)
}

fn plural(word: &str) -> &str {
    if let Some(rest) = word.strip_suffix("ies") {
        return if rest.len() >= 2 { &word[..word.len() - 2] } else { word };
    }
    match word.strip_suffix("es") {
        Some(rest) if ["s", "x", "z", "ch", "sh"].iter().any(|end| rest.ends_with(end)) => return rest,
        _ => {}
    }
    match word.strip_suffix('s') {
        Some(rest) if !rest.ends_with(['s', 'u', 'i']) => rest,
        _ => word,
    }
}

fn has_vowel(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn forms_of_a_word_meet() {
        for forms in [
            &["retry", "retries", "retried", "retrying"][..],
            &["stop", "stops", "stopped", "stopping"],
            &["cache", "caches", "cached", "caching"],
            &["match", "matches", "matched", "matching"],
            &["index", "indexes", "indexed"],
            &["lock", "locks", "locked", "locking"],
            &["query", "queries", "queried"],
            &["class", "classes"],
        ] {
            let stems: Vec<&str> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|other| *other == stems[0]), "{forms:?} {stems:?}");
        }
    }

    #[test]
    fn what_is_short_or_foreign_stays() {
        for word in ["is", "bus", "status", "größe", "sha256", "thing", "this", "string"] {
            assert!(stem(word).len() + 2 >= word.len(), "{word} {}", stem(word));
        }
        assert_eq!(stem("größe"), "größe");
    }
}
