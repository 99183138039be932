//! Our own words: Unicode words and their parts, stemmed; pairs of neighbours for scripts without blanks; languages.

use super::exact::humps;
use super::stem::stem;

/// Longest word that is looked at, in bytes; what is longer is data.
const LONGEST: usize = 64;

/// Gives each word of a text, duplicates too, in its stem: the whole of a run of letters, digits and `_`, and where it
/// has several its parts by `_` and humps. Numbers and single letters are none. Scripts without blanks between words
/// give each pair of neighbours.
pub fn words(text: &str, mut give: impl FnMut(&str)) {
    let mut lower = String::new();
    let mut tell = |word: &str, lower: &mut String| {
        if word.len() < 2 || word.len() > LONGEST || word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
            return;
        }
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase));
        give(stem(lower));
    };
    for run in text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|run| !run.is_empty()) {
        if run.chars().any(crowded) {
            let chars: Vec<char> = run.chars().collect();
            for pair in chars.windows(2) {
                tell(&String::from_iter(pair), &mut lower);
            }
            continue;
        }
        let parts: Vec<&str> = run.split('_').filter(|part| !part.is_empty()).flat_map(humps).collect();
        if parts.len() != 1 {
            tell(run, &mut lower);
        }
        for part in parts {
            tell(part, &mut lower);
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
    fn scripts_without_blanks_give_pairs() {
        assert_eq!(all("检查锁 mutex"), ["检查", "查锁", "mutex"]);
    }

    #[test]
    fn endings_tell_the_language() {
        assert_eq!(language("src/a.rs"), ["rust"]);
        assert!(language("Makefile").is_empty() && language("a.b/c").is_empty());
    }
}
