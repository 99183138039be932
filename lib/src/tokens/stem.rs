//! A light stemmer: plurals and the commonest endings of verbs, so that `retries`, `retried` and `retry` meet.

/// The stem of an English word in small letters; words of other scripts, short words and words with digits stay.
///
/// It only has to be the same for forms of one word, not a word itself. Ours, after the first steps of Porter's (1980).
#[must_use]
pub fn stem(word: &str) -> &str {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    &word[..length(word.as_bytes())]
}

/// The length of the stem: it is always the beginning of the word. This is a turn's hottest code, so nothing is searched
/// for that the last letter rules out.
fn length(word: &[u8]) -> usize {
    let word = &word[..plural(word)];
    let ending: &[u8] = match word.last() {
        Some(b'd') => b"ed",
        Some(b'g') => b"ing",
        Some(b'r') => b"er",
        Some(b'y') if word.ends_with(b"edly") => b"edly",
        Some(b'y') => b"ly",
        _ => b"",
    };
    let cut = word.strip_suffix(ending).filter(|stem| !ending.is_empty() && stem.len() >= 3 && has_vowel(stem));
    let mut stem = cut.unwrap_or(word);
    // `stopped`, `running`: the letter was doubled for the ending.
    if cut.is_some()
        && let [.., before, last] = stem
        && stem.len() > 3
        && before == last
        && !matches!(last, b'l' | b's' | b'z' | b'e' | b'o')
    {
        stem = &stem[..stem.len() - 1];
    }
    // `caches` and `caching`, `retry` and `retried`.
    match stem {
        [short @ .., b'e' | b'i' | b'y'] if short.len() >= 3 => short.len(),
        _ => stem.len(),
    }
}

/// The length of a word without what makes it a plural.
fn plural(word: &[u8]) -> usize {
    let all = word.len();
    match word {
        [rest @ .., b'i', b'e', b's'] => {
            if rest.len() >= 2 {
                all - 2
            } else {
                all
            }
        }
        [.., b's' | b'x' | b'z', b'e', b's'] | [.., b'c' | b's', b'h', b'e', b's'] => all - 2,
        [.., b's' | b'u' | b'i', b's'] => all,
        [.., b's'] => all - 1,
        _ => all,
    }
}

fn has_vowel(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
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
