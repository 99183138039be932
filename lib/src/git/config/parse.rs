//! The text form of a git config file.

/// One setting: its name in canonical form and its value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Setting {
    /// `section.name` or `section.subsection.name`; section and name in lower case.
    pub key: String,
    /// The value; `None` for a name without `=`, which means true.
    pub value: Option<String>,
    /// Whether key and value are byte for byte those of the file (false: they were not UTF-8 and are approximations).
    pub exact: bool,
}

/// The settings of a file in order, and the line (from 1) where git would give up, if there is one.
pub(super) fn parse(bytes: &[u8]) -> (Vec<Setting>, Option<usize>) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut text = Text { bytes, at: 0, line: 1, ended: false };
    let mut all = Vec::new();
    let bad = settings(&mut text, &mut all).is_none().then_some(text.line);
    (all, bad)
}

struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    ended: bool,
}

impl Text<'_> {
    /// The next byte, CR LF as one LF; the end reads as a line end.
    fn next(&mut self) -> u8 {
        let Some(&byte) = self.bytes.get(self.at) else {
            self.ended = true;
            return b'\n';
        };
        self.at += 1;
        let byte = match byte {
            b'\r' if self.bytes.get(self.at) == Some(&b'\n') => {
                self.at += 1;
                b'\n'
            }
            byte => byte,
        };
        self.line += usize::from(byte == b'\n');
        byte
    }
}

/// `None` where the text is broken.
fn settings(text: &mut Text<'_>, all: &mut Vec<Setting>) -> Option<()> {
    let mut section: Vec<u8> = Vec::new();
    loop {
        match text.next() {
            b'\n' if text.ended => return Some(()),
            b'#' | b';' => while text.next() != b'\n' {},
            byte if space(byte) => {}
            b'[' => section = header(text)?,
            byte if byte.is_ascii_alphabetic() => {
                let mut key = section.clone();
                key.push(byte.to_ascii_lowercase());
                let value = name(text, &mut key)?;
                all.push(setting(&key, value.as_deref()));
            }
            _ => return None,
        }
        // `while text.next()` may have met the end inside a comment.
        if text.ended {
            return Some(());
        }
    }
}

/// Everything up to `]`, with a dot at its end.
fn header(text: &mut Text<'_>) -> Option<Vec<u8>> {
    let mut section = Vec::new();
    loop {
        let byte = text.next();
        if text.ended {
            return None;
        }
        match byte {
            b']' if section.is_empty() => return None,
            b']' => break,
            byte if space(byte) => {
                subsection(text, byte, &mut section)?;
                break;
            }
            b'.' | b'-' => section.push(byte),
            byte if byte.is_ascii_alphanumeric() => section.push(byte.to_ascii_lowercase()),
            _ => return None,
        }
    }
    section.push(b'.');
    Some(section)
}

fn subsection(text: &mut Text<'_>, mut byte: u8, section: &mut Vec<u8>) -> Option<()> {
    while space(byte) {
        if byte == b'\n' {
            return None;
        }
        byte = text.next();
    }
    if byte != b'"' {
        return None;
    }
    section.push(b'.');
    loop {
        match text.next() {
            b'\n' => return None,
            b'"' => break,
            b'\\' => match text.next() {
                b'\n' => return None,
                byte => section.push(byte),
            },
            byte => section.push(byte),
        }
    }
    (text.next() == b']').then_some(())
}

/// The rest of a name, and its value.
#[expect(clippy::option_option, reason = "broken, no value and a value are three answers")]
fn name(text: &mut Text<'_>, key: &mut Vec<u8>) -> Option<Option<Vec<u8>>> {
    let mut byte = text.next();
    while byte.is_ascii_alphanumeric() || byte == b'-' {
        key.push(byte.to_ascii_lowercase());
        byte = text.next();
    }
    while byte == b' ' || byte == b'\t' {
        byte = text.next();
    }
    match byte {
        b'\n' => Some(None),
        b'=' => value(text).map(Some),
        _ => None,
    }
}

fn value(text: &mut Text<'_>) -> Option<Vec<u8>> {
    let mut out: Vec<u8> = Vec::new();
    let mut kept = 0;
    let mut quoted = false;
    loop {
        match text.next() {
            b'\n' if quoted => return None,
            b'\n' => break,
            byte if space(byte) && !quoted => {
                if !out.is_empty() {
                    out.push(byte);
                }
                continue;
            }
            b'#' | b';' if !quoted => {
                while text.next() != b'\n' {}
                break;
            }
            b'\\' => match text.next() {
                b'\n' => {}
                b't' => out.push(b'\t'),
                b'b' => out.push(8),
                b'n' => out.push(b'\n'),
                byte @ (b'\\' | b'"') => out.push(byte),
                _ => return None,
            },
            b'"' => quoted = !quoted,
            byte => out.push(byte),
        }
        kept = out.len();
    }
    out.truncate(kept);
    Some(out)
}

pub(super) fn setting(key: &[u8], value: Option<&[u8]>) -> Setting {
    // git keeps both as C strings: they end at the first NUL.
    let cut = |b: &[u8]| b.split(|b| *b == 0).next().unwrap_or_default().to_vec();
    let (key, value) = (cut(key), value.map(cut));
    let exact = std::str::from_utf8(&key).is_ok() && value.as_ref().is_none_or(|v| std::str::from_utf8(v).is_ok());
    let text = |b: Vec<u8>| String::from_utf8(b).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    Setting { key: text(key), value: value.map(text), exact }
}

/// White space as git sees it: no vertical tab, no form feed.
fn space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, Option<String>)> {
        let (all, bad) = parse(text.as_bytes());
        assert_eq!(bad, None, "{text}");
        all.into_iter().map(|s| (s.key, s.value)).collect()
    }

    #[test]
    fn values() {
        let one = |v: &str| read(&format!("[a]\nb = {v}\n"))[0].1.clone().unwrap_or_default();
        assert_eq!(one("x y  # c"), "x y");
        assert_eq!(one("\"x # y \" z;"), "x # y  z");
        assert_eq!(one("a\\\n  b"), "a  b");
        assert_eq!(one("\\tq\\\"\\\\"), "\tq\"\\");
        assert_eq!(one("a\tb\r"), "a\tb");
        assert_eq!(one("!f() { git \\\"x\\\"; }"), "!f() { git \"x\"");
        assert_eq!(one(""), "");
    }

    #[test]
    fn names() {
        let all = read("\u{feff}[Core]Bare\n[remote \"Or\\\"ig.in\"] URL=u\n[branch.Main] x = 1; c\n# end");
        let want = [("core.bare", None), ("remote.Or\"ig.in.url", Some("u")), ("branch.main.x", Some("1"))];
        let want: Vec<_> = want.iter().map(|(k, v)| (k.to_string(), v.map(str::to_owned))).collect();
        assert_eq!(all, want);
    }

    #[test]
    fn broken_text_keeps_what_came_before() {
        for text in [
            "[a]\nx=1\n[b\n", "[a]\nx=1\n=", "[a]\nx=1\ny \"\n", "[a]\nx=1\n[s \"x\ny\"]", "[a]\nx=1\ny=\"q\n", "[a]\nx=1\ny=\\q",
        ] {
            let (all, bad) = parse(text.as_bytes());
            assert_eq!(all.len(), 1, "{text}");
            assert!(bad.is_some_and(|l| l >= 3), "{text} {bad:?}");
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic() {
        const ALPHABET: &[u8] = b"[]\"\\=#;.\n\r\t a-Z9\0\xff\xc3";
        let mut seed = 1_u64;
        for _ in 0..20_000 {
            let mut bytes = Vec::new();
            while bytes.len() < 24 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                bytes.push(ALPHABET[(seed >> 40) as usize % ALPHABET.len()]);
            }
            let _ = parse(&bytes);
        }
    }
}
