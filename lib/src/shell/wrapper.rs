//! Programs that run another program: one table of their options.

use super::command::{EnvValue, HOLE, Word};
use super::interpreter;
use super::remote;
use super::script::Language;

/// What a wrapper changes for the command inside.
#[derive(Clone, Debug, Default)]
pub(super) struct Change {
    /// What to call the wrapper.
    pub via: String,
    pub env: Vec<(String, EnvValue)>,
    /// `env -i`
    pub clear: bool,
    /// `env -C`
    pub cwd: Option<Word>,
    /// Nothing is known of the directory.
    pub lost: bool,
    pub elsewhere: bool,
}

/// What a command runs.
#[derive(Clone, Debug)]
pub(super) enum Inner {
    /// Itself.
    Itself,
    /// Another argument vector.
    Words(Change, Vec<Word>),
    /// A shell text, with positional parameters.
    Text(Change, Word, Vec<Word>),
    /// A PowerShell text.
    Window(Change, Word),
    /// A file of shell text.
    File(Change, Word, Vec<Word>),
    /// Shell text on standard input.
    Stdin(Change, Vec<Word>),
    /// A program text of another language; the command is one of its own, too.
    Program(Language, Word),
    ProgramFile(Language, Word),
    ProgramStdin(Language),
    /// Several, and itself: `find -exec`.
    Several(Vec<Inner>),
    /// `xargs`: what is done with the items on its input.
    Feed(Feed),
    /// `make`, `npm run`, `just`.
    Recipe,
}

/// How `xargs` makes commands.
#[derive(Clone, Debug, Default)]
pub(super) struct Feed {
    pub words: Vec<Word>,
    /// `-I`: stands for one line in the words.
    pub replace: Option<String>,
    /// `-n`, `-L`: this many items a command.
    pub most: Option<usize>,
    /// `-d`, `-0`: what is between items; `None`: blanks.
    pub delimiter: Option<char>,
    /// `parallel`: the words are shell text.
    pub shell: bool,
    /// Items given as arguments (`:::`).
    pub items: Option<Vec<Word>>,
}

struct Wrapper {
    name: &'static str,
    /// Short options with a value.
    short: &'static str,
    /// Long options whose value is the next word.
    long: &'static [&'static str],
    /// Operands before the command.
    operands: usize,
    /// `NAME=value` before the command.
    assigns: bool,
}

const fn row(name: &'static str, short: &'static str, long: &'static [&'static str], operands: usize, assigns: bool) -> Wrapper {
    Wrapper { name, short, long, operands, assigns }
}

/// Sorted by name.
const WRAPPERS: &[Wrapper] = &[
    row("arch", "", &[], 0, false),
    row("caffeinate", "tw", &[], 0, false),
    row("chronic", "", &[], 0, false),
    row("chrt", "TPD", &["sched-runtime", "sched-period", "sched-deadline"], 1, false),
    row("dbus-run-session", "", &["config-file", "dbus-daemon"], 0, false),
    row("doas", "Cu", &[], 0, false),
    row("eatmydata", "", &[], 0, false),
    row("fakeroot", "lisb", &["lib", "faked"], 0, false),
    row("faketime", "f", &[], 1, false),
    row("gnice", "n", &["adjustment"], 0, false),
    row("gtimeout", "ks", &["kill-after", "signal"], 1, false),
    row("ionice", "cnpPu", &["class", "classdata"], 0, false),
    row("linux32", "", &[], 0, false),
    row("linux64", "", &[], 0, false),
    row("ltrace", "aeilnopsuxADFS", &[], 0, false),
    row("nice", "n", &["adjustment"], 0, false),
    row("nohup", "", &[], 0, false),
    row("nsenter", "tSG", &["target", "setuid", "setgid"], 0, false),
    row("numactl", "ipmPNCs", &[], 0, false),
    row("pkexec", "", &["user"], 0, false),
    row("prlimit", "po", &["pid", "output"], 0, false),
    row("rlwrap", "bCDfgHlmOPqsStwz", &[], 0, false),
    row("setarch", "", &[], 1, false),
    row("setpriv", "", &["reuid", "regid", "groups", "inh-caps", "ambient-caps", "bounding-set", "securebits"], 0, false),
    row("setsid", "", &[], 0, false),
    row("stdbuf", "ioe", &["input", "output", "error"], 0, false),
    row("strace", "abeIopPsSuUOX", &["output", "trace", "attach"], 0, false),
    row(
        "sudo",
        "CDghpRrtTuU",
        &["close-from", "chdir", "group", "host", "prompt", "chroot", "role", "type", "command-timeout", "user", "other-user"],
        0,
        true,
    ),
    row("systemd-inhibit", "", &["what", "who", "why", "mode"], 0, false),
    row(
        "systemd-run",
        "pEutHM",
        &["unit", "property", "setenv", "uid", "gid", "slice", "description", "machine", "working-directory"],
        0,
        false,
    ),
    row("taskset", "", &[], 1, false),
    row("time", "fo", &["format", "output"], 0, false),
    row("timeout", "ks", &["kill-after", "signal"], 1, false),
    row("torsocks", "", &[], 0, false),
    row("unbuffer", "", &[], 0, false),
    row("unshare", "RwSG", &["root", "wd", "setuid", "setgid", "map-user", "map-group"], 0, false),
    row("valgrind", "", &[], 0, false),
    row("xvfb-run", "efnpsw", &["error-file", "server-num", "xauth-protocol", "server-args"], 0, false),
];

/// Programs whose first word behind the options says that a command follows: program, word.
const RUNNERS: &[(&str, &str)] = &[
    ("bundle", "exec"),
    ("direnv", "exec"),
    ("hatch", "run"),
    ("mise", "exec"),
    ("pdm", "run"),
    ("pipenv", "run"),
    ("pixi", "run"),
    ("poetry", "run"),
    ("rye", "run"),
    ("uv", "run"),
];

/// What the command named `program` with these words runs.
pub(super) fn unwrap(program: &str, words: &[Word]) -> Inner {
    let program = program.strip_suffix(".exe").unwrap_or(program);
    if program == "git" {
        return renamed("git", words);
    }
    if let Ok(at) = WRAPPERS.binary_search_by(|wrapper| wrapper.name.cmp(program)) {
        return generic(&WRAPPERS[at], words);
    }
    match program {
        "busybox" | "toybox" => match words.get(1) {
            Some(word) if word.text().starts_with('-') => Inner::Itself,
            Some(_) => Inner::Words(via(program), words[1..].to_vec()),
            None => Inner::Itself,
        },
        "env" => environment(words),
        "fd" | "fdfind" | "find" => super::feed::find(program, words),
        "flock" => flock(words),
        "hyperfine" => texts(words, "wmMrSsnNipu"),
        "just" | "make" | "gmake" | "npm" | "pnpm" | "yarn" | "bun" => Inner::Recipe,
        "parallel" => super::feed::parallel(words),
        "runuser" | "su" => user(program, words),
        "script" => script(words),
        "watch" => watch(words),
        "wsl" => wsl(words),
        "xargs" | "gxargs" => super::feed::xargs(words),
        "apptainer" | "chroot" | "docker" | "kubectl" | "nerdctl" | "oc" | "podman" | "screen" | "ssh" | "tmux"
        | "docker-compose" => remote::unwrap(program, words),
        _ => {
            if let Some(verb) = program.strip_prefix("git-")
                && !verb.is_empty()
            {
                let mut inner = vec![Word::Literal("git".to_owned()), Word::Literal(verb.to_owned())];
                inner.extend_from_slice(&words[1..]);
                return Inner::Words(Change::default(), inner);
            }
            if let Some((name, word)) = RUNNERS.iter().find(|(name, _)| *name == program) {
                return runner(name, word, words);
            }
            interpreter::unwrap(program, words)
        }
    }
}

pub(super) fn via(name: &str) -> Change {
    Change { via: name.to_owned(), ..Change::default() }
}

/// The same command under its plain name, if it is not named so yet.
fn renamed(name: &str, words: &[Word]) -> Inner {
    let known = words[0].text();
    if known.ends_with(".exe") {
        let mut inner = words.to_vec();
        inner[0] = Word::Literal(name.to_owned());
        return Inner::Words(Change::default(), inner);
    }
    Inner::Itself
}

/// Where options end: the index of the first operand.
///
/// `short`: letters whose value is the rest of the cluster or the next word.
pub(super) fn options(words: &[Word], from: usize, short: &str, long: &[&str]) -> usize {
    let mut at = from;
    while let Some(text) = words.get(at).and_then(Word::literal) {
        if text == "--" {
            return at + 1;
        }
        if let Some(name) = text.strip_prefix("--") {
            at += 1;
            if !name.contains('=') && long.contains(&name) {
                at += 1;
            }
        } else if text.len() > 1 && text.starts_with('-') {
            at += 1;
            let letters = &text[1..];
            if let Some(found) = letters.find(|letter| short.contains(letter)) {
                let rest = &letters[found..];
                if rest.chars().count() == 1 {
                    at += 1;
                }
            }
        } else {
            break;
        }
    }
    at.min(words.len())
}

fn generic(wrapper: &Wrapper, words: &[Word]) -> Inner {
    let mut at = options(words, 1, wrapper.short, wrapper.long);
    let mut change = via(wrapper.name);
    if wrapper.name == "taskset" && words[1..at].iter().any(|word| word.text().contains('p')) {
        return Inner::Itself;
    }
    at += wrapper.operands;
    while wrapper.assigns
        && let Some(entry) = words.get(at).and_then(assignment)
    {
        change.env.push(entry);
        at += 1;
    }
    if wrapper.name == "sudo" {
        for (index, word) in words[1..at.min(words.len())].iter().enumerate() {
            let next = words.get(index + 2);
            match word.text() {
                "-D" | "--chdir" => change.cwd = next.cloned(),
                text => {
                    if let Some(path) = text.strip_prefix("--chdir=") {
                        change.cwd = Some(Word::Literal(path.to_owned()));
                    }
                }
            }
        }
    }
    if at >= words.len() { Inner::Itself } else { Inner::Words(change, words[at..].to_vec()) }
}

fn runner(name: &str, word: &str, words: &[Word]) -> Inner {
    let at = options(words, 1, "", &["directory", "project", "env-file", "with", "python", "C"]);
    if words.get(at).and_then(Word::literal) != Some(word) {
        return Inner::Itself;
    }
    let mut at = options(words, at + 1, "pP", &["directory", "project", "env-file", "with", "python", "extra", "group"]);
    if name == "direnv" {
        at += 1;
    }
    if at >= words.len() { Inner::Itself } else { Inner::Words(via(&format!("{name} {word}")), words[at..].to_vec()) }
}

/// `NAME=value` as a change of the environment.
fn assignment(word: &Word) -> Option<(String, EnvValue)> {
    let (name, value) = word.text().split_once('=')?;
    if name.is_empty() || !name.bytes().all(super::parse::name_byte) {
        return None;
    }
    let value =
        if value.contains(HOLE) || matches!(word, Word::Glob(_)) { EnvValue::Unknown } else { EnvValue::Set(value.to_owned()) };
    Some((name.to_owned(), value))
}

/// `env`: options may be followed by assignments, `-S` by a whole command.
fn environment(words: &[Word]) -> Inner {
    let mut change = via("env");
    let mut at = 1;
    let mut front: Vec<Word> = Vec::new();
    while let Some(text) = words.get(at).and_then(Word::literal) {
        let next = words.get(at + 1);
        if text == "--" {
            at += 1;
            break;
        }
        if let Some(name) = text.strip_prefix("--") {
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(Word::Literal(value.to_owned()))),
                None => (name, None),
            };
            let valued = ["unset", "chdir", "split-string"].iter().find(|long| !name.is_empty() && long.starts_with(name));
            if let Some(long) = valued {
                let word = match value {
                    Some(word) => Some(word),
                    None => {
                        at += 1;
                        next.cloned()
                    }
                };
                apply(&mut change, &mut front, long, word);
            } else if name == "ignore-environment" {
                change.clear = true;
            }
            at += 1;
        } else if text == "-" {
            change.clear = true;
            at += 1;
        } else if text.starts_with('-') && text.len() > 1 {
            for (index, letter) in text.char_indices().skip(1) {
                let long = match letter {
                    'i' => {
                        change.clear = true;
                        continue;
                    }
                    'u' => "unset",
                    'C' => "chdir",
                    'S' => "split-string",
                    _ => continue,
                };
                let rest = &text[index + 1..];
                let word = if rest.is_empty() {
                    at += 1;
                    next.cloned()
                } else {
                    Some(Word::Literal(rest.to_owned()))
                };
                apply(&mut change, &mut front, long, word);
                break;
            }
            at += 1;
        } else {
            break;
        }
        if !front.is_empty() {
            break;
        }
    }
    let mut all = front;
    all.extend_from_slice(words.get(at.min(words.len())..).unwrap_or_default());
    let mut skip = 0;
    // A text of -S may begin with options and assignments of its own.
    while let Some(word) = all.get(skip) {
        if let Some(entry) = assignment(word) {
            change.env.push(entry);
            skip += 1;
        } else if matches!(word.literal(), Some("-i" | "--" | "-v")) {
            skip += 1;
        } else {
            break;
        }
    }
    all.drain(..skip);
    if all.is_empty() { Inner::Itself } else { Inner::Words(change, all) }
}

fn apply(change: &mut Change, front: &mut Vec<Word>, long: &str, word: Option<Word>) {
    let Some(word) = word else { return };
    match long {
        "unset" => change.env.push((word.text().to_owned(), EnvValue::Unset)),
        "chdir" => change.cwd = Some(word),
        _ => front.extend(split(&word)),
    }
}

/// Splits a text at blanks, quotes honoured: `env -S`, items of `xargs`.
pub(super) fn split(word: &Word) -> Vec<Word> {
    let mut out = Vec::new();
    let mut current = String::new();
    let mut open = false;
    let mut quote = None;
    let mut chars = word.text().chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(mark), char) if mark == char => quote = None,
            (Some('\''), char) => current.push(char),
            (_, '\\') => {
                if let Some(next) = chars.next() {
                    match next {
                        '_' if quote.is_none() => {
                            out.push(super::flow::unknown_or(&std::mem::take(&mut current)));
                            open = false;
                            continue;
                        }
                        '_' => current.push(' '),
                        next => current.push(next),
                    }
                    open = true;
                }
            }
            (Some(_), char) => current.push(char),
            (None, '\'' | '"') => {
                quote = Some(char);
                open = true;
            }
            (None, ' ' | '\t' | '\n') => {
                if open {
                    out.push(super::flow::unknown_or(&std::mem::take(&mut current)));
                }
                open = false;
            }
            (None, char) => {
                current.push(char);
                open = true;
            }
        }
    }
    if open {
        out.push(super::flow::unknown_or(&current));
    }
    out
}

/// Words joined by blanks, as `eval`, `ssh` and `watch` do.
pub(super) fn joined(words: &[Word]) -> Word {
    let text: Vec<&str> = words.iter().map(Word::text).collect();
    Word::Unknown(text.join(" "))
}

fn flock(words: &[Word]) -> Inner {
    let at = options(words, 1, "wE", &["timeout", "wait", "conflict-exit-code"]) + 1;
    let change = via("flock");
    match words.get(at).and_then(Word::literal) {
        Some("-c" | "--command") if words.len() > at + 1 => Inner::Text(change, words[at + 1].clone(), Vec::new()),
        _ if at < words.len() => Inner::Words(change, words[at..].to_vec()),
        _ => Inner::Itself,
    }
}

/// Every operand is a shell text.
fn texts(words: &[Word], short: &str) -> Inner {
    let at = options(
        words,
        1,
        short,
        &[
            "warmup",
            "min-runs",
            "max-runs",
            "runs",
            "setup",
            "prepare",
            "cleanup",
            "parameter-scan",
            "parameter-list",
            "shell",
            "style",
            "export-json",
            "export-markdown",
        ],
    );
    let name = words[0].text().to_owned();
    Inner::Several(words[at..].iter().map(|word| Inner::Text(via(&name), word.clone(), Vec::new())).collect())
}

fn user(name: &str, words: &[Word]) -> Inner {
    let mut at = 1;
    let mut operands = Vec::new();
    let mut text = None;
    let mut direct = false;
    while let Some(word) = words.get(at) {
        let option = word.literal().unwrap_or("");
        at += 1;
        match option {
            "-c" | "--command" | "--session-command" => {
                text = words.get(at).cloned();
                at += 1;
            }
            "-u" | "--user" if name == "runuser" => {
                direct = true;
                at += 1;
            }
            "-s" | "--shell" | "-g" | "--group" | "-G" | "--supp-group" | "-w" | "--whitelist-environment" => at += 1,
            "--" if direct => break,
            "-" | "--" => {}
            _ if option.starts_with("--command=") => text = Some(Word::Literal(option["--command=".len()..].to_owned())),
            _ if option.starts_with('-') && !option.starts_with("--") && option.ends_with('c') => {
                text = words.get(at).cloned();
                at += 1;
            }
            _ if option.starts_with('-') => {}
            _ if direct => {
                at -= 1;
                break;
            }
            _ => operands.push(word.clone()),
        }
    }
    let change = via(name);
    if let Some(text) = text {
        return Inner::Text(change, text, operands.into_iter().skip(1).collect());
    }
    if direct && at < words.len() {
        return Inner::Words(change, words[at..].to_vec());
    }
    Inner::Stdin(change, Vec::new())
}

fn script(words: &[Word]) -> Inner {
    let mut at = 1;
    while let Some(text) = words.get(at).and_then(Word::literal) {
        if let Some(command) = text.strip_prefix("--command=") {
            return Inner::Text(via("script"), Word::Literal(command.to_owned()), Vec::new());
        }
        if text == "--command" || (text.starts_with('-') && !text.starts_with("--") && text.ends_with('c')) {
            return match words.get(at + 1) {
                Some(word) => Inner::Text(via("script"), word.clone(), Vec::new()),
                None => Inner::Itself,
            };
        }
        if !text.starts_with('-') || text == "--" {
            break;
        }
        at += 1;
    }
    // The BSD form: script FILE COMMAND ...
    if words.len() > at + 1 { Inner::Words(via("script"), words[at + 1..].to_vec()) } else { Inner::Itself }
}

fn watch(words: &[Word]) -> Inner {
    let at = options(words, 1, "nqs", &["interval", "equexit", "shotsdir"]);
    if at >= words.len() {
        return Inner::Itself;
    }
    let exec = words[1..at].iter().any(|word| matches!(word.text(), "-x" | "--exec"));
    if exec {
        return Inner::Words(via("watch"), words[at..].to_vec());
    }
    Inner::Text(via("watch"), joined(&words[at..]), Vec::new())
}

fn wsl(words: &[Word]) -> Inner {
    let mut at = 1;
    while let Some(text) = words.get(at).and_then(Word::literal) {
        match text {
            "-d" | "-u" | "--distribution" | "--user" | "--cd" => at += 2,
            "--" | "-e" | "--exec" => {
                at += 1;
                break;
            }
            _ if text.starts_with('-') => at += 1,
            _ => break,
        }
    }
    if at < words.len() { Inner::Words(via("wsl"), words[at..].to_vec()) } else { Inner::Itself }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(WRAPPERS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn texts_split_with_quotes() {
        let words = split(&Word::Literal("git 'a b' \"c d\" e\\ f".to_owned()));
        let words: Vec<&str> = words.iter().map(Word::text).collect();
        assert_eq!(words, ["git", "a b", "c d", "e f"]);
    }
}
