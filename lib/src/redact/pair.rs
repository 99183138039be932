//! Secrets known by the name before them: `password = x`, `"api_key": "x"`, `--token x`, `.env` lines.

use super::{MARK, is_word, run};
use std::ops::Range;

/// Longest value that is read.
const LONGEST: usize = 4096;

/// How names of secrets end, small and without `-`, `_`, `.` and blanks.
const ENDS: &[&str] = &[
    "accesskey", "accountkey", "apikey", "authkey", "authorization", "connectionstring", "credential", "credentials",
    "encryptionkey", "masterkey", "passcode", "passphrase", "passwd", "password", "privatekey", "secret", "secretkey",
    "secretkeybase", "sharedkey", "signingkey", "storagekey", "token",
];

/// How further names of environment variables end.
const VARIABLE_ENDS: &[&str] = &["_AUTH", "_DSN", "_KEY", "_PASS", "_PWD", "_SALT"];

/// Words after a name that are types or say that there is none.
const NO_SECRETS: &[&str] = &[
    "any", "bool", "boolean", "bytes", "false", "int", "nil", "none", "null", "number", "option", "optional", "required", "str",
    "string", "true", "undefined", "void",
];

/// The value that follows the name which ends with the word `at`.
pub(super) fn find(bytes: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let word = &bytes[at.clone()];
    if word != b"-u" && !may_name(word) {
        return None;
    }
    let (from, bare_flag) = value_start(bytes, at.end, word)?;
    let name = name_before(bytes, at.clone());
    let login = bare_flag && (word == b"-u" || word == b"--user");
    if !login && !is_secret_name(&name) {
        return None;
    }
    let span = value(bytes, from, &at)?;
    let text = &bytes[span.clone()];
    if login {
        let colon = text.iter().position(|b| *b == b':')?;
        let span = span.start + colon + 1..span.end;
        return (!span.is_empty() && &bytes[span.clone()] != MARK.as_bytes()).then_some(span);
    }
    if bare_flag && text.len() < 8 && !text.iter().any(u8::is_ascii_digit) {
        return None;
    }
    let counts = name.ends_with("token") && text.iter().all(u8::is_ascii_digit);
    (text.len() >= 3 && !counts && !text.eq_ignore_ascii_case(word)).then_some(span)
}

/// Whether a name of a secret, or the flag of a login, can end with this word: most words are looked at no further.
fn may_name(word: &[u8]) -> bool {
    let mut letters = word.iter().rev().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase);
    let (Some(c), Some(b), Some(a)) = (letters.next(), letters.next(), letters.next()) else { return false };
    match (c, b, a) {
        (b'd', w, o) => matches!([o, w], [b'o', b'r'] | [b'p', b'w'] | [b's', b'w']),
        (b'e', s, a) => matches!([a, s], [b'a', b's'] | [b'o', b'd']),
        (b'g', n, i) => [i, n] == [b'i', b'n'],
        (b'h', t, u) => [u, t] == [b'u', b't'],
        (b'l', a, i) => [i, a] == [b'i', b'a'],
        (b'n', e, k) => matches!([k, e], [b'd', b's'] | [b'i', b'o'] | [b'k', b'e']),
        (b'r', e, s) => [s, e] == [b's', b'e'],
        (b's', l, a) => matches!([a, l], [b'a', b'l'] | [b'a', b's']),
        (b't', l, a) => matches!([a, l], [b'a', b'l'] | [b'r', b'e']),
        (b'y', e, k) => [k, e] == [b'k', b'e'],
        _ => false,
    }
}

/// Where the value begins that belongs to a name ending at `end`, and whether only blanks stand between.
fn value_start(bytes: &[u8], end: usize, word: &[u8]) -> Option<(usize, bool)> {
    let at = run(bytes, end, |b| b == b'\\');
    let at = match bytes.get(at) {
        Some(b'"' | b'\'') => at + 1,
        _ => end,
    };
    let sign = run(bytes, at, |b| b == b' ' || b == b'\t');
    let after = run(bytes, sign, |b| b == b'=' || b == b':' || b == b'>');
    let spaced = run(bytes, after, |b| b == b' ' || b == b'\t');
    match &bytes[sign..after] {
        b"=" | b":" | b":=" | b"=>" | b"==" | b"===" => Some((spaced, false)),
        b"" if word.starts_with(b"-") && sign > end => Some((sign, true)),
        _ => None,
    }
}

/// The name that ends with the word `at`, words before it included as far as they may belong to it.
fn name_before(bytes: &[u8], at: Range<usize>) -> String {
    let least = at.end.saturating_sub(40);
    let from =
        bytes[least..at.end].iter().rposition(|b| !is_word(*b) && *b != b'.' && *b != b' ').map_or(least, |n| least + n + 1);
    String::from_utf8_lossy(&bytes[from..at.end]).into_owned()
}

fn is_secret_name(name: &str) -> bool {
    let flat: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let variable = name.rsplit([' ', '.']).next().unwrap_or(name);
    let screams = !variable.contains(|c: char| c.is_ascii_lowercase())
        && VARIABLE_ENDS.iter().any(|end| variable.ends_with(end))
        && !["PUBLIC", "PRIMARY", "FOREIGN", "SORT"].iter().any(|w| variable.contains(w));
    screams || ENDS.iter().any(|end| flat.ends_with(end))
}

/// The span of the value that begins at `from`, without its quotes; `None` when it is plainly no secret.
fn value(bytes: &[u8], from: usize, name: &Range<usize>) -> Option<Range<usize>> {
    let slashes = run(bytes, from, |b| b == b'\\') - from;
    let quote = from + slashes;
    match bytes.get(quote) {
        Some(q @ (b'"' | b'\'' | b'`')) => quoted(bytes, quote + 1, *q, slashes),
        _ => unquoted(bytes, from, name),
    }
}

fn quoted(bytes: &[u8], from: usize, quote: u8, slashes: usize) -> Option<Range<usize>> {
    let bytes = &bytes[..char_start(bytes, from + LONGEST)];
    let window = &bytes[from..];
    let mut before = 0;
    let mut end = None;
    for (n, b) in window.iter().enumerate() {
        match *b {
            b'\\' => before += 1,
            b'\n' => break,
            b if b == quote && (before <= slashes || slashes == 0 && before % 2 == 0) => {
                end = Some(from + n - before.min(slashes));
                break;
            }
            _ => before = 0,
        }
    }
    // Without an end on its line it may have been the end of a sentence in quotes, not the start of a value.
    let end = match end {
        Some(end) => end,
        None if window.first().is_some_and(u8::is_ascii_alphanumeric) => word_end(bytes, from),
        None => return None,
    };
    let text = &bytes[from..end];
    let scheme = scheme_length(text);
    (!is_placeholder(&text[scheme..])).then_some(from + scheme..end)
}

fn unquoted(bytes: &[u8], from: usize, name: &Range<usize>) -> Option<Range<usize>> {
    let line_start = bytes[..name.start].last().is_none_or(|b| *b == b'\n');
    let shouted = !bytes[name.clone()].iter().any(u8::is_ascii_lowercase);
    let from = from + scheme_length(&bytes[from..bytes.len().min(from + 16)]);
    let window = &bytes[..char_start(bytes, from + LONGEST)];
    let end = if line_start && shouted { run(window, from, |b| b > b' ') } else { word_end(window, from) };
    let text = &bytes[from..end];
    let first = *text.first()?;
    let code = b"&([{-".contains(&first) && text != MARK.as_bytes()
        || bytes.get(end) == Some(&b'(')
        || text.contains(&b'(')
        || bytes[end..].starts_with(b"<")
        || is_member(text)
        || is_path(text);
    (!code && !is_placeholder(text)).then_some(from..end)
}

fn word_end(bytes: &[u8], from: usize) -> usize {
    run(bytes, from, |b| b > b' ' && !b"\"'`,;&)}]<>|".contains(&b))
}

/// The nearest place at or before `at` where a character begins.
fn char_start(bytes: &[u8], at: usize) -> usize {
    let mut at = at.min(bytes.len());
    while at < bytes.len() && bytes[at] & 0xc0 == 0x80 {
        at -= 1;
    }
    at
}

/// The length of `Bearer ` and the like at the start of a value.
fn scheme_length(text: &[u8]) -> usize {
    ["apikey ", "basic ", "bearer ", "digest ", "token "]
        .iter()
        .map(|scheme| scheme.len())
        .zip(["apikey ", "basic ", "bearer ", "digest ", "token "])
        .find(|(n, scheme)| text.len() >= *n && text[..*n].eq_ignore_ascii_case(scheme.as_bytes()))
        .map_or(0, |(n, _)| n)
}

/// `self.token`, `config.auth.secret`: code that names a value.
fn is_member(text: &[u8]) -> bool {
    text.contains(&b'.')
        && text[0].is_ascii_alphabetic()
        && text.iter().all(|b| b.is_ascii_alphabetic() || *b == b'.' || *b == b'_')
}

/// A file that holds the secret, not the secret.
fn is_path(text: &[u8]) -> bool {
    (text.starts_with(b"/") || text.starts_with(b"./") || text.starts_with(b"~/"))
        && text[1..].contains(&b'/')
        && text.iter().all(|b| is_word(*b) || b"./~".contains(b))
}

/// `$TOKEN`, `${TOKEN}`, `$(cmd)`, `%TOKEN%`: says where the secret is.
pub(super) fn is_reference(text: &[u8]) -> bool {
    match text {
        [b'$', b'(' | b'{', ..] => true,
        [b'$', name @ ..] => !name.is_empty() && name.iter().all(|b| b.is_ascii_uppercase() || *b == b'_'),
        [b'%', name @ .., b'%'] => name.iter().all(|b| is_word(*b)),
        _ => false,
    }
}

fn is_placeholder(text: &[u8]) -> bool {
    let word = String::from_utf8_lossy(text).to_ascii_lowercase();
    text.is_empty()
        || text == MARK.as_bytes()
        || is_reference(text)
        || text.iter().all(|b| b"*xX.-_%".contains(b))
        || text.starts_with(b"<") && text.ends_with(b">")
        || text.starts_with(b"{") && text.ends_with(b"}")
        || NO_SECRETS.contains(&word.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::redact;

    #[test]
    fn named_values_go() {
        for (text, expected) in [
            ("password = hunter2", "password = [redacted]"),
            ("export DB_PASSWORD='hun ter2'", "export DB_PASSWORD='[redacted]'"),
            (r#"{"api_key": "abc\"def"}"#, r#"{"api_key": "[redacted]"}"#),
            (r#"{\"token\":\"abcdef\"}"#, r#"{\"token\":\"[redacted]\"}"#),
            ("mysql --password hunter2 db", "mysql --password [redacted] db"),
            ("--token=abcdefg x", "--token=[redacted] x"),
            ("curl -u me:pass1 h", "curl -u me:[redacted] h"),
            ("STRIPE_KEY=a;b&c\nX=1", "STRIPE_KEY=[redacted]\nX=1"),
            ("the API key: zyx987", "the API key: [redacted]"),
            ("?access_token=abcdef&x=1", "?access_token=[redacted]&x=1"),
            ("Authorization: Basic abc", "Authorization: Basic [redacted]"),
            ("secret: 'gehéim'", "secret: '[redacted]'"),
            ("client_secret = \"unfinished", "client_secret = \"[redacted]"),
        ] {
            assert_eq!(redact(text), expected);
        }
    }

    #[test]
    fn every_name_passes_the_first_look() {
        for end in super::ENDS.iter().chain(super::VARIABLE_ENDS).chain(&["--user"]) {
            assert!(super::may_name(end.as_bytes()), "{end}");
        }
    }

    #[test]
    fn code_and_placeholders_stay() {
        for kept in [
            "fn new(token: &str, secret: String, password: Option<String>)",
            "let token = self.next_token();",
            "token = lexer.token",
            "password=$DB_PASSWORD token=${TOKEN}",
            "max_tokens: 4096, token: 12",
            "\"password\": null",
            "secret: <your-secret>",
            "f(token=token)",
            "use the --token flag",
            "the tokens: one two",
            "PRIVATE_KEY=/home/me/.ssh/id_ed25519",
            "input(\"Enter your password: \")",
            "\"credentials\": {\"a\": 1}",
            "PWD=/home/me OLDPWD=/tmp",
        ] {
            assert_eq!(redact(kept), kept);
        }
    }
}
