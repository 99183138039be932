//! Who runs a command: a session, the person, or nobody that could be told.

use ah::mesh::{Board, Files, Presence};
use ah::person;

/// Variables that harnesses set in the shells of their sessions.
const SESSIONS: &[&str] =
    &["CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "PI_SESSION_ID", "OPENCODE_SESSION_ID", "GEMINI_SESSION_ID"];

/// Who runs a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Me {
    /// The session's id; `engineer`; or empty.
    pub by: String,
    /// What is known of the session.
    pub presence: Option<Presence>,
}

impl Me {
    /// By the environment and the processes above this one: no flag can say otherwise.
    pub fn of(files: &Files) -> Self {
        if let Some(id) = SESSIONS.iter().find_map(|name| std::env::var(name).ok()).filter(|id| !id.is_empty()) {
            let presence = files.presences().unwrap_or_default().into_iter().find(|presence| presence.session == id);
            return match presence {
                Some(_) => Self { by: id, presence },
                // A session that no hook has seen here is nobody known.
                None => Self::default(),
            };
        }
        match person::refusal(std::process::id(), &person::look) {
            None => Self { by: "engineer".to_owned(), presence: None },
            Some(_) => Self::default(),
        }
    }
}
