//! What `echo` and `printf` print.

use super::command::{HOLE, Word};
use super::output::quote;
use super::world::LONGEST;

pub(super) fn join_words(words: &[Word]) -> String {
    let texts: Vec<&str> = words
        .iter()
        .map(|word| match word {
            Word::Literal(text) | Word::Unknown(text) => text.as_str(),
            // Names of files that may match.
            Word::Glob(_) => "\0",
        })
        .collect();
    texts.join(" ")
}

pub(super) fn echo(args: &[Word]) -> String {
    let mut at = 0;
    let (mut newline, mut escapes) = (true, false);
    while let Some(text) = args.get(at).and_then(Word::literal) {
        if text.len() < 2 || !text.starts_with('-') || !text[1..].bytes().all(|byte| matches!(byte, b'n' | b'e' | b'E')) {
            break;
        }
        for letter in text[1..].chars() {
            match letter {
                'n' => newline = false,
                'e' => escapes = true,
                _ => escapes = false,
            }
        }
        at += 1;
    }
    let mut text = join_words(&args[at..]);
    if escapes {
        let (decoded, stopped) = unescape(&text, true);
        text = decoded;
        newline &= !stopped;
    }
    if newline {
        text.push('\n');
    }
    text
}

/// Decodes backslashes as `printf` (and `echo -e`) does; whether `\c` stopped the output.
pub(super) fn unescape(text: &str, echo: bool) -> (String, bool) {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        let Some(next) = chars.next() else {
            out.push('\\');
            break;
        };
        let mut number = |base: u32, most: usize, first: u32| {
            let mut value = first;
            for _ in 0..most {
                let Some(digit) = chars.peek().and_then(|char| char.to_digit(base)) else {
                    break;
                };
                value = value.wrapping_mul(base).wrapping_add(digit);
                chars.next();
            }
            value
        };
        let code = match next {
            'a' => 7,
            'b' => 8,
            'c' if echo => return (out, true),
            'e' | 'E' => 27,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            '\\' => 92,
            '0' => number(8, 3, 0),
            digit @ '1'..='7' if !echo => number(8, 2, digit.to_digit(8).unwrap_or(0)),
            'x' => number(16, 2, 0),
            'u' => number(16, 4, 0),
            'U' => number(16, 8, 0),
            other => {
                out.push('\\');
                out.push(other);
                continue;
            }
        };
        // A NUL reads as a part that is not known, which keeps what it separates apart.
        out.extend(char::from_u32(code));
    }
    (out, false)
}

/// `printf format arguments`; `None` where the format is not known or has something rare.
pub(super) fn printf(args: &[Word]) -> Option<String> {
    let args = if args.first().and_then(Word::literal) == Some("--") { &args[1..] } else { args };
    let (format, args) = args.split_first()?;
    let format = format.text();
    let values: Vec<&str> = args
        .iter()
        .map(|word| match word {
            Word::Glob(_) => "\0",
            word => word.text(),
        })
        .collect();
    let mut out = String::new();
    let mut next = 0;
    loop {
        let before = next;
        let mut chars = format.char_indices();
        let mut from = 0;
        while let Some((index, char)) = chars.next() {
            if char == '\\' {
                chars.next();
                continue;
            }
            if char != '%' {
                continue;
            }
            out.push_str(&unescape(&format[from..index], false).0);
            let (end, kind) = chars.find(|(_, char)| char.is_ascii_alphabetic() || *char == '%')?;
            let flags = &format[index + 1..end];
            from = end + kind.len_utf8();
            if kind == '%' {
                out.push('%');
                continue;
            }
            let value = values.get(next).copied().unwrap_or("");
            next += 1;
            match kind {
                _ if value.contains(HOLE) => out.push_str(value),
                's' if flags.is_empty() => out.push_str(value),
                'b' if flags.is_empty() => out.push_str(&unescape(value, true).0),
                'q' => quote(&Word::Literal(value.to_owned()), &mut out),
                'c' => out.extend(value.chars().next()),
                'd' | 'i' if flags.is_empty() => out.push_str(&value.parse::<i64>().unwrap_or(0).to_string()),
                _ => out.push(HOLE),
            }
        }
        out.push_str(&unescape(format.get(from..)?, false).0);
        if next >= values.len() || next == before || out.len() > LONGEST {
            break;
        }
    }
    Some(out)
}
