//! The names that lessons are about, in a small file beside the store, so that a prompt need not read the lessons.

use ah::fs;
use ah::lesson::Reach;
use ah::store::Store;
use ah::tokens::segments;
use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// Largest file of lessons that a prompt may read to make the names anew, in bytes; of a larger one a stop does.
const SMALL: u64 = 256 << 10;
/// Most lessons that are kept for a name.
const LESSONS: usize = 40;
/// Largest file of names, in bytes.
const MAX: u64 = 1 << 20;

fn file(store: &Store) -> PathBuf {
    store.lessons_file().with_extension("scopes")
}

/// What tells one state of the lessons from another.
fn state(store: &Store) -> io::Result<(String, u64)> {
    let meta = store.lessons_file().metadata()?;
    Ok((format!("v2 {} {} {} {}", meta.len(), meta.mtime(), meta.mtime_nsec(), meta.ino()), meta.len()))
}

/// A name, and the newest lessons that are about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// The ids of the lessons.
    pub lessons: Vec<String>,
    /// The name.
    pub name: String,
}

/// The names that are in `text`.
pub fn named(store: &Store, text: &str) -> Vec<Topic> {
    let Ok((now, size)) = state(store) else { return Vec::new() };
    let kept = fs::read(&file(store), MAX).unwrap_or_default();
    let kept = String::from_utf8_lossy(&kept);
    let mut names = match kept.split_once('\n') {
        Some((then, names)) if then == now => names.to_owned(),
        _ if size <= SMALL => make(store).unwrap_or_default(),
        // Made anew at a stop; old names are better than none.
        other => other.map(|(_, names)| names.to_owned()).unwrap_or_default(),
    };
    names.truncate(MAX as usize);
    let text = segments(text);
    let among = |name: &str| {
        let name = segments(name);
        !name.is_empty() && text.windows(name.len()).any(|window| window == name)
    };
    let topic = |line: &str| {
        let (name, ids) = line.split_once('\t')?;
        let lessons = || ids.split('\t').map(str::to_owned).collect();
        among(name).then(|| Topic { lessons: lessons(), name: name.to_owned() })
    };
    names.lines().filter_map(topic).collect()
}

/// Makes the names anew, if the lessons have changed since.
pub fn renew(store: &Store) {
    let head = fs::read(&file(store), MAX).unwrap_or_default();
    if state(store).is_ok_and(|(now, _)| !head.starts_with(format!("{now}\n").as_bytes())) {
        let _ = make(store);
    }
}

fn make(store: &Store) -> io::Result<String> {
    let (now, _) = state(store)?;
    let lessons = store.read()?;
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let plain = |text: &str| !text.is_empty() && !text.contains(['\n', '\t']);
    for lesson in lessons.live.iter().rev().filter(|lesson| lesson.reach != Reach::Personal && plain(&lesson.id)) {
        for name in lesson.scope.iter().map(|name| name.trim()).filter(|name| plain(name)) {
            let ids = names.entry(name).or_default();
            if ids.len() < LESSONS {
                ids.push(&lesson.id);
            }
        }
    }
    let names: String = names.into_iter().map(|(name, ids)| format!("{name}\t{}\n", ids.join("\t"))).collect();
    // What cannot be kept is made again at the next prompt.
    let _ = fs::replace(&file(store), format!("{now}\n{names}").as_bytes());
    Ok(names)
}
