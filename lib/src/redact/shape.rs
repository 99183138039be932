//! Secrets known by their shape: tokens of providers, private keys, authorization headers, logins in URLs.

use super::run;
use std::ops::Range;

/// How a provider's tokens look: a beginning, then at least so many characters of the alphabet.
struct Shape {
    begin: &'static str,
    least: usize,
    also: &'static [u8],
    /// Found only where a word begins, since ordinary words contain the beginning.
    at_word: bool,
}

const fn anywhere(begin: &'static str, least: usize, also: &'static [u8]) -> Shape {
    Shape { begin, least, also, at_word: false }
}

const fn word(begin: &'static str, least: usize, also: &'static [u8]) -> Shape {
    Shape { begin, least, also, at_word: true }
}

/// From the providers' documentation; `least` is lower than what they give out today.
const SHAPES: &[Shape] = &[
    anywhere("AGE-SECRET-KEY-1", 20, b""),
    anywhere("AIza", 30, b"_-"),
    anywhere("AKIA", 16, b""),
    anywhere("ASIA", 16, b""),
    word("SG.", 20, b"._-"),
    anywhere("dckr_pat_", 20, b"_-"),
    anywhere("dop_v1_", 20, b""),
    word("eyJ", 10, b"_-"),
    anywhere("gho_", 20, b""),
    anywhere("ghp_", 20, b""),
    anywhere("ghr_", 20, b""),
    anywhere("ghs_", 20, b""),
    anywhere("ghu_", 20, b""),
    anywhere("github_pat_", 20, b"_"),
    anywhere("gldt-", 20, b"_-"),
    anywhere("glpat-", 16, b"_-."),
    anywhere("glrt-", 20, b"_-."),
    word("gsk_", 20, b""),
    anywhere("hf_", 30, b""),
    word("hvs.", 20, b"_-"),
    anywhere("lin_api_", 20, b""),
    anywhere("npm_", 30, b""),
    anywhere("pypi-AgE", 20, b"_-"),
    anywhere("rk_live_", 16, b""),
    anywhere("rk_test_", 16, b""),
    anywhere("shpat_", 20, b""),
    anywhere("sk-ant-", 16, b"_-"),
    word("sk-", 20, b"_-"),
    anywhere("sk_live_", 16, b""),
    anywhere("sk_test_", 16, b""),
    anywhere("whsec_", 16, b"+/="),
    word("xai-", 20, b"_-"),
    anywhere("xapp-", 10, b"-"),
    anywhere("xoxa-", 10, b"-"),
    anywhere("xoxb-", 10, b"-"),
    anywhere("xoxe-", 10, b"-"),
    anywhere("xoxp-", 10, b"-"),
    anywhere("xoxr-", 10, b"-"),
    anywhere("xoxs-", 10, b"-"),
    word("ya29.", 20, b"_-"),
];

/// The first bytes of [`SHAPES`]: most letters of a long word are none.
const FIRST: [bool; 256] = {
    let mut first = [false; 256];
    let mut n = 0;
    while n < SHAPES.len() {
        first[SHAPES[n].begin.as_bytes()[0] as usize] = true;
        n += 1;
    }
    first
};

/// The secret that begins in the word `at`, if its shape is known.
pub(super) fn find(bytes: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let word = &bytes[at.clone()];
    if word.starts_with(b"-----BEGIN") {
        return private_key(bytes, at);
    }
    if let Some(span) = authorization(bytes, at.clone()) {
        return Some(span);
    }
    if word.len() < 20 && bytes.get(at.end) != Some(&b'.') {
        return None;
    }
    // `\n` and the like in front are a line break of a quoted text, not letters of the word.
    let escaped = at.start > 0 && bytes[at.start - 1] == b'\\' && word[0].is_ascii_lowercase();
    let mut starts = at.clone().filter(|from| FIRST[usize::from(bytes[*from])]);
    starts.find_map(|from| {
        let begins = from == at.start || escaped && from == at.start + 1;
        token(bytes, from, begins)
    })
}

fn token(bytes: &[u8], from: usize, begins: bool) -> Option<Range<usize>> {
    let rest = &bytes[from..];
    let after_dash = from > 0 && bytes[from - 1] == b'-';
    SHAPES
        .iter()
        .filter(|shape| rest[0] == shape.begin.as_bytes()[0])
        .filter(|shape| begins || !shape.at_word || after_dash && shape.begin != "eyJ")
        .find_map(|shape| {
            let body = from + shape.begin.len();
            if !rest.starts_with(shape.begin.as_bytes()) {
                return None;
            }
            let of = |b: u8| b.is_ascii_alphanumeric() || shape.also.contains(&b);
            // Little is read before it is sure, since the next one may begin within this.
            let start = &bytes[body..bytes.len().min(body + 64)];
            let start = &start[..run(start, 0, of)];
            let fits = start.len() >= shape.least
                && match shape.begin {
                    "AKIA" | "ASIA" => start.iter().all(|b| !b.is_ascii_lowercase()),
                    // Names with hyphens may begin so too.
                    "sk-" | "xai-" => start.iter().any(u8::is_ascii_digit),
                    _ => true,
                };
            if !fits {
                return None;
            }
            let end = run(bytes, body, of);
            if shape.begin != "eyJ" {
                return Some(from..end);
            }
            (bytes.get(end) == Some(&b'.')).then(|| from..run(bytes, end, |b| of(b) || b == b'.'))
        })
}

/// A private key in PEM armour, from its first line to its last; one that is cut off, as far as it looks like one.
fn private_key(bytes: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    const LONGEST: usize = 16 * 1024;
    let title_end = bytes.len().min(at.end + 60);
    let title = &bytes[at.end..title_end];
    let title = &title[..title.windows(5).position(|w| w == b"-----")?];
    if !contains(title, b"PRIVATE KEY") {
        return None;
    }
    let body = at.end + title.len() + 5;
    let window = &bytes[body..bytes.len().min(body + LONGEST)];
    if let Some(last) = window.windows(8).position(|w| w == b"-----END") {
        let line = run(bytes, body + last + 8, |b| b.is_ascii_alphanumeric() || b == b' ');
        return Some(at.start..run(bytes, line, |b| b == b'-'));
    }
    let armour = |b: u8| b.is_ascii_alphanumeric() || b.is_ascii_whitespace() || b"+/=\\:,-".contains(&b);
    Some(at.start..run(bytes, body, armour))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|w| w == part)
}

/// `Bearer X`, `Basic X`: X, when it is no ordinary word.
fn authorization(bytes: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let word = &bytes[at.clone()];
    let basic = word.eq_ignore_ascii_case(b"basic");
    if !basic && !word.eq_ignore_ascii_case(b"bearer") {
        return None;
    }
    let from = run(bytes, at.end, |b| b == b' ');
    let end = run(bytes, from, |b| b.is_ascii_alphanumeric() || b"._~+/=-".contains(&b));
    let value = &bytes[from..end];
    let any = |of: fn(&u8) -> bool| value.iter().any(of);
    let fits = if basic {
        value.len().is_multiple_of(4) && any(u8::is_ascii_lowercase) && any(|b| b.is_ascii_uppercase() || *b == b'=')
    } else {
        any(u8::is_ascii_digit) || value.len() >= 20
    };
    (from > at.end && value.len() >= 8 && fits).then_some(from..end)
}

/// The password of a URL whose authority begins at `from`.
pub(super) fn url_password(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    const LONGEST: usize = 1024;
    let window = &bytes[from..bytes.len().min(from + LONGEST)];
    let ends = |b: &u8| *b <= b' ' || b"/\"'`<>?#\\|".contains(b);
    let authority = &window[..window.iter().position(ends).unwrap_or(window.len())];
    let at = authority.iter().rposition(|b| *b == b'@')?;
    let colon = authority[..at].iter().position(|b| *b == b':')?;
    let password = &authority[colon + 1..at];
    let kept = password.is_empty() || password == super::MARK.as_bytes() || super::pair::is_reference(password);
    (!kept).then_some(from + colon + 1..from + at)
}

#[cfg(test)]
mod tests {
    use super::super::redact;

    fn gone(text: &str, secret: &str) {
        let out = redact(text);
        assert!(!out.contains(secret) && out.contains("[redacted]"), "{text:?} -> {out:?}");
    }

    #[test]
    fn tokens_of_providers_go() {
        let body = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
        for begin in [
            "sk-ant-api03-", "sk-proj-", "sk-", "ghp_", "gho_", "ghs_", "github_pat_", "xoxb-", "xoxp-", "xoxa-", "AIza",
            "glpat-", "npm_", "hf_", "sk_live_", "SG.", "hvs.", "gsk_",
        ] {
            let token = format!("{begin}{body}");
            for text in [
                token.clone(),
                format!("use {token} now"),
                format!("x='{token}'"),
                format!("a line\\n{token}\\n"),
                format!("--key-{token}"),
            ] {
                gone(&text, &token);
                gone(&text, body);
            }
        }
        gone("key AKIAIOSFODNN7EXAMPLE.", "AKIAIOSFODNN7EXAMPLE");
        gone("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc_DEF-123", "eyJzdWIiOiIxMjM0In0");
    }

    #[test]
    fn private_keys_go_whole() {
        let body = "MIIEpAIBAAKCAQEA7u\nabc+/def==\n";
        for kind in ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
            let pem = format!("-----BEGIN {kind}-----\n{body}-----END {kind}-----");
            assert_eq!(redact(&format!("a {pem} b")), "a [redacted] b");
            gone(&format!("-----BEGIN {kind}-----\n{body}"), "MIIEpA");
            gone(&pem.replace('\n', "\\n"), "abc+/def");
        }
        let public = format!("-----BEGIN PUBLIC KEY-----\n{body}-----END PUBLIC KEY-----");
        assert_eq!(redact(&public), public);
    }

    #[test]
    fn headers_and_urls() {
        gone("curl -H 'Authorization: Bearer abcd1234efgh'", "abcd1234efgh");
        gone("Basic dXNlcjpwYXNz", "dXNlcjpwYXNz");
        gone("postgres://me:s3cr@t@db:5432/x", "s3cr@t");
        assert_eq!(redact("git://me:pw@h/x"), "git://me:[redacted]@h/x");
        for kept in [
            "a basic understanding of Bearer authentication",
            "https://h:8080/a@b",
            "https://git@github.com/o/r",
            "https://u:$TOKEN@h/",
            "task-runner-with-a-long-name-2024",
        ] {
            assert_eq!(redact(kept), kept);
        }
    }
}
