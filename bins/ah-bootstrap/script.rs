//! The script of a project: it runs a program of ah where one is installed, and else nothing.

use crate::error::Error;
use crate::plan::{Fate, Outcome, Plan};
use crate::source::Source;
use ah::receipt::{Record, State, sha256};
use std::path::Path;

/// Where it lies below the project's top.
pub const PLACE: &str = ".ah/hook";

/// What it is.
pub const TEXT: &str = include_str!("../../defaults/hook.sh");

/// How it is known for ours, of whatever version.
const MARK: &str = "# ah-bootstrap wrote this";

/// Plans to have the script in a project, or to have it no more.
pub fn plan(top: &Path, record: Option<&Record>, wanted: bool) -> Result<Plan, Error> {
    let path = top.join(PLACE);
    let source = Source::read(&path)?;
    let ours = source.bytes.as_deref().is_some_and(|bytes| is_ours(bytes, record));
    if wanted && source.bytes.is_some() && !ours {
        return Err(Error::Refused(path, "it is not by ah-bootstrap".into()));
    }
    let after = match (wanted, ours) {
        (true, _) => Some(TEXT.as_bytes().to_vec()),
        (false, true) => None,
        (false, false) => source.bytes.clone(),
    };
    let state = State { before: None, after: after.as_deref().map(sha256), ..State::default() };
    let fate = match (wanted, ours) {
        (true, true) if source.bytes == after => Fate::There,
        (true, true) => Fate::Renewed,
        (true, false) => Fate::Added,
        (false, _) => Fate::Removed,
    };
    let outcomes =
        if ours || wanted { vec![Outcome { event: String::new(), programs: vec![PLACE.to_owned()], fate }] } else { Vec::new() };
    Ok(Plan { path, harness: "", scope: "project", source, after, state, outcomes, mode: 0o755 })
}

/// Whether a script is as it was written, or one of another version.
fn is_ours(bytes: &[u8], record: Option<&Record>) -> bool {
    let digest = Some(sha256(bytes));
    record.is_some_and(|record| record.now.after == digest || record.next.as_ref().is_some_and(|next| next.after == digest))
        || String::from_utf8_lossy(bytes).lines().nth(1).is_some_and(|line| line.starts_with(MARK))
}
