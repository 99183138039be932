//! `report CODE`: a case that others can look at, without secrets, contents, names or addresses.

use super::{denial, paths, policy};
use crate::explain;
use crate::guard;
use crate::own::memory::Memory;
use crate::policy::{Policies, Policy};
use crate::site;
use crate::snapshot::Taken;
use crate::way;
use crate::way::audit::Line;
use crate::way::outcome;
use ah::cli::{Call, Cli};
use ah::exit;
use ah::git::{Git, Head, Paths as Which, Repo, State, Untracked, Vars};
use ah::quote;
use ah::redact::redact;
use ah::shell::Source;
use serde::Serialize;
use serde_json::value::RawValue;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::ExitCode;

/// The longest text of a report, in characters.
const LONGEST: usize = 4000;

#[derive(Serialize)]
struct Report {
    v: u32,
    version: &'static str,
    system: System,
    denial: Line,
    /// What `explain` makes of the redacted command now; none for a file tool, and where the directory is not known any more.
    reading: Option<Box<RawValue>>,
    policy: Vec<policy::Setting>,
    problems: usize,
    repository: Option<Facts>,
}

#[derive(Serialize)]
struct System {
    arch: &'static str,
    git: Option<String>,
    os: &'static str,
    release: String,
}

/// A repository in numbers.
#[derive(Default, Serialize)]
struct Facts {
    bare: bool,
    branch: &'static str,
    dirty: usize,
    foreign: Option<&'static str>,
    ignored: usize,
    is_linked: bool,
    is_submodule: bool,
    linked_trees: usize,
    operations: Vec<String>,
    protected: Option<bool>,
    remotes: usize,
    staged: usize,
    submodules: usize,
    /// Why some of the numbers are not there.
    trouble: Option<&'static str>,
    unmerged: usize,
    untracked: usize,
}

/// `report CODE` writes `ah-report-CODE.json`, `report CODE -` prints it.
pub fn report(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let (code, print) = match call.args.as_slice() {
        [code] => (code, false),
        [code, to] if to == "-" => (code, true),
        _ => return Err(cli.usage_error("one code, and - to print the report")),
    };
    let line = denial(cli, paths(cli)?, code)?;
    let plain = |c: &char| c.is_ascii_alphanumeric();
    let name = format!("ah-report-{}.json", line.code.iter().flat_map(|c| c.chars()).filter(plain).collect::<String>());
    let text = case(line);
    if print {
        exit::print(cli.name, &text);
        return Ok(ExitCode::SUCCESS);
    }
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&name);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| exit::fail(cli.name, exit::CANNOT_CREATE, &format!("cannot write the report: {name}: {error}")))?;
    exit::print(cli.name, &format!("{name}\nRead it before you send it on.\n"));
    Ok(ExitCode::SUCCESS)
}

fn case(mut line: Line) -> String {
    let policies = Policies::from_env();
    let cwd = guard::directory(&line.cwd).filter(|_| !line.cwd.is_empty());
    let policy = cwd.as_deref().map_or_else(|| policies.load(None), |cwd| way::policy(&policies, cwd));
    let vars = Vars::of_process();
    let repo = cwd.as_deref().and_then(|cwd| Repo::discover(cwd, &vars).ok().flatten());
    let git = repo.as_ref().and_then(|repo| Git::new(repo, &vars, site::deadline()).ok());
    let reading = cwd.as_deref().and_then(|cwd| reading(&line, cwd, &policies));
    // What would tell whose it is, or what it is called.
    line.losses.clear();
    line.repo.clear();
    line.session.clear();
    let report = Report {
        v: 1,
        version: env!("CARGO_PKG_VERSION"),
        system: System {
            arch: std::env::consts::ARCH,
            git: git.as_ref().and_then(|git| git.version().ok()),
            os: std::env::consts::OS,
            release: release(),
        },
        denial: line,
        reading,
        policy: policy::rows(&policy),
        problems: policy.problems.len(),
        repository: repo.as_ref().map(|repo| facts(repo, git.as_ref(), &policy)),
    };
    let home = policies.paths.and_then(|p| p.home()).map(|h| h.to_string_lossy().into_owned());
    let json = serde_json::to_string(&report).unwrap_or_default();
    laid_out(&json, home.as_deref().filter(|h| h.len() > 1))
}

/// How the command is read, without the names of what would be lost.
fn reading(line: &Line, cwd: &Path, policies: &Policies) -> Option<Box<RawValue>> {
    let source = match line.tool.as_str() {
        "PowerShell" => Source::PowerShell,
        tool if line.command.is_empty() || line.command.starts_with(&format!("{tool} ")) => return None,
        _ => Source::Shell,
    };
    let mut judged = guard::line(&line.command, source, cwd, policies, &Memory::default, true);
    let outcome = outcome::decide(&judged, true, &|_, _| Ok(Taken::default()));
    for finding in &mut judged.findings {
        finding.more += finding.losses.len();
        finding.losses.clear();
    }
    RawValue::from_string(explain::json(&judged, &outcome, "")).ok()
}

fn facts(repo: &Repo, git: Option<&Git<'_>>, policy: &Policy) -> Facts {
    let config = ah::git::Config::load(Some(repo), &Vars::of_process());
    let head = repo.head().ok();
    let mut facts = Facts {
        bare: repo.bare,
        branch: match &head {
            Some(Head::Branch(_)) => "branch",
            Some(Head::Detached(_)) => "detached",
            Some(Head::Unborn(_)) => "unborn",
            None => "unknown",
        },
        foreign: repo.foreign,
        is_linked: repo.is_linked,
        is_submodule: repo.is_submodule,
        linked_trees: repo.linked_trees().len(),
        operations: repo.operations().iter().map(|o| format!("{:?}", o.kind)).collect(),
        protected: head.as_ref().and_then(Head::branch).map(|branch| policy.protects(branch)),
        remotes: config.remotes().len(),
        submodules: repo.submodules().len(),
        ..Facts::default()
    };
    match git.map(|git| git.status(Which::All, Untracked::All, true)) {
        Some(Ok(entries)) => {
            let count = |of: &dyn Fn(&State) -> bool| entries.iter().filter(|e| of(&e.state)).count();
            facts.dirty = count(&|s| matches!(s, State::Changed { tree, .. } if *tree != '.'));
            facts.ignored = count(&|s| *s == State::Ignored);
            facts.staged = count(&|s| matches!(s, State::Changed { index, .. } if *index != '.'));
            facts.unmerged = count(&|s| matches!(s, State::Unmerged { .. }));
            facts.untracked = count(&|s| *s == State::Untracked);
        }
        Some(Err(_)) => facts.trouble = Some("git gave no status"),
        None => facts.trouble = Some("git could not be asked"),
    }
    facts
}

/// The system's own version, where it says.
fn release() -> String {
    let kernel = ah::fs::read(Path::new("/proc/sys/kernel/osrelease"), 4096).unwrap_or_default();
    String::from_utf8_lossy(&kernel).trim().to_owned()
}

/// JSON a value a line, each text of it as others may see it.
fn laid_out(json: &str, home: Option<&str>) -> String {
    let mut out = String::new();
    let mut depth = 0;
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        let length = if c == '"' { literal(rest) } else { c.len_utf8() };
        let (piece, after) = rest.split_at(length);
        let empty = after.starts_with(['}', ']']);
        let line = |depth: usize| format!("\n{}", "  ".repeat(depth));
        match c {
            '"' => {
                let text: String = serde_json::from_str(piece).unwrap_or_default();
                out += &serde_json::to_string(&shown(&text, home)).unwrap_or_default();
            }
            '{' | '[' if !empty => {
                depth += 1;
                out += &format!("{c}{}", line(depth));
            }
            '}' | ']' if !out.ends_with(['{', '[']) => {
                depth -= 1;
                out += &format!("{}{c}", line(depth));
            }
            ',' => out += &format!(",{}", line(depth)),
            ':' => out += ": ",
            c => out.push(c),
        }
        rest = after;
    }
    out + "\n"
}

/// How long the text literal is that `json` begins with, its quotes included.
fn literal(json: &str) -> usize {
    let mut escaped = false;
    let ends = |(_, b): &(usize, u8)| {
        let end = *b == b'"' && !escaped;
        escaped = *b == b'\\' && !escaped;
        end
    };
    json.bytes().enumerate().skip(1).find(ends).map_or(json.len(), |(at, _)| at + 1)
}

/// Without secrets, without addresses, the home as `~`, nothing hidden.
fn shown(text: &str, home: Option<&str>) -> String {
    let redacted = redact(text);
    let ends = |c: char| c.is_whitespace() || "'\"`;|&<>()".contains(c);
    let words = redacted.split_inclusive(ends).map(|piece| {
        let word = piece.trim_end_matches(ends);
        if is_address(word) { format!("[url]{}", &piece[word.len()..]) } else { at_home(piece, home) }
    });
    quote::line(&words.collect::<String>(), LONGEST)
}

/// `scheme://...`, `user@host:path`.
fn is_address(word: &str) -> bool {
    let host = word.split_once('@').and_then(|(_, rest)| rest.split_once(':')).map(|(host, _)| host);
    word.contains("://") || host.is_some_and(|h| h.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

/// A home directory that stands as a whole, or before a slash, as `~`.
fn at_home(text: &str, home: Option<&str>) -> String {
    let Some(home) = home else { return text.to_owned() };
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(home) {
        let (before, after) = (&rest[..at], &rest[at + home.len()..]);
        let whole = !after.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c));
        out += before;
        out += if whole { "~" } else { home };
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_laid_out() {
        let json = r#"{"a":[],"b":{"c":["x, \"y\\",-1.5,null],"d":{}},"e":"~:{"}"#;
        let out = laid_out(json, None);
        assert_eq!(out.lines().count(), 12, "{out}");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&out), read(json));
    }

    #[test]
    fn what_others_may_see() {
        let shown = |text: &str| shown(text, Some("/home/me"));
        assert_eq!(shown("git push https://me@h/o/r main"), "git push [url] main");
        assert_eq!(shown("git fetch 'git@h:o/r.git';ls"), "git fetch '[url]';ls");
        assert_eq!(shown("git show HEAD@{1}:a.txt me@h"), "git show HEAD@{1}:a.txt me@h");
        assert_eq!(shown("rm /home/me/x /home/me /home/men/x"), "rm ~/x ~ /home/men/x");
        assert_eq!(shown("cd /home/me;rm\u{202e}\n"), "cd ~;rm\\u{202e}\\n");
        assert!(!shown("TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB x").contains("ghp_"));
    }
}
