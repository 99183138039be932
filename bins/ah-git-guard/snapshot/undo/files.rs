//! Files of the work tree: which of them come back, and bringing them back.

use super::super::manifest::{self, Body, File, Part};
use super::super::store::{CONTENTS, Store};
use super::plan::{Does, Row, What};
use super::spot::{Content, Now, Spot};
use ah::clock::Deadline;
use ah::git::{Git, Kept, Trouble};
use std::path::{Path, PathBuf};

/// How long after a snapshot a change counts as its command's own, in milliseconds.
const WINDOW: i64 = 10_000;
const CHANGED: &str = "changed since";

/// What becomes of a file that is there and is another now.
pub enum Rule<'r> {
    /// It comes back: the person named it.
    Always,
    /// It comes back, but what was deleted then stays.
    Turn,
    /// It comes back where that was the command's doing, or where what is there now is held elsewhere.
    Undo {
        /// Files that the command wrote by its words.
        written: &'r [PathBuf],
        /// What undos brought back before: path and hash.
        brought: &'r [(String, String)],
        /// When the snapshot was taken, in milliseconds since the Unix epoch.
        t: u64,
    },
}

/// The root of a part, as a bound for its files; `None` for files that lie in no repository.
pub fn root(part: &Part) -> Option<PathBuf> {
    (!part.root.is_empty()).then(|| manifest::path(&part.root))
}

/// A row for each file of a part.
///
/// # Errors
/// Those of git.
pub fn plan(at: usize, part: &Part, git: Option<&Git<'_>>, rule: &Rule<'_>) -> Result<Vec<Row>, Trouble> {
    let root = root(part);
    let mut rows = Vec::new();
    let mut open: Vec<(usize, PathBuf)> = Vec::new();
    for file in &part.files {
        let path = manifest::path(&file.path);
        let now = Spot { root: root.as_deref(), path: &path }.now(&file.body);
        let row = |does: Does| Row::new(at, What::File(file.clone()), does);
        let absent = file.body == Body::Absent;
        rows.push(match now {
            Now::Same => row(Does::AsItWas),
            Now::Nothing | Now::Directory | Now::Closed(_) if absent => row(Does::AsItWas),
            Now::Nothing => row(Does::BringBack),
            Now::Mode => row(Does::BringBack).why("its permissions"),
            Now::Directory => row(Does::LeaveAlone).why("a directory is there now"),
            Now::Closed(why) => row(Does::LeaveAlone).why(why),
            Now::Other(changed) => {
                let does = if absent { Does::Remove } else { Does::BringBack };
                match rule {
                    Rule::Turn if absent => row(Does::LeaveAlone).why("new since"),
                    Rule::Always | Rule::Turn => row(does),
                    Rule::Undo { t, .. } if changed <= i64::try_from(*t).unwrap_or(i64::MAX).saturating_add(WINDOW) => row(does),
                    Rule::Undo { written, .. } if written.contains(&path) => row(does),
                    Rule::Undo { brought, .. } if brought_back(file, &path, brought) => row(does),
                    Rule::Undo { .. } => {
                        open.push((rows.len(), path));
                        row(does)
                    }
                }
            }
        });
    }
    let held = match (git, &root) {
        (Some(git), Some(root)) if !open.is_empty() => {
            let tails: Vec<PathBuf> = open.iter().map(|(_, p)| p.strip_prefix(root).unwrap_or(p).to_owned()).collect();
            git.kept(&tails, true)?
        }
        _ => vec![Kept::Nowhere; open.len()],
    };
    for ((row, _), kept) in open.into_iter().zip(held) {
        if kept == Kept::Nowhere {
            rows[row].leave(CHANGED);
        }
    }
    Ok(rows)
}

/// Whether what is there now came from an undo.
fn brought_back(file: &File, path: &Path, brought: &[(String, String)]) -> bool {
    let mut hashes = brought.iter().filter(|(p, _)| *p == file.path).map(|(_, hash)| hash).peekable();
    hashes.peek().is_some() && ah::session::hash_file(path).is_some_and(|now| hashes.any(|hash| *hash == now))
}

/// The contents of files of a snapshot, so many at once that they fit into memory.
pub struct Source<'s> {
    /// Its store.
    pub store: &'s Store,
    /// Its id.
    pub id: &'s str,
    /// Until when.
    pub deadline: Deadline,
}

impl Source<'_> {
    /// Hands each file's content to `take`, or why it cannot be had.
    pub fn each(&self, files: &[&File], mut take: impl FnMut(usize, Result<Content, String>)) {
        let mut batch: Vec<(usize, u32, u32)> = Vec::new();
        let mut size = 0;
        for (at, file) in files.iter().enumerate() {
            match &file.body {
                Body::Link { to } => take(at, Ok(Content::Link(manifest::path(to)))),
                Body::File { n, mode, side: true, .. } => {
                    let bytes = self.store.side(self.id, *n).map_err(|e| e.to_string());
                    take(at, bytes.map(|bytes| Content::File(bytes, *mode)));
                }
                Body::File { n, mode, size: more, .. } => {
                    if size + more > CONTENTS as u64 / 2 && !batch.is_empty() {
                        self.flush(&mut batch, &mut take);
                        size = 0;
                    }
                    size += more;
                    batch.push((at, *n, *mode));
                }
                Body::Absent => {}
            }
        }
        self.flush(&mut batch, &mut take);
    }

    fn flush(&self, batch: &mut Vec<(usize, u32, u32)>, take: &mut impl FnMut(usize, Result<Content, String>)) {
        if batch.is_empty() {
            return;
        }
        let numbers: Vec<u32> = batch.iter().map(|(_, n, _)| *n).collect();
        match self.store.contents(self.id, &numbers, self.deadline) {
            Ok(all) => {
                for ((at, _, mode), bytes) in batch.drain(..).zip(all) {
                    take(
                        at,
                        bytes.map(|b| Content::File(b, mode)).ok_or_else(|| "the snapshot does not have it any more".into()),
                    );
                }
            }
            Err(trouble) => batch.drain(..).for_each(|(at, ..)| take(at, Err(trouble.to_string()))),
        }
    }
}

/// Brings files back, and removes those that were not there. A row that fails says so; the others go on.
pub fn apply(rows: &mut [Row], parts: &[Part], source: &Source<'_>) {
    let mut wanted: Vec<(usize, File)> = Vec::new();
    for (at, row) in rows.iter_mut().enumerate() {
        let What::File(file) = &row.what else { continue };
        let (file, root) = (file.clone(), parts.get(row.part).and_then(root));
        let path = manifest::path(&file.path);
        let spot = Spot { root: root.as_deref(), path: &path };
        let done = match row.does {
            Does::Remove => spot.remove(),
            // Moving a branch forward may have changed what was as it was.
            Does::AsItWas if file.body != Body::Absent && !matches!(spot.now(&file.body), Now::Same) => {
                row.does = Does::BringBack;
                wanted.push((at, file));
                continue;
            }
            Does::BringBack => match (spot.now(&file.body), &file.body) {
                (Now::Same, _) => continue,
                (Now::Mode, Body::File { mode, .. }) => spot.set_mode(*mode),
                _ => {
                    wanted.push((at, file));
                    continue;
                }
            },
            _ => continue,
        };
        if let Err(e) = done {
            row.fail(e.to_string());
        }
    }
    let files: Vec<&File> = wanted.iter().map(|(_, file)| file).collect();
    source.each(&files, |n, content| {
        let (at, file) = &wanted[n];
        let root = parts.get(rows[*at].part).and_then(root);
        let path = manifest::path(&file.path);
        let spot = Spot { root: root.as_deref(), path: &path };
        let done = content.and_then(|content| spot.put(&content).map_err(|e| e.to_string()));
        if let Err(why) = done {
            rows[*at].fail(why);
        }
    });
}
