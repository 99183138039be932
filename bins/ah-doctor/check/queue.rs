//! Lessons that were chosen for a session and never reached it.

use crate::finding::Finding;
use crate::ground::Ground;
use ah::paths::Paths;
use ah::session::Session;
use std::time::{Duration, SystemTime};

/// A session that wrote nothing for so long has ended.
const QUIET: Duration = Duration::from_secs(24 * 60 * 60);
/// So many of the newest logs are looked at.
const NEWEST: usize = 50;

/// What waits in logs that nobody writes to any more.
pub fn look(ground: &Ground) -> Vec<Finding> {
    let now = SystemTime::now();
    let entries = std::fs::read_dir(ground.paths.sessions()).into_iter().flatten().flatten();
    let mut logs: Vec<(SystemTime, String)> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let name = path.file_stem()?.to_str()?.to_owned();
            let log = path.extension().is_some_and(|end| end == "jsonl");
            log.then_some((entry.metadata().ok()?.modified().ok()?, name))
        })
        .collect();
    logs.sort_unstable_by(|a, b| b.cmp(a));
    let quiet = logs.iter().take(NEWEST).filter(|(time, _)| now.duration_since(*time).is_ok_and(|age| age > QUIET));
    let (mut sessions, mut waiting) = (0, 0);
    for (_, name) in quiet {
        let left = left(ground.paths, name);
        sessions += usize::from(left > 0);
        waiting += left;
    }
    if waiting == 0 {
        return vec![Finding::ok("queue.ok", "queue", "nothing waits in sessions that have ended")];
    }
    let what = format!("{waiting} lessons were chosen for {sessions} sessions that ended before anything could show them");
    vec![Finding::warn("queue.unshown", "queue", what).mend("ah-doctor agents: is ah-judge registered for UserPromptSubmit?")]
}

/// How much waits in one log. Its name is the id where that needs no other letters.
fn left(paths: &Paths, name: &str) -> usize {
    Session::open(paths, name, "").and_then(|session| session.state()).map_or(0, |state| state.waiting().count())
}
