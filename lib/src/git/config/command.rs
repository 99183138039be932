//! Settings that the environment and `git -c` give.

use std::os::unix::ffi::OsStrExt;

use super::super::vars::{PARAMETERS, Vars};
use super::canonical;
use super::parse::{Setting, setting};

/// The most numbered variables that are read.
const COUNT: usize = 10_000;

/// The settings of `GIT_CONFIG_COUNT` and then those of `-c`; `None` where git would refuse them.
pub(super) fn settings(vars: &Vars) -> Option<Vec<Setting>> {
    let mut all = Vec::new();
    if let Some(count) = vars.text("GIT_CONFIG_COUNT").filter(|c| !c.is_empty()) {
        let count: usize = count.parse().ok().filter(|c| *c <= COUNT)?;
        for i in 0..count {
            let key = vars.get(&format!("GIT_CONFIG_KEY_{i}"))?;
            let value = vars.get(&format!("GIT_CONFIG_VALUE_{i}"))?;
            all.push(named(key.as_bytes(), Some(value.as_bytes()))?);
        }
    }
    if let Some(text) = vars.get(PARAMETERS) {
        parameters(text.as_bytes(), &mut all)?;
    }
    Some(all)
}

/// Words in single quotes: `'key=value'`, or `'key'='value'`, or `'key'=`.
fn parameters(mut text: &[u8], all: &mut Vec<Setting>) -> Option<()> {
    loop {
        text = text.trim_ascii_start();
        if text.is_empty() {
            return Some(());
        }
        let key = word(&mut text)?;
        match text.first() {
            Some(b'=') => {
                text = &text[1..];
                let value = match text.first() {
                    Some(b'\'') => Some(word(&mut text)?),
                    _ => None,
                };
                all.push(named(&key, value.as_deref())?);
            }
            _ => {
                let mut halves = key.splitn(2, |b| *b == b'=');
                let name = halves.next().unwrap_or_default().trim_ascii();
                all.push(named(name, halves.next())?);
            }
        }
        if text.first().is_some_and(|b| !b.is_ascii_whitespace()) {
            return None;
        }
    }
}

/// One quoted word, with `'\''` and `'\!'` inside; `text` moves behind it.
fn word(text: &mut &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = text.strip_prefix(b"'")?;
    loop {
        let end = rest.iter().position(|b| *b == b'\'')?;
        out.extend_from_slice(&rest[..end]);
        rest = &rest[end + 1..];
        match rest {
            [b'\\', c @ (b'\'' | b'!'), b'\'', more @ ..] => {
                out.push(*c);
                rest = more;
            }
            _ => break,
        }
    }
    *text = rest;
    Some(out)
}

fn named(key: &[u8], value: Option<&[u8]>) -> Option<Setting> {
    let mut setting = setting(key, value);
    setting.key = canonical(&setting.key);
    // git refuses a name without a section.
    setting.key.contains('.').then_some(setting)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pairs: &[(&str, &str)]) -> Option<Vec<(String, Option<String>)>> {
        let vars: Vars = pairs.iter().copied().collect();
        Some(settings(&vars)?.into_iter().map(|s| (s.key, s.value)).collect())
    }

    #[test]
    fn both_forms_and_the_count() {
        let got = all(&[
            (PARAMETERS, r"'core.Bare=true' 'a.b=c.d'='x'\''y' 'x.y'= 'X.Y'"),
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "alias.x"),
            ("GIT_CONFIG_VALUE_0", "!"),
        ]);
        let want = [("alias.x", Some("!")), ("core.bare", Some("true")), ("a.b=c.d", Some("x'y")), ("x.y", None), ("x.y", None)];
        assert_eq!(got, Some(want.iter().map(|(k, v)| (k.to_string(), v.map(str::to_owned))).collect()));
    }

    #[test]
    fn what_git_refuses() {
        for text in ["'a.b", "a.b=c", "'a.b'c", "'a'", "'a.b'='c"] {
            assert_eq!(all(&[(PARAMETERS, text)]), None, "{text}");
        }
        assert_eq!(all(&[("GIT_CONFIG_COUNT", "1")]), None);
        assert_eq!(all(&[("GIT_CONFIG_COUNT", "99999999999999")]), None);
    }

    #[test]
    fn what_we_write_we_read() {
        let mut vars = Vars::default();
        vars.add_config("filter.a=b'!.clean", Some("x ' y!"));
        vars.add_config("alias.q", Some("!a 'b'"));
        let keys: Vec<_> = settings(&vars).into_iter().flatten().map(|s| (s.key, s.value)).collect();
        assert_eq!(keys[0], ("filter.a=b'!.clean".to_owned(), Some("x ' y!".to_owned())));
        assert_eq!(keys[1].1.as_deref(), Some("!a 'b'"));
    }
}
