//! Matches shell patterns: `*`, `?`, `[..]`, with a backslash before what is meant literally.

/// One element of a pattern.
enum Element {
    Any,
    Many,
    Char(char),
    Set(bool, Vec<(char, char)>),
}

/// Whether `text` as a whole matches `pattern`.
///
/// Time is at most the product of the two lengths, which callers keep short.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    let elements = elements(pattern);
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut index) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        match elements.get(at) {
            Some(Element::Many) => {
                retry = Some((at + 1, index));
                at += 1;
                continue;
            }
            None if index == text.len() => return true,
            Some(element) if index < text.len() && fits(element, text[index]) => {
                at += 1;
                index += 1;
                continue;
            }
            _ => {}
        }
        match retry {
            Some((back, start)) if start < text.len() => {
                retry = Some((back, start + 1));
                at = back;
                index = start + 1;
            }
            _ => return false,
        }
    }
}

fn fits(element: &Element, next: char) -> bool {
    match element {
        Element::Any | Element::Many => true,
        Element::Char(char) => *char == next,
        Element::Set(not, ranges) => ranges.iter().any(|&(low, high)| low <= next && next <= high) != *not,
    }
}

fn elements(pattern: &str) -> Vec<Element> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut out = Vec::with_capacity(chars.len());
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            '*' => {
                if !matches!(out.last(), Some(Element::Many)) {
                    out.push(Element::Many);
                }
            }
            '?' => out.push(Element::Any),
            '\\' if at + 1 < chars.len() => {
                at += 1;
                out.push(Element::Char(chars[at]));
            }
            '[' => match set(&chars, at + 1) {
                Some((element, end)) => {
                    out.push(element);
                    at = end;
                }
                None => out.push(Element::Char('[')),
            },
            char => out.push(Element::Char(char)),
        }
        at += 1;
    }
    out
}

/// A bracket expression whose inside starts at `from`; the index of its closing bracket.
fn set(chars: &[char], from: usize) -> Option<(Element, usize)> {
    let not = matches!(chars.get(from), Some('!' | '^'));
    let first = from + usize::from(not);
    let mut at = first;
    let mut ranges = Vec::new();
    // No bracket expression of use is longer; the bound keeps `[[[[[` linear.
    while at < chars.len() && at < from + 256 {
        let mut low = chars[at];
        if low == ']' && at > first {
            return Some((Element::Set(not, ranges), at));
        }
        if low == '[' && chars.get(at + 1) == Some(&':') {
            let end = (at + 2..chars.len().min(at + 12)).find(|&end| chars[end] == ':' && chars.get(end + 1) == Some(&']'))?;
            let name: String = chars[at + 2..end].iter().collect();
            ranges.extend_from_slice(class(&name));
            at = end + 2;
            continue;
        }
        if low == '\\' {
            at += 1;
            low = *chars.get(at)?;
        }
        let mut high = low;
        if chars.get(at + 1) == Some(&'-') && chars.get(at + 2).is_some_and(|next| *next != ']') {
            at += 2;
            high = chars[at];
        }
        ranges.push((low, high));
        at += 1;
    }
    None
}

fn class(name: &str) -> &'static [(char, char)] {
    match name {
        "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        "alpha" => &[('A', 'Z'), ('a', 'z')],
        "digit" => &[('0', '9')],
        "lower" => &[('a', 'z')],
        "space" => &[(' ', ' '), ('\t', '\r')],
        "upper" => &[('A', 'Z')],
        "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        _ => &[],
    }
}

/// Removes the shortest or longest matching prefix or suffix.
#[must_use]
pub fn trim<'t>(text: &'t str, pattern: &str, suffix: bool, longest: bool) -> &'t str {
    let mut cuts: Vec<usize> = text.char_indices().map(|(index, _)| index).collect();
    cuts.push(text.len());
    // The shortest prefix first, or the shortest suffix first; the other way round for the longest.
    if suffix != longest {
        cuts.reverse();
    }
    for cut in cuts {
        let (head, tail) = text.split_at(cut);
        let (part, rest) = if suffix { (tail, head) } else { (head, tail) };
        if matches(pattern, part) {
            return rest;
        }
    }
    text
}

/// Replaces the first or all longest matches.
#[must_use]
pub fn replace(text: &str, pattern: &str, with: &str, all: bool, anchor: u8) -> String {
    let mut out = String::new();
    let mut from = 0;
    let cuts: Vec<usize> = text.char_indices().map(|(index, _)| index).chain([text.len()]).collect();
    if pattern.is_empty() {
        return text.to_owned();
    }
    let mut index = 0;
    while index + 1 < cuts.len() {
        let start = cuts[index];
        if anchor == b'#' && start > 0 {
            break;
        }
        let found = (index + 1..cuts.len())
            .rev()
            .filter(|&end| anchor != b'%' || cuts[end] == text.len())
            .find(|&end| matches(pattern, &text[start..cuts[end]]));
        if let Some(end) = found {
            out.push_str(&text[from..start]);
            out.push_str(with);
            from = cuts[end];
            index = end;
            if !all {
                break;
            }
        } else {
            index += 1;
        }
    }
    out.push_str(&text[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_bash() {
        for (pattern, text, want) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "abcd", false),
            ("?", "é", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]]", "]", true),
            ("[[:digit:]]*", "4x", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("[", "[", true),
            ("*.t?t", "a.b.txt", true),
        ] {
            assert_eq!(matches(pattern, text), want, "{pattern} {text}");
        }
    }

    #[test]
    fn trims_and_replaces() {
        assert_eq!(trim("a/b/c", "*/", false, false), "b/c");
        assert_eq!(trim("a/b/c", "*/", false, true), "c");
        assert_eq!(trim("a/b/c", "/*", true, false), "a/b");
        assert_eq!(trim("a/b/c", "/*", true, true), "a");
        assert_eq!(replace("a-b-c", "-", "+", false, 0), "a+b-c");
        assert_eq!(replace("a-b-c", "-", "", true, 0), "abc");
        assert_eq!(replace("aa", "a", "b", false, b'%'), "ab");
        assert_eq!(replace("aa", "a", "b", false, b'#'), "ba");
    }
}
