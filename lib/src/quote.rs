//! Text from elsewhere, made safe to print in a message or on a terminal.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;

/// One line: line ends, control characters and characters that hide or reorder text become visible escapes
/// (`\n`, `\u{202e}`). At most `max` units of text are kept (see [`cut`]), before escaping.
#[must_use]
pub fn line(text: &str, max: usize) -> String {
    visible(&cut(text, max), false)
}

/// Like [`line()`], but line ends and tabs stay as they are.
#[must_use]
pub fn block(text: &str, max: usize) -> String {
    visible(&cut(text, max), true)
}

/// One line from bytes that need not be UTF-8; a byte that is not becomes `\xNN`.
#[must_use]
pub fn bytes(bytes: &[u8], max: usize) -> String {
    // No more than `max` units can come from this many bytes, and a huge input is not decoded whole.
    let head = &bytes[..bytes.len().min(max.saturating_add(1).saturating_mul(4))];
    let mut text = String::new();
    let mut units = 0;
    for chunk in head.utf8_chunks() {
        for c in chunk.valid().chars() {
            units += c.len_utf16();
            if units > max {
                text.push('…');
                return text;
            }
            push_visible(&mut text, c, false);
        }
        for byte in chunk.invalid() {
            units += 1;
            if units > max {
                text.push('…');
                return text;
            }
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    if head.len() < bytes.len() {
        text.push('…');
    }
    text
}

/// A file name as a person can paste it into a shell: as it is where that is plain, else `'...'`, and `$'...'` when it
/// holds a character that cannot be seen or is not UTF-8. Never cut: half a name is another file.
#[must_use]
pub fn path(name: impl AsRef<OsStr>) -> String {
    let bytes = name.as_ref().as_bytes();
    let text = std::str::from_utf8(bytes);
    if let Ok(text) = text {
        let plain = |c: char| c.is_alphanumeric() || "_-./+,@%:=^".contains(c);
        if !text.is_empty() && text.chars().all(|c| plain(c) && !hides(c)) {
            return text.to_owned();
        }
        if !text.chars().any(|c| c.is_control() || hides(c)) {
            return format!("'{}'", text.replace('\'', "'\\''"));
        }
    }
    let mut quoted = String::from("$'");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' | '\\' => quoted.extend(['\\', c]),
                '\n' => quoted.push_str("\\n"),
                '\t' => quoted.push_str("\\t"),
                '\r' => quoted.push_str("\\r"),
                // Three octal digits: hexadecimal would take in a digit that follows.
                c if c.is_control() || hides(c) => {
                    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                        let _ = write!(quoted, "\\{byte:03o}");
                    }
                }
                c => quoted.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(quoted, "\\{byte:03o}");
        }
    }
    quoted.push('\'');
    quoted
}

/// At most `max` units of `text`, the last of them `…` when something was cut off; never inside a character.
///
/// A unit is one of UTF-16, which is what clients written in JavaScript count; a character is one or two.
#[must_use]
pub fn cut(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let mut units = 0;
    let mut end = 0;
    for (at, c) in text.char_indices() {
        // Where the text must end if this character proves too much: one unit is kept for the mark.
        if units < max {
            end = at;
        }
        units += c.len_utf16();
        if units > max {
            let mark = if max == 0 { "" } else { "…" };
            return Cow::Owned(format!("{}{mark}", &text[..end]));
        }
    }
    Cow::Borrowed(text)
}

fn visible(text: &str, keep_lines: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        push_visible(&mut out, c, keep_lines);
    }
    out
}

fn push_visible(out: &mut String, c: char, keep_lines: bool) {
    match c {
        '\n' | '\t' if keep_lines => out.push(c),
        c if c.is_control() || hides(c) => out.extend(c.escape_default()),
        c => out.push(c),
    }
}

/// Characters that show nothing or change how their neighbours show: soft hyphen, fillers, zero-width, bidirectional
/// controls, line separators, variation selectors, byte order mark, tags (Unicode 16, property
/// `Default_Ignorable_Code_Point`, and U+2028, U+2029, U+FFF9-FFFB).
fn hides(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_what_would_hide() {
        assert_eq!(line("a\u{1b}[31m\nb\u{202e}c\u{e0041}", 99), "a\\u{1b}[31m\\nb\\u{202e}c\\u{e0041}");
        assert_eq!(line("größe 漢字", 99), "größe 漢字");
        assert_eq!(block("a\n\tb\r\0", 99), "a\n\tb\\r\\u{0}");
    }

    #[test]
    fn bytes_need_not_be_text() {
        assert_eq!(bytes(b"a\xff\xc3", 99), "a\\xff\\xc3");
        assert_eq!(bytes("ééé".as_bytes(), 2), "éé…");
        assert_eq!(bytes(&vec![b'x'; 1 << 20], 3), "xxx…");
    }

    #[test]
    fn a_cut_falls_between_characters_and_stays_within_its_limit() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("ééé", 3), "ééé");
        assert_eq!(cut("a😀😀", 4), "a😀…");
        assert_eq!(cut("a😀😀", 3), "a…");
        assert_eq!(cut("abc", 1), "…");
        assert_eq!(cut("abc", 0), "");
        for max in 0..12 {
            let kept = cut("aé漢😀b😀😀x", max);
            assert!(kept.encode_utf16().count() <= max, "{max}: {kept}");
        }
    }

    #[test]
    fn a_path_can_be_pasted() {
        assert_eq!(path("src/größe-1.rs"), "src/größe-1.rs");
        assert_eq!(path(""), "''");
        assert_eq!(path("a b"), "'a b'");
        assert_eq!(path("it's $HOME"), "'it'\\''s $HOME'");
        assert_eq!(path("a\nb'\\1"), "$'a\\nb\\'\\\\1'");
        assert_eq!(path(OsStr::from_bytes(b"\xff1")), "$'\\3771'");
        assert_eq!(path("x\u{202e}y"), "$'x\\342\\200\\256y'");
    }
}
