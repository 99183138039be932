//! What a tool call says: what it touched, what it edited, what it changed, whether tests passed.

use super::super::clip::{safe_head, safe_line};
use super::super::entry::Entry;
use super::super::home::{Belongs, Home};
use super::{runner, words};
use crate::effect::{Effect, effect_in};
use crate::event::Event;
use crate::redact::redact;
use std::borrow::Cow;
use std::path::Path;

/// Longest text of a call, in bytes.
const TEXT: usize = 600;
/// Longest error that is kept with a call, in bytes.
const ERROR: usize = 300;
/// Longest path, in bytes.
const PATH: usize = 400;
/// Most paths of a call; a patch or a line may name thousands.
const PATHS: usize = 50;

/// The call's paths, as far as they are the session's.
struct Paths {
    /// Those.
    here: Vec<String>,
    /// Some are somebody else's.
    foreign: bool,
}

/// What a call says that ran, or failed with `error`.
pub(super) fn entries(home: &Home, event: &Event, error: Option<&str>) -> Vec<Entry> {
    let Some(input) = event.tool_input else { return Vec::new() };
    let effect = effect_in(event.tool(), input, Some(&event.cwd));
    let shell = words::is_shell(&event.tool_name);
    let named = words::named(event, &effect);
    let paths = paths(home, event, &named);
    // A file of somebody else, or of nobody: nothing of it is recorded. A command runs here, whatever it names.
    let named = !named.is_empty();
    if paths.here.is_empty() && (paths.foreign || named && !shell) {
        return Vec::new();
    }
    let sub = event.in_subagent();
    let tool = safe_head(&event.tool_name, 100).into_owned();
    let mut text = if paths.foreign { String::new() } else { safe_line(&words::of(event), TEXT) };
    if let Some(error) = error.filter(|error| !error.is_empty() && !paths.foreign) {
        text = format!("{text} failed: {}", safe_line(error, ERROR)).trim_start().to_owned();
    }
    let mut out = Vec::new();
    let changes = effect.may_change();
    if changes {
        let reason = Effect { writes: paths.here.clone(), ..effect.clone() }.reason();
        out.push(Entry::Change { reason: safe_head(&reason, TEXT).into_owned(), sub, tool: tool.clone() });
    }
    let edit = words::edited(event).filter(|_| error.is_none() && !paths.foreign);
    if let Some(edit) = edit {
        out.push(Entry::Edit { paths: paths.here.clone(), sub, text: safe_line(&edit, TEXT) });
    }
    if shell && let Some(pass) = runner::passed(event, &effect, error) {
        out.push(Entry::Test { pass });
    }
    if changes || !text.is_empty() || !paths.here.is_empty() {
        out.push(Entry::Touch { paths: paths.here, sub, text, tool });
    }
    out
}

/// A call that a person refused, with what was said.
pub(super) fn denied(home: &Home, event: &Event, said: &str) -> Vec<Entry> {
    let Some(input) = event.tool_input else { return Vec::new() };
    let effect = effect_in(event.tool(), input, Some(&event.cwd));
    let paths = paths(home, event, &words::named(event, &effect));
    if paths.foreign && paths.here.is_empty() {
        return Vec::new();
    }
    let text = if paths.foreign { String::new() } else { format!("{} {}", words::of(event), paths.here.join(" ")) };
    let tool = safe_head(&event.tool_name, 100).into_owned();
    vec![Entry::Denied { text: safe_line(&text, TEXT), tool, words: safe_head(said, super::LONG).into_owned() }]
}

fn paths(home: &Home, event: &Event, all: &[String]) -> Paths {
    let cwd = Path::new(&*event.cwd);
    let mut paths = Paths { here: Vec::new(), foreign: false };
    // A secret that stands where a file's name could is none only by what stands before it.
    let line = words::of(event);
    let line = redact(&line);
    let secret = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        matches!(line, Cow::Owned(_)) && words::is_shell(&event.tool_name) && !line.contains(name)
    };
    for path in all.iter().take(PATHS) {
        match home.whose(cwd, path) {
            Belongs::Here(path) if path.len() <= PATH && !secret(&path) => paths.here.push(redact(&path).into_owned()),
            Belongs::Here(_) | Belongs::Nowhere => {}
            Belongs::Elsewhere => paths.foreign = true,
        }
    }
    paths
}
