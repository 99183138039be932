//! The tools that are judged: shells, file tools, patches, git tools of MCP servers.

use crate::files::{self, Change};
use crate::guard::{self, Judged};
use crate::hits::absolute;
use crate::own::memory::{Recall, Written};
use crate::policy::Policies;
use crate::workdir;
use ah::event::Event;
use ah::hook::Context;
use ah::patch::PatchKind;
use ah::shell::{Source, Word};
use std::path::Path;

/// Judges a tool call; `None` for a tool that loses nothing.
pub fn judge(event: &Event, cwd: &Path, policies: &Policies, memory: Recall, context: &Context) -> Option<Judged> {
    let thorough = context.explain == ah::hook::Explain::ON;
    let name = event.tool_name.as_ref();
    match name {
        "Bash" | "PowerShell" => {
            let source = if name == "Bash" { Source::Shell } else { Source::PowerShell };
            let text = event.input("command")?;
            let mut worst = guard::line(&text, source, cwd, policies, memory, thorough);
            for dir in workdir::other(event, &text, cwd) {
                let there = guard::line(&text, source, &dir, policies, memory, thorough);
                if there.verdict() > worst.verdict() {
                    worst = there;
                }
            }
            Some(worst)
        }
        "Write" => {
            let path = event.input("file_path")?;
            let judged =
                guard::changes(&[Change::Write(Word::Literal(path.to_string()))], &switch(event, "Write"), cwd, policies, memory);
            let text = event.input("content").map(std::borrow::Cow::into_owned);
            Some(Judged { written: vec![Written { path: absolute(cwd, &path), text, adds: false, from: None }], ..judged })
        }
        "Edit" | "MultiEdit" | "NotebookEdit" => {
            let patched = event.patch().map(|text| ah::patch::files(&text)).unwrap_or_default();
            if patched.is_empty() {
                let path = event.input("file_path").or_else(|| event.input("notebook_path"))?;
                let judged =
                    guard::changes(&[Change::Edit(Word::Literal(path.to_string()))], &switch(event, name), cwd, policies, memory);
                let at = absolute(cwd, &path);
                let text = edited(event, &at);
                return Some(Judged { written: vec![Written { path: at, text, adds: false, from: None }], ..judged });
            }
            let changes = files::patched(&patched);
            let kept = patched.iter().filter(|f| f.kind != PatchKind::Delete);
            let written = kept
                .map(|f| if let PatchKind::MoveTo(to) = &f.kind { to } else { &f.path })
                .map(|p| Written { path: absolute(cwd, p), text: None, adds: false, from: None })
                .collect();
            Some(Judged { written, ..guard::changes(&changes, "apply_patch", cwd, policies, memory) })
        }
        _ => {
            let words = mcp(event)?;
            let dir = event.input("repo_path").or_else(|| event.input("path")).and_then(|p| guard::directory(&p));
            Some(guard::line(&words, Source::Shell, dir.as_deref().unwrap_or(cwd), policies, memory, thorough))
        }
    }
}

/// The tool's name for the message, with the switch that its text would set.
fn switch(event: &Event, name: &str) -> String {
    let text = ["content", "new_string"].into_iter().find_map(|field| event.input(field)).unwrap_or_default();
    if text.contains("disableAllHooks") { format!("{name} (disableAllHooks)") } else { name.to_owned() }
}

/// The text that an Edit leaves, where it can be told.
fn edited(event: &Event, path: &Path) -> Option<String> {
    let now = String::from_utf8(ah::fs::read(path, ah::session::MAX_HASHED).ok()?).ok()?;
    let (old, new) = (event.input("old_string")?, event.input("new_string")?);
    let all = event.tool_input.and_then(|raw| ah::event::field(raw, "replace_all")).is_some_and(|v| v.get() == "true");
    match now.matches(old.as_ref()).count() {
        0 => None,
        1 => Some(now.replacen(old.as_ref(), &new, 1)),
        _ => all.then(|| now.replace(old.as_ref(), &new)),
    }
}

/// A git tool of an MCP server as the command it stands for: `mcp__git__git_reset` resets the index.
fn mcp(event: &Event) -> Option<String> {
    let name = event.tool_name.strip_prefix("mcp__")?;
    let tool = name.rsplit("__").next()?;
    let server = name.strip_suffix(tool)?.to_ascii_lowercase();
    let verb = tool.strip_prefix("git_").or_else(|| server.contains("git").then_some(tool))?;
    let quoted = |field: &str| event.input(field).map(|v| format!("'{}'", v.replace('\'', "'\\''")));
    let target =
        ["target", "branch_name", "branch", "ref", "revision", "commit"].into_iter().find_map(quoted).unwrap_or_default();
    let said = |field: &str| event.tool_input.and_then(|raw| ah::event::field(raw, field)).is_some_and(|v| v.get() == "true");
    let flag = |field: &str, text: &'static str| if said(field) { text } else { "" };
    let mode = event
        .input("mode")
        .map(|m| format!("--{}", m.trim_start_matches('-')))
        .filter(|m| m.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'))
        .unwrap_or_default();
    let line = match verb.replace('-', "_").as_str() {
        "reset" => format!("git reset {mode} {} {target}", flag("hard", "--hard")),
        "checkout" | "switch" => format!("git checkout {} {target}", flag("force", "-f")),
        "restore" => {
            format!("git restore {}", quoted("path").or_else(|| quoted("files")).unwrap_or_else(|| "\"$unknown\"".into()))
        }
        "clean" => format!("git clean -fd {}", flag("ignored", "-x")),
        "push" => format!("git push {} {} {target}", flag("force", "--force"), quoted("remote").unwrap_or_default()),
        "stash_drop" => "git stash drop".into(),
        "stash_clear" => "git stash clear".into(),
        "stash_pop" => "git stash pop".into(),
        "delete_branch" | "branch_delete" => format!("git branch -D {target}"),
        "delete_tag" | "tag_delete" => format!("git tag -d {target}"),
        "rebase" => format!("git rebase {target}"),
        "worktree_remove" => format!("git worktree remove {} {}", flag("force", "--force"), quoted("path").unwrap_or_default()),
        _ => return None,
    };
    Some(line)
}
