//! What the guard would say to the calls of past sessions: it judges them as they would run now, and runs nothing.

use crate::past::{self, Call};
use ah::cli::{Call as Line, Cli};
use ah::exit;
use ah::harness::wiring::Wiring;
use ah::quote;
use ah::redact::redact;
use serde_json::json;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// The newest calls that are judged; more say no more.
const MOST: usize = 20_000;
/// Calls that are shown.
const SHOWN: usize = 10;

/// What became of a call.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Asks,
    Goes,
    Notes,
    Stops,
}

/// `replay`
pub fn replay(cli: &Cli, line: &Line) -> Result<ExitCode, ExitCode> {
    let home = |name: &str| Wiring::named(name).and_then(|wiring| wiring.home(&|variable| std::env::var_os(variable)));
    let records = past::records(home("claude"), home("codex"));
    let (mut calls, mut sessions, mut gone) = (Vec::new(), 0, 0);
    for record in &records {
        let mut all = past::calls(record);
        let before = all.len();
        all.retain(|call| Path::new(&call.cwd).is_dir());
        gone += before - all.len();
        sessions += usize::from(before > 0);
        calls.append(&mut all);
        if calls.len() >= MOST {
            break;
        }
    }
    let exe = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
    let guard = exe.with_file_name("ah-git-guard");
    let verdicts = judge(&guard, &calls).map_err(|why| exit::fail(cli.name, exit::UNAVAILABLE, &why))?;
    let count = |verdict: Verdict| verdicts.iter().filter(|one| **one == verdict).count();
    let (stops, asks, notes, goes) = (count(Verdict::Stops), count(Verdict::Asks), count(Verdict::Notes), count(Verdict::Goes));
    let mut seen = HashSet::new();
    let shown: Vec<&Call> = calls
        .iter()
        .zip(&verdicts)
        .filter(|(call, verdict)| matches!(verdict, Verdict::Stops | Verdict::Asks) && seen.insert(&call.shown))
        .map(|(call, _)| call)
        .take(SHOWN)
        .collect();
    let text = if line.has("json") {
        let list: Vec<_> =
            shown.iter().map(|call| json!({"cwd": call.cwd, "tool": call.tool, "call": redact(&call.shown)})).collect();
        let all = json!({"v": 1, "sessions": sessions, "calls": calls.len(), "gone": gone, "silent": goes, "notes": notes, "asks": asks, "stops": stops, "shown": list});
        format!("{all}\n")
    } else {
        let mut text = format!(
            "{sessions} past sessions, {} calls: {goes} silent, {notes} with a note, {asks} would be asked about, {stops} stopped\n",
            calls.len()
        );
        if gone > 0 {
            let _ = writeln!(text, "{gone} calls ran in folders that are no more, and are left out");
        }
        for call in &shown {
            let _ = writeln!(text, "  {:60}  in {}", quote::line(&redact(&call.shown), 60), quote::path(&call.cwd));
        }
        if !calls.is_empty() {
            text.push_str("Each is judged by what its folder holds today, and as if everything unsaved in it were yours. Nothing was run.\n");
        }
        text
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::from(exit::OK))
}

/// The guard's verdict on each call, in order, from one process that only probes.
fn judge(guard: &PathBuf, calls: &[Call]) -> Result<Vec<Verdict>, String> {
    if calls.is_empty() {
        return Ok(Vec::new());
    }
    let child = Command::new(guard)
        .args(["--jsonl", "--harness", "claude"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.map_err(|error| format!("cannot start: {}: {error}", quote::path(guard)))?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else { return Err("no pipe".into()) };
    let verdicts: Vec<Verdict> = std::thread::scope(|scope| {
        scope.spawn(move || {
            for (at, call) in calls.iter().enumerate() {
                let event = format!(
                    "{{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"ah-replay\",\"cwd\":{},\"tool_name\":\"{}\",\"tool_use_id\":\"ah-replay-{at}\",\"tool_input\":{}}}\n",
                    json!(call.cwd),
                    call.tool,
                    call.input.replace(['\n', '\r'], " ")
                );
                // It ended before its time: what is missing is missed below.
                if input.write_all(event.as_bytes()).is_err() {
                    break;
                }
            }
        });
        BufReader::new(output).lines().map_while(Result::ok).map(|answer| verdict(&answer)).collect()
    });
    let _ = child.wait();
    if verdicts.len() == calls.len() {
        Ok(verdicts)
    } else {
        Err(format!("ah-git-guard answered {} of {} calls", verdicts.len(), calls.len()))
    }
}

fn verdict(answer: &str) -> Verdict {
    let read: serde_json::Value = serde_json::from_str(answer).unwrap_or_default();
    match read["hookSpecificOutput"]["permissionDecision"].as_str() {
        Some("deny") => Verdict::Stops,
        Some("ask") => Verdict::Asks,
        _ if read.as_object().is_some_and(|all| !all.is_empty()) => Verdict::Notes,
        _ => Verdict::Goes,
    }
}
