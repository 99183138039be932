//! Programs that run a command somewhere else: another host, a container, another terminal.

use super::command::Word;
use super::wrapper::{Change, Inner, joined, options};

fn away(name: &str) -> Change {
    Change { via: name.to_owned(), lost: true, elsewhere: true, ..Change::default() }
}

/// What the command named `program` runs there.
pub(super) fn unwrap(program: &str, words: &[Word]) -> Inner {
    match program {
        "chroot" => {
            let at = options(words, 1, "", &["userspec", "groups"]) + 1;
            rest(program, words, at)
        }
        "ssh" => {
            let at = options(words, 1, "BbcDEeFIiJLlmOopPQRSWw", &[]) + 1;
            if at < words.len() {
                Inner::Text(away("ssh"), joined(&words[at..]), Vec::new())
            } else {
                Inner::Stdin(away("ssh"), Vec::new())
            }
        }
        "kubectl" | "oc" => {
            let exec = words.iter().any(|word| matches!(word.text(), "exec" | "run" | "debug" | "rsh"));
            match words.iter().position(|word| word.text() == "--") {
                Some(at) if exec => rest(program, words, at + 1),
                _ => Inner::Itself,
            }
        }
        "tmux" => tmux(words),
        "screen" => match words.iter().position(|word| word.text() == "stuff") {
            Some(at) => Inner::Text(away("screen"), joined(&words[at + 1..]), Vec::new()),
            None => {
                let at = options(words, 1, "cehpsStTX", &[]);
                rest(program, words, at)
            }
        },
        _ => container(program, words),
    }
}

fn rest(name: &str, words: &[Word], at: usize) -> Inner {
    if at < words.len() { Inner::Words(away(name), words[at..].to_vec()) } else { Inner::Itself }
}

/// Keys typed into a terminal, or the command of a new one.
fn tmux(words: &[Word]) -> Inner {
    let at = options(words, 1, "cfLSTt", &[]);
    let verb = words.get(at).map_or("", Word::text);
    let from = match verb {
        "send" | "send-keys" => options(words, at + 1, "cNt", &[]),
        "new" | "new-session" | "new-window" | "neww" | "split-window" | "splitw" | "respawn-pane" | "respawnp"
        | "respawn-window" | "run" | "run-shell" | "if-shell" => options(words, at + 1, "cdeFlnstxy", &[]),
        _ => return Inner::Itself,
    };
    if from >= words.len() {
        return Inner::Itself;
    }
    let text = if verb.starts_with("send") {
        let mut text = String::new();
        for word in &words[from..] {
            match word.text() {
                "Enter" | "C-m" | "KPEnter" => text.push('\n'),
                "Space" => text.push(' '),
                key => text.push_str(key),
            }
        }
        Word::Unknown(text)
    } else {
        joined(&words[from..])
    };
    Inner::Text(away("tmux"), text, Vec::new())
}

/// Long options of `run` and `exec` without a value.
const FLAGS: [&str; 14] = [
    "detach", "init", "interactive", "no-deps", "no-healthcheck", "no-TTY", "privileged", "publish-all", "quiet", "read-only",
    "rm", "service-ports", "sig-proxy", "tty",
];

fn container(program: &str, words: &[Word]) -> Inner {
    let mut at = options(words, 1, "cHlfp", &["config", "context", "host", "log-level", "file", "project-name", "profile"]);
    if words.get(at).map(Word::text) == Some("compose") {
        at = options(words, at + 1, "fp", &["file", "project-name", "profile", "env-file"]);
    }
    if words.get(at).map(Word::text) == Some("container") {
        at += 1;
    }
    let verb = words.get(at).map_or("", Word::text);
    if !matches!(verb, "run" | "exec") {
        return Inner::Itself;
    }
    at += 1;
    let mut entry: Option<Word> = None;
    let mut volumes: Vec<(String, String)> = Vec::new();
    let mut directory: Option<String> = None;
    while let Some(text) = words.get(at).and_then(Word::literal) {
        let next = words.get(at + 1);
        if text == "--" {
            at += 1;
            break;
        }
        if !text.starts_with('-') || text.len() < 2 {
            break;
        }
        at += 1;
        let (name, value) = if let Some(name) = text.strip_prefix("--") {
            match name.split_once('=') {
                Some((name, value)) => (name, Some(Word::Literal(value.to_owned()))),
                None if FLAGS.contains(&name) => (name, None),
                None => {
                    at += 1;
                    (name, next.cloned())
                }
            }
        } else {
            let letters = &text[1..];
            match letters.find(|letter| "aceghlmpuvw".contains(letter)) {
                Some(found) => {
                    let rest = &letters[found + 1..];
                    let value = if rest.is_empty() {
                        at += 1;
                        next.cloned()
                    } else {
                        Some(Word::Literal(rest.to_owned()))
                    };
                    (&letters[found..=found], value)
                }
                None => ("", None),
            }
        };
        let Some(value) = value else { continue };
        match name {
            "entrypoint" => entry = Some(value),
            "v" | "volume" => {
                let mut fields = value.text().split(':');
                if let (Some(host), Some(inside)) = (fields.next(), fields.next()) {
                    volumes.push((host.to_owned(), inside.to_owned()));
                }
            }
            "w" | "workdir" => directory = Some(value.text().to_owned()),
            _ => {}
        }
    }
    let Some(image) = words.get(at) else {
        return Inner::Itself;
    };
    let mut inner: Vec<Word> = entry.into_iter().collect();
    if inner.is_empty() && verb == "run" {
        let name = image.text().rsplit('/').next().unwrap_or("");
        if name.split(':').next() == Some("git") {
            inner.push(Word::Literal("git".to_owned()));
        }
    }
    inner.extend_from_slice(&words[at + 1..]);
    if inner.is_empty() {
        return Inner::Itself;
    }
    let mut change = away(program);
    // A directory of this machine that is mounted where the command works is this machine's.
    let here = directory.as_deref().and_then(|directory| {
        volumes.iter().find_map(|(host, inside)| {
            let below = directory.strip_prefix(inside.trim_end_matches('/'))?;
            (below.is_empty() || below.starts_with('/')).then(|| format!("{host}{below}"))
        })
    });
    change.cwd = here.map(|path| super::flow::unknown_or(&path));
    Inner::Words(change, inner)
}
