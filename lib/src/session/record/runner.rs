//! Test runners, and whether they passed.

use crate::effect::Effect;
use crate::event::{Event, field, text};

/// Programs, with their verb where they have verbs, that run tests. Sorted.
const RUNNERS: &[&str] = &[
    "ant test", "ava", "bazel test", "bun test", "cargo nextest", "cargo test", "ctest", "deno test", "dotnet test", "go test",
    "gotestsum", "gradle check", "gradle test", "jest", "just check", "just test", "make check", "make test", "mix test",
    "mocha", "mvn test", "mvn verify", "nextest", "nosetests", "npm test", "npm t", "nox", "phpunit", "pnpm test", "pytest",
    "python -m pytest", "python -m unittest", "python3 -m pytest", "python3 -m unittest", "rake test", "rspec", "swift test",
    "tox", "vitest", "yarn test",
];

/// Whether the tests passed that a call ran; `None` where it ran none, or where nothing tells.
pub(super) fn passed(event: &Event, effect: &Effect, error: Option<&str>) -> Option<bool> {
    let runs = effect.by.iter().any(|by| RUNNERS.contains(&by.as_str()));
    let later = event.tool_input.and_then(|input| field(input, "run_in_background")).is_some_and(|on| on.get() == "true");
    if !runs || later {
        return None;
    }
    if error.is_some() {
        return Some(false);
    }
    match event.tool_response.map(|said| (text(said), said)) {
        // Claude Code tells of a command that failed as of a failure.
        Some((None, said)) if said.get().starts_with('{') => Some(true),
        // Codex puts the code before the output, where it tells it at all.
        Some((Some(said), _)) => Some(said.strip_prefix("Exit code: ")?.split_whitespace().next()? == "0"),
        _ => None,
    }
}
