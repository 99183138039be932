//! Matches shell patterns: `*`, `?`, `[..]`, with a backslash before what is meant literally.

/// Whether any of these ASCII characters is in a text.
pub(super) fn has(text: &str, marks: &[u8]) -> bool {
    text.bytes().any(|byte| marks.contains(&byte))
}

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
    let mut at = 0;
    let mut rest = text.chars();
    let mut retry = None;
    loop {
        let mut ahead = rest.clone();
        match (elements.get(at), ahead.next()) {
            (Some(Element::Many), _) => {
                at += 1;
                retry = Some((at, rest.clone()));
                continue;
            }
            (None, None) => return true,
            (Some(element), Some(next)) if fits(element, next) => {
                at += 1;
                rest = ahead;
                continue;
            }
            _ => {}
        }
        let Some((back, from)) = &mut retry else { return false };
        if from.next().is_none() {
            return false;
        }
        at = *back;
        rest = from.clone();
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

/// The longest pattern that can be searched for, in bytes: a search has a bit for each element and one for the end.
pub const SEARCHED: usize = 127;

/// A search for a pattern in a text, which follows all beginnings of a match at once.
struct Search {
    /// Where each character of the text begins, and where the last ends.
    cuts: Vec<usize>,
    /// For each character, the elements other than `*` that it fits.
    fits: Vec<u128>,
    /// The elements before which any text may stand.
    open: u128,
    /// The bit behind the last element.
    last: u128,
}

impl Search {
    fn new(pattern: &str, text: &str) -> Self {
        debug_assert!(pattern.len() <= SEARCHED, "{} bytes", pattern.len());
        let chars: Vec<char> = text.chars().collect();
        let mut fits = vec![0; chars.len()];
        let (mut bit, mut open) = (1u128, 0);
        for element in elements(pattern) {
            if matches!(element, Element::Many) {
                open |= bit;
                continue;
            }
            for (all, next) in fits.iter_mut().zip(&chars) {
                if self::fits(&element, *next) {
                    *all |= bit;
                }
            }
            bit <<= 1;
        }
        let cuts = text.char_indices().map(|(index, _)| index).chain([text.len()]).collect();
        Self { cuts, fits, open, last: bit }
    }

    /// Tells `each` of every match from the character `start` on: the character behind it, the shortest first.
    fn ends(&self, start: usize, each: &mut dyn FnMut(usize)) {
        let mut now = 1;
        for end in start.. {
            if now & self.last != 0 {
                each(end);
            }
            let Some(fits) = self.fits.get(end) else { return };
            now = (now & fits) << 1 | now & self.open;
            if now == 0 {
                return;
            }
        }
    }
}

/// Removes the shortest or longest matching prefix or suffix; the pattern is no longer than [`SEARCHED`].
#[must_use]
pub fn trim<'t>(text: &'t str, pattern: &str, suffix: bool, longest: bool) -> &'t str {
    let search = Search::new(pattern, text);
    let whole = search.fits.len();
    let mut found = None;
    if suffix {
        for start in 0..=whole {
            if longest && found.is_some() {
                break;
            }
            search.ends(start, &mut |end| {
                if end == whole {
                    found = Some(start);
                }
            });
        }
        return found.map_or(text, |start| &text[..search.cuts[start]]);
    }
    search.ends(0, &mut |end| {
        if longest || found.is_none() {
            found = Some(end);
        }
    });
    found.map_or(text, |end| &text[search.cuts[end]..])
}

/// Replaces the first or all longest matches; the pattern is no longer than [`SEARCHED`].
#[must_use]
pub fn replace(text: &str, pattern: &str, with: &str, all: bool, anchor: u8) -> String {
    if pattern.is_empty() {
        return text.to_owned();
    }
    let search = Search::new(pattern, text);
    let whole = search.fits.len();
    let mut out = String::new();
    let (mut from, mut start) = (0, 0);
    while start < whole && (anchor != b'#' || start == 0) {
        let mut found = None;
        search.ends(start, &mut |end| {
            if end > start && (anchor != b'%' || end == whole) {
                found = Some(end);
            }
        });
        let Some(end) = found else {
            start += 1;
            continue;
        };
        out.push_str(&text[from..search.cuts[start]]);
        out.push_str(with);
        from = search.cuts[end];
        start = end;
        if !all {
            break;
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
        assert_eq!(replace("éaé", "?a*", "x", false, 0), "x");
        assert_eq!(trim("aéb", "é?", true, false), "a");
    }

    #[test]
    fn a_search_finds_what_matches_one_by_one() {
        let letters = ['a', 'b', '*', '?', '[', ']', 'é'];
        let spell = |mut number: usize| {
            let mut out = String::new();
            while number > 0 {
                out.push(letters[number % 7]);
                number /= 7;
            }
            out
        };
        for number in 0..7_usize.pow(5) {
            let (pattern, text) = (spell(number), spell(number.wrapping_mul(7919) % 7_usize.pow(6)));
            for (suffix, longest) in [(false, false), (false, true), (true, false), (true, true)] {
                let cuts: Vec<usize> = text.char_indices().map(|(index, _)| index).chain([text.len()]).collect();
                let fit = |&cut: &usize| matches(&pattern, if suffix { &text[cut..] } else { &text[..cut] });
                let cut = if suffix == longest { cuts.into_iter().find(fit) } else { cuts.into_iter().rev().find(fit) };
                let want = cut.map_or(&*text, |cut| if suffix { &text[..cut] } else { &text[cut..] });
                assert_eq!(trim(&text, &pattern, suffix, longest), want, "{text} {pattern} {suffix} {longest}");
            }
            let mut want = String::new();
            let mut rest = text.as_str();
            while let Some(next) = rest.chars().next() {
                let ends = (1..=rest.len()).rev().filter(|&end| rest.is_char_boundary(end));
                let found = ends.into_iter().find(|&end| !pattern.is_empty() && matches(&pattern, &rest[..end]));
                match found {
                    Some(_) => want.push('-'),
                    None => want.push(next),
                }
                rest = &rest[found.unwrap_or(next.len_utf8())..];
            }
            assert_eq!(replace(&text, &pattern, "-", true, 0), want, "{text} {pattern}");
        }
    }
}
