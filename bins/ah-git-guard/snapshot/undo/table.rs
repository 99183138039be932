//! What an undo would do, or did, as text and as JSON.

use super::super::manifest::{self, Body, Manifest};
use super::plan::{Does, Row, Way, What};
use super::refs::{self, short};
use ah::quote;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The most rows of one kind that leave things as they are and are named.
const NAMED: usize = 20;

/// A row as JSON.
#[derive(Serialize)]
pub struct Shown {
    bytes: Option<u64>,
    does: &'static str,
    name: String,
    repository: String,
    what: &'static str,
    why: String,
}

/// The rows as JSON has them.
pub fn shown(rows: &[Row], manifest: &Manifest) -> Vec<Shown> {
    let root = |row: &Row| manifest.parts.get(row.part).map(|p| p.root.clone()).unwrap_or_default();
    let show = |row: &Row| Shown {
        bytes: bytes(row),
        does: row.does.word(),
        name: match &row.what {
            What::File(file) => file.path.clone(),
            What::Tracked(path) | What::Index(path, _) => manifest::text(path),
            What::Head(name) | What::Ref(name, ..) => name.clone(),
            What::Staging(_) => refs::staging(&manifest.id),
            What::Repository => root(row),
            What::Stash(_, message) => message.clone(),
        },
        repository: root(row),
        what: match &row.what {
            What::File(_) | What::Tracked(_) => "file",
            What::Head(_) => "head",
            What::Index(..) => "index",
            What::Ref(..) | What::Staging(_) => "ref",
            What::Repository => "repository",
            What::Stash(..) => "stash",
        },
        why: row.why.clone(),
    };
    rows.iter().map(show).collect()
}

fn bytes(row: &Row) -> Option<u64> {
    match &row.what {
        What::File(file) => match file.body {
            Body::File { size, .. } => Some(size),
            _ => None,
        },
        _ => None,
    }
}

/// The table: what is brought back, what is left alone, and how much is as it was. Names are seen from `from`.
pub fn text(rows: &[Row], manifest: &Manifest, from: &Path) -> String {
    let name = |row: &Row| {
        let root = manifest.parts.get(row.part).map(|p| manifest::path(&p.root)).unwrap_or_default();
        // What lies elsewhere is seen from its own root.
        let from = if root.starts_with(from) || from.starts_with(&root) { from } else { &root };
        match &row.what {
            What::File(_) | What::Tracked(_) => quote::path(seen(&row.file().unwrap_or_default(), from)),
            What::Head(_) => "HEAD".to_owned(),
            What::Index(path, staged) => {
                let what = if staged.iter().any(|s| s.stage > 0) { "conflict" } else { "staged" };
                format!("{} ({what})", quote::path(seen(path, from)))
            }
            What::Ref(name, _, Way::Create) if name.starts_with("refs/tags/") => format!("tag {}", quote::path(short(name))),
            What::Ref(name, ..) if name == "HEAD" => name.clone(),
            What::Ref(name, ..) => format!("branch {}", quote::path(short(name))),
            What::Repository => format!("repository {}", quote::path(&root)),
            What::Staging(_) => format!("branch {}", short(&refs::staging(&manifest.id))),
            What::Stash(_, message) => format!("stash {}", quote::line(message, 60)),
        }
    };
    let told = rows.iter().filter(|row| row.does != Does::AsItWas);
    let (acts, rest): (Vec<&Row>, Vec<&Row>) = told.partition(|row| row.does != Does::LeaveAlone);
    let width = acts.iter().chain(rest.iter().take(NAMED)).map(|row| name(row).chars().count()).max().unwrap_or(0).min(50);
    let mut text = String::new();
    for row in acts.iter().chain(rest.iter().take(NAMED)) {
        let mut said = row.does.word().to_owned();
        if row.does == Does::LeaveAlone {
            said = format!("{}, left alone", quote::line(&row.why, 200));
        } else if !row.why.is_empty() {
            said += &format!(": {}", quote::line(&row.why, 200));
        } else if row.does == Does::BringBack {
            said += &detail(row);
        }
        text += &format!("  {:width$}  {said}\n", name(row));
    }
    let more = rest.len().saturating_sub(NAMED);
    if more > 0 {
        text += &format!("  ... and {more} more left alone\n");
    }
    let same = rows.iter().filter(|row| row.does == Does::AsItWas).count();
    if same > 0 {
        text += &format!("  {same} as {} then\n", if same == 1 { "it was" } else { "they were" });
    }
    let changed = rest.iter().find_map(|row| row.file().filter(|_| row.why == "changed since"));
    if let Some(path) = changed {
        let path = quote::path(seen(&path, from));
        text += &format!("  to have one all the same: ah-git-guard restore {} {path}\n", manifest.id);
    }
    text
}

fn detail(row: &Row) -> String {
    let oid = |oid: &ah::git::Oid| oid.as_str().chars().take(8).collect::<String>();
    match (&row.what, bytes(row)) {
        (_, Some(bytes)) => format!("  {}", size(bytes)),
        (What::Ref(_, to, Way::Create), _) => format!("  {}", oid(to)),
        (What::Ref(_, to, Way::Forward { from, .. }), _) => format!("  {} to {}", oid(from), oid(to)),
        (What::Head(branch), _) => format!("  to {}", quote::path(short(branch))),
        _ => String::new(),
    }
}

fn seen(path: &Path, from: &Path) -> PathBuf {
    path.strip_prefix(from).unwrap_or(path).to_owned()
}

/// Bytes as people read them.
fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// How much is to be done, for the question.
pub fn count(rows: &[Row]) -> String {
    let changes = |row: &&Row| row.changes();
    let of = |n: usize, what: &str| (n > 0).then(|| format!("{n} {what}{}", if n == 1 { "" } else { "s" }));
    let files = rows.iter().filter(changes).filter(|row| row.file().is_some()).count();
    let rest = rows.iter().filter(changes).count() - files;
    let other = if files > 0 { "more thing" } else { "thing" };
    [of(files, "file"), of(rest, other)].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
