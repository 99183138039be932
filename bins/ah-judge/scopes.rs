//! The names that lessons are about, in a small file beside the store, so that a prompt need not read the lessons.

use ah::fs;
use ah::store::Store;
use ah::tokens::segments;
use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// Largest file of lessons that a prompt may read to make the names anew, in bytes; of a larger one a stop does.
const SMALL: u64 = 256 << 10;
/// Largest file of names, in bytes.
const MAX: u64 = 1 << 20;

fn file(store: &Store) -> PathBuf {
    store.lessons_file().with_extension("scopes")
}

/// What tells one state of the lessons from another.
fn state(store: &Store) -> io::Result<(String, u64)> {
    let meta = store.lessons_file().metadata()?;
    Ok((format!("v1 {} {} {} {}", meta.len(), meta.mtime(), meta.mtime_nsec(), meta.ino()), meta.len()))
}

/// The names that are in `text`.
pub fn named(store: &Store, text: &str) -> Vec<String> {
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
    names.lines().filter(|name| among(name)).map(str::to_owned).collect()
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
    let names: BTreeSet<&str> =
        lessons.live.iter().flat_map(|lesson| &lesson.scope).map(|name| name.trim()).filter(|n| !n.contains('\n')).collect();
    let names = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join("\n");
    // What cannot be kept is made again at the next prompt.
    let _ = fs::replace(&file(store), format!("{now}\n{names}").as_bytes());
    Ok(names)
}
