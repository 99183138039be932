//! Hooks in TOML settings: found with their place in the text, and put at its end.

use super::{Entry, Found};
use crate::jsonc::{self, Error};
use std::fmt::Write as _;
use toml_edit::{Document, Item, TableLike};

/// Every hook in a text; what only `found` of the module above knows is left empty.
pub(super) fn found(text: &str) -> Result<Vec<Found>, Error> {
    let document = read(text)?;
    let mut all = Vec::new();
    let Some(hooks) = document.get("hooks") else { return Ok(all) };
    let hooks = hooks.as_table_like().ok_or_else(|| shape(text, hooks, "`hooks` to be a table"))?;
    // `state` is where Codex itself keeps what was trusted.
    for (event, groups) in hooks.iter().filter(|(name, _)| *name != "state") {
        let Some(groups) = tables(groups) else { continue };
        for (group_at, (group, group_span)) in groups.into_iter().enumerate() {
            let Some(handlers) = group.get("hooks").and_then(tables) else { continue };
            for (at, (handler, span)) in handlers.into_iter().enumerate() {
                all.push(Found {
                    event: event.to_owned(),
                    place: (group_at, at),
                    matcher: string(group, "matcher"),
                    kind: string(handler, "type").unwrap_or_default(),
                    command: string(handler, "command").unwrap_or_default(),
                    timeout: handler.get("timeout").and_then(|item| item.as_float().or(item.as_integer().map(|n| n as f64))),
                    group: group_span.clone(),
                    range: span,
                    ..Found::default()
                });
            }
        }
    }
    Ok(all)
}

/// What to put at the end of the text, so that `entries` stand in it.
///
/// # Errors
/// The text is not TOML, or has its hooks in a form that nothing can be added to at the end.
pub fn append(text: &str, entries: &[Entry]) -> Result<String, Error> {
    read(text)?;
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut added = String::new();
    if !text.is_empty() {
        added.push_str(if text.ends_with('\n') {
            newline
        } else if newline == "\n" {
            "\n\n"
        } else {
            "\r\n\r\n"
        });
    }
    for (at, entry) in entries.iter().enumerate() {
        if at > 0 {
            added.push_str(newline);
        }
        let mut lines = format!("[[hooks.{}]]\n", entry.event);
        if let Some(matcher) = entry.matcher {
            let _ = writeln!(lines, "matcher = {}", quoted(matcher));
        }
        let _ = write!(lines, "\n[[hooks.{}.hooks]]\ntype = \"command\"\n", entry.event);
        let _ = writeln!(lines, "command = {}\ntimeout = {}", quoted(&entry.command), entry.timeout);
        added.push_str(&lines.replace('\n', newline));
    }
    match read(&format!("{text}{added}")) {
        Ok(_) => Ok(added),
        Err(_) => Err(jsonc::wrong(text, text.find("hooks").unwrap_or(0), "hooks in a form that none can be added to")),
    }
}

fn read(text: &str) -> Result<Document<&str>, Error> {
    Document::parse(text).map_err(|error| {
        let what = error.message().lines().next().unwrap_or_default().to_owned();
        jsonc::wrong(text, error.span().map_or(0, |span| span.start), what)
    })
}

fn shape(text: &str, item: &Item, wanted: &str) -> Error {
    jsonc::wrong(text, item.span().map_or(0, |span| span.start), format!("expected {wanted}"))
}

type Table<'a> = (&'a dyn TableLike, std::ops::Range<usize>);

/// The tables of `[[x]]` or of `x = [{...}]`, each with its place.
fn tables(item: &Item) -> Option<Vec<Table<'_>>> {
    if let Some(list) = item.as_array_of_tables() {
        return Some(list.iter().map(|table| (table as &dyn TableLike, table.span().unwrap_or_default())).collect());
    }
    let list = item.as_array()?;
    Some(
        list.iter()
            .filter_map(|value| Some((value.as_inline_table()? as &dyn TableLike, value.span().unwrap_or_default())))
            .collect(),
    )
}

fn string(table: &dyn TableLike, key: &str) -> Option<String> {
    table.get(key)?.as_str().map(str::to_owned)
}

/// A string as TOML: its basic strings have JSON's escapes.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default().replace('\u{7f}', "\\u007f")
}
