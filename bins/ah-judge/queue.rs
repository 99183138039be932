//! What waits to be shown: lines of the session's log, and a flag beside it by which a silent hook sees that nothing does.

use ah::fs::{self, Lock};
use ah::paths::Paths;
use ah::session::{Entry, Logged, Queue, Session};
use std::io;
use std::path::PathBuf;

/// The flag of a session's log.
fn flag(log: PathBuf) -> PathBuf {
    log.with_extension("waits")
}

/// Whether something may wait for a session: one look at a name.
pub fn waits(paths: &Paths, session: &str) -> bool {
    flag(Session::place(paths, session)).exists()
}

/// An entry for a lesson, named so that no other has its name.
pub fn entry(check: &str, lesson: &str, grade: u8, kind: &str) -> Queue {
    Queue { check: check.to_owned(), entry: format!("{check}:{lesson}"), grade, kind: kind.to_owned(), lesson: lesson.to_owned() }
}

/// Puts lessons into the queue, in one write after other records that belong with them. The flag comes first: without
/// it they would be found late, with it and nothing else one hook looks in vain.
///
/// # Errors
/// The system's; nothing waits then that did not before.
pub fn put(session: &Session, t: u64, mut records: Vec<Logged>, queue: &[Queue], lock: &Lock) -> io::Result<()> {
    if !queue.is_empty() {
        match fs::create_file(&flag(session.file().to_path_buf())) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    records.extend(queue.iter().map(|queue| Logged::new(t, &queue.entry, Entry::Queue(queue.clone()))));
    session.log(records, Some(lock))
}

/// Takes the flag away, for the holder of the session's lock, who knows that nothing waits.
pub fn done(session: &Session, _lock: &Lock) {
    // A flag that stays costs the next hook a look, and nothing else.
    let _ = std::fs::remove_file(flag(session.file().to_path_buf()));
}
