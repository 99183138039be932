//! Which program runs the agent, and its dialect both ways. A further harness is one file and one line in [`ALL`].
//!
//! How a canonical answer is rendered; an answer at a moment that is not named is `undelivered`:
//!
//! | answer | at | Claude Code | Codex |
//! | --- | --- | --- | --- |
//! | Silence | any | nothing | nothing |
//! | Deny | PreToolUse | `permissionDecision: deny` and its reason | the same |
//! | Ask | PreToolUse | `permissionDecision: ask` and its reason | `deny`: `ask` would let the tool run |
//! | Block | Stop, SubagentStop | `decision: block` and its reason | the same |
//! | Context | SessionStart, UserPromptSubmit, PreToolUse, PostToolUse | `additionalContext` | the same |
//! | | PostToolUseFailure | `additionalContext` | has no such event |
//! | Note | those of Context | `systemMessage` | the same |
//! | | Interrupt | has no such event | `systemMessage` |
//! | | other events | `systemMessage` | undelivered: their schemas are unknown |
//! | Rewrite | PreToolUse | `permissionDecision: allow` with `updatedInput` | the same |
//!
//! A reason is never empty, because an answer without one is void; empty Context or Note is silence; text is cut at
//! the harness's limit.

use crate::answer::Answer;
use crate::event::{Event, Moment};
use std::ffi::OsString;

mod claude;
mod codex;
mod reply;
mod wire;
pub mod wiring;

pub use reply::Reply;
pub use wire::{MAX_DEPTH, Unread, Wire};

/// Every harness. The first whose environment is found wins; the first of all is the default.
pub const ALL: &[Harness] = &[claude::HARNESS, codex::HARNESS];

/// How to look at an environment variable; a parameter, so that tests need not change the process.
pub type Env = fn(&str) -> Option<OsString>;

/// One harness.
#[derive(Clone, Copy, Debug)]
pub struct Harness {
    /// What `--harness` calls it.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Variables that it, and nothing else, gives its hooks.
    environment: &'static [&'static str],
    /// Whether a payload can only come from it.
    plainly: fn(&Wire) -> bool,
    /// What it can do with an answer.
    pub can: Capabilities,
    read: for<'a> fn(Wire<'a>) -> Event<'a>,
    render: fn(&Answer, &Event, &Capabilities) -> Reply,
}

/// What a harness can do with an answer.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    /// It can put a tool call before a person.
    pub ask: bool,
    /// The moments at which it goes on when told to.
    pub block: &'static [Moment],
    /// The moments at which it takes text for the agent.
    pub context: &'static [Moment],
    /// The moments at which it takes a line for the person.
    pub note: &'static [Moment],
    /// It can run a tool with another input.
    pub rewrite: bool,
    /// The longest text it takes whole, in units of UTF-16.
    pub text_units: usize,
    /// How many blocks in a row it bears before it ends the turn all the same; `None` is no end.
    pub blocks_in_a_row: Option<u32>,
}

impl Harness {
    /// The harness that `--harness` calls `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|harness| harness.name == name)
    }

    /// The harness that the environment speaks of, else the default.
    #[must_use]
    pub fn around(env: Env) -> &'static Self {
        ALL.iter().find(|harness| harness.environment.iter().any(|name| env(name).is_some())).unwrap_or(&ALL[0])
    }

    /// The harness that sent a payload. What the payload proves goes before the environment, which a Codex started
    /// from a Claude session inherits.
    #[must_use]
    pub fn of(wire: &Wire, env: Env) -> &'static Self {
        ALL.iter().find(|harness| (harness.plainly)(wire)).unwrap_or_else(|| Self::around(env))
    }

    /// Renders an answer to an event.
    #[must_use]
    pub fn render(&self, answer: &Answer, event: &Event) -> Reply {
        (self.render)(answer, event, &self.can)
    }

    /// Whether somebody would see a question about this event. (Without a terminal, Claude Code turns a question
    /// into a refusal.)
    #[must_use]
    pub fn can_ask(&self, event: &Event, env: Env) -> bool {
        self.can.ask && !matches!(&*event.permission_mode, "bypassPermissions" | "dontAsk") && !headless(env)
    }
}

/// Whether it is known that nobody watches the session. Where a harness does not say, somebody may.
#[must_use]
pub fn headless(env: Env) -> bool {
    env("CLAUDE_CODE_SESSION_ATTENDED").is_some_and(|attended| attended == "0")
}

/// Reads one event and finds out whose it is. `named` is what `--harness` said; `event_name` is the event where the
/// payload has no name for it.
///
/// # Errors
/// The input is no event.
pub fn read<'a>(
    bytes: &'a [u8],
    named: Option<&'static Harness>,
    event_name: Option<&str>,
    env: Env,
) -> Result<(&'static Harness, Event<'a>), Unread> {
    let wire = wire::read(bytes)?;
    let harness = named.unwrap_or_else(|| Harness::of(&wire, env));
    let mut event = (harness.read)(wire);
    if let (true, Some(name)) = (event.event_name.is_empty(), event_name) {
        event.event_name = name.to_owned().into();
        event.moment = Moment::named(name);
    }
    Ok((harness, event))
}
