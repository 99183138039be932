//! Programs that run an agent, by the names under which they start.

/// Names of executables, scripts and processes.
const NAMES: &[&str] = &[
    "aider", "amp", "auggie", "claude", "cline", "codex", "copilot", "crush", "cursor-agent", "droid", "gemini", "goose",
    "kilocode", "kimi", "kiro-cli", "opencode", "openhands", "plandex", "qwen",
];
/// Folders of packages whose script has a name of no meaning, as in `node .../claude-code/cli.js`.
const PACKAGES: &[&str] =
    &["claude-code", "cline", "codex", "copilot", "cursor-agent", "gemini-cli", "opencode-ai", "openhands", "qwen-code"];
/// Programs that run such scripts.
const RUNTIMES: &[&str] = &["bun", "deno", "node", "nodejs", "npm", "npx", "pipx", "uv", "uvx"];

/// Whether a program is one that runs an agent, by its name without directories.
#[must_use]
pub fn named(program: &str) -> bool {
    NAMES.binary_search(&stem(program)).is_ok()
}

/// The harness that a process is, by the name the system has for it and the first words it was started with.
#[must_use]
pub fn of(name: &str, argv: &[String]) -> Option<String> {
    let base = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    let known = |word: &String| named(word).then(|| stem(word).to_owned());
    if let Some(found) = known(&name.to_owned()).or_else(|| argv.first().map(base).as_ref().and_then(known)) {
        return Some(found);
    }
    let program = argv.first().map(base).unwrap_or_default();
    let runtime = RUNTIMES.contains(&program.as_str()) || program.starts_with("python");
    // A versioned executable: ~/.local/share/claude/versions/2.1.
    let version = argv.first().is_some_and(|p| p.contains("/claude/versions/"));
    let scripts = || argv.iter().skip(1).filter(|w| !w.starts_with('-')).take(2);
    let script = || scripts().find_map(|w| known(&base(w)));
    let packaged = || scripts().flat_map(|w| w.split('/')).find(|p| PACKAGES.contains(p)).map(str::to_owned);
    match runtime {
        true => script().or_else(packaged),
        false => version.then(|| "claude".to_owned()),
    }
}

/// A name without the ending of a script.
fn stem(name: &str) -> &str {
    [".js", ".mjs", ".cjs", ".py", ".exe"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, argv: &[&str]) -> bool {
        of(name, &argv.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>()).is_some()
    }

    #[test]
    fn a_harness_is_known_however_it_starts() {
        assert!(NAMES.is_sorted() && PACKAGES.is_sorted() && RUNTIMES.is_sorted());
        for (name, argv) in [
            ("claude", &["claude", "-p", "x"][..]),
            ("claude", &["/proc/self/exe"]),
            ("node", &["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"]),
            ("node", &["/usr/bin/node", "--max-old-space-size=8192", "/h/.npm/bin/codex.js"]),
            ("node-MainThread", &["node", "/usr/local/bin/gemini"]),
            ("python3.12", &["/h/.venv/bin/python3.12", "/h/.venv/bin/aider", "--yes"]),
            ("2.1.332", &["/h/.local/share/claude/versions/2.1.332"]),
            ("codex", &["/opt/codex/codex", "exec"]),
        ] {
            assert!(found(name, argv), "{argv:?}");
        }
    }

    #[test]
    fn a_person_at_work_on_one_is_none() {
        for (name, argv) in [
            ("bash", &["-bash"][..]),
            ("bash", &["bash", "/h/src/codex/run.sh"]),
            ("vim", &["vim", "/h/claude-code/README.md"]),
            ("code", &["/usr/share/code/code", "--type=ptyHost"]),
            ("Cursor", &["/opt/Cursor/cursor"]),
            ("tmux: server", &["tmux", "new-session", "-s", "claude"]),
            ("node", &["node", "/h/src/app/server.js"]),
            ("sshd", &["sshd: me@pts/0"]),
        ] {
            assert!(!found(name, argv), "{argv:?}");
        }
    }
}
