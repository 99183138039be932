//! A small program behind the face, for tests: what it logged and what became of its answers can be asked.

use crate::events::no_env;
use ah::answer::Answer;
use ah::cli::{Cli, Options};
use ah::event::{Event, Moment};
use ah::hook::{self, Context, Edges, Fate, Program};
use std::cell::RefCell;
use std::fmt::Write as _;

pub const CLI: Cli = Cli { name: "ah-sample", about: "answers", usage: &["< EVENT"], commands: &[], flags: &[] };

thread_local! {
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    pub static FATES: RefCell<Vec<Fate>> = const { RefCell::new(Vec::new()) };
}

fn log(program: &str, what: &str) {
    LOG.with_borrow_mut(|log| log.push(format!("{program}: {what}")));
}

/// The failure log since last asked.
pub fn logged() -> Vec<String> {
    LOG.take()
}

/// Denies every shell command that holds `rm`, with all that it saw of the event; hands over text at other moments.
fn answer(event: &Event, context: &Context) -> Answer {
    context.after(|fate| FATES.with_borrow_mut(|fates| fates.push(fate)));
    match event.input("command") {
        Some(command) if event.moment == Moment::PreToolUse && command.contains("rm") => {
            let mut seen = format!("{command} in {} of {}", event.cwd, event.session_id);
            let _ = write!(seen, "{}{}", event.stop_hook_active, if context.probe { " probe" } else { "" });
            Answer::Deny(seen)
        }
        _ if event.prompt == "context" => Answer::Context("handed over".into()),
        _ if event.prompt == "ask" => Answer::Context(format!("{}", context.can_ask)),
        _ => Answer::Silence,
    }
}

pub const PROGRAM: Program = Program {
    answer,
    cli: &CLI,
    edges: Edges { env: no_env, failure: log, off: |_| false },
    heeds_judge: true,
    panicked: |_| Answer::Silence,
    unreadable: |bytes| {
        if bytes.starts_with(b"!") { Answer::Deny("unreadable".into()) } else { Answer::Silence }
    },
};

pub fn run(bytes: &[u8]) -> String {
    String::from_utf8(hook::answer_bytes(&PROGRAM, bytes, &Options::default())).expect("UTF-8")
}

pub const EVENT: &str =
    r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/p","tool_name":"Bash","tool_input":{"command":"rm x"}}"#;
