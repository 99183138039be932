//! Programs that run another program: one table of their options.

use super::command::{EnvValue, Word};
use super::environment::assignment;
use super::interpreter;
use super::launcher;
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
    /// `-a`: the file that the items are in.
    pub file: Option<Word>,
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
    row("bunx", "p", &["package"], 0, false),
    row("caffeinate", "tw", &[], 0, false),
    row("chronic", "", &[], 0, false),
    row("chrt", "TPD", &["sched-runtime", "sched-period", "sched-deadline"], 1, false),
    row("corepack", "", &[], 0, false),
    row("dbus-run-session", "", &["config-file", "dbus-daemon"], 0, false),
    row("doas", "Cu", &[], 0, false),
    row("eatmydata", "", &[], 0, false),
    row("fakeroot", "lisb", &["lib", "faked"], 0, false),
    row("faketime", "f", &[], 1, false),
    row("firejail", "", &[], 0, false),
    row("gnice", "n", &["adjustment"], 0, false),
    row("gtimeout", "ks", &["kill-after", "signal"], 1, false),
    row("ionice", "cnpPu", &["class", "classdata"], 0, false),
    row("linux32", "", &[], 0, false),
    row("linux64", "", &[], 0, false),
    row("ltrace", "aeilnopsuxADFS", &[], 0, false),
    row("nice", "n", &["adjustment"], 0, false),
    row("nohup", "", &[], 0, false),
    row("npx", "pw", &["package", "workspace"], 0, false),
    row("nsenter", "tSG", &["target", "setuid", "setgid"], 0, false),
    row("numactl", "ipmPNCs", &[], 0, false),
    row("pkexec", "", &["user"], 0, false),
    row("pnpx", "", &["package"], 0, false),
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
    row("uvx", "p", &["from", "with", "python", "index-url"], 0, false),
    row("valgrind", "", &[], 0, false),
    row("xvfb-run", "efnpsw", &["error-file", "server-num", "xauth-protocol", "server-args"], 0, false),
];

/// Programs whose first word behind the options says that a command follows: program, word.
const RUNNERS: &[(&str, &str)] = &[
    ("bundle", "exec"),
    ("conda", "run"),
    ("direnv", "exec"),
    ("doppler", "run"),
    ("hatch", "run"),
    ("infisical", "run"),
    ("mamba", "run"),
    ("micromamba", "run"),
    ("mise", "exec"),
    ("mise", "x"),
    ("npm", "exec"),
    ("npm", "x"),
    ("op", "run"),
    ("pdm", "run"),
    ("perf", "record"),
    ("perf", "stat"),
    ("pipenv", "run"),
    ("pixi", "run"),
    ("pnpm", "dlx"),
    ("pnpm", "exec"),
    ("poetry", "run"),
    ("rye", "run"),
    ("uv", "run"),
    ("yarn", "dlx"),
    ("yarn", "exec"),
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
    if let Some((name, word)) =
        RUNNERS.iter().find(|(name, word)| *name == program && words.iter().take(8).any(|w| w.text() == *word))
    {
        match runner(name, word, words) {
            Inner::Itself => {}
            inner => return inner,
        }
    }
    match program {
        "busybox" | "toybox" => match words.get(1) {
            Some(word) if word.text().starts_with('-') => Inner::Itself,
            Some(_) => Inner::Words(via(program), words[1..].to_vec()),
            None => Inner::Itself,
        },
        "dotenv" | "dotenvx" => launcher::behind(words, &["--"]),
        "env" => super::environment::environment(words),
        "fd" | "fdfind" | "find" => super::feed::find(program, words),
        "flock" => launcher::flock(words),
        "gdb" | "lldb" => launcher::behind(words, &["--args", "--"]),
        "hyperfine" => launcher::texts(words, "wmMrSsnNipu"),
        "just" | "make" | "gmake" | "npm" | "pnpm" | "yarn" | "bun" => Inner::Recipe,
        "nix" | "nix-shell" => launcher::nix(words),
        "parallel" => super::feed::parallel(words),
        "runuser" | "su" => launcher::user(program, words),
        "script" => launcher::script(words),
        "watch" => launcher::watch(words),
        "wsl" => launcher::wsl(words),
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
    let at = options(words, 1, "C", &["directory", "project", "env-file", "with", "python", "cwd", "dir", "cd"]);
    if words.get(at).and_then(Word::literal) != Some(word) {
        return Inner::Itself;
    }
    // perf has letters of its own, and so has conda.
    let short = match name {
        "conda" | "mamba" | "micromamba" => "np",
        "perf" => "eprtaoCcFgI",
        _ => "pP",
    };
    let long = [
        "cwd", "directory", "env", "env-file", "environment", "event", "extra", "group", "name", "output", "package", "prefix",
        "project", "python", "with",
    ];
    let mut at = options(words, at + 1, short, &long);
    if name == "direnv" {
        at += 1;
    }
    // mise exec tool@version -- command
    if name == "mise" {
        at = words.iter().position(|word| word.text() == "--").map_or(at, |found| found + 1);
    }
    if at >= words.len() { Inner::Itself } else { Inner::Words(via(&format!("{name} {word}")), words[at..].to_vec()) }
}

/// Words joined by blanks, as `eval`, `ssh` and `watch` do.
pub(super) fn joined(words: &[Word]) -> Word {
    let text: Vec<&str> = words.iter().map(Word::text).collect();
    Word::Unknown(text.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(WRAPPERS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }
}
