//! Secrets of known shapes never reach the log, whatever they come in; what only looks like one stays.

use crate::ground::Numbers;
use crate::prefilter_run::{bash, failed, log_file, prompt, ran, silent, stop};
use crate::support::TestRepo;
use serde_json::json;

const B62: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const B64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const HEX: &[u8] = b"0123456789abcdef";
const LOWER: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// What stands around a secret, `@` in its place; its alphabet and length.
const SHAPES: &[(&str, &[u8], usize)] = &[
    // Tokens of providers, by how they begin.
    ("AGE-SECRET-KEY-1@", UPPER, 58),
    ("AIza@", B62, 35),
    ("AKIA@", UPPER, 16),
    ("ASIA@", UPPER, 16),
    ("SG.@", B62, 22),
    ("dckr_pat_@", B62, 27),
    ("dop_v1_@", HEX, 64),
    ("eyJ@.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", B62, 30),
    ("gho_@", B62, 36),
    ("ghp_@", B62, 36),
    ("ghr_@", B62, 36),
    ("ghs_@", B62, 36),
    ("ghu_@", B62, 36),
    ("github_pat_@", B62, 82),
    ("gldt-@", B62, 20),
    ("glpat-@", B62, 20),
    ("glrt-@", B62, 20),
    ("gsk_@", B62, 52),
    ("hf_@", B62, 34),
    ("hvs.@", B62, 90),
    ("lin_api_@", B62, 40),
    ("npm_@", B62, 36),
    ("pypi-AgEIcHlwaS5vcmc@", B62, 60),
    ("rk_live_@", B62, 24),
    ("rk_test_@", B62, 24),
    ("shpat_@", HEX, 32),
    ("sk-ant-api03-@", B62, 90),
    ("sk-proj-@", B62, 48),
    ("sk_live_@", B62, 24),
    ("sk_test_@", B62, 24),
    ("whsec_@", B64, 32),
    ("xai-@", B62, 80),
    ("xapp-1-@", B62, 40),
    ("xoxa-@", B62, 40),
    ("xoxb-@", B62, 40),
    ("xoxp-@", B62, 40),
    ("ya29.@", B62, 60),
    // By the name before them.
    ("password=@", LOWER, 9),
    ("Password: @", LOWER, 9),
    ("passwd='@'", LOWER, 12),
    ("DB_PASSWORD=\"@\"", B62, 10),
    ("export API_KEY=@", LOWER, 24),
    ("api_key: '@'", HEX, 32),
    ("\"apiKey\": \"@\"", B62, 20),
    ("\"client_secret\":\"@\"", B62, 20),
    ("access-token: @", LOWER, 20),
    ("AUTH_TOKEN=@", LOWER, 20),
    ("secret_key_base: @", HEX, 64),
    ("aws_secret_access_key = @", B64, 40),
    ("AccountKey=@==;", B62, 86),
    ("--password @", LOWER, 9),
    ("--token=@", LOWER, 12),
    ("--api-key @", LOWER, 20),
    ("curl -u admin:@ http://h", LOWER, 10),
    ("passphrase => \"@\"", LOWER, 14),
    ("?access_token=@&x=1", LOWER, 16),
    ("SENTRY_DSN=https://@.ingest.test/1", HEX, 32),
    ("PGPASSWORD=@ psql", LOWER, 9),
    // Headers, addresses, keys.
    ("Authorization: Bearer @", LOWER, 20),
    ("Authorization: Basic @", B62, 16),
    ("-H 'Authorization: token @'", HEX, 40),
    ("X-Api-Key: @", LOWER, 20),
    ("https://me:@@host/x.git", LOWER, 10),
    ("postgres://app:@@db:5432/app", LOWER, 10),
    ("redis://:@@cache:6379", LOWER, 12),
    ("mongodb+srv://u:@@c.test/db", LOWER, 12),
    ("-----BEGIN PRIVATE KEY-----\\n@\\n-----END PRIVATE KEY-----", B64, 64),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\n@\n-----END OPENSSH PRIVATE KEY-----", B64, 70),
    // Nothing but how random it looks.
    ("see @ there", B62, 44),
];

/// What is no secret, and is worked with.
const KEPT: &[&str] = &[
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "0xda39a3ee5e6b4b0d3255bfef95601890afd80709",
    "123e4567-e89b-12d3-a456-426614174000",
    "toolu_01A09q90qw90lq917835lq9x",
    "src/http_server/request_handler_factory.rs:128:17",
    "com.example.AbstractSingletonProxyFactoryBeanImplementation",
    "x86_64-unknown-linux-gnu",
    "feature/JIRA-1234-make-the-XMLHttpRequest-faster",
    "THE_QUICK_BROWN_FOX_JUMPS_OVER_LAZY_DOGS",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
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
    "git reset --hard HEAD~3",
    "git log --format=%H -1",
    "https://example.test/a/b?page=2#top",
    "https://user@host.test/repo.git",
    "git@github.com:owner/repo.git",
    "ssh://git@host:22/owner/repo",
    "http://localhost:8080/v1",
    "mailto:dev@example.test",
    "cargo test --all-features -- --nocapture",
    "sk-learn and sk-image",
    "a task-based scheduler",
    "xai-org/grok on a page",
    "hf_hub_download(repo)",
    "npm_config_registry and npm_package_name",
    "ghp_ is how it begins",
    "AKIA is a prefix",
    "eyJ begins a JSON Web Token",
    "SG.mail",
    "glpat- and gldt-",
    "the private key is in the vault",
    "-----BEGIN CERTIFICATE-----",
    "BEGIN PUBLIC KEY",
    "ssh-ed25519 public keys",
    "Authorization: required",
    "Bearer tokens expire",
    "token: string",
    "password: bool",
    "secret: required",
    "apiKey: undefined",
    "SORT_KEY=name",
    "PRIMARY_KEY=id",
    "PUBLIC_KEY=x.pem",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "v1.2.3-rc.4+build.567",
    "2026-12-01T05:37:03.123Z",
    "10.0.0.1:8443",
    "fe80::1ff:fe23:4567:890a",
    "node_modules/@scope/package-name/dist/index.min.js",
    "#!/usr/bin/env bash",
    "s/[A-Z][a-z]+/<&>/g",
    "E0308: mismatched types",
    "passwords are hashed with argon2id",
    "rotate the API key soon",
];

#[test]
fn the_tables_are_long_enough() {
    assert!(SHAPES.len() >= 60 && KEPT.len() >= 60, "{} {}", SHAPES.len(), KEPT.len());
}

#[test]
fn no_secret_reaches_the_log() {
    let t = TestRepo::new();
    let mut numbers = Numbers(23);
    let mut secrets = Vec::new();
    for (n, (shape, alphabet, length)) in SHAPES.iter().enumerate() {
        // Six events, each with a secret of its own; a digit and a letter in each, as any has.
        for way in 0..6 {
            let mut secret = numbers.text(*length, alphabet);
            secret.replace_range(
                1..3,
                if *alphabet == UPPER {
                    "Q7"
                } else if *alphabet == HEX {
                    "a7"
                } else {
                    "k7"
                },
            );
            // The first `@` is the secret's place, the next one an address's.
            let text = format!("now {} then", shape.replacen('@', &secret, 1));
            let id = format!("t{n}.{way}");
            let event = match way {
                0 => prompt(&t, &text),
                1 => bash(&t, &id, &format!("run {text}")),
                2 => ran(&t, &id, "Write", json!({"file_path": "a.txt", "content": text})),
                3 => failed(&t, &id, "Bash", json!({"command": "x"}), &format!("Exit code 1\n{text}")),
                4 => failed(&t, &id, "Bash", json!({"command": text}), &format!("User rejected: the user said: {text}")),
                _ => stop(&t, &text),
            };
            silent(&t, &event);
            secrets.push((*shape, way, secret));
        }
    }
    let log = std::fs::read_to_string(log_file(&t)).unwrap();
    let leaked: Vec<_> = secrets.iter().filter(|(_, _, secret)| log.contains(secret.as_str())).collect();
    assert!(leaked.is_empty(), "{leaked:?}");
    assert!(log.matches("[redacted]").count() >= SHAPES.len() * 6);
}

#[test]
fn what_only_looks_like_one_stays() {
    let t = TestRepo::new();
    let kept = |n: usize, text: &str| {
        [
            prompt(&t, text),
            bash(&t, &format!("b{n}"), &format!("echo {text}")),
            ran(&t, &format!("e{n}"), "Write", json!({"file_path": "a.txt", "content": text})),
            failed(&t, &format!("f{n}"), "Bash", json!({"command": "x"}), text),
        ]
    };
    KEPT.iter().enumerate().flat_map(|(n, text)| kept(n, text)).for_each(|event| silent(&t, &event));
    let log = std::fs::read_to_string(log_file(&t)).unwrap();
    for text in KEPT {
        let json = json!(text).to_string();
        let times = log.matches(json.trim_matches('"')).count();
        assert!(times >= 4, "{text}: {times}");
    }
}

#[test]
fn a_secret_in_a_name_or_at_a_cut_is_gone_too() {
    let t = TestRepo::new();
    let secret = format!("ghp_{}", Numbers(29).text(36, B62));
    silent(&t, &ran(&t, "t1", "Write", json!({"file_path": format!("{secret}.txt"), "content": "x"})));
    silent(&t, &bash(&t, "t2", &format!("touch {secret}")));
    for before in (560..620).step_by(3) {
        silent(&t, &bash(&t, &format!("c{before}"), &format!("{} {secret}", "x".repeat(before))));
    }
    for before in [12_200, 12_280, 12_288, 15_000, 16_380] {
        silent(&t, &prompt(&t, &format!("{} {secret} {}", "x ".repeat(before / 2), "y ".repeat(6_000))));
    }
    let log = std::fs::read_to_string(log_file(&t)).unwrap();
    assert!(!log.contains(&secret[..10]), "{}", log.split(&secret[..10]).next().unwrap().len());
}
