//! A program text of another language as tokens: names, strings, marks.

use super::command::HOLE;
use super::script::Language;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Name(String),
    /// A string's text; parts put in when the program runs are holes.
    Text(String),
    /// Backquotes, `qx()`, `%x()`: a shell text.
    Shell(String),
    Mark(char),
}

/// Tokens of a text are looked at up to this number.
const MOST: usize = 50_000;

/// The tokens, in linear time.
pub(super) fn tokens(language: Language, text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && out.len() < MOST {
        let byte = bytes[at];
        match byte {
            b'#' if language != Language::Node => at = line_end(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'/') && matches!(language, Language::Node | Language::Php) => {
                at = line_end(bytes, at)
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') && matches!(language, Language::Node | Language::Php) => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 2);
            }
            b'"' | b'\'' | b'`' => {
                let (content, end) = string(language, text, at, &mut out);
                let shell = byte == b'`' && language != Language::Node;
                // zx: a template behind `$` is a command.
                let command = byte == b'`' && matches!(out.last(), Some(Token::Mark('$')));
                out.push(if shell || command { Token::Shell(content) } else { Token::Text(content) });
                at = end;
            }
            b'%' | b'q' if run_quote(language, bytes, at) => {
                let open = bytes[at + 2];
                let close = match open {
                    b'(' => b')',
                    b'{' => b'}',
                    b'[' => b']',
                    other => other,
                };
                let from = at + 3;
                let end = bytes[from..].iter().position(|byte| *byte == close).map_or(bytes.len(), |end| from + end);
                out.push(Token::Shell(text.get(from..end).unwrap_or("").to_owned()));
                at = end + 1;
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let from = at;
                while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
                    at += 1;
                }
                out.push(Token::Name(text[from..at].to_owned()));
            }
            b' ' | b'\t' | b'\r' => at += 1,
            byte if byte.is_ascii() => {
                out.push(Token::Mark(char::from(byte)));
                at += 1;
            }
            _ => at += 1,
        }
    }
    out
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end)
}

/// Perl's `qx(`, Ruby's `%x(`.
fn run_quote(language: Language, bytes: &[u8], at: usize) -> bool {
    let fits = match language {
        Language::Perl => bytes[at] == b'q',
        Language::Ruby => bytes[at] == b'%',
        _ => false,
    };
    fits && bytes.get(at + 1) == Some(&b'x')
        && bytes.get(at + 2).is_some_and(|open| matches!(open, b'(' | b'{' | b'[' | b'/' | b'!' | b'|'))
        && (at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_'))
}

/// A string that starts at `at`; its text and where it ends. A Python prefix before it is taken off `out`.
fn string(language: Language, text: &str, at: usize, out: &mut Vec<Token>) -> (String, usize) {
    let bytes = text.as_bytes();
    let quote = bytes[at];
    let mut raw = quote == b'\'' && matches!(language, Language::Perl | Language::Ruby | Language::Php);
    let mut put_in = match language {
        Language::Python => false,
        Language::Node => quote == b'`',
        _ => quote != b'\'',
    };
    if language == Language::Python
        && let Some(Token::Name(prefix)) = out.last()
        && at > 0
        && bytes[at - 1].is_ascii_alphabetic()
        && prefix.len() <= 2
        && prefix.bytes().all(|byte| b"bBfFrRuU".contains(&byte))
    {
        raw = prefix.contains(['r', 'R']);
        put_in = prefix.contains(['f', 'F']);
        out.pop();
    }
    let triple = language == Language::Python && bytes.get(at + 1) == Some(&quote) && bytes.get(at + 2) == Some(&quote);
    let mut index = at + if triple { 3 } else { 1 };
    let mut content: Vec<u8> = Vec::new();
    while index < bytes.len() {
        let byte = bytes[index];
        if byte == quote && (!triple || (bytes.get(index + 1) == Some(&quote) && bytes.get(index + 2) == Some(&quote))) {
            index += if triple { 3 } else { 1 };
            return (lossy(content), index);
        }
        match byte {
            b'\\' if index + 1 < bytes.len() => {
                let next = bytes[index + 1];
                index += 2;
                match next {
                    _ if raw && next != quote => content.extend([b'\\', next]),
                    b'n' => content.push(b'\n'),
                    b't' => content.push(b'\t'),
                    b'r' => content.push(b'\r'),
                    b'x' => {
                        let code = text.get(index..index + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
                        index += if code.is_some() { 2 } else { 0 };
                        content.push(code.filter(|code| *code != 0 && *code < 128).unwrap_or(b'?'));
                    }
                    b'\n' => {}
                    next => content.push(next),
                }
            }
            b'{' if put_in && language == Language::Python && bytes.get(index + 1) == Some(&b'{') => {
                content.push(b'{');
                index += 2;
            }
            b'{' if put_in && language == Language::Python => index = hole(bytes, index, &mut content),
            b'$' | b'#' if put_in && bytes.get(index + 1) == Some(&b'{') => index = hole(bytes, index + 1, &mut content),
            b'$' | b'@'
                if put_in
                    && matches!(language, Language::Perl | Language::Php)
                    && bytes.get(index + 1).is_some_and(|next| next.is_ascii_alphabetic() || *next == b'_') =>
            {
                content.push(0);
                index += 1;
                while index < bytes.len() && (bytes[index].is_ascii_alphanumeric() || bytes[index] == b'_') {
                    index += 1;
                }
            }
            byte => {
                content.push(byte);
                index += 1;
            }
        }
    }
    (lossy(content), bytes.len())
}

/// A braced expression: what it gives is not known.
fn hole(bytes: &[u8], at: usize, content: &mut Vec<u8>) -> usize {
    content.push(u8::try_from(u32::from(HOLE)).unwrap_or(0));
    let end = bytes[at..].iter().take(4096).position(|byte| *byte == b'}');
    end.map_or(at + 1, |end| at + end + 1)
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
