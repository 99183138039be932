//! Secrets planted in random text never survive; ids and paths do; hostile text costs linear time.

use crate::ground::Numbers;
use ah::redact::redact;

const BASE62: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const BASE64URL: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const HEX: &[u8] = b"0123456789abcdef";
const PASSWORD: &[u8] = b"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789!#%*+^~";

/// Text as it may stand around a secret.
const FILLER: &[&str] = &[
    "the ", "fn main() {\n", "é", "\u{1f600} ", "\n", "x = 1; ", "\"", " ", "{\"a\": ", "]", "\\n ", "git push ", "- item\n",
    "src/lib.rs:12: ", "\0 ", "100% ", "https://h/p ", "<b>", "$HOME ", "'",
];

fn filler(numbers: &mut Numbers) -> String {
    (0..numbers.below(12)).map(|_| FILLER[numbers.below(FILLER.len())]).collect()
}

/// A text with a secret in it, and the secret.
fn secret(numbers: &mut Numbers) -> (String, String) {
    let begins = ["sk-ant-api03-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "npm_", "hf_", "sk_live_"];
    let names = ["password", "DB_PASSWORD", "client_secret", "api_key", "apiKey", "access-token", "AUTH_TOKEN", "passwd"];
    let body = numbers.text(40, BASE62);
    let password = numbers.text(9, PASSWORD);
    let name = names[numbers.below(names.len())];
    match numbers.below(9) {
        0 | 1 => (format!("{}{body}", begins[numbers.below(begins.len())]), body),
        2 => (format!("AKIA{}", &body.to_uppercase()[..16]), body.to_uppercase()[..16].to_owned()),
        3 => (format!("Authorization: Bearer {body}"), body),
        4 => (format!("https://me:{body}@host/x"), body),
        5 => (format!("{name}=\"{password}\""), password),
        6 => (format!("\"{name}\": \"{password}\""), password),
        7 => (format!("\n{name} = {password}\n"), password),
        _ => {
            let key = numbers.text(64, BASE62);
            let kind = ["RSA ", "EC ", ""][numbers.below(3)];
            (format!("-----BEGIN {kind}PRIVATE KEY-----\n{key}\n-----END {kind}PRIVATE KEY-----"), key)
        }
    }
}

#[test]
fn planted_secrets_never_survive() {
    let mut numbers = Numbers(7);
    for _ in 0..20_000 {
        let (text, secret) = secret(&mut numbers);
        let whole = format!("{} {text} {}", filler(&mut numbers), filler(&mut numbers));
        let out = redact(&whole);
        assert!(!out.contains(&secret), "{whole:?} -> {out:?}");
    }
}

#[test]
fn random_words_seldom_survive() {
    let mut numbers = Numbers(11);
    let missed = (0..20_000)
        .map(|n| numbers.text(40 + n % 30, if n % 2 == 0 { BASE62 } else { BASE64URL }))
        .filter(|secret| redact(&format!("see {secret} there")).contains(secret.as_str()))
        .count();
    // What looks random is a guess; without a name or a shape one in two hundred may be missed.
    assert!(missed < 100, "{missed} of 20000");
}

#[test]
fn ids_and_paths_survive() {
    let mut numbers = Numbers(13);
    for _ in 0..5_000 {
        let hex = numbers.text(64, HEX);
        let id = match numbers.below(4) {
            0 => hex.clone(),
            1 => hex[..40].to_owned(),
            2 => format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..32]),
            _ => format!("/home/me/work/{}/src/main_test.rs", &hex[..12]),
        };
        let text = format!("commit {id} of {id}, see {id}.");
        assert_eq!(redact(&text), text);
    }
}

#[test]
fn any_text_is_read() {
    let pieces: Vec<&str> = FILLER
        .iter()
        .copied()
        .chain(["password", "=", ":", "-----BEGIN PRIVATE KEY-----", "://", "@", "eyJ", "sk-", "Bearer ", "--token "])
        .collect();
    let mut numbers = Numbers(17);
    for _ in 0..20_000 {
        let text: String = (0..numbers.below(30)).map(|_| pieces[numbers.below(pieces.len())]).collect();
        let once = redact(&text).into_owned();
        assert!(once.len() <= text.len() + 10 * text.len().max(1));
    }
}

#[test]
fn hostile_repetition_is_linear() {
    // Were one of these quadratic, the run would take minutes.
    for piece in [
        "eyJ",
        "ghp_",
        "sk-",
        "sk-ant-",
        "token=",
        "token='",
        "token=\"\\",
        "://",
        "://a:b",
        "-----BEGIN ",
        "a/",
        "-----BEGIN PRIVATE KEY-----",
        "Bearer ",
        "\\",
        "--token ",
        "aB3",
        "password: ",
        "é",
        "token=$",
        "AIza",
    ] {
        let text = piece.repeat(300_000 / piece.len());
        let _ = redact(&text);
    }
}
