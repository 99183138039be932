//! What a command line does: each simple command that it could run, looked up in the table of programs.

use super::programs::{Doing, doing};
use super::{Effect, tools};
use crate::shell::{Command, End, Machine, Place, RedirectKind, Source, Start, Stdin, Step, Word, walk};

/// Collects what the commands do.
struct Collector<'e> {
    effect: &'e mut Effect,
}

/// A command line as typed.
pub(super) fn line(text: &str, windows: bool, cwd: Option<&str>, effect: &mut Effect) {
    let start = Start { cwd: cwd.map(str::to_owned), ..Start::default() };
    let source = if windows { Source::PowerShell } else { Source::Shell };
    let walked = walk(text, source, &start, &mut Collector { effect }, ());
    if !walked.unread.is_empty() {
        effect.opaque = true;
    }
}

/// An argument vector.
pub(super) fn vector(words: &[String], cwd: Option<&str>, effect: &mut Effect) {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    line(&quoted.join(" "), false, cwd, effect);
}

impl Machine for Collector<'_> {
    type State = ();

    fn run(&mut self, command: &Command, (): ()) -> Step<()> {
        self.look(command);
        Step::Done(vec![End { state: (), ok: None, output: None }])
    }

    fn same(&self, (): &(), (): &()) -> bool {
        true
    }
}

impl Collector<'_> {
    fn look(&mut self, command: &Command) {
        for redirect in &command.redirects {
            let Some(text) = redirect.target.literal() else {
                self.effect.changes |= redirect.kind != RedirectKind::Read;
                continue;
            };
            if nothing(text) {
                continue;
            }
            match redirect.kind {
                RedirectKind::Read => self.read(command, text),
                _ => self.write(command, text),
            }
        }
        if command.place == Place::Elsewhere {
            self.effect.opaque = true;
            return;
        }
        let Some(program) = command.program() else {
            self.effect.opaque = true;
            return;
        };
        let full = command.words[0].text();
        if program == "apply_patch" || program == "applypatch" {
            let text = match (&command.stdin, command.words.get(1)) {
                (_, Some(word)) => word.text().to_owned(),
                (Stdin::Text(text), None) => text.clone(),
                _ => String::new(),
            };
            self.effect.changes = true;
            tools::patched(&text, self.effect);
            return;
        }
        let system = !full.contains('/') || ["/bin/", "/usr/", "/sbin/", "/opt/"].iter().any(|place| full.starts_with(place));
        let args: Vec<&str> = command.words[1..].iter().map(Word::text).collect();
        match doing(program, &args).filter(|_| system) {
            Some(Doing::Looks(paths)) => {
                for path in paths.iter().filter_map(|at| command.words.get(at + 1)).filter_map(Word::literal) {
                    self.read(command, path);
                }
            }
            Some(Doing::Changes(paths)) => {
                self.effect.changes = true;
                self.effect.done_by(named(program, &args));
                for path in paths.iter().filter_map(|at| command.words.get(at + 1)).filter_map(Word::literal) {
                    self.write(command, path);
                }
            }
            // A bare word in a substitution is there for what it prints.
            None if command.piped && args.is_empty() && system && !super::programs::builds(program) => {}
            None => {
                self.effect.opaque = true;
                self.effect.done_by(named(program, &args));
            }
        }
    }

    fn read(&mut self, command: &Command, path: &str) {
        self.effect.read(&place(command, path));
    }

    fn write(&mut self, command: &Command, path: &str) {
        self.effect.write(&place(command, path));
    }
}

/// A program with its verb: `cargo test`, `python -m pytest`. Other arguments may be anything, secrets among them.
fn named(program: &str, args: &[&str]) -> String {
    const VERBED: [&str; 22] = [
        "ant", "bazel", "bun", "bundle", "cargo", "deno", "docker", "dotnet", "git", "go", "gradle", "just", "make", "mix",
        "mvn", "npm", "pnpm", "poetry", "rake", "swift", "uv", "yarn",
    ];
    let plain = |arg: &&&str| arg.bytes().all(|b| b.is_ascii_lowercase() || b"-_:".contains(&b)) && arg.len() <= 24;
    let verb = match args {
        ["-m", module, ..] if program.starts_with("python") => Some(module).filter(plain),
        _ if VERBED.contains(&program) => args.iter().find(|arg| !arg.starts_with(['-', '+'])).filter(plain),
        _ => None,
    };
    match (verb, program.starts_with("python")) {
        (Some(verb), true) => format!("{program} -m {verb}"),
        (Some(verb), false) => format!("{program} {verb}"),
        (None, _) => program.to_owned(),
    }
}

/// The path from the command's directory, if that is known.
fn place(command: &Command, path: &str) -> String {
    match &command.cwd {
        Some(cwd) if !path.starts_with('/') => crate::shell::join(cwd, path),
        _ => path.to_owned(),
    }
}

/// Targets that keep nothing.
fn nothing(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty") || path.starts_with("/dev/fd/")
}
