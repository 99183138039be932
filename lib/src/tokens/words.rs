//! Our own words: Unicode words and their parts, stemmed; pairs of neighbours for scripts without blanks; languages.

use super::exact::humps;
use super::stem::stem;
use std::ops::Range;

/// Longest word that is looked at, in bytes; what is longer is data.
const LONGEST: usize = 64;

/// Gives each word of a text, duplicates too, in its stem: the whole of a run of letters, digits and `_`, and where it
/// has several its parts by `_` and humps. Numbers and single letters are none. Scripts without blanks between words
/// give each pair of neighbours.
pub fn words(text: &str, mut give: impl FnMut(&str)) {
    let mut lower = String::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if blank(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && !blank(bytes[at]) {
            at += 1;
        }
        let run = &text[start..at];
        if run.is_ascii() {
            plain(run, &mut lower, &mut give);
        } else {
            foreign(run, &mut lower, &mut give);
        }
    }
}

/// What stands between words, as far as it is ASCII.
fn blank(byte: u8) -> bool {
    byte < 0x80 && byte != b'_' && !byte.is_ascii_alphanumeric()
}

/// Gives a word in small letters and in its stem, if it is one.
fn tell(word: &str, lower: &mut String, give: &mut impl FnMut(&str)) {
    if word.len() < 2 || word.len() > LONGEST || word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
        return;
    }
    lower.clear();
    if word.is_ascii() {
        lower.push_str(word);
        lower.make_ascii_lowercase();
    } else {
        lower.extend(word.chars().flat_map(char::to_lowercase));
    }
    give(stem(lower));
}

/// The words of a run of ASCII: nearly all there are.
fn plain(run: &str, lower: &mut String, give: &mut impl FnMut(&str)) {
    let bytes = run.as_bytes();
    let first = part(bytes, 0);
    let alone = first.as_ref().is_some_and(|first| part(bytes, first.end).is_none());
    if !alone {
        tell(run, lower, give);
    }
    let mut next = first;
    while let Some(range) = next {
        next = part(bytes, range.end);
        tell(&run[range], lower, give);
    }
}

/// The part of a name that begins at `from` or behind the `_` there.
fn part(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let mut start = from;
    while start < bytes.len() && bytes[start] == b'_' {
        start += 1;
    }
    let mut end = start + 1;
    while end < bytes.len() && bytes[end] != b'_' {
        let hump = bytes[end].is_ascii_uppercase()
            && (!bytes[end - 1].is_ascii_uppercase() || bytes.get(end + 1).is_some_and(u8::is_ascii_lowercase));
        if hump {
            break;
        }
        end += 1;
    }
    (start < bytes.len()).then_some(start..end)
}

/// The words of a run that is not all ASCII, in which there may be blanks of other scripts.
fn foreign(run: &str, lower: &mut String, give: &mut impl FnMut(&str)) {
    for run in run.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|run| !run.is_empty()) {
        if run.chars().any(crowded) {
            let chars: Vec<char> = run.chars().collect();
            for pair in chars.windows(2) {
                tell(&String::from_iter(pair), lower, give);
            }
            continue;
        }
        let parts: Vec<&str> = run.split('_').filter(|part| !part.is_empty()).flat_map(humps).collect();
        if parts.len() != 1 {
            tell(run, lower, give);
        }
        for part in parts {
            tell(part, lower, give);
        }
    }
}

/// A letter of a script that puts no blanks between words.
fn crowded(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The words for the language of a file, by its ending.
#[must_use]
pub fn language(path: &str) -> &'static [&'static str] {
    let ending = path.rsplit(['/', '\\']).next().unwrap_or_default().rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending {
        "c" | "h" => &["c"],
        "cc" | "cpp" | "cxx" | "hh" | "hpp" => &["cpp"],
        "cs" => &["csharp"],
        "css" | "scss" => &["css"],
        "ex" | "exs" => &["elixir"],
        "go" => &["go", "golang"],
        "hs" => &["haskell"],
        "html" | "htm" => &["html"],
        "java" => &["java"],
        "js" | "cjs" | "mjs" | "jsx" => &["javascript"],
        "kt" | "kts" => &["kotlin"],
        "php" => &["php"],
        "pl" | "pm" => &["perl"],
        "py" | "pyi" => &["python"],
        "rb" => &["ruby"],
        "rs" => &["rust"],
        "scala" => &["scala"],
        "sh" | "bash" | "zsh" => &["shell", "bash"],
        "sql" => &["sql"],
        "swift" => &["swift"],
        "ts" | "tsx" | "mts" | "cts" => &["typescript", "javascript"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        words(text, |word| all.push(word.to_owned()));
        all
    }

    #[test]
    fn parts_of_names_are_words() {
        assert_eq!(all("mutex_guard"), ["mutex_guard", "mutex", "guard"]);
        assert_eq!(all("HTTPClientFactory"), ["httpclientfactor", "http", "client", "factor"]);
        assert_eq!(all("1024 x 0x1F _"), ["0x1f", "0x1"]);
        assert_eq!(all("retries, retried"), ["retr", "retr"]);
    }

    #[test]
    fn ascii_is_read_as_every_other_script() {
        let mut seed = 7_u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..seed % 24 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push(char::from(b"abdegilnorsyABZ019__ .-"[(seed >> 33) as usize % 23]));
            }
            seed = seed.wrapping_add(1);
            let (mut lower, mut slow) = (String::new(), Vec::new());
            foreign(&text, &mut lower, &mut |word: &str| slow.push(word.to_owned()));
            assert_eq!(all(&text), slow, "{text:?}");
        }
    }

    #[test]
    fn scripts_without_blanks_give_pairs() {
        assert_eq!(all("检查锁 mutex"), ["检查", "查锁", "mutex"]);
    }

    #[test]
    fn endings_tell_the_language() {
        assert_eq!(language("src/a.rs"), ["rust"]);
        assert!(language("Makefile").is_empty() && language("a.b/c").is_empty());
    }
}
