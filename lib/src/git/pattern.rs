//! Path patterns of git's (`*` within a name, `**` across names, `?`, `[...]`), matched in time pattern times text.

enum Part {
    One(u8),
    Any,
    Set {
        negated: bool,
        ranges: Vec<(u8, u8)>,
    },
    Star,
    Stars,
    /// `**/`: nothing, or anything that ends in a slash.
    Dirs,
}

/// Whether the whole of `text` matches; `fold` ignores the case of ASCII letters. A broken pattern matches nothing.
pub(super) fn matches(pattern: &[u8], text: &[u8], fold: bool) -> bool {
    let lower = |b: &[u8]| {
        if fold { b.to_ascii_lowercase() } else { b.to_vec() }
    };
    let (pattern, text) = (lower(pattern), lower(text));
    let Some(parts) = compile(&pattern) else {
        return false;
    };
    // `at[i]`: the text so far can be matched by the first i parts.
    let mut at = vec![false; parts.len() + 1];
    at[0] = true;
    skip_empty(&parts, &mut at, true);
    for &byte in &text {
        let mut next = vec![false; parts.len() + 1];
        for (i, part) in parts.iter().enumerate() {
            if !at[i] {
                continue;
            }
            match part {
                Part::One(b) => next[i + 1] |= *b == byte,
                Part::Any => next[i + 1] |= byte != b'/',
                Part::Set { negated, ranges } => {
                    let inside = ranges.iter().any(|(a, z)| (*a..=*z).contains(&byte));
                    next[i + 1] |= inside != *negated && byte != b'/';
                }
                Part::Star => next[i] |= byte != b'/',
                Part::Stars | Part::Dirs => next[i] = true,
            }
        }
        skip_empty(&parts, &mut next, byte == b'/');
        at = next;
    }
    at[parts.len()]
}

/// Parts that may stand for nothing let the place after them be reached too.
fn skip_empty(parts: &[Part], at: &mut [bool], after_slash: bool) {
    for (i, part) in parts.iter().enumerate() {
        let empty = match part {
            Part::Star | Part::Stars => true,
            Part::Dirs => after_slash,
            _ => false,
        };
        if at[i] && empty {
            at[i + 1] = true;
        }
    }
}

fn compile(pattern: &[u8]) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut i = 0;
    while let Some(&byte) = pattern.get(i) {
        i += 1;
        match byte {
            b'\\' => {
                parts.push(Part::One(*pattern.get(i)?));
                i += 1;
            }
            b'?' => parts.push(Part::Any),
            b'*' => {
                let start = i - 1;
                while pattern.get(i) == Some(&b'*') {
                    i += 1;
                }
                let opens = start == 0 || pattern[start - 1] == b'/';
                match (i - start, opens, pattern.get(i)) {
                    (2, true, Some(b'/')) => {
                        i += 1;
                        parts.push(Part::Dirs);
                    }
                    (2, true, None) => parts.push(Part::Stars),
                    _ => parts.push(Part::Star),
                }
            }
            b'[' => parts.push(set(pattern, &mut i)?),
            byte => parts.push(Part::One(byte)),
        }
    }
    Some(parts)
}

fn set(pattern: &[u8], i: &mut usize) -> Option<Part> {
    let negated = matches!(pattern.get(*i), Some(b'!' | b'^'));
    *i += usize::from(negated);
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    let start = *i;
    loop {
        let mut byte = *pattern.get(*i)?;
        *i += 1;
        match byte {
            b']' if *i - 1 > start => return Some(Part::Set { negated, ranges }),
            b'[' if pattern.get(*i) == Some(&b':') => {
                let start = *i + 1;
                let close = start + pattern[start..].windows(2).position(|w| w == b":]")?;
                ranges.extend(class(&pattern[start..close])?);
                *i = close + 2;
                continue;
            }
            b'\\' => {
                byte = *pattern.get(*i)?;
                *i += 1;
            }
            _ => {}
        }
        if pattern.get(*i) == Some(&b'-') && pattern.get(*i + 1).is_some_and(|b| *b != b']') {
            let mut last = pattern[*i + 1];
            *i += 2;
            if last == b'\\' {
                last = *pattern.get(*i)?;
                *i += 1;
            }
            ranges.push((byte, last));
        } else {
            ranges.push((byte, byte));
        }
    }
}

fn class(name: &[u8]) -> Option<Vec<(u8, u8)>> {
    Some(match name {
        b"alnum" => vec![(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
        b"alpha" => vec![(b'A', b'Z'), (b'a', b'z')],
        b"digit" => vec![(b'0', b'9')],
        b"lower" => vec![(b'a', b'z')],
        b"space" => vec![(b'\t', b'\r'), (b' ', b' ')],
        b"upper" => vec![(b'A', b'Z')],
        b"xdigit" => vec![(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        let yes = [
            ("**/x/**", "/home/x/y/.git"),
            ("/home/**/.git", "/home/.git"),
            ("/home/**/.git", "/home/a/b/.git"),
            ("/a/*/c", "/a/b/c"),
            ("[a-c]?[!x]", "bzy"),
            ("[]a]", "]"),
            ("f\\*o", "f*o"),
            ("feature/**", "feature/a/b"),
            ("[[:digit:]]*", "4x"),
        ];
        for (p, t) in yes {
            assert!(matches(p.as_bytes(), t.as_bytes(), false), "{p} {t}");
        }
        let no =
            [("/a/*/c", "/a/b/d/c"), ("*", "a/b"), ("a", "ab"), ("[a", "a"), ("x\\", "x"), ("feature/**", "feature"), ("?", "/")];
        for (p, t) in no {
            assert!(!matches(p.as_bytes(), t.as_bytes(), false), "{p} {t}");
        }
        assert!(matches(b"/HOME/x", b"/home/X", true));
    }

    #[test]
    fn any_bytes_are_read_without_panic() {
        const ALPHABET: &[u8] = b"[]!^-:\\*?/ab";
        assert!(!matches(b"[[:]", b"a", false));
        let mut seed = 1_u64;
        for _ in 0..20_000 {
            let mut bytes = Vec::new();
            while bytes.len() < 12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                bytes.push(ALPHABET[(seed >> 40) as usize % ALPHABET.len()]);
            }
            let _ = matches(&bytes, b"a/b/a", false);
        }
    }

    #[test]
    fn many_stars_are_quick() {
        let pattern = "*a".repeat(400);
        assert!(!matches(pattern.as_bytes(), "a".repeat(399).as_bytes(), false));
        assert!(matches(pattern.as_bytes(), "a".repeat(400).as_bytes(), false));
    }
}
